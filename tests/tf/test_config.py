"""tf.config on a machine without GPUs: it says so, takes choices that need none, and refuses what makes no sense, in TensorFlow's words."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from milepost import tf
from milepost.devices import Choice, Gpu, LogicalDeviceConfiguration, PhysicalDevice, visible_indices
from milepost.devices import choice as choice_module

CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


def test_devices_print_as_in_tensorflow() -> None:
    assert (
        repr(tf.config.list_physical_devices("CPU"))
        == "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]"
    )
    assert tf.config.experimental.list_physical_devices("CPU") == [CPU]


def test_memory_growth_is_for_gpus() -> None:
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU"):
        tf.config.experimental.set_memory_growth(CPU, True)


def test_cuda_visible_devices_is_read_as_cuda_reads_it() -> None:
    """Numbers or UUID prefixes, in the given order; the first unknown entry ends the list."""
    gpus = tuple(Gpu(i, f"GPU-{i}abc", "G", 1 << 30, (9, 0)) for i in range(4))
    assert visible_indices(None, gpus) == [0, 1, 2, 3]
    assert visible_indices("2,3", gpus) == [2, 3]
    assert visible_indices("GPU-1,0", gpus) == [1, 0]
    assert visible_indices("1,9,0", gpus) == [1]
    assert visible_indices("", gpus) == visible_indices("-1", gpus) == visible_indices("2,3", ()) == []


def test_choices_reach_the_engines_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """With GPUs: hiding some, growth and fractions are told to CUDA and jax; late calls raise and say what to do."""
    gpus = [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(2)]
    monkeypatch.setattr(
        choice_module, "physical_devices", lambda kind=None: [d for d in [CPU, *gpus] if kind in (None, d.device_type)]
    )
    monkeypatch.setattr(choice_module, "driver_gpus", lambda: (Gpu(0, "a", "G", 1000 << 20, (9, 0)),))
    for name in ("CUDA_VISIBLE_DEVICES", "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    made = Choice()
    made.set_visible([gpus[1]], "GPU")
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "7"
    assert made.visible("GPU") == [gpus[1]]
    made.set_growth(gpus[1], True)
    assert os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    made.set_parts(gpus[1], [LogicalDeviceConfiguration(memory_limit=400)])
    assert os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] == "0.4"
    assert [d.name for d in made.logical()] == ["/device:CPU:0", "/device:GPU:0"]
    with pytest.raises(
        RuntimeError, match=r"Visible devices cannot be modified after being initialized.*Call this first"
    ):
        made.set_visible([], "GPU")
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified"):
        made.set_parts(gpus[1], [LogicalDeviceConfiguration()])
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        made.set_fraction(1.5)


def test_tensorflow_1_spellings() -> None:
    """ConfigProto, its text, and enable_eager_execution(config=…)."""
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.4
    assert str(config) == "gpu_options {\n  per_process_gpu_memory_fraction: 0.4\n  allow_growth: true\n}\n"
    tf.enable_eager_execution(config=config)
    assert tf.executing_eagerly()
    with tf.compat.v1.Session(config=tf.compat.v1.ConfigProto()) as session:
        assert session.run(tf.constant(2.0)) == 2.0


def test_device_scopes_fall_back_to_the_cpu() -> None:
    with tf.device("/GPU:0"):
        assert tf.constant(1.0).device.endswith("device:CPU:0")
    with pytest.raises(ValueError, match="write it like"), tf.device("nonsense"):
        pass


def test_what_is_not_there_names_the_nearest_thing() -> None:
    with pytest.raises(AttributeError, match=r"Did you mean tf.reduce_sum.*docs/reference/tf.md"):
        tf.reduce_sun  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"tf.keras.layers.Dense"):
        tf.keras.layers.Dens
    with pytest.raises(AttributeError, match=r"tf.summary.scalar"):
        tf.summary.scalars


def test_light_work_runs_on_one_thread_and_heavy_on_all() -> None:
    """A fresh program starts with one thread; a large matrix product brings in the others; OMP_NUM_THREADS decides when set."""
    source = (
        "from milepost import tf; import torch; a = torch.get_num_threads(); x = tf.ones((512, 512)); tf.matmul(x, x);"
        "print(a, torch.get_num_threads())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before == 1
    assert after >= 1
    assert after > 1 or len(os.sched_getaffinity(0)) == 1
