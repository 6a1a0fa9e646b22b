# Ragged tensors: rows of different lengths. What the ragged guide does, and what goes wrong.

tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])

rt = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])
tf.add(rt, 3), tf.reduce_mean(rt, axis=1), tf.concat([rt, [[5, 3]]], axis=0), tf.tile(rt, [1, 2])

tf.strings.substr(tf.ragged.constant([["So", "long"], ["thanks", "for", "all", "the", "fish"]]), 0, 2)

tf.map_fn(tf.math.square, tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []]))

tf.ragged.constant([[[1, 2], [3]], [[4]], []])

tf.ragged.constant([[1.5, 2], [3]])

tf.ragged.constant([["a", "bc"], []])

tf.ragged.constant([[], []])

tf.ragged.constant([])

tf.ragged.constant([[]])

tf.ragged.constant([[True], [False, True]]).dtype

tf.ragged.constant(5)

tf.ragged.constant([1, 2, 3])

tf.ragged.constant([[1, 2], [3]], dtype=tf.float64, row_splits_dtype=tf.int32)

tf.ragged.constant([[1, 2], [3]], row_splits_dtype=tf.int32).row_splits.dtype

tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)

tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,))

tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1).shape

tf.ragged.constant([[1, [2]]])

tf.ragged.constant([[1], [[]]])

tf.ragged.constant([[1, 2], [3, 4]]).shape

repr(tf.ragged.constant([[1, 2], [3, 4]])), str(tf.ragged.constant([[1, 2], [3]]))

repr(tf.ragged.constant([["a", "bc"], []])), repr(tf.ragged.constant([[[1.5, 2], [3]], [[4]]]))

repr(tf.ragged.constant([list(range(30)), list(range(5))]))

repr(tf.ragged.constant([[], []])), repr(tf.ragged.constant([[True, False], [True]]))

# printed
print(tf.ragged.constant([[1, 2], [3]]))

tf.RaggedTensor.from_value_rowids(values=[3, 1, 4, 1, 5, 9, 2], value_rowids=[0, 0, 0, 0, 2, 2, 3])

tf.RaggedTensor.from_value_rowids([1, 2], [0, 2], nrows=5)

tf.RaggedTensor.from_row_lengths(values=[3, 1, 4, 1, 5, 9, 2], row_lengths=[4, 0, 2, 1])

tf.RaggedTensor.from_row_splits(values=[3, 1, 4, 1, 5, 9, 2], row_splits=[0, 4, 4, 6, 7])

tf.RaggedTensor.from_row_starts([3, 1, 4], [0, 1, 1])

tf.RaggedTensor.from_row_limits([3, 1, 4], [1, 1, 3])

tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4, 5, 6], 2)

tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4, 5, 6], 2).shape

tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2).shape

tf.RaggedTensor.from_nested_row_splits([3, 1, 4, 1, 5, 9, 2], [[0, 2, 3], [0, 4, 4, 7]])

tf.RaggedTensor.from_nested_row_lengths([3, 1, 4, 1, 5, 9, 2], [[2, 1], [4, 0, 3]])

tf.RaggedTensor.from_nested_value_rowids([3, 1, 4], [[0, 0, 1], [0, 1, 2]])

tf.RaggedTensor.from_row_splits([1, 2], [0, 1])

tf.RaggedTensor.from_row_splits([1, 2], [1, 2])

tf.RaggedTensor.from_row_splits([1, 2], [0, 2, 1, 2])

tf.RaggedTensor.from_row_splits([1, 2], [])

tf.RaggedTensor.from_row_lengths([1, 2], [1, 3])

tf.RaggedTensor.from_row_lengths([1, 2], [-1, 3])

tf.RaggedTensor.from_value_rowids([1, 2], [1, 0])

tf.RaggedTensor.from_uniform_row_length([1, 2, 3], 2)

tf.RaggedTensor([1, 2], [0, 2])

x = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2]])
x.values, x.row_splits, x.row_lengths(), x.value_rowids(), x.row_starts(), x.row_limits(), x.nrows(), x.ragged_rank

x = tf.ragged.constant([[[1, 2], [3]], [[4]], []])
x.nested_row_splits, x.nested_row_lengths(), x.nested_value_rowids(), x.flat_values, x.values, x.ragged_rank, x.shape

