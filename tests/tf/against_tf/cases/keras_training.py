# Loops from scratch, optimizers, schedules, losses, metrics, callbacks: numbers as Keras on TensorFlow has them.

# loose
def run(make):
    v, w = tf.Variable([1., -2., 3.]), tf.Variable([[0.5]])
    opt = make()
    for i in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v) * [1., 2., 3.]) + tf.reduce_sum(w * v) + tf.sin(w[0, 0] * i)
        opt.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w]))
    return [v.numpy(), w.numpy(), int(opt.iterations)]
O = tf.keras.optimizers
[run(lambda k=k: k(learning_rate=0.05)) for k in (O.SGD, O.Adam, O.AdamW, O.RMSprop, O.Adagrad, O.Adadelta, O.Nadam, O.Ftrl, O.Adamax, O.Lion, O.Adafactor)]

# loose
def run(make):
    v, w = tf.Variable([1., -2., 3.]), tf.Variable([[0.5]])
    opt = make()
    for i in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v) * [1., 2., 3.]) + tf.reduce_sum(w * v)
        opt.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w]))
    return [v.numpy(), w.numpy()]
O = tf.keras.optimizers
[run(m) for m in (lambda: O.SGD(0.01, momentum=0.9), lambda: O.SGD(0.01, momentum=0.9, nesterov=True), lambda: O.SGD(0.01, clipnorm=1.), lambda: O.Adam(0.1, clipvalue=0.5), lambda: O.Adam(0.1, global_clipnorm=1.), lambda: O.Adam(0.1, amsgrad=True), lambda: O.AdamW(0.1, weight_decay=0.1), lambda: O.SGD(0.1, weight_decay=0.1), lambda: O.RMSprop(0.01, momentum=0.9, centered=True), lambda: O.Adam(O.schedules.ExponentialDecay(0.1, 2, 0.5)), lambda: O.Adam(0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2), lambda: O.SGD(0.1, gradient_accumulation_steps=2), lambda: O.get("adam"), lambda: O.get({"class_name": "SGD", "config": {"learning_rate": 0.03}}))]

opt = tf.keras.optimizers.Adam(0.01)
opt.learning_rate = 0.5
one = float(opt.learning_rate)
opt.learning_rate.assign(0.25)
tf.keras.backend.set_value(opt.learning_rate, 0.125) if False else None
[one, float(opt.learning_rate), opt.get_config()["beta_1"], opt.name, tf.keras.optimizers.SGD.from_config({"learning_rate": 0.5}).get_config()["learning_rate"], type(tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(opt))).__name__]

S = tf.keras.optimizers.schedules
[[float(s(t)) for t in (0, 1, 5, 10, 100)] for s in (S.ExponentialDecay(0.1, 10, 0.9), S.ExponentialDecay(0.1, 10, 0.9, staircase=True), S.PiecewiseConstantDecay([2, 8], [1., 0.5, 0.1]), S.PolynomialDecay(0.1, 50, 0.01, power=0.5), S.PolynomialDecay(0.1, 7, cycle=True), S.InverseTimeDecay(0.1, 5, 0.5), S.CosineDecay(0.1, 50), S.CosineDecay(0., 50, warmup_target=0.1, warmup_steps=4), S.CosineDecayRestarts(0.1, 7))]

# loose
class Warm(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, d_model, warmup_steps=4):
        super().__init__()
        self.d_model, self.warmup_steps = tf.cast(d_model, tf.float32), warmup_steps
    def __call__(self, step):
        step = tf.cast(step, dtype=tf.float32)
        return tf.math.rsqrt(self.d_model) * tf.math.minimum(tf.math.rsqrt(step), step * (self.warmup_steps ** -1.5))
v = tf.Variable([1., 2.])
opt = tf.keras.optimizers.Adam(Warm(16), beta_1=0.9, beta_2=0.98, epsilon=1e-9)
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    opt.apply_gradients(zip(tape.gradient(loss, [v]), [v]))
[v, Warm(512)(tf.range(1, 5, dtype=tf.float32)), opt.learning_rate]

opt = tf.keras.optimizers.SGD(1.)
v = tf.Variable(1.)
opt.build([v])
opt.apply_gradients([(tf.constant(0.5), v)])
[v, opt.iterations, [x.name for x in opt.variables][:2]]

tf.keras.optimizers.SGD(1.).apply_gradients([(None, tf.Variable(1.))])

tf.keras.optimizers.get("nonsense")

