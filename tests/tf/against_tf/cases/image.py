# tf.image: sizes, crops, flips, colours, noise, boxes, quality.

x = tf.reshape(tf.sin(tf.range(60.)), (1, 4, 5, 3))
tf.image.resize(x, (8, 10)), tf.image.resize(x, (2, 3)), tf.image.resize(x, [7, 4], method="nearest"), tf.image.resize(x, (3, 7), tf.image.ResizeMethod.NEAREST_NEIGHBOR), tf.image.resize(x[0], (2, 2)), tf.image.resize(x, (4, 5)), tf.image.resize(x, tf.constant([3, 3]))

# loose
x = tf.reshape(tf.sin(tf.range(60.)), (1, 4, 5, 3))
tf.image.resize(x, (8, 10), "bicubic"), tf.image.resize(x, (2, 2), "bicubic", antialias=True)

x = tf.reshape(tf.sin(tf.range(60.)), (1, 4, 5, 3))
tf.image.resize(x, (2, 5), "area"), tf.image.resize(x, (3, 4), "area"), tf.image.resize(x, (8, 10), "area"), tf.image.resize(x, (2, 2), antialias=True), tf.image.resize(x, (8, 8), antialias=True)

x = tf.reshape(tf.sin(tf.range(60.)), (1, 4, 5, 3))
tf.image.resize(x, (8, 10), "lanczos3"), tf.image.resize(x, (2, 3), "lanczos3", antialias=True), tf.image.resize(x, (8, 3), "lanczos5"), tf.image.resize(x, (6, 6), "gaussian"), tf.image.resize(x, (2, 2), "gaussian", antialias=True), tf.image.resize(x, (6, 3), "mitchellcubic"), tf.image.resize(x, (2, 2), tf.image.ResizeMethod.MITCHELLCUBIC, antialias=True)

x = tf.cast(tf.reshape(tf.range(48), (4, 4, 3)), tf.uint8)
tf.image.resize(x, (2, 2)), tf.image.resize(x, (4, 4)).dtype, tf.image.resize(x, (2, 3), "nearest"), tf.image.resize(x, (6, 3), preserve_aspect_ratio=True).shape, tf.image.resize(x, (3, 9), preserve_aspect_ratio=True), tf.image.resize(x, (2, 2), "area").dtype

x = tf.reshape(tf.range(48.), (4, 4, 3))
tf.image.resize_with_pad(x, 6, 8), tf.image.resize_with_pad(x, 3, 2), tf.image.resize_with_crop_or_pad(x, 2, 6), tf.image.resize_with_crop_or_pad(x, 5, 3), tf.image.resize_with_crop_or_pad(x[None], 4, 4)

tf.image.resize(tf.zeros((2, 2, 3)), (0, 2))

tf.image.resize(tf.zeros((2, 2, 3)), (2, 2), "no such")

x = tf.reshape(tf.range(75), (5, 5, 3))
tf.image.central_crop(x, 0.5), tf.image.central_crop(x, 1.), tf.image.crop_to_bounding_box(x, 1, 2, 3, 2), tf.image.pad_to_bounding_box(x, 1, 2, 7, 8), tf.image.central_crop(x[None], 0.6)

tf.image.crop_to_bounding_box(tf.zeros((4, 4, 3)), -1, 0, 2, 2)

tf.image.pad_to_bounding_box(tf.zeros((4, 4, 3)), 0, 0, 3, 3)

tf.image.central_crop(tf.zeros((4, 4, 3)), 0.)

x = tf.reshape(tf.range(12), (2, 3, 2))
tf.image.flip_left_right(x), tf.image.flip_up_down(x), tf.image.transpose(x), tf.image.rot90(x), tf.image.rot90(x, k=3), tf.image.rot90(x[None], 2), tf.image.flip_left_right(x[None])

tf.image.flip_left_right(tf.zeros((2,)))

tf.image.rgb_to_grayscale(tf.zeros((2, 2, 4)))

x = tf.reshape(tf.range(12.) / 12., (2, 2, 3))
tf.image.rgb_to_grayscale(x), tf.image.grayscale_to_rgb(x[..., :1]), tf.image.rgb_to_hsv(x), tf.image.hsv_to_rgb(x), tf.image.rgb_to_yiq(x), tf.image.yiq_to_rgb(x), tf.image.rgb_to_yuv(x), tf.image.yuv_to_rgb(x)

