"""Milepost without Pillow: pictures are written all the same; what needs it says how to get it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from milepost import SummaryWriter, open
from milepost.errors import EngineMissingError
from milepost.summary.pictures import draw_boxes, gif


def test_pictures_need_no_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_image("im", np.zeros((3, 4, 5), np.uint8), 0)
    assert open(tmp_path)["."].images["im"][0].width == 5


def test_boxes_and_clips_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(EngineMissingError, match=r"milepost\[images\]"):
        gif(np.zeros((2, 4, 4, 3), np.uint8), 4)
    with pytest.raises(EngineMissingError, match=r"milepost\[images\]"):
        draw_boxes(np.zeros((4, 4, 3), np.uint8), np.zeros((1, 4)), None, 1)
