"""Triangles, noise and blur on a grid of cells, all at once: for maps of paint and of depth."""
import numpy as np

from mesh import smoothstep

CANDIDATES = 1 << 21        # cells looked at in one go


def cells(corners, shape, slack=0.0):
    """The cells whose centres lie in triangles.

    `corners` (t, 3, 2) are x and y in cells, where cell (row, column) has its centre at
    (column, row); `shape` is (rows, columns). `slack` widens each triangle, in shares of it.
    Gives the flat index of each cell hit (k,), its triangle (k,), and the shares of that
    triangle's corners (k, 3). A cell that several triangles cover comes once for each.
    """
    rows, columns = shape
    edge = 1 if slack else 0
    low = np.maximum(np.ceil(corners.min(1)).astype(np.int64) - edge, 0)
    high = np.minimum(np.floor(corners.max(1)).astype(np.int64) + 1 + edge, [columns, rows])
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.where((abs(area) > 1e-9)[:, None], np.maximum(high - low, 0), 0)
    count = size.prod(1)
    found = []
    batch = np.cumsum(count) // CANDIDATES
    for part in np.unique(batch):
        tris = np.nonzero((batch == part) & (count > 0))[0]
        tri = np.repeat(tris, count[tris])
        nth = np.arange(len(tri)) - np.repeat(np.cumsum(count[tris]) - count[tris], count[tris])
        x = low[tri, 0] + nth % size[tri, 0]
        y = low[tri, 1] + nth // size[tri, 0]
        a, b, c = (corners[tri, k] for k in range(3))
        wb = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (y - a[:, 1]) * (c[:, 0] - a[:, 0])) / area[tri]
        wc = ((b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0])) / area[tri]
        share = np.stack([1 - wb - wc, wb, wc], axis=1)
        hit = (share >= -max(slack, 1e-6)).all(1)
        found.append((y[hit] * columns + x[hit], tri[hit], share[hit]))
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 3))
    return tuple(np.concatenate(part) for part in zip(*found))


def foremost(cell, height):
    """Of entries by cell (k,), the one with the greatest height in each: their indices."""
    order = np.lexsort((height, cell))
    last = np.ones(len(order), bool)
    last[:-1] = cell[order][1:] != cell[order][:-1]
    return order[last]


def depth_map(points, triangles, low, high, step):
    """The foremost z of a surface over a grid of x and y, seen from the front; -inf where none is.

    `low` and `high` are the grid's corners in metres, `step` its pitch; row 0 is the lowest.
    """
    size = np.ceil((np.array(high) - low) / step).astype(int) + 1
    depth = np.full(size[0] * size[1], -np.inf)
    cell, tri, share = cells((points[triangles][:, :, :2] - low) / step, (size[1], size[0]))
    z = (share * points[triangles[tri], 2]).sum(1)
    best = foremost(cell, z)
    depth[cell[best]] = z[best]
    return depth.reshape(size[1], size[0])


def blurred(values, deviation, reach, around=False):
    """Values (h, w) under a Gaussian, `deviation` in cells, cut off at `reach`; `around` says that
    rows go on from their end to their begin."""
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    taps /= taps.sum()
    for axis in (0, 1):
        pad = [(reach, reach) if k == axis else (0, 0) for k in (0, 1)]
        wide = np.pad(values, pad, mode="wrap" if axis == 1 and around else "edge")
        size = values.shape[axis]
        values = sum(tap * np.take(wide, np.arange(k, k + size), axis) for k, tap in enumerate(taps))
    return values


def noise(rng, cells, x, y):
    """Smooth noise of -1 to 1 at places x and y, of which each of `cells` (across, down) is one
    wide; periodic across."""
    wide, tall = cells
    grid = rng.uniform(-1, 1, (tall, wide))
    ix, iy = np.floor(x).astype(int), np.floor(y).astype(int)
    tx, ty = smoothstep(0, 1, x - ix), smoothstep(0, 1, y - iy)
    a, b, c, d = (grid[iy + j, (ix + i) % wide] for j in (0, 1) for i in (0, 1))
    return (a * (1 - tx) + b * tx) * (1 - ty) + (c * (1 - tx) + d * tx) * ty
