"""Hair: a layer that covers the scalp, and locks upon it that have shape, strands and ends.

Both styles start from the same description of the head: how far its surface lies from a centre in
each direction, and where hair grows (`Scalp`). A long style is laid out as strands that leave a
parting, lie over the head and fall; a sheet through these strands closes the head, and tapering
locks follow them a little further out, each with its own width, length and tone, so that the outline
is uneven as hair is. A short style is the scalp itself, raised, under short locks that lie in the
direction in which hair is combed.
"""
import numpy as np

from mesh import Part, Smoother, facing_out, normals_of, smoothstep

CENTER = np.array([0.0, 1.655, -0.025])
# Where hair ends, by the angle from the front in degrees: height over the eyes in metres.
LINES = {"woman": ((0, 30, 48, 60, 70, 80, 97, 112, 126, 180),
                   (0.074, 0.074, 0.062, 0.036, 0.010, -0.012, 0.018, -0.012, -0.065, -0.098)),
         "man": ((0, 16, 30, 44, 56, 66, 73, 84, 100, 114, 126, 180),
                 (0.074, 0.074, 0.080, 0.068, 0.040, 0.020, -0.022, -0.024, 0.020, -0.015, -0.062,
                  -0.088))}


class Scalp:
    """The head as a distance by direction, and the hairline."""

    def __init__(self, head, sex):
        p = head.part.points
        self.eye_y = head.eyes["l"][0][1]
        self._line = LINES[sex]
        ears = (abs(p[:, 0]) > 0.0735) & (p[:, 1] < self.eye_y + 0.02)
        use = ~head.inside & (p[:, 1] > 1.50) & ~ears
        way = p[use] - CENTER
        self._far = np.linalg.norm(way, axis=1)
        self._way = way / self._far[:, None]

    def radius(self, direction):
        """Distance of the skin from the centre, for directions (n, 3)."""
        near = np.exp(60 * (direction @ self._way.T - 1))
        return (near @ self._far) / near.sum(1)

    def inside_line(self, points):
        """Metres that points (..., 3) lie above the hairline."""
        angle = np.degrees(np.abs(np.arctan2(points[..., 0], points[..., 2] + 0.03)))
        return points[..., 1] - self.eye_y - np.interp(angle, *self._line)


    def on_line(self, angle):
        """The direction from the centre to the hairline at an angle from the front."""
        height = np.interp(np.degrees(abs(angle)), *self._line) + self.eye_y
        way = np.array([0.095 * np.sin(angle), height + 0.001 - CENTER[1],
                        0.11 * np.cos(angle)])
        return way / np.linalg.norm(way)


def grow(head, person):
    """The parts of the style, and the hairline for the painter."""
    scalp = Scalp(head, person.sex)
    head.hairline = scalp.inside_line
    rng = np.random.default_rng(3)
    style = STYLES[person.hair]
    if style is None:
        head.hairline = lambda points: np.full(points.shape[:-1], -1.0)
        return []
    parts = style(head, scalp, rng)
    for part in parts:
        part.weights = np.zeros((len(part.points), head.part.weights.shape[1]))
        part.weights[:, head.skull] = 1
    return parts


