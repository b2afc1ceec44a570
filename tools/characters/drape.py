"""Lays cloth over the body: how far it hangs off the skin, and edges that follow the skin.

The distance of cloth is measured along the skin's normals at its nearest point, arms to arms and
trunk to trunk, so that a sleeve never takes its measure from the hip next to it.
"""
import numpy as np

from hands import ARM, limb
from mesh import Smoother, edges_of, normals_of, rim_of

CHUNK = 256


class Skin:
    """The naked body under the clothes: points, normals, and which of them are the arms'."""

    def __init__(self, fitted):
        arm = limb(fitted.weights, fitted.rig, ARM)
        faces = fitted.quads["body"][0]
        normal = normals_of(fitted.points, faces)
        used = np.unique(faces)
        p = fitted.points[used]
        used = used[(p[:, 1] > 0.03) & (p[:, 1] < 1.56) & ((arm[used] < 0.5) | (p[:, 1] > 0.80))]
        self.points, self.normals, self.arm = fitted.points[used], normal[used], arm[used] > 0.5
        self.weights = fitted.weights[used]

    def nearest(self, points, normals, arm):
        """For each point of cloth the index of the skin under it, that faces the same way."""
        found = np.zeros(len(points), int)
        for kind in (True, False):
            mine, skin = np.nonzero(arm == kind)[0], np.nonzero(self.arm == kind)[0]
            for k in range(0, len(mine), CHUNK):
                rows = mine[k:k + CHUNK]
                away = ((points[rows][:, None] - self.points[skin][None]) ** 2).sum(2)
                away = away + 0.02 * np.maximum(0.2 - normals[rows] @ self.normals[skin].T, 0)
                found[rows] = skin[away.argmin(1)]
        return found

    def gap(self, points, below):
        """How far points lie outside the skin at the indices `below`, metres."""
        return ((points - self.points[below]) * self.normals[below]).sum(1)


def lay(part, skin, ease, rounds=3, soften=3):
    """Moves cloth along its normals until it hangs `ease` (n,) off the skin, metres."""
    smoother = Smoother(part.faces, len(part.points), rim_points(part))
    arm = part.extra["arm"] > 0.5
    for _ in range(rounds):
        part.points = smoother.run(part.points, soften)
        normal = normals_of(part.points, part.faces)
        below = skin.nearest(part.points, normal, arm)
        straight = np.maximum((normal * skin.normals[below]).sum(1), 0.5)
        miss = np.clip((ease - skin.gap(part.points, below)) / straight, -0.03, 0.03)
        part.points = part.points + normal * smoother.run(miss, 1)[:, None]


def rim_points(part):
    """Which points lie on a rim; smoothing would draw rims in."""
    mask = np.zeros(len(part.points), bool)
    mask[np.unique(rim_of(part.faces))] = True
    return mask


def keep_off(part, skin, least):
    """Pushes out what hangs nearer to the skin than `least` (n,)."""
    normal = normals_of(part.points, part.faces)
    below = skin.nearest(part.points, normal, part.extra["arm"] > 0.5)
    short = np.maximum(least - skin.gap(part.points, below), 0)
    part.points = part.points + skin.normals[below] * short[:, None]


def split_edges(part, edges):
    """Halves edges, (k, 2); gives the new points. Faces with two of them opposite become two quads,
    others that touch one become triangles round it."""
    faces = part.faces
    if faces.shape[1] == 3:
        faces = np.hstack([faces, faces[:, -1:]])
    edges = np.array(edges)
    first = part.append_mixed(edges[:, 0], edges[:, 1], np.full(len(edges), 0.5))
    middle = {tuple(sorted((int(i), int(j)))): first + k for k, (i, j) in enumerate(edges)}
    out = []
    for face in faces.tolist():
        corners = [v for k, v in enumerate(face) if v != face[k - 1]]
        loop = []
        for k, i in enumerate(corners):
            j = corners[(k + 1) % len(corners)]
            loop.append(i)
            if (min(i, j), max(i, j)) in middle:
                loop.append(middle[min(i, j), max(i, j)])
        new = [k for k, v in enumerate(loop) if v >= first]
        if not new:
            out.append(face)
            continue
        loop = loop[new[0]:] + loop[:new[0]]
        if len(loop) == 6 and len(new) == 2 and loop[3] >= first:
            out += [loop[:4], [loop[3], loop[4], loop[5], loop[0]]]
        else:
            out += [[loop[0], loop[k], loop[k + 1], loop[k + 1]] for k in range(1, len(loop) - 1)]
    part.faces = np.array(out)
    return list(range(first, first + len(edges)))


