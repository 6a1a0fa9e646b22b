"""The handwritten digits that ship with scikit-learn: 1 797 pictures of 8 × 8. In: a seed. Out: training and test arrays in 0..1."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits


def load(seed: int = 0, test_share: float = 0.25):
    data = load_digits()
    order = np.random.default_rng(seed).permutation(len(data.target))
    images, labels = data.images[order].astype(np.float32) / 16.0, data.target[order].astype(np.int32)
    cut = int(len(labels) * (1 - test_share))
    return (images[:cut, ..., None], labels[:cut]), (images[cut:, ..., None], labels[cut:])
