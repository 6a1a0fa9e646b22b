# tf.nn: activations, losses on logits, normalisation, dropout, tables, candidates.

x = tf.constant([-3., -1., -0.5, 0., 0.5, 2., 7.])
tf.nn.relu(x), tf.nn.relu6(x), tf.nn.elu(x), tf.nn.selu(x), tf.nn.leaky_relu(x), tf.nn.leaky_relu(x, alpha=0.1), tf.nn.gelu(x), tf.nn.gelu(x, approximate=True), tf.nn.silu(x), tf.nn.swish(x, 2.), tf.nn.softplus(x), tf.nn.softsign(x), tf.nn.sigmoid(x), tf.nn.tanh(x), tf.nn.crelu(x)

tf.nn.relu([-1, 2]), tf.nn.relu6([-1, 9]), tf.nn.leaky_relu([-10, 5]), tf.nn.relu(tf.constant([-1., 1.], tf.float64))

# loose
tf.nn.relu(tf.constant([-1., 1.], tf.float16)), tf.nn.gelu(tf.constant([-1., 1.], tf.float16)), tf.nn.softmax(tf.constant([-1., 1.], tf.float16))

tf.nn.elu([1, 2])

tf.nn.gelu([1, 2])

tf.nn.relu(tf.constant([float("nan"), float("inf")])), tf.nn.softplus(tf.constant([1000., -1000.])), tf.math.log_sigmoid(tf.constant([1000., -1000.]))

tf.nn.softmax([1., 2., 3.]), tf.nn.softmax([[1., 2.], [3., 5.]], axis=0), tf.nn.softmax([[1000., 1000.]]), tf.nn.log_softmax([1., 2., 3.]), tf.nn.log_softmax([[1., 2.], [3., 5.]], axis=0), tf.nn.softmax(tf.zeros((0, 3))), tf.math.softmax([1., 2.]), tf.nn.softmax([[1., float("-inf")]])

tf.nn.softmax_cross_entropy_with_logits(labels=[[0., 1.], [0.5, 0.5]], logits=[[1., 2.], [3., 1.]]), tf.nn.softmax_cross_entropy_with_logits([[0., 1.]], [[100., -100.]]), tf.nn.softmax_cross_entropy_with_logits([[[0.], [1.]]], [[[1.], [2.]]], axis=1)

tf.nn.softmax_cross_entropy_with_logits([1., 0.], [[1., 2.], [1., 2.]])

tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=[[1., 2.], [3., 1.]]), tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1], [0]], logits=[[[1., 2.]], [[3., 1.]]]), tf.nn.sparse_softmax_cross_entropy_with_logits(1, [1., 2.])

tf.nn.sigmoid_cross_entropy_with_logits(labels=[0., 1., 0.5], logits=[1., -2., 300.]), tf.nn.weighted_cross_entropy_with_logits(labels=[0., 1., 0.5], logits=[1., -2., 3.], pos_weight=2.)

tf.nn.log_poisson_loss([1., 2., 0.], [0.5, 1., 0.]), tf.nn.log_poisson_loss([1., 2., 0.], [0.5, 1., 0.], compute_full_loss=True)

tf.nn.l2_loss([3., 4.]), tf.nn.zero_fraction([0., 1.]), tf.nn.compute_average_loss([1., 2., 3.]), tf.nn.compute_average_loss([1., 2.], sample_weight=[1., 0.], global_batch_size=4), tf.nn.scale_regularization_loss([1., 2.])

tf.nn.bias_add([[1., 2.]], [10., 20.]), tf.nn.bias_add(tf.ones((1, 2, 2, 2)), [1., 2.], data_format="NCHW"), tf.nn.bias_add([[1, 2]], [10, 20])

tf.nn.batch_normalization(tf.constant([[1., 2.], [3., 4.]]), mean=tf.constant([2., 3.]), variance=tf.constant([1., 4.]), offset=tf.constant([0.5, 0.]), scale=tf.constant([2., 1.]), variance_epsilon=1e-3), tf.nn.batch_normalization(tf.constant([1., 2.]), 1.5, 0.25, None, None, 0.)

tf.nn.local_response_normalization(tf.reshape(tf.range(16.), (1, 2, 2, 4))), tf.nn.local_response_normalization(tf.reshape(tf.range(16.), (1, 2, 2, 4)), depth_radius=1, bias=2., alpha=0.5, beta=0.75), tf.nn.lrn(tf.reshape(tf.range(16.), (1, 2, 2, 4)), 2)

