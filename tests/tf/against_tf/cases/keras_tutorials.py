# How tutorials work: generative models, attention, saliency, style, fine tuning, series, text; small, with numpy's starting weights.

# loose
def weights(m, s=0.3):
    m.set_weights([np.random.randn(*w.shape) * s for w in m.get_weights()])
gen = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2 * 2 * 3, use_bias=False), tf.keras.layers.BatchNormalization(), tf.keras.layers.LeakyReLU(), tf.keras.layers.Reshape((2, 2, 3)), tf.keras.layers.Conv2DTranspose(2, (3, 3), strides=(2, 2), padding="same", use_bias=False), tf.keras.layers.BatchNormalization(), tf.keras.layers.LeakyReLU(), tf.keras.layers.Conv2DTranspose(1, (5, 5), strides=(2, 2), padding="same", use_bias=False, activation="tanh")])
disc = tf.keras.Sequential([tf.keras.Input((8, 8, 1)), tf.keras.layers.Conv2D(3, (5, 5), strides=(2, 2), padding="same"), tf.keras.layers.LeakyReLU(), tf.keras.layers.Dropout(0.), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
assert gen.output_shape == (None, 8, 8, 1)
weights(gen)
weights(disc)
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
g_opt, d_opt = tf.keras.optimizers.Adam(1e-2), tf.keras.optimizers.Adam(1e-2)
@tf.function
def train_step(images, noise):
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        made = gen(noise, training=True)
        real_output, fake_output = disc(images, training=True), disc(made, training=True)
        gen_loss = bce(tf.ones_like(fake_output), fake_output)
        disc_loss = bce(tf.ones_like(real_output), real_output) + bce(tf.zeros_like(fake_output), fake_output)
    g_opt.apply_gradients(zip(gen_tape.gradient(gen_loss, gen.trainable_variables), gen.trainable_variables))
    d_opt.apply_gradients(zip(disc_tape.gradient(disc_loss, disc.trainable_variables), disc.trainable_variables))
    return gen_loss, disc_loss
images = np.random.rand(4, 8, 8, 1).astype("float32")
[train_step(images, np.random.randn(4, 4).astype("float32")) for _ in range(3)]

# loose
class GAN(tf.keras.Model):
    def __init__(self, discriminator, generator):
        super().__init__()
        self.discriminator, self.generator = discriminator, generator
        self.d_loss_tracker, self.g_loss_tracker = tf.keras.metrics.Mean(name="d_loss"), tf.keras.metrics.Mean(name="g_loss")
    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super().compile()
        self.d_optimizer, self.g_optimizer, self.loss_fn = d_optimizer, g_optimizer, loss_fn
    @property
    def metrics(self):
        return [self.d_loss_tracker, self.g_loss_tracker]
    def train_step(self, real):
        if isinstance(real, tuple):
            real = real[0]
        n = tf.shape(real)[0]
        noise = tf.ones((n, 2)) * 0.5
        made = self.generator(noise)
        combined = tf.concat([made, real], axis=0)
        labels = tf.concat([tf.ones((n, 1)), tf.zeros((n, 1))], axis=0)
        with tf.GradientTape() as tape:
            d_loss = self.loss_fn(labels, self.discriminator(combined))
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(zip(grads, self.discriminator.trainable_weights))
        with tf.GradientTape() as tape:
            g_loss = self.loss_fn(tf.zeros((n, 1)), self.discriminator(self.generator(noise)))
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))
        self.d_loss_tracker.update_state(d_loss)
        self.g_loss_tracker.update_state(g_loss)
        return {"d_loss": self.d_loss_tracker.result(), "g_loss": self.g_loss_tracker.result()}
d = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
g = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
for m in (d, g):
    m.set_weights([np.random.randn(*w.shape) * .5 for w in m.get_weights()])
gan = GAN(d, g)
gan.compile(tf.keras.optimizers.Adam(1e-2), tf.keras.optimizers.Adam(1e-2), tf.keras.losses.BinaryCrossentropy(from_logits=True))
x = np.random.rand(12, 3).astype("float32")
[gan.fit(tf.data.Dataset.from_tensor_slices(x).batch(4), epochs=2, verbose=0).history, gan.fit(x, batch_size=4, shuffle=False, verbose=0).history]

