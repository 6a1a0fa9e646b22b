"""The pages beside the scalars: each shows what the log holds, at the step that was chosen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from page_logs import flat_graph, scoped_graph, write_graph

from milepost import summary

pytestmark = pytest.mark.browser

PIXEL = """i => { const c = document.createElement('canvas'); c.width = i.naturalWidth; c.height = i.naturalHeight;
  const p = c.getContext('2d'); p.drawImage(i, 0, 0); return [c.width, c.height, p.getImageData(0, 0, 1, 1).data[0]]; }"""


def test_images_by_step_at_actual_size_brighter(board: Any, open_page: Any) -> None:
    """A batch of four, every step, pixel for pixel; the slider changes the picture; size and brightness follow the controls."""
    page = open_page(board.at("images"))
    page.wait_for_function(
        "() => [...document.images].length === 4 && [...document.images].every(i => i.complete && i.naturalWidth)"
    )
    last = page.locator("img").first.evaluate(PIXEL)
    assert last[:2] == [16, 16]
    slider = page.get_by_label("Step of samples of seed-1")
    slider.fill("0")
    page.wait_for_function("() => location.hash.includes('step=0')")
    page.wait_for_function("() => [...document.images].every(i => i.complete && i.naturalWidth)")
    assert page.locator("img").first.evaluate(PIXEL)[2] != last[2]
    page.get_by_label("actual size").check()
    assert page.locator("img").first.bounding_box()["width"] == 16
    page.get_by_label("brightness").fill("2")
    page.wait_for_function("() => document.images[0].style.filter.includes('brightness(2)')")


def test_one_slider_moves_every_card(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """With "same step everywhere" a slider moves all cards; without, only its own."""
    import numpy as np

    for name in ("a", "b"):
        writer = summary.create_file_writer(str(tmp_path / name))
        with writer.as_default():
            for step in range(3):
                summary.image("x", np.full((1, 4, 4, 1), step / 2), step=step)
        writer.close()
    page = open_page(own_board(tmp_path).at("images"))
    page.wait_for_function("() => document.images.length === 2")
    page.get_by_label("Step of x of a").fill("0")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.step-slider output')].every(o => o.textContent === 'step 0')"
    )
    page.get_by_label("same step everywhere").uncheck()
    page.get_by_label("Step of x of b").fill("1")
    assert page.locator(".step-slider output").all_inner_texts() == ["step 2", "step 1"]


def test_audio_can_be_played(board: Any, open_page: Any) -> None:
    """The player knows the length of the sound it was given."""
    page = open_page(board.at("audio"))
    page.wait_for_function("() => document.querySelector('audio')?.duration > 0.2")
    assert "8000 Hz" in page.locator(".player").inner_text()
    page.get_by_label("Step of tone of seed-1").fill("1")
    page.wait_for_function("() => document.querySelector('.step-slider output').textContent === 'step 10'")


def test_markdown_is_shown_and_hostile_html_stays_text(board: Any, open_page: Any) -> None:
    """Bold is bold, a table is a table; scripts, handlers, frames and foreign pictures are text or nothing."""
    page = open_page(board.at("text"))
    card = page.get_by_label("hostile of seed-1", exact=True)
    card.get_by_role("heading", name="Notes of the run").wait_for()
    assert card.locator("strong").inner_text() == "bold"
    for bad in ("script", "img", "iframe", "form", "svg", "[onmouseover]", "[style]", "a[href^=javascript]"):
        assert card.locator(f".markdown {bad}").count() == 0, bad
    assert "<script>window.hacked = 1</script>" in card.inner_text()
    link = card.locator(".markdown a")
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    table = page.get_by_label("table of seed-1", exact=True)
    assert table.locator("td").count() == 4
    assert table.locator("td").nth(2).locator("strong").inner_text() == "c"


def test_histograms_offset_overlay_and_hover(board: Any, open_page: Any) -> None:
    """Ridges of all steps; the mode changes the drawing; hovering tells step, bucket and count."""
    page = open_page(board.at("histograms"))
    page.wait_for_function("() => document.querySelector('canvas.ridges')?.dataset.drawn === '5'")
    picture = "document.querySelector('canvas.ridges').toDataURL()"
    before = page.evaluate(picture)
    page.get_by_label("mode").select_option("overlay")
    page.wait_for_function(f"b => {picture} !== b", arg=before)
    box = page.locator("canvas.ridges").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".tip").wait_for()
    assert re.match(r"step \d+", page.locator(".tip strong").inner_text())
    assert "of 400" in page.locator(".tip-note").inner_text()


def test_distributions_show_the_percentiles(board: Any, open_page: Any) -> None:
    """Bands and median of the nine percentiles; in words too."""
    page = open_page(board.at("distributions"))
    page.wait_for_function("() => document.querySelector('.chart canvas')?.dataset.drawn === '5'")
    said = page.locator("canvas.over").get_attribute("aria-label")
    assert "6.68 – 93.32 %" in said
    assert "median: from" in said


def test_pr_curves(board: Any, open_page: Any) -> None:
    """Precision over recall, the threshold in the tooltip."""
    page = open_page(board.at("pr_curves"))
    page.wait_for_function("() => document.querySelector('.chart canvas')?.dataset.drawn === '1'")
    page.locator("canvas.over").hover(position={"x": 200, "y": 60})
    assert "threshold" in page.locator(".tip").inner_text()


def test_hparams_table_and_parallel_coordinates(board: Any, open_page: Any) -> None:
    """All runs with hparams; a range on an axis keeps the runs inside it, in the drawing and the table, and in the address."""
    page = open_page(board.at("hparams"))
    page.locator("table.data tbody tr").nth(2).wait_for()
    assert page.locator("table.data tbody tr").count() == 3
    name = page.locator(".axis-name", has_text="lr").first.bounding_box()
    x = name["x"] + name["width"] / 2
    top = page.locator(".parallel canvas").bounding_box()["y"]
    page.mouse.move(x, top + 44)
    page.mouse.down()
    page.mouse.move(x, top + 180, steps=3)
    page.mouse.up()
    page.wait_for_function("() => document.querySelectorAll('table.data tbody tr').length === 2")
    page.wait_for_function("() => location.hash.includes('hpb=')")
    assert "seed-1" not in page.locator("table.data tbody").inner_text()


def test_checkpoints_and_their_variables(board: Any, open_page: Any) -> None:
    """Each checkpoint with step and size; opened, its variables with shape and dtype."""
    page = open_page(board.at("checkpoints"))
    page.get_by_role("button", name="ckpt-3").click()
    side = page.get_by_label("Checkpoint seed-1/ckpt-3")
    side.locator("tbody tr").first.wait_for()
    text = side.inner_text()
    assert "64 × 32" in text
    assert "float32" in text
    assert page.locator("table.data").first.locator("tbody tr").count() == 3


def test_graph_scopes_open_close_and_are_found(board: Any, open_page: Any) -> None:
    """Scopes open and close; a search finds a node, opens what hides it, and shows its facts."""
    page = open_page(board.at("graphs"))
    page.wait_for_function("() => Number(document.querySelector('.graph-canvas canvas')?.dataset.drawn) >= 3")
    drawn = "Number(document.querySelector('.graph-canvas canvas').dataset.drawn)"
    page.get_by_label("Close all scopes").click()
    page.wait_for_function(f"() => {drawn} === 2")
    page.get_by_label("Open model").click()
    page.wait_for_function(f"() => {drawn} > 10")
    page.locator("#tag-filter").fill("block3/layer2/Relu")
    page.get_by_role("button", name="model/block3/layer2/Relu").click()
    page.locator("#tag-filter").fill("")
    facts = page.get_by_label("Node model/block3/layer2/Relu")
    facts.wait_for()
    assert "BiasAdd" in facts.inner_text()
    page.wait_for_function("() => location.hash.includes('gnode=')")


@pytest.mark.parametrize("shape", ["scoped", "flat"])
def test_graph_of_five_thousand_nodes_in_two_seconds(
    own_board: Any, open_page: Any, tmp_path: Path, shape: str
) -> None:
    """From the answer of the page to 5 000 nodes read, placed by the worker and drawn: under 2 s."""
    write_graph(tmp_path / "net", scoped_graph(5000) if shape == "scoped" else flat_graph(5000))
    board = own_board(tmp_path)
    took = []
    # the best of three: other tests share the machine
    while not took or (min(took) >= 2000 and len(took) < 3):
        page = open_page(board.at("graphs"))
        page.wait_for_function("() => Number(document.querySelector('.graph-canvas canvas')?.dataset.drawn) >= 2")
        took.append(page.evaluate("performance.now() - performance.getEntriesByType('navigation')[0].responseEnd"))
    # two seconds on a machine that does nothing else: as many times more as there is work for each core
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert min(took) < 2000 * busy, (took, busy)
    assert float(page.locator(".graph-canvas canvas").get_attribute("data-layout-ms")) < 2000


MLP = """
import sys
import numpy as np
from milepost import tf

