# Sparse tensors, as the sparse guide uses them.

tf.sparse.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])

repr(tf.SparseTensor([[0, 3], [2, 4]], [10, 20], [3, 10]))

st = tf.sparse.from_dense([[1, 0, 0, 8], [0, 0, 0, 0], [0, 0, 3, 0]])
st, st.values, st.indices, st.dense_shape, st.shape, st.dtype

tf.sparse.from_dense([["a", ""], ["", "b"]])

tf.sparse.to_dense(tf.sparse.from_dense([[1, 0, 0, 8], [0, 0, 3, 0]]))

tf.sparse.to_dense(tf.SparseTensor([[0, 1]], ["x"], [2, 2]), default_value="-")

tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [1.5], [2, 2]), default_value=-1.)

tf.sparse.to_dense(tf.SparseTensor([[1, 1], [0, 0]], [1, 2], [2, 2]))

tf.sparse.to_dense(tf.SparseTensor([[0, 0], [0, 0]], [1, 2], [2, 2]))

tf.sparse.to_dense(tf.SparseTensor([[5, 5]], [1], [2, 2]))

tf.SparseTensor([[0, 0]], [1, 2], [2, 2])

tf.SparseTensor([0], [1], [2])

tf.SparseTensor([[0, 0]], [1], [2])

a = tf.sparse.SparseTensor(indices=[[0, 2], [3, 4]], values=[31, 2], dense_shape=[4, 10])
b = tf.sparse.SparseTensor(indices=[[0, 2], [3, 0]], values=[56, 38], dense_shape=[4, 10])
tf.sparse.add(a, b)

a = tf.SparseTensor([[0, 2], [1, 1]], [31., 2.], [2, 3])
tf.sparse.add(a, a, threshold=10.), tf.sparse.add(a, tf.ones((2, 3))), tf.sparse.add(tf.ones((2, 3)), a)

tf.sparse.add(tf.SparseTensor([[0, 2]], [31], [4, 10]), tf.SparseTensor([[0, 2]], [31], [4, 9]))

tf.sparse.add(tf.ones((2, 3)), tf.ones((2, 3)))

c = tf.sparse.SparseTensor(indices=[[0, 1], [1, 0], [1, 1]], values=[13, 15, 17], dense_shape=[2, 2])
tf.sparse.sparse_dense_matmul(c, tf.constant([[4], [6]]))

c = tf.SparseTensor([[0, 1], [1, 0], [1, 1]], [13., 15., 17.], [2, 2])
tf.sparse.sparse_dense_matmul(c, [[1., 2.], [3., 4.]], adjoint_a=True), tf.sparse.sparse_dense_matmul(c, [[1., 2.], [3., 4.]], adjoint_b=True), tf.sparse.sparse_dense_matmul(tf.constant([[1., 2.]]), c)

tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1]], [1.], [2, 2]), tf.ones((3, 1)))

sparse_pattern_A = tf.sparse.SparseTensor(indices=[[2, 4], [3, 3], [3, 4], [4, 3], [4, 4], [5, 4]], values=[1] * 6, dense_shape=[8, 5])
sparse_pattern_B = tf.sparse.SparseTensor(indices=[[0, 2], [1, 1], [1, 3], [2, 0], [2, 4], [2, 5], [3, 5]], values=[1] * 7, dense_shape=[8, 6])
tf.sparse.concat(axis=1, sp_inputs=[sparse_pattern_A, sparse_pattern_B])

a, b = tf.SparseTensor([[0, 1]], ["x"], [1, 3]), tf.SparseTensor([[1, 0]], ["y"], [2, 3])
tf.sparse.concat(0, [a, b]), tf.sparse.concat(-1, [a, b], expand_nonconcat_dims=True)

tf.sparse.concat(1, [tf.SparseTensor([[0, 1]], [1], [1, 3]), tf.SparseTensor([[1, 0]], [1], [2, 3])])

tf.sparse.slice(tf.SparseTensor([[2, 4], [3, 3], [3, 4], [4, 3]], [1, 2, 3, 4], [8, 5]), start=[0, 0], size=[4, 4])

