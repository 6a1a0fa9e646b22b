# tf.Variable: making, reading, assigning, printing.

v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
v, str(v), repr(v)

b = tf.Variable([False, False, False, True])
b, b.dtype, b.shape, b.numpy()

c = tf.Variable([5 + 4j, 6 + 1j])
c.dtype, c.shape, str(c)

str(tf.Variable(3)), str(tf.Variable(1.5, name='w')), repr(tf.Variable(True)), repr(tf.Variable([1, 2], name='a/b'))

# printed
my_tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
my_variable = tf.Variable(my_tensor)
print("A variable:", my_variable)
print("\nViewed as a tensor:", tf.convert_to_tensor(my_variable))
print("\nIndex of highest value:", tf.math.argmax(my_variable))
print("\nCopying and reshaping: ", tf.reshape(my_variable, [1, 4]))

a = tf.Variable([2.0, 3.0])
a.assign([1, 2])
a

# message
a = tf.Variable([2.0, 3.0])
a.assign([1.0, 2.0, 3.0])

a = tf.Variable([2.0, 3.0])
b = tf.Variable(a)
a.assign([5, 6])
a.numpy(), b.numpy(), a.assign_add([2, 3]).numpy(), b.assign_sub([7, 9]).numpy()

a = tf.Variable([1.0, 2.0], name="Mark")
b = tf.Variable([1.0, 3.0], name="Mark")
a == b, a.name, b.name

tf.Variable(1, trainable=False).trainable, tf.Variable(1).trainable, tf.Variable(1.0).trainable

v = tf.Variable(1.0)
v.assign_add(1), v.assign_sub(0.5), v.assign(7)

v = tf.Variable(1)
v.assign(1.5)

v = tf.Variable(1)
v.assign_add(1.5)

v = tf.Variable(1.0)
v.assign(tf.constant(1))

v = tf.Variable(1.0)
v.assign('x')

v = tf.Variable(1.0)
v.assign(np.float64(2.5))

v = tf.Variable([1.0, 2.0])
v.assign_add([1.0, 2.0, 3.0])

v = tf.Variable([1.0, 2.0])
v.assign_add(1.0)

tf.Variable()

# message
tf.Variable(None)

v = tf.Variable(lambda: tf.ones((2, 2)))
v

tf.Variable(lambda: 3)

tf.Variable([1, 2], dtype=tf.float32), tf.Variable(1.5, dtype=tf.float64), tf.Variable(3, dtype='int64')

tf.Variable(1.5, dtype=tf.int32)

tf.Variable(np.ones((2, 2))).dtype, tf.Variable(np.arange(3)).dtype, tf.Variable([1, 2]).dtype

tf.Variable(tf.constant(1.0), dtype=tf.int32)

v = tf.Variable(tf.zeros((1, 2)), shape=tf.TensorShape(None))
v.shape

v = tf.Variable([[1.0, 2.0]], shape=tf.TensorShape([None, 2]))
s = v.shape
v.assign([[1.0, 2.0], [3.0, 4.0]])
s, v, v.shape

v = tf.Variable([1.0], shape=tf.TensorShape(None))
v.assign([[1.0, 2.0]])
tf.shape(v), v

v = tf.Variable([[1.0, 2.0]], shape=tf.TensorShape([None, 2]))
v.assign([[1.0, 2.0, 3.0]])

v = tf.Variable([[1.0, 2.0]], shape=[None, 2])
w = tf.constant([[1.0], [2.0]])
a = v @ w
v.assign(tf.ones((3, 2)))
a, v @ w, v + 1.0

tf.Variable([1.0, 2.0], shape=[3])

str(tf.Variable([[1.0, 2.0]], shape=tf.TensorShape(None))), str(tf.Variable([[1.0, 2.0]], shape=[None, 2]))

v = tf.Variable([1.0, 2.0, 3.0, 4.0])
v.scatter_add(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2])))

v = tf.Variable([1.0, 2.0, 3.0, 4.0])
v.scatter_sub(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 0])))

