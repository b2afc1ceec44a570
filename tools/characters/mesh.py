"""Surfaces: what a part of a person is made of, and the plain geometry that all parts share.

A Part keeps quads or triangles over points that carry everything a point may have: joint weights,
offsets of face shapes, colour, texture coordinates. Cutting a part by a plane or splitting its
edges makes new points whose every property is mixed, so no step has to know what the others added.
"""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Part:
    name: str
    material: str
    points: np.ndarray                      # (n, 3) metres, rest pose
    faces: np.ndarray                       # (m, 3 or 4); a triangle among quads repeats its last
    weights: np.ndarray = None              # (n, joints)
    targets: dict = field(default_factory=dict)  # shape -> (n, 3)
    colors: np.ndarray = None               # (n, 3) linear factors 0..1
    uv: np.ndarray = None                   # (n, 2), v downwards
    extra: dict = field(default_factory=dict)    # further (n,) or (n, k) properties, not written
    turns: dict = field(default_factory=dict)    # shape -> (n, 3) offsets of normals, if given

    def properties(self):
        """Every array by point, with a function that puts a new one in its place."""
        def setter(name):
            return lambda value: setattr(self, name, value)
        for name in ("points", "weights", "colors", "uv"):
            if getattr(self, name) is not None:
                yield getattr(self, name), setter(name)
        for store in (self.targets, self.extra, self.turns):
            for name in list(store):
                yield store[name], (lambda value, s=store, n=name: s.__setitem__(n, value))

    def take(self, index, faces):
        """Keeps the points of `index`; `faces` count in these."""
        for values, put in list(self.properties()):
            put(values[index])
        self.faces = faces

    def append_mixed(self, a, b, t):
        """New points between points a and b, t of the way; their first index."""
        first = len(self.points)
        for values, put in list(self.properties()):
            s = t.reshape(-1, *[1] * (values.ndim - 1))
            put(np.concatenate([values, values[a] * (1 - s) + values[b] * s]))
        return first

    def append_copies(self, index):
        first = len(self.points)
        for values, put in list(self.properties()):
            put(np.concatenate([values, values[index]]))
        return first

    def keep_faces(self, mask):
        """Drops faces, and points that no face uses."""
        faces = self.faces[mask]
        used, inverse = np.unique(faces, return_inverse=True)
        self.take(used, inverse.reshape(faces.shape))
        return self


def corner_uv(part, uv):
    """Texture coordinates (m, corners, 2) by corner of each face: points at which faces differ are
    copied. `same` in extra, if it is there, goes on numbering the points as they were."""
    size = len(part.points)
    part.uv = np.zeros((size, 2))
    first, copies, faces = {}, {}, part.faces.copy()
    rounded = np.round(uv * 65535).astype(int)
    for f, face in enumerate(part.faces.tolist()):
        for k, vertex in enumerate(face):
            key = (vertex, *rounded[f, k].tolist())
            if first.setdefault(vertex, key) == key:
                part.uv[vertex] = uv[f, k]
            else:
                faces[f, k] = size + copies.setdefault(key, len(copies))
    part.append_copies(np.array([key[0] for key in copies], int))
    if copies:
        part.uv[size:] = np.array([key[1:] for key in copies]) / 65535
    part.faces = faces


def triangles_of(faces):
    """Quads cut in two; repeated corners fall away."""
    if faces.shape[1] == 3:
        return faces
    tris = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]], axis=1).reshape(-1, 3)
    good = (tris[:, 0] != tris[:, 1]) & (tris[:, 1] != tris[:, 2]) & (tris[:, 0] != tris[:, 2])
    return tris[good]


def add_at(size, index, values):
    """Sums of rows by index; np.add.at, but quick."""
    return np.stack([np.bincount(index, values[:, k], size) for k in range(values.shape[1])], 1)


def strongest(weights, count=4):
    """The weights with all but the greatest few of each point gone."""
    order = np.argsort(-weights, axis=1, kind="stable")
    kept = np.zeros_like(weights)
    best = order[:, :count]
    np.put_along_axis(kept, best, np.take_along_axis(weights, best, 1), 1)
    return kept / kept.sum(1, keepdims=True)


