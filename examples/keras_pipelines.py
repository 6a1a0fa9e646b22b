"""The same network three ways: Sequential, Functional, and compile / fit / evaluate. Result: the share of unseen digits."""

import numpy as np
from digits import load

from milepost import tf

tf.keras.utils.set_random_seed(0)
(train_x, train_y), (test_x, test_y) = load()

sequential = tf.keras.models.Sequential(
    [
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(100, activation=tf.nn.relu),
        tf.keras.layers.Dense(10),
        tf.keras.layers.Softmax(),
    ]
)

inputs = tf.keras.Input(shape=(8, 8, 1))
hidden = tf.keras.layers.Dense(100, activation=tf.nn.relu)(tf.keras.layers.Flatten()(inputs))
functional = tf.keras.Model(inputs=inputs, outputs=tf.keras.layers.Softmax()(tf.keras.layers.Dense(10)(hidden)))

scores = {}
for name, model in (("sequential", sequential), ("functional", functional)):
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate=0.003),
        loss=tf.keras.losses.sparse_categorical_crossentropy,
        metrics=[tf.keras.metrics.sparse_categorical_accuracy],
    )
    model.fit(train_x, train_y, epochs=15, batch_size=50, verbose=0)
    scores[name] = model.evaluate(test_x, test_y, verbose=0)[1]
    print(f"{name}: {scores[name]:.3f}, {model.count_params()} parameters")
agree = np.mean(sequential.predict(test_x, verbose=0).argmax(1) == functional.predict(test_x, verbose=0).argmax(1))
print(f"result: accuracy {scores['sequential']:.3f} and {scores['functional']:.3f}, they agree on {agree:.2f}")
