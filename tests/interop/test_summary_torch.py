"""TensorBoard 2.21 shows from `milepost.SummaryWriter` exactly what it shows from torch's own SummaryWriter, given the same calls."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX
import torch
from PIL import Image
from torch.utils.tensorboard import SummaryWriter as TorchWriter

import milepost
from milepost.formats.plugins import HParamsPluginData


def calls(writer: Any) -> None:
    """Every method, with every kind of value it takes."""
    random = np.random.RandomState(0)
    normal = random.standard_normal(1000)
    for step in range(30):
        writer.add_scalar("loss/train", 1 / (step + 1), step)
    writer.add_scalar("no step", 1.5)
    for step, value in enumerate(
        [np.float32(0.1), np.float64(0.2), 3, True, np.array([4.0]), torch.tensor(5.5), torch.tensor([[6.5]])]
    ):
        writer.add_scalar("kinds", value, step, walltime=1000.0 + step)
    for step, value in enumerate([float("nan"), float("inf"), float("-inf"), -0.0, 1e-45, 1e300]):
        writer.add_scalar("odd", value, step)
    writer.add_scalar("new", 0.1, 1, new_style=True)
    writer.add_scalar("new double", 0.1, 1, new_style=True, double_precision=True)
    writer.add_scalar("float step", 1.0, 7.9)
    writer.add_scalar("损失/ё", 1.0, 2**40)
    writer.add_scalars("group/of", {"a": 1.0, "b": torch.tensor(2.0)}, 3)
    writer.add_scalars("group/of", {"a": 1.5, "b": 2.5}, 4)
    writer.add_histogram("hist/normal", normal, 1)
    writer.add_histogram("hist/torch", torch.arange(100.0, requires_grad=True).reshape(10, 10), 2)
    writer.add_histogram("hist/bf16", torch.arange(8).to(torch.bfloat16), 2)
    writer.add_histogram("hist/ints", np.arange(-5, 50), 3)
    writer.add_histogram("hist/auto", normal, 4, bins="auto")
    writer.add_histogram("hist/doane", normal, 4, bins="doane", max_bins=7)
    writer.add_histogram("hist/max_bins", normal, 5, max_bins=64)
    writer.add_histogram("hist/constant", np.full(7, 2.5), 6)
    writer.add_histogram("hist/zeros", np.zeros(7), 6)
    writer.add_histogram_raw("hist/raw", 0.0, 3.0, 3, 4.0, 6.0, [1.0, 2.0, 3.0], [1, 1, 1], 8)
    writer.add_image("img/chw", random.rand(3, 10, 12), 1)
    writer.add_image("img/hwc", random.randint(0, 255, (10, 12, 3)).astype(np.uint8), 2, dataformats="HWC")
    writer.add_image("img/grey", torch.rand(1, 9, 7, generator=torch.manual_seed(0)), 3)
    writer.add_image("img/hw", np.linspace(-1, 2, 30).reshape(5, 6), 4, dataformats="HW")
    writer.add_image("img/rgba", random.rand(4, 64, 48).astype(np.float32), 5)
    writer.add_images("imgs/nchw", random.rand(11, 3, 6, 5), 1)
    writer.add_images("imgs/grey", random.rand(2, 1, 6, 5), 2)
    writer.add_images("imgs/nhwc", random.randint(0, 255, (9, 6, 5, 3)).astype(np.uint8), 3, dataformats="NHWC")
    boxes = np.array([[2, 3, 20, 18], [5, 5, 28, 30]], np.float32)
    writer.add_image_with_boxes("boxes/plain", random.rand(3, 32, 32), boxes, 1)
    writer.add_image_with_boxes("boxes/labels", random.rand(3, 40, 60), boxes, 2, labels=["cat", "dog"])
    writer.add_image_with_boxes("boxes/scaled", random.rand(3, 32, 32), boxes, 3, rescale=2)
    writer.add_audio("audio/mono", np.sin(np.arange(500) * 0.1), 1, sample_rate=8000)
    writer.add_audio("audio/torch", torch.linspace(-1, 1, 100)[None], 2)
    writer.add_text("text", "hello **world** ✓", 1)
    labels, guesses = random.randint(0, 2, 100), random.rand(100)
    writer.add_pr_curve("pr/plain", labels, guesses, 1)
    writer.add_pr_curve(
        "pr/weighted", torch.from_numpy(labels), torch.from_numpy(guesses), 2, num_thresholds=20, weights=0.5
    )
    writer.add_pr_curve_raw("pr/raw", *[np.linspace(0, 1, 5) * k for k in range(1, 7)], 3, num_thresholds=5)
    vertices = np.arange(12.0).reshape(1, 4, 3)
    colors, faces = np.full((1, 4, 3), 9), np.array([[[0, 1, 2], [1, 2, 3]]])
    writer.add_mesh("mesh", vertices, colors, faces, {"camera": {"cls": "PerspectiveCamera"}}, 2)
    writer.add_custom_scalars({"c": {"both": ["Multiline", ["loss/.*", "odd"]], "band": ["Margin", ["a", "b", "c"]]}})
    for dtype in (torch.float32, torch.float64, torch.int64, torch.bool):
        writer.add_tensor(f"tensor/{dtype}", torch.arange(6).reshape(2, 3).to(dtype), 1)
    hparams = {"lr": 0.1, "layers": 2, "bn": True, "opt": "adam", "tensor": torch.tensor([3.0]), "none": None}
    writer.add_hparams(
        hparams,
        {"hparam/acc": 0.5, "hparam/loss": 1},
        {"opt": ["adam", "sgd"], "layers": [1, 2]},
        run_name="trial",
        global_step=5,
    )


def comparable(value: Any) -> Any:
    """Pictures by their pixels: two encoders compress differently."""
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, str) and value.startswith("b:iVBORw0KGgo"):
        picture = Image.open(io.BytesIO(base64.b64decode(value[2:])))
        return [picture.mode, np.asarray(picture).tolist()]
    return value


def described(series: dict[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in series.items() if key != "points"}
    if series["plugin"] == "hparams":  # the order inside a protobuf map means nothing
        told["content"] = HParamsPluginData.decode(base64.b64decode(series["content"][2:]))
    return told


def assert_same(got: dict[str, Any], want: dict[str, Any]) -> int:
    assert got["runs"] == want["runs"]
    seen = 0
    for run, tags in want["tags"].items():
        assert set(got["tags"][run]) == set(tags), run
        for tag, series in tags.items():
            mine = got["tags"][run][tag]
            assert described(mine) == described(series), (run, tag)
            assert comparable(mine["points"]) == comparable(series["points"]), (run, tag)
            seen += 1
    return seen


@pytest.fixture(scope="module")
def written(tmp_path_factory: Any) -> Path:
    """The same calls by torch's writer, by ours, and a restart with purge_step by both."""
    root: Path = tmp_path_factory.mktemp("torch")
    for name, kind in (("torch", TorchWriter), ("milepost", milepost.SummaryWriter)):
        writer = kind(str(root / name))
        calls(writer)
        writer.close()
        with kind(str(root / f"{name}-purged"), filename_suffix=".1") as first:
            for step in range(10):
                first.add_scalar("loss", step, step)
        with kind(str(root / f"{name}-purged"), purge_step=5, filename_suffix=".2") as second:
            for step in range(5, 12):
                second.add_scalar("loss", -step, step)
    return root


