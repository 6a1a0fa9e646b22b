"""A model's graph has its layers, its edges and its shapes, whatever engine made it."""

from __future__ import annotations

import pytest

from milepost import modelgraph
from milepost.errors import UsageError
from milepost.formats.graphdef import GraphDef


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def keras(torch):
    return pytest.importorskip("keras")


def by_name(graph):
    return {node.name: node for node in graph.nodes}


def consistent(graph):
    """Every edge comes from a node that stands earlier: the order is one in which it can be computed."""
    seen = set()
    for node in graph.nodes:
        assert set(node.inputs) <= seen, node
        assert node.name not in seen
        seen.add(node.name)
    return True


def small(torch, branching: bool):
    class Small(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(4, 8)
            self.b = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(8, 2))

        def forward(self, x):
            y = self.a(x)
            if branching and y.sum() > 0:
                y = y * 2
            return self.b(y * 3)

    return Small()


def test_torch_ops_are_scoped_by_module(torch):
    model = small(torch, branching=False)
    model.train()
    graph = modelgraph.graph(model, torch.zeros(1, 4))
    nodes = by_name(graph)
    assert (graph.kind, graph.how) == ("torch", "export")
    assert consistent(graph)
    assert nodes["a/linear"].op == "aten::linear"
    assert set(nodes["a/linear"].inputs) == {"input/x", "a/weight", "a/bias"}
    assert nodes["b/0/relu"].shapes == ((1, 8),)
    assert model.training, "looking at a model must not change its mode"


def test_a_torch_model_that_cannot_be_exported_is_watched(torch, capfd):
    """Control flow on data defeats torch.export; the module calls are recorded instead, without noise."""
    graph = modelgraph.graph(small(torch, branching=True), torch.zeros(1, 4))
    nodes = by_name(graph)
    assert graph.how == "calls"
    assert consistent(graph)
    assert nodes["model/a"].inputs == ("input",)
    assert nodes["model/b/0"].inputs == ("model/a",), "arithmetic between two layers keeps the edge"
    assert nodes["model/b/1"].attributes["parameters"] == "18"
    assert capfd.readouterr().err == ""


def test_a_torch_module_without_inputs_is_told_what_is_missing(torch):
    with pytest.raises(UsageError, match="Give them: graph"):
        modelgraph.graph(torch.nn.Linear(2, 2))


def test_a_functional_keras_model_with_a_model_inside(keras):
    inner_in = keras.Input((8,))
    inner = keras.Model(inner_in, keras.layers.Dense(4, name="hidden")(inner_in), name="inner")
    x = keras.Input((8,), name="x")
    left, right = inner(x), keras.layers.Dense(4, name="right")(x)
    graph = modelgraph.graph(keras.Model(x, keras.layers.Add(name="sum")([left, right])))
    nodes = by_name(graph)
    assert consistent(graph)
    assert nodes["inner/hidden"].inputs == ("x",)
    assert set(nodes["sum"].inputs) == {"inner/hidden", "right"}
    assert nodes["x"].op == "Placeholder"
    assert nodes["right"].shapes == ((None, 4),)
    assert '"class_name": "Functional"' in graph.keras_json


def test_a_sequential_keras_model(keras):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="one"), keras.layers.Dense(2, name="two")])
    assert by_name(modelgraph.graph(model))["two"].inputs == ("one",)


def test_a_subclassed_keras_model_shows_its_layers(keras):
    """What TensorBoard cannot show: the layers of a model written as a class, from one call on zeros."""

    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            self.flatten = keras.layers.Flatten(name="flat")
            self.one = keras.layers.Dense(5, activation="relu", name="one")
            self.two = keras.layers.Dense(2, name="two")

        def call(self, x):
            return keras.ops.softmax(self.two(self.one(self.flatten(x)) * 2))

    model = Net()
    with pytest.raises(UsageError, match="never called"):
        modelgraph.graph(model)
    call = keras.layers.Layer.__call__
    model(keras.ops.zeros((2, 3, 3)))
    graph = modelgraph.graph(model)
    nodes = {name.split("/")[-1]: node for name, node in by_name(graph).items()}
    assert consistent(graph)
    assert nodes["flat"].inputs == ("input",)
    assert nodes["two"].inputs == (nodes["one"].name,)
    assert nodes["one"].attributes == {"parameters": "50", "activation": "relu"}
    assert keras.layers.Layer.__call__ is call, "the watch is over"


def test_a_jax_function_with_a_call_inside():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy

    @jax.jit
    def inside(x):
        return jnp.sin(x) + 1

    def loss(w, x):
        return inside(x @ w).sum()

    graph = modelgraph.graph(jax.grad(loss), jnp.ones((3, 2)), jnp.ones((4, 3)))
    assert graph.kind == "jax"
    assert consistent(graph)
    ops = [node.op for node in graph.nodes]
    assert ops.count("dot_general") == 2
    assert "cos" in ops
    (cosine,) = [node for node in graph.nodes if node.op == "cos"]
    assert "inside" in cosine.name
    assert cosine.inputs, "the body's input is tied to the caller's value"


