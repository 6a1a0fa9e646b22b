"""Keras' lazy `tensorflow` module answers with `milepost.tf`. In: nothing. Out: Keras' dataset helpers and layers that work with ours.

`available` still says no: what Keras does only with TensorFlow installed (its export, its types in saved configs) stays off.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import keras
from keras.src.trainers import data_adapters
from keras.src.utils import dataset_utils, image_dataset_utils, module_utils, rng_utils

from milepost.tf.data.dataset import Dataset

__all__ = ["install"]


def _load_cropped(theirs: Any) -> Any:
    """Keras crops to an aspect ratio with its TensorFlow backend; here the largest middle window is cut, then resized."""

    def load(
        path: Any, image_size: Any, num_channels: int, interpolation: str, data_format: str,
        crop_to_aspect_ratio: bool = False, pad_to_aspect_ratio: bool = False,
    ) -> Any:  # fmt: skip
        rest = (image_size, num_channels, interpolation, data_format)
        if not crop_to_aspect_ratio or pad_to_aspect_ratio:
            return theirs(path, *rest, crop_to_aspect_ratio, pad_to_aspect_ratio)
        from milepost import tf

        image = tf.image.decode_image(tf.io.read_file(path), channels=num_channels, expand_animations=False)
        height, width = int(image.shape[0]), int(image.shape[1])
        tall = min(height, int(width * image_size[0] / image_size[1]))
        wide = min(width, int(height * image_size[1] / image_size[0]))
        top, left = (height - tall) // 2, (width - wide) // 2
        made = tf.image.resize(image[top : top + tall, left : left + wide], image_size, method=interpolation)
        return tf.transpose(made, (2, 0, 1)) if data_format == "channels_first" else made

    return load


def _seeds_all(theirs: Any) -> Any:
    """Keras seeds TensorFlow too when it is installed: here that is ours."""

    @functools.wraps(theirs)
    def set_random_seed(seed: int) -> None:
        from milepost.tf import generators, philox

        philox.forget(int(seed))  # not set_seed: Keras' own seeds are to be the ones Keras draws
        generators.forget()
        theirs(seed)

    return set_random_seed


def install() -> None:
    keras.utils.set_random_seed = rng_utils.set_random_seed = _seeds_all(rng_utils.set_random_seed)
    module_utils.tensorflow.module = importlib.import_module("milepost.tf")
    theirs = data_adapters.is_tf_dataset

    def is_tf_dataset(x: Any) -> bool:
        return isinstance(x, Dataset) or bool(theirs(x))

    data_adapters.is_tf_dataset = dataset_utils.is_tf_dataset = is_tf_dataset
    image_dataset_utils._load_image_tf = _load_cropped(image_dataset_utils._load_image_tf)
