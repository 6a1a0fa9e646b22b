"""What is not there: an AttributeError that names the nearest thing and the page that lists everything."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["no_such_name"]

PAGE = "docs/reference/tf.md"
_GRAPHS = "TensorFlow 1's graphs: tf.compat.v1.{0} is there after tf.compat.v1.disable_eager_execution(); TensorFlow 2 programs need no session"
_TF1 = "a TensorFlow 1 name: {0} is today's"

# What stands in the place of names people still type; {0} in a value is filled by the name.
HINTS: dict[str, str] = {
    **{f"tf.{n}": _GRAPHS.format(n) for n in ("Session", "InteractiveSession", "placeholder", "global_variables_initializer")},
    **{f"tf.{n}": _GRAPHS.format(n) for n in ("get_default_graph", "reset_default_graph", "local_variables_initializer", "get_variable")},
    **{f"tf.{old}": _TF1.format(new) for old, new in {
        "app.flags": "absl.flags or argparse", "app": "absl.app or plain Python", "flags": "absl.flags or argparse",
        "ceil": "tf.math.ceil", "count_nonzero": "tf.math.count_nonzero", "div": "tf.math.divide", "erf": "tf.math.erf",
        "floor_div": "tf.math.floordiv", "floordiv": "tf.math.floordiv", "floormod": "tf.math.floormod", "mod": "tf.math.floormod",
        "is_finite": "tf.math.is_finite", "is_inf": "tf.math.is_inf", "is_nan": "tf.math.is_nan", "lgamma": "tf.math.lgamma",
        "log": "tf.math.log", "log1p": "tf.math.log1p", "log_sigmoid": "tf.math.log_sigmoid", "reciprocal": "tf.math.reciprocal",
        "rsqrt": "tf.math.rsqrt", "rint": "tf.math.rint", "squared_difference": "tf.math.squared_difference",
        "segment_sum": "tf.math.segment_sum", "unsorted_segment_sum": "tf.math.unsorted_segment_sum", "top_k": "tf.math.top_k",
        "in_top_k": "tf.math.in_top_k", "confusion_matrix": "tf.math.confusion_matrix", "l2_normalize": "tf.math.l2_normalize",
        "random_normal": "tf.random.normal", "random_uniform": "tf.random.uniform", "truncated_normal": "tf.random.truncated_normal",
        "random_shuffle": "tf.random.shuffle", "random_crop": "tf.image.random_crop", "multinomial": "tf.random.categorical",
        "set_random_seed": "tf.random.set_seed", "cholesky": "tf.linalg.cholesky", "diag": "tf.linalg.tensor_diag",
        "diag_part": "tf.linalg.tensor_diag_part", "matrix_inverse": "tf.linalg.inv", "matrix_determinant": "tf.linalg.det",
        "matrix_diag": "tf.linalg.diag", "matrix_solve": "tf.linalg.solve", "matrix_transpose": "tf.linalg.matrix_transpose",
        "trace": "tf.linalg.trace", "svd": "tf.linalg.svd", "qr": "tf.linalg.qr", "self_adjoint_eig": "tf.linalg.eigh", "cross": "tf.linalg.cross",
        "decode_raw": "tf.io.decode_raw", "decode_csv": "tf.io.decode_csv", "read_file": "tf.io.read_file", "write_file": "tf.io.write_file",
        "parse_example": "tf.io.parse_example", "parse_single_example": "tf.io.parse_single_example",
        "FixedLenFeature": "tf.io.FixedLenFeature", "VarLenFeature": "tf.io.VarLenFeature", "gfile": "tf.io.gfile",
        "python_io": "tf.io", "string_split": "tf.strings.split", "string_join": "tf.strings.join", "substr": "tf.strings.substr",
        "regex_replace": "tf.strings.regex_replace", "string_to_number": "tf.strings.to_number", "to_float": "tf.cast(x, tf.float32)",
        "to_double": "tf.cast(x, tf.float64)", "to_int32": "tf.cast(x, tf.int32)", "to_int64": "tf.cast(x, tf.int64)",
        "fft": "tf.signal.fft", "ifft": "tf.signal.ifft", "rfft": "tf.signal.rfft", "sparse_tensor_to_dense": "tf.sparse.to_dense",
        "sparse_to_dense": "tf.sparse.to_dense", "py_func": "tf.py_function or tf.numpy_function", "arg_max": "tf.argmax",
        "global_norm": "tf.linalg.global_norm", "all_variables": "model.variables", "global_variables": "model.variables",
        "trainable_variables": "model.trainable_variables", "variable_scope": "a tf.Module or tf.name_scope", "assign": "variable.assign(value)",
        "assign_add": "variable.assign_add(value)", "assign_sub": "variable.assign_sub(value)", "layers": "tf.keras.layers",
        "verify_tensor_all_finite": "tf.debugging.assert_all_finite", "check_numerics": "tf.debugging.check_numerics",
        "Print": "tf.print", "logging": "tf.get_logger() or absl.logging", "GraphKeys": "model.variables", "estimator": "tf.keras (Model.fit)",
        "depth_to_space": "tf.nn.depth_to_space", "space_to_depth": "tf.nn.space_to_depth",
    }.items()},
    "tf.lite": "TensorFlow's converter for phones: Keras' model.export(path, format='onnx') or torch.export serve there",
    "tf.tpu": "for TPUs: Keras on JAX runs there (KERAS_BACKEND=jax)",
    "tf.raw_ops": "TensorFlow's kernels by name: the public function of the same meaning is in tf, tf.math, tf.nn or tf.image",
    "tf.dtensor": "TensorFlow's layouts over meshes: keras.distribution has them",
    "tf.feature_column": "of Estimators: Keras' preprocessing layers (tf.keras.layers.Normalization, StringLookup, …) do it today",
    "tf.queue": "queues of TensorFlow 1's input: tf.data feeds programs today",
    "tf.mlir": "TensorFlow's compiler", "tf.xla": "TensorFlow's compiler: KERAS_BACKEND=jax compiles with XLA",
    "tf.tools": "TensorFlow's own tools", "tf.types": "TensorFlow's own types", "tf.sysconfig": "for compiling TensorFlow's own kernels",
    "tf.load_op_library": "for TensorFlow's own kernels: write it with torch (torch.library), or tf.numpy_function",
    "tf.Operation": "a node of TensorFlow's graphs", "tf.variable_creator_scope": "TensorFlow's hook on variables",
    "tf.import_graph_def": "for TensorFlow's own graphs, which only TensorFlow runs", "tf.graph_util": "for TensorFlow's own graphs",
    "tf.contrib.layers": "gone since TensorFlow 2: tf.keras.layers", "tf.contrib.rnn": "gone since TensorFlow 2: tf.keras.layers.LSTM, GRU, RNN",
    "tf.contrib.eager": "gone since TensorFlow 2: everything is eager", "tf.contrib.data": "gone since TensorFlow 2: tf.data",
    "tf.contrib.slim": "gone since TensorFlow 2: tf.keras", "tf.contrib.learn": "gone since TensorFlow 2: tf.keras",
    "tf.contrib": "gone since TensorFlow 2: only tf.contrib.summary is kept", "tf.feature": "did you mean tf.train.Feature?",
}  # fmt: skip


def no_such_name(name: str, inside: str = "tf", known: Iterable[str] | None = None) -> AttributeError:
    """The error for `tf.<name>`."""
    why = HINTS.get(f"{inside}.{name}")
    if why is not None:
        return AttributeError(f"{inside}.{name} is not there. It is {why}. {PAGE} lists what is there.")
    if known is None:
        from milepost.tf.names import NAMES, SPACES

        known = {*NAMES, *SPACES}
    near = difflib.get_close_matches(name, list(known), n=2, cutoff=0.6)
    hint = f" Did you mean {' or '.join(f'{inside}.{n}' for n in near)}?" if near else _elsewhere(name, inside)
    return AttributeError(f"module 'milepost.{inside}' has no attribute {name!r}.{hint} {PAGE} lists what is there.")


def _elsewhere(name: str, inside: str) -> str:
    """The same name in another namespace."""
    here = Path(__file__).parent
    if name.startswith("_") or (here / f"{name}.py").exists() or (here / name).is_dir():
        return ""  # Python itself asks for such, in the middle of imports
    import importlib

    tf = importlib.import_module("milepost.tf")
    for space in ("tf", "math", "nn", "linalg", "random", "image", "strings", "io", "signal", "debugging"):
        if f"tf.{space}" == inside or space == inside:
            continue
        module: Any = tf if space == "tf" else getattr(tf, space)
        if name in getattr(module, "__all__", ()):
            return f" Did you mean {'tf' if space == 'tf' else f'tf.{space}'}.{name}?"
    return ""
