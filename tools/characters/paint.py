"""Paints the skin of the head.

The head has a cylindrical map of its own in which the face takes three quarters of the width. Each
texel knows the point of the face that it lies on, so lips, cheeks, brows, lids and stubble are
painted where they are in space, by functions of that point, and stay sharp at any density of mesh.
Hollows are darkened in the colours of the points instead, which multiply.
"""
import numpy as np

from features import paint_brows, paint_lids, paint_lips
from mesh import Smoother, normals_of, smoothstep, triangles_of
from people import linear, rgb
from raster import cells, foremost, noise

SIZE = 1024
FLAT_V = 0.985          # below: plain skin, for hands


def unwrap(head):
    """Texture coordinates of the head; splits it at the back."""
    part = head.part
    p = part.points
    top, bottom = p[:, 1].max(), p[:, 1].min()
    part.extra["same"] = np.arange(len(p)).astype(float)
    angle = np.arctan2(p[:, 0], p[:, 2] + 0.03)
    t = abs(angle) / np.pi
    aside = np.where(t < 0.5, 1.4 * t, 0.7 + 0.6 * (t - 0.5))
    part.uv = np.stack([0.5 + 0.5 * np.sign(angle) * aside,
                        FLAT_V * (top - p[:, 1]) / (top - bottom)], axis=1)
    u = part.uv[part.faces][:, :, 0]
    torn = u.max(1) - u.min(1) > 0.5
    wrong = np.unique(part.faces[torn][u[torn] < 0.5])
    first = part.append_copies(wrong)
    new = dict(zip(wrong.tolist(), range(first, first + len(wrong))))
    part.uv[first:, 0] += 1
    part.faces[torn] = [[new.get(int(i), int(i)) for i in face] for face in part.faces[torn]]
    part.uv[:, 0] = 0.03 + 0.94 * part.uv[:, 0]
    part.uv[:, 0] = np.clip(part.uv[:, 0], 0, 1)


def bake(part, values, size, faces):
    """(size, size, k): values by point, spread over the map by `faces`; and which texels have any.
    Where the map folds (ears, nostrils), what lies outermost stays."""
    tris = triangles_of(faces)
    cell, tri, share = cells(part.uv[tris] * size - 0.5, (size, size), 0.02)
    z = (share * part.points[tris[tri], 2]).sum(1)
    best = foremost(cell, z)
    out = np.zeros((size * size, values.shape[1]))
    filled = np.zeros(size * size, bool)
    out[cell[best]] = np.einsum("nk,nkc->nc", share[best], values[tris[tri[best]]])
    filled[cell[best]] = True
    return out.reshape(size, size, -1), filled.reshape(size, size)


def hollows(part):
    """Shade of each point, 0 to 1: less light where the skin is hollow."""
    p = part.points
    normal = normals_of(p, part.faces)
    smooth = Smoother(part.faces, len(p))
    shade = np.ones(len(p))
    for times, reach, most in ((6, 0.0014, 0.28), (24, 0.0042, 0.30)):
        lift = ((smooth.run(p, times) - p) * normal).sum(1)
        shade *= 1 - most * np.clip(smooth.run(lift, 2) / reach, 0, 1)
    return shade


def redden(head, person):
    """Gives the inside of the mouth, which shares its place on the map with the lips, its red."""
    part = head.part
    mouth = part.extra["inside"] * smoothstep(head.lip_line_y + 0.016, head.lip_line_y + 0.012,
                                              part.points[:, 1])
    depth = smoothstep(0.075, 0.015, part.points[:, 2])
    red = np.array([0.42, 0.13, 0.12]) / np.array(linear(person.skin_color)) * 0.95
    red = np.minimum(red, 1) * (1 - 0.60 * depth[:, None])
    part.colors += mouth[:, None] * (red - part.colors)


def blob(p, center, spread):
    return np.exp(-(((p - np.array(center)) / np.array(spread)) ** 2).sum(-1))


def grain(rng, size, cells):
    """Smooth noise of -1 to 1 over a picture, so many cells wide and high."""
    at = np.linspace(0, cells, size, endpoint=False)
    return noise(rng, (cells, cells + 1), at[None], at[:, None])


