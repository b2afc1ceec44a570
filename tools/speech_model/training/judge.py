"""Judges a network on the held-out voices: python3 judge.py NETWORK DATA_DIR

Frame accuracy counts frames of which a viseme holds at least 60 %, in pauses `sil` and `noise` alike.
A p/b/m is found when a closure (hysteresis on the bilabial logit and a least length) touches its
segment or 30 ms beside it; a closure that touches none is false, counted per minute of sound.
Times are those of the closures that were found, against the segment's begin and end.
"""
import sys
from pathlib import Path

import numpy as np

import nn
from labels import EITHER

TOLERANCE, LEAST, LOW = 3, 2, 0.6


def runs(mask):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return edges.reshape(-1, 2)


def closures(p, high, low, least=LEAST):
    """[begin, end) frames where p stays over `low` after it came over `high`, `least` frames at least."""
    return [(a, b) for a, b in runs(p > low) if p[a:b].max() > high and b - a >= least]


def score(posteriors, truths, weights, high, low, least=LEAST):
    """Found share, false per minute, median |error| of begins and of ends in ms."""
    found = total = false = frames = 0
    begins, ends = [], []
    for p, truth, weight in zip(posteriors, truths, weights):
        spans = [(a, b) for a, b in runs(truth > 0.3) if truth[a:b].max() > 0.7]
        soft = runs(truth > 0.3)
        made = closures(p, high, low, least)
        total += len(spans)
        frames += len(p)
        for a, b in spans:
            touching = [m for m in made if m[0] < b + TOLERANCE and m[1] > a - TOLERANCE]
            if touching:
                found += 1
                begins.append(min((m[0] - a for m in touching), key=abs))
                ends.append(min((m[1] - b for m in touching), key=abs))
        for m in made:
            if (not any(m[0] < b + TOLERANCE and m[1] > a - TOLERANCE for a, b in soft)
                    and weight[m[0]:m[1]].mean() > 0.5):
                false += 1
    return (found / max(total, 1), false * 6000 / frames, 10 * np.median(np.abs(begins or [0])),
            10 * np.median(np.abs(ends or [0])), 10 * np.median(begins or [0]),
            10 * np.median(ends or [0]))


def outputs(network, data):
    """Per stream: outputs [frames][H], shifted so that row k is about frame k."""
    ends = np.cumsum(data["lengths"])
    heard = data["features"].astype(np.float32)
    out = []
    for a, b in zip(ends - data["lengths"], ends):
        rows = np.concatenate([heard[a:b], np.repeat(heard[b - 1:b], network.lookahead, axis=0)])
        out.append(network.run(rows)[network.lookahead:])
    return out


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def accuracy(out, classes, weights):
    right = counted = 0
    for o, target, weight in zip(out, classes, weights):
        target = target.copy()
        target[:, 0] += target[:, EITHER] + target[:, EITHER - 1]
        best = o[:, :EITHER].argmax(axis=1)
        best[best == EITHER - 1] = 0
        clear = (target[:, :EITHER - 1].max(axis=1) > 0.6) & (weight > 0.9)
        right += (best == target[:, :EITHER - 1].argmax(axis=1))[clear].sum()
        counted += clear.sum()
    return right / max(counted, 1)


def judge(network, path):
    data = np.load(path)
    out = outputs(network, data)
    ends = np.cumsum(data["lengths"])
    cuts = [slice(b - n, b) for b, n in zip(ends, data["lengths"])]
    classes = [data["classes"][c].astype(np.float32) / 255 for c in cuts]
    flags = [data["logits"][c].astype(np.float32) / 255 for c in cuts]
    weights = [data["weight"][c].astype(np.float32) for c in cuts]
    sources = np.array([voice.split("/")[0] for voice in data["voices"]])
    print("| voices | minutes | frames right | p/b/m found at 5, 10, 20 false a minute | begin, end off "
          "by | f/v found at 5, 10 |\n| --- | --- | --- | --- | --- | --- |")
    for source in ["all"] + sorted(set(sources)):
        us = [i for i in range(len(cuts)) if source in ("all", sources[i])]
        of = [[rows[i] for i in us] for rows in (out, classes, weights, flags)]
        minutes = sum(map(len, of[0])) / 6000
        curves = []
        for at in (0, 1):
            posteriors = [sigmoid(o[:, EITHER + at]) for o in of[0]]
            truths = [flag[:, at] for flag in of[3]]
            rows = [score(posteriors, truths, of[2], high, LOW * high)
                    for high in np.linspace(0.98, 0.05, 32)]
            false = np.maximum.accumulate([row[1] for row in rows])
            curves.append((false, rows))
        found = [[100 * np.interp(rate, false, [row[0] for row in rows]) for rate in (5, 10, 20)]
                 for false, rows in curves]
        nearest = curves[0][1][int(np.argmin(np.abs(curves[0][0] - 10)))]
        print(f"| {path.stem[5:]}, {source} | {minutes:.1f} | "
              f"{100 * accuracy(*of[:3]):.1f} % | {found[0][0]:.0f}, {found[0][1]:.0f}, "
              f"{found[0][2]:.0f} % | {nearest[2]:.0f}, {nearest[3]:.0f} ms | {found[1][0]:.0f}, "
              f"{found[1][1]:.0f} % |")
    posteriors = [sigmoid(o[:, EITHER]) for o in out]
    truths = [flag[:, 0] for flag in flags]
    for high in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        found, false, begin, end, early, late = score(posteriors, truths, weights, high, LOW * high)
        print(f"p/b/m over {high}: {100 * found:.1f} % found, {false:.1f} false a minute, begin off "
              f"{begin:.0f} ms ({early:+.0f}), end off {end:.0f} ms ({late:+.0f})")


def main(arguments):
    network = nn.load(arguments[0])
    for name in ("test_clean", "test_spoilt"):
        judge(network, Path(arguments[1]) / f"{name}.npz")


if __name__ == "__main__":
    main(sys.argv[1:])
