"""The lips: which points of them meet, how they are brought together, and what lies behind them."""
import numpy as np

from mesh import Smoother, normals_of, triangles_of
from raster import depth_map
from rotations import look

LIP_GAP_M = 0.0002      # of closed lips
TOUCH_M = 0.004         # lips closer than this belong together
ASIDE_M = 0.002         # and no further aside than this
HIDDEN_M = (0.0006, 0.0050)     # behind what is seen: begins to be inside the mouth, and is
VIEWS = ((0, 0), (40, 0), (-40, 0), (0, 22), (0, -22))


def lip_pairs(part, reach=TOUCH_M):
    """Points of the upper lip's edge, each with the lower lip's point that it rests on: two
    arrays of indices. They face each other within `reach` metres. `part` has the extras `upper`
    and `lower` and the shape jawOpen."""
    p = part.points
    normal = normals_of(p, part.faces)
    opened = part.targets["jawOpen"][:, 1]
    drop = np.abs(opened) / np.abs(opened).max()
    lips = part.extra["upper"] + part.extra["lower"] > 0.02
    # In the corners both lips move alike, and it is their normals that tell them apart.
    line = p[lips & (abs(p[:, 0]) < 0.018)]
    corner = ((abs(p[:, 0]) > 0.017) & (abs(p[:, 0]) < 0.030) & (p[:, 2] > 0.05)
              & (abs(p[:, 1] - line[:, 1].mean()) < 0.006))
    middle = lips & (abs(p[:, 0]) < 0.030) & ~corner
    up = np.nonzero((middle & (drop < 0.16) & (normal[:, 1] < 0.3))
                    | (corner & (normal[:, 1] < -0.25)))[0]
    down = np.nonzero((middle & (drop >= 0.16) & (normal[:, 1] > -0.3))
                      | (corner & (normal[:, 1] > 0.25)))[0]
    way = p[up][:, None] - p[down][None]
    between = np.linalg.norm(way, axis=2)
    facing = normal[up] @ normal[down].T < -0.1
    between[~facing | (abs(way[..., 0]) > ASIDE_M)] = np.inf
    pairs = {(int(up[i]), int(down[between[i].argmin()])) for i in range(len(up))
             if between[i].min() < reach}
    pairs |= {(int(up[between[:, j].argmin()]), int(down[j])) for j in range(len(down))
              if between[:, j].min() < reach}
    pairs = np.array(sorted(pairs))
    return pairs[:, 0], pairs[:, 1]


def together(part, points, upper, lower):
    """`points` of the part with the lips closed: first with the skin around, then the lips alone."""
    smooth = Smoother(part.faces, len(points))
    for turn in range(66):
        gap = points[upper] - points[lower]
        size = np.linalg.norm(gap, axis=1, keepdims=True)
        above = np.where(gap[:, 1:2] < 0, 0, np.minimum(1, LIP_GAP_M / np.maximum(size, 1e-9)))
        miss = gap - gap * above
        push, count = np.zeros_like(points), np.zeros(len(points))
        for index, share in ((lower, 0.55), (upper, -0.45)):
            np.add.at(push, index, share * miss)
            np.add.at(count, index, 1)
        push /= np.maximum(count, 1)[:, None]
        if turn < 60:
            spread = smooth.run(push, 6, 0.6)
            spread[count > 0] = push[count > 0]
            push = 0.5 * spread
        points = points + push
    return points


def alike(part, offsets, upper, lower):
    """Offsets by which lips that touch go on touching: those of pairs are their mean, and the skin
    around follows."""
    miss = (offsets[lower] - offsets[upper]) / 2
    push, count = np.zeros_like(offsets), np.zeros(len(offsets))
    for index, share in ((upper, 1), (lower, -1)):
        np.add.at(push, index, share * miss)
        np.add.at(count, index, 1)
    push /= np.maximum(count, 1)[:, None]
    spread = Smoother(part.faces, len(offsets)).run(push, 4, 0.6)
    spread[count > 0] = push[count > 0]
    return offsets + spread


def seam_of(points, upper, lower):
    """The line between the closed lips: its height as an even polynomial of x (coefficients of
    x^0, x^2, x^4), and the x of the mouth's corner, metres."""
    middle = (points[upper] + points[lower]) / 2
    x, y = abs(middle[:, 0]), middle[:, 1]
    corner = float(x.max())
    # Only the front: contact reaches back between the lips.
    ahead = np.array([middle[k, 2] >= middle[abs(x - x[k]) < 0.002, 2].max() - 0.004
                      for k in range(len(x))])
    t = (x[ahead] / corner) ** 2
    powers = np.stack([np.ones_like(t), t, t * t], axis=1)
    factors = np.linalg.lstsq(powers, y[ahead], rcond=None)[0]
    return factors / corner ** np.array([0, 2, 4]), corner


def inside_of(part, line_y):
    """How much each point lies in the mouth (n,), 0 to 1: what the closed lips hide from every
    side. `line_y` is the height of the line between the lips."""
    p = part.points
    box = ((abs(p[:, 0]) < 0.042) & (p[:, 1] > line_y - 0.030) & (p[:, 1] < line_y + 0.0125)
           & (p[:, 2] > 0.0))
    tris = triangles_of(part.faces)
    near = (abs(p[:, 0]) < 0.085) & (p[:, 1] > line_y - 0.065) & (p[:, 1] < line_y + 0.06)
    tris = tris[near[tris].all(1) & (p[tris][:, :, 2].max(1) > -0.02)]
    ask = np.nonzero(box)[0]
    hidden = np.full(len(ask), np.inf)
    for yaw, pitch in VIEWS:
        turned = p @ look(*np.radians([-yaw, -pitch]))     # as if the viewer went round
        low, high = turned[ask, :2].min(0) - 0.002, turned[ask, :2].max(0) + 0.002
        depth = depth_map(turned, tris, low, high, 0.0004)
        at = np.round((turned[ask, :2] - low) / 0.0004).astype(int)
        around = np.min([depth[at[:, 1] + dy, at[:, 0] + dx] for dy in (-1, 0, 1)
                         for dx in (-1, 0, 1)], axis=0)
        hidden = np.minimum(hidden, around - turned[ask, 2])
    inside = np.zeros(len(p))
    inside[ask] = np.clip((hidden - HIDDEN_M[0]) / (HIDDEN_M[1] - HIDDEN_M[0]), 0, 1)
    return inside
