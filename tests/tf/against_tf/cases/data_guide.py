# The guide of input pipelines, chapter by chapter.

dataset1 = tf.data.Dataset.from_tensor_slices(tf.cast(tf.reshape(tf.range(40), [4, 10]), tf.int32))
dataset2 = tf.data.Dataset.from_tensor_slices((tf.range(4.), tf.reshape(tf.range(400), [4, 100])))
dataset3 = tf.data.Dataset.zip((dataset1, dataset2))
repr(dataset1), repr(dataset2), repr(dataset3), [(a.shape, b.shape, c.shape) for a, (b, c) in dataset3]

dataset4 = tf.data.Dataset.from_tensors(tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4]))
dataset4.element_spec, dataset4.element_spec.value_type.__name__

images, labels = np.zeros((8, 28, 28), np.uint8), np.arange(8)
dataset = tf.data.Dataset.from_tensor_slices((images / 255, labels))
repr(dataset)

def gen_series():
    i = 0
    while True:
        size = (i * 7) % 10
        yield i, [float(j) for j in range(size)]
        i += 1
ds_series = tf.data.Dataset.from_generator(gen_series, output_types=(tf.int32, tf.float32), output_shapes=((), (None,)))
ids, seqs = next(iter(ds_series.padded_batch(10)))
repr(ds_series), ids, seqs, repr(ds_series.shuffle(20).padded_batch(10))

features = {"text": ["a b", "c"], "n": [1, 2]}
[{k: v.numpy() for k, v in row.items()} for row in tf.data.Dataset.from_tensor_slices(features)]

line_counter = collections.Counter() if "collections" in globals() else None
feature_length = 7
dense_1_step = tf.data.Dataset.range(1000).batch(feature_length, drop_remainder=True).map(lambda batch: (batch[:-1], batch[1:]))
[(f.numpy(), l.numpy()) for f, l in dense_1_step.take(2)], dense_1_step.element_spec

batches = tf.data.Dataset.range(1000).batch(15, drop_remainder=True)
def label_next_5_steps(batch):
    return (batch[:-5], batch[-5:])
[(f.numpy(), l.numpy()) for f, l in batches.map(label_next_5_steps).take(2)]

feature_length, label_length = 10, 3
features = tf.data.Dataset.range(1000).batch(feature_length, drop_remainder=True)
labels = tf.data.Dataset.range(1000).batch(feature_length).skip(1).map(lambda labels: labels[:label_length])
[(f.numpy(), l.numpy()) for f, l in tf.data.Dataset.zip((features, labels)).take(3)]

dense_labels = tf.data.Dataset.range(30).window(5, shift=1).flat_map(lambda s: s.batch(5, drop_remainder=True)).map(lambda w: (w[:-1], w[-1]))
[(f.numpy(), l.numpy()) for f, l in dense_labels.take(3)], dense_labels.element_spec

# Batches, epochs, ends.

lines = tf.data.Dataset.range(628)
[b.shape[0] for b in lines.repeat(3).batch(128)], [b.shape[0] for b in lines.batch(128).repeat(3)]

epochs = []
dataset = tf.data.Dataset.range(10).batch(4)
for epoch in range(2):
    for batch in dataset:
        epochs.append(batch.shape[0])
epochs

lines = tf.data.Dataset.range(500)
counter = tf.data.Dataset.counter()
dataset = tf.data.Dataset.zip((counter, lines)).shuffle(buffer_size=100, seed=1).batch(20)
n, batch = next(iter(dataset))
int(tf.reduce_max(n)) < 120, repr(dataset)

dataset = tf.data.Dataset.zip((tf.data.Dataset.counter(), tf.data.Dataset.range(20)))
shuffled = dataset.shuffle(buffer_size=10, seed=5).batch(10).repeat(2)
[n.numpy() for n, _ in shuffled], [n.numpy() for n, _ in dataset.repeat(2).shuffle(buffer_size=10, seed=5).batch(10)]

# Preprocessing.

def random_rotate(image):
    return np.rot90(image)
def tf_random_rotate(image, label):
    shape = image.shape
    [image, ] = tf.py_function(random_rotate, [image], [tf.float32])
    image.set_shape(shape)
    return image, label
