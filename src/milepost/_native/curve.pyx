# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Hot loops over one curve. In: columns x (ascending), y. Out: which points to draw, and smoothed y. Not here: what a run or a tag is.

`pick` keeps the least and the greatest finite value of every pixel, so that no spike is lost whatever the zoom.
`ema` and `gaussian` see every point. Non-finite values pass through and never reach a neighbour.
"""

from libc.math cimport exp, isfinite, isnan, pow as c_pow
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport calloc, free

ctypedef fused X:
    int64_t
    double

ctypedef fused Y:
    float
    double


def pick(const X[::1] x, const Y[::1] y, Py_ssize_t start, Py_ssize_t stop, double low, double high, Py_ssize_t width,
         int64_t[::1] out, int64_t[::1] bad, uint8_t[::1] kinds):
    """Indices to draw of x[start:stop], into `out` (room for 2 * width + 2); marks of non-finite values into `bad`, `kinds` (3 * width).

    Pixels divide [low, high]. Returns (drawn, marks, nan seen, infinite seen).
    """
    cdef Py_ssize_t i, n = 0, marks = 0, nans = 0, infs = 0, pixel, here = -1
    cdef Py_ssize_t least = -1, most = -1, first = -1, last = -1
    cdef Py_ssize_t seen[3]
    cdef double scale = width / (high - low) if high > low else 0.0
    cdef double place
    cdef Y v, least_v = 0, most_v = 0
    cdef int kind
    seen[0] = seen[1] = seen[2] = -1
    if out.shape[0] < 2 * width + 2 or bad.shape[0] < 3 * width or kinds.shape[0] < 3 * width:
        raise ValueError("no room for the picked points")
    if start < 0 or stop > x.shape[0] or stop > y.shape[0]:
        raise ValueError("range outside the columns")
    with nogil:
        for i in range(start, stop):
            v = y[i]
            place = (<double> x[i] - low) * scale
            pixel = <Py_ssize_t> place if place > 0 else 0
            if pixel >= width:
                pixel = width - 1
            if not isfinite(v):
                if isnan(v):
                    kind = 0
                    nans += 1
                else:
                    kind = 1 if v > 0 else 2
                    infs += 1
                if seen[kind] != pixel:
                    # x may step back where a run restarted; the room is what bounds the marks then
                    if marks < bad.shape[0]:
                        bad[marks] = i
                        kinds[marks] = <uint8_t> kind
                        marks += 1
                    seen[kind] = pixel
                continue
            if pixel != here:
                if here >= 0:
                    n = _emit(out, n, least, most, first)
                here = pixel
                least = most = i
                least_v = most_v = v
                if first < 0:
                    first = i
                    if n < out.shape[0]:
                        out[n] = i
                        n += 1
            else:
                if v < least_v:
                    least_v = v
                    least = i
                elif v > most_v:
                    most_v = v
                    most = i
            last = i
        if here >= 0:
            n = _emit(out, n, least, most, first)
            if last != least and last != most and last != first and n < out.shape[0]:
                out[n] = last
                n += 1
    return n, marks, nans, infs


cdef inline Py_ssize_t _emit(int64_t[::1] out, Py_ssize_t n, Py_ssize_t a, Py_ssize_t b, Py_ssize_t first) noexcept nogil:
    """The two extremes of a pixel in their own order; the line's first point is out already."""
    cdef Py_ssize_t swap
    if a > b:
        swap = a
        a = b
        b = swap
    if a != first and n < out.shape[0]:
        out[n] = a
        n += 1
    if b != a and b != first and n < out.shape[0]:
        out[n] = b
        n += 1
    return n


