"""The head: MakeHuman's skin of head and neck with the face units, made to serve 68 shapes.

The face units come under ARKit's names. What is mended here: lips and lids get a finer mesh;
mouthClose is Apple's (it expects an open jaw) and becomes ACE's by adding jawOpen and bringing the
lips together point by point; lids, which move in straight lines, are kept out of the eyeball and
get in-betweens; and so does the jaw, which turns. The face at rest smiles a little, which shapes
that round, close or press the mouth take back.
"""
from itertools import combinations

import numpy as np

from eyes import BULGE, lid_edges
from lips import alike, inside_of, lip_pairs, seam_of, together
from mesh import Part, Smoother, smoothstep
from paint import hollows
from refine import refine
from rotations import share_of

ARKIT = """eyeBlinkLeft eyeLookDownLeft eyeLookInLeft eyeLookOutLeft eyeLookUpLeft eyeSquintLeft
eyeWideLeft eyeBlinkRight eyeLookDownRight eyeLookInRight eyeLookOutRight eyeLookUpRight
eyeSquintRight eyeWideRight jawForward jawLeft jawRight jawOpen mouthClose mouthFunnel mouthPucker
mouthLeft mouthRight mouthSmileLeft mouthSmileRight mouthFrownLeft mouthFrownRight mouthDimpleLeft
mouthDimpleRight mouthStretchLeft mouthStretchRight mouthRollLower mouthRollUpper mouthShrugLower
mouthShrugUpper mouthPressLeft mouthPressRight mouthLowerDownLeft mouthLowerDownRight
mouthUpperUpLeft mouthUpperUpRight browDownLeft browDownRight browInnerUp browOuterUpLeft
browOuterUpRight cheekPuff cheekSquintLeft cheekSquintRight noseSneerLeft noseSneerRight
tongueOut""".split()
CLOSING = 1.15
JAW_SHAPES = ("jawOpen", "jawForward", "jawLeft", "jawRight")
LID_M = 0.0005          # skin of the lids outside the eyeball, at least
RELAXED = {"mouthSmile": 0.37, "cheekSquint": 0.12, "eyeSquint": 0.13, "eyeBlink": 0.09}
BROW_RAISED = 0.6       # share of the data's browInnerUp, which looks pleading
SOFT = 0.72             # share of the shade in hollows
UNSMILING = ("mouthPucker", "mouthFunnel", "mouthClose")
SMILING = 1.35          # how far a full smile goes, in those of the data
PRESS = "mouthPress"    # takes the smile back on its own side
NARROWING = ("eyeBlink", "eyeSquint", "cheekSquint", "mouthSmile")
HALVES = ("eyeBlinkLeft", "eyeBlinkRight", "jawOpen")


