"""Paints the skin of the head, and the eyes.

The head has a cylindrical map of its own in which the face takes three quarters of the width. Each
texel knows the point of the face that it lies on, so lips, cheeks, brows, lids and stubble are
painted where they are in space, by functions of that point, and stay sharp at any density of mesh.
Hollows are darkened in the colours of the points instead, which multiply.
"""
import numpy as np

from mesh import Smoother, normals_of, smoothstep, triangles_of
from people import linear, rgb

SIZE = 768
EYE_REACH = 66.0        # degrees off the axis that the picture of an eye shows
FLAT_V = 0.985          # below: plain skin, for hands


def unwrap(head):
    """Texture coordinates of the head; splits it at the back."""
    part = head.part
    p = part.points
    head.top, head.bottom = p[:, 1].max(), p[:, 1].min()
    part.extra["same"] = np.arange(len(p)).astype(float)
    angle = np.arctan2(p[:, 0], p[:, 2] + 0.03)
    t = abs(angle) / np.pi
    aside = np.where(t < 0.5, 1.4 * t, 0.7 + 0.6 * (t - 0.5))
    part.uv = np.stack([0.5 + 0.5 * np.sign(angle) * aside,
                        FLAT_V * (head.top - p[:, 1]) / (head.top - head.bottom)], axis=1)
    u = part.uv[part.faces][:, :, 0]
    torn = u.max(1) - u.min(1) > 0.5
    wrong = np.unique(part.faces[torn][u[torn] < 0.5])
    first = part.append_copies(wrong)
    new = dict(zip(wrong.tolist(), range(first, first + len(wrong))))
    part.uv[first:, 0] += 1
    part.faces[torn] = [[new.get(int(i), int(i)) for i in face] for face in part.faces[torn]]
    part.uv[:, 0] = 0.03 + 0.94 * part.uv[:, 0]
    part.uv[:, 0] = np.clip(part.uv[:, 0], 0, 1)