tf.sparse.slice(tf.SparseTensor([[2, 4], [3, 3]], [1, 2], [8, 5]), [2, 3], [10, 10])

tf.sparse.map_values(tf.add, tf.SparseTensor([[0, 1]], [3], [2, 2]), 5)

tf.sparse.map_values(tf.math.square, tf.SparseTensor([[0, 1]], [3.], [2, 2]))

tf.sparse.reorder(tf.SparseTensor([[1, 1], [0, 0], [0, 1]], [1, 2, 3], [2, 2]))

tf.sparse.transpose(tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3]))

tf.sparse.transpose(tf.SparseTensor([[0, 1, 2], [1, 2, 0]], [1, 2], [2, 3, 4]), perm=[1, 0, 2])

tf.sparse.reshape(tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3]), [3, 2]), tf.sparse.reshape(tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3]), [-1])

tf.sparse.reshape(tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3]), [4, 2])

tf.sparse.retain(tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3]), [True, False])

s = tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3])
tf.sparse.expand_dims(s, 0), tf.sparse.expand_dims(s, 1), tf.sparse.expand_dims(s, -1), tf.sparse.expand_dims(s)

s = tf.SparseTensor([[0, 1], [0, 2], [1, 0]], [1, 5, 2], [2, 3])
tf.sparse.reduce_sum(s), tf.sparse.reduce_sum(s, 0), tf.sparse.reduce_sum(s, 1), tf.sparse.reduce_sum(s, -1, keepdims=True), tf.sparse.reduce_max(s), tf.sparse.reduce_max(s, axis=1), tf.sparse.reduce_sum(s, axis=1, output_is_sparse=True)

tf.sparse.softmax(tf.SparseTensor([[0, 1], [0, 2], [1, 0]], [1., 5., 2.], [2, 3]))

tf.sparse.split(tf.SparseTensor([[0, 1], [0, 2], [1, 0]], [1., 5., 2.], [2, 3]), 2, axis=1)

tf.sparse.split(sp_input=tf.SparseTensor([[0, 1]], [1], [2, 6]), num_split=3, axis=1)

tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1]], [1], [3, 3]), 9)

tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1]], ["a"], [3, 3]), "x")

tf.sparse.maximum(tf.SparseTensor([[0], [1]], [1, -3], [3]), tf.SparseTensor([[0], [2]], [5, -1], [3])), tf.sparse.minimum(tf.SparseTensor([[0], [1]], [1, -3], [3]), tf.SparseTensor([[0], [2]], [5, -1], [3]))

tf.sparse.eye(3), tf.sparse.eye(2, 3, dtype=tf.int32)

tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [0, 1], [1, 1]], tf.constant([1, 3, 0], tf.int64), [2, 2]), 4)

tf.sparse.reset_shape(tf.SparseTensor([[0, 1]], [1], [5, 5])), tf.sparse.reset_shape(tf.SparseTensor([[0, 1]], [1], [5, 5]), [6, 5])

tf.sparse.bincount([1, 1, 3]), tf.sparse.bincount([[1, 1, 3], [0, 2, 2]], axis=-1), tf.sparse.bincount([[1, 1, 3], [0, 2, 2]], axis=-1, binary_output=True)

tf.math.bincount([[1, 1, 3], [0, 2, 2]], axis=-1), tf.math.bincount(tf.ragged.constant([[1, 1], [2]]), axis=-1), tf.math.bincount(tf.ragged.constant([[1, 1], [2]]), axis=-1, minlength=5), tf.math.bincount(tf.SparseTensor([[0, 1], [1, 0]], [3, 1], [2, 2]), axis=-1)

tf.sparse.cross([tf.constant([["a"], ["b"]]), tf.constant([["x", "y"], ["z", "w"]])])

tf.sparse.cross_hashed([tf.constant([["a"], ["b"]]), tf.constant([["x", "y"], ["z", "w"]])], num_buckets=100)

tf.sparse.cross_hashed([tf.constant([[5], [7]]), tf.constant([["x"], ["y"]])])

