"""Steps of the converter that dress a person, on a tube instead of an arm."""
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/characters"))

from cloth_paint import SIZE, paint_cloth  # noqa: E402
from correct import turned_about  # noqa: E402
from drape import finer, keep_off, lay, split_rim  # noqa: E402
from mesh import Part, corner_uv, loops_of, triangles_of  # noqa: E402
from people import PEOPLE  # noqa: E402

ARM_M, ROUND, RINGS = 0.04, 24, 16


def tube(radius, height=0.4):
    """A part of quads round the y axis."""
    turns = np.arange(ROUND) / ROUND * 2 * np.pi
    points = np.array([[radius * np.sin(t), y, radius * np.cos(t)]
                       for y in np.linspace(0.1, 0.1 + height, RINGS) for t in turns])
    faces = np.array([[r * ROUND + k, r * ROUND + (k + 1) % ROUND, (r + 1) * ROUND + (k + 1) % ROUND,
                       (r + 1) * ROUND + k] for r in range(RINGS - 1) for k in range(ROUND)])
    return Part("tube", "top", points, faces, extra={"arm": np.ones(len(points))})


class Arm:
    """The skin of a tube, as drape.Skin has a body's."""

    def __init__(self):
        part = tube(ARM_M)
        self.points, self.arm = part.points, np.ones(len(part.points), bool)
        self.normals = part.points * [1, 0, 1] / ARM_M

    def nearest(self, points, normals, arm):
        return ((points[:, None] - self.points[None]) ** 2).sum(2).argmin(1)

    def gap(self, points, below):
        return ((points - self.points[below]) * self.normals[below]).sum(1)


def radii(part):
    return np.hypot(part.points[:, 0], part.points[:, 2])


class DrapeTest(unittest.TestCase):
    def test_cloth_of_any_width_comes_to_hang_its_ease_off_the_arm(self):
        for wide in (0.035, 0.052, 0.065):
            sleeve = tube(wide)
            lay(sleeve, Arm(), np.full(len(sleeve.points), 0.005), rounds=6)
            np.testing.assert_allclose(radii(sleeve), ARM_M + 0.005, atol=0.0012)

    def test_cloth_is_kept_off_the_skin_and_else_left(self):
        sleeve = tube(ARM_M + 0.001)
        sleeve.points[:ROUND] *= [1.5, 1, 1.5]
        before = sleeve.points.copy()
        keep_off(sleeve, Arm(), 0.003)
        self.assertGreater(radii(sleeve).min(), ARM_M + 0.0028)
        np.testing.assert_array_equal(sleeve.points[:ROUND], before[:ROUND])

    def test_finer_doubles_rings_and_leaves_no_gap(self):
        sleeve = tube(ARM_M)
        finer(sleeve, np.ones(len(sleeve.points), bool))
        self.assertEqual(len(sleeve.faces), 2 * ROUND * (RINGS - 1))
        self.assertEqual([len(ring) for ring in loops_of(sleeve.faces)], [ROUND, ROUND])

    def test_a_split_rim_has_twice_its_points_in_order(self):
        sleeve = tube(ARM_M)
        ring = split_rim(sleeve, loops_of(sleeve.faces)[0])
        self.assertEqual(len(ring), 2 * ROUND)
        steps = np.linalg.norm(sleeve.points[ring] - sleeve.points[np.roll(ring, -1)], axis=1)
        self.assertLess(np.ptp(steps), 1e-6)
        self.assertEqual(sorted(len(loop) for loop in loops_of(sleeve.faces)), [ROUND, 2 * ROUND])

    def test_corners_with_places_of_their_own_become_points(self):
        sleeve = tube(ARM_M)
        sleeve.extra["same"] = np.arange(len(sleeve.points)).astype(float)
        uv = np.tile(np.linspace(0, 1, len(sleeve.faces))[:, None, None], (1, 4, 2))
        before = triangles_of(sleeve.faces)
        corner_uv(sleeve, uv)
        same = sleeve.extra["same"].astype(int)
        np.testing.assert_array_equal(same[triangles_of(sleeve.faces)], before)
        np.testing.assert_allclose(sleeve.uv[sleeve.faces], uv, atol=1e-4)

    def test_a_turn_about_one_axis_counts_for_others_by_its_share(self):
        self.assertAlmostEqual(turned_about((0, 0, 1), (0, 0, 1), 120), 120)
        self.assertAlmostEqual(turned_about((1, 0, 0), (0, 0, 1), 120), 0)
        half = 0.5 ** 0.5
        self.assertAlmostEqual(turned_about((half, 0, half), (0, 0, 1), 90), 70.53, places=2)


class FoldsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.normal, cls.shade = paint_cloth(PEOPLE["woman"])

    def test_the_trunk_has_no_seam_at_the_back(self):
        trunk = self.normal[40:250].astype(int)
        across = abs(trunk[:, 0] - trunk[:, -1]).mean()
        self.assertLess(across, 2 * abs(trunk[:, 1:] - trunk[:, :-1]).mean() + 1)

    def test_normals_have_length_one_and_look_out(self):
        n = self.normal.astype(float) / 127.5 - 1
        np.testing.assert_allclose(np.linalg.norm(n, axis=2), 1, atol=0.04)
        self.assertGreater(n[..., 2].min(), 0.3)

    def test_folds_are_seen_and_shade_stays_light(self):
        self.assertEqual(self.shade.shape, (SIZE, SIZE, 1))
        self.assertGreater(self.shade.std(), 5)
        self.assertGreater(self.shade.mean(), 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
