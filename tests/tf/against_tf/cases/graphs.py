# TensorFlow 1's programs: graphs, placeholders, sessions.

tf1 = tf.compat.v1
with tf.Graph().as_default() if hasattr(tf, 'Graph') else tf1.Graph().as_default():
    a = tf.constant(2.0)
    b = tf.constant(3.0)
    c = a * b + 1.0
    with tf1.Session() as s:
        r = s.run(c), s.run([a, {'x': c}]), c.eval()
r

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder(tf.float32, [None, 2], name='x')
    w = tf.Variable([[1.0], [2.0]], name='w')
    y = tf.matmul(x, w)
    shapes = x.shape.as_list(), y.shape.as_list(), y.dtype, x.name, w.name
    with tf1.Session() as s:
        s.run(tf1.global_variables_initializer())
        r = s.run(y, feed_dict={x: [[1.0, 1.0], [2.0, 3.0]]})
r, shapes

# The linear regression of TensorFlow 1's tutorials.
tf1 = tf.compat.v1
with tf1.Graph().as_default():
    X = tf1.placeholder(tf.float32)
    Y = tf1.placeholder(tf.float32)
    W = tf.Variable(0.5, name='weight')
    b = tf.Variable(-0.5, name='bias')
    pred = tf.add(tf.multiply(X, W), b)
    cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / 8
    optimizer = tf1.train.GradientDescentOptimizer(0.1).minimize(cost)
    init = tf1.global_variables_initializer()
    xs, ys = np.linspace(0, 1, 4).astype('f'), np.linspace(1, 3, 4).astype('f')
    with tf1.Session() as s:
        s.run(init)
        for _ in range(20):
            s.run(optimizer, feed_dict={X: xs, Y: ys})
        r = s.run(cost, feed_dict={X: xs, Y: ys}), s.run(W), s.run(b)
r

tf1 = tf.compat.v1
out = []
for make in (lambda: tf1.train.MomentumOptimizer(0.1, 0.9), lambda: tf1.train.AdamOptimizer(0.1), lambda: tf1.train.AdagradOptimizer(0.1), lambda: tf1.train.RMSPropOptimizer(0.1), lambda: tf1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)):
    with tf1.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        loss = tf.reduce_sum(v ** 2)
        step = make().minimize(loss)
        with tf1.Session() as s:
            s.run(tf1.global_variables_initializer())
            losses = [s.run([step, loss])[1] for _ in range(3)]
            out.append((losses, s.run(v)))
out

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder(tf.float32, [])
    y = x ** 3
    g = tf.gradients(y, x)[0]
    gg = tf.gradients(g, x)[0]
    with tf1.Session() as s:
        r = s.run([y, g, gg], {x: 2.0})
r

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    counter = tf.Variable(0)
    up = counter.assign_add(1)
    with tf1.Session() as s:
        s.run(counter.initializer)
        r = [s.run(up) for _ in range(3)], s.run(counter)
r

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder(tf.float32, [2])
    with tf1.Session() as s:
        s.run(x * 2.0)

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    v = tf.Variable(1.0)
    with tf1.Session() as s:
        s.run(v)

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder(tf.float32, [2])
    with tf1.Session() as s:
        s.run(x, {x: [1.0, 2.0, 3.0]})

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder(tf.float32, [2])
    if x[0] > 0:
        pass

tf.compat.v1.placeholder(tf.float32)

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    with tf1.variable_scope('layer'):
        w = tf1.get_variable('w', shape=[2, 2], initializer=tf.ones_initializer())
    with tf1.variable_scope('layer', reuse=True):
        again = tf1.get_variable('w')
    names = [v.name for v in tf1.global_variables()], again is w, [v.name for v in tf1.trainable_variables()]
    with tf1.Session() as s:
        s.run(tf1.global_variables_initializer())
        r = s.run(w)
r, names

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    with tf1.variable_scope('a'):
        tf1.get_variable('w', [1])
        tf1.get_variable('w', [1])

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    v = tf.Variable(0.0)
    add = v.assign_add(1.0)
    with tf.control_dependencies([add]):
        y = tf.identity(v) * 10.0
    g = tf.group(add, v.assign_add(5.0))
    with tf1.Session() as s:
        s.run(tf1.global_variables_initializer())
        r = s.run(y), s.run(g), s.run(v)
r

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder_with_default(3.0, shape=[])
    y = x + 1.0
    z = tf.cond(x > 2.0, lambda: y * 10.0, lambda: y)
    with tf1.Session() as s:
        r = s.run(y), s.run(y, {x: 10.0}), s.run(z), s.run(z, {x: 1.0}), s.run(z, {y: 7.0})
r

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder(tf.float32, [None, 3])
    y_ = tf1.placeholder(tf.float32, [None, 2])
    W = tf.Variable(tf.zeros([3, 2]))
    b = tf.Variable(tf.zeros([2]))
    y = tf.nn.softmax(tf.matmul(x, W) + b)
    cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf1.log(y), axis=[1]))
    step = tf1.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1)), tf.float32))
    data = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1.0], [1, 1, 0]]), np.array([[1, 0], [0, 1], [1, 0], [0, 1.0]])
    s = tf1.InteractiveSession()
    tf1.global_variables_initializer().run()
    for _ in range(10):
        s.run(step, feed_dict={x: data[0], y_: data[1]})
    r = accuracy.eval(feed_dict={x: data[0], y_: data[1]}), W.eval(), cross_entropy.eval({x: data[0], y_: data[1]})
    s.close()
r

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    a = tf1.random_normal([3])
    with tf1.Session() as s:
        r = bool((s.run(a) != s.run(a)).any()), s.run([a, a])
        r = r[0], bool((r[1][0] == r[1][1]).all())
r

import tempfile, os
tf1 = tf.compat.v1
p = os.path.join(tempfile.mkdtemp(), 'model')
with tf1.Graph().as_default():
    v = tf.Variable([1.0, 2.0], name='v')
    saver = tf1.train.Saver()
    with tf1.Session() as s:
        s.run(tf1.global_variables_initializer())
        s.run(v.assign([5.0, 6.0]))
        path = saver.save(s, p, global_step=3)
with tf1.Graph().as_default():
    v = tf.Variable([0.0, 0.0], name='v')
    saver = tf1.train.Saver()
    with tf1.Session() as s:
        saver.restore(s, path)
        r = s.run(v)
r, os.path.basename(path)

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    e = tf.executing_eagerly()
    x = tf.constant([1, 2, 3])
    t = str(x).split('(')[0], x[0].shape.as_list()
e, tf.executing_eagerly(), t

tf1 = tf.compat.v1
v = tf.Variable(2.0)
tf1.train.GradientDescentOptimizer(0.5).minimize(lambda: v * v, var_list=[v])
v

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    x = tf1.placeholder(tf.float32, [None], name='inp')
    y = tf.reduce_sum(x, name='total')
    with tf1.Session() as s:
        r = s.run('total:0', {'inp:0': [1.0, 2.0]})
r

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    with tf1.Session() as s:
        s.run(None)

tf1 = tf.compat.v1
with tf1.Graph().as_default():
    with tf1.Session() as s:
        s.run(tf.constant(1), feed_dict={3: 1})
