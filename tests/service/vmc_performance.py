"""A generated VMC performance, sent by python-osc, an OSC implementation that is not ours.

Unity's space: left-handed, X the avatar's right, Y up, Z its front. Bones are those of a VRM 0 model:
all turns are from the T-pose.
"""

import glob
import math
import os
import sys

_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOLS = os.environ.get("POSEWIRE_TOOLS_DIR", os.path.join(_ROOT, "build", "tools"))
VENV = os.path.join(TOOLS, "venv")
sys.path += glob.glob(os.path.join(VENV, "lib", "python3*", "site-packages"))
try:
    from pythonosc.osc_bundle import OscBundle
    from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
    from pythonosc.osc_message import OscMessage
    from pythonosc.osc_message_builder import OscMessageBuilder
except ImportError as e:
    raise AssertionError("python-osc is missing; ./test installs it") from e

# Of a model 1.65 m tall: bone, parent's end to it (x right, y up, z front).
SKELETON = {
    "Hips": (0, 0.96, 0), "Spine": (0, 0.08, 0), "Chest": (0, 0.12, 0), "Neck": (0, 0.22, 0),
    "Head": (0, 0.08, 0.01), "LeftEye": (-0.03, 0.06, 0.06), "RightEye": (0.03, 0.06, 0.06),
    "LeftShoulder": (-0.03, 0.18, 0), "LeftUpperArm": (-0.1, 0, 0), "LeftLowerArm": (-0.24, 0, 0),
    "LeftHand": (-0.22, 0, 0), "RightShoulder": (0.03, 0.18, 0), "RightUpperArm": (0.1, 0, 0),
    "RightLowerArm": (0.24, 0, 0), "RightHand": (0.22, 0, 0), "LeftUpperLeg": (-0.08, -0.08, 0),
    "LeftLowerLeg": (0, -0.4, 0), "LeftFoot": (0, -0.42, 0), "LeftToes": (0, -0.05, 0.13),
    "RightUpperLeg": (0.08, -0.08, 0), "RightLowerLeg": (0, -0.4, 0), "RightFoot": (0, -0.42, 0),
    "RightToes": (0, -0.05, 0.13),
}
for _side, _x in (("Left", -1), ("Right", 1)):
    for _i, _finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Little")):
        for _j, _part in enumerate(("Proximal", "Intermediate", "Distal")):
            SKELETON[f"{_side}{_finger}{_part}"] = (
                _x * (0.08 if _j == 0 else 0.03), 0, 0.03 - 0.02 * _i if _j == 0 else 0)

ARKIT = """BrowDownLeft BrowDownRight BrowInnerUp BrowOuterUpLeft BrowOuterUpRight CheekPuff
CheekSquintLeft CheekSquintRight EyeBlinkLeft EyeBlinkRight EyeLookDownLeft EyeLookDownRight
EyeLookInLeft EyeLookInRight EyeLookOutLeft EyeLookOutRight EyeLookUpLeft EyeLookUpRight
EyeSquintLeft EyeSquintRight EyeWideLeft EyeWideRight JawForward JawLeft JawOpen JawRight MouthClose
MouthDimpleLeft MouthDimpleRight MouthFrownLeft MouthFrownRight MouthFunnel MouthLeft
MouthLowerDownLeft MouthLowerDownRight MouthPressLeft MouthPressRight MouthPucker MouthRight
MouthRollLower MouthRollUpper MouthShrugLower MouthShrugUpper MouthSmileLeft MouthSmileRight
MouthStretchLeft MouthStretchRight MouthUpperUpLeft MouthUpperUpRight NoseSneerLeft NoseSneerRight
TongueOut""".split()


def turn(x=0.0, y=0.0, z=0.0):
    """A quaternion (x, y, z, w) of turns about the axes in radians: z first, then x, then y."""
    def about(axis, angle):
        q = [0.0, 0.0, 0.0, math.cos(angle / 2)]
        q[axis] = math.sin(angle / 2)
        return q

    def mul(a, b):
        ax, ay, az, aw = a
        bx, by, bz, bw = b
        return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]
    return mul(about(1, y), mul(about(0, x), about(2, z)))


