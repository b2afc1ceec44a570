"""Clauses of other languages: whole stretches between pauses go to espeak-ng, which knows
liaison."""

import re

from . import symbols
from .espeak import VOICES, clean

PAUSE = re.compile(r"([.,;:!?…—。！？।、，；：¿¡«»“”\"()]+(?=\s|$|[^\w\s])|[¿¡«»“”\"()—…।]+)")
MARKS = {"。": ".", "！": "!", "？": "?", "।": ".", "、": ",", "，": ",", "；": ";", "：": ":"}
KEPT = ".,;:!?…—"


def align(words, sounds):
    """Each sound's word, as indices that never go back: word `w` of `words` is said as sounds[i]
    for all i with out[i] == w. Finds the assignment in which lengths agree best."""
    if len(words) == len(sounds):
        return list(range(len(words)))
    if not words or not sounds:
        return [0] * len(sounds)
    total_letters, total_sounds = sum(map(len, words)), sum(map(len, sounds))
    scale = total_letters / max(total_sounds, 1)
    ends, at = [], 0
    for word in words:
        at += len(word)
        ends.append(at)
    out, middle, word = [], 0.0, 0
    for sound in sounds:
        middle += len(sound) * scale / 2
        while word < len(words) - 1 and middle > ends[word]:
            word += 1
        out.append(word)
        middle += len(sound) * scale / 2
    return out


class Foreign:
    """Thread-safe."""

    def __init__(self, espeak):
        self._espeak = espeak

    def parts(self, text, language):
        """[(symbols, written word or None)]; joined, the symbols are the clause's."""
        pieces = [piece.strip() for piece in PAUSE.split(text.replace("...", "…"))]
        stretches = [piece for piece in pieces[::2] if piece]
        ipa = iter(self._espeak.ipa(stretches, VOICES[language]) if stretches else [])
        out = []
        for number, piece in enumerate(pieces):
            if not piece:
                continue
            if number % 2:
                mark = MARKS.get(piece[0], piece[0])
                if mark in KEPT and out:
                    out.append((mark, None))
                continue
            words = piece.split()
            sounds = symbols.other(clean(next(ipa))).split()
            last = None
            for sound, word in zip(sounds, align(words, sounds)):
                if word == last:
                    out[-1] = (out[-1][0] + " " + sound, out[-1][1])
                else:
                    if out:
                        out.append((" ", None))
                    out.append((sound, words[word]))
                last = word
        return out