def test_tensorboard_sees_no_difference(written: Path, tensorboard_view: Any) -> None:
    """Runs, tags, plugins, metadata, steps and values are the same through both of TensorBoard's loaders, restarts included."""
    names = ("torch", "milepost", "torch-purged", "milepost-purged")
    seen = tensorboard_view(*(written / name for name in names))
    for loader in ("python", "server"):
        count = assert_same(seen[str(written / "milepost")][loader], seen[str(written / "torch")][loader])
        assert count >= 45
        assert (
            assert_same(seen[str(written / "milepost-purged")][loader], seen[str(written / "torch-purged")][loader])
            == 1
        )


def test_what_torch_refuses_we_refuse(tmp_path: Path) -> None:
    """Wrong calls raise in both."""
    wrong = [
        lambda w: w.add_scalar("x", np.zeros(2)),
        lambda w: w.add_scalar("x", "text"),
        lambda w: w.add_histogram("x", np.zeros(0)),
        lambda w: w.add_image("x", np.zeros((3, 4))),
        lambda w: w.add_image("x", np.zeros((3, 4, 4)), dataformats="CHH"),
        lambda w: w.add_audio("x", np.zeros((3, 4))),
        lambda w: w.add_histogram_raw("x", 0, 1, 1, 1, 1, [1.0, 2.0], [1]),
        lambda w: w.add_custom_scalars_marginchart(["a", "b"]),
        lambda w: w.add_embedding(np.zeros((2, 2)), metadata=["one"]),
        lambda w: w.add_embedding(np.zeros(2)),
        lambda w: w.add_hparams([1], {}),
        lambda w: w.add_hparams({"a": object()}, {}),
        lambda w: w.add_hparams({"a": 1}, {}, {"a": ["x"]}),
        lambda w: w.add_mesh("x", np.zeros((3, 3))),
    ]
    for kind in (TorchWriter, milepost.SummaryWriter):
        with kind(str(tmp_path / kind.__module__)) as writer:
            for number, call in enumerate(wrong):
                with pytest.raises(Exception) as caught:
                    call(writer)
                if kind is milepost.SummaryWriter:
                    assert isinstance(caught.value, milepost.errors.MilepostError), number


