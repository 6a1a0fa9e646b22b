"""`tf.image`: images [height, width, channels] or batches of them. Each file one idea; encoding is in `tf.io`."""

from __future__ import annotations

import importlib
from typing import Any

from milepost.tf.failures import guard

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality", "adjust_saturation", "central_crop",
    "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize", "crop_to_bounding_box", "draw_bounding_boxes", "extract_patches",
    "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb", "image_gradients", "non_max_suppression", "non_max_suppression_overlaps",
    "non_max_suppression_padded", "non_max_suppression_with_scores", "pad_to_bounding_box", "per_image_standardization", "psnr",
    "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down", "random_hue", "random_jpeg_quality",
    "random_saturation", "resize", "resize_with_crop_or_pad", "resize_with_pad", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv",
    "rot90", "sobel_edges", "ssim", "ssim_multiscale", "stateless_random_brightness", "stateless_random_contrast", "stateless_random_crop",
    "stateless_random_flip_left_right", "stateless_random_flip_up_down", "stateless_random_hue", "stateless_random_jpeg_quality",
    "stateless_random_saturation", "total_variation", "transpose", "yiq_to_rgb", "yuv_to_rgb",
]  # fmt: skip

_FILES = ("geometry", "resizing", "colour", "chance", "boxes", "quality")


def __getattr__(name: str) -> Any:
    """A name loads its file when it is first used; encoding and decoding have names here, too."""
    if not name.startswith("_"):
        for file in _FILES if name in __all__ else ():
            module = importlib.import_module(f"milepost.tf.image.{file}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                guard(globals(), [name])
                return globals()[name]
        coded = importlib.import_module("milepost.tf.io.image")
        if name in coded.__all__:
            return getattr(coded, name)
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.image", __all__)