# loose
class Sampling(tf.keras.layers.Layer):
    def call(self, inputs):
        z_mean, z_log_var = inputs
        epsilon = tf.ones(shape=(tf.shape(z_mean)[0], tf.shape(z_mean)[1])) * 0.3
        return z_mean + tf.exp(0.5 * z_log_var) * epsilon
inputs = tf.keras.Input((6,))
h = tf.keras.layers.Dense(4, activation="relu")(inputs)
z_mean, z_log_var = tf.keras.layers.Dense(2, name="z_mean")(h), tf.keras.layers.Dense(2, name="z_log_var")(h)
encoder = tf.keras.Model(inputs, [z_mean, z_log_var, Sampling()([z_mean, z_log_var])], name="encoder")
decoder = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(6, activation="sigmoid")])
class VAE(tf.keras.Model):
    def __init__(self, encoder, decoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.decoder = encoder, decoder
        self.total_loss_tracker, self.kl_loss_tracker = tf.keras.metrics.Mean(name="total_loss"), tf.keras.metrics.Mean(name="kl_loss")
    @property
    def metrics(self):
        return [self.total_loss_tracker, self.kl_loss_tracker]
    def train_step(self, data):
        with tf.GradientTape() as tape:
            z_mean, z_log_var, z = self.encoder(data)
            made = self.decoder(z)
            reconstruction_loss = tf.reduce_mean(tf.reduce_sum(tf.keras.losses.binary_crossentropy(data[..., None], made[..., None]), axis=1))
            kl_loss = tf.reduce_mean(tf.reduce_sum(-0.5 * (1 + z_log_var - tf.square(z_mean) - tf.exp(z_log_var)), axis=1))
            total_loss = reconstruction_loss + kl_loss
        grads = tape.gradient(total_loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.total_loss_tracker.update_state(total_loss)
        self.kl_loss_tracker.update_state(kl_loss)
        return {"loss": self.total_loss_tracker.result(), "kl_loss": self.kl_loss_tracker.result()}
vae = VAE(encoder, decoder)
for m in (encoder, decoder):
    m.set_weights([np.random.randn(*w.shape) * .5 for w in m.get_weights()])
vae.compile(optimizer=tf.keras.optimizers.Adam(1e-2))
x = np.random.rand(8, 6).astype("float32")
[vae.fit(x, epochs=2, batch_size=4, shuffle=False, verbose=0).history, encoder.predict(x[:1], verbose=0)[2].shape]

# loose
class TransformerBlock(tf.keras.layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.0):
        super().__init__()
        self.att = tf.keras.layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
        self.ffn = tf.keras.Sequential([tf.keras.layers.Dense(ff_dim, activation="relu"), tf.keras.layers.Dense(embed_dim)])
        self.layernorm1, self.layernorm2 = tf.keras.layers.LayerNormalization(epsilon=1e-6), tf.keras.layers.LayerNormalization(epsilon=1e-6)
        self.dropout1, self.dropout2 = tf.keras.layers.Dropout(rate), tf.keras.layers.Dropout(rate)
    def call(self, inputs, training=False):
        attn_output = self.dropout1(self.att(inputs, inputs), training=training)
        out1 = self.layernorm1(inputs + attn_output)
        return self.layernorm2(out1 + self.dropout2(self.ffn(out1), training=training))
class TokenAndPositionEmbedding(tf.keras.layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim):
        super().__init__()
        self.token_emb = tf.keras.layers.Embedding(input_dim=vocab_size, output_dim=embed_dim)
        self.pos_emb = tf.keras.layers.Embedding(input_dim=maxlen, output_dim=embed_dim)
    def call(self, x):
        positions = tf.range(start=0, limit=tf.shape(x)[-1], delta=1)
        return self.token_emb(x) + self.pos_emb(positions)
inputs = tf.keras.Input(shape=(5,))
x = TransformerBlock(4, 2, 8)(TokenAndPositionEmbedding(5, 10, 4)(inputs))
x = tf.keras.layers.GlobalAveragePooling1D()(x)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, activation="softmax")(x))
model.set_weights([np.random.randn(*w.shape) * .3 for w in model.get_weights()])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
ids, y = np.random.randint(0, 10, (16, 5)), np.random.randint(0, 2, 16)
[model.fit(ids, y, batch_size=8, epochs=2, shuffle=False, verbose=0).history, [w.path.split("/")[-1] for w in model.weights][:4], len(model.weights)]

