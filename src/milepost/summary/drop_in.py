"""`SummaryWriter`: torch.utils.tensorboard's and tensorboardX's writer, without either. In: the same calls. Out: the same tags, plugins, steps, values.

What differs, on purpose: encoding happens on the log's own thread; `add_hparams` writes into the run itself (a second,
different set becomes a run beneath it, as torch makes of every set); a writer logs on after `close` in a new file, as torch's does.
Not here: messages (`dialect`), pictures (`pictures`), the log (`event_log`). Long because the class it stands in for has this many methods.
"""

from __future__ import annotations

import importlib
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self

import numpy as np

from milepost._native.event_buffer import Template
from milepost.engines.host import deferred_scalar, to_host, to_scalar
from milepost.errors import SummaryError, UsageError
from milepost.formats.event import (
    FILE_VERSION,
    Event,
    Histogram,
    SessionLog,
    SessionStatus,
    Summary,
    SummaryMetadata,
    SummaryValue,
)
from milepost.formats.plugins import PR_CURVES, TENSOR, PrCurvePluginData
from milepost.formats.scalar_event import clean_tag, simple_template, tensor_template
from milepost.formats.tensor_proto import from_array
from milepost.summary import dialect, pictures
from milepost.summary.distributions import precision_recall
from milepost.summary.emit import as_bytes, encode_event, metadata_for
from milepost.summary.event_log import EventLog, logger
from milepost.summary.geometry import mesh_parts
from milepost.summary.hyperparameters import experiment_value, session_end_value, session_start_value
from milepost.summary.layout import layout_value
from milepost.summary.projector import embedding_job
from milepost.summary.writer import FileWriter, local_directory
from milepost.types import PathLike

__all__ = ["SummaryWriter"]

MAX_THRESHOLDS = 127  # torch's own limit


def _number(value: Any) -> float:
    """One number: Python's, numpy's, or a tensor with a single element."""
    shape = getattr(value, "shape", ())
    if any(size != 1 for size in shape):
        raise SummaryError("add_scalar takes one number", got=f"shape {tuple(shape)}", want="a single element")
    if isinstance(value, (str, bytes)):
        raise SummaryError("add_scalar takes one number", got=repr(value)[:60], want="a number")
    return to_scalar(value) if len(shape) == 0 else float(to_host(value, copy=False).reshape(()))


def _time(walltime: float | None) -> float:
    # TensorBoard's data server gives up on a whole file over one event whose time is not a number
    return time.time() if walltime is None or walltime != walltime else float(walltime)


def _step(global_step: Any) -> int:
    return 0 if global_step is None else int(global_step)


class _RawWriter:
    """What libraries reach for under `writer.file_writer`: whole messages, ours or protobuf's."""

    def __init__(self, log: EventLog, logdir: str):
        self._log, self._logdir = log, logdir

    def get_logdir(self) -> str:
        return self._logdir

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        message = Event.decode(as_bytes(event))
        message.wall_time, message.step = _time(walltime), message.step if step is None else int(step)
        self._log.append(message.encode())

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        message = Summary.decode(as_bytes(summary))
        self._log.append(encode_event(message.value, _step(global_step), _time(walltime)))

    def flush(self) -> None:
        self._log.flush()

    def close(self) -> None:
        self._log.close()


