"""The folds of clothes, as pictures: a map of normals, and a map of shade for light without one.

Sleeves, trunk and legs have a cylindrical map each, round their own middle line, so that a fold is
as wide at the flank as in front. Left and right share a sleeve and a leg. Edges that are knitted
(neck, cuffs) share a strip of ribs. Folds are drawn as strokes of a height in metres: what hangs
from the armpit, bunches in the elbow and over the cuff, and breaks at knee and ankle.
"""
import numpy as np

from mesh import corner_uv, smoothstep
from raster import blurred, noise

SIZE = 512
RIBS = (2, 22)                              # rows of the picture
RIB_M, RIB_U = 0.0042, 0.025                # width of a rib, and its share of the picture
# Rows, columns with margins inside, heights at the top and bottom row, metres round.
TRUNK = ((28, 258), (0, 512), (1.475, 0.900), 0.86)
SLEEVE = ((264, 506), (18, 238), (1.450, 0.880), 0.27)
LEG = ((264, 506), (274, 494), (0.985, 0.040), 0.46)
MARGIN = 16
FRONT_LIGHT = 0.30                          # of the shade that comes from light from above
EDGE_M = 0.0016                             # half the width of a band's soft edge


def middle_lines(part, rows, knots):
    """Middles (k, 2) in x and z of the points `rows` at some heights."""
    p = part.points[rows]
    reach = 1.2 * abs(knots[1] - knots[0])
    out = []
    for y in knots:
        near = p[abs(p[:, 1] - y) < reach]
        near = near if len(near) else p[[abs(p[:, 1] - y).argmin()]]
        out.append([(near[:, axis].min() + near[:, axis].max()) / 2 for axis in (0, 2)])
    return np.array(out)


def around(part, rows, knots, mirrored):
    """Angle of each point from the front, outwards, -1 to 1 in half turns."""
    p = part.points[rows]
    mid = middle_lines(part, rows, knots)
    order = np.argsort(knots)
    x = p[:, 0] - np.interp(p[:, 1], knots[order], mid[order, 0])
    z = p[:, 2] - np.interp(p[:, 1], knots[order], mid[order, 1])
    return np.arctan2(-x if mirrored else x, z) / np.pi


def unwrap(part):
    """Gives a part of cloth its texture coordinates. Splits points where maps meet; `same` in
    extra numbers the points as they were, for their normals."""
    part.extra["same"] = np.arange(len(part.points)).astype(float)
    faces = part.faces if part.faces.shape[1] == 4 else np.hstack([part.faces, part.faces[:, -1:]])
    mean = part.points[faces].mean(1)
    rib = part.extra["rib"][faces].max(1) > 0.5
    if part.name == "top":
        sleeve = part.extra["arm"][faces].mean(1) > 0.5
        kinds = np.where(rib, 0, np.where(sleeve, np.where(mean[:, 0] > 0, 2, 3), 1))
    else:
        kinds = np.where(rib, 0, np.where(mean[:, 0] > 0, 4, 5))
    uv = np.zeros((*faces.shape, 2))
    uv[rib] = np.stack([part.extra["rib_u"][faces[rib]],
                        np.full(faces[rib].shape, sum(RIBS) / 2 / SIZE)], axis=2)
    regions = {1: (TRUNK, False), 2: (SLEEVE, False), 3: (SLEEVE, True), 4: (LEG, False),
               5: (LEG, True)}
    for kind in sorted(set(kinds[~rib].tolist())):
        mine = np.nonzero(kinds == kind)[0]
        (rows, columns, (high, low), _), mirrored = regions[kind]
        points = np.unique(faces[mine])
        angle = np.zeros(len(part.points))
        angle[points] = around(part, points, np.linspace(low, high, 16), mirrored)
        turn = angle[faces[mine]]
        torn = np.ptp(turn, axis=1) > 1
        turn = np.where(torn[:, None] & (turn < 0), turn + 2, turn)
        u = columns[0] + (turn + 1) / 2 * (columns[1] - columns[0])
        t = np.clip((high - part.points[faces[mine], 1]) / (high - low), 0, 1)
        uv[mine] = np.stack([u, rows[0] + t * (rows[1] - rows[0])], axis=2) / SIZE
    part.faces = faces
    corner_uv(part, np.clip(uv, 0, 1))


