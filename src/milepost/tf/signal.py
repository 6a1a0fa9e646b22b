"""`tf.signal`: Fourier transforms, windows, frames and what speech programs make of them. In: tensors of samples. Out: spectra, or samples again.

Cosine transforms, windows of MDCT and the mel scale are in signal_scales.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype, complex64, complex128, float32, float64, of_torch
from milepost.tf.signal_scales import (
    dct,
    idct,
    inverse_mdct,
    kaiser_bessel_derived_window,
    kaiser_window,
    linear_to_mel_weight_matrix,
    mdct,
    mfccs_from_log_mel_spectrograms,
    vorbis_window,
)
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "dct", "fft", "fft2d", "fft3d", "fftnd", "fftshift", "frame", "hamming_window", "hann_window", "idct", "ifft", "ifft2d", "ifft3d", "ifftnd",
    "ifftshift", "inverse_mdct", "inverse_stft", "inverse_stft_window_fn", "irfft", "irfft2d", "irfft3d", "irfftnd", "kaiser_bessel_derived_window",
    "kaiser_window", "linear_to_mel_weight_matrix", "mdct", "mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d",
    "rfftnd", "stft", "vorbis_window",
]  # fmt: skip


def _complex(value: Any) -> Any:
    t = to_torch(value, hint=complex64)
    if not t.is_complex():
        from milepost.tf.failures import InvalidArgumentError

        raise InvalidArgumentError(
            f"Value for attr 'Tcomplex' of {of_torch(t.dtype).short} is not in the list of allowed values: complex64, complex128. "
            "tf.cast(x, tf.complex64) makes it complex; tf.signal.rfft takes real values."
        )
    return t


def _real(value: Any) -> Any:
    t = to_torch(value, hint=float32)
    if t.dtype not in (torch.float32, torch.float64):
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {wrap(t)}. tf.cast makes them so.")
    return t


def _on_complex(function: Callable[..., Any], dims: int, text: str) -> Callable[..., Tensor]:
    def transform(input: Any, name: str | None = None) -> Tensor:
        return wrap(function(_complex(input), dim=tuple(range(-dims, 0))))

    transform.__doc__ = text
    return transform


fft = _on_complex(torch.fft.fftn, 1, "The spectrum of the last dimension.")
ifft = _on_complex(torch.fft.ifftn, 1, "Back from the spectrum of the last dimension.")
fft2d = _on_complex(torch.fft.fftn, 2, "The spectrum of the last two dimensions.")
ifft2d = _on_complex(torch.fft.ifftn, 2, "Back from the spectrum of the last two dimensions.")
fft3d = _on_complex(torch.fft.fftn, 3, "The spectrum of the last three dimensions.")
ifft3d = _on_complex(torch.fft.ifftn, 3, "Back from the spectrum of the last three dimensions.")


def _lengths(fft_length: Any) -> list[int] | None:
    return None if fft_length is None else [int(n) for n in raw(fft_length).reshape(-1).tolist()]


def _from_real(dims: int, text: str) -> Callable[..., Tensor]:
    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        return wrap(torch.fft.rfftn(_real(input_tensor), s=_lengths(fft_length), dim=tuple(range(-dims, 0))))

    transform.__doc__ = text
    return transform


def _to_real(dims: int, text: str) -> Callable[..., Tensor]:
    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        return wrap(torch.fft.irfftn(_complex(input_tensor), s=_lengths(fft_length), dim=tuple(range(-dims, 0))))

    transform.__doc__ = text
    return transform


rfft = _from_real(1, "The half spectrum of real values.")
rfft2d = _from_real(2, "The half spectrum of real values in two dimensions.")
rfft3d = _from_real(3, "The half spectrum of real values in three dimensions.")
irfft = _to_real(1, "Real values from a half spectrum.")
irfft2d = _to_real(2, "Real values from a half spectrum in two dimensions.")
irfft3d = _to_real(3, "Real values from a half spectrum in three dimensions.")


def _axes(t: Any, axes: Any) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(-t.ndim, 0))
    return tuple(int(a) for a in raw(axes).reshape(-1).tolist())


def fftnd(input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None) -> Tensor:  # fmt: skip
    """The spectrum over these axes."""
    t = _complex(input_tensor)
    return wrap(torch.fft.fftn(t, s=_lengths(fft_length), dim=_axes(t, axes), norm=norm))


def ifftnd(input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None) -> Tensor:  # fmt: skip
    """Back from the spectrum over these axes."""
    t = _complex(input_tensor)
    return wrap(torch.fft.ifftn(t, s=_lengths(fft_length), dim=_axes(t, axes), norm=norm))


def rfftnd(input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None) -> Tensor:  # fmt: skip
    """The half spectrum of real values over these axes."""
    t = _real(input_tensor)
    return wrap(torch.fft.rfftn(t, s=_lengths(fft_length), dim=_axes(t, axes), norm=norm))


def irfftnd(input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None) -> Tensor:  # fmt: skip
    """Real values from a half spectrum over these axes."""
    t = _complex(input_tensor)
    return wrap(torch.fft.irfftn(t, s=_lengths(fft_length), dim=_axes(t, axes), norm=norm))


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The zero frequency moved to the middle."""
    t = raw(x)
    return wrap(torch.fft.fftshift(t, dim=_axes(t, axes)))


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The zero frequency moved back to the front."""
    t = raw(x)
    return wrap(torch.fft.ifftshift(t, dim=_axes(t, axes)))


def _raised_cosine(a: float, window_length: Any, periodic: Any, dtype: Any) -> Tensor:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind!r}")
    n = int(window_length)
    if n == 1:
        return wrap(torch.ones(1, dtype=kind.torch))
    # TensorFlow's own rule: of odd length, the window is symmetric whatever `periodic` says
    period = n if periodic and n % 2 == 0 else n - 1
    made = a - (1 - a) * torch.cos(2 * torch.pi * torch.arange(n, dtype=torch.float64) / period)
    return wrap(made.to(kind.torch))


def hann_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A raised cosine that ends in zeros."""
    return _raised_cosine(0.5, window_length, periodic, dtype)


