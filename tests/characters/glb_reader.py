"""Reads a character's GLB into numpy arrays, and poses it as a renderer would."""
import json
import struct

import numpy as np

TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5126: np.float32}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Mesh:
    """One primitive: points on the file's grid at rest, normals, triangles, joints, weights, material,
    offsets and turns of normals by shape, texture coordinates or None."""


class Character:
    def __init__(self, data):
        magic, version, size = struct.unpack_from("<III", data)
        assert (magic, version, size) == (0x46546C67, 2, len(data))
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + length])
        self._bytes = data[28 + length:]
        self.extras = self.json["extras"]["posewire"]
        # The joints of all skins, those of the first one, the rig's, first.
        nodes = list(dict.fromkeys(n for skin in self.json["skins"] for n in skin["joints"]))
        self.nodes, self.own = nodes, len(self.json["skins"][0]["joints"])
        self.joints = [self.json["nodes"][n]["name"] for n in nodes]
        self.parents = np.full(len(self.joints), -1)
        for at, node in enumerate(nodes):
            for child in self.json["nodes"][node].get("children", []):
                self.parents[nodes.index(child)] = at
        self.local = np.array([self.json["nodes"][n]["translation"] for n in nodes])
        self.bind = np.empty((len(nodes), 4, 4))
        for skin in self.json["skins"]:
            self.bind[[nodes.index(n) for n in skin["joints"]]] = self._read(
                skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        self.rest = self.world({})
        self.meshes = {}
        for node in self.json["nodes"]:
            if "mesh" in node:
                self.meshes[node["name"]] = self._mesh(
                    self.json["meshes"][node["mesh"]], self.json["skins"][node["skin"]])

    def _view(self, index, kind, count, width, offset=0):
        view = self.json["bufferViews"][index]
        item = np.dtype(kind).itemsize * width
        stride = view.get("byteStride", item)
        start = view.get("byteOffset", 0) + offset
        rows = np.lib.stride_tricks.as_strided(
            np.frombuffer(self._bytes, np.uint8, (count - 1) * stride + item, start),
            (count, item), (stride, 1))
        return np.ascontiguousarray(rows).view(kind).reshape(count, width)

    def _read(self, index):
        accessor = self.json["accessors"][index]
        kind, count = TYPES[accessor["componentType"]], accessor["count"]
        width = WIDTH[accessor["type"]]
        if "bufferView" in accessor:
            values = self._view(accessor["bufferView"], kind, count, width,
                                accessor.get("byteOffset", 0)).astype(float)
        else:
            values = np.zeros((count, width))
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            at = self._view(sparse["indices"]["bufferView"],
                            TYPES[sparse["indices"]["componentType"]], sparse["count"], 1)
            values[at[:, 0]] = self._view(sparse["values"]["bufferView"], kind, sparse["count"],
                                          width)
        if accessor.get("normalized"):
            values = np.maximum(values / np.iinfo(kind).max, -1)
        return values

    def picture(self, texture):
        """The bytes of a texture's PNG."""
        image = self.json["images"][self.json["textures"][texture]["source"]]
        view = self.json["bufferViews"][image["bufferView"]]
        start = view.get("byteOffset", 0)
        return self._bytes[start:start + view["byteLength"]]

    def _mesh(self, mesh, skin):
        primitive, out = mesh["primitives"][0], Mesh()
        read = {name: self._read(at) for name, at in primitive["attributes"].items()}
        own = np.array([self.nodes.index(n) for n in skin["joints"]])
        out.points, out.joints = read["POSITION"], own[read["JOINTS_0"].astype(int)]
        out.weights = np.round(read["WEIGHTS_0"] * 255).astype(int)
        out.triangles = self._read(primitive["indices"]).astype(int).reshape(-1, 3)
        out.material = self.json["materials"][primitive["material"]]
        out.normals, out.uv = read["NORMAL"], read.get("TEXCOORD_0")
        named = list(zip(mesh.get("extras", {}).get("targetNames", []), primitive.get("targets", [])))
        out.targets = {name: self._read(target["POSITION"]) for name, target in named}
        out.turns = {name: self._read(target["NORMAL"]) for name, target in named if "NORMAL" in target}
        return out

    def shown(self, look=None):
        """The names of the meshes that are shown, with choices by part."""
        hidden = set()
        for part in self.extras["variants"]:
            chosen = (look or {}).get(part["part"], part["choices"][0]["name"])
            for choice in part["choices"]:
                if choice["name"] != chosen:
                    hidden |= set(choice.get("nodes", []))
        return [name for name in self.meshes if name not in hidden]

    def world(self, turns):
        """The joints' matrices (j, 4, 4) for turns (3, 3) by name of joint."""
        out = np.tile(np.eye(4), (len(self.joints), 1, 1))
        for joint, name in enumerate(self.joints):
            own = np.eye(4)
            own[:3, :3] = turns.get(name, np.eye(3))
            own[:3, 3] = self.local[joint]
            parent = self.parents[joint]
            out[joint] = own if parent < 0 else out[parent] @ own
        return out

    def shape_weights(self, shapes, turns):
        """Weights by target: in-betweens and correctives put in, as the extras say."""
        out = dict(shapes)
        for between in self.extras["inbetweens"]:
            value, at = shapes.get(between["shape"], 0), between["at"]
            low = value < at
            out[between["target"]] = value / at if low else (1 - value) / (1 - at)
            out[between["shape"]] = 0 if low else (value - at) / (1 - at)
        for corrective in self.extras["correctives"]:
            if "shapes" in corrective:
                product = float(np.prod([shapes.get(shape, 0) for shape in corrective["shapes"]]))
                out[corrective["target"]] = product
                continue
            turn = turns.get(corrective["joint"])
            if turn is None:
                continue
            degrees = np.degrees(turn_about(turn, corrective["axis"]))
            low, high = corrective["from_deg"], corrective["to_deg"]
            out[corrective["target"]] = float(np.clip((degrees - low) / (high - low), 0, 1))
        return out

    def posed(self, name, shapes=None, turns=None):
        """The points of a mesh in metres."""
        mesh, turns = self.meshes[name], turns or {}
        points = mesh.points.copy()
        for target, weight in self.shape_weights(shapes or {}, turns).items():
            if weight and target in mesh.targets:
                points += weight * mesh.targets[target]
        matrices = self.world(turns) @ self.bind
        blended = (mesh.weights[..., None, None] / 255 * matrices[mesh.joints]).sum(1)
        points = np.concatenate([points, np.ones((len(points), 1))], axis=1)
        return np.einsum("nab,nb->na", blended, points)[:, :3]

    def facing(self, name, shapes=None, turns=None):
        """The normals of a mesh, as `posed` has its points."""
        mesh, turns = self.meshes[name], turns or {}
        normals = mesh.normals.copy()
        for target, weight in self.shape_weights(shapes or {}, turns).items():
            if weight and target in mesh.turns:
                normals += weight * mesh.turns[target]
        matrices = (self.world(turns) @ self.bind)[:, :3, :3]
        blended = (mesh.weights[..., None, None] / 255 * matrices[mesh.joints]).sum(1)
        normals = np.einsum("nab,nb->na", blended, normals)
        return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)


def turn_about(turn, axis):
    """The part of a turn (3, 3) that is about an axis, radians: as the renderers take it."""
    angle = np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
    if angle < 1e-6:
        return 0.0
    _, vectors = np.linalg.eigh((turn + turn.T) / 2)    # the axis keeps its place: the largest value
    way = vectors[:, 2]
    sine = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    way = way if way @ sine >= 0 else -way
    return 2 * np.arctan2(np.sin(angle / 2) * (way @ axis), np.cos(angle / 2))