def normals_of(points, faces, same=None):
    """Smooth normals; points of the same number in `same` share theirs (seams)."""
    tris = triangles_of(faces)
    a, b, c = (points[tris[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    index = tris if same is None else same[tris]
    size = len(points) if same is None else int(same.max()) + 1
    total = sum(add_at(size, index[:, k], across) for k in range(3))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    total = np.where(length > 1e-20, total / np.maximum(length, 1e-20), [0.0, 1.0, 0.0])
    return total if same is None else total[same]


def facing_out(points, faces, center):
    """The faces, turned so that they look away from a centre on the whole."""
    outward = (normals_of(points, faces) * (points - center)).sum()
    return faces if outward > 0 else faces[:, ::-1]


def edges_of(faces):
    """Each edge once, (k, 2), low index first."""
    loop = np.concatenate([faces, faces[:, :1]], axis=1)
    pairs = np.concatenate([loop[:, k:k + 2] for k in range(faces.shape[1])])
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    return np.unique(pairs, axis=0)


def rim_of(faces):
    """Edges that one face alone has, in that face's direction."""
    loop = np.concatenate([faces, faces[:, :1]], axis=1)
    pairs = np.concatenate([loop[:, k:k + 2] for k in range(faces.shape[1])])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    key = np.sort(pairs, axis=1)
    _, inverse, count = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    return pairs[count[inverse.reshape(-1)] == 1]


class Smoother:
    """Moves points towards the mean of their neighbours."""

    def __init__(self, faces, size, pinned=None):
        edges = edges_of(faces)
        self.a = np.concatenate([edges[:, 0], edges[:, 1]])
        self.b = np.concatenate([edges[:, 1], edges[:, 0]])
        self.size = size
        self.count = np.maximum(np.bincount(self.a, minlength=size), 1)[:, None]
        self.free = np.ones((size, 1)) if pinned is None else (~pinned)[:, None].astype(float)

    def run(self, values, times, amount=0.5):
        """`values` (size, k) after some rounds; `amount` may be one number or one by point."""
        flat = values.ndim == 1
        values = values[:, None] if flat else values
        for _ in range(times):
            mean = add_at(self.size, self.a, values[self.b]) / self.count
            lonely = self.count <= 1
            values = values + self.free * amount * np.where(lonely, 0, mean - values)
        return values[:, 0] if flat else values


def frames_of(points, faces, smoother):
    """A frame (n, 3, 3) at each point, of its normal and an edge, that turns as the surface does."""
    normal = normals_of(points, faces)
    first = np.zeros(smoother.size, dtype=np.int64)
    first[smoother.a[::-1]] = smoother.b[::-1]
    edge = points[first] - points
    side = np.cross(normal, edge)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    return np.stack([normal, side, np.cross(normal, side)], axis=2)


def delta_mush(rest, posed, faces, times=14):
    """The posed points with the detail of the rest ones: skinning's pinches and corners are
    smoothed away and the rest's detail put back on. (Mancewicz et al., Delta Mush, 2014.)"""
    smoother = Smoother(faces, len(rest))
    soft_rest, soft_posed = smoother.run(rest, times), smoother.run(posed, times)
    detail = np.einsum("nji,nj->ni", frames_of(soft_rest, faces, smoother), rest - soft_rest)
    return soft_posed + np.einsum("nij,nj->ni", frames_of(soft_posed, faces, smoother), detail)


def clip(part, distance):
    """Keeps what lies where `distance` (n,) is positive, cut straight through the faces.
    Quads that are cut become triangles and quads."""
    snap = np.abs(distance) < 1e-7
    distance = np.where(snap, 1e-7, distance)
    inside = distance > 0
    faces = part.faces if part.faces.shape[1] == 4 else np.hstack([part.faces, part.faces[:, -1:]])
    whole = inside[faces].all(1)
    cut = ~whole & inside[faces].any(1)
    a, b, new = [], [], {}
    base = len(part.points)

    def crossing(i, j):
        key = (min(i, j), max(i, j))
        if key not in new:
            new[key] = base + len(a)
            a.append(key[0])
            b.append(key[1])
        return new[key]

    made = []
    for face in faces[cut]:
        ring = []
        corners = [int(v) for k, v in enumerate(face) if v != face[k - 1]]
        for k, i in enumerate(corners):
            j = corners[(k + 1) % len(corners)]
            if inside[i]:
                ring.append(i)
            if inside[i] != inside[j]:
                ring.append(crossing(i, j))
        made += [[ring[0], ring[k], ring[k + 1], ring[min(k + 2, len(ring) - 1)]]
                 for k in range(1, len(ring) - 1, 2)]
    if a:
        a, b = np.array(a), np.array(b)
        part.append_mixed(a, b, distance[a] / (distance[a] - distance[b]))
    part.faces = np.concatenate([faces[whole], np.array(made, dtype=np.int64).reshape(-1, 4)])
    return part.keep_faces(np.ones(len(part.faces), bool))


def loops_of(faces):
    """The rims of a surface as lists of points in order, each closed."""
    after = {int(i): int(j) for i, j in rim_of(faces)}
    loops = []
    while after:
        start = min(after)
        ring, at = [start], after.pop(start)
        while at != start and at in after:
            ring.append(at)
            at = after.pop(at)
        loops.append(ring)
    return loops


def smoothstep(low, high, x):
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
