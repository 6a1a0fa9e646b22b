tf.nest.flatten({"b": 1, "a": [2, (3, 4)]})

tf.nest.flatten(3), tf.nest.flatten([]), tf.nest.flatten({}), tf.nest.flatten(None), tf.nest.flatten("abc"), tf.nest.flatten(np.arange(3))

tf.nest.flatten(tf.constant([1, 2])), tf.nest.flatten((tf.constant(1), [tf.constant(2)]))

tf.nest.flatten({"a": None, "b": [None, 1]})

tf.nest.flatten({2: "x", 1: "y"})

tf.nest.flatten({10: "x", 9: "y"})

import collections
P = collections.namedtuple("P", "x y")
tf.nest.flatten(P([1, 2], {"z": 3})), tf.nest.map_structure(lambda v: v * 2, P([1, 2], {"z": 3}))

import collections
tf.nest.flatten(collections.OrderedDict([("b", 1), ("a", 2)])), list(tf.nest.map_structure(lambda x: x + 1, collections.OrderedDict([("b", 1), ("a", 2)])).items())

import collections
d = collections.defaultdict(list, {"b": 1, "a": 2})
dict(tf.nest.map_structure(lambda x: x + 1, d)), type(tf.nest.map_structure(lambda x: x + 1, d)).__name__

tf.nest.is_nested([1]), tf.nest.is_nested((1,)), tf.nest.is_nested({"a": 1}), tf.nest.is_nested("abc"), tf.nest.is_nested(np.arange(3)), tf.nest.is_nested(3), tf.nest.is_nested({1, 2}), tf.nest.is_nested(None)

tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": [2, 3]}, {"a": 10, "b": [20, 30]})

tf.nest.map_structure(tf.reduce_sum, [tf.constant([1, 2]), (tf.constant([3.]),)])

tf.nest.map_structure(lambda x: x)

tf.nest.map_structure(3, [1])

tf.nest.map_structure(lambda x, y: x, [1, 2], [1])

tf.nest.map_structure(lambda x, y: x, [1, 2], (1, 2))

tf.nest.map_structure(lambda x, y: x, [1, 2], (1, 2), check_types=False)

tf.nest.map_structure(lambda x, y: x, {"a": 1}, {"b": 1})

tf.nest.map_structure(lambda x, y: x, [1, [2]], [1, 2])

tf.nest.map_structure(lambda x: x, [1], no_such=2)

tf.nest.pack_sequence_as({"b": 0, "a": [0, 0]}, [1, 2, 3])

tf.nest.pack_sequence_as((0, [0, (0,)]), ["a", "b", "c"]), tf.nest.pack_sequence_as(0, [5]), tf.nest.pack_sequence_as([], [])

tf.nest.pack_sequence_as([0, 0], [1])

tf.nest.pack_sequence_as([0, 0], [1, 2, 3])

tf.nest.pack_sequence_as(0, [1, 2])

tf.nest.pack_sequence_as([0], 3)

tf.nest.assert_same_structure([1, {"a": 2}], [3, {"a": 4}])

tf.nest.assert_same_structure([1], (1,))

tf.nest.assert_same_structure([1], (1,), check_types=False)

tf.nest.assert_same_structure([1, 2], [1])

tf.nest.assert_same_structure([1, 2], [1, [2]])

tf.nest.assert_same_structure({"a": 1}, {"b": 1})

tf.nest.assert_same_structure({"a": 1}, [1])

tf.nest.assert_same_structure(1, 2), tf.nest.assert_same_structure(tf.constant([1]), np.arange(4))

import collections
P, Q = collections.namedtuple("P", "x y"), collections.namedtuple("Q", "x y")
tf.nest.assert_same_structure(P(1, 2), Q(1, 2))

import collections
P = collections.namedtuple("P", "x y")
tf.nest.assert_same_structure(P(1, 2), (1, 2))

import collections
tf.nest.assert_same_structure({"a": 1}, collections.OrderedDict(a=1))

tf.nest.flatten([tf.TensorSpec((1,)), tf.TensorShape([1, 2])]), tf.nest.flatten(tf.TensorShape([1, 2]))

rt = tf.ragged.constant([[1], [2, 3]])
len(tf.nest.flatten(rt)), len(tf.nest.flatten(rt, expand_composites=True)), tf.nest.flatten([rt, 1], expand_composites=True)

st = tf.SparseTensor([[0]], [1], [2])
tf.nest.flatten(st, expand_composites=True)

rt = tf.ragged.constant([[1], [2, 3]])
tf.nest.map_structure(lambda x: x, {"a": rt})["a"]

rt = tf.ragged.constant([[1], [2, 3]])
tf.nest.pack_sequence_as({"a": rt}, tf.nest.flatten({"a": rt}, expand_composites=True), expand_composites=True)

tf.nest.flatten([tf.data.Dataset.range(2)] * 2, expand_composites=False)[1].element_spec

tf.nest.flatten([[[]], {}, ()])

tf.nest.map_structure(lambda x: x + 1, {"z": 1, "a": {"y": 2, "b": 3}})
