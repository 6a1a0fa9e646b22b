"""Links: what they lead to outside the log directory is not read, unless the board is told to."""

from __future__ import annotations

from pathlib import Path

import pytest

import milepost
from milepost.board.live import Live
from milepost.board.options import Options


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """One run inside, one linked from outside, one made of a link to a file inside, one of a link to a file outside."""
    for name in ("logs/inside", "elsewhere/secret"):
        with milepost.SummaryWriter(tmp_path / name) as writer:
            writer.add_scalar("x", 1.0, 0)
    (tmp_path / "logs/linked").symlink_to(tmp_path / "elsewhere/secret")
    for name, target in (("alias", "logs/inside"), ("file", "elsewhere/secret")):
        (tmp_path / "logs" / name).mkdir()
        (source,) = (tmp_path / target).iterdir()
        (tmp_path / "logs" / name / source.name).symlink_to(source)
    return tmp_path / "logs"


def runs(logdir: Path, *, follow_links: bool) -> set[str]:
    live = Live(Options(roots=(("", str(logdir)),), reload_interval=0, follow_links=follow_links))
    live.load()
    try:
        assert live._collection is not None
        return set(live._collection)
    finally:
        live.stop()


def test_only_what_lies_inside_is_read(logdir: Path) -> None:
    """A directory link and a file link that lead out are no runs; a link that stays inside is one."""
    assert runs(logdir, follow_links=False) == {"inside", "alias"}


def test_followed_when_told(logdir: Path) -> None:
    """--follow_links reads them, as TensorBoard does; so does milepost.open, which serves nobody else."""
    assert runs(logdir, follow_links=True) == {"inside", "alias", "linked", "file"}
    assert set(milepost.open(logdir, cache=False)) == {"inside", "alias", "linked", "file"}
