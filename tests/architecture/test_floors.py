"""The house stands: floors, the one public door, light imports, files that stay readable."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import milepost

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "milepost"
HEAVY = ("torch", "keras", "jax", "tensorflow", "starlette", "uvicorn", "PIL", "rich", "watchfiles", "pandas")


def fresh(code: str) -> str:
    """The output of a new interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_floors() -> None:
    """Imports go downwards only; only engines, tf and integrations name an engine (import-linter's contracts)."""
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


def test_import_is_light() -> None:
    """`import milepost` costs at most 100 ms over bare Python and numpy; best of several, each in a new interpreter."""
    code = "import numpy, time; begin = time.perf_counter(); import milepost; print(time.perf_counter() - begin)"
    assert min(float(fresh(code)) for _ in range(5)) < 0.1


def test_import_loads_no_engine_and_no_server() -> None:
    """Neither the package nor its plain rooms pull in an engine, a web server or an image library."""
    code = "import milepost, sys, json; print(json.dumps(list(sys.modules)))"
    loaded = {name.partition(".")[0] for name in json.loads(fresh(code))}
    assert not loaded & set(HEAVY)


def test_readers_and_writers_load_no_engine() -> None:
    """Reading, writing and saving numpy state never imports torch, jax or keras."""
    code = (
        "import milepost, sys, json; milepost.train, milepost.summary, milepost.open, milepost.SummaryWriter;"
        "print(json.dumps(list(sys.modules)))"
    )
    loaded = {name.partition(".")[0] for name in json.loads(fresh(code))}
    assert not loaded & {"torch", "keras", "jax", "tensorflow", "starlette", "uvicorn"}


def test_the_public_door_is_what_all_says() -> None:
    """Every public name loads, and nothing else is promised."""
    assert sorted(milepost.__all__) == sorted({*milepost._DOORS, "__version__"})
    for name in set(milepost.__all__) - {"tf"}:  # tf needs keras and torch; its own tests load it
        assert getattr(milepost, name) is not None


def test_formats_open_no_file_and_read_no_clock() -> None:
    """What bytes mean depends on the bytes alone."""
    for path in (SOURCE / "formats").rglob("*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert not {a.name for a in node.names} & {"os", "time", "pathlib", "shutil", "tempfile"}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "open", path


def test_only_storage_renames_and_syncs() -> None:
    """os.replace, os.rename and os.fsync have one room."""
    for path in SOURCE.rglob("*.py"):
        if path.is_relative_to(SOURCE / "storage") or path.is_relative_to(SOURCE / "testing"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
                assert node.attr not in {"replace", "rename", "fsync", "link"}, f"{path}:{node.lineno}"


def test_no_pickle() -> None:
    """A checkpoint from a stranger must be safe to open."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = {a.name for a in node.names} if isinstance(node, ast.Import) else set()
            names |= {node.module} if isinstance(node, ast.ImportFrom) else set()
            assert not names & {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve"}, path


def test_every_room_says_what_it_is() -> None:
    """Each folder with code has a README of a few lines, each file a first line."""
    for folder in sorted(p for p in SOURCE.iterdir() if p.is_dir() and (p / "__init__.py").exists()):
        if any(f.stem != "__init__" for f in folder.glob("*.py")):
            assert (folder / "README.md").exists(), folder
    for path in SOURCE.rglob("*.py"):
        if path.stat().st_size:
            assert ast.get_docstring(ast.parse(path.read_text())), path


def test_lint_and_types() -> None:
    """ruff is clean, so that a reader is never slowed by style."""
    bin_dir = Path(sys.executable).parent
    for command in (["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        done = subprocess.run(
            [bin_dir / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:]
