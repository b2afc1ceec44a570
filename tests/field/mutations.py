"""Legal mutations of X3D, USD and glTF files: other ways to write the same scene, which standards
allow and other programs use. Each function takes a text and a random.Random and returns a text."""

import base64
import json
import re
import struct

# --- What several text formats share


def number_as(text, chance):
    """Another way to write a number."""
    value = float(text)
    ways = [text, repr(value), f"{value:.6e}", "+" + text if text[0] not in "+-" else text]
    if 0 < abs(value) < 1 and text.lstrip("+-").startswith("0."):
        ways.append(text.replace("0.", ".", 1))
    if "." in text and "e" not in text.lower():
        ways.append(text + "00")
    if value == int(value) and "." not in text and "e" not in text.lower():
        ways += [text + ".0", text + "."]
    return chance.choice([way for way in ways if float(way) == value])


NUMBER = r"(?<![\w.+-])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])"


def renumbered(text, chance, share=0.4):
    return re.sub(NUMBER, lambda m: number_as(m[0], chance) if chance.random() < share else m[0], text)


# --- X3D as XML (ISO/IEC 19776-1)


def attributes_of(tag):
    """The name, the (name, quoted value) pairs, and the end of an element's start."""
    name = re.match(r"<([\w-]+)", tag)[1]
    return name, re.findall(r"([\w:]+)\s*=\s*('[^']*'|\"[^\"]*\")", tag), "/>" if tag.endswith("/>") else ">"


def each_tag(text, chance, change, share=0.5):
    def one(match):
        if chance.random() >= share:
            return match[0]
        name, attributes, end = attributes_of(match[0])
        return change(name, attributes, end)
    return re.sub(r"<[A-Za-z][^<>]*>", one, text)


def start_of(name, attributes, end, space=" "):
    return "<" + name + "".join(f"{space}{n}={v}" for n, v in attributes) + end


def xml_order(text, chance):
    def change(name, attributes, end):
        chance.shuffle(attributes)
        return start_of(name, attributes, end)
    return each_tag(text, chance, change)


def xml_spaces(text, chance):
    return each_tag(text, chance, lambda name, attributes, end: start_of(
        name, [(n + chance.choice(["", " "]), v) for n, v in attributes],
        chance.choice(["", " ", "\n"]) + end, chance.choice([" ", "\n\t", "  "])))


def xml_quotes(text, chance):
    def other(value):
        inner, mark = value[1:-1], "'" if value[0] == '"' else '"'
        if mark in inner:
            inner = inner.replace(mark, "&quot;" if mark == '"' else "&apos;")
        return mark + inner + mark
    return each_tag(text, chance, lambda name, attributes, end: start_of(
        name, [(n, other(v)) for n, v in attributes], end))


def xml_references(text, chance):
    return each_tag(text, chance, lambda name, attributes, end: start_of(
        name, [(n, v.replace("-", "&#45;").replace("0", "&#x30;")) for n, v in attributes], end), 0.2)


def xml_numbers(text, chance):
    lists = {"key", "keyValue", "center", "rotation", "translation", "values", "cycleInterval",
             "displacements", "weight"}
    return each_tag(text, chance, lambda name, attributes, end: start_of(
        name, [(n, v[0] + renumbered(v[1:-1], chance) + v[0]) if n in lists and "&" not in v else (n, v)
               for n, v in attributes], end))


def xml_commas(text, chance):
    """Commas are white space in lists, and so are tabs and line ends."""
    def change(value):
        return re.sub(r"[ ,]+", lambda m: chance.choice([" ", ",", ", ", "\n", "\t", " , "]), value)
    return each_tag(text, chance, lambda name, attributes, end: start_of(
        name, [(n, v[0] + change(v[1:-1].strip()) + v[0]) if n in ("key", "keyValue", "values") else (n, v)
               for n, v in attributes], end))


def xml_ends(text, chance):
    """<Node/> and <Node></Node> are the same."""
    def change(name, attributes, end):
        if end != "/>":
            return start_of(name, attributes, end)
        return start_of(name, attributes, ">") + f"</{name}>"
    return each_tag(text, chance, change, 0.4)


