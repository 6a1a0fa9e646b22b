# Preprocessing layers, alone, in models and in pipelines; masks; recurrent layers; attention.

x = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2))
tf.keras.layers.Rescaling(1. / 255, offset=-0.5)(x)

tf.keras.layers.Rescaling([1., 2.], offset=[0., 1.])(np.ones((2, 3, 2), np.float32))

tf.keras.layers.Rescaling(1. / 255)(tf.constant([[0, 255]], tf.uint8))

x = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2))
tf.keras.layers.Resizing(2, 2)(x)

x = tf.constant(np.arange(30, dtype=np.float32).reshape(5, 3, 2))
[tf.keras.layers.Resizing(2, 2, interpolation="nearest")(x), tf.keras.layers.Resizing(2, 2, crop_to_aspect_ratio=True)(x), tf.keras.layers.Resizing(4, 4, pad_to_aspect_ratio=True)(x)]

x = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2))
[tf.keras.layers.CenterCrop(2, 2)(x), tf.keras.layers.CenterCrop(3, 3)(x[0])]

layer = tf.keras.layers.Normalization(axis=-1)
layer.adapt(np.array([[1., 10.], [3., 30.], [5., 80.]], np.float32))
[layer.mean, layer.variance, layer(np.array([[3., 30.]], np.float32))]

layer = tf.keras.layers.Normalization(axis=None)
layer.adapt(tf.data.Dataset.from_tensor_slices(np.arange(12, dtype=np.float32).reshape(6, 2)).batch(2))
[np.array(layer.mean), np.array(layer.variance), layer(tf.constant([[3., 30.]]))]

layer = tf.keras.layers.Normalization()
layer.adapt(tf.data.Dataset.from_tensor_slices(np.arange(12, dtype=np.float32).reshape(6, 2)).batch(4))
layer(tf.constant([[3., 30.]]))

layer = tf.keras.layers.Normalization(axis=None)
layer.adapt(tf.data.Dataset.from_tensor_slices([1., 2., 3., 4.]))
layer(tf.constant([[1.], [4.]]))

layer = tf.keras.layers.Normalization(mean=3., variance=2.)
layer(tf.constant([[1., 2., 3.]]))

layer = tf.keras.layers.Normalization(mean=[1., 2.], variance=[4., 9.], invert=True)
layer(tf.constant([[1., 1.]]))

tf.keras.layers.CategoryEncoding(num_tokens=4, output_mode="one_hot")([3, 2, 0, 1])

tf.keras.layers.CategoryEncoding(num_tokens=4, output_mode="multi_hot")(tf.constant([[0, 1], [0, 0], [1, 2], [3, 1]]))

tf.keras.layers.CategoryEncoding(num_tokens=4, output_mode="count")(tf.constant([[0, 1], [0, 0], [1, 2], [3, 1]]), count_weights=np.array([[.1, .2], [.1, .1], [.2, .3], [.4, .2]]))

layer = tf.keras.layers.Discretization(bin_boundaries=[0., 1., 2.])
layer(tf.constant([[-1.5, 1.0, 3.4, .5], [0.0, 3.0, 1.3, 0.0]]))

layer = tf.keras.layers.Discretization(num_bins=4, epsilon=0.01)
layer.adapt(np.array([[-1.5, 1.0, 3.4, .5], [0.0, 3.0, 1.3, 0.0]]))
layer(np.array([[-1.5, 1.0, 3.4, .5]]))

tf.keras.layers.Discretization(bin_boundaries=[0., 1.], output_mode="one_hot")(tf.constant([0.5, 2.0]))

# shapes only
x = tf.constant(np.arange(2 * 8 * 8 * 3, dtype=np.float32).reshape(2, 8, 8, 3))
[tf.keras.layers.RandomFlip("horizontal_and_vertical")(x, training=True), tf.keras.layers.RandomRotation(0.2)(x, training=True), tf.keras.layers.RandomZoom(0.2)(x, training=True), tf.keras.layers.RandomContrast(0.2)(x, training=True), tf.keras.layers.RandomCrop(4, 4)(x, training=True), tf.keras.layers.RandomTranslation(0.1, 0.2)(x, training=True), tf.keras.layers.RandomBrightness(0.2)(x, training=True), tf.keras.layers.RandomHeight(0.0)(x) if hasattr(tf.keras.layers, "RandomHeightX") else None]

