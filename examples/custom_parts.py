"""Your own layer, loss and metric, in the ordinary places. Result: a line through points, found by them."""

import numpy as np

from milepost import tf


class LinearLayer(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, input_shape):
        self.weight = self.add_weight(
            name="weight", shape=[input_shape[-1], self.units], initializer=tf.zeros_initializer()
        )
        self.offset = self.add_weight(name="offset", shape=[self.units], initializer=tf.zeros_initializer())

    def call(self, inputs):
        return tf.matmul(inputs, self.weight) + self.offset


class MeanSquares(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.reduce_mean(tf.square(y_pred - y_true))


class ShareWithin(tf.keras.metrics.Metric):
    """The share of predictions within a tolerance."""

    def __init__(self, tolerance):
        super().__init__()
        self.tolerance = tolerance
        self.total = self.add_weight(name="total", dtype=tf.int32, initializer=tf.zeros_initializer())
        self.count = self.add_weight(name="count", dtype=tf.int32, initializer=tf.zeros_initializer())

    def update_state(self, y_true, y_pred, sample_weight=None):
        near = tf.cast(tf.abs(y_true - y_pred) < self.tolerance, tf.int32)
        self.total.assign_add(tf.shape(y_true)[0])
        self.count.assign_add(tf.reduce_sum(near))

    def result(self):
        return self.count / self.total


tf.keras.utils.set_random_seed(0)
xs = np.random.uniform(-1, 1, (300, 1)).astype(np.float32)
ys = 1.5 * xs + 0.25
model = tf.keras.Sequential([LinearLayer(units=1)])
model.compile(tf.keras.optimizers.Adam(0.05), loss=MeanSquares(), metrics=[ShareWithin(0.05)])
history = model.fit(xs, ys, epochs=40, batch_size=50, verbose=0)
slope, offset = (float(v.numpy().ravel()[0]) for v in model.variables[:2])
print(f"share within 0.05: {list(history.history.values())[1][0]:.2f} at first")
print(f"result: slope {slope:.3f}, offset {offset:.3f}, within {float(list(history.history.values())[1][-1]):.2f}")
