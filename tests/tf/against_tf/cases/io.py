# Examples.

def _bytes_feature(value):
    if isinstance(value, type(tf.constant(0))):
        value = value.numpy()
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
str(_bytes_feature(b"test_string")), str(_bytes_feature("test_bytes".encode("utf-8")))

str(tf.train.Feature(float_list=tf.train.FloatList(value=[2.718281828])))

str(tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))), repr(tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])))

tf.train.Feature(float_list=tf.train.FloatList(value=[np.exp(1)])).SerializeToString()

e = tf.train.Example(features=tf.train.Features(feature={"feature0": tf.train.Feature(int64_list=tf.train.Int64List(value=[0])), "feature1": tf.train.Feature(int64_list=tf.train.Int64List(value=[4])), "feature2": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"goat"])), "feature3": tf.train.Feature(float_list=tf.train.FloatList(value=[0.9876]))}))
e.SerializeToString(deterministic=True)

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[0, -1, 2**40]))}))
str(e), repr(e), e.SerializeToString(), e.ByteSize()

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\x00\xff\"q'\n", "é".encode()]))}))
str(e), str(e.features.feature["a"].bytes_list)

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(float_list=tf.train.FloatList(value=[1, 0.1, 1e10, float("nan"), float("inf"), -2.5, 1e-7, 123456789.0]))}))
str(e), list(e.features.feature["a"].float_list.value)[:3]

e = tf.train.Example.FromString(tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))})).SerializeToString())
e.features.feature["a"].int64_list.value[0], e.features.feature["a"].WhichOneof("kind"), "b" in e.features.feature, list(e.features.feature)

e = tf.train.Example()
e.features.feature["label"].int64_list.value.append(3)
e.features.feature["image"].bytes_list.value.extend([b"x", b"y"])
e.features.feature["w"].float_list.value[:] = [1., 2.]
sorted(e.features.feature), e.features.feature["image"].bytes_list.value[1], len(e.features.feature["w"].float_list.value), e.SerializeToString(deterministic=True)

e = tf.train.Example()
e.ParseFromString(b"\n\x0f\n\r\n\x01a\x12\x08\x1a\x06\n\x04\x01\x02\x03\x04")
[int(v) for v in e.features.feature["a"].int64_list.value], str(e)

tf.train.Example.FromString(b"\n\xff\xff")

e = tf.train.Example()
e.ParseFromString(b"garbage")

tf.train.Example().SerializeToString(), str(tf.train.Example()), tf.train.Example() == tf.train.Example(), tf.train.Feature().WhichOneof("kind")

tf.train.Feature(int64_list=tf.train.Int64List(value=[])).WhichOneof("kind"), tf.train.Feature(int64_list=tf.train.Int64List()).SerializeToString()

tf.train.Int64List(value=[1.5])

tf.train.Int64List(value=["a"])

tf.train.BytesList(value=["text"])

tf.train.BytesList(value=[1])

tf.train.FloatList(value=["a"])

tf.train.Int64List(value=3)

tf.train.Int64List(value=[2**70])

tf.train.Feature(no_such=1)

tf.train.Feature(int64_list=tf.train.FloatList(value=[1]))

tf.train.Int64List(value=np.arange(3)).value == [0, 1, 2], tf.train.FloatList(value=np.arange(3.)).SerializeToString(), tf.train.BytesList(value=np.array([b"a", b"b"])).SerializeToString()

f = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
f.float_list.value.append(2.)
f.WhichOneof("kind"), f.HasField("int64_list"), f.HasField("float_list"), list(f.int64_list.value)

a, b = tf.train.Int64List(value=[1]), tf.train.Int64List(value=[2])
a.MergeFrom(b)
c = tf.train.Int64List()
c.CopyFrom(a)
list(a.value), c == a, c != b, list(c.value)

f = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
f.Clear()
g = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
g.ClearField("int64_list")
str(f), g.WhichOneof("kind"), tf.train.Example().IsInitialized()

