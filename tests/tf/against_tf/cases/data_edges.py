tf.data.Dataset.from_tensor_slices([1, 2]).concatenate([1])

tf.data.Dataset.range(3).batch("a")

tf.data.Dataset.range(3).batch(2.5)

tf.data.Dataset.range(3).take("a")

tf.data.Dataset.range(3).shuffle(2.5)

tf.data.Dataset.range("a")

tf.data.Dataset.range(1.5)

list(tf.data.Dataset.range(np.int32(3)).as_numpy_iterator()), list(tf.data.Dataset.range(5).batch(tf.constant(2, tf.int64)).as_numpy_iterator())

tf.data.Dataset.from_tensor_slices([[1, 2], [3]])

tf.data.Dataset.from_tensor_slices({"a": [1], "b": [1, 2]})

tf.data.Dataset.from_tensors(object())

tf.data.Dataset.from_tensor_slices([None])

tf.data.Dataset.range(2).padded_batch(2, padded_shapes=([], []))

tf.data.Dataset.range(2).padded_batch(2, padded_shapes=[3])

list(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).padded_batch(2, padded_shapes=[3], padding_values=9).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(([1., 2.], ["a", "b"])).padded_batch(2, padded_shapes=([], [])).as_numpy_iterator())

ds = tf.data.Dataset.from_tensor_slices({"a": [[1], [2]], "b": [[1.], [2.]]})
list(ds.padded_batch(2, padded_shapes={"a": [2], "b": [3]}, padding_values={"a": 7, "b": -1.}).as_numpy_iterator())

list(tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=100).as_numpy_iterator())

list(tf.data.Dataset.range(0).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=2).as_numpy_iterator()), list(tf.data.Dataset.range(0).flat_map(lambda x: tf.data.Dataset.range(3)).batch(2).as_numpy_iterator())

list(tf.data.Dataset.range(5).window(2).zip(tf.data.Dataset.range(5)) if False else tf.data.Dataset.zip((tf.data.Dataset.range(4).window(2), tf.data.Dataset.range(2))).flat_map(lambda w, i: w.map(lambda x: x + 10 * i)).as_numpy_iterator())

list(tf.data.Dataset.range(7).window(3, drop_remainder=True).map(lambda w: w.reduce(np.int64(0), lambda a, b: a + b)).as_numpy_iterator())

list(tf.data.Dataset.range(7).window(3, shift=1, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)).as_numpy_iterator())

list(tf.data.Dataset.range(10).window(4, shift=2).filter(lambda w: w.cardinality() == 4).flat_map(lambda w: w.batch(4)).as_numpy_iterator())

ds = tf.data.Dataset.range(6).repeat(2)
ds.cardinality(), ds.batch(5).cardinality(), ds.skip(3).cardinality(), ds.take(100).cardinality(), ds.shard(5, 3).cardinality(), ds.concatenate(ds).cardinality(), ds.enumerate().cardinality(), ds.prefetch(1).cardinality(), ds.cache().cardinality(), ds.shuffle(3).cardinality(), ds.map(lambda x: x).cardinality()

inf = tf.data.Dataset.range(6).repeat()
[d.cardinality().numpy() for d in (inf.batch(2), inf.take(3), inf.skip(3), inf.shard(2, 0), inf.concatenate(inf), tf.data.Dataset.zip(inf, tf.data.Dataset.range(3)), inf.filter(lambda x: True), inf.window(2), inf.unbatch() if False else inf, inf.repeat(2), tf.data.Dataset.range(0).repeat(), inf.repeat(0))]

unk = tf.data.Dataset.range(6).filter(lambda x: x > 1)
[d.cardinality().numpy() for d in (unk.batch(2), unk.take(3), unk.skip(3), unk.repeat(), unk.repeat(0), unk.concatenate(tf.data.Dataset.range(2)), unk.concatenate(tf.data.Dataset.range(2).repeat()), tf.data.Dataset.zip(unk, tf.data.Dataset.range(3)), unk.take(0), unk.flat_map(lambda x: tf.data.Dataset.range(2)))]

a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(4)
[d.cardinality().numpy() for d in (tf.data.Dataset.sample_from_datasets([a, b]), tf.data.Dataset.choose_from_datasets([a, b], tf.data.Dataset.range(2)), tf.data.Dataset.choose_from_datasets([a, b], tf.data.Dataset.range(2).repeat()), a.interleave(lambda x: b), a.batch(2).unbatch(), a.batch(2, drop_remainder=True).unbatch(), a.unique(), a.scan(np.int64(0), lambda s, x: (s, x)), a.ignore_errors(), a.group_by_window(lambda x: x, lambda k, d: d, 2), a.take_while(lambda x: True), a.rejection_resample(lambda x: tf.cast(x, tf.int32), [.5, .3, .2]), tf.data.Dataset.from_tensors(1), tf.data.Dataset.list_files("/*", shuffle=False))][:13]

list(tf.data.Dataset.range(3).map(lambda x: tf.data.Dataset.range(x)).flat_map(lambda d: d).as_numpy_iterator())

[list(d.as_numpy_iterator()) for d in tf.data.Dataset.range(3).map(lambda x: tf.data.Dataset.range(x))]

list(tf.data.Dataset.range(5).batch(2).map(lambda b: tf.shape(b)).as_numpy_iterator())

ds = tf.data.Dataset.range(5).batch(2)
[(s.shape, s.dtype) for s in [ds.element_spec]], ds.element_spec == tf.TensorSpec([None], tf.int64)

list(tf.data.Dataset.from_tensor_slices(["1,2", "3,4"]).map(lambda l: tf.strings.to_number(tf.strings.split(l, ","))).as_numpy_iterator())

def f(x):
    for i in tf.range(3):
        x += tf.cast(i, tf.int64)
    return x
list(tf.data.Dataset.range(2).map(f).as_numpy_iterator())

list(tf.data.Dataset.range(4).map(lambda x: tf.cond(x > 1, lambda: x, lambda: -x)).as_numpy_iterator())

ds = tf.data.Dataset.from_tensor_slices((np.arange(3), np.arange(3) * 2))
dict((int(a), int(b)) for a, b in ds), len(list(ds)), [a + b for a, b in ds.as_numpy_iterator()]

tf.data.Dataset.range(2) == tf.data.Dataset.range(2), hash(tf.data.Dataset.range(2)) != 0

tf.data.Dataset(3)

import copy
len(copy.copy(tf.data.Dataset.range(3)))

it = iter(tf.data.Dataset.range(3))
list(it), list(it)

list(zip(tf.data.Dataset.range(3), tf.data.Dataset.range(3).as_numpy_iterator()))

int(sum(tf.data.Dataset.range(4))), int(max(tf.data.Dataset.range(4).as_numpy_iterator())), 2 in list(tf.data.Dataset.range(4).as_numpy_iterator())
