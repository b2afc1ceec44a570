"""All languages in one place."""

import threading

from . import symbols
from .english import special
from .english.lexicon import Lexicon
from .english.phonemizer import English
from .espeak import VOICES, clean
from .foreign import Foreign

MOST_REMEMBERED = 10000


class WordsOfEspeak:
    """English words that no dictionary has, remembered. Thread-safe."""

    def __init__(self, espeak):
        self._espeak = espeak
        self._known = {}
        self._lock = threading.Lock()

    def words(self, words, language):
        with self._lock:
            missing = [word for word in dict.fromkeys(words) if (word, language) not in self._known]
        if missing:
            said = self._espeak.ipa(missing, VOICES[language])
            with self._lock:
                if len(self._known) > MOST_REMEMBERED:
                    self._known.clear()
                for word, ipa in zip(missing, said):
                    self._known[word, language] = symbols.english(clean(ipa), language == "en-GB")
        with self._lock:
            return [self._known.get((word, language), "") for word in words]


class Phonemizer:
    """Owns espeak-ng's process, if there is one. Dictionaries are read at the first use of a
    language. Thread-safe."""

    def __init__(self, dictionaries, espeak):
        self._dictionaries = dictionaries
        self._espeak = espeak
        self._words = WordsOfEspeak(espeak)
        self._foreign = Foreign(espeak)
        self._english = {}
        self._lock = threading.Lock()

    def parts(self, text, language):
        """[(symbols, written word or None)]; joined, the symbols are the clause's. Raises
        EspeakFailed."""
        if not language.startswith("en-"):
            return self._foreign.parts(text, language)
        with self._lock:
            if language not in self._english:
                british = language == "en-GB"
                extra = special.EXTRA[language]
                lexicon = Lexicon.load(self._dictionaries, british, extra)
                self._english[language] = English(lexicon, self._words)
        return self._english[language].parts(text)

    def close(self):
        self._espeak.close()
