"""Every form a TensorFlow 2.21 checkpoint takes, both ways: all dtypes, parts, shards, names alone, odd names, shared and
replaced files; and random object graphs, whose files must be TensorFlow's bit for bit. Two peer processes in all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milepost import train
from milepost._native.crc32c import crc32c
from milepost.formats import dtypes
from milepost.formats.bundle import BundleWriter, shard_name
from milepost.train import Checkpoint, CheckpointManager, CheckpointOptions

pytestmark = pytest.mark.peers

NAMES = [
    "float32", "float64", "int32", "uint8", "int16", "int8", "complex64", "int64", "bool", "bfloat16", "uint16",
    "complex128", "float16", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn",
]  # fmt: skip


def numpy_dtype(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name) if name.startswith(("bfloat", "float8")) else name)


def sample(name: str) -> np.ndarray[Any, Any]:
    return (np.arange(6) % 2 if name == "bool" else np.arange(6)).reshape(2, 3).astype(numpy_dtype(name))


FORMS = r"""
import json, sys
import numpy as np, tensorflow as tf
where, names = sys.argv[1], sys.argv[2].split(",")
out = {}
def sample(name):
    return (np.arange(6).reshape(2, 3) % (2 if name == "bool" else 9)).astype(tf.as_dtype(name).as_numpy_dtype)

# ours, read by TensorFlow
variables = {n: tf.Variable(np.zeros((2, 3), tf.as_dtype(n).as_numpy_dtype))
             for n in names if not n.startswith("float8")}
tf.train.Checkpoint(v=variables).read(where + "/ours/dtypes").assert_existing_objects_matched()
out["dtypes"] = {n: bool((v.numpy() == sample(n)).all()) for n, v in variables.items()}
reader = tf.train.load_checkpoint(where + "/ours/dtypes")
for n in names:
    out["dtypes"][n] = reader.get_tensor("v/" + n + "/.ATTRIBUTES/VARIABLE_VALUE").tobytes() == sample(n).tobytes()
class Module(tf.Module):
    def __init__(self):
        self.w = tf.Variable(np.zeros((2, 3), "f4")); self.layers = [tf.Variable(0.0), {"a/b.c": tf.Variable(0.0)}]
        self.text = tf.Variable("", dtype=tf.string)
m = Module()
tf.train.Checkpoint(model=m).restore(where + "/ours/module-1").assert_consumed()
out["module"] = [m.w.numpy().tolist(), float(m.layers[0]), float(m.layers[1]["a/b.c"]), m.text.numpy().decode()]
m = Module()
tf.train.Checkpoint(m).restore(where + "/ours/root-1").assert_consumed()
out["root"] = float(m.layers[1]["a/b.c"])
big, head = tf.Variable(np.zeros(50000)), tf.Variable(np.zeros(10))
tf.train.Checkpoint(frozen=big, head=head).restore(tf.train.latest_checkpoint(where + "/ours/increments")).assert_consumed()
out["incremental"] = [float(big[7]), float(head[0])]
x = tf.Variable(np.zeros(3))
tf.train.Checkpoint(x=x).read(where + "/ours/replaced").assert_consumed()
out["replaced"] = x.numpy().tolist()
out["sliced"] = tf.train.load_variable(where + "/ours/sliced", "t").tolist()

# TensorFlow's, for us
from tensorflow.python.checkpoint.sharding import sharding_policies
tf.train.Checkpoint(v={n: tf.Variable(sample(n)) for n in names if not n.startswith("float8")}).write(where + "/tf/dtypes")
m.w.assign(np.arange(6).reshape(2, 3)); m.layers[1]["a/b.c"].assign(4.5); m.text.assign("grüß")
tf.train.Checkpoint(model=m).save(where + "/tf/module")
tf.train.Checkpoint(m).save(where + "/tf/root")
options = tf.train.CheckpointOptions(experimental_sharding_callback=sharding_policies.MaxShardSizePolicy(max_shard_size=3000))
tf.train.Checkpoint(a=tf.Variable(np.arange(1000.0)), b=tf.Variable(np.arange(10))).write(where + "/tf/shards", options=options)
whole = np.arange(24, dtype="f4").reshape(6, 4)
tf.raw_ops.SaveV2(prefix=where + "/tf/sliced", tensor_names=["t", "t", "t"],
                  shape_and_slices=["6 4 0,2:-", "6 4 2,4:0,1", "6 4 2,4:1,3"], tensors=[whole[:2], whole[2:, :1], whole[2:, 1:]])
