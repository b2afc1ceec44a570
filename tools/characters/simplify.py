"""Thins a dense mesh: collapses the edges that change its form least.

Quadric errors (Garland and Heckbert, 1997), each edge collapsed onto one of its ends, so that the
points that stay keep their weights and all else they carry. Rims stay as they are.
"""
import heapq

import numpy as np

from mesh import rim_of, triangles_of


def simplify(part, triangles, care=None):
    """Collapses edges of a part until it has so many triangles. `care` (n,): by how much each point's
    form counts more than others'."""
    tris = triangles_of(part.faces)
    p = part.points
    size = len(p)
    normal = np.cross(p[tris[:, 1]] - p[tris[:, 0]], p[tris[:, 2]] - p[tris[:, 0]])
    area = np.linalg.norm(normal, axis=1, keepdims=True)
    normal /= np.maximum(area, 1e-15)
    plane = np.hstack([normal, -(normal * p[tris[:, 0]]).sum(1, keepdims=True)])
    quadrics = np.zeros((size, 4, 4))
    outer = plane[:, :, None] * plane[:, None] * area[:, :, None]
    for k in range(3):
        np.add.at(quadrics, tris[:, k], outer)
    if care is not None:
        quadrics *= care[:, None, None]
    fixed = np.zeros(size, bool)
    fixed[np.unique(rim_of(tris))] = True
    faces = {i: tuple(int(v) for v in t) for i, t in enumerate(tris)}
    of = [set() for _ in range(size)]
    for i, t in faces.items():
        for v in t:
            of[v].add(i)
    stamp = np.zeros(size, int)
    homogeneous = np.hstack([p, np.ones((size, 1))])
    heap = []

    def offer(a, b):
        """Collapsing a onto b."""
        if not fixed[a]:
            q = quadrics[a] + quadrics[b]
            cost = float(homogeneous[b] @ q @ homogeneous[b])
            cost += 1e-9 * float(((p[a] - p[b]) ** 2).sum())
            heapq.heappush(heap, (cost, a, b, stamp[a], stamp[b]))

    def neighbours(v):
        return {w for i in of[v] for w in faces[i]} - {v}

    for v in range(size):
        for w in sorted(neighbours(v)):
            offer(v, w)
    while len(faces) > triangles and heap:
        _, a, b, old_a, old_b = heapq.heappop(heap)
        if stamp[a] != old_a or stamp[b] != old_b or not of[a]:
            continue
        if len(neighbours(a) & neighbours(b)) > 2 or flips(p, faces, of, a, b):
            continue
        for i in sorted(of[a]):
            t = faces[i]
            if b in t:
                for v in t:
                    of[v].discard(i)
                del faces[i]
            else:
                faces[i] = tuple(b if v == a else v for v in t)
                of[b].add(i)
        of[a] = set()
        quadrics[b] += quadrics[a]
        stamp[a] += 1
        stamp[b] += 1
        for w in sorted(neighbours(b)):
            offer(w, b)
            offer(b, w)
    part.faces = np.array([faces[i] for i in sorted(faces)])
    return part.keep_faces(np.ones(len(part.faces), bool))


def flips(p, faces, of, a, b):
    """Whether a triangle would turn over, or become a sliver, if a moved to b."""
    for i in of[a]:
        t = faces[i]
        if b in t:
            continue
        before = np.cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]])
        u = [p[b] if v == a else p[v] for v in t]
        after = np.cross(u[1] - u[0], u[2] - u[0])
        if before @ after < 0.2 * np.linalg.norm(before) * np.linalg.norm(after):
            return True
    return False
