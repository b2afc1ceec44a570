"""Writes a person as one GLB file, small: positions and offsets of shapes as int16 on one grid,
normals as int8, offsets only where there are any.

Skinned meshes have no transform of their own in glTF, so the grid's scale and offset go into the
inverse bind matrices, as KHR_mesh_quantization foresees. The same input gives the same bytes.
"""
import json
import struct

import numpy as np

from mesh import normals_of, triangles_of

FLOAT, UINT16, UINT8, INT16, INT8 = 5126, 5123, 5121, 5122, 5120
SMALLEST_M = 0.00006        # an offset of a shape that nobody sees
SMALLEST_TURN = 3           # of a normal, in 127ths


class Writer:
    def __init__(self, rig):
        self._rig = rig
        self._loose, self._springs = [], None
        self._bytes = bytearray()
        self._json = {"asset": {"version": "2.0", "generator": "Posewire characters"}, "scene": 0,
                      "scenes": [{"nodes": [0]}], "nodes": [], "meshes": [], "skins": [],
                      "accessors": [], "bufferViews": [], "materials": [], "textures": [],
                      "images": [], "samplers": [{"magFilter": 9729, "minFilter": 9987}],
                      "extensionsUsed": ["KHR_mesh_quantization"],
                      "extensionsRequired": ["KHR_mesh_quantization"]}

    def _view(self, data, target=None, stride=None):
        self._bytes += bytes(-len(self._bytes) % 4)
        view = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": len(data)}
        if target:
            view["target"] = target
        if stride:
            view["byteStride"] = stride
        self._bytes += data
        self._json["bufferViews"].append(view)
        return len(self._json["bufferViews"]) - 1

    def _accessor(self, **members):
        self._json["accessors"].append(members)
        return len(self._json["accessors"]) - 1

    def _attribute(self, values, kind, type_name, normalized, low_high=False):
        """An array of points; rows are padded to four bytes."""
        row = values.shape[1] * values.itemsize
        pad = -row % 4 // values.itemsize
        padded = np.ascontiguousarray(np.pad(values, ((0, 0), (0, pad))))
        view = self._view(padded.tobytes(), 34962, padded.shape[1] * values.itemsize)
        members = {"bufferView": view, "componentType": kind, "count": len(values),
                   "type": type_name}
        if normalized:
            members["normalized"] = True
        if low_high:
            members |= {"min": values.min(0).tolist(), "max": values.max(0).tolist()}
        return self._accessor(**members)

    def _sparse(self, size, index, values, kind, normalized, index_view):
        members = {"componentType": kind, "count": size, "type": "VEC3"}
        if normalized:
            members["normalized"] = True
        low = np.minimum(values.min(0), 0) if len(values) < size else values.min(0)
        high = np.maximum(values.max(0), 0) if len(values) < size else values.max(0)
        members |= {"min": low.tolist(), "max": high.tolist()}
        members["sparse"] = {
            "count": len(index),
            "indices": {"bufferView": index_view, "componentType": UINT16},
            "values": {"bufferView": self._view(np.ascontiguousarray(values).tobytes())}}
        return self._accessor(**members)

    def texture(self, png):
        """A picture's bytes; gives the texture's index."""
        self._json["images"].append({"bufferView": self._view(png), "mimeType": "image/png"})
        self._json["textures"].append({"source": len(self._json["images"]) - 1, "sampler": 0})
        return len(self._json["textures"]) - 1

    def material(self, name, color=(1, 1, 1), roughness=0.8, texture=None, both_sides=False,
                 normal=None, glow=None):
        """`glow` (3,): the share of the texture's colour that it emits by itself."""
        pbr = {"baseColorFactor": [round(float(c), 4) for c in color] + [1.0],
               "metallicFactor": 0.0, "roughnessFactor": roughness}
        if texture is not None:
            pbr["baseColorTexture"] = {"index": texture}
        material = {"name": name, "pbrMetallicRoughness": pbr}
        if normal is not None:
            material["normalTexture"] = {"index": normal}
        if glow:
            material |= {"emissiveFactor": list(glow), "emissiveTexture": {"index": texture}}
        if both_sides:
            material["doubleSided"] = True
        self._json["materials"].append(material)

    def _skeleton(self):
        nodes = self._json["nodes"]
        for name, local in zip(self._rig.names, self._rig.local):
            nodes.append({"name": name, "translation": [round(float(x), 6) for x in local]})
        for joint, parent in enumerate(self._rig.parents):
            if parent >= 0:
                nodes[parent].setdefault("children", []).append(joint)

    def _skin(self):
        self._json["skins"].append({"name": "person", "skeleton": 0,
                                    "inverseBindMatrices": self._bind(self._rig.world),
                                    "joints": list(range(len(self._rig)))})

    def _bind(self, places):
        """The inverse bind matrices of joints (n, 3): from the grid to metres from the joint."""
        matrices = np.tile(np.eye(4), (len(places), 1, 1))
        matrices[:, 0, 0] = matrices[:, 1, 1] = matrices[:, 2, 2] = self._scale
        matrices[:, :3, 3] = self._center - places
        view = self._view(matrices.transpose(0, 2, 1).astype("<f4").tobytes())
        return self._accessor(bufferView=view, componentType=FLOAT, count=len(places), type="MAT4")

    def hang(self, bones, skull):
        """Adds the joints of hair below the joint `skull`; meshes of the material hair hang on these,
        the skull first."""
        self._loose, self._skull = bones.joints(), skull
        self._springs = bones.extension(len(self._rig))

    def _loose_skin(self):
        """The second skin, and the nodes of its joints, next after those of the rig."""
        nodes, places = self._json["nodes"], [self._rig.world[self._skull]]
        for name, place, parent in self._loose:
            above = self._skull if parent is None else len(self._rig) + parent
            nodes[above].setdefault("children", []).append(len(nodes))
            start = places[0] if parent is None else places[1 + parent]
            local = [round(float(x), 6) for x in place - start]
            nodes.append({"name": name, "translation": local})
            places.append(start + local)                # so that rounding does not add up
        first, bind = len(self._rig), self._bind(np.array(places))
        self._json["skins"].append({
            "name": "hair", "skeleton": self._skull, "inverseBindMatrices": bind,
            "joints": [self._skull, *range(first, first + len(self._loose))]})
        self._json["extensionsUsed"].append("VRMC_springBone")
        self._json["extensions"] = {"VRMC_springBone": self._springs}

    def _mesh(self, part):
        size = len(part.points)
        if size > 65535:
            raise ValueError(f"{part.name} has {size} points; 65535 is the most")
        tris = triangles_of(part.faces)
        grid = np.round((part.points - self._center) / self._scale * 32767)
        same = part.extra.get("same")
        same = None if same is None else same.astype(np.int64)
        normals = part.extra.get("normals")
        if normals is None:
            normals = normals_of(part.points, part.faces, same)
        turned = np.round(normals * 127).astype(np.int64)
        attributes = {
            "POSITION": self._attribute(grid.astype("<i2"), INT16, "VEC3", True, True),
            "NORMAL": self._attribute(turned.astype("i1"), INT8, "VEC3", True)}
        if part.uv is not None:
            uv = np.round(np.clip(part.uv, 0, 1) * 65535).astype("<u2")
            attributes["TEXCOORD_0"] = self._attribute(uv, UINT16, "VEC2", True)
        if part.colors is not None:
            rgba = np.hstack([np.clip(part.colors, 0, 1), np.ones((size, 1))])
            attributes["COLOR_0"] = self._attribute(np.round(rgba * 255).astype("u1"), UINT8,
                                                    "VEC4", True)
        joints, shares = four_joints(part.weights)
        attributes["JOINTS_0"] = self._attribute(joints.astype("u1"), UINT8, "VEC4", False)
        attributes["WEIGHTS_0"] = self._attribute(shares.astype("u1"), UINT8, "VEC4", True)
        index = self._view(tris.astype("<u2").tobytes(), 34963)
        primitive = {"attributes": attributes,
                     "indices": self._accessor(bufferView=index, componentType=UINT16,
                                               count=tris.size, type="SCALAR"),
                     "material": self._material_index(part.material)}
        mesh = {"name": part.name, "primitives": [primitive]}
        names, targets = [], []
        for name, offsets in part.targets.items():
            target = self._target(part, name, offsets, grid, normals, same)
            if target:
                names.append(name)
                targets.append(target)
        if names:
            primitive["targets"] = targets
            mesh["weights"] = [0] * len(names)
            mesh["extras"] = {"targetNames": names}
        self._json["meshes"].append(mesh)
        return len(self._json["meshes"]) - 1

    def _target(self, part, name, offsets, grid, normals, same):
        moved = np.linalg.norm(offsets, axis=1) > SMALLEST_M
        if not moved.any():
            return None
        shifted = np.round((part.points + offsets - self._center) / self._scale * 32767) - grid
        if name in part.turns:
            turn = np.round(part.turns[name] * 127)
        else:
            turn = np.round((normals_of(part.points + offsets, part.faces, same) - normals) * 127)
        index = np.nonzero(moved)[0]
        view = self._view(index.astype("<u2").tobytes())
        target = {"POSITION": self._sparse(len(part.points), index, shifted[index].astype("<i2"),
                                           INT16, True, view)}
        turned = np.abs(turn).max(1) >= SMALLEST_TURN
        if turned.any():
            index = np.nonzero(turned)[0]
            view = self._view(index.astype("<u2").tobytes())
            target["NORMAL"] = self._sparse(len(part.points), index,
                                            np.clip(turn[index], -127, 127).astype("i1"), INT8,
                                            True, view)
        return target

    def _material_index(self, name):
        for index, material in enumerate(self._json["materials"]):
            if material["name"] == name:
                return index
        raise KeyError(f"no material {name}")

    def write(self, parts, extras):
        """The bytes of the file. Materials and textures have been added before."""
        everything = np.concatenate([p.points for p in parts])
        low, high = everything.min(0) - 0.12, everything.max(0) + 0.12  # shapes reach beyond
        self._center, self._scale = (low + high) / 2, float((high - low).max() / 2)
        self._skeleton()
        self._skin()
        if self._loose:
            self._loose_skin()
        for part in parts:
            skin = 1 if self._loose and part.material == "hair" else 0
            node = {"name": part.name, "mesh": self._mesh(part), "skin": skin}
            self._json["nodes"].append(node)
            self._json["scenes"][0]["nodes"].append(len(self._json["nodes"]) - 1)
        self._json["extras"] = {"posewire": extras}
        self._bytes += bytes(-len(self._bytes) % 4)
        self._json["buffers"] = [{"byteLength": len(self._bytes)}]
        text = json.dumps({k: v for k, v in self._json.items() if v != []},
                          separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        size = 12 + 8 + len(text) + 8 + len(self._bytes)
        return (struct.pack("<III", 0x46546C67, 2, size) + struct.pack("<II", len(text), 0x4E4F534A)
                + text + struct.pack("<II", len(self._bytes), 0x004E4942) + bytes(self._bytes))


def four_joints(weights):
    """The four greatest weights of each point as joints and 255ths that sum to 255."""
    weights = np.pad(weights, ((0, 0), (0, max(0, 4 - weights.shape[1]))))
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    shares = np.take_along_axis(weights, joints, 1)
    shares = shares / shares.sum(1, keepdims=True) * 255
    whole = np.floor(shares)
    missing = (255 - whole.sum(1)).astype(int)
    order = np.argsort(-(shares - whole), axis=1, kind="stable")
    for k in range(4):
        rows = missing > k
        whole[rows, order[rows, k]] += 1
    return np.where(whole > 0, joints, 0), whole