class Field:
    """The height of cloth over one map, metres, in the map's own pixels."""

    def __init__(self, region):
        (self.rows, self.columns, (self.high, self.low), self.round_m) = region
        wide = self.columns[1] - self.columns[0]
        self.margin = 0 if wide == SIZE else MARGIN
        x = (np.arange(-self.margin, wide + self.margin) + 0.5) / wide * 2 - 1
        self.turn, self.y = np.meshgrid(x, np.linspace(self.high, self.low,
                                                       self.rows[1] - self.rows[0]))
        self.s = self.turn * self.round_m / 2
        self.height = np.zeros_like(self.s)
        self.step = (self.round_m / wide, (self.high - self.low) / self.s.shape[0])

    def fold(self, path, width, height, sharp=0.55):
        """A ridge along a path of (half turns, metres of height), with a valley on its right."""
        points = [np.array([turn * self.round_m / 2, y]) for turn, y in path]
        best = np.full(self.s.shape, np.inf)
        side, along = np.zeros_like(best), np.zeros_like(best)
        length = np.cumsum([0] + [np.linalg.norm(b - a) for a, b in zip(points, points[1:])])
        for wrap in (-1, 0, 1):
            s = self.s + wrap * self.round_m
            for k, (a, b) in enumerate(zip(points, points[1:])):
                d = b - a
                t = np.clip(((s - a[0]) * d[0] + (self.y - a[1]) * d[1]) / (d @ d), 0, 1)
                dx, dy = s - a[0] - t * d[0], self.y - a[1] - t * d[1]
                far = dx * dx + dy * dy
                near = far < best
                best = np.where(near, far, best)
                side = np.where(near, np.sign(d[0] * dy - d[1] * dx), side)
                along = np.where(near, (length[k] + t * (length[k + 1] - length[k])) / length[-1], along)
        x = np.sqrt(best) * side / width
        taper = np.sin(np.pi * along) ** 0.8
        ridge = np.exp(-x * x) - sharp * np.exp(-((x + 1.5) / 0.75) ** 2)
        self.height += height * taper * ridge

    def waves(self, rng, cells, height):
        """Soft unevenness, so many bumps round and upwards."""
        wide, tall = cells
        self.height += height * noise(rng, (wide, tall + 2), (self.turn + 1) / 2 * wide,
                                      (self.high - self.y) / (self.high - self.low) * tall)

    def seam(self, y, depth=0.0012, width=0.0022):
        self.height -= depth * np.exp(-((self.y - y) / width) ** 2)


def trunk_folds(rng, hem):
    f = Field(TRUNK)
    f.waves(rng, (9, 6), 0.0016)
    for side in (1, -1):
        def at(*path):
            return [(side * (turn + rng.uniform(-0.015, 0.015)), y + rng.uniform(-0.006, 0.006))
                    for turn, y in path]
        # From the armpit: over the chest, and down the flank.
        f.fold(at((0.46, 1.345), (0.36, 1.318), (0.26, 1.305)), 0.008, 0.0035)
        f.fold(at((0.47, 1.325), (0.37, 1.275), (0.30, 1.235)), 0.009, 0.0032)
        f.fold(at((0.44, 1.375), (0.34, 1.385), (0.25, 1.402)), 0.008, 0.0026)
        f.fold(at((0.50, 1.30), (0.47, 1.22), (0.40, 1.16)), 0.011, 0.0028)
        f.fold(at((0.55, 1.32), (0.66, 1.26), (0.74, 1.22)), 0.010, 0.0032)
        f.fold(at((0.55, 1.35), (0.66, 1.36), (0.76, 1.385)), 0.010, 0.0028)
        # Below the chest towards the waist.
        f.fold(at((0.20, 1.205), (0.30, 1.155), (0.42, 1.125)), 0.010, 0.0026)
        f.fold(at((0.10, 1.160), (0.22, 1.105), (0.38, 1.085)), 0.010, 0.0026)
        # Bunched at the waist, on the hips.
        for turn, y, tilt, size in ((0.50, 1.105, 0.018, 1.0), (0.46, 1.072, -0.012, 0.9),
                                    (0.54, 1.040, 0.014, 1.0), (0.42, 1.008, -0.016, 0.8),
                                    (0.60, 1.085, -0.01, 0.8), (0.50, 0.985, 0.010, 0.7)):
            f.fold(at((turn - 0.17, y - tilt), (turn, y + 0.004), (turn + 0.15, y + tilt)), 0.0075,
                   0.0030 * size)
        f.fold(at((0.12, 1.03), (0.22, 1.012), (0.30, 1.018)), 0.008, 0.0018)
        f.fold(at((0.88, 1.10), (0.74, 1.06), (0.62, 1.05)), 0.009, 0.0026)
        f.fold(at((0.92, 1.06), (0.80, 1.02), (0.66, 1.005)), 0.009, 0.0022)
        for turn in (0.12, 0.30, 0.62, 0.84):
            f.fold(at((turn, hem + 0.022), (turn + 0.02, hem + 0.055), (turn + 0.05, hem + 0.09)), 0.012,
                   0.0020)
    f.fold([(-0.12, 1.262), (0.0, 1.256), (0.12, 1.265)], 0.008, 0.0016)
    f.fold([(-0.06, 1.075), (0.06, 1.060), (0.14, 1.066)], 0.009, 0.0014)
    f.seam(hem + 0.018)
    f.seam(hem + 0.022, 0.0008)
    return f


