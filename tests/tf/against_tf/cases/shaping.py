# Rearranging: reshape, transpose, join, split, repeat, pad, slices.

tf.reshape(tf.range(6), (2, 3)), tf.reshape([1, 2, 3, 4], [2, -1]), tf.reshape([1], []), tf.reshape([[1, 2]], -1), tf.reshape([1, 2], tf.constant([2, 1])), tf.reshape(["a", "b"], (2, 1)), tf.reshape([], (0, 3)), tf.reshape(tf.zeros((0, 2)), (-1, 2))

# message
tf.reshape(tf.range(6), (4, 2))

# message
tf.reshape(tf.range(6), (4, -1))

tf.reshape([1, 2], (-1, -1))

tf.reshape([1, 2], (2, 1.5))

tf.reshape([1, 2], [[2]])

tf.reshape([1, 2], (-2,))

tf.transpose([[1, 2], [3, 4]]), tf.transpose([1, 2]), tf.transpose(5), tf.transpose(tf.zeros((1, 2, 3)), [2, 0, 1]), tf.transpose(tf.zeros((1, 2, 3)), perm=[0, -1, 1]), tf.transpose([[1+2j]], conjugate=True), tf.transpose([["a", "b"]])

tf.transpose([[1, 2]], [0])

tf.transpose([[1, 2]], [0, 0])

tf.transpose([[1, 2]], [0, 2])

tf.expand_dims([1, 2], 0), tf.expand_dims([1, 2], -1), tf.expand_dims(1, 0), tf.expand_dims(["a"], 1), tf.expand_dims([1, 2], axis=tf.constant(1))

# message
tf.expand_dims([1, 2], 3)

tf.expand_dims([1, 2], 0.5)

tf.squeeze([[[1], [2]]]), tf.squeeze([[[1], [2]]], 0), tf.squeeze([[[1], [2]]], [0, -1]), tf.squeeze(3), tf.squeeze([[1]], axis=[0]), tf.squeeze([["a"]])

# message
tf.squeeze([[1, 2]], 1)

tf.squeeze([[1, 2]], 5)

tf.concat([[1, 2], [3]], 0), tf.concat([[[1], [2]], [[3], [4]]], 1), tf.concat([[[1]], [[2]]], -1), tf.concat([["a"], ["b"]], 0), tf.concat([tf.zeros((0, 2)), tf.ones((1, 2))], axis=0), tf.concat([[1]], 0), tf.concat(tf.constant([[1, 2], [3, 4]]), 0)

# message
tf.concat([tf.zeros((2, 3)), tf.zeros((3, 4))], 0)

# message
tf.concat([tf.zeros((2, 3)), tf.zeros((3,))], 0)

tf.concat([[1], [2.]], 0)

tf.concat([tf.constant([1]), tf.constant([2.])], 0)

tf.concat([tf.zeros((2, 3)), tf.zeros((2, 3))], 2)

tf.concat([1, 2], 0)

tf.concat([], 0)

tf.stack([1, 2, 3]), tf.stack([[1, 2], [3, 4]], axis=1), tf.stack([[1], [2]], -1), tf.stack([tf.constant(1.), 2.]), tf.stack(["a", "b"]), tf.stack(tf.constant([[1, 2], [3, 4]]))

tf.stack([[1, 2], [3]])

# message
tf.stack([tf.constant([1, 2]), tf.constant([3])])

tf.stack([tf.constant(1), tf.constant(1.)])

tf.stack([[1]], axis=3)

tf.stack([])

tf.unstack([[1, 2], [3, 4]]), tf.unstack([[1, 2], [3, 4]], axis=1), tf.unstack([1, 2], num=2), tf.unstack(["a", "b"])

tf.unstack([1, 2], num=3)

tf.unstack(5)

tf.unstack([1], axis=2)

tf.split(tf.range(6), 3), tf.split(tf.range(6), [1, 2, 3]), tf.split(tf.range(6), [2, -1]), tf.split(tf.zeros((2, 4)), 2, axis=1), tf.split(tf.zeros((2, 4)), 2, -1), tf.split(tf.range(2), tf.constant([1, 1])), tf.split(["a", "b"], 2)

# message
tf.split(tf.range(5), 2)

tf.split(tf.range(5), [2, 2])

tf.split(tf.range(5), [2, -1, -1])

tf.split(tf.range(4), 2, axis=1)

tf.tile([1, 2], [2]), tf.tile([[1], [2]], [1, 3]), tf.tile([[1, 2]], tf.constant([2, 0])), tf.tile(["a"], [2]), tf.tile(1, [])

# message
tf.tile([1, 2], [2, 2])

tf.tile([1, 2], [-1])

tf.repeat([1, 2], 2), tf.repeat([1, 2], [1, 3]), tf.repeat([[1, 2], [3, 4]], 2, axis=0), tf.repeat([[1, 2], [3, 4]], [1, 2], axis=1), tf.repeat([[1, 2]], 2), tf.repeat(3, 2), tf.repeat(["a", "b"], [2, 1])

tf.repeat([1, 2], [1, 2, 3])

tf.repeat([1, 2], 2, axis=1)

tf.pad([[1, 2]], [[1, 0], [0, 2]]), tf.pad([1, 2, 3], [[1, 1]], "REFLECT"), tf.pad([1, 2, 3], [[2, 1]], "SYMMETRIC"), tf.pad([1., 2.], [[1, 1]], constant_values=9.), tf.pad([1], tf.constant([[1, 2]]), mode="constant"), tf.pad([True], [[1, 0]]), tf.pad(["a"], [[1, 0]]), tf.pad([1, 2], [[0, 0]])