def split_rim(part, ring):
    """Halves the edges of a rim; gives the new rim."""
    new = split_edges(part, np.stack([ring, np.roll(ring, -1)], axis=1))
    return [v for pair in zip(ring, new) for v in pair]


def finer(part, chosen):
    """Doubles the rings of a limb, where both ends of its lengthwise edges are `chosen` (n,)."""
    edges = edges_of(part.faces)
    way = abs(part.points[edges[:, 0]] - part.points[edges[:, 1]])
    lengthwise = way[:, 1] > 1.2 * np.maximum(way[:, 0], way[:, 2])
    split_edges(part, edges[lengthwise & chosen[edges].all(1)])


def on_skin(part, ring, skin, gap, times=4):
    """Draws a rim onto the skin, `gap` metres off it, evenly round."""
    for turn in range(times):
        p = part.points[ring]
        if turn < times - 1:
            p = 0.5 * p + 0.25 * (np.roll(p, 1, 0) + np.roll(p, -1, 0))
        part.points[ring] = settle(p, skin, gap)[0]


def under(points, skin):
    """The trunk's nearest points of skin (n, 4), and their shares."""
    away = ((points[:, None] - skin.points[None]) ** 2).sum(2) + 1.0 * skin.arm
    near = np.argsort(away, axis=1, kind="stable")[:, :4]
    share = 1 / (np.take_along_axis(away, near, 1) + 1e-5)
    return near, share / share.sum(1, keepdims=True)


def settle(points, skin, gap):
    """The points brought to a distance off the trunk's skin, and the skin's normals there."""
    for _ in range(2):
        near, share = under(points, skin)
        normal = (share[:, :, None] * skin.normals[near]).sum(1)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        height = (share * ((points[:, None] - skin.points[near]) * skin.normals[near]).sum(2)).sum(1)
        points = points + normal * (gap - height)[:, None]
    return points, normal


def move_with(part, rows, skin, share):
    """Has points move with the skin under them, each by its share."""
    near, mix = under(part.points[rows], skin)
    own = (mix[:, :, None] * skin.weights[near]).sum(1)
    part.weights[rows] += np.reshape(share, (-1, 1)) * (own - part.weights[rows])


def plane_normal(ring):
    """Across the plane that a ring of points (n, 3) lies in, about."""
    a = ring - ring.mean(0)
    n = np.cross(a, np.roll(a, -1, 0)).sum(0)
    return n / np.linalg.norm(n)


def add_ring(part, previous, places):
    """Adds a ring of points at `places` (n, 3), all else as at the ring of indices `previous`, with
    quads between the two; gives its indices."""
    first = part.append_copies(previous)
    now = np.arange(first, first + len(previous))
    part.points[now] = places
    part.faces = np.concatenate([part.faces, np.stack(
        [np.roll(previous, -1), previous, now, np.roll(now, -1)], axis=1)])
    return now


def neck_band(part, ring, skin, steps):
    """Rings of points that climb the skin from a rim; each step is (further up, off the skin)."""
    rings, place = [np.array(ring)], part.points[ring]
    up = plane_normal(place)
    up = up if up[1] > 0 else -up
    for along, gap in steps:
        _, normal = settle(place, skin, gap)
        way = up - (normal @ up)[:, None] * normal
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        place = settle(place + way * along, skin, gap)[0]
        rings.append(add_ring(part, rings[-1], place))
    return rings[1:]