ds = tf.data.Dataset.from_tensor_slices((np.arange(18, dtype=np.float32).reshape(2, 3, 3), [0, 1])).map(tf_random_rotate)
list(ds.as_numpy_iterator()), ds.element_spec

max_value = tf.data.Dataset.range(10).reduce(np.int64(0), tf.maximum)
max_value

class_func = lambda x, y: y
def count(counts, batch):
    features, labels = batch
    class_1 = labels == 1
    class_1 = tf.cast(class_1, tf.int32)
    class_0 = labels == 0
    class_0 = tf.cast(class_0, tf.int32)
    counts["class_0"] += tf.reduce_sum(class_0)
    counts["class_1"] += tf.reduce_sum(class_1)
    return counts
ds = tf.data.Dataset.from_tensor_slices((np.arange(20.), np.arange(20) % 5 == 0)).map(lambda f, l: (f, tf.cast(l, tf.int32))).batch(4)
ds.take(10).reduce(initial_state={"class_0": 0, "class_1": 0}, reduce_func=count)

ds = tf.data.Dataset.from_tensor_slices((np.arange(20.), np.arange(20) % 5 == 0))
neg, pos = ds.filter(lambda f, l: tf.logical_not(l)).repeat(), ds.filter(lambda f, label: label).repeat()
balanced = tf.data.Dataset.sample_from_datasets([neg, pos], [0.5, 0.5], seed=1).batch(10)
[l.numpy() for f, l in balanced.take(3)]

rng_ds = tf.data.Dataset.range(20)
iterator = iter(rng_ds)
import tempfile
ckpt = tf.train.Checkpoint(step=tf.Variable(0), iterator=iterator)
manager = tf.train.CheckpointManager(ckpt, tempfile.mkdtemp(), max_to_keep=3)
a = [next(iterator).numpy() for _ in range(5)]
save_path = manager.save()
b = [next(iterator).numpy() for _ in range(5)]
ckpt.restore(manager.latest_checkpoint)
a, b, [next(iterator).numpy() for _ in range(5)]

# The performance guide, without its clocks.

class TimeMeasured(tf.data.Dataset):
    def _generator(instance_idx, num_samples):
        yield [("Open", instance_idx)], [("Read", num_samples)]
    def __new__(cls, num_samples=3):
        return tf.data.Dataset.from_generator(cls._generator, output_types=(tf.string, tf.string), output_shapes=((1, 2), (1, 2)), args=(1, num_samples)) if False else tf.data.Dataset.from_generator(lambda: ([i] for i in range(num_samples)), output_signature=tf.TensorSpec((1,), tf.int64))
