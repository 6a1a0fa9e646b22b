"""docs/reference/tf.md says of every TensorFlow name whether it is there, and is true."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_table_of_names_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "generate_tf_reference.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run `python tools/generate_tf_reference.py`\n{done.stderr[-2000:]}"


def test_the_benchmark_runs() -> None:
    """benchmarks/bench_tf.py, one short round of the light work."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "bench_tf.py", "--quick", "--only", "mlp,linear regression"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "linear regression" in done.stdout


def test_no_file_hides_a_public_name() -> None:
    """Importing a file sets its name in the package: a file called like a function would take the function's place."""
    from milepost.tf.names import NAMES

    folder = Path(__file__).parents[2] / "src" / "milepost" / "tf"
    assert not {f.stem for f in folder.iterdir()} & set(NAMES)
    for space in ("data", "image", "io", "lookup", "ragged", "sparse", "strings"):
        for file in (folder / space).glob("[a-z]*.py"):
            importlib.import_module(f"milepost.tf.{space}.{file.stem}")
        package = importlib.import_module(f"milepost.tf.{space}")
        names = set(package.__all__) - {"experimental", "gfile"}  # namespaces, and files
        assert not [n for n in names if isinstance(getattr(package, n), types.ModuleType)]
