"""What parallel rays hit first: a surface looked at from the front or turned, on a grid."""
import numpy as np


def first_hits(points, triangles, low, high, step):
    """Per ray of a grid over x and y, running towards -z: the triangle that is hit first, -1 for
    none, and how high (z) it is hit."""
    size = np.ceil((np.array(high) - low) / step).astype(int) + 1
    corner = points[triangles]
    xy = (corner[:, :, :2] - low) / step
    first = np.maximum(np.ceil(xy.min(1)).astype(int), 0)
    last = np.minimum(np.floor(xy.max(1)).astype(int), size - 1)
    extent = (last - first + 1).max(1)
    area = cross(xy[:, 1] - xy[:, 0], xy[:, 2] - xy[:, 0])
    seen = (last >= first).all(1) & (abs(area) > 1e-9)
    rays, heights, hits = [], [], []
    start = 0
    for most in (2, 4, 8, 16, 32, 64, 128, 256, 1 << 20):
        chosen = np.nonzero(seen & (extent > start) & (extent <= most))[0]
        start = most
        if not len(chosen):
            continue
        reach = np.arange(extent[chosen].max())
        for dy in reach:
            for dx in reach:
                place = first[chosen] + [dx, dy]
                fits = (place <= last[chosen]).all(1)
                tri, at = chosen[fits], place[fits]
                a, b, c = xy[tri, 0], xy[tri, 1], xy[tri, 2]
                wb = cross(at - a, c - a) / area[tri]
                wc = cross(b - a, at - a) / area[tri]
                inside = (wb >= 0) & (wc >= 0) & (wb + wc <= 1)
                tri, at, wb, wc = tri[inside], at[inside], wb[inside], wc[inside]
                z = corner[tri, :, 2]
                rays.append(at[:, 1] * size[0] + at[:, 0])
                heights.append(z[:, 0] + wb * (z[:, 1] - z[:, 0]) + wc * (z[:, 2] - z[:, 0]))
                hits.append(tri)
    hit, height = np.full(size[0] * size[1], -1), np.full(size[0] * size[1], -np.inf)
    if rays:
        ray, z, tri = np.concatenate(rays), np.concatenate(heights), np.concatenate(hits)
        order = np.argsort(z, kind="stable")
        hit[ray[order]], height[ray[order]] = tri[order], z[order]
    shape = (size[1], size[0])
    return hit.reshape(shape), height.reshape(shape)


def cross(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def turned(points, yaw_deg, pitch_deg=0):
    """The points as one sees them who stands yaw degrees to the character's left, pitch above."""
    yaw, pitch = np.radians(yaw_deg), np.radians(pitch_deg)
    c, s = np.cos(yaw), np.sin(yaw)
    points = points @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]).T
    c, s = np.cos(pitch), np.sin(pitch)
    return points @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T
