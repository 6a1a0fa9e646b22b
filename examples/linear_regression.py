"""A straight line through noisy points, by gradient descent. Result: slope and offset close to the ones the points were made with."""

import numpy as np

from milepost import tf

SLOPE, OFFSET = 2.5, -0.7
random = np.random.default_rng(0)
xs = random.uniform(-1, 1, 200).astype(np.float32)
ys = (SLOPE * xs + OFFSET + random.normal(0, 0.05, 200)).astype(np.float32)

slope, offset = tf.Variable(0.0), tf.Variable(0.0)
optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
for step in range(400):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(slope * xs + offset - ys))
    gradients = tape.gradient(loss, [slope, offset])
    optimizer.apply_gradients(zip(gradients, [slope, offset]))
    if step % 100 == 0:
        print(f"step {step:3}: loss {loss.numpy():.4f}")
print(f"result: slope {slope.numpy():.3f}, offset {offset.numpy():.3f}")
