# Differentiation, as the autodiff guides use it.

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
tape.gradient(y, x)

w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2), name='w')
b = tf.Variable(tf.zeros(2, dtype=tf.float32), name='b')
x = [[1., 2., 3.]]
with tf.GradientTape(persistent=True) as tape:
    y = x @ w + b
    loss = tf.reduce_mean(y**2)
[dl_dw, dl_db] = tape.gradient(loss, [w, b])
grad = tape.gradient(loss, {'w': w, 'b': b})
dl_dw, dl_db, grad

x0 = tf.Variable(3.0, name='x0')
x1 = tf.Variable(3.0, name='x1', trainable=False)
x2 = tf.Variable(2.0, name='x2') + 1.0
x3 = tf.constant(3.0, name='x3')
with tf.GradientTape() as tape:
    y = (x0**2) + (x1**2) + (x2**2)
grad = tape.gradient(y, [x0, x1, x2, x3])
grad, [var.name for var in tape.watched_variables()]

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**2
tape.gradient(y, x)

x0 = tf.Variable(0.0)
x1 = tf.Variable(10.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(x1)
    y0 = tf.math.sin(x0)
    y1 = tf.nn.softplus(x1)
    y = y0 + y1
    ys = tf.reduce_sum(y)
grad = tape.gradient(ys, {'x0': x0, 'x1': x1})
grad

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
    z = y * y
tape.gradient(z, y)

x = tf.constant([1, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    z = y * y
tape.gradient(z, x), tape.gradient(y, x)

x = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    y0 = x**2
    y1 = 1 / x
tape.gradient(y0, x), tape.gradient(y1, x)

x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y0 = x**2
    y1 = 1 / x
tape.gradient({'y0': y0, 'y1': y1}, x)

x = tf.Variable(2.)
with tf.GradientTape() as tape:
    y = x * [3., 4.]
tape.gradient(y, x)

x = tf.linspace(-10.0, 10.0, 11)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.sigmoid(x)
tape.gradient(y, x)

x = tf.constant(1.0)
v0 = tf.Variable(2.0)
v1 = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    if x > 0.0:
        result = v0
    else:
        result = v1**2
tape.gradient(result, [v0, v1]), tape.gradient(result, x)

x = tf.Variable(2.)
y = tf.Variable(3.)
with tf.GradientTape() as tape:
    z = y * y
tape.gradient(z, x)

x = tf.Variable(2.0)
out = []
for epoch in range(2):
    with tf.GradientTape() as tape:
        y = x + 1
    out.append((type(x).__name__ == 'Tensor', tape.gradient(y, x)))
    x = x + 1
[o[1] for o in out]

x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
with tf.GradientTape() as tape:
    x2 = x**2
    y = np.mean(x2, axis=0)
    y = tf.reduce_mean(y, axis=0)
tape.gradient(y, x)

x = tf.constant(10)
with tf.GradientTape() as g:
    g.watch(x)
    y = x * x
g.gradient(y, x)

x0 = tf.Variable(3.0)
x1 = tf.Variable(0.0)
with tf.GradientTape() as tape:
    x1.assign_add(x0)
    y = x1**2
tape.gradient(y, x0)

x0 = tf.Variable(3.0)
x1 = tf.Variable(0.0)
with tf.GradientTape() as tape:
    x1.assign_add(x0)
    y = x1**2
tape.gradient(y, x1)

x = tf.Variable([2., 2.])
y = tf.Variable(3.)
with tf.GradientTape() as tape:
    z = y**2
tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)

x = tf.Variable([2., 2.])
y = tf.Variable(3.)
with tf.GradientTape() as tape:
    z = y**2
tape.gradient(z, x, unconnected_gradients='zero')

# A variable changed after its use: the gradient is that of the recorded values.

v = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = v * v
v.assign(10.0)
tape.gradient(y, v)

v = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = v * v
    v.assign(5.0)
    z = v * v + y
tape.gradient(z, v)

v = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.square(v)
    v.assign_add(1.0)
    y = y * v
    v.assign_sub(2.0)
    y = y * v
tape.gradient(y, v), v

v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(v * v)
    v[0].assign(7.0)
    z = tf.reduce_sum(v * v)
tape.gradient([y, z], v), v

v = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(v ** 3)
v.scatter_nd_update([[1]], [10.0])
tape.gradient(y, v), v

v = tf.Variable(2.0)
o = tf.keras.optimizers.SGD(0.5)
with tf.GradientTape(persistent=True) as tape:
    y = v ** 3
g1 = tape.gradient(y, v)
o.apply_gradients([(g1, v)])
g2 = tape.gradient(y, v)
o.apply_gradients([(g2, v)])
g1, g2, v

v = tf.Variable([[2.0, 1.0], [1.0, 3.0]])
w = tf.Variable([[1.0], [2.0]])
o = tf.keras.optimizers.Adam(0.5)
with tf.GradientTape(persistent=True) as tape:
    y = tf.reduce_sum(tf.matmul(v, w) ** 2)
    z = tf.reduce_sum(tf.matmul(v, w))
o.apply_gradients([(tape.gradient(y, v), v)])
g = tape.gradient(z, w)
g, v

v = tf.Variable(3.0)
a = v.value()
b = v.read_value()
c = tf.identity(v)
d = tf.convert_to_tensor(v)
v.assign(9.0)
a, b, c, d, v

v = tf.Variable([1.0, 2.0])
a = v[0]
b = v[:]
c = tf.reshape(v, [2, 1])
d = tf.stop_gradient(v)
e = tf.transpose(v)
f = tf.squeeze(v)
g = tf.expand_dims(v, 0)
v.assign([5.0, 6.0])
a, b, c, d, e, f, g

v = tf.Variable(2.0)
with tf.GradientTape() as tape:
    for i in range(3):
        v.assign(v * v)
    y = v * 3.0
tape.gradient(y, v)

# Advanced autodiff

x = tf.Variable(2.0)
y = tf.Variable(3.0)
with tf.GradientTape() as t:
    x_sq = x * x
    with t.stop_recording():
        y_sq = y * y
    z = x_sq + y_sq
t.gradient(z, {'x': x, 'y': y})

x = tf.Variable(2.0)
y = tf.Variable(3.0)
reset = True
with tf.GradientTape() as t:
    y_sq = y * y
    if reset:
        t.reset()
    z = x * x + y_sq
t.gradient(z, {'x': x, 'y': y})

x = tf.Variable(2.0)
y = tf.Variable(3.0)
with tf.GradientTape() as t:
    y_sq = y**2
    z = x**2 + tf.stop_gradient(y_sq)
t.gradient(z, {'x': x, 'y': y})

@tf.custom_gradient
def clip_gradients(y):
    def backward(dy):
        return tf.clip_by_norm(dy, 0.5)
    return y, backward
v = tf.Variable(2.0)
with tf.GradientTape() as t:
    output = clip_gradients(v * v)
t.gradient(output, v)

@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))
    return tf.math.log(1 + e), grad
