# tf.function, as the guides "Better performance with tf.function" and "Introduction to graphs" use it.

@tf.function
def add(a, b):
    return a + b
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    result = add(v, 1.0)
add(tf.ones([2, 2]), tf.ones([2, 2])), tape.gradient(result, v)

# printed
@tf.function
def double(a):
    print("Tracing")
    return a + a
print(double(tf.constant(1)))
print(double(tf.constant(1.1)))
print(double(tf.constant("a")))

# printed
@tf.function
def f(x):
    print("Traced with", x.shape)
    return x * 2
for v in (1.0, 2.0):
    f(tf.constant([v]))
f(tf.constant([1.0, 2.0]))
f(tf.constant([[1.0]]))
f(tf.constant([3.0, 2.0]))

# printed
@tf.function
def train_one_step(x, n):
    print("Tracing with n =", n)
    return x * n
for n in (1, 2, 1, 2):
    train_one_step(tf.constant(1), n)
for n in (1, 2):
    train_one_step(tf.constant(1), tf.constant(n))

seen = []
@tf.function
def f(x):
    seen.append(1)
    if x > 0:
        y = x * 2.0
    else:
        y = -x
    return y
[f(tf.constant(v)) for v in (1.0, -3.0, 2.0, -4.0)]

seen = []
@tf.function
def f(n):
    seen.append(1)
    total = 0
    for i in tf.range(n):
        total += i
    return total
[f(tf.constant(v)) for v in (3, 5, 0)]

@tf.function
def f(x, n):
    i = 0
    while i < n:
        if i == 3:
            break
        i += 1
        if i == 2:
            continue
        x = x + tf.cast(i, tf.float32)
    return x, i
f(tf.constant(0.0), tf.constant(10)), f(tf.constant(0.0), tf.constant(2))

@tf.function
def sum_even(items):
    s = 0
    for c in items:
        if c % 2 > 0:
            continue
        s += c
    return s
sum_even(tf.constant([10, 12, 15, 20]))

@tf.function
def dynamic_rnn(rnn_step, input_data, initial_state):
    input_data = tf.transpose(input_data, [1, 0, 2])
    max_seq_len = tf.shape(input_data)[0]
    states = tf.TensorArray(tf.float32, size=max_seq_len)
    state = initial_state
    for i in tf.range(max_seq_len):
        state = rnn_step(input_data[i], state)
        states = states.write(i, state)
    return tf.transpose(states.stack(), [1, 0, 2])
dynamic_rnn(lambda i, s: i + s, tf.ones((2, 3, 2)), tf.zeros((2, 2)))

# printed
external_list = []
@tf.function
def side_effect(x):
    print('Python side effect')
    external_list.append(x)
side_effect(tf.constant(1))
side_effect(tf.constant(2))
side_effect(tf.constant(1))
print(len(external_list))

# printed
@tf.function
def f(x):
    print("Traced with", x)
    return x
f(1)
f(1)
f(2)

class Counter:
    def __init__(self):
        self.count = 0
        self.tfcount = tf.Variable(0)
    @tf.function
    def step(self, x):
        self.count += 1
        self.tfcount.assign_add(1)
        return x * 2
a, b = Counter(), Counter()
for _ in range(3):
    a.step(tf.constant(1.0))
b.step(tf.constant(1.0))
a.count, a.tfcount, b.count, b.tfcount

@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)
next_collatz(tf.constant([1, 2])), next_collatz([5, 6, 7])

# message
@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)
next_collatz(tf.constant([[1, 2], [3, 4]]))

# message
@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)
next_collatz(tf.constant([1.0, 2.0]))

count = [0]
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def f(x):
    count[0] += 1
    return x.shape
f(tf.ones(3)), count[0]

@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def f(x):
    return tf.shape(x), x / tf.cast(tf.shape(x)[0], tf.float32), tf.size(x), tf.zeros_like(x), tf.reshape(x, [-1, 1]), tf.range(tf.shape(x)[0])
f(tf.ones(3)), f(tf.ones(5))

@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def f(x):
    b = tf.shape(x)[0]
    return tf.concat([x, tf.zeros((b, 1))], 1), tf.reshape(x, (b, 3, 1)), tf.tile(x, [1, 2]), x[:, 0], tf.ones([b]), tf.reduce_mean(x, 0)
f(tf.ones((2, 3))), f(tf.ones((4, 3)) * 2.0)

@tf.function(input_signature=[{'a': tf.TensorSpec([], tf.float32), 'b': [tf.TensorSpec([None], tf.int32)]}])
def f(d):
    return d['a'] * tf.cast(d['b'][0], tf.float32)
