# One device, one replica: the distribution tutorials' programs.

s = tf.distribute.get_strategy()
s.num_replicas_in_sync, tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context()

s = tf.distribute.MirroredStrategy(['/cpu:0'])
with s.scope():
    v = tf.Variable(1.0)
    h = tf.distribute.has_strategy()
s.num_replicas_in_sync, h, tf.distribute.has_strategy(), v.numpy()

s = tf.distribute.OneDeviceStrategy('/cpu:0')
r = s.run(lambda x: x * 2.0, args=(tf.constant(3.0),))
r, s.reduce(tf.distribute.ReduceOp.SUM, r, axis=None), s.num_replicas_in_sync

s = tf.distribute.OneDeviceStrategy('/cpu:0')
r = s.run(lambda x: x * 2.0, args=(tf.constant([3.0, 5.0]),))
s.reduce('MEAN', r, axis=0), s.reduce(tf.distribute.ReduceOp.SUM, r, axis=0), s.experimental_local_results(r)

s = tf.distribute.MirroredStrategy(['/cpu:0'])
with s.scope():
    v = tf.Variable(1.0)
def step(x):
    v.assign_add(x)
    return v * 2.0
r = s.run(step, args=(tf.constant(1.0),))
s.reduce(tf.distribute.ReduceOp.SUM, r, axis=None), v.numpy()

s = tf.distribute.MirroredStrategy(['/cpu:0'])
ds = s.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(2))
[x for x in ds], ds.element_spec

s = tf.distribute.MirroredStrategy(['/cpu:0'])
ds = s.distribute_datasets_from_function(lambda ctx: tf.data.Dataset.range(4).batch(ctx.get_per_replica_batch_size(2)))
[x for x in ds]

s = tf.distribute.MirroredStrategy(['/cpu:0'])
it = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(2)))
next(it), next(it), it.get_next()

s = tf.distribute.OneDeviceStrategy('/cpu:0')
s.gather(tf.constant([[1], [2]]), axis=0)

s = tf.distribute.OneDeviceStrategy('/cpu:0')
def f():
    c = tf.distribute.get_replica_context()
    return c.all_reduce('SUM', tf.constant(2.0)), tf.constant(c.num_replicas_in_sync), c.replica_id_in_sync_group
s.run(f)

c = tf.distribute.get_replica_context()
c.num_replicas_in_sync, c.all_reduce(tf.distribute.ReduceOp.MEAN, [tf.constant(2.0), tf.constant(3.0)])

tf.distribute.ReduceOp.SUM.name, tf.distribute.ReduceOp.MEAN.name

# The custom training tutorial, one device.
s = tf.distribute.MirroredStrategy(['/cpu:0'])
GLOBAL = 4 * s.num_replicas_in_sync
x = np.arange(16, dtype='float32').reshape(8, 2) / 10
y = x.sum(1, keepdims=True)
ds = s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL))
with s.scope():
    m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer='zeros')])
    o = tf.keras.optimizers.SGD(0.1)
    mean = tf.keras.metrics.Mean()
    loss_object = tf.keras.losses.MeanSquaredError(reduction='none')
def compute_loss(labels, predictions):
    return tf.nn.compute_average_loss(loss_object(labels, predictions), global_batch_size=GLOBAL)
def train_step(inputs):
    a, b = inputs
    with tf.GradientTape() as t:
        loss = compute_loss(b, m(a, training=True))
    o.apply_gradients(zip(t.gradient(loss, m.trainable_variables), m.trainable_variables))
    mean.update_state(loss)
    return loss
@tf.function
def distributed_train_step(inputs):
    per_replica = s.run(train_step, args=(inputs,))
    return s.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)
out = [distributed_train_step(b) for _ in range(2) for b in ds]
out, mean.result(), m.get_weights()

tf.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=6), tf.nn.scale_regularization_loss(4.0), tf.nn.compute_average_loss(tf.constant([1.0, 2.0]), sample_weight=[1.0, 0.5])

v = tf.distribute.get_strategy().run(lambda: 3)
v

s = tf.distribute.MirroredStrategy(['/cpu:0'])
with s.scope():
    with s.scope():
        a = tf.Variable(2.0)
s.extended.num_replicas_in_sync if hasattr(s.extended, 'num_replicas_in_sync') else 1, a.numpy()

s = tf.distribute.OneDeviceStrategy('/cpu:0')
with s.scope():
    tf.distribute.get_strategy() is s, tf.distribute.in_cross_replica_context()

s = tf.distribute.OneDeviceStrategy('/cpu:0')
s.reduce('PRODUCT', tf.constant(1.0), axis=None)
