# Corners of the guides: what may stand in a call, how functions and values are given to layers, how compile and fit are told things, errors.

# loose
def model(**options):
    np.random.seed(2)
    m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    m.set_weights([np.random.randn(*w.shape) * .5 for w in m.get_weights()])
    m.compile("sgd", "mse", **options)
    return m
x, y = np.random.rand(16, 3).astype("float32"), np.random.rand(16, 2).astype("float32")
[model(run_eagerly=True).fit(x, y, batch_size=4, shuffle=False, verbose=0).history, model(steps_per_execution=3).fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0).history, model(steps_per_execution=2).evaluate(x, y, batch_size=4, verbose=0), model(steps_per_execution=2).predict(x, batch_size=4, verbose=0).shape, model(auto_scale_loss=False).fit(x, y, batch_size=4, shuffle=False, verbose=0).history]

class Batches(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []
    def on_train_batch_begin(self, batch, logs=None):
        self.seen.append(("begin", batch))
    def on_train_batch_end(self, batch, logs=None):
        self.seen.append(("end", batch))
m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
m.compile("sgd", "mse", steps_per_execution=3)
log = Batches()
_ = m.fit(np.ones((14, 3)), np.ones((14, 2)), batch_size=2, callbacks=[log], verbose=0)
log.seen

# loose
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d = tf.keras.layers.Dense(2, kernel_initializer="ones")
    def call(self, x, training=None):
        h = self.d(x)
        h = tf.cond(tf.reduce_sum(h) > 0., lambda: h * 2., lambda: h)
        i, h = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + 1.), [tf.constant(0), h])
        h = tf.map_fn(lambda row: row * 2., h)
        tf.debugging.assert_all_finite(h, "bad")
        rows = tf.shape(h)[0]
        h = tf.reshape(h, [rows, -1]) + tf.cast(rows, tf.float32) + tf.zeros(tf.shape(h))
        h = tf.where(h > 1., h, tf.zeros_like(h))
        h = tf.concat([h, tf.random.uniform(tf.shape(h)) * 0.], axis=-1)
        return tf.stop_gradient(h) * 0. + h
m = Net()
m.compile("sgd", "mse")
x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
[m.fit(x, np.ones((4, 4)), verbose=0, epochs=2).history, m.predict(x, verbose=0), m.evaluate(x, np.ones((4, 4)), verbose=0)]

# loose
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d = tf.keras.layers.Dense(2, kernel_initializer="ones")
    @tf.function
    def call(self, x, training=False):
        return tf.nn.softmax(self.d(x))
m = Net()
m.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
[m(tf.ones((1, 3))), m.fit(np.ones((4, 3)), np.eye(2)[[0, 1, 1, 1]], verbose=0).history]

inputs = tf.keras.Input((3,))
x = tf.keras.layers.Lambda(lambda t: tf.reduce_mean(t, axis=1, keepdims=True))(inputs)
x = tf.keras.layers.Lambda(lambda t: tf.concat([t, tf.math.square(t)], -1), output_shape=(2,))(x)
tf.keras.Model(inputs, x).predict(np.arange(6.).reshape(2, 3), verbose=0)

inputs = tf.keras.Input((3,))
out = keras_out = tf.keras.ops.mean(inputs, axis=-1, keepdims=True) * 2. + inputs[:, :1] - tf.keras.ops.sum(inputs, -1, keepdims=True)
tf.keras.Model(inputs, out)(tf.constant([[1., 2., 3.]]))

class Init(tf.keras.initializers.Initializer):
    def __call__(self, shape, dtype=None):
        return tf.ones(shape, dtype=dtype) * 3.
class Reg(tf.keras.regularizers.Regularizer):
    def __call__(self, w):
        return 0.1 * tf.reduce_sum(tf.square(w))
class Con(tf.keras.constraints.Constraint):
    def __call__(self, w):
        return w * tf.cast(tf.math.greater_equal(w, 0.), w.dtype)
d = tf.keras.layers.Dense(2, kernel_initializer=Init(), kernel_regularizer=Reg(), kernel_constraint=Con(), bias_initializer=lambda shape, dtype=None: tf.zeros(shape), activation=lambda t: tf.maximum(t, 0.) + tf.cast(tf.shape(t)[-1], t.dtype))
m = tf.keras.Sequential([tf.keras.Input((3,)), d])
m.compile(tf.keras.optimizers.SGD(1.), "mse")
before = m(tf.ones((1, 3)))
_ = m.fit(np.ones((2, 3)), np.zeros((2, 2)), verbose=0)
[before, d.losses, d.kernel.numpy()]

def reg(w):
    return 0.5 * tf.reduce_sum(tf.abs(w))