f({'a': 2.0, 'b': [[1, 2]]})

f = tf.function(lambda x, y=2.0: x * y, input_signature=[tf.TensorSpec([], tf.float32)])
f(3.0)

f = tf.function(lambda x, y: x * y, input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)])
f(3.0)

f = tf.function(lambda x, y: x * y, input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)])
f(3.0, y=4.0), f(y=1.0, x=2.0)

f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32)])
f(1.0, 2.0)

f = tf.function(lambda x: x, input_signature=3)
f(1.0)

f = tf.function(lambda x: x * 2)
f()

f = tf.function(lambda x: x * 2)
f(1, z=3)

@tf.function
def pow(a, b):
    return a ** b
square = pow.get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
square(tf.constant(10.0)), square(a=tf.constant(3.0))

@tf.function
def double(a):
    return a + a
d = double.get_concrete_function(tf.constant("a"))
d(tf.constant("a")), d(a=tf.constant("b"))

@tf.function
def double(a):
    return a + a
d = double.get_concrete_function(tf.TensorSpec(shape=[], dtype=tf.string))
d(tf.constant("c"))

@tf.function
def double(a):
    return a + a
d = double.get_concrete_function(tf.constant("a"))
d(tf.constant(1))

@tf.function
def f(x, y):
    return x + y
c = f.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32))
c.structured_input_signature, c.structured_outputs.shape, c.structured_outputs.dtype, c(tf.ones(3), tf.constant(1.0))

@tf.function
def f(x, y):
    return {'a': x + y, 'b': [x]}
c = f.get_concrete_function(tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.float32))
c.structured_outputs['a'].shape, [i.shape.as_list() for i in c.inputs], [o.shape.as_list() for o in c.outputs]

# printed
@tf.function
def double(a):
    return a + a
double(tf.constant(1)); double(tf.constant(1.1)); double(tf.constant("a"))
print(double.pretty_printed_concrete_signatures())

# printed
@tf.function
def f(x, n):
    return x * n
print(f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32), 3).pretty_printed_signature() if hasattr(f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32), 3), 'pretty_printed_signature') else '')

class Count(tf.Module):
    def __init__(self):
        self.count = None
    @tf.function
    def __call__(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)
c = Count()
c(), c()

vs = []
@tf.function
def f(x):
    if not vs:
        vs.append(tf.Variable(2.0))
    return x * vs[0]
f(tf.constant(3.0)), f(tf.constant(4.0)), len(vs)

foo = 1
@tf.function
def f():
    return tf.constant(foo)
a = f()
foo = 100
a, f()

v = tf.Variable(1.0)
f = tf.function(lambda x: x * v)
a = f(2.0)
v.assign(10.0)
a, f(2.0)

@tf.function
def inner(x):
    return x * x
@tf.function
def outer(x):
    return inner(x) + inner(x + 1.0)
outer(tf.constant(2.0)), outer.experimental_get_tracing_count()

@tf.function
def f(x):
    return tf.py_function(lambda a: a * 2.0 + float(a.numpy()), [x], tf.float32)
f(tf.constant(2.0)), f(tf.constant(5.0))

@tf.function
def f(x):
    return tf.numpy_function(lambda a: np.square(a), [x], tf.float32)
f(tf.constant(2.0)), f(tf.constant(5.0))

count = [0]
def py(a):
    count[0] += 1
    return a
@tf.function
def f(x):
    return tf.py_function(py, [x], tf.float32) + 1.0
f(tf.constant(2.0)), f(tf.constant(5.0)), count[0]

tf.config.run_functions_eagerly(True)
count = [0]
@tf.function
def f(x):
    count[0] += 1
    return x + 1
r = f(tf.constant(1)), f(tf.constant(2)), count[0], tf.config.functions_run_eagerly()
tf.config.run_functions_eagerly(False)
r

@tf.function(jit_compile=True)
def f(x):
    return x * x + 1.0
f(tf.constant([1.0, 2.0]))

@tf.function(reduce_retracing=True)
def f(x):
    return x * 2
[f(tf.constant([1] * n)) for n in (1, 2, 3)]

@tf.autograph.experimental.do_not_convert
def g(x):
    return x + 1
f = tf.function(lambda x: g(x))
f(tf.constant(1))

@tf.function
def f(n):
    x = tf.constant([0.0])
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, [tf.cast(i, tf.float32)]], 0)
    return x
f(tf.constant(3))

@tf.function
def f(ds):
    total = tf.constant(0, tf.int64)
    for x in ds:
        total += x
    return total
f(tf.data.Dataset.range(5)), f(tf.data.Dataset.range(3))