g = tf.Graph()
with g.as_default(), tf.compat.v1.Session(graph=g) as session:
    with tf.compat.v1.variable_scope("dense"):
        k = tf.compat.v1.get_variable("kernel", initializer=np.arange(6, dtype="f4").reshape(2, 3)); b = tf.compat.v1.get_variable("bias", initializer=np.ones(3, "f4"))
    session.run(tf.compat.v1.global_variables_initializer())
    tf.compat.v1.train.Saver().save(session, where + "/tf/names", global_step=7, write_meta_graph=False)
count = 12000
tf.raw_ops.SaveV2(prefix=where + "/tf/many", tensor_names=["v/%d" % i for i in range(count)], shape_and_slices=[""] * count,
                  tensors=[tf.constant(i) for i in range(count)])
class State(tf.train.experimental.PythonState):
    def __init__(self): self.value = b"x\x00y"
    def serialize(self): return self.value
    def deserialize(self, value): self.value = value
tf.train.Checkpoint(s=State(), v=tf.Variable(1)).write(where + "/tf/python")
manager = tf.train.CheckpointManager(tf.train.Checkpoint(x=tf.Variable(2.0)), where + "/tf/managed", max_to_keep=2)
for _ in range(3): manager.save()
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def forms(peer: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """We have saved, TensorFlow has read ours and saved its own: the directory, and what it saw."""
    where = tmp_path_factory.mktemp("forms")
    ours = where / "ours"
    Checkpoint(v={name: sample(name) for name in NAMES}).write(ours / "dtypes")
    module = {
        "w": np.arange(6, dtype="f4").reshape(2, 3),
        "layers": [np.float32(1.5), {"a/b.c": np.float32(2.5)}],
        "text": "grüß",
    }
    Checkpoint(model=module).save(ours / "module")
    Checkpoint(module).save(ours / "root")
    frozen, head = np.full(50_000, 3.0), np.zeros(10)
    manager = CheckpointManager(
        Checkpoint(frozen=frozen, head=head), ours / "increments", max_to_keep=1, incremental=True
    )
    for i in range(3):
        head[:] = i
        manager.save()
    assert len(list((ours / "increments").glob("*.data-*"))) == 2
    x = np.zeros(3)
    for i in range(3):
        x[:] = i
        Checkpoint(x=x).write(ours / "replaced")
    assert not (ours / "replaced.data-00001-of-00002").exists() or not (ours / "replaced.data-00000-of-00001").exists()
    _write_sliced(ours / "sliced")
    return where, peer.json(FORMS, where, ",".join(NAMES))


WHOLE = np.arange(24, dtype="f4").reshape(6, 4)


def _write_sliced(prefix: Path) -> None:
    writer = BundleWriter()
    parts = [(((0, 2), (0, -1)), WHOLE[:2]), (((2, 4), (0, 1)), WHOLE[2:, :1]), (((2, 4), (1, 3)), WHOLE[2:, 1:])]
    shards: list[bytes] = []
    for part, values in parts:
        shards.append(values.tobytes())
        writer.add("t", dtypes.by_name("float32"), (6, 4), values.nbytes, part=part)
    writer.place([0, 1, 2], 3)
    for i, data in enumerate(shards):
        Path(shard_name(str(prefix), i, 3)).write_bytes(data)
    prefix.with_suffix(".index").write_bytes(writer.index([crc32c(data) for data in shards]))


def test_tensorflow_reads_every_dtype(forms: Any) -> None:
    """All of ours, bit for bit."""
    assert forms[1]["dtypes"] == dict.fromkeys(NAMES, True)


def test_tensorflow_reads_modules_and_roots(forms: Any) -> None:
    """Objects under odd names, strings, and a checkpoint whose root is the module."""
    assert forms[1]["module"] == [np.arange(6.0).reshape(2, 3).tolist(), 1.5, 2.5, "grüß"]
    assert forms[1]["root"] == 2.5


def test_tensorflow_reads_shared_replaced_and_sliced_files(forms: Any) -> None:
    """Hard-linked shards after the older checkpoint is gone; a replaced prefix; parts in three shards."""
    assert forms[1]["incremental"] == [3.0, 2.0]
    assert forms[1]["replaced"] == [2.0, 2.0, 2.0]
    assert forms[1]["sliced"] == WHOLE.tolist()


def test_we_read_every_dtype(forms: Any) -> None:
    """All of TensorFlow's, restored in place."""
    wanted = [name for name in NAMES if not name.startswith("float8")]
    live = {name: np.zeros((2, 3), numpy_dtype(name)) for name in wanted}
    Checkpoint(v=live).read(forms[0] / "tf" / "dtypes").assert_consumed()
    for name in wanted:
        assert live[name].tobytes() == sample(name).tobytes(), name


def test_we_read_modules_and_roots(forms: Any) -> None:
    """tf.Module, with and without a root, and a PythonState."""

    def blank() -> dict[str, Any]:
        return {"w": np.zeros((2, 3), "f4"), "layers": [np.float32(0), {"a/b.c": np.float32(0)}], "text": ""}

    model = blank()
    Checkpoint(model=model).restore(forms[0] / "tf" / "module-1").assert_consumed()
    assert model["layers"][1]["a/b.c"] == 4.5
    assert model["text"] == "grüß"
    root = blank()
    Checkpoint(root).restore(forms[0] / "tf" / "root-1").assert_consumed()
    assert root["w"][1, 2] == 5
    live = Checkpoint(s=b"", v=np.int32(0))
    live.read(forms[0] / "tf" / "python").assert_consumed()
    assert live.s == b"x\0y"


def test_we_read_shards_and_parts(forms: Any) -> None:
    """A tensor split over several files by TensorFlow's own policy, and one saved in parts."""
    tf = forms[0] / "tf"
    assert len(list(tf.glob("shards.data-*"))) > 2
    a, b = np.zeros(1000), np.zeros(10, "i8")
    Checkpoint(a=a, b=b).read(tf / "shards").assert_consumed()
    np.testing.assert_array_equal(a, np.arange(1000.0))
    np.testing.assert_array_equal(train.load_variable(tf / "sliced", "t"), WHOLE)


def test_we_read_names_alone(forms: Any) -> None:
    """A TensorFlow 1 checkpoint has no object graph: paths (or a mapping) say which variable is meant."""
    kernel, bias = np.zeros((2, 3), "f4"), np.zeros(3, "f4")
    Checkpoint(dense={"kernel": kernel, "bias": bias}).read(forms[0] / "tf" / "names-7").assert_consumed()
    assert kernel[1, 2] == 5
    kernel[:] = 0
    status = Checkpoint(net={"kernel": kernel, "bias": bias}).read(
        forms[0] / "tf" / "names-7", mapping={"dense/": "net/"}
    )
    status.assert_consumed()
    assert kernel[1, 2] == 5


def test_we_go_on_from_tensorflows_manager(forms: Any) -> None:
    """Its directory is ours to continue: numbers go on, retention includes what it wrote."""
    x = np.zeros((), "f4")
    manager = CheckpointManager(Checkpoint(x=x), forms[0] / "tf" / "managed", max_to_keep=2)
    assert manager.restore_or_initialize() == str(forms[0] / "tf" / "managed" / "ckpt-3")
    assert x == 2
    assert manager.save() == str(forms[0] / "tf" / "managed" / "ckpt-4")
    assert [p[-6:] for p in manager.checkpoints] == ["ckpt-3", "ckpt-4"]


def test_large_indexes(forms: Any) -> None:
    """An index of several blocks, 12 000 variables."""
    live = [np.zeros((), "i4") for _ in range(12_000)]
    Checkpoint(v=live).read(forms[0] / "tf" / "many").assert_consumed()
    assert [int(x) for x in live] == list(range(12_000))


# ------------------------------------------------------------------------------------------------------- random graphs

KINDS = ["float32", "float64", "int32", "int64", "uint8", "bool", "complex64", "float16", "string"]
keys = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
variables = st.fixed_dictionaries(
    {"var": st.sampled_from(KINDS), "shape": st.lists(st.integers(0, 4), max_size=3), "seed": st.integers(0, 255)}
)
shared = st.fixed_dictionaries({"shared": st.integers(0, 2)})
trees = st.recursive(
    st.one_of(variables, shared),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"list": st.lists(inner, max_size=4)}),
        st.fixed_dictionaries({"dict": st.dictionaries(keys, inner, max_size=4)}),
    ),
    max_leaves=12,
)
graphs = st.dictionaries(st.sampled_from(["alpha", "beta", "model", "zeta"]), trees, min_size=1, max_size=3)