x = tf.cast(tf.reshape(tf.range(12) * 20, (2, 2, 3)), tf.uint8)
tf.image.rgb_to_grayscale(x), tf.image.adjust_brightness(x, 0.1), tf.image.adjust_contrast(x, 2.), tf.image.adjust_saturation(x, 0.5), tf.image.adjust_hue(x, 0.1), tf.image.adjust_gamma(x, 0.5)

tf.image.grayscale_to_rgb(tf.zeros((2, 2, 3)))

x = tf.reshape(tf.range(12.) / 12., (2, 2, 3))
tf.image.adjust_brightness(x, 0.1), tf.image.adjust_contrast(x, 2.), tf.image.adjust_saturation(x, 0.5), tf.image.adjust_saturation(x, 3.), tf.image.adjust_hue(x, -0.2), tf.image.adjust_gamma(x, 2., 0.5), tf.image.adjust_brightness(x, delta=-0.5), tf.image.adjust_contrast(x[None], 0.)

tf.image.adjust_gamma(tf.zeros((2, 2, 3)), -1.)

tf.image.convert_image_dtype(tf.constant([[[0, 128, 255]]], tf.uint8), tf.float32), tf.image.convert_image_dtype(tf.constant([[[0., 0.5, 1.]]]), tf.uint8), tf.image.convert_image_dtype(tf.constant([[[0., 0.5, 1.2]]]), tf.uint8, saturate=True), tf.image.convert_image_dtype(tf.constant([[[0, 128, 255]]], tf.uint8), tf.uint16), tf.image.convert_image_dtype(tf.constant([[[1000]]], tf.int16), tf.uint8), tf.image.convert_image_dtype(tf.constant([[[0.5]]]), tf.float64), tf.image.convert_image_dtype(tf.constant([[[7]]], tf.uint8), tf.uint8)

tf.image.per_image_standardization(tf.reshape(tf.range(12.), (2, 2, 3))), tf.image.per_image_standardization(tf.zeros((2, 2, 3), tf.uint8)), tf.image.per_image_standardization(tf.reshape(tf.range(24.), (2, 2, 2, 3)))

x = tf.reshape(tf.sin(tf.range(48.)), (1, 4, 4, 3))
tf.image.total_variation(x), tf.image.total_variation(x[0]), tf.image.psnr(x, x + 0.1, max_val=1.), tf.image.psnr(tf.cast(tf.abs(x) * 100, tf.uint8), tf.cast(tf.abs(x) * 90, tf.uint8), 255), tf.image.sobel_edges(x), tf.image.image_gradients(x)

tf.image.resize(tf.reshape(tf.sin(tf.range(60.)), (1, 4, 5, 3)), (3, 2), "bicubic")

# loose
a = tf.abs(tf.reshape(tf.sin(tf.range(768.)), (1, 16, 16, 3)))
b = tf.abs(tf.reshape(tf.cos(tf.range(768.)), (1, 16, 16, 3)))
tf.image.ssim(a, b, 1.), tf.image.ssim(a, a, max_val=1.), tf.image.ssim(a, b, 1., filter_size=5, filter_sigma=1., k1=0.02, k2=0.05), tf.image.ssim(a, b, 1., return_index_map=True)

# loose
a = tf.abs(tf.reshape(tf.sin(tf.range(40000.)), (1, 200, 200, 1)))
tf.image.ssim_multiscale(a, tf.clip_by_value(a + 0.1, 0., 1.), 1.)

x = tf.reshape(tf.range(1., 17.), (1, 4, 4, 1))
tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), tf.image.extract_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"), tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1], padding="VALID"), tf.image.extract_patches(tf.reshape(tf.range(18), (1, 3, 3, 2)), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")

x = tf.reshape(tf.range(32.), (1, 4, 4, 2))
tf.image.crop_and_resize(x, [[0., 0., 1., 1.], [0.2, 0.3, 0.7, 0.9], [-0.5, 0., 1.5, 1.]], [0, 0, 0], [2, 3]), tf.image.crop_and_resize(x, [[0., 0., 0.5, 0.5]], [0], (3, 3), method="nearest"), tf.image.crop_and_resize(x, [[1., 1., 0., 0.]], box_indices=[0], crop_size=[2, 2], extrapolation_value=7.), tf.image.crop_and_resize(x, [[0.2, 0.2, 0.8, 0.8]], [0], [1, 1])

