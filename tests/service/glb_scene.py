"""The nodes of a GLB over time, worked out apart from the programs that write and read it."""

import bisect
import math
import struct
from pathlib import Path

from small_person import parts


def slerp(a, b, u):
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = [-v for v in b], -dot
    if dot > 0.9995:
        out = [x + (y - x) * u for x, y in zip(a, b)]
    else:
        angle = math.acos(dot)
        out = [(math.sin((1 - u) * angle) * x + math.sin(u * angle) * y) / math.sin(angle)
               for x, y in zip(a, b)]
    length = math.sqrt(sum(v * v for v in out))
    return [v / length for v in out]


def turned(q, v):
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


class GlbScene:
    def __init__(self, path):
        self.json, self.bytes = parts(Path(path).read_bytes())
        self.nodes = self.json["nodes"]
        self.parent = {}
        for i, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parent[child] = i
        self.channels = {}  # by node and path: times, values
        animation = self.json.get("animations", [{"channels": []}])[0]
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            self.channels[channel["target"]["node"], channel["target"]["path"]] = (
                [t for t, in self.values(sampler["input"])], self.values(sampler["output"]))
        self.last_s = max((times[-1] for times, _ in self.channels.values()), default=0)

    def values(self, accessor):
        """The tuples of an accessor of floats."""
        of = self.json["accessors"][accessor]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[of["type"]]
        start = self.json["bufferViews"][of["bufferView"]].get("byteOffset", 0)
        start += of.get("byteOffset", 0)
        return list(struct.iter_unpack(f"<{width}f",
                                       self.bytes[start:start + of["count"] * width * 4]))

    def above(self, node):
        while node is not None:
            yield node
            node = self.parent.get(node)

    def find(self, *names):
        """The node of the last name, below one of each name before it."""
        def fits(i):
            over = [self.nodes[n].get("name") for n in self.above(i)][1:]
            return self.nodes[i].get("name") == names[-1] and all(name in over for name in names[:-1])
        return next(i for i in range(len(self.nodes)) if fits(i))

    def local(self, node, path, time_s):
        rest = self.nodes[node].get(path, {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1],
                                           "scale": [1, 1, 1]}[path])
        if (node, path) not in self.channels:
            return rest
        times, values = self.channels[node, path]
        after = bisect.bisect_right(times, time_s)
        if after == 0 or after == len(times):
            return list(values[min(after, len(times) - 1)])
        a, b = values[after - 1], values[after]
        u = (time_s - times[after - 1]) / (times[after] - times[after - 1])
        return slerp(a, b, u) if path == "rotation" else [x + (y - x) * u for x, y in zip(a, b)]

    def place(self, node, time_s, point=(0, 0, 0)):
        """Where a point of a node's space is in the world."""
        for n in self.above(node):
            point = [p * s for p, s in zip(point, self.local(n, "scale", time_s))]
            point = turned(self.local(n, "rotation", time_s), point)
            point = [p + t for p, t in zip(point, self.local(n, "translation", time_s))]
        return point