[(d.name, list(v.feature)) for d, v in tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature()})).ListFields()]

e = [tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=v))})).SerializeToString() for v in ([1, 2], [], [3])]
tf.io.parse_example(e, {"a": tf.io.RaggedFeature(tf.int64), "b": tf.io.RaggedFeature(tf.string, row_splits_dtype=tf.int64)}), tf.io.parse_single_example(e[0], {"a": tf.io.RaggedFeature(tf.int64)})

s = tf.train.SequenceExample(context=tf.train.Features(feature={"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}), feature_lists=tf.train.FeatureLists(feature_list={"t": tf.train.FeatureList(feature=[tf.train.Feature(float_list=tf.train.FloatList(value=[1., 2.])), tf.train.Feature(float_list=tf.train.FloatList(value=[3., 4.]))])}))
s.SerializeToString(), str(s), [list(f.float_list.value) for f in s.feature_lists.feature_list["t"].feature]

s = tf.train.SequenceExample()
step = s.feature_lists.feature_list["t"].feature.add()
step.int64_list.value.append(5)
s.SerializeToString()

for k, v in tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))})).features.feature.items():
    kind = v.WhichOneof("kind")
    found = k, np.array(getattr(v, kind).value)
found

# Parsing.

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])), "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"]))})).SerializeToString()
tf.io.parse_single_example(e, {"a": tf.io.FixedLenFeature([2], tf.int64), "s": tf.io.FixedLenFeature([], tf.string, default_value=""), "f": tf.io.FixedLenFeature([], tf.float32, default_value=0.5)})

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})).SerializeToString()
tf.io.parse_single_example(e, {"a": tf.io.VarLenFeature(tf.int64), "b": tf.io.VarLenFeature(tf.string)})

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3, 4]))})).SerializeToString()
tf.io.parse_single_example(e, {"a": tf.io.FixedLenFeature([2, 2], tf.int64)})["a"], tf.io.parse_single_example(e, {"a": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True), "m": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True)})

tf.io.parse_single_example(tf.train.Example().SerializeToString(), {"a": tf.io.FixedLenFeature([2], tf.int64, default_value=[3, 4]), "b": tf.io.FixedLenFeature((1,), tf.string, default_value=b"z")})

tf.io.parse_single_example(tf.train.Example().SerializeToString(), {"a": tf.io.FixedLenFeature([1], tf.int64, [3]), "b": tf.io.VarLenFeature(tf.string), "c": tf.io.FixedLenFeature([1], tf.int64, [3])})

tf.io.parse_single_example(tf.train.Example().SerializeToString(), {"a": tf.io.FixedLenFeature([2], tf.int64)})

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})).SerializeToString()
tf.io.parse_single_example(e, {"a": tf.io.FixedLenFeature([2], tf.float32)})

e = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})).SerializeToString()
tf.io.parse_single_example(e, {"a": tf.io.FixedLenFeature([3], tf.int64)})

tf.io.parse_single_example(b"garbage!", {"a": tf.io.FixedLenFeature([3], tf.int64)})

tf.io.parse_single_example(b"", {})

tf.io.parse_single_example(b"", {"a": tf.io.FixedLenFeature([3], tf.int32)})

e = [tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=v)), "n": tf.train.Feature(float_list=tf.train.FloatList(value=[len(v)]))})).SerializeToString() for v in ([1, 2], [], [3])]
tf.io.parse_example(e, {"a": tf.io.VarLenFeature(tf.int64), "n": tf.io.FixedLenFeature([], tf.float32)})

e = [tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=v))})).SerializeToString() for v in ([1, 2], [], [3])]
tf.io.parse_example(tf.constant(e), {"a": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1)})

e = [tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=v))})).SerializeToString() for v in ([1, 2], [3])]
tf.io.parse_example(e, {"a": tf.io.FixedLenFeature([2], tf.int64)})

