"""Made the files beside it with TensorFlow 2.21: python make.py (in the peers' environment)."""

from pathlib import Path

import numpy as np
import tensorflow as tf

HERE = str(Path(__file__).parent)


class Module(tf.Module):
    def __init__(self) -> None:
        self.w = tf.Variable(np.arange(6, dtype="f4").reshape(2, 3))
        self.layers = [tf.Variable(1.5), {"a/b.c": tf.Variable(2.5, dtype=tf.bfloat16)}]
        self.text = tf.Variable(["grüß", "", "x" * 200])
        self.alias = self.w


checkpoint = tf.train.Checkpoint(model=Module(), step=tf.Variable(7, dtype=tf.int64))
checkpoint.save(HERE + "/module")
whole = np.arange(24, dtype="f4").reshape(6, 4)
tf.raw_ops.SaveV2(
    prefix=HERE + "/sliced",
    tensor_names=["t", "t", "t"],
    shape_and_slices=["6 4 0,2:-", "6 4 2,4:0,1", "6 4 2,4:1,3"],
    tensors=[whole[:2], whole[2:, :1], whole[2:, 1:]],
)
