"""Meshes of grids, and GLB files of them with named sites. Only Python's standard library."""
import json
import math
import struct


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def times(a, s):
    return [x * s for x in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(sum(x * x for x in a))
    return [x / length for x in a] if length > 1e-12 else [0.0, 1.0, 0.0]


class Mesh:
    """Points and triangles of one material, counter-clockwise seen from outside."""

    def __init__(self, name, color, roughness=0.9, double_sided=False):
        self.name, self.color = name, color
        self.roughness, self.double_sided = roughness, double_sided
        self.points, self.normals, self.triangles = [], [], []

    def grid(self, rows):
        """A surface through rows of points, smooth within itself. Seen from outside, the next row
        is above and the next column to the right."""
        first, width = len(self.points), len(rows[0])
        normals = [[0.0] * 3 for _ in range(len(rows) * width)]
        flat = [p for row in rows for p in row]
        for r in range(len(rows) - 1):
            for c in range(width - 1):
                a, b = r * width + c, r * width + c + 1
                d, e = a + width, b + width
                for t in ((a, b, e), (a, e, d)):
                    n = cross(sub(flat[t[1]], flat[t[0]]), sub(flat[t[2]], flat[t[0]]))
                    if sum(x * x for x in n) < 1e-20:
                        continue
                    self.triangles.append([first + i for i in t])
                    for i in t:
                        normals[i] = add(normals[i], n)
        # The first and last columns, and the points of a pole, are one place.
        shared = {}
        for i, p in enumerate(flat):
            key = tuple(round(x, 6) for x in p)
            shared[key] = add(shared.get(key, [0.0] * 3), normals[i])
        self.points += flat
        self.normals += [unit(shared[tuple(round(x, 6) for x in p)]) for p in flat]


def ring(x, z, y, center_z=0.0, columns=48):
    """An ellipse about Y, counter-clockwise seen from above, with its first point again at its end."""
    out = []
    for i in range(columns + 1):
        a = 2 * math.pi * (i % columns) / columns
        out.append([x * math.sin(a), y, center_z + z * math.cos(a)])
    return out


def rounded_box(mesh, low, high, square=0.28, rows=14, columns=28):
    """A superellipsoid that fills the box; the smaller `square`, the sharper its edges."""
    center = times(add(low, high), 0.5)
    half = times(sub(high, low), 0.5)

    def power(v):
        return math.copysign(abs(v) ** square, v) if abs(v) > 1e-9 else 0.0

    grid = []
    for r in range(rows + 1):
        v = math.pi * (r / rows - 0.5)
        row = []
        for c in range(columns + 1):
            u = 2 * math.pi * (c % columns) / columns
            row.append([center[0] + half[0] * power(math.cos(v)) * power(math.sin(u)),
                        center[1] + half[1] * power(math.sin(v)),
                        center[2] + half[2] * power(math.cos(v)) * power(math.cos(u))])
        grid.append(row)
    mesh.grid(grid)


def ribbon(mesh, path, outward, width, thickness):
    """A flat band along a path; `outward(point)` is the direction away from what it lies on."""
    corners = []
    for i, p in enumerate(path):
        along = unit(sub(path[min(i + 1, len(path) - 1)], path[max(i - 1, 0)]))
        out = outward(p)
        out = unit(sub(out, times(along, sum(x * y for x, y in zip(out, along)))))
        side = times(cross(along, out), width / 2)
        up = times(out, thickness)
        corners.append([sub(p, side), add(p, side), add(add(p, side), up), add(sub(p, side), up)])
    for a, b in ((2, 3), (3, 0), (0, 1), (1, 2)):
        mesh.grid([[c[a] for c in corners], [c[b] for c in corners]])


def smooth(path, steps=6):
    """A Catmull-Rom curve through the points."""
    out = []
    for i in range(len(path) - 1):
        p = [path[max(i - 1, 0)], path[i], path[i + 1], path[min(i + 2, len(path) - 1)]]
        for k in range(steps):
            t = k / steps
            out.append([0.5 * (2 * p[1][a] + (p[2][a] - p[0][a]) * t
                               + (2 * p[0][a] - 5 * p[1][a] + 4 * p[2][a] - p[3][a]) * t * t
                               + (3 * p[1][a] - p[0][a] - 3 * p[2][a] + p[3][a]) * t ** 3)
                        for a in range(3)])
    return out + [path[-1]]


def write_glb(meshes, sites):
    """The bytes of a GLB. `sites`: (name, position) in the prop's own space."""
    binary, views, accessors, primitives, materials = b"", [], [], [], []

    def store(form, values, kind, count, extra):
        nonlocal binary
        data = struct.pack(f"<{len(values)}{form}", *values)
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        binary += data + b"\0" * (-len(data) % 4)
        accessors.append({"bufferView": len(views) - 1, "type": kind, "count": count,
                          "componentType": 5126 if form == "f" else 5125, **extra})
        return len(accessors) - 1

    for mesh in meshes:
        points = [[round(x, 5) for x in p] for p in mesh.points]
        bounds = {"min": [min(p[a] for p in points) for a in range(3)],
                  "max": [max(p[a] for p in points) for a in range(3)]}
        at = store("f", [x for p in points for x in p], "VEC3", len(points), bounds)
        normal = store("f", [round(x, 4) for n in mesh.normals for x in n], "VEC3", len(points), {})
        index = store("I", [i for t in mesh.triangles for i in t], "SCALAR", 3 * len(mesh.triangles), {})
        primitives.append({"attributes": {"POSITION": at, "NORMAL": normal}, "indices": index,
                           "material": len(materials)})
        materials.append({"name": mesh.name, "doubleSided": mesh.double_sided,
                          "pbrMetallicRoughness": {"baseColorFactor": [*mesh.color, 1],
                                                   "metallicFactor": 0,
                                                   "roughnessFactor": mesh.roughness}})
    nodes = [{"name": "surface", "mesh": 0}]
    nodes += [{"name": name, "translation": [round(x, 5) for x in at]} for name, at in sites]
    document = {"asset": {"version": "2.0", "generator": "Posewire tools/props"}, "scene": 0,
                "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes,
                "meshes": [{"primitives": primitives}], "materials": materials,
                "accessors": accessors, "bufferViews": views,
                "buffers": [{"byteLength": len(binary)}]}
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body