tf.io.parse_example([tf.train.Example().SerializeToString(), b"garbage!"], {"a": tf.io.VarLenFeature(tf.int64)})

e = [tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))})).SerializeToString()] * 2
tf.io.parse_example(e, {"a": tf.io.VarLenFeature(tf.string)})

e = tf.train.Example(features=tf.train.Features(feature={"ix": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 5])), "val": tf.train.Feature(float_list=tf.train.FloatList(value=[.5, -1.]))})).SerializeToString()
tf.io.parse_single_example(e, {"s": tf.io.SparseFeature(index_key="ix", value_key="val", dtype=tf.float32, size=8)}), tf.io.parse_example([e, e], {"s": tf.io.SparseFeature("ix", "val", tf.float32, 8)})

s = tf.train.SequenceExample(context=tf.train.Features(feature={"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}), feature_lists=tf.train.FeatureLists(feature_list={"t": tf.train.FeatureList(feature=[tf.train.Feature(float_list=tf.train.FloatList(value=[1., 2.])), tf.train.Feature(float_list=tf.train.FloatList(value=[3., 4.]))])})).SerializeToString()
tf.io.parse_single_sequence_example(s, {"n": tf.io.FixedLenFeature([], tf.int64)}, {"t": tf.io.FixedLenSequenceFeature([2], tf.float32)})

s = tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(feature_list={"t": tf.train.FeatureList(feature=[tf.train.Feature(float_list=tf.train.FloatList(value=[1., 2.])), tf.train.Feature(float_list=tf.train.FloatList(value=[3.]))])})).SerializeToString()
tf.io.parse_single_sequence_example(s, sequence_features={"t": tf.io.VarLenFeature(tf.float32)})

s = [tf.train.SequenceExample(context=tf.train.Features(feature={"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[k]))}), feature_lists=tf.train.FeatureLists(feature_list={"t": tf.train.FeatureList(feature=[tf.train.Feature(float_list=tf.train.FloatList(value=[1. * i])) for i in range(k)])})).SerializeToString() for k in (2, 1)]
tf.io.parse_sequence_example(s, {"n": tf.io.FixedLenFeature([], tf.int64)}, {"t": tf.io.FixedLenSequenceFeature([], tf.float32)})

s = [tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(feature_list={"t": tf.train.FeatureList(feature=[tf.train.Feature(int64_list=tf.train.Int64List(value=range(i + 1))) for i in range(k)])})).SerializeToString() for k in (2, 1)]
tf.io.parse_sequence_example(s, sequence_features={"t": tf.io.VarLenFeature(tf.int64)})

tf.io.parse_single_sequence_example(tf.train.SequenceExample().SerializeToString(), sequence_features={"t": tf.io.FixedLenSequenceFeature([], tf.float32)})

tf.io.FixedLenFeature([2], tf.int64), tf.io.VarLenFeature(tf.string), tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True), tf.io.FixedLenFeature([], tf.string, default_value="")

tf.io.parse_single_example(tf.io.decode_json_example('{"features": {"feature": {"a": {"int64_list": {"value": [1, 2]}}, "b": {"bytesList": {"value": ["aGk="]}}}}}'), {"a": tf.io.FixedLenFeature([2], tf.int64), "b": tf.io.FixedLenFeature([], tf.string)})

# Tensors as bytes.

[tf.io.serialize_tensor(t).numpy() for t in (tf.constant([[1, 2], [3, 4]]), tf.constant(2.5), tf.constant(["a", "bc"]), tf.constant([True, False]), tf.constant([1, 2], tf.int64), tf.zeros((0, 3)))]

[tf.io.serialize_tensor(t).numpy() for t in (tf.constant([1, 2], tf.uint8), tf.constant([1., 2.], tf.float16), tf.constant([1 + 2j]), tf.constant([-1], tf.int8), tf.constant(""), tf.constant([[b"\xff"]]))]

tf.io.parse_tensor(tf.io.serialize_tensor(tf.reshape(tf.range(6), (2, 3))), tf.int32), tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant([["a", "b"]])), tf.string)

tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant([1, 2])), tf.float32)

