# Strings: element by element, in pieces, as Unicode, as numbers.

tf.strings.ngrams(["A","B","C","D"],2)

tf.strings.ngrams([["A","B","C"],["D","E","F"]],[1,2])

tf.strings.ngrams(tf.ragged.constant([["A","B","C"],["D"]]),2,pad_values=("L","R"))

tf.strings.ngrams(tf.ragged.constant([["A","B","C"],["D"]]),3,pad_values=("L","R"),padding_width=1)

tf.strings.ngrams(tf.ragged.constant([["A","B","C"],["D"],[]]),3,preserve_short_sequences=True)

tf.strings.split([["a b","c"],["d e f","g"]])

tf.strings.split([["a b","c"],["d e f","g"]]).shape

tf.strings.split("a,b,,c", ",")

tf.strings.split(["  a b  ", ""], maxsplit=1)

tf.strings.split(["a,,b"], sep=",", maxsplit=1)

tf.strings.unicode_split("hé", "UTF-8")

tf.strings.unicode_split(["hé", "x"], "UTF-8")

tf.strings.unicode_split([["hé", "x"]], "UTF-8")

tf.strings.unicode_split_with_offsets(["hé", "x"], "UTF-8")

tf.strings.unicode_decode_with_offsets("hé", "UTF-8")

tf.strings.unicode_decode([b"a\xffb"], "UTF-8")

tf.strings.unicode_decode([b"a\xffb"], "UTF-8", errors="ignore")

tf.strings.unicode_decode([b"a\xffb"], "UTF-8", errors="strict")

tf.strings.unicode_encode([[104,233],[120,121]], "UTF-8")

tf.strings.unicode_encode(tf.ragged.constant([[104,233],[120]]), "UTF-16-BE")

tf.strings.unicode_encode([104,233], "UTF-8")

tf.strings.unicode_transcode(["hé", b"\xffa"], "UTF-8", "UTF-16-BE")

tf.strings.unicode_transcode(["h\x01é"], "UTF-8", "UTF-8", replace_control_characters=True)

tf.strings.unicode_script([33464,1041,97,0x3042,0x30a2,32,0x301,0xAC00,0x1F600,1587, 0xe01, 0x5d0, 0xff, 49, -1])

tf.strings.format("x: {} {}", (tf.range(10), tf.constant("a")))

tf.strings.format("x: {}", tf.constant([["a","b"]]))

tf.strings.format("x: {}", tf.range(10.), summarize=-1)

tf.strings.to_number([" 12 ","1e3"])

tf.strings.to_number(["1_000"])

tf.strings.to_number(["12.5"], tf.int32)

tf.strings.to_number(["99999999999"], tf.int32)

tf.strings.as_string([1.5, -2.25], precision=2, width=8, fill="0")

tf.strings.as_string([1.5+2j])

tf.strings.as_string([True])

tf.strings.as_string([1e10, 1.5], shortest=True)

tf.strings.as_string([100, -5], width=6)

tf.strings.as_string(tf.constant([1.1],tf.float64))

tf.strings.substr(["abcdef","xyz"], [1,0],[2,3])

tf.strings.substr("abcdef", -3, 2)

tf.strings.substr("abc", 5, 2)

tf.strings.substr("abc", 3, 2)

tf.strings.substr("héllo", 1, 2, unit="UTF8_CHAR")

tf.strings.regex_replace("hello world", r"(\w+) (\w+)", r"\2 \1")

tf.strings.regex_replace("hello", "l(", "")

tf.strings.regex_replace("a\nb\n", "b$", "X")

tf.strings.regex_replace("aé!¿", r"[\p{P}]", "_")

tf.strings.regex_full_match(["abc","ab"], "ab.")

tf.strings.join([["a","b"],["c","d"]], separator="-")

tf.strings.join([tf.ragged.constant([["a"],["b","c"]]), "x"])

tf.strings.join([["a","b"],"x"])

tf.strings.join([["a","b"],["x"]])

tf.strings.reduce_join([["a","b"],["c","d"]], axis=[0,1])