tf.keras.optimizers.Adam(lr=0.1)

v = tf.Variable(1.)
opt = tf.keras.optimizers.Adam()
opt.apply_gradients([(tf.constant(1.), v)])
opt.apply_gradients([(tf.constant(1.), tf.Variable(2.))])

v = tf.Variable([3., 4.])
opt = tf.keras.optimizers.SGD(0.1)
opt.minimize(lambda: tf.reduce_sum(v * v), [v]) if hasattr(opt, "minimize") else None

# loose
y, p = np.array([[0., 1., 0.], [0., 0., 1.]], np.float32), np.array([[.05, .95, .01], [.1, .8, .1]], np.float32)
L = tf.keras.losses
[k()(y, p) for k in (L.MeanSquaredError, L.MeanAbsoluteError, L.MeanAbsolutePercentageError, L.MeanSquaredLogarithmicError, L.CategoricalCrossentropy, L.BinaryCrossentropy, L.Huber, L.LogCosh, L.Hinge, L.SquaredHinge, L.CategoricalHinge, L.KLDivergence, L.Poisson, L.CosineSimilarity, L.CategoricalFocalCrossentropy, L.BinaryFocalCrossentropy, L.Dice)]

# loose
y, p = np.array([1, 2]), np.array([[.05, .95, .01], [.1, .8, .1]], np.float32)
L = tf.keras.losses
[L.SparseCategoricalCrossentropy()(y, p), L.SparseCategoricalCrossentropy(from_logits=True)(y, p), L.SparseCategoricalCrossentropy(from_logits=True, reduction="none")(y, p), L.SparseCategoricalCrossentropy(reduction="sum")(y, p, sample_weight=[1., 0.5]), L.SparseCategoricalCrossentropy(ignore_class=1)(y, p), L.BinaryCrossentropy(label_smoothing=0.1)([1., 0.], [.6, .3]), L.CategoricalCrossentropy(label_smoothing=0.1)(np.eye(3, dtype=np.float32)[y], p), L.sparse_categorical_crossentropy(y, p), L.KLD([.5, .5], [.4, .6]), L.binary_crossentropy([1., 0.], [.6, .3]), L.MSE([1.], [2.]), L.MAE([[1., 2.]], [[2., 4.]]), L.mse(np.ones((2, 2)), np.zeros((2, 2))), L.get("huber")([1.], [3.]), L.MeanSquaredError(reduction=tf.keras.losses.Reduction.SUM if hasattr(tf.keras.losses, "Reduction") else "sum")([1., 2.], [2., 4.])]

# loose
y, p = np.array([0, 1, 1, 0]), np.array([.1, .8, .4, .6], np.float32)
M = tf.keras.metrics
def val(m, *a, **k):
    m.update_state(*a, **k)
    return m.result()
[val(m, y, p) for m in (M.BinaryAccuracy(), M.AUC(), M.Precision(), M.Recall(), M.TruePositives(), M.FalsePositives(), M.TrueNegatives(), M.FalseNegatives(), M.MeanSquaredError(), M.RootMeanSquaredError(), M.MeanAbsoluteError(), M.BinaryCrossentropy(), M.AUC(curve="PR"), M.PrecisionAtRecall(0.5), M.F1Score(threshold=0.5, average=None) if False else M.LogCoshError(), M.R2Score() if False else M.CosineSimilarity(axis=0))]

y, p = np.array([1, 2, 0]), np.array([[.05, .95, .01], [.1, .8, .1], [.9, .05, .05]], np.float32)
M = tf.keras.metrics
acc = M.SparseCategoricalAccuracy()
one = acc(y, p)
[one, acc.result(), acc(y[:1], p[:1]), M.SparseTopKCategoricalAccuracy(k=2)(y, p), M.CategoricalAccuracy()(np.eye(3)[y], p), M.MeanIoU(num_classes=3)(y, p.argmax(1)), M.sparse_categorical_accuracy(y, p), M.Mean()(tf.constant([1., 2., 6.])), M.Sum()([1., 2.]), M.MeanMetricWrapper(lambda a, b: tf.abs(a - b))(np.array([1., 2.], np.float32), np.array([2., 4.], np.float32)), M.Accuracy()([1, 2], [1, 3]), M.BinaryIoU()([0., 1.], [.6, .7]), M.get("mae")([1.], [3.])]