tf.io.parse_tensor(b"\x08\x63garbage", tf.float32)

tf.io.parse_tensor(b"\x08\x03\x12\x04\x12\x02\x08\x03:\x03\x01\x02\x03", tf.int32), tf.io.parse_tensor(b"\x08\x03\x12\x04\x12\x02\x08\x03:\x01\x05", tf.int32)

tf.io.parse_tensor(b"\x08\x03\x12\x04\x12\x02\x08\x03\"\x02\x01\x02", tf.int32)

tf.io.decode_raw(tf.constant(b"\x01\x00\x02\x00"), tf.int16), tf.io.decode_raw(tf.constant([b"\x01\x02", b"\x03\x04"]), tf.uint8), tf.io.decode_raw(b"\x01\x00", tf.int16, little_endian=False)

tf.io.decode_raw(tf.constant(b"\x01\x02\x03"), tf.int16)

tf.io.decode_raw(tf.constant([b"\x01", b"\x03\x04"]), tf.uint8)

tf.io.decode_raw(tf.constant([b"\x01", b"\x03\x04\x05\x06"]), tf.uint8, fixed_length=3)

tf.io.decode_raw(np.arange(3, dtype=np.float32).tobytes(), tf.float32), tf.io.decode_raw(np.array([True, False]).tobytes(), tf.bool)

tf.io.encode_base64(["hello", "\xff??"]), tf.io.encode_base64("ab", pad=True), tf.io.decode_base64(tf.io.encode_base64("hello")), tf.io.decode_base64("aGVsbG8=")

tf.io.decode_base64("***")

import zlib, gzip
tf.io.decode_compressed([zlib.compress(b"abc")], "ZLIB"), tf.io.decode_compressed(gzip.compress(b"abc"), "GZIP"), tf.io.decode_compressed("abc")

# Text tables.

tf.io.decode_csv(["1,2.5,a", "3,,b"], [[0], [1.5], [""]])

tf.io.decode_csv("1,\"a,b\",\"q\"\"q\"", [0, "", ""])

tf.io.decode_csv("1|2", [0, 0], field_delim="|"), tf.io.decode_csv("1,NA", [0, 7], na_value="NA"), tf.io.decode_csv("1,2,3", [0, 0], select_cols=[0, 2])

tf.io.decode_csv("1,2", [tf.constant([], tf.int64), tf.constant([1.])])

tf.io.decode_csv("1", [0, 0])

tf.io.decode_csv("1,2,3", [0, 0])

tf.io.decode_csv("a,2", [0, 0])

tf.io.decode_csv("1,\"a\"b", [0, ""])

tf.io.decode_csv("1,\"a\"", [0, ""], use_quote_delim=False)

tf.io.decode_csv(["1, 2", " 3,4"], [[0], [0]])

tf.io.decode_csv([["1,2"], ["3,4"]], [0, 0.])

# Files.

import os, tempfile
d = tempfile.mkdtemp()
tf.io.write_file(os.path.join(d, "a.txt"), "hello")
tf.io.read_file(os.path.join(d, "a.txt")), len(tf.io.matching_files(os.path.join(d, "*.txt")))

tf.io.read_file("/no/such/file")

tf.io.matching_files("/no/such/*")

import os, tempfile
g, d = tf.io.gfile, tempfile.mkdtemp()
p = g.join(d, "x", "y")
g.makedirs(p)
g.makedirs(p)
with g.GFile(g.join(p, "f.txt"), "w") as f:
    f.write("one\ntwo\n")
with g.GFile(g.join(p, "f.txt"), "a") as f:
    f.write("three")
