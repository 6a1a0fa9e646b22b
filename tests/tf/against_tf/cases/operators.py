# Operators, mixing of dtypes, casts, clips, counts and the functions that have no family.

tf.math.floordiv(7, 0)

tf.constant([1, 2]) // tf.constant([0, 1])

tf.constant([1, 2]) % tf.constant([0, 1])

tf.constant([1., 2.]) / tf.constant([0., 0.])

tf.constant([1., -2.]) % tf.constant([0., 3.])

tf.constant([7., -7.]) // tf.constant([2., 2.])

tf.pow(2, 3), tf.pow(2., 3), tf.pow(tf.constant([2, 3]), 2), tf.pow(tf.constant([4., 9.]), 0.5)

tf.constant(2) ** -1

tf.constant([2, 3]) ** tf.constant([2, -1])

2 ** tf.constant([1, 2, 3]), 2. ** tf.constant([1., 2.])

1 - tf.constant([1, 2]), 1. / tf.constant([2., 4.]), 10 // tf.constant([3, 4]), 10 % tf.constant([3, 4])

-tf.constant([1, 2]), abs(tf.constant([-1, 2])), ~tf.constant([True, False])

tf.constant([True, False]) & tf.constant([True, True]), tf.constant([True, False]) | True, tf.constant([True, False]) ^ True

tf.constant([1, 2]) & tf.constant([3, 1])

tf.constant([1, 2]) == [1, 3], tf.constant([1, 2]) != 1, tf.constant([1., 2.]) < 2, tf.constant([1., 2.]) >= [1., 3.]

tf.constant([1, 2]) == tf.constant([1, 2, 3])

tf.constant([1, 2]) != tf.constant([1, 2, 3])

tf.constant(1) == None, tf.constant(1) != None

tf.constant([1, 2]) == "a"

tf.constant([1, 2]) == tf.constant([1., 2.])

tf.constant("a") == "a", tf.constant(["a", "b"]) == "b", tf.constant("a") + "b"

tf.constant([1, 2], tf.uint8) + 255

tf.constant([1, 2], tf.int64) * 3

tf.constant([1., 2.], tf.float16) * 3.5

tf.constant([1, 2]) + 1.5

tf.constant([1, 2]) * np.array([1.5, 2.5])

tf.constant([1., 2.]) * np.array([1.5, 2.5])

tf.constant([1., 2.]) + np.float64(1.5)

tf.constant([1., 2.]) + np.array([1, 2])

np.array([1., 2.]) + tf.constant([1., 2.])

np.float32(2) * tf.constant([1., 2.])

[1., 2.] * tf.constant([1., 2.])

tf.constant([1.]) + [1, 2]

tf.constant([True]) + tf.constant([True])

tf.constant(1.) + True

tf.constant([1, 2]) / 2, tf.constant([1, 2], tf.int8) / tf.constant(2, tf.int8), tf.constant([1, 2], tf.uint8) / tf.constant(2, tf.uint8), tf.constant([3, 4], tf.int64) / 2

tf.constant([2, 4], tf.uint16) / tf.constant([2, 3], tf.uint16)

tf.add(1, 2), tf.add([1, 2], [3, 4]), tf.add(1., [1., 2.]), tf.add(x=1, y=2, name="s")

tf.add("a", "b")

tf.subtract("a", "b")

tf.divide(3, 2), tf.divide([4, 2], 2), tf.divide(tf.constant([4]), 2), tf.truediv(3, 2)

tf.math.scalar_mul(2., tf.constant([1., 2.])), tf.scalar_mul(2, tf.constant([1, 2]))

tf.math.scalar_mul(tf.constant([1., 2.]), tf.constant([1., 2.]))

tf.math.add_n([tf.constant([1., 2.]), tf.constant([3., 4.]), tf.constant([1., 1.])])

tf.add_n([1, 2, 3])

tf.add_n(tf.constant([1., 2.]))

tf.add_n([])

tf.math.accumulate_n([tf.constant([1.]), tf.constant([2.])])

tf.math.polyval([1., 2., 3.], tf.constant([2., 3.]))

tf.math.polygamma(tf.constant([1., 2., 0.]), tf.constant([1., 2., 3.]))

tf.math.lbeta(tf.constant([[1., 2., 3.], [0.5, 0.5, 0.5]]))

tf.math.logical_and([True, False], [True, True]), tf.math.logical_or(True, [False]), tf.math.logical_xor([True], [True]), tf.math.logical_not([True])

tf.logical_and([1, 0], [1, 1])

tf.equal(1, 1.), tf.not_equal([1, 2], [1, 3])

tf.less([1, 2], [2, 2]), tf.greater(2, 1), tf.less_equal(1, 1), tf.greater_equal([1.], [2.])

tf.math.divide_no_nan(3, 0)

