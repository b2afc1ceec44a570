"""How sound goes out: WAV, bare PCM, or server-sent events with marks."""

import base64
import json
import struct

from ..synthesis.marks import rounded
from ..voices import RATE_HZ

EVENT_BYTES = RATE_HZ * 2 * 40 // 1000  # sound of one event: 40 ms
UNKNOWN = 0xFFFFFFFF  # the length of a stream, as OpenAI's server writes it


def wav_header():
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        UNKNOWN,
        b"WAVE",
        b"fmt ",
        16,
        1,
        1,
        RATE_HZ,
        RATE_HZ * 2,
        2,
        16,
        b"data",
        UNKNOWN,
    )


def _event(event):
    return (
        b"data: " + json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"
    )


class SoundStream:
    """audio/wav or audio/pcm: 16 bit, one channel, little-endian."""

    def __init__(self, response_format):
        self.content_type = f"audio/{response_format}"
        self._header = wav_header() if response_format == "wav" else b""

    def piece(self, piece):
        header, self._header = self._header, b""
        return header + piece.pcm

    def end(self):
        header, self._header = self._header, b""
        return header

    def error(self, _):
        """None: breaking the connection off is all that can be done."""
        return None


class EventStream:
    """text/event-stream: before the sound of each piece, its marks. With WAV, the header is the
    first sound."""

    content_type = "text/event-stream"

    def __init__(self, response_format, characters):
        self._header = wav_header() if response_format == "wav" else b""
        self._samples = 0
        self._characters = characters

    def piece(self, piece):
        start = self._samples / RATE_HZ
        self._samples += len(piece.pcm) // 2
        out = [
            _event(
                {
                    "type": "speech.audio.marks",
                    "start": round(start, 4),
                    "end": round(self._samples / RATE_HZ, 4),
                    "text": piece.text,
                    "words": [rounded(mark, start) for mark in piece.words],
                    "phonemes": [rounded(mark, start) for mark in piece.phonemes],
                }
            )
        ]
        sound = self._header + piece.pcm
        self._header = b""
        for at in range(0, len(sound), EVENT_BYTES):
            out.append(
                _event(
                    {
                        "type": "speech.audio.delta",
                        "audio": base64.b64encode(sound[at : at + EVENT_BYTES]).decode(),
                    }
                )
            )
        return b"".join(out)

    def end(self):
        return _event(
            {
                "type": "speech.audio.done",
                "usage": {
                    "input_tokens": self._characters,
                    "output_tokens": 0,
                    "total_tokens": self._characters,
                    "seconds": round(self._samples / RATE_HZ, 4),
                },
            }
        )

    def error(self, error):
        return _event({"type": "error", **json.loads(error.body())})