tf.strings.reduce_join([["a","b"],["c","d"]], axis=0, separator=" ")

tf.strings.reduce_join(tf.ragged.constant([["a"],["b","c"]]), axis=-1, separator=" ")

tf.strings.bytes_split(["abc","d"])

tf.strings.bytes_split("abc")

tf.strings.length(["hé",""], unit="UTF8_CHAR")

tf.strings.upper("hé")

tf.strings.upper("hé", encoding="utf-8")

tf.strings.unsorted_segment_join(["a","b","c"],[0,1,0],2, separator=":")

tf.strings.lower(tf.ragged.constant([["A"],["B","C"]]))

tf.strings.length(3)

tf.constant(["a"]) + "b"

tf.ragged.constant([["a"]]) + "b"

tf.ragged.constant([[1],[2]]) + tf.ragged.constant([[1,2],[3]])

tf.Variable("a"), repr(tf.Variable("a"))

v = tf.Variable(["a", "b"])
v.assign(["c", "d"])
v, v.shape, v.dtype, v.read_value(), v[0], tf.strings.join([v, "x"]), v == "c", len(v.numpy())

tf.Variable(["a", "b"]).assign(["c"])

tf.Variable(["a", "b"]).assign([1, 2])

tf.Variable("Elephant", dtype=tf.string)

[x for x in tf.Variable(["a", "b"])]

class M(tf.Module):
    def __init__(self):
        self.v = tf.Variable("a")
M().variables

v = tf.Variable("a")
@tf.function
def add(x):
    v.assign(tf.strings.join([v, x]))
    return v.read_value()
add(tf.constant("b")), add(tf.constant("c"))

v, t = tf.Variable(["x", "y"]), tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
t.insert(["a", "b"], [1, 2])
import tempfile
path = tf.train.Checkpoint(v=v, t=t).save(tempfile.mkdtemp() + "/ckpt")
v.assign(["p", "q"]), t.insert(["a", "c"], [7, 8])
tf.train.Checkpoint(v=v, t=t).restore(path)
v, t.lookup(tf.constant(["a", "b", "c"]))

# More of the same functions.

tf.strings.length(["a", "héllo", ""]), tf.strings.length("日本", unit="UTF8_CHAR"), tf.strings.length([["ab"], ["c"]])

tf.strings.length("a", unit="WORD")

tf.strings.substr([["ten", "eleven"], ["twelve", "x"]], 0, 1)

tf.strings.substr(["ten", "eleven"], [0, 1], [3, 10]), tf.strings.substr("abc", 1, -1), tf.strings.substr("abc", 0, 0)

tf.strings.substr(["ten", "eleven"], [0, 1, 2], [3, 10, 1])

tf.strings.substr(b"\xe6\x97\xa5\xe6\x9c\xac", -1, 1, unit="UTF8_CHAR")

tf.strings.substr("abc", -4, 1)

tf.strings.split(["hello world", "a b c"]).to_tensor(), tf.strings.split("a b c"), tf.strings.split(["a--b", "c"], "--")

tf.strings.split([]), tf.strings.split("")

tf.strings.split(["a\tb\nc  d"]), tf.strings.split(["a,b,c"], ",", maxsplit=1), tf.strings.split([",a,"], sep=",")

tf.strings.split(tf.constant([["a b"], ["c"]])).to_list()

tf.strings.regex_replace("Text with tags.<br /><b>contains html</b>", "<[^>]+>", " ")

tf.strings.regex_replace("aaa", "a", "b", replace_global=False), tf.strings.regex_replace(["a.b", "c"], r"\.", ""), tf.strings.regex_replace("x", "", "-")

tf.strings.regex_replace("hello", "(h)(e)", r"\2\1\0"), tf.strings.regex_replace("a\\b", r"\\", "/"), tf.strings.regex_replace("abc", "b", r"\\")

tf.strings.regex_replace("abc", "b", r"\1")

tf.strings.regex_replace("abc", "b", r"\x")

