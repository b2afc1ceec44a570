"""What tests of a built-in person share: the file that the target `characters` made, poses in which it is
judged, and looks at it."""
import os
import unittest
from pathlib import Path

import numpy as np

from glb_reader import Character
from rays import first_hits, turned

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("POSEWIRE_BIN_DIR", ROOT / "build/release/bin"))
FOLDER = Path(os.environ.get("POSEWIRE_CHARACTERS_DIR", ROOT / "build/release/characters"))
X, Z = (1, 0, 0), (0, 0, 1)


def turn(axis, degrees):
    a = np.radians(degrees)
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)
    return np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * k @ k


def both(joint, axis, degrees):
    right = -degrees if axis == Z else degrees
    return {f"l_{joint}": turn(axis, degrees), f"r_{joint}": turn(axis, right)}


POSES = {"rest": {}, "arms sideways": both("shoulder", Z, 85), "arms overhead": both("shoulder", Z, 150),
         "arms forward, elbows bent": both("shoulder", X, -60) | both("elbow", X, -80),
         "sitting": both("hip", X, -85) | both("knee", X, 85),
         "salute": {"r_shoulder": turn((-0.84, -0.11, -0.54), 109), "r_elbow": turn((-0.97, -0.1, 0.2), 116)},
         "arms crossed": {"l_shoulder": turn((-0.44, -0.9, 0), 72), "r_shoulder": turn((-0.44, 0.9, 0), 72)}
         | both("elbow", X, -105),
         "both arms raised": {"l_shoulder": turn((-0.67, 0.46, 0.58), 118),
                              "r_shoulder": turn((-0.67, -0.46, -0.58), 118)} | both("elbow", X, -59)}


class PersonFile:
    """Reads the person `NAME`; skips where its file was not made."""

    NAME = None

    @classmethod
    def setUpClass(cls):
        file = FOLDER / f"{cls.NAME}.glb"
        if not file.exists() or file.stat().st_size == 0:
            raise unittest.SkipTest(f"{file.name} was not made: PyPI or numpy was missing")
        cls.data = file.read_bytes()
        cls.person = Character(cls.data)
        cls.head = cls.person.meshes["head"]

    def head_points(self, **shapes):
        return self.person.posed("head", shapes)

    def lip_line(self):
        """The height of the lower lip's upper border at rest."""
        rest = self.head_points()
        drop = (self.head_points(jawOpen=1) - rest)[:, 1]
        return rest[(abs(rest[:, 0]) < 0.008) & (rest[:, 2] > 0.07) & (drop < -0.015), 1].max()

    def eye_seen(self, side, yaw, **shapes):
        """How many rays of a fine grid meet the eyeball before skin."""
        head = self.person.posed("head", shapes)
        ball = self.person.posed(f"eye_{side}", shapes)
        center = turned((ball.min(0) + ball.max(0))[None] / 2, yaw)[0]
        near = np.linalg.norm(head - ball.mean(0), axis=1) < 0.05
        skin = self.head.triangles[near[self.head.triangles].all(1)]
        points = np.concatenate([head, ball])
        triangles = np.concatenate([skin, self.person.meshes[f"eye_{side}"].triangles + len(head)])
        hit, _ = first_hits(turned(points, yaw), triangles, center[:2] - 0.016, center[:2] + 0.016,
                            0.0005)
        return int((hit >= len(skin)).sum())
