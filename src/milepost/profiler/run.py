"""Run a program under a capture, unchanged: `python -m milepost.profiler.run LOGDIR train.py …`. In: argv. Out: a capture.

This is what `milepost profile record` starts. An engine's profiler can only start once the engine is there, so it is
started right after the program has imported it. Not here: finding the interpreter, showing the result (`cli.profile`).
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType

from milepost.profiler import session

__all__ = ["main"]

ENGINES = ("torch", "jax")


class _AfterImport(importlib.abc.MetaPathFinder):
    """Calls `session.attach` when an engine's import has ended."""

    def __init__(self) -> None:
        self._looking: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in ENGINES or fullname in self._looking:
            return None
        self._looking.add(fullname)  # the search below asks every finder again, this one too
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._looking.discard(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: importlib.abc.Loader):
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        session.attach()


def main(arguments: list[str]) -> None:
    logdir, sample_ms, *program = arguments
    session.start(logdir, session.ProfilerOptions(sample_ms=float(sample_ms)))
    sys.meta_path.insert(0, _AfterImport())
    try:
        if program[0] == "-m":
            sys.argv = program[1:]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        elif program[0] == "-c":
            sys.argv = ["-c", *program[2:]]
            sys.path.insert(0, "")
            exec(compile(program[1], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = program
            sys.path.insert(0, os.path.dirname(os.path.abspath(program[0])))
            runpy.run_path(program[0], run_name="__main__")
    finally:
        if session.active():
            path = session.stop()
            sys.stderr.write(f"milepost: profile written to {path}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