tf.sparse.segment_sum(tf.constant([[1., 2.], [3., 4.], [5., 6.]]), [0, 2, 1], [0, 0, 1]), tf.sparse.segment_mean(tf.constant([[1., 2.], [3., 4.]]), [0, 1, 1], [0, 0, 2]), tf.sparse.segment_sqrt_n(tf.constant([[1., 2.], [3., 4.]]), [0, 1], [0, 0])

s = tf.SparseTensor([[0, 1], [1, 0]], [1, 2], [2, 3])
s * 2, s * tf.constant([[1, 2, 3], [4, 5, 6]]), s / 2, tf.cast(s, tf.float32), tf.abs(s), tf.square(s), s.with_values([5, 6])

s = tf.SparseTensor([[0, 1], [1, 0]], [1, 2], [2, 3])
tf.shape(s), tf.size(s), tf.rank(s), tf.is_tensor(s), tf.type_spec_from_value(s)

tf.SparseTensor([[0, 1]], [1], [2, 3]) + tf.SparseTensor([[0, 1]], [1], [2, 3])

tf.SparseTensor([[0, 1]], [1], [2, 3]) + tf.ones((2, 3), tf.int32)

tf.convert_to_tensor(tf.SparseTensor([[0, 1]], [1], [2, 3]))

tf.SparseTensorSpec([None, 3], tf.int32), tf.SparseTensorSpec([None, 3]).is_compatible_with(tf.SparseTensor([[0, 1]], [1.], [2, 3])), tf.SparseTensorSpec([2]) == tf.SparseTensorSpec([2])

v = tf.Variable([1., 2., 3.])
with tf.GradientTape() as tape:
    s = tf.SparseTensor([[0, 0], [0, 1], [1, 1]], v * 2., [2, 2])
    loss = tf.reduce_sum(tf.sparse.sparse_dense_matmul(s, tf.constant([[1.], [10.]])) ** 2)
tape.gradient(loss, v)

v = tf.Variable([1., 2., 3.])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.sparse.to_dense(tf.SparseTensor([[0, 0], [0, 1], [1, 1]], v, [2, 2])) * [[1., 2.], [3., 4.]])
tf.convert_to_tensor(tape.gradient(loss, v))

w = tf.Variable([[1.], [2.]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 0], [1, 1]], [3., 4.], [2, 2]), w))
tape.gradient(loss, w)

i = tf.IndexedSlices(tf.constant([[1., 2.]]), tf.constant([1]), dense_shape=tf.constant([3, 2]))
tf.convert_to_tensor(i), i.values, i.indices, i.dense_shape, i.shape, i.dtype, (-i).values

tf.sparse.mask(tf.IndexedSlices(tf.constant([[1.], [2.], [3.]]), tf.constant([5, 7, 9])), [7]).indices

repr(tf.IndexedSlicesSpec([3, 2]))

tf.sparse.from_dense(tf.zeros((2, 2)))

tf.sparse.to_dense(tf.SparseTensor(tf.zeros((0, 2), tf.int64), [], [2, 2]))

tf.sets.intersection([[1, 2], [3, 4]], [[2, 3], [5, 6]]), tf.sets.union([["a", "b"]], [["b", "c"]]), tf.sets.difference([[1, 2]], [[2, 3]]), tf.sets.difference([[1, 2]], [[2, 3]], aminusb=False), tf.sets.size(tf.sparse.from_dense([[1, 2], [3, 0]]))

tf.sets.intersection([[1, 2]], [["a"]])

tf.sets.size([[1]])

h, t = tf.sparse.from_dense([["a", "b"], ["c", ""]]), tf.sparse.from_dense([["a", "c"], ["d", "e"]])
tf.edit_distance(h, t), tf.edit_distance(h, t, normalize=False)

tf.edit_distance([["a"]], [["a"]])

tf.nn.embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.], [5., 6.], [7., 8.]]), tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]), None, combiner="mean")

tf.nn.embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.], [5., 6.], [7., 8.]]), tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1., .5], [2.]]), combiner="sum")
