"""Writes the vector that the C++ is tested against: features and outputs of a sound of a formula.

python3 tools/speech_model/training/vector.py [NETWORK [VECTOR]]
"""
import sys
from pathlib import Path

import numpy as np

import features
import nn

ROOT = Path(__file__).resolve().parents[3]
FRAMES = (0, 1, 2, 10, 30, 60, 61, 99, 110, 119)
STORY = """\
# Made by tools/speech_model/training/vector.py. 16 kHz sound x[n], n = 0..19199, in double precision:
#   noise: s = 1 before the first sample, each sample s = (1664525 s + 1013904223) mod 2^32,
#          r = s / 2^31 - 1
#   voice = sum over h = 1..12 of sin(2 pi 130 h n / 16000) / h
#   n < 16000: x = 0.02 + 0.01 r + 0.2 (0.5 - 0.5 cos(2 pi n / 4800)) voice;  else x = 0
# `features K` numbers: frame K's; `outputs K` numbers: what the network gives at step K (logits).
# Both to 1e-3 or better in single precision.
"""


def sound():
    x = np.zeros(19200)
    state = 1
    for n in range(16000):
        state = (1664525 * state + 1013904223) % 2**32
        voice = sum(np.sin(2 * np.pi * 130 * h * n / 16000) / h for h in range(1, 13))
        x[n] = (0.02 + 0.01 * (state / 2**31 - 1) +
                0.2 * (0.5 - 0.5 * np.cos(2 * np.pi * n / 4800)) * voice)
    return x


def write(network_path, vector_path):
    heard = features.features(sound())
    outputs = nn.load(network_path).run(heard)
    vector_path.parent.mkdir(parents=True, exist_ok=True)
    with open(vector_path, "w") as file:
        file.write(STORY)
        for name, rows in (("features", heard), ("outputs", outputs)):
            for k in FRAMES:
                file.write(f"{name} {k} " + " ".join(f"{value:.5f}" for value in rows[k]) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "data/speech/visemes.nn"),
          Path(sys.argv[2] if len(sys.argv) > 2 else
               ROOT / "tests/unit/speech/testdata/visemes_vector.txt"))
