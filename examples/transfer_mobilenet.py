"""Transfer: a MobileNetV2 learns the digits 0–4, is frozen, and a new head on its middle layers learns 5–9 from few pictures.

Weights for ImageNet come from the network (`weights="imagenet"`); offline, the first training stands in for them.
Result: the share of unseen pictures of 5–9 that the new head reads.
"""

import numpy as np
from digits import load

from milepost import tf

SIZE, FEW = 32, 200


def prepare(images):
    """8 × 8 grey to 32 × 32 colour, in the range MobileNet expects."""
    large = tf.image.resize(images, (SIZE, SIZE))
    return np.repeat(large.numpy(), 3, axis=-1) * 2.0 - 1.0


tf.random.set_seed(0)
(train_x, train_y), (test_x, test_y) = load()
base = tf.keras.applications.MobileNetV2(
    input_shape=(SIZE, SIZE, 3), alpha=0.35, include_top=False, weights=None, pooling="avg"
)

for layer in base.layers:
    if isinstance(layer, tf.keras.layers.BatchNormalization):
        layer.momentum = 0.9  # a hundred steps are few: the running averages must follow quickly

known = train_y < 5
model = tf.keras.Sequential([base, tf.keras.layers.Dense(5, activation="softmax")])
model.compile(tf.keras.optimizers.Adam(0.003), "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(prepare(train_x[known]), train_y[known], batch_size=32, epochs=3, verbose=0)
print(f"digits 0–4, whole network: accuracy {history.history['accuracy'][-1]:.3f}")

# The first half of the network sees strokes, the second half digits 0–4: the new head is set on the first half.
# Frozen, it gives the same features for a picture every time: they are computed once, and the head learns on them.
base.trainable = False
features = tf.keras.Model(base.input, tf.keras.layers.Flatten()(base.get_layer("block_6_expand_relu").output))
frozen = [weight.numpy().copy() for weight in base.weights]
few = np.flatnonzero(train_y >= 5)[:FEW]
head = tf.keras.layers.Dense(5, activation="softmax")
learner = tf.keras.Sequential([head])
learner.compile(tf.keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
learner.fit(features.predict(prepare(train_x[few]), verbose=0), train_y[few] - 5, batch_size=32, epochs=30, verbose=0)
assert all(np.array_equal(a, b.numpy()) for a, b in zip(frozen, base.weights)), "the base was frozen"

whole = tf.keras.Sequential([features, head])
whole.compile(loss="sparse_categorical_crossentropy", metrics=["accuracy"])
unseen = test_y >= 5
_, accuracy = whole.evaluate(prepare(test_x[unseen]), test_y[unseen] - 5, verbose=0)
print(f"result: {len(whole.trainable_variables)} trained variables, accuracy {accuracy:.3f}")
