"""Eyes and lashes.

An eyeball is the front of a ball with a cornea that bulges a little, under a round picture of
white, iris and pupil; its low roughness gives it its highlight. It turns with its joint and with
the shapes of looking. Lashes are thin blades that grow out of the lids' edges and follow the skin.
"""
import numpy as np

from iris import from_middle
from mesh import Part, smoothstep, triangles_of
from raster import depth_map
from rotations import look

UP, DOWN, ASIDE = np.radians([24, 25, 34])
RINGS, AROUND = 11, 22
BULGE = 0.04            # of the cornea, in radii
REACH = (0.9, 2.0)      # radii about an eye that grow with it: whole, and not at all
LASH_LINE_M = 0.0014     # height of the dark band on an upper lid, at least
TOE_IN = np.radians(1.8)    # at rest: looks into eyes a metre away, not past them


def fit_eye(fitted, side):
    """Centre and radius of the ball that the data's hemisphere lies on."""
    points = fitted.points[np.unique(fitted.quads[f"helper-{side}-eye"][0])]
    rows = np.hstack([2 * points, np.ones((len(points), 1))])
    x = np.linalg.lstsq(rows, (points ** 2).sum(1), rcond=None)[0]
    return x[:3], float(np.sqrt(x[3] + x[:3] @ x[:3]))


def enlarge(fitted, factor):
    """Grows the eyes, with lids and all around them, by a factor about each eyeball's centre, in
    place; what lies two radii away stays. Gives the balls by side as `fit_eye` does. How much each
    point's surroundings have grown is kept as `fitted.growth` (n,)."""
    fitted.growth = np.ones(len(fitted.points))
    balls = {side: fit_eye(fitted, side) for side in "lr"}
    for center, radius in balls.values():
        way = fitted.points - center
        far = np.linalg.norm(way, axis=1) / radius
        fitted.growth *= 1 + (factor - 1) * smoothstep(REACH[1], REACH[0], far)
    for center, radius in balls.values():
        near = np.linalg.norm(fitted.points - center, axis=1) < REACH[1] * radius
        near &= fitted.points[:, 0] * center[0] > 0
        fitted.points[near] = center + (fitted.points[near] - center) * fitted.growth[near, None]
    return {side: (center, radius * factor) for side, (center, radius) in balls.items()}


def eyeball(side, center, radius, rig):
    # Rings are dense where the iris is: a third of the way.
    t = np.linspace(0, 1, RINGS) ** 1.15
    polar = t * np.radians(96)
    rows, uv = [[0, 0, 1]], [[0.5, 0.5]]
    for angle in polar[1:]:
        for k in range(AROUND):
            a = 2 * np.pi * k / AROUND
            rows.append([np.sin(angle) * np.cos(a), np.sin(angle) * np.sin(a), np.cos(angle)])
            spread = 0.5 * float(from_middle(np.degrees(angle)))
            uv.append([0.5 + spread * np.cos(a), 0.5 - spread * np.sin(a)])
    unit = np.array(rows)
    off_axis = np.arccos(np.clip(unit[:, 2], -1, 1))
    bulge = BULGE * (1 - smoothstep(np.radians(8), np.radians(34), off_axis))
    tucked = 1 - 0.06 * smoothstep(np.radians(52), np.radians(78), off_axis)    # under the skin
    out = 1 if side == "l" else -1
    points = center + radius * (unit * (tucked + bulge)[:, None]) @ look(-out * TOE_IN, 0).T
    faces = [[0, 1 + k, 1 + (k + 1) % AROUND, 1 + (k + 1) % AROUND] for k in range(AROUND)]
    for r in range(RINGS - 2):
        a, b = 1 + r * AROUND, 1 + (r + 1) * AROUND
        faces += [[a + k, b + k, b + (k + 1) % AROUND, a + (k + 1) % AROUND]
                  for k in range(AROUND)]
    weights = np.zeros((len(points), len(rig)))
    weights[:, rig.index[side + "_eyeball_joint"]] = 1
    part = Part("eye_" + side, "eye", points, np.array(faces), weights, uv=np.array(uv))
    # Shade of the upper lid and of the corners.
    y = (points[:, 1] - center[1]) / radius
    x = (points[:, 0] - center[0]) / radius
    shade = 1 - 0.45 * smoothstep(0.12, 0.55, y) - 0.45 * smoothstep(0.35, 0.85, abs(x))
    part.colors = np.stack([shade, shade * 0.985, shade * 0.97], axis=1)
    name = "Left" if side == "l" else "Right"
    looks = {"Up": (0, -UP), "Down": (0, DOWN), "Out": (out * ASIDE, 0), "In": (-out * ASIDE, 0)}
    for way, (yaw, pitch) in looks.items():
        turned = (points - center) @ look(yaw, pitch).T + center
        part.targets[f"eyeLook{way}{name}"] = turned - points
    return part