tf.strings.regex_replace("Hello World", "(?i)hello", "bye"), tf.strings.regex_replace("a1b22", r"\d+", "#"), tf.strings.regex_replace("a b\tc", r"\s", "_"), tf.strings.regex_replace("é_a", r"\w", "x"), tf.strings.regex_replace("日本語", ".", "x")

tf.strings.regex_replace("a]b-c^d", r"[\]\-^]", "."), tf.strings.regex_replace("ab12", "[[:alpha:]]", "x"), tf.strings.regex_replace("ab12!", "[^[:alnum:]]", "x"), tf.strings.regex_replace("a$b", "[$]", "s"), tf.strings.regex_replace("ab\n", r"b\z", "x"), tf.strings.regex_replace("a\nb", "(?m)^", ">"), tf.strings.regex_replace("a\nb", "(?s)a.b", "X"), tf.strings.regex_replace("[x]", "[[]", "(")

tf.strings.regex_replace(["straße Ünï", "αβγ"], r"\p{L}", "L"), tf.strings.regex_replace("a,b!c", r"\pP", ""), tf.strings.regex_replace("a,b!c", r"\PP", "."), tf.strings.regex_replace("ab12", r"\p{Lu}|\p{Nd}", "x"), tf.strings.regex_replace("a+b", r"\Q+\E", "-")

tf.strings.regex_replace("a", "(?=a)", "x")

tf.strings.regex_replace("a", "[", "x")

tf.strings.regex_replace("a", r"(a)\1", "x")

tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$"), tf.strings.regex_full_match(["TF lib", "lib TF"], ".*TF$"), tf.strings.regex_full_match("a\n", "a"), tf.strings.regex_full_match("", "")

tf.strings.regex_full_match("a", "(")

tf.strings.join(["abc", "def"]), tf.strings.join([["abc", "123"], ["def", "456"], ["ghi", "789"]], separator=" "), tf.strings.join([tf.constant([["a"], ["b"]]), "!"])

tf.strings.join([1, 2])

tf.strings.reduce_join([["abc", "123"], ["def", "456"]]).numpy(), tf.strings.reduce_join([["abc", "123"], ["def", "456"]], axis=-1), tf.strings.reduce_join([["abc", "123"], ["def", "456"]], axis=-1, keepdims=True, separator="+"), tf.strings.reduce_join([["abc", "123"], ["def", "456"]], axis=[1, 0])

tf.strings.reduce_join([["a", "b"]], axis=2)

tf.strings.reduce_join([["a"], ["b"]], keepdims=True)

tf.strings.lower(["CamelCase", "ÀÉ"]), tf.strings.lower("ÀÉ", encoding="utf-8"), tf.strings.upper(["ß", "é"], encoding="utf-8"), tf.strings.strip(["\n  a b\t ", ""])

tf.strings.lower("A", encoding="latin1")

tf.strings.to_number(["1.5", "-2", "inf", "nan", "1e-3", "0x10"][:5]), tf.strings.to_number("7", tf.int64), tf.strings.to_number(["3", "-4"], tf.int32), tf.strings.to_number(["1.5"], tf.float64)

tf.strings.to_number("abc")

tf.strings.to_number("")

tf.strings.to_number("5", tf.uint8)

tf.strings.as_string(3), tf.strings.as_string([1.5, 2.25], precision=1), tf.strings.as_string([0.1, 1e20]), tf.strings.as_string(1e-10, scientific=True), tf.strings.as_string(1234.5, scientific=True, precision=2), tf.strings.as_string(tf.constant([1, 255], tf.uint8)), tf.strings.as_string([True, False]), tf.strings.as_string(["x"]), tf.strings.as_string([7, -7], width=5, fill="0"), tf.strings.as_string([7, -7], width=5, fill="-"), tf.strings.as_string([7, -7], fill="+")

tf.strings.as_string(1.5, shortest=True, scientific=True)

tf.strings.as_string(3, precision=2)

tf.as_string([1, 2]), tf.as_string(tf.constant(2.5, tf.float16)), tf.as_string(tf.constant(float("nan"))), tf.as_string(float("inf")), tf.as_string(tf.constant(1 + 2j))

