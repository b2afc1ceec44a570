"""Locks of hair: closed shapes that follow a field of strands, round across and blunt at the end.

A field is a function that gives paths (n, k, 3) and outward directions (n, k, 3) for places (n,)
along the hairline. A lock takes several neighbours of the field, so that it bends and widens as the
strands do, and lifts them to a lens whose edges sink into the layer below. A sheet is the layer
below: a closed surface over all strands.
"""
import numpy as np

from mesh import Part, normals_of
from scalp import unit

TOP_Y, TIP_Y = 1.775, 1.485      # heights that the picture of the strands spans
LEVEL = 0.3                      # of the way of a level strand, how much v takes for height


def along_picture(points):
    """Where on the picture of the strands a height lies, 0 at the top of the head."""
    return np.clip((TOP_Y - points[..., 1]) / (TOP_Y - TIP_Y), 0.004, 0.996)


def along_strands(paths):
    """Where on the picture the points of a strand (k, 3) lie: as their heights do, but onwards where
    the strand is level, so that v shows its way. Of several strands (n, k, 3), their mean."""
    paths = paths.reshape(-1, *paths.shape[-2:])
    step = np.diff(paths, axis=1)
    down, far = -step[..., 1].mean(0), np.linalg.norm(step, axis=-1).mean(0)
    way = 1 if down.sum() > 0 else -1
    onwards = np.maximum(way * down, LEVEL * far)
    begin, end = along_picture(paths[:, 0]).mean(), along_picture(paths[:, -1]).mean()
    least = LEVEL * far.sum() / (TOP_Y - TIP_Y)
    if abs(end - begin) < least:
        end = begin + (least if begin < 0.5 else -least)
    share = np.concatenate([[0], np.cumsum(onwards)]) / onwards.sum()
    return begin + (end - begin) * share


class Surface:
    """Collects grids of points into one part."""

    def __init__(self):
        self.points, self.faces, self.normals = [], [], []
        self.tones, self.uv, self.free = [], [], []
        self._count = 0

    def grid(self, points, tone, u, v=None, free=None, turn=False, out=None,
             flat=None):
        """Adds points (n, k, 3), with tone, u and v (n, k) or what spreads to that. `free` says how
        loose each point is, 0 to 1; of a tail 2 to 3. Faces look to the left of a walk along k, seen with n to the
        right; `turn` has them look the other way. Normals are mixed with `out` (n, k, 3) by `flat`,
        0 to 1."""
        n, k = points.shape[:2]
        a = self._count + np.arange(n * k).reshape(n, k)
        faces = np.stack([a[:-1, :-1], a[:-1, 1:], a[1:, 1:], a[1:, :-1]], axis=2).reshape(-1, 4)
        faces = faces[:, ::-1] if turn else faces
        normals = normals_of(points.reshape(-1, 3), faces - self._count).reshape(points.shape)
        if out is not None:
            normals = unit(normals * (1 - flat) + out * flat)
        spread = lambda value: np.broadcast_to(value, (n, k)).reshape(-1)
        self.points.append(points.reshape(-1, 3))
        self.faces.append(faces)
        self.normals.append(normals.reshape(-1, 3))
        self.tones.append(spread(tone))
        v = along_picture(points) if v is None else v
        self.uv.append(np.stack([spread(u), spread(v)], axis=1))
        self.free.append(spread(0.0 if free is None else free))
        self._count += n * k

    def part(self, name):
        tones = np.clip(np.concatenate(self.tones), 0, 1)
        out = Part(name, "hair", np.concatenate(self.points), np.concatenate(self.faces),
                   colors=np.repeat(tones[:, None], 3, axis=1),
                   uv=np.clip(np.concatenate(self.uv), 0, 1),
                   extra={"normals": np.concatenate(self.normals),
                          "free": np.concatenate(self.free)})
        # Quads that have shrunk to nothing, at whorls and tips, fall away.
        p = out.points[out.faces]
        area = np.linalg.norm(np.cross(p[:, 2] - p[:, 0], p[:, 3] - p[:, 1]), axis=1)
        return out.keep_faces(area > 1e-8)


def lock(surface, field, s, half, taper, bow, lift, tone, u, turn=False, free=None, edge=0.62,
         span=0.055, across=5):
    """A lock round the strand at `s`, `half` as wide to each side in the field's own measure.

    `taper` (k,) narrows it along its way, 1 full; `bow` (k,) is how high its middle is over its
    edges in metres, `lift` (k,) how high its edges are over the field; `tone` (k,) its shade."""
    q = np.linspace(-1, 1, across)
    paths, out = field(s + q * half)
    middle, _ = field(np.array([s]))
    paths = middle + (paths - middle) * taper[None, :, None]
    rise = lift + bow * np.sqrt(1 - q[:, None] ** 2)
    points = paths + out * rise[..., None]
    shade = tone * (edge + (1 - edge) * (1 - np.abs(q[:, None]) ** 2.2))
    # Towards its edges it is lit as the layer below, so that they do not shine.
    flat = (0.25 + 0.6 * np.abs(q) ** 3)[:, None, None]
    surface.grid(points, shade, u + span * q[:, None], along_strands(middle), turn=turn, free=free,
                 out=out, flat=flat)


def rounded(t, begin=0.80, end=0.34):
    """The width of a lock along its way: full, and blunt at its end."""
    x = np.clip((t - begin) / (1 - begin), 0, 1)
    return np.where(t < begin, 1.0, end + (1 - end) * np.sqrt(np.maximum(1 - x ** 2, 0)))


def pointed(t, begin=0.5, end=0.06):
    """The width of a lock along its way: full, and narrowing to a fine end."""
    x = np.clip((t - begin) / (1 - begin), 0, 1)
    return end + (1 - end) * (1 - x ** 2) ** 0.7