tf.ragged.constant([[[1, 2], [3]], [[4]], []]).row_lengths(axis=2)

tf.ragged.constant([[[1, 2], [3]], [[4]], []]).bounding_shape()

x = tf.ragged.constant([[[1, 2], [3]], [[4]], []])
x.bounding_shape(axis=1), x.bounding_shape(axis=[0, 2]), x.bounding_shape(out_type=tf.int32)

tf.ragged.constant([[[1, 2]], [[3, 4]]], ragged_rank=1).bounding_shape()

tf.ragged.constant([[1, 2], [3]]).to_list()

x = tf.ragged.constant([[1, 2], [3]]).numpy()
[list(r) for r in x], x.dtype.name

tf.ragged.constant([[1, 2], [3, 4]]).numpy()

[r for r in tf.ragged.constant([[1, 2], [3], []])]

[r for r in tf.ragged.constant([[[1, 2], [3]], [[4]]])]

bool(tf.ragged.constant([[1]]))

hash(tf.ragged.constant([[1]]))

tf.ragged.constant([[1, 2], [3]]).with_values([5, 6, 7])

tf.ragged.constant([[[1, 2]], [[3]]]).with_flat_values([5., 6., 7.])

tf.ragged.constant([[1, 2], [3]]).with_row_splits_dtype(tf.int32).row_splits.dtype

tf.ragged.constant([[1, 2], [3]]).uniform_row_length

tf.RaggedTensor.from_tensor([[1, 2], [3, 4]]).uniform_row_length

# To dense and back.

tf.ragged.constant([["Hi"], ["Welcome", "to", "the", "fair"], ["Have", "fun"]]).to_tensor(default_value="", shape=[None, 10])

tf.ragged.constant([[9, 8, 7], [], [6, 5], [4]]).to_tensor()

tf.ragged.constant([[9, 8, 7], [], [6, 5], [4]]).to_tensor(-1)

tf.ragged.constant([[9, 8, 7], [], [6, 5], [4]]).to_tensor(shape=[None, 2])

tf.ragged.constant([[9, 8, 7], [], [6, 5], [4]]).to_tensor(shape=[5, 4])

tf.ragged.constant([[9, 8, 7], [], [6, 5], [4]]).to_tensor(shape=[2, None])

tf.ragged.constant([[[1, 2], [3]], [[4]], []]).to_tensor()

tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1).to_tensor()

tf.ragged.constant([[1., 2.], [3.]]).to_tensor(default_value=0.5)

tf.ragged.constant([[1., 2.], [3.]]).to_tensor(shape=[2])

tf.RaggedTensor.from_tensor([[1, 3, -1, -1], [2, -1, -1, -1], [4, 5, 8, 9]], padding=-1)

tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]])

tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], lengths=[1, 0, 3])

tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], padding=0)

tf.RaggedTensor.from_tensor([[[5, 0], [7, 0], [0, 0]], [[0, 0], [3, 0], [0, 0]], [[6, 0], [0, 0], [0, 0]]], lengths=([2, 0, 3], [1, 1, 2, 0, 1]))

tf.RaggedTensor.from_tensor([[[1, 0], [2, 3], [0, 0]], [[0, 0], [0, 0], [0, 0]]], padding=0, ragged_rank=2)

tf.RaggedTensor.from_tensor([[["a", "b"]], [["c", "d"]]], ragged_rank=2).shape

tf.RaggedTensor.from_tensor([1, 2, 3])

tf.RaggedTensor.from_tensor([[1]], lengths=[1], padding=0)

tf.RaggedTensor.from_sparse(tf.SparseTensor(indices=[[0, 0], [2, 0], [2, 1]], values=["a", "b", "c"], dense_shape=[3, 3]))

tf.RaggedTensor.from_sparse(tf.SparseTensor(indices=[[0, 1]], values=["a"], dense_shape=[3, 3]))

tf.ragged.constant([["Hi"], ["Welcome", "to", "the", "fair"], ["Have", "fun"]]).to_sparse()

tf.ragged.constant([[[1, 2], [3]], [[4]]]).to_sparse()

# Indexing.

