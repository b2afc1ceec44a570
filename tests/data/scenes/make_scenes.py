"""Writes two_people.usda and two_people.gltf: Anna and Bert at a table, a cup that moves, a camera.

Anna is 0.6 m to the left and faces right, Bert the other way round. Both raise their right forearms
in the same way, from 0.5 s to 1.5 s of 2 s. The cup slides towards Bert in that time.
"""

import base64
import json
import math
import struct
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# Joint, parent, translation; in a T-pose that faces +Z.
JOINTS = [
    ("Hips", None, (0, 0.95, 0)), ("Spine", "Hips", (0, 0.12, 0)), ("Chest", "Spine", (0, 0.18, 0)),
    ("Neck", "Chest", (0, 0.22, 0)), ("Head", "Neck", (0, 0.1, 0)),
    ("LeftUpperArm", "Chest", (0.18, 0.14, 0)), ("LeftLowerArm", "LeftUpperArm", (0.28, 0, 0)),
    ("LeftHand", "LeftLowerArm", (0.25, 0, 0)), ("RightUpperArm", "Chest", (-0.18, 0.14, 0)),
    ("RightLowerArm", "RightUpperArm", (-0.28, 0, 0)), ("RightHand", "RightLowerArm", (-0.25, 0, 0)),
    ("LeftUpperLeg", "Hips", (0.1, -0.05, 0)), ("LeftLowerLeg", "LeftUpperLeg", (0, -0.42, 0)),
    ("LeftFoot", "LeftLowerLeg", (0, -0.42, 0)), ("RightUpperLeg", "Hips", (-0.1, -0.05, 0)),
    ("RightLowerLeg", "RightUpperLeg", (0, -0.42, 0)), ("RightFoot", "RightLowerLeg", (0, -0.42, 0)),
]
PEOPLE = {"Anna": (-0.6, 90), "Bert": (0.6, -90)}  # x, degrees
FPS, TIMES = 24, (0, 12, 36, 48)                     # frames
DOWN = math.radians(70)
RAISED = (0, 0, math.radians(80), math.radians(80))  # of the forearm
CUP_X = (-0.2, -0.2, 0.2, 0.2)
EYE, YFOV = (0, 1.3, 4), 0.6
TABLE, CUP = (1.0, 0.74, 0.6), (0.08, 0.1, 0.08)


def path(joint):
    above = {name: parent for name, parent, _ in JOINTS}[joint]
    return joint if above is None else f"{path(above)}/{joint}"


def about(axis, angle):
    """A quaternion, w first."""
    return (math.cos(angle / 2), *(math.sin(angle / 2) * v for v in axis))


def pose(key):
    """The turn of each joint: arms down, the right forearm raised forwards."""
    turns = {name: (1, 0, 0, 0) for name, _, _ in JOINTS}
    turns["LeftUpperArm"] = about((0, 0, 1), -DOWN)
    turns["RightUpperArm"] = about((0, 0, 1), DOWN)
    turns["RightLowerArm"] = about((0, 1, 0), RAISED[key])
    return [turns[name] for name, _, _ in JOINTS]


def listed(tuples):
    return "[" + ", ".join("(" + ", ".join(f"{v:.6g}" for v in t) + ")" for t in tuples) + "]"


def person(name, x, turn_deg):
    def matrix(at):
        rows = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (*at, 1)]
        return "(" + ", ".join("(" + ", ".join(f"{v:.6g}" for v in row) + ")" for row in rows) + ")"

    places = {}
    for joint, parent, at in JOINTS:
        above = places.get(parent, (0, 0, 0))
        places[joint] = tuple(a + b for a, b in zip(above, at))
    joints = ", ".join(f'"{path(name)}"' for name, _, _ in JOINTS)
    rest = ", ".join(matrix(at) for _, _, at in JOINTS)
    bind = ", ".join(matrix(places[name]) for name, _, _ in JOINTS)
    turns = ",\n                ".join(f"{time}: {listed(pose(k))}" for k, time in enumerate(TIMES))
    return f"""
    def SkelRoot "{name}" (
        prepend apiSchemas = ["SkelBindingAPI"]
    )
    {{
        float xformOp:rotateY = {turn_deg}
        double3 xformOp:translate = ({x}, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY"]

        def Skeleton "Skeleton" (
            prepend apiSchemas = ["SkelBindingAPI"]
        )
        {{
            uniform token[] joints = [{joints}]
            uniform matrix4d[] bindTransforms = [{bind}]
            uniform matrix4d[] restTransforms = [{rest}]
            rel skel:animationSource = <../Animation>
        }}

        def SkelAnimation "Animation"
        {{
            uniform token[] joints = [{joints}]
            float3[] translations = {listed(at for _, _, at in JOINTS)}
            half3[] scales = {listed((1, 1, 1) for _ in JOINTS)}
            quatf[] rotations.timeSamples = {{
                {turns}
            }}
        }}
    }}
"""