with g.GFile(g.join(p, "f.txt")) as f:
    lines = f.readlines()
with g.GFile(g.join(p, "f.txt"), "rb") as f:
    raw = f.read(), f.size(), f.tell()
lines, raw, g.exists(p), g.isdir(p), g.isdir(g.join(p, "f.txt")), g.listdir(p), g.stat(g.join(p, "f.txt")).length

import tempfile
g, d = tf.io.gfile, tempfile.mkdtemp()
for n in ("a", "b"):
    g.GFile(g.join(d, n), "w").write(n)
g.copy(g.join(d, "a"), g.join(d, "c"))
g.rename(g.join(d, "b"), g.join(d, "e"))
g.mkdir(g.join(d, "sub"))
g.copy(g.join(d, "a"), g.join(d, "sub", "z"), overwrite=True)
walked = [(w[0][len(d):], sorted(w[1]), sorted(w[2])) for w in g.walk(d)]
globbed = [p[len(d):] for p in g.glob(g.join(d, "*"))]
g.remove(g.join(d, "a"))
g.rmtree(g.join(d, "sub"))
walked, sorted(globbed), sorted(g.listdir(d))

import tempfile
tf.io.gfile.copy("/no/such", tempfile.mkdtemp() + "/x")

import tempfile
d = tempfile.mkdtemp()
tf.io.gfile.GFile(d + "/a", "w").write("1")
tf.io.gfile.GFile(d + "/b", "w").write("1")
tf.io.gfile.copy(d + "/a", d + "/b")

import tempfile
d = tempfile.mkdtemp()
tf.io.gfile.GFile(d + "/a", "w").write("1")
tf.io.gfile.GFile(d + "/b", "w").write("1")
tf.io.gfile.rename(d + "/a", d + "/b")

tf.io.gfile.GFile("/no/such").read()

tf.io.gfile.GFile("/no/such", "q")

tf.io.gfile.remove("/no/such")

tf.io.gfile.rmtree("/no/such")

tf.io.gfile.listdir("/no/such")

tf.io.gfile.stat("/no/such")

import tempfile
tf.io.gfile.mkdir(tempfile.mkdtemp() + "/a/b")

import tempfile
d = tempfile.mkdtemp()
tf.io.gfile.mkdir(d)

list(tf.io.gfile.walk("/no/such")), tf.io.gfile.glob("/no/such/*"), tf.io.gfile.exists("/no/such")

import tempfile, os
d = tempfile.mkdtemp()
for n in ("b1.txt", "a2.txt", "c.dat"):
    open(os.path.join(d, n), "w").write(n)
sorted(os.path.basename(p) for p in tf.data.Dataset.list_files(d + "/*.txt").as_numpy_iterator()), [os.path.basename(p) for p in tf.data.Dataset.list_files([d + "/*.txt", d + "/*.dat"], shuffle=False).as_numpy_iterator()]

tf.data.Dataset.list_files("/no/such/*")

# Records.

import tempfile
p = tempfile.mkdtemp() + "/r"
with tf.io.TFRecordWriter(p) as w:
    for i in range(5):
        w.write(str(i))
ds = tf.data.TFRecordDataset(p)
open(p, "rb").read(), list(ds.as_numpy_iterator()), repr(ds), ds.cardinality(), isinstance(ds, tf.data.TFRecordDataset)

import tempfile
d = tempfile.mkdtemp()
for kind in ("GZIP", "ZLIB"):
    with tf.io.TFRecordWriter(d + "/" + kind, tf.io.TFRecordOptions(compression_type=kind)) as w:
        w.write(kind)
        w.flush()
[list(tf.data.TFRecordDataset(d + "/" + kind, compression_type=kind).as_numpy_iterator()) for kind in ("GZIP", "ZLIB")]

import tempfile
d = tempfile.mkdtemp()
for n in range(3):
    with tf.io.TFRecordWriter(f"{d}/{n}") as w:
        for i in range(n + 2):
            w.write(f"{n}{i}")