def test_projector_files_are_the_same(tmp_path: Path) -> None:
    """Tensors, labels and configuration of add_embedding say the same to TensorBoard's own parser."""
    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

    matrix = np.random.RandomState(0).rand(5, 3).astype(np.float32)
    thumbnails = torch.rand(5, 3, 4, 4, generator=torch.manual_seed(0))
    found = {}
    for kind in (TorchWriter, milepost.SummaryWriter):
        place = tmp_path / kind.__module__
        with kind(str(place)) as writer:
            writer.add_embedding(matrix, metadata=list("abcde"), label_img=thumbnails, global_step=3, tag="words/all")
            writer.add_embedding(torch.from_numpy(matrix), metadata=[["x", 1]] * 5, metadata_header=["name", "n"])
        config = text_format.Parse((place / "projector_config.pbtxt").read_text(), ProjectorConfig())
        entries = []
        for info in config.embeddings:
            del info.tensor_shape[:]  # we say it, torch leaves it to be counted
            table = [list(map(float, line.split("\t"))) for line in (place / info.tensor_path).read_text().splitlines()]
            sprite = np.asarray(Image.open(place / info.sprite.image_path)).tolist() if info.sprite.image_path else None
            entries.append(
                (str(info), np.array(table, np.float32).tolist(), (place / info.metadata_path).read_text(), sprite)
            )
        found[kind] = entries
    assert found[milepost.SummaryWriter] == found[TorchWriter]


def test_tensorboardx_calls_work(tmp_path: Path, tensorboard_view: Any) -> None:
    """tensorboardX's own argument names and descriptions give what tensorboardX gives."""
    for name, kind in (("x", tensorboardX.SummaryWriter), ("ours", milepost.SummaryWriter)):
        with kind(logdir=str(tmp_path / name), comment="unused", max_queue=5, flush_secs=1) as writer:
            writer.add_scalar("described", 1.0, 1, display_name="shown", summary_description="*why*")
            writer.add_histogram("h", np.arange(10.0), 1)
            writer.add_text("t", "text", 1)
            writer.add_images("list", [np.zeros((3, 4, 4)), np.ones((3, 4, 4))], 1, dataformats="CHW")
    seen = tensorboard_view(tmp_path / "x", tmp_path / "ours")
    for loader in ("python", "server"):
        assert assert_same(seen[str(tmp_path / "ours")][loader], seen[str(tmp_path / "x")][loader]) == 4


def test_signatures_are_torchs() -> None:
    """Every public method of torch's class is here with its parameters, in its order, with its defaults."""
    import inspect

    allowed = {("__init__", "flush_secs"): None}  # a second instead of two minutes
    for name, theirs in inspect.getmembers(TorchWriter, inspect.isfunction):
        if (name.startswith("_") and name != "__init__") or name == "add_onnx_graph":
            continue
        ours = list(inspect.signature(getattr(milepost.SummaryWriter, name)).parameters.values())
        for place, parameter in enumerate(inspect.signature(theirs).parameters.values()):
            assert ours[place].name == parameter.name, (name, parameter)
            assert ours[place].default == allowed.get((name, parameter.name), parameter.default), (name, parameter)
    for name, theirs in inspect.getmembers(tensorboardX.SummaryWriter, inspect.isfunction):
        if not name.startswith("add_") or name in ("add_onnx_graph", "add_openvino_graph"):
            continue
        ours_names = set(inspect.signature(getattr(milepost.SummaryWriter, name)).parameters)
        missing = set(inspect.signature(theirs).parameters) - ours_names - {"kwargs"}
        assert not missing, (name, missing)
