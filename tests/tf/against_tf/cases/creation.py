# New tensors: from Python, numpy, shapes and rules.

tf.constant(1), tf.constant(1.), tf.constant(True), tf.constant("a"), tf.constant(b"a"), tf.constant(1+2j), tf.constant(2**40)

tf.constant([1, 2.5]), tf.constant([1, True]), tf.constant([[1], [2]]), tf.constant([]), tf.constant([[]]), tf.constant(())

tf.constant([True, 1])

tf.constant([1, "a"])

tf.constant([[1, 2], [3]])

tf.constant(None)

tf.constant([1, None])

tf.constant({"a": 1})

tf.constant(object())

tf.constant(2**63)

tf.constant([2**31, 1])

tf.constant(3000000000, tf.int32)

tf.constant(300, tf.uint8)

tf.constant(-1, tf.uint8)

tf.constant([300, 1], tf.uint8)

tf.constant(1.5, tf.int32)

tf.constant([1.5, 2], tf.int32)

tf.constant(1, tf.float32), tf.constant(1, tf.bool)

tf.constant(1, tf.string)

tf.constant("a", tf.int32)

tf.constant([1, 2], tf.float16), tf.constant([1, 2], "complex64"), tf.constant([0.5], tf.bfloat16), tf.constant([1, 2], tf.uint16), tf.constant([1, 2], tf.uint32), tf.constant([1], tf.uint64)

tf.constant(0, shape=(2, 3)), tf.constant([1, 2, 3, 4], shape=(2, 2)), tf.constant(1., shape=[2]), tf.constant("a", shape=(2,))

tf.constant([1, 2, 3], shape=(2, 2))

tf.constant(np.array([1, 2])), tf.constant(np.array([1.5])), tf.constant(np.float32(2)), tf.constant(np.array(["a", "b"])), tf.constant(np.array([True])), tf.constant(np.arange(4, dtype=np.uint8))

tf.constant(np.array([1.7]), tf.int32), tf.constant(np.array([1, 2]), tf.float32)

tf.constant(np.array([1, "a"], dtype=object))

tf.constant([np.array([1, 2]), np.array([3, 4])]), tf.constant([np.float32(1), 2.])

tf.convert_to_tensor([tf.constant(1), 2]), tf.convert_to_tensor([tf.constant(1.), 2])

tf.convert_to_tensor([tf.constant([1, 2]), tf.constant([1])])

tf.constant(range(3)), tf.convert_to_tensor(range(2, 5))

tf.constant(tf.constant([1, 2]), tf.float32)

tf.convert_to_tensor(tf.constant([1, 2]), tf.float32)

tf.convert_to_tensor(1, dtype_hint=tf.float32), tf.convert_to_tensor(1.5, dtype_hint=tf.int32), tf.convert_to_tensor([1, 2], tf.float64)

tf.convert_to_tensor(tf.Variable([1., 2.])), tf.convert_to_tensor("x")

tf.convert_to_tensor(tf.TensorShape([2, 3])), tf.constant(tf.TensorShape([1]))

tf.convert_to_tensor(tf.TensorShape([2, None]))

tf.zeros(3), tf.zeros([]), tf.zeros((2, 0)), tf.zeros([2, 2], tf.int32), tf.zeros(2, tf.bool), tf.zeros(2, tf.string), tf.zeros(tf.constant([2, 1])), tf.zeros(shape=(1,), dtype="float64")

tf.zeros((-1,))

tf.zeros([2, None])

tf.zeros("a")

tf.ones(2), tf.ones((1, 2), tf.int64), tf.ones([], tf.bool), tf.ones(2, tf.complex64)

tf.ones(2, tf.string)

tf.fill([2, 2], 7), tf.fill((1,), 2.5), tf.fill([2], "a"), tf.fill(dims=[1], value=True), tf.fill([], 3)

tf.fill([2], [1, 2])

tf.zeros_like([1, 2]), tf.zeros_like([1., 2.], tf.int32), tf.zeros_like(tf.constant(["a"])), tf.ones_like([[1, 2]]), tf.ones_like([1, 2], dtype=tf.float32), tf.zeros_like(np.zeros((2, 2))), tf.ones_like([True, False])

