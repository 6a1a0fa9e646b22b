"""`tf.math.special`: Bessel functions; the others of that namespace (Dawson, exponential integral, Fresnel, Spence) are not there."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf.pointwise import FLOATS, bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, unary

__all__ = [
    "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e",
    "bessel_y0", "bessel_y1",
]  # fmt: skip

bessel_j0 = unary("BesselJ0", torch.special.bessel_j0, "Bessel function of the first kind, order 0.", FLOATS)
bessel_j1 = unary("BesselJ1", torch.special.bessel_j1, "Bessel function of the first kind, order 1.", FLOATS)
bessel_y0 = unary("BesselY0", torch.special.bessel_y0, "Bessel function of the second kind, order 0.", FLOATS)
bessel_y1 = unary("BesselY1", torch.special.bessel_y1, "Bessel function of the second kind, order 1.", FLOATS)
bessel_k0 = unary("BesselK0", torch.special.modified_bessel_k0, "Modified, second kind, order 0.", FLOATS)
bessel_k1 = unary("BesselK1", torch.special.modified_bessel_k1, "Modified, second kind, order 1.", FLOATS)
bessel_k0e = unary("BesselK0e", torch.special.scaled_modified_bessel_k0, "The same, times eˣ.", FLOATS)
bessel_k1e = unary("BesselK1e", torch.special.scaled_modified_bessel_k1, "The same, times eˣ.", FLOATS)


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.math.special", __all__)
