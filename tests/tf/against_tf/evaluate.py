"""Runs every case on one module, TensorFlow or `milepost.tf`, and writes what came out in a form that both share.

    python evaluate.py MODULE CASES_FOLDER OUT_FOLDER [areas]

Run by either interpreter, so it needs numpy alone. A case is a block of Python whose last line is an expression.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import importlib
import io
import json
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np


def blocks(text: str) -> list[str]:
    """The cases of a file: blocks between blank lines; a block of comments only is talk."""
    found = (block.strip("\n") for block in re.split(r"\n[ \t]*\n(?=\S)", text))
    return [b for b in found if any(line.strip() and not line.startswith("#") for line in b.splitlines())]


def array(values: Any) -> dict[str, Any]:
    values = np.asarray(values)
    if values.dtype.kind in "OSU":
        flat = [v if isinstance(v, bytes) else str(v).encode() for v in values.reshape(-1).tolist()]
        return {"shape": list(values.shape), "bytes": [base64.b64encode(v).decode() for v in flat]}
    name = values.dtype.name
    if values.dtype.kind == "c":
        values = np.stack([values.real, values.imag], -1)
    elif name not in ("bool",) and not np.issubdtype(values.dtype, np.integer):
        values = values.astype(np.float64)
    return {"shape": list(np.shape(values)), "values": values.reshape(-1).tolist()}


def plain(value: Any, tf: Any) -> Any:
    """A value both modules may give, as JSON: kind, dtype, shape and numbers; containers keep their kind."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return {"str": value}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, tf.DType):
        return {"dtype": value.name}
    if isinstance(value, tf.TensorShape):
        return {"shape": None if value.rank is None else value.as_list()}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array": array(value), "dtype": value.dtype.name if value.dtype.kind not in "OSU" else "string"}
    kind = type(value).__name__
    if "RaggedTensor" in kind and hasattr(value, "flat_values"):
        splits = [array(s.numpy()) for s in value.nested_row_splits]
        return {"ragged": array(value.flat_values.numpy()), "splits": splits, "dtype": value.dtype.name}
    if kind == "SparseTensor":
        parts = [array(p.numpy()) for p in (value.indices, value.values, value.dense_shape)]
        return {"sparse": parts, "dtype": value.dtype.name}
    if isinstance(value, tf.Variable):
        return {"variable": array(value.numpy()), "dtype": tf.as_dtype(value.dtype).name}
    if tf.is_tensor(value) and hasattr(value, "numpy"):
        return {"tensor": array(value.numpy()), "dtype": tf.as_dtype(value.dtype).name}
    if isinstance(value, dict):
        return {"dict": [[plain(k, tf), plain(value[k], tf)] for k in value]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"named": [list(value._fields), [plain(v, tf) for v in value]]}
    if isinstance(value, (list, tuple)):
        return {"list" if isinstance(value, list) else "tuple": [plain(v, tf) for v in value]}
    return {"repr": re.sub(r"0x[0-9a-f]+", "0x…", repr(value))}


def run(source: str, tf: Any) -> dict[str, Any]:
    """What one case gave: its value, or the error it raised; and what it printed."""
    tree = ast.parse(source)
    names: dict[str, Any] = {"tf": tf, "np": np, "__name__": "case"}
    printed = io.StringIO()
    tf.random.set_seed(1)
    np.random.seed(1)
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            last = tree.body.pop()
            # The source stands in a file, for `inspect.getsource` and TensorFlow's AutoGraph.
            with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
                file.write(source)
            exec(compile(tree, file.name, "exec"), names)
            if isinstance(last, ast.Expr):
                value = plain(eval(compile(ast.Expression(last.value), file.name, "eval"), names), tf)
            else:
                exec(compile(ast.Module([last], []), file.name, "exec"), names)
                value = None
            os.unlink(file.name)
    except Exception as error:
        kinds = [c.__name__ for c in type(error).__mro__ if c not in (object, BaseException)]
        return {"raises": type(error).__name__, "kinds": kinds, "message": str(error)[:2000]}
    return {"value": value, "printed": printed.getvalue()}


def main() -> None:
    module, folder, out, *only = sys.argv[1:]
    tf = importlib.import_module(module)
    for file in sorted(Path(folder).glob("*.py")):
        if not only or file.stem in only:
            made = json.dumps([run(source, tf) for source in blocks(file.read_text())])
            unfinished = Path(out, file.stem)
            unfinished.write_text(made)
            unfinished.rename(
                Path(out, file.stem + ".json")
            )  # whole as soon as it is there: a test may be waiting for it


if __name__ == "__main__":
    main()
