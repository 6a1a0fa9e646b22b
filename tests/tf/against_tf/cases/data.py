# Sources.

list(tf.data.Dataset.from_tensor_slices([1, 2, 3]).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1]))

[e.numpy() for e in tf.data.Dataset.from_tensors([1, 2, 3])]

it = iter(tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1]))
next(it).numpy(), it.get_next()

tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1]).reduce(0, lambda state, value: state + value).numpy()

tf.data.Dataset.from_tensor_slices(tf.random.uniform([4, 10])).element_spec

tf.data.Dataset.from_tensor_slices((tf.random.uniform([4]), tf.random.uniform([4, 100], maxval=100, dtype=tf.int32))).element_spec

repr(tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3., 4.]}))

list(tf.data.Dataset.from_tensor_slices({"b": [1, 2], "a": [3., 4.]}).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices({"b": ([1, 2], [5, 6]), "a": [3., 4.]}).as_numpy_iterator())

import collections
P = collections.namedtuple("P", "x y")
list(tf.data.Dataset.from_tensor_slices(P([1, 2], [3, 4])).map(lambda p: P(p.x + p.y, p.y)).as_numpy_iterator())

import collections
P = collections.namedtuple("P", "x y")
tf.data.Dataset.from_tensor_slices(P([1, 2], [3., 4.])).element_spec.y

list(tf.data.Dataset.from_tensor_slices(["a", "bc"]).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(np.array(["a", "bc"])))

list(tf.data.Dataset.from_tensor_slices(np.arange(6.).reshape(3, 2)).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(((1, 2), ("a", "b"))).as_numpy_iterator())

tf.data.Dataset.from_tensor_slices(3)

tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))

tf.data.Dataset.from_tensors(([1, 2], [1, 2, 3])).element_spec

list(tf.data.Dataset.from_tensors({"a": 1, "b": (2., "x")}).as_numpy_iterator())

str(tf.data.Dataset.range(3)), repr(tf.data.Dataset.range(3))

list(tf.data.Dataset.range(5).as_numpy_iterator())

list(tf.data.Dataset.range(2, 5).as_numpy_iterator())

list(tf.data.Dataset.range(1, 5, 2).as_numpy_iterator())

list(tf.data.Dataset.range(1, 5, -2).as_numpy_iterator())

list(tf.data.Dataset.range(5, 1, -2).as_numpy_iterator())

list(tf.data.Dataset.range(2, 5, output_type=tf.int32).as_numpy_iterator())

list(tf.data.Dataset.range(1, 5, 2, output_type=tf.float32).as_numpy_iterator())

tf.data.Dataset.range()

len(tf.data.Dataset.range(7)), bool(tf.data.Dataset.range(0)), tf.data.Dataset.range(0).cardinality()

len(tf.data.Dataset.range(7).repeat())

len(tf.data.Dataset.range(7).filter(lambda x: x > 2))

tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY, tf.data.experimental.AUTOTUNE

[tf.data.Dataset.range(7).filter(lambda x: x > 2).cardinality().numpy(), tf.data.Dataset.range(7).repeat().cardinality().numpy()]

(tf.data.Dataset.range(7).repeat().cardinality() == tf.data.INFINITE_CARDINALITY).numpy()

list(tf.data.Dataset.counter().take(3).as_numpy_iterator())

list(tf.data.Dataset.counter(2, 3, dtype=tf.int32).take(3).as_numpy_iterator())

tf.data.Dataset.counter().cardinality(), repr(tf.data.Dataset.counter())

list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator())

ds = tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(3)
[list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator())]

a = tf.data.Dataset.random(seed=4).take(4)
list(a.as_numpy_iterator()) == list(a.as_numpy_iterator()), a.element_spec, a.cardinality()

# Generators.

def count(stop):
    i = 0
    while i < stop:
        yield i
        i += 1
ds = tf.data.Dataset.from_generator(count, args=[25], output_types=tf.int32, output_shapes=())
[b.numpy() for b in ds.repeat().batch(10).take(4)], ds.element_spec, repr(ds)

def gen():
    for i in range(3):
        yield i, [1.] * i
ds = tf.data.Dataset.from_generator(gen, output_types=(tf.int32, tf.float32), output_shapes=((), (None,)))
list(ds.padded_batch(2).as_numpy_iterator()), ds.element_spec

def gen():
    yield {"a": 1, "b": "x"}
ds = tf.data.Dataset.from_generator(gen, output_signature={"a": tf.TensorSpec((), tf.int64), "b": tf.TensorSpec((), tf.string)})
list(ds.as_numpy_iterator()), ds.element_spec, ds.cardinality()

ds = tf.data.Dataset.from_generator(lambda: iter([np.ones((2, 2)), np.zeros((3, 2))]), output_signature=tf.TensorSpec((None, 2), tf.float32))
list(ds.as_numpy_iterator())

