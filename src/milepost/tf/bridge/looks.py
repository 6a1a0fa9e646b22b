"""Small looks of Keras on TensorFlow: a weight's shape, a layer's losses, the mask a tensor carries, the error of an index too large."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from keras.src.backend.torch.core import Variable as KerasVariable
from keras.src.layers import Embedding
from keras.src.layers.layer import Layer
from keras.src.models import Model

from milepost.tf.bridge.boundary import INSIDE, bare, dressed
from milepost.tf.convert import to_torch
from milepost.tf.failures import InvalidArgumentError
from milepost.tf.shapes import TensorShape
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["install"]


def _mask(tensor: Tensor) -> Any:
    """Which steps count, as the layer that made this tensor said."""
    found = getattr(tensor._t, "_keras_mask", None)
    if found is None:
        raise AttributeError("'Tensor' object has no attribute '_keras_mask'")
    return wrap(found)


def _embedding(theirs: Any) -> Any:
    @functools.wraps(theirs)
    def call(self: Any, inputs: Any) -> Any:
        try:
            return theirs(self, inputs)
        except IndexError:
            ids = np.asarray(host(to_torch(inputs)))
            place = tuple(int(i) for i in np.argwhere((ids < 0) | (ids >= self.input_dim))[0])
            where = ",".join(map(str, place))
            raise InvalidArgumentError(
                f"indices[{where}] = {ids[place]} is not in [0, {self.input_dim}) [Op:GatherV2]"
            ) from None

    return call


def _shape(variable: Any) -> Any:
    return variable._shape if INSIDE.keras or variable._shape is None else TensorShape(variable._shape)


def _losses(theirs: Any) -> Any:
    def losses(self: Any) -> list[Any]:
        found: list[Any] = theirs(self)
        return found if INSIDE.keras else dressed(found)

    return losses


def _add_loss(theirs: Any) -> Any:
    @functools.wraps(theirs)
    def add_loss(self: Any, loss: Any) -> None:
        theirs(self, bare(loss))

    return add_loss


def _symbolic_build(theirs: Any) -> Any:
    """A model with a step of its own is not called before that step, as in TensorFlow: it may have no `call` at all."""

    @functools.wraps(theirs)
    def build(self: Any, *args: Any, **kwargs: Any) -> None:
        if any(hasattr(getattr(type(self), step), "__milepost_crossing__") for step in ("train_step", "test_step")):
            return
        theirs(self, *args, **kwargs)

    return build


def install() -> None:
    Model._symbolic_build = _symbolic_build(Model._symbolic_build)
    KerasVariable.shape = property(_shape)
    Layer.losses = property(_losses(Layer.losses.fget), doc=Layer.losses.__doc__)
    Layer.add_loss = _add_loss(Layer.add_loss)
    Tensor._keras_mask = property(_mask)  # type: ignore[attr-defined]
    Embedding.call = _embedding(Embedding.call)