# loose
class Encoder(tf.keras.Model):
    def __init__(self, vocab, units):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab, 3, mask_zero=True)
        self.gru = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
    def call(self, x):
        return self.gru(self.embedding(x))
class BahdanauAttention(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.W1, self.W2, self.V = tf.keras.layers.Dense(units), tf.keras.layers.Dense(units), tf.keras.layers.Dense(1)
    def call(self, query, values):
        score = self.V(tf.nn.tanh(self.W1(tf.expand_dims(query, 1)) + self.W2(values)))
        attention_weights = tf.nn.softmax(score, axis=1)
        return tf.reduce_sum(attention_weights * values, axis=1), attention_weights
class Decoder(tf.keras.Model):
    def __init__(self, vocab, units):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab, 3)
        self.gru = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
        self.fc, self.attention = tf.keras.layers.Dense(vocab), BahdanauAttention(units)
    def call(self, x, hidden, enc_output):
        context, attention_weights = self.attention(hidden, enc_output)
        x = tf.concat([tf.expand_dims(context, 1), self.embedding(x)], axis=-1)
        output, state = self.gru(x)
        return self.fc(tf.reshape(output, (-1, output.shape[2]))), state, attention_weights
enc, dec, opt = Encoder(7, 4), Decoder(7, 4), tf.keras.optimizers.Adam(1e-2)
inp, targ = np.array([[1, 2, 3, 0], [4, 5, 0, 0]]), np.array([[1, 3, 2], [1, 4, 2]])
o, h = enc(inp)
_ = dec(targ[:, :1], h, o)
for m in (enc, dec):
    m.set_weights([np.random.randn(*w.shape) * .4 for w in m.get_weights()])
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
def loss_function(real, pred):
    mask = tf.math.logical_not(tf.math.equal(real, 0))
    loss_ = loss_object(real, pred)
    return tf.reduce_mean(loss_ * tf.cast(mask, dtype=loss_.dtype))
def step():
    loss = 0.
    with tf.GradientTape() as tape:
        enc_output, hidden = enc(inp)
        for t in range(1, targ.shape[1]):
            predictions, hidden, _ = dec(targ[:, t - 1:t], hidden, enc_output)
            loss += loss_function(targ[:, t], predictions)
    variables = enc.trainable_variables + dec.trainable_variables
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss
[step() for _ in range(3)]

# loose
e_in = tf.keras.Input((None, 3))
_, h, c = tf.keras.layers.LSTM(4, return_state=True)(e_in)
d_in = tf.keras.Input((None, 2))
out, _, _ = tf.keras.layers.LSTM(4, return_sequences=True, return_state=True)(d_in, initial_state=[h, c])
model = tf.keras.Model([e_in, d_in], tf.keras.layers.Dense(2, activation="softmax")(out))
model.set_weights([np.random.randn(*w.shape) * .4 for w in model.get_weights()])
model.compile("rmsprop", "categorical_crossentropy", metrics=["accuracy"])
h = model.fit([np.random.rand(6, 4, 3), np.random.rand(6, 5, 2)], np.eye(2)[np.random.randint(0, 2, (6, 5))], batch_size=3, epochs=2, shuffle=False, verbose=0)
h.history