ds = tf.data.Dataset.from_generator(lambda: [1, 2, 3], output_types=tf.float32)
list(ds.as_numpy_iterator()), ds.element_spec

list(tf.data.Dataset.from_generator(lambda: ["a", "b"], output_types=tf.int32))

list(tf.data.Dataset.from_generator(lambda: [[1, 2]], output_signature=tf.TensorSpec((3,), tf.int32)))

list(tf.data.Dataset.from_generator(lambda: [(1, 2)], output_signature=(tf.TensorSpec((), tf.int32),)))

tf.data.Dataset.from_generator([1, 2], output_types=tf.int32)

tf.data.Dataset.from_generator(lambda: [1])

tf.data.Dataset.from_generator(lambda: [1], output_types=tf.int32, output_signature=tf.TensorSpec((), tf.int32))

def gen():
    yield 1
    raise ValueError("from the generator")
list(tf.data.Dataset.from_generator(gen, output_types=tf.int32))

# Maps.

list(tf.data.Dataset.range(1, 6).map(lambda x: x + 1).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4])).map(lambda x, y: (x + y, x * y, x)).as_numpy_iterator())

list(tf.data.Dataset.range(3).map(lambda x: {"v": x, "w": tf.cast(x, tf.float32) / 2}).as_numpy_iterator())

list(tf.data.Dataset.range(3).map(lambda x: (x, [1, 2])).as_numpy_iterator())

list(tf.data.Dataset.range(3).map(lambda x: [x, x]).as_numpy_iterator())

tf.data.Dataset.range(3).map(lambda x: [x, x]).element_spec

tf.data.Dataset.range(3).map(lambda x: (tf.fill([2], x), 3.0, "a")).element_spec

list(tf.data.Dataset.range(3).map(lambda x: (3.0, "a", np.float64(2), None, True)))

tf.data.Dataset.range(3).map(lambda x: (x, None)).element_spec

list(tf.data.Dataset.range(3).map(lambda x, y: x))

list(tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]}).map(lambda d: d["a"] * d["b"]).as_numpy_iterator())

tf.data.Dataset.range(5).map(lambda x: x, num_parallel_calls=2)

list(tf.data.Dataset.range(5).map(lambda x: x * x, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True).as_numpy_iterator())

sorted(tf.data.Dataset.range(5).map(lambda x: x * x, num_parallel_calls=3, deterministic=False).as_numpy_iterator())

list(tf.data.Dataset.range(5).map(lambda x: tf.py_function(lambda v: v.numpy() + 1, [x], tf.int64)).as_numpy_iterator())

list(tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(lambda v: np.float32(v) / 2, [x], tf.float32)).as_numpy_iterator())

ds = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(lambda v: np.float32(v) / 2, [x], tf.float32))
def fix(x):
    x.set_shape([])
    return x
ds.map(fix).element_spec

def f(x):
    if x > 2:
        return x
    else:
        return -x
list(tf.data.Dataset.range(5).map(f).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(["a b", "c d e"]).map(lambda s: tf.strings.length(s)).as_numpy_iterator())

