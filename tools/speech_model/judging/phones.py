"""Phones: from a text to IPA by espeak-ng, from IPA to the ARPAbet of an English aligner, and what
the lips do for each."""
import re
import subprocess
import unicodedata

# What espeak-ng writes, longest first, and the English phones that sound nearest. An aligner needs
# no more: it knows the order, and looks only for the borders.
ARPABET = {
    "t͡s": "T S", "ts": "T S", "tɕ": "CH", "tʃ": "CH", "dʒ": "JH", "dz": "D Z", "ɕɕ": "SH",
    "aɪ": "AY", "aʊ": "AW", "eɪ": "EY", "oʊ": "OW", "əʊ": "OW", "ɔɪ": "OY", "əl": "AH L",
    "aɪə": "AY AH", "aɪɚ": "AY ER", "iə": "IY AH", "ʊɹ": "UH R", "ɑɹ": "AA R", "oɹ": "AO R",
    "ɔɹ": "AO R", "ɛɹ": "EH R", "ɪɹ": "IH R", "ai": "AY", "au": "AW", "ei": "EY", "eu": "EH UW",
    "oi": "OY", "ja": "Y AA", "je": "Y EH", "jo": "Y AO", "ju": "Y UW",
    "wa": "W AA", "we": "W EH", "wi": "W IY",
    "a": "AA", "ɑ": "AA", "æ": "AE", "ɐ": "AH", "ʌ": "AH", "ə": "AH", "ᵻ": "IH", "ɜ": "ER",
    "ɝ": "ER", "ɚ": "ER", "e": "EH", "ɛ": "EH", "i": "IY", "ɪ": "IH", "ɨ": "IH", "y": "IY",
    "ø": "ER", "œ": "ER", "o": "AO", "ɔ": "AO", "ɵ": "AO", "u": "UW", "ʊ": "UH", "ʉ": "UW",
    "ɒ": "AA", "ɯ": "UW",
    "p": "P", "b": "B", "m": "M", "f": "F", "v": "V", "ʋ": "V", "β": "B", "ɱ": "M", "w": "W",
    "ɥ": "W", "t": "T", "d": "D", "ɾ": "R", "r": "R", "ɹ": "R", "ʁ": "R", "ɻ": "R", "k": "K",
    "ɡ": "G", "g": "G", "ɣ": "G", "s": "S", "z": "Z", "ʃ": "SH", "ɕ": "SH", "ʂ": "SH", "ʒ": "ZH",
    "ʑ": "ZH", "ʐ": "ZH", "θ": "TH", "ð": "DH", "n": "N", "ŋ": "NG", "ɲ": "N", "l": "L", "ɭ": "L",
    "ʎ": "L", "ɫ": "L", "j": "Y", "ʝ": "Y", "ʲ": "", "h": "HH", "x": "HH", "χ": "HH", "ʔ": "",
}
LONGEST = sorted(ARPABET, key=len, reverse=True)

BILABIAL = set("pbm")
LABIODENTAL = set("fvʋɱ")
# Lips that come near each other, or to the teeth, and need not touch: Spanish b between vowels.
EITHER = set("βɸ")
SILENCE = "sil"


def ipa_words(text, voice):
    """Words of phones as espeak-ng would say the text. Raises ValueError at a phone it does not
    know here."""
    said = subprocess.run(["espeak-ng", "-q", "--ipa=1", "-v", voice, text],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    said = re.sub(r"\([a-z-]+\)", "", said)  # marks of words from another language
    words = [[p for mark in word.split("_") for p in split_phones(mark)] for word in said.split()]
    return [word for word in words if word]


def split_phones(mark):
    """Single phones of the table out of a mark as espeak-ng writes it."""
    mark = unicodedata.normalize("NFC", mark).replace("ç", "ʃ").replace("c", "k")
    mark = "".join(c for c in unicodedata.normalize("NFD", mark)
                   if not unicodedata.combining(c) and c not in "ˈˌːˑ-^'\"ʰ˞")
    phones = []
    while mark:
        phone = next((p for p in LONGEST if mark.startswith(p)), None)
        if phone is None:
            raise ValueError(f"unknown phone {mark!r} ({mark.encode('unicode_escape').decode()})")
        phones.append(phone)
        mark = mark[len(phone):]
    return [p for p in phones if ARPABET[p]]


def lips(phone):
    """"bilabial", "labiodental", "either" or None, of a phone in IPA or ARPAbet."""
    first = phone[:1].lower()
    if first in BILABIAL:
        return "bilabial"
    if first in LABIODENTAL:
        return "labiodental"
    return "either" if first in EITHER else None
