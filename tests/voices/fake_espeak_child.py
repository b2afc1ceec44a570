"""Stands in for speech_child.py: each letter is a phoneme of 0.1 s at 24 kHz, everything else 0.1 s
of silence. Texts with "hang" are never answered; "die" ends the process; "garbage" is no JSON."""

import json
import struct
import sys
import time

RATE_HZ = 24000
VOICES = [
    {"id": "x/de", "tags": [["de", 5]], "sex": "male"},
    {"id": "x/en-US", "tags": [["en-us", 2], ["en", 3]], "sex": "male"},
    {"id": "x/en", "tags": [["en-gb", 2], ["en", 2]], "sex": "unknown"},
    {"id": "x/fr-BE", "tags": [["fr-be", 5], ["fr", 8]], "sex": "male"},
    {"id": "x/fr", "tags": [["fr-fr", 5], ["fr", 5]], "sex": "male"},
    {"id": "x/ja", "tags": [["ja", 5]], "sex": "female"},
    {"id": "x/cmn", "tags": [["cmn", 5], ["zh-cmn", 5], ["zh", 5]], "sex": "male"},
    {"id": "x/pinyin", "tags": [["cmn-latn-pinyin", 5]], "sex": "male"},
    {"id": "x/xex", "tags": [["xex", 5]], "sex": "male"},
    {"id": "x/none", "tags": [], "sex": "male"},
]


def speak(text, words_per_minute):
    step = RATE_HZ * 175 // words_per_minute // 10
    events, sound = [], b""
    for number, letter in enumerate(text):
        at = len(sound) // 2
        if letter.isalnum():
            if number == 0 or not text[number - 1].isalnum():
                length = len(text[number:].split()[0])
                events.append([at, "word", number, length])
            events.append([at, "phoneme", letter])
            sound += struct.pack("<h", 1000) * step
        else:
            events.append([at, "phoneme", ""])
            sound += bytes(2) * step
    return {"rate_hz": RATE_HZ, "samples": len(sound) // 2, "events": events}, sound


def main():
    for line in sys.stdin:
        request = json.loads(line)
        text = request.get("text", "")
        if "hang" in text:
            time.sleep(600)
        if "die" in text:
            sys.exit(1)
        answer, sound = {"voices": VOICES}, b""
        if "garbage" in text:
            sys.stdout.write("no JSON\n")
            sys.stdout.flush()
            continue
        if "wrong" in text:
            answer = {"error": "espeak-ng has no voice"}
        elif text:
            answer, sound = speak(text, request["words_per_minute"])
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + sound)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
