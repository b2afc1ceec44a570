"""The same GLB with its bytes packed by Meshopt or by Draco, in the plainest way that their formats
allow; for the tests of `view`."""

import struct

from small_person import glb, parts

GROUP = 16  # values of Meshopt that share a head
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
BYTES = {5121: 1, 5123: 2, 5125: 4, 5126: 4}
# Of Draco, by glTF's component types and attributes.
DATA_TYPES = {5121: 2, 5123: 4, 5125: 6, 5126: 9}
ATTRIBUTE_TYPES = {"POSITION": 0, "NORMAL": 1, "COLOR_0": 2, "TEXCOORD_0": 3}
GENERIC = 4


def bytes_of(document, body, accessor):
    """Of one accessor, and the size of one of its elements."""
    info = document["accessors"][accessor]
    view = document["bufferViews"][info["bufferView"]]
    return (body[view["byteOffset"]:view["byteOffset"] + view["byteLength"]],
            COMPONENTS[info["type"]] * BYTES[info["componentType"]])


def meshopt_attributes(data, stride):
    """Meshopt's vertex codec, version 0: differences of bytes in groups, none of them made smaller."""
    rows = [data[i:i + stride] for i in range(0, len(data), stride)]
    block = min(8192 // stride & ~(GROUP - 1), 256)
    out, last = bytearray(b"\xa0"), rows[0]
    for begin in range(0, len(rows), block):
        part = rows[begin:begin + block]
        groups = -(-len(part) // GROUP)
        for k in range(stride):
            values, before = bytearray(), last[k]
            for row in part:
                step = (row[k] - before + 128) % 256 - 128
                values.append(2 * step if step >= 0 else -2 * step - 1)
                before = row[k]
            out += b"\xff" * (-(-groups // 4)) + values.ljust(groups * GROUP, b"\0")
        last = part[-1]
    return bytes(out) + rows[0].rjust(32, b"\0")


def meshopt(data):
    document, body = parts(data)
    packed = bytearray()
    for accessor, info in enumerate(document["accessors"]):
        raw, stride = bytes_of(document, body, accessor)
        stream = meshopt_attributes(raw, stride)
        packed += b"\0" * (-len(packed) % 4)
        view = document["bufferViews"][info["bufferView"]]
        view["buffer"] = 1
        view["extensions"] = {"EXT_meshopt_compression": {
            "buffer": 0, "byteOffset": len(packed), "byteLength": len(stream), "byteStride": stride,
            "count": info["count"], "mode": "ATTRIBUTES"}}
        packed += stream
    document["buffers"] = [{"byteLength": len(packed)}, {"byteLength": len(body), "extensions": {
        "EXT_meshopt_compression": {"fallback": True}}}]
    document.setdefault("extensionsUsed", []).append("EXT_meshopt_compression")
    document["extensionsRequired"] = ["EXT_meshopt_compression"]
    return glb(document, bytes(packed))


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def draco(data):
    """Draco's sequential mesh with attributes as they are; corner k of all is point k."""
    document, body = parts(data)
    primitive = document["meshes"][0]["primitives"][0]
    points = document["accessors"][primitive["attributes"]["POSITION"]]["count"]
    out = b"DRACO" + struct.pack("<BBBBH", 2, 2, 1, 0, 0)
    out += varint(points // 3) + varint(points) + b"\1"
    out += struct.pack(f"<{points}{'B' if points < 256 else 'H'}", *range(points))
    heads, values, ids = b"", b"", {}
    for number, (name, accessor) in enumerate(primitive["attributes"].items()):
        info = document["accessors"][accessor]
        heads += struct.pack("<BBBB", ATTRIBUTE_TYPES.get(name, GENERIC),
                             DATA_TYPES[info["componentType"]], COMPONENTS[info["type"]], 0)
        heads += varint(number)
        values += bytes_of(document, body, accessor)[0]
        ids[name] = number
        del info["bufferView"]
    out += b"\1" + varint(len(ids)) + heads + bytes(len(ids)) + values
    body += b"\0" * (-len(body) % 4)
    document["bufferViews"].append({"buffer": 0, "byteOffset": len(body), "byteLength": len(out)})
    document["accessors"].append({"componentType": 5125, "count": points, "type": "SCALAR"})
    primitive["indices"] = len(document["accessors"]) - 1
    primitive["extensions"] = {"KHR_draco_mesh_compression": {
        "bufferView": len(document["bufferViews"]) - 1, "attributes": ids}}
    document["buffers"][0]["byteLength"] = len(body) + len(out)
    document.setdefault("extensionsUsed", []).append("KHR_draco_mesh_compression")
    document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    return glb(document, body + out)
