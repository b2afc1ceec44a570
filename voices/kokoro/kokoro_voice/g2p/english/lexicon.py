"""Words to Kokoro's symbols with misaki's dictionaries, whose JSON files are read as they are.

gold holds 90,000 words checked by hand; a value is a string, or one per sense: {"DEFAULT", "NOUN",
"VERB", "ADJ", "VBD", "None" (before a pause) ...}. silver holds as many that were not checked.
Endings (-s, -ed, -ing) are added by the rules of misaki/en.py, so that words sound as in training.
"""

import json
import re

VOWELS = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻɐeo")
FLAPPING = frozenset("AIOWYiuæɑəɛɪɹʊʌ")
PRIMARY, SECONDARY = "ˈ", "ˌ"
PARENT = {"VBD": "VERB", "VBN": "VERB", "VBP": "VERB"}


def restress(symbols):
    """Moves stress marks to just before the next vowel."""
    out, held = "", ""
    for symbol in symbols:
        if symbol in PRIMARY + SECONDARY:
            held = symbol
        else:
            if held and symbol in VOWELS:
                out, held = out + held, ""
            out += symbol
    return out


def weaken(symbols):
    """The primary stress becomes secondary, and the secondary goes."""
    if PRIMARY not in symbols:
        return symbols
    return symbols.replace(SECONDARY, "").replace(PRIMARY, SECONDARY)


def emphasise(symbols, strongly):
    """At least secondary (capitalised words) or primary stress (words in capitals)."""
    if PRIMARY not in symbols and SECONDARY not in symbols:
        if not any(symbol in VOWELS for symbol in symbols):
            return symbols
        return restress((PRIMARY if strongly else SECONDARY) + symbols)
    if strongly and PRIMARY not in symbols:
        return symbols.replace(SECONDARY, PRIMARY)
    return symbols


class Lexicon:
    """Immutable. `gold` and `silver` are misaki's dictionaries of one English; `extra` goes
    first."""

    def __init__(self, gold, silver, british, extra=None):
        self._gold = {**gold, **(extra or {})}
        self._silver = silver
        self.british = british

    @classmethod
    def load(cls, folder, british, extra=None):
        name = "gb" if british else "us"
        gold, silver = (
            json.loads((folder / f"{name}_{kind}.json").read_text(encoding="utf-8"))
            for kind in ("gold", "silver")
        )
        return cls(gold, silver, british, extra)

    def _entry(self, word):
        for form in (word, word.lower(), word.capitalize()):
            for words in (self._gold, self._silver):
                if form in words and (form == word or len(form) > 1):
                    return words[form]
        return None

    def has(self, word):
        return self._entry(word) is not None

    def checked(self, word):
        """Whether just this spelling is in the checked dictionary."""
        return word in self._gold

    def senses(self, word):
        """The entry's senses; empty if it has but one."""
        entry = self._entry(word)
        return entry if isinstance(entry, dict) else {}

    def get(self, word, sense="DEFAULT"):
        """The word's symbols, with an ending taken off if need be; None if it is unknown."""
        entry = self._entry(word)
        if isinstance(entry, dict):
            entry = entry.get(sense) or entry.get(PARENT.get(sense, "")) or entry["DEFAULT"]
        if entry is not None:
            return entry
        word = word.lower()
        for get in (self._possessive, self._s, self._ed, self._ing):
            found = get(word, sense)
            if found:
                return found
        return None

    def spell(self, letters):
        """The names of the letters, the last one stressed."""
        names = [self._gold.get(letter.upper()) for letter in letters if letter.isalpha()]
        if not names or None in names:
            return None
        names = [name["DEFAULT"] if isinstance(name, dict) else name for name in names]
        out = "".join(emphasise(name, False).replace(PRIMARY, SECONDARY) for name in names)
        head, mark, last = out.rpartition(SECONDARY)
        return head + PRIMARY + last if mark else out

    def plural(self, symbols):
        if symbols[-1] in "ptkfθ":
            return symbols + "s"
        if symbols[-1] in "szʃʒʧʤ":
            return symbols + ("ɪ" if self.british else "ᵻ") + "z"
        return symbols + "z"

    def _possessive(self, word, sense):
        if word.endswith("s'"):
            return self.get(word[:-1], sense)
        if word.endswith("'s"):
            stem = self.get(word[:-2], sense)
            return self.plural(stem) if stem else None
        return self.get(word[:-1], sense) if word.endswith("'") and len(word) > 1 else None

    def _stem(self, word, sense, *forms):
        for form in forms:
            if len(form) > 1 and self.has(form):
                return self.get(form, sense)
        return None

    def _s(self, word, sense):
        if len(word) < 3 or not word.endswith("s") or word.endswith("ss"):
            return None
        forms = [word[:-1]]
        if word.endswith("ies") and len(word) > 4:
            forms.append(word[:-3] + "y")
        elif word.endswith("es") and len(word) > 4:
            forms.append(word[:-2])
        stem = self._stem(word, sense, *forms)
        return self.plural(stem) if stem else None

    def _ed(self, word, sense):
        if len(word) < 4 or not word.endswith("ed"):
            return None
        forms = [word[:-1], word[:-2]]
        if word.endswith("ied"):
            forms.append(word[:-3] + "y")
        if re.search(r"([bdgklmnprtvz])\1ed$", word):
            forms.append(word[:-3])
        stem = self._stem(word, sense, *forms)
        if not stem:
            return None
        if stem[-1] in "pkfθʃsʧ":
            return stem + "t"
        if stem[-1] not in "td":
            return stem + "d"
        if stem[-1] == "d":
            return stem + ("ɪd" if self.british else "ᵻd")
        if self.british or len(stem) < 2:
            return stem + "ɪd"
        return stem[:-1] + "ɾᵻd" if stem[-2] in FLAPPING else stem + "ᵻd"

    def _ing(self, word, sense):
        if len(word) < 5 or not word.endswith("ing"):
            return None
        forms = [word[:-3], word[:-3] + "e"]
        if re.search(r"([bcdgklmnprstvxz])\1ing$|cking$", word):
            forms.append(word[:-4])
        stem = self._stem(word, sense, *forms)
        if not stem:
            return None
        if self.british and stem[-1] in "əː":
            return stem + "ɹɪŋ"
        if not self.british and stem[-1] == "t" and len(stem) > 1 and stem[-2] in FLAPPING:
            return stem[:-1] + "ɾɪŋ"
        return stem + "ɪŋ"
