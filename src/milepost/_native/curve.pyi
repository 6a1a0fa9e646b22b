from typing import Any

import numpy as np
from numpy.typing import NDArray

def pick(
    x: NDArray[Any],
    y: NDArray[Any],
    start: int,
    stop: int,
    low: float,
    high: float,
    width: int,
    out: NDArray[np.int64],
    bad: NDArray[np.int64],
    kinds: NDArray[np.uint8],
) -> tuple[int, int, int, int]: ...
def ema(x: NDArray[Any], y: NDArray[Any], weight: float, gap: float, out: NDArray[np.float64]) -> None: ...
def gaussian(x: NDArray[Any], y: NDArray[Any], sigma: float, out: NDArray[np.float64]) -> None: ...
