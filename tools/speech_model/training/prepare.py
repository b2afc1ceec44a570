"""Makes training data of the voices: streams of spoilt speech and noise as features and targets.

python3 prepare.py DATA_DIR [SHARDS [FIRST]]

DATA_DIR/{flite,espeak,festival,kokoro}* hold what voices.py and kokoro.py made. Each shard, 15 minutes from a
seed of its own, is DATA_DIR/shards/NNN.npz; test_clean.npz and test_spoilt.npz are of the voices that
are held out.
"""
import json
import sys
from pathlib import Path

import numpy as np

import augment
import features
import labels
from held_out import HELD_OUT
from wav import read_wav

SHARE = {"kokoro": 0.4, "festival": 0.32, "espeak": 0.18, "flite": 0.1}
STRETCH = {"festival": (0.85, 1.25), "kokoro": (0.82, 1.22), "espeak": (0.88, 1.18), "flite": (0.82, 1.3)}
SHARD_S, RATE = 900, 16000
CLASSES = labels.EITHER + 1


def corpus(home):
    """Utterances of each source as (folder, line)."""
    found = {}
    for source in SHARE:
        found[source] = [dict(json.loads(line), folder=folder)
                         for folder in sorted(home.glob(source + "*")) if folder.is_dir()
                         for line in (folder / "phones.jsonl").read_text().split("\n")[:-1]]
    return found


def voice(utterance, factor):
    """16 kHz sound and its timeline per millisecond, spoken `factor` times as fast."""
    x, rate = read_wav(utterance["folder"] / (utterance["id"] + ".wav"))
    timeline = labels.timeline(utterance, x, rate)
    x, factor = augment.resample(x, rate, factor)
    at = np.minimum((np.arange(len(x) * 1000 // RATE) * factor).astype(int), len(timeline[0]) - 1)
    return x, [row[at] for row in timeline]


def speech(utterance, factor, rng, plain):
    """A piece: sound, classes, logits and weight per ms, arousal (-1: not known)."""
    x, (classes, logits, weight) = voice(utterance, factor)
    before, behind = (int(rng.choice([0, 1]) * rng.uniform(0, 1200)) for _ in range(2))
    pad = ((before, behind),)
    classes = np.pad(classes, pad, constant_values=labels.REST)
    logits, weight = np.pad(logits, pad + ((0, 0),)), np.pad(weight, pad, constant_values=1)
    x = np.pad(x, (16 * before, 16 * behind))
    x = np.pad(x, (0, max(0, 16 * len(classes) - len(x))))[:16 * len(classes)]
    level = np.sqrt((x ** 2).mean())
    edges = np.flatnonzero(np.diff(np.concatenate([[0], classes == labels.REST, [0]])))
    for a, b in edges.reshape(-1, 2):               # breaths in pauses
        if b - a > 250 and plain < 1 and rng.random() < 0.3:
            long = int(rng.uniform(150, min(b - a - 50, 600)))
            at = a + int(rng.uniform(0, b - a - long))
            x[16 * at:16 * (at + long)] += (augment.breath(16 * long, rng) * level *
                                            10 ** (-rng.uniform(10, 35) / 20))
            classes[at:at + long] = labels.EITHER
    x, noise = augment.spoil(x, rng, plain)
    if noise > 10 ** -5.5:
        classes[classes == labels.REST] = labels.EITHER
    return x, classes, logits, weight, utterance.get("arousal", -1)


def no_speech(rng):
    n = int(rng.uniform(1, 9) * 1000)
    classes = np.full(n, labels.REST)
    if rng.random() < 0.2:
        x = rng.normal(size=16 * n) * 10 ** (rng.uniform(-110, -62) / 20)
    else:
        level = rng.uniform(-68, -8)
        x = np.clip(augment.noise(16 * n, rng) * 10 ** (level / 20), -1, 1)
        classes[:] = labels.NOISE if level > -50 else labels.EITHER
    return x, classes, np.zeros((n, 7), np.float32), np.ones(n, np.float32), -1


def stream(pieces):
    """Energies and targets of pieces said one after the other."""
    x = np.concatenate([p[0] for p in pieces])
    energies = features.band_energies(x)
    targets = labels.frames(*(np.concatenate([p[i] for p in pieces]) for i in (1, 2, 3)),
                            len(energies))
    arousal = np.concatenate([np.full(len(p[1]), p[4]) for p in pieces])
    return energies, targets, arousal[10 * np.arange(len(energies))]


def save(path, streams, **more):
    heard = [f for i in range(0, len(streams), 16)
             for f in features.features_of([s[0] for s in streams[i:i + 16]])]
    rows = [np.concatenate([s[1][i] for s in streams]) for i in range(3)]
    if not all(np.isfinite(rows).all() for rows in heard):
        raise RuntimeError(f"{path}: features that are no numbers")
    np.savez(path, features=np.concatenate(heard).astype(np.float16),
             classes=(255 * rows[0]).astype(np.uint8), logits=(255 * rows[1]).astype(np.uint8),
             weight=rows[2].astype(np.float16),
             arousal=np.concatenate([s[2] for s in streams]).astype(np.float16),
             lengths=np.array([len(s[0]) for s in streams]), **more)


def shard(found, number):
    rng = np.random.default_rng([7, number])
    pools = {source: [u for u in many if u["voice"] not in HELD_OUT]
             for source, many in found.items()}
    streams, seconds = [], 0
    while seconds < SHARD_S:
        pieces = []
        for _ in range(rng.integers(1, 5)):
            if rng.random() < 0.17:
                pieces.append(no_speech(rng))
                continue
            source = rng.choice(list(SHARE), p=list(SHARE.values()))
            utterance = pools[source][rng.integers(len(pools[source]))]
            factor = 1 if rng.random() < 0.25 else np.exp(rng.uniform(*np.log(STRETCH[source])))
            pieces.append(speech(utterance, factor, rng, 0.15))
        streams.append(stream(pieces))
        seconds += len(streams[-1][0]) / 100
    return streams


def test_set(found, plain):
    """Up to 12 minutes of each source's held-out voices, as they are or spoilt."""
    rng = np.random.default_rng(99)
    streams, voices = [], []
    for many in found.values():
        seconds = 0
        for utterance in many:
            if utterance["voice"] in HELD_OUT and seconds < 720:
                streams.append(stream([speech(utterance, 1, rng, plain)]))
                voices.append(utterance["voice"])
                seconds += len(streams[-1][0]) / 100
    return streams, voices


def main():
    home = Path(sys.argv[1])
    shards = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    (home / "shards").mkdir(exist_ok=True)
    found = corpus(home)
    for name, plain in (("test_clean", 1), ("test_spoilt", 0)) if first == 0 else ():
        streams, voices = test_set(found, plain)
        save(home / f"{name}.npz", streams, voices=voices)
    for number in range(first, first + shards):
        save(home / f"shards/{number:03d}.npz", shard(found, number))
        print("shard", number, flush=True)


if __name__ == "__main__":
    main()