def bones(t):
    """Walks on the spot, waves with the right hand, looks about."""
    step = 2 * math.pi * 0.9 * t
    q = {name: turn() for name in SKELETON}
    for side, sign in (("Left", 1), ("Right", -1)):
        swing = sign * math.sin(step)
        lift = max(0.0, swing)
        q[f"{side}UpperLeg"] = turn(x=-0.75 * lift)       # forward is about -X
        q[f"{side}LowerLeg"] = turn(x=1.1 * lift)         # the knee bends back
        q[f"{side}Foot"] = turn(x=0.2 * lift)
    q["Hips"] = turn(y=0.08 * math.sin(step))
    q["Spine"] = turn(y=-0.1 * math.sin(step))
    # The left arm hangs and swings against its leg, the right one waves beside the head.
    q["LeftUpperArm"] = turn(x=0.3 * math.sin(step), z=1.25)
    q["LeftLowerArm"] = turn(y=0.35)
    q["RightUpperArm"] = turn(z=-0.15)
    q["RightLowerArm"] = turn(z=1.35 + 0.45 * math.sin(2 * math.pi * 1.4 * t))
    q["RightHand"] = turn(z=0.2 * math.sin(2 * math.pi * 1.4 * t - 0.5))
    q["Head"] = turn(x=0.08 * math.sin(5 * t), y=0.35 * math.sin(1.3 * t))
    for part in ("Proximal", "Intermediate", "Distal"):
        for finger in ("Index", "Middle", "Ring", "Little"):
            q[f"Left{finger}{part}"] = turn(z=0.6)
    places = dict(SKELETON)
    x, y, z = SKELETON["Hips"]
    places["Hips"] = (x + 0.02 * math.sin(step), y - 0.015 * abs(math.sin(step)), z)
    return {name: (places[name], q[name]) for name in SKELETON}


BLINK_S = 0.12  # from open to closed


def shapes(t):
    """Talks and blinks."""
    w = {name: 0.0 for name in ARKIT}
    w["JawOpen"] = 0.35 + 0.3 * math.sin(2 * math.pi * 2.1 * t)
    w["MouthFunnel"] = 0.25 + 0.25 * math.sin(2 * math.pi * 1.3 * t)
    w["MouthSmileLeft"] = w["MouthSmileRight"] = 0.3
    w["BrowInnerUp"] = 0.2 + 0.2 * math.sin(1.7 * t)
    blink = max(0.0, 1 - abs((t % 2.5) - 0.15) / BLINK_S)
    w["EyeBlinkLeft"] = w["EyeBlinkRight"] = blink
    return w


def message(address, *args):
    builder = OscMessageBuilder(address)
    for arg in args:
        builder.add_arg(arg)
    return builder.build()


def bundle(contents):
    builder = OscBundleBuilder(IMMEDIATELY)
    for content in contents:
        builder.add_content(content)
    return builder.build()


def frame(t, first_time=10.0):
    """The messages of one frame: head, bones, shapes, trackers."""
    head = [message("/VMC/Ext/T", first_time + t), message("/VMC/Ext/OK", 1),
            message("/VMC/Ext/Root/Pos", "root", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)]
    posed = [message("/VMC/Ext/Bone/Pos", name, *map(float, p), *map(float, q))
             for name, (p, q) in bones(t).items()]
    face = [message("/VMC/Ext/Blend/Val", name, float(v)) for name, v in shapes(t).items()]
    face.append(message("/VMC/Ext/Blend/Apply"))
    trackers = [message("/VMC/Ext/Tra/Pos", name, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
                for name in ("waist", "left foot", "right foot")]
    return head, posed, face, trackers


STYLES = ("singles", "thirteen", "one", "split")


def datagrams(t, style, first_time=10.0):
    head, posed, face, trackers = frame(t, first_time)
    everything = head + posed + face + trackers
    if style == "singles":
        return [m.dgram for m in everything]
    if style == "one":
        return [bundle(everything).dgram]
    if style == "thirteen":
        parts = [posed[i:i + 13] for i in range(0, len(posed), 13)]
        out = [bundle(p).dgram for p in parts[:-1]]
        out.append(bundle(head + [bundle(parts[-1])]).dgram)
        return out + [bundle(face).dgram] + [m.dgram for m in trackers]
    out, part, size = [], [head[0]], 16 + 4 + len(head[0].dgram)
    for m in everything[1:]:
        if size + 4 + len(m.dgram) > 1452:
            out.append(bundle(part).dgram)
            part, size = [head[0]], 16 + 4 + len(head[0].dgram)
        part.append(m)
        size += 4 + len(m.dgram)
    return out + [bundle(part).dgram]


def messages(datagram):
    """What python-osc reads in a datagram: (address, arguments) in order."""
    def walk(element):
        if isinstance(element, OscMessage):
            yield element.address, list(element.params)
        else:
            for inner in element:
                yield from walk(inner)
    if OscBundle.dgram_is_bundle(datagram):
        return list(walk(OscBundle(datagram)))
    return list(walk(OscMessage(datagram)))
