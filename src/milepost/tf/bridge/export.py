"""`model.export(path)` and `TFSMLayer`: a Keras model as a saved model of Milepost's, and back as a layer. Other formats are Keras' own."""

from __future__ import annotations

import functools
from typing import Any

from keras.src import models
from keras.src.layers.layer import Layer

__all__ = ["TFSMLayer", "install"]


class TFSMLayer(Layer):  # type: ignore[misc]
    """A saved model's endpoint as a layer, for inference."""

    def __init__(self, filepath: Any, call_endpoint: str = "serve", call_training_endpoint: str | None = None, trainable: bool = True, name: str | None = None, dtype: Any = None):  # fmt: skip
        from milepost.tf import saved_model

        super().__init__(trainable=trainable, name=name, dtype=dtype)
        if call_training_endpoint is not None:
            raise NotImplementedError(
                "TFSMLayer(call_training_endpoint=…): saved models hold the endpoint for inference."
            )
        self._loaded = saved_model.load(filepath)
        self.filepath, self.call_endpoint = str(filepath), call_endpoint
        found = self._loaded.signatures.get(call_endpoint) or getattr(self._loaded, call_endpoint, None)
        if found is None:
            there = [*self._loaded.signatures, *(["serve"] if hasattr(self._loaded, "serve") else [])]
            raise ValueError(
                f"The endpoint {call_endpoint!r} is neither an attribute nor a signature of {filepath}: it has {there}."
            )
        self._endpoint = found
        self.built = True

    def call(self, inputs: Any, training: bool = False) -> Any:
        from milepost.tf.bridge.boundary import bare, dressed

        return bare(self._endpoint(dressed(inputs)))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "filepath": self.filepath, "call_endpoint": self.call_endpoint}


def install() -> None:
    theirs = models.Model.export

    @functools.wraps(theirs)
    def export(self: Any, filepath: Any, format: str = "tf_saved_model", verbose: Any = None, input_signature: Any = None, **kwargs: Any) -> Any:  # fmt: skip
        if format != "tf_saved_model":
            return theirs(self, filepath, format=format, verbose=verbose, input_signature=input_signature, **kwargs)
        from milepost.tf import saved_model, saved_objects

        if saved_objects.serving_function(self) is None:
            raise ValueError(
                f"The model {self.name!r} does not know its inputs yet: call it once on data, or model.build(input_shape), before export()."
            )
        saved_model.save(self, filepath)
        if verbose:
            import keras

            keras.utils.io_utils.print_msg(f"Saved artifact at '{filepath}': load it with tf.saved_model.load.")
        return None

    models.Model.export = export
