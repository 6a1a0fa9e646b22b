"""Convolutions, a `tf.data` pipeline and a training step under `tf.function`. Result: the share of unseen digits it reads."""

from digits import load

from milepost import tf


class CNN(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = tf.keras.layers.Conv2D(32, 3, padding="same", activation=tf.nn.relu)
        self.second = tf.keras.layers.Conv2D(32, 3, padding="same", activation=tf.nn.relu)
        self.pool = tf.keras.layers.MaxPool2D(2)
        self.flatten = tf.keras.layers.Flatten()
        self.dropout = tf.keras.layers.Dropout(0.3)
        self.scores = tf.keras.layers.Dense(10)

    def call(self, images, training=False):
        x = self.pool(self.second(self.first(images)))
        return self.scores(self.dropout(self.flatten(x), training=training))


tf.random.set_seed(0)
(train_x, train_y), (test_x, test_y) = load()
batches = tf.data.Dataset.from_tensor_slices((train_x, train_y)).shuffle(1000).batch(64)
model, optimizer = CNN(), tf.keras.optimizers.Adam()
loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
seen = tf.keras.metrics.Mean(name="loss")


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = loss_of(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    seen(loss)


for epoch in range(12):
    seen.reset_state()
    for images, labels in batches:
        train_step(images, labels)
    if epoch % 3 == 0:
        print(f"epoch {epoch:2}: loss {float(seen.result()):.3f}")

right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(model(test_x), axis=-1), test_y), tf.float32))
print(f"result: accuracy {right.numpy():.3f}")