def xml_defaults(text, chance):
    """Defaults that are written out, and attributes of style sheets."""
    more = {"HAnimJoint": [("scale", "'1 1 1'"), ("class", "'a'"), ("stiffness", "'0 0 0'")],
            "TimeSensor": [("enabled", "'true'"), ("startTime", "'0'"), ("id", "'c1'")],
            "HAnimMotion": [("enabled", "'true'"), ("containerField", "'motions'")],
            "HAnimHumanoid": [("scale", "'1 1 1'"), ("bboxSize", "'-1 -1 -1'"), ("visible", "'true'")],
            "OrientationInterpolator": [("containerField", "'children'")]}
    def change(name, attributes, end):
        have = {n for n, _ in attributes}
        extra = [pair for pair in more.get(name, []) if pair[0] not in have]
        return start_of(name, attributes + extra[:chance.randint(0, len(extra))], end)
    return each_tag(text, chance, change, 1)


def xml_less(text, chance):
    """What is a default or a matter of the head alone is left out."""
    return chance.choice([
        lambda t: re.sub(r"<head>.*?</head>", "", t, flags=re.S),
        lambda t: t.replace(' profile="Immersive"', "").replace(' version="4.0"', ""),
        lambda t: re.sub(r"<\?xml.*?\?>\s*", "", t),
        lambda t: t.replace(' containerField="children"', ""),
    ])(text)


def xml_comments(text, chance):
    what = ["<!-- a <Node/> -->", "<?hint a?>", "\n", "\t", "<!---->"]
    inside = re.search(r"<Scene\s*>", text).end()
    head, body = text[:inside], text[inside:]
    return head + re.sub(r">(?=\s*<)", lambda m: m[0] + (chance.choice(what) if chance.random() < 0.3
                                                         else ""), body)


