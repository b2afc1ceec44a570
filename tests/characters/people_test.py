"""The built-in people, as files: rig, weights, shapes, lips and lids, size, bytes.

Their clothes and hands are judged in cloth_test.py.
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from clips import weights
from person_file import BIN, FOLDER, ROOT, PersonFile
from rays import first_hits, turned


def rig_file():
    names, parents, places, paths = [], [], [], {}
    for line in (ROOT / "data/rigs/hanim_loa3.rig").read_text().splitlines():
        words = line.split()
        if words and words[0] == "joint":
            parent, _, name = words[1].rpartition("/")
            paths[words[1]] = len(names)
            names.append(name)
            parents.append(paths[parent] if parent else -1)
            at = np.array([float(x) for x in words[3:6]])
            places.append(at if not parent else at + places[parents[-1]])
    return names, parents, np.array(places)


def shape_names():
    return [line.split()[1] for name in ("arkit52", "tongue16")
            for line in (ROOT / f"data/rigs/{name}.shapes").read_text().splitlines()
            if line.startswith("shape ")]


class PeopleTest(PersonFile):
    def test_is_small(self):
        self.assertLessEqual(len(self.data), 3_000_000)
        for look in self.looks():
            self.assertLessEqual(sum(len(self.person.meshes[name].triangles)
                                     for name in self.person.shown(look)), 35_000, look)

    def looks(self):
        """Each style of hair."""
        styles = [part for part in self.person.extras["variants"] if part["part"] == "hair"]
        return [{"hair": c["name"]} for part in styles for c in part["choices"]] or [{}]

    def test_its_joints_are_the_rigs(self):
        names, parents, places = rig_file()
        self.assertEqual(self.person.joints[:self.person.own], names)
        self.assertEqual(self.person.parents[:self.person.own].tolist(), parents)
        np.testing.assert_allclose(self.person.rest[:self.person.own, :3, 3], places, atol=1e-5)

    def test_rest_is_the_bind_pose(self):
        # Each joint at rest carries the file's grid onto the same metres.
        carried = self.person.rest @ self.person.bind
        np.testing.assert_allclose(carried, np.tile(carried[0], (len(carried), 1, 1)), atol=1e-6)

    def test_weights_sum_to_one(self):
        for name, mesh in self.person.meshes.items():
            self.assertTrue((mesh.weights.sum(1) == 255).all(), name)
            self.assertTrue((mesh.joints < len(self.person.joints)).all(), name)

    def test_has_all_shapes_and_names_no_others_than_its_extras(self):
        found = {name for mesh in self.person.meshes.values() for name in mesh.targets}
        extras = self.person.extras
        more = {entry["target"] for entry in extras["inbetweens"] + extras["correctives"]}
        self.assertEqual(found, set(shape_names()) | more)
        for corrective in extras["correctives"]:
            if "shapes" in corrective:
                self.assertLessEqual(set(corrective["shapes"]), set(shape_names()))
            else:
                self.assertIn(corrective["joint"], self.person.joints)
        materials = {m["name"] for m in self.person.json["materials"]}
        for part in extras["variants"]:
            for choice in part["choices"]:
                self.assertLessEqual(choice.get("materials", {}).keys(), materials)
                self.assertLessEqual(set(choice.get("nodes", [])), self.person.meshes.keys())

    def test_shapes_move_their_side_and_mirror(self):
        p = self.head.points
        grid = self.person.bind[0, 0, 0]                 # metres per unit of the file's grid
        middle = -self.person.rest[0, 0, 3] - self.person.bind[0, 0, 3]
        x = (p[:, 0] * grid) - middle
        mirrored = p * [-1, 1, 1]
        near = np.array([((p - m) ** 2).sum(1).argmin() for m in mirrored])
        exact = np.linalg.norm(p[near] - mirrored, axis=1) * grid < 0.0008
        self.assertGreater(exact.mean(), 0.9)
        for left in shape_names():
            if not left.endswith("Left") or left.startswith(("jaw", "tongue")) or left == "mouthLeft":
                continue
            a = self.head.targets[left] * grid
            b = self.head.targets[left[:-4] + "Right"] * grid
            size = np.linalg.norm(a, axis=1)
            self.assertGreater(size.max(), 0.0008, left)
            self.assertGreater(size[x > 0].sum(), 0.6 * size.sum(), left)
            miss = np.linalg.norm((a * [-1, 1, 1] - b[near])[exact], axis=1)
            self.assertLess(np.percentile(miss, 99), 0.15 * size.max() + 0.0003, left)

    def contact(self):
        """Points of the upper and of the lower lip that touch at rest."""
        rest = self.head_points()
        opened = self.head_points(jawOpen=1) - rest
        lips = np.nonzero((abs(rest[:, 0]) < 0.02) & (rest[:, 2] > 0.06)
                          & (abs(rest[:, 1] - self.lip_line()) < 0.012))[0]
        up, down = lips[abs(opened[lips, 1]) < 0.004], lips[abs(opened[lips, 1]) > 0.012]
        apart = np.linalg.norm(rest[up][:, None] - rest[down][None], axis=2)
        pairs = [(up[i], down[apart[i].argmin()]) for i in range(len(up))
                 if apart[i].min() < 0.0006]
        self.assertGreater(len(pairs), 10)
        return np.array(pairs).T

    def test_lips_meet_at_mouth_close_and_never_pass_each_other(self):
        up, down = self.contact()
        opened = self.head_points(jawOpen=1)
        self.assertGreater((opened[up] - opened[down])[:, 1].max(), 0.015)
        for amount in (0.5, 1.0):
            points = self.head_points(mouthClose=amount)
            gap = points[up] - points[down]
            self.assertLess(np.linalg.norm(gap, axis=1).max(), 0.0005)
            self.assertGreater(gap[:, 1].min(), -0.0003)

    def test_lips_meet_at_every_p_b_and_m(self):
        text, contacts = "Papa bought my baby a pony.", 7
        up, down = self.contact()
        middle = abs(self.head_points()[up, 0]) < 0.015
        gaps, rolled = [], []
        with tempfile.TemporaryDirectory() as folder:
            clip = Path(folder) / "say.jsonl"
            subprocess.run([BIN / "a2f_source", "say", text, "--out", clip, "--no-body"], check=True,
                           capture_output=True)
            for shapes in weights(clip):
                points = self.head_points(**shapes)
                gaps.append((points[up] - points[down])[middle, 1].max())
                rolled.append(shapes["mouthRollLower"])
        # Lips roll in where they are pressed; the mouth opens between two of these.
        shut = [i for i in range(1, len(gaps) - 1)
                if rolled[i] > 0.08 and gaps[i - 1] > gaps[i] <= gaps[i + 1]]
        self.assertEqual(len(shut), contacts, [round(1000 * gaps[i], 2) for i in shut])
        self.assertLess(max(gaps[i] for i in shut), 0.0005)
        for a, b in zip(shut, shut[1:]):
            self.assertGreater(max(gaps[a:b]), 0.0007)

    def test_lids_close_over_the_eyes(self):
        for side, name in (("l", "eyeBlinkLeft"), ("r", "eyeBlinkRight")):
            for yaw in (0, 25, -25):
                self.assertGreater(self.eye_seen(side, yaw), 300)
                self.assertEqual(self.eye_seen(side, yaw, **{name: 1}), 0, (side, yaw))
            half = self.eye_seen(side, 0, **{name: 0.5})
            self.assertLess(half, 0.85 * self.eye_seen(side, 0))

    def hair(self):
        """Points, triangles and name of each style at rest."""
        for look in self.looks():
            for name in self.person.shown(look):
                if name.startswith("hair"):
                    yield name, self.person.posed(name), self.person.meshes[name].triangles

    def test_hair_is_opaque_and_within_its_budget(self):
        for name, _, triangles in self.hair():
            material = self.person.meshes[name].material
            self.assertEqual(material.get("alphaMode", "OPAQUE"), "OPAQUE", name)
            self.assertLessEqual(len(triangles), 7_500, name)

    def test_hair_has_a_smooth_outline_from_all_sides(self):
        # Along the outline no step between rows is more than a lock, and it turns to and fro little.
        for name, points, triangles in self.hair():
            if name == "hair_tail":                   # what lies on the head
                triangles = triangles[(points[triangles][:, :, 2] > -0.14).all(1)]
            for yaw in (0, 35, -35, 90, 140, 180):
                seen = turned(points, yaw)
                top = seen[:, 1].max()
                low = np.array([seen[:, 0].min(), top - 0.11])
                hit, _ = first_hits(seen, triangles, low, [seen[:, 0].max(), top], 0.001)
                rows = [np.nonzero(row >= 0)[0] for row in hit[:-6]]
                left, right = (np.array([row[end] for row in rows]) for end in (0, -1))
                for edge in (left, right):
                    wide = np.abs(np.diff(edge))
                    self.assertLess(wide[:70].max(), 16, (name, yaw))       # mm a row
                    soft = np.convolve(edge, np.ones(7) / 7, "valid")
                    self.assertLess(np.abs(edge[3:-3] - soft)[:70].max(), 5, (name, yaw))

    def test_hair_shows_the_way_of_its_strands(self):
        # v grows along them everywhere, and from one triangle to the next the way turns little.
        for name, points, triangles in self.hair():
            v = np.asarray(self.person.meshes[name].uv, float)[:, 1]
            a, b = (points[triangles[:, k]] - points[triangles[:, 0]] for k in (1, 2))
            normal = np.cross(a, b)
            area = np.linalg.norm(normal, axis=1)
            da, db = (v[triangles[:, k]] - v[triangles[:, 0]] for k in (1, 2))
            way = np.cross(b, normal) * da[:, None] + np.cross(normal, a) * db[:, None]
            way /= np.maximum(area, 1e-9)[:, None] ** 2
            steep = np.linalg.norm(way, axis=1)                 # of the picture, a metre
            self.assertLess(area[steep < 0.2].sum(), 0.0005 * area.sum(), name)
            way /= np.maximum(steep, 1e-9)[:, None]
            edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
            owner, order = np.arange(len(edges)) // 3, np.lexsort(edges.T)
            shared = (np.diff(edges[order], axis=0) == 0).all(1)
            one, two = owner[order][:-1][shared], owner[order][1:][shared]
            both = area[one] + area[two]
            turned_far = abs((way[one] * way[two]).sum(1)) < np.cos(np.radians(25))
            self.assertLess(both[turned_far].sum(), 0.05 * both.sum(), name)

    def test_hair_leaves_the_face_free(self):
        # Nothing of it is before eyes, nose and mouth, from the front and from a little aside.
        head = self.head_points()
        eye = self.person.posed("eye_l").mean(0)[1]
        for name, points, triangles in self.hair():
            for yaw, half in ((0, 0.046), (15, 0.032), (-15, 0.032)):
                low, high = np.array([-half, eye - 0.09]), np.array([half, eye + 0.016])
                middle = turned(np.array([[0, 0, 0.08]]), yaw)[0, :1].repeat(2) * [1, 0]
                seen, skin = turned(points, yaw), turned(head, yaw)
                hit, height = first_hits(seen, triangles, low + middle, high + middle, 0.002)
                _, face = first_hits(skin, self.head.triangles, low + middle, high + middle, 0.002)
                before = (hit >= 0) & (face > -np.inf) & (height > face)
                self.assertEqual(before.sum(), 0, (name, yaw))

    def test_springs_turn_hair_alone(self):
        springs = self.person.json.get("extensions", {}).get("VRMC_springBone")
        loose = self.person.joints[self.person.own:]
        if not loose:
            self.assertIsNone(springs)
            return
        names = [self.person.json["nodes"][joint["node"]]["name"]
                 for spring in springs["springs"] for joint in spring["joints"]]
        self.assertEqual(names, loose)
        for name, mesh in self.person.meshes.items():
            if not name.startswith("hair"):
                self.assertLess(mesh.joints[mesh.weights > 0].max(), self.person.own, name)
        # At rest no end of a joint is in a collider, and the hair hangs as it was made.
        places = {n: self.person.rest[i, :3, 3] for i, n in enumerate(self.person.nodes)}
        for spring in springs["springs"]:
            for joint in spring["joints"][1:]:
                for collider in springs["colliders"]:
                    shape = next(iter(collider["shape"].values()))
                    middle = places[collider["node"]] + shape["offset"]
                    self.assertGreater(np.linalg.norm(places[joint["node"]] - middle),
                                       shape["radius"] + joint["hitRadius"], spring["name"])


class WomanTest(PeopleTest, unittest.TestCase):
    NAME = "woman"

    def test_has_two_styles_of_hair(self):
        self.assertEqual([look["hair"] for look in self.looks()], ["ponytail", "bob"])

    @unittest.skipUnless(os.environ.get("TEST_LEVEL") == "long", "of the long level: ./test --long")
    def test_the_same_description_makes_the_same_bytes(self):
        wheels = list((FOLDER / "wheel").glob("*.whl"))
        if not wheels:
            self.skipTest("the data is not there any more")
        out = FOLDER / f"{self.NAME}.again"
        subprocess.run([sys.executable, "-B", ROOT / "tools/characters/make.py", "--wheel", wheels[0],
                        "--sex", self.NAME, "--out", out], check=True,
                       env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
        again = out.read_bytes()
        out.unlink()
        self.assertTrue(again == self.data)


class ManTest(PeopleTest, unittest.TestCase):
    NAME = "man"


if __name__ == "__main__":
    unittest.main(verbosity=2)
