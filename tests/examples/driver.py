"""Runs examples in children of one process that has imported the heavy packages once. In: a folder and names. Out: NAME.out, NAME.rc.

Each child is a fork: it starts with the imports done and nothing else, so that eleven examples do not import Keras eleven times.
"""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from pathlib import Path

import gymnasium  # noqa: F401
import sklearn.datasets  # noqa: F401

from milepost import tf

assert tf.keras

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def child(name: str, folder: Path) -> int:
    out = os.open(folder / f"{name}.out", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(folder)
    sys.path.insert(0, str(EXAMPLES))
    sys.argv = [name, str(folder / "run")]
    try:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return 0
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def main() -> None:
    folder = Path(sys.argv[1])
    for name in sys.argv[2:]:
        pid = os.fork()
        if pid == 0:
            os._exit(child(name, folder))
        _, status = os.waitpid(pid, 0)
        (folder / f"{name}.rc").write_text(str(os.waitstatus_to_exitcode(status)))


if __name__ == "__main__":
    main()