def bake(part, values, size):
    """(size, size, k): values by point, spread over the map; and which texels have any."""
    out = np.zeros((size, size, values.shape[1]))
    filled = np.zeros((size, size), bool)
    tris = triangles_of(part.faces)
    corners = part.uv[tris] * size - 0.5
    for tri, uv in zip(tris, corners):
        low = np.maximum(np.floor(uv.min(0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(uv.max(0)).astype(int) + 2, size)
        if (high <= low).any():
            continue
        (ax, ay), (bx, by), (cx, cy) = uv
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9:
            continue
        x, y = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
        wb = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
        wc = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
        wa = 1 - wb - wc
        hit = (wa > -0.02) & (wb > -0.02) & (wc > -0.02)
        mixed = (wa[hit][:, None] * values[tri[0]] + wb[hit][:, None] * values[tri[1]]
                 + wc[hit][:, None] * values[tri[2]])
        # Where the map folds (ears, nostrils), what lies outermost stays.
        ys, xs = y[hit], x[hit]
        old = filled[ys, xs] & (out[ys, xs, 2] > mixed[:, 2])
        out[ys[~old], xs[~old]] = mixed[~old]
        filled[ys, xs] = True
    return out, filled


def hollows(part, same):
    """Shade of each point, 0 to 1: less light where the skin is hollow."""
    p = part.points
    normal = normals_of(p, part.faces, same)
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
    depth = smoothstep(0.085, 0.02, part.points[:, 2])
    red = np.array([0.42, 0.13, 0.12]) / np.array(linear(person.skin_color)) * 0.55
    red = np.minimum(red, 1) * (1 - 0.75 * depth[:, None])
    part.colors += mouth[:, None] * (red - part.colors)


def blob(p, center, spread):
    return np.exp(-(((p - np.array(center)) / np.array(spread)) ** 2).sum(-1))


def noise(rng, size, cells):
    """Smooth noise of -1 to 1, periodic across."""
    grid = rng.uniform(-1, 1, (cells + 1, cells))
    y = np.linspace(0, cells, size, endpoint=False)
    x = y
    iy, ix = y.astype(int), x.astype(int)
    ty, tx = smoothstep(0, 1, y - iy)[:, None], smoothstep(0, 1, x - ix)[None]
    a, b = grid[iy][:, ix % cells], grid[iy][:, (ix + 1) % cells]
    c, d = grid[iy + 1][:, ix % cells], grid[iy + 1][:, (ix + 1) % cells]
    return (a * (1 - tx) + b * tx) * (1 - ty) + (c * (1 - tx) + d * tx) * ty


def paint_head(head, person, hairline, size=SIZE):
    """The picture (size, size, 3) uint8. `hairline(points)` is positive where hair grows."""
    part = head.part
    part_values = np.hstack([part.points, part.extra["upper"][:, None],
                             part.extra["lower"][:, None], part.extra["inside"][:, None]])
    baked, filled = bake(part, part_values, size)
    baked = fill(baked, filled)
    p, upper, lower, inside = baked[..., :3], baked[..., 3], baked[..., 4], baked[..., 5]
    rng = np.random.default_rng(7)
    base = np.array(rgb(person.skin_color))
    warm = np.array([0.83, 0.30, 0.24])
    color = np.ones((size, size, 3)) * base
    ax = np.abs(p[..., 0])
    q = np.stack([ax, p[..., 1], p[..., 2]], axis=-1)
    eye, _ = head.eyes["l"]
    mouth = head.lip_line_y

    def mix(tint, amount):
        nonlocal color
        color = color + amount[..., None] * (np.array(tint) - color)

    red = (0.30 * blob(q, [0.043, (eye[1] + mouth) / 2 - 0.004, 0.055], [0.024, 0.020, 0.05])
           + 0.22 * blob(q, [0, mouth + 0.027, 0.10], [0.016, 0.012, 0.03])
           + 0.16 * blob(q, [0, mouth - 0.032, 0.08], [0.022, 0.014, 0.04])
           + 0.25 * blob(q, [0.078, eye[1] - 0.012, -0.015], [0.02, 0.035, 0.035]))
    mix(base * [1.02, 0.78, 0.74], np.clip(red * (1.25 if person.sex == "woman" else 1.0), 0, 1))
    mix(base * [1.03, 1.03, 1.02], 0.5 * blob(q, [0, eye[1] + 0.055, 0.08], [0.04, 0.025, 0.05]))
    mix(base * [0.90, 0.80, 0.80], 0.55 * blob(q, [eye[0], eye[1] - 0.012, eye[2] + 0.015],
                                               [0.018, 0.008, 0.02]))
    mix(base * [0.93, 0.82, 0.78], 0.6 * blob(q, [eye[0], eye[1] + 0.009, eye[2] + 0.015],
                                              [0.021, 0.007, 0.02]))
    mottle = 0.6 * noise(rng, size, 48) + 0.4 * noise(rng, size, 160)
    color *= (1 + 0.018 * mottle)[..., None]
    if person.stubble:
        beard = (smoothstep(mouth + 0.019, mouth + 0.008, q[..., 1])
                 * smoothstep(-0.03, 0.03, p[..., 2]) * smoothstep(1.487, 1.512, q[..., 1])
                 * (1 - 0.75 * blob(q, [0.034, mouth + 0.022, 0.07], [0.016, 0.018, 0.05])))
        sideburn = smoothstep(0.052, 0.066, ax) * blob(q, [0.07, mouth + 0.05, 0.01],
                                                       [0.02, 0.04, 0.018])
        dots = rng.uniform(0, 1, (size // 2, size // 2)).repeat(2, 0).repeat(2, 1)
        grain = np.where(dots > 0.55, 1.0, 0.45)
        mix(base * [0.52, 0.50, 0.52], 0.42 * person.stubble * np.clip(beard + 0.8 * sideburn, 0, 1)
            * grain)
    lips = np.maximum(smoothstep(0.10, 0.30, upper), smoothstep(0.16, 0.36, lower))
    lips *= smoothstep(0.031, 0.027, ax)
    corner = head.mouth_corner
    reach = np.clip(1 - (ax / corner) ** 2, 0, 1)
    rise = q[..., 1] - head.seam_y(ax)
    band = np.where(rise > 0, 0.0042, 0.0050) * reach ** 0.8 + 0.0007
    near = smoothstep(1.25, 0.75, abs(rise) / band) * smoothstep(corner, corner - 0.002, ax)
    lips = np.maximum(lips, near * (p[..., 2] > 0.03))
    line = np.sin(q[..., 0] * 5200 + 2 * noise(rng, size, 96)) * 0.03
    dark = np.clip(1.25 - base.mean() / 0.62, 0, 0.85)       # lips of dark skin are nearer to it
    lip = np.array(rgb(person.lips)) * 0.75 + base * 0.25
    lip += dark * (base * [1.05, 0.72, 0.70] - lip)
    mix(lip, 0.85 * lips)
    color *= (1 + (line + 0.04 * noise(rng, size, 128)) * lips)[..., None]
    seam = np.exp(-(rise / 0.0015) ** 2) * lips
    mix(lip * 0.62, 0.6 * seam)
    nostril = smoothstep(mouth + 0.012, mouth + 0.016, q[..., 1])
    mix(np.array([0.42, 0.14, 0.13]), np.clip(inside * 1.6, 0, 1) * (1 - nostril))
    for side in "lr":
        center, r = head.eyes[side]
        d = np.linalg.norm(p - center, axis=-1)
        rim = smoothstep(1.10 * r, 1.02 * r, d)
        tint = warm * 0.5 + base * 0.4
        mix(tint, 0.55 * rim * (p[..., 2] > center[2]))
        line_of = head.lash_lines[side]
        near = np.min([np.sqrt(((p - point) ** 2).sum(-1)) for point in line_of], axis=0)
        mix(base * [0.25, 0.18, 0.16], (0.8 if person.sex == "woman" else 0.5)
            * smoothstep(0.0021, 0.0008, near))
    color = brows(color, p, head, person, rng)
    hair = hairline(p)
    ragged = hair + 0.003 * noise(rng, size, 64) + 0.003 * noise(rng, size, 200)
    scalp = np.array(rgb(person.hair_rgb)) * 0.55 + base * 0.1
    mix(scalp, smoothstep(-0.004, 0.010, ragged))
    color[int(np.ceil(FLAT_V * size)):] = base * [0.99, 0.94, 0.93]
    return np.round(np.clip(color, 0, 1) * 255).astype(np.uint8)


def fill(values, filled, rounds=24):
    """Spreads values into the texels beside them, so that filtering finds no edge."""
    for _ in range(rounds):
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
            moved, there = np.roll(values, step, axis), np.roll(filled, step, axis)
            new = there & ~filled
            values[new] = moved[new]
            filled = filled | new
    return values


def brows(color, p, head, person, rng):
    """Strokes along an arch above each eye, drawn on the texels they pass."""
    man = person.sex == "man"
    ink = np.array(rgb(person.hair_rgb)) * (0.55 if not man else 0.62)
    density = np.zeros(color.shape[:2])
    eye, _ = head.eyes["l"]
    for out in (1, -1):
        x = (p[..., 0] * out - eye[0] - 0.002) / 0.0225     # -1 at the inner end, 1 at the outer
        y = p[..., 1] - eye[1] - (0.0160 if not man else 0.0140)
        arch = (0.0062 if not man else 0.0040) * (1 - ((x - 0.35) / 1.25) ** 2)
        arch = arch - (0.0040 if not man else 0.0030) * smoothstep(0.35, 1.15, x)
        thick = (0.0031 if not man else 0.0042) * smoothstep(1.15, 0.0, x) ** 0.7 + 0.0005
        d = (y - arch) / thick
        # Hairs lean outwards, and upwards at the inner end.
        lean = 1.6 * smoothstep(0.3, -1.0, x) + 0.35
        phase = (x * 0.0225 - y / (0.35 + lean)) * 4700 + 6 * np.sin(x * 7) + 2.0 * d
        hairs = 0.66 + 0.34 * np.sin(phase)
        uneven = 1 + 0.12 * np.sin(phase * 0.37)
        inside = (smoothstep(1.25 * uneven, 0.45, abs(d)) * smoothstep(-1.12, -0.80, x)
                  * smoothstep(1.16, 1.0, x) * (p[..., 2] > 0))
        density = np.maximum(density, inside * hairs)
    rough = 0.9 + 0.1 * rng.uniform(-1, 1, density.shape)
    density = np.clip(density * rough, 0, 1) * (0.88 if not man else 0.86)
    return color + density[..., None] * (ink - color)


def paint_eye(person, size=256):
    """White, iris and pupil, seen from the front."""
    rng = np.random.default_rng(11)
    y, x = np.mgrid[0:size, 0:size]
    dx, dy = (x + 0.5) / size * 2 - 1, (y + 0.5) / size * 2 - 1
    r = np.hypot(dx, dy) * EYE_REACH          # degrees off the axis
    a = np.arctan2(dy, dx)
    iris_r, pupil_r = 22.5, 8.2
    white = np.array([0.90, 0.875, 0.855])
    color = np.ones((size, size, 3)) * white
    veins = smoothstep(30, 66, r)[..., None] * np.array([0.0, 0.16, 0.16])
    color -= veins
    iris = np.array(rgb(person.eye_rgb))
    fibres = sum(np.sin(a * n + rng.uniform(0, 6.28)) * s
                 for n, s in ((17, 0.3), (29, 0.3), (43, 0.25), (61, 0.25)))
    t = np.clip(r / iris_r, 0, 1)
    bright = 1.15 + 0.30 * fibres * smoothstep(0.25, 0.6, t)
    bright += 0.25 * np.exp(-((t - 0.5) / 0.16) ** 2)
    bright *= 1 - 0.55 * smoothstep(0.80, 1.0, t)
    bright *= 1 + 0.35 * dy                    # light falls in from above, onto the lower half
    tone = iris * bright[..., None]
    tone += np.array([0.06, 0.035, 0.0]) * np.exp(-((t - 0.42) / 0.12) ** 2)[..., None]
    inside = smoothstep(iris_r + 1.6, iris_r - 0.8, r)[..., None]
    color = color * (1 - inside) + tone * inside
    pupil = smoothstep(pupil_r + 1.2, pupil_r - 0.6, r)[..., None]
    color = color * (1 - pupil) + np.array([0.015, 0.012, 0.012]) * pupil
    return np.round(np.clip(color, 0, 1) * 255).astype(np.uint8)