class Canvas:
    """The picture of a head while it is painted: each texel's colour, and where on the head it
    lies (`p`, and `q` with both sides as the left one), metres."""

    def __init__(self, head, size):
        part = head.part
        values = np.hstack([part.points, part.extra["upper"][:, None],
                            part.extra["lower"][:, None]])
        # Inside of the mouth the map folds onto the lips.
        outer = part.faces[part.extra["inside"][part.faces].max(1) == 0]
        baked = fill(*bake(part, values, size, outer))
        self.p, self.upper, self.lower = baked[..., :3], baked[..., 3], baked[..., 4]
        self.ax = np.abs(self.p[..., 0])
        self.q = np.stack([self.ax, self.p[..., 1], self.p[..., 2]], axis=-1)
        self.color = np.ones((size, size, 3))
        self.size = size

    def mix(self, tint, amount):
        """Towards a tint by an amount of 0 to 1 for each texel."""
        self.color += amount[..., None] * (np.array(tint) - self.color)

    def near(self, point, reach):
        """The part of the picture, two slices, that holds all texels within a reach of a point."""
        close = (np.abs(self.p - point) < reach).all(-1)
        rows, columns = np.nonzero(close.any(1))[0], np.nonzero(close.any(0))[0]
        return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def paint_head(head, person, hairline, size=SIZE):
    """The picture (size, size, 3) uint8. `hairline(points)` is positive where hair grows."""
    canvas = Canvas(head, size)
    p, q, mix = canvas.p, canvas.q, canvas.mix
    rng = np.random.default_rng(7)
    base = np.array(rgb(person.skin_color))
    canvas.color *= base
    eye, _ = head.eyes["l"]
    mouth = head.lip_line_y
    red = (0.42 * blob(q, [0.046, (eye[1] + mouth) / 2 - 0.002, 0.055], [0.022, 0.017, 0.05])
           + 0.20 * blob(q, [0, mouth + 0.027, 0.10], [0.014, 0.011, 0.03])
           + 0.12 * blob(q, [0, mouth - 0.032, 0.08], [0.022, 0.014, 0.04])
           + 0.25 * blob(q, [0.078, eye[1] - 0.012, -0.015], [0.02, 0.035, 0.035]))
    mix(base * [1.03, 0.78, 0.74], np.clip(red * (1.15 if person.sex == "woman" else 0.8), 0, 1))
    mix(base * [1.03, 1.03, 1.02], 0.5 * blob(q, [0, eye[1] + 0.055, 0.08], [0.04, 0.025, 0.05]))
    canvas.color *= (1 + 0.006 * grain(rng, size, 64))[..., None]
    if person.stubble:
        stubble(canvas, head, person, base, rng)
    paint_lips(canvas, head, person, base)
    paint_lids(canvas, head, person, base)
    paint_brows(canvas, head, person, rng)
    ragged = hairline(p) + 0.0012 * grain(rng, size, 200)
    scalp = np.array(rgb(person.hair_rgb)) * 0.55 + base * 0.1
    mix(scalp, smoothstep(-0.005, 0.007, ragged))
    canvas.color[int(np.ceil(FLAT_V * size)):] = base * [0.99, 0.94, 0.93]
    return np.round(np.clip(canvas.color, 0, 1) * 255).astype(np.uint8)


def stubble(canvas, head, person, base, rng):
    mouth, ax, q = head.lip_line_y, canvas.ax, canvas.q
    # Up to the nose in the middle, past the mouth's corners, and up to the ears.
    top = (mouth + 0.001 + 0.015 * smoothstep(0.030, 0.014, ax)
           + 0.050 * smoothstep(0.042, 0.076, ax))
    beard = (smoothstep(top + 0.013, top - 0.015, q[..., 1])
             * smoothstep(-0.045, 0.035, q[..., 2]) * smoothstep(1.487, 1.512, q[..., 1]))
    grain = 0.96 + 0.04 * rng.uniform(-1, 1, ax.shape)
    canvas.mix(base * [0.53, 0.52, 0.54], 0.42 * person.stubble * beard * grain)


def fill(values, filled, rounds=24):
    """Spreads values into the texels beside them, so that filtering finds no edge."""
    for _ in range(rounds):
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
            new = np.roll(filled, step, axis) & ~filled
            at = list(np.nonzero(new))
            from_ = at.copy()
            from_[axis] = (at[axis] - step) % filled.shape[axis]
            values[tuple(at)] = values[tuple(from_)]
            filled = filled | new
    return values