d = tf.keras.layers.Dense(2, kernel_initializer="ones", kernel_regularizer=reg, kernel_constraint=lambda w: tf.clip_by_value(w, 0., 0.5))
_ = d(tf.ones((1, 2)))
[d.losses, tf.keras.regularizers.L1L2(0.1, 0.2)(tf.ones((2, 2))), tf.keras.constraints.MaxNorm(1.)(tf.ones((2, 2))), tf.keras.constraints.NonNeg()(tf.constant([-1., 1.])), tf.keras.constraints.UnitNorm()(tf.constant([[3.], [4.]]))]

I = tf.keras.initializers
[I.Ones()((2,)), I.Constant(3.)((2,)), I.Identity()((2, 2)), I.get("zeros")((1, 2)), I.zeros()((2,)), tf.zeros_initializer()((2,)), I.RandomNormal(stddev=0.)((2,)), I.Orthogonal(seed=1)((2, 2)).shape, I.GlorotUniform(seed=1)((2, 2)).dtype, I.HeNormal()((3, 3)).shape, I.VarianceScaling(scale=0.1, mode="fan_in", distribution="uniform")((2, 2)).shape, I.LecunNormal()((2, 2)).shape, I.TruncatedNormal(mean=0., stddev=1.)(shape=(2, 2)).shape]

layer = tf.keras.layers.Dense(2, input_shape=(3,))
m = tf.keras.models.Sequential()
m.add(layer)
[m.built, m.output_shape]

layer = tf.keras.layers.Dense(2, kernel_initializer="ones", name="d", dtype="float64")
[layer(tf.ones((1, 2), tf.float64)), layer.dtype, layer.get_config()["units"], layer.name, layer.trainable, layer.input_spec.axes if layer.input_spec else None, layer.compute_output_shape((None, 2))]

d = tf.keras.layers.Dense(2, kernel_initializer="ones")
d.build((None, 3))
d.trainable = False
[d.built, len(d.weights), d.trainable_variables, d.get_weights(), d.count_params(), d.kernel + 1., tf.reduce_sum(d.kernel), d.kernel.numpy().shape, d.kernel.assign(d.kernel * 2.) is not None]

d = tf.keras.layers.Dense(2)
d.build((None, 3))
d.set_weights([np.ones((2, 2)), np.zeros(2)])

d = tf.keras.layers.Dense(2)
d.build((None, 3))
d.set_weights([np.ones((3, 2))])

tf.keras.layers.Dense(-1)

tf.keras.layers.Dense(2)("text")

tf.keras.layers.Conv2D(2, 3)(tf.ones((1, 5, 5)))

tf.keras.layers.Conv2D(2, 9)(tf.ones((1, 5, 5, 1)))

tf.keras.layers.Dense(2, activation="nope")

tf.keras.layers.concatenate([tf.ones((2, 3)), tf.ones((3, 3))])

tf.keras.Sequential([tf.keras.layers.Dense(1), "x"])

tf.keras.Model(inputs=tf.ones(2), outputs=tf.ones(2))

class NoCall(tf.keras.layers.Layer):
    pass
NoCall()(tf.ones(2))

class NoSuper(tf.keras.layers.Layer):
    def __init__(self):
        self.x = tf.keras.layers.Dense(2)
NoSuper()

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
m.compile("sgd", "mse")
m.fit(np.ones((4, 3)), np.ones((5, 2)), verbose=0)

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
m.compile("sgd", "mse")
m.fit(np.ones((4, 4)), np.ones((4, 2)), verbose=0)

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
m.compile("sgd", "sparse_categorical_crossentropy")
m.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
m.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
m.compile("sgd", "mse")
m.fit("nothing", verbose=0)

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
m.get_layer("nope")

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones"), tf.keras.layers.Softmax()])
[m(np.ones((1, 3))), m(tf.ones((2, 3)))[0].numpy(), m.predict(tf.ones((1, 3)), verbose=0), m.predict(np.ones((5, 3)), batch_size=2, verbose=0).shape, m(tf.ones((1, 3), tf.int32)), m.predict([[1., 2., 3.]], verbose=0) if False else 0, m.call(tf.ones((1, 3)))]

# printed
m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
m.compile(tf.keras.optimizers.SGD(0.), "mse", metrics=["mae"])
import re, io, contextlib
buf = io.StringIO()
with contextlib.redirect_stdout(buf):
    _ = m.fit(tf.data.Dataset.from_tensor_slices((np.ones((8, 3)), np.ones((8, 2)))).batch(2), epochs=2, verbose=2)
print(re.sub(r"\d+(ms|us|s)(/step)?", "T", buf.getvalue()))

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
m.compile(optimizer="adam", loss=["mse"], metrics=[["mae", "mse"]])
h = m.fit(np.ones((2, 3)), np.zeros((2, 1)), verbose=0)
[sorted(h.history), m.loss, type(m.optimizer).__name__, h.params, m.metrics_names]

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)])
m.compile(tf.keras.optimizers.SGD(0.1), "mse")
_ = m.fit(np.ones((4, 3)), np.zeros((4, 1)), epochs=3, initial_epoch=1, validation_data=(np.ones((2, 3)), np.ones((2, 1))), validation_freq=2, verbose=0)
[m.history.epoch, m.history.history, m.optimizer.iterations]