# loose
cnn = tf.keras.Sequential([tf.keras.Input((6, 6, 1)), tf.keras.layers.Conv2D(2, 3, activation="relu", name="c1"), tf.keras.layers.Conv2D(3, 3, activation="relu", name="last_conv"), tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(3, name="top")])
cnn.set_weights([np.random.randn(*w.shape) * .5 for w in cnn.get_weights()])
image = tf.constant(np.random.rand(1, 6, 6, 1).astype("float32"))
grad_model = tf.keras.models.Model(cnn.inputs, [cnn.get_layer("last_conv").output, cnn.layers[-1].output])
with tf.GradientTape() as tape:
    last, preds = grad_model(image)
    channel = preds[:, tf.argmax(preds[0])]
grads = tape.gradient(channel, last)
pooled = tf.reduce_mean(grads, axis=(0, 1, 2))
heatmap = tf.squeeze(last[0] @ pooled[..., tf.newaxis])
with tf.GradientTape() as tape:
    tape.watch(image)
    loss = tf.keras.losses.CategoricalCrossentropy(from_logits=True)(tf.one_hot([1], 3), cnn(image))
signed = tf.sign(tape.gradient(loss, image))
[grads, tf.maximum(heatmap, 0), signed, tf.clip_by_value(image + 0.1 * signed, 0, 1)]

# loose
base = tf.keras.Sequential([tf.keras.Input((None, None, 3)), tf.keras.layers.Conv2D(4, 3, activation="relu", name="a"), tf.keras.layers.Conv2D(4, 3, activation="relu", name="b")])
base.set_weights([np.random.randn(*w.shape) * .3 for w in base.get_weights()])
dream = tf.keras.Model(inputs=base.inputs, outputs=[base.get_layer(n).output for n in ("a", "b")])
class DeepDream(tf.Module):
    def __init__(self, model):
        self.model = model
    @tf.function(input_signature=(tf.TensorSpec(shape=[None, None, 3], dtype=tf.float32), tf.TensorSpec(shape=[], dtype=tf.int32), tf.TensorSpec(shape=[], dtype=tf.float32)))
    def __call__(self, img, steps, step_size):
        loss = tf.constant(0.0)
        for n in tf.range(steps):
            with tf.GradientTape() as tape:
                tape.watch(img)
                loss = tf.reduce_sum([tf.math.reduce_mean(act) for act in self.model(tf.expand_dims(img, axis=0))])
            gradients = tape.gradient(loss, img)
            gradients /= tf.math.reduce_std(gradients) + 1e-8
            img = tf.clip_by_value(img + gradients * step_size, -1, 1)
        return loss, img
DeepDream(dream)(tf.constant(np.random.rand(7, 8, 3).astype("float32")), tf.constant(3), tf.constant(0.01))

# loose
def gram_matrix(input_tensor):
    result = tf.linalg.einsum("bijc,bijd->bcd", input_tensor, input_tensor)
    input_shape = tf.shape(input_tensor)
    return result / tf.cast(input_shape[1] * input_shape[2], tf.float32)
net = tf.keras.Sequential([tf.keras.Input((8, 8, 3)), tf.keras.layers.Conv2D(4, 3, activation="relu", name="style"), tf.keras.layers.Conv2D(4, 3, name="content")])
net.set_weights([np.random.randn(*w.shape) * .3 for w in net.get_weights()])
net.trainable = False
extract = tf.keras.Model(net.inputs, [net.get_layer(n).output for n in ("style", "content")])
style_target, content_target = gram_matrix(extract(tf.ones((1, 8, 8, 3)))[0]), extract(tf.zeros((1, 8, 8, 3)))[1]
image = tf.Variable(np.random.rand(1, 8, 8, 3).astype("float32"))
opt = tf.keras.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)
@tf.function()
def train_step(image):
    with tf.GradientTape() as tape:
        style, content = extract(image)
        loss = tf.add_n([tf.reduce_mean((gram_matrix(style) - style_target) ** 2)]) + tf.reduce_mean((content - content_target) ** 2)
        loss += 0.1 * tf.image.total_variation(image)
    grad = tape.gradient(loss, image)
    opt.apply_gradients([(grad, image)])
    image.assign(tf.clip_by_value(image, clip_value_min=0.0, clip_value_max=1.0))
