# Models as the Sequential, functional and subclassing guides make them, and as they are trained; starting weights are numpy's.

# printed
model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="relu", name="layer1"), tf.keras.layers.Dense(3, name="layer2")])
print(len(model.layers), model.built)
y = model(tf.ones((1, 4)))
print(len(model.weights), [w.shape for w in model.weights], [w.path.split("/", 1)[1] for w in model.weights])
model.pop()
print(len(model.layers))
model.summary(print_fn=lambda t, line_break=False: None)

model = tf.keras.Sequential(name="my_sequential")
model.add(tf.keras.Input(shape=(4,)))
model.add(tf.keras.layers.Dense(2, activation="relu"))
[model.name, model.output_shape, model.input_shape, model.count_params(), [layer.name for layer in model.layers] != [], model.get_layer(index=0).units]

tf.keras.Sequential([tf.keras.layers.Dense(2)]).weights

tf.keras.Sequential([tf.keras.layers.Dense(2)]).summary()

lines = []
inputs = tf.keras.Input((4,), name="img")
x = tf.keras.layers.Dense(3, activation="relu", name="one")(inputs)
out = tf.keras.layers.Dense(2, name="two")(x)
model = tf.keras.Model(inputs, out, name="mnist_model")
model.summary(print_fn=lambda t, line_break=False: lines.append(t), line_length=80)
lines

inputs = tf.keras.Input((4,))
[inputs.shape, inputs.dtype, tf.keras.layers.Dense(3)(inputs).shape, tf.keras.Input((None, None, 3)).shape, tf.keras.Input(shape=(2,), batch_size=8).shape, tf.keras.backend.is_keras_tensor(inputs)]

a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((2,), name="b")
shared = tf.keras.layers.Dense(3, kernel_initializer="ones")
h = tf.keras.layers.concatenate([shared(a), tf.keras.layers.Dense(3, kernel_initializer="ones")(b)])
model = tf.keras.Model(inputs=[a, b], outputs=[tf.keras.layers.Dense(1, kernel_initializer="ones", name="p")(h), h])
[model([tf.ones((2, 4)), tf.ones((2, 2))]), model({"a": tf.ones((1, 4)), "b": tf.ones((1, 2))}), model.input_names if hasattr(model, "input_names") else 0, model.output_names]

inputs = tf.keras.Input((8, 8, 3))
x = tf.keras.layers.Conv2D(4, 3, activation="relu", padding="same", kernel_initializer="ones")(inputs)
block = tf.keras.layers.Conv2D(4, 3, padding="same", kernel_initializer="ones")(x)
x = tf.keras.layers.add([x, block])
x = tf.keras.layers.GlobalAveragePooling2D()(x)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, kernel_initializer="ones")(x))
model(tf.ones((1, 8, 8, 3)) * 0.01)

inner = tf.keras.Sequential([tf.keras.layers.Dense(3, kernel_initializer="ones")], name="inner")
inputs = tf.keras.Input((2,))
outer = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(inner(inputs)))
[outer(tf.ones((1, 2))), outer.get_layer("inner").layers[0].name != "", len(outer.weights), len(outer.layers)]

inputs = tf.keras.Input((2,))
ensemble = tf.keras.layers.average([tf.keras.layers.Dense(1, kernel_initializer=k)(inputs) for k in ("ones", "zeros")])
tf.keras.Model(inputs, ensemble).predict(np.ones((3, 2), np.float32), verbose=0)

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, kernel_initializer="ones", name="d1"), tf.keras.layers.Dense(2, kernel_initializer="ones", name="d2")])
features = tf.keras.Model(model.inputs, [layer.output for layer in model.layers])
[features(tf.ones((1, 3))), tf.keras.Model(inputs=model.inputs, outputs=model.get_layer("d1").output)(tf.ones((1, 3)))]

inputs = tf.keras.Input((2,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
model(tf.ones((1, 3)))

inputs = tf.keras.Input((2,))
tf.reduce_sum(inputs)

class Linear(tf.keras.layers.Layer):
    def __init__(self, units=32, **kwargs):
        super().__init__(**kwargs)
        self.units = units
    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", trainable=True)
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=True)
    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b
    def get_config(self):
        return {**super().get_config(), "units": self.units}
layer = Linear(2, name="lin")
y = layer(tf.ones((1, 3)))
again = Linear.from_config(layer.get_config())
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, Linear(2)(inputs))
[y, layer.get_config()["units"], again.units, again.name, len(layer.weights), layer.weights[0].shape, model(tf.ones((1, 3))), Linear(3)(inputs).shape]