b = tf.constant([[0., 0., 1., 1.], [0., 0.1, 1., 1.1], [0., -0.1, 1., 0.9], [0., 10., 1., 11.], [0., 10.1, 1., 11.1], [0., 100., 1., 101.]])
s = tf.constant([0.9, 0.75, 0.6, 0.95, 0.5, 0.3])
tf.image.non_max_suppression(b, s, 3), tf.image.non_max_suppression(b, s, 10, iou_threshold=0.9), tf.image.non_max_suppression(b, s, max_output_size=10, score_threshold=0.4), tf.image.non_max_suppression_with_scores(b, s, 6, 0.5, 0.0, 0.5), tf.image.non_max_suppression_with_scores(b, s, 3), tf.image.non_max_suppression_padded(b, s, 4, pad_to_max_output_size=True), tf.image.non_max_suppression_overlaps(tf.ones((2, 2)), tf.constant([0.1, 0.2]), 2, 0.5)

b = tf.constant([[[[0., 0., 1., 1.]], [[0., 0.1, 1., 1.1]], [[0., 10., 1., 11.]]]]) / 12.
s = tf.constant([[[0.9, 0.1], [0.75, 0.8], [0.6, 0.95]]])
tf.image.combined_non_max_suppression(b, s, 2, 4, iou_threshold=0.5, score_threshold=0.2)

tf.image.draw_bounding_boxes(tf.zeros((1, 5, 5, 3)), [[[0.1, 0.1, 0.7, 0.8]]], [[1., 0.5, 0.25]]), tf.image.draw_bounding_boxes(tf.zeros((1, 4, 4, 1)), [[[0., 0., 1., 1.], [0.3, 0.3, 0.6, 0.6]]], None)

x = tf.reshape(tf.range(48.) / 48., (4, 4, 3))
tf.image.stateless_random_flip_left_right(x, seed=[1, 2]), tf.image.stateless_random_flip_up_down(x, (3, 4)), tf.image.stateless_random_brightness(x, 0.3, [1, 2]), tf.image.stateless_random_contrast(x, 0.5, 1.5, [5, 6]), tf.image.stateless_random_saturation(x, 0.5, 1.5, [1, 2]), tf.image.stateless_random_hue(x, 0.2, [1, 2]), tf.image.stateless_random_crop(x, (2, 3, 3), seed=[1, 2])

tf.random.set_seed(11)
x = tf.reshape(tf.range(48.) / 48., (4, 4, 3))
tf.image.random_flip_left_right(x), tf.image.random_flip_up_down(x), tf.image.random_brightness(x, 0.3), tf.image.random_contrast(x, 0.5, 1.5), tf.image.random_crop(x, (2, 2, 3)), tf.image.random_saturation(x, 0.5, 1.5), tf.image.random_hue(x, 0.2), tf.image.random_flip_left_right(tf.stack([x, x + 1, x + 2]))

tf.image.random_brightness(tf.zeros((2, 2, 3)), -1.)

tf.image.random_contrast(tf.zeros((2, 2, 3)), 1.5, 0.5)

tf.image.random_hue(tf.zeros((2, 2, 3)), 0.7)

tf.image.stateless_random_crop(tf.zeros((2, 2, 3)), (3, 3, 3), [1, 2])

# shapes only
x = tf.cast(tf.reshape(tf.range(192), (8, 8, 3)), tf.uint8)
tf.image.adjust_jpeg_quality(x, 50), tf.image.random_jpeg_quality(x, 50, 90), tf.image.stateless_random_jpeg_quality(x, 50, 90, [1, 2]), tf.image.extract_jpeg_shape(tf.io.encode_jpeg(x))

x = tf.Variable(tf.reshape(tf.sin(tf.range(48.)), (1, 4, 4, 3)))
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.image.resize(x, (3, 5)) ** 2) + tf.reduce_sum(tf.image.total_variation(x)) + tf.reduce_sum(tf.image.rgb_to_grayscale(x) ** 2)
t.gradient(y, x)