@tf.function
def f(x):
    tf.debugging.assert_positive(x)
    return x * 2
f(tf.constant(1.0))

@tf.function
def f(x):
    tf.debugging.assert_positive(x)
    return x * 2
f(tf.constant(1.0))
f(tf.constant(-1.0))

@tf.function
def f(x):
    return tf.cond(x > 0, lambda: x * 2, lambda: -x)
f(tf.constant(3)), f(tf.constant(-3))

@tf.function
def f(x):
    return tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, a * 2), (0, 1))
f(tf.constant(3)), f(tf.constant(5))

@tf.function
def f(x):
    return tf.switch_case(x, [lambda: tf.constant(10), lambda: tf.constant(20)]), tf.case([(x > 0, lambda: 1)], default=lambda: 2)
f(tf.constant(0)), f(tf.constant(1))

@tf.function
def f(x):
    return tf.map_fn(lambda a: a * a, x)
f(tf.constant([1, 2, 3])), f(tf.constant([4, 5]))

@tf.function
def f():
    return 3, None, 'a', [1.5]
f()

@tf.function
def f(x):
    return {'x': x, 'y': (x + 1, [x + 2])}
f(tf.constant(1))

@tf.function
def f(x):
    return None
f(tf.constant(1))

f = tf.function(lambda *args, **kwargs: (args[0] + kwargs['k'], len(args)))
f(tf.constant(1), 2, k=tf.constant(5))

@tf.function
def f(x, training=False):
    return x * 2.0 if training else x
f(tf.constant(1.0)), f(tf.constant(1.0), training=True), f(tf.constant(1.0), True), f.experimental_get_tracing_count()

@tf.function
def f(x):
    return tf.executing_eagerly()
tf.executing_eagerly()

@tf.function
def f(x):
    with tf.init_scope():
        e = tf.executing_eagerly()
    return tf.constant(e), tf.constant(tf.executing_eagerly())
f(tf.constant(1))

@tf.function
def f(x):
    return x[0], x[-1], x[1:], x[..., tf.newaxis]
f(tf.constant([1, 2, 3]))

@tf.function
def f(x):
    y, z = x
    return y + z
f((tf.constant(1), tf.constant(2))), f([tf.constant(1), tf.constant(2)])

@tf.function
def f(x):
    a, b = tf.unstack(x)
    for v in [1, 2, 3]:
        a = a + v
    return a, b
f(tf.constant([1, 2]))

@tf.function
def f(x):
    return [v * 2 for v in tf.unstack(x)], x.shape, x.dtype
f(tf.constant([1, 2]))

@tf.function
def f(x):
    if x is None:
        return tf.constant(0)
    return x
f(None), f(tf.constant(2))

@tf.function
def f(x):
    y = tf.constant(0)
    if x > 2 and x < 5 or x == 10:
        y = y + 1
    if not x > 2:
        y = y + 100
    z = 1 if x > 3 else 2
    return y, z
f(tf.constant(3)), f(tf.constant(10)), f(tf.constant(1))

@tf.function
def f(x):
    if x > 0:
        if x > 10:
            r = x * 100
        else:
            r = x * 10
    else:
        r = x
    return r
f(tf.constant(3)), f(tf.constant(30)), f(tf.constant(-3))

@tf.function
def f(x):
    r = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(x):
        if i % 2 == 0:
            r = r.write(r.size(), i)
    return r.stack()
f(tf.constant(5)), f(tf.constant(8))

@tf.function
def collatz(x):
    n = tf.constant(0)
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        n += 1
    return n
[collatz(tf.constant(v)) for v in (1, 6, 7)]

# The training loops of the guides.
seen = []
w, b = tf.Variable(5.0), tf.Variable(0.0)
o = tf.keras.optimizers.SGD(0.1)
@tf.function
def step(x, y):
    seen.append(1)
    with tf.GradientTape() as t:
        loss = tf.reduce_mean((w * x + b - y) ** 2)
    g = t.gradient(loss, [w, b])
    o.apply_gradients(zip(g, [w, b]))
    return loss
x = tf.linspace(-1.0, 1.0, 10)
losses = [step(x, 3.0 * x + 2.0) for _ in range(5)]
losses, w, b, len(seen)

seen = []
w = tf.Variable(1.0)
@tf.function
def train(ds):
    seen.append(1)
    for x in ds:
        with tf.GradientTape() as t:
            loss = (w * x - 1.0) ** 2
        w.assign_sub(0.1 * t.gradient(loss, w))
    return w.read_value()
ds = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
train(ds), train(ds)