list(tf.data.Dataset.range(3).map(lambda x: 1 // (x - 1)))

list(tf.data.Dataset.range(3).map(lambda x: undefined_name))

tf.data.Dataset.range(3).map(3)

list(tf.data.Dataset.range(3).map(tf.function(lambda x: x * 2)).as_numpy_iterator())

tf.data.Dataset.from_tensor_slices(np.zeros((4, 28, 28), np.uint8)).map(lambda i: tf.cast(i, tf.float32)[..., tf.newaxis] / 255.).batch(3)

# Filters, slices of the order.

list(tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0).as_numpy_iterator())

list(tf.data.Dataset.range(6).filter(lambda x: tf.math.equal(tf.math.mod(x, 2), 1)).as_numpy_iterator()), repr(tf.data.Dataset.range(6).filter(lambda x: x < 3))

list(tf.data.Dataset.range(6).filter(lambda x: x))

list(tf.data.Dataset.range(6).filter(lambda x: tf.fill([2], x > 1)))

list(tf.data.Dataset.range(6).take(3).as_numpy_iterator()), list(tf.data.Dataset.range(6).take(-1).as_numpy_iterator())

list(tf.data.Dataset.range(6).skip(4).as_numpy_iterator()), list(tf.data.Dataset.range(6).skip(-1)), list(tf.data.Dataset.range(6).skip(9))

repr(tf.data.Dataset.range(6).skip(4).take(2)), len(tf.data.Dataset.range(6).take(9)), len(tf.data.Dataset.range(6).repeat().take(9))

[list(tf.data.Dataset.range(10).shard(3, i).as_numpy_iterator()) for i in range(3)]

tf.data.Dataset.range(10).shard(3, 3)

tf.data.Dataset.range(10).shard(0, 0)

tf.data.Dataset.range(10).shard(3, -1)

len(tf.data.Dataset.range(10).shard(3, 0)), len(tf.data.Dataset.range(10).shard(3, 2)), repr(tf.data.Dataset.range(10).shard(3, 2))

list(tf.data.Dataset.range(10).take_while(lambda x: x < 5).as_numpy_iterator()), repr(tf.data.Dataset.range(10).take_while(lambda x: x < 5))

list(tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique().as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(["b", "a", "b"]).unique().as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices([[1, 2], [1, 2], [2, 1]]).unique().as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices([1, 1]).map(lambda x: (x, x)).unique().as_numpy_iterator())

list(tf.data.Dataset.range(3).enumerate(5).as_numpy_iterator()), tf.data.Dataset.range(3).enumerate().element_spec, repr(tf.data.Dataset.from_tensor_slices([1]).enumerate())

list(tf.data.Dataset.from_tensor_slices([(7, 8), (9, 10)]).enumerate().as_numpy_iterator())

[list(tf.data.Dataset.range(3).repeat(n).as_numpy_iterator()) for n in (0, 1, 2)], len(tf.data.Dataset.range(3).repeat(4)), repr(tf.data.Dataset.range(3).repeat())

list(tf.data.Dataset.range(3).concatenate(tf.data.Dataset.range(8, 10)).as_numpy_iterator()), repr(tf.data.Dataset.range(3).concatenate(tf.data.Dataset.range(8, 10)))

tf.data.Dataset.range(3).concatenate(tf.data.Dataset.from_tensor_slices([1.]))

tf.data.Dataset.range(3).concatenate(tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(3))))

tf.data.Dataset.from_tensors([1, 2]).concatenate(tf.data.Dataset.from_tensors([1, 2, 3])).element_spec

sorted(tf.data.Dataset.range(10).shuffle(4).as_numpy_iterator()), repr(tf.data.Dataset.range(10).shuffle(4))

a = tf.data.Dataset.range(20).shuffle(20, reshuffle_each_iteration=False)
list(a.as_numpy_iterator()) == list(a.as_numpy_iterator())

a = tf.data.Dataset.range(20).shuffle(20, seed=3)
list(a.as_numpy_iterator()) == list(a.as_numpy_iterator()), list(a.repeat(1).as_numpy_iterator()) == list(a.as_numpy_iterator())

a = tf.data.Dataset.range(20).shuffle(20, seed=3, reshuffle_each_iteration=True).repeat(2)
got = list(a.as_numpy_iterator())
got[:20] == got[20:], sorted(got[:20]) == list(range(20))

ds = tf.data.Dataset.range(50).shuffle(7, seed=3)
[list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator()), list(ds.repeat(3).as_numpy_iterator())]

ds = tf.data.Dataset.from_tensor_slices(np.arange(40)).shuffle(100, seed=11).batch(7)
[list(ds.as_numpy_iterator()), list(ds.repeat(2).as_numpy_iterator())]

tf.random.set_seed(5)
ds = tf.data.Dataset.range(30).map(lambda x: x * 2).shuffle(4)
[list(ds.as_numpy_iterator()), list(tf.data.Dataset.range(30).shuffle(30).as_numpy_iterator())]

tf.random.set_seed(7)
list(tf.data.Dataset.range(30).shuffle(12, seed=1, reshuffle_each_iteration=False).repeat(2).as_numpy_iterator())

ds = tf.data.Dataset.range(30).shuffle(12, seed=1)
list(tf.data.Dataset.zip(ds, ds).as_numpy_iterator())

ds = tf.data.Dataset.range(30).shuffle(12, seed=1).take(8).shuffle(8, seed=2).concatenate(tf.data.Dataset.range(5).shuffle(3, seed=4))
list(ds.as_numpy_iterator())

ds = tf.data.Dataset.range(4).flat_map(lambda x: tf.data.Dataset.range(6).shuffle(6, seed=2))
list(ds.as_numpy_iterator())

list(tf.data.Dataset.range(60).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=2).as_numpy_iterator())

tf.data.Dataset.range(20).shuffle(0)

list(tf.data.Dataset.range(20).shuffle(-5))

repr(tf.data.Dataset.range(3).prefetch(2)), list(tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE).as_numpy_iterator()), repr(tf.data.Dataset.range(3).cache())

list(tf.data.Dataset.range(3).prefetch(-5))

list(tf.data.Dataset.range(3).apply(lambda ds: ds.map(lambda x: x + 1)).as_numpy_iterator())

tf.data.Dataset.range(3).apply(lambda ds: 3)

# Batches.

