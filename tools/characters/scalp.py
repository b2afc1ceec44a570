"""The head as hair sees it: how far the skin is from a centre, and where hair grows."""
import numpy as np

CENTER = np.array([0.0, 1.655, -0.025])
# Where hair ends, long or short, by the angle from the front in degrees: height over the eyes in metres.
LINES = {"long": ((0, 30, 48, 60, 70, 80, 97, 112, 126, 180),
                  (0.072, 0.068, 0.052, 0.034, 0.024, 0.020, 0.024, -0.004, -0.058, -0.092)),
         "short": ((0, 16, 30, 42, 52, 60, 66, 70, 74, 80, 86, 92, 101, 110, 124, 140, 158, 180),
                   (0.070, 0.0685, 0.063, 0.055, 0.046, 0.038, 0.026, 0.004, -0.016, -0.024, -0.010,
                    0.012, 0.018, 0.002, -0.042, -0.066, -0.079, -0.084))}


def unit(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


class Scalp:
    """The head as a distance by direction, and the hairline."""

    def __init__(self, head, length):
        p = head.part.points
        self.eye_y = head.eyes["l"][0][1]
        self._line = LINES[length]
        ears = (abs(p[:, 0]) > 0.0735) & (p[:, 1] < self.eye_y + 0.02)
        use = ~head.inside & (p[:, 1] > 1.50) & ~ears
        way = p[use] - CENTER
        self._far = np.linalg.norm(way, axis=1)
        self._way = way / self._far[:, None]

    def radius(self, direction):
        """Distance of the skin from the centre, for unit directions (..., 3)."""
        near = np.exp(60 * (direction @ self._way.T - 1))
        return (near @ self._far) / near.sum(-1)

    def line_height(self, angle, line=None):
        """Height of the hairline, or of another line like it, over the eyes, by the angle from the
        front in radians."""
        return np.interp(np.degrees(np.abs(angle)), *(line or self._line))

    def inside_line(self, points):
        """Metres that points (..., 3) lie above the hairline."""
        angle = np.arctan2(points[..., 0], points[..., 2] + 0.03)
        return points[..., 1] - self.eye_y - self.line_height(angle)

    def on_line(self, angle, above=0.0, line=None):
        """Unit directions from the centre to the skin at the hairline (or another `line` like it), or
        so far `above` it, at angles (n,) from the front."""
        angle = np.asarray(angle, float)
        height = self.line_height(angle, line) + self.eye_y + above
        out = np.stack([np.sin(angle), np.zeros_like(angle), np.cos(angle)], axis=-1)
        reach = np.full(angle.shape, 0.09)
        for _ in range(8):                        # the skin is that far from the axis there
            place = out * reach[..., None] + np.array([0, 0, -0.03]) * [0, 0, 1]
            place[..., 1] = height
            way = place - CENTER
            far = np.linalg.norm(way, axis=-1)
            reach = reach * (self.radius(way / far[..., None]) / far)
            reach = np.clip(reach, 0.02, 0.14)
        place = out * reach[..., None] + np.array([0, 0, -0.03])
        place[..., 1] = height
        return unit(place - CENTER)


def between(start, end, t):
    """Points of great circles from unit directions (n, 3) to (n, 3), at shares (k,): (n, k, 3)."""
    swing = np.arccos(np.clip((start * end).sum(-1), -1, 1))[:, None, None]
    t = t[None, :, None]
    return (np.sin((1 - t) * swing) * start[:, None] + np.sin(t * swing) * end[:, None]) / np.sin(swing)


def even(paths, count, rounds=6):
    """Paths (n, k, 3), smoothed and with `count` points at even distances."""
    paths = paths.copy()
    for _ in range(rounds):
        paths[:, 1:-1] += 0.5 * (0.5 * (paths[:, :-2] + paths[:, 2:]) - paths[:, 1:-1])
    out = np.empty((len(paths), count, 3))
    for path, made in zip(paths, out):
        way = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        at = np.linspace(0, way[-1], count)
        for k in range(3):
            made[:, k] = np.interp(at, way, path[:, k])
    return out