m = tf.keras.metrics.Mean()
@tf.function
def f(x):
    m.update_state(x)
    m(x * 2.0)
for v in (1.0, 2.0):
    f(tf.constant(v))
m.result()

f = tf.function(lambda x: x + 1)
f.python_function(1), callable(f), f.__name__

@tf.function
def documented(x):
    """Says what it does."""
    return x
documented.__name__, documented.__doc__

import inspect
@tf.function
def f(x, y=2):
    return x
str(inspect.signature(f.python_function)), f.function_spec.fullargspec.args if hasattr(f.function_spec, 'fullargspec') else ['x', 'y']

x = tf.constant([1.0, 2.0])
f = tf.function(lambda a: a)
f(x) is x, f(x)

count = [0]
class A:
    @tf.function
    def m(self, x):
        count[0] += 1
        return x
a = A()
a.m(tf.constant(1)); a.m(tf.constant(2)); A().m(tf.constant(1))
count[0]

count = [0]
@tf.function
def f(a):
    count[0] += 1
    return a['x']
f({'x': tf.constant(1)}); f({'x': tf.constant(2)}); f({'x': tf.constant(1), 'y': tf.constant(2)})
count[0]

count = [0]
@tf.function
def f(x):
    count[0] += 1
    return x
f(np.array([1.0, 2.0])); f(np.array([3.0, 4.0])); f(np.float32(1.0)); f(np.float32(2.0))
count[0]
@tf.function
def f(x):
    while tf.reduce_sum(x) > 1:
        x = x * 0.5
    return x
[f(tf.constant([v, v])) for v in (1.0, 3.0, 20.0)]

@tf.function
def f(n):
    r = -1
    for i in tf.range(n):
        if i > 2:
            r = i * 10
            break
    return r
[f(tf.constant(v)) for v in (3, 5, 0)]

@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def f(x):
    return tf.reduce_sum(x)
[f(tf.ones((n, 2))) for n in (1, 2, 3)]

it = iter(tf.data.Dataset.range(10))
@tf.function
def f(it):
    return next(it)
f(it), f(it), f(it)

it = iter(tf.data.Dataset.range(10))
@tf.function
def f():
    return it.get_next() * 2
f(), f(), f()

v = tf.Variable(0.0)
@tf.function
def run(ds):
    for x in ds:
        v.assign_add(x)
run(tf.data.Dataset.from_tensor_slices([1.0, 2.0]))
run(tf.data.Dataset.from_tensor_slices([10.0, 20.0]))
v

# printed
@tf.function
def f(x, y):
    print(x, y, x + y)
    print(f"x is {x}", [x])
    return x
f(tf.constant([1.0, 2.0]), 3.0)
f(tf.constant([5.0, 2.0]), 3.0)

@tf.function
def f(x):
    tf.Assert(tf.reduce_all(x > 0), [x])
    return x
f(tf.constant([1.0]))
f(tf.constant([-1.0]))

@tf.function
def f(x):
    tf.debugging.assert_equal(tf.shape(x)[0], 2)
    tf.debugging.assert_less(x, 10.0)
    return x + 1.0
f(tf.constant([1.0, 2.0])), f(tf.constant([3.0, 4.0]))

@tf.function
def f(x):
    tf.debugging.assert_less(x, 10.0)
    return x + 1.0
f(tf.constant([1.0, 2.0]))
f(tf.constant([1.0, 20.0]))

@tf.function
def power(x, y):
    if y == 0:
        return tf.ones_like(x)
    result = x
    for _ in range(y - 1):
        result = tf.matmul(result, x)
    return result
x = tf.constant([[0.5, 0.25], [0.1, 0.9]])
[power(x, n) for n in (0, 1, 5)]

# printed
def get_MSE(y_true, y_pred):
    print("Calculating MSE!")
    return tf.reduce_mean(tf.pow(y_true - y_pred, 2))
g = tf.function(get_MSE)
for _ in range(3):
    g(tf.constant([1, 2, 3]), tf.constant([3, 2, 1]))

@tf.function
def f(x):
    return tf.timestamp() > 0.0, x
f(tf.constant(1))

tf.autograph.experimental.Feature.ALL.name, tf.autograph.set_verbosity(0)

# Odd callables, structures and failures.

import functools
f = tf.function(functools.partial(lambda a, b: a * b, 3.0))
f(tf.constant(2.0))

class Callable:
    def __init__(self):
        self.v = tf.Variable(2.0)
    def __call__(self, x):
        return x * self.v
f = tf.function(Callable())
f(tf.constant(3.0)), f(tf.constant(4.0))