list(tf.data.Dataset.range(8).batch(3).as_numpy_iterator()), list(tf.data.Dataset.range(8).batch(3, drop_remainder=True).as_numpy_iterator())

tf.data.Dataset.range(8).batch(3), tf.data.Dataset.range(8).batch(3, drop_remainder=True), tf.data.Dataset.range(8).batch(4)

tf.data.Dataset.range(8).batch(3, num_parallel_calls=2), len(tf.data.Dataset.range(8).batch(3)), len(tf.data.Dataset.range(8).batch(3, True))

tf.data.Dataset.range(8).batch(0)

list(tf.data.Dataset.range(8).batch(-1))

inc, dec = tf.data.Dataset.range(100), tf.data.Dataset.range(0, -100, -1)
[(a.numpy(), b.numpy()) for a, b in tf.data.Dataset.zip((inc, dec)).batch(4).take(4)]

list(tf.data.Dataset.from_tensor_slices(["a", "b", "c"]).batch(2).as_numpy_iterator())

list(tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x)).batch(2))

list(tf.data.Dataset.range(100).map(lambda x: tf.fill([tf.cast(x, tf.int32)], x)).take(8).padded_batch(4, padded_shapes=(None,)).as_numpy_iterator())

ds = tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
[list(ds.padded_batch(2).as_numpy_iterator()), list(ds.padded_batch(2, padded_shapes=5).as_numpy_iterator()), list(ds.padded_batch(2, padded_shapes=[5], padding_values=np.int64(-1)).as_numpy_iterator())]

ds = tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
ds.element_spec, ds.padded_batch(2), ds.padded_batch(2, padded_shapes=5, drop_remainder=True)

ds = tf.data.Dataset.range(1, 5).map(lambda x: (tf.fill([x], x), tf.fill([2], "s")))
list(ds.padded_batch(2, padded_shapes=([None], [3]), padding_values=(np.int64(-1), "pad")).as_numpy_iterator())

list(tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[2]))

tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padding_values=-1.5)

list(tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padding_values=-1).as_numpy_iterator())

ds = tf.data.Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6]]).unbatch()
list(ds.as_numpy_iterator()), repr(ds), ds.cardinality()

list(tf.data.Dataset.from_tensors(([[1, 2], [3, 4]], ["a", "b"])).unbatch().as_numpy_iterator())

list(tf.data.Dataset.range(3).unbatch())

list(tf.data.Dataset.range(6).batch(2).rebatch(3).as_numpy_iterator()), list(tf.data.Dataset.range(7).batch(2).rebatch(3, drop_remainder=True).as_numpy_iterator())

list(tf.data.Dataset.range(8).batch(4).rebatch([2, 1, 1]).as_numpy_iterator()), repr(tf.data.Dataset.range(8).batch(4).rebatch(2)), tf.data.Dataset.range(8).batch(4).rebatch([2, 1]).element_spec

list(tf.data.Dataset.range(7).batch(4).rebatch([2, 1, 1]).as_numpy_iterator())

tf.data.Dataset.range(8).batch(4).rebatch(2).cardinality(), tf.data.Dataset.range(8).batch(4).rebatch([2]).cardinality()

# Windows.

list(tf.data.Dataset.range(7).window(3).flat_map(lambda w: w.batch(3)).as_numpy_iterator())

[list(w.as_numpy_iterator()) for w in tf.data.Dataset.range(7).window(3, 1, 1)]

[list(w.as_numpy_iterator()) for w in tf.data.Dataset.range(7).window(3, 1, 1, drop_remainder=True)]

[list(w.as_numpy_iterator()) for w in tf.data.Dataset.range(7).window(3, 1, 2, True)]

[list(w.as_numpy_iterator()) for w in tf.data.Dataset.range(7).window(3, 1, 2)]

[list(w.as_numpy_iterator()) for w in tf.data.Dataset.range(10).window(2, 4, 1)]

[list(w.as_numpy_iterator()) for w in tf.data.Dataset.range(10).window(2, 5, 3)]

repr(tf.data.Dataset.range(7).window(3)), tf.data.Dataset.range(7).window(3).element_spec

repr(next(iter(tf.data.Dataset.range(7).window(3)))), next(iter(tf.data.Dataset.range(7).window(3))).cardinality()

len(tf.data.Dataset.range(7).window(3, 1, 2)), len(tf.data.Dataset.range(7).window(3, 1, 2, True)), len(tf.data.Dataset.range(7).window(3)), len(tf.data.Dataset.range(10).window(2, 4, 3, True))

tf.data.Dataset.range(7).window(0)

[[list(a.as_numpy_iterator()), list(b.as_numpy_iterator())] for a, b in tf.data.Dataset.from_tensor_slices(([1, 2, 3, 4], [5, 6, 7, 8])).window(2)]

