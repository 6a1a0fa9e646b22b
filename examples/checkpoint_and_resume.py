"""Train, be interrupted, resume: weights, optimizer, random state and the place in the data all go on as if nothing had happened.

Result: a run that was interrupted and one that was not end with the same numbers, bit for bit.
"""

import sys
import tempfile

import numpy as np
from digits import load

import milepost
from milepost import tf

STEPS, INTERRUPT_AFTER = 60, 25
(train_x, train_y), _ = load()


def make():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Dense(10),
        ]
    )
    batches = iter(tf.data.Dataset.from_tensor_slices((train_x, train_y)).shuffle(500, seed=3).repeat().batch(32))
    return model, tf.keras.optimizers.Adam(0.01), batches


def train(directory, steps):
    """Up to `steps` steps in all, from the newest checkpoint if there is one."""
    model, optimizer, batches = make()
    state = {"step": np.zeros((), np.int64)}
    checkpoint = tf.train.Checkpoint(
        model=model, optimizer=optimizer, batches=batches, state=state, random=milepost.train.Rng()
    )
    manager = tf.train.CheckpointManager(checkpoint, directory, max_to_keep=3)
    found = manager.restore_or_initialize()
    print("resumed from" if found else "starting", found or "anew")
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    while state["step"] < steps:
        images, labels = next(batches)
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        state["step"] += 1
        if state["step"] % 5 == 0:
            manager.save(checkpoint_number=int(state["step"]))
    return [variable.numpy() for variable in model.trainable_variables]


with tempfile.TemporaryDirectory() as interrupted, tempfile.TemporaryDirectory() as whole:
    train(interrupted, INTERRUPT_AFTER)  # the process could be killed anywhere in here
    resumed = train(interrupted, STEPS)
    straight = train(whole, STEPS)
same = all(np.array_equal(a, b) for a, b in zip(resumed, straight, strict=True))
print(f"result: {'equal bit for bit' if same else 'different'} after {STEPS} steps")
sys.exit(not same)
