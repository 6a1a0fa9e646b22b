"""Summaries: what a run writes while it trains, in TensorBoard's event files. In: values of any engine. Out: event files.

See README.md in this folder for the order in which to read it. Not here: reading (`milepost.store`).
"""

from milepost.summary import experimental
from milepost.summary.context import name_scope, record_if, should_record_summaries
from milepost.summary.values import scalar
from milepost.summary.writer import create_file_writer, create_noop_writer, flush

__all__ = [
    "create_file_writer", "create_noop_writer", "experimental", "flush", "name_scope", "record_if", "scalar",
    "should_record_summaries",
]  # fmt: skip