v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
v.scatter_update(tf.IndexedSlices(tf.constant([[9.0, 8.0]]), tf.constant([1])))
v

v = tf.Variable([1.0, 2.0, 3.0, 4.0])
v.scatter_mul(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2])))

v = tf.Variable([1.0, 2.0, 3.0, 4.0])
v.scatter_div(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2])))

v = tf.Variable([1.0, 2.0, 3.0, 4.0])
v.scatter_max(tf.IndexedSlices(tf.constant([10.0, 2.0]), tf.constant([0, 2])))

v = tf.Variable([1.0, 2.0, 3.0, 4.0])
v.scatter_min(tf.IndexedSlices(tf.constant([10.0, 2.0]), tf.constant([0, 2])))

v = tf.Variable([1.0])
v.scatter_add(tf.constant([1.0]))

v = tf.Variable([1, 2, 3, 4, 5, 6, 7, 8])
v.scatter_nd_add([[4], [3], [1], [7]], [9, 10, 11, 12])

v = tf.Variable([1, 2, 3, 4, 5, 6, 7, 8])
v.scatter_nd_sub([[4], [3], [1], [7]], [9, 10, 11, 12])

v = tf.Variable([1, 2, 3, 4, 5, 6, 7, 8])
v.scatter_nd_update(indices=tf.constant([[4], [3], [1], [7]]), updates=tf.constant([9, 10, 11, 12]))

v = tf.Variable([1, 2, 3, 4])
v.scatter_nd_max([[0], [3]], [9, 1]), v.scatter_nd_min([[0], [1]], [0, 5])

v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
v.batch_scatter_update(tf.IndexedSlices(tf.constant([[10.0], [20.0]]), tf.constant([[0], [2]])))

v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
v.sparse_read([1, 0, 1]), v.gather_nd([[0, 1], [1, 0]])

v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
v[0].assign([8.0, 9.0])
v[1, 0].assign(7.0)
v[:, 1].assign([0.0, 1.0])
v

v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
v[0, ...].assign(5.0)

v = tf.Variable([1.0, 2.0, 3.0])
v[:2].assign([5.0, 6.0]), v[1].assign_add(1.0)

v = tf.Variable([1.0, 2.0, 3.0])
v[5]

v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
v[0], v[:, 0], v[tf.newaxis, ..., 0], v[-1][0]

v = tf.Variable([1.0, 2.0])
v + 1.0, 1.0 + v, v * v, v / 2.0, 2.0 ** v, -v, abs(v), v > 1.0, v @ tf.reshape(v, (2, 1)) if False else v % 2.0

v = tf.Variable([1.0, 2.0])
np.add(v, 1.0), np.array([1.0, 2.0], np.float32) + v, v + np.array([1.0, 2.0], np.float32), np.sum(v), np.exp(v)

v = tf.Variable([[1.0, 2.0]])
np.dot(v, np.ones((2, 1))), np.asarray(v), v.numpy().T

v = tf.Variable(3.0)
float(v), int(v), bool(v), f"{v.numpy():.2f}"

v = tf.Variable([1.0, 2.0])
len(v.numpy()), [float(x) for x in v], tf.reduce_sum(v), tf.rank(v), tf.size(v), tf.shape(v)

bool(tf.Variable([1.0, 2.0]))

hash(tf.Variable(1.0))

v = tf.Variable(1.0)
{v.ref(): 1}[v.ref()], v.ref().deref() is v

v = tf.Variable(1.0)
v in [v], v is v

import copy
v = tf.Variable([1.0, 2.0], name='x', trainable=False)
w = copy.deepcopy(v)
v.assign([5.0, 6.0])
w, w.name, w.trainable

import copy
copy.copy(tf.Variable([1.0, 2.0]))

v = tf.Variable(1.0)
v.shape, v.dtype, v.device.split('/')[-1], v.get_shape(), v.synchronization, v.aggregation

v = tf.Variable(2.0, constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0))
v.constraint is not None, v.assign(5.0)

