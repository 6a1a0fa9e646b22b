"""Pictures as torch's writer takes them. In: arrays in any order of axes, boxes, frames, figures. Out: uint8 [height, width, channels], or a GIF.

Not here: PNG (`formats.png`), the events around them (`dialect`).
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from milepost.errors import EngineMissingError, SummaryError

__all__ = ["check_axes", "draw_boxes", "figure_pixels", "gif", "picture", "to_bytes", "video_frames"]

GRID_COLUMNS = 8


def check_axes(shape: tuple[int, ...], dataformats: str) -> str:
    """The axes in capitals, after checking that they can name this shape."""
    axes = dataformats.upper()
    if (
        len(set(axes)) != len(axes)
        or not set("HW") <= set(axes)
        or not set(axes) <= set("NCHW")
        or len(axes) not in (2, 3, 4)
    ):
        raise SummaryError(
            "dataformats names each axis of an image once", got=dataformats, want="a permutation of HW, CHW or NCHW"
        )
    if len(shape) != len(axes):
        raise SummaryError("the image's shape and its dataformats differ", got=f"shape {shape}", want=axes)
    if "C" in axes and shape[axes.index("C")] not in (1, 3, 4):
        raise SummaryError("images have 1, 3 or 4 channels", got=f"shape {shape} as {axes}")
    if 0 in shape:
        raise SummaryError("an image has at least one pixel", got=f"shape {shape}")
    return axes


def to_bytes(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """uint8 as it is; anything else is taken to lie in [0, 1], scaled and clipped."""
    if values.dtype == np.uint8:
        return values
    with np.errstate(invalid="ignore"):
        scaled: np.ndarray[Any, Any] = np.nan_to_num((values.astype(np.float32) * 255).clip(0, 255))
    return scaled.astype(np.uint8)


def picture(values: np.ndarray[Any, Any], axes: str) -> np.ndarray[Any, Any]:
    """[height, width, 3 or 4] from an array whose axes are named; a batch becomes a grid of eight columns."""
    if len(axes) == 4:
        batch = values.transpose([axes.index(a) for a in "NHWC"])
        if batch.shape[3] == 1:
            batch = np.repeat(batch, 3, 3)
        count, height, width, channels = batch.shape
        columns = min(count, GRID_COLUMNS)
        rows = math.ceil(count / columns)
        cells = np.zeros((rows * columns, height, width, channels), batch.dtype)
        cells[:count] = batch
        grid = cells.reshape(rows, columns, height, width, channels).transpose(0, 2, 1, 3, 4)
        return to_bytes(grid.reshape(rows * height, columns * width, channels))
    if len(axes) == 3:
        image = values.transpose([axes.index(a) for a in "HWC"])
        return to_bytes(np.repeat(image, 3, 2) if image.shape[2] == 1 else image)
    image = values.transpose([axes.index(a) for a in "HW"])
    return to_bytes(np.repeat(image[:, :, None], 3, 2))


@contextmanager
def _pillow(what: str) -> Iterator[None]:
    """Says what to install when Pillow is not there."""
    try:
        yield
    except ImportError:
        raise EngineMissingError(f"{what} needs Pillow", todo="pip install 'milepost[images]'") from None


def draw_boxes(
    pixels: np.ndarray[Any, Any], boxes: np.ndarray[Any, Any], labels: Sequence[str] | None, rescale: float
) -> np.ndarray[Any, Any]:  # fmt: skip
    """Red frames, each with its label at its foot; then, if asked, scaled."""
    with _pillow("boxes drawn into a picture"):
        from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(np.ascontiguousarray(pixels))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default()
    for number, (left, top, right, bottom) in enumerate(boxes.reshape(-1, 4).tolist()):
        corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(corners, width=2, fill="Red")
        if labels is not None and labels[number]:
            text = labels[number]
            x0, y0, x1, y1 = font.getbbox(text)
            width, height = x1 - x0, y1 - y0
            margin = math.ceil(0.05 * height)
            draw.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill="Red")
            draw.text((left + margin, bottom - height - margin), text, fill="black", font=font)
    if rescale != 1:
        size = (int(image.width * rescale), int(image.height * rescale))
        image = image.resize(size, Image.Resampling.LANCZOS)
    return np.asarray(image)


def video_frames(values: np.ndarray[Any, Any], axes: str = "NTCHW") -> np.ndarray[Any, Any]:
    """[time, height, width, channels] from a batch of clips, laid out in a grid whose sides are powers of two."""
    clips = values.transpose([axes.index(a) for a in "NTCHW"])
    count, time, channels, height, width = clips.shape
    rows = 2 ** ((count.bit_length() - 1) // 2)
    cells = 1 << (count - 1).bit_length()  # the next power of two, filled up with black
    padded = np.zeros((cells, time, channels, height, width), clips.dtype)
    padded[:count] = clips
    grid = padded.reshape(rows, cells // rows, time, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    frames = to_bytes(grid.reshape(time, rows * height, cells // rows * width, channels))
    return np.repeat(frames, 3, 3) if channels == 1 else frames


def gif(frames: np.ndarray[Any, Any], fps: float) -> bytes:
    """An endless GIF."""
    with _pillow("a clip as GIF"):
        from PIL import Image

    images = [Image.fromarray(np.ascontiguousarray(frame)) for frame in frames]
    out = io.BytesIO()
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=1000 / fps, loop=0)
    return out.getvalue()


def figure_pixels(figure: Any, close: bool) -> np.ndarray[Any, Any]:
    """A matplotlib figure, drawn here and now: its objects belong to the thread that made them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.array(canvas.buffer_rgba())[:, :, :3]
    if close:
        import matplotlib.pyplot as plt

        plt.close(figure)
    return pixels