fast = tf.data.Dataset.range(2).interleave(lambda _: TimeMeasured(), num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
sorted(e[0].numpy() for e in fast)

def increment(x):
    return x + 1
def run(ds):
    return [e.numpy() for e in ds]
ds = tf.data.Dataset.range(40)
run(ds.map(increment).batch(16)) == run(ds.batch(16).map(increment)), [b.shape for b in ds.batch(16).map(increment)]

ds = tf.data.Dataset.from_tensor_slices((np.arange(4.), np.arange(4)))
list(ds.scan(np.float64(0), lambda s, e: (s + e[0], (s, e[1]))).as_numpy_iterator()), ds.reduce(np.float64(0), lambda s, e: s + e[0])

calls = []
def mapped(x):
    tf.py_function(lambda v: calls.append(int(v)), [x], [])
    return x
ds = tf.data.Dataset.range(4).map(mapped).cache()
for _ in range(3):
    for _ in ds:
        pass
calls

# Text, in lines and files.

import tempfile, os
d = tempfile.mkdtemp()
for n, text in enumerate(("cowper", "derby", "butler")):
    open(f"{d}/{text}.txt", "w").write("".join(f"{text} {i}\n" for i in range(4)))
names = [f"{d}/{n}.txt" for n in ("cowper", "derby", "butler")]
files = tf.data.Dataset.from_tensor_slices(names)
lines = files.interleave(tf.data.TextLineDataset, cycle_length=3)
labeled = [tf.data.TextLineDataset(n).map(lambda ex, i=i: (ex, tf.cast(i, tf.int64))) for i, n in enumerate(names)]
joined = labeled[0]
for more in labeled[1:]:
    joined = joined.concatenate(more)
[l.numpy() for l in lines.take(5)], [(t.numpy(), int(i)) for t, i in joined.shuffle(50, seed=2, reshuffle_each_iteration=False).take(4)], joined.element_spec

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("survived,sex,age\n0,male,22.0\n1,female,38.0\n1,female,26.0\n")
titanic = [l.split(",") for l in open(p).read().split()[1:]]
types = [tf.int32, tf.string, tf.float32]
ds = tf.data.experimental.CsvDataset(p, types, header=True)
[[item.numpy() for item in line] for line in ds.take(2)], repr(ds)

import tempfile
p = tempfile.mkdtemp() + "/m.csv"
open(p, "w").write("1,2,3,4\n,2,3,4\n1,,3,4\n1,2,,4\n1,2,3,\n,,,\n")
ds = tf.data.experimental.CsvDataset(p, [999, 999, 999, 999])
[d.numpy().tolist() for d in ds.map(lambda *items: tf.stack(items))], list(tf.data.experimental.CsvDataset(p, [999, 999], select_cols=[1, 3]).map(lambda *i: tf.stack(i)).as_numpy_iterator())

# Time, sequences, structures.

def plot(x, y):
    return x
ds = tf.data.Dataset.from_tensor_slices({"x": np.arange(6.), "y": np.arange(6)}).window(3, shift=3)
[[e.numpy() for e in w["x"]] for w in ds], ds.flat_map(lambda w: tf.data.Dataset.zip((w["x"].batch(3), w["y"].batch(3)))).element_spec

ds = tf.data.Dataset.from_tensor_slices(np.arange(12).reshape(4, 3)).map(lambda r: {"in": r[:2], "out": r[2]}).batch(2).unbatch().batch(3, drop_remainder=True)
list(ds.as_numpy_iterator()), ds.element_spec, ds.cardinality()

ds = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: (x, {"sq": x * x, "nested": (x, [x, x])}))
list(ds.as_numpy_iterator()), ds.element_spec

ds = tf.data.Dataset.range(8).batch(2).map(lambda b: tf.RaggedTensor.from_row_lengths(b, [1, 1]))
[e.to_list() for e in ds], repr(ds)

list(tf.data.Dataset.range(6).batch(2, drop_remainder=True).enumerate().map(lambda i, b: b * i).unbatch().as_numpy_iterator())

ds = tf.data.Dataset.range(3)
@tf.function
def sums(ds):
    total = tf.constant(0, tf.int64)
    for i, x in ds.enumerate():
        total += i * x
    return total
sums(ds)

v = tf.Variable(0, dtype=tf.int64)
ds = tf.data.Dataset.range(3).map(lambda x: x + v)
a = [e.numpy() for e in ds]
v.assign(10)
a, [e.numpy() for e in ds]

x, y = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4])).batch(2).get_single_element()
x, y

[(int(i), e.numpy()) for i, e in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=1)]

ds = tf.data.Dataset.from_tensor_slices(tf.constant([[1, 2], [3, 4]], tf.float16))
ds.element_spec, list(ds.as_numpy_iterator()), list(tf.data.Dataset.from_tensors(tf.constant([1., 2.], tf.bfloat16)).map(lambda x: tf.cast(x, tf.float32)).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(tf.constant([1 + 2j, 3])).batch(2).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices([]).as_numpy_iterator()), tf.data.Dataset.from_tensor_slices([]).element_spec, len(tf.data.Dataset.from_tensor_slices(np.zeros((0, 3))).batch(2))

train, test = tf.data.Dataset.range(10).skip(3), tf.data.Dataset.range(10).take(3)
list(train.as_numpy_iterator()), list(test.as_numpy_iterator()), len(train)

ds = tf.data.Dataset.range(10)
def is_test(i, _):
    return i % 4 == 0
recover = lambda i, x: x
list(ds.enumerate().filter(is_test).map(recover).as_numpy_iterator())
