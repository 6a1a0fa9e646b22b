# Keras' layers for text and categories.

layer = tf.keras.layers.TextVectorization(max_tokens=20, output_mode="int", output_sequence_length=6)
layer.adapt(["The quick brown fox.", "The lazy dog!", "A fox"])
layer(["the fox sleeps", "dog dog dog dog dog dog dog"]), layer.get_vocabulary(), layer.vocabulary_size()

layer = tf.keras.layers.TextVectorization()
layer.adapt(tf.data.Dataset.from_tensor_slices(["foo", "bar", "baz"]).batch(2))
layer(tf.constant([["foo qux bar"], ["qux baz"]])), layer.get_vocabulary(include_special_tokens=False)

layer = tf.keras.layers.TextVectorization()
layer.adapt(tf.data.Dataset.from_tensor_slices(["foo", "bar", "baz"]))
layer.get_vocabulary()

layer = tf.keras.layers.TextVectorization(output_mode="multi_hot", max_tokens=10, pad_to_max_tokens=True)
layer.adapt(np.array(["a b c", "a b", "a"]))
layer(["a c z", "b b"])

layer = tf.keras.layers.TextVectorization(output_mode="count")
layer.adapt(["a b c", "a b", "a"])
layer(["a c c z", "b b"])

layer = tf.keras.layers.TextVectorization(output_mode="tf_idf")
layer.adapt(["a b c", "a b", "a"])
layer(["a c c z", "b b"])

layer = tf.keras.layers.TextVectorization(output_mode="tf-idf", max_tokens=8, pad_to_max_tokens=True)
layer.adapt(["a b c", "a b", "a"])
layer(["a c c z", "b b"])

layer = tf.keras.layers.TextVectorization(ragged=True)
layer.adapt(["a b c", "a b", "a"])
layer(["a c c z", "b"])

layer = tf.keras.layers.TextVectorization(ngrams=2)
layer.adapt(["a b c", "a b", "a"])
layer(["a b", "c"]), layer.get_vocabulary()

layer = tf.keras.layers.TextVectorization(ngrams=(2,), output_mode="multi_hot")
layer.adapt(["a b c", "a b", "a"])
layer(["a b", "c"]), layer.get_vocabulary()

layer = tf.keras.layers.TextVectorization(split="character", standardize="lower", output_sequence_length=5)
layer.adapt(["Hello", "world"])
layer(["low", "Héllo"]), layer.get_vocabulary()

layer = tf.keras.layers.TextVectorization(split=None, standardize=None)
layer.adapt(["Hello there", "world"])
layer(["world", "x"]), layer.get_vocabulary()

def clean(text):
    return tf.strings.regex_replace(tf.strings.lower(text), "<br />", " ")
layer = tf.keras.layers.TextVectorization(standardize=clean, output_sequence_length=4)
layer.adapt(["One<br />two", "Two three"])
layer(["two<br />one"]), layer.get_vocabulary()

layer = tf.keras.layers.TextVectorization(split=lambda s: tf.strings.split(s, ","), output_sequence_length=3, standardize=None)
layer.adapt(["a,b", "b,c d"])
layer(["b,c d,z"]), layer.get_vocabulary()

layer = tf.keras.layers.TextVectorization(vocabulary=["earth", "wind", "fire"])
layer("wind and fire"), layer(tf.constant("earth")), layer([["wind"], ["fire earth"]])

layer = tf.keras.layers.TextVectorization(vocabulary=["", "[UNK]", "earth", "wind"])
layer.get_vocabulary(), layer(["wind"])

layer = tf.keras.layers.TextVectorization()
layer.set_vocabulary(["x", "y"])
layer(["y x z"])

tf.keras.layers.TextVectorization()(["a"])

tf.keras.layers.TextVectorization(output_mode="wrong")

tf.keras.layers.TextVectorization(output_mode="count", output_sequence_length=3)

tf.keras.layers.TextVectorization(vocabulary=["a", "a"])

layer = tf.keras.layers.TextVectorization(vocabulary=["a"])
layer([["a", "b"]])

