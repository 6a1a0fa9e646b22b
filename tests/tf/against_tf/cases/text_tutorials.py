# What the text tutorials do, in small.

# Text generation: characters to ids and back, sequences, targets.
text = "First Citizen:\nBefore we proceed any further, hear me speak.\n"
vocab = sorted(set(text))
chars = tf.strings.unicode_split(["abcdefg", "xyz"], input_encoding="UTF-8")
ids_from_chars = tf.keras.layers.StringLookup(vocabulary=list(vocab), mask_token=None)
ids = ids_from_chars(chars)
chars_from_ids = tf.keras.layers.StringLookup(vocabulary=ids_from_chars.get_vocabulary(), invert=True, mask_token=None)
chars, ids, chars_from_ids(ids), tf.strings.reduce_join(chars_from_ids(ids), axis=-1).numpy()

text = "First Citizen:\nBefore we proceed any further, hear me speak.\n"
ids_from_chars = tf.keras.layers.StringLookup(vocabulary=sorted(set(text)), mask_token=None)
all_ids = ids_from_chars(tf.strings.unicode_split(text, "UTF-8"))
ids_dataset = tf.data.Dataset.from_tensor_slices(all_ids)
sequences = ids_dataset.batch(11, drop_remainder=True)
dataset = sequences.map(lambda s: (s[:-1], s[1:])).batch(2, drop_remainder=True)
[(a.shape, b.shape) for a, b in dataset], dataset.element_spec, next(iter(dataset))[0]

class OneStep(tf.keras.Model):
    def __init__(self, vocab):
        super().__init__()
        self.ids_from_chars = tf.keras.layers.StringLookup(vocabulary=vocab, mask_token=None)
        self.chars_from_ids = tf.keras.layers.StringLookup(vocabulary=self.ids_from_chars.get_vocabulary(), invert=True, mask_token=None)
        skip_ids = self.ids_from_chars(["[UNK]"])[:, None]
        sparse_mask = tf.SparseTensor(values=[-float("inf")] * len(skip_ids), indices=skip_ids, dense_shape=[len(self.ids_from_chars.get_vocabulary())])
        self.prediction_mask = tf.sparse.to_dense(sparse_mask, validate_indices=False)
    def step(self, inputs):
        input_ids = self.ids_from_chars(tf.strings.unicode_split(inputs, "UTF-8")).to_tensor()
        logits = tf.one_hot(input_ids[:, -1], 4) + self.prediction_mask
        return self.chars_from_ids(tf.argmax(logits, -1))
OneStep(["a", "b", "c"]).step(tf.constant(["ab", "c"]))

# Text classification: own standardisation, vectorised datasets, an exported model that takes raw text.
import re, string
def custom_standardization(input_data):
    lowercase = tf.strings.lower(input_data)
    stripped_html = tf.strings.regex_replace(lowercase, "<br />", " ")
    return tf.strings.regex_replace(stripped_html, "[%s]" % re.escape(string.punctuation), "")
vectorize_layer = tf.keras.layers.TextVectorization(standardize=custom_standardization, max_tokens=100, output_mode="int", output_sequence_length=8)
raw = tf.data.Dataset.from_tensor_slices((["Great movie!<br />Loved it.", "Awful, boring... film", "loved the film", "boring movie"], [1, 0, 1, 0])).batch(2)
vectorize_layer.adapt(raw.map(lambda x, y: x))
def vectorize_text(text, label):
    text = tf.expand_dims(text, -1)
    return vectorize_layer(text), label
train = raw.map(vectorize_text).cache().prefetch(buffer_size=tf.data.AUTOTUNE)
model = tf.keras.Sequential([tf.keras.layers.Embedding(100, 4, embeddings_initializer="ones"), tf.keras.layers.Dropout(0.2), tf.keras.layers.GlobalAveragePooling1D(), tf.keras.layers.Dense(1, activation="sigmoid", kernel_initializer="zeros")])
model.compile(loss=tf.keras.losses.BinaryCrossentropy(), optimizer="adam", metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.5)])
model.fit(train, epochs=1, verbose=0)
export_model = tf.keras.Sequential([vectorize_layer, model, tf.keras.layers.Activation("sigmoid")])
export_model.compile(loss=tf.keras.losses.BinaryCrossentropy(from_logits=False), optimizer="adam", metrics=["accuracy"])
examples = tf.constant(["The movie was great!", "The movie was okay.", "The movie was terrible..."])
vectorize_layer.get_vocabulary()[:6], next(iter(train)), export_model.predict(examples, verbose=0).shape, len(export_model.evaluate(raw, verbose=0))

