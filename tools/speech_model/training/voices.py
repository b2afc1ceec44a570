"""Speech of flite and espeak-ng with the times of its phonemes.

python3 voices.py flite|espeak OUT_DIR MINUTES

Each sentence is a WAV in OUT_DIR and a line of OUT_DIR/phones.jsonl: id, voice, language, how lively
it is set (0..1: rate, and for espeak-ng pitch) and phones [symbol, begin in s, end in s], ARPAbet of
flite, IPA of espeak-ng. Every prefix holds all voices alike.
"""
import ctypes
import ctypes.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import texts
from wav import read_wav, write_wav

FLITE = ["slt", "rms", "awb", "kal16", "slt", "rms", "awb", "kal"]
# Half of it in the languages that the sentences know, half in others (numbers and nonsense words).
LANGUAGES = """en-us en en-us es fr it de pt-br ru en-us en-gb-scotland es-419 fr-be de pt ru
    en-gb-x-rp fi nl sv pl cs tr hu ro el hi id vi da nb uk bg hr ca eu sw ta et lv sk sr sl is cy
    en-029 af eo ga ka ms ko fa ja""".split()
VARIANTS = """f1 f2 f3 f4 f5 m1 m2 m3 m4 m5 m6 m7 m8 Alex Alicia Andrea Andy Annie Denis Diogo Gene
    Henrique Hugo Jacky Lee Marco Mario Michael Mike Nguyen adam anika antonio aunty belinda benjamin
    boris caleb david ed edward grandma grandpa gustave iven john kaukovalta klatt klatt2 klatt3 klatt4
    linda marcelo max michel miguel norbert pablo paul pedro quincy rob robert sandro shelby steph
    steph2 travis victor whisper zac""".split() + [""] * 6


def flite(rng, number):
    voice = FLITE[number % len(FLITE)]
    text = " ".join(texts.sentence(rng, "en-us") for _ in range(2))
    stretch = rng.uniform(0.75, 1.3)
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "a.wav"
        said = subprocess.run(
            ["flite", "-voice", voice, "--setf", f"duration_stretch={stretch:.3f}",
             "-psdur", "-o", str(wav), "-t", text], capture_output=True, text=True, check=True)
        samples, rate = read_wav(wav)
    begin, phones = 0.0, []
    for word in said.stdout.split():
        symbol, end = word.rsplit(":", 1)
        phones.append([symbol, begin, float(end)])
        begin = float(end)
    return voice, "en-us", samples, rate, phones, 0.5 + 0.7 * (1.02 - stretch)


class Event(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_uint), ("text", ctypes.c_int),
                ("length", ctypes.c_int), ("milliseconds", ctypes.c_int), ("sample", ctypes.c_int),
                ("user", ctypes.c_void_p), ("string", ctypes.c_char * 8)]


class Espeak:
    """The library's events of phonemes, which count the samples of its own sound."""

    PHONEME, SYNCHRONOUS, EVENTS_IN_IPA = 7, 2, 1 | 2 | 0x8000

    def __init__(self):
        self.lib = ctypes.CDLL("libespeak-ng.so.1")
        self.rate = self.lib.espeak_Initialize(self.SYNCHRONOUS, 200, None, self.EVENTS_IN_IPA)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int,
                                ctypes.POINTER(Event))
        self.callback = kind(self.hear)
        self.lib.espeak_SetSynthCallback(self.callback)
        self.sound, self.events = [], []

    def hear(self, samples, count, events):
        if count > 0 and samples:
            self.sound.append(np.ctypeslib.as_array(samples, (count,)).copy())
        i = 0
        while events[i].type != 0:
            if events[i].type == self.PHONEME:
                self.events.append((bytes(events[i].string).decode("utf-8", "ignore"),
                                    events[i].sample))
            i += 1
        return 0

    def say(self, text, voice, speed, pitch, spread):
        self.sound, self.events = [], []
        if self.lib.espeak_SetVoiceByName(voice.encode()) != 0:
            raise RuntimeError(f"espeak-ng has no voice {voice}")
        for parameter, value in ((1, speed), (3, pitch), (4, spread)):
            self.lib.espeak_SetParameter(parameter, int(value), 0)
        data = text.encode()
        self.lib.espeak_Synth(data, ctypes.c_size_t(len(data) + 1), 0, 1, 0, 1, None, None)
        return np.concatenate(self.sound) / 32768, self.events


def espeak(rng, number, engine=[]):
    if not engine:
        engine.append(Espeak())
    language = LANGUAGES[number % len(LANGUAGES)]
    variant = VARIANTS[number % len(VARIANTS)]
    text = " ".join(texts.sentence(rng, language) for _ in range(2))
    voice = language + ("+" + variant if variant else "")
    speed, pitch, spread = rng.uniform(130, 240), rng.uniform(20, 80), rng.uniform(10, 90)
    samples, events = engine[0].say(text, voice, speed, pitch, spread)
    rate = engine[0].rate
    times = [sample / rate for _, sample in events] + [len(samples) / rate]
    phones = [[symbol, times[i], times[i + 1]] for i, (symbol, _) in enumerate(events)]
    arousal = 0.5 + 0.2 * (speed - 180) / 50 + 0.2 * (spread - 50) / 30 + 0.1 * (pitch - 50) / 30
    return variant or "plain", language, samples, rate, phones, arousal


def main():
    source, out, minutes = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    speak = {"flite": flite, "espeak": espeak}[source]
    out.mkdir(parents=True, exist_ok=True)
    seconds, number = 0.0, 0
    with (out / "phones.jsonl").open("w") as index:
        while seconds < minutes * 60:
            number += 1
            rng = np.random.default_rng([number, len(source)])
            voice, language, samples, rate, phones, arousal = speak(rng, number)
            if not 1 < len(samples) / rate < 40:
                continue
            key = f"{source}_{number:05d}"
            write_wav(out / f"{key}.wav", samples, rate)
            phones = [[s, round(float(b), 4), round(float(e), 4)] for s, b, e in phones]
            index.write(json.dumps({"id": key, "voice": f"{source}/{voice}", "language": language,
                                    "arousal": round(float(np.clip(arousal, 0, 1)), 3), "phones": phones}, ensure_ascii=False) + "\n")
            seconds += len(samples) / rate


if __name__ == "__main__":
    main()
