"""The script of a character, by ICU's numbers. Python's Unicode data has names and categories but no scripts: letters carry theirs in their names."""

from __future__ import annotations

import functools
import unicodedata

__all__ = ["script"]

COMMON, INHERITED, UNKNOWN = 0, 1, 103
_BY_NAME = {
    "ARABIC": 2, "ARMENIAN": 3, "BENGALI": 4, "BOPOMOFO": 5, "CHEROKEE": 6, "COPTIC": 7, "CYRILLIC": 8, "DESERET": 9, "DEVANAGARI": 10,
    "ETHIOPIC": 11, "GEORGIAN": 12, "GOTHIC": 13, "GREEK": 14, "GUJARATI": 15, "GURMUKHI": 16, "CJK": 17, "HANGUL": 18, "HEBREW": 19,
    "HIRAGANA": 20, "KANNADA": 21, "KATAKANA": 22, "KHMER": 23, "LAO": 24, "LATIN": 25, "MALAYALAM": 26, "MONGOLIAN": 27, "MYANMAR": 28,
    "OGHAM": 29, "OLD ITALIC": 30, "ORIYA": 31, "RUNIC": 32, "SINHALA": 33, "SYRIAC": 34, "TAMIL": 35, "TELUGU": 36, "THAANA": 37,
    "THAI": 38, "TIBETAN": 39, "CANADIAN SYLLABICS": 40, "YI": 41, "TAGALOG": 42, "HANUNOO": 43, "BUHID": 44, "TAGBANWA": 45,
    "BRAILLE": 46, "CYPRIOT": 47, "LIMBU": 48, "LINEAR B": 49, "OSMANYA": 50, "SHAVIAN": 51, "TAI LE": 52, "UGARITIC": 53, "NKO": 87,
    "GLAGOLITIC": 56, "TIFINAGH": 60, "BALINESE": 62, "JAVANESE": 78,
}  # fmt: skip
_PREFIXES = ("", "FULLWIDTH ", "HALFWIDTH ", "MODIFIER LETTER ")


@functools.lru_cache(65536)
def script(code: int) -> int:
    """-1 for what is no code point."""
    if not 0 <= code <= 0x10FFFF:
        return -1
    character = chr(code)
    category, name = unicodedata.category(character), unicodedata.name(character, "")
    if category in ("Cn", "Co", "Cs"):
        return UNKNOWN
    if category in ("Mn", "Me") and name.startswith(("COMBINING", "VARIATION")):
        return INHERITED
    if category[0] in "LM" or category in ("Nl", "No", "Nd", "So"):
        for prefix in _PREFIXES:
            if name.startswith(prefix):
                for known, number in _BY_NAME.items():
                    if name[len(prefix) :].startswith((known + " ", known + "-INDIC")) and (
                        category[0] in "LM" or known != "CJK"
                    ):
                        return COMMON if category == "Lm" and name.startswith("MODIFIER LETTER") else number
        if character in "ªº":
            return _BY_NAME["LATIN"]
    return COMMON
