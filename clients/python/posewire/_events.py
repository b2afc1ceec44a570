"""What is told of a speech, and what a speech is made of."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

# Signed 16 bit (bytes: little-endian), or floats from -1 to 1. An array is (n,) or (n, channels).
Samples = Union[bytes, bytearray, memoryview, npt.NDArray[Any]]


class Reason(str, enum.Enum):
    """Why a speech has ended. Equal to its text: `said.reason == "completed"`."""

    COMPLETED = "completed"  # all was said
    STOPPED = "stopped"  # by stop() or interrupt(), a cancelled call or the end of the source
    INTERRUPTED = "interrupted"  # by a text with the policy "interrupt", or another source
    FAILED = "failed"  # the voice or the compositor failed

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Word:
    """A word. Seconds from the beginning of the speech, or of the Sound that it is given with."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Phoneme:
    """A sound of speech: IPA, or ARPAbet where the voice has that. Times are as those of Word."""

    phone: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Sound:
    """A stretch of the caller's own voice, and what is known of it. Times are from its first sample.

    Words move brows, head and hands, phonemes the lips. Without words they are guessed from the text;
    without phonemes, lips follow the sound. With `ends_clause` the next sound is of another clause.
    """

    samples: Samples
    text: str = ""
    words: Sequence[Word] = ()
    phonemes: Sequence[Phoneme] = ()
    ends_clause: bool = False


@dataclass(frozen=True)
class Accepted:
    """The source has taken the speech. `ahead` texts are said before it."""

    request_id: str
    ahead: int


@dataclass(frozen=True)
class Started:
    """The first sound is played now; `time_s` is Unix time."""

    time_s: float


@dataclass(frozen=True)
class Clause:
    """A clause has been made. `end_s` is an estimate while its sound is still being made."""

    index: int
    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Note:
    """For people: what was left out or assumed."""

    text: str


@dataclass(frozen=True)
class Ended:
    """The last event. `spoken_text` was heard, to the word that was last begun."""

    reason: Reason
    spoken_text: str
    spoken_s: float
    detail: str


SpeechEvent = Union[Accepted, Started, Clause, Word, Phoneme, Note, Ended]


@dataclass(frozen=True)
class Spoken:
    """What became of a speech.

    `text` is what was heard, to the word that was last begun, in `seconds` of speech: what an agent
    puts into its memory after an interruption. `detail` is for people: how a FAILED one failed, or what
    the compositor said.
    """

    reason: Reason
    text: str
    seconds: float
    detail: str
    request_id: str
    words: tuple[Word, ...]


def event_of(message: Any) -> SpeechEvent | None:
    """The event of a SayEvent; None for one that only newer sources know."""
    kind = message.WhichOneof("event")
    part: Any = getattr(message, kind) if kind else None
    if kind == "accepted":
        return Accepted(part.request_id, part.ahead)
    if kind == "started":
        return Started(part.time_s)
    if kind == "clause":
        return Clause(part.index, part.text, part.start_s, part.end_s)
    if kind == "word":
        return Word(part.text, part.start_s, part.end_s)
    if kind == "phoneme":
        return Phoneme(part.phone, part.start_s, part.end_s)
    if kind == "note":
        return Note(part.text)
    if kind == "ended":
        names = {1: Reason.COMPLETED, 2: Reason.STOPPED, 3: Reason.INTERRUPTED}
        reason = names.get(part.reason, Reason.FAILED)
        return Ended(reason, part.spoken_text, part.spoken_s, part.detail)
    return None


def pcm(samples: Samples, channels: int = 1) -> bytes:
    """Signed 16 bit, little-endian, interleaved.

    >>> pcm(np.array([0.0, 0.5, -2.0], np.float32))
    b'\\x00\\x00\\xff?\\x01\\x80'
    """
    if isinstance(samples, (bytes, bytearray, memoryview)):
        return bytes(samples)
    if not isinstance(samples, np.ndarray):
        kind = type(samples).__name__
        raise TypeError(f"samples are {kind}: give bytes, or an int16 or float array")
    if samples.ndim not in (1, 2) or (samples.ndim == 2 and samples.shape[1] != channels):
        raise ValueError(f"samples have the shape {samples.shape}: must be (n,) or (n, {channels})")
    if samples.dtype.kind == "f":
        if not np.isfinite(samples).all():
            index = int(np.flatnonzero(~np.isfinite(samples))[0])
            raise ValueError(f"samples[{index}] is {samples.flat[index]}: must be finite")
        samples = (np.clip(samples, -1, 1) * 32767).astype("<i2")
    if samples.dtype.kind != "i" or samples.dtype.itemsize != 2:
        raise TypeError(f"samples are {samples.dtype}: must be int16 or float32")
    return samples.astype("<i2").tobytes()
