"""`tf.strings`: byte strings, element by element and in pieces. In: string tensors, ragged ones too, or text. Out: tensors; ragged where pieces differ in number."""

from __future__ import annotations

from typing import Any

from milepost.tf.strings.bytes import (
    format,
    join,
    length,
    lower,
    reduce_join,
    strip,
    substr,
    to_hash_bucket,
    to_hash_bucket_fast,
    to_hash_bucket_strong,
    unsorted_segment_join,
    upper,
)  # fmt: skip
from milepost.tf.strings.numbers import as_string, to_number
from milepost.tf.strings.pieces import bytes_split, ngrams, split
from milepost.tf.strings.regex import regex_full_match, regex_replace
from milepost.tf.strings.unicode import (
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_script,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
)  # fmt: skip

__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "ngrams", "reduce_join", "regex_full_match", "regex_replace",
    "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong", "to_number", "unicode_decode",
    "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split", "unicode_split_with_offsets",
    "unicode_transcode", "unsorted_segment_join", "upper",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.strings", __all__)
