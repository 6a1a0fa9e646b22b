"""`tf.contrib.summary`, as TensorFlow 1 tutorials write it: writers, `always_record_summaries`, scalars with the global step. The rest of contrib is not there."""

from __future__ import annotations

import types
from typing import Any

__all__ = ["summary"]


def _create_file_writer(logdir: str, max_queue: int | None = None, flush_millis: int | None = None, filename_suffix: str | None = None, name: str | None = None) -> Any:  # fmt: skip
    from milepost.tf import summary as today

    return today.create_file_writer(
        logdir, max_queue=max_queue, flush_millis=flush_millis, filename_suffix=filename_suffix, name=name
    )


def _always_record_summaries() -> Any:
    from milepost.tf import summary as today

    return today.record_if(True)


def _never_record_summaries() -> Any:
    from milepost.tf import summary as today

    return today.record_if(False)


def _record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> Any:
    from milepost.tf import summary as today

    return today.record_if(lambda: int(today.experimental.get_step() or 0) % n == 0)


def _scalar(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    from milepost.tf import summary as today

    return today.scalar(f"{family}/{name}" if family else name, tensor, step=step)


def _histogram(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    from milepost.tf import summary as today

    return today.histogram(f"{family}/{name}" if family else name, tensor, step=step)


def _image(
    name: str, tensor: Any, bad_color: Any = None, max_images: int = 3, family: str | None = None, step: Any = None
) -> Any:
    from milepost.tf import summary as today

    return today.image(f"{family}/{name}" if family else name, tensor, step=step, max_outputs=max_images)


def _audio(
    name: str, tensor: Any, sample_rate: int, max_outputs: int, family: str | None = None, step: Any = None
) -> Any:
    from milepost.tf import summary as today

    return today.audio(f"{family}/{name}" if family else name, tensor, sample_rate, step=step, max_outputs=max_outputs)


summary = types.SimpleNamespace(
    create_file_writer=_create_file_writer,
    always_record_summaries=_always_record_summaries,
    never_record_summaries=_never_record_summaries,
    record_summaries_every_n_global_steps=_record_summaries_every_n_global_steps,
    scalar=_scalar,
    histogram=_histogram,
    image=_image,
    audio=_audio,
)


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.contrib", __all__)
