"""Puts a person of MakeHuman's on the standard rig: where the joints are, and what moves with which.

MakeHuman stands with arms and legs spread, elbows bent, on a skeleton of its own. Each of its bones
gets the transform that carries it onto the rig's rest pose: turned by the shortest way, stretched to
the rig's length. The trunk is shifted by height only. Blending these by the skin's weights and
smoothing the result (delta mush) gives a body that hangs its arms without corners at the shoulders.
The rig's shoulders lie higher and wider than a person's; the mesh keeps its own, which a person may
have narrower still, with thinner arms.
"""
import numpy as np

from mesh import delta_mush, smoothstep
from rotations import rotation_between, share_of

TORSO = {"root", "pelvis", "spine05", "spine04", "spine03", "spine02", "spine01", "breast"}
NECK = {"neck01", "neck02", "neck03"}
JAW = {"jaw", "special04", "oris01", "oris02", "oris06", "oris07"}
FINGERS = ("thumb", "index", "middle", "ring", "pinky")
SHOULDER_SHIFT = np.array([-0.012, -0.010, 0.0])   # as arms come down, on the left, metres
FORWARD = np.array([0.0, -0.5, 0.87])
ARM_BONES = ("shoulder", "elbow", "wrist")
VERTEBRAE = ("vl5 vl4 vl3 vl2 vl1 vt12 vt11 vt10 vt9 vt8 vt7 vt6 vt5 vt4 vt3 vt2 vt1 "
             "vc7 vc6 vc5 vc4 vc3 vc2 vc1 skullbase").split()


def frame(along, across):
    x = along / np.linalg.norm(along)
    z = np.cross(x, across)
    z /= np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)


def stretch(direction, factor):
    d = direction / np.linalg.norm(direction)
    return np.eye(3) + (factor - 1) * np.outer(d, d)


def bone_map(a, b, to_a, to_b, turn=None):
    """(A, offset): carries segment a-b onto to_a-to_b; lengthened along the bone only."""
    turn = rotation_between(b - a, to_b - to_a) if turn is None else turn
    ratio = np.linalg.norm(to_b - to_a) / np.linalg.norm(b - a)
    linear = turn @ stretch(b - a, ratio)
    return linear, to_a - linear @ a