queries = tf.ragged.constant([["Who", "is", "George", "Washington"], ["What", "is", "the", "weather", "tomorrow"], ["Goodnight"]])
queries[1], queries[1, 2], queries[1:], queries[:, :3], queries[:, -2:]

rt = tf.ragged.constant([[[1, 2, 3], [4]], [[5], [], [6]], [[7]], [[8, 9], [10]]])
rt[1], rt[3, 0], rt[:, 1:3], rt[:, -1:]

rt = tf.ragged.constant([[1, 2, 3], [4], [], [5, 6]])
rt[-1], rt[::2], rt[::-1], rt[:, ::-1], rt[:, ::2], rt[:, 1:-1], rt[1:3, :1], rt[..., :1], rt[5:]

rt = tf.ragged.constant([[1, 2, 3], [4], [], [5, 6]])
rt[:, tf.newaxis].shape, rt[tf.newaxis].shape, rt[..., tf.newaxis].shape, rt[0, ...], rt[:, -3:-1], rt[:, 2:0:-1]

tf.ragged.constant([[1, 2, 3], [4]])[:, 0]

tf.ragged.constant([[1, 2, 3], [4]])[2]

tf.ragged.constant([[1, 2, 3], [4]])[1, 1]

tf.ragged.constant([[1, 2, 3], [4]])["a"]

tf.ragged.constant([[1, 2, 3], [4]])[tf.constant(1)]

tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)[:, :, 0]

tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)[0, 1, 1]

tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2)[:, 0]

rt = tf.ragged.constant([[[1, 2], [3]], [[4, 5, 6]]])
rt[:, :, :1], rt[:, :, -1:], rt[0, :, 1:], rt[:, :1, :2]

# Arithmetic and broadcasting.

x = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
y = tf.ragged.constant([[1, 1], [2], [3, 3, 3]])
x + y, x * y, x - 1, 2 * x, x // 2, x % 2, x / y, x ** 2, -x, abs(-x), x > y, x == 2, x != y, x >= 3

tf.constant(3) + tf.ragged.constant([[1, 2], [3]])

tf.ragged.constant([[10, 87, 12], [19, 53]]) + tf.constant([[1000], [2000]])

tf.ragged.constant([[[1, 2], [3, 4], [5, 6]], [[7, 8]]], ragged_rank=1) + tf.constant([10, 20])

tf.ragged.constant([[[[1], [2]], [], [[3]], [[4]]], [[[5], [6]], [[7]]]], ragged_rank=2) + tf.constant([10, 20, 30])

tf.ragged.constant([[1], [2]]) + tf.ragged.constant([[1, 2], [3]])

tf.ragged.constant([[1, 2], [3, 4, 5]]) + tf.constant([[1, 2, 3, 4], [5, 6, 7, 8]])

tf.ragged.constant([[1, 2], [3, 4, 5], [6]]) + tf.constant([[1000], [2000]])

tf.ragged.constant([[1, 2], [3]]) + tf.constant([1., 2.])

tf.ragged.constant([[1, 2], [3]]) + 1.5

tf.ragged.constant([[1., 2], [3]]) + 1

tf.ragged.constant([["a", "b"], ["c"]]) + "!"

tf.ragged.constant([["a", "b"], ["c"]]) == "b"

~tf.ragged.constant([[True], [False, True]]), tf.ragged.constant([[True], [False]]) & tf.ragged.constant([[True], [True]])

x = tf.ragged.constant([[1.5, -2.5], [3.25]])
tf.abs(x), tf.square(x), tf.exp(x), tf.round(x), tf.math.sigmoid(x), tf.floor(x), tf.sign(x), tf.nn.relu(x), tf.math.log(tf.abs(x)), tf.negative(x), tf.sqrt(tf.abs(x)), tf.tanh(x)

x = tf.ragged.constant([[1, 2], [3]])
tf.add(x, x), tf.maximum(x, 2), tf.minimum(2, x), tf.pow(x, 2), tf.equal(x, 2), tf.math.floormod(x, 2), tf.math.squared_difference(x, 1), tf.less(x, 3), tf.divide(x, 2), tf.subtract(5, x)

tf.cast(tf.ragged.constant([[1, 2], [3]]), tf.float32)