[{k: list(v.as_numpy_iterator()) for k, v in w.items()} for w in tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [4, 5, 6]}).window(2)]

def sub_to_batch(sub):
    return sub.batch(5, drop_remainder=True)
[e.numpy() for e in tf.data.Dataset.range(100).window(5, shift=1).flat_map(sub_to_batch).take(3)]

def make_window(ds, window_size=5, shift=1, stride=1):
    windows = ds.window(window_size, shift=shift, stride=stride)
    return windows.flat_map(lambda sub: sub.batch(window_size, drop_remainder=True))
ds = make_window(tf.data.Dataset.range(100), window_size=10, shift=5, stride=3)
[e.numpy() for e in ds.take(4)], ds.element_spec

list(tf.data.Dataset.range(20).batch(10, drop_remainder=True).map(lambda b: (b[:-1], b[1:])).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices(([1, 2, 3, 4], [5, 6, 7, 8])).window(2).flat_map(lambda a, b: tf.data.Dataset.zip((a.batch(2), b.batch(2)))).as_numpy_iterator())

# Several.

a, b = tf.data.Dataset.range(1, 4), tf.data.Dataset.range(4, 7)
list(tf.data.Dataset.zip(a, b).as_numpy_iterator()), list(tf.data.Dataset.zip((a, b)).as_numpy_iterator()), list(tf.data.Dataset.zip(a).as_numpy_iterator())

a, b = tf.data.Dataset.range(1, 4), tf.data.Dataset.range(4, 17).batch(3)
list(tf.data.Dataset.zip({"x": a, "y": (b, a)}).as_numpy_iterator()), repr(tf.data.Dataset.zip(a, b)), len(tf.data.Dataset.zip(a, b))

tf.data.Dataset.zip([tf.data.Dataset.range(1), tf.data.Dataset.range(2)])

tf.data.Dataset.zip(tf.data.Dataset.range(1), 3)

tf.data.Dataset.zip()

list(tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x)).as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6]]).flat_map(tf.data.Dataset.from_tensor_slices).as_numpy_iterator()), repr(tf.data.Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6]]).flat_map(tf.data.Dataset.from_tensor_slices))

list(tf.data.Dataset.range(1, 6).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(6), cycle_length=2, block_length=4).as_numpy_iterator())

list(tf.data.Dataset.range(1, 6).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=3, block_length=2).as_numpy_iterator())

list(tf.data.Dataset.range(1, 9).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + x), cycle_length=4, block_length=3, num_parallel_calls=2, deterministic=True).as_numpy_iterator())

list(tf.data.Dataset.range(1, 9).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + x % 3), cycle_length=3, block_length=1).as_numpy_iterator())

repr(tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(x))), repr(tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(x), num_parallel_calls=2))

tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(x), cycle_length=0)

tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(x), cycle_length=2, block_length=0)

ds = [tf.data.Dataset.from_tensors(s).repeat() for s in ("foo", "bar", "baz")]
list(tf.data.Dataset.choose_from_datasets(ds, tf.data.Dataset.range(3).repeat(3)).as_numpy_iterator())

ds = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 20)]
[list(tf.data.Dataset.choose_from_datasets(ds, tf.data.Dataset.range(2).repeat(4), stop_on_empty_dataset=s).as_numpy_iterator()) for s in (True, False)]

repr(tf.data.Dataset.choose_from_datasets([tf.data.Dataset.range(2)] * 2, tf.data.Dataset.range(2)))

list(tf.data.Dataset.choose_from_datasets([tf.data.Dataset.range(2)] * 2, tf.data.Dataset.range(5)))

tf.data.Dataset.choose_from_datasets([tf.data.Dataset.range(2)] * 2, tf.data.Dataset.from_tensor_slices([1.]))

sorted(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)], weights=[.5, .5]).as_numpy_iterator())

list(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)], weights=[1., 0.]).as_numpy_iterator())

list(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)], weights=[1., 0.], stop_on_empty_dataset=True).as_numpy_iterator())

repr(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)], [.5, .5])), repr(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3)]))

tf.data.Dataset.sample_from_datasets([])

tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3)] * 2, weights=[.5])

got = list(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.from_tensors(0).repeat(), tf.data.Dataset.from_tensors(1).repeat()], weights=[.9, .1], seed=3).take(1000).as_numpy_iterator())
0.05 < np.mean(got) < 0.15

ds = [tf.data.Dataset.from_tensors(i).repeat() for i in range(3)]
a = tf.data.Dataset.sample_from_datasets(ds, [.5, .3, .2], seed=3).take(40)
list(a.as_numpy_iterator()), list(a.as_numpy_iterator()), list(tf.data.Dataset.sample_from_datasets(ds, seed=3).take(40).as_numpy_iterator())

