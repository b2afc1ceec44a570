"""Poses and weights of a clip file (.jsonl), as numbers."""
import json

import numpy as np


def messages(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    header = lines[0]["animationDataStreamHeader"]["skelAnimationHeader"]
    return header, [line["animationData"]["skelAnimation"] for line in lines
                    if "skelAnimation" in line.get("animationData", {})]


def frames(path):
    """The rotations of each frame, by joint, as JSON has them: real, i, j, k."""
    header, data = messages(path)
    joints = [joint.rpartition("/")[2] for joint in header.get("joints", [])]
    return [dict(zip(joints, frame["values"])) for part in data for frame in part.get("rotations", [])]


def weights(path):
    """Of each frame, by shape."""
    header, data = messages(path)
    return [dict(zip(header["blendShapes"], frame["values"]))
            for part in data for frame in part.get("blendShapeWeights", [])]


def bent(rotations):
    """A matrix for each joint."""
    turns = {}
    for joint, q in rotations.items():
        w, x, y, z = (q.get(part, 0) for part in ("real", "i", "j", "k"))
        turns[joint] = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    return turns