layer = tf.keras.layers.TextVectorization(vocabulary=["a"])
layer.adapt(["b"])

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=3)
list(tf.data.Dataset.from_tensor_slices(["a b", "b"]).batch(2).map(layer))

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=3)
list(tf.data.Dataset.from_tensor_slices((["a b", "b"], [0, 1])).map(lambda t, y: (layer(t), y)).batch(2))

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b"])
list(tf.data.Dataset.from_tensor_slices((["a b", "b"], [0, 1])).batch(1).map(lambda t, y: (layer(tf.expand_dims(t, -1)), y)))

layer = tf.keras.layers.TextVectorization(max_tokens=10, output_sequence_length=4)
layer.adapt(["a b", "b"])
c = layer.get_config()
c["max_tokens"], c["output_sequence_length"], c["standardize"], c["vocabulary_size"]

# In models.

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b", "c"], output_sequence_length=4)
model = tf.keras.Sequential([tf.keras.Input(shape=(1,), dtype="string"), layer])
model(tf.constant([["a b"], ["c"]])), model.predict(tf.constant([["a b"], ["c"]]), verbose=0)

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b", "c"], output_sequence_length=4)
inputs = tf.keras.Input(shape=(1,), dtype="string")
x = tf.keras.layers.Embedding(5, 2, embeddings_initializer="ones")(layer(inputs))
x = tf.keras.layers.GlobalAveragePooling1D()(x)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(x))
model(tf.constant([["a b"], ["c"]])), model.predict(tf.constant([["a b"], ["c"]]), verbose=0), model.output_shape

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b", "c"], output_mode="multi_hot")
model = tf.keras.Sequential([tf.keras.Input(shape=(1,), dtype=tf.string), layer, tf.keras.layers.Dense(2, kernel_initializer="ones")])
model.predict(tf.constant([["a b"], ["c"]]), verbose=0), model(tf.constant([["a b"], ["c"]]))

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b", "c"], output_mode="multi_hot")
model = tf.keras.Sequential([layer, tf.keras.layers.Dense(1, kernel_initializer="zeros")])
model.compile(optimizer="sgd", loss="mse")
h = model.fit(tf.data.Dataset.from_tensor_slices((["a b", "c", "a", "b c"], [1., 0., 1., 0.])).batch(2), epochs=2, verbose=0)
sorted(h.history), model.predict(tf.constant(["a", "c"]), verbose=0).shape

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b", "c"], output_sequence_length=3)
model = tf.keras.Sequential([tf.keras.Input(shape=(1,), dtype="string"), layer, tf.keras.layers.Embedding(5, 2), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
h = model.fit(tf.constant([["a b"], ["c"]]), tf.constant([[1.], [0.]]), epochs=1, verbose=0)
sorted(h.history), len(model.evaluate(tf.constant([["a b"], ["c"]]), tf.constant([[1.], [0.]]), verbose=0))

import tempfile
file = tempfile.mkdtemp() + "/text.keras"
layer = tf.keras.layers.TextVectorization(output_sequence_length=3)
layer.adapt(["hello world", "hello there"])
model = tf.keras.Sequential([tf.keras.Input(shape=(1,), dtype="string"), layer])
model.save(file)
again = tf.keras.models.load_model(file)
again(tf.constant([["there hello you"]])), again.layers[0].get_vocabulary()

import tempfile
file = tempfile.mkdtemp() + "/idf.keras"
layer = tf.keras.layers.TextVectorization(output_mode="tf_idf")
layer.adapt(["hello world", "hello there"])
model = tf.keras.Sequential([tf.keras.Input(shape=(1,), dtype="string"), layer])
model.save(file)
tf.keras.models.load_model(file)(tf.constant([["there hello you"]]))

layer = tf.keras.layers.TextVectorization(vocabulary=["a", "b", "c"], output_sequence_length=4)
again = tf.keras.layers.TextVectorization.from_config(layer.get_config())
again(["b c z"])

# StringLookup

layer = tf.keras.layers.StringLookup(vocabulary=["a", "b", "c", "d"])
layer([["a", "c", "d"], ["d", "z", "b"]]), layer.get_vocabulary()

layer = tf.keras.layers.StringLookup()
layer.adapt([["a", "c", "d"], ["d", "z", "b"]])
layer.get_vocabulary(), layer(tf.constant(["d", "q"]))

layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"], invert=True)
layer([[1, 2, 0]]), layer(tf.constant([1, 0, 5]))

vocab = ["a", "b", "c"]
layer = tf.keras.layers.StringLookup(vocabulary=vocab)
i_layer = tf.keras.layers.StringLookup(vocabulary=layer.get_vocabulary(), invert=True)
i_layer(layer(tf.constant([["a", "z"], ["b", "c"]])))

layer = tf.keras.layers.StringLookup(vocabulary=["a", "b", "c", "d"], num_oov_indices=2)
layer([["a", "c", "d"], ["m", "z", "b"]]), layer.get_vocabulary()

tf.keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")(["a", "b", "z"])

tf.keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot", num_oov_indices=2)([["a", "b", "z"], ["q", "q", "a"]])

tf.keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="count")([["a", "b", "z"], ["q", "q", "a"]])

tf.keras.layers.StringLookup(vocabulary=["a", "b"], idf_weights=[0.25, 0.75], output_mode="tf_idf")([["a", "b", "z"], ["q", "q", "a"]])

tf.keras.layers.StringLookup(vocabulary=["a", "b"], mask_token="")(["a", "", "z"]), tf.keras.layers.StringLookup(vocabulary=["a", "b"], mask_token="[MASK]").get_vocabulary()

tf.keras.layers.StringLookup(vocabulary=["a", "b"], num_oov_indices=0)(["a", "b"])

tf.keras.layers.StringLookup(vocabulary=["a", "b"], num_oov_indices=0)(["a", "z"])

tf.keras.layers.StringLookup(vocabulary=["a", "b"], num_oov_indices=3, salt=[1, 2])(["x", "y", "z", "a"])

tf.keras.layers.StringLookup(vocabulary=["a", "b"])(tf.ragged.constant([["a"], ["b", "z"]]))

tf.keras.layers.StringLookup(vocabulary=["a", "b"])(tf.sparse.from_dense([["a", ""], ["", "b"]]))

tf.keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot", sparse=True)(tf.constant([["a", "z"], ["b", "b"]]))

tf.keras.layers.StringLookup(vocabulary=["a", "b"])(tf.constant("b"))

import tempfile
file = tempfile.mkdtemp() + "/words.txt"
with open(file, "w") as f: f.write("x\ny\nz\n")
layer = tf.keras.layers.StringLookup(vocabulary=file)
layer(["z", "q"]), layer.get_vocabulary()

layer = tf.keras.layers.StringLookup(max_tokens=3)
layer.adapt(tf.data.Dataset.from_tensor_slices(["a", "b", "b", "c", "c", "c"]).batch(2))
layer.get_vocabulary()

layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
list(tf.data.Dataset.from_tensor_slices([["a"], ["z"]]).map(layer))

inputs = tf.keras.Input(shape=(1,), dtype="string")
x = tf.keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")(inputs)
model = tf.keras.Model(inputs, x)
model(tf.constant([["a"], ["q"]])), x.shape, x.dtype

a, b = tf.keras.Input(shape=(1,), dtype="string", name="a"), tf.keras.Input(shape=(1,), name="b")
x = tf.keras.layers.StringLookup(vocabulary=["u", "v"], output_mode="one_hot")(a)
model = tf.keras.Model({"a": a, "b": b}, tf.keras.layers.Concatenate()([tf.cast(x, "float32") if False else tf.keras.layers.Rescaling(1.)(x), b]))
model({"a": tf.constant([["u"], ["v"]]), "b": tf.constant([[1.], [2.]])}), model.predict({"a": tf.constant([["u"], ["v"]]), "b": tf.constant([[1.], [2.]])}, verbose=0)

layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
tf.keras.layers.StringLookup.from_config(layer.get_config())(["b"])

tf.keras.layers.StringLookup(max_tokens=1)

tf.keras.layers.StringLookup(vocabulary=[])

# IntegerLookup

layer = tf.keras.layers.IntegerLookup(vocabulary=[12, 36, 1138, 42])
layer(np.array([[12, 1138, 42], [42, 1000, 36]])), layer.get_vocabulary()

layer = tf.keras.layers.IntegerLookup()
layer.adapt(np.array([[12, 1138, 42], [42, 1000, 36]]))
layer.get_vocabulary(), layer(tf.constant([[42]]))

tf.keras.layers.IntegerLookup(vocabulary=[12, 36, 1138, 42], num_oov_indices=2)(np.array([[12, 1138, 42], [37, 1000, 36]]))

tf.keras.layers.IntegerLookup(vocabulary=[12, 36], output_mode="one_hot")(tf.constant([12, 36, 7]))

tf.keras.layers.IntegerLookup(vocabulary=[12, 36], output_mode="multi_hot")(tf.constant([[12, 36], [7, 7]]))

tf.keras.layers.IntegerLookup(vocabulary=[12, 36], output_mode="count", num_oov_indices=2)(tf.constant([[12, 36], [7, 7]]))

tf.keras.layers.IntegerLookup(vocabulary=[12, 36], idf_weights=[0.25, 0.75], output_mode="tf_idf")(tf.constant([[12, 36], [7, 7]]))

tf.keras.layers.IntegerLookup(vocabulary=[12, 36], invert=True)(tf.constant([[1, 2], [0, 1]]))

tf.keras.layers.IntegerLookup(vocabulary=[12, 36], mask_token=0)([12, 0, 5])

tf.keras.layers.IntegerLookup(vocabulary=[12, 36], num_oov_indices=3, oov_method="farmhash")([12, 0, 5, 6, 7])

layer = tf.keras.layers.IntegerLookup(max_tokens=5)
layer.adapt(tf.data.Dataset.from_tensor_slices([1, 2, 2, 3, 3, 3, 4]).batch(3))
layer.get_vocabulary()

inputs = tf.keras.Input(shape=(1,), dtype="int64")
model = tf.keras.Model(inputs, tf.keras.layers.IntegerLookup(vocabulary=[5, 6], output_mode="one_hot")(inputs))
model(tf.constant([[5], [9]], tf.int64)), model.predict(np.array([[5], [9]]), verbose=0)

# Hashing and crosses

tf.keras.layers.Hashing(num_bins=3)([["A"], ["B"], ["C"], ["D"], ["E"]])

tf.keras.layers.Hashing(num_bins=3, mask_value="")([["A"], ["B"], [""], ["C"], ["D"]])

tf.keras.layers.Hashing(num_bins=3, salt=[133, 137])([["A"], ["B"], ["C"], ["D"], ["E"]])

tf.keras.layers.Hashing(num_bins=3, salt=133)([["A"], ["B"], ["C"], ["D"], ["E"]])

tf.keras.layers.Hashing(num_bins=10)(tf.constant([[1], [2], [3]])), tf.keras.layers.Hashing(num_bins=10)(np.array([1.5, 2.5]))

tf.keras.layers.Hashing(num_bins=4, output_mode="one_hot")([["A"], ["B"]])

tf.keras.layers.Hashing(num_bins=4, output_mode="multi_hot")([["A", "B"], ["C", "C"]])

tf.keras.layers.Hashing(num_bins=4, output_mode="count")([["A", "B"], ["C", "C"]])

tf.keras.layers.Hashing(num_bins=0)

inputs = tf.keras.Input(shape=(1,), dtype="string")
model = tf.keras.Model(inputs, tf.keras.layers.Hashing(num_bins=64)(inputs))
model(tf.constant([["a"], ["b"]])), model.predict(tf.constant([["a"], ["b"]]), verbose=0)

tf.keras.layers.HashedCrossing(num_bins=5)((tf.constant(["A", "B", "A", "B", "A"]), tf.constant([101, 101, 101, 102, 102])))

tf.keras.layers.HashedCrossing(num_bins=5, output_mode="one_hot")((tf.constant(["A", "B", "A", "B", "A"]), tf.constant([101, 101, 101, 102, 102])))

tf.keras.layers.HashedCrossing(num_bins=5)((np.array([["A"], ["B"]]), np.array([[1], [2]])))

tf.keras.layers.HashedCrossing(num_bins=5)(tf.constant(["A"]))

# The others, with all their modes

tf.keras.layers.CategoryEncoding(num_tokens=4, output_mode="one_hot")([3, 2, 0, 1])

tf.keras.layers.CategoryEncoding(num_tokens=4, output_mode="multi_hot")([[0, 1], [0, 0], [1, 2], [3, 1]])

tf.keras.layers.CategoryEncoding(num_tokens=4, output_mode="count")(np.array([[0, 1], [0, 0], [1, 2], [3, 1]]), count_weights=np.array([[.1, .2], [.1, .1], [.2, .3], [.4, .2]]))

tf.keras.layers.Discretization(bin_boundaries=[0., 1., 2.])(np.array([[-1.5, 1.0, 3.4, .5], [0.0, 3.0, 1.3, 0.0]]))

layer = tf.keras.layers.Discretization(num_bins=4, epsilon=0.01)
layer.adapt(np.array([[-1.5, 1.0, 3.4, .5], [0.0, 3.0, 1.3, 0.0]]))
layer(np.array([[-1.5, 1.0, 3.4, .5], [0.0, 3.0, 1.3, 0.0]]))

tf.keras.layers.Discretization(bin_boundaries=[0., 1.], output_mode="one_hot")(np.array([0.5, 2.]))

layer = tf.keras.layers.Discretization(num_bins=3)
layer.adapt(tf.data.Dataset.from_tensor_slices(np.arange(20, dtype="float32")).batch(5))
layer(np.array([1., 10., 18.]))

layer = tf.keras.layers.Normalization(axis=None)
layer.adapt(np.array([1., 2., 3., 4., 5.], dtype="float32"))
layer(tf.constant([1., 2., 3.]))

layer = tf.keras.layers.Normalization()
layer.adapt(tf.data.Dataset.from_tensor_slices(np.array([[0., 7., 4.], [2., 9., 6.], [0., 7., 4.], [2., 9., 6.]], dtype="float32")).batch(2))
layer(np.array([[1., 8., 5.]], dtype="float32"))

layer = tf.keras.layers.Normalization(mean=3., variance=2., invert=True)
layer(np.array([1., 2., 3.], dtype="float32"))

f = tf.keras.utils.FeatureSpace(features={"a": "float", "b": "string_categorical", "c": "integer_categorical"}, output_mode="concat")
f.adapt(tf.data.Dataset.from_tensor_slices({"a": [1., 2., 3.], "b": ["x", "y", "x"], "c": [1, 2, 3]}))
f({"a": 1., "b": "x", "c": 2})

i = tf.keras.Input(shape=(1,), dtype="string")
x = tf.keras.layers.Lambda(lambda s: tf.strings.lower(s))(i)
model = tf.keras.Model(i, tf.keras.layers.StringLookup(vocabulary=["ab"])(x))
x.shape, x.dtype, model(tf.constant([["AB"], ["q"]])), model.output_shape

class Length(tf.keras.layers.Layer):
    def call(self, s):
        return tf.strings.length(s)
i = tf.keras.Input(shape=(), dtype="string")
o = Length()(i)
model = tf.keras.Model(i, o)
o.shape, o.dtype, model(tf.constant(["abc"])), model.predict(tf.constant(["abc", "d"]), verbose=0)

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.text = tf.keras.layers.TextVectorization(output_sequence_length=3, vocabulary=["a", "b", "c"])
        self.table = tf.keras.layers.Embedding(6, 2, embeddings_initializer="ones")
        self.out = tf.keras.layers.Dense(1, kernel_initializer="ones")
    def call(self, x):
        return self.out(tf.reduce_mean(self.table(self.text(x)), 1))
net = Net()
net.compile("sgd", "mse")
h = net.fit(tf.constant(["a b", "c"]), tf.constant([1., 0.]), verbose=0)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(net(tf.constant(["a b", "c"])))
h.history["loss"], net.predict(tf.constant(["a b", "c"]), verbose=0), [tf.convert_to_tensor(g) for g in tape.gradient(loss, net.trainable_variables)]

layer = tf.keras.layers.TextVectorization(output_sequence_length=3, vocabulary=["a", "b", "c"])
list(tf.data.Dataset.from_tensor_slices(["a b", "c", "b a c", "z"] * 3).batch(4).map(layer, num_parallel_calls=4).prefetch(2))

layer = tf.keras.layers.TextVectorization(output_sequence_length=3, vocabulary=["a", "b", "c"])
@tf.function
def f(x):
    return layer(x)
f(tf.constant(["a z"])), f(tf.constant(["b"]))

tf.keras.layers.Embedding(10, 2, embeddings_initializer="ones")(tf.ragged.constant([[1, 2], [3]]))