# RNN on reviews: the encoder inside the model.
encoder = tf.keras.layers.TextVectorization(max_tokens=20)
ds = tf.data.Dataset.from_tensor_slices((["good film", "bad bad film", "good"], [1, 0, 1])).batch(3)
encoder.adapt(ds.map(lambda text, label: text))
model = tf.keras.Sequential([encoder, tf.keras.layers.Embedding(len(encoder.get_vocabulary()), 4, mask_zero=True), tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(3)), tf.keras.layers.Dense(1)])
model.compile(loss=tf.keras.losses.BinaryCrossentropy(from_logits=True), optimizer=tf.keras.optimizers.Adam(1e-4), metrics=["accuracy"])
h = model.fit(ds, epochs=1, validation_data=ds, validation_steps=1, verbose=0)
sorted(h.history), model.predict(tf.constant(["good film"]), verbose=0).shape, encoder(tf.constant(["good film", "film"])).numpy()

# Word2vec: lines, a vectorised dataset, sequences.
vectorize = tf.keras.layers.TextVectorization(max_tokens=30, output_mode="int", output_sequence_length=5)
lines = tf.data.Dataset.from_tensor_slices(["the wide road", "", "shimmered in the hot sun"]).filter(lambda x: tf.cast(tf.strings.length(x), bool))
vectorize.adapt(lines.batch(1024))
list(lines.batch(1024).prefetch(2).map(vectorize).unbatch().as_numpy_iterator()), vectorize.get_vocabulary()[:3]

# Load text: a table as vocabulary.
keys, values = ["the", "road", "sun"], range(2, 5)
init = tf.lookup.KeyValueTensorInitializer(keys, values, key_dtype=tf.string, value_dtype=tf.int64)
table = tf.lookup.StaticVocabularyTable(init, 1)
def preprocess(text, label):
    tokens = tf.strings.split(tf.strings.lower(text))
    return table.lookup(tokens), label
all_encoded = tf.data.Dataset.from_tensor_slices((["The road", "the hot sun"], [0, 1])).map(preprocess)
[(a.numpy(), int(b)) for a, b in all_encoded], list(all_encoded.padded_batch(2))

# Translation: unicode clean-up with start and end marks.
def tf_lower_and_split_punct(text):
    text = tf.strings.lower(text)
    text = tf.strings.regex_replace(text, "[^ a-z.?!,¿]", "")
    text = tf.strings.regex_replace(text, "[.?!,¿]", r" \0 ")
    text = tf.strings.strip(text)
    return tf.strings.join(["[START]", text, "[END]"], separator=" ")
tf_lower_and_split_punct(tf.constant("¿Todavía está en casa?")), tf_lower_and_split_punct(tf.constant(["Hi!", "a, b"]))

processor = tf.keras.layers.TextVectorization(standardize=lambda t: tf.strings.join(["[START]", tf.strings.lower(t), "[END]"], separator=" "), max_tokens=20, ragged=True)
processor.adapt(tf.data.Dataset.from_tensor_slices(["Hello you", "Good day"]).batch(2))
def process(context, target):
    context = processor(context).to_tensor()
    target = processor(target)
    return (context, target[:, :-1].to_tensor()), target[:, 1:].to_tensor()
list(tf.data.Dataset.from_tensor_slices((["hello", "good day"], ["hello you", "day"])).batch(2).map(process, tf.data.AUTOTUNE)), processor.get_vocabulary()

vocab = np.array(["", "[UNK]", "[START]", "[END]", "hello"])
tokens = tf.ragged.constant([[2, 4, 3], [2, 3]]).to_tensor()
" ".join(vocab[tokens[0].numpy()])

# Structured data: one layer per column.
def get_category_encoding_layer(name, dataset, dtype, max_tokens=None):
    index = tf.keras.layers.StringLookup(max_tokens=max_tokens) if dtype == "string" else tf.keras.layers.IntegerLookup(max_tokens=max_tokens)
    index.adapt(dataset.map(lambda x, y: x[name]))
    encoder = tf.keras.layers.CategoryEncoding(num_tokens=index.vocabulary_size())
    return lambda feature: encoder(index(feature))
