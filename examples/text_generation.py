"""Text, character by character: an LSTM cell unrolled by hand, sampled at several temperatures.

The text is Python's own language reference, which ships with every Python. Result: the loss, and how varied each temperature is.
"""

from pydoc_data.topics import topics

import numpy as np

from milepost import tf

SEQUENCE, BATCH, STEPS = 20, 64, 300
text = " ".join(topics[name] for name in sorted(topics)).lower()
text = "".join(c for c in text if c.isalpha() or c in " .,\n")[:200_000]
alphabet = sorted(set(text))
codes = np.array([alphabet.index(c) for c in text], np.int32)
random = np.random.default_rng(0)


class Writer(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.cell = tf.keras.layers.LSTMCell(units=128)
        self.scores = tf.keras.layers.Dense(len(alphabet))

    def call(self, characters):
        batch, length = characters.shape
        hot = tf.one_hot(characters, depth=len(alphabet))
        state = self.cell.get_initial_state(batch_size=batch)
        for place in range(length):
            output, state = self.cell(hot[:, place, :], state)
        return self.scores(output)

    def choose(self, characters, temperature):
        chances = tf.nn.softmax(self(characters) / temperature).numpy()
        return np.array([random.choice(len(alphabet), p=row / row.sum()) for row in chances.astype(np.float64)])


tf.random.set_seed(0)
model, optimizer = Writer(), tf.keras.optimizers.Adam(0.01)
recent = []
for step in range(STEPS):
    starts = random.integers(0, len(codes) - SEQUENCE - 1, BATCH)
    inputs = np.stack([codes[s : s + SEQUENCE] for s in starts])
    targets = codes[starts + SEQUENCE]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=model(inputs)))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    recent = [*recent[-24:], float(loss)]
    if step % 50 == 0:
        print(f"step {step:3}: loss {loss.numpy():.3f}")

kinds = {}
for temperature in (0.2, 1.2):
    written = np.stack([codes[s : s + SEQUENCE] for s in (1000, 2000, 3000, 4000)])
    for _ in range(40):
        written = np.concatenate([written, model.choose(written[:, -SEQUENCE:], temperature)[:, None]], axis=1)
    print(f"temperature {temperature}: {''.join(alphabet[c] for c in written[0, SEQUENCE:])!r}")
    kinds[temperature] = len(set(written[:, SEQUENCE:].ravel().tolist()))
print(f"result: loss {np.mean(recent):.2f}, characters used {kinds[0.2]} at 0.2 and {kinds[1.2]} at 1.2")
