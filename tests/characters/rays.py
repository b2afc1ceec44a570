"""What parallel rays hit first: a surface looked at from the front or turned, on a grid."""
import numpy as np


def first_hits(points, triangles, low, high, step):
    """Per ray of a grid over x and y, running towards -z: the triangle that is hit first, -1 for
    none, and how high (z) it is hit. Triangles are filled row by row, as a rasteriser does."""
    columns, rows = np.ceil((np.array(high) - low) / step).astype(int) + 1
    x, y = ((points[:, :2] - low) / step)[triangles].transpose(2, 1, 0)
    z = points[triangles, 2].T
    bx, by, cx, cy = x[1] - x[0], y[1] - y[0], x[2] - x[0], y[2] - y[0]
    area = bx * cy - by * cx
    first = np.maximum(np.ceil(y.min(0)), 0).astype(int)
    tall = np.minimum(np.floor(y.max(0)), rows - 1).astype(int) - first + 1
    seen = np.nonzero((tall > 0) & (abs(area) > 1e-9))[0]
    tri, row = runs(seen, first[seen], tall[seen])
    # Where a row enters and leaves its triangle: at the edges that it crosses.
    enters, leaves = np.full(len(tri), np.inf), np.full(len(tri), -np.inf)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        ya, yb, xa, xb = y[a, tri], y[b, tri], x[a, tri], x[b, tri]
        crossed = (np.minimum(ya, yb) <= row) & (row <= np.maximum(ya, yb)) & (ya != yb)
        at = xa + (row - ya) * (xb - xa) / np.where(crossed, yb - ya, 1)
        enters = np.minimum(enters, np.where(crossed, at, np.inf))
        leaves = np.maximum(leaves, np.where(crossed, at, -np.inf))
    begin = np.maximum(np.ceil(enters), 0)
    count = np.minimum(np.floor(leaves), columns - 1) - begin + 1
    kept = np.nonzero(count > 0)[0]
    at, column = runs(kept, begin[kept].astype(int), count[kept].astype(int))
    tri, row = tri[at], row[at]
    # The plane of each triangle.
    with np.errstate(divide="ignore", invalid="ignore"):
        along_x = ((z[1] - z[0]) * cy - (z[2] - z[0]) * by) / area
        along_y = ((z[2] - z[0]) * bx - (z[1] - z[0]) * cx) / area
    met = z[0, tri] + (column - x[0, tri]) * along_x[tri] + (row - y[0, tri]) * along_y[tri]
    # Of the triangles of a ray the highest is written last.
    order = np.argsort(met, kind="stable")
    ray = (row * columns + column)[order]
    hit, height = np.full(rows * columns, -1), np.full(rows * columns, -np.inf)
    hit[ray], height[ray] = tri[order], met[order]
    return hit.reshape(rows, columns), height.reshape(rows, columns)


def runs(what, begin, count):
    """Each of `what` so many times, and the numbers from `begin` on that go with it."""
    before = np.cumsum(count) - count
    return np.repeat(what, count), np.arange(count.sum()) + np.repeat(begin - before, count)


def turned(points, yaw_deg, pitch_deg=0):
    """The points as one sees them who stands yaw degrees to the character's left, pitch above."""
    yaw, pitch = np.radians(yaw_deg), np.radians(pitch_deg)
    c, s = np.cos(yaw), np.sin(yaw)
    points = points @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]).T
    c, s = np.cos(pitch), np.sin(pitch)
    return points @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T