m = tf.keras.metrics.Mean(name="train_loss")
m(3.)
m.update_state([1., 5.], sample_weight=[1., 3.])
before = m.result().numpy()
m.reset_state()
[before, m.result(), m.name, [v.name for v in m.variables], m.dtype]

# loose
x, y = np.random.randn(64, 4).astype("float32"), np.random.randint(0, 3, 64)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3)])
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
optimizer = tf.keras.optimizers.SGD(learning_rate=1e-1)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
metric = tf.keras.metrics.SparseCategoricalAccuracy()
out = []
@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss_value = loss_fn(y, logits)
    grads = tape.gradient(loss_value, model.trainable_weights)
    optimizer.apply_gradients(zip(grads, model.trainable_weights))
    metric.update_state(y, logits)
    return loss_value
for epoch in range(2):
    for step, (xb, yb) in enumerate(tf.data.Dataset.from_tensor_slices((x, y)).batch(16)):
        out.append(float(train_step(xb, yb)))
    out.append(float(metric.result()))
    metric.reset_state()
out

# loose
class Activity(tf.keras.layers.Layer):
    def call(self, inputs):
        self.add_loss(1e-2 * tf.reduce_sum(inputs))
        return inputs
inputs = tf.keras.Input((4,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, kernel_regularizer="l1", kernel_initializer="ones")(Activity()(inputs)))
opt = tf.keras.optimizers.SGD(0.1)
out = []
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(tf.ones((2, 4)), training=True) ** 2)
        loss += sum(model.losses)
    grads = tape.gradient(loss, model.trainable_weights)
    opt.apply_gradients(zip(grads, model.trainable_weights))
    out.append([float(loss), [float(v) for v in model.losses]])
[out, model.trainable_weights[0].numpy()]

# loose
class Log(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []
def hook(name):
    def run(self, *args, **kwargs):
        logs = args[-1] if args and isinstance(args[-1], dict) else kwargs.get("logs")
        self.seen.append((name, args[0] if args and isinstance(args[0], int) else None, sorted(logs or {})))
    return run
for name in ("train_begin", "train_end", "epoch_begin", "epoch_end", "test_begin", "test_end", "predict_begin", "predict_end", "train_batch_begin", "train_batch_end", "test_batch_begin", "test_batch_end", "predict_batch_begin", "predict_batch_end"):
    setattr(Log, "on_" + name, hook(name))
log = Log()
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile("sgd", "mse", metrics=["mae"])
x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
_ = model.fit(x, y, batch_size=2, epochs=2, validation_data=(x, y), callbacks=[log], verbose=0)
_ = model.evaluate(x, y, callbacks=[log], verbose=0)
_ = model.predict(x, callbacks=[log], verbose=0)
log.seen

model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.0), "mse")
x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
stop = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=2, restore_best_weights=True, verbose=0)
h = model.fit(x, y, validation_data=(x, y), epochs=10, callbacks=[stop], verbose=0)
[len(h.epoch), stop.stopped_epoch, h.history["val_loss"]]

# loose
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
rates = []
cbs = [tf.keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.5), tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: rates.append((epoch, float(model.optimizer.learning_rate), sorted(logs))))]
h = model.fit(x, y, epochs=3, callbacks=cbs, verbose=0)
[rates, h.history]

# loose
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(1e-9), "mse")
x, y = np.ones((4, 2), np.float32), np.zeros((4, 1), np.float32)
h = model.fit(x, y, epochs=5, callbacks=[tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.2, patience=1, min_lr=1e-12)], verbose=0)
[h.history["learning_rate"], sorted(h.history)]

import tempfile, os
d = tempfile.mkdtemp()
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x, y = np.ones((4, 2), np.float32), np.zeros((4, 1), np.float32)
cbs = [tf.keras.callbacks.ModelCheckpoint(d + "/cp-{epoch:04d}.weights.h5", save_weights_only=True), tf.keras.callbacks.ModelCheckpoint(d + "/best.keras", monitor="loss", save_best_only=True), tf.keras.callbacks.CSVLogger(d + "/log.csv"), tf.keras.callbacks.BackupAndRestore(d + "/backup"), tf.keras.callbacks.TerminateOnNaN()]
_ = model.fit(x, y, epochs=3, callbacks=cbs, verbose=0)
fresh = tf.keras.models.clone_model(model)
fresh.load_weights(d + "/cp-0003.weights.h5")
best = tf.keras.models.load_model(d + "/best.keras")
[sorted(f for f in os.listdir(d) if f != "backup"), open(d + "/log.csv").read().splitlines()[0], np.allclose(fresh(x), model(x)), np.allclose(best(x), model(x))]