class Fitted:
    """The whole base mesh in the rig's rest pose, with weights by joint."""

    def __init__(self, points, quads, bones, rig, shoulders_in=0.0, arm_share=1.0,
                 hands=(1.0, 1.0)):
        """`shoulders_in`: metres by which each shoulder comes nearer to the middle; `arm_share`:
        how thick arms are, as a share of the data's; `hands`: how long and how wide hands are, as
        shares of what the rig's joints make of them."""
        self.rig, self.quads = rig, quads
        points = points.copy()
        body = np.unique(quads["body"][0])
        points[:, 1] -= points[body, 1].min()
        eye = rig.at("l_eyeball_joint")
        self.scale = eye[1] / self._landmark(points, "l-eye")[1]
        points *= self.scale
        self._slide(points, eye)
        self.points = self._pose(points, bones)
        self.weights = self._weights(bones)
        self._slim(shoulders_in, arm_share)
        self._shrink_hands(*hands)

    def _landmark(self, points, name):
        return points[np.unique(self.quads[f"joint-{name}"][0])].mean(0)

    def _slide(self, points, eye):
        """Shifts slices of the trunk up, down and back, as the rig has hips and eyes."""
        hip, eye_now = self._landmark(points, "l-upper-leg"), self._landmark(points, "l-eye")
        y = points[:, 1]
        rise = self.rig.at("l_hip")[1] - hip[1]
        low, high = hip[1], 1.40
        t = np.clip((y - low) / (high - low), 0, 1)
        to_eye = eye[2] - eye_now[2]
        back = np.interp(y, [low, 1.30, 1.42, 1.55], [-0.018, -0.052, -0.058, to_eye])
        points[:, 1] += rise * (1 - t)
        points[:, 2] += back

    def _pose(self, points, bones):
        maps = {}
        for side in "lr":
            maps.update(self._limb_maps(points, side))
        posed = np.zeros_like(points)
        for bone, (index, weight) in bones.items():
            linear, offset = maps.get(bone, (np.eye(3), np.zeros(3)))
            posed[index] += weight[:, None] * (points[index] @ linear.T + offset)
        faces = np.concatenate([self.quads[g][0] for g in self.quads])
        smooth = delta_mush(points, posed, faces)
        moved = np.zeros(len(points))
        for bone, (index, weight) in bones.items():
            limb = bone.rsplit(".", 1)[0]
            if limb.startswith(("upperarm", "lowerarm", "clavicle", "shoulder", "upperleg",
                                "lowerleg", "pelvis", "spine", "breast", "root")):
                moved[index] += weight
        return posed + moved[:, None] * (smooth - posed)

    def _slim(self, shoulders_in, arm_share):
        """Brings shoulders in, from the ribs up, and thins the arms about their middle line."""
        p, rig = self.points, self.rig
        arm = self.weights[:, [rig.index[f"{side}_{name}"] for side in "lr" for name in ARM_BONES]].sum(1)
        arm = smoothstep(0.1, 0.9, arm)
        y = p[:, 1]
        for side in (1, -1):
            mine = p[:, 0] * side > 0
            rows = np.nonzero(mine & (y > 0.84))[0]
            inner = np.nonzero(mine & (arm > 0.95) & (y > 0.84) & (y < 1.36))[0]
            knots = np.linspace(0.85, 1.34, 15)
            slices = [inner[abs(y[inner] - k) < 0.03] for k in knots]
            middle = np.array([[(p[s, axis].min() + p[s, axis].max()) / 2 for axis in (0, 2)]
                               for s in slices])
            centre = np.stack([np.interp(y[rows], knots, middle[:, k]) for k in (0, 1)], axis=1)
            thick = 1 - (1 - arm_share) * smoothstep(0.865, 0.93, y[rows]) * arm[rows]
            flat = p[rows][:, [0, 2]]
            flat = centre + (flat - centre) * thick[:, None]
            along = np.where(arm[rows] > 0.5, smoothstep(1.12, 1.36, y[rows]),
                             smoothstep(1.14, 1.36, y[rows]))
            reach = smoothstep(0.055, 0.165, abs(flat[:, 0]))
            flat[:, 0] -= side * shoulders_in * along * reach * smoothstep(1.56, 1.50, y[rows])
            p[rows[:, None], [0, 2]] = flat

    def _shrink_hands(self, long, wide):
        """Shortens hands below the wrist, and narrows palm and fingers across; the thumb, which does
        not bend about that axis, stays on its joints."""
        p, rig = self.points, self.rig
        for side in "lr":
            of = [rig.index[name] for name in rig.names if name[:2] == side + "_"
                  and name[2:].rstrip("0123456789") in (*FINGERS, "wrist")]
            thumb = [j for j in of if rig.names[j][2:7] == "thumb"]
            rows = np.nonzero(self.weights[:, of].sum(1) > 0.01)[0]
            wrist = rig.at(side + "_wrist")
            middle = (rig.at(side + "_index1") + rig.at(side + "_pinky1"))[2] / 2
            low = smoothstep(wrist[1] + 0.004, wrist[1] - 0.050, p[rows, 1])
            p[rows, 1] += (long - 1) * np.minimum(p[rows, 1] - wrist[1], 0)
            across = (wide - 1) * low * (1 - self.weights[rows][:, thumb].sum(1))
            p[rows, 2] += across * (p[rows, 2] - middle)

    def _limb_maps(self, points, side):
        maps, end = {}, "." + side.upper()

        def mark(name):
            return self._landmark(points, f"{side}-{name}")

        def at(name):
            return self.rig.at(f"{side}_{name}")

        shoulder, elbow, wrist = mark("shoulder"), mark("elbow"), mark("hand")
        to_shoulder = shoulder + SHOULDER_SHIFT * [1 if side == "l" else -1, 1, 1]
        to_shoulder[2] += 0.8 * (at("shoulder")[2] - shoulder[2])
        maps["shoulder01" + end] = (np.eye(3), 0.8 * (to_shoulder - shoulder))
        maps["clavicle" + end] = (np.eye(3), 0.35 * (to_shoulder - shoulder))
        for bone in ("upperarm01", "upperarm02"):
            maps[bone + end] = bone_map(shoulder, elbow, to_shoulder, at("elbow"))
        knuckle, to_knuckle = mark("finger-3-1"), at("middle1")
        hand_from = frame(knuckle - wrist, mark("finger-2-1") - mark("finger-5-1"))
        hand_to = frame(to_knuckle - at("wrist"), at("index1") - at("pinky1"))
        hand_turn = hand_to @ hand_from.T
        arm_turn = rotation_between(wrist - elbow, at("wrist") - at("elbow"))
        twist = hand_turn @ arm_turn.T
        for bone, share in (("lowerarm01", 0.25), ("lowerarm02", 0.75)):
            maps[bone + end] = bone_map(elbow, wrist, at("elbow"), at("wrist"),
                                        share_of(twist, share, at("wrist") - at("elbow")) @ arm_turn)
        hand = bone_map(wrist, knuckle, at("wrist"), to_knuckle, hand_turn)
        for bone in ("wrist", "metacarpal1", "metacarpal2", "metacarpal3", "metacarpal4"):
            maps[bone + end] = hand
        for k, finger in enumerate(FINGERS, 1):
            joints = [mark(f"finger-{k}-{n}") for n in (1, 2, 3, 4)]
            if finger == "thumb":
                to = [hand[0] @ j + hand[1] for j in joints]
                mapped = np.array(to)
                for n in range(3):      # forward, as the rig's; MakeHuman's lies before the palm
                    bone = mapped[n + 1] - mapped[n]
                    way = 0.35 * bone / np.linalg.norm(bone) + 0.65 * FORWARD
                    to[n + 1] = to[n] + way / np.linalg.norm(way) * np.linalg.norm(bone)
            else:
                to = [at(f"{finger}{n}") for n in (1, 2, 3)]
                tip = to[2] - to[1]
                to.append(to[2] + tip / np.linalg.norm(tip)
                          * np.linalg.norm(joints[3] - joints[2]))
            turn = hand_turn
            for n in range(3):
                ahead = turn @ (joints[n + 1] - joints[n])
                turn_n = rotation_between(ahead, to[n + 1] - to[n]) @ turn
                maps[f"finger{k}-{n + 1}{end}"] = bone_map(joints[n], joints[n + 1], to[n],
                                                           to[n + 1], turn_n)
        hip, knee, ankle = mark("upper-leg"), mark("knee"), mark("ankle")
        for bone in ("upperleg01", "upperleg02"):
            maps[bone + end] = bone_map(hip, knee, at("hip"), at("knee"))
        for bone in ("lowerleg01", "lowerleg02"):
            maps[bone + end] = bone_map(knee, ankle, at("knee"), at("ankle"))
        ahead = (mark("foot-2") - ankle) * [1, 0, 1]
        toes_out = np.array([0.12 if side == "l" else -0.12, 0, 1])
        foot = rotation_between(ahead, toes_out) * [1, at("ankle")[1] / ankle[1], 1]
        for bone in ["foot"] + [f"toe{k}-{n}" for k in range(1, 6) for n in range(1, 4)]:
            maps[bone + end] = (foot, at("ankle") - foot @ ankle)
        return maps

    def _weights(self, bones):
        """Every vertex' share of each joint; the spine's is spread over the vertebrae by height."""
        rig = self.rig
        weights = np.zeros((len(self.points), len(rig)))
        spine = np.zeros(len(self.points))
        for bone, (index, weight) in bones.items():
            joint = self._joint_of(bone)
            if joint == "spine":
                spine[index] += weight
            else:
                weights[index, rig.index[joint]] += weight
        heights = [0.985] + [rig.at(name)[1] for name in VERTEBRAE]
        heights[-1] += 0.012
        joints = [rig.index[name] for name in ["sacroiliac"] + VERTEBRAE]
        place = np.interp(self.points[:, 1], heights, np.arange(len(heights)))
        below = np.minimum(place.astype(int), len(heights) - 2)
        rows = np.arange(len(self.points))
        up = place - below
        np.add.at(weights, (rows, np.array(joints)[below]), spine * (1 - up))
        np.add.at(weights, (rows, np.array(joints)[below + 1]), spine * up)
        weights /= weights.sum(1, keepdims=True)
        spare_neck(self.points, weights, rig)
        return weights

    @staticmethod
    def _joint_of(bone):
        limb, _, end = bone.partition(".")
        side = end.lower() + "_"
        if limb in TORSO or limb in NECK:
            return "spine"
        if limb in JAW or limb.startswith("tongue"):
            return "temporomandibular"
        if limb == "orbicularis03":
            return side + "eyelid_joint"
        if limb == "eye":
            return side + "eyeball_joint"
        if limb.startswith("toe"):
            return side + "midtarsal"
        if limb.startswith("finger"):
            number, _, phalanx = limb[6:].partition("-")
            return f"{side}{FINGERS[int(number) - 1]}{phalanx}"
        if limb.startswith("metacarpal"):
            return f"{side}{FINGERS[int(limb[-1])]}0"
        direct = {"clavicle": "sternoclavicular", "shoulder01": "acromioclavicular",
                  "upperarm01": "shoulder", "upperarm02": "shoulder", "lowerarm01": "elbow",
                  "lowerarm02": "elbow", "wrist": "wrist", "upperleg01": "hip",
                  "upperleg02": "hip", "lowerleg01": "knee", "lowerleg02": "knee",
                  "foot": "ankle"}
        return side + direct[limb] if limb in direct else "skullbase"


def spare_neck(points, weights, rig):
    """Takes the arms' pull off what is between neck and shoulder: it would sink as an arm goes up."""
    arms = [rig.index[f"{side}_shoulder"] for side in "lr"]
    near = smoothstep(0.145, 0.085, abs(points[:, 0])) * smoothstep(1.36, 1.42, points[:, 1])
    weights[:, arms] *= (1 - near)[:, None]
    weights /= weights.sum(1, keepdims=True)
