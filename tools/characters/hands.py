"""Hands: the skin that looks out of the cuffs, thinned where it is plain, and its picture.

Back and palm have a flat map each, seen along the hand; left and right share them. The picture knows
where in space each of its texels lies, so nails, knuckles and the lines of the palm are drawn there.
Nails lie where the data has them: on quads of the base mesh.
"""
from copy import deepcopy

import numpy as np

from fit import ARM_BONES, FINGERS
from mesh import Part, clip, corner_uv, normals_of, smoothstep
from paint import bake, blob, fill, hollows
from people import rgb
from raster import blurred
from simplify import simplify

SIZE = 512
TRIANGLES = 3000                            # of both
CUFF_SKIN_Y = 0.915
ARM = (*ARM_BONES, *FINGERS)
NAILS = {"thumb": range(9028, 9040)} | {name: range(8350 + 186 * k, 8366 + 186 * k)
                                        for k, name in enumerate(FINGERS[1:])}
Z_RANGE, Y_RANGE = (-0.135, 0.065), (0.930, 0.655)   # of the map, metres


def limb(weights, rig, names):
    """The share of some kinds of joints in each point."""
    chosen = [j for j, name in enumerate(rig.names)
              if name[2:].rstrip("0123456789") in names and name[:2] in ("l_", "r_")]
    return weights[:, chosen].sum(1)


def hands(fitted):
    """Both hands, from a little way up the sleeve."""
    quads = fitted.quads["body"][0]
    part = Part("hands", "skin_hands", fitted.points.copy(), quads, fitted.weights.copy())
    part.extra["arm"] = limb(part.weights, fitted.rig, ARM)
    keep = (part.extra["arm"][quads].min(1) > 0.5) & (part.points[quads][:, :, 1].min(1) < 0.94)
    part.keep_faces(keep)
    clip(part, CUFF_SKIN_Y - part.points[:, 1])
    shade = hollows(part)
    part.colors = np.stack([shade, shade ** 1.25, shade ** 1.35], axis=1)
    p = part.points
    for side in (1, -1):
        rows = p[:, 0] * side > 0
        middle = p[rows & (p[:, 1] > 0.885)].mean(0)
        deep = smoothstep(0.864, 0.874, p[rows, 1])[:, None] * np.array([1, 0, 1])
        p[rows] -= 0.42 * deep * (p[rows] - middle)         # skin under the cuff stays under it
    simplify(part, TRIANGLES, tip_care(part, fitted.rig))
    unwrap(part)
    return part


def tip_care(part, rig):
    """How dear each point's form is: the last joints of fingers most, the sleeve's skin least."""
    tips = [rig.index[f"{side}_{finger}3"] for side in "lr" for finger in FINGERS]
    care = 1 + 5 * part.weights[:, tips].sum(1)
    return care * np.where(part.points[:, 1] > 0.885, 0.1, 1.0)


def unwrap(part):
    """Maps backs on the left of the picture and palms on the right."""
    p, faces = part.points, part.faces
    across = np.cross(p[faces[:, 1]] - p[faces[:, 0]], p[faces[:, 2]] - p[faces[:, 0]])
    back = across[:, 0] * np.sign(p[faces].mean(1)[:, 0]) > 0
    uv = np.stack([(p[:, 2] - Z_RANGE[0]) / (Z_RANGE[1] - Z_RANGE[0]) * 0.5,
                   (p[:, 1] - Y_RANGE[0]) / (Y_RANGE[1] - Y_RANGE[0])], axis=1)
    part.extra["same"] = np.arange(len(p)).astype(float)
    corners = uv[faces] + np.where(back, 0.0, 0.5)[:, None, None] * [1, 0]
    corner_uv(part, np.clip(corners, 0, 1))


