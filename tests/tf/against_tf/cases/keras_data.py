# Keras' helpers that make datasets: from folders of images, texts and sounds, from series, and by splitting.

import os, tempfile
top = tempfile.mkdtemp()
for kind in ("cats", "dogs"):
    os.makedirs(f"{top}/{kind}")
    for i in range(3):
        tf.io.write_file(f"{top}/{kind}/{i}.png", tf.io.encode_png(tf.constant(np.full((6, 4, 3), 10 * i + len(kind), np.uint8))))
ds = tf.keras.utils.image_dataset_from_directory(top, image_size=(4, 4), batch_size=2, shuffle=False, verbose=False)
[ds.class_names, [os.path.relpath(p, top) for p in ds.file_paths], list(ds), ds.cardinality(), repr(ds.element_spec)]

import os, tempfile
top = tempfile.mkdtemp()
for kind in ("a", "b", "c"):
    os.makedirs(f"{top}/{kind}")
    for i in range(4):
        tf.io.write_file(f"{top}/{kind}/{i}.png", tf.io.encode_png(tf.constant(np.full((5, 4, 1), 10 * i, np.uint8))))
options = dict(image_size=(3, 3), batch_size=None, color_mode="grayscale", label_mode="categorical", seed=7, validation_split=0.25)
train = tf.keras.utils.image_dataset_from_directory(top, subset="training", **options)
valid = tf.keras.utils.image_dataset_from_directory(top, subset="validation", **options)
[[os.path.relpath(p, top) for p in train.file_paths], [os.path.relpath(p, top) for p in valid.file_paths], repr(train.element_spec), list(valid)[0][0], len(train), len(valid)]

# printed
import os, tempfile
top = tempfile.mkdtemp()
for kind in ("a", "b"):
    os.makedirs(f"{top}/{kind}")
    for i in range(5):
        tf.io.write_file(f"{top}/{kind}/{i}.jpg", tf.io.encode_jpeg(tf.constant(np.full((8, 8, 3), 100, np.uint8))))
both = tf.keras.utils.image_dataset_from_directory(top, subset="both", validation_split=0.2, seed=1, label_mode="binary", image_size=(8, 8), batch_size=4)
[len(both), both[0].class_names, [x.shape for x, y in both[0]], [y.dtype for x, y in both[1]], list(both[1])[0][1].shape]

# loose
import tempfile
top = tempfile.mkdtemp()
tf.io.write_file(f"{top}/x.png", tf.io.encode_png(tf.constant(np.arange(6 * 4 * 3, dtype=np.uint8).reshape(6, 4, 3))))
ds = tf.keras.utils.image_dataset_from_directory(top, labels=None, image_size=(3, 3), crop_to_aspect_ratio=True, verbose=False)
[list(ds), ds.class_names]

# loose
import tempfile
top = tempfile.mkdtemp()
tf.io.write_file(f"{top}/x.png", tf.io.encode_png(tf.constant(np.arange(6 * 4 * 3, dtype=np.uint8).reshape(6, 4, 3))))
list(tf.keras.utils.image_dataset_from_directory(top, labels=[3], image_size=(3, 3), pad_to_aspect_ratio=True, interpolation="nearest", verbose=False))

import tempfile
tf.keras.utils.image_dataset_from_directory(tempfile.mkdtemp(), labels=None, verbose=False)

import tempfile
tf.keras.utils.image_dataset_from_directory(tempfile.mkdtemp(), label_mode="nonsense")

import tempfile
tf.keras.utils.image_dataset_from_directory(tempfile.mkdtemp(), validation_split=0.2)

import os, tempfile
top = tempfile.mkdtemp()
for kind, words in (("neg", ["bad film", "awful"]), ("pos", ["good film", "great"])):
    os.makedirs(f"{top}/{kind}")
    for i, text in enumerate(words):
        with open(f"{top}/{kind}/{i}.txt", "w") as f: _ = f.write(text)
ds = tf.keras.utils.text_dataset_from_directory(top, batch_size=3, shuffle=False, verbose=False)
[ds.class_names, list(ds), repr(ds.element_spec), ds.cardinality()]

import os, tempfile
top = tempfile.mkdtemp()
for kind, words in (("neg", ["bad film", "awful"]), ("pos", ["good film", "great"])):
    os.makedirs(f"{top}/{kind}")
    for i, text in enumerate(words):
        with open(f"{top}/{kind}/{i}.txt", "w") as f: _ = f.write(text)
list(tf.keras.utils.text_dataset_from_directory(top, label_mode=None, batch_size=None, max_length=4, shuffle=False, verbose=False))

import os, tempfile
top = tempfile.mkdtemp()
for kind in ("no", "yes"):
    os.makedirs(f"{top}/{kind}")
    for i in range(2):
        tf.io.write_file(f"{top}/{kind}/{i}.wav", tf.audio.encode_wav(np.linspace(-1, 1, 8 + 4 * i, dtype=np.float32)[:, None], 8000))
ds = tf.keras.utils.audio_dataset_from_directory(top, batch_size=2, output_sequence_length=10, shuffle=False, verbose=False)
[ds.class_names, list(ds)]

import os, tempfile
top = tempfile.mkdtemp()
for i in range(3):
    tf.io.write_file(f"{top}/{i}.wav", tf.audio.encode_wav(np.linspace(-1, 1, 8 + 4 * i, dtype=np.float32)[:, None], 8000))