class SummaryWriter:
    """Writes a run for TensorBoard and the board; stands in for torch's class of the same name.

        >>> from milepost import SummaryWriter
        >>> with SummaryWriter("runs/first") as writer:
        ...     for step in range(3):
        ...         writer.add_scalar("loss", 1 / (step + 1), step)

    `log_dir` (tensorboardX: `logdir`) defaults to runs/<date>_<host><comment>. `purge_step` marks a restart: points of
    earlier files from that step on no longer count. Records are written when more than `max_queue` wait, or after `flush_secs`
    (a second unless told).
    """

    def __init__(
        self, log_dir: PathLike | None = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10,
        flush_secs: float | None = None, filename_suffix: str = "", *, logdir: PathLike | None = None, write_to_disk: bool = True,
    ):  # fmt: skip
        chosen = log_dir if log_dir is not None else logdir
        if not chosen:
            chosen = os.path.join(
                "runs", datetime.now().strftime("%b%d_%H-%M-%S") + "_" + socket.gethostname() + comment
            )
        self.log_dir = self.logdir = os.fspath(chosen)
        self.purge_step, self.max_queue, self.flush_secs, self.filename_suffix = (
            purge_step,
            max_queue,
            flush_secs,
            filename_suffix,
        )
        self._directory = local_directory(self.log_dir)
        self._writes = write_to_disk
        self._simple: dict[str, Template] = {}
        self._templates: dict[tuple[Any, ...], Template] = {}
        self._logs: dict[str, EventLog] = {}  # by directory: the run itself, and those add_scalars makes
        self._hparams: dict[str, Any] | None = None
        self._log: EventLog | None = None
        if write_to_disk:
            self._open()

    # ---- the run

    def _open(self) -> EventLog:
        log = self._log_in(self._directory)
        self._log = log
        if self.purge_step is not None:
            step, now = int(self.purge_step), time.time()
            log.append(Event(wall_time=now, step=step, file_version=FILE_VERSION).encode())
            log.append(Event(wall_time=now, step=step, session_log=SessionLog(SessionStatus.START)).encode())
            self.purge_step = None
        return log

    def _log_in(self, directory: str) -> EventLog:
        log = self._logs.get(directory)
        if log is None:
            log = EventLog(
                directory, max_queue=self.max_queue, flush_seconds=self.flush_secs, suffix=self.filename_suffix
            )  # fmt: skip
            self._logs[directory] = log
        return log

    def _get_file_writer(self) -> _RawWriter:
        return _RawWriter(self._log or self._open(), self.log_dir)

    file_writer = property(_get_file_writer)

    @property
    def all_writers(self) -> dict[str, _RawWriter]:
        return {directory: _RawWriter(log, directory) for directory, log in self._logs.items()}

    def get_logdir(self) -> str:
        """The directory of the run, as it was given."""
        return self.log_dir

    def flush(self) -> None:
        """Everything so far is with the operating system when this returns."""
        for log in self._logs.values():
            log.flush()

    def close(self) -> None:
        """Write what is left and close the files. Raises StorageError when summaries were lost on the way."""
        logs, self._logs, self._log = list(self._logs.values()), {}, None
        failed: Exception | None = None
        for log in logs:
            try:
                log.close()
            except OSError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        for log in getattr(self, "_logs", {}).values():
            log.close_soon()

    # ---- how everything below is written

    def _put(self, values: list[SummaryValue], global_step: Any = None, walltime: float | None = None) -> None:
        if self._writes:
            for value in values:
                value.tag = clean_tag(value.tag)
            (self._log or self._open()).append(encode_event(values, _step(global_step), _time(walltime)))

    def _later(self, make: Callable[[], SummaryValue], size: int, global_step: Any, walltime: float | None) -> None:
        if not self._writes:
            return
        step, moment = _step(global_step), _time(walltime)

        def job() -> bytes:
            value = make()
            value.tag = clean_tag(value.tag)
            return encode_event([value], step, moment)

        (self._log or self._open()).submit(job, size)

    # ---- numbers

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: Any = None, walltime: float | None = None, new_style: bool = False,
        double_precision: bool = False, display_name: str = "", summary_description: str = "",
    ) -> None:  # fmt: skip
        """Write one number. `new_style` writes a tensor as TF 2 does, `double_precision` with it a float64."""
        log = self._log
        if log is None:
            if not self._writes:
                return
            log = self._open()
        if type(global_step) is not int:
            global_step = _step(global_step)
        read = None
        if type(scalar_value) is not float:
            read = deferred_scalar(scalar_value)
            if read is None:
                scalar_value = _number(scalar_value)
        if new_style or display_name or summary_description:
            template = self._special(tag, new_style, double_precision, display_name, summary_description)
        else:
            found = self._simple.get(tag)
            template = found if found is not None else self._simple.setdefault(tag, simple_template(tag))
        moment = time.time() if walltime is None else _time(walltime)
        if read is None:
            log.scalar(template, scalar_value, global_step, moment)
        else:
            log.scalar_later(template, read, global_step, moment)  # a value on a GPU is not waited for

    def _special(self, *key: Any) -> Template:
        template = self._templates.get(key)
        if template is None:
            tag, new_style, double_precision, display_name, description = key
            if new_style:
                template = tensor_template(
                    tag, description, display_name=display_name, double_precision=double_precision
                )
            else:
                template = simple_template(tag, SummaryMetadata(None, display_name, description))
            self._templates[key] = template
        return template

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: Any = None, walltime: float | None = None
    ) -> None:  # fmt: skip
        """Write several numbers to be drawn in one chart: one tag, a run beneath this one for each."""
        if not self._writes:
            return
        moment, step = _time(walltime), _step(global_step)
        template = self._simple.get(main_tag) or self._simple.setdefault(main_tag, simple_template(main_tag))
        if self._log is None:
            self._open()
        for name, value in tag_scalar_dict.items():
            directory = os.path.join(self._directory, main_tag.replace("/", "_") + "_" + name)
            self._log_in(directory).scalar(template, _number(value), step, moment)

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Write a whole tensor."""
        self._put(
            [SummaryValue(tag=tag, tensor=from_array(to_host(tensor, copy=False)), metadata=metadata_for(TENSOR))],
            global_step,
            walltime,
        )

    def add_histogram(
        self, tag: str, values: Any, global_step: Any = None, bins: Any = "tensorflow", walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Write the histogram of all elements. `bins` is "tensorflow", or what numpy.histogram takes."""
        array = to_host(values)
        if array.size == 0:
            raise SummaryError("a histogram needs at least one value", where=tag)
        if array.dtype.kind not in "fiub":
            raise SummaryError("a histogram counts numbers", where=tag, got=array.dtype)
        edges = dialect.default_edges() if isinstance(bins, str) and bins == "tensorflow" else bins
        self._later(lambda: dialect.histogram_value(tag, array, edges, max_bins), array.nbytes, global_step, walltime)

    def add_histogram_raw(
        self, tag: str, min: float, max: float, num: float, sum: float, sum_squares: float, bucket_limits: Any, bucket_counts: Any,
        global_step: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write a histogram that was counted elsewhere."""
        limits, counts = (
            np.asarray(to_host(part, copy=False), np.float64).tolist() for part in (bucket_limits, bucket_counts)
        )
        if len(limits) != len(counts):
            raise SummaryError("as many limits as counts", got=len(limits), want=len(counts))
        histogram = Histogram(float(min), float(max), float(num), float(sum), float(sum_squares), limits, counts)
        self._put([SummaryValue(tag=tag, histo=histogram)], global_step, walltime)

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: Any = None, num_thresholds: int = 127, weights: Any = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write the precision-recall curve of predictions in [0, 1]."""
        count = min(num_thresholds, MAX_THRESHOLDS)
        truth, guesses = to_host(labels, copy=False), to_host(predictions, copy=False)
        curve = precision_recall(truth, guesses, count, None if weights is None else to_host(weights, copy=False))
        self._put([_curve_value(tag, curve, count)], global_step, walltime)

    def add_pr_curve_raw(
        self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any, false_negative_counts: Any,
        precision: Any, recall: Any, global_step: Any = None, num_thresholds: int = 127, weights: Any = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write a precision-recall curve that was computed elsewhere."""
        parts = (
            true_positive_counts,
            false_positive_counts,
            true_negative_counts,
            false_negative_counts,
            precision,
            recall,
        )
        curve = np.stack([np.asarray(to_host(part, copy=False), np.float32) for part in parts])
        self._put([_curve_value(tag, curve, min(num_thresholds, MAX_THRESHOLDS))], global_step, walltime)

    # ---- pictures and sound

    def add_image(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None, dataformats: str = "CHW"
    ) -> None:  # fmt: skip
        """Write a picture; floats lie in [0, 1], uint8 in [0, 255]."""
        array = to_host(img_tensor)
        axes = pictures.check_axes(array.shape, dataformats)
        self._later(
            lambda: dialect.image_value(tag, pictures.picture(array, axes)), array.nbytes, global_step, walltime
        )

    def add_images(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None, dataformats: str = "NCHW"
    ) -> None:  # fmt: skip
        """Write a batch as one picture, a grid of eight columns. A list of pictures is a batch too."""
        if isinstance(img_tensor, (list, tuple)) and "N" not in dataformats.upper():
            dataformats = "N" + dataformats
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: Any = None, walltime: float | None = None,
        rescale: float = 1, dataformats: str = "CHW", labels: Sequence[str] | str | None = None,
    ) -> None:  # fmt: skip
        """Write a picture with frames [n, (left, top, right, bottom)] drawn into it."""
        array, boxes = to_host(img_tensor), to_host(box_tensor)
        axes = pictures.check_axes(array.shape, dataformats)
        names = [labels] if isinstance(labels, str) else labels
        if boxes.size % 4:
            raise SummaryError("a box has four numbers", got=f"shape {boxes.shape}", want="[n, 4]")
        if names is not None and len(names) != boxes.size // 4:
            logger.warning("%s: %d labels for %d boxes: left out", tag, len(names), boxes.size // 4)
            names = None

        def make() -> SummaryValue:
            plain = pictures.picture(array, axes)
            drawn = pictures.draw_boxes(plain, boxes, names, rescale)
            return dialect.image_value(tag, drawn, size=(plain.shape[0], plain.shape[1]))

        self._later(make, array.nbytes, global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Write a matplotlib figure, or several in a grid."""
        if isinstance(figure, list):
            drawn = np.stack([pictures.figure_pixels(one, close) for one in figure])
            self.add_image(tag, drawn, global_step, walltime, "NHWC")
        else:
            self.add_image(tag, pictures.figure_pixels(figure, close), global_step, walltime, "HWC")

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: Any = None, fps: float = 4, walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:  # fmt: skip
        """Write clips [batch, time, channels, height, width] side by side as one GIF."""
        array, axes = to_host(vid_tensor), dataformats.upper()
        if (
            array.ndim != 5
            or sorted(axes) != sorted("NTCHW")
            or array.shape[axes.index("C")] not in (1, 3)
            or 0 in array.shape
        ):
            raise SummaryError(
                "a video has five axes and 1 or 3 channels", got=f"shape {array.shape} as {axes}", want="NTCHW"
            )

        def make() -> SummaryValue:
            frames = pictures.video_frames(array, axes)
            return dialect.image_value(tag, frames[0], encoded=pictures.gif(frames, fps))

        self._later(make, array.nbytes, global_step, walltime)

    def add_audio(
        self, tag: str, snd_tensor: Any, global_step: Any = None, sample_rate: int = 44100, walltime: float | None = None
    ) -> None:  # fmt: skip
        """Write sound in [-1, 1]: samples, or [samples, 2] for stereo."""
        array = to_host(snd_tensor).squeeze()
        if array.ndim == 0:
            array = array.reshape(1)
        if array.ndim > 2 or (array.ndim == 2 and array.shape[1] != 2) or array.size == 0:
            raise SummaryError("audio has one axis, or two channels", where=tag, got=f"shape {array.shape}")
        samples = array.reshape(len(array), -1)
        self._later(lambda: dialect.audio_value(tag, samples, int(sample_rate)), array.nbytes, global_step, walltime)

    def add_mesh(
        self, tag: str, vertices: Any, colors: Any = None, faces: Any = None, config_dict: dict[str, Any] | None = None,
        global_step: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write a mesh: vertices, colours and faces, each [batch, n, 3]."""
        parts = mesh_parts(tag, vertices, faces, colors, config_dict)
        values = [SummaryValue(tag=t, tensor=from_array(array.astype(np.float32)), metadata=m) for t, array, m in parts]
        self._put(values, global_step, walltime)

    # ---- text, layouts, hyperparameters, graphs, embeddings

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        """Write text, shown as Markdown."""
        self._put([dialect.text_value(tag, str(text_string))], global_step, walltime)

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Write a layout of charts: {category: {title: ["Multiline" or "Margin", tags]}}."""
        self._put([layout_value(layout)])

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """A chart of several tags."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """A chart of a value between a lower and an upper one."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_hparams(
        self, hparam_dict: dict[str, Any], metric_dict: dict[str, Any], hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None, global_step: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        """Write the hyperparameters of this run and the metrics they led to.

        A run has one set: a second, different one goes to a run beneath this one, as does any with a `run_name`
        (tensorboardX: `name`).
        """
        if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
            raise UsageError(
                "add_hparams takes two dictionaries", got=f"{type(hparam_dict).__name__}, {type(metric_dict).__name__}"
            )
        if not self._writes:
            return
        # torch writes booleans as numbers; the table must not change with the writer
        hparams = {k: float(v) if isinstance(v, bool) else v for k, v in hparam_dict.items() if v is not None}
        for key, domain in (hparam_domain_discrete or {}).items():
            if (
                key not in hparam_dict
                or not isinstance(domain, list)
                or not all(isinstance(d, type(hparam_dict[key])) for d in domain)
            ):
                raise SummaryError(f"the domain of hyperparameter {key!r} is a list of values like its own", got=domain)
        run_name = run_name or name
        if not run_name and self._hparams is not None and self._hparams != hparams:
            run_name = str(time.time())
        if run_name:
            log = self._log_in(os.path.join(self._directory, run_name))
        else:
            log, self._hparams = self._log or self._open(), hparams
        step, now = _step(global_step), time.time()
        values = [
            experiment_value(hparams, metric_dict, domains=hparam_domain_discrete), session_start_value(hparams), session_end_value()
        ]  # fmt: skip
        for value in values:
            log.append(encode_event([value], step, now))
        for key, metric in metric_dict.items():
            log.scalar(simple_template(key), _number(metric), step, time.time())

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Write a model's graph, computed with `input_to_model` (a tensor, or several in a list or tuple)."""
        if not self._writes:
            return
        inputs = (
            ()
            if input_to_model is None
            else tuple(input_to_model)
            if isinstance(input_to_model, (list, tuple))
            else (input_to_model,)
        )
        writer = FileWriter(self._log or self._open(), owns=False)
        with writer.as_default():
            importlib.import_module("milepost.summary").graph(
                model, *inputs
            )  # by its public door: graphs are another room's

    def add_embedding(
        self, mat: Any, metadata: Sequence[Any] | None = None, label_img: Any = None, global_step: Any = None, tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """Write a matrix for the projector, with labels and thumbnails [n, channels, height, width]."""
        job, size = embedding_job(self._directory, mat, metadata, label_img, _step(global_step), tag, metadata_header)
        if self._writes:
            (self._log or self._open()).submit(job, size)


def _curve_value(tag: str, curve: np.ndarray[Any, Any], thresholds: int) -> SummaryValue:
    content = PrCurvePluginData(num_thresholds=thresholds).encode()
    return SummaryValue(tag=tag, tensor=from_array(curve), metadata=metadata_for(PR_CURVES, content=content))