tf.random.set_seed(9)
a = tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(5), tf.data.Dataset.range(10, 30)], [.7, .3], rerandomize_each_iteration=True)
list(a.as_numpy_iterator()), list(a.as_numpy_iterator())

w = tf.data.Dataset.from_tensors([.1, .9]).repeat()
list(tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(5), tf.data.Dataset.range(10, 30)], w, seed=2).as_numpy_iterator())

# Groups.

list(tf.data.Dataset.range(10).group_by_window(key_func=lambda x: x % 2, reduce_func=lambda key, ds: ds.batch(5), window_size=5).as_numpy_iterator())

list(tf.data.Dataset.range(11).group_by_window(key_func=lambda x: x % 3, reduce_func=lambda key, ds: ds.batch(2), window_size=4).as_numpy_iterator())

list(tf.data.Dataset.range(11).group_by_window(lambda x: x % 2, lambda key, ds: ds.map(lambda v: (key, v)), window_size_func=lambda k: k + 2).as_numpy_iterator())

repr(tf.data.Dataset.range(10).group_by_window(lambda x: x % 2, lambda key, ds: ds.batch(5), 5))

tf.data.Dataset.range(10).group_by_window(lambda x: x % 2, lambda key, ds: ds.batch(5))

tf.data.Dataset.range(10).group_by_window(lambda x: x % 2, lambda key, ds: ds.batch(5), 5, lambda k: k)

list(tf.data.Dataset.range(10).apply(tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, ds: ds.batch(5), 5)).as_numpy_iterator())

elements = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 17, 18, 19, 20], [21, 22]]
ds = tf.data.Dataset.from_generator(lambda: elements, tf.int64, output_shapes=[None])
ds = ds.bucket_by_sequence_length(element_length_func=lambda e: tf.shape(e)[0], bucket_boundaries=[3, 5], bucket_batch_sizes=[2, 2, 2])
list(ds.as_numpy_iterator()), repr(ds)

elements = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14], [21, 22]]
ds = tf.data.Dataset.from_generator(lambda: elements, tf.int64, output_shapes=[None])
list(ds.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 6], [2, 2, 2], pad_to_bucket_boundary=True, padding_values=np.int64(-1)).as_numpy_iterator())

elements = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14], [21, 22], [1]]
ds = tf.data.Dataset.from_generator(lambda: elements, tf.int64, output_shapes=[None])
list(ds.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 5], [2, 2, 2], drop_remainder=True).as_numpy_iterator())

tf.data.Dataset.range(3).bucket_by_sequence_length(lambda e: 1, [3, 5], [2, 2])

ds = tf.data.Dataset.range(10).scan(initial_state=tf.constant(0, dtype=tf.int64), scan_func=lambda s, i: (s + i, s + i))
list(ds.as_numpy_iterator()), repr(ds), len(ds)

ds = tf.data.Dataset.range(4).scan((tf.constant(0., tf.float32), 1), lambda s, i: ((s[0] + tf.cast(i, tf.float32), s[1] * 2), (s[1], i)))
list(ds.as_numpy_iterator()), ds.element_spec

list(tf.data.Dataset.range(4).scan(np.int64(0), lambda s, i: s))

tf.data.Dataset.range(5).reduce(np.int64(0), lambda x, _: x + 1).numpy(), tf.data.Dataset.range(5).reduce((0., np.int64(1)), lambda s, x: (s[0] + 1., s[1] * 2))

tf.data.Dataset.range(5).reduce({"a": np.int64(0)}, lambda s, x: {"a": s["a"] + x})

tf.data.Dataset.from_tensors(3).get_single_element()

tf.data.Dataset.range(3).get_single_element()

tf.data.Dataset.range(0).get_single_element()

tf.data.Dataset.from_tensor_slices(([1], ["x"])).batch(4).get_single_element()

list(tf.data.Dataset.from_tensor_slices([1., 2., 0., 4.]).map(lambda x: tf.debugging.check_numerics(1. / x, "error")).ignore_errors().as_numpy_iterator())

list(tf.data.Dataset.from_tensor_slices([1., 2., 0., 4.]).map(lambda x: tf.debugging.check_numerics(1. / x, "error")).apply(tf.data.experimental.ignore_errors()).as_numpy_iterator())

repr(tf.data.Dataset.range(3).ignore_errors()), tf.data.Dataset.range(3).ignore_errors().cardinality()

got = [c for c, _ in tf.data.Dataset.from_tensor_slices([0] * 900 + [1] * 100).repeat().rejection_resample(lambda x: x, target_dist=[.5, .5], seed=3).take(600).as_numpy_iterator()]
0.4 < np.mean(got) < 0.6

ds = tf.data.Dataset.from_tensor_slices([0] * 90 + [1] * 10).rejection_resample(lambda x: x, target_dist=[.5, .5], initial_dist=[.9, .1])
ds.element_spec

