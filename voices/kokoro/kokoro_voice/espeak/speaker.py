"""Speaks sentences with espeak-ng: text to sound with marks."""

from ..synthesis.piece import Piece
from ..voices import RATE_HZ
from . import marks
from .process import Stop

WORDS_PER_MINUTE = 175  # espeak-ng's own pace, at speed 1
# What espeak-ng would take for a command.
CONTROLS = {code: " " for code in range(32)}


class EspeakSpeaker:
    """Thread-safe. `ids` are espeak-ng's names by those of our voices."""

    def __init__(self, process, ids):
        self._process = process
        self._ids = ids

    def new_stop(self):
        return Stop()

    def speak(self, request, clause, stop):
        """Generates the sentence's only piece, or none if it says nothing. Raises Stopped after
        stop.cancel(), EspeakFailed."""
        text = clause.translate(CONTROLS)
        rate_hz, pcm, events = self._process.speak(
            self._ids[request.voice], text, round(WORDS_PER_MINUTE * request.speed), stop
        )
        phonemes = marks.phonemes(memoryview(pcm).cast("h"), rate_hz, events)
        if not phonemes:
            return
        words = marks.words(text, request.language, events, phonemes)
        if rate_hz != RATE_HZ:
            from .resample import resample  # needs numpy

            pcm = resample(pcm, rate_hz, RATE_HZ)
        yield Piece(clause, pcm, words, marks.sendable(phonemes))
