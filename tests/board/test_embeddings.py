"""The projector's routes: tables found wherever they lie, seen along their principal components, neighbours in all dimensions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import summary, train
from milepost.board.embeddings.space import components, nearest
from milepost.board.series.frame import unpack

Serve = Callable[..., Any]
CLOUD = np.random.default_rng(3).normal(size=(40, 6)).astype(np.float32) * np.array([9, 5, 3, 1, 0.5, 0.1], np.float32)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """A table with labels and thumbnails, and, without any event file, one in a checkpoint as TensorFlow's tutorial has it."""
    writer = summary.create_file_writer(str(tmp_path / "run"))
    with writer.as_default():
        labels = [[f"p{i}", i % 3] for i in range(40)]
        pictures = np.zeros((40, 1, 4, 5), np.float32)
        summary.embedding(CLOUD, labels, pictures, step=2, tag="cloud", metadata_header=["name", "class"])
    writer.close()
    folder = tmp_path / "words"
    folder.mkdir()
    train.Checkpoint(embedding=CLOUD).save(str(folder / "embedding.ckpt"))
    (folder / "metadata.tsv").write_text("".join(f"word{i}\n" for i in range(40)))
    (folder / "projector_config.pbtxt").write_text(
        'embeddings {\n  tensor_name: "embedding/.ATTRIBUTES/VARIABLE_VALUE"\n  metadata_path: "metadata.tsv"\n}\n'
    )
    return tmp_path


def table(client: Any, run: str, tag: str) -> tuple[dict[str, Any], Any]:
    answer = client.http.get("api/embedding", params={"run": run, "tag": tag})
    assert answer.status_code == 200, answer.text
    header, column = unpack(answer.content)
    return header, {name: column(ref) for name, ref in header["columns"].items()}