tf.clip_by_value(tf.ragged.constant([[1, 5], [3]]), 2, 4)

tf.ones_like(tf.ragged.constant([[1, 5], [3]])), tf.zeros_like(tf.ragged.constant([[1., 5], [3]])), tf.identity(tf.ragged.constant([[1]]))

x = tf.ragged.constant([[1, 5], [3]])
tf.size(x), tf.rank(x), tf.add_n([x, x]), tf.is_tensor(x)

repr(tf.shape(tf.ragged.constant([[1, 5], [3]]))), repr(tf.shape(tf.ragged.constant([[[1, 5]], [[3, 4]]], ragged_rank=1)))

tf.where(tf.ragged.constant([[True, False], [True]]), tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4, 5], [6]]))

tf.where(tf.ragged.constant([[True, False], [True]]))

tf.one_hot(tf.ragged.constant([[1, 2], [0]]), 3)

tf.nn.softmax(tf.ragged.constant([[1., 2.], [3.]]))

tf.math.add_n([tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1, 2], [3]])])

# Reductions.

x = tf.ragged.constant([[3, 1, 4], [1, 5], [9], [2, 6]])
tf.reduce_sum(x, axis=0), tf.reduce_sum(x, axis=1), tf.reduce_sum(x), tf.reduce_sum(x, [0, 1]), tf.reduce_sum(x, -1, keepdims=True)

x = tf.ragged.constant([[3, 1, 4], [1, 5], [9], [2, 6]])
tf.reduce_mean(x, axis=0), tf.reduce_mean(x, axis=1), tf.reduce_mean(x), tf.reduce_max(x, 1), tf.reduce_min(x, 0), tf.reduce_prod(x, 1), tf.reduce_max(x)

x = tf.ragged.constant([[3., 1, 4], [], [9]])
tf.reduce_sum(x, 1), tf.reduce_mean(x, 1), tf.reduce_max(x, 1), tf.reduce_min(x, 1), tf.reduce_prod(x, 1)

x = tf.ragged.constant([[True, True], [False], []])
tf.reduce_any(x, 1), tf.reduce_all(x, 1), tf.reduce_any(x), tf.reduce_all(x, axis=0)

x = tf.ragged.constant([[[1, 2], [3]], [[4, 5, 6]], []])
tf.reduce_sum(x, 0), tf.reduce_sum(x, 1), tf.reduce_sum(x, 2), tf.reduce_sum(x, [1, 2]), tf.reduce_mean(x, 2)

x = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
tf.reduce_sum(x, 1), tf.reduce_sum(x, 2), tf.reduce_sum(x, [1, 2]), tf.reduce_max(x, 0)

tf.reduce_sum(tf.ragged.constant([[1], [2, 3]]), axis=2)

x = tf.ragged.constant([[1., 2, 4], [3., 5]])
tf.math.reduce_std(x, axis=1), tf.math.reduce_variance(x, axis=1)

tf.argmax(tf.ragged.constant([[1, 2], [3]]).to_tensor(), axis=1)

# Joined, stacked, gathered, turned.

x, y = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4], [5, 6]])
tf.concat([x, y], 0), tf.concat([x, y], 1), tf.concat([x, y], -1), tf.stack([x, y]), tf.stack([x, y], axis=1), tf.stack([x, y], 2)

tf.concat([tf.ragged.constant([[1, 2], [3]]), tf.constant([[7], [8]])], axis=1)

tf.concat([tf.ragged.constant([[1, 2], [3]]), [[7, 8, 9]]], axis=0)

tf.concat([tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1]])], axis=1)

tf.concat([tf.ragged.constant([[[1], [2]], [[3]]]), tf.ragged.constant([[[4], [5, 6]], [[7]]])], axis=2)

tf.concat([tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([["a"], ["b"]])], axis=1)

tf.ragged.stack([[1, 2], [3, 4, 5]])

tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])], axis=0)

tf.ragged.stack([tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4]])])

tf.ragged.stack([tf.constant([[1, 2]]), tf.constant([[3], [4]])], axis=0)

tf.stack([tf.constant([1, 2]), tf.constant([3])])