x = tf.constant(100.)
with tf.GradientTape() as t:
    t.watch(x)
    y = log1pexp(x)
t.gradient(y, x)

@tf.custom_gradient
def bar(x, y):
    def grad(upstream):
        dz_dx = y
        dz_dy = x
        return upstream * dz_dx, upstream * dz_dy
    z = x * y
    return z, grad
a = tf.constant(2.0)
b = tf.constant(3.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch([a, b])
    c = bar(a, b)
c, tape.gradient(c, a), tape.gradient(c, b)

@tf.custom_gradient
def op(x):
    y = x ** 2
    @tf.custom_gradient
    def grad_fn(dy):
        def grad_grad(ddy):
            return ddy * 100.0
        return dy * 2 * x, grad_grad
    return y, grad_fn
x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = op(x)
t.gradient(y, x)

w = tf.Variable(2.0)
@tf.custom_gradient
def scaled(x):
    y = x * w
    def grad(dy, variables=None):
        return dy * 10.0, [dy * 20.0 for _ in variables]
    return y, grad
x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = scaled(x)
t.gradient(y, [x, w])

w = tf.Variable(2.0)
@tf.custom_gradient
def scaled(x):
    y = x * w
    def grad(dy):
        return dy * 10.0
    return y, grad
x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = scaled(x)
t.gradient(y, [x, w])

@tf.custom_gradient
def two(x, y):
    def grad(da, db):
        return da * 2.0 + db, da + db * 3.0
    return (x + y, x * y), grad
x, y = tf.constant(2.0), tf.constant(5.0)
with tf.GradientTape() as t:
    t.watch([x, y])
    a, b = two(x, y)
    s = a + 10.0 * b
a, b, t.gradient(s, [x, y])

@tf.custom_gradient
def f(x):
    def grad(dy):
        return None
    return x * 2.0, grad
x = tf.constant(2.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = f(x)
t.gradient(y, x)

f = tf.grad_pass_through(lambda x: tf.round(x))
x = tf.Variable(1.7)
with tf.GradientTape() as t:
    y = f(x) * 3.0
y, t.gradient(y, x)

f = tf.recompute_grad(lambda x: tf.sin(x) * tf.cos(x))
x = tf.Variable([0.5, 1.5])
with tf.GradientTape() as t:
    y = f(x)
y, t.gradient(y, x)

x0 = tf.constant(0.0)
x1 = tf.constant(0.0)
with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
    tape0.watch(x0)
    tape1.watch(x1)
    y0 = tf.math.sin(x0)
    y1 = tf.nn.sigmoid(x1)
    y = y0 + y1
    ys = tf.reduce_sum(y)
tape0.gradient(ys, x0), tape1.gradient(ys, x1)

x = tf.Variable(1.0)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = x * x * x
    dy_dx = t1.gradient(y, x)
d2y_dx2 = t2.gradient(dy_dx, x)
dy_dx, d2y_dx2

x = tf.constant([[0.1, -0.2], [0.3, 0.4]])
layer = tf.Variable([[0.5, -0.3], [0.2, 0.7]])
with tf.GradientTape() as t2:
    with tf.GradientTape(watch_accessed_variables=False) as t1:
        t1.watch(x)
        y = tf.nn.relu(x @ layer)
        out = tf.reduce_sum(layer**2)
    g1 = t1.gradient(y, x)
    g1_mag = tf.norm(g1)
t2.gradient(g1_mag, layer)

x = tf.linspace(-10.0, 10.0, 5)
delta = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.nn.sigmoid(x + delta)
tape.jacobian(y, delta)

x = tf.constant([[1.0, 2.0, 3.0], [0.5, 0.2, 0.1]])
k = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])
with tf.GradientTape(persistent=True) as tape:
    y = tf.nn.relu(x @ k)
