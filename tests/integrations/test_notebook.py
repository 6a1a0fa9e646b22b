"""The magics: a board in a frame, one server a logdir, and one clear error."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import Any

import pytest

from milepost.errors import UsageError
from milepost.integrations import notebook


@pytest.fixture
def shell() -> Any:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "milepost")
    yield shell
    notebook._end()
    for process, _ in notebook._servers.values():
        process.wait(10)
        if process.stderr is not None:
            process.stderr.close()
    notebook._servers.clear()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # IPython's own
def test_both_magics_show_the_board(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`%milepost` and `%tensorboard --logdir=…` show a frame of a server that answers; a second cell finds the same server."""
    first = shell.run_line_magic("milepost", f"--logdir {tmp_path} --height 500")
    again = shell.run_line_magic("milepost", f"--logdir {tmp_path}")
    seed = shell.run_line_magic("tensorboard", f"--logdir={tmp_path}")
    assert first.src == again.src == seed.src
    assert first.height == 500
    assert b"<html" in urllib.request.urlopen(first.src, timeout=10).read()
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/a/")
    assert notebook.address(6006) == "/user/a/proxy/6006/"


def test_a_missing_logdir_is_said() -> None:
    """The line to write is in the error."""
    with pytest.raises(UsageError, match="%milepost --logdir runs"):
        notebook.start("--port 6006")