def sleeve_folds(rng, cuff):
    f = Field(SLEEVE)
    f.waves(rng, (4, 9), 0.0012)

    def at(*path):
        return [(turn + rng.uniform(-0.03, 0.03), y + rng.uniform(-0.004, 0.004)) for turn, y in path]
    # The elbow: creases in front that fan out to both sides, and what they pull behind.
    for y, rise, size in ((1.178, 0.050, 0.7), (1.152, 0.026, 1.0), (1.128, 0.004, 1.15),
                          (1.104, -0.022, 1.0), (1.078, -0.046, 0.8)):
        for side in (1, -1):
            f.fold(at((side * -0.08, y), (side * 0.28, y + 0.35 * rise + 0.006), (side * 0.66, y + rise)),
                   0.0062, 0.0034 * size)
    f.fold(at((0.55, 1.20), (0.75, 1.150), (0.98, 1.125)), 0.009, 0.0022)
    f.fold(at((-0.55, 1.07), (-0.75, 1.100), (-0.98, 1.115)), 0.009, 0.0022)
    # Over the cuff: broken rings.
    for k, (y, size) in enumerate(((cuff + 0.016, 1.0), (cuff + 0.034, 0.9), (cuff + 0.055, 0.7),
                                   (cuff + 0.080, 0.5))):
        start = (-0.95, -0.35, -0.7, -0.1)[k]
        f.fold(at((start, y), (start + 0.45, y + 0.007), (start + 0.95, y - 0.003)), 0.0055, 0.0028 * size)
        f.fold(at((start + 0.85, y + 0.008), (start + 1.3, y + 0.001), (start + 1.75, y + 0.008)), 0.0055,
               0.0024 * size)
    # Down from the shoulder and armpit.
    f.fold(at((-0.62, 1.335), (-0.30, 1.290), (-0.02, 1.235)), 0.009, 0.0030)
    f.fold(at((-0.55, 1.300), (-0.24, 1.245), (0.05, 1.205)), 0.009, 0.0022)
    f.fold(at((-0.45, 1.360), (-0.15, 1.345), (0.15, 1.315)), 0.010, 0.0024)
    f.fold(at((-0.70, 1.330), (-0.90, 1.280), (-1.10, 1.240)), 0.010, 0.0028)
    f.fold(at((0.75, 1.33), (0.90, 1.28), (1.02, 1.22)), 0.012, 0.0018)
    f.fold(at((0.35, 1.06), (0.10, 1.02), (-0.20, 0.985)), 0.009, 0.0020)
    f.fold(at((-0.9, 1.03), (-0.6, 1.00), (-0.3, 0.96)), 0.009, 0.0018)
    f.seam(cuff + 0.002, 0.0014)
    return f