x = tf.ragged.constant([[1, 2], [3]])
tf.expand_dims(x, 0).shape, tf.expand_dims(x, 1).shape, tf.expand_dims(x, 2).shape, tf.expand_dims(x, -1), tf.expand_dims(x, 0)

tf.squeeze(tf.ragged.constant([[[1, 2], [3]]]), 0)

tf.squeeze(tf.expand_dims(tf.ragged.constant([[1, 2], [3]]), 1), 1)

x = tf.ragged.constant([[1, 2], [3], [], [4, 5]])
tf.gather(x, [3, 0]), tf.gather(x, 1), tf.gather(x, [[0, 1], [3, 2]]), tf.gather(x, tf.ragged.constant([[0], [1, 3]]))

tf.gather(tf.constant([10., 20., 30.]), tf.ragged.constant([[2, 0], [1]]))

tf.gather(tf.constant([[1, 2], [3, 4], [5, 6]]), tf.ragged.constant([[2, 0], [1]]))

tf.nn.embedding_lookup(tf.constant([[1., 2.], [3., 4.], [5., 6.]]), tf.ragged.constant([[2, 0], [1]]))

tf.gather(tf.ragged.constant([["a", "b"], ["c"], ["d", "e", "f"]]), tf.ragged.constant([[1], [0], [2, 0]]), batch_dims=1)

tf.gather(tf.ragged.constant([[1, 2], [3]]), [2])

tf.gather_nd(tf.ragged.constant([[1, 2], [3]]), [[0, 1], [1, 0]])

tf.gather_nd(tf.ragged.constant([[1, 2], [3]]), [[1], [0]])

x = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
tf.reverse(x, [0]), tf.reverse(x, [1]), tf.reverse(x, [0, 1]), tf.tile(x, [2, 1]), tf.tile(x, [1, 3]), tf.unstack(x.to_tensor())

tf.ragged.boolean_mask(data=[[1, 2, 3], [4, 5, 6], [7, 8, 9]], mask=[[True, False, True], [False, False, False], [True, False, False]])

tf.ragged.boolean_mask(tf.ragged.constant([[1, 2, 3], [4], [5, 6]]), tf.ragged.constant([[False, False, True], [False], [True, True]]))

tf.ragged.boolean_mask(tf.ragged.constant([[1, 2, 3], [4], [5, 6]]), [True, False, True])

tf.ragged.boolean_mask(tf.ragged.constant([[1, 2, 3], [4]]), tf.ragged.constant([[True], [False]]))

tf.ragged.range([3, 5, 2])

tf.ragged.range([0, 5, 8], [3, 3, 12])

tf.ragged.range([0, 5, 8], [3, 3, 12], 2)

tf.ragged.range([0., 5.], [1., 3.], [0.25, -1.])

tf.ragged.range([1], [2], 0)

rt = tf.ragged.constant([[1, 2, 3], [], [4, 5], [6]])
tf.ragged.map_flat_values(tf.ones_like, rt), tf.ragged.map_flat_values(tf.multiply, rt, rt), tf.ragged.map_flat_values(tf.add, rt, 5)

tf.ragged.map_flat_values(tf.reduce_sum, tf.ragged.constant([[1, 2], [3]]))

tf.ragged.map_flat_values(tf.add, tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]]))

tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5, 6, 9]), tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2, 3, 4, 4, 4])

tf.ragged.stack_dynamic_partitions(["a", "b", "c", "d", "e"], [3, 0, 2, 2, 3], 5)

tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]]), tf.ragged.constant([["f"], ["g"]])])

tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])], num_buckets=100)

rt = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
rt.merge_dims(0, 1), rt.merge_dims(1, 2), rt.merge_dims(0, 2), rt.merge_dims(1, 1)

tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1).merge_dims(1, 2)

# Specs.

tf.RaggedTensorSpec([None, None], tf.int32), tf.type_spec_from_value(tf.ragged.constant([[1, 2], [3]]))

tf.RaggedTensorSpec(shape=[2, None, 3], dtype=tf.float32, ragged_rank=1).ragged_rank

tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(tf.ragged.constant([[1, 2], [3]]))