# Options.

o = tf.data.Options()
o.deterministic = False
o.threading.private_threadpool_size = 10
ds = tf.data.Dataset.range(3).with_options(o)
ds.options().deterministic, ds.options().threading.private_threadpool_size, repr(ds)

o = tf.data.Options()
o.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
tf.data.Dataset.range(3).with_options(o).options().experimental_distribute.auto_shard_policy.name

o = tf.data.Options()
o.no_such_option = 1

o = tf.data.Options()
o.deterministic = "yes"

o = tf.data.Options()
o.deterministic = True
tf.data.Dataset.range(3).with_options(o).map(lambda x: x).batch(2).options().deterministic

tf.data.Options().deterministic, tf.data.Options().autotune.enabled, tf.data.Options().experimental_optimization.apply_default_optimizations

a, b = tf.data.Options(), tf.data.Options()
a.deterministic = True
a == b, a != b, a == a.merge(b)

o = tf.data.Options()
o.autotune.enabled = True
o.autotune.cpu_budget = 2
o.experimental_optimization.map_parallelization = True
o.experimental_slack = True
len(tf.data.Dataset.range(4).with_options(o))

o = tf.data.ThreadingOptions()
o.max_intra_op_parallelism = 1
o.max_intra_op_parallelism

# Iterators.

it = iter(tf.data.Dataset.range(1))
it.get_next()
it.get_next()

it = iter(tf.data.Dataset.range(1))
next(it)
next(it)

it = iter(tf.data.Dataset.range(2))
a, b, c = it.get_next_as_optional(), it.get_next_as_optional(), it.get_next_as_optional()
a.has_value(), a.get_value(), b.get_value(), c.has_value()

it = iter(tf.data.Dataset.range(0))
it.get_next_as_optional().get_value()

it = iter(tf.data.Dataset.range(2))
o = tf.data.experimental.get_next_as_optional(it)
o.get_value(), repr(o.element_spec)

o = tf.experimental.Optional.from_value(tf.constant(3))
o.has_value(), o.get_value(), tf.experimental.Optional.empty(tf.TensorSpec((), tf.int32)).has_value()

it = iter(tf.data.Dataset.range(2))
it.element_spec, isinstance(it, tf.data.Iterator)

isinstance(tf.data.Dataset.range(2), tf.data.Dataset), isinstance(tf.data.Dataset.range(2).map(lambda x: x), tf.data.Dataset)

class Made(tf.data.Dataset):
    def _generator(num):
        for i in range(num):
            yield (i,)
    def __new__(cls, num=3):
        return tf.data.Dataset.from_generator(cls._generator, output_signature=tf.TensorSpec(shape=(1,), dtype=tf.int64), args=(num,))
list(tf.data.Dataset.range(2).interleave(lambda _: Made()).as_numpy_iterator())

it = tf.data.Dataset.range(3).as_numpy_iterator()
next(it), list(it), list(it)

it = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}).as_numpy_iterator()
repr(next(it))

[type(e).__name__ for e in tf.data.Dataset.from_tensor_slices([1, 2]).as_numpy_iterator()], [type(e).__name__ for e in tf.data.Dataset.from_tensor_slices(["a"]).as_numpy_iterator()]

# printed
for e in tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]):
    print(e)
for e in tf.data.Dataset.from_tensor_slices({"a": [1], "b": ["x"]}):
    print(e)

for i, (x, y) in enumerate(tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))):
    pass
i, x, y

@tf.function
def total(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        s += x
    return s
total(tf.data.Dataset.range(5))

tf.data.Dataset.range(3) + 1

tf.data.Dataset.range(3)[0]

tf.data.Dataset.range(3).no_such_method()

tf.data.DatasetSpec(tf.TensorSpec((), tf.int64)), tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))

tf.data.DatasetSpec(tf.TensorSpec((), tf.int64)) == tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3)), tf.data.DatasetSpec(tf.TensorSpec((), tf.int64)).element_spec

# Sparse.

st = tf.SparseTensor([[0, 0], [2, 3]], [1, 2], [3, 4])
tf.data.Dataset.from_tensor_slices(st).element_spec, [e for e in tf.data.Dataset.from_tensor_slices(st)]

st = tf.SparseTensor([[0, 0], [2, 3]], [1, 2], [3, 4])
[e for e in tf.data.Dataset.from_tensor_slices(st).batch(2)], tf.data.Dataset.from_tensors(st).element_spec

st = tf.SparseTensor([[0, 0], [2, 3]], [1, 2], [3, 4])
list(tf.data.Dataset.from_tensors(st).map(tf.sparse.to_dense).as_numpy_iterator())

st = tf.SparseTensor([[0, 0], [2, 3]], [1, 2], [3, 4])
[e for e in tf.data.Dataset.from_tensors((st, [1, 2, 3])).unbatch()]