class Reg(tf.keras.layers.Layer):
    def call(self, inputs):
        self.add_loss(1e-2 * tf.reduce_sum(inputs))
        return inputs
class Outer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.reg = Reg()
        self.dense = tf.keras.layers.Dense(2, kernel_regularizer=tf.keras.regularizers.l2(1e-3), kernel_initializer="ones")
    def call(self, inputs):
        return self.dense(self.reg(inputs))
layer = Outer()
before = len(layer.losses)
_ = layer(tf.ones((1, 3)))
_ = layer(tf.ones((1, 3)))
[before, layer.losses]

class Drop(tf.keras.layers.Layer):
    def call(self, inputs, training=None):
        return inputs * 0. if training else inputs
layer = Drop()
model = tf.keras.Sequential([Drop()])
[layer(tf.ones((1, 2))), layer(tf.ones((1, 2)), training=True), model(tf.ones((1, 2)), training=True), model(tf.ones((1, 2))), model.predict(np.ones((1, 2), np.float32), verbose=0)]

class Count(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.total = self.add_weight(shape=(2,), initializer="zeros", trainable=False)
    def call(self, inputs):
        self.total.assign_add(tf.reduce_sum(inputs, axis=0))
        return self.total
layer = Count()
one = layer(tf.ones((2, 2))).numpy()
two = layer(tf.ones((2, 2))).numpy()
[one, two, len(layer.weights), len(layer.non_trainable_weights), layer.trainable_weights]

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [tf.keras.layers.Dense(2, kernel_initializer="ones") for _ in range(3)]
        self.named = {"out": tf.keras.layers.Dense(1, kernel_initializer="ones")}
    def call(self, x, training=False):
        for block in self.blocks:
            x = tf.nn.relu(block(x))
        return self.named["out"](x)
net = Net()
y = net(tf.ones((1, 2)))
[y, len(net.layers), len(net.trainable_variables), net.count_params(), net.built]

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(2)])
model.layers[0].trainable = False
[len(model.trainable_weights), len(model.non_trainable_weights), len(model.weights), model.trainable]

base = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.BatchNormalization()])
base.trainable = False
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(base(inputs, training=False)))
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
before = [w.numpy() for w in base.weights]
_ = model.fit(np.ones((4, 3), np.float32), np.zeros((4, 1)), epochs=2, verbose=0)
[len(model.trainable_weights), [np.allclose(a, b.numpy()) for a, b in zip(before, base.weights)], model.layers[-1].kernel]

# loose
x, y = np.random.randn(32, 4).astype("float32"), np.random.randint(0, 3, 32)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3, activation="softmax")])
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
model.compile(optimizer=tf.keras.optimizers.RMSprop(learning_rate=1e-2), loss=tf.keras.losses.SparseCategoricalCrossentropy(), metrics=[tf.keras.metrics.SparseCategoricalAccuracy()])
history = model.fit(x, y, batch_size=8, epochs=3, validation_data=(x[:8], y[:8]), shuffle=False, verbose=0)
[history.history, history.epoch, model.evaluate(x, y, batch_size=8, verbose=0), model.evaluate(x, y, verbose=0, return_dict=True), model.predict(x[:3], verbose=0), model.metrics_names]

# loose
x, y = np.random.randn(32, 4).astype("float32"), np.random.rand(32, 1).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
def my_loss(y_true, y_pred):
    assert tf.is_tensor(y_true)
    return tf.reduce_mean(tf.square(tf.cast(y_true, y_pred.dtype) - y_pred), axis=-1)
def my_metric(y_true, y_pred):
    return tf.math.reduce_mean(tf.abs(y_true - y_pred))
model.compile(tf.keras.optimizers.Adam(1e-2), loss=my_loss, metrics=["mae", my_metric, tf.keras.metrics.RootMeanSquaredError(name="rmse")])
h = model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(8), epochs=2, verbose=0)
[h.history, model.evaluate(x, y, verbose=0, return_dict=True)]