tf.RaggedTensorSpec([None, None], tf.int32) == tf.RaggedTensorSpec([None, None], tf.int32), tf.RaggedTensorSpec([None, None]) == tf.RaggedTensorSpec([None, None], tf.int32)

tf.RaggedTensorSpec([None], tf.int32, ragged_rank=1)

# Gradients go through the values.

v = tf.Variable([1., 2., 3.])
with tf.GradientTape() as tape:
    rt = tf.RaggedTensor.from_row_lengths(v * 2., [2, 1])
    loss = tf.reduce_sum(tf.reduce_sum(rt, axis=1) ** 2)
tape.gradient(loss, v)

v = tf.Variable([1., 2., 3.])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.RaggedTensor.from_row_lengths(v, [2, 1]).to_tensor() * tf.constant([[1., 2.], [3., 4.]]))
tf.convert_to_tensor(tape.gradient(loss, v))

v = tf.Variable([[1., 2.], [3., 4.]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.reduce_mean(tf.gather(v, tf.ragged.constant([[0, 0, 1], [1]])), axis=1))
tf.convert_to_tensor(tape.gradient(loss, v))

# In functions.

@tf.function
def double(x):
    return x * 2
double(tf.ragged.constant([[1, 2], [3]])), double(tf.ragged.constant([[4], [5, 6]]))

@tf.function
def count(words):
    return tf.strings.split(words).row_lengths()
count(tf.constant(["a b c", "d"])), count(tf.constant(["", "d e"]))

tf.matmul(tf.ragged.constant([[[1., 2.], [3., 4.]], [[5., 6.]]], ragged_rank=1), tf.constant([[1.], [2.]]))

tf.convert_to_tensor(tf.ragged.constant([[1, 2], [3]]))

tf.reshape(tf.ragged.constant([[1, 2], [3]]), [-1])

tf.nest.flatten(tf.ragged.constant([[1, 2], [3]]), expand_composites=True)

tf.nest.map_structure(lambda r: r + 1, {"a": tf.ragged.constant([[1, 2], [3]])})

@tf.function
def twice(x):
    return x.flat_values * 2
twice(tf.ragged.constant([[1, 2], [3]])), twice(tf.ragged.constant([[4], [5, 6]])), twice(tf.ragged.constant([[7], [5, 6]]))

@tf.function(input_signature=[tf.RaggedTensorSpec(shape=[None, None], dtype=tf.int32)])
def total(x):
    return tf.reduce_sum(x, axis=1)
total(tf.ragged.constant([[1, 2], [3]])), total(tf.ragged.constant([[4], [5, 6]]))

@tf.function(input_signature=[tf.RaggedTensorSpec(shape=[None, None], dtype=tf.int32)])
def total(x):
    return tf.reduce_sum(x, axis=1)
total(tf.constant([[1, 2]]))

@tf.function
def join(words, sep="-"):
    return tf.strings.reduce_join(words, separator=sep)
join(tf.constant(["a", "b"])), join(tf.constant(["c", "d"])), join(tf.constant(["c", "d"]), "+")

@tf.function
def dense(s):
    return tf.sparse.to_dense(s)
dense(tf.SparseTensor([[0, 1]], [5], [1, 2])), dense(tf.SparseTensor([[0, 0]], [6], [1, 2]))

tf.map_fn(lambda r: tf.reduce_sum(r), tf.ragged.constant([[1, 2], [3]]), fn_output_signature=tf.int32)

tf.map_fn(lambda n: tf.range(n), tf.constant([2, 0, 3]), fn_output_signature=tf.RaggedTensorSpec(shape=[None], dtype=tf.int32))

tf.map_fn(lambda r: r[:1], tf.ragged.constant([[1, 2], [3]]), fn_output_signature=tf.RaggedTensorSpec(shape=[None], dtype=tf.int32, ragged_rank=0))

tf.map_fn(lambda x: (x[0] + x[1]), (tf.ragged.constant([[1, 2], [3]]), tf.constant([10, 20])), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))

# printed
tf.print(tf.ragged.constant([[1, 2], [3]]), output_stream="file:///dev/null")

x = tf.ragged.constant([[1, 2], [3]])
tf.math.reduce_sum(x, axis=1), tf.math.reduce_mean(x, axis=-1), tf.math.maximum(x, 2), tf.math.add(x, x), tf.math.multiply(x, 2)