class Head:
    """The part `head`, and what others need to know of the face."""

    def __init__(self, source, fitted, eyes, person):
        self._fitted = fitted
        self.rig = fitted.rig
        self.eyes = eyes
        self._offsets = {}
        for shape in ARKIT:
            offsets = np.zeros_like(fitted.points)
            index, offset = source.face_target(shape)
            offsets[index] = offset * (fitted.scale * fitted.growth[index])[:, None]
            self._offsets[shape] = offsets
        self.jaw = {shape: self._rigid(shape) for shape in JAW_SHAPES}
        self.skull = self.rig.index["skullbase"]
        self.part = self._skin(source)
        self._refine()
        pairs = lip_pairs(self.part, 0.0012)
        p = self.part.points
        front = np.abs(p[pairs[1], 0]) < 0.006
        self.lip_line_y = float(np.mean((p[pairs[0]] + p[pairs[1]])[front, 1]) / 2)
        self.part.extra["inside"] = inside_of(self.part, self.lip_line_y)
        self.inside = self.part.extra["inside"] > 0
        self._relax(person.relaxed, pairs)
        self._soften()
        self._tuck_in(person.collar)
        self.part.points = together(self.part, self.part.points, *pairs)
        self._seam, self.mouth_corner = seam_of(self.part.points, *pairs)
        self.lip_line_y = self.seam_y(0.0)
        self._rest_lids()
        self._close_mouth(pairs)
        self._halves()
        self._lid_correctives()
        self.lash_lines = {side: lid_edges(self, side) for side in "lr"}

    def _skin(self, source):
        """The data's head, its lips closed, which the features may have parted."""
        fitted, p = self._fitted, self._fitted.points
        quads = fitted.quads["body"][0]
        keep = (p[quads][:, :, 1].min(1) > 1.435) & (abs(p[quads][:, :, 0]).max(1) < 0.115)
        part = Part("head", "skin", p.copy(), quads, fitted.weights.copy(),
                    {shape: self._offsets[shape].copy() for shape in ARKIT})
        for lip in ("upper", "lower"):
            at, offset = source.body_target(f"mouth/mouth-{lip}lip-volume-incr")
            size = np.zeros(len(p))
            size[at] = np.linalg.norm(offset, axis=1)
            part.extra[lip] = size / size.max()
        part.keep_faces(keep)
        self._smooth_bags(part)
        part.extra["shade"] = 1 - SOFT * (1 - hollows(part))
        part.points = together(part, part.points, *lip_pairs(part))
        return part

    def _smooth_bags(self, part):
        """Takes the folds out of the skin below the eyes; the lids keep their shape."""
        smoother = Smoother(part.faces, len(part.points))
        for center, radius in self.eyes.values():
            way = (part.points - center) / radius
            below = (smoothstep(-0.50, -0.85, way[:, 1]) * smoothstep(-2.4, -1.9, way[:, 1])
                     * smoothstep(1.9, 1.3, way[:, 0] * np.sign(center[0]))
                     * smoothstep(-1.2, -0.8, way[:, 0] * np.sign(center[0]))    # not the nose
                     * smoothstep(-0.1, 0.4, way[:, 2])
                     * smoothstep(1.02, 1.25, np.linalg.norm(way, axis=1)))
            part.points = smoother.run(part.points, 12, below[:, None] * 0.7)

    def _refine(self):
        """A finer mesh round the lips and the lids."""
        part = self.part
        p = part.points
        lips = part.extra["upper"] + part.extra["lower"] > 0.03
        near = lips & (abs(p[:, 0]) < 0.034) & (p[:, 2] > 0.045)
        for center, radius in self.eyes.values():
            way = (p - center) / radius
            lids = ((way / [1.25, 0.85, 1.5]) ** 2).sum(1) < 1
            # Not the inner corner: rounded, it would open.
            near |= lids & (way[:, 2] > 0.15) & (-np.sign(center[0]) * way[:, 0] < 0.62)
        refine(part, near[part.faces].all(1))

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
            return (points - center) @ share_of(turn, share).T + center + share * slide - points
        return points @ turn.T + shift - points

    def _rest_lids(self):
        """Keeps lids out of the eyeballs, at rest and in every shape, by pushing them outwards."""
        part = self.part
        for side, (center, radius) in self.eyes.items():
            near = np.linalg.norm(part.points - center, axis=1) < 1.9 * radius
            part.points[near] = outside(part.points[near], center, radius)
            for shape in part.targets:
                if shape == ("eyeBlinkLeft" if side == "l" else "eyeBlinkRight"):
                    # To the last ray; most of it in the inner corner.
                    inwards = (1 - 2 * (side == "l")) * (part.points[:, 0] - center[0]) / radius
                    part.targets[shape] *= (CLOSING + 0.25 * smoothstep(0.45, 0.8, inwards))[:, None]
                if shape.startswith(("eye", "cheek", "brow", "nose", "mouth")):
                    moved = outside(part.points[near] + part.targets[shape][near], center, radius)
                    part.targets[shape][near] = moved - part.points[near]

    def _relax(self, amount, pairs):
        """A friendly neutral face. Shapes end where they ended; those that round or close the
        mouth end without the smile."""
        part = self.part
        smiles = {}
        for shape, share in RELAXED.items():
            share *= amount
            for side in ("Left", "Right"):
                moved = share * part.targets[shape + side]
                part.points += moved
                part.targets[shape + side] *= (SMILING if shape == "mouthSmile" else 1) - share
                if shape == "mouthSmile":
                    smiles[side] = alike(part, moved, *pairs)
        smile = smiles["Left"] + smiles["Right"]
        for shape in UNSMILING:
            part.targets[shape] -= smile
        # Two at once would take it back twice.
        twice = [(a, b, smile) for a, b in combinations(UNSMILING, 2)]
        for side, half in smiles.items():
            part.targets[PRESS + side] -= half
            twice += [(shape, PRESS + side, half) for shape in UNSMILING]
        self.correctives = []
        for a, b, back in twice:
            name = f"{a}_{b}"
            part.targets[name] = back.copy()
            self.correctives.append({"target": name, "shapes": [a, b]})

    def _soften(self):
        """Takes the creases out of what smiles do to the cheeks, and the corners out of raised inner
        brows; lips and lids keep their shape."""
        part = self.part
        lips = part.extra["upper"] + part.extra["lower"]
        free = smoothstep(0.10, 0.02, lips) * (self.inside == 0)
        smoother = Smoother(part.faces, len(part.points))
        for shape in part.targets:
            if shape.startswith(("mouthSmile", "mouthDimple", "mouthStretch", "cheekSquint")):
                part.targets[shape] = smoother.run(part.targets[shape], 5, free[:, None] * 0.6)
        part.targets["browInnerUp"] = BROW_RAISED * smoother.run(
            part.targets["browInnerUp"], 8, free[:, None] * 0.6)

    def _tuck_in(self, collar):
        """Skin below the collar shrinks, so that cloth lies over it."""
        p = self.part.points
        deep = smoothstep(-0.010, 0.004, collar(p))[:, None] * np.array([1, 0, 1])
        p -= deep * (p - [0, 0, -0.045]) * 0.22

    def _close_mouth(self, pairs):
        """mouthClose becomes ACE's: the jaw open, the lips together."""
        part = self.part
        close = part.targets["jawOpen"] + part.targets["mouthClose"]
        part.targets["mouthClose"] = together(part, part.points + close, *pairs) - part.points

    def seam_y(self, x):
        """The height of the line between the lips, at a distance from the middle."""
        t = np.minimum(np.abs(x), self.mouth_corner) ** 2
        a, b, c = self._seam
        return a + b * t + c * t * t

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

    def _lid_correctives(self):
        """Two shapes that narrow an eye, each of which clears the eyeball, may cut it together."""
        part = self.part
        for side, (center, radius) in self.eyes.items():
            near = np.linalg.norm(part.points - center, axis=1) < 1.9 * radius
            end = "Left" if side == "l" else "Right"
            for a, b in combinations(NARROWING, 2):
                both = part.points[near] + part.targets[a + end][near] + part.targets[b + end][near]
                offsets = np.zeros_like(part.points)
                offsets[near] = outside(both, center, radius) - both
                part.targets[f"{a}_{b}_{side}"] = offsets
                self.correctives.append({"target": f"{a}_{b}_{side}", "shapes": [a + end, b + end]})

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
