from typing import Any

import numpy as np
from numpy.typing import NDArray

ROW: np.dtype[Any]
CUT_SHORT: int
BROKEN_BYTE: int
OUT_OF_MEMORY: int
EVENTS_MISSING: int
NESTED_TOO_DEEP: int

def scan(data: bytes | memoryview) -> tuple[NDArray[Any], list[bytes], dict[str, tuple[int, int]], int, int]: ...
def pair(ph: NDArray[np.uint32], track: NDArray[np.int32], ts: NDArray[np.int64], dur: NDArray[np.int64]) -> int: ...
def nest(
    track: NDArray[np.int32], start: NDArray[np.int64], dur: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]: ...
