"""Hair: which styles there are, and what all of them share.

Styles are laid out on the same description of the head (`scalp`), of the same shapes (`locks`). What
moves hangs on joints of its own below the skull (`hair_bones`).
"""
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hair_bob import bob
from hair_bones import Bones
from hair_short import short
from hair_tail import tail
from scalp import Scalp

STYLES = {"bob": bob, "ponytail": tail, "short": short, "none": None}
# What a file with a style has besides, to choose from.
BESIDE = {"bob": ("ponytail",), "ponytail": ("bob",)}


@dataclass
class Hair:
    """A person's hair: `line` gives how far points (..., 3) lie above the hairline, metres."""
    parts: list
    bones: Bones
    line: Callable


def grow(head, person):
    """The person's style and those beside it."""
    bones = Bones(head.rig)
    if STYLES[person.hair] is None:
        return Hair([], bones, lambda points: np.full(points.shape[:-1], -1.0))
    scalp = Scalp(head, "short" if person.hair == "short" else "long")
    parts = []
    for name in styles_of(person):
        part = STYLES[name](scalp, np.random.default_rng(3))
        bones.hang(part, name, scalp)
        parts.append(part)
    loose = len(bones.joints())
    for part in parts:
        if loose == 0:                            # nothing moves: it is the rig's
            skull = np.zeros((len(part.points), head.part.weights.shape[1]))
            skull[:, head.skull] = 1
            part.weights = skull
        else:
            part.weights = np.pad(part.weights, ((0, 0), (0, 1 + loose - part.weights.shape[1])))
    return Hair(parts, bones, scalp.inside_line)


def styles_of(person):
    """The names of the styles in a person's file, the one that is shown first."""
    return () if STYLES[person.hair] is None else (person.hair, *BESIDE.get(person.hair, ()))


def variant(person, parts):
    """The part "hair" of the file's variants; None where there is nothing to choose."""
    names = styles_of(person)
    if len(names) < 2:
        return None
    nodes = [part.name for part in parts if part.material == "hair"]
    return {"part": "hair", "choices": [{"name": name, "nodes": [node]}
                                        for name, node in zip(names, nodes)]}
