"""Cosine transforms, the windows of MDCT, and the mel scale with its cepstra. In: tensors of samples or spectra. Out: the same in other terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype, float32, of_torch
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "dct",
    "idct",
    "inverse_mdct",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "vorbis_window",
]


def _check(t: Any, type: int, n: Any, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and int(n) < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if t.shape[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The cosine transform of the last dimension, types I to IV, `norm=None` or 'ortho'."""
    t = to_torch(input, hint=float32)
    _check(t, type, n, axis, norm)
    if n is not None:
        size = int(n)
        t = t[..., :size] if size <= t.shape[-1] else torch.nn.functional.pad(t, (0, size - t.shape[-1]))
    return wrap(t @ _basis(type, t.shape[-1], norm, t.dtype, t.device))


def idct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """Back from a cosine transform: up to a factor where norm is None, as scipy and TensorFlow define it."""
    t = to_torch(input, hint=float32)
    _check(t, type, n, axis, norm)
    return dct(wrap(t), type={1: 1, 2: 3, 3: 2, 4: 4}[type], n=n, norm=norm)


def _basis(type: int, n: int, norm: str | None, dtype: Any, device: Any) -> Any:
    """The matrix a row of samples is multiplied by, made in float64."""
    k = torch.arange(n, dtype=torch.float64)
    if type == 1:
        m = torch.cos(torch.pi * k[:, None] * k[None, :] / (n - 1)) * 2
        m[0] /= 2
        m[-1] /= 2
    elif type == 2:
        m = 2 * torch.cos(torch.pi * (2 * k[:, None] + 1) * k[None, :] / (2 * n))
    elif type == 3:
        m = 2 * torch.cos(torch.pi * k[:, None] * (2 * k[None, :] + 1) / (2 * n))
        m[0] /= 2
    else:
        m = 2 * torch.cos(torch.pi * (2 * k[:, None] + 1) * (2 * k[None, :] + 1) / (4 * n))
    if norm == "ortho":
        m = m * math.sqrt(0.5 / n)
        if type == 2:
            m[:, 0] *= math.sqrt(0.5)
        elif type == 3:
            m[0] *= math.sqrt(2.0)
    return m.to(dtype=dtype, device=device)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A window whose side lobes `beta` sets."""
    values = torch.from_numpy(np.kaiser(int(window_length), float(beta)))
    return wrap(values.to(as_dtype(dtype).torch))


def kaiser_bessel_derived_window(window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None) -> Tensor:  # fmt: skip
    """The window of MDCTs that comes from Kaiser's."""
    half = int(window_length) // 2
    sums = np.cumsum(np.kaiser(half + 1, float(beta)))
    rise = np.sqrt(sums[:-1] / sums[-1])
    return wrap(torch.from_numpy(np.concatenate([rise, rise[::-1]])).to(as_dtype(dtype).torch))


def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The window of Vorbis' MDCT."""
    n = int(window_length)
    at = torch.arange(n, dtype=torch.float64)
    made = torch.sin(torch.pi / 2 * torch.sin(torch.pi / n * (at + 0.5)) ** 2)
    return wrap(made.to(as_dtype(dtype).torch))


def mdct(
    signals: Any, frame_length: Any, window_fn: Any = vorbis_window, pad_end: bool = False, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The lapped cosine transform of frames that overlap by half."""
    from milepost.tf.signal import frame

    t, length = to_torch(signals, hint=float32), int(frame_length)
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    quarter = length // 4
    pieces = frame(wrap(t), length, length // 2, pad_end=pad_end)._t
    if window_fn is not None:
        pieces = pieces * raw(window_fn(length, dtype=of_torch(t.dtype)))
    else:
        pieces = pieces / math.sqrt(2)
    a, b, c, d = pieces.split(quarter, dim=-1)
    folded = torch.cat([-c.flip(-1) - d, a - b.flip(-1)], dim=-1)
    return dct(wrap(folded), type=4, norm=norm)


def inverse_mdct(
    mdcts: Any, window_fn: Any = vorbis_window, norm: str | None = None, name: str | None = None
) -> Tensor:
    """Samples from lapped cosine transforms."""
    from milepost.tf.signal import overlap_and_add

    t = to_torch(mdcts, hint=float32)
    half = t.shape[-1]
    first, second = idct(wrap(t), type=4, norm=norm)._t.split(half // 2, dim=-1)
    whole = torch.cat([second, -second.flip(-1), -first.flip(-1), -first], dim=-1)
    if norm is None:
        whole = whole * (0.5 / half)
    if window_fn is not None:
        whole = whole * raw(window_fn(2 * half, dtype=of_torch(t.dtype)))
    else:
        whole = whole / math.sqrt(2)
    return overlap_and_add(wrap(whole), half)


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000, lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0, dtype: Any = float32, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Triangles evenly spaced on the mel scale: spectrogram @ matrix is a mel spectrogram."""
    bands, bins, rate = int(num_mel_bins), int(num_spectrogram_bins), float(raw(sample_rate))
    low, high = float(raw(lower_edge_hertz)), float(raw(upper_edge_hertz))
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}")
    if rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if high > rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got {high} for sample_rate: {rate}"
        )
    # the bin of frequency zero gets no weight
    at = _mel(np.linspace(0.0, rate / 2, bins)[1:])[:, None]
    edges = np.linspace(_mel(low), _mel(high), bands + 2)
    lower, centre, upper = edges[None, :-2], edges[None, 1:-1], edges[None, 2:]
    weights = np.maximum(0.0, np.minimum((at - lower) / (centre - lower), (upper - at) / (upper - centre)))
    return wrap(torch.from_numpy(np.pad(weights, [[1, 0], [0, 0]])).to(as_dtype(dtype).torch))


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Cepstral coefficients: the orthogonal-up-to-a-factor cosine transform of log mel spectra, as HTK scales it."""
    t = to_torch(log_mel_spectrograms, hint=float32)
    if t.shape[-1] == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {log_mel_spectrograms}")
    made = dct(wrap(t), type=2)._t
    return wrap(made * (1.0 / math.sqrt(t.shape[-1] * 2.0)))