j = tape.jacobian(y, k)
g = tape.gradient(y, k)
j, g - tf.reduce_sum(j, axis=[0, 1])

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
k = tf.Variable([[1., 2.], [3., 4.]])
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = tf.reduce_mean(tf.nn.tanh(x @ k) ** 2)
    g = t1.gradient(y, k)
h = t2.jacobian(g, k)
h

x = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.1, 0.2]])
k = tf.Variable([[1., 2.], [3., 4.]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.elu(x @ k) ** 2
tape.batch_jacobian(y, x)

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x ** 3
tape.jacobian(y, x, experimental_use_pfor=False), tape.batch_jacobian(y, x, experimental_use_pfor=False, parallel_iterations=2)

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x ** 3
tape.batch_jacobian(y, tf.constant([1.0, 2.0, 3.0]))

x = tf.constant([1.0, 2.0])
z = tf.constant([1.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch([x, z])
    y = x ** 3
tape.jacobian(y, [x, z]), tape.jacobian(y, {'z': z}, unconnected_gradients='zero')

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * 2.0
tape.gradient(y, x, output_gradients=tf.constant([1.0, 3.0]))

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y, z = x * 2.0, x * x
tape.gradient([y, z], x, output_gradients=[tf.constant([1.0, 3.0]), tf.constant([1.0, 1.0])])

x = tf.Variable(2.0)
y = {'a': [tf.Variable(3.0), (tf.Variable(4.0),)], 'b': x}
with tf.GradientTape() as tape:
    z = x * y['a'][0] * y['a'][1][0]
tape.gradient(z, y)

x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = x * x
t.gradient(y, x)
t.gradient(y, x)

x = tf.constant(3.0)
t = tf.GradientTape()
t.gradient(x, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x * x
with t:
    z = x * x * x
t.gradient(z, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    with t:
        y = x

x = tf.Variable(3.0)
t = tf.GradientTape()
with t.stop_recording():
    y = x

with tf.GradientTape() as t:
    t.watch(3.0)

with tf.GradientTape() as t:
    t.watch([tf.constant(1.0), {'a': tf.constant(2.0)}])

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x * x
    g = t.gradient(y, x)
g

x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as t:
    y = x * x
    g = t.gradient(y, x)
    gg = t.gradient(g, x)
g, gg

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x * x
t.gradient(y, [])

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x * x
t.gradient(y, None)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x * x
t.gradient(y, 'x')

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x * x
t.gradient(None, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x
t.gradient(y, x)

x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
t.gradient(x, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = tf.cast(x, tf.int32)
    z = tf.cast(y, tf.float32) * 2.0
t.gradient(z, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = tf.argmax([x, 2.0])
t.gradient(y, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = tf.cast(x, tf.float64) ** 2
t.gradient(y, x)

x = tf.Variable([1.0, 4.0])
with tf.GradientTape() as t:
    y = tf.round(x) + tf.floor(x) + tf.sign(x)
t.gradient(y, x)

x = tf.Variable([0.0, 4.0])
with tf.GradientTape(persistent=True) as t:
    y = tf.abs(x)
    m = tf.maximum(x, 0.0)
    r = tf.nn.relu(x)
    s = tf.sqrt(x)
    c = tf.clip_by_value(x, 0.0, 1.0)
[t.gradient(v, x) for v in (y, m, r, s, c)]

x = tf.Variable([1.0, 1.0])
with tf.GradientTape(persistent=True) as t:
    m = tf.reduce_max(x)
    n = tf.reduce_min(x)
    o = tf.maximum(x[0], x[1])
    p = tf.reduce_prod(x * [0.0, 2.0])
[t.gradient(v, x) for v in (m, n, o, p)]

x = tf.constant([3.0, 4.0])
with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant([1., 0.])) as acc:
    y = tf.reduce_sum(x ** 2)
acc.jvp(y)

v = tf.Variable([[1., 2.], [3., 4.]])
x = tf.constant([[2.0, 3.0], [1.0, 4.0]])
targets = tf.constant([[1.], [-1.]])
dense = tf.Variable([[0.5], [-1.0]])
with tf.autodiff.ForwardAccumulator(primals=dense, tangents=tf.constant([[1.], [0.]])) as acc:
    loss = tf.reduce_sum((tf.matmul(x, dense) - targets) ** 2.)
acc.jvp(loss)

x = tf.constant([1.0, 2.0])
with tf.autodiff.ForwardAccumulator([x], [tf.constant([0.5, 0.25])]) as acc:
    y, z = tf.sin(x), tf.constant(1.0)
acc.jvp([y, z]), acc.jvp(z), acc.jvp(z, unconnected_gradients='zero')

x = tf.constant([2.0, 3.0])
with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x ** 3)
    g = tape.gradient(y, x)
acc.jvp(g), g

x = tf.constant(2.0)
with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
        y = x ** 3
    first = inner.jvp(y)
first, outer.jvp(first)

x = tf.Variable(1.0)
tf.gradients(x * x, x)

x = tf.Variable(1.0)
tf.hessians(x * x, x)

@tf.function
def f(x):
    y = x ** 3
    return tf.gradients(y, x)
f(tf.constant(2.0))

@tf.function
def f(x, z):
    y = x ** 3 + z
    return tf.gradients(y, [x, z]), tf.gradients([y, x * 2.0], x)
f(tf.constant(2.0), tf.constant(1.0))

@tf.function
def f(x):
    return tf.hessians(tf.reduce_sum(x ** 3), x)
f(tf.constant([2.0, 3.0]))

x = tf.Variable([1.0, 2.0, 3.0, 4.0])
with tf.GradientTape() as t:
    y = tf.gather(x, [0, 2, 0])
g = t.gradient(y, x)
tf.convert_to_tensor(g)

tf.IndexedSlices(values=tf.constant([[1., 2.], [3., 4.]]), indices=tf.constant([0, 2]), dense_shape=tf.constant([4, 2])).dense_shape

tf.convert_to_tensor(tf.IndexedSlices(values=tf.constant([[1., 2.], [3., 4.]]), indices=tf.constant([0, 2]), dense_shape=tf.constant([4, 2])))

s = tf.IndexedSlices(tf.constant([[1., 2.]]), tf.constant([1]))
s.values, s.indices, s.dtype, s.dense_shape

v = tf.Variable(tf.ones((3, 2)))
o = tf.keras.optimizers.SGD(1.0)
o.apply_gradients([(tf.IndexedSlices(tf.constant([[1., 2.], [1., 1.]]), tf.constant([1, 1]), tf.constant([3, 2])), v)])
v

f, g = tf.test.compute_gradient(lambda x: x ** 2, [tf.constant([1.0, 2.0])])
f[0].shape, g[0].shape

x = tf.Variable(2.0, dtype=tf.complex64)
with tf.GradientTape() as t:
    y = x * x
t.gradient(y, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = [x * 2.0, x * 3.0]
    z = tf.stack(y)
t.gradient(z, x)

x = tf.constant([1., 2.])
with tf.GradientTape() as t:
    t.watch(x)
    y = tf.where(x > 1.5, x * x, tf.zeros_like(x))
t.gradient(y, x)

x = tf.constant(2.0)
with tf.GradientTape(persistent=True) as t:
    t.watch(x)
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (0, tf.constant(1.0)))[1]
    z = tf.cond(x > 1.0, lambda: x * 5.0, lambda: x)
t.gradient(y, x), t.gradient(z, x)

x = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as t:
    y = tf.scan(lambda a, e: a * e, x)
t.gradient(y, x)

x = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as t:
    y = tf.map_fn(lambda e: e ** 2, x)
t.gradient(y, x)

x = tf.Variable(4.0)
with tf.GradientTape() as t:
    y = tf.py_function(lambda a: a * a, [x], tf.float32)
t.gradient(y, x)

x = tf.Variable(4.0)
with tf.GradientTape() as t:
    y = tf.numpy_function(lambda a: a * a, [x], tf.float32)
t.gradient(y, x)

x = tf.Variable([0.0, 1.0])
with tf.GradientTape() as t:
    y = x / x
t.gradient(y, x)

f = tf.function(lambda x: x * x)
x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = f(x) + f(x * 2.0)
t.gradient(y, x)

x = tf.Variable(3.0)
@tf.function
def inner(a):
    with tf.GradientTape() as t:
        t.watch(a)
        y = a * a * x
    return t.gradient(y, a)
with tf.GradientTape() as t:
    y = inner(tf.constant(2.0))
y, t.gradient(y, x)

# Hessian-vector products, backward over backward
x = tf.constant([1.0, 2.0])
v = tf.constant([1.0, 0.5])
with tf.GradientTape() as t2:
    t2.watch(x)
    with tf.GradientTape() as t1:
        t1.watch(x)
        y = tf.reduce_sum(x ** 3) + x[0] * x[1]
    g = t1.gradient(y, x)
t2.gradient(g, x, output_gradients=v)

@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))
    return tf.math.log(1 + e), grad
x = tf.constant(0.5)
with tf.GradientTape() as t2:
    t2.watch(x)
    with tf.GradientTape() as t1:
        t1.watch(x)
        y = log1pexp(x)
    g = t1.gradient(y, x)
g, t2.gradient(g, x)

@tf.custom_gradient
def f(x, y):
    def grad(dz):
        return dz
    return x * y, grad
x, y = tf.constant(1.0), tf.constant(2.0)
with tf.GradientTape() as t:
    t.watch([x, y])
    z = f(x, y)
t.gradient(z, [x, y])

# The two tapes of a GAN, used one after the other, with updates between.
g, d = tf.Variable(2.0), tf.Variable(3.0)
o = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as gt, tf.GradientTape() as dt:
    fake = g * 1.5
    score = d * fake
    gl = score ** 2
    dl = (score - 1.0) ** 2
gg = gt.gradient(gl, [g])
o.apply_gradients(zip(gg, [g]))
dg = dt.gradient(dl, [d])
gg, dg, g

m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer='ones')])
o = tf.keras.optimizers.Adam(0.1)
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape(persistent=True) as t:
    a = tf.reduce_sum(m(x) ** 2)
    b = tf.reduce_sum(m(x) ** 3)
ga = t.gradient(a, m.trainable_variables)
o.apply_gradients(zip(ga, m.trainable_variables))
gb = t.gradient(b, m.trainable_variables)
del t
ga, gb, [v.numpy() for v in m.trainable_variables]

m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer='ones')])
v = tf.Variable(1.0)
with tf.GradientTape() as t:
    y = m(tf.constant([[1.0, 2.0]])) * v