BUILD = r"""
import numpy as np
def value(spec):
    count = int(np.prod(spec["shape"], dtype=int))
    numbers = (np.arange(count) * 7 + spec["seed"]) % 251
    if spec["var"] == "string":
        out = np.empty(count, object)
        out[:] = [b"s%d" % n * (1 + int(n) % 3) for n in numbers]
        return out.reshape(spec["shape"])
    return numbers.reshape(spec["shape"]).astype(spec["var"])
def build(spec, make):
    pool = {}
    def one(spec):
        if "list" in spec: return [one(s) for s in spec["list"]]
        if "dict" in spec: return {k: one(s) for k, s in spec["dict"].items()}
        if "shared" in spec:
            if spec["shared"] not in pool: pool[spec["shared"]] = make(np.full(3, spec["shared"], "f4"))
            return pool[spec["shared"]]
        return make(value(spec))
    return {name: one(spec[name]) for name in sorted(spec)}
"""

RANDOM = (
    BUILD
    + r"""
import json, sys, os
import tensorflow as tf
where = sys.argv[1]
failed = {}
for i, spec in enumerate(json.load(open(where + "/specs.json"))):
    def variable(a): return tf.Variable(a.astype(object) if a.dtype == object else a, dtype=tf.string if a.dtype == object else None)
    checkpoint = tf.train.Checkpoint(**build(spec, variable))
    checkpoint.save(where + "/tf/%d" % i)
    def blank(a): return tf.Variable(tf.fill(a.shape, "") if a.dtype == object else tf.zeros(a.shape, a.dtype), dtype=tf.string if a.dtype == object else None)
    other = tf.train.Checkpoint(**build(spec, blank))
    try:
        other.restore(where + "/ours/%d-1" % i).assert_consumed()
        other.save(where + "/again/%d" % i)
    except Exception as error:
        failed[i] = repr(error)[:500]
print(json.dumps(failed))
"""
)


