"""A `tf.Variable` of strings: texts that can be assigned to. In: strings. Out: a Variable that Keras and torch never see. Checkpoints save it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from milepost.engines.adapter import VARIABLE_VALUE, Adapter, Leaf, Value, register
from milepost.tf import convert, dtypes, failures
from milepost.tf.shapes import TensorShape
from milepost.tf.tensor import Tensor, printed, wrap
from milepost.tf.variables import Variable, enlist

__all__ = ["TextVariable", "become"]


class TextVariable(Variable):
    """What `tf.Variable("text")` is."""

    _texts: Any

    @property
    def dtype(self) -> Any:
        return dtypes.string

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._texts.shape) if self._declared is None else self._declared

    @property
    def device(self) -> str:
        return wrap(self._texts).device

    def value(self) -> Tensor:
        return wrap(self._texts.copy())

    read_value = value

    def _read_torch(self) -> Any:
        return self._texts

    def numpy(self) -> Any:
        return self._texts.copy() if self._texts.ndim else self._texts[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._texts, dtype=dtype)

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        texts = convert.to_torch(value, dtypes.string)
        if not self.shape.is_compatible_with(texts.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch.The variable shape {self.shape}, and the assigned value "
                f"shape {TensorShape(texts.shape)} are incompatible."
            )
        self._texts = texts.copy()
        return self

    def _refused(self, *_: Any, **__: Any) -> Any:
        raise failures.InvalidArgumentError(
            f"Variable '{self.name}' holds strings: read it, change them with tf.strings, and assign the result."
        )

    assign_add = assign_sub = scatter_nd_update = _refused

    def __repr__(self) -> str:
        shown = printed(self._texts if self._texts.ndim else self._texts[()], True)
        if not self._texts.ndim:
            shown = repr(self._texts[()])
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype=string, numpy={shown}>"

    __str__ = __repr__
    __hash__ = Variable.__hash__

    def __deepcopy__(self, memo: Any) -> TextVariable:
        made = Variable(wrap(self._texts.copy()), trainable=self._wanted_trainable, name=self._label)
        memo[id(self)] = made
        return made


def become(variable: Any, texts: Any) -> None:
    """A variable in the making turns out to hold texts."""
    variable.__class__ = TextVariable
    variable._texts, variable._value = texts.copy(), None
    enlist(variable)


class _TextAdapter(Adapter):
    """What a checkpoint sees of it."""

    engine = "tf"

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        texts = obj._texts
        return {VARIABLE_VALUE: Leaf("string", texts.shape, lambda: texts, obj._label, False)}

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        array = values[VARIABLE_VALUE].array
        texts = np.empty(array.shape, dtype=object)
        texts[...] = array
        obj._texts = texts
        return obj


register(TextVariable, _TextAdapter())