tf.strings.bytes_split("hello"), tf.strings.bytes_split(["hello", "12", ""]), tf.strings.bytes_split("é"), tf.strings.bytes_split([["ab", "c"], ["d", ""]])

tf.strings.format("tensor: {}, suffix", tf.range(5)), tf.strings.format("{} {}", (1, "b")), tf.strings.format("no", []), tf.strings.format("x: %t%", tf.constant([[1.5, 2.0], [3.25, 4.0]]), placeholder="%t%"), tf.strings.format("{}", tf.constant(True)), tf.strings.format("{}", tf.reshape(tf.range(8), (2, 2, 2)))

tf.strings.format("{} {}", tf.range(5))

tf.strings.ngrams(["a", "b", "c"], 3), tf.strings.ngrams(["a", "b"], 3), tf.strings.ngrams(["a", "b"], 2, separator=""), tf.strings.ngrams(["a", "b"], (1, 2)), tf.strings.ngrams(["a", "b"], 3, pad_values="-"), tf.strings.ngrams(["a", "b"], 5, preserve_short_sequences=True), tf.strings.ngrams(["a", "b"], 4, pad_values=("s", "e"), padding_width=1)

tf.strings.ngrams(["a"], 0)

tf.strings.ngrams("a", 1)

tf.strings.unicode_decode(["Hello", "日本", ""], "UTF-8"), tf.strings.unicode_decode("aé", "UTF-8"), tf.strings.unicode_decode(b"\x00a\x00b", "UTF-16-BE"), tf.strings.unicode_decode(b"a\xe9", "latin1"), tf.strings.unicode_decode(b"a\xffb", "UTF-8", replacement_char=ord("?")), tf.strings.unicode_decode(b"a\x01", "UTF-8", replace_control_characters=True)

tf.strings.unicode_decode("a", "NOPE")

tf.strings.unicode_decode("a", "UTF-8", errors="wrong")

tf.strings.unicode_encode([0x48, 0x49], "UTF-8"), tf.strings.unicode_encode([[0x48], [0x1F600]], "UTF-16-BE"), tf.strings.unicode_encode([0x48, 0x110000], "UTF-8"), tf.strings.unicode_encode([0x48, 0xD800], "UTF-8", errors="ignore"), tf.strings.unicode_encode(tf.ragged.constant([[72, 105], [], [33]]), "UTF-8"), tf.strings.unicode_encode(tf.ragged.constant([[[72, 105]], [[33], []]]), "UTF-32-BE")

tf.strings.unicode_encode([0x110000], "UTF-8", errors="strict")

tf.strings.unicode_encode([72], "LATIN1")

tf.strings.unicode_transcode(["abc", "é"], "UTF-8", "UTF-32-BE"), tf.strings.unicode_transcode(b"\xe9", "ISO-8859-1", "UTF-8"), tf.strings.unicode_transcode(b"a\xffb", "UTF-8", "UTF-8", errors="ignore"), tf.strings.unicode_transcode(b"a\xffb", "UTF-8", "UTF-8", replacement_char=33)

tf.strings.unicode_transcode(b"a\xffb", "UTF-8", "UTF-8", errors="strict")

tf.strings.unicode_split_with_offsets("Hé!", "UTF-8"), tf.strings.unicode_decode_with_offsets(["Hé!", "日"], "UTF-8"), tf.strings.unicode_split(b"a\xffb", "UTF-8"), tf.strings.unicode_split(tf.ragged.constant([["ab"], ["c", ""]]), "UTF-8")

tf.strings.unicode_script([ord(c) for c in "Aaéя中あアก한אبअঅ5!€ "]), tf.strings.unicode_script(tf.ragged.constant([[65], [0x4e2d, 33]])), tf.strings.unicode_script([0x391, 0x531, 0x10d0, 0x1f600, 0xaa, 0x3001, 0x30fc, 0x660])

tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x", ""], 3), tf.strings.to_hash_bucket(["Hello", "TensorFlow", "2.x", ""], 3), tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]), tf.strings.to_hash_bucket_fast(["x" * n for n in (3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000)], 2**40)