tf.range(3), tf.range(1, 4), tf.range(0, 10, 3), tf.range(3.), tf.range(5, 0, -2), tf.range(0, 1, 0.25), tf.range(start=1, limit=3), tf.range(3, dtype=tf.float32), tf.range(2, delta=1)

tf.range(3, 1), tf.range(0)

tf.range(1, 3, 0)

tf.range(1, 3, -1)

tf.range(tf.constant(3, tf.int64)), tf.range(tf.constant(1.), 3.), tf.range(1, tf.constant(4, tf.int64)), tf.range(np.int64(3)), tf.range(0, 2.5)

tf.range(-3.5, 2.2, 0.7), tf.range(1e-3, 1., 0.1)

tf.linspace(0., 1., 5), tf.linspace(0, 10, 3), tf.linspace([0., 1.], [1., 2.], 3), tf.linspace([0., 1.], [1., 2.], 3, axis=-1), tf.linspace(1., 1., 1), tf.linspace(0., 5., num=2)

tf.linspace(0., 1., 0)

tf.linspace(tf.constant(0., tf.float64), tf.constant(1., tf.float64), 4)

tf.eye(2), tf.eye(2, 3), tf.eye(2, dtype=tf.int32), tf.eye(2, batch_shape=[2]), tf.eye(0), tf.eye(1, dtype=tf.bool)

tf.one_hot([0, 2], 3), tf.one_hot(1, 3), tf.one_hot([0, -1, 5], 3), tf.one_hot([[0, 1]], 2), tf.one_hot([0, 1], 2, on_value=5, off_value=-1), tf.one_hot([0, 1], 3, axis=0), tf.one_hot([0], 2, dtype=tf.int32), tf.one_hot([1], 2, on_value=True, off_value=False), tf.one_hot([0], 2, on_value=2.)

tf.one_hot([0.5], 3)

tf.one_hot([1], -1)

tf.one_hot([1], 2, on_value=1, off_value=0.)

tf.sequence_mask([1, 3, 2]), tf.sequence_mask([1, 3], 5), tf.sequence_mask([[1], [0]], dtype=tf.int32), tf.sequence_mask(2, 3), tf.sequence_mask([])

tf.meshgrid([1, 2, 3], [4, 5]), tf.meshgrid([1, 2], [3], indexing="ij"), tf.meshgrid([1, 2]), tf.meshgrid(tf.range(2), tf.range(2), tf.range(1))

tf.meshgrid([1], [2], indexing="zz")

tf.identity([1, 2]), tf.identity(tf.constant("a")), tf.identity_n([1, 2.])

tf.rank([[1, 2]]), tf.rank(3), tf.size([[1, 2]]), tf.size([], out_type=tf.int64), tf.shape([[1, 2]]), tf.shape(3), tf.shape([[1]], tf.int64), tf.shape_n([[1], [2, 3]])

tf.is_tensor(tf.constant(1)), tf.is_tensor(np.array(1)), tf.is_tensor(tf.Variable(1)), tf.is_tensor(1)

tf.constant([1, 2]).shape == (2,), tf.constant([[1]]).shape.as_list(), tf.constant(1).shape.rank, tf.constant([1]).ndim, tf.constant([1, 2]).shape[0], len(tf.constant([1, 2]))

len(tf.constant(1))

[int(v) for v in tf.constant([1, 2])], list(tf.constant([[1], [2]]))

list(tf.constant(1))

int(tf.constant(3)), float(tf.constant(2.5)), bool(tf.constant(True)), bool(tf.constant([0])), complex(tf.constant(1+2j)), [1, 2, 3][tf.constant(1)]

bool(tf.constant([1, 2]))

int(tf.constant([1, 2]))

int(tf.constant("3")), float(tf.constant("2.5"))

hash(tf.constant(1))

tf.constant([1, 2])[0] = 3

tf.constant([1, 2]).numpy(), tf.constant(1.5).numpy(), tf.constant("a").numpy(), tf.constant(["a", "b"]).numpy(), tf.constant(True).numpy()