[w.name.split('/')[-1].split(':')[0] for w in t.watched_variables()][-1], len([g for g in t.gradient(y, t.watched_variables()) if g is not None])

s = tf.Variable([0.0, 0.0], trainable=False)
w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as t:
    out = w * (s + 1.0)
    s.assign(out * 0.5)
    out = out * s
t.gradient(out, w), s

@tf.function
def step(v):
    with tf.GradientTape() as t:
        y = state * v * state
        state.assign_add(1.0)
    return t.gradient(y, state)
state = tf.Variable(2.0)
[step(tf.constant(1.0)), step(tf.constant(1.0)), state]

# message
x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = x * x
t.gradient(y, x)
t.gradient(y, x)

# message
x = tf.Variable(1.0)
tf.gradients(x * x, x)

tf.maximum(tf.constant([1., -1.]), 0.0), tf.minimum(tf.constant([1, -1]), 0), tf.maximum(0., [1., -2.])

# Odd sources, targets and orders of things.

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.gather(x, [0, 0, 1]) * [1.0, 2.0, 3.0])
tf.convert_to_tensor(t.gradient(y, x))

e = tf.Variable(np.arange(6, dtype='f').reshape(3, 2))
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.nn.embedding_lookup(e, [0, 2, 2]) ** 2)
g = t.gradient(y, e)
tf.convert_to_tensor(g)

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as t:
    y = x[0] * x[1]
    z = tf.stack([x[1], y])