import tempfile
tf.keras.callbacks.ModelCheckpoint(tempfile.mkdtemp() + "/cp.ckpt", save_weights_only=True)

model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(1e30), "mse")
h = model.fit(np.ones((8, 2), np.float32), np.zeros((8, 1)), batch_size=1, epochs=3, callbacks=[tf.keras.callbacks.TerminateOnNaN()], verbose=0)
len(h.epoch)

# loose
class Gen(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        out = self.model(tf.ones((1, 2)), training=False)
        seen.append((tf.is_tensor(out), (out + 1.).shape, float(tf.reduce_sum(self.model.layers[0].kernel * 2.))))
        seen.append(self.model.predict(np.ones((1, 2), np.float32), verbose=0).shape)
        if epoch == 1:
            self.model.stop_training = True
seen = []
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
h = model.fit(np.ones((4, 2), np.float32), np.zeros((4, 1)), epochs=5, callbacks=[Gen()], verbose=0)
[seen, h.history]

tf.keras.mixed_precision.set_global_policy("mixed_float16")
layer = tf.keras.layers.Dense(2)
out = layer(tf.ones((1, 3)))
result = [layer.compute_dtype, layer.variable_dtype, layer.kernel.dtype, out.dtype, tf.keras.mixed_precision.global_policy().name, tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD()).initial_scale]
tf.keras.mixed_precision.set_global_policy("float32")
result

# loose
tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
inputs = tf.keras.Input((4,))
model = tf.keras.Model(inputs, tf.keras.layers.Activation("softmax", dtype="float32")(tf.keras.layers.Dense(3, kernel_initializer="ones")(inputs)))
tf.keras.mixed_precision.set_global_policy("float32")
model.compile("sgd", "sparse_categorical_crossentropy")
[model(tf.ones((1, 4))).dtype, model.layers[1].dtype_policy.name, model.fit(np.ones((4, 4)), np.zeros(4), verbose=0).history]

K = tf.keras.backend
[K.epsilon(), K.floatx(), K.image_data_format(), K.clear_session(), K.get_uid("x"), K.is_keras_tensor(tf.keras.Input((1,)))]

K = tf.keras.backend
[K.backend() in ("tensorflow", "torch"), K.int_shape(tf.ones((2, 3))), K.eval(tf.ones(2)), K.mean(tf.constant([1., 3.])), K.square(tf.constant(2.)), K.sum(tf.ones((2, 2)), axis=-1)]

K = tf.keras.backend
[K.exp(tf.constant(0.)), K.sqrt(tf.constant(4.)), K.abs(tf.constant(-1.)), K.clip(tf.constant([-1., 5.]), 0, 1), K.cast(tf.constant(1), "float32"), K.flatten(tf.ones((2, 2)))]

K = tf.keras.backend
[K.dot(tf.ones((2, 3)), tf.ones((3, 1))), K.ones((2,)), K.zeros((1, 2)), K.softmax(tf.constant([[1., 1.]])), K.max(tf.constant([1., 2.]))]

K = tf.keras.backend
[K.binary_crossentropy(tf.constant([1.]), tf.constant([.5])), K.l2_normalize(tf.constant([3., 4.])), K.variable([1., 2.]), K.constant([1.]), K.shape(tf.ones((2, 3))), K.get_value(tf.Variable(3.))]

K = tf.keras.backend
[K.expand_dims(tf.ones(2), 0), K.argmax(tf.constant([1., 3., 2.])), K.random_normal((2,)).shape, K.sigmoid(tf.constant(0.))]

K = tf.keras.backend
[K.stack([tf.ones(1), tf.zeros(1)]), K.sign(tf.constant(-2.)), K.log(tf.constant(1.)), K.pow(tf.constant(2.), 3), K.batch_flatten(tf.ones((2, 2, 2))), K.permute_dimensions(tf.ones((2, 3)), (1, 0))]

K = tf.keras.backend
[K.reshape(tf.ones(4), (2, 2)), K.equal(tf.constant(1), tf.constant(1)), K.switch(tf.constant(True), tf.constant(1.), tf.constant(2.)), K.gather(tf.constant([1., 2.]), [1]), K.ndim(tf.ones((1, 2))), K.std(tf.constant([1., 3.]))]

K = tf.keras.backend
[K.count_params(tf.Variable([1., 2.])) if hasattr(K, "count_params") else 2]
