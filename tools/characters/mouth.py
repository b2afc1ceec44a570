"""Teeth and tongue.

The data's teeth are bare strips, so rows of teeth with gums are lofted along the arch that these
strips stand on; the lower row follows the jaw. The data's tongue has enough points for the 16 tongue
shapes, each a displacement by how far along and how far across the tongue a point lies.
"""
import numpy as np

from mesh import Part, facing_out, smoothstep

TEETH, PER_TOOTH = 12, 3
# Height towards the edge and outwards, metres, and how much of a tooth's scallop (0: gum).
ROWS = ((-0.0045, -0.0012, 0.0), (-0.0012, 0.0005, 0.0), (0.0003, 0.0001, 0.6),
        (0.0035, 0.0005, 1.0), (0.0072, 0.0, 1.0), (0.0086, -0.0008, 0.9),
        (0.0086, -0.0022, 0.5), (0.0040, -0.0048, 0.2))
GUM = (0.55, 0.17, 0.17)
TOOTH = (0.86, 0.82, 0.74)
TONGUE = (0.46, 0.13, 0.13)


def teeth(fitted, head, upper):
    strip = fitted.points[np.unique(
        fitted.quads["helper-upper-teeth" if upper else "helper-lower-teeth"][0])]
    size = fitted.scale
    down = -1 if upper else 1
    front = strip[:, 2].max() - (0.0045 if upper else 0.0060)
    back = strip[:, 2].min() + 0.004
    wide = abs(strip[:, 0]).max() * (0.68 if upper else 0.63)
    edge = head.lip_line_y + (-0.0036 if upper else -0.0030)
    gum_y = edge - down * 0.0086 * size
    columns = TEETH * PER_TOOTH + 1
    points, colors = [], []
    for rise, out, tooth in ROWS:
        for c in range(columns):
            u = 2 * c / (columns - 1) - 1
            angle = u * 1.42
            t = 2 * (c % PER_TOOTH) / PER_TOOTH - 1
            groove = (abs(t) > 0.9) * tooth
            normal = np.array([np.sin(angle) / wide, 0, np.cos(angle) / (front - back)])
            normal /= np.linalg.norm(normal)
            tall = 1 - 0.28 * u * u - 0.06 * groove if rise > 0 else 1
            point = np.array([wide * np.sin(angle), gum_y + down * rise * size * tall,
                              back + (front - back) * np.cos(angle)])
            points.append(point + normal * (out - 0.0006 * groove) * size)
            shade = (0.22 + 0.78 * np.cos(angle) ** 2) * (1 - 0.3 * groove)
            colors.append(np.array(TOOTH if tooth else GUM) * shade)
    faces = weave(len(ROWS), columns)
    points = np.array(points)
    faces = facing_out(points, faces, np.array([0, points[:, 1].mean(), back]))
    weights = np.zeros((len(points), len(fitted.rig)))
    joint = "skullbase" if upper else "temporomandibular"
    weights[:, fitted.rig.index[joint]] = 1
    part = Part("teeth_upper" if upper else "teeth_lower", "teeth", points, faces, weights,
                colors=np.array(colors))
    if not upper:
        part.targets = jaw_targets(head, points)
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
    # A little smaller and lower than the data's, so that lower teeth are seen.
    p = part.points
    p[:] = p.mean(0) + (p - p.mean(0)) * 0.93 - [0, 0.0025, 0.002]
    low, high = p.min(0), p.max(0)
    along = (p[:, 2] - low[2]) / (high[2] - low[2])
    across = p[:, 0] / high[0]
    tip = smoothstep(0.45, 1.0, along)                  # rounder than the data's
    p[:, 0] *= 1 - 0.22 * tip
    p[:, 2] -= 0.009 * across ** 2 * tip
    part.targets |= jaw_targets(head, p)
    for shape, offsets in tongue_shapes(p, along, across).items():
        part.targets[shape] = offsets
    part.colors = np.array(TONGUE) * (0.4 + 0.6 * smoothstep(0, 0.9, along))[:, None]
    return part


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
