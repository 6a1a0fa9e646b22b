# Convolutions, their transposes, pooling, morphology: strides, paddings, layouts, dilations.

x = tf.reshape(tf.sin(tf.range(50.)), (1, 5, 5, 2))
w = tf.reshape(tf.cos(tf.range(36.)), (3, 3, 2, 2))
tf.nn.conv2d(x, w, 1, "SAME"), tf.nn.conv2d(x, w, 1, "VALID"), tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), tf.nn.conv2d(x, w, (2, 1), padding="VALID"), tf.nn.conv2d(x, w, 1, [[0, 0], [1, 2], [0, 1], [0, 0]]), tf.nn.conv2d(x, w, 1, "SAME", dilations=2), tf.nn.conv2d(x, w, strides=[2], padding="VALID", dilations=[1, 1, 1, 1])

x = tf.reshape(tf.sin(tf.range(64.)), (1, 4, 4, 4))
tf.nn.conv2d(x, tf.reshape(tf.cos(tf.range(36.)), (3, 3, 2, 2)), 1, "SAME"), tf.nn.conv2d(x, tf.reshape(tf.cos(tf.range(32.)), (2, 2, 4, 2)), 2, "SAME"), tf.nn.conv2d(tf.cast(x, tf.float64), tf.ones((2, 2, 4, 1), tf.float64), 1, "VALID")

x = tf.reshape(tf.sin(tf.range(24.)), (2, 6, 2))
w = tf.reshape(tf.cos(tf.range(12.)), (3, 2, 2))
tf.nn.conv1d(x, w, 1, "SAME"), tf.nn.conv1d(x, w, stride=2, padding="VALID"), tf.nn.conv1d(x, w, 1, "VALID", dilations=2), tf.nn.conv1d(x, w, 2, "SAME")

x = tf.reshape(tf.sin(tf.range(54.)), (1, 3, 3, 3, 2))
w = tf.reshape(tf.cos(tf.range(32.)), (2, 2, 2, 2, 2))
tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"), tf.nn.conv3d(x, w, [1, 2, 2, 2, 1], padding="VALID")

x = tf.reshape(tf.sin(tf.range(50.)), (1, 5, 5, 2))
w = tf.reshape(tf.cos(tf.range(16.)), (2, 2, 2, 2))
tf.nn.convolution(x, w), tf.nn.convolution(x, w, strides=2, padding="SAME"), tf.nn.convolution(x, w, padding="VALID", dilations=2), tf.nn.atrous_conv2d(x, w, 2, "VALID"), tf.nn.atrous_conv2d(x, w, rate=2, padding="SAME")

x = tf.reshape(tf.sin(tf.range(50.)), (1, 5, 5, 2))
w = tf.reshape(tf.cos(tf.range(24.)), (2, 2, 2, 3))
tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "VALID"), tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID", dilations=[2, 2]), tf.nn.separable_conv2d(x, w, tf.reshape(tf.sin(tf.range(12.)), (1, 1, 6, 2)), [1, 1, 1, 1], "SAME")

x = tf.reshape(tf.sin(tf.range(18.)), (1, 3, 3, 2))
w = tf.reshape(tf.cos(tf.range(36.)), (3, 3, 2, 2))
tf.nn.conv2d_transpose(x, w, [1, 6, 6, 2], 2, "SAME"), tf.nn.conv2d_transpose(x, w, [1, 5, 5, 2], 2, "SAME"), tf.nn.conv2d_transpose(x, w, [1, 7, 7, 2], strides=2, padding="VALID"), tf.nn.conv2d_transpose(x, w, (1, 3, 3, 2), 1, "SAME"), tf.nn.conv2d_transpose(x, w, [1, 5, 5, 2], [1, 1, 1, 1], "VALID")

x = tf.reshape(tf.sin(tf.range(8.)), (1, 4, 2))
w = tf.reshape(tf.cos(tf.range(12.)), (3, 2, 2))
tf.nn.conv1d_transpose(x, w, [1, 8, 2], 2), tf.nn.conv1d_transpose(x, w, [1, 9, 2], 2, "VALID"), tf.nn.conv_transpose(x, w, [1, 8, 2], 2)

