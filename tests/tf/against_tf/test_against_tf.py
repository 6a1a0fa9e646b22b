"""The same small programs on TensorFlow 2.21 and on `milepost.tf`: values, dtypes, shapes, errors and printed text agree.

The programs are in `cases/`, one area a file, blocks between blank lines. A comment line in a block may say how to compare:
`# loose` (relative 1e-3), `# shapes only` (random numbers), `# message` (the error's text too), `# printed` (stdout too).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.tf.against_tf.evaluate import blocks

pytestmark = [pytest.mark.peers, pytest.mark.timeout(300)]  # a first area waits for TensorFlow's import
HERE = Path(__file__).parent
CASES = HERE / "cases"
ALL = [(f.stem, i, source) for f in sorted(CASES.glob("*.py")) for i, source in enumerate(blocks(f.read_text()))]


class Module:
    """One of the two, at work in a process of its own; what it found in an area is there when the area is done."""

    def __init__(self, name: str, python: Any, out: Path, areas: list[str], environment: dict[str, str]):
        self._name, self._out, self._found = name, out / name, {}
        self._out.mkdir()
        self._errors = open(self._out / "stderr", "w+")  # noqa: SIM115  (open as long as the process runs)
        self.process = subprocess.Popen(
            [python, str(HERE / "evaluate.py"), name, str(CASES), str(self._out), *areas],
            env=environment, cwd=out, stdout=subprocess.DEVNULL, stderr=self._errors,
        )  # fmt: skip

    def results(self, area: str) -> list[dict[str, Any]]:
        file = self._out / f"{area}.json"
        while area not in self._found:
            ended = self.process.poll() is not None
            if file.exists():
                self._found[area] = json.loads(file.read_text())
            elif ended:
                pytest.fail(f"{self._name} did not get to {area}:\n{(self._out / 'stderr').read_text()[-3000:]}")
            else:
                time.sleep(0.05)
        return self._found[area]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._errors.close()


@pytest.fixture(scope="session")
def modules(peer: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Both, running the areas to be tested at the same time."""
    out = tmp_path_factory.mktemp("against")
    tests = [item for item in request.session.items if item.path == Path(__file__)]
    areas = sorted({item.callspec.params["area"] for item in tests})  # type: ignore[attr-defined]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", PYTHONDONTWRITEBYTECODE="1")
    without = {k: v for k, v in environment.items() if k not in ("PYTHONPATH", "KERAS_BACKEND")}
    both = (
        Module("milepost.tf", sys.executable, out, areas, environment),
        Module("tensorflow", peer.python, out, areas, without),
    )
    yield both
    for module in both:
        module.close()


def same(ours: Any, theirs: Any, tolerance: float, shapes_only: bool) -> bool:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if ours.keys() != theirs.keys():
            return False
        skip = ("values", "bytes") if shapes_only else ()
        return all(k in skip or same(ours[k], theirs[k], tolerance, shapes_only) for k in theirs)
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(
            same(a, b, tolerance, shapes_only) for a, b in zip(ours, theirs, strict=True)
        )
    if isinstance(theirs, float) and isinstance(ours, float):
        both_nan = math.isnan(ours) and math.isnan(theirs)
        return both_nan or math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance / 10)
    return type(ours) is type(theirs) and ours == theirs


@pytest.mark.parametrize(("area", "number", "source"), ALL, ids=[f"{a}-{i}" for a, i, _ in ALL])
def test_same(area: str, number: int, source: str, modules: tuple[Module, Module]) -> None:
    ours, theirs = (module.results(area)[number] for module in modules)
    how = {line.lstrip("# ") for line in source.splitlines() if line.startswith("#")}
    shown = f"\n{source}\nTensorFlow: {theirs}\nMilepost:   {ours}"
    if "raises" in theirs:
        # An error of the same class, or of one that code catching TensorFlow's would catch.
        assert theirs["raises"] in ours.get("kinds", ()), shown
        assert "message" not in how or ours["message"] == theirs["message"], shown
        return
    assert "raises" not in ours, shown
    tolerance = 1e-3 if "loose" in how else 2e-5
    assert same(ours["value"], theirs["value"], tolerance, "shapes only" in how), shown
    assert "printed" not in how or ours["printed"] == theirs["printed"], shown
