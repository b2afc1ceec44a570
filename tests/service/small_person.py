"""Files of a stick person whose bones rest in turned axes, as VRM 1.0, VRM 0.x, or as Mixamo's
rigs come out of modelling tools; for the tests of `view`."""

import json
import math
import struct

HEAD = 20  # bytes of a GLB before its JSON
# Bone, parent, place in the T-pose, in metres; the model faces +Z, its left is +X.
BONES = [
    ("hips", None, (0, 1.0, 0)), ("spine", "hips", (0, 1.15, 0)), ("chest", "spine", (0, 1.3, 0)),
    ("neck", "chest", (0, 1.5, 0)), ("head", "neck", (0, 1.6, 0)),
    ("leftUpperArm", "chest", (0.18, 1.45, 0)), ("leftLowerArm", "leftUpperArm", (0.45, 1.45, 0)),
    ("leftHand", "leftLowerArm", (0.7, 1.45, 0)),
    ("rightUpperArm", "chest", (-0.18, 1.45, 0)),
    ("rightLowerArm", "rightUpperArm", (-0.45, 1.45, 0)),
    ("rightHand", "rightLowerArm", (-0.7, 1.45, 0)),
    ("leftUpperLeg", "hips", (0.1, 0.95, 0)), ("leftLowerLeg", "leftUpperLeg", (0.1, 0.5, 0)),
    ("leftFoot", "leftLowerLeg", (0.1, 0.08, 0)),
    ("rightUpperLeg", "hips", (-0.1, 0.95, 0)), ("rightLowerLeg", "rightUpperLeg", (-0.1, 0.5, 0)),
    ("rightFoot", "rightLowerLeg", (-0.1, 0.08, 0)),
]
# x y z w, of unit length: what a bone's axes are turned by in the T-pose.
TURNS = [(0, 0, 0, 1), (0.5, 0.5, 0.5, 0.5), (0, 0.6, 0, 0.8), (0.6, 0, 0, 0.8)]

MIXAMO = {"hips": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head",
          "UpperArm": "Arm", "LowerArm": "ForeArm", "Hand": "Hand", "UpperLeg": "UpLeg",
          "LowerLeg": "Leg", "Foot": "Foot"}


def mixamo(bone):
    for side in ("left", "right"):
        if bone.startswith(side):
            return f"mixamorig:{side.capitalize()}{MIXAMO[bone[len(side):]]}"
    return f"mixamorig:{MIXAMO[bone]}"


# What the three targets of the mesh are called.
SHAPES = {"vrm1": ["lid", "Face.JawOpen", "Face.MouthClose"], "vrm0": ["lid", "jawOpen", "mouthClose"],
          "mixamo": ["eyeBlink_L", "jawOpen", "mouthClose"]}


def glb(document, body):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body += b"\0" * (-len(body) % 4)
    return (struct.pack("<III", 0x46546C67, 2, HEAD + 8 + len(text) + len(body)) +
            struct.pack("<II", len(text), 0x4E4F534A) + text +
            struct.pack("<II", len(body), 0x004E4942) + body)


def parts(data):
    """The document and the bytes of a GLB."""
    size, = struct.unpack_from("<I", data, 12)
    return json.loads(data[HEAD:HEAD + size]), data[HEAD + size + 8:]


