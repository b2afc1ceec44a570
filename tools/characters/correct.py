"""Shapes that mend what plain skinning does to bent limbs.

Linear skinning blends matrices, so a point that shares two bones falls towards the joint as that
bends: elbows and knees thin out, and a shoulder with a raised arm collapses. What is wanted is a
point that turns by its share of the angle. That, smoothed with its detail put back (delta mush), is
taken back into the rest pose and kept as a shape that the joint's turn drives. A wide bend has
several such shapes, one after the other, each on top of those before.
"""
import numpy as np

from mesh import delta_mush, normals_of, smoothstep
from rotations import turn

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
ACROSS = (-0.5 ** 0.5, 0, 0.5 ** 0.5)       # forwards and sideways at once
# Joint, rounds of smoothing, and its shapes: name, axis and degrees on the left from which and to which
# it comes, and how much of a point's own turn it has: with an arm overhead, all of it would bulge in
# the armpit. Each mends what those before it leave at its own whole bend, so their order counts.
BENDS = (("shoulder", 6, (("shoulder_side", Z, 10, 75, 1.0), ("shoulder_front", X, -10, -90, 1.0),
                          ("shoulder_rolled_in", Y, -15, -75, 1.0),
                          ("shoulder_across", ACROSS, 60, 110, 0.7),
                          ("shoulder_raised", Z, 75, 120, 0.55), ("shoulder_up", Z, 120, 155, 0.3))),
         ("elbow", 4, (("elbow", X, -20, -80, 1.0), ("elbow_far", X, -80, -130, 1.0))),
         ("hip", 6, (("hip", X, -15, -90, 1.0),)),
         ("knee", 4, (("knee", X, 20, 80, 1.0), ("knee_far", X, 80, 125, 1.0))))
LONGEST_M = 0.25
SMALLEST_M = 0.0015
CLOTH = ("top", "bottom", "tights")


def walk(rig, turns):
    """Model-space turns (j, 3, 3) and positions (j, 3) for turns by name of joint."""
    turned = np.tile(np.eye(3), (len(rig), 1, 1))
    place = rig.world.copy()
    for joint, parent in enumerate(rig.parents):
        own = turns.get(rig.names[joint], np.eye(3))
        if parent < 0:
            turned[joint] = own
        else:
            place[joint] = place[parent] + turned[parent] @ rig.local[joint]
            turned[joint] = turned[parent] @ own
    return turned, place


def skin(points, weights, rig, turns):
    """Linear skinning: the posed points, and each point's blended matrix."""
    turned, place = walk(rig, turns)
    offset = place - np.einsum("jab,jb->ja", turned, rig.world)
    matrix = np.einsum("nj,jab->nab", weights, turned)
    return np.einsum("nab,nb->na", matrix, points) + weights @ offset, matrix


def turned_about(axis, bend_axis, degrees):
    """How far a turn about one axis goes about another, degrees."""
    half = np.radians(degrees) / 2
    return np.degrees(2 * np.arctan2(np.sin(half) * np.dot(axis, bend_axis), np.cos(half)))


def mirrored(axis, begin, end):
    """The axis and the degrees of the right side."""
    if axis == Z:
        return Z, -begin, -end
    return (axis[0], -axis[1], -axis[2]), begin, end


def pose_correctives(parts, rig):
    """Adds the shapes to the parts of cloth; the list for the file's extras."""
    found = []
    for joint, rounds, shapes in BENDS:
        for side in "lr":
            driver = rig.index[f"{side}_{joint}"]
            bent = [part for part in parts
                    if part.name in CLOTH and part.weights[:, driver].max() > 0.2]
            known = []
            for name, axis, begin, end, own in shapes if bent else ():
                target = f"{name}_{side}"
                if side == "r":
                    axis, begin, end = mirrored(axis, begin, end)
                shown = [(old, np.clip((turned_about(a, axis, end) - b) / (e - b), 0, 1))
                         for old, a, b, e in known]
                for part in bent:
                    before = sum((w * part.targets[old] for old, w in shown), np.zeros_like(part.points))
                    normals = sum((w * part.turns[old] for old, w in shown),
                                  normals_of(part.points, part.faces))
                    shape, normal = mend(part, rig, driver, axis, end, rounds, own, before, normals)
                    part.targets[target] = shape - before
                    part.turns[target] = normal - normals
                known.append((target, axis, begin, end))
                found.append({"target": target, "joint": rig.names[driver],
                              "axis": [round(float(x), 6) for x in axis], "from_deg": begin,
                              "to_deg": end})
    return found


def mend(part, rig, driver, axis, degrees, rounds, own, before, normals_before):
    """Offsets and normals, both of the rest pose, with which plain skinning gives a better bend."""
    below = [joint for joint in range(len(rig)) if joint == driver or rig.is_below(joint, driver)]
    share = part.weights[:, below].sum(1)
    arm = part.points - rig.world[driver]
    turned = np.stack([turn(axis, np.radians(degrees * s)) @ p for s, p in zip(share, arm)])
    bend = {rig.names[driver]: turn(axis, np.radians(degrees))}
    plain, matrix = skin(part.points, part.weights, rig, bend)
    wanted = delta_mush(part.points, own * (turned + rig.world[driver]) + (1 - own) * plain,
                        part.faces, rounds)
    back = np.linalg.solve(matrix, (wanted - plain)[..., None])[..., 0]
    back *= (smoothstep(0.002, 0.06, share) * (share < 0.998))[:, None]     # what hardly turns stays
    long = np.linalg.norm(back, axis=1, keepdims=True)
    back *= np.minimum(1, LONGEST_M / np.maximum(long, 1e-9))
    still = np.linalg.norm(back - before, axis=1) < SMALLEST_M
    back[still] = before[still]
    shown = plain + np.einsum("nab,nb->na", matrix, back)
    normal = np.linalg.solve(matrix, normals_of(shown, part.faces)[..., None])[..., 0]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    normal[still] = normals_before[still]
    return back, normal
