"""Answers of voice servers for the corpus of voice_answer, good and bad."""

import base64
import json
import struct

TONE = struct.pack("<400h", *(6000 * (1 if i // 40 % 2 else -1) for i in range(400)))
WAV, PCM = 0, 1
SOUND, EVENTS, CAPTIONED, ALIGNED = 0, 2, 4, 6
TEXTS = 8


def header(channels=1, rate=8000, bits=16, kind=1, size=0xFFFFFFFF, extensible=False, chunks=b""):
    frame = channels * bits // 8
    form = struct.pack("<HHIIHH", 0xFFFE if extensible else kind, channels, rate, rate * frame,
                       frame, bits)
    if extensible:
        form += struct.pack("<HHIH", 22, bits, 0, kind) + bytes(14)
    return (b"RIFF\xff\xff\xff\xffWAVEfmt " + struct.pack("<I", len(form)) + form + chunks + b"data"
            + struct.pack("<I", size))


def text(data):
    return base64.b64encode(data).decode()


def events(*items):
    return b"".join(b"data: " + json.dumps(item).encode() + b"\n\n" for item in items)


def delta(data):
    return {"type": "speech.audio.delta", "audio": text(data)}


def marks(*phonemes, **more):
    return {"type": "speech.audio.marks", "end": 0.05, "words": [
        {"text": "May", "start": 0, "end": 0.05}], "phonemes": list(phonemes), **more}


def phoneme(ph, start, end, **more):
    return {"ph": ph, "start": start, "end": end, **more}


def objects(*items):
    return b"\n".join(json.dumps(item).encode() for item in items)


def voice_answers():
    done = {"type": "speech.audio.done"}
    good = [phoneme("m", 0, 0.02), phoneme("eɪ", 0.02, 0.05, stress=1)]
    nan = float("nan")
    aligned = {"characters": ["H", "i", " "], "character_start_times_seconds": [0, 0.02, 0.04],
               "character_end_times_seconds": [0.02, 0.04, 0.05]}
    answers = [
        (SOUND + WAV, header() + TONE), (SOUND + WAV, header(channels=2) + TONE),
        (SOUND + WAV, header(bits=24, size=90) + TONE), (SOUND + WAV, header(bits=32) + TONE),
        (SOUND + WAV, header(bits=32, kind=3, extensible=True) + TONE),
        (SOUND + WAV, header(size=800) + TONE + b"LIST\x02\0\0\0xx"),
        (SOUND + WAV, header(chunks=b"LIST\x03\0\0\0abc\0") + TONE),
        (SOUND + WAV, header(channels=9) + TONE), (SOUND + WAV, header(rate=1) + TONE),
        (SOUND + WAV, b"\xff\xf3\x84\xc4" + bytes(100)), (SOUND + WAV, b"<html></html>"),
        (SOUND + WAV, header()), (SOUND + PCM, TONE), (SOUND + PCM, TONE[:3]),
        (SOUND + PCM, header() + TONE + b"\x01"),
        (EVENTS + WAV, events(marks(*good), delta(header() + TONE), done)),
        (EVENTS + WAV, events(delta(header() + TONE), delta(header() + TONE), done)),
        (EVENTS + PCM, events(marks(*reversed(good)), delta(TONE[:101]), delta(TONE[101:]), done)),
        (EVENTS + PCM, events(marks(phoneme("a", nan, 1)), delta(TONE), done)),
        (EVENTS + PCM, events(marks(phoneme("a", -3, 1)), delta(TONE), done)),
        (EVENTS + PCM, events(marks(phoneme("a", 0, 1e6)), delta(TONE), done)),
        (EVENTS + PCM, events(marks({"viseme": 21, "start": 0}, {"viseme": 0, "start": 0.02}),
                              delta(TONE), done)),
        (EVENTS + PCM, events(marks(*good, end="x", words=7), delta(TONE))),
        (EVENTS + PCM,
         b"\xef\xbb\xbf: hello\r\nevent: x\r\ndata: {\"type\":\r\ndata: \"x\"}\r\n\r\n"
         + events(delta(TONE)).replace(b"\n", b"\r\n") + b"data: [DONE]"),
        (EVENTS + PCM, events({"type": "error", "error": {"message": "no key"}})),
        (EVENTS + PCM, events({"type": "speech.audio.delta", "audio": "*"})),
        (EVENTS + PCM, b"data: [[[[[[{\n\n"),
        (CAPTIONED + WAV, objects({"audio": text(header() + TONE), "timestamps": [
            {"word": "Hi", "start_time": 0, "end_time": 0.05}]},
            {"audio": "", "timestamps": None})),
        (CAPTIONED + PCM, objects({"audio": text(TONE), "timestamps": [{"word": 3}]})),
        (CAPTIONED + PCM, objects({"detail": [{"msg": "no"}]})),
        (CAPTIONED + PCM, b"{\"audio\": \"}{\\\"\"}"), (CAPTIONED + PCM, b"[{}]"),
        (ALIGNED + PCM, objects({"audio_base64": text(TONE), "alignment": aligned},
                                {"audio_base64": "", "alignment": None})),
        (ALIGNED + PCM, objects({"audio_base64": text(TONE), "alignment": {
            "characters": ["a", 1], "character_start_times_seconds": [1, 2, 3]}})),
        (TEXTS, objects({"voices": ["a", {"name": "b", "languages": ["en"], "marks": ["word"]}]})),
        (TEXTS, objects({"data": [{"id": "tts-1", "posewire": {"marks": ["phoneme"]}}]})),
        (TEXTS, objects({"error": {"message": "key\x1b"}})), (TEXTS, b"plain words"),
    ]
    # Cut into pieces of so many bytes.
    return [bytes([form, step]) + answer for n, (form, answer) in enumerate(answers)
            for step in ((0, 2, 6, 63)[n % 4],)]