def test_a_recorded_function_has_its_backward_ops(torch):
    weights = torch.ones(3, 2, requires_grad=True)

    def step(x):
        loss = (x @ weights).square().sum()
        loss.backward()
        return loss

    result, graph = modelgraph.record(step, "step")(torch.ones(4, 3))
    assert float(result.detach()) == 72
    assert consistent(graph)
    assert [node.op for node in graph.nodes].count("aten::mm") == 2


def test_a_profilers_marks_are_no_part_of_the_graph(torch):
    def step(x):
        with torch.profiler.record_function("forward"):
            return x * 2

    _, graph = modelgraph.record(step, "step")(torch.ones(4))
    assert [node.op for node in graph.nodes if node.op != "Placeholder"] == ["aten::mul"]


def subclassed(keras):
    class MLP(keras.Model):
        def __init__(self):
            super().__init__(name="mlp")
            self.flatten = keras.layers.Flatten(name="flatten")
            self.hidden = keras.layers.Dense(100, activation="relu", name="hidden")
            self.logits = keras.layers.Dense(10, name="logits")

        def call(self, inputs):
            return keras.ops.softmax(self.logits(self.hidden(self.flatten(inputs))))

    return MLP()


def test_a_recorded_function_shows_its_layers(torch, keras):
    """Ops stand in the layers that compute them, weights too; making the weights, on the first call, is not in the graph."""
    model, x = subclassed(keras), torch.zeros(2, 4, 4, 1)
    _, first = modelgraph.record(model, "predict")(x)
    _, second = modelgraph.record(model, "predict")(x)
    for graph in (first, second):
        nodes = by_name(graph)
        assert consistent(graph)
        assert {n.rsplit("/", 1)[0] for n in nodes} == {"predict", "predict/mlp", "predict/mlp/flatten", "predict/mlp/hidden", "predict/mlp/logits"}  # fmt: skip
        assert nodes["predict/mlp/hidden/kernel"].shapes == ((16, 100),)
        assert {nodes[f"predict/mlp/{layer}/bias"].op for layer in ("hidden", "logits")} == {"Parameter"}
        assert any(n.startswith("predict/mlp/_softmax") for n in nodes)
        assert not any("rand" in n or "empty" in n or "detach" in n for n in nodes)


def test_backward_and_optimizer_have_scopes_of_their_own(torch, keras):
    model, x = subclassed(keras), torch.zeros(2, 4, 4, 1)
    model(x)
    optimizer = keras.optimizers.Adam(name="adam")

    def step():
        loss = model(x).square().sum()
        gradients = torch.autograd.grad(loss, [v.value for v in model.trainable_variables])
        with torch.no_grad():
            optimizer.apply(list(gradients), model.trainable_variables)

    _, graph = modelgraph.record(step, "train_step")()
    assert consistent(graph)
    nodes = by_name(graph)
    scopes = {n.split("/")[1] for n in nodes if n.count("/") > 1}
    assert scopes == {"mlp", "gradient_tape", "adam"}
    assert not any(n.startswith("train_step/adam/") and node.op == "aten::zeros" and not any(n in m.inputs for m in graph.nodes) for n, node in nodes.items())  # fmt: skip


def test_weights_of_a_layer_that_is_never_called(torch, keras):
    """A recurrent layer computes with its cell's weights: they stand in its scope, under the cell's name."""
    model = keras.Sequential([keras.layers.LSTM(3, name="lstm")], name="rnn")
    _, graph = modelgraph.record(model, "f")(torch.zeros(2, 4, 5))
    assert consistent(graph)
    parameters = {n.name for n in graph.nodes if n.op == "Parameter"}
    assert parameters == {f"f/rnn/lstm/lstm_cell/{w}" for w in ("kernel", "recurrent_kernel", "bias")}


def test_the_ops_of_a_subclassed_keras_model(torch, keras):
    """One forward call, on zeros of the shape it was built with; nothing is changed by looking."""
    model = subclassed(keras)
    model(torch.ones(2, 4, 4, 1))
    before = [v.numpy().copy() for v in model.weights]
    graph = modelgraph.ops(model)
    assert consistent(graph)
    assert {"Placeholder", "mlp/hidden/kernel", "mlp/logits/bias"} <= set(by_name(graph))
    assert all((a == v.numpy()).all() for a, v in zip(before, model.weights, strict=True))
    assert modelgraph.ops(torch.nn.Linear(2, 2), torch.zeros(1, 2)) is None


def test_a_recorded_torch_module_shows_its_modules(torch):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    _, graph = modelgraph.record(model, "f")(torch.zeros(1, 3))
    names = set(by_name(graph))
    assert {"f/sequential/linear/weight", "f/sequential/linear_1/weight", "f/sequential/relu/relu"} <= names


def test_the_bytes_are_a_graph_def(torch):
    graph = modelgraph.graph(torch.nn.Linear(3, 2), torch.zeros(1, 3))
    message = GraphDef.decode(graph.graph_def())
    linear = next(node for node in message.node if node.op == "aten::linear")
    assert [d.size for d in linear.attr["_output_shapes"].list.shape[0].dim] == [1, 2]
    assert message.versions.producer == 22


def test_other_objects_are_refused():
    pytest.importorskip("torch")
    with pytest.raises(UsageError, match="no graph can be taken"):
        modelgraph.graph(42)
