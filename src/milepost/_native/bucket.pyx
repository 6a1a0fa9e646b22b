# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Which points of a long line a chart of so many pixels needs, and smoothing of all of them. In, out: columns.

All loops run without the GIL. Not here: what x means, ranges of a sorted column (`store/query`), drawing.
"""

from libc.math cimport exp, isfinite, isnan, pow
from libc.stdint cimport int64_t, uint8_t

ctypedef fused column_x:
    const int64_t
    const double

ctypedef fused column_y:
    const float
    const double


def pick(column_x[::1] x, column_y[::1] y, double base, double x0, double x1, Py_ssize_t width, Py_ssize_t shift,
         int64_t[::1] kept, int64_t[::1] odd) -> tuple:
    """Fill `kept` with the positions to draw, `odd` with those of NaN and infinities; how many of each.

    The range [x0, x1] is cut into `width` buckets; of each run of points in one bucket the first, the least, the greatest
    and the last finite point are kept, in order, and the first NaN, +inf and -inf. x is `x - base`; `shift` is added to
    every position. A list that is too short ends the loop: (-1, -1), to be tried again with a longer one.
    """
    cdef Py_ssize_t n = x.shape[0], i, bucket, current = -2, made = 0, odds = 0
    cdef Py_ssize_t first = -1, last = -1, low = -1, high = -1
    cdef Py_ssize_t room = kept.shape[0] - 4, odd_room = odd.shape[0] - 3
    cdef double v, at, least = 0, greatest = 0, scale = width / (x1 - x0) if x1 > x0 else 0
    cdef int seen = 0, bad
    with nogil:
        for i in range(n):
            at = (<double> x[i] - base - x0) * scale
            if at != at:
                continue
            # all that is left of the range is one bucket, all that is right of it another; a cast alone would round to 0
            bucket = -1 if at < 0 else width + 1 if at > width else <Py_ssize_t> at
            v = y[i]
            if bucket != current:
                made = _flush(kept, made, first, low, high, last, shift)
                if made > room or odds > odd_room:
                    break
                current, first, seen = bucket, -1, 0
            if v - v != 0:
                bad = 1 if isnan(v) else 2 if v > 0 else 4
                if not seen & bad:
                    seen |= bad
                    odd[odds] = i + shift
                    odds += 1
                    if odds > odd_room:
                        break
                continue
            if first < 0:
                first = low = high = i
                least = greatest = v
            elif v < least:
                least, low = v, i
            elif v > greatest:
                greatest, high = v, i
            last = i
        if made <= room:
            made = _flush(kept, made, first, low, high, last, shift)
    if made > room or odds > odd_room:
        return -1, -1
    return made, odds


cdef inline Py_ssize_t _flush(int64_t[::1] kept, Py_ssize_t made, Py_ssize_t first, Py_ssize_t low, Py_ssize_t high,
                              Py_ssize_t last, Py_ssize_t shift) noexcept nogil:
    if first < 0:
        return made
    if low > high:
        low, high = high, low
    kept[made] = first + shift
    made += 1
    if low > first:
        kept[made] = low + shift
        made += 1
    if high > low:
        kept[made] = high + shift
        made += 1
    if last > high:
        kept[made] = last + shift
        made += 1
    return made


def ema(column_y[::1] y, double weight, double[::1] out) -> None:
    """TensorBoard's debiased exponential average; what is not finite passes through and is not counted."""
    cdef Py_ssize_t i, n = y.shape[0]
    cdef double average = 0, debias = 1, v, rest = 1 - weight
    with nogil:
        for i in range(n):
            v = y[i]
            if v - v != 0:
                out[i] = v
                continue
            average = average * weight + rest * v
            if debias > 1e-17:
                debias *= weight
                out[i] = average / (1 - debias)
            else:
                out[i] = average


def ema_uneven(column_x[::1] x, column_y[::1] y, double weight, double gap, double[::1] out) -> None:
    """The same with the weight raised to the gap since the point before, measured in `gap`: time, not points, forgets."""
    cdef Py_ssize_t i, n = y.shape[0]
    cdef double total = 0, mass = 0, v, keep, before = 0, here, used = 1, used_keep = weight
    cdef bint any_before = False
    with nogil:
        for i in range(n):
            v = y[i]
            if v - v != 0:
                out[i] = v
                continue
            here = <double> x[i]
            keep = 0
            if any_before:
                keep = (here - before) / gap
                if keep < 0:
                    keep = 0
                if keep != used:
                    used, used_keep = keep, pow(weight, keep)
                keep = used_keep
            before, any_before = here, True
            total = total * keep + (1 - weight) * v
            mass = mass * keep + (1 - weight)
            out[i] = total / mass


def gaussian(column_x[::1] x, column_y[::1] y, double sigma, double[::1] out) -> None:
    """Exact: each finite point becomes the average of those within four sigma, weighted by a normal curve. x ascends."""
    cdef Py_ssize_t i, k, begin = 0, n = y.shape[0]
    cdef double total, mass, here, d, w, v, reach = 4 * sigma, fall = -0.5 / (sigma * sigma)
    with nogil:
        for i in range(n):
            v = y[i]
            if v - v != 0:
                out[i] = v
                continue
            here = <double> x[i]
            while <double> x[begin] < here - reach:
                begin += 1
            total = mass = 0
            k = begin
            while k < n and <double> x[k] <= here + reach:
                v = y[k]
                if v - v == 0:
                    d = <double> x[k] - here
                    w = exp(d * d * fall)
                    total += w * v
                    mass += w
                k += 1
            out[i] = total / mass


def extent(column_y[::1] y) -> tuple:
    """(finite points, least, greatest, position of the least, of the greatest)."""
    cdef Py_ssize_t i, n = y.shape[0], low = -1, high = -1, finite = 0
    cdef double v, least = 0, greatest = 0
    with nogil:
        for i in range(n):
            v = y[i]
            if v - v != 0:
                continue
            finite += 1
            if low < 0:
                low = high = i
                least = greatest = v
            elif v < least:
                least, low = v, i
            elif v > greatest:
                greatest, high = v, i
    return finite, least, greatest, low, high