def lid_edges(head, side, step=0.0004):
    """The edges of the upper and the lower lid, each (k, 3) from the inner corner to the outer:
    where, seen from the front, skin begins to cover the eyeball."""
    center, radius = head.eyes[side]
    part = head.part
    near = np.linalg.norm(part.points - center, axis=1) < 2.2 * radius
    faces = part.faces[near[part.faces].all(1)]
    low = center[:2] - [1.1 * radius, 0.8 * radius]
    depth = depth_map(part.points, triangles_of(faces), low,
                      center[:2] + [1.1 * radius, 0.8 * radius], step)
    y, x = np.mgrid[0:depth.shape[0], 0:depth.shape[1]] * step
    x, y = x + low[0] - center[0], y + low[1] - center[1]
    ball = center[2] + np.sqrt(np.maximum(radius ** 2 - x ** 2 - y ** 2, 0))
    opened = (depth < ball) & (x ** 2 + y ** 2 < (0.98 * radius) ** 2)
    edges = {"upper": [], "lower": []}
    for column in range(depth.shape[1]):
        rows = np.nonzero(opened[:, column])[0]
        if len(rows) < 3:
            continue
        for name, row, beyond in (("upper", rows[-1], 1), ("lower", rows[0], -1)):
            skin = depth[row + beyond:row + 4 * beyond:beyond, column]
            z = max(float(skin[np.isfinite(skin)].min(initial=np.inf)), 0.0)
            z = z if np.isfinite(z) else float(ball[row, column])
            edges[name].append([low[0] + column * step, low[1] + (row + 0.5 * beyond) * step, z])
    order = 1 if side == "l" else -1
    return {name: smooth_line(np.array(edge)[::order]) for name, edge in edges.items()}


def smooth_line(line, rounds=8):
    for _ in range(rounds):
        line[1:-1] = 0.5 * line[1:-1] + 0.25 * (line[:-2] + line[2:])
    return line


def lashes(head, length_m):
    """A band along each upper lid with blades that leave it, long and bent upwards. Lower lashes are
    painted: in a laugh that blinks the upper lid comes down over them."""
    points, faces, roots = [], [], []
    for side in "lr":
        out = 1 if side == "l" else -1
        center, _ = head.eyes[side]
        edge = head.lash_lines[side]["upper"]

        def along(place):
            at = np.linspace(0, 1, len(edge))
            return np.stack([np.interp(place, at, edge[:, k]) for k in range(3)], 1)

        band(points, faces, roots, along(np.linspace(0.03, 1.0, 25)), center, out,
             max(LASH_LINE_M, 0.36 * length_m))
        place = np.linspace(0.16, 0.98, 15)
        for t, r in zip(place, along(place)):
            reach = length_m * (0.30 + 0.40 * np.sin(np.pi * min(1, t)) + 0.50 * t)
            way = norm(r - center)
            side_way = np.array([out * (t - 0.42) * 1.2, 0, 0])
            tip1 = r + reach * 0.50 * norm(way + 0.3 * side_way + [0, 0.05, 0.25])
            tip2 = tip1 + reach * 0.62 * norm(0.6 * way + side_way + [0, 0.85, 0])
            wide = np.array([out * 0.00095, 0, 0])
            base = r - 0.0003 * way
            n = len(points)
            points += [base - wide, base + wide, tip1 - 0.7 * wide, tip1 + 0.7 * wide, tip2]
            roots += [r] * 5
            faces += [[n, n + 1, n + 3, n + 2], [n + 2, n + 3, n + 4, n + 4]]
    weights, targets = head.follow(np.array(roots))
    return Part("lashes", "lashes", np.array(points), np.array(faces), weights,
                {k: v for k, v in targets.items()
                 if k.startswith(("eye", "brow", "cheek", "nose"))})


def band(points, faces, roots, line, center, out, width):
    """Adds a dark band from a lid's edge forwards and up, widest outside, to the lists."""
    first = len(points)
    for n, r in enumerate(line):
        t = n / (len(line) - 1)
        way = norm(r - center)
        lean = norm(way + [out * 0.35 * t, 0.45, 0.1])
        tall = width * (0.15 + 0.85 * smoothstep(0.0, 0.75, t)) * (1 - 0.7 * smoothstep(0.9, 1, t))
        points += [r - 0.0006 * way, r + tall * lean]
        roots += [r] * 2
    for n in range(len(line) - 1):
        a = first + 2 * n
        faces.append([a, a + 2, a + 3, a + 1])


def norm(v):
    return v / np.linalg.norm(v)