def times(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def turned(q, v):
    x, y, z, _ = times(times(q, (*v, 0)), (-q[0], -q[1], -q[2], q[3]))
    return x, y, z


def round_y(angle, v):
    x, y, z = v
    return (math.cos(angle) * x + math.sin(angle) * z, y, math.cos(angle) * z - math.sin(angle) * x)


def triangles():
    """Bone and three corners: blades from joint to joint, palms and soles, and a head with a nose."""
    places = {name: at for name, _, at in BONES}
    for name, parent, at in BONES:
        x, y, z = at
        if parent:
            a, b, c = places[parent]
            for dx, dy, dz in ((0.03, 0.03, 0), (0, 0, 0.04)):
                yield parent, ((a - dx, b + dy, c - dz), (a + dx, b - dy, c + dz), at)
        if name.endswith(("Hand", "Foot")):
            yield name, (at, (x + 0.05, y - 0.02, z + 0.14), (x - 0.05, y - 0.02, z + 0.14))
        if name == "head":
            y += 0.12
            for dx in (-0.09, 0.09):
                for dz in (-0.1, 0.1):
                    yield name, ((x + dx, y, z), (x, y, z + dz), (x, y + 0.13, z))
                    yield name, ((x + dx, y, z), (x, y, z + dz), (x, y - 0.12, z))
            yield name, ((x, y + 0.03, z + 0.08), (x, y - 0.04, z + 0.08), (x, y - 0.03, z + 0.17))


def small_person(kind, yaw=None, skin=True, ace_mouth=False):
    """The bytes of the file, with three shapes. `kind`: vrm1, vrm0, which looks along -Z, or mixamo,
    in centimetres and lying on its back under a node that mends that. `yaw`: how far it is turned
    round Y from looking along +Z, radians. `ace_mouth`: its mouthClose opens the jaw, as ACE's."""
    names = [name for name, _, _ in BONES]
    if yaw is None:
        yaw = math.pi if kind == "vrm0" else 0
    place = {name: round_y(yaw, at) for name, _, at in BONES}
    turn = {name: TURNS[i % len(TURNS)] for i, (name, _, _) in enumerate(BONES)}
    lying, unit = ((0.5 ** 0.5, 0, 0, 0.5 ** 0.5), 100) if kind == "mixamo" else ((0, 0, 0, 1), 1)
    nodes = []
    for name, parent, _ in BONES:
        node = {"name": mixamo(name) if kind == "mixamo" else f"J_{name}",
                "children": [i for i, (_, p, _) in enumerate(BONES) if p == name]}
        if not node["children"]:
            del node["children"]
        x, y, z, w = turn[parent] if parent else lying
        back = (-x, -y, -z, w)
        offset = [(a - b) * unit for a, b in zip(place[name], place[parent] if parent else (0, 0, 0))]
        node["translation"] = list(turned(back, offset))
        node["rotation"] = list(times(back, turn[name]))
        nodes.append(node)
    points, joints, weights, inverse = [], [], [], []
    for name, corners in triangles():
        for corner in corners:
            points += round_y(yaw, corner)
            joints += [names.index(name), 0, 0, 0]
            weights += [1, 0, 0, 0]
    for name in names:
        x, y, z, w = turn[name]
        back = (-x, -y, -z, w)
        columns = [turned(back, axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        moved = turned(back, [-v for v in place[name]])
        for column in columns:
            inverse += [*(v * unit for v in column), 0]
        inverse += [*(v * unit for v in moved), 1]
    jaw = [0.01] * len(points)
    close = jaw if ace_mouth else [-0.004] * len(points)
    views, accessors, body = [], [], b""

    def add(values, code, kind, size, component):
        nonlocal body
        data = struct.pack(f"<{len(values)}{code}", *values)
        body += b"\0" * (-len(body) % 4)
        views.append({"buffer": 0, "byteOffset": len(body), "byteLength": len(data)})
        accessor = {"bufferView": len(views) - 1, "componentType": component, "type": kind,
                    "count": len(values) // size}
        if kind == "VEC3":
            accessor["min"] = [min(values[k::3]) for k in range(3)]
            accessor["max"] = [max(values[k::3]) for k in range(3)]
        accessors.append(accessor)
        body += data
        return len(accessors) - 1

    primitive = {
        "attributes": {"POSITION": add(points, "f", "VEC3", 3, 5126),
                       "JOINTS_0": add(joints, "H", "VEC4", 4, 5123),
                       "WEIGHTS_0": add(weights, "f", "VEC4", 4, 5126)},
        "targets": [{"POSITION": add(shape, "f", "VEC3", 3, 5126)} for shape in (jaw, jaw, close)],
        "material": 0,
    }
    nodes.append({"name": "Body", "mesh": 0, "skin": 0} if skin else {"name": "Body", "mesh": 0})
    body_node, root = len(nodes) - 1, 0
    if kind == "mixamo":
        root = len(nodes)
        nodes.append({"name": "Armature", "children": [0], "rotation": list(lying),
                      "scale": [1 / unit] * 3})
    gltf = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [root, body_node]}],
        "nodes": nodes,
        "meshes": [{"primitives": [primitive], "extras": {"targetNames": SHAPES[kind]}}],
        "skins": [{"joints": list(range(len(names))), "skeleton": 0,
                   "inverseBindMatrices": add(inverse, "f", "MAT4", 16, 5126)}],
        "materials": [{"doubleSided": True, "pbrMetallicRoughness": {
            "baseColorFactor": [0.8, 0.6, 0.4, 1], "metallicFactor": 0}}],
        "bufferViews": views, "accessors": accessors, "buffers": [{"byteLength": len(body)}],
    }
    if not skin:
        del gltf["skins"]
    if kind == "vrm1":
        binds = [{"node": body_node, "index": 0, "weight": 1.0}]
        gltf["extensions"] = {"VRMC_vrm": {
            "specVersion": "1.0",
            "humanoid": {"humanBones": {name: {"node": i} for i, name in enumerate(names)}},
            "expressions": {"preset": {"blinkLeft": {"morphTargetBinds": binds}}}}}
    if kind == "vrm0":
        gltf["extensions"] = {"VRM": {
            "specVersion": "0.0",
            "humanoid": {"humanBones": [{"bone": name, "node": i} for i, name in enumerate(names)]},
            "blendShapeMaster": {"blendShapeGroups": [
                {"name": "Blink_L", "presetName": "blink_l",
                 "binds": [{"mesh": 0, "index": 0, "weight": 100}]}]}}}
    gltf["extensionsUsed"] = list(gltf.get("extensions", {}))
    if not gltf["extensionsUsed"]:
        del gltf["extensionsUsed"]
    return glb(gltf, body)