def test_random_graphs_are_tensorflows_bytes(peer: Any, tmp_path: Path) -> None:
    """Random objects: the same index and data bytes as TensorFlow's; it restores ours, we restore its, nothing is left over."""
    specs: list[dict[str, Any]] = []

    @settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(graphs)
    def collect(spec: dict[str, Any]) -> None:
        specs.append(spec)

    collect()
    helper: dict[str, Any] = {}
    exec(BUILD, helper)  # the very same construction on both sides
    (tmp_path / "specs.json").write_text(json.dumps(specs))
    for i, spec in enumerate(specs):
        objects = helper["build"](spec, lambda a: a.copy())
        Checkpoint(**objects).save(tmp_path / "ours" / str(i), CheckpointOptions(tf_layout=True))
    assert peer.json(RANDOM, tmp_path) == {}
    for i, spec in enumerate(specs):
        for end in ("-1.index", "-1.data-00000-of-00001"):
            ours, theirs = (tmp_path / side / f"{i}{end}" for side in ("ours", "tf"))
            assert ours.read_bytes() == theirs.read_bytes(), spec
        live = Checkpoint(
            **helper["build"](spec, lambda a: np.full(a.shape, b"", object) if a.dtype == object else np.zeros_like(a))
        )
        live.restore(tmp_path / "tf" / f"{i}-1").assert_consumed()
        live.save(tmp_path / "back" / str(i), CheckpointOptions(tf_layout=True))
        want = train.load_checkpoint(tmp_path / "tf" / f"{i}-1")
        got = train.load_checkpoint(tmp_path / "back" / f"{i}-2")
        for key in want:
            if not key.startswith(("save_counter", "_CHECK")):
                np.testing.assert_array_equal(got.get(key), want.get(key), err_msg=str(spec))
