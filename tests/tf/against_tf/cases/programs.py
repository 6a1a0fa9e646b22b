# Whole small programs, as tutorials write them: tapes, functions and variables together.

# loose
# A GAN's training step: two tapes, two optimizers, one tf.function.
def dense(n, act=None):
    return tf.keras.layers.Dense(n, activation=act, kernel_initializer=tf.keras.initializers.Constant(0.1))
G = tf.keras.Sequential([tf.keras.Input((3,)), dense(4, 'relu'), tf.keras.layers.BatchNormalization(), dense(2)])
D = tf.keras.Sequential([tf.keras.Input((2,)), dense(4, 'relu'), dense(1)])
ce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
go, do = tf.keras.optimizers.Adam(1e-2), tf.keras.optimizers.Adam(1e-2)
@tf.function
def train_step(images, noise):
    with tf.GradientTape() as gt, tf.GradientTape() as dt:
        fake = G(noise, training=True)
        real_output, fake_output = D(images, training=True), D(fake, training=True)
        gl = ce(tf.ones_like(fake_output), fake_output)
        dl = ce(tf.ones_like(real_output), real_output) + ce(tf.zeros_like(fake_output), fake_output)
    gg = gt.gradient(gl, G.trainable_variables)
    dg = dt.gradient(dl, D.trainable_variables)
    go.apply_gradients(zip(gg, G.trainable_variables))
    do.apply_gradients(zip(dg, D.trainable_variables))
    return gl, dl
x, z = np.linspace(-1, 1, 8, dtype='f').reshape(4, 2), np.linspace(0, 1, 12, dtype='f').reshape(4, 3)
out = [train_step(tf.constant(x), tf.constant(z)) for _ in range(4)]
out, D.get_weights()

# loose
# The same, eager, and the generator updated before the discriminator's gradient is taken.
G = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer='ones')])
D = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer='ones')])
go, do = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.SGD(0.1)
z = tf.constant(np.linspace(0, 1, 12, dtype='f').reshape(4, 3))
out = []
for _ in range(3):
    with tf.GradientTape() as gt, tf.GradientTape() as dt:
        score = D(G(z))
        gl, dl = tf.reduce_mean((score - 1.0) ** 2), tf.reduce_mean(score ** 2)
    go.apply_gradients(zip(gt.gradient(gl, G.trainable_variables), G.trainable_variables))
    do.apply_gradients(zip(dt.gradient(dl, D.trainable_variables), D.trainable_variables))
    out.append((gl, dl))
out, G.get_weights(), D.get_weights()

# loose
# A persistent tape used by several optimizers in turn, in a tf.function.
A = tf.keras.layers.Dense(2, kernel_initializer='ones')
B = tf.keras.layers.Dense(2, kernel_initializer='ones')
oa, ob = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.Adam(0.1)
x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
A(x), B(x)
@tf.function
def step(x):
    with tf.GradientTape(persistent=True) as t:
        fake = A(x)
        cycled = B(fake)
        la = tf.reduce_mean(tf.abs(cycled - x))
        lb = tf.reduce_mean(tf.abs(fake - x)) + la
    ga = t.gradient(la, A.trainable_variables)
    oa.apply_gradients(zip(ga, A.trainable_variables))
    gb = t.gradient(lb, B.trainable_variables)
    ob.apply_gradients(zip(gb, B.trainable_variables))
    return la, lb
[step(x) for _ in range(4)], A.get_weights(), B.get_weights()

# loose
# Wasserstein with gradient penalty.
D = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3, 'tanh', kernel_initializer='ones'), tf.keras.layers.Dense(1, kernel_initializer='ones')])
def penalty(real, fake, alpha):
    inter = real + alpha * (fake - real)
    with tf.GradientTape() as t:
        t.watch(inter)
        pred = D(inter, training=True)
    g = t.gradient(pred, [inter])[0]
    norm = tf.sqrt(tf.reduce_sum(tf.square(g), axis=[1]))
    return tf.reduce_mean((norm - 1.0) ** 2)
with tf.GradientTape() as t:
    p = penalty(tf.constant([[0.1, 0.2], [0.3, -0.4]]), tf.constant([[1.0, 0.5], [-0.5, 0.1]]), tf.constant([[0.3], [0.6]]))
p, t.gradient(p, D.trainable_variables)

# loose
# Deep dream: gradient ascent on the input, a loop over tf.range inside a function with a signature.
m = tf.keras.Sequential([tf.keras.Input((4, 4, 1)), tf.keras.layers.Conv2D(2, 3, activation='relu', kernel_initializer='ones')])
class Dream(tf.Module):
    def __init__(self, model):
        self.model = model
    @tf.function(input_signature=(tf.TensorSpec(shape=[None, None, 1], dtype=tf.float32), tf.TensorSpec(shape=[], dtype=tf.int32), tf.TensorSpec(shape=[], dtype=tf.float32)))
    def __call__(self, img, steps, step_size):
        loss = tf.constant(0.0)
        for n in tf.range(steps):
            with tf.GradientTape() as t:
                t.watch(img)
                loss = tf.reduce_mean(self.model(tf.expand_dims(img, 0)))
            g = t.gradient(loss, img)
            g /= tf.math.reduce_std(g) + 1e-8
            img = tf.clip_by_value(img + g * step_size, -1, 1)
        return loss, img
