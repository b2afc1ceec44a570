"""A VRM animation, and legal mutations of its own (VRMC_vrm_animation 1.0), besides glTF's."""

import base64
import json
import struct

import mutations
from field import CASES

IDENTITY = [0.0, 0.0, 0.0, 1.0]


def vrma():
    """Bones that turn, expressions (a preset, ARKit's and one of its own) and eyes that look."""
    whole = (CASES / "19-vrma-turned-rest" / "plain.vrma").read_bytes()
    model = json.loads(whole[20:20 + struct.unpack_from("<I", whole, 12)[0]])
    data = base64.b64decode(model["buffers"][0]["uri"].split(",", 1)[1])
    animation, extension = model["animations"][0], model["extensions"]["VRMC_vrm_animation"]
    expressions = extension.setdefault("expressions", {})

    def add(name, path, kind, values):
        nonlocal data
        packed = struct.pack(f"<{len(values)}f", *values)
        model["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(data), "byteLength": len(packed)})
        data += packed
        model["accessors"].append({"bufferView": len(model["bufferViews"]) - 1, "count": 3,
                                   "componentType": 5126, "type": kind})
        model["nodes"].append({"name": name})
        model["scenes"][0]["nodes"].append(len(model["nodes"]) - 1)
        animation["samplers"].append({"input": 0, "output": len(model["accessors"]) - 1})
        animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": {
            "node": len(model["nodes"]) - 1, "path": path}})
        return {"node": len(model["nodes"]) - 1}

    custom = expressions.setdefault("custom", {})
    custom["BrowInnerUp"] = add("browInnerUp", "translation", "VEC3", [0, 0, 0, 0.5, 0, 0, 1, 0, 0])
    custom["Sparkle"] = add("sparkle", "translation", "VEC3", [0.25, 0, 0, 0, 0, 0, 0.75, 0, 0])
    extension["lookAt"] = add("look", "rotation", "VEC4",
                              [*IDENTITY, 0, 0.125, 0, 0.9921567, *IDENTITY])
    model["buffers"] = [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," +
                         base64.b64encode(data).decode()}]
    return model


def vrma_names(model, chance):
    """Bones are known by the extension: nodes may have any names, the same or none."""
    for node in model["nodes"]:
        how = chance.randrange(4)
        if how == 0:
            node.pop("name", None)
        elif how < 3:
            node["name"] = chance.choice(["Bone", "h\u00fcfte", "hips", "head", "a/b c", ""])


def vrma_between(model, chance):
    """A node that is no bone, and does not move, between two bones."""
    for node in chance.sample([n for n in model["nodes"] if n.get("children")], 3):
        child = chance.choice(node["children"])
        node["children"][node["children"].index(child)] = len(model["nodes"])
        model["nodes"].append({"name": "between", "children": [child]})


def vrma_extension(model, chance):
    """Members that nothing needs, and empty ones."""
    extension = model["extensions"]["VRMC_vrm_animation"]
    bones = extension["humanoid"]["humanBones"]
    for place in chance.sample([extension, extension["humanoid"], *bones.values(),
                                *extension["expressions"]["custom"].values()], 4):
        place["extras"] = chance.choice([{"by": "a program"}, [1], "text"])
        place["extensions"] = {"ACME_magic": {}}
    model["extensionsUsed"] = sorted({*model["extensionsUsed"], "ACME_magic"})


def vrma_required(model, _):
    model["extensionsRequired"] = ["VRMC_vrm_animation"]


def vrma_rests(model, chance):
    """Identity, left out or written."""
    defaults = {"translation": [0.0, 0.0, 0.0], "rotation": IDENTITY, "scale": [1.0, 1.0, 1.0]}
    for node in model["nodes"]:
        for what, value in defaults.items():
            if node.get(what) == value and chance.random() < 0.5:
                del node[what]
            elif what not in node and chance.random() < 0.5:
                node[what] = list(value)


def vrma_scenes(model, chance):
    """Which scene is shown is no matter of an animation."""
    how = chance.randrange(3)
    if how == 0:
        model.pop("scene", None)
    elif how == 1:
        model["scenes"].append({"name": "another", "nodes": []})
        del model["scenes"][-1]["nodes"]
    else:
        model["scenes"][0]["name"] = "a scene"


def vrma_more_animations(model, _):
    """The first one counts."""
    model["animations"][0]["name"] = "one"
    model["animations"].append({"name": "two", **json.loads(json.dumps(
        {k: v for k, v in model["animations"][0].items() if k != "name"}))})


VRMA = [*mutations.GLTF, vrma_names, vrma_between, vrma_extension, vrma_required, vrma_rests,
        vrma_scenes, vrma_more_animations]


def vrma_written(model, chance):
    _, written = mutations.gltf_written(model, chance)
    return "vrma", written