def xml_frame(text, chance):
    doctype = ('<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 4.0//EN" '
               '"https://www.web3d.org/specifications/x3d-4.0.dtd">\n')
    return chance.choice([
        lambda t: re.sub(r"(<\?xml.*?\?>\s*)?<X3D", lambda m: (m[1] or "") + doctype + "<X3D", t, 1),
        lambda t: t.replace("<Scene>", "<Scene><Group>").replace("</Scene>", "</Group></Scene>"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t + "\n<!-- the end -->\n",
        lambda t: re.sub(r"<\?xml.*?\?>", "<?xml version='1.0' standalone='no'?>", t),
    ])(text)


def xml_routes(text, chance):
    """Routes in another order, and inside of a node."""
    routes = re.findall(r"<ROUTE[^>]*/>", text)
    text = re.sub(r"<ROUTE[^>]*/>\s*", "", text)
    chance.shuffle(routes)
    into = "".join(routes)
    return text.replace("</Scene>", chance.choice([into, f"<Group>{into}</Group>"]) + "</Scene>")


XML = [xml_order, xml_spaces, xml_quotes, xml_references, xml_numbers, xml_commas, xml_ends,
       xml_defaults, xml_less, xml_comments, xml_frame, xml_routes]

# --- X3D in the classic form (ISO/IEC 19776-2)

CLASSIC_TOKEN = re.compile(r'#[^\r\n]*|"(?:\\.|[^"\\])*"|[\[\]{}]|[^\s,\[\]{}"#]+')


def classic_tokens(text):
    """The first line, and the terminals of all others; a route's nodes and fields are apart."""
    first, rest = re.split(r"\r\n|\r|\n", text, maxsplit=1)
    out = []
    for token in CLASSIC_TOKEN.findall(rest):
        parts = re.match(r"^([A-Za-z_]\w*)([.:])(\w+)$", token)
        if token[0] != "#":
            out += [parts[1], parts[2], parts[3]] if parts else [token]
    return first, out


def classic_joined(first, tokens, space):
    """As few blanks as possible: `space` goes where there must be one."""
    out, before = "", "["
    for token in tokens:
        tight = before[-1] in "[]{}\"" or token[0] in "[]{}\"" or before in ".:" or token in ".:"
        out += ("" if tight else space) + token
        before = token
    return first + "\n" + out + "\n"


def classic_space(text, chance):
    first, tokens = classic_tokens(text)
    spaces = [" ", "\n", "\t", ", ", " , ", " # a { comment [\n", "\r\n", ",,"]
    return first + "\n" + "".join(t + chance.choice(spaces) for t in tokens)


def classic_tight(text, chance):
    first, tokens = classic_tokens(text)
    return classic_joined(first, tokens, chance.choice([" ", ",", "\n"]))


def classic_numbers(text, chance):
    first, tokens = classic_tokens(text)
    whole = re.compile(r"^" + NUMBER + r"$")
    head = {":"}
    return classic_joined(first, [number_as(t, chance) if whole.match(t) and tokens[i - 1] not in head and
                                  chance.random() < 0.4 else t for i, t in enumerate(tokens)], " ")


def classic_brackets(text, chance):
    """A list of one needs no brackets, and what holds a list may have them."""
    first, tokens = classic_tokens(text)
    out, i = [], 0
    while i < len(tokens):
        if tokens[i] == "[" and i + 2 < len(tokens) and tokens[i + 2] == "]" and chance.random() < 0.7:
            out.append(tokens[i + 1])
            i += 3
        else:
            out.append(tokens[i])
            i += 1
    return classic_joined(first, out, " ")


def classic_defaults(text, chance):
    more = {"HAnimJoint": "scale 1 1 1 children []", "TimeSensor": "enabled TRUE startTime 0",
            "HAnimHumanoid": "sites [] bboxSize -1 -1 -1"}
    first, tokens = classic_tokens(text)
    out = []
    for i, token in enumerate(tokens):
        out.append(token)
        if token == "{" and tokens[i - 1] in more and chance.random() < 0.5:
            words = more[tokens[i - 1]]
            if tokens[i - 1] == "HAnimJoint":
                words = "scale 1 1 1"
            out += CLASSIC_TOKEN.findall(words)
    return classic_joined(first, out, " ")


def classic_frame(text, chance):
    return chance.choice([
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: re.sub(r"^(#X3D V[\d.]+ utf8)", r"\1 by a program V1.2", t),
        lambda t: re.sub(r"COMPONENT\s+HAnim\s*:\s*\d+\n", "", t),
        lambda t: re.sub(r'META "[^"]*" "[^"]*"\n', "", t),
        lambda t: "\ufeff" + t,
        lambda t: t + "# the end",
        lambda t: re.sub(r"^#X3D V[\d.]+", "#X3D V3.3", t),
    ])(text)


CLASSIC = [classic_space, classic_tight, classic_numbers, classic_brackets, classic_defaults,
           classic_frame]

# --- USD as text


def usda_lines(text, chance, change, share=0.3):
    head, rest = text.split("\n", 1)
    return head + "\n" + "\n".join(change(line) if chance.random() < share else line
                                   for line in rest.split("\n"))


def usda_comments(text, chance):
    return usda_lines(text, chance, lambda line: chance.choice(
        [line + " # a { comment", "# def \"X\" {\n" + line, line + "\n", "\t" + line]))


def usda_spaces(text, chance):
    return usda_lines(text, chance, lambda line: chance.choice([
        re.sub(r" = ", "=", line), re.sub(r" = ", "  =   ", line),
        re.sub(r",(?=[\S])", ",  ", line), re.sub(r"\[(?=[(\d\"])", "[\n  ", line)]))


def usda_commas(text, chance):
    """A list may end with a comma."""
    return re.sub(r"(?<=[)\d\"])\s*\]", lambda m: ",]" if chance.random() < 0.4 else m[0], text)


def usda_numbers(text, chance):
    """Of reals: whole numbers stay."""
    def change(line):
        if not re.search(r"(float|point|quat|half|matrix|vector)\w*(\[\])?\s", line):
            return line
        at = line.index("=") if "=" in line else 0
        ways = renumbered(line[at:], chance)
        return line[:at] + re.sub(r"(?<![\w.])\+", "", re.sub(r"(\d)\.(?=[,)\]])", r"\1", ways))
    return usda_lines(text, chance, change, 0.5)


def usda_quotes(text, chance):
    return re.sub(r'"([^"\n]*)"', lambda m: chance.choice([m[0], f"'{m[1]}'", f'"""{m[1]}"""'])
                  if chance.random() < 0.4 else m[0], text) if '"""' not in text else text


def usda_order(text, chance):
    """Attributes of the animation in another order, its samples too."""
    def swap(match):
        lines = match[2].strip("\n").split("\n")
        chance.shuffle(lines)
        return match[1] + "\n" + "\n".join(lines) + "\n" + match[3]
    return re.sub(r'(def SkelAnimation "Anim"\s*\{\n)(.*?)(\n\s*\})', swap, text, 1, flags=re.S)


def usda_metadata(text, chance):
    return chance.choice([
        lambda t: t.replace('upAxis = "Y"', 'upAxis = "Y"\n    doc = "a (text) {"'),
        lambda t: t.replace("metersPerUnit = 1", "metersPerUnit = 1.0\n    customLayerData = {\n"
                            "        string by = \"a program\"\n        int[] n = [1, 2]\n    }"),
        lambda t: t.replace('    defaultPrim = "Char"\n', ""),
        lambda t: t.replace("    timeCodesPerSecond = 24\n", ""),
        lambda t: t.replace("    startTimeCode = 0\n    endTimeCode = 24\n", ""),
        lambda t: t.replace('def SkelAnimation "Anim"', 'def SkelAnimation "Anim" (\n'
                            '  kind = "x"\n  customData = { bool b = 1 }\n)'),
    ])(text)


def usda_types(text, chance):
    return chance.choice([
        lambda t: t.replace("uniform token[] joints", "token[] joints"),
        lambda t: t.replace("float3[] translations", "vector3f[] translations"),
        lambda t: t.replace("rel skel:animationSource = </Char/Anim>",
                            "rel skel:animationSource = [</Char/Anim>]"),
        lambda t: t.replace("rel skel:animationSource = </Char/Anim>",
                            "rel skel:animationSource = <../Anim>"),
        lambda t: t.replace("rel skel:animationSource", "prepend rel skel:animationSource"),
        lambda t: t.replace("float[] blendShapeWeights", "custom float[] other = [1]\n"
                            "float[] blendShapeWeights"),
    ])(text)


def usda_frame(text, chance):
    return chance.choice([
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t + '\nover "Other" {\n  int x = 1\n}\nclass "_K" {\n  float y\n}\n',
        lambda t: t.replace("#usda 1.0\n", "#usda 1.0\n# by a program\n\n", 1),
        lambda t: t + "# the end",
        lambda t: t.replace('def Mesh "Tube"', 'def Scope "Empty" {\n}\ndef Mesh "Tube"'),
    ])(text)


USDA = [usda_comments, usda_spaces, usda_commas, usda_numbers, usda_quotes, usda_order, usda_metadata,
        usda_types, usda_frame]

# --- glTF


def shuffled(value, chance):
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {k: shuffled(value[k], chance) for k in keys}
    return [shuffled(v, chance) for v in value] if isinstance(value, list) else value


def moved(model, what, order):
    """model[what] in another order: the new list has model[what][order[i]] at i."""
    model[what] = [model[what][i] for i in order]
    return {old: new for new, old in enumerate(order)}


def gltf_members(model, chance):
    model.update(shuffled(model, chance))


def gltf_views(model, chance):
    """Accessors and views in another order."""
    to = moved(model, "accessors", chance.sample(range(len(model["accessors"])), len(model["accessors"])))
    for mesh in model.get("meshes", []):
        for primitive in mesh["primitives"]:
            primitive["attributes"] = {k: to[v] for k, v in primitive["attributes"].items()}
            if "indices" in primitive:
                primitive["indices"] = to[primitive["indices"]]
            for target in primitive.get("targets", []):
                target.update({k: to[v] for k, v in target.items()})
    for skin in model.get("skins", []):
        skin["inverseBindMatrices"] = to[skin["inverseBindMatrices"]]
    for animation in model.get("animations", []):
        for sampler in animation["samplers"]:
            sampler["input"], sampler["output"] = to[sampler["input"]], to[sampler["output"]]
    to = moved(model, "bufferViews",
               chance.sample(range(len(model["bufferViews"])), len(model["bufferViews"])))
    for accessor in model["accessors"]:
        accessor["bufferView"] = to[accessor["bufferView"]]


def gltf_nodes(model, chance):
    """Nodes in another order, and one that is of no use. Names stay."""
    model["nodes"].append({"name": "of_no_use", "camera": 0})
    model["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]
    to = moved(model, "nodes", chance.sample(range(len(model["nodes"])), len(model["nodes"])))
    for node in model["nodes"]:
        if "children" in node:
            node["children"] = [to[c] for c in node["children"]]
    for scene in model["scenes"]:
        scene["nodes"] = [to[n] for n in scene["nodes"]]
    for skin in model.get("skins", []):
        skin["joints"] = [to[j] for j in skin["joints"]]
    for animation in model.get("animations", []):
        for channel in animation["channels"]:
            channel["target"]["node"] = to[channel["target"]["node"]]
    animation = model.get("extensions", {}).get("VRMC_vrm_animation", {})
    expressions = animation.get("expressions", {})
    for named in (animation.get("humanoid", {}).get("humanBones", {}), expressions.get("preset", {}),
                  expressions.get("custom", {}), {"": animation["lookAt"]} if "lookAt" in animation else {}):
        for place in named.values():
            place["node"] = to[place["node"]]


def gltf_channels(model, chance):
    for animation in model.get("animations", []):
        to = moved(animation, "samplers",
                   chance.sample(range(len(animation["samplers"])), len(animation["samplers"])))
        for channel in animation["channels"]:
            channel["sampler"] = to[channel["sampler"]]
        chance.shuffle(animation["channels"])


def gltf_defaults(model, chance):
    for accessor in model["accessors"]:
        if chance.random() < 0.5:
            accessor.setdefault("byteOffset", 0)
            accessor.setdefault("normalized", False)
    for animation in model.get("animations", []):
        for sampler in animation["samplers"]:
            if chance.random() < 0.5:
                sampler.setdefault("interpolation", "LINEAR")
    for mesh in model.get("meshes", []):
        for primitive in mesh["primitives"]:
            primitive.setdefault("mode", 4)
    for node in model["nodes"]:
        if "matrix" not in node and chance.random() < 0.3:
            node.setdefault("scale", [1, 1, 1])
            node.setdefault("rotation", [0, 0, 0, 1])


def gltf_extras(model, chance):
    """Extras may be anything, and extensions that nothing requires are left aside."""
    anything = [{"a": [1, None]}, "text", 7, [1, 2], True]
    places = [model, *model["nodes"], *model.get("meshes", []), *model.get("animations", []),
              *model["accessors"], *model.get("skins", [])]
    for place in chance.sample(places, min(4, len(places))):
        if "targetNames" not in (place.get("extras") or {}):
            place["extras"] = chance.choice(anything)
    model["extensionsUsed"] = sorted({*model.get("extensionsUsed", []), "ACME_magic"})
    model["extensions"] = {**model.get("extensions", {}), "ACME_magic": {"x": 1}}
    model["asset"].update({"generator": "a program", "minVersion": "2.0"})


GLTF = [gltf_members, gltf_views, gltf_nodes, gltf_channels, gltf_defaults, gltf_extras]


def gltf_written(model, chance):
    """As JSON or as a GLB, in one of the ways in which programs write it: (ending, bytes)."""
    if chance.random() < 0.5:
        text = json.dumps(model, indent=chance.choice([None, 1, "\t"]),
                          ensure_ascii=chance.random() < 0.5,
                          separators=chance.choice([None, (",", ":"), (" , ", " : ")]))
        mime = chance.choice(["application/octet-stream", "application/gltf-buffer"])
        return "gltf", re.sub(r"data:application/[\w-]+;base64", f"data:{mime};base64", text).encode()
    model = json.loads(json.dumps(model))
    buffer = model["buffers"][0]
    binary = base64.b64decode(buffer.pop("uri").split(",", 1)[1])
    binary += b"\0" * (-len(binary) % 4)
    text = json.dumps(model).encode()
    text += b" " * (-len(text) % 4 + chance.choice([0, 4, 400]))
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0")
    chunks += binary
    if chance.random() < 0.5:  # chunks that nobody knows are left aside
        chunks += struct.pack("<I4s", 8, b"ACME") + b"12345678"
    return "glb", struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