def unit(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


class Locks:
    """Collects ribbons, each a path (k, 3) with outward directions, width and tone."""

    def __init__(self):
        self.points, self.normals, self.colors, self.uv, self.faces = [], [], [], [], []

    def add(self, path, outward, width, tone, strand, bow=0.18):
        """`width` and `tone` by point of the path; `strand` is where on the picture it lies."""
        along = np.gradient(path, axis=0)
        across = unit(np.cross(outward, along))
        raised = unit(np.cross(along, across))
        k, first = len(path), len(self.points) * 0 + sum(len(p) for p in self.points)
        length = np.linspace(0, 1, k)
        for place in (-1, 0, 1):
            half = 0.5 * width[:, None]
            self.points.append(path + across * half * place
                               + raised * half * bow * 2 * (0.5 - abs(place)))
            self.normals.append(unit(raised + 0.55 * place * across))
            self.colors.append(np.repeat(tone[:, None] * (1 if place == 0 else 0.86), 3, axis=1))
            self.uv.append(np.stack([np.full(k, strand + 0.05 * place), length], axis=1))
        a = first + np.arange(k - 1)
        for column in (0, k):
            self.faces.append(np.stack([a + column + 1, a + column + k + 1, a + column + k,
                                        a + column], axis=1))

    def part(self, name):
        return Part(name, "hair", np.concatenate(self.points), np.concatenate(self.faces),
                    colors=np.clip(np.concatenate(self.colors), 0, 1),
                    uv=np.clip(np.concatenate(self.uv), 0, 1),
                    extra={"normals": np.concatenate(self.normals)})


class Bob:
    """Chin-length hair with a side parting."""

    PART_X = 0.028          # the parting, to her left
    STEPS = 13

    def __init__(self, scalp):
        self._scalp = scalp

    def strand(self, side, s, lift=0.0, longer=0.0, sway=0.0, root=None):
        """A path from the parting, or from a root in some direction, down; s runs from the face
        (0) to the nape (1)."""
        start = self._start(s) if root is None else root
        angle = np.radians(np.interp(s, [0, 0.15, 0.5, 1], [60, 71, 112, 181]))
        end = np.array([side * np.sin(angle), -0.10, np.cos(angle)])
        start, end = unit(start), unit(end)
        swing = np.arccos(np.clip(start @ end, -1, 1))
        t = np.linspace(0, 1, self.STEPS - 5)[:, None]
        arc = (np.sin((1 - t) * swing) * start + np.sin(t * swing) * end) / np.sin(swing)
        # Combed back from the face first, then down.
        back = np.interp(s, [0, 0.35, 1], [0.16, 0.05, 0.0])
        arc = unit(arc + np.array([0, 0.30 * back, -back]) * np.sin(np.pi * t) ** 1.2)
        thick = (0.004 + 0.016 * smoothstep(0.0, 0.30, t[:, 0])
                 + 0.006 * smoothstep(0.5, 1.0, t[:, 0]))
        thick = thick * np.interp(s, [0, 0.12, 0.4], [0.32, 0.6, 1.0]) + lift
        over = CENTER + arc * (self._scalp.radius(arc) + thick)[:, None]
        tip_y = np.interp(s, [0, 0.3, 0.7, 1], [1.508, 1.500, 1.508, 1.515]) - longer
        drop = np.linspace(0, 1, 6)[1:, None]
        low = over[-1]
        out = unit((low - CENTER) * [1, 0, 1])
        fall = np.hstack([np.full((5, 1), low[0]), low[1] + (tip_y - low[1]) * drop,
                          np.full((5, 1), low[2])])
        inward = np.interp(s, [0, 0.2, 0.7, 1], [0.022, 0.024, 0.030, 0.034])
        fall += out * (0.006 * np.sin(np.pi * drop * 0.9) - inward * drop ** 2.2)
        forward = np.interp(s, [0, 0.25, 0.5], [0.010, 0.006, 0.0])
        fall += np.array([0, 0, 1.0]) * forward * drop
        path = np.vstack([over, fall])
        wave = np.linspace(0, 1, self.STEPS)
        tangent = unit(np.cross(out, [0, 1, 0]))
        path = path + tangent * (sway * np.sin(wave * 7 + s * 40) * wave ** 1.5)[:, None]
        ripple = np.sin(wave * 8.5 + 3.0 * np.sin(s * 9.0 + side)) * smoothstep(0.35, 0.75, wave)
        path = path + out * (0.0042 * ripple)[:, None]
        outward = unit(path - CENTER - [0, 0.0, 0])
        outward[-5:] = unit(outward[-5:] * [1, 0.15, 1])
        return path, outward

    def _start(self, s):
        """The direction of the parting: from the forehead back to the crown."""
        back = np.clip(s / 0.6, 0, 1)
        angle = np.radians(30 + 83 * back)        # over the forehead, towards the crown
        x = self.PART_X / 0.1 * (1 - 0.6 * back)
        return np.array([x, np.sin(angle), np.cos(angle)])


def bob(head, scalp, rng):
    style = Bob(scalp)
    sheets = []
    for side in (1, -1):
        columns = np.linspace(0, 1, 24)
        rows = [style.strand(side, s, -0.003, rng.uniform(-0.016, 0.010), 0.001)
                for s in columns]
        points = np.concatenate([r[0] for r in rows])
        k = style.STEPS
        a = np.arange(len(columns) * k).reshape(len(columns), k)
        faces = np.stack([a[:-1, :-1], a[:-1, 1:], a[1:, 1:], a[1:, :-1]], axis=2).reshape(-1, 4)
        faces = facing_out(points, faces, CENTER)
        along = np.tile(np.linspace(0, 1, k), len(columns))
        tone = 0.50 + 0.25 * np.sin(np.pi * np.clip(along * 1.1, 0, 1))
        uv = np.stack([np.repeat(columns, k), along], axis=1)
        sheets.append(Part(f"hair_{'l' if side > 0 else 'r'}", "hair", points, faces, uv=uv,
                           colors=np.repeat(tone[:, None], 3, axis=1)))
    locks = Locks()
    along = np.linspace(0, 1, style.STEPS)
    for side, count in ((1, 46), (-1, 54)):
        for n in range(count):
            s = np.clip((n + rng.uniform(0.1, 0.9)) / count, 0, 1) ** 0.92
            layer = rng.uniform(-0.0015, 0.0045)
            path, outward = style.strand(side, s, layer, rng.uniform(-0.024, 0.016),
                                         rng.uniform(-0.005, 0.005))
            wide = rng.uniform(0.011, 0.021)
            width = wide * (0.35 + 0.65 * np.sin(np.pi * np.clip(along * 0.9 + 0.08, 0, 1)) ** 0.8)
            width *= 1 - 0.90 * smoothstep(0.72, 1.0, along) ** 1.3
            sheen = 0.72 + 0.28 * np.sin(np.pi * np.clip(along * 1.15, 0, 1))
            tone = rng.uniform(0.70, 1.0) * sheen
            locks.add(path, outward, width, tone, rng.uniform(0.1, 0.9))
    for n in range(22):                                  # that grow at the hairline
        side = 1 if n % 2 else -1
        angle = np.radians(rng.uniform(2, 62)) * side + 0.2
        root = scalp.on_line(angle)
        path, outward = style.strand(side, 0.02 + 0.4 * abs(angle) / 1.1 * rng.uniform(0.6, 1),
                                     rng.uniform(0.002, 0.004), rng.uniform(-0.02, 0.01), 0.002,
                                     root)
        wide = rng.uniform(0.008, 0.014)
        width = wide * (0.12 + 0.88 * np.sin(np.pi * along) ** 0.6)
        width *= 1 - 0.9 * smoothstep(0.72, 1, along)
        path[0] -= outward[0] * 0.004
        tone = rng.uniform(0.70, 0.95) * (0.62 + 0.38 * smoothstep(0, 0.3, along))
        locks.add(path, outward, width, tone, rng.uniform(0.1, 0.9))
    for n in range(46):                                  # single wisps
        side = 1 if n % 2 else -1
        s = rng.uniform(0, 1) ** 1.5
        path, outward = style.strand(side, s, rng.uniform(0.004, 0.009), rng.uniform(-0.03, 0.02),
                                     rng.uniform(-0.012, 0.012))
        path, outward = path[4:], outward[4:]
        t = np.linspace(0, 1, len(path))
        locks.add(path, outward, 0.0032 * (1 - 0.8 * t), np.full(len(path), rng.uniform(0.8, 1.0)),
                  rng.uniform(0.1, 0.9))
    return [*sheets, locks.part("hair_locks")]


def short(head, scalp, rng):
    """Short at the sides, longer on top, combed forward and a little to one side."""
    skin = head.part
    line = scalp.inside_line(skin.points)
    p = skin.points
    ear = (abs(p[:, 0]) > 0.0745) & (p[:, 1] < scalp.eye_y + 0.03) & (abs(p[:, 2] + 0.025) < 0.05)
    grows = (line > -0.004) & ~ear & ~head.inside
    cap = Part("hair_cap", "hair", p.copy(), skin.faces.copy())
    cap.extra["line"] = line
    cap.keep_faces(grows[skin.faces].all(1))
    normal = normals_of(cap.points, cap.faces)
    top = smoothstep(0.045, 0.085, cap.points[:, 1] - scalp.eye_y)
    rise = (0.0035 + 0.0125 * top) * smoothstep(-0.004, 0.028, cap.extra["line"])
    cap.points = Smoother(cap.faces, len(cap.points)).run(cap.points + normal * rise[:, None], 2)
    shade = 0.46 + 0.10 * top
    cap.colors = np.repeat(shade[:, None], 3, axis=1)
    around = np.arctan2(cap.points[:, 0], cap.points[:, 2] + 0.03)
    cap.uv = np.stack([(around / np.pi + 1) * 0.5, np.full(len(around), 0.5)], axis=1)
    locks = Locks()
    for root, n in scattered(cap, rng, 560):
        over = smoothstep(0.035, 0.070, root[1] - scalp.eye_y)
        inside = scalp.inside_line(root)
        way = combed(root, over) + rng.normal(0, 0.10, 3)
        front = smoothstep(0.02, 0.075, root[2]) * over
        length = (0.016 + 0.034 * over) * rng.uniform(0.8, 1.2)
        length *= smoothstep(-0.015, 0.020, inside)
        steps = 5 if over > 0.3 else 4
        t = np.linspace(0, 1, steps)
        path = [root]
        for _ in range(steps - 1):                          # along the scalp, not off it
            out = unit(path[-1] - CENTER)
            way = unit(way - (way @ out) * out)
            path.append(path[-1] + way * length / (steps - 1))
        out = unit(np.array(path) - CENTER)
        here = np.linalg.norm(root - CENTER) - scalp.radius(out[:1])[0]
        lift = here - 0.001 + (0.003 + 0.004 * over + 0.009 * front) * np.sin(
            np.pi * np.minimum(1, t * 0.80 + 0.05)) * rng.uniform(0.6, 1.15)
        path = CENTER + out * (scalp.radius(out) + lift)[:, None]
        wide = rng.uniform(0.007, 0.012) * (0.75 + 0.35 * over)
        width = wide * (0.75 + 0.3 * np.sin(np.pi * t)) * (1 - 0.8 * smoothstep(0.55, 1, t))
        tone = rng.uniform(0.66, 0.80 + 0.15 * over) * (0.72 + 0.28 * t)
        locks.add(path, out, width, tone, rng.uniform(0.1, 0.9), 0.16)
    return [cap, locks.part("hair_locks")]


def combed(root, over):
    """The direction in which short hair lies: over from a parting at his left, down elsewhere."""
    parted = smoothstep(0.046, 0.034, root[0])
    behind = smoothstep(-0.055, -0.100, root[2])
    top = np.array([-0.85, 0.25, -0.35])
    crown = np.array([-0.25, -0.5, -0.8])
    front = smoothstep(0.015, 0.055, root[2])
    flank = np.array([0.0, 0.7 * front - 1.0, -0.40 * (1 - behind) - 1.1 * front])
    top = top * (1 - behind) + crown * behind
    share = over * parted
    return top * share + flank * (1 - share)


def scattered(part, rng, count):
    """Points spread evenly over a surface, with normals; deterministic."""
    faces = part.faces
    a, b, c = (part.points[faces[:, k]] for k in range(3))
    d = part.points[faces[:, -1]]
    area = (np.linalg.norm(np.cross(b - a, c - a), axis=1)
            + np.linalg.norm(np.cross(c - a, d - a), axis=1))
    chosen = rng.choice(len(faces), count * 8, p=area / area.sum())
    u, v = rng.uniform(0, 1, (2, len(chosen), 1))
    points = ((a[chosen] * (1 - u) + b[chosen] * u) * (1 - v)
              + (d[chosen] * (1 - u) + c[chosen] * u) * v)
    normal = unit(normals_of(part.points, faces)[faces[chosen]].mean(1))
    gap = np.sqrt(area.sum() / 2 / count) * 0.80
    kept = []
    for k in range(len(chosen)):
        if all(np.linalg.norm(points[k] - points[j]) > gap for j in kept):
            kept.append(k)
            if len(kept) == count:
                break
    kept.sort(key=lambda k: -points[k][1] * 0 + points[k][2])
    return [(points[k], normal[k]) for k in kept]


def paint_strands(size=(256, 64)):
    """A picture of strands side by side, light and dark, that run downwards."""
    rng = np.random.default_rng(5)
    width, height = size
    tone = np.zeros(width)
    for cells, amount in ((16, 0.10), (48, 0.16), (128, 0.16)):
        grid = rng.uniform(-1, 1, cells + 1)
        tone += amount * np.interp(np.linspace(0, cells, width), np.arange(cells + 1), grid)
    fade = 1 + 0.05 * np.sin(np.linspace(0, 9, height))[:, None]
    pixels = np.clip((0.80 + tone)[None] * fade, 0.25, 1)
    return np.round(np.repeat(pixels[..., None], 3, axis=2) * 255).astype(np.uint8)


STYLES = {"bob": bob, "short": short, "none": None}
