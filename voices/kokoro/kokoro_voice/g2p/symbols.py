"""From espeak-ng's IPA to the symbols that Kokoro was trained with, as misaki/espeak.py does it."""

import re

SYLLABIC = "\u0329"
COMMON = [
    ("a^ɪ", "I"),
    ("a^ʊ", "W"),
    ("d^z", "ʣ"),
    ("d^ʒ", "ʤ"),
    ("e^ɪ", "A"),
    ("o^ʊ", "O"),
    ("ə^ʊ", "Q"),
    ("s^s", "S"),
    ("t^s", "ʦ"),
    ("t^ʃ", "ʧ"),
    ("ɔ^ɪ", "Y"),
]
ENGLISH = [
    ("ʔˌn" + SYLLABIC, "ʔn"),
    ("ʔn" + SYLLABIC, "ʔn"),
    ("a^ɪ", "I"),
    ("a^ʊ", "W"),
    ("d^ʒ", "ʤ"),
    ("e^ɪ", "A"),
    ("t^ʃ", "ʧ"),
    ("ɔ^ɪ", "Y"),
    ("ə^l", "ᵊl"),
    ("ʲo", "jo"),
    ("ʲə", "jə"),
    ("e^ə", "eə"),
    ("ʲ", ""),
    ("ɚ", "əɹ"),
    ("r", "ɹ"),
    ("x", "k"),
    ("ç", "k"),
    ("ɐ", "ə"),
    ("ɬ", "l"),
    ("\u0303", ""),
]
AMERICAN = [("o^ʊ", "O"), ("ə^ʊ", "O"), ("ɜːɹ", "ɜɹ"), ("ɜː", "ɜɹ"), ("ɪə", "iə"), ("ː", "")]
BRITISH = [("eə", "ɛː"), ("iə", "ɪə"), ("ə^ʊ", "Q"), ("o^ʊ", "Q")]


def _replace(text, pairs):
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def english(ipa, british):
    ipa = _replace(ipa, ENGLISH)
    ipa = re.sub(r"(\S)" + SYLLABIC, r"ᵊ\1", ipa).replace(SYLLABIC, "")
    ipa = _replace(ipa, BRITISH if british else AMERICAN).replace("^", "")
    return re.sub(r"e(?!ː)", "A", ipa).replace("o", "ɔ").replace("ɡ", "ɡ").replace("g", "ɡ")


def other(ipa):
    return _replace(ipa, COMMON).replace("^", "").replace("g", "ɡ")