def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A raised cosine that ends above zero."""
    return _raised_cosine(0.54, window_length, periodic, dtype)


def frame(
    signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0, axis: int = -1, name: str | None = None
) -> Tensor:  # fmt: skip
    """Overlapping pieces of a dimension: (…, samples, …) becomes (…, frames, frame_length, …)."""
    t = raw(signal)
    length, step, axis = int(frame_length), int(frame_step), axis % t.ndim
    size = t.shape[axis]
    if pad_end:
        frames = -(-size // step)
        missing = max(0, length + step * (frames - 1) - size)
        if missing:
            filler = torch.full((), float(raw(pad_value)), dtype=torch.float64).to(t.dtype)
            extra = list(t.shape)
            extra[axis] = missing
            t = torch.cat([t, filler.expand(extra)], dim=axis)
    else:
        frames = max(0, 1 + (size - length) // step)
    if not frames:
        shape = [*t.shape[:axis], 0, length, *t.shape[axis + 1 :]]
        return wrap(t.new_zeros(shape))
    pieces = t.unfold(axis, length, step).narrow(axis, 0, frames)  # the piece is the last dimension
    return wrap(pieces.movedim(-1, axis + 1).contiguous())


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The pieces of (…, frames, frame_length) laid `frame_step` apart and added up."""
    t, step = raw(signal), int(frame_step)
    if t.ndim < 2:
        raise ValueError(f"Shape {tuple(t.shape)} must have rank at least 2")
    frames, length = t.shape[-2:]
    size = length + step * (frames - 1) if frames else 0
    places = (torch.arange(frames) * step)[:, None] + torch.arange(length)[None, :]
    flat = t.reshape(*t.shape[:-2], frames * length)
    made = t.new_zeros((*t.shape[:-2], size))
    return wrap(made.index_add(-1, places.reshape(-1).to(t.device), flat))


def _enclosing_power_of_two(n: int) -> int:
    return 1 << max(0, n - 1).bit_length()


def stft(
    signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = hann_window, pad_end: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The half spectrum of each windowed frame: (…, samples) becomes (…, frames, fft_length / 2 + 1)."""
    t, length = _real(signals), int(frame_length)
    size = _enclosing_power_of_two(length) if fft_length is None else int(fft_length)
    pieces = frame(wrap(t), length, frame_step, pad_end=pad_end)._t
    if window_fn is not None:
        pieces = pieces * raw(window_fn(length, dtype=of_torch(t.dtype))).to(t.device)
    return wrap(torch.fft.rfft(pieces, n=size))


def inverse_stft_window_fn(frame_step: Any, forward_window_fn: Any = hann_window, name: str | None = None) -> Any:
    """The window that, after `forward_window_fn` and frames `frame_step` apart, gives the samples back."""

    def window(frame_length: Any, dtype: Any) -> Tensor:
        length, step = int(frame_length), int(frame_step)
        forward = raw(forward_window_fn(length, dtype=dtype))
        overlaps = -(-length // step)
        squares = torch.nn.functional.pad(forward * forward, (0, overlaps * step - length))
        total = squares.reshape(overlaps, step).sum(0, keepdim=True).expand(overlaps, step).reshape(-1)
        return wrap(forward / total[:length])

    return window


def inverse_stft(
    stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = hann_window, name: str | None = None
) -> Tensor:  # fmt: skip
    """Samples from the half spectra of frames."""
    t, length = _complex(stfts), int(frame_length)
    size = _enclosing_power_of_two(length) if fft_length is None else int(fft_length)
    pieces = torch.fft.irfft(t, n=size)
    if size > length:
        pieces = pieces[..., :length]
    elif size < length:
        pieces = torch.nn.functional.pad(pieces, (0, length - size))
    if window_fn is not None:
        kind = float64 if of_torch(t.dtype) is complex128 else float32
        pieces = pieces * raw(window_fn(length, dtype=kind)).to(t.device)
    return overlap_and_add(wrap(pieces), frame_step)


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.signal", __all__)