m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
x = tf.ones((1, 3))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = m(x)
[tape.gradient(y, x), tape.batch_jacobian(y, x) if False else 0]

a = tf.keras.layers.Input(shape=(2,), name="u")
b = tf.keras.layers.InputLayer(shape=(2,), name="v")
[a.name, b.name, tf.keras.Input(shape=(), dtype="int64").dtype, tf.keras.Input(tensor=tf.keras.Input((2,))).shape, tf.keras.layers.InputSpec(ndim=2).ndim]

m = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(4, name="dense_x"), tf.keras.layers.Dense(2, name="out")])
lines = []
m.layers[0].trainable = False
m.summary(print_fn=lambda t, line_break=False: lines.append(t), show_trainable=True, line_length=90)
[re for re in lines[0].splitlines()[1:8]]

tf.keras.utils.set_random_seed(5)
one = [np.random.rand(), tf.random.uniform(()).numpy()]
tf.keras.utils.set_random_seed(5)
one == [np.random.rand(), tf.random.uniform(()).numpy()]

tf.keras.utils.set_random_seed(5)
one = tf.keras.layers.Dense(3)
one.build((None, 2))
tf.keras.utils.set_random_seed(5)
two = tf.keras.layers.Dense(3)
two.build((None, 2))
np.allclose(one.kernel, two.kernel)

x = np.ones((4, 10), np.float32)
d = tf.keras.layers.Dropout(0.5, seed=3)
out = d(x, training=True).numpy()
[set(np.unique(out)) <= {0., 2.}, d(x, training=False), d(x)]

def f(x):
    return tf.nn.relu(x)
layer = tf.keras.layers.Activation(f)
[layer.activation is f or layer.activation.__name__, tf.keras.activations.serialize(tf.keras.activations.relu), tf.keras.activations.get(None) is tf.keras.activations.linear or 1]

m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
m.compile(loss="mse", optimizer="sgd")
[m.test_on_batch(np.ones((2, 2)), np.ones((2, 1))), m.train_on_batch(np.ones((2, 2)), np.ones((2, 1))), m.train_on_batch(np.ones((2, 2)), np.ones((2, 1)), return_dict=True)]

sum(p.numpy().size for p in tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)]).trainable_variables)

import numpy
w = tf.keras.layers.Dense(1, kernel_initializer="ones")
w.build((None, 2))
[tf.convert_to_tensor(w.kernel), numpy.asarray(w.kernel), w.kernel.shape.as_list(), w.kernel.dtype, tf.shape(w.kernel), w.kernel @ tf.ones((1, 1)), -w.bias]

class Loud(tf.keras.layers.Dense):
    def call(self, inputs):
        out = super().call(inputs)
        return out * tf.cast(out.shape.as_list()[-1], out.dtype)
Loud(2, kernel_initializer="ones")(tf.ones((1, 3)))

# loose
class Counting(tf.keras.Model):
    def train_step(self, data):
        logs = super().train_step(data)
        seen.append(sorted(logs))
        return logs
    def test_step(self, data):
        return super().test_step(data)
    def predict_step(self, data):
        return super().predict_step(data) * 2.
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, **kwargs):
        return super().compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **kwargs) + tf.reduce_mean(tf.abs(y_pred)) * 0.1
seen = []
inputs = tf.keras.Input((3,))
m = Counting(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(inputs))
m.compile("sgd", "mse", metrics=["mae"])
x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
[m.fit(x, np.ones((4, 1)), batch_size=2, epochs=2, shuffle=False, verbose=0).history, seen[0], m.evaluate(x, np.ones((4, 1)), verbose=0), m.predict(x, verbose=0)]

# loose
class Own(tf.keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.loss_tracker = tf.keras.metrics.Mean(name="loss")
    def compute_loss(self, x, y, y_pred, sample_weight, training=True):
        loss = tf.reduce_mean(tf.math.squared_difference(y_pred, y))
        loss += tf.add_n(self.losses)
        self.loss_tracker.update_state(loss)
        return loss
    def reset_metrics(self):
        self.loss_tracker.reset_state()
    @property
    def metrics(self):
        return [self.loss_tracker]
inputs = tf.keras.Input((3,))
m = Own(inputs, tf.keras.layers.Dense(2, kernel_initializer="ones", activity_regularizer="l2")(inputs))
m.compile(optimizer=tf.keras.optimizers.SGD(0.1))
m.fit(tf.data.Dataset.from_tensor_slices((np.ones((6, 3), np.float32), np.ones((6, 2), np.float32))).batch(2), epochs=2, verbose=0).history

class MyLSTM(tf.keras.layers.LSTMCell):
    def call(self, inputs, states, training=False):
        out, new = super().call(inputs, states, training=training)
        return out + 1., new
tf.keras.layers.RNN(MyLSTM(2, kernel_initializer="ones", recurrent_initializer="ones"))(tf.ones((1, 3, 2)))
