from array import array
from types import CodeType, FrameType

IDLE: int
PYTHON: int
NATIVE: int
WAITING: int

def monotonic_ns() -> int: ...
def kernel_thread_id(ident: int) -> int: ...
def wait(deadline: int) -> tuple[int, bool, int, int]: ...

class Spans:
    code: array[int]
    depth: array[int]
    tid: array[int]
    start: array[int]
    end: array[int]
    state_kind: array[int]
    state_tid: array[int]
    state_start: array[int]
    state_end: array[int]
    codes: list[CodeType]
    samples: int
    def take(self, frames: dict[int, FrameType], self_ident: int, now: int, gil_was_free: bool, held: int) -> None: ...
    def close(self) -> None: ...