tf.math.multiply_no_nan(tf.constant([float("nan"), 2.]), tf.constant([0., 3.]))

tf.complex([1., 2.], [3., 4.]), tf.math.real(tf.constant([1+2j])), tf.math.imag(tf.constant([1+2j])), tf.math.conj(tf.constant([1+2j]))

tf.math.angle(tf.constant([1., -1.])), tf.math.real(tf.constant([1.])), tf.math.imag(tf.constant([1.]))

tf.complex(1, 2)

tf.maximum(tf.constant([float("nan"), 1.]), tf.constant([1., float("nan")])), tf.minimum(tf.constant([float("nan"), 1.]), 0.)

tf.bitwise.bitwise_and(tf.constant([5, 3], tf.uint8), tf.constant([6, 1], tf.uint8)), tf.bitwise.bitwise_or([5], [2]), tf.bitwise.bitwise_xor([5], [1]), tf.bitwise.invert(tf.constant([5], tf.uint8)), tf.bitwise.left_shift([1, 2], [3, 4]), tf.bitwise.right_shift([-16, 16], [2, 2])

tf.bitwise.bitwise_and([1.], [2.])

tf.cast([1.7, -1.7, 2.5], tf.int32), tf.cast([1, 0, 2], tf.bool), tf.cast([True, False], tf.float32), tf.cast(3, "float64"), tf.cast(1.5, float), tf.cast(1.5, np.int64)

tf.cast([300, -1], tf.uint8), tf.cast([1+2j], tf.float32), tf.cast([1.5], tf.complex64), tf.cast([1e10], tf.float16)

tf.cast("1", tf.int32)

tf.cast([1], "no such type")

tf.saturate_cast([300, -5, 7], tf.uint8), tf.saturate_cast([1e10, -1e10], tf.int32), tf.saturate_cast(tf.constant([300.7, -2.]), tf.uint8)

tf.clip_by_value([1., 5., -3.], -1., 2.), tf.clip_by_value([1, 5, -3], -1, 2), tf.clip_by_value(tf.constant([[1., 5.], [2., 3.]]), [0., 2.], 3.)

tf.clip_by_value([float("nan"), 1.], 0., 1.), tf.clip_by_value([1, 2], 5, 0)

tf.clip_by_norm([3., 4.], 1.), tf.clip_by_norm([[3., 4.], [0., 1.]], 1., axes=[1]), tf.clip_by_norm([0., 0.], 1.)

tf.clip_by_global_norm([tf.constant([3., 4.]), None, tf.constant([12.])], 1.)

tf.clip_by_global_norm([tf.constant([3., 4.])], 100.)

tf.linalg.global_norm([tf.constant([3.]), tf.constant([4.]), None])

tf.truncatediv(-7, 2), tf.truncatemod(-7, 2), tf.realdiv(7., 2.)

tf.math.approx_max_k(tf.constant([3., 1., 2.]), k=2)

tf.math.reduce_std(tf.constant([1., 2., 4.])), tf.math.cumulative_logsumexp([1., 2., 3.])

tf.math.is_non_decreasing([1, 1, 2]), tf.math.is_strictly_increasing([1, 1, 2]), tf.math.is_strictly_increasing([])

tf.math.confusion_matrix([1, 2, 4], [2, 2, 4]), tf.math.confusion_matrix([0, 1], [1, 1], num_classes=3, weights=[0.5, 2.], dtype=tf.float32)

tf.math.confusion_matrix([0, 5], [1, 1], num_classes=3)

tf.math.in_top_k([1, 0], [[0.1, 0.5, 0.4], [0.1, 0.5, 0.4]], 2), tf.nn.in_top_k([1, 1], [[0.1, 0.5, 0.5], [float("nan"), 0.5, 0.4]], 1)

tf.math.l2_normalize([3., 4.]), tf.math.l2_normalize([[3., 4.], [0., 0.]], axis=1), tf.math.zero_fraction([0., 1., 0., 2.]), tf.math.zero_fraction([0, 1])

tf.math.bincount([1, 1, 3]), tf.math.bincount([1, 2], weights=[0.5, 2.]), tf.math.bincount([1, 1, 7], maxlength=4), tf.math.bincount([1], minlength=5), tf.math.bincount([])

tf.math.bincount([[1, 1], [0, 2]], axis=-1), tf.math.bincount([1, 1, 3], binary_output=True), tf.math.bincount([1, 2], dtype=tf.int64)

tf.math.bincount([-1, 2])

tf.math.special.bessel_j0([1., 2.]), tf.math.special.bessel_j1([1., 2.]), tf.math.special.bessel_k0([1., 2.]), tf.math.special.bessel_k0e([1., 2.]), tf.math.special.bessel_k1([1., 2.]), tf.math.special.bessel_k1e([1., 2.]), tf.math.special.bessel_y0([1., 2.]), tf.math.special.bessel_y1([1., 2.])
