# Choosing: where, gather, scatter, sort, unique, masks, partitions.

tf.where([True, False, True]), tf.where([[1, 0], [0, 2]]), tf.where(True), tf.where([0., 1.5]), tf.where(["", "a"]), tf.where(tf.zeros((0,)))

tf.where([True, False], [1, 2], [3, 4]), tf.where([True, False], 1., 2.), tf.where([[True], [False]], [1, 2], [3, 4]), tf.where(True, [1, 2], 0), tf.where(tf.constant([True, False]), tf.constant(["a", "b"]), "c"), tf.where([True], x=1, y=2)

tf.where([True, False], [1, 2])

# message
tf.where(tf.constant([True, False]), tf.constant([1, 2, 3]), tf.constant([1, 2, 3]))

tf.where([1, 0], [1, 2], [3, 4])

tf.where([True], tf.constant([1]), tf.constant([1.]))

tf.where([True, False], 1, 2.5)

tf.boolean_mask([1, 2, 3], [True, False, True]), tf.boolean_mask([[1, 2], [3, 4]], [True, False]), tf.boolean_mask([[1, 2], [3, 4]], [[True, False], [False, True]]), tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=1), tf.boolean_mask(["a", "b"], [False, True]), tf.boolean_mask([1], [False])

# message
tf.boolean_mask([1, 2, 3], [True, False])

tf.boolean_mask([1, 2], True)

tf.boolean_mask([1, 2], [1, 0])

tf.gather([1, 2, 3], [0, 2]), tf.gather([1, 2, 3], 1), tf.gather([[1, 2], [3, 4]], [1, 0], axis=1), tf.gather([[1, 2], [3, 4]], [[0], [1]]), tf.gather(["a", "b"], [1, 1]), tf.gather([1, 2], []), tf.gather([[1, 2], [3, 4]], [0], axis=-1), tf.gather([1., 2.], tf.constant([0], tf.int64))

tf.gather([[1, 2, 3], [4, 5, 6]], [[0, 1], [2, 2]], batch_dims=1), tf.gather([[1, 2, 3], [4, 5, 6]], [2, 0], axis=1, batch_dims=1), tf.gather(tf.reshape(tf.range(12), (2, 3, 2)), [[0], [1]], axis=2, batch_dims=1), tf.gather([[1, 2, 3], [4, 5, 6]], [[0, 1], [2, 2]], batch_dims=-1)

# message
tf.gather([1, 2, 3], [0, 5])

# message
tf.gather([1, 2, 3], -1)

# message
tf.gather([[1, 2], [3, 4]], [[0, 1], [1, 3]], axis=1)

tf.gather([1, 2], [0.5])

tf.gather([1, 2], [0], axis=1)

tf.gather(5, [0])

tf.gather(["a"], [3])

tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]), tf.gather_nd([[1, 2], [3, 4]], [[1]]), tf.gather_nd([[1, 2], [3, 4]], [0, 1]), tf.gather_nd(["a", "b"], [[1]]), tf.gather_nd([[1, 2], [3, 4]], [[0], [1]], batch_dims=1), tf.gather_nd([1, 2], tf.zeros((0, 1), tf.int32)), tf.gather_nd([1, 2], [[]])

# message
tf.gather_nd([[1, 2], [3, 4]], [[0, 2]])

tf.gather_nd([1, 2], [[0, 0]])

tf.scatter_nd([[1], [3]], [9, 10], [5]), tf.scatter_nd([[0], [0]], [1, 2], [2]), tf.scatter_nd([[0, 1]], [5.], [2, 2]), tf.scatter_nd([[1]], [[1, 2]], [2, 2]), tf.scatter_nd(tf.zeros((0, 1), tf.int32), tf.zeros((0,)), [2])

tf.scatter_nd([[5]], [1], [2])

tf.scatter_nd([[0], [1]], [1, 2, 3], [4])

tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [9, 8]), tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [1, 1]), tf.tensor_scatter_nd_sub([1, 2], [[1]], [5]), tf.tensor_scatter_nd_max([1, 5], [[0], [1]], [3, 3]), tf.tensor_scatter_nd_min([1., 5.], [[0], [1]], [3., 3.]), tf.tensor_scatter_nd_update([[1, 2], [3, 4]], [[1]], [[7, 8]]), tf.tensor_scatter_nd_update(["a", "b"], [[0]], ["z"])

