# Gradients of the numeric functions, at usual and special points: `g(f, x...)` is the gradient of the sum of f.

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = [-1.5, -0.5, 0.5, 2.]
g(tf.abs, x), g(tf.negative, x), g(tf.square, x), g(tf.exp, x), g(tf.sin, x), g(tf.cos, x), g(tf.tan, x), g(tf.sinh, x), g(tf.cosh, x), g(tf.tanh, x), g(tf.atan, x), g(tf.asinh, x), g(tf.sigmoid, x), g(tf.math.erf, x), g(tf.math.erfc, x), g(tf.math.softplus, x), g(tf.math.softsign, x), g(tf.math.log_sigmoid, x), g(tf.math.expm1, x), g(tf.nn.relu, x), g(tf.nn.relu6, x), g(tf.nn.elu, x), g(tf.nn.selu, x), g(tf.nn.gelu, x), g(tf.nn.silu, x), g(tf.nn.leaky_relu, x), g(tf.sign, x), g(tf.floor, x), g(tf.round, x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = [0.3, 0.7, 0.9]
g(tf.sqrt, x), g(tf.math.rsqrt, x), g(tf.math.log, x), g(tf.math.log1p, x), g(tf.math.reciprocal, x), g(tf.asin, x), g(tf.acos, x), g(tf.atanh, x), g(tf.math.erfinv, x), g(tf.math.ndtri, x), g(tf.math.lgamma, x), g(tf.math.digamma, x), g(tf.math.bessel_i0, x), g(tf.math.bessel_i1e, x), g(tf.math.reciprocal_no_nan, x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.acosh, [1.5, 2.]), g(lambda x: tf.pow(x, 3.), [2., -1.]), g(lambda x: x ** 0.5, [4.]), g(lambda x: 2. ** x, [1., 2.]), g(tf.pow, [2., 3.], [1., 2.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
z = [0., 0.]
g(tf.sqrt, z), g(tf.abs, z), g(tf.nn.relu, z), g(tf.nn.relu6, z), g(tf.sign, z), g(tf.norm, z), g(tf.math.rsqrt, z), g(tf.nn.elu, z), g(tf.nn.leaky_relu, z), g(tf.math.log, z), g(tf.math.l2_normalize, z), g(tf.math.reduce_euclidean_norm, z), g(tf.nn.gelu, z), g(tf.math.reciprocal_no_nan, z), g(tf.math.reduce_std, z)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.nn.relu6, [6., 0.]), g(lambda x: tf.pow(x, 2.), [0.]), g(tf.pow, [0., 1.], [2., 2.]), g(lambda x: tf.math.xlogy(0., x), [0., 1.]), g(lambda x: tf.math.xlogy(x, x), [0., 1.]), g(lambda x: tf.math.divide_no_nan(x, x), [0., 2.]), g(lambda x: tf.math.multiply_no_nan(x, x), [0., 2.]), g(tf.atan2, [1., 0.], [2., -1.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.add, [1., 2., 3.], [2., 2., 2.]), g(tf.add, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.add(x, 2.), [1., 2., 3.]), g(lambda x: tf.add(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.subtract, [1., 2., 3.], [2., 2., 2.]), g(tf.subtract, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.subtract(x, 2.), [1., 2., 3.]), g(lambda x: tf.subtract(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.multiply, [1., 2., 3.], [2., 2., 2.]), g(tf.multiply, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.multiply(x, 2.), [1., 2., 3.]), g(lambda x: tf.multiply(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.divide, [1., 2., 3.], [2., 2., 2.]), g(tf.divide, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.divide(x, 2.), [1., 2., 3.]), g(lambda x: tf.divide(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.maximum, [1., 2., 3.], [2., 2., 2.]), g(tf.maximum, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.maximum(x, 2.), [1., 2., 3.]), g(lambda x: tf.maximum(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.minimum, [1., 2., 3.], [2., 2., 2.]), g(tf.minimum, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.minimum(x, 2.), [1., 2., 3.]), g(lambda x: tf.minimum(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.math.squared_difference, [1., 2., 3.], [2., 2., 2.]), g(tf.math.squared_difference, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.math.squared_difference(x, 2.), [1., 2., 3.]), g(lambda x: tf.math.squared_difference(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.math.floordiv, [1., 2., 3.], [2., 2., 2.]), g(tf.math.floordiv, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.math.floordiv(x, 2.), [1., 2., 3.]), g(lambda x: tf.math.floordiv(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.math.mod, [1., 2., 3.], [2., 2., 2.]), g(tf.math.mod, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.math.mod(x, 2.), [1., 2., 3.]), g(lambda x: tf.math.mod(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.math.divide_no_nan, [1., 2., 3.], [2., 2., 2.]), g(tf.math.divide_no_nan, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.math.divide_no_nan(x, 2.), [1., 2., 3.]), g(lambda x: tf.math.divide_no_nan(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.math.xdivy, [1., 2., 3.], [2., 2., 2.]), g(tf.math.xdivy, [[1.], [2.]], [3., 4., 1.]), g(lambda x: tf.math.xdivy(x, 2.), [1., 2., 3.]), g(lambda x: tf.math.xdivy(2., x), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = [[1., 3., 3.], [2., 2., 0.]]
g(lambda x: tf.reduce_sum(x), x), g(lambda x: tf.reduce_sum(x, 1), x), g(lambda x: tf.reduce_sum(x, [0], True), x), g(lambda x: tf.reduce_mean(x), x), g(lambda x: tf.reduce_mean(x, 1), x), g(lambda x: tf.reduce_mean(x, [0], True), x), g(lambda x: tf.reduce_max(x), x), g(lambda x: tf.reduce_max(x, 1), x), g(lambda x: tf.reduce_max(x, [0], True), x), g(lambda x: tf.reduce_min(x), x), g(lambda x: tf.reduce_min(x, 1), x), g(lambda x: tf.reduce_min(x, [0], True), x), g(lambda x: tf.reduce_prod(x), x), g(lambda x: tf.reduce_prod(x, 1), x), g(lambda x: tf.reduce_prod(x, [0], True), x), g(lambda x: tf.reduce_logsumexp(x), x), g(lambda x: tf.reduce_logsumexp(x, 1), x), g(lambda x: tf.reduce_logsumexp(x, [0], True), x), g(lambda x: tf.math.reduce_variance(x), x), g(lambda x: tf.math.reduce_variance(x, 1), x), g(lambda x: tf.math.reduce_variance(x, [0], True), x), g(lambda x: tf.math.reduce_std(x), x), g(lambda x: tf.math.reduce_std(x, 1), x), g(lambda x: tf.math.reduce_std(x, [0], True), x), g(lambda x: tf.math.reduce_euclidean_norm(x), x), g(lambda x: tf.math.reduce_euclidean_norm(x, 1), x), g(lambda x: tf.math.reduce_euclidean_norm(x, [0], True), x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(tf.reduce_prod, [0., 2., 3.]), g(tf.reduce_prod, [0., 0., 3.]), g(lambda x: tf.reduce_prod(x, 1), [[0., 2.], [3., 4.]]), g(tf.math.cumprod, [1., 2., 3.]), g(lambda x: tf.cumsum(x, exclusive=True, reverse=True), [1., 2., 3.]), g(tf.math.cumulative_logsumexp, [1., 2., 3.]), g(lambda x: tf.norm(x, ord=1), [1., -2., 0.]), g(lambda x: tf.norm(x, axis=1), [[3., 4.]]), g(lambda x: tf.norm(x, ord=np.inf), [1., -2., 2.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
nan = float('nan')
g(lambda x: tf.where(x > 0, tf.math.log(x), 0.), [-1., 2.]), g(lambda x: tf.where(x > 0, x, tf.zeros_like(x)), [1., -1.]), g(lambda x: tf.where(tf.constant([True, False]), tf.sqrt(x), x), [0., 1.]), g(lambda x, y: tf.where(tf.constant([True, False]), x, y), [1., 2.], 3.)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(lambda x: tf.clip_by_value(x, 0., 1.), [-1., 0., 0.5, 1., 2.]), g(lambda x: tf.clip_by_norm(x, 1.), [3., 4.]), g(lambda x: tf.clip_by_norm(x, 10.), [3., 4.]), g(lambda x: tf.clip_by_global_norm([x, 2. * x], 1.)[0], [3., 4.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = [[3., 1., 2.], [1., 1., 0.]]
g(tf.sort, x), g(lambda x: tf.sort(x, 0, 'DESCENDING'), x), g(lambda x: tf.math.top_k(x, 2)[0], x), g(lambda x: tf.gather(x * 1., [1, 1, 0]), x), g(lambda x: tf.gather(x, [2, 2], axis=1), x), g(lambda x: tf.gather_nd(x, [[0, 1], [0, 1]]), x), g(lambda x: tf.boolean_mask(x, x > 1.), x), g(lambda x: x[:, 1:], x), g(lambda x: x[::-1, ::2], x), g(lambda x: x[..., None, 0], x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(lambda x: tf.math.segment_sum(x, [0, 0, 1]), [1., 2., 3.]), g(lambda x: tf.math.segment_mean(x, [0, 0, 2]), [1., 2., 3.]), g(lambda x: tf.math.segment_max(x, [0, 0, 1]), [1., 2., 3.]), g(lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 2), [1., 2., 3.]), g(lambda x: tf.math.unsorted_segment_mean(x, [1, 0, 1], 2), [1., 2., 3.]), g(lambda x: tf.math.unsorted_segment_max(x, [1, 0, 1], 3), [1., 2., 3.]), g(lambda x: tf.math.unsorted_segment_prod(x, [1, 0, 1], 2), [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(lambda x, u: tf.tensor_scatter_nd_update(x, [[0], [2]], u), [1., 2., 3.], [5., 6.]), g(lambda x, u: tf.tensor_scatter_nd_add(x, [[0], [0]], u), [1., 2., 3.], [5., 6.]), g(lambda u: tf.scatter_nd([[1], [1]], u, [3]), [5., 6.]), g(lambda x, u: tf.tensor_scatter_nd_max(x, [[0], [2]], u), [1., 2., 3.], [5., 1.]), g(lambda a, b: tf.dynamic_stitch([[0, 2], [1]], [a, b]), [1., 2.], [3.]), g(lambda x: tf.dynamic_partition(x, [0, 1, 0], 2)[0], [1., 2., 3.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = [[1., 2.], [3., 4.]]
g(tf.transpose, x), g(lambda x: tf.reshape(x, [4]), x), g(lambda x: tf.tile(x, [2, 1]), x), g(lambda x: tf.pad(x, [[1, 1], [0, 1]], 'REFLECT' if False else 'CONSTANT'), x), g(lambda x: tf.pad(x, [[1, 0], [0, 1]], 'SYMMETRIC'), x), g(lambda x: tf.concat([x, x], 1), x), g(lambda x: tf.stack([x, 2. * x]), x), g(lambda x: tf.unstack(x)[0], x), g(lambda x: tf.split(x, 2, 1)[1], x), g(lambda x: tf.repeat(x, [1, 2], axis=0), x), g(lambda x: tf.reverse(x, [1]), x), g(lambda x: tf.roll(x, 1, 0), x), g(lambda x: tf.broadcast_to(x, [2, 2, 2]), x), g(lambda x: tf.squeeze(x[None]), x), g(lambda x: tf.expand_dims(x, 0), x), g(lambda x: tf.linalg.band_part(x, 0, -1), x), g(tf.linalg.diag_part, x), g(tf.linalg.trace, x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x, y = [[2., 1.], [1., 3.]], [[1.], [2.]]
g(tf.matmul, x, y), g(lambda a, b: tf.matmul(a, b, transpose_a=True), x, y), g(tf.linalg.det, x), g(tf.linalg.inv, x), g(tf.linalg.solve, x, y), g(lambda a, b: tf.einsum('ij,jk->ik', a, b), x, y), g(lambda a, b: tf.tensordot(a, b, 1), x, y), g(tf.linalg.logdet, x), g(lambda a: tf.linalg.slogdet(a)[1], x), g(tf.linalg.eigvalsh, x), g(lambda a: tf.linalg.svd(a, compute_uv=False), x), g(tf.linalg.expm, x), g(lambda a, b: tf.linalg.triangular_solve(a, b), x, y), g(tf.linalg.diag, [1., 2.]), g(lambda a: tf.linalg.set_diag(a, tf.constant([9., 9.])), x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = [[2., 1.], [1., 3.]]
g(lambda a: tf.linalg.cholesky(tf.matmul(a, a, transpose_b=True)), x), g(lambda a: tf.abs(tf.linalg.qr(a)[1]), x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = [[1., 2., 0.5], [0., -1., 3.]]
g(tf.nn.softmax, x), g(tf.nn.log_softmax, x), g(lambda x: tf.nn.softmax(x, 0), x), g(lambda x: tf.nn.softmax_cross_entropy_with_logits([[0., 1., 0.], [0.5, 0.5, 0.]], x), x), g(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], x), x), g(lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x), x), x), g(lambda y: tf.nn.softmax_cross_entropy_with_logits(y, [[1., 2.]]), [[0.3, 0.7]]), g(lambda y, x: tf.nn.sigmoid_cross_entropy_with_logits(y, x), [0.3, 1.], [0., 2.]), g(lambda x: tf.nn.weighted_cross_entropy_with_logits(tf.ones_like(x), x, 2.), x), g(tf.nn.l2_loss, x), g(lambda x: tf.nn.l2_normalize(x, 1), x), g(lambda x: tf.nn.moments(x, [0]), x), g(lambda x: tf.nn.log_poisson_loss(tf.ones_like(x), x), x)

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.constant([0., 1.]), x), [0., 0.]), g(lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.constant([0., 1.]), x), [1000., -1000.]), g(tf.nn.softmax, [[1000., 0.]]), g(tf.sigmoid, [100., -100.]), g(tf.tanh, [30.]), g(tf.math.softplus, [100., -100.])

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
x = tf.reshape(tf.sin(tf.range(16.)), (1, 4, 4, 1))
g(lambda x: tf.nn.local_response_normalization(x), tf.reshape(x, (1, 2, 2, 4))), g(lambda x: tf.nn.depth_to_space(x, 2), tf.reshape(x, (1, 2, 2, 4))), g(lambda x: tf.nn.avg_pool2d(x, 2, 1, 'SAME'), x), g(lambda x: tf.image.resize(x, (2, 3)), x), g(lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], 'SAME'), x, tf.ones((2, 2, 1, 2))), g(lambda x, w: tf.nn.conv2d_transpose(x, w, [1, 8, 8, 1], 2), x, tf.ones((2, 2, 1, 1)))

def g(f, *xs):
    v = [tf.Variable(x) for x in xs]
    with tf.GradientTape() as t:
        y = sum(tf.reduce_sum(p * tf.reshape(tf.cos(tf.range(float(tf.size(p)))), tf.shape(p))) for p in tf.nest.flatten(f(*v)))
    return t.gradient(y, v)
g(lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32), [1., 2.]), g(tf.identity, [1.]), g(lambda x: tf.stop_gradient(x) * x, [2., 3.]), g(lambda x: tf.complex(x, x), [1., 2.]) if False else 0, g(lambda x: tf.math.real(tf.complex(x, 2. * x) ** 2), [1., 2.]), g(lambda x: tf.abs(tf.complex(x, 2. * x)), [1., 2.]), g(lambda x: tf.one_hot([0, 1], 2) * x, [1., 2.]), g(lambda x: tf.linspace(x, 2. * x, 3), [1.]), g(lambda x: tf.fill([2, 2], x), 3.), g(lambda x: tf.meshgrid(x, x), [1., 2.]), g(lambda x: tf.eye(2) * x, 2.)
