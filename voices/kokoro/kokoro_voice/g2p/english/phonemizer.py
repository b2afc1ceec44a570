"""English clauses to Kokoro's symbols."""

import re
import unicodedata

from . import senses, special
from .lexicon import VOWELS, emphasise, weaken
from .scan import scan

PAUSES = frozenset(".,!?;:—…()")
CONSONANTS = frozenset("bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ")
# Spelt although they are words in lower case too.
SPELT = frozenset(
    "US IT AI AM PM ID UN PC AC DC ER HR PR IP TV EU UK UI OS AR VR IQ PS ATM CIA".split()
)
CONTRACTED = {"'em": "əm", "'cause": "kəz", "'til": "tɪl", "'tis": "tɪz", "'twas": "twʌz"}


class English:
    """Thread-safe. `espeak.words(words, language)` gives the symbols of words that the lexicon
    lacks."""

    def __init__(self, lexicon, espeak):
        self._lexicon = lexicon
        self._espeak = espeak
        self._language = "en-GB" if lexicon.british else "en-US"

    def parts(self, text):
        """[(symbols, written word or None)]; joined, the symbols are the clause's."""
        items = scan(text, self._lexicon.british)
        spoken = [word for item in items for word in item.spoken]
        said = self._say(spoken)
        out, at = [], 0
        for item in items:
            symbols = ""
            for word, sound in zip(item.spoken, said[at : at + len(item.spoken)]):
                glued = word in PAUSES and word != "("
                symbols += sound if not symbols or glued else " " + sound
            at += len(item.spoken)
            if not symbols:
                continue
            pause = not item.text
            if out and not (pause and symbols != "(") and out[-1][0] != "(":
                out.append((" ", None))
            out.append((symbols, item.text or None))
        return out

    def _say(self, spoken):
        """The symbols of each spoken word, "" for what cannot be said."""
        lowered = ["" if word in PAUSES else word.lower().replace("’", "'") for word in spoken]
        shouting = all(word.isupper() for word in spoken if len(word) > 1 and word not in PAUSES)
        unknown = []
        said = [None] * len(spoken)
        vowel_follows = None  # None before a pause
        for at in range(len(spoken) - 1, -1, -1):
            word = spoken[at]
            if word in PAUSES:
                said[at] = word
            else:
                said[at] = self._function_word(word, lowered, at, vowel_follows)
                if said[at] is None:
                    said[at] = self._word(
                        word.replace("’", "'"), lowered, at, shouting, vowel_follows
                    )
                if said[at] is None:
                    unknown.append(at)
            vowel_follows = self._begins_with_vowel(said[at] or "ə", vowel_follows)
        if unknown:
            unknown.reverse()
            words = [spoken[at] for at in unknown]
            for at, symbols in zip(unknown, self._espeak.words(words, self._language)):
                said[at] = symbols
        return [symbols.replace("ɾ", "T").replace("ʔ", "t") for symbols in said]

    @staticmethod
    def _begins_with_vowel(symbols, otherwise):
        for symbol in symbols:
            if symbol in PAUSES:
                return None
            if symbol in VOWELS:
                return True
            if symbol in CONSONANTS:
                return False
        return otherwise

    def _function_word(self, word, lowered, at, vowel_follows):
        """Words whose vowels depend on what follows."""
        low = lowered[at]
        before = lowered[at - 1] if at else ""
        if low == "a":
            letter = word == "A" and (
                at > 0 and vowel_follows is None or before in ("vitamin", "grade", "plan")
            )
            return "ˈA" if letter or vowel_follows is None else "ɐ"
        if low == "an":
            return "ɐn"
        if low == "the":
            return "ði" if vowel_follows else "ðə"
        if low == "to" and vowel_follows is not None:
            return "tʊ" if vowel_follows else "tə"
        if low == "am" and word != "AM" and vowel_follows is not None and before == "i":
            return "ɐm"
        if low == "in" and word != "IN":
            return "ˈɪn" if vowel_follows is None else "ɪn"
        if word == "I":
            return "ˌI"
        return CONTRACTED.get(low)

    def _word(self, word, lowered, at, shouting, vowel_follows):
        symbols = self._capitals(word, shouting)
        if symbols is not None:
            return symbols
        low = lowered[at]
        sense = "DEFAULT"
        choices = self._lexicon.senses(word)
        if low in special.RULES:
            sense = special.RULES[low](senses.Place(lowered, at)) or senses.sense(
                lowered, at, choices
            )
        elif "None" in choices and vowel_follows is None:
            sense = "None"
        elif choices:
            sense = senses.sense(lowered, at, choices)
        symbols = self._lexicon.get(word, sense)
        if symbols is None:
            plain = "".join(
                c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)
            )
            symbols = self._lexicon.get(plain, sense) if plain != word else None
        if symbols is None:
            pieces = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", word)
            known = [
                self._lexicon.get(p) if not p.isupper() else self._lexicon.spell(p) for p in pieces
            ]
            if len(pieces) > 1 and "".join(pieces) == word and None not in known:
                return "".join([weaken(p) for p in known[:-1]] + known[-1:])
        if symbols and word != word.lower():
            symbols = emphasise(symbols, word.isupper() and len(word) > 1)
        return symbols

    def _capitals(self, word, shouting):
        """Words in capitals: spelt, unless the dictionary has them as words. None for all
        others."""
        plural = re.fullmatch(r"([A-Z]{2,})('?s)", word)
        letters = plural[1] if plural else word
        if not letters.isupper() or len(letters) < 2 or not letters.isascii():
            return None
        if not (letters in SPELT and not shouting):
            if self._lexicon.checked(letters) or self._lexicon.checked(letters.lower()):
                return None
            if len(letters) > 4 and self._lexicon.has(letters):
                return None
        if len(letters) > 5 or not letters.isalpha():
            return None
        symbols = self._lexicon.spell(letters)
        return self._lexicon.plural(symbols) if plural and symbols else symbols
