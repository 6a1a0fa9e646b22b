# A function that was recorded with one value sees the next one, also where shapes, axes or lists are made of it.

f = tf.function(lambda x: tf.unique(x)[0])
f(tf.constant([1, 1, 2])), f(tf.constant([3, 4, 4])), f(tf.constant([5, 5, 5]))

f = tf.function(lambda p: tf.pad(tf.constant([1, 2]), p))
f(tf.constant([[1, 1]])), f(tf.constant([[0, 2]])), f(tf.constant([[0, 2]]))

f = tf.function(lambda a: tf.reduce_sum(tf.constant([[1, 2], [3, 5]]), axis=a))
f(tf.constant([0])), f(tf.constant([1])), f(tf.constant([1]))

f = tf.function(lambda s: tf.random.stateless_uniform((2,), s))
f(tf.constant([1, 2])), f(tf.constant([3, 4])), f(tf.constant([3, 4])), f(tf.constant([1, 2]))

f = tf.function(lambda x: x + tf.random.stateless_normal((2,), [1, 2]))
f(tf.constant([1., 2.])), f(tf.constant([1., 2.])), f(tf.constant([3., 4.]))

f = tf.function(lambda k: tf.linalg.diag_part(tf.constant([[1, 2], [3, 4]]), k=k))
f(tf.constant(0)), f(tf.constant(1)), f(tf.constant(1))

f = tf.function(lambda x: tf.nn.isotonic_regression(x)[0])
f(tf.constant([[1., 2.]])), f(tf.constant([[3., 2.]])), f(tf.constant([[3., 2.]]))

f = tf.function(lambda b: tf.image.draw_bounding_boxes(tf.zeros((1, 4, 4, 3)), b, None))
f(tf.constant([[[0., 0., 1., 1.]]])), f(tf.constant([[[0., 0., 0.5, 0.5]]])), f(tf.constant([[[0., 0., 0.5, 0.5]]]))

f = tf.function(lambda x: tf.math.invert_permutation(x))
f(tf.constant([1, 0, 2])), f(tf.constant([2, 1, 0])), f(tf.constant([2, 1, 0]))

f = tf.function(lambda s: tf.image.non_max_suppression([[0., 0., 1., 1.], [0., 0., 1., 1.]], s, 2))
f(tf.constant([1., 2.])), f(tf.constant([2., 1.])), f(tf.constant([2., 1.]))

f = tf.function(lambda x: tf.math.segment_sum(tf.constant([1, 2, 3]), x))
f(tf.constant([0, 0, 1])), f(tf.constant([0, 1, 1])), f(tf.constant([0, 1, 1]))

f = tf.function(lambda a, b: a ** b)
f(tf.constant([2, 3]), tf.constant([1, 2])), f(tf.constant([2, 3]), tf.constant([3, 0])), f(tf.constant([2, 3]), tf.constant([3, 0]))
