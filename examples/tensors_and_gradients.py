"""Tensors, and gradients by tape. Result: d(x²)/dx at 3 is 6, and the gradients of a small least-squares problem."""

from milepost import tf

a = tf.constant([[1, 2], [3, 4]])
b = tf.constant([[5, 6], [7, 8]])
print("a + b =", tf.add(a, b).numpy().tolist())
print("a · b =", tf.matmul(a, b).numpy().tolist())
print("types:", tf.constant(1.5).dtype.name, tf.constant(1).dtype.name, tf.zeros(2).shape)

x = tf.Variable(initial_value=3.0)
with tf.GradientTape() as tape:
    y = tf.square(x)
slope = tape.gradient(y, x)
print("d(x²)/dx at 3 =", slope.numpy())

inputs, targets = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
weights, offset = tf.Variable([[1.0], [2.0]]), tf.Variable(1.0)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.square(tf.matmul(inputs, weights) + offset - targets))
slopes = tape.gradient(loss, [weights, offset])
print("loss", loss.numpy(), "gradients", slopes[0].numpy().ravel().tolist(), slopes[1].numpy())

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        cube = x**3
    first = inner.gradient(cube, x)
second = outer.gradient(first, x)
print(f"result: slope {slope.numpy():.1f}, loss {loss.numpy():.1f}, second derivative of x³ at 3 {second.numpy():.1f}")
