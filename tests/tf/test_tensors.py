"""Tensors look, print and mix as TensorFlow's do."""

from __future__ import annotations

import numpy as np
import pytest

from milepost import tf


def test_tensors_print_as_in_tensorflow() -> None:
    """str, repr, shape and dtype read exactly as TensorFlow 2 prints them."""
    product = tf.matmul(tf.constant([[1, 2], [3, 4]]), tf.constant([[5, 6], [7, 8]]))
    assert str(product) == "tf.Tensor(\n[[19 22]\n [43 50]], shape=(2, 2), dtype=int32)"
    assert repr(tf.zeros(2)) == "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>"
    assert repr(tf.constant("a")) == "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"
    assert str(tf.constant(["a", "b"])) == "tf.Tensor([b'a' b'b'], shape=(2,), dtype=string)"
    assert (str(product.shape), repr(product.shape)) == ("(2, 2)", "TensorShape([2, 2])")
    assert (str(product.dtype), repr(product.dtype)) == ("<dtype: 'int32'>", "tf.int32")
    assert f"{tf.constant(3.5)} {tf.constant(3.5):.2f}" == "3.5 3.50"


def test_python_and_numpy_values_get_the_dtypes_tensorflow_gives_them() -> None:
    """Python: int32 and float32; numpy keeps its own; large ints need int64."""
    assert tf.constant(1).dtype is tf.int32
    assert tf.constant(1.0).dtype is tf.float32
    assert tf.constant([1, 2.5]).dtype is tf.float32
    assert tf.constant(2**40).dtype is tf.int64
    assert tf.constant(np.float64(1)).dtype is tf.float64
    assert tf.constant(np.arange(2)).dtype is tf.int64
    assert tf.constant([True]).dtype is tf.bool
    assert tf.constant([[1, 2]]).shape == (1, 2)


def test_arrays_follow_the_tensor_beside_them_and_tensors_do_not_mix() -> None:
    """float64 array + float32 tensor and float32 tensor * int64 array are float32; float32 + int32 tensors are an error."""
    f = tf.constant([1.0, 2.0])
    for mixed in (np.array([1.0, 2.0]) + f, f * (1 - np.array([0, 1])), np.float64(2) * f, f + 1, 1 - f):
        assert isinstance(mixed, tf.Tensor)
        assert mixed.dtype == tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float tensor but is a int32 tensor"):
        f + tf.constant([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32 tensor but is a float tensor"):
        tf.constant([1]) + 1.5


def test_shapes_that_do_not_fit_are_named() -> None:
    """The error carries both shapes, as TensorFlow writes them."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"):
        tf.zeros(2) + tf.zeros(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"In\[0\]: \[2,3\], In\[1\]: \[2,3\]"):
        tf.matmul(tf.zeros((2, 3)), tf.zeros((2, 3)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="6 values, but the requested shape has 8"):
        tf.reshape(tf.range(6), (4, 2))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tf.constant([True, False]))
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.constant(1.0))


def test_a_constant_does_not_change_with_the_array_it_came_from() -> None:
    """tf.constant and .numpy() copy."""
    source = np.zeros(3, np.float32)
    t = tf.constant(source)
    source[0] = 7
    t.numpy()[1] = 7
    assert t.numpy().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "key",
    [0, -1, slice(1), slice(None, None, -1), (0, 1), (slice(None), None, 1), (..., 0), (None, ..., slice(0, 2)), (1, slice(2, 0, -1))],
)  # fmt: skip
def test_indices_mean_what_they_mean_in_numpy(key: object) -> None:
    array = np.arange(24).reshape(2, 3, 4)
    assert np.array_equal(tf.constant(array)[key], array[key])  # type: ignore[index]


def test_comparison_gives_tensors_and_none_is_not_equal() -> None:
    a = tf.constant([1.0, 2.0])
    assert (a == np.array([1.0, 3.0])).numpy().tolist() == [True, False]
    assert (a == None) is False  # noqa: E711
    assert (a > 1).numpy().tolist() == [False, True]
