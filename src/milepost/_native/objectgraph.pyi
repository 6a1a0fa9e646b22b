class BadGraph(ValueError): ...

# children, attributes, slots, saver, has_values
RawNode = tuple[
    list[tuple[str, int]],
    list[tuple[str, str, str]],
    list[tuple[int, str, int]],
    tuple[str, str] | None,
    bool | None,
]

def encode(nodes: list[RawNode]) -> bytes: ...
def decode(data: bytes) -> list[RawNode]: ...
