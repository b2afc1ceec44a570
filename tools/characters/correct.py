"""Shapes that mend what plain skinning does to bent limbs.

Linear skinning blends matrices, so a point that shares two bones falls towards the joint as that
bends: elbows and knees thin out, and a shoulder with a raised arm collapses. What is wanted is a
point that turns by its share of the angle. That, smoothed with its detail put back (delta mush), is
taken back into the rest pose and kept as a shape that the joint's turn drives. A wide bend has
several such shapes, one after the other, each on top of those before.
"""
import numpy as np

from mesh import delta_mush, normals_of

X, Z = (1, 0, 0), (0, 0, 1)
# Joint, axis, rounds of smoothing, and by name of shape the degrees on the left where it is whole and
# how much of a point's own turn it has: with an arm overhead, all of it would bulge in the armpit.
BENDS = (("shoulder", Z, 6, 10, (("shoulder_side", 75, 1.0),
                                 ("shoulder_raised", 120, 0.55), ("shoulder_up", 155, 0.3))),
         ("shoulder", X, 6, -10, (("shoulder_front", -90, 1.0),)),
         ("elbow", X, 4, -20, (("elbow", -80, 1.0), ("elbow_far", -130, 1.0))),
         ("hip", X, 6, -15, (("hip", -90, 1.0),)),
         ("knee", X, 4, 20, (("knee", 80, 1.0), ("knee_far", 125, 1.0))))
LONGEST_M = 0.25
SMALLEST_M = 0.0015
CLOTH = ("top", "bottom", "tights")


def turn(axis, degrees):
    a = np.radians(degrees)
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)
    return np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * k @ k


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


def pose_correctives(parts, rig):
    """Adds the shapes to the parts of cloth; the list for the file's extras."""
    found = []
    for joint, axis, rounds, start, steps in BENDS:
        for side in "lr":
            sign = -1 if side == "r" and axis == Z else 1
            driver = rig.index[f"{side}_{joint}"]
            bent = [part for part in parts
                    if part.name in CLOTH and part.weights[:, driver].max() > 0.2]
            before = {part.name: (np.zeros_like(part.points), normals_of(part.points, part.faces))
                      for part in bent}
            begin = start
            for name, end, own in steps:
                target = f"{name}_{side}"
                for part in bent:
                    shape, normal = mend(part, rig, driver, axis, sign * end, rounds, own,
                                         *before[part.name])
                    part.targets[target] = shape - before[part.name][0]
                    part.turns[target] = normal - before[part.name][1]
                    before[part.name] = shape, normal
                if bent:
                    found.append({"target": target, "joint": rig.names[driver],
                                  "axis": list(axis), "from_deg": sign * begin,
                                  "to_deg": sign * end})
                begin = end
    return found


def mend(part, rig, driver, axis, degrees, rounds, own, before,
         normals_before):
    """Offsets and normals, both of the rest pose, with which plain skinning gives a better bend."""
    below = [joint for joint in range(len(rig)) if joint == driver or rig.is_below(joint, driver)]
    share = part.weights[:, below].sum(1)
    arm = part.points - rig.world[driver]
    turned = np.stack([turn(axis, degrees * s) @ p for s, p in zip(share, arm)])
    bend = {rig.names[driver]: turn(axis, degrees)}
    plain, matrix = skin(part.points, part.weights, rig, bend)
    wanted = delta_mush(part.points, own * (turned + rig.world[driver]) + (1 - own) * plain,
                        part.faces, rounds)
    back = np.linalg.solve(matrix, (wanted - plain)[..., None])[..., 0]
    back[(share < 0.002) | (share > 0.998)] = 0
    long = np.linalg.norm(back, axis=1, keepdims=True)
    back *= np.minimum(1, LONGEST_M / np.maximum(long, 1e-9))
    still = np.linalg.norm(back - before, axis=1) < SMALLEST_M
    back[still] = before[still]
    normal = np.linalg.solve(matrix, normals_of(wanted, part.faces)[..., None])[..., 0]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    normal[still] = normals_before[still]
    return back, normal