Dream(m)(tf.constant(np.linspace(-1, 1, 16, dtype='f').reshape(4, 4, 1)), tf.constant(3), tf.constant(0.05))

# loose
# Style transfer: the image is the variable.
image = tf.Variable(np.linspace(0, 1, 12, dtype='f').reshape(1, 2, 2, 3))
target = tf.constant(np.linspace(1, 0, 12, dtype='f').reshape(1, 2, 2, 3))
o = tf.keras.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)
@tf.function()
def step(image):
    with tf.GradientTape() as t:
        gram = tf.linalg.einsum('bijc,bijd->bcd', image, image)
        loss = tf.reduce_mean((gram - tf.linalg.einsum('bijc,bijd->bcd', target, target)) ** 2)
        loss += 30 * tf.image.total_variation(image)[0] / 100.0
    g = t.gradient(loss, image)
    o.apply_gradients([(g, image)])
    image.assign(tf.clip_by_value(image, clip_value_min=0.0, clip_value_max=1.0))
    return loss
[step(image) for _ in range(3)], image

# loose
# An adversarial example.
m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, 'softmax', kernel_initializer='ones')])
x = tf.constant([[0.1, -0.2, 0.3]])
with tf.GradientTape() as t:
    t.watch(x)
    loss = tf.keras.losses.CategoricalCrossentropy()(tf.one_hot([1], 2), m(x))
tf.sign(t.gradient(loss, x)), loss

# loose
# A variational autoencoder's loss.
eps = tf.constant([[0.3, -0.5], [1.0, 0.2]])
enc = tf.keras.layers.Dense(4, kernel_initializer='ones')
dec = tf.keras.layers.Dense(3, kernel_initializer='ones')
x = tf.constant([[0.2, 0.9, 0.5], [0.1, 0.4, 0.7]])
def log_normal_pdf(sample, mean, logvar, raxis=1):
    log2pi = tf.math.log(2. * np.pi)
    return tf.reduce_sum(-.5 * ((sample - mean) ** 2. * tf.exp(-logvar) + logvar + log2pi), axis=raxis)
@tf.function
def step(x):
    with tf.GradientTape() as t:
        mean, logvar = tf.split(enc(x), num_or_size_splits=2, axis=1)
        z = eps * tf.exp(logvar * .5) + mean
        logits = dec(z)
        ce = tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=x)
        logpx_z = -tf.reduce_sum(ce, axis=[1])
        loss = -tf.reduce_mean(logpx_z + log_normal_pdf(z, 0., 0.) - log_normal_pdf(z, mean, logvar))
    g = t.gradient(loss, enc.trainable_variables + dec.trainable_variables)
    return loss, g
step(x)

# loose
# Newton's method, from the advanced guide.
x = tf.constant(np.linspace(-1, 1, 6, dtype='f').reshape(3, 2))
w = tf.Variable([[0.5], [-0.3]])
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        loss = tf.reduce_mean(tf.nn.softplus(x @ w) + (x @ w) ** 2)
    g = t1.gradient(loss, w)
h = t2.jacobian(g, w)
h_mat = tf.reshape(h, [2, 2])
update = tf.linalg.solve(h_mat + tf.eye(2) * 1e-3, tf.reshape(g, [2, 1]))
w.assign_sub(tf.reshape(update, w.shape))
h, g, w

# loose
# A differential equation: second derivatives by the input.
m = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(4, 'tanh', kernel_initializer=tf.keras.initializers.Constant(0.3)), tf.keras.layers.Dense(1, kernel_initializer='ones')])
x = tf.reshape(tf.linspace(-1.0, 1.0, 5), (5, 1))
@tf.function
def loss_and_grads():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                u = m(x)
            ux = t1.gradient(u, x)
        uxx = t2.gradient(ux, x)
        loss = tf.reduce_mean((uxx + u) ** 2)
    return loss, outer.gradient(loss, m.trainable_variables, unconnected_gradients='zero')
loss_and_grads(), loss_and_grads()[0]

# loose
# Learning to learn: a gradient through a gradient step.
w = tf.Variable(2.0)
x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner_loss = tf.reduce_mean((w * x - y) ** 2)
    g = inner.gradient(inner_loss, w)
    fast = w - 0.1 * g
    outer_loss = tf.reduce_mean((fast * x - y) ** 2)
outer.gradient(outer_loss, w), outer_loss

# loose
# Accumulated and clipped gradients.
ws = [tf.Variable([1.0, -2.0]), tf.Variable(3.0)]
acc = [tf.Variable(tf.zeros_like(w), trainable=False) for w in ws]
o = tf.keras.optimizers.SGD(0.1)
@tf.function
def accumulate(x):
    with tf.GradientTape() as t:
        loss = tf.reduce_sum((ws[0] * x) ** 2) * ws[1]
    for a, g in zip(acc, t.gradient(loss, ws)):
        a.assign_add(g / 2.0)
