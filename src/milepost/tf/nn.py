"""`tf.nn`: activations, losses on logits, convolutions, pooling, normalisation under one roof."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from milepost.tf import failures
from milepost.tf.activations import (
    crelu,
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    swish,
)
from milepost.tf.blocks import depth_to_space, space_to_batch, space_to_depth
from milepost.tf.candidates import all_candidate_sampler, nce_loss, sampled_softmax_loss
from milepost.tf.convolutions import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    separable_conv2d,
)
from milepost.tf.counting import in_top_k
from milepost.tf.ctc import collapse_repeated, ctc_beam_search_decoder, ctc_greedy_decoder, ctc_loss
from milepost.tf.linalg import l2_normalize
from milepost.tf.logits import (
    compute_average_loss,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
    zero_fraction,
)
from milepost.tf.normalisation import (
    batch_norm_with_global_normalization,
    batch_normalization,
    bias_add,
    dropout,
    local_response_normalization,
    normalize_moments,
    stateless_dropout,
    sufficient_statistics,
    weighted_moments,
)
from milepost.tf.pointwise import log_sigmoid, sigmoid, softplus, softsign, tanh
from milepost.tf.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    dilation2d,
    erosion2d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    pool,
)
from milepost.tf.reductions import moments
from milepost.tf.sorting import approx_max_k, approx_min_k, isotonic_regression, top_k
from milepost.tf.tables import embedding_lookup, embedding_lookup_sparse, safe_embedding_lookup_sparse

lrn = local_response_normalization
experimental = SimpleNamespace(stateless_dropout=stateless_dropout)

__all__ = [
    "all_candidate_sampler", "approx_max_k", "approx_min_k", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool", "avg_pool1d", "avg_pool2d",
    "avg_pool3d", "batch_norm_with_global_normalization", "batch_normalization", "bias_add", "collapse_repeated", "compute_average_loss", "conv1d",
    "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "conv_transpose", "convolution", "crelu",
    "ctc_beam_search_decoder", "ctc_greedy_decoder", "ctc_loss", "depth_to_space", "depthwise_conv2d", "dilation2d", "dropout", "elu",
    "embedding_lookup", "embedding_lookup_sparse", "erosion2d", "experimental", "gelu", "in_top_k", "isotonic_regression", "l2_loss",
    "l2_normalize", "leaky_relu", "local_response_normalization", "log_poisson_loss", "log_sigmoid", "log_softmax", "lrn", "max_pool",
    "max_pool1d", "max_pool2d", "max_pool3d", "max_pool_with_argmax", "moments", "nce_loss", "normalize_moments", "pool", "relu", "relu6",
    "safe_embedding_lookup_sparse", "sampled_softmax_loss", "scale_regularization_loss", "selu", "separable_conv2d", "sigmoid",
    "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits", "softplus", "softsign", "space_to_batch",
    "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "sufficient_statistics", "swish", "tanh", "top_k",
    "weighted_cross_entropy_with_logits", "weighted_moments", "zero_fraction",
]  # fmt: skip


failures.guard(
    globals(),
    __all__,
    "relu relu6 elu selu sigmoid tanh softplus softsign log_sigmoid bias_add conv2d max_pool2d moments",
)


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.nn", __all__)