for _ in range(3):
    train_step(image)
image

# loose
raw = np.random.rand(40, 3) * [10., 1., 5.]
norm = tf.keras.layers.Normalization(axis=-1)
norm.adapt(np.array(raw))
model = tf.keras.Sequential([norm, tf.keras.layers.Dense(4, activation="relu", kernel_regularizer=tf.keras.regularizers.l2(0.001)), tf.keras.layers.Dense(1)])
_ = model(raw[:1])
for v in model.trainable_variables:
    v.assign(np.random.randn(*v.shape) * .3)
model.compile(loss="mean_absolute_error", optimizer=tf.keras.optimizers.Adam(0.01))
h = model.fit(raw, raw.sum(1), validation_split=0.2, epochs=2, shuffle=False, verbose=0)
[h.history, model.evaluate(raw, raw.sum(1), verbose=0), model.predict(raw[:2], verbose=0).flatten()]

# loose
data = np.sin(np.arange(60) * 0.3).astype("float32")[:, None]
ds = tf.keras.utils.timeseries_dataset_from_array(data=data, targets=None, sequence_length=7, sequence_stride=1, shuffle=False, batch_size=8)
def split_window(features):
    inputs, labels = features[:, slice(0, 6), :], features[:, slice(6, None), :]
    labels = tf.stack([labels[:, :, 0]], axis=-1)
    inputs.set_shape([None, 6, None])
    labels.set_shape([None, 1, None])
    return inputs, labels
ds = ds.map(split_window)
class Baseline(tf.keras.Model):
    def call(self, inputs):
        return inputs[:, -1:, :]
baseline = Baseline()
baseline.compile(loss=tf.keras.losses.MeanSquaredError(), metrics=[tf.keras.metrics.MeanAbsoluteError()])
lstm = tf.keras.models.Sequential([tf.keras.layers.LSTM(3, return_sequences=False), tf.keras.layers.Dense(units=1), tf.keras.layers.Reshape([1, 1])])
_ = lstm(next(iter(ds))[0])
lstm.set_weights([np.random.randn(*w.shape) * .3 for w in lstm.get_weights()])
lstm.compile(loss=tf.keras.losses.MeanSquaredError(), optimizer=tf.keras.optimizers.Adam(), metrics=[tf.keras.metrics.MeanAbsoluteError()])
[baseline.evaluate(ds, verbose=0), lstm.fit(ds, epochs=2, validation_data=ds, verbose=0).history]

# loose
class Word2Vec(tf.keras.Model):
    def __init__(self, vocab_size, embedding_dim):
        super().__init__()
        self.target_embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim, name="w2v_embedding")
        self.context_embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
    def call(self, pair):
        target, context = pair
        if len(target.shape) == 2:
            target = tf.squeeze(target, axis=1)
        return tf.einsum("be,bce->bc", self.target_embedding(target), self.context_embedding(context))
w2v = Word2Vec(8, 4)
targets, contexts, labels = np.random.randint(0, 8, 16), np.random.randint(0, 8, (16, 5)), np.eye(5)[np.zeros(16, int)]
_ = w2v((targets, contexts))
w2v.set_weights([np.random.randn(*w.shape) * .5 for w in w2v.get_weights()])
w2v.compile(optimizer="adam", loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
ds = tf.data.Dataset.from_tensor_slices(((targets, contexts), labels)).batch(4, drop_remainder=True).cache().prefetch(buffer_size=tf.data.AUTOTUNE)
[w2v.fit(ds, epochs=2, verbose=0).history, w2v.get_layer("w2v_embedding").get_weights()[0].shape]

# loose
counts = {0: 18, 1: 2}
x, y = np.random.randn(20, 3).astype("float32"), np.array([[0]] * 18 + [[1]] * 2)
bias = tf.keras.initializers.Constant(np.log([2 / 18.]))
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, activation="sigmoid", bias_initializer=bias, kernel_initializer="zeros")])
M = tf.keras.metrics
model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=1e-3), loss=tf.keras.losses.BinaryCrossentropy(), metrics=[M.BinaryCrossentropy(name="cross entropy"), M.TruePositives(name="tp"), M.FalsePositives(name="fp"), M.TrueNegatives(name="tn"), M.FalseNegatives(name="fn"), M.BinaryAccuracy(name="accuracy"), M.Precision(name="precision"), M.Recall(name="recall"), M.AUC(name="auc"), M.AUC(name="prc", curve="PR")])
before = model.evaluate(x, y, verbose=0)
h = model.fit(x, y, batch_size=8, epochs=2, class_weight={0: 20 / 2 / 18, 1: 20 / 2 / 2}, shuffle=False, verbose=0)
[before, h.history]

