# Reductions: axes, dtypes, empty tensors, special values; running sums; arguments of extremes; segments.

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_sum(x), tf.math.reduce_sum(x, 0), tf.math.reduce_sum(x, axis=-1), tf.math.reduce_sum(x, [0, 2]), tf.math.reduce_sum(x, axis=(1,), keepdims=True), tf.math.reduce_sum(x, keepdims=True), tf.math.reduce_sum(x, [])

tf.math.reduce_sum(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_sum(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_sum(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_sum(tf.zeros((0, 3))), tf.math.reduce_sum(tf.zeros((0, 3)), 0), tf.math.reduce_sum(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_sum(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_sum(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_sum(tf.constant([1, 2, 4]))

tf.math.reduce_sum(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_sum(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_sum(tf.constant([1+2j, 2-1j]))

tf.math.reduce_sum(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_mean(x), tf.math.reduce_mean(x, 0), tf.math.reduce_mean(x, axis=-1), tf.math.reduce_mean(x, [0, 2]), tf.math.reduce_mean(x, axis=(1,), keepdims=True), tf.math.reduce_mean(x, keepdims=True), tf.math.reduce_mean(x, [])

tf.math.reduce_mean(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_mean(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_mean(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_mean(tf.zeros((0, 3))), tf.math.reduce_mean(tf.zeros((0, 3)), 0), tf.math.reduce_mean(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_mean(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_mean(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_mean(tf.constant([1, 2, 4]))

tf.math.reduce_mean(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_mean(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_mean(tf.constant([1+2j, 2-1j]))

tf.math.reduce_mean(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_max(x), tf.math.reduce_max(x, 0), tf.math.reduce_max(x, axis=-1), tf.math.reduce_max(x, [0, 2]), tf.math.reduce_max(x, axis=(1,), keepdims=True), tf.math.reduce_max(x, keepdims=True), tf.math.reduce_max(x, [])

tf.math.reduce_max(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_max(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_max(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_max(tf.zeros((0, 3))), tf.math.reduce_max(tf.zeros((0, 3)), 0), tf.math.reduce_max(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_max(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_max(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_max(tf.constant([1, 2, 4]))

tf.math.reduce_max(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_max(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_max(tf.constant([1+2j, 2-1j]))

tf.math.reduce_max(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_min(x), tf.math.reduce_min(x, 0), tf.math.reduce_min(x, axis=-1), tf.math.reduce_min(x, [0, 2]), tf.math.reduce_min(x, axis=(1,), keepdims=True), tf.math.reduce_min(x, keepdims=True), tf.math.reduce_min(x, [])

tf.math.reduce_min(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_min(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_min(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_min(tf.zeros((0, 3))), tf.math.reduce_min(tf.zeros((0, 3)), 0), tf.math.reduce_min(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_min(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_min(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_min(tf.constant([1, 2, 4]))

tf.math.reduce_min(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_min(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_min(tf.constant([1+2j, 2-1j]))

tf.math.reduce_min(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_prod(x), tf.math.reduce_prod(x, 0), tf.math.reduce_prod(x, axis=-1), tf.math.reduce_prod(x, [0, 2]), tf.math.reduce_prod(x, axis=(1,), keepdims=True), tf.math.reduce_prod(x, keepdims=True), tf.math.reduce_prod(x, [])

tf.math.reduce_prod(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_prod(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_prod(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_prod(tf.zeros((0, 3))), tf.math.reduce_prod(tf.zeros((0, 3)), 0), tf.math.reduce_prod(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_prod(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_prod(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_prod(tf.constant([1, 2, 4]))

tf.math.reduce_prod(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_prod(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_prod(tf.constant([1+2j, 2-1j]))

tf.math.reduce_prod(tf.constant(['a']))

x = tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]])
tf.math.reduce_any(x), tf.math.reduce_any(x, 0), tf.math.reduce_any(x, axis=-1), tf.math.reduce_any(x, [0, 2]), tf.math.reduce_any(x, axis=(1,), keepdims=True), tf.math.reduce_any(x, keepdims=True), tf.math.reduce_any(x, [])

tf.math.reduce_any(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=tf.constant([0, 1])), tf.math.reduce_any(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=tf.constant(1)), tf.math.reduce_any(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]])[0, 0, 0])

tf.math.reduce_any(tf.zeros((0, 3), tf.bool)), tf.math.reduce_any(tf.zeros((0, 3), tf.bool), 0), tf.math.reduce_any(tf.zeros((2, 0), tf.bool), axis=0)

# message
tf.math.reduce_any(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=3)

tf.math.reduce_any(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=[0, 0])

tf.math.reduce_any(tf.constant([1, 2, 4]))

tf.math.reduce_any(tf.constant([1+2j, 2-1j]))

tf.math.reduce_any(tf.constant(['a']))

x = tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]])
tf.math.reduce_all(x), tf.math.reduce_all(x, 0), tf.math.reduce_all(x, axis=-1), tf.math.reduce_all(x, [0, 2]), tf.math.reduce_all(x, axis=(1,), keepdims=True), tf.math.reduce_all(x, keepdims=True), tf.math.reduce_all(x, [])

tf.math.reduce_all(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=tf.constant([0, 1])), tf.math.reduce_all(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=tf.constant(1)), tf.math.reduce_all(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]])[0, 0, 0])

tf.math.reduce_all(tf.zeros((0, 3), tf.bool)), tf.math.reduce_all(tf.zeros((0, 3), tf.bool), 0), tf.math.reduce_all(tf.zeros((2, 0), tf.bool), axis=0)

# message
tf.math.reduce_all(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=3)

tf.math.reduce_all(tf.constant([[[True, False], [True, True]], [[False, False], [True, False]]]), axis=[0, 0])

tf.math.reduce_all(tf.constant([1, 2, 4]))

tf.math.reduce_all(tf.constant([1+2j, 2-1j]))

tf.math.reduce_all(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_variance(x), tf.math.reduce_variance(x, 0), tf.math.reduce_variance(x, axis=-1), tf.math.reduce_variance(x, [0, 2]), tf.math.reduce_variance(x, axis=(1,), keepdims=True), tf.math.reduce_variance(x, keepdims=True), tf.math.reduce_variance(x, [])

tf.math.reduce_variance(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_variance(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_variance(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_variance(tf.zeros((0, 3))), tf.math.reduce_variance(tf.zeros((0, 3)), 0), tf.math.reduce_variance(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_variance(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_variance(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_variance(tf.constant([1, 2, 4]))

tf.math.reduce_variance(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_variance(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_variance(tf.constant([1+2j, 2-1j]))

tf.math.reduce_variance(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_std(x), tf.math.reduce_std(x, 0), tf.math.reduce_std(x, axis=-1), tf.math.reduce_std(x, [0, 2]), tf.math.reduce_std(x, axis=(1,), keepdims=True), tf.math.reduce_std(x, keepdims=True), tf.math.reduce_std(x, [])

tf.math.reduce_std(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_std(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_std(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_std(tf.zeros((0, 3))), tf.math.reduce_std(tf.zeros((0, 3)), 0), tf.math.reduce_std(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_std(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_std(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_std(tf.constant([1, 2, 4]))

tf.math.reduce_std(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_std(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_std(tf.constant([1+2j, 2-1j]))

tf.math.reduce_std(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_logsumexp(x), tf.math.reduce_logsumexp(x, 0), tf.math.reduce_logsumexp(x, axis=-1), tf.math.reduce_logsumexp(x, [0, 2]), tf.math.reduce_logsumexp(x, axis=(1,), keepdims=True), tf.math.reduce_logsumexp(x, keepdims=True), tf.math.reduce_logsumexp(x, [])

tf.math.reduce_logsumexp(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_logsumexp(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_logsumexp(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_logsumexp(tf.zeros((0, 3))), tf.math.reduce_logsumexp(tf.zeros((0, 3)), 0), tf.math.reduce_logsumexp(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_logsumexp(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_logsumexp(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_logsumexp(tf.constant([1, 2, 4]))

tf.math.reduce_logsumexp(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_logsumexp(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_logsumexp(tf.constant([1+2j, 2-1j]))

tf.math.reduce_logsumexp(tf.constant(['a']))

x = tf.reshape(tf.range(8.) - 2., (2, 2, 2))
tf.math.reduce_euclidean_norm(x), tf.math.reduce_euclidean_norm(x, 0), tf.math.reduce_euclidean_norm(x, axis=-1), tf.math.reduce_euclidean_norm(x, [0, 2]), tf.math.reduce_euclidean_norm(x, axis=(1,), keepdims=True), tf.math.reduce_euclidean_norm(x, keepdims=True), tf.math.reduce_euclidean_norm(x, [])

tf.math.reduce_euclidean_norm(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant([0, 1])), tf.math.reduce_euclidean_norm(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=tf.constant(1)), tf.math.reduce_euclidean_norm(tf.reshape(tf.range(8.) - 2., (2, 2, 2))[0, 0, 0])

tf.math.reduce_euclidean_norm(tf.zeros((0, 3))), tf.math.reduce_euclidean_norm(tf.zeros((0, 3)), 0), tf.math.reduce_euclidean_norm(tf.zeros((2, 0)), axis=0)

# message
tf.math.reduce_euclidean_norm(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=3)

tf.math.reduce_euclidean_norm(tf.reshape(tf.range(8.) - 2., (2, 2, 2)), axis=[0, 0])

tf.math.reduce_euclidean_norm(tf.constant([1, 2, 4]))

tf.math.reduce_euclidean_norm(tf.constant([float('nan'), 1., float('inf')])), tf.math.reduce_euclidean_norm(tf.constant([float('-inf'), 1.], tf.float64))

tf.math.reduce_euclidean_norm(tf.constant([1+2j, 2-1j]))

tf.math.reduce_euclidean_norm(tf.constant(['a']))

# loose
tf.math.reduce_sum(tf.constant([100, 200, 5], tf.uint8)), tf.math.reduce_sum(tf.constant([100, 100, -5], tf.int8)), tf.math.reduce_sum(tf.constant([3, 4], tf.int64), 0), tf.math.reduce_sum(tf.constant([1.5, 2.], tf.float16)), tf.math.reduce_sum(tf.zeros((0,), tf.int32))

tf.math.reduce_sum([1., 2.]), tf.math.reduce_sum(np.array([1., 2.])), tf.math.reduce_sum(5.)

tf.math.reduce_sum(tf.constant([True, False]))

# loose
tf.math.reduce_mean(tf.constant([100, 200, 5], tf.uint8)), tf.math.reduce_mean(tf.constant([100, 100, -5], tf.int8)), tf.math.reduce_mean(tf.constant([3, 4], tf.int64), 0), tf.math.reduce_mean(tf.constant([1.5, 2.], tf.float16)), tf.math.reduce_mean(tf.zeros((0,), tf.int32))

tf.math.reduce_mean([1., 2.]), tf.math.reduce_mean(np.array([1., 2.])), tf.math.reduce_mean(5.)

tf.math.reduce_mean(tf.constant([True, False]))

# loose
tf.math.reduce_max(tf.constant([100, 200, 5], tf.uint8)), tf.math.reduce_max(tf.constant([100, 100, -5], tf.int8)), tf.math.reduce_max(tf.constant([3, 4], tf.int64), 0), tf.math.reduce_max(tf.constant([1.5, 2.], tf.float16)), tf.math.reduce_max(tf.zeros((0,), tf.int32))

tf.math.reduce_max([1., 2.]), tf.math.reduce_max(np.array([1., 2.])), tf.math.reduce_max(5.)

tf.math.reduce_max(tf.constant([True, False]))

# loose
tf.math.reduce_min(tf.constant([100, 200, 5], tf.uint8)), tf.math.reduce_min(tf.constant([100, 100, -5], tf.int8)), tf.math.reduce_min(tf.constant([3, 4], tf.int64), 0), tf.math.reduce_min(tf.constant([1.5, 2.], tf.float16)), tf.math.reduce_min(tf.zeros((0,), tf.int32))

tf.math.reduce_min([1., 2.]), tf.math.reduce_min(np.array([1., 2.])), tf.math.reduce_min(5.)

tf.math.reduce_min(tf.constant([True, False]))

# loose
tf.math.reduce_prod(tf.constant([100, 200, 5], tf.uint8)), tf.math.reduce_prod(tf.constant([100, 100, -5], tf.int8)), tf.math.reduce_prod(tf.constant([3, 4], tf.int64), 0), tf.math.reduce_prod(tf.constant([1.5, 2.], tf.float16)), tf.math.reduce_prod(tf.zeros((0,), tf.int32))

tf.math.reduce_prod([1., 2.]), tf.math.reduce_prod(np.array([1., 2.])), tf.math.reduce_prod(5.)

tf.math.reduce_prod(tf.constant([True, False]))

tf.argmax([1, 3, 2]), tf.argmax([[1, 5], [7, 2]]), tf.argmax([[1, 5], [7, 2]], axis=1), tf.argmax([[1, 5], [7, 2]], -1, output_type=tf.int32), tf.argmin([3, 1, 1]), tf.argmax([2, 2, 1]), tf.argmax([True, False]), tf.argmin([[3., 1.]], axis=-1)

tf.argmax([[1, 5], [7, 2]], axis=2)

tf.argmax(5)

tf.argmax(tf.zeros((0,)))

tf.argmax(tf.zeros((0, 3)), axis=1)

tf.cumsum([1, 2, 3]), tf.cumsum([1, 2, 3], exclusive=True), tf.cumsum([1, 2, 3], reverse=True), tf.cumsum([1, 2, 3], exclusive=True, reverse=True), tf.cumsum([[1, 2], [3, 4]], axis=1), tf.cumsum([[1., 2.], [3., 4.]], axis=-2), tf.cumsum(tf.constant([100, 100], tf.int8)), tf.cumsum(tf.zeros((0,)))

tf.math.cumprod([1, 2, 3]), tf.math.cumprod([2., 0., 3.], exclusive=True), tf.math.cumprod([2, 3], reverse=True), tf.math.cumprod([[1, 2], [3, 4]], axis=1, exclusive=True, reverse=True)

tf.cumsum([1, 2], axis=1)

tf.cumsum(5)

tf.math.cumulative_logsumexp([1., 2., 3.], exclusive=True), tf.math.cumulative_logsumexp([[1., 2.], [3., 4.]], axis=1, reverse=True)

tf.math.count_nonzero([0, 1, 2]), tf.math.count_nonzero([[0., 1.], [2., 0.]], axis=0), tf.math.count_nonzero(["", "a"]), tf.math.count_nonzero([[1, 0]], axis=1, keepdims=True, dtype=tf.int32), tf.math.count_nonzero([True, False])

tf.norm([3., 4.]), tf.norm([[3., 4.], [6., 8.]], axis=1), tf.norm([[1., 2.], [3., 4.]]), tf.norm([1., -2.], ord=1), tf.norm([1., -2.], ord=np.inf), tf.norm([[1., 2.], [3., 4.]], ord="fro", axis=[0, 1]), tf.norm([3., 4.], keepdims=True), tf.norm([[3., 4.]], axis=-1, keepdims=True), tf.norm([1., 2.], ord=3), tf.norm([1+1j])

tf.norm([[1., 2.], [3., 4.]], ord=2, axis=(0, 1)), tf.norm([[1., 2.], [3., 4.]], ord=1, axis=(-2, -1)), tf.norm([[1., 2.], [3., 4.]], ord=np.inf, axis=(-2, -1)), tf.linalg.norm([[[1., 2.], [3., 4.]]], ord="euclidean", axis=[1, 2])

tf.norm([1, 2])

tf.norm([1., 2.], ord="nope")

tf.norm([1., 2.], axis=3)

tf.norm([1., 2.], ord="fro")

tf.linalg.normalize([3., 4.]), tf.linalg.normalize([[3., 4.], [1., 0.]], axis=1), tf.linalg.normalize([1., 1.], ord=1)

tf.nn.moments(tf.constant([[1., 2.], [3., 5.]]), [0]), tf.nn.moments(tf.constant([[1., 2.], [3., 5.]]), axes=[0, 1], keepdims=True), tf.nn.moments(tf.constant([1, 2, 4]), 0)

# loose
tf.nn.moments(tf.constant([1., 2., 4.], tf.float16), [0])

tf.math.segment_sum([1, 2, 3, 4], [0, 0, 1, 3]), tf.math.segment_mean([1., 2., 3.], [0, 0, 1]), tf.math.segment_max([[1, 5], [2, 3], [9, 9]], [0, 0, 2]), tf.math.segment_min([1., 2.], [0, 1]), tf.math.segment_prod([2, 3, 4], [0, 0, 2]), tf.math.segment_sum(tf.zeros((0, 2)), tf.zeros((0,), tf.int32))

tf.math.segment_sum([1, 2], [1, 0])

tf.math.segment_sum([1, 2], [0])

tf.math.segment_sum([1, 2], [-1, 0])

tf.math.unsorted_segment_sum([1, 2, 3], [1, 0, 1], 3), tf.math.unsorted_segment_mean([1., 2., 3.], [2, 0, 2], 3), tf.math.unsorted_segment_max([1., 2.], [0, 0], 2), tf.math.unsorted_segment_min([1, 2], [0, 0], 2), tf.math.unsorted_segment_prod([2, 3], [0, 0], 2), tf.math.unsorted_segment_sum([[1, 2], [3, 4]], [[0, 1], [1, 0]], 2), tf.math.unsorted_segment_sum([1, 2], [-1, 0], 1)

tf.math.unsorted_segment_sqrt_n([1., 2., 3.], [0, 0, 1], 2), tf.math.unsorted_segment_sum(data=[1, 2], segment_ids=[0, 1], num_segments=tf.constant(2))

tf.math.unsorted_segment_sum([1, 2], [0, 5], 2)

tf.math.unsorted_segment_sum([1, 2], [0], 2)