list(tf.keras.utils.audio_dataset_from_directory(top, labels=None, batch_size=3, ragged=False, output_sequence_length=5, shuffle=False, verbose=False))

data = np.arange(20, dtype=np.float32)
ds = tf.keras.utils.timeseries_dataset_from_array(data[:-5], data[5:], sequence_length=5, batch_size=4)
list(ds)

data = np.arange(40, dtype=np.float32).reshape(20, 2)
list(tf.keras.utils.timeseries_dataset_from_array(data, None, sequence_length=3, sequence_stride=2, sampling_rate=2, batch_size=3, start_index=1, end_index=18))

data = np.arange(10)
list(tf.keras.preprocessing.timeseries_dataset_from_array(data, data, sequence_length=4, batch_size=None))

list(tf.keras.utils.timeseries_dataset_from_array(np.arange(10), None, sequence_length=4, sequence_stride=0))

left, right = tf.keras.utils.split_dataset(tf.data.Dataset.range(10), left_size=0.8)
[list(left), list(right), left.cardinality(), repr(right.element_spec)]

left, right = tf.keras.utils.split_dataset(np.arange(10), right_size=3)
[[int(v) for v in left], [int(v) for v in right]]

x, y = np.arange(10), np.arange(10) * 2.0
left, right = tf.keras.utils.split_dataset((x, y), left_size=7)
[list(left)[0], list(right), repr(left.element_spec)]

left, right = tf.keras.utils.split_dataset(tf.data.Dataset.from_tensor_slices({"a": np.arange(4), "b": np.ones((4, 2))}), left_size=0.5)
[list(left), list(right)]

left, right = tf.keras.utils.split_dataset(tf.data.Dataset.range(10), left_size=0.5, shuffle=True, seed=3)
[list(left), list(right)]

tf.keras.utils.split_dataset(tf.data.Dataset.range(10), left_size=12)

tf.keras.utils.split_dataset(tf.data.Dataset.range(10))

import os, tempfile, tarfile
top, cache = tempfile.mkdtemp(), tempfile.mkdtemp()
os.makedirs(f"{top}/flowers")
with open(f"{top}/flowers/rose.txt", "w") as f: _ = f.write("red")
with tarfile.open(f"{top}/flowers.tar.gz", "w:gz") as t: t.add(f"{top}/flowers", "flowers")
path = tf.keras.utils.get_file("flowers", origin=f"file://{top}/flowers.tar.gz", extract=True, cache_dir=cache, cache_subdir=".")
found = sorted(os.path.relpath(os.path.join(d, f), cache) for d, _, fs in os.walk(cache) for f in fs)
[os.path.relpath(path, cache), found]

import os, tempfile, zipfile
top, cache = tempfile.mkdtemp(), tempfile.mkdtemp()
with zipfile.ZipFile(f"{top}/data.zip", "w") as z: z.writestr("a.csv", "1,2")
path = tf.keras.utils.get_file(origin=f"file://{top}/data.zip", fname="data.zip", extract=True, cache_dir=cache)
[os.path.relpath(path, cache), sorted(os.path.relpath(os.path.join(d, f), cache) for d, _, fs in os.walk(cache) for f in fs)]

import os, tempfile
top, cache = tempfile.mkdtemp(), tempfile.mkdtemp()
with open(f"{top}/a.txt", "w") as f: _ = f.write("hello")
path = tf.keras.utils.get_file("a.txt", f"file://{top}/a.txt", cache_dir=cache)
[open(path).read(), os.path.relpath(path, cache)]

tf.keras.utils.to_categorical([0, 2, 1])

tf.keras.utils.to_categorical(np.array([[0], [2]]), num_classes=4)

tf.keras.preprocessing.sequence.pad_sequences([[1, 2, 3], [4]], maxlen=2)

tf.keras.utils.pad_sequences([[1, 2, 3], [4]], padding="post", value=9)

tf.keras.preprocessing.image.img_to_array(tf.keras.preprocessing.image.array_to_img(np.arange(12.).reshape(2, 2, 3), scale=False))

tf.keras.utils.normalize(np.array([[3., 4.], [6., 8.]]))

import tempfile
path = tempfile.mkdtemp() + "/x.png"
tf.keras.utils.save_img(path, np.arange(48.).reshape(4, 4, 3), scale=False)
np.array(tf.keras.preprocessing.image.load_img(path, target_size=(2, 2), color_mode="rgb")).shape

x, w = np.ones((2, 3, 3, 1), np.float32), 2
tf.keras.preprocessing.image.smart_resize(x, (2, 2)).shape

couples, labels = tf.keras.preprocessing.sequence.skipgrams([1, 2, 3, 4], vocabulary_size=6, window_size=1, negative_samples=0., shuffle=False)
[couples, labels]

tf.keras.preprocessing.sequence.make_sampling_table(5)

tf.keras.preprocessing.text.one_hot("a b c", 10, hash_function="md5")

tf.keras.preprocessing.text.text_to_word_sequence("The cat, sat!")

tok = tf.keras.preprocessing.text.Tokenizer(num_words=5, oov_token="<unk>")
tok.fit_on_texts(["the cat sat", "the dog sat down"])
[tok.word_index, tok.texts_to_sequences(["the bird sat down"]), tok.sequences_to_texts([[2, 3]])]

gen = tf.keras.preprocessing.sequence.TimeseriesGenerator(np.arange(10), np.arange(10), length=3, batch_size=2)
[len(gen), gen[0]]