list(tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x)).sparse_batch(2, [4]))

tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x)).sparse_batch(2, [4]).element_spec

# Ragged.

rt = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
ds = tf.data.Dataset.from_tensor_slices(rt)
ds.element_spec, list(ds), ds.batch(2).element_spec, list(ds.batch(2)), list(ds.map(lambda r: tf.reduce_sum(r)).as_numpy_iterator())

rt = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
list(tf.data.Dataset.from_tensors(rt).unbatch()), tf.data.Dataset.from_tensors(rt).element_spec, list(tf.data.Dataset.from_tensors((rt, [1, 2, 3])).unbatch())

ds = tf.data.Dataset.range(4).map(lambda x: tf.range(x)).ragged_batch(2)
repr(ds), list(ds)

ds = tf.data.Dataset.range(4).map(lambda x: tf.fill([x, 2], x)).ragged_batch(2)
repr(ds), list(ds)

ds = tf.data.Dataset.range(4).map(lambda x: (x, tf.fill([3], x))).ragged_batch(2, drop_remainder=True)
repr(ds), list(ds)

list(tf.data.Dataset.from_tensors(tf.ragged.constant([[[1], [2, 3]], [[4]]])).unbatch())

list(tf.data.Dataset.range(4).map(lambda x: tf.range(x)).apply(tf.data.experimental.dense_to_ragged_batch(batch_size=2)))

list(tf.data.Dataset.from_tensor_slices(["a b", "c"]).map(tf.strings.split).ragged_batch(2))

list(tf.data.Dataset.from_tensor_slices(["a b", "c"]).batch(2).map(tf.strings.split)), list(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([["a"], ["b", "c"]])).batch(2))

# The experimental names.

list(tf.data.Dataset.range(6).apply(tf.data.experimental.unbatch()) if False else tf.data.Dataset.range(6).batch(2).apply(tf.data.experimental.unbatch()).as_numpy_iterator())

list(tf.data.Dataset.range(6).filter(lambda x: x < 3).apply(tf.data.experimental.assert_cardinality(3)).as_numpy_iterator()), len(tf.data.Dataset.range(6).filter(lambda x: x < 3).apply(tf.data.experimental.assert_cardinality(3)))

list(tf.data.Dataset.range(6).filter(lambda x: x < 3).apply(tf.data.experimental.assert_cardinality(4)))

list(tf.data.Dataset.range(6).filter(lambda x: x < 3).apply(tf.data.experimental.assert_cardinality(2)))

list(tf.data.Dataset.range(3).apply(tf.data.experimental.enumerate_dataset(start=5)).as_numpy_iterator())

list(tf.data.Dataset.range(10).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 4)).as_numpy_iterator())

list(tf.data.Dataset.range(10).apply(tf.data.experimental.take_while(lambda x: x < 3)).as_numpy_iterator())

list(tf.data.Dataset.range(4).apply(tf.data.experimental.scan(np.int64(0), lambda s, i: (s + i, s))).as_numpy_iterator())

sorted(tf.data.Dataset.range(4).apply(tf.data.experimental.shuffle_and_repeat(4, count=2)).as_numpy_iterator())

list(tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/cpu:0")).as_numpy_iterator())

list(tf.data.Dataset.range(3).apply(tf.data.experimental.prefetch_to_device("/cpu:0")).as_numpy_iterator())

list(tf.data.Dataset.range(4).apply(tf.data.experimental.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2)).as_numpy_iterator())

tf.data.experimental.get_structure(tf.data.Dataset.range(3)), tf.data.experimental.cardinality(tf.data.Dataset.range(3))

list(tf.data.experimental.Counter(start=2).take(3).as_numpy_iterator())

list(tf.data.experimental.from_list([(1, "a"), (2, "b")]).as_numpy_iterator()), repr(tf.data.experimental.from_list([1, 2]))

r = tf.data.experimental.Reducer(init_func=lambda _: (0.0, 0.0), reduce_func=lambda s, v: (s[0] + tf.cast(v, tf.float32), s[1] + 1), finalize_func=lambda s, c: s / c)
list(tf.data.Dataset.range(10).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, r)).as_numpy_iterator())

list(tf.data.experimental.choose_from_datasets([tf.data.Dataset.range(2), tf.data.Dataset.range(5, 7)], tf.data.Dataset.from_tensor_slices(np.array([1, 0, 0]))).as_numpy_iterator())

tf.data.experimental.at(tf.data.Dataset.range(5), 3)

list(tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x)).apply(tf.data.experimental.dense_to_sparse_batch(2, [4])))

tf.data.experimental.AutoShardPolicy.DATA.name, tf.data.experimental.AutoShardPolicy.OFF.value, tf.data.experimental.INFINITE_CARDINALITY
