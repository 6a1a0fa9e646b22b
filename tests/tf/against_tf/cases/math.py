# tf.math, element by element: each name on usual and special points, other dtypes, and what it refuses.

tf.math.abs(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.acos(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.acosh(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.asin(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.asinh(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.atan(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.atanh(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.bessel_i0(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.bessel_i0e(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.bessel_i1(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.bessel_i1e(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.ceil(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.cos(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.cosh(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.digamma(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.erf(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.erfc(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.erfcinv(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.erfinv(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.exp(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.expm1(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.floor(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.is_finite(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.is_inf(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.is_nan(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.lgamma(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.log(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.log1p(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.log_sigmoid(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.ndtri(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.negative(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.reciprocal(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.reciprocal_no_nan(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.rint(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.round(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.rsqrt(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.sigmoid(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.sign(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.sin(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.sinh(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.softplus(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.softsign(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.sqrt(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.square(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.tan(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

tf.math.tanh(tf.constant([-2.5, -1., -0.3, 0., 0.5, 1., 2., 7.]))

# special values

tf.math.abs(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.acos(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.acosh(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.asin(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.asinh(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.atan(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.atanh(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.bessel_i0(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.bessel_i0e(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.bessel_i1(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.bessel_i1e(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.ceil(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.cos(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.cosh(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.digamma(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.erfc(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.erfcinv(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.erfinv(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.exp(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.expm1(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.floor(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.is_finite(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.is_inf(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.is_nan(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.lgamma(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.log(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.log1p(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.log_sigmoid(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.ndtri(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.negative(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.reciprocal(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.reciprocal_no_nan(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.rint(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.round(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.rsqrt(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.sigmoid(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.sign(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.sin(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.sinh(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.softplus(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.softsign(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.sqrt(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.square(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.tan(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

tf.math.tanh(tf.constant([float('nan'), float('inf'), float('-inf'), -0.0, 1e30, 1e-30], tf.float64))

# half precision, integers, complex, empty

tf.math.abs(tf.constant([1, 2], tf.int32))

tf.math.acos(tf.constant([1, 2], tf.int32))

tf.math.acosh(tf.constant([1, 2], tf.int32))

tf.math.asin(tf.constant([1, 2], tf.int32))

tf.math.asinh(tf.constant([1, 2], tf.int32))

tf.math.atan(tf.constant([1, 2], tf.int32))

tf.math.atanh(tf.constant([1, 2], tf.int32))

tf.math.bessel_i0(tf.constant([1, 2], tf.int32))

tf.math.bessel_i0e(tf.constant([1, 2], tf.int32))

tf.math.bessel_i1(tf.constant([1, 2], tf.int32))

tf.math.bessel_i1e(tf.constant([1, 2], tf.int32))

tf.math.ceil(tf.constant([1, 2], tf.int32))

tf.math.cos(tf.constant([1, 2], tf.int32))

tf.math.cosh(tf.constant([1, 2], tf.int32))

tf.math.digamma(tf.constant([1, 2], tf.int32))

tf.math.erf(tf.constant([1, 2], tf.int32))

tf.math.erfc(tf.constant([1, 2], tf.int32))

tf.math.erfinv(tf.constant([1, 2], tf.int32))

tf.math.exp(tf.constant([1, 2], tf.int32))

tf.math.expm1(tf.constant([1, 2], tf.int32))

tf.math.floor(tf.constant([1, 2], tf.int32))

tf.math.is_finite(tf.constant([1, 2], tf.int32))

tf.math.is_inf(tf.constant([1, 2], tf.int32))

tf.math.is_nan(tf.constant([1, 2], tf.int32))

tf.math.lgamma(tf.constant([1, 2], tf.int32))

tf.math.log(tf.constant([1, 2], tf.int32))

tf.math.log1p(tf.constant([1, 2], tf.int32))

tf.math.log_sigmoid(tf.constant([1, 2], tf.int32))

tf.math.ndtri(tf.constant([1, 2], tf.int32))

tf.math.negative(tf.constant([1, 2], tf.int32))

tf.math.reciprocal_no_nan(tf.constant([1, 2], tf.int32))

tf.math.rint(tf.constant([1, 2], tf.int32))

tf.math.round(tf.constant([1, 2], tf.int32))

tf.math.rsqrt(tf.constant([1, 2], tf.int32))

tf.math.sigmoid(tf.constant([1, 2], tf.int32))

tf.math.sign(tf.constant([1, 2], tf.int32))

tf.math.sin(tf.constant([1, 2], tf.int32))

tf.math.sinh(tf.constant([1, 2], tf.int32))

tf.math.softplus(tf.constant([1, 2], tf.int32))

tf.math.softsign(tf.constant([1, 2], tf.int32))

tf.math.sqrt(tf.constant([1, 2], tf.int32))

tf.math.square(tf.constant([1, 2], tf.int32))

tf.math.tan(tf.constant([1, 2], tf.int32))

tf.math.tanh(tf.constant([1, 2], tf.int32))

tf.math.abs(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.exp(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.log(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.sqrt(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.square(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.sin(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.cos(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.tanh(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.negative(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.reciprocal(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.sigmoid(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.sign(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.conj(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.angle(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.real(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.imag(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.rsqrt(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.tan(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.sinh(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.cosh(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.asin(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.acos(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.atan(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.asinh(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.acosh(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.atanh(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.log1p(tf.constant([1+2j, -3j, 0.5], tf.complex64))

tf.math.expm1(tf.constant([1+2j, -3j, 0.5], tf.complex64))

# loose
tf.math.abs(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.exp(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.log(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.sqrt(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.square(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.sigmoid(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.floor(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.round(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.tanh(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.sign(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.rsqrt(tf.constant([0.5, 1.5, 2.5], tf.float16))

# loose
tf.math.softplus(tf.constant([0.5, 1.5, 2.5], tf.float16))

tf.math.exp(tf.zeros((0, 3)))

tf.math.exp(2.5)

tf.math.exp([1., 4.])

tf.math.exp(np.array([1., 4.]))

tf.math.sqrt(tf.zeros((0, 3)))

tf.math.sqrt(2.5)

tf.math.sqrt([1., 4.])

tf.math.sqrt(np.array([1., 4.]))

tf.math.abs(tf.zeros((0, 3)))

tf.math.abs(2.5)

tf.math.abs([1., 4.])

tf.math.abs(np.array([1., 4.]))

tf.math.is_nan(tf.zeros((0, 3)))

tf.math.is_nan(2.5)

tf.math.is_nan([1., 4.])

tf.math.is_nan(np.array([1., 4.]))
