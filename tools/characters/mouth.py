"""Teeth, tongue, and the dark behind them.

The data's teeth are bare strips, so rows of teeth with gums are lofted along the arch that these
strips stand on; the lower row follows the jaw. The surface is plain and takes the light evenly, and
a picture tells the teeth apart. The data's tongue has enough points for the 16 tongue shapes, each
a displacement by how far along and how far across the tongue a point lies. A dark cup closes the
mouth at the back.
"""
import numpy as np

from mesh import Part, facing_out, smoothstep
from people import linear

SPAN = 1.42             # radians of the arch to either side
# Height towards the edge, out and down the picture; metres, and a share of it.
ROWS = ((-0.0060, -0.0014, 0.0), (-0.0020, 0.0004, 0.16), (0.0008, 0.0004, 0.30),
        (0.0045, 0.0008, 0.58), (0.0078, 0.0002, 0.82), (0.0088, -0.0007, 0.90),
        (0.0086, -0.0024, 0.94), (0.0030, -0.0052, 1.0))
GUM_AT = 0.27           # share of the picture down to where teeth begin
WIDTHS = (8.6, 6.8, 7.8, 7.0, 7.0, 9.0, 9.0)      # of teeth from the middle, to scale
SHORTER = (0.0, 0.0007, 0.0001, 0.0006, 0.0008, 0.0010, 0.0012)   # of upper teeth, metres
CORNER_M = 0.0008       # that a tooth's edge draws back at its corners
GUM, TOOTH = "#c97a74", "#f3ebda"
TONGUE_FILL = 0.97      # share of the lower arch that the tongue is wide
TONGUE_BACK_M = 0.0030  # of its tip, from the lower front teeth
TONGUE = (0.50, 0.125, 0.12)
THROAT = (0.26, 0.052, 0.048)


def tooth_of(along):
    """For places `along` a row (0 the middle, 1 the end): which tooth, and where on it (-1 to 1)."""
    ends = np.concatenate([[0], np.cumsum(WIDTHS)]) / sum(WIDTHS)
    tooth = np.clip(np.searchsorted(ends, along, side="right") - 1, 0, len(WIDTHS) - 1)
    return tooth, (along - ends[tooth]) / (ends[tooth + 1] - ends[tooth]) * 2 - 1


def columns():
    """Where the row has points, as shares of SPAN from -1 to 1, and how much of its height is lost
    there at the edge: between two teeth, and where each rounds off."""
    ends = np.concatenate([[0], np.cumsum(WIDTHS)]) / sum(WIDTHS)
    along, lost = [0.0], [CORNER_M]
    for a, b, shorter in zip(ends, ends[1:], SHORTER):
        along += [a + 0.22 * (b - a), a + 0.78 * (b - a), b]
        lost += [shorter, shorter, shorter + CORNER_M]
    angle = 2 * np.arcsin(np.array(along) * np.sin(SPAN / 2))
    u = angle / SPAN
    return np.concatenate([-u[:0:-1], u]), np.array(lost[:0:-1] + lost)


def arch(fitted, upper):
    """Front and back of the row's arch (z) and its half width, metres."""
    strip = fitted.points[np.unique(
        fitted.quads["helper-upper-teeth" if upper else "helper-lower-teeth"][0])]
    return (strip[:, 2].max() - (0.0045 if upper else 0.0060), strip[:, 2].min() + 0.004,
            abs(strip[:, 0]).max() * (0.78 if upper else 0.69))