class MLP(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.flatten = tf.keras.layers.Flatten()
        self.dense1 = tf.keras.layers.Dense(units=100, activation=tf.nn.relu)
        self.dense2 = tf.keras.layers.Dense(units=10)

    def call(self, inputs):
        return tf.nn.softmax(self.dense2(self.dense1(self.flatten(inputs))))

x, y = np.zeros((8, 28, 28, 1), "float32"), np.zeros(8, "int64")
model = MLP()

@tf.function
def predict(images):
    return model(images)

tf.summary.trace_on(graph=True)
predict(tf.constant(x))
with tf.summary.create_file_writer(sys.argv[1] + "/trace").as_default():
    tf.summary.trace_export(name="model_trace", step=0)

model = MLP()
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.fit(x, y, verbose=0, callbacks=[tf.keras.callbacks.TensorBoard(sys.argv[1] + "/callback", write_graph=True, profile_batch=0)])
"""


def test_a_subclassed_keras_model_shows_its_layers(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """Traced as a function or written by the callback: layers are boxes with their ops inside, shapes beside them; they open and close."""
    subprocess.run([sys.executable, "-c", MLP, tmp_path], check=True, capture_output=True)
    board = own_board(tmp_path)
    for graph, model, layers in (
        ("trace\x01model_trace", "mlp", ["flatten", "dense", "dense_1"]),
        ("callback/train\x01__run_graph__", "mlp_1", ["flatten_1", "dense_2", "dense_3"]),
    ):
        page = open_page(board.at("graphs", graph=graph))
        outline = page.locator(".graph-side > .outline")
        rows = page.locator(".outline-row")
        for layer in [model, *layers]:
            outline.get_by_role("button", name=layer, exact=True).wait_for()
        texts = rows.all_inner_texts()
        said = [" ".join(t.split()) for t in texts]
        assert any(t.startswith("kernel 784×100") for t in said)
        assert any(t.startswith("_softmax 8×10") for t in said)
        assert any(t.startswith("relu 8×100") for t in said)
        drawn_boxes = lambda page=page: int(page.locator(".graph-canvas canvas").get_attribute("data-drawn"))  # noqa: E731
        before = drawn_boxes()
        assert before >= 14
        page.get_by_role("button", name=f"Open {layers[1]}", exact=True).click()
        page.wait_for_function(
            "n => Number(document.querySelector('.graph-canvas canvas').dataset.drawn) < n", arg=before
        )
        assert rows.count() == len(texts) - 5, "kernel, bias and three ops are folded away"


def shown_of(mesh: Any) -> dict[str, Any]:
    """Of a mesh's canvas: how many pixels are drawn, how many of them red, and all of them as one number."""
    found: dict[str, Any] = mesh.evaluate(
        """c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0, red = 0, sum = 0;
        for (let i = 0; i < d.length; i += 4) if (d[i + 3]) { n++; sum = (sum * 31 + i + d[i]) % 1e9; if (d[i] > 60 && d[i + 1] < 20 && d[i + 2] < 20) red++; }
        return {n, red, sum}; }"""
    )
    return found


def test_meshes_turn_zoom_and_step(board: Any, open_page: Any) -> None:
    """Triangles in their logged colours and clouds of points; drag, keys and the slider change what is seen; the address keeps the camera."""
    page = open_page(board.at("meshes"))
    page.wait_for_function("() => document.querySelectorAll('canvas.mesh[data-drawn]').length === 2")
    box, cloud = page.locator("canvas.mesh").nth(0), page.locator("canvas.mesh").nth(1)
    assert box.get_attribute("data-drawn") == "12"
    assert "12 triangles · 8 vertices" in box.get_attribute("aria-label")
    assert cloud.get_attribute("data-drawn") == "500"
    first, dots = shown_of(box), shown_of(cloud)
    assert first["n"] > 2000
    assert first["red"] == first["n"]
    assert dots["n"] > 200
    assert dots["red"] == 0, "without colours of its own a mesh has its run's"

    def changed(before: dict[str, Any]) -> dict[str, Any]:
        for _ in range(50):
            if (now := shown_of(box))["sum"] != before["sum"]:
                return now
            page.wait_for_timeout(40)
        raise AssertionError("nothing changed")

    at = box.bounding_box()
    page.mouse.move(at["x"] + 60, at["y"] + 60)
    page.mouse.down()
    page.mouse.move(at["x"] + 140, at["y"] + 90, steps=3)
    page.mouse.up()
    turned = changed(first)
    page.wait_for_url("**cam=**")
    assert shown_of(cloud)["sum"] != dots["sum"], "one camera for all"
    box.focus()
    page.keyboard.press("+")
    near = changed(turned)
    assert near["n"] > turned["n"] * 1.2
    page.keyboard.press("0")
    again = changed(near)
    assert again == first
    page.get_by_label("Step of box of seed-1").fill("0")
    assert changed(again)["n"] != again["n"], "the box grows with the steps"
    page.get_by_role("button", name="mesh 1 of 2").click()
    page.get_by_role("button", name="mesh 2 of 2").wait_for()
    page.locator("[aria-label='box of seed-1']").get_by_label("Full screen").click()
    page.wait_for_selector(".mesh-full canvas[data-drawn='12']")


def test_the_projector_shows_points_labels_and_neighbours(board: Any, open_page: Any) -> None:
    """Points in the colours of their classes; the label under the pointer; a click lists what is near; labels are found; the address keeps it."""
    page = open_page(board.at("projector", eby="1"))
    page.wait_for_selector("canvas.space[data-drawn='60']")
    assert [t.split() for t in page.locator(".legend li").all_inner_texts()] == [
        [c, "20"] for c in ("left", "middle", "right")
    ]
    assert page.get_by_text("60 points · 8 dimensions").count() == 1
    canvas = page.locator("canvas.space.mesh")
    box = canvas.bounding_box()
    coloured = page.locator("canvas.space").first.evaluate(
        """c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
        for (let i = 0; i < d.length; i += 4) if (d[i + 3]) seen.add([d[i], d[i + 1], d[i + 2]].join()); return seen.size; }"""
    )
    assert coloured >= 3
    # the clouds lie on a line through the middle: somewhere on it is a point
    hit = None
    for dx in range(-250, 250, 6):
        page.mouse.move(box["x"] + box["width"] / 2 + dx, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.up()
        if page.locator(".node-facts").count():
            hit = page.locator(".node-facts h2").inner_text()
            break
        page.wait_for_timeout(20)
    assert hit, "no point was hit"
    page.wait_for_selector(".point-row")
    kind = hit.split(" · ")[1]
    near = [t.split("\n")[0] for t in page.locator(".point-row").all_inner_texts()]
    assert len(near) == 30
    assert all(t.endswith(kind) for t in near[:19]), "its own class is nearest"
    page.wait_for_url("**epoint=**")
    page.get_by_label("Close").click()
    page.get_by_label("Find points by label").fill("point 33")
    page.get_by_role("button", name="point 33 · middle").click()
    page.get_by_role("heading", name="point 33 · middle").wait_for()
    page.get_by_label("flat").check()
    page.get_by_label("thumbnails").check()
    page.wait_for_selector("canvas.space[data-drawn='60']")


def test_a_folder_with_nothing_but_an_embedding(own_board: Any, open_page: Any, tmp_path: Path) -> None:
    """No event file, no checkpoint: the projector is what opens."""
    folder = tmp_path / "imdb"
    folder.mkdir()
    (folder / "vectors.tsv").write_text("".join(f"{i}\t{i * i % 7}\t{i % 3}\n" for i in range(30)))
    (folder / "metadata.tsv").write_text("".join(f"word{i}\n" for i in range(30)))
    (folder / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "words" tensor_path: "vectors.tsv" metadata_path: "metadata.tsv" }'
    )
    page = open_page(own_board(tmp_path).at(""))
    page.wait_for_selector("canvas.space[data-drawn='30']")
    assert page.locator(".legend").count() == 0, "thirty names are no classes"
    page.get_by_label("Find points by label").fill("word29")
    page.get_by_role("button", name="word29").click()
    page.wait_for_function("() => document.querySelectorAll('.point-row').length === 29")
