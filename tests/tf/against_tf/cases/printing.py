# What tensors, variables, shapes and dtypes say of themselves.

str(tf.constant(1)), str(tf.constant(1.5)), str(tf.constant(True)), str(tf.constant("a")), str(tf.constant(1+2j)), str(tf.constant(1e-8)), str(tf.constant(1e10)), str(tf.constant(float("nan"))), str(tf.constant(1, tf.uint8))

repr(tf.constant(1)), repr(tf.constant(1.5)), repr(tf.constant(True)), repr(tf.constant("a")), repr(tf.constant(1+2j)), repr(tf.constant(1e-8)), repr(tf.constant(0.1)), repr(tf.constant(0.1, tf.float64)), repr(tf.constant(float("inf"))), repr(tf.constant(7, tf.int8)), repr(tf.constant(0.1, tf.float16)), repr(tf.constant(0.1, tf.bfloat16))

str(tf.constant([1, 2])), str(tf.constant([1.5, 2])), str(tf.constant([True, False])), str(tf.constant(["a", "bc"])), str(tf.constant([[1, 2], [3, 4]])), str(tf.constant([[["a"]]])), str(tf.constant([])), str(tf.zeros((2, 0))), str(tf.constant([1, 2], tf.uint8)), str(tf.constant([1.], tf.bfloat16)), str(tf.constant([0.1], tf.float16))

repr(tf.constant([1, 2])), repr(tf.constant([1.5, 2])), repr(tf.constant([True, False])), repr(tf.constant(["a", "bc"])), repr(tf.constant([[1, 2], [3, 4]])), repr(tf.constant([[["a"]]])), repr(tf.constant([])), repr(tf.zeros((2, 0))), repr(tf.constant([1, 2], tf.uint8)), repr(tf.constant([1.], tf.bfloat16)), repr(tf.constant([0.1], tf.float16)), repr(tf.constant([1, 2], tf.int64)), repr(tf.constant([1.], tf.float64)), repr(tf.constant([1+2j], tf.complex64))

str(tf.range(2000)), repr(tf.range(2000)), str(tf.zeros((50, 50))), repr(tf.zeros((50, 50)))

str(tf.constant([1e-10, 1., 1e10])), str(tf.constant([0.1, 123456.789])), str(tf.constant([1/3, 2/3], tf.float64)), str(tf.constant([-0.0, float("nan"), float("-inf")])), str(tf.constant([100000000., 1.]))

str(tf.reshape(tf.range(24), (2, 3, 4))), repr(tf.reshape(tf.range(8.), (2, 2, 2)))

f"{tf.constant(1.23456):.2f}", f"{tf.constant(3)}", f"{tf.constant([1, 2])}", "{:>5}".format(tf.constant(3)), f"{tf.constant('a')}", "%d %.1f" % (tf.constant(3), tf.constant(2.55)), "%s" % tf.constant([1])

f"{tf.constant([1.5]):.2f}"

repr(tf.Variable(1.)), str(tf.Variable([1, 2])), repr(tf.Variable([[1., 2.], [3., 4.]], name="w")), str(tf.Variable("a")) if False else "", repr(tf.Variable(True)), repr(tf.Variable(tf.zeros((2, 0)), name="e"))

str(tf.float32), repr(tf.float32), str(tf.string), repr(tf.bool), str([tf.int32]), f"{tf.int64}"

str(tf.TensorShape([1, 2])), repr(tf.TensorShape([1, None])), str(tf.TensorShape(None)), repr(tf.TensorShape(None)), str(tf.TensorShape([])), str(tf.TensorShape([None])), repr(tf.TensorShape([])), f"{tf.zeros((2, 3)).shape}", str(tf.zeros((2,)).shape), repr(tf.zeros((2, 3)).shape)

repr(tf.TensorSpec([2, None], tf.float32)), str(tf.TensorSpec([], tf.int32, name="n")), repr(tf.TensorSpec(None, tf.string))

# printed
tf.print(tf.constant([1, 2, 3]), "a", 2.5, tf.constant("s"), [tf.constant(1), 2], sep="|")

# printed
print(tf.constant([[1., 2.], [3., 4.]]), tf.Variable(3), [tf.constant(1)], {"a": tf.constant(2.)}, (tf.constant([1]),))

# printed
print(tf.constant("é"), tf.constant(["tab\t", "quote'"]), tf.constant(b"\xff"))

# printed
print(tf.math.top_k([1, 3], 1), tf.unique([1, 1]), tf.shape([1, 2]))

# printed
print(tf.zeros((3, 1000))), print(tf.constant(np.arange(12).reshape(3, 4) / 7))

str(tf.constant([1, 2]).numpy()), repr(tf.constant([1., 2.]).numpy()), repr(tf.constant(1.5).numpy()), str(tf.constant(["a"]).numpy())

repr(tf.constant([1, 2]).dtype), str(tf.constant([1, 2]).device), tf.constant([1]).dtype.name, str(tf.constant(1).shape)

str(tf.errors.NotFoundError(None, None, "text")), tf.errors.InvalidArgumentError(None, None, "t").error_code, tf.errors.InvalidArgumentError(None, None, "t").message

repr(tf.newaxis), tf.__version__[:4]

repr(tf.constant([["a", "b"], ["c", "d"]])), str(tf.constant([["a", "b"], ["c", "d"]]))

repr(tf.constant(2**40)), repr(tf.constant([2**40, 1])), str(tf.constant([123456789, 1]))
