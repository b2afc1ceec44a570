#!/usr/bin/env python3
"""Prints the time in seconds at which the speaker of a clip makes the best picture.

    animclip convert take.animdata - | scripts/best_moment.py

The mouth and the eyes are open, the eyes look ahead, and the arms are still, better raised than not.
Reads the first 30 s of .jsonl, and prints nothing for a clip without a face.
"""
import json
import math
import sys

LONGEST_S = 30
ARMS = ("l_shoulder", "l_elbow", "r_shoulder", "r_elbow")


def frames(lines):
    """(time, weight by shape, rotation by joint of the arms) of each key."""
    shapes, joints = [], []
    for line in lines:
        message = json.loads(line)
        header = message.get("animationDataStreamHeader", {}).get("skelAnimationHeader")
        if header:
            shapes = header.get("blendShapes", [])
            joints = [path.split("/")[-1] for path in header.get("joints", [])]
        tracks = message.get("animationData", {}).get("skelAnimation", {})
        rotations = {key.get("timeCode", 0): key["values"] for key in tracks.get("rotations", [])}
        for key in tracks.get("blendShapeWeights", []):
            time_s = key.get("timeCode", 0)
            if time_s > LONGEST_S:
                return
            pose = dict(zip(joints, rotations.get(time_s, [])))
            yield (time_s, dict(zip(shapes, key["values"])),
                   {joint: pose[joint] for joint in ARMS if joint in pose})


def angle(a, b):
    dot = abs(sum(a.get(part, 0) * b.get(part, 0) for part in ("real", "i", "j", "k")))
    return 2 * math.acos(min(1, dot))


def turned(before, after):
    """How far the arms have turned, in radians."""
    return sum(angle(before[joint], after[joint]) for joint in before.keys() & after.keys())


def body(first, before, now, after):
    """A pose between two that are a few frames away; `first` is at rest."""
    speed = turned(before[2], after[2]) / max(1e-3, after[0] - before[0])
    return 0.1 * min(2, turned(first[2], now[2])) - 0.3 * speed


def face(weights):
    def both(name):
        return weights.get(name + "Left", 0) + weights.get(name + "Right", 0)

    gaze = sum(both("eyeLook" + way) for way in ("Up", "Down", "In", "Out"))
    pursed = weights.get("mouthPucker", 0) + weights.get("mouthFunnel", 0)
    return (both("mouthSmile") / 2 + min(weights.get("jawOpen", 0), 0.25) +
            both("mouthLowerDown") / 2 - 2 * both("eyeBlink") - pursed - gaze / 2 -
            max(0, both("mouthUpperUp") - 0.4))


def best(found):
    # The last half second is silent.
    count = sum(time_s <= found[-1][0] - 0.5 for time_s, _, _ in found)
    scores = [face(found[i][1]) + body(found[0], found[max(0, i - 2)], found[i],
                                       found[min(len(found) - 1, i + 2)])
              for i in range(max(1, count))]
    return found[scores.index(max(scores))][0]


if __name__ == "__main__":
    keys = list(frames(sys.stdin))
    if keys:
        print(f"{best(keys):.3f}")
