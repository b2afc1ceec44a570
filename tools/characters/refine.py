"""One step of Catmull-Clark subdivision on some of a part's quads.

Every property of the points (offsets of shapes, weights, paint) is refined by the same linear rule
as their places, so a shape bends the fine surface just as it bent the coarse one. Points at the
border of the refined patch stay, and faces beyond it that share an edge with it become fans around
that edge's new point: the surface has no cracks. (Catmull and Clark, 1978.)
"""
import numpy as np

from mesh import add_at


class Step:
    """The rule for a patch: `faces` (m, 4) quads over `count` points, of which those in `inner`
    (m,) bool are split."""

    def __init__(self, faces, count, inner):
        self.count = count
        self.quads = faces[inner]
        rest = faces[~inner]
        loops = np.stack([self.quads, np.roll(self.quads, -1, axis=1)], axis=2)
        pairs = np.sort(loops.reshape(-1, 2), axis=1)
        self.edges, of = np.unique(pairs, axis=0, return_inverse=True)
        self.of = of.reshape(-1, 4)                     # each quad's edges
        self.shared = np.bincount(self.of.ravel(), minlength=len(self.edges))
        if self.shared.max(initial=0) > 2:
            raise ValueError("an edge of the patch has more than two faces")
        around = np.bincount(self.quads.ravel(), minlength=count)
        spokes = np.bincount(self.edges.ravel(), minlength=count)
        free = (around > 0) & (around == spokes)
        free[rest.ravel()] = False
        self.free = np.nonzero(free)[0]
        self.spokes = around

    def run(self, values):
        """`values` (count, ...) of the points, with those of the new ones: faces', then edges'."""
        flat = values.reshape(self.count, -1).astype(float)
        face = flat[self.quads].mean(1)
        ends = flat[self.edges].sum(1)
        beside = add_at(len(self.edges), self.of.ravel(), np.repeat(face, 4, axis=0))
        edge = np.where((self.shared == 2)[:, None], (ends + beside) / 4, ends / 2)
        n = np.maximum(self.spokes, 1)[:, None]
        faces = add_at(self.count, self.quads.ravel(), np.repeat(face, 4, axis=0)) / n
        middle = add_at(self.count, self.edges.ravel(), np.repeat(ends / 2, 2, axis=0)) / n
        moved = flat.copy()
        moved[self.free] = ((faces + 2 * middle + (n - 3) * flat) / n)[self.free]
        return np.concatenate([moved, face, edge]).reshape(-1, *values.shape[1:])

    def faces(self, rest):
        """The quads of the patch, and the faces beyond with the border's new points."""
        q, face = self.quads, self.count + np.arange(len(self.quads))
        edge = self.count + len(self.quads) + self.of
        split = [np.stack([q[:, k], edge[:, k], face, edge[:, k - 1]], axis=1) for k in range(4)]
        border = {tuple(pair): self.count + len(self.quads) + k
                  for k, pair in enumerate(self.edges.tolist()) if self.shared[k] == 1}
        whole, fans = np.ones(len(rest), bool), []
        on_border = np.zeros(self.count, bool)
        on_border[self.edges[self.shared == 1]] = True
        for f in np.nonzero(on_border[rest].sum(1) > 1)[0]:
            ring, first = [], None
            corners = [int(v) for k, v in enumerate(rest[f]) if v != rest[f][k - 1]]
            for a, b in zip(corners, corners[1:] + corners[:1]):
                ring.append(a)
                middle = border.get((min(a, b), max(a, b)))
                if middle is not None:
                    first = len(ring) if first is None else first
                    ring.append(middle)
            if first is not None:
                whole[f] = False
                ring = ring[first:] + ring[:first]
                fans += [[ring[0], b, c, c] for b, c in zip(ring[1:], ring[2:])]
        return np.concatenate(split + [rest[whole], np.array(fans, np.int64).reshape(-1, 4)])


def refine(part, inner):
    """Splits the quads of `part` (faces all of four corners) that `inner` (m,) marks; quads with
    a repeated corner stay whole. Adds three quads for each."""
    faces = part.faces
    inner = inner & (np.diff(np.sort(faces, axis=1), axis=1) > 0).all(1)
    step = Step(faces, len(part.points), inner)
    new_faces = step.faces(faces[~inner])
    for values, put in list(part.properties()):
        put(step.run(values))
    part.faces = new_faces
