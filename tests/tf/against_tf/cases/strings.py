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