x = tf.constant(np.arange(2 * 4 * 4 * 3, dtype=np.float32).reshape(2, 4, 4, 3))
[tf.keras.layers.RandomFlip()(x, training=False), tf.keras.layers.RandomRotation(0.2)(x, training=False), tf.keras.layers.RandomZoom(0.2)(x, training=False), tf.keras.layers.RandomContrast(0.2)(x, training=False), tf.keras.layers.RandomTranslation(0.1, 0.2)(x, training=False), tf.keras.layers.RandomCrop(2, 2)(x, training=False), tf.keras.layers.GaussianNoise(0.5)(x), tf.keras.layers.Dropout(0.5)(x)]

# shapes only
aug = tf.keras.Sequential([tf.keras.layers.RandomFlip("horizontal"), tf.keras.layers.RandomRotation(0.1), tf.keras.layers.RandomZoom(0.1)])
ds = tf.data.Dataset.from_tensor_slices((np.ones((6, 8, 8, 3), np.float32), np.arange(6))).batch(2).map(lambda x, y: (aug(x, training=True), y), num_parallel_calls=tf.data.AUTOTUNE)
[[x for x, y in ds], [y for x, y in ds]]

norm = tf.keras.layers.Normalization()
norm.adapt(np.arange(8, dtype=np.float32).reshape(4, 2))
scale = tf.keras.layers.Rescaling(2.)
ds = tf.data.Dataset.from_tensor_slices(np.arange(8, dtype=np.float32).reshape(4, 2)).batch(2)
list(ds.map(norm).map(lambda x: scale(x) + 1.))

enc = tf.keras.layers.CategoryEncoding(num_tokens=3, output_mode="one_hot")
list(tf.data.Dataset.from_tensor_slices([0, 2, 1]).map(lambda x: enc(x)))

resize = tf.keras.Sequential([tf.keras.layers.Resizing(2, 2), tf.keras.layers.Rescaling(1. / 2)])
list(tf.data.Dataset.from_tensor_slices(np.arange(32, dtype=np.uint8).reshape(2, 4, 4, 1)).batch(2).map(lambda x: resize(x)))

layer = tf.keras.layers.Masking(mask_value=0.)
x = np.array([[[1., 2.], [0., 0.], [3., 0.]]], np.float32)
[layer(x), layer.compute_mask(x)]

emb = tf.keras.layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones")
out = emb(np.array([[1, 2, 0], [3, 0, 0]]))
[out, emb.compute_mask(np.array([[1, 2, 0], [3, 0, 0]])), out._keras_mask]

emb = tf.keras.layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones")
lstm = tf.keras.layers.LSTM(3, kernel_initializer="ones", recurrent_initializer="ones")
ids = np.array([[1, 2, 0], [3, 0, 0]])
[lstm(emb(ids)), lstm(emb(ids), mask=emb.compute_mask(ids)), lstm(tf.ones((2, 3, 2)))]

inputs = tf.keras.Input((None,), dtype="int32")
h = tf.keras.layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones")(inputs)
out = tf.keras.layers.GRU(3, kernel_initializer="ones", recurrent_initializer="ones")(h)
tf.keras.Model(inputs, out)(np.array([[1, 2, 0, 0], [3, 0, 0, 0]]))

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
[kind(2, kernel_initializer="ones", recurrent_initializer="ones")(x) for kind in (tf.keras.layers.SimpleRNN, tf.keras.layers.LSTM, tf.keras.layers.GRU)]

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
tf.keras.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones", return_sequences=True, return_state=True)(x)

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
out, h, c = tf.keras.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones", return_state=True)(x)
tf.keras.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones")(x, initial_state=[h, c])

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
[tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones", return_sequences=True), merge_mode=mode)(x) for mode in ("concat", "sum", "ave", "mul")]

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
layer = tf.keras.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones", stateful=True)
one, two = layer(x), layer(x)
layer.reset_state()
[one, two, layer(x)]

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
layer = tf.keras.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones", stateful=True)
one = layer(x)
layer.reset_states()
[one, layer(x), layer.states]

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
[tf.keras.layers.RNN(tf.keras.layers.LSTMCell(2, kernel_initializer="ones", recurrent_initializer="ones"))(x), tf.keras.layers.RNN([tf.keras.layers.GRUCell(2, kernel_initializer="ones", recurrent_initializer="ones"), tf.keras.layers.SimpleRNNCell(1, kernel_initializer="ones", recurrent_initializer="ones")], return_sequences=True)(x), tf.keras.layers.GRU(2, kernel_initializer="ones", recurrent_initializer="ones", go_backwards=True, reset_after=False)(x)]

class Cell(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units, self.state_size, self.output_size = units, units, units
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], self.units), initializer="ones", name="w")
        self.u = self.add_weight(shape=(self.units, self.units), initializer="ones", name="u")
    def call(self, inputs, states):
        h = tf.tanh(tf.matmul(inputs, self.w) + tf.matmul(states[0], self.u))
        return h, [h]
