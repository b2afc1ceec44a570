"""A tail of two bones as glTF: a triangle and a square hang on them, and a morph target."""

import base64
import struct


def multiplied(a, b):
    """Quaternions (x, y, z, w)."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def turned(q, v):
    x, y, z, _ = multiplied(multiplied(q, (*v, 0)), (-q[0], -q[1], -q[2], q[3]))
    return (x, y, z)


STRAIGHT = (0, 0, 0, 1)


def tail(scale=2, above=STRAIGHT, between=None, baked=False):
    """The nodes: an armature of this scale and turn, `tail` and `tip`, and between these, unless it is
    None, a node that is no joint and is turned so. With `baked` there is neither armature nor node
    between: joints, keys and points have what they did."""
    data, views, accessors = b"", [], []

    def add(values, form, kind, component):
        nonlocal data
        packed = struct.pack(f"<{len(values)}{form}", *values)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed)})
        data += packed + b"\0" * (-len(packed) % 4)
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "type": kind,
                          "count": len(values) // width})
        return len(accessors) - 1

    def points(rows):
        out = add([v for row in rows for v in row], "f", "VEC3", 5126)
        accessors[out].update({"min": [min(c) for c in zip(*rows)], "max": [max(c) for c in zip(*rows)]})
        return out

    size = scale if baked else 1  # of what is in a baked tail
    back = between or STRAIGHT
    corners = points([[v * size for v in p] for p in (
        (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0), (0.5, 0, 0), (0.5, 0.5, 0.25), (0, 0.5, 0))])
    triangles = add([0, 1, 2, 3, 4, 5, 3, 5, 6], "H", "SCALAR", 5123)
    joints = add([0, 0, 0, 0] * 3 + [1, 0, 0, 0] * 4, "B", "VEC4", 5121)
    weights = add([1, 0, 0, 0] * 7, "f", "VEC4", 5126)
    bind = add([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] * 2, "f", "MAT4", 5126)
    offsets = points([(0, 0, 0)] * 2 + [(0, 0, size)] + [(0, 0, 0)] * 4)
    times = add([0, 0.5, 1], "f", "SCALAR", 5126)
    accessors[times].update({"min": [0], "max": [1]})
    turns = [STRAIGHT, (0, 0, 0.6, 0.8), (0, 0.6, 0, 0.8)]
    ways = [(0, 1, 0), (0.5, 1, 0), (0, 1.25, 0)]
    tip = (0, 0.5, 0)
    if baked:
        turns = [multiplied(back, q) for q in turns]
        ways = [[scale * v for v in turned(above, way)] for way in ways]
        tip = [scale * v for v in turned(back, tip)]
    turned_keys = add([v for q in turns for v in q], "f", "VEC4", 5126)
    moved_keys = add([v for way in ways for v in way], "f", "VEC3", 5126)
    grin = add([0, 1, 0.25], "f", "SCALAR", 5126)
    nodes = [{"name": "armature", "children": [1], "scale": [scale] * 3, "rotation": list(above)},
             {"name": "tail", "children": [2], "translation": list(ways[0])},
             {"name": "tip \u00e9", "translation": list(tip)},
             {"name": "skin", "mesh": 0, "skin": 0}]
    if above == STRAIGHT:
        del nodes[0]["rotation"]
    if between and not baked:
        nodes[1]["children"] = [4]
        nodes.append({"name": "between", "children": [2], "rotation": list(between)})
    if baked:
        nodes[0] = {"name": "nothing"}
        nodes[1]["rotation"] = list(above)
        nodes[2]["rotation"] = list(back)
    return {
        "asset": {"version": "2.0"}, "scene": 0,
        "scenes": [{"nodes": [1, 3] if baked else [0, 3]}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": corners, "JOINTS_0": joints,
                                                   "WEIGHTS_0": weights}, "indices": triangles,
                                    "targets": [{"POSITION": offsets}], "material": 0}],
                    "extras": {"targetNames": ["grin"]}}],
        "materials": [{"doubleSided": True}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": bind}],
        "animations": [{"name": "wag", "samplers": [{"input": times, "output": turned_keys},
                                                    {"input": times, "output": moved_keys},
                                                    {"input": times, "output": grin}],
                        "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                                     {"sampler": 1, "target": {"node": 1, "path": "translation"}},
                                     {"sampler": 2, "target": {"node": 3, "path": "weights"}}]}],
        "bufferViews": views, "accessors": accessors,
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," +
                     base64.b64encode(data).decode()}]}