class A:
    @staticmethod
    @tf.function
    def s(x):
        return x + 1
    @classmethod
    def c(cls, x):
        return cls.s(x) * 2
A.s(tf.constant(1)), A.c(tf.constant(1)), A().s(tf.constant(5))

class A:
    def __init__(self, k):
        self.k = k
        self.f = tf.function(self._f)
    def _f(self, x, *, scale=1.0):
        return x * self.k * scale
A(2.0).f(tf.constant(3.0)), A(5.0).f(tf.constant(3.0), scale=2.0)

f = tf.function(tf.function(lambda x: x * 2))
f(tf.constant(3))

import collections
P = collections.namedtuple('P', 'x y')
@tf.function
def f(p):
    return P(p.x + 1, p.y * 2)
f(P(tf.constant(1), tf.constant(2)))

@tf.function
def f(x):
    raise KeyError('inside')
f(tf.constant(1))

@tf.function
def f(x, fail):
    if fail:
        raise ValueError('now')
    return x * 2
a = f(tf.constant(1), False)
try:
    f(tf.constant(1), True)
except ValueError:
    pass
a, f(tf.constant(2), False), tf.executing_eagerly()

@tf.function
def f(x):
    return tf.matmul(x, x)
try:
    f(tf.ones((2, 3)))
except (ValueError, tf.errors.InvalidArgumentError):
    pass
f(tf.ones((2, 2)))

@tf.function
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)
fact(5)

f = tf.function(lambda: tf.constant(7))
f(), f.get_concrete_function()()

f = tf.function(lambda x: (x, [x, {'k': x}]), experimental_relax_shapes=True)
f(tf.constant(1))

@tf.function
def f(*xs):
    return tf.add_n(xs)
f(tf.constant(1), tf.constant(2)), f(tf.constant(1), tf.constant(2), tf.constant(3))

@tf.function
def f(**kw):
    return kw['b'] - kw['a']
f(a=tf.constant(1), b=tf.constant(5)), f(b=tf.constant(1), a=tf.constant(5))

@tf.function
def f(x, y=None, z=(1, 2)):
    return x + (0 if y is None else y) + z[0]
f(tf.constant(1)), f(tf.constant(1), tf.constant(2)), f(tf.constant(1), z=(5, 6))

@tf.function
def f(x):
    return x.shape[0] * 2 + len(x.shape)
f(tf.ones((3, 2)))

@tf.function
def f(x):
    x += 1
    x *= 2
    return x
x = tf.constant([1, 2])
f(x), x

@tf.function
def f(x):
    l = []
    for i in range(3):
        l.append(x * i)
    return tf.stack(l)
f(tf.constant(2))

@tf.function
def f(d):
    return {k: v * 2 for k, v in d.items()}
f({'b': tf.constant(1), 'a': tf.constant(2)})

v = tf.Variable([1.0, 2.0])
@tf.function
def f():
    v[0].assign(10.0)
    v.scatter_nd_update([[1]], [20.0])
    return v + 0.0
f(), f(), v

v = tf.Variable(1.0)
@tf.function
def f(x):
    with tf.control_dependencies([v.assign_add(x)]):
        return v.read_value()
f(1.0), f(2.0), v

@tf.function
def f(x):
    return tf.nn.dropout(x, 0.5), tf.random.uniform([3])
a, b = f(tf.ones(100)), f(tf.ones(100))
bool(tf.reduce_any(a[0] != b[0])), bool(tf.reduce_any(a[1] != b[1]))

@tf.function
def f(x, training):
    if training:
        return x * 2.0
    return x
f(tf.constant(1.0), tf.constant(True)), f(tf.constant(1.0), tf.constant(False)), f(tf.constant(1.0), True)

@tf.function
def f(x):
    return tf.where(x > 0, x, 0.0), tf.boolean_mask(x, x > 0), tf.unique(tf.cast(x, tf.int32))[0]
f(tf.constant([1.0, -2.0, 3.0])), f(tf.constant([1.0, 2.0, 3.0]))

@tf.function
def f(x):
    return tf.constant([1, 2]), tf.zeros(3), tf.eye(2), tf.range(3)
f(0), f(0)

a = tf.Variable(1.0)
@tf.function
def outer(x):
    @tf.function
    def inner(y):
        return y * a
    return inner(x) + inner(x * 2.0)
with tf.GradientTape() as t:
    y = outer(tf.constant(3.0))
y, t.gradient(y, a)

@tf.function
def f(x):
    with tf.name_scope('scope'):
        return tf.identity(x, name='out')
f(tf.constant(1))

tf.function(3)

f = tf.function(lambda x: x)
f.foo
