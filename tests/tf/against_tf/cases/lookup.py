# Tables.

init = tf.lookup.KeyValueTensorInitializer(keys=tf.constant(["a", "b", "c"]), values=tf.constant([7, 8, 9]))
table = tf.lookup.StaticHashTable(init, default_value=-1)
table.lookup(tf.constant(["a", "z", "c"])), table.size(), table[tf.constant("b")], table.key_dtype, table.value_dtype, table.default_value

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], ["x", "y"], tf.int64, tf.string), "?")
table.lookup(tf.constant([[2, 5]], tf.int64))

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1.5]), 0.)
table.lookup(tf.ragged.constant([["a"], ["b", "a"]])), table.lookup(tf.sparse.from_dense([["a", ""], ["", "q"]]))

tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1).lookup(tf.constant([1]))

tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), -1)

tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1]), -1)

tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), "x")

k, v = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1).export()
sorted(zip(k.numpy().tolist(), v.numpy().tolist()))

import tempfile
file = tempfile.mkdtemp() + "/vocabulary.txt"
with open(file, "w") as f: f.write("emerson\nlake\npalmer\n")
table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(file, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
table.lookup(tf.constant(["palmer", "x"])), table.size()

import tempfile
file = tempfile.mkdtemp() + "/pairs.txt"
with open(file, "w") as f: f.write("emerson 10\nlake 20\npalmer 30\n")
table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(file, key_dtype=tf.string, key_index=0, value_dtype=tf.int64, value_index=1, delimiter=" "), -1)
table.lookup(tf.constant(["palmer", "x"])), table.size()

tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer("nowhere.txt", tf.string, 0, tf.int64, 1), -1)

import tempfile
file = tempfile.mkdtemp() + "/short.txt"
with open(file, "w") as f: f.write("a\n")
tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(file, tf.string, 0, tf.int64, 1), -1)

tf.lookup.TextFileInitializer("x", tf.string, -1, tf.int64, 0)

table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["emerson", "lake", "palmer"], tf.constant([0, 1, 2], tf.int64)), num_oov_buckets=3)
table.lookup(tf.constant(["lake", "king", "crimson", "palmer"])), table.size()

table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(tf.constant([10, 20], tf.int64), tf.constant([0, 1], tf.int64)), 5)
table.lookup(tf.constant([10, 30, 40, 20], tf.int64))

tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([0], tf.int64)), 0)

tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a"], ["b"]), 1)

table = tf.lookup.experimental.MutableHashTable(key_dtype=tf.string, value_dtype=tf.int64, default_value=-1)
table.insert(["a", "b"], [1, 2])
table.insert("a", 5)
table.lookup(tf.constant(["a", "b", "c"])), table.size()

table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, default_value=[0., 0.])
table.insert([1, 2], [[1., 2.], [3., 4.]])
table.remove(tf.constant([1], tf.int64))
table.lookup(tf.constant([1, 2], tf.int64)), table.export()

table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
table.lookup(tf.constant(["x", "y"]), dynamic_default_values=tf.constant([7, 8], tf.int64))

table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
table.insert(["a", "b"], [1])

table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, default_value=-1, empty_key="", deleted_key="$")
table.insert(["a", "b"], [1, 2])
table.lookup(tf.constant(["a", "q"])), table.size()

table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, default_value=-1, empty_key="", deleted_key="$")
table.insert([""], [1])

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8]), -1)
@tf.function
def look(x):
    return table.lookup(x) + 1
look(tf.constant(["a"])), look(tf.constant(["b"])), look(tf.constant(["c"]))

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8]), -1)
list(tf.data.Dataset.from_tensor_slices(["a", "b", "c"]).map(table.lookup))

table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)), 2)
list(tf.data.Dataset.from_tensor_slices(["a b", "b zz"]).map(lambda s: table.lookup(tf.strings.split(s))).padded_batch(2))