x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
tf.keras.layers.RNN(Cell(2), return_sequences=True)(x)

x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
[tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(2, kernel_initializer="ones"))(x), tf.keras.layers.Conv1D(2, 2, kernel_initializer="ones")(x), tf.keras.layers.GlobalAveragePooling1D()(x), tf.keras.layers.RepeatVector(2)(x[:, 0]), tf.keras.layers.ZeroPadding1D(1)(x), tf.keras.layers.Permute((2, 1))(x)]

# loose
x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
mha = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3, kernel_initializer="ones")
out, scores = mha(x, x, return_attention_scores=True)
[out, scores, mha(x, x, use_causal_mask=True), mha(query=x[:, :2], value=x, key=x, attention_mask=np.array([[[1, 1, 0, 0]] * 2] * 2, bool))]

# loose
x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
[tf.keras.layers.Attention()([x, x]), tf.keras.layers.AdditiveAttention(use_scale=False)([x, x]), tf.keras.layers.Attention(use_scale=True)([x[:, :2], x], return_attention_scores=True), tf.keras.layers.Dot(axes=(2, 2))([x, x])]

x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 6)
[tf.keras.layers.LayerNormalization()(x), tf.keras.layers.UnitNormalization()(x), tf.keras.layers.BatchNormalization()(x), tf.keras.layers.BatchNormalization()(x, training=True), tf.keras.layers.GroupNormalization(groups=2)(x.reshape(1, 2, 6))]

layer = tf.keras.layers.BatchNormalization(momentum=0.5)
x = np.arange(8, dtype=np.float32).reshape(4, 2)
_ = layer(x, training=True)
[layer.moving_mean, layer.moving_variance, layer(x), [w.name for w in layer.weights], len(layer.trainable_weights)]

x = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2)
[tf.keras.layers.Conv2DTranspose(1, 3, strides=2, padding="same", kernel_initializer="ones")(x), tf.keras.layers.SeparableConv2D(2, 2, depthwise_initializer="ones", pointwise_initializer="ones")(x), tf.keras.layers.DepthwiseConv2D(2, depthwise_initializer="ones")(x), tf.keras.layers.UpSampling2D(2)(x), tf.keras.layers.UpSampling2D(2, interpolation="bilinear")(x), tf.keras.layers.Cropping2D(1)(x), tf.keras.layers.AveragePooling2D(3, strides=1, padding="same")(x), tf.keras.layers.GlobalMaxPooling2D()(x), tf.keras.layers.MaxPooling2D(2, padding="same", strides=3)(x), tf.keras.layers.Conv2D(2, 2, strides=2, padding="same", kernel_initializer="ones", activation="relu")(x), tf.keras.layers.SpatialDropout2D(.5)(x)]

x, y = np.ones((2, 3), np.float32), np.full((2, 3), 2., np.float32)
[layer([x, y]) for layer in (tf.keras.layers.Add(), tf.keras.layers.Subtract(), tf.keras.layers.Multiply(), tf.keras.layers.Average(), tf.keras.layers.Maximum(), tf.keras.layers.Minimum(), tf.keras.layers.Concatenate(), tf.keras.layers.Dot(axes=1))] + [tf.keras.layers.add([x, y]), tf.keras.layers.concatenate([x, y], axis=0)]

x = np.linspace(-2, 2, 5, dtype=np.float32)
[tf.keras.layers.ReLU(max_value=1.)(x), tf.keras.layers.LeakyReLU(negative_slope=0.1)(x), tf.keras.layers.PReLU(alpha_initializer="ones")(x[None]), tf.keras.layers.ELU()(x), tf.keras.layers.Activation("swish")(x), tf.keras.layers.Activation(tf.nn.tanh)(x), tf.keras.layers.Lambda(lambda v: v * 2)(x), tf.keras.activations.gelu(x), tf.keras.activations.get("softplus")(x), tf.keras.activations.mish(x), tf.keras.activations.hard_sigmoid(x), tf.keras.activations.exponential(x)]

tf.keras.layers.LeakyReLU(alpha=0.1)(np.array([-1., 1.], np.float32))

tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.Constant(2.), bias_initializer=tf.constant_initializer(1.), activation=lambda t: tf.nn.relu(t) + 1.)(tf.ones((1, 3)))

tf.keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 2), bias_axes="d", kernel_initializer="ones")(np.ones((1, 2, 3), np.float32))

tf.keras.layers.Dense(3)(np.ones((2,), np.float32))

layer = tf.keras.layers.Dense(3)
_ = layer(np.ones((2, 4), np.float32))
layer(np.ones((2, 5), np.float32))

tf.keras.layers.Embedding(3, 2)(np.array([[5]]))