tf.nn.weighted_moments(tf.constant([[1., 2.], [3., 5.]]), [0], [[1.], [3.]]), tf.nn.sufficient_statistics(tf.constant([1., 2., 4.]), [0]), tf.nn.normalize_moments(tf.constant(3.), tf.constant([6.]), tf.constant([20.]), None)

tf.nn.batch_norm_with_global_normalization(tf.ones((1, 2, 2, 2)), tf.constant([0.5, 1.]), tf.constant([1., 2.]), tf.constant([0.1, 0.2]), tf.constant([1., 2.]), 1e-3, True)

tf.nn.dropout(tf.ones((3,)), rate=0.), tf.nn.dropout([1., 2.], 0)

# shapes only
tf.nn.dropout(tf.ones((3, 4)), rate=0.5), tf.nn.dropout(tf.ones((3, 4)), 0.3, noise_shape=[3, 1]), tf.nn.experimental.stateless_dropout(tf.ones((2,)), 0.5, seed=[1, 2])

sorted(set(tf.nn.dropout(tf.ones((100,)), rate=0.5).numpy().tolist()))

tf.nn.dropout([1, 2], 0.5)

tf.nn.embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.], [5., 6.]]), tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2]), None, combiner="mean"), tf.nn.embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.], [5., 6.]]), tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2]), tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1., 3., 2.], [2, 2]), combiner="sqrtn")

tf.nn.safe_embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.]]), tf.SparseTensor([[0, 0], [2, 0]], tf.constant([1, 0], tf.int64), [3, 1]), combiner="sum")

tf.nn.collapse_repeated(tf.constant([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]]), tf.constant([5, 4]))

tf.nn.ctc_loss(labels=tf.constant([[1, 2], [2, 0]]), logits=tf.reshape(tf.sin(tf.range(24.)), (4, 2, 3)), label_length=[2, 1], logit_length=[4, 3], blank_index=0), tf.nn.ctc_loss(tf.constant([[1, 2]]), tf.reshape(tf.cos(tf.range(12.)), (1, 4, 3)), [2], [4], logits_time_major=False, blank_index=0)

tf.nn.ctc_loss(labels=tf.constant([[0, 1]]), logits=tf.reshape(tf.sin(tf.range(12.)), (4, 1, 3)), label_length=[2], logit_length=[4], blank_index=-1)

d, p = tf.nn.ctc_greedy_decoder(tf.reshape(tf.sin(tf.range(24.)), (4, 2, 3)), [4, 3])
d, p

d, p = tf.nn.ctc_beam_search_decoder(tf.reshape(tf.sin(tf.range(24.)), (4, 2, 3)), [4, 3], beam_width=10, top_paths=2)
d, p

# shapes only
tf.nn.nce_loss(tf.ones((10, 4)), tf.zeros((10,)), tf.constant([[1], [2]]), tf.ones((2, 4)), num_sampled=3, num_classes=10), tf.nn.sampled_softmax_loss(tf.ones((10, 4)), tf.zeros((10,)), tf.constant([[1], [2]]), tf.ones((2, 4)), num_sampled=3, num_classes=10)

tf.nn.sampled_softmax_loss(tf.reshape(tf.sin(tf.range(12.)), (4, 3)), tf.constant([0.1, 0.2, 0.3, 0.4]), tf.constant([[1], [2]]), tf.reshape(tf.cos(tf.range(6.)), (2, 3)), 3, 4, sampled_values=(tf.constant([0, 3, 2], tf.int64), tf.constant([[0.4], [0.3]]), tf.constant([0.5, 0.2, 0.3])))

tf.nn.nce_loss(tf.reshape(tf.sin(tf.range(12.)), (4, 3)), tf.constant([0.1, 0.2, 0.3, 0.4]), tf.constant([[1], [2]]), tf.reshape(tf.cos(tf.range(6.)), (2, 3)), 3, 4, sampled_values=(tf.constant([0, 3, 2], tf.int64), tf.constant([[0.4], [0.3]]), tf.constant([0.5, 0.2, 0.3])))

tf.nn.isotonic_regression(tf.constant([[3., 1., 2., 5.]]), decreasing=False), tf.nn.isotonic_regression(tf.constant([[3., 1., 2., 5.]]))
