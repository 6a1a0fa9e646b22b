"""A multilayer perceptron as a class of your own, trained by hand. Result: the share of unseen digits it reads."""

import numpy as np
from digits import load

from milepost import tf


class MLP(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.flatten = tf.keras.layers.Flatten()
        self.hidden = tf.keras.layers.Dense(100, activation=tf.nn.relu)
        self.scores = tf.keras.layers.Dense(10)

    def call(self, images):
        return tf.nn.softmax(self.scores(self.hidden(self.flatten(images))))


tf.random.set_seed(0)
random = np.random.default_rng(0)
(train_x, train_y), (test_x, test_y) = load()
model, optimizer = MLP(), tf.keras.optimizers.Adam(learning_rate=0.003)

for step in range(600):
    rows = random.integers(0, len(train_y), 50)
    images, labels = train_x[rows], train_y[rows]
    with tf.GradientTape() as tape:
        chances = model(images)
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y_true=labels, y_pred=chances))
    gradients = tape.gradient(loss, model.variables)
    optimizer.apply_gradients(grads_and_vars=zip(gradients, model.variables))
    if step % 100 == 0:
        print(f"step {step:3}: loss {loss.numpy():.3f}")

accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
for start in range(0, len(test_y), 100):
    accuracy.update_state(y_true=test_y[start : start + 100], y_pred=model(test_x[start : start + 100]))
print(f"result: accuracy {float(accuracy.result()):.3f}")
