"""Clothes and hands of the built-in people: cloth covers the skin in every pose, fits, and has folds."""
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

from person_file import BIN, POSES, PersonFile
from clips import bent, frames
from rays import first_hits, turned

SKIN = ("head", "hands")
SIDES = (0, 50, -50, 180)


def distance(point, triangles):
    """From a point to each of some small triangles (n, 3, 3), by samples of these."""
    grid = [(i / 6, j / 6) for i in range(7) for j in range(7 - i)]
    spots = np.stack([(1 - u - v) * triangles[:, 0] + u * triangles[:, 1] + v * triangles[:, 2]
                      for u, v in grid], axis=1)
    return np.linalg.norm(spots - point, axis=2).min(1)


class ClothTest(PersonFile):
    SLEEVE_M = None     # round the elbow, at most

    def covering(self, turns):
        """Points and triangles of skin and cloth together, and of which mesh each triangle is."""
        points, triangles, names, count = [], [], [], 0
        for name, mesh in self.person.meshes.items():
            if name in ("lashes", "tongue") or name.startswith(("hair", "eye", "teeth")):
                continue
            points.append(self.person.posed(name, turns=turns))
            triangles.append(mesh.triangles + count)
            names += [name] * len(mesh.triangles)
            count += len(points[-1])
        return np.concatenate(points), np.concatenate(triangles), np.array(names)

    def hidden(self):
        """Of the triangles of `covering`: those of skin, and those that cloth must cover."""
        rest, triangles, names = self.covering({})
        skin = np.isin(names, SKIN)
        middle = rest[triangles].mean(1)
        collar = self.collar_over(middle, middle[names == "top"])
        cuffs = middle[(names == "top") & (abs(middle[:, 0]) > 0.15)][:, 1].min()
        hidden = skin & np.where(names == "head", middle[:, 1] < collar - 0.015,
                                 middle[:, 1] > cuffs + 0.012)
        self.assertGreater(hidden.sum(), 20)
        return triangles, skin, hidden

    @staticmethod
    def collar_over(points, cloth, axis_z=-0.045, sectors=36):
        """How high the collar reaches in the direction, round the neck, of each point."""
        def sector(p):
            turns = np.arctan2(p[:, 0], p[:, 2] - axis_z) / (2 * np.pi) + 0.5
            return np.minimum((turns * sectors).astype(int), sectors - 1)
        top = np.zeros(sectors)
        near = cloth[(cloth[:, 1] > 1.4) & (np.hypot(cloth[:, 0], cloth[:, 2] - axis_z) < 0.11)]
        np.maximum.at(top, sector(near), near[:, 1])
        return top[sector(points)]

    def check_cover(self, what, points, triangles, skin, hidden, views, step=0.004):
        """Rays from outside meet no skin under cloth, and no cloth from within."""
        for yaw, pitch in views:
            seen = turned(points, yaw, pitch)
            hit, _ = first_hits(seen, triangles, seen[:, :2].min(0), seen[:, :2].max(0), step)
            tri = hit[hit >= 0]
            a, b, c = (seen[triangles[tri, k], :2] for k in range(3))
            turned_away = (np.cross(b - a, c - a) < 0) & ~skin[tri]
            self.assertLess(hidden[tri].sum(), 0.001 * len(tri), (what, yaw, pitch))
            self.assertLess(turned_away.sum(), 0.004 * len(tri), (what, yaw, pitch))

    def test_cloth_covers_skin_and_has_no_holes(self):
        surface = self.hidden()
        for pose, turns in POSES.items():
            self.check_cover(pose, self.covering(turns)[0], *surface,
                             ((0, 0), (55, 0), (-55, 0), (180, 0), (125, 0), (0, 25)))

    def test_cloth_is_lit_the_way_it_faces(self):
        # Where shapes of bent joints add up to dents, light shows wedges and holes.
        mesh = self.person.meshes["top"]
        for pose, turns in POSES.items():
            points = self.person.posed("top", turns=turns)
            a, b, c = (points[mesh.triangles[:, k]] for k in range(3))
            across = np.cross(b - a, c - a)
            across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
            lit = self.person.facing("top", turns=turns)[mesh.triangles].mean(1)
            wrong = (across * lit).sum(1) < 0.5 * np.linalg.norm(lit, axis=1)
            for yaw in SIDES:
                seen = turned(points, yaw)
                hit, _ = first_hits(seen, mesh.triangles, seen[:, :2].min(0), seen[:, :2].max(0), 0.005)
                hit = hit[hit >= 0]
                self.assertLess(wrong[hit].sum(), 0.008 * len(hit), (pose, yaw))

    def girth(self, height):
        """The way round the left sleeve of a hanging arm, metres, at a height."""
        mesh, points = self.person.meshes["top"], self.person.posed("top")
        arm = [self.person.joints.index(f"l_{name}") for name in ("shoulder", "elbow", "wrist")]
        mine = (np.isin(mesh.joints, arm) * mesh.weights).sum(1) > 127
        total = 0.0
        for tri in points[mesh.triangles[mine[mesh.triangles].all(1)]]:
            above = tri[:, 1] > height
            if above.all() or not above.any():
                continue
            cut = [tri[i] + (height - tri[i, 1]) / (tri[j, 1] - tri[i, 1]) * (tri[j] - tri[i])
                   for i, j in ((0, 1), (1, 2), (2, 0)) if above[i] != above[j]]
            total += np.linalg.norm(cut[0] - cut[1])
        return total

    def test_sleeves_are_slim_and_taper(self):
        elbow = self.person.rest[self.person.joints.index("l_elbow"), 1, 3]
        upper, middle, lower = (self.girth(y) for y in (elbow + 0.09, elbow, elbow - 0.2))
        self.assertLess(middle, self.SLEEVE_M)
        self.assertGreater(middle, 0.17)
        self.assertLess(lower, 0.85 * middle)
        self.assertLess(middle, 1.05 * upper)

    def test_the_collar_lies_on_the_skin(self):
        head, top = self.person.posed("head"), self.person.posed("top")
        edge = top[(top[:, 1] > 1.42) & (np.hypot(top[:, 0], top[:, 2] + 0.045) < 0.10)]
        edge = edge[edge[:, 1] > self.collar_over(edge, edge) - 0.004]
        self.assertGreater(len(edge), 20)
        tris = head[self.head.triangles]
        near = tris[(tris.mean(1)[:, 1] > 1.40) & (tris.mean(1)[:, 1] < 1.56)]
        gaps = [distance(point, near).min() for point in edge]
        self.assertLess(max(gaps), 0.009)

    def test_hands_have_round_tips_and_few_triangles(self):
        mesh, points = self.person.meshes["hands"], self.person.posed("hands")
        self.assertLessEqual(len(mesh.triangles), 3000)
        for finger in ("index", "middle", "ring", "pinky"):
            for side in "lr":
                joint = self.person.rest[self.person.joints.index(f"{side}_{finger}3"), :3, 3]
                mine = points[(points[:, 0] * joint[0] > 0) & (abs(points[:, 2] - joint[2]) < 0.0105)
                              & (points[:, 1] < joint[1])]
                tip = mine[:, 1].min()
                wide = [np.ptp(mine[(mine[:, 1] > tip + a) & (mine[:, 1] < tip + b), 2])
                        for a, b in ((0.0015, 0.0065), (0.009, 0.016))]
                self.assertGreater(wide[0], 0.6 * wide[1], (finger, side))     # of a cone: a third

    def test_hands_are_as_long_and_as_wide_as_peoples(self):
        # Of the height, from the wrist's joint to the tip, and across below the knuckles.
        points, tall = self.person.posed("hands"), self.person.posed("head")[:, 1].max()
        places = dict(zip(self.person.joints, self.person.rest[:, :3, 3]))
        for side, sign in (("l", 1), ("r", -1)):
            hand = points[points[:, 0] * sign > 0]
            long = places[f"{side}_wrist"][1] - hand[:, 1].min()
            below = abs(hand[:, 1] - (places[f"{side}_middle1"][1] - 0.010)) < 0.004
            self.assertGreater(long / tall, 0.103)
            self.assertLess(long / tall, 0.109)
            self.assertGreater(np.ptp(hand[below, 2]) / tall, 0.042)
            self.assertLess(np.ptp(hand[below, 2]) / tall, 0.050)

    def test_cloth_has_folds_and_hands_have_a_picture(self):
        for name in ("top", "bottom"):
            material = self.person.meshes[name].material
            self.assertIn("normalTexture", material)
            self.assertIn("baseColorTexture", material["pbrMetallicRoughness"])
        self.assertIn("baseColorTexture", self.person.meshes["hands"].material["pbrMetallicRoughness"])

    def test_cloth_covers_skin_in_every_built_in_gesture(self):
        surface = self.hidden()
        moving = 0
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BIN / "animclip", "gestures", "--out", folder, "--format", "jsonl"],
                           check=True, capture_output=True)
            for clip in sorted(Path(folder).glob("*.jsonl")):
                poses = frames(clip)
                if not poses:
                    continue  # of the face alone
                moving += 1
                # On its way, and at its height.
                for share in (0.3, 0.55):
                    turns = bent(poses[int(share * (len(poses) - 1))])
                    self.check_cover((clip.stem, share), self.covering(turns)[0], *surface,
                                     ((0, 0), (125, 0)), step=0.005)
        self.assertGreater(moving, 50)


class WomanTest(ClothTest, unittest.TestCase):
    NAME, SLEEVE_M = "woman", 0.26


class ManTest(ClothTest, unittest.TestCase):
    NAME, SLEEVE_M = "man", 0.29


if __name__ == "__main__":
    unittest.main(verbosity=2)