# loose
v = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)])
v.set_weights([np.random.randn(*w.shape) for w in v.get_weights()])
x = tf.Variable(np.random.rand(2, 4).astype("float32"))
with tf.GradientTape(persistent=True) as tape:
    y = v(x)
    z = y * y
one, two = tape.gradient(y, x), tape.gradient(z, [x, v.trainable_variables[0]])
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = tf.reduce_sum(v(x) ** 2)
    g = t1.gradient(y, x)
[one, two, t2.gradient(tf.reduce_sum(g ** 2), v.trainable_variables), t2.jacobian(y, x) if False else None]

# loose
agent = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(5, activation="relu")])
actor, critic = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)
inputs = tf.keras.Input((4,))
h = agent(inputs)
model = tf.keras.Model(inputs, [actor(h), critic(h)])
model.set_weights([np.random.randn(*w.shape) * .5 for w in model.get_weights()])
opt = tf.keras.optimizers.Adam(0.01)
states, rewards = np.random.rand(5, 4).astype("float32"), tf.constant([1., 1., 0., 1., 1.])
huber = tf.keras.losses.Huber(reduction="sum")
def expected(rewards, gamma=0.99):
    returns = tf.TensorArray(dtype=tf.float32, size=5)
    total = tf.constant(0.0)
    for i in tf.range(5):
        total = rewards[::-1][i] + gamma * total
        total.set_shape(())
        returns = returns.write(i, total)
    returns = returns.stack()[::-1]
    return (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-7)
def step():
    with tf.GradientTape() as tape:
        probs, values = [], []
        for t in range(5):
            logits, value = model(tf.expand_dims(states[t], 0))
            probs.append(tf.nn.softmax(logits)[0, t % 2])
            values.append(tf.squeeze(value))
        probs, values, returns = tf.stack(probs)[:, None], tf.stack(values)[:, None], expected(rewards)[:, None]
        loss = -tf.math.reduce_sum(tf.math.log(probs) * (returns - values)) + huber(values, returns)
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss
[step() for _ in range(3)]

A = tf.keras.applications
m = A.MobileNetV2(input_shape=(32, 32, 3), alpha=0.35, include_top=False, weights=None, pooling="avg")
[m.output_shape, m.count_params(), len(m.layers), m.layers[5].name, A.mobilenet_v2.preprocess_input(np.full((1, 2, 2, 3), 255.)), A.vgg16.preprocess_input(np.ones((1, 1, 1, 3))), A.resnet50.preprocess_input(tf.ones((1, 1, 1, 3))), A.inception_v3.preprocess_input(tf.zeros((1, 1, 1, 3))), A.efficientnet.preprocess_input(np.ones((1, 1, 1, 3)))]

base = tf.keras.applications.MobileNetV2(input_shape=(32, 32, 3), alpha=0.35, include_top=False, weights=None)
base.trainable = False
inputs = tf.keras.Input(shape=(32, 32, 3))
x = tf.keras.applications.mobilenet_v2.preprocess_input(inputs)
x = base(x, training=False)
x = tf.keras.layers.Dropout(0.2)(tf.keras.layers.GlobalAveragePooling2D()(x))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(x))
frozen = len(model.trainable_variables)
base.trainable = True
for layer in base.layers[:100]:
    layer.trainable = False
[frozen, len(model.trainable_variables), model(tf.zeros((1, 32, 32, 3))).shape]