@tf.function
def apply():
    clipped, norm = tf.clip_by_global_norm([a.read_value() for a in acc], 5.0)
    o.apply_gradients(zip(clipped, ws))
    for a in acc:
        a.assign(tf.zeros_like(a))
    return norm
norms = []
for i in range(2):
    for k in range(2):
        accumulate(tf.constant([0.5, 0.25]) * float(k + 1))
    norms.append(apply())
norms, ws, acc

# loose
# An actor-critic update over a variable number of steps.
def expected_return(rewards, gamma, standardize=True):
    n = tf.shape(rewards)[0]
    returns = tf.TensorArray(dtype=tf.float32, size=n)
    rewards = tf.cast(rewards[::-1], dtype=tf.float32)
    discounted = tf.constant(0.0)
    shape = discounted.shape
    for i in tf.range(n):
        discounted = rewards[i] + gamma * discounted
        discounted.set_shape(shape)
        returns = returns.write(i, discounted)
    returns = returns.stack()[::-1]
    if standardize:
        returns = (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)
    return returns
f = tf.function(expected_return)
f(tf.constant([1.0, 1.0, 0.5]), 0.9), f(tf.constant([1.0, 1.0, 0.5, 2.0]), 0.9)

# loose
# A training loop with metrics, a schedule and a checkpoint, inside and outside functions.
import tempfile
m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3, 'relu', kernel_initializer='ones'), tf.keras.layers.Dense(2, kernel_initializer='ones')])
o = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
mean, acc = tf.keras.metrics.Mean(), tf.keras.metrics.SparseCategoricalAccuracy()
@tf.function
def step(x, y):
    with tf.GradientTape() as t:
        logits = m(x, training=True)
        loss = loss_fn(y, logits) + sum(m.losses)
    g = t.gradient(loss, m.trainable_weights)
    o.apply_gradients(zip(g, m.trainable_weights))
    mean(loss)
    acc.update_state(y, logits)
    return loss
ds = tf.data.Dataset.from_tensor_slices((np.linspace(-1, 1, 16, dtype='f').reshape(8, 2), np.array([0, 1] * 4))).batch(4)
c = tf.train.Checkpoint(model=m, optimizer=o)
hist = []
for epoch in range(2):
    for x, y in ds:
        hist.append(step(x, y))
path = c.save(tempfile.mkdtemp() + '/c')
before = [w.copy() for w in m.get_weights()]
for x, y in ds:
    step(x, y)
c.restore(path)
hist, mean.result(), acc.result(), o.iterations, all(np.allclose(a, b) for a, b in zip(before, m.get_weights()))

# loose
# A custom layer with state, a custom gradient inside a model, trained by hand.
@tf.custom_gradient
def straight_through(x):
    return tf.round(x), lambda dy: dy
class Quantised(tf.keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 2), initializer='ones', trainable=True)
        self.seen = self.add_weight(shape=(), initializer='zeros', trainable=False)
    def call(self, x):
        self.seen.assign_add(1.0)
        return straight_through(x @ self.w * 1.3)
q = Quantised()
x = tf.constant([[0.4, 0.9], [1.2, -0.3]])
@tf.function
def step(x):
    with tf.GradientTape() as t:
        loss = tf.reduce_sum(q(x) ** 2)
    g = t.gradient(loss, q.trainable_variables)
    q.w.assign_sub(0.01 * g[0])
    return loss
q(x)
[step(x) for _ in range(3)], q.w.numpy(), q.seen.numpy()

# loose
# Gradient of a Keras model by its input, and by intermediate activations, as class activation maps take it.
inp = tf.keras.Input((4, 4, 1))
conv = tf.keras.layers.Conv2D(2, 3, kernel_initializer='ones', activation='relu')(inp)
out = tf.keras.layers.Dense(2, kernel_initializer='ones')(tf.keras.layers.GlobalAveragePooling2D()(conv))
m = tf.keras.Model(inp, [conv, out])
x = tf.constant(np.linspace(0, 1, 16, dtype='f').reshape(1, 4, 4, 1))
with tf.GradientTape() as t:
    c, o = m(x)
    score = o[:, tf.argmax(o[0])]
g = t.gradient(score, c)
pooled = tf.reduce_mean(g, axis=(0, 1, 2))
heat = tf.squeeze(c[0] @ pooled[..., tf.newaxis])
heat, g.shape

# loose
# Mixed losses in one tape, some of them unconnected.
a, b = tf.Variable(1.0), tf.Variable(2.0)
with tf.GradientTape(persistent=True) as t:
    la, lb = a * a * 3.0, b ** 3
    total = la + 0.5 * lb
[t.gradient(l, [a, b]) for l in (la, lb, total)], t.gradient([la, lb], [a, b], output_gradients=[tf.constant(2.0), tf.constant(3.0)])