tf.tensor_scatter_nd_update([1, 2], [[5]], [1])

tf.tensor_scatter_nd_update([1, 2], [[0]], [1, 2])

tf.tensor_scatter_nd_update([1, 2], [[0]], [1.5])

tf.tensor_scatter_nd_update(tf.constant([1, 2]), [[0]], tf.constant([1.]))

tf.sort([3, 1, 2]), tf.sort([3., 1., 2.], direction="DESCENDING"), tf.sort([[3, 1], [2, 4]], axis=0), tf.sort([[3, 1]], axis=-1), tf.argsort([3, 1, 2]), tf.argsort([1, 1, 0], stable=True), tf.argsort([3., 1., 2.], direction="DESCENDING"), tf.argsort([[3, 1], [2, 4]], axis=0), tf.sort(tf.constant([3, 1], tf.uint8))

tf.sort([1, 2], direction="UP")

tf.sort([1, 2], axis=1)

tf.sort(5)

tf.sort(["b", "a"])

tf.sort([2., float("nan"), 1.]), tf.argsort([1, 1, 1], direction="DESCENDING")

tf.math.top_k([1, 3, 2], 2), tf.math.top_k([[1, 3, 2], [9, 7, 8]]), tf.nn.top_k([1., 1., 0.], k=2), tf.math.top_k([5, 5, 5], 2).indices, tf.math.top_k([1, 2], 0), tf.math.top_k([1, 2], k=2, index_type=tf.int64)

tf.math.top_k([1, 2], 3)

tf.math.top_k([1, 2], -1)

tf.math.top_k(5)

tf.unique([1, 1, 2, 4, 4]), tf.unique(["a", "b", "a"]), tf.unique_with_counts([5, 5, 1]), tf.unique([1.5, 1.5], out_idx=tf.int64), tf.unique([])

tf.unique([[1, 2]])

tf.searchsorted([1, 3, 5], [0, 3, 6]), tf.searchsorted([1., 3., 5.], [3.], side="right"), tf.searchsorted([[1, 3], [2, 4]], [[2], [5]]), tf.searchsorted([1, 2], [1], out_type=tf.int64)

tf.searchsorted([1, 2], [1], side="up")

tf.dynamic_partition([1, 2, 3, 4], [0, 1, 0, 1], 2), tf.dynamic_partition([[1, 2], [3, 4]], [1, 1], 2), tf.dynamic_partition([1], [0], 3)

tf.dynamic_partition([1, 2], [0, 5], 2)

tf.dynamic_stitch([[0, 2], [1]], [[1, 3], [2]]), tf.dynamic_stitch([0, [1, 2]], [[10, 11], [[20, 21], [30, 31]]]), tf.dynamic_stitch([[0], [0]], [[1], [2]])

tf.math.invert_permutation([2, 0, 1])

tf.math.invert_permutation([2, 2, 1])

tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1), tf.reverse_sequence([[1, 2], [3, 4]], [2, 1], seq_axis=0, batch_axis=1)

tf.histogram_fixed_width([-1., 0., 1.5, 2., 5., 15.], [0., 5.], nbins=5), tf.histogram_fixed_width([1, 2], [0, 4], 2, tf.int64), tf.histogram_fixed_width_bins([-1., 0., 1.5, 2., 5., 15.], [0., 5.], nbins=5)

tf.histogram_fixed_width([1.], [5., 0.])

tf.unravel_index([2, 5], [3, 3]), tf.unravel_index(4, [2, 3])

tf.unravel_index([9], [3, 3])

tf.nn.embedding_lookup(tf.constant([[1., 2.], [3., 4.]]), [1, 0]), tf.nn.embedding_lookup(tf.constant([[3., 4.]]), [0], max_norm=1.), tf.nn.embedding_lookup(params=tf.Variable([[1.], [2.]]), ids=[[0], [1]])

tf.nn.embedding_lookup([[1., 2.]], [5])

tf.gather(tf.constant([[1., 2.], [3., 4.]]), tf.argsort([3., 1.]), axis=0)

tf.approx_top_k([1., 3., 2.], k=2)
