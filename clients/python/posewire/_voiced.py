"""Cuts a voice that comes in chunks into its clauses, where its text or words are known."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence

from ._events import Sound, Word, pcm
from ._speech import MOST_SAMPLE_BYTES, Chunks, each

_ENDS = ".,;:!?…。、，！？；："
_PAUSE_S = 0.3


async def voiced(
    chunks: Chunks, rate: int, channels: int, text: str, words: Sequence[Word]
) -> AsyncIterator[Sound]:
    """The clauses of a voice, each as soon as its sound is there.

    A source takes words and text for those of the sound that they come with. So sound waits for the
    end of its clause, as `words` have it; with a text alone for the end of all.
    """
    second = 2 * channels * rate
    clauses = clauses_of(text, sorted(words, key=lambda word: word.start_s))
    held, begin_s = bytearray(), 0.0

    def take(size: int) -> Sound:
        nonlocal begin_s
        clause_text, clause_words, _ = clauses.pop(0) if clauses else ("", [], math.inf)
        moved = [Word(w.text, w.start_s - begin_s, w.end_s - begin_s) for w in clause_words]
        sound = Sound(bytes(held[:size]), clause_text, moved, ends_clause=True)
        del held[:size]
        begin_s += size / second
        return sound

    async for chunk in each(chunks):
        if isinstance(chunk, Sound):
            raise TypeError("text and words were given for Sounds, which have their own")
        if isinstance(chunk, str):
            raise TypeError("text was written to a voice: write samples or a Sound")
        held += pcm(chunk, channels)
        while clauses and (clauses[0][2] - begin_s) * second <= len(held):
            frames = round((clauses[0][2] - begin_s) * rate)
            yield take(max(0, 2 * channels * frames))
        whole = len(held) // (2 * channels) * (2 * channels)
        if not clauses or whole >= MOST_SAMPLE_BYTES:
            yield take(whole)
    if held or clauses:
        yield take(len(held))


def clauses_of(text: str, words: Sequence[Word]) -> list[tuple[str, list[Word], float]]:
    """Text and words of each clause, and where in the voice it ends.

    >>> words = [Word("Well", 0, 0.5), Word("yes", 0.6, 1), Word("no", 1, 2)]
    >>> [(text, len(words), end_s) for text, words, end_s in clauses_of("Well, yes no!", words)]
    [('Well,', 1, 0.55), ('yes no!', 2, inf)]
    """
    clauses: list[tuple[str, list[Word], float]] = []
    clause: list[Word] = []
    begin = at = 0
    for word, after in zip(words, [*words[1:], None]):
        clause.append(word)
        found = text.find(word.text, at)
        if found >= 0:
            at = found + len(word.text)
            while at < len(text) and not text[at].isspace():
                at += 1
        if after is None:
            clauses.append((text[begin:].strip(), clause, math.inf))
        elif (text[:at] or word.text)[-1:] in _ENDS or after.start_s - word.end_s >= _PAUSE_S:
            clauses.append((text[begin:at].strip(), clause, (word.end_s + after.start_s) / 2))
            clause, begin = [], at
    return clauses or [(text, [], math.inf)]
