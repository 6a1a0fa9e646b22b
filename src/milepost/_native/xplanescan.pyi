import numpy as np
from numpy.typing import NDArray

def events(data: bytes | memoryview, step_stat: int) -> NDArray[np.int64] | None: ...
