"""On a CUDA device: tensors, models and training go there by themselves; tf.config's choices are obeyed by the allocator, and refused when late."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.gpu
torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device here", allow_module_level=True)

from milepost import tf  # noqa: E402

ON_GPU, ON_CPU = "device:GPU:0", "device:CPU:0"


def run(source: str, **environment: str) -> str:
    """A program of its own: the choice of devices is made once a process."""
    done = subprocess.run(
        [sys.executable, "-c", source], env={**os.environ, **environment}, capture_output=True, text=True, timeout=110, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


def test_new_tensors_and_variables_are_on_the_gpu():
    made = [tf.constant([1.0]), tf.zeros((2,)), tf.range(3), tf.random.normal((2,)), tf.Variable([1.0]), tf.eye(2)]
    assert [t.device for t in made if not t.device.endswith(ON_GPU)] == []
    assert tf.convert_to_tensor(np.ones(3, np.float32)).device.endswith(ON_GPU)
    np.testing.assert_array_equal((tf.constant([1.0]) + np.float32(1)).numpy(), [2.0])


def test_tensors_of_two_devices_meet_on_the_gpu():
    with tf.device("/CPU:0"):
        here = tf.constant([1.0, 2.0])
        assert here.device.endswith(ON_CPU)
    there = tf.constant([3.0, 4.0])
    for made in (
        here + there,
        there * here,
        tf.concat([here, there], 0),
        tf.maximum(here, there),
        tf.stack([here, there]),
    ):
        assert made.device.endswith(ON_GPU)
    np.testing.assert_array_equal(tf.concat([tf.shape(tf.ones((2, 3)))[:1], [7]], 0).numpy(), [2, 7])
    with tf.GradientTape() as tape:
        tape.watch(here)
        y = tf.reduce_sum(here * there)
    np.testing.assert_array_equal(tape.gradient(y, here).numpy(), [3.0, 4.0])


@pytest.mark.parametrize("traced", [False, True])
def test_a_training_loop_runs_there_and_learns(traced):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(256, 8)).astype(np.float32)
    y = (x.sum(1) > 0).astype(np.int64)
    model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(2)])
    optimizer, loss_of = tf.keras.optimizers.Adam(1e-2), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    step = tf.function(step) if traced else step
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(64).repeat(20)
    losses = [float(step(a, b)) for a, b in data]
    assert losses[-1] < 0.5 * losses[0]
    assert all(v.value.device.type == "cuda" for v in model.variables)


def test_fit_evaluate_predict():
    x, y = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32), np.ones((64, 1), np.float32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    first = model.fit(x, y, epochs=20, verbose=0).history["loss"]
    assert first[-1] < first[0]
    assert model.predict(x, verbose=0).shape == (64, 1)
    assert model.evaluate(x, y, verbose=0) < first[0]


def test_hidden_gpus_are_not_used():
    source = """
from milepost import tf
tf.config.set_visible_devices([], "GPU")
x = tf.keras.layers.Dense(2)(tf.ones((1, 2)))
import torch
print(x.device.endswith("CPU:0"), torch.cuda.is_initialized(), len(tf.config.list_logical_devices("GPU")))
"""
    assert run(source).splitlines()[-1] == "True False 0"
    outside = "from milepost import tf; print(tf.config.list_physical_devices('GPU'), tf.ones(1).device[-5:])"
    assert run(outside, CUDA_VISIBLE_DEVICES="").splitlines()[-1] == "[] CPU:0"


@pytest.mark.parametrize("spelling", [
    "tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])",
    "total = torch.cuda.get_device_properties(0).total_memory; options = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=1024 * 2**20 / total); tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(gpu_options=options))",
])  # fmt: skip
def test_a_memory_limit_holds(spelling):
    """Half a gigabyte fits under a limit of one; two do not, and the error is one a program can catch."""
    source = f"""
import torch
from milepost import tf
gpu = tf.config.list_physical_devices("GPU")[0]
{spelling}
kept = tf.zeros((128, 2**20))
try:
    tf.zeros((512, 2**20))
except Exception as error:
    print(type(error).__name__)
print(tf.config.experimental.get_memory_info("GPU:0")["current"] >= 2**29)
"""
    assert run(source).splitlines()[-2:] == ["ResourceExhaustedError", "True"]


def test_growth_is_taken_before_and_refused_after_first_use():
    source = """
from milepost import tf
gpu = tf.config.list_physical_devices("GPU")[0]
tf.config.experimental.set_memory_growth(gpu, True)
tf.zeros((2,))
try:
    tf.config.experimental.set_memory_growth(gpu, False)
except RuntimeError as error:
    print(error)
"""
    assert "cannot be modified after being initialized" in run(source)
