# The mistakes users make: the class of the error, and where the text can be the same, the text.

# message
tf.constant([1, 2]) + tf.constant([1, 2, 3])

# message
tf.add(tf.zeros((2, 3)), tf.zeros((3, 2)))

# message
tf.zeros((2, 3)) * tf.zeros((4, 3))

# message
tf.constant([1, 2]) + tf.constant([1., 2.])

# message
tf.constant([1, 2]) * tf.constant([1., 2.])

# message
tf.constant([1., 2.]) - tf.constant([1, 2], tf.int64)

# message
tf.constant([1, 2]) + 1.5

# message
tf.constant([1, 2]) * 1.5

# message
1.5 - tf.constant([1, 2])

# message
tf.constant([1, 2]) / tf.constant([1., 2.])

# message
tf.constant([1, 2]) < 1.5

# message
tf.constant([1., 2.]) - "a"

# message
tf.constant([1., 2.]) + None

# message
tf.multiply(tf.constant([1, 2]), 2.5)

# message
tf.maximum(tf.constant([1, 2]), 2.5)

tf.constant([True]) + tf.constant([True])

# message
tf.constant([1, 2], tf.int32) // tf.constant([0, 1])

# message
tf.pow(tf.constant([2]), tf.constant([-1]))

tf.matmul(tf.zeros((2, 3)), tf.zeros((2, 3)))

# message
tf.matmul(tf.zeros((2, 3), tf.int32), tf.zeros((2, 3), tf.int32))

tf.matmul(tf.zeros((3,)), tf.zeros((3,)))

tf.matmul(tf.zeros((2, 2)), tf.zeros((2, 2), tf.int32))

tf.matmul(tf.zeros((2, 3, 4)), tf.zeros((3, 4, 2)))

tf.zeros((2, 3)) @ tf.zeros((3,))

tf.matmul([[1, 2]], [[1., 2.]])

# message
tf.cast("a", tf.float32)

# message
tf.constant([[1, 2], [3]])

# message
tf.constant(1.5, tf.int32)

# message
tf.constant("a", tf.float32)

# message
tf.constant([1, None])

# message
tf.convert_to_tensor(tf.constant([1, 2]), tf.float32)

# message
tf.convert_to_tensor([1.5], tf.int32)

# message
tf.as_dtype("nope")

# message
tf.sqrt(tf.constant([1, 4]))

# message
tf.exp(3)

# message
tf.sigmoid(tf.constant([1, 2]))

# message
tf.reduce_sum(tf.zeros((2, 3)), axis=2)

# message
tf.reduce_mean([1., 2.], axis=[0, 1])

# message
tf.argmax(tf.zeros((2, 3)), axis=2)

# message
tf.one_hot([0, 1], 2, on_value=1, off_value=0.)

# message
bool(tf.constant([1, 2]))

# message
len(tf.constant(3))

# message
iter(tf.constant(3))

# message
hash(tf.constant(3))

# message
tf.Variable()

# message
tf.Variable([1., 2.]).assign([1., 2., 3.])

tf.Variable([1., 2.]).assign(tf.constant([1, 2]))

tf.Variable([1., 2.]).assign_add([1., 2., 3.])

tf.Variable([1, 2]).assign_add(1.5)

# message
tf.Variable(1.)[0]

hash(tf.Variable(1.))

tf.nn.softmax_cross_entropy_with_logits(labels=tf.zeros((2, 3)), logits=tf.zeros((2, 4)))

tf.nn.softmax_cross_entropy_with_logits([1., 0.], [[1., 2.], [1., 2.]])

# message
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.zeros((3,), tf.int32), logits=tf.zeros((2, 4)))

tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5], logits=tf.zeros((1, 3)))

# message
tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros((2,)), logits=tf.zeros((3,)))

tf.nn.conv2d(tf.zeros((1, 4, 4, 3)), tf.zeros((2, 2, 4, 8)), 1, "SAME")

tf.nn.conv2d(tf.zeros((1, 4, 4, 3)), tf.zeros((2, 2, 3, 8)), 1, "NOPE")

tf.nn.bias_add(tf.zeros((2, 3)), tf.zeros((4,)))

tf.nn.dropout(tf.zeros((2,)), rate=1.5)

tf.nn.relu("a")

tf.nn.softmax(tf.constant([1, 2]))

tf.nn.softmax(1.)

tf.linalg.inv(tf.zeros((2, 2)))

tf.linalg.inv(tf.zeros((2, 3)))

tf.linalg.solve(tf.zeros((2, 2)), tf.zeros((2, 1)))

tf.linalg.det(tf.zeros((2, 3)))

tf.einsum("ij,jk->ik", tf.zeros((2, 3)), tf.zeros((2, 3)))

tf.einsum("ij->ijk", tf.zeros((2, 3)))

tf.tensordot(tf.zeros((2, 3)), tf.zeros((2, 3)), 1)

tf.image.resize(tf.zeros((2, 2)), (4, 4))

tf.image.resize(tf.zeros((2, 2, 3)), 4)

tf.image.central_crop(tf.zeros((2, 2, 3)), 1.5)

tf.image.crop_to_bounding_box(tf.zeros((4, 4, 3)), 2, 2, 4, 4)

tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 3]))

# message
tf.debugging.assert_greater(1, 2, message="why")

tf.debugging.assert_near(1., 2.)

tf.debugging.assert_rank(tf.zeros((2,)), 2)

tf.debugging.assert_shapes([(tf.zeros((2, 3)), ("N", "N"))])

tf.debugging.assert_type(tf.constant(1), tf.float32)

# message
tf.debugging.check_numerics([1., float("nan")], "bad")

# message
tf.debugging.check_numerics([1., float("inf")], "bad")

tf.debugging.assert_positive([1, -1])

tf.debugging.Assert(False, ["x"])

tf.ensure_shape(tf.zeros((2, 3)), [None, 4])

tf.random.uniform((2,), dtype=tf.int32)

tf.no_such_thing

tf.nn.no_such_thing

tf.reshape()

tf.zeros()

tf.constant(1).no_such_method()

tf.clip_by_value([1., 2.], [0., 0., 0.], 1.)

tf.clip_by_norm([1, 2], 1)

tf.concat([tf.zeros((2, 2)), tf.zeros((2, 2), tf.int32)], 0)

tf.concat(tf.zeros((2, 2)))

# message
tf.stack([tf.zeros((2,)), tf.zeros((3,))])

# message
tf.gather(tf.zeros((2, 2)), [2])

tf.one_hot(["a"], 3)

tf.where(tf.constant([True, False]), tf.zeros((3,)), tf.zeros((3,)))

tf.boolean_mask(tf.zeros((2,)), [True])

tf.norm("a")

tf.strings.to_number("abc")