def leg_folds(rng):
    f = Field(LEG)
    f.waves(rng, (5, 10), 0.0018)

    def at(*path):
        return [(turn + rng.uniform(-0.02, 0.02), y + rng.uniform(-0.006, 0.006)) for turn, y in path]
    # From the crotch over the thigh, in front and behind.
    for a, b, size in (((-0.42, 0.835), (0.16, 0.875), 1.0), ((-0.46, 0.815), (0.12, 0.825), 1.0),
                       ((-0.48, 0.790), (0.02, 0.770), 0.8)):
        mid = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 0.004)
        f.fold(at(a, mid, b), 0.010, 0.0050 * size)
    for a, b, size in (((-0.62, 0.825), (-0.98, 0.850), 1.0), ((-0.60, 0.800), (-1.02, 0.800), 0.9),
                       ((-0.58, 0.780), (-0.95, 0.745), 0.7)):
        mid = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 0.006)
        f.fold(at(a, mid, b), 0.012, 0.0050 * size)
    # The knee: creases behind that reach forward, and below the kneecap.
    for y, rise, size in ((0.545, 0.030, 0.7), (0.512, 0.016, 1.0), (0.480, -0.004, 1.1),
                          (0.446, -0.022, 0.9)):
        for side in (1, -1):
            f.fold(at((side * 1.06, y), (side * 0.72, y + 0.3 * rise + 0.006), (side * 0.34, y + rise)),
                   0.010, 0.0056 * size)
    f.fold(at((-0.25, 0.455), (0.0, 0.440), (0.28, 0.452)), 0.010, 0.0040)
    f.fold(at((-0.30, 0.575), (-0.02, 0.560), (0.22, 0.580)), 0.011, 0.0034)
    # Above the shoe the leg breaks.
    for k, (y, size) in enumerate(((0.085, 1.0), (0.118, 1.0), (0.155, 0.8), (0.200, 0.6), (0.26, 0.4))):
        start = (-0.85, -0.25, -0.6, 0.05, -0.4)[k]
        f.fold(at((start, y), (start + 0.4, y + 0.012), (start + 0.85, y - 0.004)), 0.010, 0.0062 * size)
        f.fold(at((start + 0.8, y + 0.014), (start + 1.2, y), (start + 1.65, y + 0.012)), 0.010,
               0.0054 * size)
    for turn in (0.5, -0.5):        # side seams
        f.height -= 0.0016 * np.exp(-((f.turn - turn) * f.round_m / 2 / 0.0026) ** 2)
    f.seam(0.072, 0.0014, 0.0035)
    return f


def paint_cloth(person):
    """Normals (size, size, 3) and shade (size, size, 1), uint8, of jumper and trousers."""
    rng = np.random.default_rng(5)
    normal = np.zeros((SIZE, SIZE, 3))
    normal[..., 2] = 1
    shade = np.ones((SIZE, SIZE))
    for f in (trunk_folds(rng, person.hem_y), sleeve_folds(rng, 0.895), leg_folds(rng)):
        h, whole = f.height, f.margin == 0
        padded = np.pad(h, ((1, 1), (0, 0)), mode="edge")
        padded = np.pad(padded, ((0, 0), (1, 1)), mode="wrap" if whole else "edge")
        du = (padded[1:-1, 2:] - padded[1:-1, :-2]) / (2 * f.step[0])
        dv = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / (2 * f.step[1])
        n = np.stack([-du, dv, np.ones_like(h)], axis=2)        # green upwards
        n /= np.linalg.norm(n, axis=2, keepdims=True)
        deep = blurred(h, 7, 21, whole) - h
        dark = 1 - 0.34 * np.clip(deep / 0.0030, -0.25, 1) + FRONT_LIGHT * (n[..., 1] * 0.8)
        for low, high, share in person.bands if f.low > 0.5 else ():    # of sleeves and trunk
            inside = smoothstep(-EDGE_M, EDGE_M, np.minimum(f.y - low, high - f.y))
            dark = dark * (1 - (1 - share) * inside)
        rows = slice(*f.rows)
        columns = slice(f.columns[0] - f.margin, f.columns[1] + f.margin)
        normal[rows, columns], shade[rows, columns] = n, dark
    x = np.arange(SIZE) / SIZE / RIB_U
    slope = 0.55 * np.sin(2 * np.pi * x)
    ribs = np.stack([slope, np.zeros(SIZE), np.ones(SIZE)], axis=1)
    normal[:RIBS[1] + 3] = ribs / np.linalg.norm(ribs, axis=1, keepdims=True)
    shade[:RIBS[1] + 3] = 0.90 + 0.10 * np.cos(2 * np.pi * x)
    coarse = np.round(normal * 127 / 3) * 3
    shade = np.clip(0.86 * shade, 0, 1) ** (1 / 2.2)
    return ((coarse + 128).clip(0, 255).astype(np.uint8),
            (np.round(shade * 255 / 3) * 3).clip(0, 255).astype(np.uint8)[..., None])
