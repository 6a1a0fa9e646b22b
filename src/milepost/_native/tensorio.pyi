from collections.abc import Sequence

def checksums(data: object, offsets: list[int], sizes: list[int]) -> list[int]: ...

class TensorJob:
    total: int
    def __init__(
        self,
        fd: int,
        offsets: list[int],
        sizes: list[int],
        data: Sequence[object] | None,
        writing: bool,
        checksum: bool = True,
    ) -> None: ...
    def work(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def failed(self) -> tuple[int, int] | None: ...
    def crcs(self) -> list[int]: ...