# loose
class CustomMSE(tf.keras.losses.Loss):
    def __init__(self, factor=0.1, name="custom_mse"):
        super().__init__(name=name)
        self.factor = factor
    def call(self, y_true, y_pred):
        mse = tf.math.reduce_mean(tf.square(y_true - y_pred), axis=-1)
        return mse + tf.math.reduce_mean(tf.square(0.5 - y_pred), axis=-1) * self.factor
x, y = np.random.randn(16, 4).astype("float32"), np.random.rand(16, 1).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
model.compile("sgd", CustomMSE())
[model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0).history, CustomMSE()(tf.constant([[1.]]), tf.constant([[0.]]))]

class Positives(tf.keras.metrics.Metric):
    def __init__(self, name="positives", **kwargs):
        super().__init__(name=name, **kwargs)
        self.hits = self.add_weight(name="hits", initializer="zeros")
    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = tf.reshape(tf.argmax(y_pred, axis=1), shape=(-1, 1))
        values = tf.cast(tf.cast(y_true, "int32") == tf.cast(y_pred, "int32"), "float32")
        if sample_weight is not None:
            values = tf.multiply(values, tf.cast(sample_weight, "float32"))
        self.hits.assign_add(tf.reduce_sum(values))
    def result(self):
        return self.hits
    def reset_state(self):
        self.hits.assign(0.)
m = Positives()
m.update_state(np.array([[0], [1]]), np.array([[.9, .1], [.8, .2]], np.float32))
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=[Positives()])
[m.result(), model.evaluate(np.random.randn(16, 4), np.random.randint(0, 3, (16, 1)), verbose=0)[1]]

# loose
class CustomModel(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(y=y, y_pred=y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}
    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        loss = self.compute_loss(y=y, y_pred=y_pred)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}
inputs = tf.keras.Input((4,))
model = CustomModel(inputs, tf.keras.layers.Dense(1)(inputs))
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
model.compile(optimizer="adam", loss="mse", metrics=["mae"])
x, y = np.random.randn(16, 4).astype("float32"), np.random.rand(16, 1).astype("float32")
[model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0).history, model.evaluate(x, y, verbose=0), model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4), verbose=0).history]

# loose
class LowLevel(tf.keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.loss_tracker = tf.keras.metrics.Mean(name="loss")
        self.mae_metric = tf.keras.metrics.MeanAbsoluteError(name="mae")
        self.loss_fn = tf.keras.losses.MeanSquaredError()
    def train_step(self, data):
        x, y, sample_weight = data if len(data) == 3 else (*data, None)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.loss_fn(y, y_pred, sample_weight=sample_weight)
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.loss_tracker.update_state(loss)
        self.mae_metric.update_state(y, y_pred, sample_weight=sample_weight)
        return {"loss": self.loss_tracker.result(), "mae": self.mae_metric.result()}
    @property
    def metrics(self):
        return [self.loss_tracker, self.mae_metric]
inputs = tf.keras.Input((4,))
model = LowLevel(inputs, tf.keras.layers.Dense(1)(inputs))
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
model.compile(optimizer=tf.keras.optimizers.SGD(0.1))
x, y = np.random.randn(16, 4).astype("float32"), np.random.rand(16, 1).astype("float32")
[model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0).history, model.fit(x, y, sample_weight=np.arange(16.), batch_size=4, shuffle=False, verbose=0).history]

# loose
class Activity(tf.keras.layers.Layer):
    def call(self, inputs):
        self.add_loss(tf.reduce_sum(inputs) * 0.1)
        return inputs
inputs = tf.keras.Input((4,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer="l2")(Activity()(inputs)))
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x, y = np.random.rand(16, 4).astype("float32"), np.random.rand(16, 1).astype("float32")
[model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0).history, len(model.losses)]

