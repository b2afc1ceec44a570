"""Shapes that mend what plain skinning does to bent limbs.

Linear skinning thins elbows and knees and pinches armpits and hips. For each such bend the part is
skinned in that pose, smoothed with its detail put back (delta mush), and the difference, taken back
into the rest pose, is kept as a shape that a joint's turn drives.
"""
import numpy as np

from mesh import delta_mush

X, Z = (1, 0, 0), (0, 0, 1)
# Name, joint without side, axis, from and to degrees on the left, rounds of smoothing; a bend that
# goes on from another names it.
BENDS = (("shoulder_side", "shoulder", Z, 15, 95, 12, None),
         ("shoulder_up", "shoulder", Z, 95, 170, 14, "shoulder_side"),
         ("shoulder_front", "shoulder", X, -15, -95, 12, None),
         ("elbow", "elbow", X, -20, -120, 10, None), ("hip", "hip", X, -20, -95, 12, None),
         ("knee", "knee", X, 20, 110, 10, None))
LONGEST_M = 0.09
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
    for name, joint, axis, start, end, rounds, before in BENDS:
        for side in "lr":
            sign = -1 if side == "r" and axis == Z else 1
            target, driver = f"{name}_{side}", f"{side}_{joint}"
            turns = {driver: turn(axis, sign * end)}
            bent = [part for part in parts if part.name in CLOTH
                    and part.weights[:, rig.index[driver]].max() > 0.2]
            for part in bent:
                part.targets[target] = mend(part, rig, turns, rounds,
                                            part.targets.get(f"{before}_{side}", 0))
            if bent:
                found.append({"target": target, "joint": driver, "axis": list(axis),
                              "from_deg": sign * start, "to_deg": sign * end})
    return found


def mend(part, rig, turns, rounds, already):
    """What to add to the rest points, on top of another shape, for a better bend."""
    posed, matrix = skin(part.points + already, part.weights, rig, turns)
    miss = delta_mush(part.points, posed, part.faces, rounds) - posed
    good = np.linalg.det(matrix) > 0.1
    back = np.zeros_like(posed)
    back[good] = np.linalg.solve(matrix[good], miss[good][..., None])[..., 0]
    long = np.linalg.norm(back, axis=1, keepdims=True)
    back *= np.minimum(1, LONGEST_M / np.maximum(long, 1e-9))
    back[long[:, 0] < SMALLEST_M] = 0
    return back