def write_usda():
    cup = ", ".join(f"{time}: ({x}, {TABLE[1]}, 0)" for time, x in zip(TIMES, CUP_X))
    focal = 24 / 2 / math.tan(YFOV / 2)
    people = "".join(person(name, *place) for name, place in PEOPLE.items())
    text = f"""#usda 1.0
(
    defaultPrim = "Scene"
    endTimeCode = {TIMES[-1]}
    metersPerUnit = 1
    startTimeCode = 0
    timeCodesPerSecond = {FPS}
    upAxis = "Y"
)

def Xform "Scene"
{{{people}
    def Xform "Table"
    {{
        double3 xformOp:translate = (0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]

        def Cube "Top"
        {{
            double size = 1
            double3 xformOp:translate = (0, {TABLE[1] / 2}, 0)
            float3 xformOp:scale = {TABLE}
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        }}
    }}

    def Xform "Cup"
    {{
        double3 xformOp:translate.timeSamples = {{ {cup} }}
        uniform token[] xformOpOrder = ["xformOp:translate"]

        def Cylinder "Wall"
        {{
            uniform token axis = "Y"
            double height = {CUP[1]}
            double radius = {CUP[0] / 2}
            double3 xformOp:translate = (0, {CUP[1] / 2}, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}
    }}

    def Mesh "Wall"
    {{
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        point3f[] points = [(-3, 0, -2), (3, 0, -2), (3, 3, -2), (-3, 3, -2)]
    }}

    def Camera "main_cam"
    {{
        float focalLength = {focal * 0.01:.9g}
        float horizontalAperture = 0.36
        float verticalAperture = 0.24
        double3 xformOp:translate = {EYE}
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
}}
"""
    (FOLDER / "two_people.usda").write_text(text)


class Buffer:
    def __init__(self):
        self.bytes, self.views, self.accessors = b"", [], []

    def add(self, numbers, kind, bounds=False):
        flat = [v for n in numbers for v in (n if isinstance(n, (tuple, list)) else (n,))]
        data = struct.pack(f"<{len(flat)}f", *flat)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data
        accessor = {"bufferView": len(self.views) - 1, "componentType": 5126,
                    "count": len(numbers), "type": kind}
        if bounds:
            rows = [n if isinstance(n, (tuple, list)) else (n,) for n in numbers]
            floats = [struct.unpack("<f", struct.pack("<f", v))[0] for row in rows for v in row]
            width = len(rows[0])
            accessor["min"] = [min(floats[i::width]) for i in range(width)]
            accessor["max"] = [max(floats[i::width]) for i in range(width)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def box(low, high):
    x, y, z = zip(low, high)
    corners = [(x[i], y[j], z[k]) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return [corners[i] for a, b, c, d in faces for i in (a, b, c, a, c, d)]


def write_gltf():
    buffer, nodes, skins, meshes, animations, roots = Buffer(), [], [], [], [], []
    times = buffer.add([t / FPS for t in TIMES], "SCALAR", bounds=True)
    for name, (x, turn_deg) in PEOPLE.items():
        turn = about((0, 1, 0), math.radians(turn_deg))
        root = len(nodes)
        roots.append(root)
        nodes.append({"name": name, "translation": [x, 0, 0], "rotation": [*turn[1:], turn[0]],
                      "children": [root + 1]})
        places = {joint: root + 1 + i for i, (joint, _, _) in enumerate(JOINTS)}
        for joint, parent, at in JOINTS:
            nodes.append({"name": joint, "translation": list(at)})
            if parent is not None:
                nodes[places[parent]].setdefault("children", []).append(places[joint])
        skins.append({"name": name, "joints": list(places.values())})
        channels, samplers = [], []
        for i, (joint, _, _) in enumerate(JOINTS):
            turns = [(*pose(k)[i][1:], pose(k)[i][0]) for k in range(len(TIMES))]
            samplers.append({"input": times, "output": buffer.add(turns, "VEC4")})
            channels.append({"sampler": i, "target": {"node": places[joint], "path": "rotation"}})
        animations.append({"name": f"{name} at the table", "channels": channels,
                           "samplers": samplers})
    for name, size, at in (("Table", TABLE, (0, 0, 0)), ("Cup", CUP, (CUP_X[0], TABLE[1], 0)),
                           ("Wall", (6, 3, 0.01), (0, 0, -2))):
        low, high = (-size[0] / 2, 0, -size[2] / 2), (size[0] / 2, size[1], size[2] / 2)
        points = buffer.add(box(low, high), "VEC3", bounds=True)
        meshes.append({"primitives": [{"attributes": {"POSITION": points}}]})
        roots.append(len(nodes))
        nodes.append({"name": name, "translation": list(at), "mesh": len(meshes) - 1})
    cup = next(i for i, node in enumerate(nodes) if node["name"] == "Cup")
    moves = buffer.add([(x, TABLE[1], 0) for x in CUP_X], "VEC3")
    animations.append({"name": "Cup", "samplers": [{"input": times, "output": moves}],
                       "channels": [{"sampler": 0, "target": {"node": cup, "path": "translation"}}]})
    roots.append(len(nodes))
    nodes.append({"name": "Camera", "translation": list(EYE), "camera": 0})
    uri = "data:application/octet-stream;base64," + base64.b64encode(buffer.bytes).decode()
    file = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
            "skins": skins, "meshes": meshes, "animations": animations,
            "cameras": [{"type": "perspective", "perspective": {"yfov": YFOV, "znear": 0.1}}],
            "buffers": [{"uri": uri, "byteLength": len(buffer.bytes)}],
            "bufferViews": buffer.views, "accessors": buffer.accessors}
    (FOLDER / "two_people.gltf").write_text(json.dumps(file) + "\n")


if __name__ == "__main__":
    write_usda()
    write_gltf()
