"""The finer mesh of lips and lids: one Catmull-Clark step on some quads of a surface."""
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/characters"))

from mesh import Part, rim_of, triangles_of  # noqa: E402
from refine import refine  # noqa: E402


def sheet(size=6):
    """A bent sheet of quads with one shape."""
    x, y = np.meshgrid(np.arange(size), np.arange(size))
    points = np.stack([x, y, np.sin(x) + np.cos(y)], axis=2).reshape(-1, 3).astype(float)
    a = np.arange(size * size).reshape(size, size)
    faces = np.stack([a[:-1, :-1], a[:-1, 1:], a[1:, 1:], a[1:, :-1]], axis=2).reshape(-1, 4)
    return Part("sheet", "skin", points, faces, targets={"shift": points * [0.5, 0, 0]},
                extra={"height": points[:, 2].copy()})


class RefineTest(unittest.TestCase):
    def setUp(self):
        self.part = sheet()
        middle = self.part.points[self.part.faces].mean(1)
        self.inner = (abs(middle[:, :2] - 2.5) < 1.1).all(1)
        refine(self.part, self.inner)

    def test_adds_three_quads_for_each_and_leaves_no_crack(self):
        self.assertEqual(int(self.inner.sum()), 9)
        quads = (np.diff(np.sort(self.part.faces, axis=1), axis=1) > 0).all(1).sum()
        # Twelve quads around have one new point each, and are fans of three triangles.
        self.assertEqual(quads, 36 + 25 - 9 - 12)
        self.assertEqual(len(triangles_of(self.part.faces)), 36 * 2 + 4 * 2 + 12 * 3)
        self.assertEqual(len(rim_of(self.part.faces)), 20)

    def test_every_property_follows_the_rule_of_the_points(self):
        np.testing.assert_allclose(self.part.extra["height"], self.part.points[:, 2])
        np.testing.assert_allclose(self.part.targets["shift"], self.part.points * [0.5, 0, 0])

    def test_points_outside_and_on_the_border_stay(self):
        before = sheet().points
        moved = np.linalg.norm(self.part.points[:len(before)] - before, axis=1) > 1e-9
        inside = ((before[:, :2] > 1.5) & (before[:, :2] < 3.5)).all(1)
        self.assertFalse(moved[~inside].any())
        self.assertTrue(moved[inside].all())


if __name__ == "__main__":
    unittest.main(verbosity=2)
