"""Legal mutations of BVH, which has no standard: what programs write. A take is {"root": a tree of
joints, "frames": for each joint's name the numbers of its channels, as texts, and how it is
written}."""

import math

from mutations import number_as

POSITIONS = ["Xposition", "Yposition", "Zposition"]


def joint(name, offset, *children, positions=False, order="ZXY"):
    return {"name": name, "offset": [repr(v) for v in offset], "children": list(children),
            "channels": POSITIONS * positions + [axis + "rotation" for axis in order]}


def bvh_take():
    def leg(side, x):
        return joint(f"{side}Hip", (x, -5.0, 0.0), joint(f"{side}Knee", (0.0, -42.5, 0.0), joint(
            f"{side}Ankle", (0.0, -40.25, 0.0))))

    def arm(side, x):
        wrist = joint(f"{side}Wrist", (1.5 * x, 0.0, 0.0))
        elbow = joint(f"{side}Elbow", (1.5 * x, 0.0, 0.0), wrist)
        return joint(f"{side}Collar", (x / 4, 12.0, 0.0),
                     joint(f"{side}Shoulder", (x, 0.0, 0.0), elbow), order="XYZ")

    root = joint("Hips", (0.0, 0.0, 0.0), joint("Chest", (0.0, 20.5, 0.0), joint(
        "Neck", (0.0, 25.0, 0.0), joint("Head", (0.0, 10.0, 1.0))), arm("Left", 16.0),
        arm("Right", -16.0)), leg("Left", 9.0), leg("Right", -9.0), positions=True)
    joints = all_joints(root)
    frames = []
    for k in range(8):
        # Each thigh and shin turns, the hips stand.
        frames.append({j["name"]: [repr(round(v, 4)) for v in (
            [k / 2, 90.0, -k / 4] if j["channels"][0] in POSITIONS else []) + [
            20 * math.sin(k / 2 + i + c) for c in range(3)] * (i > 0) + [0.0] * (3 * (i == 0))]
            for i, j in enumerate(joints)})
    return {"root": root, "frames": frames, "time": "0.0333333", "end": "\n", "tab": "\t",
            "between": " ", "brace": "\n{tabs}{{", "sites": True, "words": str, "colon": ": ",
            "blank": set(), "back": "\n", "rows": True}


def all_joints(root):
    return [root] + [j for child in root["children"] for j in all_joints(child)]


def written_bvh(take, _):
    words, end = take["words"], "\n"
    out = [words("HIERARCHY")]

    def write(j, depth, kind):
        tabs = take["tab"] * depth
        brace = take["brace"].format(tabs=tabs)
        out.append(f"{tabs}{words(kind)} {j['name']}{brace}")
        inner = tabs + take["tab"]
        out.append(f"{inner}{words('OFFSET')} {take['between'].join(j['offset'])}")
        out.append(f"{inner}{words('CHANNELS')} {len(j['channels'])} "
                   f"{' '.join(map(words, j['channels']))}")
        for child in j["children"]:
            write(child, depth + 1, "JOINT")
        if not j["children"] and take["sites"]:
            out.append(f"{inner}{words('End')} {words('Site')}" + take["brace"].format(tabs=inner))
            out.append(f"{inner}{take['tab']}{words('OFFSET')} 0.0 1.0 0.0")
            out.append(inner + "}")
        out.append(tabs + "}")

    write(take["root"], 0, "ROOT")
    out += [words("MOTION"), f"{words('Frames')}{take['colon']}{len(take['frames'])}",
            f"{words('Frame')} {words('Time')}{take['colon']}{take['time']}"]
    joints = all_joints(take["root"])
    rows = [take["between"].join(n for j in joints for n in frame[j["name"]])
            for frame in take["frames"]]
    out += rows if take["rows"] else [take["between"].join(rows)]
    lines = [line + end * (k in take["blank"]) for k, line in enumerate(out)]
    return "bvh", (end.join(lines) + take["back"]).replace("\n", take["end"]).encode()


def bvh_lines(take, chance):
    take["end"] = chance.choice(["\r\n", "\r"])


def bvh_blanks(take, chance):
    take["tab"] = chance.choice(["", "  ", "    ", " \t"])
    take["between"] = chance.choice(["  ", "\t", " \t "])


def bvh_braces(take, chance):
    take["brace"] = chance.choice([" {{", "{{", "\n{{", " {{ "])


def bvh_sites(take, _):
    """Some programs write none."""
    take["sites"] = False


def bvh_case(take, chance):
    take["words"] = chance.choice([str.lower, str.upper, str.title])


def bvh_colons(take, chance):
    take["colon"] = chance.choice([":", " : ", " :", ":\t"])


def bvh_numbers(take, chance):
    for frame in take["frames"]:
        for numbers in frame.values():
            numbers[:] = [number_as(n, chance) if chance.random() < 0.3 else n for n in numbers]
    for j in all_joints(take["root"]):
        j["offset"] = [number_as(n, chance) if chance.random() < 0.3 else n for n in j["offset"]]


def bvh_time(take, chance):
    take["time"] = chance.choice(["0.033333", "3.33333e-2", ".0333333", "0.03333333333",
                                  "0.0333333000"])


def bvh_ends(take, chance):
    take["back"] = chance.choice(["", "\n\n\n", "\n  \n", " \n"])


def bvh_blank_lines(take, chance):
    take["blank"] = {chance.randint(0, 80) for _ in range(6)}


def bvh_all_in_one_row(take, _):
    take["rows"] = False


def bvh_siblings(take, chance):
    """Children in another order, with their columns."""
    for j in all_joints(take["root"]):
        chance.shuffle(j["children"])


def bvh_channels(take, chance):
    """Positions may come anywhere; the order of turns stays."""
    root = take["root"]
    turns = iter([c for c in root["channels"] if c not in POSITIONS])
    places = chance.sample(POSITIONS, 3)
    kinds = chance.sample([0, 0, 0, 1, 1, 1], 6)
    places = iter(places)
    new = [next(turns) if kind else next(places) for kind in kinds]
    for frame in take["frames"]:
        values = dict(zip(root["channels"], frame[root["name"]]))
        frame[root["name"]] = [values[c] for c in new]
    root["channels"] = new


def bvh_positions_of_all(take, chance):
    """Positions on other joints too, where their offsets are."""
    for j in chance.sample(all_joints(take["root"])[1:], 5):
        if j["channels"][0] not in POSITIONS:
            j["channels"] = POSITIONS + j["channels"]
            for frame in take["frames"]:
                frame[j["name"]] = j["offset"] + frame[j["name"]]


BVH = [bvh_lines, bvh_blanks, bvh_braces, bvh_sites, bvh_case, bvh_colons, bvh_numbers, bvh_time,
       bvh_ends, bvh_blank_lines, bvh_all_in_one_row, bvh_siblings, bvh_channels,
       bvh_positions_of_all]