type(tf.constant(1.5).numpy()).__name__, type(tf.constant(1).numpy()).__name__, type(tf.constant([1]).numpy()).__name__, type(tf.constant("a").numpy()).__name__, type(tf.constant(True).numpy()).__name__

np.array(tf.constant([1, 2])), np.asarray(tf.constant([1., 2.]), dtype=np.int32), np.sum(tf.constant([1, 2])), np.mean(tf.constant([1., 2.])), np.add(tf.constant([1]), 2), np.exp(tf.constant([0.]))

np.stack([tf.constant([1]), tf.constant([2])]), np.concatenate([tf.constant([1]), tf.constant([2])]), np.max(tf.constant([1, 5]))

tf.constant([1, 2]).dtype, tf.constant([1, 2]).dtype == tf.int32, tf.constant([1, 2]).dtype == np.int32, tf.constant(1.).dtype == "float32", tf.constant(1.).dtype.name, tf.constant([1]).get_shape()

tf.constant([1.5]).set_shape([2])

tf.constant([1]).name

tf.constant([3, 1]).foo

tf.constant(1)()

tf.Tensor([1])

tf.TensorShape([2, None]), tf.TensorShape(None), tf.TensorShape([2, 3]).num_elements(), tf.TensorShape([None, 3]).is_fully_defined(), tf.TensorShape([2]).concatenate([3]), tf.TensorShape([2, None]).as_list(), tf.TensorShape([1, 2])[1:], tf.TensorShape([1, 2]) + [3]

tf.TensorShape([2, None]).merge_with([None, 3]), tf.TensorShape([2, None]).is_compatible_with([2, 5]), tf.TensorShape([2]) == [2], tf.TensorShape([2, 3]).with_rank(2), bool(tf.TensorShape([])), len(tf.TensorShape([1, 2])), list(tf.TensorShape([1, 2]))

tf.TensorShape([2]).merge_with([3])

tf.TensorShape(None).as_list()

tf.TensorShape([2]).assert_has_rank(3)

tf.TensorShape([2, 3]).with_rank_at_least(1), tf.TensorShape([2, 3]).with_rank_at_most(3), tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4]), tf.TensorShape([2, None]).is_subtype_of(tf.TensorShape([2, None])), tf.TensorShape([2, 3]).ndims

tf.TensorShape("ab")

tf.TensorSpec([2, None], tf.float32), tf.TensorSpec([], tf.int32, "n"), tf.TensorSpec.from_tensor(tf.constant([1])), tf.TensorSpec([None]).is_compatible_with(tf.constant([1., 2.])), tf.TensorSpec([2]) == tf.TensorSpec([2])

tf.DType(1), tf.as_dtype("float32"), tf.as_dtype(np.int64), tf.as_dtype(float), tf.as_dtype(bool), tf.as_dtype(3), tf.as_dtype("half"), tf.as_dtype(tf.int8), tf.as_dtype("string"), tf.as_dtype(complex)

tf.as_dtype("nope")

tf.as_dtype([1])

[(d.is_floating, d.is_integer, d.is_complex, d.is_bool, d.is_unsigned, d.size, d.name, d.as_numpy_dtype.__name__, d.as_datatype_enum, d.base_dtype.name, d.real_dtype.name) for d in (tf.float32, tf.int8, tf.complex64, tf.bool, tf.uint16, tf.float64, tf.float16)]

tf.float32.min, tf.float32.max, tf.int8.min, tf.int8.max, tf.uint8.max, tf.int64.min, tf.float16.max, tf.int32.limits, tf.uint8.limits

tf.bool.min, tf.bool.max

tf.string.max

tf.dtypes.as_dtype("int32"), tf.dtypes.cast([1.5], tf.int32), tf.dtypes.float32, tf.dtypes.complex([1.], [2.]), tf.dtypes.saturate_cast([300], tf.uint8), tf.dtypes.bool, tf.dtypes.int64

tf.bitcast(tf.constant([1., 2.]), tf.int32), tf.bitcast(tf.constant([1], tf.int64), tf.int32), tf.bitcast(tf.constant([[1, 0]], tf.int32), tf.int64), tf.bitcast(tf.constant([1, 2, 3, 4], tf.uint8), tf.uint32)

tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.int32)