files = [f"{d}/{n}" for n in range(3)]
list(tf.data.TFRecordDataset(files).as_numpy_iterator()), list(tf.data.TFRecordDataset(files, num_parallel_reads=2).as_numpy_iterator()), list(tf.data.TFRecordDataset(tf.data.Dataset.from_tensor_slices(files)).as_numpy_iterator())

list(tf.data.TFRecordDataset("/no/such"))

tf.data.TFRecordDataset([1, 2])

import tempfile
p = tempfile.mkdtemp() + "/r"
tf.io.TFRecordWriter(p).write("hello")
data = bytearray(open(p, "rb").read())
data[-6] ^= 1
open(p, "wb").write(data)
list(tf.data.TFRecordDataset(p))

import tempfile
p = tempfile.mkdtemp() + "/r"
with tf.io.TFRecordWriter(p) as w:
    w.write("hello")
data = open(p, "rb").read()
open(p, "wb").write(data + data[:15])
list(tf.data.TFRecordDataset(p))

import tempfile
p = tempfile.mkdtemp() + "/r"
with tf.io.TFRecordWriter(p) as w:
    w.write("hello")
list(tf.data.TFRecordDataset(p, compression_type="GZIP"))

tf.io.TFRecordWriter("/no/such/dir/file")

tf.io.TFRecordOptions(compression_type="BZIP")

import tempfile
p = tempfile.mkdtemp() + "/t"
open(p, "wb").write(b"one\ntwo\r\n\nlast")
list(tf.data.TextLineDataset(p).as_numpy_iterator()), repr(tf.data.TextLineDataset(p)), list(tf.data.TextLineDataset([p, p]).skip(1).take(4).as_numpy_iterator())

import tempfile
d = tempfile.mkdtemp()
for n in range(3):
    open(f"{d}/{n}", "w").write("".join(f"{n}{i}\n" for i in range(3)))
list(tf.data.Dataset.from_tensor_slices([f"{d}/{n}" for n in range(3)]).interleave(tf.data.TextLineDataset, cycle_length=3).as_numpy_iterator())

import tempfile
d = tempfile.mkdtemp()
open(f"{d}/0", "w").write("head\n1\n2\n")
open(f"{d}/1", "w").write("head\n3\n")
list(tf.data.Dataset.from_tensor_slices([f"{d}/0", f"{d}/1"]).flat_map(lambda f: tf.data.TextLineDataset(f).skip(1)).filter(lambda l: tf.not_equal(l, "2")).as_numpy_iterator())

import tempfile, gzip
p = tempfile.mkdtemp() + "/t"
gzip.open(p, "wb").write(b"one\ntwo")
list(tf.data.TextLineDataset(p, compression_type="GZIP").as_numpy_iterator())

import tempfile
p = tempfile.mkdtemp() + "/t"
open(p, "wb").write(b"HHaabbccF")
list(tf.data.FixedLengthRecordDataset(p, 2, header_bytes=2, footer_bytes=1).as_numpy_iterator()), repr(tf.data.FixedLengthRecordDataset(p, 2))