tf.pad([1, 2], [[1, 1], [1, 1]])

tf.pad([1, 2], [[2, 2]], "REFLECT")

tf.pad([1, 2], [[-1, 0]])

tf.pad([1, 2], [[1, 1]], "WRAP")

tf.broadcast_to([1, 2], (2, 2)), tf.broadcast_to(3, [2]), tf.broadcast_to([[1], [2]], (2, 3)), tf.broadcast_to("a", [2]), tf.broadcast_to([1], [0])

tf.broadcast_to([1, 2, 3], (2, 2))

tf.broadcast_to([[1, 2]], (2,))

tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])), tf.broadcast_dynamic_shape([2, 1], [3])

tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))

tf.broadcast_dynamic_shape([2], [3])

tf.ensure_shape([1, 2], [None]), tf.ensure_shape([[1]], (1, 1))

# message
tf.ensure_shape([1, 2], [3])

tf.reverse([1, 2, 3], [0]), tf.reverse([[1, 2], [3, 4]], [-1]), tf.reverse([[1, 2], [3, 4]], [0, 1]), tf.reverse(["a", "b"], [0]), tf.reverse([1, 2], [])

tf.reverse([1, 2], [1])

tf.reverse([1, 2], 0)

tf.roll([1, 2, 3], 1, 0), tf.roll([[1, 2], [3, 4]], [1, 1], [0, 1]), tf.roll([1, 2, 3], -1, axis=0), tf.roll([1, 2, 3], shift=5, axis=-1)

tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 2]), tf.slice([1, 2, 3], [1], [-1]), tf.slice([1, 2, 3], [0], [0]), tf.slice(["a", "b"], [1], [1])

# message
tf.slice([1, 2, 3], [1], [5])

tf.slice([1, 2, 3], [4], [1])

tf.slice([[1, 2]], [0], [1])

tf.strided_slice([1, 2, 3, 4], [0], [4], [2]), tf.strided_slice([[1, 2], [3, 4]], [0, 0], [1, 2]), tf.strided_slice([1, 2, 3], [-1], [-4], [-1]), tf.strided_slice([1, 2, 3], [1], [2], shrink_axis_mask=1), tf.strided_slice([1, 2, 3], [0], [0], end_mask=1), tf.strided_slice([1, 2, 3], [1], [9], begin_mask=1)

tf.strided_slice([[1, 2], [3, 4]], [0, 1], [2, 2], new_axis_mask=1, shrink_axis_mask=2), tf.strided_slice([[1, 2], [3, 4]], [0, 1], [1, 2], ellipsis_mask=1)

# Indexing.

x = tf.reshape(tf.range(24), (2, 3, 4))
x[0], x[0, 1], x[-1, ..., 0], x[:, 1:, ::2], x[..., tf.newaxis].shape, x[:, None, 0].shape, x[0][1][2], x[::-1, 0, 0], x[0, 2:0:-1, 0], x[1:1]

x = tf.range(5)
x[tf.constant(2)], x[np.int64(1)], x[tf.constant(1):tf.constant(3)], x[-2:], x[:-1], x[10:], x[-10:2], x[x > 2], x[np.array([True, False, True, False, True])]

tf.constant([[1, 2], [3, 4]])[tf.constant([[True, False], [False, True]])]

tf.constant([1, 2, 3])[[True, False, True]]

# message
tf.constant([1, 2, 3])[5]

# message
tf.constant([1, 2, 3])[-4]

# message
tf.constant([1, 2, 3])[0, 0]

tf.constant([[1, 2], [3, 4]])[0, 5]

# message
tf.constant([1, 2, 3])[1.5]

# message
tf.constant([1, 2, 3])["a"]

tf.constant([1, 2, 3])[[0, 1]]

tf.constant([1, 2, 3])[tf.constant([0, 1])]

tf.constant([1, 2, 3])[np.array([0, 1])]

tf.constant([1, 2, 3])[::0]

tf.constant(5)[0]

tf.constant(5)[...], tf.constant(5)[tf.newaxis]

tf.constant([1, 2, 3])[None]

tf.constant(["a", "b", "c"])[1], tf.constant(["a", "b", "c"])[::2], tf.constant([["a", "b"]])[0, 1]

# Blocks.

tf.space_to_batch(tf.reshape(tf.range(16), (1, 4, 4, 1)), 2, [[0, 0], [0, 0]])

tf.space_to_batch(tf.reshape(tf.range(8.), (1, 2, 4, 1)), [2, 2], [[0, 0], [2, 0]])

tf.batch_to_space(tf.reshape(tf.range(16), (4, 2, 2, 1)), 2, [[0, 0], [0, 0]])

tf.batch_to_space(tf.reshape(tf.range(16), (4, 2, 2, 1)), [2, 2], [[0, 0], [1, 0]])

tf.nn.space_to_depth(tf.reshape(tf.range(16), (1, 4, 4, 1)), 2), tf.nn.depth_to_space(tf.reshape(tf.range(16), (1, 2, 2, 4)), 2)

tf.nn.space_to_depth(tf.zeros((1, 3, 3, 1)), 2)

tf.parallel_stack([[1, 2], [3, 4]])

tf.required_space_to_batch_paddings([5, 4], [2, 2])