class Nail:
    """Where a nail of the left hand lies: its middle, and its axes along, across and out."""

    def __init__(self, fitted, normals, finger):
        quads = fitted.quads["body"][0]
        rows = np.unique(quads[list(NAILS[finger])])
        p = fitted.points[rows]
        self.middle = p.mean(0)
        self.out = normals[rows].mean(0)
        self.out /= np.linalg.norm(self.out)
        last = fitted.weights[:, fitted.rig.index[f"l_{finger}3"]] > 0.6
        along = self.middle - fitted.points[last].mean(0)
        along -= (along @ self.out) * self.out
        self.along = along / np.linalg.norm(along)
        self.across = np.cross(self.out, self.along)
        self.long, self.wide = (0.46 * np.ptp((p - self.middle) @ axis)
                                for axis in (self.along, self.across))

    def place(self, p):
        """Along (-1 root to 1 tip), across (-1 to 1) and how far out, metres."""
        d = p - self.middle
        return d @ self.along / self.long, d @ self.across / self.wide, d @ self.out


def strokes(z, y, path, width):
    """1 on a polyline of (z, y), falling off over `width` metres."""
    best = np.full(z.shape, np.inf)
    for (z0, y0), (z1, y1) in zip(path, path[1:]):
        d = np.array([z1 - z0, y1 - y0])
        t = np.clip(((z - z0) * d[0] + (y - y0) * d[1]) / (d @ d), 0, 1)
        best = np.minimum(best, (z - z0 - t * d[0]) ** 2 + (y - y0 - t * d[1]) ** 2)
    return np.exp(-best / width ** 2)


def paint_hands(part, fitted, person):
    """The picture (size, size, 3), uint8, of the part that `hands` made."""
    rig = fitted.rig
    left = deepcopy(part)
    left.keep_faces(part.points[part.faces].mean(1)[:, 0] > 0)
    back = left.uv[:, 0] < 0.5
    outermost = np.where(back, left.points[:, 0], -left.points[:, 0])
    places = np.stack([left.points[:, 1], left.points[:, 2], outermost], axis=1)
    baked, filled = bake(left, places, SIZE, left.faces)
    baked = fill(baked, filled)
    is_back = np.arange(SIZE)[None] < SIZE // 2
    y, z = baked[..., 0], baked[..., 1]
    p = np.stack([np.where(is_back, baked[..., 2], -baked[..., 2]), y, z], axis=-1)
    dorsal = np.broadcast_to(is_back, y.shape).astype(float)
    base = np.array(rgb(person.skin_color)) * [0.99, 0.94, 0.93]
    color = np.ones((SIZE, SIZE, 3)) * base

    def mix(tint, amount):
        nonlocal color
        color = color + np.clip(amount, 0, 1)[..., None] * (np.array(tint) - color)

    rosy, deep = base * [1.02, 0.84, 0.80], base * [0.80, 0.62, 0.57]
    mix(rosy, 0.18 * (1 - dorsal) * smoothstep(0.885, 0.84, y))
    at = {name[2:]: rig.at(name) for name in rig.names if name.startswith("l_")}
    normals = normals_of(fitted.points, fitted.quads["body"][0])
    nails = {finger: Nail(fitted, normals, finger) for finger in FINGERS}
    for finger in FINGERS:
        joints = [at[f"{finger}{n}"] for n in (1, 2, 3)]
        tip = nails[finger].middle + 0.004 * nails[finger].along
        mix(rosy, 0.42 * blob(p, tip, [0.011, 0.011, 0.011]))
        for n, joint in enumerate(joints):
            if finger == "thumb" and n == 0:
                continue
            way = (joints[2] - joints[1]) if n else (joint - at["wrist"])
            way = way / np.linalg.norm(way)
            size = 0.012 if n == 0 else 0.0085
            mix(rosy, (0.60 if n else 0.45) * dorsal * blob(p, joint, [0.03, size, size]))
            along = (p - joint) @ way
            aside = np.linalg.norm(p - joint - along[..., None] * way, axis=-1)
            near = smoothstep(0.017, 0.009, np.hypot(y - joint[1], z - joint[2])) * (aside < 0.03)
            if n:           # wrinkles over the joint, and the crease inside it
                wrinkles = sum(np.exp(-((along - k) / 0.0007) ** 2) for k in (-0.0026, 0.0, 0.0026))
                mix(deep, 0.30 * dorsal * near * wrinkles)
            crease = np.exp(-((along - (0.021 if n == 0 else 0.0)) / 0.0009) ** 2)
            near = smoothstep(0.014, 0.008, abs(z - joint[2])) * (abs(along) < 0.03)
            if finger != "thumb" or n:
                mix(deep, 0.26 * (1 - dorsal) * near * crease)
        if finger != "thumb":       # tendons of the back
            knuckle, wrist = joints[0], at["wrist"]
            run = strokes(z, y, [(wrist[2] + 0.4 * (knuckle[2] - wrist[2]), wrist[1] - 0.02),
                                 (knuckle[2], knuckle[1] + 0.006)], 0.0035)
            color *= (1 + 0.035 * dorsal * run)[..., None]
    for path, much in palm_lines(at):
        mix(deep, much * (1 - dorsal) * strokes(z, y, curved(path), 0.0012))
    for nail in nails.values():
        draw_nail(mix, nail, p, base, person)
    color = np.stack([blurred(color[..., k], 0.6, 1) for k in range(3)], axis=2)
    return (np.round(np.clip(color, 0, 1) * 255 / 2) * 2).clip(0, 255).astype(np.uint8)


