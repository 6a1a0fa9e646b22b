"""Logging by dictionaries, as W&B's users write it. In: `init`, `log({...})`, `finish`. Out: a run for the board and TensorBoard.

    import milepost.integrations.wandb_style as wandb

is the one line to change. Nothing leaves the machine: a run is a directory, its `config` the run's hyperparameters.
Not here: how summaries are written (`milepost.summary`); artifacts, sweeps and reports, which this has no use for.
"""

from __future__ import annotations

import datetime
import itertools
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from milepost.engines.host import to_host
from milepost.errors import UsageError
from milepost.formats.event import Summary
from milepost.summary import SummaryWriter
from milepost.summary.hyperparameters import experiment_value, session_start_value
from milepost.types import PathLike

__all__ = [
    "Audio",
    "Config",
    "Histogram",
    "Html",
    "Image",
    "Run",
    "Table",
    "Video",
    "config",
    "finish",
    "init",
    "log",
    "run",
    "summary",
]

logger = logging.getLogger("milepost.summary")
_numbers = itertools.count()


class Config(dict[str, Any]):
    """A dictionary whose items are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no hyperparameter {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def update(self, *args: Any, allow_val_change: bool | None = None, **kwargs: Any) -> None:
        super().update(*args, **kwargs)


class Image:
    """A picture: an array [height, width(, channels)] or [channels, height, width], a PIL image or a figure, with a caption."""

    def __init__(self, data_or_path: Any, caption: str | None = None, mode: str | None = None):
        if isinstance(data_or_path, (str, os.PathLike)):
            from PIL import Image as Pillow

            data_or_path = Pillow.open(data_or_path)
        self.data, self.caption = data_or_path, caption


class Histogram:
    """Values to be counted, or what numpy.histogram has counted."""

    def __init__(self, sequence: Any = None, np_histogram: tuple[Any, Any] | None = None, num_bins: int = 64):
        if (sequence is None) == (np_histogram is None):
            raise UsageError("a histogram is made of values or of counts and edges, not of both")
        self.values, self.counted, self.bins = sequence, np_histogram, num_bins


class Audio:
    """Sound in [-1, 1]."""

    def __init__(self, data: Any, sample_rate: int = 44100, caption: str | None = None):
        self.data, self.sample_rate, self.caption = data, sample_rate, caption


class Video:
    """Clips [time, channels, height, width], or a batch of them."""

    def __init__(self, data: Any, caption: str | None = None, fps: float = 4, format: str | None = None):
        self.data, self.caption, self.fps = data, caption, fps


class Html:
    """Text that the board shows as Markdown; tags in it are not run."""

    def __init__(self, data: str, inject: bool = True):
        self.text = data


class Table:
    """Rows under column names, shown as a table."""

    def __init__(
        self, columns: Sequence[str] | None = None, data: Sequence[Sequence[Any]] | None = None, dataframe: Any = None
    ):
        if dataframe is not None:
            columns, data = list(map(str, dataframe.columns)), dataframe.to_numpy().tolist()
        self.columns = list(columns or ())
        self.data = [list(row) for row in data or ()]

    def add_data(self, *row: Any) -> None:
        if len(row) != len(self.columns):
            raise UsageError("a row has as many cells as there are columns", got=len(row), want=len(self.columns))
        self.data.append(list(row))

    def markdown(self) -> str:
        def line(cells: Sequence[Any]) -> str:
            return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

        return "\n".join([line(self.columns), line(["---"] * len(self.columns)), *map(line, self.data)])


class Run:
    """One run: a directory, a counter of steps, a configuration."""

    def __init__(self, directory: str, name: str, configuration: Mapping[str, Any] | None = None):
        self.dir, self.name = directory, name
        self.config, self.summary = Config(configuration or {}), Config()
        self.step = 0
        self._writer = SummaryWriter(directory)
        self._written: dict[str, Any] | None = None
        self._strange: set[str] = set()

    def log(self, data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
        """Write every item of `data`; nested dictionaries join their names with "/".

        Without `step` items go to the current one, which then advances, unless `commit` is False.
        """
        self._write_config()
        if step is not None:
            self.step = int(step)
        for name, value in _flat(data):
            self._one(name, value)
        if step is None and commit is not False:
            self.step += 1

    def _one(self, name: str, value: Any) -> None:
        writer, step = self._writer, self.step
        if isinstance(value, (list, tuple)) and value and all(isinstance(item, Image) for item in value):
            for number, item in enumerate(value):
                self._one(f"{name}/{number}", item)
        elif isinstance(value, Image):
            self._picture(name, value)
        elif isinstance(value, Histogram) and value.counted is not None:
            counts, edges = (np.asarray(part, np.float64) for part in value.counted)
            middles = (edges[1:] + edges[:-1]) / 2
            total, squares = float((counts * middles).sum()), float((counts * middles**2).sum())
            limits, filled = edges.tolist(), [0.0, *counts.tolist()]
            writer.add_histogram_raw(name, edges[0], edges[-1], counts.sum(), total, squares, limits, filled, step)
        elif isinstance(value, Histogram):
            writer.add_histogram(name, value.values, step, bins=value.bins)
        elif isinstance(value, Audio):
            writer.add_audio(name, value.data, step, value.sample_rate)
        elif isinstance(value, Video):
            clips = to_host(value.data)
            writer.add_video(name, clips[None] if clips.ndim == 4 else clips, step, value.fps)
        elif isinstance(value, Table):
            writer.add_text(name, value.markdown(), step)
        elif isinstance(value, (str, Html)):
            writer.add_text(name, value.text if isinstance(value, Html) else value, step)
        elif hasattr(value, "savefig") or (hasattr(value, "getbands") and hasattr(value, "convert")):
            self._picture(name, Image(value))
        elif isinstance(value, (bool, int, float)) or getattr(value, "shape", None) == ():
            writer.add_scalar(name, value, step)
        elif hasattr(value, "shape") or isinstance(value, (list, tuple)):
            self._array(name, value)
        elif value is not None:
            self._skip(name, value)

    def _array(self, name: str, value: Any) -> None:
        array = to_host(value)
        if array.size == 1:
            self._writer.add_scalar(name, array, self.step)
        elif array.size and array.dtype.kind in "fiub":
            self._writer.add_histogram(name, array, self.step, bins=64)
        else:
            self._skip(name, value)

    def _picture(self, name: str, image: Image) -> None:
        data = image.data
        if hasattr(data, "savefig"):
            self._writer.add_figure(name, data, self.step, close=False)
        else:
            array = np.asarray(data) if hasattr(data, "getbands") else to_host(data)
            channels_first = array.ndim == 3 and array.shape[0] in (1, 3, 4) and array.shape[2] not in (1, 3, 4)
            axes = "HW" if array.ndim == 2 else "CHW" if channels_first else "HWC"
            self._writer.add_image(name, array, self.step, dataformats=axes)
        if image.caption:
            self._writer.add_text(f"{name}/caption", image.caption, self.step)

    def _skip(self, name: str, value: Any) -> None:
        if name not in self._strange:
            self._strange.add(name)
            logger.warning("%s: %s has no form that can be drawn, left out: %s", self.dir, name, type(value).__name__)

    def _write_config(self) -> None:
        plain = {name: value for name, value in _flat(self.config) if value is not None}
        if plain and plain != self._written:
            readable = {k: v if isinstance(v, (bool, int, float, str)) else str(v) for k, v in plain.items()}
            for value in (experiment_value(readable, ()), session_start_value(readable)):
                self._writer.file_writer.add_summary(Summary([value]))
            self._written = plain

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        """Write what is left. `run.summary` values that were set by hand are scalars at the last step."""
        self._write_config()
        for name, value in _flat(self.summary):
            if value is not None:
                self._one(f"summary/{name}", value)
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()


def _flat(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}/")
        else:
            yield f"{above}{name}", value


# ---- the module as a logger: one current run, as scripts use it

_lock = threading.Lock()
run: Run | None = None
config = Config()
summary = Config()


def init(
    project: str | None = None, name: str | None = None, config: Mapping[str, Any] | None = None, dir: PathLike | None = None,
    **ignored: Any,
) -> Run:  # fmt: skip
    """Start a run in `dir` ("runs")/`project`/`name`, and make it the current one. Options that need a server are ignored."""
    global run
    name = name or f"{datetime.datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}-{next(_numbers)}"
    parts = [os.fspath(dir) if dir is not None else "runs", *([project] if project else []), name]
    with _lock:
        if run is not None:
            run.finish()
        made = Run(os.path.join(*parts), name, config)
        run, globals()["config"], globals()["summary"] = made, made.config, made.summary
    return made


def log(data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
    """`Run.log` of the current run."""
    if run is None:
        raise UsageError("no run is on", todo="call init() first")
    run.log(data, step, commit)


def finish(exit_code: int | None = None, quiet: bool | None = None) -> None:
    """End the current run."""
    global run
    with _lock:
        ended, run = run, None
    if ended is not None:
        ended.finish(exit_code, quiet)
