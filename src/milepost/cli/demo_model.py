"""The demo's model and data: digits, and a small network in plain numpy. In: a seed, a learning rate. Out: losses, gradients, predictions.

Everything that training changes is in `Network`'s arrays, so that a checkpoint of them is a checkpoint of the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Digits", "Network", "digits", "forward", "gradients"]

Array = NDArray[np.float64]
SIZES = (64, 48, 24, 10)


@dataclass(frozen=True)
class Digits:
    """8×8 pictures in 0 … 1 as rows of 64, and what they show."""

    train_x: Array
    train_y: NDArray[np.int64]
    test_x: Array
    test_y: NDArray[np.int64]
    source: str


def digits() -> Digits:
    """scikit-learn's handwritten digits when it is there, else drawn ones."""
    try:
        from sklearn.datasets import load_digits

        found: Any = load_digits()
        x, y, source = found.data / 16.0, found.target, "scikit-learn's handwritten digits"
    except ImportError:
        x, y = drawn(1800)
        source = "digits drawn from seven segments, shifted, slanted and blurred"
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order], y[order].astype(np.int64)
    cut = len(x) * 4 // 5
    return Digits(x[:cut], y[:cut], x[cut:], y[cut:], source)


SEGMENTS = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg")
LINES = {
    "a": ((1, 2), (1, 5)), "b": ((1, 5), (4, 5)), "c": ((4, 5), (7, 5)), "d": ((7, 2), (7, 5)), "e": ((4, 2), (7, 2)), "f": ((1, 2), (4, 2)), "g": ((4, 2), (4, 5)),
}  # fmt: skip


def drawn(count: int) -> tuple[Array, NDArray[np.int64]]:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 10, count)
    rows, columns = np.mgrid[0:8, 0:8]
    pictures = np.zeros((count, 8, 8))
    for picture, label in zip(pictures, labels, strict=True):
        shift, slant, thickness = rng.normal(0, 0.5, 2), rng.normal(0, 0.15), rng.uniform(0.5, 0.9)
        for segment in SEGMENTS[label]:
            for t in np.linspace(0, 1, 6):
                (r0, c0), (r1, c1) = LINES[segment]
                r, c = r0 + (r1 - r0) * t + shift[0], c0 + (c1 - c0) * t + shift[1]
                distance = (rows - r) ** 2 + (columns - c + slant * (rows - 4)) ** 2
                np.maximum(picture, np.exp(-distance / thickness), out=picture)
    pictures += rng.normal(0, 0.05, pictures.shape)
    return np.clip(pictures, 0, 1).reshape(count, 64), labels


class Network:
    """Weights, biases and momentum of a network with two hidden layers."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.weights = [rng.normal(0, np.sqrt(2 / a), (a, b)) for a, b in pairwise(SIZES)]
        self.biases = [np.zeros(b) for b in SIZES[1:]]
        self.momenta = [np.zeros_like(w) for w in (*self.weights, *self.biases)]

    @property
    def parts(self) -> dict[str, list[Array]]:
        """What a checkpoint must hold of it."""
        return {"weights": self.weights, "biases": self.biases, "momenta": self.momenta}

    def step(self, slopes: list[Array], rate: float, momentum: float = 0.9) -> None:
        for value, velocity, slope in zip((*self.weights, *self.biases), self.momenta, slopes, strict=True):
            velocity *= momentum
            velocity -= rate * slope
            value += velocity


def forward(network: Network, x: Array) -> tuple[list[Array], Array]:
    """Activations of each layer (the input first), and the probabilities."""
    layers = [x]
    for weight, bias in zip(network.weights[:-1], network.biases[:-1], strict=True):
        layers.append(np.maximum(layers[-1] @ weight + bias, 0))
    logits = layers[-1] @ network.weights[-1] + network.biases[-1]
    logits = logits - logits.max(axis=1, keepdims=True)
    scores = np.exp(logits)
    return layers, scores / scores.sum(axis=1, keepdims=True)


def loss_of(probabilities: Array, y: NDArray[np.int64]) -> float:
    # not kept from infinity: a run that diverges shall look like one
    with np.errstate(divide="ignore"):
        return float(-np.log(probabilities[np.arange(len(y)), y]).mean())


def gradients(network: Network, x: Array, y: NDArray[np.int64]) -> tuple[float, float, list[Array]]:
    """Loss, accuracy, and the slope of the loss for each weight and each bias."""
    layers, probabilities = forward(network, x)
    error = probabilities.copy()
    error[np.arange(len(y)), y] -= 1
    error /= len(y)
    weights: list[Array] = []
    biases: list[Array] = []
    for number in range(len(network.weights) - 1, -1, -1):
        weights.insert(0, layers[number].T @ error)
        biases.insert(0, error.sum(axis=0))
        if number:
            error = (error @ network.weights[number].T) * (layers[number] > 0)
    accuracy = float((probabilities.argmax(axis=1) == y).mean())
    return loss_of(probabilities, y), accuracy, [*weights, *biases]
