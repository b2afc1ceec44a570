"""Hair: which styles there are, and what all of them share.

Styles are laid out on the same description of the head (`scalp`), of the same shapes (`locks`). What
moves hangs on joints of its own below the skull (`hair_bones`).
"""
import numpy as np

from hair_bob import bob
from hair_bones import Bones
from hair_short import short
from hair_tail import tail
from scalp import Scalp

STYLES = {"bob": bob, "ponytail": tail, "short": short, "none": None}
# What a file with a style has besides, to choose from.
BESIDE = {"bob": ("ponytail",), "ponytail": ("bob",)}


def grow(head, person):
    """The parts of the person's style and of those beside it. `head` gets the hairline, for the
    painter, and `bones`, the joints that hair hangs on."""
    scalp = Scalp(head, person.sex)
    head.hairline = scalp.inside_line
    head.bones = Bones(head.rig, head.skull)
    if STYLES[person.hair] is None:
        head.hairline = lambda points: np.full(points.shape[:-1], -1.0)
        return []
    parts = []
    for name in styles_of(person):
        part = STYLES[name](scalp, np.random.default_rng(3))
        head.bones.hang(part, name, scalp)
        parts.append(part)
    loose = len(head.bones.joints())
    for part in parts:
        if loose == 0:                            # nothing moves: it is the rig's
            skull = np.zeros((len(part.points), head.part.weights.shape[1]))
            skull[:, head.skull] = 1
            part.weights = skull
        else:
            part.weights = np.pad(part.weights, ((0, 0), (0, 1 + loose - part.weights.shape[1])))
    return parts


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