def test_tables_are_found_with_and_without_events(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    found = client.get("api/embeddings")["embeddings"]
    assert [(e["run"], e["tag"], e["shape"], e["labels"], e["sprite"]) for e in found] == [
        ("run", "cloud:00002", [40, 6], True, True),
        ("words", "embedding/.ATTRIBUTES/VARIABLE_VALUE", None, True, False),
    ]
    assert client.get("api/info")["embeddings"] == 2


@pytest.mark.parametrize(("run", "tag"), [("run", "cloud:00002"), ("words", "embedding/.ATTRIBUTES/VARIABLE_VALUE")])
def test_coordinates_keep_the_distances(logdir: Path, serve: Serve, run: str, tag: str) -> None:
    """All six components together are the table turned: every distance is as it was; the first holds most of the variance."""
    header, columns = table(serve(logdir), run, tag)
    assert (header["points"], header["dimensions"]) == (40, 6)
    turned = np.stack([columns[f"c{k}"] for k in range(6)], 1)
    before = np.linalg.norm(CLOUD[:, None] - CLOUD[None], axis=2)
    after = np.linalg.norm(turned[:, None] - turned[None], axis=2)
    np.testing.assert_allclose(after, before, atol=1e-3)
    assert header["share"] == sorted(header["share"], reverse=True)
    assert sum(header["share"]) == pytest.approx(1)
    assert columns["row"].tolist() == list(range(40))


def test_labels_and_thumbnails(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    header, _ = table(client, "run", "cloud:00002")
    assert (header["names"], header["labels"][7], header["sprite"]) == (
        ["name", "class"],
        ["p7", "1"],
        {"width": 5, "height": 4},
    )
    picture = client.http.get("api/embedding/sprite", params={"run": "run", "tag": "cloud:00002"})
    assert picture.headers["content-type"] == "image/png"
    header, _ = table(client, "words", "embedding/.ATTRIBUTES/VARIABLE_VALUE")
    assert (header["names"], header["labels"][39]) == (["label"], ["word39"]), "one column has no header"


def test_neighbours_are_those_of_the_whole_table(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    found = client.get("api/embedding/neighbours", run="run", tag="cloud:00002", row=5, count=3, metric="euclidean")
    away = np.linalg.norm(CLOUD - CLOUD[5], axis=1)
    assert found["rows"] == np.argsort(away)[1:4].tolist()
    assert found["distance"] == pytest.approx(np.sort(away)[1:4].tolist(), rel=1e-4)
    assert client.error("api/embedding/neighbours?run=run&tag=cloud:00002&row=40", status=400)["where"] == "row"
    assert (
        client.error("api/embedding/neighbours?run=run&tag=cloud:00002&row=1&metric=x", status=400)["where"] == "metric"
    )


def test_nothing_outside_the_logdir_is_read(tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "secret.tsv").write_text("1\t2\n3\t4\n")
    logs = tmp_path / "logs"
    (logs / "a").mkdir(parents=True)
    (logs / "a" / "link.tsv").symlink_to(tmp_path / "secret.tsv")
    names = {"up": "../../secret.tsv", "absolute": str(tmp_path / "secret.tsv"), "link": "link.tsv"}
    (logs / "a" / "projector_config.pbtxt").write_text(
        "".join(f'embeddings {{ tensor_name: "{n}" tensor_path: "{p}" }}\n' for n, p in names.items())
    )
    client = serve(logs)
    for name in names:
        fault = client.error(f"api/embedding?run=a&tag={name}", status=415)
        assert "outside the log directory" in fault["message"]


@pytest.mark.parametrize(
    ("content", "said"), [("1\t2\n3\n", "as many in each"), ("a\tb\n", "rows of numbers"), ("", "empty"), ("1\t2\n3\t" + "9" * 100_000 + "x\n", "rows of numbers"), (None, "No such file")]
)  # fmt: skip
def test_a_table_that_cannot_be_read_says_why(tmp_path: Path, serve: Serve, content: str | None, said: str) -> None:
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { tensor_name: "t" tensor_path: "t.tsv" }')
    if content is not None:
        (tmp_path / "t.tsv").write_text(content)
    assert said in serve(tmp_path).error("api/embedding?run=.&tag=t", status=415)["message"]


def test_a_broken_configuration_is_named(tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "projector_config.pbtxt").write_text("embeddings {")
    (one,) = serve(tmp_path).get("api/embeddings")["embeddings"]
    assert "bracket" in one["error"]


def test_raw_tables(tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "t.bytes").write_bytes(CLOUD.tobytes())
    (tmp_path / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "t" tensor_path: "t.bytes" tensor_shape: 40 tensor_shape: 6 }'
    )
    assert table(serve(tmp_path), ".", "t")[0]["points"] == 40


@pytest.mark.parametrize("shape", [(30, 5), (5, 30), (1300, 1100)])
def test_components_are_those_of_the_decomposition(shape: tuple[int, int]) -> None:
    noise = np.random.default_rng(1)
    # a few strong directions in much noise, as embeddings have them
    x = noise.normal(size=(shape[0], 4)) * [40, 20, 10, 5] @ noise.normal(size=(4, shape[1])) + noise.normal(size=shape)
    made, share = components(x.astype(np.float32), 3)
    centred = x - x.mean(0)
    _, strength, _ = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(share, (strength**2 / (strength**2).sum())[:3], rtol=1e-2)
    np.testing.assert_allclose(np.linalg.norm(made, axis=0), strength[:3], rtol=1e-2)


def test_odd_points() -> None:
    """NaN and infinities count as nothing; all points in one place have no direction; one point has no neighbour."""
    made, _ = components(np.array([[1, np.nan], [2, np.inf], [3, 0]], np.float32), 3)
    assert np.isfinite(made).all()
    assert components(np.ones((5, 4), np.float32), 3)[1] == [0.0, 0.0, 0.0]
    assert len(nearest(np.ones((1, 2), np.float32), 0, 5, "cosine")[0]) == 0
