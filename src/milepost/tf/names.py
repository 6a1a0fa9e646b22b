"""The public names of `milepost.tf` and the file each lives in. Nothing is imported here."""

from __future__ import annotations

__all__ = ["NAMES", "SPACES"]

_FILES: dict[str, str] = {
    "dtypes": "DType as_dtype bfloat16 complex64 complex128 double float16 float32 float64 half int8 int16 int32 int64 resource string "
    "uint8 uint16 uint32 uint64 variant bool=bool_",
    "shapes": "TensorShape TensorSpec",
    "tensor": "Tensor",
    "convert": "constant convert_to_tensor identity is_tensor",
    "variables": "Variable",
    "tape": "GradientTape UnconnectedGradients",
    "pointwise": "abs acos acosh add add_n asin asinh atan atan2 atanh cast clip_by_norm clip_by_value clip_by_global_norm complex cos cosh "
    "divide equal exp floor greater greater_equal less less_equal logical_and logical_not logical_or maximum minimum multiply negative "
    "not_equal pow realdiv round saturate_cast sigmoid sign sin sinh sqrt square subtract tan tanh truediv truncatediv truncatemod",
    "reductions": "argmax argmin cumsum reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum "
    "norm=reduce_norm",
    "execution": "Assert control_dependencies executing_eagerly get_current_name_scope get_static_value inside_function is_symbolic_tensor get_logger group init_scope name_scope no_op print",
    "placement": "device",
    "compat_v1": "ConfigProto GPUOptions enable_eager_execution",
    "starting_values": "constant_initializer ones_initializer random_normal_initializer random_uniform_initializer zeros_initializer",
    "keras": "initializers losses metrics optimizers",
    "functions": "function",
    "arrays": "TensorArray VariableAggregation VariableSynchronization identity_n scalar_mul timestamp tuple unravel_index",
    "strings": "as_string",
    "debugging": "assert_equal assert_greater assert_less assert_rank",
    "ragged": "RaggedTensor",
    "edit_distances": "edit_distance",
    "specs": "IndexedSlicesSpec RaggedTensorSpec SparseTensorSpec TypeSpec type_spec_from_value",
    "paddings": "required_space_to_batch_paddings",
    "sparse": "SparseTensor",
    "module": "Module",
    "derivatives": "gradients hessians",
    "graph_v1": "Graph",
    "slices": "IndexedSlices",
    "handmade": "custom_gradient grad_pass_through recompute_grad stop_gradient",
    "control": "case cond foldl foldr map_fn numpy_function py_function scan switch_case vectorized_map while_loop",
    "products": "einsum matmul tensordot",
    "decompositions": "eig eigvals matrix_square_root=sqrtm",
    "gathering": "boolean_mask dynamic_partition dynamic_stitch gather gather_nd reverse_sequence where",
    "scattering": "scatter_nd tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update",
    "sorting": "approx_top_k=approx_max_k argsort searchsorted sort unique unique_with_counts",
    "blocks": "batch_to_space space_to_batch space_to_batch_nd=space_to_batch",
    "counting": "histogram_fixed_width histogram_fixed_width_bins",
    "creation": "eye fill linspace meshgrid one_hot ones ones_like range sequence_mask zeros zeros_like",
    "joining": "concat parallel_stack split stack unstack",
    "shaping": "bitcast broadcast_dynamic_shape broadcast_static_shape broadcast_to ensure_shape expand_dims pad rank repeat reshape reverse roll shape "
    "shape_n size slice squeeze strided_slice tile transpose",
}

NAMES: dict[str, tuple[str, str]] = {}
for _file, _listed in _FILES.items():
    for _entry in _listed.split():
        _public, _, _own = _entry.partition("=")
        NAMES[_public] = (_file, _own or _public)

SPACES: dict[str, str] = {
    "audio": "milepost.tf.audio",
    "data": "milepost.tf.data",
    "experimental": "milepost.tf.experimental",
    "io": "milepost.tf.io",
    "sparse": "milepost.tf.sparse",
    "ragged": "milepost.tf.ragged",
    "sets": "milepost.tf.sets",
    "lookup": "milepost.tf.lookup",
    "train": "milepost.tf.train",
    "distribute": "milepost.tf.distribute",
    "errors": "milepost.tf.errors",
    "keras": "milepost.tf.keras",
    "autodiff": "milepost.tf.autodiff",
    "autograph": "milepost.tf.autograph",
    "bitwise": "milepost.tf.bitwise",
    "compat": "milepost.tf.compat",
    "config": "milepost.tf.config",
    "contrib": "milepost.tf.contrib",
    "debugging": "milepost.tf.debugging",
    "image": "milepost.tf.image",
    "saved_model": "milepost.tf.saved_model",
    "signal": "milepost.tf.signal",
    "strings": "milepost.tf.strings",
    "linalg": "milepost.tf.linalg",
    "math": "milepost.tf.math",
    "nest": "milepost.tf.nest",
    "profiler": "milepost.tf.profiler",
    "quantization": "milepost.tf.quantization",
    "random": "milepost.tf.random",
    "summary": "milepost.tf.summary",
    "test": "milepost.tf.test",
    "version": "milepost.tf.version",
    "nn": "milepost.tf.nn",
}
