"""Deep Q-learning: a pole is balanced on a cart. Result: how long, on average, over the best twenty episodes in a row.

gymnasium's environments return five values a step where the older gym returned four; `old_step` is the whole difference.
"""

import random
from collections import deque

import gymnasium
import numpy as np

from milepost import tf

EPISODES, BATCH, GAMMA = 260, 32, 0.98


class QNetwork(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = tf.keras.layers.Dense(24, activation=tf.nn.relu)
        self.second = tf.keras.layers.Dense(24, activation=tf.nn.relu)
        self.values = tf.keras.layers.Dense(2)

    def call(self, states):
        return self.values(self.second(self.first(states)))


def old_step(environment, action):
    """(state, reward, done, info), as gym gave it."""
    state, reward, ended, cut, info = environment.step(action)
    return state, reward, ended or cut, info


random.seed(0)
np.random.seed(0)
tf.random.set_seed(0)
environment = gymnasium.make("CartPole-v1")
model, optimizer = QNetwork(), tf.keras.optimizers.Adam(0.002)
memory, lengths = deque(maxlen=10_000), []

for episode in range(EPISODES):
    state, _ = environment.reset(seed=episode)
    epsilon = max(0.5 * (1 - episode / 120), 0.02)
    for length in range(1, 501):
        if random.random() < epsilon:
            action = environment.action_space.sample()
        else:
            action = int(tf.argmax(model(state[None]), axis=-1)[0])
        after, reward, done, _ = old_step(environment, action)
        memory.append((state, action, -1.0 if done and length < 500 else reward, after, float(done)))
        state = after
        if done:
            break
        if len(memory) >= BATCH and length % 2 == 0:
            states, actions, rewards, afters, ends = map(np.array, zip(*random.sample(memory, BATCH), strict=True))
            targets = rewards + GAMMA * tf.reduce_max(model(afters), axis=1) * (1 - ends)
            with tf.GradientTape() as tape:
                chosen = tf.reduce_sum(model(states) * tf.one_hot(actions, 2), axis=1)
                loss = tf.keras.losses.mean_squared_error(y_true=targets, y_pred=chosen)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    lengths.append(length)
    if episode % 20 == 19:
        mean = np.mean(lengths[-20:])
        print(f"episode {episode + 1:3}: {mean:6.1f} steps")
        if mean > 150:
            break
best = max(np.mean(lengths[i : i + 20]) for i in range(len(lengths) - 19))
print(f"result: balanced {best:.0f} steps")
