"""Paints the eyes: white, iris and pupil."""
import numpy as np

from mesh import smoothstep
from people import rgb

REACH_DEG = 66.0        # off the axis, that the picture shows
MIDDLE = 0.65           # power of the angle: gives the iris room, so that, blurred, it keeps its colour


def from_middle(angle_deg):
    """How far from the picture's middle an angle off the axis lies, 0 to 1 at its border."""
    return np.minimum(1.0, np.asarray(angle_deg) / REACH_DEG) ** MIDDLE


def paint_eye(person, size=256):
    """White, iris and pupil, seen from the front."""
    rng = np.random.default_rng(11)
    y, x = np.mgrid[0:size, 0:size]
    dx, dy = (x + 0.5) / size * 2 - 1, (y + 0.5) / size * 2 - 1
    r = np.hypot(dx, dy) ** (1 / MIDDLE) * REACH_DEG      # degrees off the axis
    a = np.arctan2(dy, dx)
    iris_r, pupil_r = 29.0, 12.5
    white = np.array([0.90, 0.882, 0.87])
    color = np.ones((size, size, 3)) * white
    color -= smoothstep(30, 64, r)[..., None] * np.array([0.12, 0.20, 0.20])
    iris = np.array(rgb(person.eye_rgb))
    fibres = sum(np.sin(a * n + rng.uniform(0, 6.28)) * s
                 for n, s in ((17, 0.3), (29, 0.3), (43, 0.25), (61, 0.25)))
    t = np.clip(r / iris_r, 0, 1)
    down = np.clip(np.sin(a) * r / iris_r, -1, 1)
    bright = 0.92 + 0.10 * fibres * smoothstep(0.35, 0.65, t) * smoothstep(1.0, 0.8, t)
    bright *= 0.92 + 0.52 * np.sin(down * np.pi / 2)     # the upper lid's shadow, and what it leaves
    # Light that comes in from above gathers in the lower half.
    glow = np.exp(-((t - 0.62) / 0.20) ** 2) * smoothstep(-0.05, 0.65, down)
    depth = 1 - 0.45 * smoothstep(0.62, 0.38, t) - 0.78 * smoothstep(0.74, 0.98, t)
    tone = 0.86 * iris * (bright * depth)[..., None]
    tone += (0.38 * iris + [0.05, 0.045, 0.03]) * (glow * depth)[..., None]
    inside = smoothstep(iris_r + 1.6, iris_r - 0.8, r)[..., None]
    color = color * (1 - inside) + tone * inside
    pupil = smoothstep(pupil_r + 1.2, pupil_r - 0.6, r)[..., None]
    color = color * (1 - pupil) + np.array([0.015, 0.012, 0.012]) * pupil
    return np.round(np.clip(color, 0, 1) * 255).astype(np.uint8)
