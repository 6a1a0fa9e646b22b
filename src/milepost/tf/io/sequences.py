"""SequenceExamples as tensors. In: serialised SequenceExamples, descriptions of features. Out: context and sequences by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.failures import InvalidArgumentError, kernel
from milepost.tf.io.descriptions import VarLenFeature
from milepost.tf.io.parse import EMPTY, NAMES, Want, padded, parsed_many, parsed_one, sparse_rows, wants_of
from milepost.tf.io.scan import feature_lists_of, features_of, values_of
from milepost.tf.sparse import SparseTensor

__all__ = ["parse_sequence_example", "parse_single_sequence_example"]


def _failed(sentence: str) -> InvalidArgumentError:
    return kernel("ParseSequenceExampleV2", sentence)


def _scanned(payload: Any) -> tuple[Any, Any]:
    if not isinstance(payload, bytes):
        raise InvalidArgumentError(f"A serialized SequenceExample is a string, got {type(payload).__name__}.")
    try:
        return features_of(payload), feature_lists_of(payload)
    except FormatError as error:
        raise _failed(f"Could not parse example input, value: {str(payload[:60])[1:]} ({error})") from error


def _steps(payload: bytes, lists: Any, want: Want) -> list[Any]:
    """The values of each step."""
    if want.key not in lists:
        if want.required:
            raise _failed(
                f"Feature list '{want.name}' is required but could not be found. Did you mean to include it in feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults? (allow_missing=True)"
            )
        return []
    made = []
    for step, place in enumerate(lists[want.key]):
        if place[0] and place[0] != want.kind:
            raise _failed(
                f"Feature list: {want.name}, Index: {step}.  Data types don't match. Expected type: {NAMES[want.kind]}, got: {NAMES[place[0]]}"
            )
        try:
            made.append(want.array(values_of(payload, *place)) if place[0] else want.blank())
        except FormatError as error:
            raise _failed(
                f"Feature list: {want.name}, Index: {step}.  Can't parse serialized Example: {error}"
            ) from error
    return made


def _dense(steps: list[Any], want: Want) -> Any:
    for step, values in enumerate(steps):
        if len(values) != want.size:
            raise _failed(
                f"Feature list: {want.name}, Index: {step}.  Number of {NAMES[want.kind]} values != expected.  Values size: {len(values)} but output shape: "
                f"{list(want.shape)}"
            )
    return np.stack([v.reshape(want.shape) for v in steps]) if steps else np.zeros((0, *want.shape), want.dtype)


def parse_single_sequence_example(
    serialized: Any, context_features: dict[str, Any] | None = None, sequence_features: dict[str, Any] | None = None,
    example_name: Any = None, name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """(context, sequences) of one serialised SequenceExample."""
    if not (context_features or sequence_features):
        raise ValueError("Missing features: give `context_features`, `sequence_features` or both.")
    payload = to_numpy(serialized)[()]
    found, lists = _scanned(payload)
    context = parsed_one(payload, found, wants_of(context_features)) if context_features else {}
    sequences: dict[str, Any] = {}
    for want in wants_of(sequence_features) if sequence_features else []:
        steps = _steps(payload, lists, want)
        varies = isinstance(want.description, VarLenFeature)
        sequences[want.name] = sparse_rows(steps, want) if varies else edge.wrap(_dense(steps, want))
    return context, sequences


def parse_sequence_example(
    serialized: Any, context_features: dict[str, Any] | None = None, sequence_features: dict[str, Any] | None = None,
    example_names: Any = None, name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:  # fmt: skip
    """(context, sequences, lengths) of a vector of serialised SequenceExamples; sequences are padded to the longest."""
    if not (context_features or sequence_features):
        raise ValueError("Missing features: give `context_features`, `sequence_features` or both.")
    rows = np.atleast_1d(to_numpy(serialized)).tolist()
    scanned = [_scanned(payload) for payload in rows]
    context = parsed_many(rows, [f for f, _ in scanned], wants_of(context_features)) if context_features else {}
    sequences: dict[str, Any] = {}
    lengths: dict[str, Any] = {}
    for want in wants_of(sequence_features) if sequence_features else []:
        columns = [_steps(payload, lists, want) for payload, (_, lists) in zip(rows, scanned, strict=True)]
        if isinstance(want.description, VarLenFeature):
            sequences[want.name] = _sparse(columns, want)
            continue
        parts = [_dense(steps, want) for steps in columns]
        filler = EMPTY[want.kind] if want.default is None else want.default
        sequences[want.name] = edge.wrap(padded(parts, filler, want))
        lengths[want.name] = edge.wrap(np.asarray([len(part) for part in parts], np.int64))
    return context, sequences, lengths


def _sparse(columns: list[list[Any]], want: Want) -> SparseTensor:
    """[example, step, place]."""
    indices = [
        (i, j, k) for i, steps in enumerate(columns) for j, values in enumerate(steps) for k in range(len(values))
    ]
    flat = [values for steps in columns for values in steps]
    shape = [len(columns), max((len(s) for s in columns), default=0), max((len(v) for v in flat), default=0)]
    values = np.concatenate(flat) if flat else want.blank()
    return SparseTensor(np.asarray(indices, np.int64).reshape(-1, 3), values, shape)
