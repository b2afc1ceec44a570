"""Synthetic voices whose phonemes are known, of those that the training holds out.

A folder of them holds flite/, espeak/ and kokoro/, each with phones.jsonl: a line an utterance,
{"id", "voice", "language", "phones": [[symbol, start_s, end_s]...]}, and ID.wav beside it. Which
voices no training saw, tools/speech_model/training/held_out.py says. The borders of p, b and m are
refined by the hole in the sound as those of recordings are: Kokoro tells its times in steps of 25
ms, and espeak-ng names a stop at its burst.
"""
import json
import unicodedata
import wave
from pathlib import Path

import numpy as np

import corpus
import dips

# How far each phone opens the jaw, as in libs/speech/viseme_table.cc.
JAW = {0.54: "aɑæɐ", 0.38: "eɛʌoɔəɘεɒɤœ", 0.24: "ɪᵻɚɝɜʊɵø", 0.20: "lɭɫʎrɾɹhɦʁɻkɡgxɣŋq",
       0.15: "iyuʉɨɯθðj", 0.10: "tdnɲʈɖwɥ", 0.06: "szʃʒʂʐɕʑʦʣʧʤʨʥfvʋ", 0.0: "pbmβ"}
OPENING = {phone: value for value, several in JAW.items() for phone in several}
ARPABET = {"aa": "ɑ", "ae": "æ", "ah": "ʌ", "ao": "ɔ", "aw": "aʊ", "ax": "ə", "ay": "aɪ",
           "eh": "ɛ", "er": "ɚ", "ey": "eɪ", "ih": "ɪ", "iy": "i", "ow": "oʊ", "oy": "ɔɪ",
           "uh": "ʊ", "uw": "u",
           "ch": "tʃ", "dh": "ð", "dx": "ɾ", "hh": "h", "jh": "dʒ", "ng": "ŋ", "sh": "ʃ", "th": "θ",
           "y": "j", "zh": "ʒ", "pau": "", "sil": ""}
KOKORO = {"A": "eɪ", "I": "aɪ", "O": "oʊ", "Q": "əʊ", "W": "aʊ", "Y": "ɔɪ"}
PAUSE_S = 0.09  # shorter ones are Kokoro's seams between words
MARKS = "ˈˌː̃ʰʲ↓→↗↘\"“”()ᵝ"


def utterances(folder, names, seconds):
    """References of held-out voices, up to so many seconds of each source."""
    folder, found = Path(folder), []
    for source in ("flite", "espeak", "kokoro"):
        total_s = 0
        path = folder / source / "phones.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            spoken = json.loads(line)
            if spoken["voice"] in names and total_s < seconds:
                found.append(reference(spoken, folder / source / f"{spoken['id']}.wav"))
                total_s += found[-1]["duration_s"]
    return found


def singles(symbol, source):
    """IPA sounds of a phone; [] for a pause, None for a mark of its neighbour."""
    if symbol and all(c in MARKS for c in symbol):
        return None
    text = {"flite": ARPABET, "kokoro": KOKORO}.get(source, {}).get(symbol, symbol)
    return [c for c in unicodedata.normalize("NFD", text) if c in OPENING]


def reference(spoken, path):
    with wave.open(str(path)) as sound:
        duration_s = sound.getnframes() / sound.getframerate()
    source = spoken["voice"].split("/")[0]
    phones = []
    for symbol, start, end in spoken["phones"]:
        sounds = singles(symbol, source)
        if sounds is None and phones:
            phones[-1][2] = max(phones[-1][2], end)
        elif sounds:
            step = (end - start) / len(sounds)
            phones += [[s, start + i * step, start + (i + 1) * step]
                       for i, s in enumerate(sounds)]
        elif phones and not phones[-1][0]:
            phones[-1][2] = end
        else:
            phones.append(["", start, end])
    pauses = [[s, e] for p, s, e in phones if not p and e - s >= PAUSE_S]
    kind = lambda letters: [[s, e] for p, s, e in phones if p and p in letters]  # noqa: E731
    level = dips.levels(np.frombuffer(corpus.pcm(path), "<i2") / 32768)
    first, last = phones[0][1], phones[-1][2]
    return {"file": str(path), "name": spoken["id"], "language": spoken.get("language", ""),
            "speaker": spoken["voice"], "tuning": False, "duration_s": duration_s,
            "phones": phones, "pause": [[0, first]] * (first > PAUSE_S) + pauses +
            [[last, duration_s]] * (duration_s - last > PAUSE_S),
            "bilabial": dips.merged([dips.refine(level, s, e) for s, e in kind("pbm")]),
            "labiodental": kind("fvʋ"), "either": kind("βɸ")}


def jaw(reference, step_s=0.01, reach_s=0.06):
    """jawOpen as the phonemes ask for it, each step, with the mean over 60 ms to either side."""
    count = int(reference["duration_s"] / step_s) + 1
    raw = [0.0] * count
    for phone, start, end in reference["phones"]:
        for k in range(max(0, int(start / step_s)), min(count, int(end / step_s))):
            raw[k] = OPENING.get(phone, 0.0)
    sums = [0.0]
    for value in raw:
        sums.append(sums[-1] + value)
    reach = round(reach_s / step_s)
    out = []
    for k in range(count):
        a, b = max(0, k - reach), min(count, k + reach + 1)
        out.append((sums[b] - sums[a]) / (b - a))
    return out


def correlation(a, b):
    count = min(len(a), len(b))
    a, b = a[:count], b[:count]
    ma, mb = sum(a) / count, sum(b) / count
    cross = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    size = (sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)) ** 0.5
    return cross / size if size else 0.0
