"""Tables of text as datasets: CsvDataset and make_csv_dataset. In: file names. Out: datasets of columns.

Not here: one line's fields (`io.decode_csv`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.base import AUTOTUNE, number
from milepost.tf.data.dataset import Dataset
from milepost.tf.data.files import open_file
from milepost.tf.data.structure import to_numpy
from milepost.tf.io.tables import decode_csv, fields

__all__ = ["CsvDataset", "make_csv_dataset"]


def CsvDataset(
    filenames: Any, record_defaults: list[Any], compression_type: str | None = None, buffer_size: int | None = None,
    header: bool = False, field_delim: str = ",", use_quote_delim: bool = True, na_value: str = "",
    select_cols: list[int] | None = None, exclude_cols: list[int] | None = None,
) -> Dataset:  # fmt: skip
    """The records of CSV files as tuples of scalars, typed by the defaults."""
    if select_cols is not None and exclude_cols is not None:
        raise ValueError("Only one of `select_cols` and `exclude_cols` may be given.")
    defaults = list(record_defaults)

    def read(path: str, offset: int) -> Iterator[tuple[int, bytes]]:
        for place, (row, line) in enumerate(_records(path, compression_type, use_quote_delim), 1):
            if place > offset and (row or not header):
                yield place, line

    def columns(line: Any) -> Any:
        chosen = select_cols
        if exclude_cols is not None:
            count = len(fields(to_numpy(line)[()], field_delim.encode(), use_quote_delim))
            chosen = [i for i in range(count) if i not in set(exclude_cols)]
        return tuple(decode_csv(line, defaults, field_delim, use_quote_delim, na_value, chosen))

    made = Dataset.from_files("_TextLine", filenames, read).map(columns)
    made._kind = "CsvDatasetV2"
    made._spec = lambda: tuple(edge.spec((), _kind(default)) for default in defaults)
    return made


def _kind(default: Any) -> np.dtype[Any]:
    if hasattr(default, "as_numpy_dtype") or isinstance(default, type):
        return edge.numpy_dtype(default)
    dtype: np.dtype[Any] = to_numpy(default).dtype
    return dtype


def _records(path: str, compression: str | None, quotes: bool) -> Iterator[tuple[int, bytes]]:
    """(number, record): a line break inside quotes belongs to the record."""
    held = b""
    row = 0
    with open_file(path, compression) as file:
        for line in file:
            held += line
            if quotes and held.count(b'"') % 2:
                continue
            record, held = held.rstrip(b"\n").removesuffix(b"\r"), b""
            if record:
                yield row, record
                row += 1
    if held.strip():
        yield row, held


def _guess(values: list[str], na_value: str) -> Any:
    """The narrowest type that takes all values seen: int32, int64, float32, float64, string."""
    kind: Any = np.int32
    for value in values:
        if value in ("", na_value):
            continue
        while kind is not str and not _fits(value, kind):
            kind = {np.int32: np.int64, np.int64: np.float32, np.float32: np.float64, np.float64: str}[kind]
    return kind


def _fits(value: str, kind: Any) -> bool:
    try:
        if kind in (np.int32, np.int64):
            return bool(np.iinfo(kind).min <= int(value) <= np.iinfo(kind).max)
        return bool(np.isfinite(kind(value)) or value.strip().lower().lstrip("+-") in ("inf", "nan", "infinity"))
    except ValueError:
        return False


def make_csv_dataset(
    file_pattern: Any, batch_size: Any, column_names: list[str] | None = None, column_defaults: list[Any] | None = None,
    label_name: str | None = None, select_columns: list[Any] | None = None, field_delim: str = ",", use_quote_delim: bool = True,
    na_value: str = "", header: bool = True, num_epochs: int | None = None, shuffle: bool = True,
    shuffle_buffer_size: int = 10000, shuffle_seed: int | None = None, prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None, sloppy: bool = False, num_rows_for_inference: int | None = 100,
    compression_type: str | None = None, ignore_errors: bool = False, encoding: str = "utf-8",
) -> Dataset:  # fmt: skip
    """Batches of columns by name, with the label apart when it is named."""
    names_of_files = [edge.text(f) for f in Dataset.list_files(file_pattern, shuffle=False).as_numpy_iterator()]
    sample: list[list[str]] = []
    for path in names_of_files:
        for row, line in _records(path, compression_type, use_quote_delim):
            if num_rows_for_inference is not None and len(sample) > num_rows_for_inference:
                break
            if row or not sample:
                sample.append([f.decode() for f in fields(line, field_delim.encode(), use_quote_delim)])
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header=True`.")
        column_names = sample[0] if sample else []
    if len(set(column_names)) != len(column_names):
        raise ValueError("Cannot have duplicate column names.")
    rows = sample[1:] if header else sample
    chosen = _chosen(select_columns, column_names)
    if column_defaults is not None:
        defaults = [d if not isinstance(d, type) else edge.tf_dtype(d) for d in column_defaults]
    else:
        kinds = [_guess([row[i] for row in rows if i < len(row)], na_value) for i in chosen]
        defaults = [np.asarray([0], kind) if kind is not str else [""] for kind in kinds]
    names = [column_names[i] for i in chosen]
    if label_name is not None and label_name not in names:
        raise ValueError(f"`label_name` provided must be one of the columns: {names}, got {label_name!r}.")
    dataset: Any = Dataset.from_tensor_slices(names_of_files)
    if shuffle and len(names_of_files) > 1:
        dataset = dataset.shuffle(len(names_of_files), shuffle_seed)

    def one(path: Any) -> Dataset:
        return CsvDataset(
            path, defaults, compression_type, None, header, field_delim, use_quote_delim, na_value, chosen
        )

    dataset = dataset.interleave(one, number(num_parallel_reads or 1), 1)
    if ignore_errors:
        dataset = dataset.ignore_errors()
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None)

    def named(*columns: Any) -> Any:
        features = dict(zip(names, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return dataset.map(named).prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)  # type: ignore[no-any-return]


def _chosen(select: list[Any] | None, names: list[str]) -> list[int]:
    if select is None:
        return list(range(len(names)))
    for column in select:
        if isinstance(column, str) and column not in names:
            raise ValueError(f"Value '{column}' is not in list of columns: {names}.")
    return [names.index(c) if isinstance(c, str) else int(c) for c in select]