def ema(const X[::1] x, const Y[::1] y, double weight, double gap, double[::1] out):
    """Debiased exponential average; the weight is raised to the distance between points measured in `gap`."""
    cdef Py_ssize_t i, count = x.shape[0]
    cdef double top = 0.0, bottom = 0.0, v, w = weight, distance, before = gap, fresh = 1.0 - weight
    cdef double last = 0.0
    cdef bint begun = False
    if y.shape[0] != count or out.shape[0] != count:
        raise ValueError("columns of different length")
    with nogil:
        for i in range(count):
            v = y[i]
            if not isfinite(v):
                out[i] = v
                continue
            if begun and gap > 0:
                distance = <double> x[i] - last
                if distance != before:
                    before = distance
                    # a step back (restart, clock) counts as one ordinary gap
                    w = c_pow(weight, distance / gap) if distance >= 0 else weight
                    # a point counts for the stretch it stands for, so that dense logging does not outvote sparse
                    fresh = 1.0 - w
            top = top * w + v * fresh
            bottom = bottom * w + fresh
            out[i] = top / bottom
            last = <double> x[i]
            begun = True


def gaussian(const X[::1] x, const Y[::1] y, double sigma, double[::1] out):
    """Gaussian average over x. Exact for short series; long ones are first summed into bins of sigma / 8."""
    cdef Py_ssize_t i, j, k, count = x.shape[0], bins, low, high, reach = 32
    cdef double v, distance, weight, top, bottom, origin, place, part, step
    cdef double *sums = NULL
    cdef double *counts = NULL
    cdef double *smooth = NULL
    cdef double kernel[33]
    if y.shape[0] != count or out.shape[0] != count:
        raise ValueError("columns of different length")
    if count == 0:
        return
    if not sigma > 0 or not <double> x[count - 1] > <double> x[0]:
        for i in range(count):
            out[i] = y[i]
        return
    if count <= 2000:
        with nogil:
            for i in range(count):
                if not isfinite(y[i]):
                    out[i] = y[i]
                    continue
                top = bottom = 0.0
                for j in range(count):
                    if isfinite(y[j]):
                        distance = (<double> x[j] - <double> x[i]) / sigma
                        if -4.0 <= distance <= 4.0:
                            weight = exp(-0.5 * distance * distance)
                            top += weight * y[j]
                            bottom += weight
                out[i] = top / bottom
        return
    origin = <double> x[0]
    step = sigma / 8
    bins = <Py_ssize_t> ((<double> x[count - 1] - origin) / step) + 2
    if bins > 4_000_000:
        bins = 4_000_000
        step = (<double> x[count - 1] - origin) / (bins - 2)
    sums = <double *> calloc(3 * bins, sizeof(double))
    if sums == NULL:
        raise MemoryError()
    counts = sums + bins
    smooth = counts + bins
    try:
        with nogil:
            for k in range(reach + 1):
                distance = k * step / sigma
                kernel[k] = exp(-0.5 * distance * distance)
            for i in range(count):
                v = y[i]
                if isfinite(v):
                    # each point is shared between its two nearest bin centres
                    place = (<double> x[i] - origin) / step
                    j = <Py_ssize_t> place
                    if j < 0:
                        j = 0
                    if j > bins - 2:
                        j = bins - 2
                    part = place - j
                    sums[j] += v * (1 - part)
                    counts[j] += 1 - part
                    sums[j + 1] += v * part
                    counts[j + 1] += part
            for i in range(bins):
                top = bottom = 0.0
                low = i - reach if i > reach else 0
                high = i + reach if i + reach < bins - 1 else bins - 1
                for j in range(low, high + 1):
                    weight = kernel[j - i if j >= i else i - j]
                    top += weight * sums[j]
                    bottom += weight * counts[j]
                smooth[i] = top / bottom if bottom > 0 else 0.0
            for i in range(count):
                v = y[i]
                if not isfinite(v):
                    out[i] = v
                    continue
                place = (<double> x[i] - origin) / step
                j = <Py_ssize_t> place
                if j < 0:
                    j = 0
                if j > bins - 2:
                    j = bins - 2
                part = place - j
                # a bin that no point reached lends nothing to the interpolation
                if part <= 0 or counts[j + 1] == 0:
                    out[i] = smooth[j]
                elif counts[j] == 0:
                    out[i] = smooth[j + 1]
                else:
                    out[i] = smooth[j] * (1 - part) + smooth[j + 1] * part
    finally:
        free(sums)
