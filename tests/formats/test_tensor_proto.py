"""Arrays survive the way through a TensorProto, and a hostile one costs an error, not memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from milepost.errors import FormatError
from milepost.formats.event import Dim, TensorProto, TensorShape
from milepost.formats.tensor_proto import DTYPES, from_array, to_array

KINDS = st.sampled_from(list(DTYPES.values()))


def shape(*sizes: int) -> TensorShape:
    return TensorShape([Dim(size=size) for size in sizes])


@given(
    array=KINDS.flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    )
)
def test_numbers_round_trip_exactly(array: np.ndarray[Any, Any]) -> None:
    """Every number type, any shape, every bit."""
    back = to_array(TensorProto.decode(from_array(array).encode()))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


def test_strings_round_trip() -> None:
    """Bytes stay bytes, text becomes UTF-8, shapes are kept."""
    back = to_array(TensorProto.decode(from_array(np.array([["a", "损"], ["", "\udcff"]])).encode()))
    assert back.tolist() == [[b"a", "损".encode()], [b"", b"\\udcff"]]
    assert to_array(from_array(b"\xff\x00")).item() == b"\xff\x00"


def test_typed_lists_are_read() -> None:
    """torch and tensorboardX put numbers into lists; one value stands for a whole tensor."""
    assert to_array(TensorProto(dtype=1, float_val=[2.5])).item() == 2.5
    assert to_array(TensorProto(dtype=2, double_val=[0.1], shape=shape(2, 2))).tolist() == [[0.1, 0.1], [0.1, 0.1]]
    assert to_array(TensorProto(dtype=9, int64_val=[1, 2], shape=shape(4))).tolist() == [1, 2, 2, 2]
    assert to_array(TensorProto(dtype=4, uint32_val=[7], shape=shape(1))).tolist() == [7]
    assert to_array(TensorProto(dtype=3, shape=shape(2))).tolist() == [0, 0]
    assert to_array(TensorProto(dtype=8, scomplex_val=[1.0, 2.0], shape=shape(1))).tolist() == [1 + 2j]
    half = np.array([1.5, -2], np.float16)
    assert to_array(TensorProto(dtype=19, half_val=half.view(np.uint16).tolist(), shape=shape(2))).tolist() == [1.5, -2]
    torch_half = np.array([1.5, -2], np.float32).view(np.int32).tolist()
    assert to_array(TensorProto(dtype=19, half_val=torch_half, shape=shape(2))).tolist() == [1.5, -2]
    assert to_array(TensorProto(dtype=14, half_val=[0x3FC0], shape=shape(1))).tolist() == [1.5]


@pytest.mark.parametrize(
    "proto",
    [
        TensorProto(dtype=1, float_val=[1.0], shape=shape(1 << 20, 1 << 20)),
        TensorProto(dtype=1, float_val=[1.0], shape=shape(-1)),
        TensorProto(dtype=1, content=b"123", shape=shape(1)),
        TensorProto(dtype=1, content=b"12345678", shape=shape(3)),
        TensorProto(dtype=1, float_val=[1.0, 2.0], shape=shape(1)),
        TensorProto(dtype=7, string_val=[b"a"] * 3, shape=shape(2)),
        TensorProto(dtype=20, shape=shape(1)),
        TensorProto(dtype=99),
    ],
)
def test_hostile_tensors_are_refused(proto: TensorProto) -> None:
    """Shapes that ask for terabytes, bytes that do not fit, unknown types: one clear error each."""
    with pytest.raises(FormatError):
        to_array(proto)
