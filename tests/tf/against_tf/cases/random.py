# tf.random: the numbers are TensorFlow's own for the same seeds.

tf.random.set_seed(42)
tf.random.uniform((6,)), tf.random.normal((5,)), tf.random.uniform((2, 3), -1., 1.), tf.random.normal((2, 2), mean=5., stddev=2.), tf.random.truncated_normal((6,)), tf.random.uniform((4,), maxval=10, dtype=tf.int32), tf.random.uniform([], 0, 1)

tf.random.set_seed(7)
tf.random.uniform((3,), dtype=tf.float64), tf.random.normal((3,), dtype=tf.float64), tf.random.uniform((5,), 3, 2**40, tf.int64), tf.random.uniform((3,), dtype=tf.float16), tf.random.uniform((5,), -5, 5, tf.int32)

# loose
tf.random.normal((4,), dtype=tf.float16), tf.random.truncated_normal((3,), 1., 2., tf.float16)

tf.random.set_seed(42)
tf.random.uniform((3,), seed=7), tf.random.uniform((3,), seed=7), tf.random.normal((3,), seed=7), tf.random.uniform((3,), seed=8)

tf.random.set_seed(1)
a = tf.random.uniform((2,), seed=3)
tf.random.set_seed(1)
a - tf.random.uniform((2,), seed=3), tf.random.uniform((2,))

tf.random.set_seed(0)
tf.random.uniform((3,), seed=0), tf.random.normal((3,))

tf.random.set_seed(-3)
tf.random.uniform((3,), seed=2**31 + 5)

tf.random.shuffle(tf.range(10)), tf.random.shuffle([[1, 2], [3, 4], [5, 6]]), tf.random.shuffle(["a", "b", "c"]), tf.random.shuffle([1]), tf.random.shuffle(tf.zeros((0, 2)))

tf.random.shuffle(tf.range(7), seed=5), tf.random.shuffle(tf.range(7), seed=5)

tf.random.categorical(tf.math.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]), 7), tf.random.categorical([[0., 0.]], 3, dtype=tf.int32), tf.random.categorical(tf.zeros((1, 4)), 5, seed=3)

tf.random.stateless_uniform((5,), [1, 2]), tf.random.stateless_uniform((2, 2), seed=(3, 4), minval=-1., maxval=1.), tf.random.stateless_uniform((3,), [1, 2], 0, 10, tf.int32), tf.random.stateless_uniform((3,), [1, 2], minval=None, maxval=None, dtype=tf.int32), tf.random.stateless_uniform((3,), [1, 2], dtype=tf.float64), tf.random.stateless_uniform([], tf.constant([1, 2], tf.int64))

tf.random.stateless_normal((5,), [-1, 2]), tf.random.stateless_normal((3,), [2**40, 1], mean=2., stddev=0.5), tf.random.stateless_truncated_normal((9,), [1, 2]), tf.random.stateless_normal((3,), [5, 6], dtype=tf.float64), tf.random.stateless_categorical([[0., 1., 2.]], 6, [1, 2])

tf.random.split([1, 2]), tf.random.split([1, 2], 3), tf.random.fold_in([1, 2], 5), tf.random.experimental.stateless_split([3, 4], 2)

g = tf.random.Generator.from_seed(3)
g.uniform((3,)), g.normal((4,)), g.state, g.uniform((2,), 0, 10, tf.int32), g.truncated_normal((3,)), g.key, g.make_seeds(2), g.uniform_full_int((2,), tf.int32), g.state, g.algorithm

g = tf.random.Generator.from_seed(3)
a, b = g.split(2)
a.normal((2,)), b.normal((2,)), a.state, g.state

g = tf.random.Generator.from_seed(1)
g.uniform((2,))
h = tf.random.Generator.from_state(g.state, alg="philox")
g.skip(3)
g.reset_from_seed(9)
g.normal((2,)), h.normal((2,)), tf.random.create_rng_state(5, "philox"), tf.random.Generator.from_key_counter(key=4, counter=[1, 2], alg="philox").uniform((2,))

tf.random.set_seed(5)
tf.nn.dropout(tf.ones((8,)), 0.5), tf.nn.dropout(tf.ones((2, 4)), 0.3, seed=9), tf.nn.experimental.stateless_dropout(tf.ones((6,)), 0.5, seed=[1, 2])

tf.random.normal((3,), mean=tf.constant([1., 2., 3.]), stddev=tf.constant(0.)), tf.random.uniform((2,), minval=tf.constant(1.), maxval=tf.constant(2.)).shape

# shapes only
tf.random.gamma((3,), alpha=2.), tf.random.gamma((2,), [1., 2.], beta=[2., 3.]), tf.random.poisson((3,), 2.), tf.random.poisson((2,), [1., 5.]), tf.random.gamma([], 0.5)

# shapes only
tf.random.stateless_gamma((3,), [1, 2], alpha=2.), tf.random.stateless_poisson((3,), [1, 2], lam=2.), tf.random.stateless_binomial((3,), [1, 2], counts=10., probs=0.5), tf.random.experimental.stateless_shuffle(tf.range(5), seed=[1, 2]), tf.random.stateless_parameterized_truncated_normal((3,), [1, 2])

# shapes only
tf.random.log_uniform_candidate_sampler([[1], [2]], 1, 3, True, 10), tf.random.uniform_candidate_sampler([[1], [2]], 1, 3, False, 10), tf.random.all_candidate_sampler([[1], [2]], 1, 10, True)

# shapes only
tf.random.get_global_generator().normal((2,)), tf.random.Generator.from_non_deterministic_state().uniform((2,)), tf.random.Generator.from_seed(1).binomial([2], 5., 0.5)

tf.random.uniform((0, 3)), tf.random.normal((2, 0)).shape

tf.random.uniform(tf.constant([2, 1])), tf.random.uniform([tf.constant(2), 3]).shape, tf.random.normal(shape=tf.shape([1, 2]))

# message
tf.random.uniform((2,), 5, 1, tf.int32)

# message
tf.random.normal((-1,))

tf.random.normal((2,), dtype=tf.int32)

tf.random.uniform((2,), dtype=tf.int32)

tf.random.uniform((2,), dtype=tf.uint8, maxval=3)

tf.random.stateless_uniform((2,), [1, 2, 3])

tf.random.categorical([0., 0.], 3)

tf.random.Generator.from_seed(1, alg="no such")

tf.random.set_seed(3)
f = tf.function(lambda: tf.random.uniform((2,)))
a, b = f(), f()
bool(tf.reduce_any(a != b)), a.shape

tf.random.set_seed(3)
v = tf.random_normal_initializer(seed=1)((2, 3)).shape
v

tf.random.set_seed(11)
image = tf.reshape(tf.range(48.), (4, 4, 3))
tf.image.random_flip_left_right(image), tf.image.random_flip_up_down(image), tf.image.random_brightness(image, 0.3), tf.image.random_contrast(image, 0.5, 1.5), tf.image.random_crop(image, (2, 2, 3))