tf.strings.to_hash_bucket_strong(["x" * n for n in (0, 3, 7, 8, 9, 15, 16, 100)], 2**40, [133, 137]), tf.strings.to_hash_bucket(["x" * n for n in (0, 3, 7, 8, 9, 15, 16, 100)], 2**40)

tf.strings.to_hash_bucket_fast(["a"], 0)

tf.strings.unsorted_segment_join(["this", "a", "test", "is"], [0, 1, 1, 0], 2), tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 0], 1, separator="-")

tf.constant(["a", "b"]) == "a", tf.constant("a") != tf.constant("b"), tf.equal(["a"], ["a"]), tf.constant("a") + "b"

tf.constant("a") < tf.constant("b")

tf.gather(["a", "b", "c"], [2, 0]), tf.concat([["a"], ["b"]], 0), tf.stack(["a", "b"]), tf.reshape(["a", "b"], (2, 1)), tf.where([True, False], ["a", "b"], ["c", "d"]), tf.unique(["a", "b", "a"]), tf.tile(["a"], [3]), tf.expand_dims("a", 0), tf.fill([2], "x"), tf.reverse(["a", "b"], [0]), tf.size(["a", "b"]), tf.shape(["a"]), tf.boolean_mask(["a", "b"], [True, False]), tf.transpose([["a", "b"]]), tf.squeeze([["a"]]), tf.pad(["a"], [[1, 1]], constant_values="-"), tf.repeat(["a", "b"], 2), tf.split(["a", "b"], 2), tf.unstack(["a", "b"])

tf.io.decode_raw(tf.constant("1"), tf.uint8), tf.io.decode_raw(["ab", "cd"], tf.uint8), tf.io.decode_raw(b"\x01\x02", tf.uint16), tf.io.decode_raw(b"\x01\x02", tf.uint16, little_endian=False)

tf.io.encode_base64("hello"), tf.io.decode_base64("aGVsbG8"), tf.io.encode_base64(["a", "bc"], pad=True)

[tf.strings.format("{}", tf.constant(v)) for v in (1 / 3, 0.1, 1e10, 1e-5, 123456.789, 16777216.0, 3.0, float("nan"), float("-inf"), 2.5e-8, 1234567.0)]

[tf.strings.format("{}", tf.constant(v, d)) for v in (1 / 3, 0.1, 1e10, 3.0) for d in (tf.float64, tf.bfloat16)]

tf.strings.format("{}", tf.constant([1 / 3], tf.float16)), tf.strings.format("{}", [True, False]), tf.strings.format("{}", tf.zeros((0,))), tf.strings.format("{}", tf.constant('a\nb"c')), tf.strings.format("{}", b"\xff\x00"), tf.strings.format("{}", tf.reshape(tf.range(24), (2, 3, 4)), summarize=1), tf.strings.format("{}", tf.range(10), summarize=-1)

import tempfile
out = tempfile.mktemp()
def show(*values, **options):
    tf.print(*values, output_stream="file://" + out, **options)
show(tf.constant("b")); show("b", tf.constant("b"), 1, 1 / 3, None)
show([tf.constant("b"), 2.5], {"a": tf.constant([1.5]), "b": "y"}, (True, None), [])
show(tf.ragged.constant([["a"], []]), tf.SparseTensor([[0, 0]], [1], [1, 1]), tf.Variable(2.5), np.array([1.5]))
show("a", "b", sep="-", end="!\n"); show(tf.range(20), summarize=-1); show(tf.reshape(tf.range(100), (10, 10)))
show(tf.constant(1 / 3), tf.float32, tf.TensorShape([1, None]))
open(out).read()

import tempfile
out = tempfile.mktemp()
@tf.function
def f(x):
    tf.print("x is", x, [x, "y"], output_stream="file://" + out)
    return x
f(tf.constant([1.5, 2.])); f(tf.constant([3., 1 / 3]))
open(out).read()

tf.TensorArray(tf.string, 2).unstack(["a", "b"]).stack(), tf.TensorArray(tf.string, 2).write(0, "x").write(1, "y").stack()
