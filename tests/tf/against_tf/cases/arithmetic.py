# Functions of two tensors: dtypes, broadcasting, division and powers of integers, special points.

tf.math.add(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.add(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.add(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.add(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.subtract(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.subtract(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.subtract(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.subtract(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.multiply(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.multiply(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.multiply(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.multiply(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.divide(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.divide(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.divide(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.divide(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.truediv(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.truediv(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.truediv(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.truediv(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.floordiv(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.floordiv(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.floordiv(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.floordiv(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.floormod(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.floormod(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.floormod(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.floormod(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.mod(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.mod(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.mod(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.mod(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.pow(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.pow(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.pow(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.pow(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.maximum(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.maximum(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.maximum(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.maximum(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.minimum(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.minimum(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.minimum(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.minimum(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.squared_difference(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.squared_difference(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.squared_difference(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.squared_difference(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.divide_no_nan(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.divide_no_nan(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.divide_no_nan(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.divide_no_nan(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

tf.math.multiply_no_nan(tf.constant([7, -7, 7, -7, 0], tf.float32), tf.constant([2, 2, -2, 3, 3], tf.float32))

tf.math.multiply_no_nan(tf.constant([7, -7, 7, -7, 0], tf.int32), tf.constant([2, 2, -2, 3, 3], tf.int32))

tf.math.multiply_no_nan(tf.constant([7, -7, 7, -7, 0], tf.float64), tf.constant([2, 2, -2, 3, 3], tf.float64))

tf.math.multiply_no_nan(tf.constant([[1.], [2.]]), tf.constant([3., 4., 5.]))

# loose
tf.math.add(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.add(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.add(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.add(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.add(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

# loose
tf.math.subtract(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.subtract(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.subtract(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.subtract(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.subtract(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

# loose
tf.math.multiply(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.multiply(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.multiply(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.multiply(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.multiply(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

# loose
tf.math.floordiv(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.floordiv(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.floordiv(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.floordiv(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.mod(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.mod(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.mod(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.mod(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.mod(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

# loose
tf.math.maximum(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.maximum(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.maximum(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.maximum(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.maximum(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

# loose
tf.math.minimum(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.minimum(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.minimum(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.minimum(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.minimum(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

# loose
tf.math.truediv(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.truediv(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.truediv(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.truediv(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.truediv(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

# loose
tf.math.pow(tf.constant([7, 5, 100], tf.uint8), tf.constant([2, 3, 3], tf.uint8))

# loose
tf.math.pow(tf.constant([7, 5, 100], tf.int8), tf.constant([2, 3, 3], tf.int8))

# loose
tf.math.pow(tf.constant([7, 5, 100], tf.int64), tf.constant([2, 3, 3], tf.int64))

# loose
tf.math.pow(tf.constant([7, 5, 100], tf.float16), tf.constant([2, 3, 3], tf.float16))

# loose
tf.math.pow(tf.constant([7, 5, 100], tf.complex64), tf.constant([2, 3, 3], tf.complex64))

tf.math.atan2(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))

tf.math.xlogy(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))

tf.math.xlog1py(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))

tf.math.xdivy(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))

tf.math.igamma(tf.constant([1., 2., 3.]), tf.constant([2., 1.5, 4.]))

tf.math.igammac(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))

tf.math.zeta(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))

tf.math.nextafter(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))

tf.math.squared_difference(tf.constant([0., 1., 2., 3.]), tf.constant([0., 2., 1.5, 4.]))