x = tf.ragged.constant([[1., 2.], [3.]])
tf.nn.dropout(x, 0.).shape, tf.math.is_nan(x), tf.math.log1p(x), tf.nn.leaky_relu(x), tf.nn.sigmoid(x), tf.math.softplus(x)

x = tf.ragged.constant([["b", "a"], ["c"]])
tf.strings.lower(x), tf.strings.length(x), tf.strings.to_hash_bucket_fast(x, 10), tf.strings.join([x, x]), tf.strings.regex_replace(x, "a", "z"), tf.strings.reduce_join(x, axis=1), tf.strings.upper(x), tf.strings.strip(x), tf.strings.bytes_split(x), tf.strings.split(x)

tf.strings.to_number(tf.ragged.constant([["1", "2"], ["3"]])), tf.strings.as_string(tf.ragged.constant([[1, 2], [3]])), tf.strings.unicode_decode(tf.ragged.constant([["ab", "c"], []]), "UTF-8")

tf.RaggedTensor.from_row_splits(tf.zeros((4, 0)), [0, 1, 4]).shape

tf.ragged.constant([[1, 2], [3]]).to_tensor(default_value=1.5)

tf.ragged.constant([["a"], ["b", "c"]]).to_tensor(default_value=0)

tf.ragged.constant([[1, 2], [3]]) == tf.ragged.constant([[1, 2], [4]])

tf.ragged.constant([[1, 2], [3]]) == None

tf.gather(tf.ragged.constant([[1, 2], [3], [4, 5]]), tf.constant([], tf.int32))

tf.concat([tf.ragged.constant([[1]])], 0)

tf.concat([tf.ragged.constant([[1]]), tf.ragged.constant([[[1]]])], 0)

tf.stack([tf.ragged.constant([[1]]), tf.ragged.constant([[2, 3], [4]])], axis=0).shape

tf.tile(tf.ragged.constant([[[1], [2, 3]], [[4]]]), [1, 2, 2])

tf.reverse(tf.ragged.constant([[[1], [2, 3]], [[4]]]), axis=[2]), tf.reverse(tf.ragged.constant([[[1], [2, 3]], [[4]]]), axis=[-2])

tf.ragged.constant([[1, 2, 3], []])[:, 1:2].to_list(), tf.ragged.constant([[1, 2, 3], []])[0:0].shape

tf.where(tf.ragged.constant([[1, 5], [7]]) > 3, tf.ragged.constant([[1, 5], [7]]), 0)

tf.where(tf.constant([True, False]), tf.constant([1, 2]), tf.constant([3, 4]))

tf.dynamic_partition(tf.ragged.constant([[1], [2, 3]]).values, [0, 1, 1], 2)

tf.unique(tf.ragged.constant([[1], [2, 1]]).flat_values).y

tf.sort(tf.ragged.constant([[2], [3, 1]]).to_tensor(), axis=-1)

[x.shape for x in tf.split(tf.ragged.constant([[1], [2, 3], [4], [5]]), 2)], tf.split(tf.ragged.constant([[1], [2, 3], [4]]), [1, 2])

tf.split(tf.ragged.constant([[1], [2, 3], [4]]), 2)

tf.shape(tf.ragged.constant([[1], [2, 3]]))[0]

tf.shape(tf.ragged.constant([[1], [2, 3]]))[1]

tf.debugging.assert_equal(tf.ragged.constant([[1]]).flat_values, [1])

tf.RaggedTensor.from_row_lengths(tf.ragged.constant([[1], [2, 3], [4]]), [2, 1]).to_list()

tf.ragged.constant([[1, 2], [3]]).values.numpy().sum(), sum(tf.ragged.constant([[1, 2], [3]]).row_lengths().numpy())

tf.ragged.constant(np.array([[1, 2], [3, 4]])), tf.ragged.constant([np.array([1, 2]), np.array([3])]), tf.ragged.constant([(1, 2), (3,)])

tf.ragged.constant([["a", 1]])

tf.ragged.constant([[1, 2.5], [3]])

tf.ragged.constant([[1, 2], [3]], dtype=tf.string)

tf.ragged.constant([[None]])
