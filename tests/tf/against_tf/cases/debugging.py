# tf.debugging: assertions hold or say what was found.

tf.debugging.assert_equal(1, 1), tf.debugging.assert_equal([1, 2], [1, 2]), tf.debugging.assert_greater(2, 1), tf.debugging.assert_greater_equal([1., 2.], 1.), tf.debugging.assert_less(1, [2, 3]), tf.debugging.assert_less_equal(1, 1), tf.debugging.assert_none_equal([1, 2], [2, 1]), tf.debugging.assert_positive([1, 2]), tf.debugging.assert_negative(-1.), tf.debugging.assert_non_negative([0, 1]), tf.debugging.assert_non_positive([0, -1]), tf.debugging.assert_near(1., 1. + 1e-7)

tf.debugging.assert_rank([1], 1), tf.debugging.assert_rank_at_least([[1]], 1), tf.debugging.assert_rank_in([1], [0, 1]), tf.debugging.assert_type(tf.constant(1), tf.int32), tf.debugging.assert_integer(tf.constant(1)), tf.debugging.assert_scalar(1), tf.debugging.assert_shapes([(tf.zeros((2, 3)), ("N", "M")), (tf.zeros((3,)), ("M",))]), tf.debugging.assert_same_float_dtype([tf.constant(1.), tf.constant(2.)]), tf.debugging.assert_proper_iterable([1, 2]), tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(tf.constant("a")), tf.debugging.is_numeric_tensor(1)

tf.debugging.check_numerics([1., 2.], "m"), tf.debugging.assert_all_finite([1.], "m"), tf.debugging.Assert(True, [1]), tf.debugging.Assert([True, True], ["x"])

# message
tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 3]))

# message
tf.debugging.assert_equal([1, 2], [1, 3], message="they differ")

# message
tf.debugging.assert_greater([1., 2.5], [0.5, 3.])

# message
tf.debugging.assert_less(tf.range(10), 5)

# message
tf.debugging.assert_greater_equal(1, 2)

# message
tf.debugging.assert_less_equal(2, 1)

# message
tf.debugging.assert_none_equal([1, 2], [1, 3])

tf.debugging.assert_equal([1, 2], [1, 2, 3])

tf.debugging.assert_equal(tf.constant([1]), tf.constant([1.]))

tf.debugging.assert_positive([1, 0])

tf.debugging.assert_negative([1.])

tf.debugging.assert_non_negative([-1], message="no")

tf.debugging.assert_non_positive([1])

tf.debugging.assert_near([1., 2.], [1., 2.1])

tf.debugging.assert_near([1., 2.], [1., 2.1], atol=0.2), tf.debugging.assert_near([1., 2.], [1., 2.1], rtol=0.2)

# message
tf.debugging.assert_rank([1], 2)

# message
tf.debugging.assert_rank_at_least([1], 2, message="more")

# message
tf.debugging.assert_rank_in([1], (0, 2))

# message
tf.debugging.assert_type(tf.constant(1), tf.float32)

# message
tf.debugging.assert_integer(tf.constant(1.))

# message
tf.debugging.assert_scalar([1, 2])

tf.debugging.assert_shapes([(tf.zeros((2, 3)), ("N", "M")), (tf.zeros((4,)), ("M",))])

tf.debugging.assert_shapes([(tf.zeros((2, 3)), (2, 3)), (tf.zeros((2,)), (..., 2))])

tf.debugging.assert_same_float_dtype([tf.constant(1.), tf.constant(2., tf.float64)])

tf.debugging.assert_same_float_dtype([tf.constant(1)])

tf.debugging.assert_proper_iterable("abc")

# message
tf.debugging.assert_all_finite([float("nan")], "bad")

# message
tf.debugging.check_numerics(tf.constant([float("inf"), float("nan")]), "both")

tf.debugging.Assert(False, [1, 2])

tf.debugging.check_numerics([1, 2], "ints")

tf.assert_equal(1, 1), tf.assert_greater(2, 1), tf.assert_less(1, 2), tf.assert_rank([1], 1)

# Quantisation in training.

tf.quantization.fake_quant_with_min_max_args([-7., -1., 0.3, 2.7, 8.]), tf.quantization.fake_quant_with_min_max_args([-1., 0.3, 2.7], min=-1., max=2., num_bits=4), tf.quantization.fake_quant_with_min_max_args([0.5], min=0., max=1., narrow_range=True)

tf.quantization.fake_quant_with_min_max_vars([-1., 0.3, 2.7], -1., 2.), tf.quantization.fake_quant_with_min_max_vars_per_channel([[-1., 0.3], [2.7, 9.]], [-1., 0.], [2., 6.])

x = tf.Variable([-7., 0.3, 8.])
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.quantization.fake_quant_with_min_max_args(x) * [1., 2., 3.])
t.gradient(y, x)
