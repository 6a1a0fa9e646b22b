"""Everything the board shows, from one small run: scalars, images, histograms, text, a graph and a profile.

Look at it with `milepost board --logdir runs/example`. Result: what was written.
"""

import sys
from pathlib import Path

from digits import load

from milepost import tf

logdir = sys.argv[1] if len(sys.argv) > 1 else "runs/example"
tf.random.set_seed(0)
(train_x, train_y), (test_x, test_y) = load()
model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(16, 3, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)
optimizer = tf.keras.optimizers.Adam(0.005)
batches = tf.data.Dataset.from_tensor_slices((train_x, train_y)).shuffle(1000).batch(64).repeat()
writer = tf.summary.create_file_writer(logdir)


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, model(images)))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


with writer.as_default():
    tf.summary.text("about", "A small network reads **digits**.", step=0)
    tf.summary.image("digits", test_x[:6], step=0, max_outputs=6)
    for step, (images, labels) in enumerate(batches.take(100)):
        if step == 3:
            tf.summary.trace_on(graph=True, profiler=True)
        loss = train_step(images, labels)
        if step == 8:
            tf.summary.trace_export(name="train_step", step=step, profiler_outdir=logdir)
        tf.summary.scalar("loss", loss, step=step)
        if step % 20 == 0:
            right = tf.reduce_mean(tf.cast(tf.argmax(model(test_x), -1) == test_y, tf.float32))
            tf.summary.scalar("accuracy", right, step=step)
            tf.summary.histogram("kernel", model.layers[0].kernel, step=step)
writer.close()
events = list(Path(logdir).glob("*tfevents*"))
profiles = list(Path(logdir).glob("plugins/profile/*/*"))
print(f"result: {len(events)} event file, {len(profiles)} profile, loss {loss.numpy():.3f}")