# loose
a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((2,), name="b")
h = tf.keras.layers.concatenate([a, b])
model = tf.keras.Model([a, b], {"score": tf.keras.layers.Dense(1, name="score")(h), "kind": tf.keras.layers.Dense(3, name="kind")(h)})
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
model.compile("sgd", loss={"score": tf.keras.losses.MeanSquaredError(), "kind": tf.keras.losses.CategoricalCrossentropy(from_logits=True)}, metrics={"score": [tf.keras.metrics.MeanAbsolutePercentageError()], "kind": ["accuracy"]}, loss_weights={"score": 2., "kind": 1.})
xs = {"a": np.random.rand(8, 3).astype("float32"), "b": np.random.rand(8, 2).astype("float32")}
ys = {"score": np.random.rand(8, 1).astype("float32"), "kind": np.eye(3, dtype="float32")[np.random.randint(0, 3, 8)]}
[sorted(model.fit(xs, ys, batch_size=4, shuffle=False, verbose=0).history.items()), sorted(model.evaluate(tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8), return_dict=True, verbose=0).items())]

# loose
x, y = np.random.randn(20, 4).astype("float32"), np.random.randint(0, 2, 20)
def fresh():
    np.random.seed(3)
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1, activation="sigmoid")])
    model.set_weights([np.random.randn(*w.shape) for w in model.get_weights()])
    model.compile("sgd", "binary_crossentropy", weighted_metrics=["accuracy"])
    return model
[fresh().fit(x, y, class_weight={0: 1., 1: 5.}, shuffle=False, verbose=0).history, fresh().fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(5), class_weight={0: 1., 1: 5.}, verbose=0).history, fresh().fit(x, y, sample_weight=np.arange(20.), validation_split=0.2, shuffle=False, verbose=0).history, fresh().train_on_batch(x, y), fresh().test_on_batch(x, y, return_dict=True), fresh().predict_on_batch(x[:2])]

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.fit(np.ones((2, 2)), np.ones((2, 1)))

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "no_such_loss")
model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
copy = tf.keras.models.clone_model(model)
copy.set_weights(model.get_weights())
again = tf.keras.Sequential.from_config(model.get_config())
json = tf.keras.models.model_from_json(model.to_json())
[copy(tf.ones((1, 3))), [w.shape for w in again.weights], [w.shape for w in json.weights]]

import tempfile
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, kernel_initializer="ones")(tf.keras.layers.Dense(2, activation="relu", kernel_initializer="ones")(inputs)))
model.compile("adam", "mse", metrics=["mae"])
_ = model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
path = tempfile.mkdtemp() + "/m.keras"
model.save(path)
loaded = tf.keras.models.load_model(path)
w = tempfile.mkdtemp() + "/m.weights.h5"
model.save_weights(w)
fresh = tf.keras.models.clone_model(model)
fresh.load_weights(w)
x = np.random.rand(2, 3).astype("float32")
[np.allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0)), loaded.optimizer.iterations, np.allclose(fresh(x), model(x)), loaded.loss, [m.name for m in loaded.metrics]]

import tempfile
@tf.keras.utils.register_keras_serializable(package="mine")
class Scale(tf.keras.layers.Layer):
    def __init__(self, factor, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor
    def call(self, x):
        return x * self.factor
    def get_config(self):
        return {**super().get_config(), "factor": self.factor}
@tf.keras.utils.register_keras_serializable(package="mine", name="act")
def act(x):
    return tf.nn.relu(x) + 1.
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, activation=act, kernel_initializer="ones")(Scale(3.)(inputs)))
path = tempfile.mkdtemp() + "/m.keras"
model.save(path)
loaded = tf.keras.models.load_model(path)
[loaded(tf.ones((1, 3))), loaded.layers[1].factor, type(loaded.layers[1]).__name__]

import tempfile
class Plain(tf.keras.layers.Layer):
    def call(self, x):
        return x + 1.
def twice(x):
    return x * 2.
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, activation=twice, kernel_initializer="ones")(Plain()(inputs)))
path = tempfile.mkdtemp() + "/m.keras"
model.save(path)
with tf.keras.utils.custom_object_scope({"Plain": Plain, "twice": twice}):
    loaded = tf.keras.models.load_model(path)
second = tf.keras.models.load_model(path, custom_objects={"Plain": Plain, "twice": twice})
[loaded(tf.ones((1, 3))), second(tf.ones((1, 3)))]

tf.keras.models.load_model("/nowhere/at/all.keras")

tf.keras.Sequential([tf.keras.layers.Dense(1)]).save_weights("/tmp/x.h5y")
