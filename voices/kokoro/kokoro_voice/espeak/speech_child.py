"""The child process in which espeak-ng's library speaks.

    python speech_child.py LIBRARY [DATA_DIR]

Reads lines of JSON and answers each with a line of JSON:

    {"list": true}          {"voices": [{"id", "tags": [[BCP 47, priority], ...], "sex"}, ...]}
    {"voice": ID, "text": TEXT, "words_per_minute": N}
                            {"rate_hz", "samples": N, "events": [[sample, kind, ...], ...]} and then
                            N samples of 16 bits

`kind` is "word" with the first character of the word in the text and their number, or "phoneme"
with its IPA, which is empty for a pause. A request that fails is answered with {"error": "..."}.
Like g2p/espeak_child.py, this process loads espeak-ng, which is under the GPL; the server never
does.
"""

import ctypes
import json
import sys

UTF8 = 1
PAUSE_AT_THE_END = 0x1000
SYNCHRONOUS = 2
PHONEME_EVENTS_IN_IPA = 1 | 2
DONT_EXIT = 0x8000
RATE = 1  # the parameter
END, WORD, PHONEME = 0, 1, 7
SEXES = {1: "male", 2: "female"}


class Id(ctypes.Union):
    _fields_ = [
        ("number", ctypes.c_int),
        ("name", ctypes.c_void_p),
        ("string", ctypes.c_ubyte * 8),
    ]


class Event(ctypes.Structure):
    """espeak_EVENT of speak_lib.h."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", Id),
    ]


class Voice(ctypes.Structure):
    """espeak_VOICE of speak_lib.h."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_void_p),
        ("identifier", ctypes.c_char_p),
        ("gender", ctypes.c_ubyte),
        ("age", ctypes.c_ubyte),
        ("variant", ctypes.c_ubyte),
        ("xx1", ctypes.c_ubyte),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    ]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(Event))


class Espeak:
    def __init__(self, library, data_dir):
        try:
            self._library = ctypes.CDLL(library)
        except OSError as error:
            sys.exit(f"espeak-ng's library cannot be loaded: {error}")
        self._library.espeak_Initialize.argtypes = [
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_int,
        ]
        self._library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(Voice))
        self._library.espeak_SetVoiceByName.argtypes = [ctypes.c_char_p]
        self._library.espeak_Synth.argtypes = [
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_uint,
            ctypes.c_int,
            ctypes.c_uint,
            ctypes.c_uint,
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]
        self.rate_hz = self._library.espeak_Initialize(
            SYNCHRONOUS, 0, data_dir and data_dir.encode(), PHONEME_EVENTS_IN_IPA | DONT_EXIT
        )
        if self.rate_hz <= 0:
            sys.exit(f"espeak-ng does not start with its data in {data_dir or 'its usual place'}")
        self._callback = CALLBACK(self._hear)  # must live as long as the library
        self._library.espeak_SetSynthCallback(self._callback)
        self._sound = self._events = None

    def _hear(self, samples, count, events):
        if samples and count > 0:
            self._sound += ctypes.string_at(samples, count * 2)
        at = 0
        while events[at].type != END:
            event = events[at]
            if event.type == WORD:
                self._events.append((event.sample, "word", event.text_position - 1, event.length))
            elif event.type == PHONEME:
                # Up to 8 bytes, with a zero only if there are fewer.
                ipa = bytes(event.id.string).split(b"\0")[0].decode("utf-8", "ignore")
                self._events.append((event.sample, "phoneme", ipa))
            at += 1
        return 0

    def voices(self):
        """Those that need no MBROLA."""
        found = self._library.espeak_ListVoices(None)
        out = []
        at = 0
        while found[at]:
            voice = found[at].contents
            at += 1
            identifier = voice.identifier.decode()
            if identifier.startswith("mb/"):
                continue
            sex = SEXES.get(voice.gender, "unknown")
            out.append({"id": identifier, "tags": self._tags(voice.languages), "sex": sex})
        return out

    @staticmethod
    def _tags(address):
        """A list of (priority, tag and zero), ended by the priority zero."""
        tags = []
        while address and (priority := ctypes.string_at(address, 1)[0]):
            tag = ctypes.string_at(address + 1)
            tags.append((tag.decode(), priority))
            address += len(tag) + 2
        return tags

    def speak(self, voice, text, words_per_minute):
        if self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            return {"error": f"espeak-ng has no voice {voice}"}, b""
        self._library.espeak_SetParameter(RATE, words_per_minute, 0)
        self._sound, self._events = bytearray(), []
        data = text.encode() + b"\0"
        status = self._library.espeak_Synth(
            data, len(data), 0, 1, 0, UTF8 | PAUSE_AT_THE_END, None, None
        )
        if status != 0:
            return {"error": f"espeak-ng could not speak as {voice}: status {status}"}, b""
        return {
            "rate_hz": self.rate_hz,
            "samples": len(self._sound) // 2,
            "events": self._events,
        }, self._sound


def main():
    espeak = Espeak(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request.get("list"):
            answer, sound = {"voices": espeak.voices()}, b""
        else:
            answer, sound = espeak.speak(
                request["voice"], request["text"], request["words_per_minute"]
            )
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + sound)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