x = tf.reshape(tf.sin(tf.range(16.)), (1, 2, 2, 2, 2))
w = tf.reshape(tf.cos(tf.range(32.)), (2, 2, 2, 2, 2))
tf.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 2], 2), tf.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 2], [1, 2, 2, 2, 1], "VALID")

x = tf.reshape(tf.sin(tf.range(18.)), (1, 3, 3, 2))
w = tf.reshape(tf.cos(tf.range(16.)), (2, 2, 2, 2))
tf.nn.atrous_conv2d_transpose(x, w, [1, 5, 5, 2], 2, "VALID")

x = tf.reshape(tf.sin(tf.range(50.)), (1, 5, 5, 2))
tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.max_pool2d(x, [1, 3, 3, 1], [1, 1, 1, 1], "VALID"), tf.nn.max_pool2d(x, (2, 3), (1, 2), "SAME"), tf.nn.avg_pool(x, 2, 2, "SAME"), tf.nn.avg_pool2d(x, 3, 2, "SAME"), tf.nn.avg_pool2d(x, ksize=2, strides=1, padding="VALID"), tf.nn.max_pool2d(x, 2, 2, [[0, 0], [1, 0], [0, 1], [0, 0]])

x = tf.reshape(tf.sin(tf.range(24.)), (2, 6, 2))
tf.nn.max_pool1d(x, 2, 2, "VALID"), tf.nn.max_pool1d(x, 4, 1, "SAME"), tf.nn.avg_pool1d(x, 3, 2, "SAME"), tf.nn.avg_pool1d(x, 2, 2, "VALID")

x = tf.reshape(tf.sin(tf.range(54.)), (1, 3, 3, 3, 2))
tf.nn.max_pool3d(x, 2, 2, "SAME"), tf.nn.avg_pool3d(x, 2, 1, "VALID"), tf.nn.avg_pool3d(x, 2, 2, "SAME"), tf.nn.max_pool(x, 2, 1, "VALID")

x = tf.reshape(tf.sin(tf.range(50.)), (1, 5, 5, 2))
tf.nn.pool(x, [2, 2], "MAX"), tf.nn.pool(x, window_shape=[3, 3], pooling_type="AVG", strides=[2, 2], padding="SAME"), tf.nn.pool(x, [2, 2], "MAX", dilations=[2, 2])

x = tf.reshape(tf.sin(tf.range(50.)), (1, 5, 5, 2))
tf.nn.max_pool_with_argmax(x, 2, 2, "VALID"), tf.nn.max_pool_with_argmax(x, 3, 2, "SAME"), tf.nn.max_pool_with_argmax(tf.concat([x, -x], 0), 2, 2, "SAME", include_batch_in_index=True)

tf.nn.max_pool2d(tf.reshape(tf.range(16), (1, 4, 4, 1)), 2, 2, "VALID")

x = tf.reshape(tf.sin(tf.range(25.)), (1, 5, 5, 1))
f = tf.reshape(tf.cos(tf.range(4.)), (2, 2, 1))
tf.nn.dilation2d(x, f, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]), tf.nn.erosion2d(x, f, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])

x = tf.Variable(tf.reshape(tf.sin(tf.range(50.)), (1, 5, 5, 2)))
w = tf.Variable(tf.reshape(tf.cos(tf.range(36.)), (3, 3, 2, 2)))
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.nn.conv2d(x, w, 2, "SAME") ** 2) + tf.reduce_sum(tf.nn.max_pool2d(x, 2, 2, "SAME") ** 2) + tf.reduce_sum(tf.nn.avg_pool2d(x, 3, 2, "SAME") ** 2)
t.gradient(y, [x, w])

x = tf.Variable(tf.ones((1, 4, 4, 1)))
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.nn.max_pool2d(x, 2, 2, "VALID"))
t.gradient(y, x)