v = tf.Variable(2.0, constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0))
tf.keras.optimizers.SGD(1.0).apply_gradients([(tf.constant(-3.0), v)])
v

v = tf.Variable(1.0)
v.initializer

v = tf.Variable(1.0)
v.initial_value

v = tf.Variable(1.0)
v.graph

v = tf.Variable(1.0)
v.assign(2.0, read_value=False)

v = tf.Variable(1.0)
v.assign_add(2.0, use_locking=True, name='x')

tf.is_tensor(tf.Variable(1.0)), isinstance(tf.Variable(1.0), tf.Variable), isinstance(tf.Variable(1.0), tf.Tensor)

v = tf.Variable([3.0, 1.0, 2.0])
tf.sort(v), tf.argmax(v), tf.concat([v, v], 0), tf.stack([v, v]), tf.nn.softmax(v), tf.cast(v, tf.int32), tf.where(v > 1.5, v, 0.0)

v = tf.Variable(5)
v.assign_add(1)
v + 1, v * 2, v // 4, v % 4, v / 4

v = tf.Variable(1.0)
v.foo

v = tf.Variable(1.0)
v += 1.0
v

v = tf.Variable([1.0, 2.0])
v[0] = 3.0

a = tf.Variable(1.0)
b = tf.Variable(1.0)
(a == b).numpy(), (a != b).numpy()

tf.Variable([[1, 2], [3, 4]]) @ tf.Variable([[1, 0], [0, 1]])

with tf.device('CPU:0'):
    a = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = tf.Variable([[1.0, 2.0, 3.0]])
    k = a * b
k

v = tf.Variable(1.0, name='a')
with tf.name_scope('outer'):
    w = tf.Variable(1.0, name='b')
    with tf.name_scope('inner') as s:
        x = tf.Variable(1.0)
v.name, w.name, x.name, s

tf.Variable(tf.random_normal_initializer(stddev=0.0)(shape=(2, 3)))

x = tf.Variable(tf.ones((2, 2)))
tf.constant(x), tf.identity(x) is x, tf.zeros_like(x), tf.ones_like(x)

x = tf.Variable(10.0)
x.assign(x * 2 + 1)
x

x = tf.Variable([1., 2.])
y = tf.Variable([3., 4.])
x.assign(y)
y.assign([0., 0.])
x

x = tf.Variable([1., 2.])
x.assign(x[::-1])
x

v = tf.Variable(0)
for i in tf.range(5):
    v.assign_add(i)
v

v = tf.Variable([1., 2., 3.])
tf.keras.backend.set_value(v, [4., 5., 6.]) if hasattr(tf.keras.backend, 'set_value') else v.assign([4., 5., 6.])
v

v = tf.Variable(2.0)
[v.is_initialized() if hasattr(v, 'is_initialized') else True]

v = tf.Variable(2.0)
v.eval()

v = tf.Variable(2.0)
v.load(3.0)

v = tf.Variable([1.0, 2.0])
v.set_shape([2]) if False else v.shape.as_list()

v = tf.Variable(2.0)
v.to_proto()

v = tf.Variable(2.0)
v.experimental_ref()

import pickle
pickle.loads(pickle.dumps(tf.Variable([1.0, 2.0]).numpy()))

tf.VariableAggregation.MEAN.name, tf.VariableSynchronization.AUTO.name

v = tf.Variable([1.0, 2.0])
v.value(), v.read_value()

v = tf.Variable([[1.0, 2.0]], shape=[None, 2])
with tf.GradientTape() as t:
    y = tf.reduce_sum(v ** 2)
v.assign([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as t2:
    y2 = tf.reduce_sum(v ** 2)
t2.gradient(y2, v)

v = tf.Variable([[1.0, 2.0]], shape=[None, 2])
f = tf.function(lambda x: v.assign(x))
f(tf.ones((3, 2)))
f(tf.ones((1, 2)))
v

# message
v = tf.Variable(1.0)
v += 1.0

v = tf.Variable(1.0)
v -= 1.0
