"""Converting checkpoints: every format into every other, bit for bit, and into files the formats' own libraries read."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import train
from milepost.errors import FormatError, MilepostError, UsageError
from milepost.train.convert import convert, format_of
from milepost.train.convert.tensor import dotted, undotted

ENDINGS = {"bundle": "", "safetensors": ".safetensors", "pt": ".pt", "h5": ".h5", "npz": ".npz"}


def state() -> dict[str, Any]:
    return {
        "net": {
            "layers": [{"weight": np.arange(6, dtype=np.float32).reshape(2, 3), "bias": np.ones(2, np.float16)}],
            "a.b": np.arange(3),
        },
        "step": 7,
        "flags": np.array([True, False]),
        "empty": np.zeros((0, 4), np.int16),
    }


def arrays(path: str) -> dict[str, np.ndarray[Any, Any]]:
    from milepost.storage import LocalStorage
    from milepost.train.convert import _FORMATS
    from milepost.train.convert.tensor import slashed

    tensors, _ = _FORMATS[format_of(path)].read(LocalStorage(), path)  # type: ignore[attr-defined]
    return {slashed(t.path): np.array(t.read()) for t in tensors}


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return train.Checkpoint(**state(), name="run", none=None).write(str(tmp_path / "ckpt"))


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(
        a[k].dtype == b[k].dtype and a[k].shape == b[k].shape and a[k].tobytes() == b[k].tobytes() for k in a
    )


@pytest.mark.parametrize("there", ["safetensors", "pt", "npz"])
@pytest.mark.parametrize("back", ["bundle", "safetensors", "pt", "npz", "h5"])
def test_any_format_into_any_other(checkpoint: str, tmp_path: Path, there: str, back: str) -> None:
    """Names, dtypes, shapes and bytes survive; text and None, which the others cannot hold, are named."""
    first, second = str(tmp_path / f"one{ENDINGS[there]}"), str(tmp_path / f"two{ENDINGS[back]}")
    done = convert(checkpoint, first)
    assert {item.name for item in done.left_out} == {"name", "none"}
    want = arrays(checkpoint)
    assert same(arrays(first), want)
    if back == "h5":
        convert(first, second, only=["net/layers/*", "flags"])
        assert arrays(second).keys() == {"net/layers/0/weight", "net/layers/0/bias", "flags"}
    else:
        convert(first, second)
        assert same(arrays(second), want)
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_a_converted_checkpoint_restores_like_any_other(checkpoint: str, tmp_path: Path) -> None:
    convert(checkpoint, tmp_path / "w.safetensors")
    convert(tmp_path / "w.safetensors", tmp_path / "again")
    live = train.Checkpoint(
        net={
            "layers": [{"weight": np.zeros((2, 3), np.float32), "bias": np.zeros(2, np.float16)}],
            "a.b": np.zeros(3, int),
        },
        step=0,
        flags=np.zeros(2, bool),
        empty=np.zeros((0, 4), np.int16),
    )
    live.read(str(tmp_path / "again")).assert_consumed()
    assert live.step == 7
    assert live.net["layers"][0]["weight"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_the_other_libraries_read_them(checkpoint: str, tmp_path: Path) -> None:
    import torch
    from safetensors.numpy import load_file

    convert(checkpoint, tmp_path / "w.safetensors", only=["net/*"], rename=[("net", "")])
    assert load_file(tmp_path / "w.safetensors")["layers.0.weight"].tolist() == [[0, 1, 2], [3, 4, 5]]
    convert(checkpoint, tmp_path / "w.pt")
    assert torch.load(tmp_path / "w.pt", weights_only=True)["net.layers.0.bias"].dtype == torch.float16
    convert(checkpoint, tmp_path / "w.npz")
    with np.load(tmp_path / "w.npz") as found:
        assert found["step"] == 7


def test_small_floats_go_where_there_is_a_place_for_them(tmp_path: Path) -> None:
    import torch

    net = {"w": torch.arange(4, dtype=torch.bfloat16), "e": torch.ones(2, dtype=torch.float8_e4m3fn)}
    path = train.Checkpoint(net=net).write(str(tmp_path / "ckpt"))
    convert(path, tmp_path / "w.safetensors")
    convert(tmp_path / "w.safetensors", tmp_path / "w.pt")
    convert(tmp_path / "w.pt", tmp_path / "again")
    live = {"w": torch.zeros(4, dtype=torch.bfloat16), "e": torch.zeros(2, dtype=torch.float8_e4m3fn)}
    train.Checkpoint(net=live).read(str(tmp_path / "again")).assert_consumed()
    assert torch.equal(live["w"], net["w"])
    for name in ("w.npz", "w.h5"):
        with pytest.raises(UsageError, match="bfloat16"):
            convert(tmp_path / "w.pt", tmp_path / name, only=["net/w"])
        assert not (tmp_path / name).exists()


def test_a_torch_training_file_with_plain_values(tmp_path: Path) -> None:
    import torch

    net = torch.nn.Linear(3, 2)
    torch.save({"model": net.state_dict(), "epoch": 4, "note": "x"}, tmp_path / "run.pt")
    done = convert(tmp_path / "run.pt", tmp_path / "ckpt")
    assert [item.name for item in done.left_out] == ["note"]
    live = torch.nn.Linear(3, 2)
    checkpoint = train.Checkpoint(model=live, epoch=0)
    checkpoint.read(str(tmp_path / "ckpt")).assert_consumed()
    assert torch.equal(live.weight, net.weight)
    assert checkpoint.epoch == 4


def test_a_hostile_torch_file_runs_nothing(tmp_path: Path) -> None:
    import pickle

    class Bomb:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "owned"),)

    (tmp_path / "bad.pt").write_bytes(pickle.dumps({"w": Bomb()}))
    with pytest.raises(FormatError, match="tensors alone"):
        convert(tmp_path / "bad.pt", tmp_path / "out.npz")
    assert not (tmp_path / "owned").exists()


def test_bad_archives_are_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"no zip")
    with pytest.raises(FormatError, match="archive"):
        convert(bad, tmp_path / "out.safetensors")
    np.savez(bad, a=np.array([{}], dtype=object))
    with pytest.raises(FormatError, match="pickle"):
        convert(bad, tmp_path / "out.safetensors")
    with zipfile.ZipFile(bad, "w") as archive:
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }".ljust(117) + "\n"
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    with pytest.raises(FormatError, match="larger than its entry"):
        convert(bad, tmp_path / "out.safetensors")
    (tmp_path / "bad.h5").write_bytes(b"no hdf5")
    with pytest.raises(FormatError, match="HDF5"):
        convert(tmp_path / "bad.h5", tmp_path / "out.safetensors")


def test_damage_is_noticed_on_the_way(checkpoint: str, tmp_path: Path) -> None:
    data = Path(f"{checkpoint}.data-00000-of-00001")
    changed = bytearray(data.read_bytes())
    entry = train.load_checkpoint(checkpoint).entry("net/layers/0/weight/.ATTRIBUTES/VARIABLE_VALUE")
    changed[entry.offset] ^= 1
    data.write_bytes(changed)
    with pytest.raises(MilepostError, match="net/layers/0/weight"):
        convert(checkpoint, tmp_path / "out.npz")
    assert not (tmp_path / "out.npz").exists()


def test_calls_that_make_no_sense(checkpoint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no tensor is left"):
        convert(checkpoint, tmp_path / "x.npz", only=["nothing"])
    with pytest.raises(UsageError, match="same file"):
        convert(checkpoint, checkpoint)
    with pytest.raises(UsageError, match="two tensors"):
        convert(checkpoint, tmp_path / "x.npz", rename=[("flags", "empty")])


def test_dotted_names() -> None:
    for path in (("a", "0", "b"), ("a.b", "c"), ("a/b", "c"), ("a",)):
        assert undotted(dotted(path)) == path


def test_progress_is_told(checkpoint: str, tmp_path: Path) -> None:
    told: list[tuple[str, int]] = []
    done = convert(checkpoint, tmp_path / "x.safetensors", on_tensor=lambda name, size: told.append((name, size)))
    assert sorted(name for name, _ in told) == sorted(done.names)
    assert sum(size for _, size in told) == done.bytes


def keras_models() -> list[Any]:
    import keras

    layers = keras.layers

    class Sub(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first = layers.Dense(4)
            self.blocks = [layers.Dense(4), layers.BatchNormalization(), layers.Dense(4)]
            self.rnn = layers.LSTM(3)

        def call(self, x: Any) -> Any:
            x = self.first(x)
            for block in self.blocks:
                x = block(x)
            return self.rnn(x[:, None, :])

    sub = Sub()
    sub(np.ones((1, 3), "float32"))
    x = keras.Input((3,))
    inner = keras.Sequential([keras.Input((3,)), layers.Dense(5), layers.Dense(3)])
    functional = keras.Model(x, layers.Dense(2)(keras.ops.relu(inner(layers.Dense(3)(x)))))
    sequential = keras.Sequential([keras.Input((3,)), layers.Dense(4), layers.Dropout(0.5), layers.Dense(2)])
    return [sub, functional, sequential]


def test_keras_loads_the_weights_of_a_checkpoint(tmp_path: Path) -> None:
    """For subclassed, functional and Sequential models, optimizer included, also when the keys lead through the optimizer."""
    x = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)
    for i, (model, other) in enumerate(zip(keras_models(), keras_models(), strict=True)):
        for m in (model, other):
            m.compile("adam", "mse")
        model.fit(x, model.predict(x, verbose=0) * 0, verbose=0)
        other.optimizer.build(other.trainable_variables)
        path = train.Checkpoint(model=model).write(str(tmp_path / f"ckpt{i}"))
        convert(path, tmp_path / f"m{i}.weights.h5")
        other.load_weights(tmp_path / f"m{i}.weights.h5")
        np.testing.assert_array_equal(model.predict(x, verbose=0), other.predict(x, verbose=0))
        for a, b in zip(model.optimizer.variables, other.optimizer.variables, strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