frame = {"Type": [["Cat"], ["Dog"], ["Dog"]], "Age": [[3], [5], [3]], "Fee": [[1.], [2.], [3.]]}
ds = tf.data.Dataset.from_tensor_slices((frame, [0, 1, 1])).batch(2)
norm = tf.keras.layers.Normalization(axis=None)
norm.adapt(ds.map(lambda x, y: x["Fee"]))
fee, age, kind = tf.keras.Input(shape=(1,), name="Fee"), tf.keras.Input(shape=(1,), name="Age", dtype="int64"), tf.keras.Input(shape=(1,), name="Type", dtype="string")
encoded = [norm(fee), get_category_encoding_layer("Age", ds, "int64", 5)(age), get_category_encoding_layer("Type", ds, "string", 5)(kind)]
x = tf.keras.layers.concatenate(encoded)
model = tf.keras.Model({"Fee": fee, "Age": age, "Type": kind}, tf.keras.layers.Dense(1)(x))
model.compile(optimizer="adam", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
h = model.fit(ds, epochs=1, verbose=0)
sample = {"Type": "Cat", "Age": 3, "Fee": 100}
sorted(h.history), x.shape, model.predict({name: tf.convert_to_tensor([[value]]) for name, value in sample.items()}, verbose=0).shape

# The ragged guide's bag of words.
queries = tf.ragged.constant([["Who", "is", "Dan", "Smith"], ["Pause"], ["Will", "it", "rain", "later", "today"]])
num_buckets, embedding_size = 16, 4
embedding_table = tf.Variable(tf.ones([num_buckets, embedding_size]))
word_buckets = tf.strings.to_hash_bucket_fast(queries, num_buckets)
word_embeddings = tf.nn.embedding_lookup(embedding_table, word_buckets)
marker = tf.fill([queries.nrows(), 1], "#")
padded = tf.concat([marker, queries, marker], axis=1)
bigrams = tf.strings.join([padded[:, :-1], padded[:, 1:]], separator="+")
bigram_embeddings = tf.nn.embedding_lookup(embedding_table, tf.strings.to_hash_bucket_fast(bigrams, num_buckets))
all_embeddings = tf.concat([word_embeddings, bigram_embeddings], axis=1)
word_buckets, bigrams, tf.reduce_mean(all_embeddings, axis=1)

# Examples with ragged features.
ex = tf.train.Example(features=tf.train.Features(feature={"words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"]))}))
tf.io.parse_example([ex.SerializeToString()], {"words": tf.io.RaggedFeature(tf.string)})["words"]

# Ragged in datasets.

ds = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 1], [2, 3, 4], []]))
list(ds), ds.element_spec, list(ds.batch(2)), list(ds.map(lambda x: tf.reduce_sum(x)))

ds = tf.data.Dataset.from_tensors(tf.ragged.constant([[1, 1], [2, 3, 4]]))
list(ds), ds.element_spec, list(ds.batch(2))

ds = tf.data.Dataset.range(5).map(lambda x: tf.range(x)).ragged_batch(2)
list(ds), ds.element_spec

list(tf.data.Dataset.range(4).map(lambda x: tf.range(x)).apply(tf.data.experimental.dense_to_ragged_batch(2)))

ds = tf.data.Dataset.from_tensor_slices(["a b", "c", "d e f"]).batch(2).map(tf.strings.split)
list(ds), list(ds.unbatch()), list(ds.map(lambda r: r.to_tensor()))

ds = tf.data.Dataset.from_tensor_slices({"q": tf.ragged.constant([["a"], ["b", "c"]]), "y": [0, 1]})
list(ds), list(ds.batch(2)), list(ds.map(lambda d: tf.size(d["q"])))

ds = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]]]))
list(ds), list(ds.batch(2))

ds = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]]))
list(ds.batch(2)), ds.element_spec

list(tf.data.Dataset.from_tensor_slices(["a b", "c"]).map(tf.strings.split).padded_batch(2, padding_values="-"))

list(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 1], [2, 3, 4]])).filter(lambda x: tf.size(x) > 2))

ds = tf.data.Dataset.from_generator(lambda: iter([tf.ragged.constant([[1], [2, 3]])]), output_signature=tf.RaggedTensorSpec([None, None], tf.int32))
list(ds)
