"""The head: MakeHuman's skin of head and neck with the face units, made to serve 68 shapes.

The face units come under ARKit's names. Three things are mended here: mouthClose is Apple's (it
expects an open jaw) and becomes ACE's by adding jawOpen and bringing the lips together point by
point; lids, which move in straight lines, are kept out of the eyeball and get in-betweens; and so
does the jaw, which turns.
"""
import numpy as np

from eyes import BULGE
from mesh import Part, Smoother, normals_of, smoothstep

ARKIT = """eyeBlinkLeft eyeLookDownLeft eyeLookInLeft eyeLookOutLeft eyeLookUpLeft eyeSquintLeft
eyeWideLeft eyeBlinkRight eyeLookDownRight eyeLookInRight eyeLookOutRight eyeLookUpRight
eyeSquintRight eyeWideRight jawForward jawLeft jawRight jawOpen mouthClose mouthFunnel mouthPucker
mouthLeft mouthRight mouthSmileLeft mouthSmileRight mouthFrownLeft mouthFrownRight mouthDimpleLeft
mouthDimpleRight mouthStretchLeft mouthStretchRight mouthRollLower mouthRollUpper mouthShrugLower
mouthShrugUpper mouthPressLeft mouthPressRight mouthLowerDownLeft mouthLowerDownRight
mouthUpperUpLeft mouthUpperUpRight browDownLeft browDownRight browInnerUp browOuterUpLeft
browOuterUpRight cheekPuff cheekSquintLeft cheekSquintRight noseSneerLeft noseSneerRight
tongueOut""".split()
CLOSING = 1.08
JAW_SHAPES = ("jawOpen", "jawForward", "jawLeft", "jawRight")
LID_M = 0.0005          # skin of the lids outside the eyeball, at least
LIP_GAP_M = 0.0002      # of closed lips
RELAXED = {"eyeBlink": 1.0, "eyeSquint": 1.0, "mouthSmile": 1.2}
HALVES = ("eyeBlinkLeft", "eyeBlinkRight", "jawOpen")


