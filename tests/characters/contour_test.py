"""What shapes people beyond the data: the tapered face, and bands in the top."""
import sys
import unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/characters"))

from cloth_paint import LEG, TRUNK, paint_cloth  # noqa: E402
from contour import taper_face  # noqa: E402
from people import WOMAN  # noqa: E402

EYE_Y = 1.63


class ContourTest(unittest.TestCase):
    def test_the_face_narrows_from_the_eyes_to_the_chin_and_the_neck_stays(self):
        points = np.array([[0.06, EYE_Y, 0.05], [0.06, EYE_Y - 0.05, 0.05], [0.03, EYE_Y - 0.11, 0.05],
                           [0.05, EYE_Y - 0.11, -0.06], [0.02, EYE_Y - 0.30, 0.05]])
        fitted = SimpleNamespace(points=points.copy(), growth=np.ones(len(points)),
                                 rig=SimpleNamespace(at=lambda name: np.array([0.03, EYE_Y, 0.07])))
        taper_face(fitted, (0, 0.04, 0.1, 0.2, 0.2))
        share = 1 - fitted.points[:, 0] / points[:, 0]
        self.assertEqual(share[[0, 3, 4]].tolist(), [0, 0, 0])
        self.assertGreater(share[1], 0.04)
        self.assertGreater(share[2], share[1])
        np.testing.assert_array_equal(fitted.points[:, 1:], points[:, 1:])
        np.testing.assert_allclose(fitted.growth, 1 - share)

    def test_bands_darken_the_top_at_their_heights_alone(self):
        band = (1.30, 1.34, 0.4)
        plain, banded = (paint_cloth(replace(WOMAN, bands=b))[1][..., 0] for b in ((), (band,)))
        (first, last), _, (high, low), _ = TRUNK
        rows = np.arange(len(plain))
        y = high - (rows - first) / (last - first) * (high - low)
        inside = (rows >= first) & (rows < last) & (y > band[0] + 0.005) & (y < band[1] - 0.005)
        beyond = (rows >= first) & (rows < last) & ((y < band[0] - 0.005) | (y > band[1] + 0.005))
        # Light as the screen's curve has it.
        ratio = banded[inside].mean() / plain[inside].mean()
        self.assertAlmostEqual(ratio, band[2] ** (1 / 2.2), delta=0.02)
        np.testing.assert_array_equal(banded[beyond], plain[beyond])
        leg = np.s_[slice(*LEG[0]), slice(*LEG[1])]
        np.testing.assert_array_equal(banded[leg], plain[leg])


if __name__ == "__main__":
    unittest.main(verbosity=2)
