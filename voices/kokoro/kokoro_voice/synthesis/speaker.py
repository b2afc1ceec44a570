"""Speaks one clause: text to symbols, symbols to sound, durations to marks."""

from ..voices import RATE_HZ
from . import marks, trim
from .engine import MOST_SYMBOLS, Stop
from .piece import Piece, cut_parts

# A clause with more symbols (long numbers) is synthesised in pieces. Memory grows with the longest.
PIECE_SYMBOLS = 220


class Speaker:
    """Thread-safe. `phonemizer.parts(text, language)` gives (symbols, word or None) in order."""

    def __init__(self, engine, phonemizer):
        self._engine = engine
        self._phonemizer = phonemizer

    def new_stop(self):
        return Stop()

    def speak(self, request, clause, stop):
        """Generates the pieces of a clause: one, or more if it has too many symbols, or none if it
        says nothing. Raises engine.Stopped after stop.cancel()."""
        vocabulary = self._engine.vocabulary
        parts = [
            ("".join(s for s in symbols if s in vocabulary), text)
            for symbols, text in self._phonemizer.parts(clause, request.language)
        ]
        if not any(symbol not in marks.SILENT for symbols, _ in parts for symbol in symbols):
            return
        groups = cut_parts(parts, min(PIECE_SYMBOLS, MOST_SYMBOLS))
        for number, group in enumerate(groups):
            symbols = "".join(symbols for symbols, _ in group)
            samples, durations = self._engine.run(symbols, request.voice, request.speed, stop)
            ending = symbols.rstrip('”") ')[-1:]
            first, last = trim.bounds(samples, RATE_HZ, ending)
            length_s = (last - first) / RATE_HZ
            phonemes = marks.clamp(marks.phonemes(symbols, durations), -first / RATE_HZ, length_s)
            quiet = trim.quiet(samples[first:last], RATE_HZ)
            phonemes = marks.end_with_sound(phonemes, symbols, quiet)
            yield Piece(
                clause if number == 0 else "",
                trim.to_pcm(samples[first:last]),
                marks.words(group, phonemes),
                phonemes,
            )