class Head:
    """The part `head`, and what others need to know of the face."""

    def __init__(self, source, fitted, eyes, person):
        self._fitted = fitted
        self.eyes = eyes
        self._offsets = {}
        for shape in ARKIT:
            offsets = np.zeros_like(fitted.points)
            index, offset = source.face_target(shape)
            offsets[index] = offset * fitted.scale
            self._offsets[shape] = offsets
        self.jaw = {shape: self._rigid(shape) for shape in JAW_SHAPES}
        quads = fitted.quads["body"][0]
        p = fitted.points
        keep = (p[quads][:, :, 1].min(1) > 1.435) & (abs(p[quads][:, :, 0]).max(1) < 0.115)
        self.part = Part("head", "skin", p.copy(), quads, fitted.weights.copy(),
                         {shape: self._offsets[shape].copy() for shape in ARKIT})
        index = np.arange(len(p))
        self.part.extra["index"] = index.astype(float)
        for lip in ("upper", "lower"):
            at, offset = source.body_target(f"mouth/mouth-{lip}lip-volume-incr")
            size = np.zeros(len(p))
            size[at] = np.linalg.norm(offset, axis=1)
            self.part.extra[lip] = size / size.max()
        self.part.keep_faces(keep)
        self._inside()
        upper, lower = self.lip_pairs()
        p = self.part.points
        front = np.abs(p[lower, 0]) < 0.006
        self.lip_line_y = float(np.mean((p[upper] + p[lower])[front, 1]) / 2)
        order = np.argsort(abs(p[lower, 0]), kind="stable")
        self._seam = (abs(p[lower, 0])[order], ((p[upper] + p[lower]) / 2)[order, 1])
        self.mouth_corner = float(self._seam[0].max()) + 0.0015
        self.skull = fitted.rig.index["skullbase"]
        self._relax(person.relaxed)
        self._soften()
        self._tuck_in(person.collar)
        self._close_rest()
        self._rest_lids()
        self._close_mouth()
        self._halves()

    def _rigid(self, shape):
        """The turn and shift of the jaw's bone in a shape: that of the data's lower teeth."""
        teeth = np.unique(self._fitted.quads["helper-lower-teeth"][0])
        a = self._fitted.points[teeth]
        b = a + self._offsets[shape][teeth]
        if shape in ("jawLeft", "jawRight", "jawForward") and np.allclose(a, b):
            chin = self._offsets[shape][np.linalg.norm(self._offsets[shape], axis=1).argmax()]
            return np.eye(3), chin * 0.8
        u, _, v = np.linalg.svd((a - a.mean(0)).T @ (b - b.mean(0)))
        turn = v.T @ np.diag([1, 1, np.sign(np.linalg.det(v.T @ u.T))]) @ u.T
        return turn, b.mean(0) - turn @ a.mean(0)

    def jaw_offsets(self, shape, points, share=1.0):
        """How far points fixed to the jaw's bone move, at a share of the shape."""
        turn, shift = self.jaw[shape]
        if share < 1.0:
            center = np.linalg.lstsq(np.eye(3) - turn, shift, rcond=None)[0]
            slide = shift - (np.eye(3) - turn) @ center     # along the axis
            return (points - center) @ power(turn, share).T + center + share * slide - points
        return points @ turn.T + shift - points

    def _inside(self):
        """Marks the skin that lies in the mouth, behind the lips."""
        part = self.part
        p = part.points
        lips = (part.extra["upper"] > 0.5) | (part.extra["lower"] > 0.5)
        self.lips = p[lips]
        front, low, high = self.lips[:, 2].max(), self.lips[:, 1].min(), self.lips[:, 1].max()
        depth = {}
        for x, y, z in p[(abs(p[:, 0]) < 0.045) & (p[:, 1] > 1.52) & (p[:, 1] < 1.6)]:
            key = (round(x / 0.003), round(y / 0.003))
            depth[key] = max(depth.get(key, -1), z)
        behind = np.zeros(len(p))
        for i in np.nonzero((abs(p[:, 0]) < 0.042) & (p[:, 2] > front - 0.075)
                            & (p[:, 1] > low - 0.010)
                            & (p[:, 1] < high + 0.02) & (p[:, 2] < front))[0]:
            x, y, z = p[i]
            a, b = round(x / 0.003), round(y / 0.003)
            ahead = max(depth.get((a + i_, b + j_), -1) for i_ in (-1, 0, 1) for j_ in (-1, 0, 1))
            behind[i] = z < ahead - 0.0075 and z > 0.0
        behind[part.extra["upper"] > 0.6] = 0
        behind[part.extra["lower"] > 0.6] = 0
        upper, lower = self.lip_pairs()
        order = np.argsort(p[lower, 0], kind="stable")
        seam = p[lower][order]
        y = np.interp(p[:, 0], seam[:, 0], seam[:, 1])
        z = np.interp(p[:, 0], seam[:, 0], seam[:, 2])
        wet = ((abs(p[:, 0]) < 0.93 * seam[-1, 0]) & (abs(p[:, 1] - y) < 0.0045)
               & (p[:, 2] < z - 0.0012) & (p[:, 2] > 0.03))
        behind = np.maximum(behind, wet)
        self.inside = behind > 0
        part.extra["inside"] = behind

    def _rest_lids(self):
        """Keeps lids out of the eyeballs, at rest and in every shape, by pushing them outwards."""
        part = self.part
        for side, (center, radius) in self.eyes.items():
            near = np.linalg.norm(part.points - center, axis=1) < 1.9 * radius
            part.points[near] = outside(part.points[near], center, radius)
            for shape in part.targets:
                if shape == ("eyeBlinkLeft" if side == "l" else "eyeBlinkRight"):
                    part.targets[shape] *= CLOSING      # to the last ray
                if shape.startswith(("eye", "cheek", "brow", "nose")):
                    moved = outside(part.points[near] + part.targets[shape][near], center, radius)
                    part.targets[shape][near] = moved - part.points[near]

    def _relax(self, amount):
        """A friendly neutral face: lids a little lower, the mouth's corners a little up. Shapes
        end where they ended."""
        part = self.part
        for shape, share in RELAXED.items():
            share *= amount
            for side in ("Left", "Right"):
                part.points += share * part.targets[shape + side]
                part.targets[shape + side] *= 1 - share

    def _soften(self):
        """Takes the creases out of what smiles do to the cheeks; lips and lids keep their shape."""
        part = self.part
        lips = part.extra["upper"] + part.extra["lower"]
        free = smoothstep(0.10, 0.02, lips) * (self.inside == 0)
        smoother = Smoother(part.faces, len(part.points))
        for shape in part.targets:
            if shape.startswith(("mouthSmile", "mouthDimple", "mouthStretch", "cheekSquint")):
                part.targets[shape] = smoother.run(part.targets[shape], 5, free[:, None] * 0.6)

    def _tuck_in(self, collar):
        """Skin below the collar shrinks, so that cloth lies over it."""
        p = self.part.points
        deep = smoothstep(-0.010, 0.004, collar(p))[:, None] * np.array([1, 0, 1])
        p -= deep * (p - [0, 0, -0.045]) * 0.22

    def _close_rest(self):
        """Closes the lips of the neutral face, which the features may have parted."""
        part = self.part
        part.points = self._together(part.points, *self.lip_pairs())

    def _close_mouth(self):
        """mouthClose becomes ACE's: the jaw open, the lips together."""
        part = self.part
        close = part.targets["jawOpen"] + part.targets["mouthClose"]
        points = self._together(part.points + close, *self.lip_pairs())
        part.targets["mouthClose"] = points - part.points

    def _together(self, points, upper, lower):
        """Points with the lips closed: first with the skin around, then at the lips alone."""
        smooth = Smoother(self.part.faces, len(points))
        for turn in range(66):
            gap = points[upper] - points[lower]
            size = np.linalg.norm(gap, axis=1, keepdims=True)
            above = np.where(gap[:, 1:2] < 0, 0, np.minimum(1, LIP_GAP_M / np.maximum(size, 1e-9)))
            miss = gap - gap * above
            push, count = np.zeros_like(points), np.zeros(len(points))
            for index, share in ((lower, 0.55), (upper, -0.45)):
                np.add.at(push, index, share * miss)
                np.add.at(count, index, 1)
            push /= np.maximum(count, 1)[:, None]
            if turn < 60:
                spread = smooth.run(push, 6, 0.6)
                spread[count > 0] = push[count > 0]
                push = 0.5 * spread
            points = points + push
        return points

    def lip_pairs(self):
        """Points of the upper lip's edge, each with the lower lip's point that it rests on."""
        part = self.part
        p = part.points
        normal = normals_of(p, part.faces)
        opened = part.targets["jawOpen"][:, 1]
        drop = np.abs(opened) / np.abs(opened).max()
        lips = part.extra["upper"] + part.extra["lower"] > 0.02
        # In the corners both lips move alike, and it is their normals that tell them apart.
        line = p[lips & (abs(p[:, 0]) < 0.018)]
        corner = ((abs(p[:, 0]) > 0.017) & (abs(p[:, 0]) < 0.030) & (p[:, 2] > 0.05)
                  & (abs(p[:, 1] - line[:, 1].mean()) < 0.006))
        middle = lips & (abs(p[:, 0]) < 0.030) & ~corner
        up = np.nonzero((middle & (drop < 0.16)) | (corner & (normal[:, 1] < -0.25)))[0]
        down = np.nonzero((middle & (drop >= 0.16)) | (corner & (normal[:, 1] > 0.25)))[0]
        between = np.linalg.norm(p[up][:, None] - p[down][None], axis=2)
        pairs = set()
        for i in range(len(up)):
            j = int(between[i].argmin())
            if between[i, j] < 0.004:
                pairs.add((int(up[i]), int(down[j])))
        for j in range(len(down)):
            i = int(between[:, j].argmin())
            if between[i, j] < 0.004:
                pairs.add((int(up[i]), int(down[j])))
        pairs = np.array(sorted(pairs))
        return pairs[:, 0], pairs[:, 1]

    def seam_y(self, x):
        """The height of the line between the lips, at a distance from the middle."""
        return np.interp(x, *self._seam)

    def _halves(self):
        """In-betweens at one half."""
        part = self.part
        for shape in HALVES:
            half = 0.5 * part.targets[shape]
            if shape == "jawOpen":
                whole = self.jaw_offsets(shape, part.points)
                turned = self.jaw_offsets(shape, part.points, 0.5)
                share = np.clip((part.targets[shape] * whole).sum(1) / (whole * whole).sum(1), 0, 1)
                half += share[:, None] * (turned - 0.5 * whole)
            else:
                center, radius = self.eyes["l" if shape.endswith("Left") else "r"]
                near = np.linalg.norm(part.points - center, axis=1) < 1.9 * radius
                half[near] = outside(part.points[near] + half[near], center,
                                     radius) - part.points[near]
            part.targets[shape + "_50"] = half

    def follow(self, points, count=3):
        """Weights and targets for points that lie on the skin, from the nearest of it."""
        skin = self.part
        weights = np.zeros((len(points), skin.weights.shape[1]))
        targets = {shape: np.zeros((len(points), 3)) for shape in skin.targets}
        for k, point in enumerate(points):
            d = np.linalg.norm(skin.points - point, axis=1)
            near = np.argsort(d, kind="stable")[:count]
            share = 1 / (d[near] + 1e-4)
            share /= share.sum()
            weights[k] = share @ skin.weights[near]
            for shape, offsets in skin.targets.items():
                targets[shape][k] = share @ offsets[near]
        return weights, targets


def outside(points, center, radius):
    """Points that lie in the eyeball's front are pushed out of it, others stay."""
    way = points - center
    distance = np.linalg.norm(way, axis=1, keepdims=True)
    front = smoothstep(-0.2, 0.25, way[:, 2:3] / np.maximum(distance, 1e-9))
    # More of it before the cornea, which bulges.
    least = radius * (1 + BULGE * smoothstep(0.6, 0.93, way[:, 2:3] / distance)) + LID_M
    short = np.maximum(least - distance, 0) * front
    return points + way / np.maximum(distance, 1e-9) * short


def power(turn, share):
    """A share of a turn, about its own axis."""
    sine = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    length = np.linalg.norm(sine)
    if length < 1e-9:
        return np.eye(3)
    angle = share * np.arctan2(length, (np.trace(turn) - 1) / 2)
    x, y, z = sine / length
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
