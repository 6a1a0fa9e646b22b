from typing import Any

from numpy.typing import NDArray

def pick(
    x: NDArray[Any],
    y: NDArray[Any],
    base: float,
    x0: float,
    x1: float,
    width: int,
    shift: int,
    kept: NDArray[Any],
    odd: NDArray[Any],
) -> tuple[int, int]: ...
def ema(y: NDArray[Any], weight: float, out: NDArray[Any]) -> None: ...
def ema_uneven(x: NDArray[Any], y: NDArray[Any], weight: float, gap: float, out: NDArray[Any]) -> None: ...
def gaussian(x: NDArray[Any], y: NDArray[Any], sigma: float, out: NDArray[Any]) -> None: ...
def extent(y: NDArray[Any]) -> tuple[int, float, float, int, int]: ...
