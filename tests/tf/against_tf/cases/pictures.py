# Pictures between bytes and tensors. Lossless ones agree to the bit, JPEG within what decoders differ by.

i = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
tf.io.decode_png(tf.io.encode_png(i)), tf.image.decode_png(tf.image.encode_png(i[..., :1]))

i = np.arange(4 * 5 * 4, dtype=np.uint8).reshape(4, 5, 4)
[tf.io.decode_png(tf.io.encode_png(i), channels=c).shape for c in (0, 1, 3, 4)], tf.io.decode_png(tf.io.encode_png(i), channels=4)

i = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
tf.io.decode_png(tf.io.encode_png(i), channels=4), tf.io.decode_png(tf.io.encode_png(i), dtype=tf.uint16)

i = (np.arange(4 * 5 * 1) * 700).astype(np.uint16).reshape(4, 5, 1)
tf.io.decode_png(tf.io.encode_png(i), dtype=tf.uint16)

i = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
tf.io.decode_image(tf.io.encode_png(i)), tf.io.decode_image(tf.io.encode_png(i), dtype=tf.float32), tf.io.decode_image(tf.io.encode_png(i), channels=1).shape

i = np.stack([np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)] * 2)
tf.io.encode_png(i).shape

tf.io.encode_png(np.zeros((2, 2, 5), np.uint8))

tf.io.encode_png(np.zeros((2, 2), np.uint8))

tf.io.encode_png(np.zeros((2, 2, 3), np.float32))

tf.io.encode_jpeg(np.zeros((2, 2, 4), np.uint8))

tf.io.encode_jpeg(tf.zeros((2, 2, 3)))

tf.io.decode_png(b"garbage")

tf.io.decode_jpeg(b"garbage")

tf.io.decode_image(b"garbage")

tf.io.decode_image(b"")

tf.io.decode_bmp(b"garbage")

tf.io.decode_gif(b"garbage")

tf.io.decode_png(tf.io.encode_png(np.zeros((2, 2, 3), np.uint8)), channels=2)

tf.io.decode_png(tf.io.encode_png(np.zeros((2, 2, 3), np.uint8)), channels=7)

tf.io.decode_png(tf.io.encode_png(np.zeros((2, 2, 3), np.uint8)), dtype=tf.int32)

tf.io.decode_jpeg(tf.io.encode_png(np.arange(12, dtype=np.uint8).reshape(2, 2, 3)))

tf.io.decode_png(tf.io.encode_png(np.arange(12, dtype=np.uint8).reshape(2, 2, 3)).numpy()[:40])

i = np.full((16, 16, 3), 90, np.uint8)
d = tf.io.decode_jpeg(tf.io.encode_jpeg(i))
d.dtype, d.shape, int(np.abs(d.numpy().astype(int) - 90).max()) < 3

i = np.full((16, 24, 3), 90, np.uint8)
e = tf.io.encode_jpeg(i, quality=80)
[tf.io.decode_jpeg(e, channels=c).shape for c in (0, 1, 3)], [tf.io.decode_jpeg(e, ratio=r).shape for r in (1, 2, 4, 8)], tf.io.is_jpeg(e), tf.io.extract_jpeg_shape(e)

i = np.full((16, 24, 1), 90, np.uint8)
e = tf.io.encode_jpeg(i, format="grayscale")
tf.io.decode_jpeg(e).shape, tf.io.extract_jpeg_shape(e), tf.io.is_jpeg(tf.io.encode_png(i))

tf.io.decode_jpeg(tf.io.encode_jpeg(np.zeros((8, 8, 3), np.uint8)), ratio=3)

tf.io.decode_jpeg(tf.io.encode_jpeg(np.zeros((8, 8, 3), np.uint8)), channels=4)

e = tf.io.encode_jpeg(np.full((16, 24, 3), 90, np.uint8))
tf.io.decode_and_crop_jpeg(e, [1, 2, 5, 6]).shape, tf.image.decode_and_crop_jpeg(e, [0, 0, 16, 24], channels=1).shape

tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(np.full((16, 24, 3), 90, np.uint8)), [10, 2, 15, 6])

# A bitmap and an animation, written by hand.

import struct
rows = bytes([1, 2, 3, 4, 5, 6, 0, 0]) + bytes([7, 8, 9, 10, 11, 12, 0, 0])
bmp = b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 24, 0, len(rows), 2835, 2835, 0, 0) + rows
tf.io.decode_bmp(bmp), tf.io.decode_image(bmp), tf.io.decode_bmp(bmp, channels=3).shape

import base64
gif = base64.b64decode("R0lGODlhAgACAPAAAAAAAP///yH5BAAKAAAALAAAAAACAAIAAAIDRAIFADs=")
tf.io.decode_gif(gif).shape, tf.io.decode_image(gif).shape, tf.io.decode_image(gif, expand_animations=False).shape

# The image loading tutorial.

import os, tempfile
d = tempfile.mkdtemp()
for kind in ("daisy", "rose"):
    os.makedirs(f"{d}/{kind}")
    for n in range(3):
        tf.io.write_file(f"{d}/{kind}/{n}.png", tf.io.encode_png(np.full((6 + n, 5, 3), 40 * n, np.uint8)))
names = np.array(sorted(os.listdir(d)))
def get_label(path):
    parts = tf.strings.split(path, os.path.sep)
    return tf.argmax(parts[-2] == names)
def process(path):
    img = tf.io.decode_png(tf.io.read_file(path), channels=3)
    return tf.image.resize(img, [4, 4]), get_label(path)
ds = tf.data.Dataset.list_files(f"{d}/*/*", shuffle=False).map(process, num_parallel_calls=tf.data.AUTOTUNE)
[(x.shape, float(x[0, 0, 0]), int(y)) for x, y in ds], [(x.shape, y) for x, y in ds.cache().batch(4).prefetch(tf.data.AUTOTUNE)]
