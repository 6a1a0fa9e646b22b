"""Images between bytes and tensors: PNG, JPEG, GIF, BMP. In: encoded strings or uint8 tensors. Out: the other one.

Pillow does the coding. Its own limit on decompression bombs stays in force: a picture that announces gigabytes is refused.
Not here: resizing and colours (`image`).
"""

from __future__ import annotations

import contextlib
import io as streams
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.structure import cell, to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError, brackets, kernel

__all__ = [
    "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png",
    "extract_jpeg_shape", "is_jpeg",
]  # fmt: skip

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


@contextlib.contextmanager
def _decoding() -> Iterator[None]:
    """Whatever Pillow makes of damaged bytes (it raises a dozen kinds) is an invalid argument."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except InvalidArgumentError:
        raise
    except Exception as error:
        raise InvalidArgumentError(
            f"Unknown image file format, a damaged image, or one too large to decode: {type(error).__name__}: {error}"
        ) from error


def _pillow(contents: Any) -> Any:
    from PIL import Image

    data = to_numpy(contents)[()]
    if not isinstance(data, bytes):
        raise InvalidArgumentError(f"contents must be a scalar string, got {type(data).__name__}")
    with _decoding():
        return Image.open(streams.BytesIO(data))


def _array(picture: Any, channels: int) -> np.ndarray[Any, Any]:
    if channels not in (0, 1, 3, 4):
        raise kernel("DecodePng", f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if channels == 0:
        channels = {"1": 1, "L": 1, "LA": 2, "RGB": 3, "RGBA": 4, "I;16": 1, "I": 1}.get(picture.mode, 3)
    with _decoding():
        plain = picture.mode in ("I;16", "I", MODES[channels])
        array = np.array(picture if plain else picture.convert(MODES[channels]))
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
    if ratio not in (1, 2, 4, 8):
        raise kernel("DecodeJpeg", f"ratio must be 1, 2, 4, or 8, got {ratio}")
    picture = _pillow(contents)
    if picture.format == "JPEG":
        _jpeg_channels(channels)
        if ratio > 1:
            # the decoder's own way, which skips what it does not need
            picture.draft(None, (-(-picture.width // ratio), -(-picture.height // ratio)))
    return _typed(_array(picture, channels), "uint8")


def _jpeg_channels(channels: int) -> None:
    if channels == 4:
        raise kernel("DecodeJpeg", "JPEG does not support 4 channels")


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Any:
    return _typed(_array(_pillow(contents), channels), "uint8")


def decode_gif(contents: Any, name: str | None = None) -> Any:
    """All frames: [frames, height, width, 3]."""
    from PIL import ImageSequence

    picture = _pillow(contents)
    with _decoding():
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
    picture = _pillow(contents)
    _jpeg_channels(channels)
    inside = 0 <= top < top + height <= picture.height and 0 <= left < left + width <= picture.width
    if picture.format != "JPEG" or not inside:
        raise kernel("DecodeAndCropJpeg", f"jpeg::Uncompress failed. Invalid JPEG data or crop window: {[top, left, height, width]} in {picture.size[::-1]}.")  # fmt: skip
    return _typed(_array(picture.crop((left, top, left + width, top + height)), channels), "uint8")


def extract_jpeg_shape(contents: Any, output_type: Any = "int32", name: str | None = None) -> Any:
    """[height, width, channels], without decoding."""
    picture = _pillow(contents)
    shape = [picture.height, picture.width, len(picture.getbands())]
    return edge.wrap(np.asarray(shape, edge.numpy_dtype(output_type)))


def is_jpeg(contents: Any, name: str | None = None) -> Any:
    return edge.wrap(np.asarray(to_numpy(contents)[()].startswith(b"\xff\xd8\xff")))


def _encoded(array: np.ndarray[Any, Any], op: str, kind: str, **options: Any) -> bytes:
    from PIL import Image

    channels = array.shape[2]
    if array.dtype == np.uint16:
        if channels != 1:
            raise kernel(op, f"16 bits go with one channel here, got {channels}.")
        picture = Image.fromarray(array[..., 0])
    else:
        picture = Image.fromarray(array[..., 0] if channels == 1 else array, MODES[channels])
    out = streams.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Any:
    """One picture, or every picture of a batch."""
    array = to_numpy(image)
    if array.dtype not in (np.uint8, np.uint16):
        raise InvalidArgumentError(f"image must be uint8 or uint16, got {as_dtype(array.dtype).name} [Op:EncodePng]")
    if array.ndim < 3:
        raise kernel("EncodePng", f"images must have at least rank 3, got {brackets(array.shape)}")
    if array.shape[-1] not in MODES:
        raise kernel("EncodePng", f"image must have 1, 2, 3, or 4 channels, got {array.shape[-1]}")
    options = {"compress_level": compression} if compression >= 0 else {}
    pictures = array.reshape(-1, *array.shape[-3:])
    made = np.empty(len(pictures), dtype=object)
    made[:] = [_encoded(picture, "EncodePng", "PNG", **options) for picture in pictures]
    return edge.wrap(made.reshape(array.shape[:-3]))


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    **kwargs: Any,
) -> Any:
    array = to_numpy(image)
    if array.dtype != np.uint8:
        raise InvalidArgumentError(
            f"cannot compute EncodeJpeg as input #0(zero-based) was expected to be a uint8 tensor but is a {as_dtype(array.dtype).short} tensor [Op:EncodeJpeg]"
        )
    if array.ndim != 3:
        raise kernel("EncodeJpeg", f"image must be 3-dimensional{brackets(array.shape)}")
    if array.shape[2] not in (1, 3) or (format == "grayscale") > (array.shape[2] == 1):
        raise kernel("EncodeJpeg", f"image must have 1 or 3 channels, got {brackets(array.shape)}")
    return edge.wrap(
        cell(_encoded(array, "EncodeJpeg", "JPEG", quality=quality, progressive=progressive, optimize=optimize_size))
    )
