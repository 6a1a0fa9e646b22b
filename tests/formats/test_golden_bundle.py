"""Checkpoints that TensorFlow 2.21 wrote, kept for ever: read right, and written again bit for bit. No TensorFlow needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from milepost import train
from milepost.formats import table
from milepost.formats.objectgraph import GRAPH_KEY, ObjectGraph

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "bundle"


def test_modules_are_restored() -> None:
    """Odd names, strings, an alias, bfloat16, the counter."""
    w = np.zeros((2, 3), "f4")
    model = {"w": w, "layers": [np.float32(0), {}], "text": np.array(["", "", ""], object), "alias": w}
    live = train.Checkpoint(model=model, step=0)
    live.restore(GOLDEN / "module-1").assert_existing_objects_matched()
    assert w[1, 2] == 5
    assert model["layers"][0] == 1.5
    assert [x.decode() if isinstance(x, bytes) else x for x in model["text"]] == ["grüß", "", "x" * 200]
    assert live.step == 7
    assert int(live.save_counter) == 1


def test_every_tensor_is_whole() -> None:
    """Checksums of plain tensors, strings and parts hold."""
    for prefix in ("module-1", "sliced"):
        assert not [key for key, error in train.load_checkpoint(GOLDEN / prefix).verify() if error]
    np.testing.assert_array_equal(train.load_variable(GOLDEN / "sliced", "t"), np.arange(24.0).reshape(6, 4))


def test_tables_and_graphs_are_written_again_bit_for_bit() -> None:
    """Parse and build give TensorFlow's own bytes."""
    for prefix in ("module-1", "sliced"):
        raw = (GOLDEN / f"{prefix}.index").read_bytes()
        rows = table.parse(raw)
        assert table.build(rows.keys, rows.values) == raw
    graph = train.load_checkpoint(GOLDEN / "module-1").get_tensor(GRAPH_KEY).item()
    assert ObjectGraph.decode(graph).encode() == graph
