"""Images between bytes and tensors: PNG, JPEG, GIF, BMP. In: encoded strings or uint8 tensors. Out: the other one.

Pillow does the coding. Its own limit on decompression bombs stays in force: a picture that announces gigabytes is refused.
Not here: resizing and colours (`image`).
"""

from __future__ import annotations

import io as streams
from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError

__all__ = [
    "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png",
    "extract_jpeg_shape", "is_jpeg",
]  # fmt: skip

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _pillow(contents: Any) -> Any:
    from PIL import Image, UnidentifiedImageError

    data = to_numpy(contents)[()]
    if not isinstance(data, bytes):
        raise InvalidArgumentError(f"contents must be a scalar string, got {type(data).__name__}")
    try:
        return Image.open(streams.BytesIO(data))
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise InvalidArgumentError(f"Unknown image file format, or one too large to decode: {error}") from error


def _array(picture: Any, channels: int) -> np.ndarray[Any, Any]:
    if channels not in (0, 1, 2, 3, 4):
        raise InvalidArgumentError(f"channels must be 0, 1, 2, 3 or 4, got {channels}")
    if channels == 0:
        channels = {"1": 1, "L": 1, "LA": 2, "RGB": 3, "RGBA": 4, "I;16": 1, "I": 1}.get(picture.mode, 3)
    try:
        plain = picture.mode in ("I;16", "I", MODES[channels])
        array = np.array(picture if plain else picture.convert(MODES[channels]))
    except OSError as error:
        raise InvalidArgumentError(f"Could not decode the image: {error}") from error
    return array if array.ndim == 3 else array[..., None]


def _typed(array: np.ndarray[Any, Any], dtype: Any) -> Any:
    name = as_dtype(dtype).name
    if name == "uint8":
        return edge.wrap(array.astype(np.uint8, copy=False))
    if name == "uint16":
        return edge.wrap(array.astype(np.uint16) * (257 if array.dtype == np.uint8 else 1))
    if name == "float32":
        return edge.wrap(array.astype(np.float32) / (255 if array.dtype == np.uint8 else 65535))
    raise InvalidArgumentError(f"dtype must be uint8, uint16 or float32, got {name}")


def decode_png(contents: Any, channels: int = 0, dtype: Any = "uint8", name: str | None = None) -> Any:
    return _typed(_array(_pillow(contents), channels), dtype)


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Any:
    picture = _pillow(contents)
    if ratio != 1:
        picture = picture.reduce(ratio)
    return _typed(_array(picture, channels), "uint8")


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Any:
    return _typed(_array(_pillow(contents), channels), "uint8")


def decode_gif(contents: Any, name: str | None = None) -> Any:
    """All frames: [frames, height, width, 3]."""
    from PIL import ImageSequence

    picture = _pillow(contents)
    return edge.wrap(np.stack([np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(picture)]))


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = "uint8",
    name: str | None = None,
    expand_animations: bool = True,
) -> Any:
    picture = _pillow(contents)
    if picture.format == "GIF" and expand_animations:
        return decode_gif(contents)
    return _typed(_array(picture, channels or 0), dtype)


def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: int = 0, **kwargs: Any) -> Any:
    top, left, height, width = (int(n) for n in to_numpy(crop_window).tolist())
    return _typed(_array(_pillow(contents).crop((left, top, left + width, top + height)), channels), "uint8")


def extract_jpeg_shape(contents: Any, output_type: Any = "int32", name: str | None = None) -> Any:
    """[height, width, channels], without decoding."""
    picture = _pillow(contents)
    shape = [picture.height, picture.width, len(picture.getbands())]
    return edge.wrap(np.asarray(shape, edge.numpy_dtype(output_type)))


def is_jpeg(contents: Any, name: str | None = None) -> Any:
    return edge.wrap(np.asarray(to_numpy(contents)[()].startswith(b"\xff\xd8\xff")))


def _encode(image: Any, kind: str, **options: Any) -> Any:
    from PIL import Image

    array = to_numpy(image)
    if array.ndim != 3 or array.dtype != np.uint8 or array.shape[2] not in MODES:
        raise InvalidArgumentError(
            f"image must be uint8 of shape [height, width, channels], got {array.dtype} of shape {array.shape}"
        )
    picture = Image.fromarray(array[..., 0] if array.shape[2] == 1 else array, MODES[array.shape[2]])
    out = streams.BytesIO()
    picture.save(out, kind, **options)
    cell = np.empty((), dtype=object)
    cell[()] = out.getvalue()
    return edge.wrap(cell)


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Any:
    return _encode(image, "PNG", **({"compress_level": compression} if compression >= 0 else {}))


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    **kwargs: Any,
) -> Any:
    return _encode(image, "JPEG", quality=quality, progressive=progressive, optimize=optimize_size)