import tempfile
p = tempfile.mkdtemp() + "/t"
open(p, "wb").write(b"aabbc")
list(tf.data.FixedLengthRecordDataset(p, 2))

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("x,y,z\n1,2.5,a\n3,4.5,\"b,c\"\n")
list(tf.data.experimental.CsvDataset(p, [tf.int32, tf.float32, tf.string], header=True).as_numpy_iterator()), tf.data.experimental.CsvDataset(p, [[0], tf.float32], header=True, select_cols=[0, 1]).element_spec

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("1,,3\n4,5,6\n")
list(tf.data.experimental.CsvDataset(p, [0, -1, 0]).as_numpy_iterator())

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("1,a\n")
list(tf.data.experimental.CsvDataset(p, [0, 0]))

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("survived,sex,age,fare\n0,male,22.0,7.25\n1,female,38,71.2833\n1,female,26.5,8\n0,male,,9\n")
ds = tf.data.experimental.make_csv_dataset(p, batch_size=2, label_name="survived", num_epochs=1, shuffle=False)
[(list(f), [f[k] for k in f], l) for f, l in ds], ds.element_spec

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("a,b,c\n0,male,22.0\n10000000000,female,38\n")
ds = tf.data.experimental.make_csv_dataset(p, batch_size=1, num_epochs=1, shuffle=False, select_columns=["a", "c"])
list(ds.as_numpy_iterator())

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("0,male\n1,female\n")
ds = tf.data.experimental.make_csv_dataset(p, batch_size=4, header=False, column_names=["n", "sex"], num_epochs=2, shuffle=False)
list(ds.as_numpy_iterator())

import tempfile
p = tempfile.mkdtemp() + "/t.csv"
open(p, "w").write("a,b\n0,male\n")
tf.data.experimental.make_csv_dataset(p, batch_size=1, label_name="c")

import tempfile
p = tempfile.mkdtemp() + "/ds"
ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]})
ds.save(p)
new = tf.data.Dataset.load(p)
[sorted(e.items()) for e in new.as_numpy_iterator()], sorted(new.element_spec.items()), len(new)

import tempfile
p = tempfile.mkdtemp() + "/ds"
tf.data.Dataset.range(6).save(p, shard_func=lambda x: x % 2)
sorted(tf.data.Dataset.load(p).as_numpy_iterator()), sorted(tf.data.Dataset.load(p, reader_func=lambda shards: shards.interleave(lambda x: x, cycle_length=2)).as_numpy_iterator())

tf.data.Dataset.load("/no/such")

import tempfile
p = tempfile.mkdtemp() + "/cache"
ds = tf.data.Dataset.range(5).map(lambda x: x * 2).cache(p)
list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator()), list(tf.data.Dataset.range(9).cache(p).as_numpy_iterator())

calls = []
ds = tf.data.Dataset.range(5).map(lambda x: tf.py_function(lambda v: calls.append(1) or v, [x], tf.int64)).cache()
list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator()), len(calls)

import tempfile
p = tempfile.mkdtemp() + "/snap"
ds = tf.data.Dataset.range(5).snapshot(p)
list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator()), repr(ds)

# The record tutorial, whole.

import tempfile
p = tempfile.mkdtemp() + "/test.tfrecord"
def serialize_example(f0, f1, f2):
    feature = {"f0": tf.train.Feature(int64_list=tf.train.Int64List(value=[f0])), "f1": tf.train.Feature(bytes_list=tf.train.BytesList(value=[f1.numpy() if hasattr(f1, "numpy") else f1])), "f2": tf.train.Feature(float_list=tf.train.FloatList(value=[f2]))}
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
def tf_serialize(f0, f1, f2):
    return tf.reshape(tf.py_function(serialize_example, (f0, f1, f2), tf.string), ())
ds = tf.data.Dataset.from_tensor_slices((np.arange(4), np.array([b"cat", b"dog", b"chicken", b"horse"]), np.arange(4) * .5)).map(tf_serialize)
with tf.io.TFRecordWriter(p) as w:
    for r in ds:
        w.write(r.numpy())
raw = tf.data.TFRecordDataset([p])
desc = {"f0": tf.io.FixedLenFeature([], tf.int64, default_value=0), "f1": tf.io.FixedLenFeature([], tf.string, default_value=""), "f2": tf.io.FixedLenFeature([], tf.float32, default_value=0.)}
parsed = raw.map(lambda e: tf.io.parse_single_example(e, desc))
[r for r in parsed], parsed.element_spec, [r for r in raw.batch(2).map(lambda e: tf.io.parse_example(e, desc))]