def teeth(fitted, head, upper):
    """The upper or the lower row."""
    size = fitted.scale
    down = -1 if upper else 1
    front, back, wide = arch(fitted, upper)
    edge = head.lip_line_y + (-0.0052 if upper else -0.0046)
    gum_y = edge - down * 0.0088 * size
    u, lost = columns()
    angle = u * SPAN
    normal = np.stack([np.sin(angle) / wide, 0 * u, np.cos(angle) / (front - back)], axis=1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    points, normals, uv = [], [], []
    for rise, out, v in ROWS:
        tall = 1 - 0.24 * u * u if rise > 0 else 1 + 0 * u
        height = rise * tall - (lost if upper else 0.5 * lost) * smoothstep(0.6, 0.90, v)
        place = np.stack([wide * np.sin(angle), gum_y + down * height * size,
                          back + (front - back) * np.cos(angle)], axis=1)
        points.append(place + normal * out * size)
        tip = smoothstep(0.80, 0.94, v)
        normals.append(normal * (1 - 0.7 * tip) + [0, down * tip, 0])
        uv.append(np.stack([(u + 1) / 2, np.full(len(u), v)], axis=1))
    points, normals = np.concatenate(points), np.concatenate(normals)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    faces = facing_out(points, weave(len(ROWS), len(u)),
                       np.array([0, points[:, 1].mean(), back]))
    weights = np.zeros((len(points), len(fitted.rig)))
    joint = "skullbase" if upper else "temporomandibular"
    weights[:, fitted.rig.index[joint]] = 1
    part = Part("teeth_upper" if upper else "teeth_lower", "teeth", points, faces, weights,
                uv=np.concatenate(uv), extra={"normals": normals})
    if not upper:
        part.targets = jaw_targets(head, points)
    return part


def paint_teeth(width=384, height=96):
    """The picture (height, width, 3) uint8 of a row: gums above, ivory teeth with faint lines
    between, darker to the sides where they lie deeper in the mouth."""
    u = (np.arange(width) + 0.5) / width * 2 - 1
    v = (np.arange(height) + 0.5)[:, None] / height
    angle = u * SPAN
    along = np.abs(np.sin(angle / 2)) / np.sin(SPAN / 2)
    _, t = tooth_of(along)
    gum, ivory = np.array(linear(GUM)), np.array(linear(TOOTH))
    margin = GUM_AT + 0.10 * smoothstep(0.35, 1.0, abs(t))[None]
    is_gum = smoothstep(0.03, -0.03, v - margin)[..., None]
    between = np.exp(-((1 - abs(t)) / 0.20) ** 2)[None] * (0.35 + 0.65 * smoothstep(1.0, 0.7, v))
    color = ivory * (1 - 0.46 * between[..., None] * [0.75, 1.0, 1.2])
    color = color * (1 - 0.14 * smoothstep(0.78, 0.92, v)[..., None])
    color = color * (1 - 0.80 * smoothstep(0.94, 0.99, v)[..., None])     # their backs
    color = color * (1 - 0.10 * smoothstep(0.55, 0.25, v)[..., None] * [0.3, 0.8, 1.4])
    color = color * (1 - is_gum) + gum * is_gum
    color = color * (0.16 + 0.84 * smoothstep(1.15, 0.05, abs(angle)))[None, :, None]
    screen = np.where(color <= 0.0031308, 12.92 * color, 1.055 * color ** (1 / 2.4) - 0.055)
    return np.round(np.clip(screen, 0, 1) * 255).astype(np.uint8)


def throat(fitted, head, around=20, rings=6):
    """A cup, open to the front, dark red, behind teeth and tongue; its floor follows the jaw."""
    y, front, back = head.lip_line_y - 0.002, 0.056, 0.002
    points, colors = [], []
    for ring in range(rings):
        t = ring / (rings - 1)
        size = np.cos(0.5 * np.pi * t) + 0.02
        for k in range(around):
            a = 2 * np.pi * k / around
            points.append([0.029 * size * np.cos(a), y + 0.019 * size * np.sin(a),
                           front + (back - front) * np.sin(0.5 * np.pi * t)])
            colors.append(np.array(THROAT) * (1 - 0.45 * smoothstep(0.0, 0.9, t)))
    points = np.array(points)
    ring = np.arange(around)
    faces = np.concatenate([np.stack([r * around + ring, r * around + (ring + 1) % around,
                                      (r + 1) * around + (ring + 1) % around,
                                      (r + 1) * around + ring], axis=1) for r in range(rings - 1)])
    inwards = facing_out(points, faces, points.mean(0))[:, ::-1]
    weights = np.zeros((len(points), len(fitted.rig)))
    weights[:, fitted.rig.index["skullbase"]] = 1
    part = Part("throat", "tongue", points, inwards, weights, colors=np.array(colors))
    floor = smoothstep(0.012, -0.016, points[:, 1] - y)[:, None]
    part.targets = {shape: floor * offsets for shape, offsets in jaw_targets(head, points).items()}
    return part


def jaw_targets(head, points):
    """What the jaw's shapes do to things that are fixed to it."""
    targets = {shape: head.jaw_offsets(shape, points) for shape in head.jaw}
    targets["jawOpen_50"] = head.jaw_offsets("jawOpen", points, 0.5)
    targets["mouthClose"] = targets["jawOpen"].copy()
    return targets


def weave(rows, columns):
    a = np.arange(rows * columns).reshape(rows, columns)
    return np.stack([a[:-1, :-1], a[:-1, 1:], a[1:, 1:], a[1:, :-1]], axis=2).reshape(-1, 4)


def tongue(source, fitted, head):
    quads = fitted.quads["helper-tongue"][0]
    part = Part("tongue", "tongue", fitted.points.copy(), quads, fitted.weights.copy())
    index, offset = source.face_target("tongueOut")
    out = np.zeros_like(fitted.points)
    out[index] = offset * fitted.scale
    part.targets["tongueOut"] = out
    part.keep_faces(np.ones(len(quads), bool))
    # Lower than the data's, so that lower teeth are seen, and as wide as these stand apart: with a
    # gap to one side, a mouth that is turned a little looks crooked.
    p = part.points
    p[:] = p.mean(0) + (p - p.mean(0)) * [1.0, 0.90, 0.92] - [0, 0.0045, 0.0]
    front, back, wide = arch(fitted, False)
    thick = 0.0034 * fitted.scale
    p[:, 2] += front - thick - TONGUE_BACK_M - p[:, 2].max()
    low, high = p.min(0), p.max(0)
    along = (p[:, 2] - low[2]) / (high[2] - low[2])
    reach = np.clip((p[:, 2] - back) / (front - thick - back), 0, 0.99)
    across = spread(along, p[:, 0])
    p[:, 0] = across * TONGUE_FILL * (wide - thick) * (1 - reach ** 3) ** 0.4
    p[:, 1] -= 0.0025 * across ** 4
    part.targets |= jaw_targets(head, p)
    for shape, offsets in tongue_shapes(p, along, across).items():
        part.targets[shape] = offsets
    groove = 0.18 * np.exp(-(across / 0.22) ** 2) * smoothstep(1.0, 0.8, along)
    shade = (0.30 + 0.70 * smoothstep(0.1, 0.9, along)) * (1 - groove)
    shade = shade * (1 - 0.58 * smoothstep(0.40, 1.0, abs(across)))     # into the dark at its sides
    part.colors = np.array(TONGUE) * shade[:, None]
    return part


def spread(along, x, bins=10):
    """How far to the side points of a tongue lie, from -1 to 1, where it is as wide as it gets at
    their place along it."""
    at = (np.arange(bins) + 0.5) / bins
    widest = [abs(x[abs(along - a) < 1.2 / bins]).max() for a in at]
    return np.clip(x / np.interp(along, at, widest), -1, 1)


def tongue_shapes(p, s, across):
    """The 16 shapes; s runs from the root (0) to the tip (1), across from -1 to 1."""
    x, y = p[:, 0], p[:, 1]
    tip, bow, side = s * s * s, np.sin(np.pi * np.minimum(1, s)), across * across
    zero = np.zeros(len(p))
    middle = y.mean()

    def rolled(angle):
        turn = angle * s
        dy = y - middle
        return (x * (np.cos(turn) - 1) - dy * np.sin(turn),
                x * np.sin(turn) + dy * (np.cos(turn) - 1), zero)

    shapes = {
        "tongueTipUp": (zero, 0.011 * tip, -0.003 * tip),
        "tongueTipDown": (zero, -0.006 * tip, -0.001 * tip),
        "tongueTipLeft": (0.010 * tip, zero, -0.0015 * s * s),
        "tongueTipRight": (-0.010 * tip, zero, -0.0015 * s * s),
        "tongueRollUp": (-0.30 * x * side * s, 0.007 * side * s, zero),
        "tongueRollDown": (-0.25 * x * side * s, -0.005 * side * s, zero),
        "tongueRollLeft": rolled(-0.55), "tongueRollRight": rolled(0.55),
        "tongueUp": (zero, 0.0085 * bow + 0.004 * s, zero),
        "tongueDown": (zero, -0.0045 * bow - 0.002 * s, zero),
        "tongueLeft": (0.0075 * s, zero, zero), "tongueRight": (-0.0075 * s, zero, zero),
        "tongueIn": (zero, 0.001 * bow, -0.012 * s),
        "tongueStretch": (-0.20 * x * s, 0.002 * s, 0.013 * s),
        "tongueWide": (0.22 * x * s, -0.0008 * bow, zero),
        "tongueNarrow": (-0.30 * x * s, 0.0012 * bow, zero)}
    return {name: np.stack(np.broadcast_arrays(*offsets), axis=1)
            for name, offsets in shapes.items()}