t.gradient(z, x)

x = tf.Variable(2.0)
with tf.GradientTape() as t:
    y = x
    for _ in range(3):
        y = y * x
t.gradient(y, x)

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as t:
    t.watch(x)
    a, b = tf.split(x, 2)
    y = a * 3.0 + b ** 2
t.gradient(y, x)

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as t:
    t.watch(x)
    y = tf.reduce_sum(x * x)
    z = tf.identity(y)
t.gradient(z, [x, y])

# A state carried from one tape's step to the next is a constant there.
w = tf.Variable(0.5)
state = tf.constant(1.0)
out = []
for i in range(3):
    with tf.GradientTape() as t:
        state = tf.tanh(state * w + 0.1)
        loss = (state - 1.0) ** 2
    out.append(t.gradient(loss, w))
out

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x * 2.0
    z = float(y) * x
t.gradient(z, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = tf.constant(float(x.numpy())) * 2.0
t.gradient(y, x)

x = tf.Variable(3.0, dtype=tf.float64)
with tf.GradientTape() as t:
    y = x ** 2
t.gradient(y, x)

x = tf.Variable(3.0, dtype=tf.float16)
with tf.GradientTape() as t:
    y = x ** 2
t.gradient(y, x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x ** 2
t.gradient(y, x, output_gradients=tf.constant(10.0))

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x ** 2
t.gradient(y, [x, x])

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x ** 2
t.gradient([y, y], x)

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    y = x ** 2
t.gradient(y, (x, [x]))

x = tf.Variable(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = x ** 2
t.gradient(y, x), [v is x for v in t.watched_variables()][0]

x = tf.Variable(3.0, trainable=False)
with tf.GradientTape() as t:
    t.watch(x)
    y = x ** 2
t.gradient(y, x)

x = tf.Variable(3.0, trainable=False)
with tf.GradientTape() as t:
    t.watch(x)
    y = x ** 2
t.gradient(y, x)
with tf.GradientTape() as t:
    y = x ** 2
t.gradient(y, x)

x, y = tf.Variable(1.0), tf.Variable(2.0)
with tf.GradientTape() as t:
    z = tf.stop_gradient(x) * y + x
t.gradient(z, [x, y])

x = tf.Variable(1.0)
with tf.GradientTape() as t:
    with tf.GradientTape() as s:
        y = tf.exp(2.0 * x)
        g = s.gradient(y, x)
    gg = g * 2.0
t.gradient(gg, x)

x = tf.Variable(1.0)
grads = []
y = x
with tf.GradientTape(persistent=True) as t:
    y = tf.sin(x)
    for _ in range(3):
        y = t.gradient(y, x)
        grads.append(y)
grads

x = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as t:
    y = tf.math.top_k(x, 2).values
    z = tf.sort(x)[0] + tf.reduce_max(x)
t.gradient([y, z], x)

x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape(persistent=True) as t:
    parts = [tf.linalg.det(x), tf.linalg.trace(tf.linalg.inv(x)), tf.norm(x), tf.reduce_logsumexp(x), tf.reduce_sum(tf.nn.softmax(x) * [[1.0, 0.0], [0.0, 2.0]]), tf.math.reduce_variance(x), tf.reduce_prod(x)]
[t.gradient(p, x) for p in parts]

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as t:
    y = tf.cast(tf.complex(x, x * 2.0), tf.complex64)
    z = tf.abs(y)
t.gradient(z, x)

# loose
x = tf.Variable([1.0, 0.0, -1.0])
with tf.GradientTape(persistent=True) as t:
    parts = [tf.nn.relu(x), tf.nn.leaky_relu(x), tf.nn.elu(x), tf.nn.gelu(x), tf.nn.softplus(x), tf.sigmoid(x), tf.tanh(x), tf.nn.swish(x), tf.nn.relu6(x)]
[t.gradient(p, x) for p in parts]

v = tf.Variable(1.0)
o = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as t:
    y = v * 3.0
o.apply_gradients([(t.gradient(y, v), v)])
o.minimize(lambda: v * v, [v]) if hasattr(o, 'minimize') else None
v

v = tf.Variable(1.0)
o = tf.keras.optimizers.SGD(0.1)
o.apply_gradients([(None, v)])

with tf.GradientTape() as t:
    y = tf.constant(1.0) * 2.0
t.gradient(y, [])

v = tf.Variable([1.0, 2.0])
w = tf.Variable([3.0, 4.0])
with tf.GradientTape() as t:
    v.assign(w * 2.0)
    y = v * w
t.gradient(y, [v, w])

v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as t:
    y = tf.reduce_sum(v * v)
    v.assign(v * 10.0)
    y += tf.reduce_sum(v * v)
    v.assign(v * 10.0)
    y += tf.reduce_sum(v)
t.gradient(y, v), y, v

w = tf.Variable(3.0)
with tf.GradientTape() as a:
    ya = w * w
with tf.GradientTape() as b:
    yb = w * w * w
gb = b.gradient(yb, w)
a.gradient(ya, w), gb

w = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as a:
    ya = w * w
with tf.GradientTape() as b:
    yb = w * w * w
gb = b.gradient(yb, w)
a.gradient(ya, w), gb, a.gradient(ya, w)

w = tf.Variable(3.0)
tapes, ys = [], []
for k in range(3):
    with tf.GradientTape() as t:
        ys.append(w * w * float(k + 1))
    tapes.append(t)
[t.gradient(y, w) for t, y in zip(tapes, ys)]