def palm_lines(at):
    """The three lines of the palm, as paths of (z, y) with their strength."""
    index, middle, pinky, wrist = (at[n][[2, 1]] for n in ("index1", "middle1", "pinky1", "wrist"))
    down = np.array([0, 1.0])
    return (([pinky + down * 0.016 - [0.008, 0], (pinky + middle) / 2 + down * 0.021,
              middle + down * 0.016 + [0.010, 0], index + down * 0.004 - [0.012, 0]], 0.24),
            ([index + down * 0.022 + [0.012, 0], middle + down * 0.030,
              (middle + pinky) / 2 + down * 0.042], 0.20),
            ([index + down * 0.021 + [0.013, 0], index + down * 0.031 - [0.004, 0],
              index * 0.5 + wrist * 0.5 - [0.004, 0], wrist - down * 0.014 + [0.005, 0]], 0.24))


def curved(path, rounds=3):
    """The path with its corners cut (Chaikin, 1974)."""
    path = np.array(path)
    for _ in range(rounds):
        a, b = path[:-1], path[1:]
        inner = np.stack([0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b], axis=1).reshape(-1, 2)
        path = np.vstack([path[:1], inner, path[-1:]])
    return path


def draw_nail(mix, nail, p, base, person):
    a, b, out = nail.place(p)
    edge = np.maximum(abs(b) ** 2.6 + np.maximum(-a, 0) ** 2.6, abs(b) ** 2.6 + np.maximum(a, 0) ** 4)
    here = (out > -0.0045) & (abs(a) < 2) & (abs(b) < 2)
    plate = smoothstep(1.15, 0.85, edge) * here
    fold = np.exp(-((edge - 1.25) / 0.28) ** 2) * here * (a < 0.8)
    mix(base * [0.86, 0.70, 0.66], 0.55 * fold)
    woman = person.sex == "woman"
    pink = 0.45 * np.clip(base.mean() / 0.6, 0.45, 1)
    tone = base + pink * (np.array([0.93, 0.66, 0.63] if woman else [0.92, 0.73, 0.69]) - base)
    mix(tone, 0.95 * plate)
    mix(tone * 0.6 + 0.4, 1.2 * pink * plate * smoothstep(0.66, 0.80, a))         # free edge
    mix(tone * 0.75 + 0.25, 0.5 * plate * smoothstep(-0.45, -0.75, a))      # little moon
    mix(tone * 0.55 + 0.45, 0.45 * plate * np.exp(-((b + 0.25) / 0.22) ** 2) * smoothstep(0.7, 0.2, abs(a)))
