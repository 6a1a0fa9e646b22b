"""`tf.saved_model`: an object's variables, as a TensorFlow checkpoint, and its functions, as torch.export programs, in one folder.

Milepost loads it without the object's source. TensorFlow reads its variables, not its functions; and so do we with what TensorFlow wrote.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from milepost.tf import saved_objects as objects
from milepost.tf import saved_programs as programs

__all__ = [
    "ASSETS_DIRECTORY",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "SAVED_MODEL_FILENAME_PB",
    "SERVING",
    "TRAINING",
    "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME",
    "Asset",
    "LoadOptions",
    "SaveOptions",
    "contains_saved_model",
    "load",
    "save",
]  # fmt: skip

ASSETS_DIRECTORY, VARIABLES_DIRECTORY, VARIABLES_FILENAME = "assets", "variables", "variables"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
SERVING, TRAINING = "serve", "train"
FUNCTIONS, MANIFEST = "functions", "saved_model.milepost.json"
_FORMAT = 1


class SaveOptions:
    """TensorFlow's options; none changes anything here."""

    def __init__(self, **options: Any):
        self.options = options


class LoadOptions(SaveOptions):
    """TensorFlow's options; none changes anything here."""


class Asset:
    """A file that goes with the model."""

    def __init__(self, path: Any):
        self.asset_path = str(path)


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a model was saved there, by Milepost or by TensorFlow."""
    folder = Path(str(export_dir))
    return (folder / MANIFEST).is_file() or (folder / SAVED_MODEL_FILENAME_PB).is_file()


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """The object's variables and tf.functions. A function is saved for its input_signature, or for the kinds it was called with."""
    if isinstance(obj, type) or callable(getattr(obj, "python_function", None)):
        raise ValueError(
            f"Expected an object with variables and functions, such as a tf.Module, for `obj`. Got {obj!r}."
        )
    folder = Path(str(export_dir))
    graph = objects.walk(obj)
    variables = graph.variables
    files: dict[str, bytes] = {}

    def exported(name: str, function: Any, arguments: Any, file: str) -> dict[str, Any]:
        told, files[file] = programs.export(name, function, arguments, variables, file)
        return told

    # every function is followed before anything is written: what cannot be saved leaves the folder as it was
    told = {
        path: [
            exported(path, function.python_function, arguments, f"{_file(path)}-{i}.pt2")
            for i, arguments in enumerate(objects.kinds_of(function))
        ]
        for path, function in graph.functions.items()
    }
    served = {
        name: {
            **exported(name, concrete._python, (concrete._args, concrete._kwargs), f"signature-{_file(name)}.pt2"),
            "names": objects.names_of(concrete),
        }
        for name, concrete in objects.signatures_of(obj, signatures).items()
    }
    (folder / FUNCTIONS).mkdir(parents=True, exist_ok=True)
    for name, program in files.items():
        (folder / FUNCTIONS / name).write_bytes(program)
    keys = _write_variables(obj, graph, str(folder / VARIABLES_DIRECTORY / VARIABLES_FILENAME))
    manifest = {
        "milepost": _FORMAT, "object": graph.tree, "variables": objects.variables_as_json(variables, keys), "functions": told,
        "signatures": served,
    }  # fmt: skip
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1))


def _write_variables(obj: Any, graph: objects.Saved, prefix: str) -> list[str]:
    """A checkpoint of the object, as tf.train.Checkpoint(obj) reads it; the variables' keys in it."""
    from milepost.train import Checkpoint, list_variables

    keys = [f"{path}/.ATTRIBUTES/VARIABLE_VALUE" for path in graph.paths]
    Checkpoint(obj).write(prefix)
    if not set(keys) <= {name for name, _ in list_variables(prefix)}:
        # the object's own names are not its attributes': number them
        keys = [f"v{i}/.ATTRIBUTES/VARIABLE_VALUE" for i in range(len(keys))]
        Checkpoint(**{f"v{i}": v for i, v in enumerate(graph.variables)}).write(prefix)
    return keys


def _file(path: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in path) or "call"


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """What was saved: an object with its variables, functions and `signatures`."""
    from milepost.train import load_checkpoint

    folder = Path(str(export_dir))
    if not (folder / MANIFEST).is_file():
        if (folder / SAVED_MODEL_FILENAME_PB).is_file():
            raise NotImplementedError(
                f"{folder} was written by TensorFlow: its functions are TensorFlow graphs, which Milepost does not run. Its variables can be "
                f"read: tf.train.load_checkpoint({str(folder / VARIABLES_DIRECTORY / VARIABLES_FILENAME)!r}) lists and gives them, and "
                "tf.train.Checkpoint(model).read(…) restores an object built from the same source."
            )
        raise OSError(f"SavedModel file does not exist at: {folder}/{{{SAVED_MODEL_FILENAME_PB}|{MANIFEST}}}")
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        if manifest["milepost"] != _FORMAT:
            raise ValueError(f"format {manifest['milepost']}")
        variables = objects.variables_from_json(manifest["variables"])
        for of_function in [*manifest["functions"].values(), list(manifest["signatures"].values())]:
            for one in of_function:
                programs.restored(one["args"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder / MANIFEST} is not a manifest this Milepost reads: {error}") from None
    prefix = str(folder / VARIABLES_DIRECTORY / VARIABLES_FILENAME)
    if variables:
        reader = load_checkpoint(prefix)
        for variable, told in zip(variables, manifest["variables"], strict=True):
            variable.assign(reader.get_tensor(told["key"]))
    return objects.revive(manifest, folder / FUNCTIONS, variables)


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.saved_model", __all__)
