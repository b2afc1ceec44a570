"""Legal mutations of captures of VMC: other ways to write the same OSC messages (OSC 1.0 and 1.1),
and the same capture. A capture is {"datagrams": [{"time", "packet"}], and how its JSON is written}.
A packet is a message ["m", address, types, arguments] or a bundle ["b", time tag, packets]."""

import base64
import copy
import json
import math
import struct

RATE_HZ, FRAMES = 64, 48
BONES = {"Hips": (0, 0.96, 0), "Spine": (0, 0.08, 0), "Chest": (0, 0.12, 0), "Neck": (0, 0.22, 0),
         "Head": (0, 0.08, 0), "LeftUpperArm": (-0.13, 0.18, 0), "LeftLowerArm": (-0.24, 0, 0),
         "RightUpperArm": (0.13, 0.18, 0), "RightLowerArm": (0.24, 0, 0),
         "LeftUpperLeg": (-0.08, -0.08, 0), "LeftLowerLeg": (0, -0.4, 0), "LeftFoot": (0, -0.42, 0),
         "RightUpperLeg": (0.08, -0.08, 0), "RightLowerLeg": (0, -0.4, 0),
         "RightFoot": (0, -0.42, 0)}
IMMEDIATELY = 1


def of_32_bits(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def capture():
    """A performer who turns its arms and head and opens its mouth, a bundle a frame."""
    datagrams = []
    for k in range(FRAMES):
        t = k / RATE_HZ
        packets = [["m", "/VMC/Ext/OK", "i", [1]], ["m", "/VMC/Ext/T", "f", [t]],
                   ["m", "/VMC/Ext/Root/Pos", "sfffffff", ["root", *[0.0] * 6, 1.0]]]
        for i, (bone, at) in enumerate(BONES.items()):
            half = 0.25 * math.sin(3 * t + i) if i > 2 else 0.0
            turn = [0.0, math.sin(half), 0.0, math.cos(half)]
            packets.append(["m", "/VMC/Ext/Bone/Pos", "sfffffff",
                            [bone, *map(of_32_bits, [*at, *turn])]])
        for i, name in enumerate(("JawOpen", "BrowInnerUp", "MouthSmileLeft")):
            packets.append(["m", "/VMC/Ext/Blend/Val", "sf",
                            [name, of_32_bits(0.5 + 0.5 * math.sin(4 * t + i))]])
        packets.append(["m", "/VMC/Ext/Blend/Apply", "", []])
        datagrams.append({"time": t, "packet": ["b", IMMEDIATELY, packets]})
    return {"datagrams": datagrams, "lines": {}}


# --- Bytes


def osc_text(text):
    data = text.encode() + b"\0"
    return data + b"\0" * (-len(data) % 4)


def osc_argument(kind, value):
    if kind in "sS":
        return osc_text(value)
    if kind == "b":
        return struct.pack(">i", len(value)) + value + b"\0" * (-len(value) % 4)
    form = {"i": ">i", "f": ">f", "d": ">d", "h": ">q", "t": ">Q", "m": ">I"}.get(kind)
    return struct.pack(form, value) if form else b""


def osc_bytes(packet):
    if packet[0] == "b":
        inner = [osc_bytes(p) for p in packet[2]]
        return b"#bundle\0" + struct.pack(">Q", packet[1]) + b"".join(
            struct.pack(">i", len(p)) + p for p in inner)
    _, address, types, arguments = packet
    tags = b"" if types is None else osc_text("," + types)
    return osc_text(address) + tags + b"".join(map(osc_argument, types or "", arguments))


def written_capture(capture, chance):
    style = capture["lines"]
    lines = []
    for datagram in capture["datagrams"]:
        members = [("time", datagram["time"]),
                   ("buffer", base64.b64encode(osc_bytes(datagram["packet"])).decode())]
        members += style.get("more", [])
        if style.get("moved"):
            chance.shuffle(members)
        line = json.dumps(dict(members), indent=style.get("indent"),
                          separators=style.get("separators"))
        lines.append(line.replace("/", "\\/") if style.get("escaped") else line)
    text = style.get("between", "\n").join(lines)
    return "jsonl", (style.get("front", "") + text + style.get("back", "\n")).encode()


# --- OSC


def messages_in(packet):
    if packet[0] == "m":
        return [packet]
    return [m for p in packet[2] for m in messages_in(p)]


def each_message(capture, change):
    for datagram in capture["datagrams"]:
        for message in messages_in(datagram["packet"]):
            change(message)


def numbers_of_other_types(capture, chance):
    """Doubles; whole ones as whole numbers of 4 or 8 bytes, or as truth values."""
    def change(message):
        for i, (kind, value) in enumerate(zip(message[2] or "", message[3])):
            if kind not in "fi" or chance.random() < 0.7:
                continue
            kinds = ["d", "f"] + (["i", "h"] if value == int(value) else []) + (
                ["T"] if value == 1 else ["F"] if value == 0 and str(value)[0] != "-" else [])
            kind = chance.choice(kinds)
            message[2] = message[2][:i] + kind + message[2][i + 1:]
            message[3][i] = int(value) if kind in "ih" else value
    each_message(capture, change)


def texts_as_symbols(capture, chance):
    def change(message):
        if message[2] and chance.random() < 0.5:
            message[2] = message[2].replace("s", "S")
    each_message(capture, change)


def arguments_more(capture, chance):
    """Longer forms, of VMC 2.x, and what later versions may add."""
    def change(message):
        if message[1].endswith("/OK"):
            types, arguments = chance.choice([("iii", [3, 0]), ("iiii", [3, 0, 1])])
            message[2], message[3] = types, [message[3][0], *arguments]
        elif message[1].endswith(("Bone/Pos", "Blend/Val")) and chance.random() < 0.5:
            kinds, more = chance.choice([("f", [0.5]), ("s", ["more"]), ("ii", [1, 2]), ("t", [1]),
                                         ("b", [b"abc"]), ("TN", [1, 0]), ("m", [7])])
            message[2] += kinds
            message[3] += more
    each_message(capture, change)


def turns_of_any_length(capture, chance):
    """A quaternion's length says nothing, and its negative is the same turn."""
    def change(message):
        if message[1].endswith("Bone/Pos"):
            by = chance.choice([1, 2, 0.5, -1, -4])
            message[2] = message[2][:4] + "ffff" + message[2][8:]
            message[3][4:8] = [float(v * by) for v in message[3][4:8]]
    each_message(capture, change)


def messages_moved(capture, chance):
    """Those of bones and of expressions in any order; Apply comes after the expressions."""
    for datagram in capture["datagrams"]:
        packet = datagram["packet"]
        if packet[0] == "b":
            last = [p for p in packet[2] if any(m[1].endswith("Apply") for m in messages_in(p))]
            others = [p for p in packet[2] if p not in last]
            chance.shuffle(others)
            packet[2] = others + last


def messages_more(capture, chance):
    """What others send besides, and addresses that VMC does not have."""
    pose = [0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    more = [["m", "/VMC/Thru/some/thing", "si", ["text", 1]],
            ["m", "/avatar/parameters/x", "f", [1.0]],
            ["m", "/VMC/Ext/Tra/Pos", "sfffffff", ["LHR-1", *pose]], ["m", "/live", "", []],
            ["m", "/VMC/Ext/Light", "sfffffffffff", ["Sun", *pose, 1.0, 1.0, 1.0, 1.0]],
            ["m", "/VMC/Ext/Rcv", "iis", [1, 39539, "127.0.0.1"]], ["b", IMMEDIATELY, []],
            ["m", "/VMC/Ext/Setting/Win", "iiii", [0, 0, 0, 0]],
            ["m", "/VMC/Ext/New", "fb", [1.0, b"12345"]]]
    for datagram in capture["datagrams"]:
        if datagram["packet"][0] == "b" and chance.random() < 0.4:
            datagram["packet"][2].insert(chance.randint(0, len(datagram["packet"][2])),
                                         copy.deepcopy(chance.choice(more)))


def bundles_nested(capture, chance):
    """Some messages in bundles within the bundle, and those in others."""
    for datagram in capture["datagrams"]:
        packet = datagram["packet"]
        if packet[0] != "b" or len(packet[2]) < 3:
            continue
        how = chance.randrange(3)
        if how == 0:
            datagram["packet"] = ["b", IMMEDIATELY, [packet]]
        elif how == 1:
            cut = chance.randint(1, len(packet[2]) - 1)
            packet[2] = [["b", IMMEDIATELY, packet[2][:cut]], ["b", IMMEDIATELY, packet[2][cut:]]]
        else:
            packet[2] = [["b", IMMEDIATELY, [p]] for p in packet[2]]


def time_tags_of_any_kind(capture, chance):
    for k, datagram in enumerate(capture["datagrams"]):
        if datagram["packet"][0] == "b":
            datagram["packet"][1] = chance.choice(
                [IMMEDIATELY, 0, (3_900_000_000 << 32) + (k << 26), (1 << 64) - 1])


def tags_of_no_arguments_left_out(capture, _):
    """Older senders write no type tags; Apply has no arguments."""
    def change(message):
        if message[2] == "":
            message[2] = None
    each_message(capture, change)


def names_in_another_case(capture, chance):
    """ARKit's expressions begin large or small."""
    how = chance.choice([lambda name: name[0].lower() + name[1:], str.upper, str.lower])

    def change(message):
        if message[1].endswith("Blend/Val"):
            message[3][0] = how(message[3][0])
    each_message(capture, change)


def datagrams_twice(capture, chance):
    """Networks may deliver a datagram twice."""
    capture["datagrams"] = [d for datagram in capture["datagrams"]
                            for d in [datagram, copy.deepcopy(datagram)][:chance.choice([1, 1, 2])]]


def datagrams_divided(capture, chance):
    """What was one bundle in several datagrams that arrive together."""
    out = []
    for datagram in capture["datagrams"]:
        packets, at = datagram["packet"][2], 0
        while at < len(packets):
            count = chance.randint(1, 8)
            out.append({"time": datagram["time"],
                        "packet": ["b", IMMEDIATELY, packets[at:at + count]]})
            at += count
    capture["datagrams"] = out


# --- JSON


def lines_otherwise(capture, chance):
    capture["lines"].update(chance.choice([
        {"front": "[", "between": ",\n", "back": "]\n"}, {"between": "\r\n"}, {"between": " "},
        {"indent": 2}, {"separators": (",", ":")}, {"escaped": True}, {"moved": True}, {"back": ""},
        {"back": "\n\n"}, {"back": "\n{\"time\": 1.5, \"buf"}, {"front": "\n \n"}]))


def members_more(capture, chance):
    capture["lines"]["more"] = chance.sample([
        ("from", "192.168.1.20:50000"), ("n", [1, {"buffer": "}"}]), ("none", None),
        ("port", "vmc"), ("text", "a \"}{\" b")], 2)


def times_begin_elsewhere(capture, chance):
    by = chance.choice([1024, -1024, 0.5, 1 << 20])
    for datagram in capture["datagrams"]:
        datagram["time"] += by


def lines_moved(capture, chance):
    chance.shuffle(capture["datagrams"])


VMC = [numbers_of_other_types, texts_as_symbols, arguments_more, turns_of_any_length,
       messages_moved, messages_more, bundles_nested, time_tags_of_any_kind,
       tags_of_no_arguments_left_out, names_in_another_case, datagrams_twice, lines_otherwise,
       members_more, times_begin_elsewhere, lines_moved]
