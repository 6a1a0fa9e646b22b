# Making tensors, and what they say of themselves.

tf.constant([[1, 2], [3, 4]])

str(tf.constant([[1., 2.], [3., 4.]])), repr(tf.constant(3))

tf.constant([1, 2]) + tf.constant([1., 2.])

tf.matmul(tf.ones((2, 3)), tf.ones((2, 3)))

# printed
print(tf.constant([1, 2, 3]), tf.zeros((2, 2)), tf.float32)

# shapes only
tf.random.normal((2, 3))
