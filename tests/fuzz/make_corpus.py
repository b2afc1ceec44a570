#!/usr/bin/env python3
"""Generates the inputs that the fuzz targets start from: FOLDER/TARGET/made_NN, the same bytes each
time. The build runs it (CMakeLists.txt).

    python3 tests/fuzz/make_corpus.py FOLDER
"""

import base64
import io
import json
import random
import struct
import sys
import zipfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/service"))
from small_person import small_person  # noqa: E402
from voice_answers import voice_answers  # noqa: E402
from x3d_characters import x3d_characters  # noqa: E402


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def code(seconds):
    return b"\x09" + struct.pack("<d", seconds)


def header(rate=16000):
    ids = field(1, b"r") + field(2, b"s")
    audio = b"\x10\x01\x18" + varint(rate) + b"\x20\x10"
    names = field(1, b"JawOpen") + field(2, b"Root") + field(2, b"Root/Hips")
    return field(1, field(1, ids) + field(3, audio) + field(4, names))


def frame(seconds, samples=0, camera=False, mood=b""):
    weights = field(1, code(seconds) + field(2, struct.pack("<f", seconds % 1)))
    turn = field(2, b"\x0d" + struct.pack("<f", 1))
    data = field(1, weights + field(3, code(seconds) + turn + turn))
    if samples:
        data += field(2, code(seconds) + field(2, bytes(range(256)) * (samples // 128 + 1)))
    if camera:
        data += field(3, field(3, code(seconds) + b"\x15" + struct.pack("<f", 50)))
    if mood:
        data += field(4, field(1, b"mood") + field(2, field(1, b"x") + field(2, mood)))
    return field(2, data)


STATUS = field(3, field(2, b"done"))


def crc32c(data):
    c = 0xFFFFFFFF
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    return c ^ 0xFFFFFFFF


def padded(value):
    return bytes([value >> 7 * i & 0x7F | (0x80 if i < 3 else 0) for i in range(4)])


def record(frames, first=b"", index=b"", status=b""):
    """docs/formats.md has its bytes."""
    listed = field(1, b"".join(varint(len(f)) for f in frames))
    listed += field(2, b"".join(struct.pack("<I", crc32c(f)) for f in frames))
    listed += (field(3, first) if first else b"") + (field(4, index) if index else b"")
    size = 4 + 2 + 4 + 8 + 4 + len(listed) + len(status) + 6
    head = padded(size - 4) + b"\xc2\x3e" + padded(12 + len(listed)) + b"\x89PWclip\n"
    rest = listed + status + b"\xcd\x3e" + struct.pack("<I", size)
    return head + struct.pack("<I", crc32c(head + rest)) + rest


def recording(messages, finished=True):
    frames = [varint(len(m)) + m for m in messages]
    out, chunks, pending = b"", [], []
    for i, f in enumerate(frames):
        out, pending = out + f, pending + [f]
        if i % 4 == 0:
            r = record(pending, messages[0] if i == 0 else b"")
            chunks.append((sum(map(len, pending)) + len(r), len(pending)))
            out, pending = out + r, []
    if pending:
        chunks.append((sum(map(len, pending)), len(pending)))
    begins = [max(0, i * 0.13) for i in range(len(chunks))]
    index = field(1, b"".join(varint(b) for b, _ in chunks))
    index += field(2, b"".join(varint(n) for _, n in chunks))
    index += field(3, b"\x05" * len(chunks))
    for number, shift in ((4, 0), (5, 0.01), (6, 0.12)):
        index += field(number, b"".join(struct.pack("<d", b + shift) for b in begins))
    last = messages[-1] if messages[-1] == STATUS else b""
    return out + record(pending, b"", index, last) if finished else out


def clip_files():
    takes = [
        [header()], [header(), STATUS], [header(), frame(0), STATUS],
        [header()] + [frame(i / 30) for i in range(20)] + [STATUS],
        [header()] + [frame(i / 30, samples=128) for i in range(8)],
        [header(48000)] + [frame(i / 3, camera=True, mood=b"joy") for i in range(9)] + [STATUS],
        [header(), STATUS, frame(1), STATUS, frame(2)],
        [header(), frame(1), frame(0.5)],
        [frame(0), header()],
    ]
    for messages in takes:
        yield b"\0" + b"".join(varint(len(m)) + m for m in messages)  # as it was without records
        yield b"\0" + recording(messages)
    whole = recording(takes[3])
    yield b"\0" + recording(takes[3], finished=False)
    yield b"\0" + whole[:len(whole) // 2]
    yield b"\0" + whole[:200] + b"\xff" * 40 + whole[240:]
    yield b"\0" + whole + whole
    for text in ('{}', '{"animationData":{}}', '{"status":{"message":"done"}}',
                 '{"animationDataStreamHeader":{"animationIds":{"streamId":"s"}}}\n'
                 '{"animationData":{"skelAnimation":{"rotations":[{"timeCode":1,"values":[{"real":1}]'
                 '}]}}}\n', '{"animationData":{"metadata":{"mood":{"@type":"x/Y","@value":"AA=="}}}}',
                 '{"animation_data":{"audio":{"time_code":"NaN"}}}'):
        yield b"\1" + text.encode()
    yield from (b"\2" + text.encode() for text in bvh_files())
    for text in (",timeCode,blendShapes.JawOpen,note\n0,0,0.5,a\n1,0.1,-1,\n",
                 "timeCode,blendShapes.A,blendShapes.B\n0,1e-3,2\n\n0.5,1,1\n0.25,1,1\n",
                 "Timecode,BlendShapeCount,JawOpen,MouthClose,HeadYaw\n23:59:59:59.5,61,.5,.2,0\n"
                 "00:00:00:00.5,61,.5,.2,0\n00:00:00:01,0,,,\n",
                 "Timecode,BlendShapeCount,JawOpen\n12:00:00:60,61,1\n", "timeCode\n0\n"):
        yield b"\3" + text.encode()
    yield from (b"\4" + text for text in usd_files() if b"SkelAnimation" in text)
    yield from (b"\5" + file for file in gltf_clips())
    yield b"\4" + scene_file("two_people.usda")
    yield b"\5" + scene_file("two_people.gltf")
    yield from (b"\6" + file for file in joint_tables())
    yield from (b"\7" + text.encode() for text in x3d_clips())
    yield from (b"\x08" + text.encode() for text in a2f_exports())


def a2f_exports():
    """Audio2Face's JSON: both forms, either order of a turn's parts, and what is wrong with some."""
    face = {"exportFps": 60, "trackPath": "C:\\v.wav", "numPoses": 2, "numFrames": 2,
            "facsNames": ["jawOpen", "A2F:mouthSmile_L"], "weightMat": [[0.1, 0], [1, -0.5]]}
    pose = {"joints": ["jaw", "eye_L"], "rotations": [[[1, 0, 0, 0]] * 2, [[0.8, 0.6, 0, 0]] * 2],
            "translations": [[[1.4, 0, -1]] * 2] * 2}
    last = {"joints": ["jaw"], "rotations": [[[0, 0, 0, 1]], [[0.6, 0, 0, 0.8]]]}
    for export in (face, {**face, **pose}, {"fps": 29.97, **last}, {**face, "rotations": []},
                   {**face, "exportFps": None}, {**face, "numFrames": 7}, {"weightMat": [[], []]},
                   {**face, "weightMat": [[1, 2], [3]]}, {**face, "facsNames": ["a", "A"]},
                   {"emotionKeys": [[1]], "exportFps": 60}, {**pose, "rotations": [[[0] * 4] * 2]}):
        yield json.dumps(export)
    yield json.dumps({**face, "weightMat": [[float("nan"), 1e39]]})


def joint_tables():
    """Arrays as numpy keeps them, and tables of text behind their maps."""
    def npy(shape, numbers, descr="<f4", order="False", version=1):
        text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
        length = struct.pack("<H" if version == 1 else "<I", len(text))
        kind = {"<f4": "f", "<f8": "d", "<i8": "q"}[descr]
        data = struct.pack(f"<{len(numbers)}{kind}", *numbers)
        return b"\x93NUMPY" + bytes([version, 0]) + length + text + data

    def npz(method=zipfile.ZIP_DEFLATED, **arrays):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            for name, array in arrays.items():
                info = zipfile.ZipInfo(f"{name}.npy")
                info.compress_type = method
                archive.writestr(info, array)
        return file.getvalue()

    poses = npy((2, 66), [i / 99 for i in range(132)])
    rate = npy((), [30], "<i8")
    yield npz(poses=poses, trans=npy((2, 3), range(6), "<f8"), mocap_framerate=rate)
    yield npz(zipfile.ZIP_STORED, fps=npy((1,), [25.0], "<f8", version=2),
              poses=npy((2, 22, 3), [i / 9 for i in range(132)], order="True", version=3))
    yield npz(poses=npy((9, 66), [0.0] * 132), fps=rate)
    yield npz(poses=npy((2, 22, 4), [0.5] * 176), fps=rate)
    yield npz(poses=poses)[:200]
    yield npz(poses=bytes(1 << 16), fps=rate)
    yield (b"rotations euler_ZXY\ntime t 0.001\nroot p\nup Z\n\nt,Hips.x,Hips.y,Hips.z,p.x,p.y,p.z\n"
           b"0,1,2,3,4,5,6\n40,1e1,-2,.3,4,5,6\n")
    yield b"rotations quaternion_wxyz\nrate 30\njoint a b\n\nb.w,b.x,b.y,b.z\n1,0,0,0\n0,0,0,0\n"
    yield b"rotations axis_angle\nangles degrees\nrate 30\n\nA.x,A.y,A.z\n1,2\n"


def x3d_clips():
    """A humanoid of three joints and a displacer, moved in each way, and what must be refused."""
    body = (
        "DEF T Transform { translation 1 0 0 scale 2 2 2 children DEF B HAnimHumanoid { name \"Ann\"\n"
        "skeleton HAnimJoint { name \"humanoid_root\" center 0 .9 0 children [ DEF H HAnimJoint { "
        "name \"l_hip\" center .1 .9 0 rotation 0 1 0 .5 children DEF A HAnimJoint { name \"x_a\" "
        "center .1 .1 0 } } HAnimSegment { name \"sacrum\" displacers DEF D HAnimDisplacer { name "
        "\"jawOpen\" weight .5 } } ] } %s } }\nDEF C TimeSensor { cycleInterval %s }\n")
    movers = (
        "DEF O OrientationInterpolator { key [ %s ] keyValue [ 1 0 0 0, 0 1 0 1, 0 0 0 2 ] }\n"
        "DEF P PositionInterpolator { key [ 0 .5 .5 1 ] keyValue [ 0 0 0 0 1 0 0 2 0 1 1 1 ] }\n"
        "DEF S ScalarInterpolator { key [ 0 1 ] keyValue [ 0 1 ] }\n")
    routes = "".join(
        f"ROUTE C.fraction_changed TO {mover}.set_fraction\nROUTE {mover}.value_changed TO {to}\n"
        for mover, to in (("O", "A.set_rotation"), ("P", "B.translation"), ("S", "D.weight")))

    def scene(text, head="PROFILE Full"):
        return f"#X3D V4.0 utf8\n{head}\n{text}"
    for cycle in ("2", "1e-300", "1e6", "0", "1e308", "-1"):
        yield scene(body % ("", cycle) + movers % "0 .25 1" + routes)
    for keys in ("0 0 1", "0 .5", "0 1 .5", "0 nan 1", "0 1e-320 1", "-1 0 1", "1 1 1"):
        yield scene(body % ("", 2) + movers % keys + routes)
    yield scene(body % ("", 2) + movers % "0 .5 1" + routes,
                "UNIT length inch 1e30\nUNIT angle degree .0174533")
    yield scene(body % ("", 2) + movers % "0 .5 1" + routes.replace("D.weight", "T.scale"))
    for keys, more in (("0 .25 1", ""), ("0 0 1", "closed TRUE"), ("0 1e-320 1", "keyVelocity [ 1 ]"),
                       ("0 .5 1", "normalizeVelocity TRUE keyVelocity [ 1e38 0 0 0 0 0 0 0 0 1 1 1 ]")):
        yield scene((body % ("", 1e6) + movers % keys + routes)
                    .replace("DEF O Orient", "DEF O SquadOrient").replace("lator { key", f"lator {{ {more} key")
                    .replace("DEF P Pos", "DEF P SplinePos").replace("DEF S Scal", "DEF S SplineScal"))
    frames = (" motions HAnimMotion { name \"walk\" frameDuration %s joints \"%s\" channels \"%s\" "
              "channelsEnabled [ TRUE TRUE ] values [ %s ] }")
    root = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    for seconds, joints, channels, values in (
            (".04", "humanoid_root, l_hip, IGNORED", root + ", 2 Xrotation Zrotation, 1 Xscale",
             "0 1 2 90 0 -90 30 720 1 " * 3), ("1e-300", "l_hip", "1 Xrotation", "1"),
            (".1", "l_hip", "1000000000 Xrotation", "1 2 3"), ("9999", "l_hip", "1 X", "1 2 3"),
            (".1", "l_hip a", "0 1 Xrotation", "1e38 -1e38"), (".1", "l_hip l_hip", "1 Xrotation "
             "1 Xrotation", "1 2 3 4"), (".1", "", "", ""), (".1", "l_hip", root, "1 2 3")):
        yield scene(body % (frames % (seconds, joints, channels, values), 2))
    yield ("<X3D profile='Full' version='4.0'><Scene><HAnimHumanoid name='Ann'><HAnimJoint "
           "DEF='R' name='HumanoidRoot' containerField='skeleton'/></HAnimHumanoid><TimeSensor "
           "DEF='C'/><PositionInterpolator DEF='P' key='0 1' keyValue='0 0 0 1e38 0 0'/><ROUTE "
           "fromNode='C' fromField='fraction_changed' toNode='P' toField='set_fraction'/><ROUTE "
           "fromNode='P' fromField='value_changed' toNode='R' toField='translation'/></Scene></X3D>")


def scene_file(name):
    return (Path(__file__).resolve().parents[1] / "data/scenes" / name).read_bytes()


def gltf_clips():
    """A hip that wanders by a spline, a spine that turns, a jaw; below an armature."""
    times, places = (0, 0.5, 1), [0, 0, 0, 0, 1, 0, 0, 0, 0]
    arrays = [("SCALAR", times), ("VEC4", [0, 0, 0, 1, 0, 0, 0.6, 0.8, 0, 0, 0, 1]),
              ("VEC3", [v for k in range(3) for v in [0] * 3 + places[3 * k:3 * k + 3] + [0] * 3]),
              ("SCALAR", [0, 0, 1, 0.5, 0, 1])]
    binary, views, accessors = b"", [], []
    for kind, values in arrays:
        data = struct.pack(f"<{len(values)}f", *values)
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[kind]
        accessors.append({"bufferView": len(accessors), "componentType": 5126, "type": kind,
                          "count": len(values) // width})
        binary += data
    animation = {"name": "walk", "samplers": [
        {"input": 0, "output": 1}, {"input": 0, "output": 2, "interpolation": "CUBICSPLINE"},
        {"input": 0, "output": 3, "interpolation": "STEP"}], "channels": [
        {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
        {"sampler": 1, "target": {"node": 1, "path": "translation"}},
        {"sampler": 2, "target": {"node": 3, "path": "weights"}}]}
    file = {"asset": {"version": "2.0"}, "accessors": accessors, "bufferViews": views,
            "nodes": [{"name": "Armature", "scale": [0.01] * 3, "children": [1, 3]},
                      {"name": "Hips", "children": [2]}, {"name": "Spine"},
                      {"name": "face", "mesh": 0}],
            "meshes": [{"primitives": [], "extras": {"targetNames": ["jawOpen", "tongueOut"]}}],
            "skins": [{"joints": [1, 2]}], "animations": [animation]}
    packed = file | {"buffers": [{"byteLength": len(binary)}]}
    text = json.dumps(packed).encode()
    text += b" " * (-len(text) % 4)
    yield (b"glTF" + struct.pack("<II", 2, 28 + len(text) + len(binary)) +
           struct.pack("<I", len(text)) + b"JSON" + text +
           struct.pack("<I", len(binary)) + b"BIN\0" + binary)
    uri = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    written = file | {"buffers": [{"byteLength": len(binary), "uri": uri}]}
    yield json.dumps(written).encode()
    yield json.dumps(written | {"skins": []}).encode()
    vrm = {"humanoid": {"humanBones": {"hips": {"node": 1}, "spine": {"node": 2}}},
           "expressions": {"preset": {"aa": {"node": 1}, "happy": {"node": 3}},
                           "custom": {"sparkle": {"node": 3}, "jawOpen": {"node": 0}}}}
    yield json.dumps(written | {"extensions": {"VRMC_vrm_animation": vrm}, "skins": []}).encode()


def bvh_files():
    body = ("HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition "
            "Zrotation Xrotation Yrotation\n\tJOINT Spine\n\t{\n\t\tOFFSET 0 %s 0\n"
            "\t\tCHANNELS %s\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 70 0\n\t\t}\n\t}\n}\n"
            "MOTION\nFrames: %s\nFrame Time: %s\n")
    yield body % (100, "3 Zrotation Yrotation Xrotation", 2, 0.0333333) + "1 2 3 4 5 6 7 8 9\n" * 2
    yield body % (1, "1 Yrotation", 3, 0.5) + "0 0 0 0 0 0 90\n" * 3
    yield body % (30, "2 Zposition Xrotation", 0, "0.0083333")
    yield body % ("1e30", "0", 9000000000000000000, 1e-30) + "0 0 0 720 1e9 -1 " * 2
    yield "HIERARCHY ROOT a { }\nROOT b\n{ CHANNELS 1 Xrotation }\nMOTION Frames: 1 Frame Time: 1 5"
    yield "HIERARCHY\n" + "ROOT a\n{\n" + "JOINT a\n{\n" * 300


def engine_scripts():
    chance = random.Random(5)
    for n in range(32):
        script = bytearray([n])
        script += bytes([14, 1, 0, 0])  # a stream that is registered
        script += bytes([0, 0, 0, 0, chance.randrange(64), 128, chance.randrange(128), 100])
        script += bytes([6, 0, 0, 0, 0, 0])
        for _ in range(chance.randrange(10, 60)):
            script += bytes([chance.choice((0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 15))])
            script += chance.randbytes(chance.randrange(2, 9))
        yield bytes(script)


def text_files():
    for rig in ("rig a\njoint Root - 0 0 0\n", "rig b\nstance t_pose\njoint Root - 0 1 0 1 0 0 0\n"
                "joint Root/Head h 0 1 0\nshapes arkit52\nsite eye Head 0 0 1\n"
                "limit Root -10 -10 -10 10 10 10\nlimit Head 0 0 0 0 0 0\n",
                "rig c\njoint A - 0 0 0\njoint A/B - 1 0 0\nshape jawOpen\nshape jawopen\n", "# nothing",
                "rig d\njoint A/B - nan 0 0\n", "rig e\njoint A - 1e99 0 0 0 0 0 0\n"):
        yield b"\0" + rig.encode()
    for row in ("map Hips none HumanoidRoot humanoid_root Hips hips Hips J_Bip_C_Hips pelvis",
                "map Head none - - - - - - -", "map", "map Hips left a b c d e f g h"):
        yield b"\1" + row.encode() + b"\n"
    for path in sorted((ROOT / "tests/golden").glob("*.graph.txtpb")):
        yield b"\2" + path.read_bytes()
    for graph in ('', 'output: "x"', 'node { name: "a" }', 'node { name: "a" name: "a" } output: "a"',
                  'nodes { name: "in" source {} } output: "in"', 'name: "' + "a" * 300 + '"',
                  'node { name: "a" blend { input: "a" } } output: "a"'):
        yield b"\2" + graph.encode()
    example = ROOT / "data/gestures/examples/my_wave.gesture.txtpb"
    yield b"\3" + example.read_bytes()
    for moves in ('at_s: [0, 1] home {}', 'at_s: [0.1, nan] turn { to: [1, 2, 3] }',
                  'at_s: [0, 0.5, 1, 1.5] turn { part: PELVIS_SHIFT to: [0, -0.9, 0] }',
                  'at_s: [0, 1] arm { bends { joint: ELBOW degrees: 360 } vigour: 3 }',
                  'at_s: [0, 1e-9] arm { place: "p" hand: PHONE }',
                  'at_s: [0.1, 0.2, 0.3] keys { joint: WRIST_SIDE degrees: [1, -1, 0] }'):
        for kind in ("BODY", "FACIAL"):
            yield (f'\3gestures {{ name: "a" kind: {kind} length_s: 2 places {{ name: "p" wrist: '
                   f'[0, 0, 0] fingers: [0, 0, 0] palm: [0, 0, 0] }} moves {{ {moves} }} }}').encode()
    for moves in ('turn { part: TRUNK to: [1, 2, 3] }', 'breath { times: 3 depth: 1 } ',
                  'swing { times: 9 } keys { joint: ELBOW degrees: 4 }',
                  'at_s: [1, 2, 2, 3] shape { names: "jawOpen*" weight: -1 }', 'life { amount: 5 }'):
        for kind in ("POSTURE", "LAYER"):
            yield f'\3gestures {{ name: "b" kind: {kind} length_s: 2 moves {{ {moves} }} }}'.encode()


def http_texts():
    for target in ("/", "/streams/a%20b?x=1&y=%2f", "//a//b/", "/%", "/%zz", "/a?", "?a=b", "*",
                   "/" + "a/" * 60, "/%00", "/..%2f.."):
        yield b"\0" + target.encode()
    for host in ("localhost:80\nhttp://a.example", "[::1]:51001\n", "127.0.0.1", "a.b:99999\nnull",
                 "avatars.example.org\nhttps://avatars.example.org", ":\n:"):
        yield b"\1" + host.encode()
    calls = ({"streamId": "s", "name": "posture_state", "value": "Talking"},
             {"streamId": "s", "name": "hello"}, {"streamId": "s", "user": {"name": "u"}},
             {"streamId": "s", "position": {"x": 1, "y": "NaN", "z": 1e39}}, {}, {"streamId": "s"})
    for n, call in enumerate(calls):
        yield bytes([2 + 4 * n]) + json.dumps(call).encode()
    yield b"\2" + b"[" * 200
    yield b"\2" + b'{"streamId":"\\ud800"}'
    for n, value in enumerate(("a", "true", "1", "gesture", "-1e39", "\0", "\u20ac", "", "x" * 300)):
        yield bytes([3 + 12 * n]) + value.encode()
    yield b"\x53\xff\xfe"


def text(value):
    return struct.pack("<H", len(value)) + value


def http_wire():
    for request in (b"GET /streams HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"GET / HTTP/1.0\r\n\r\n", b"HEAD /docs HTTP/1.1\r\nHost: [::1]\r\n\r\n" * 2,
                    b"PUT /streams/s/place HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked"
                    b"\r\n\r\n5;a=b\r\n{\"x_m\r\n4\r\n\":1}\r\n0\r\nX: y\r\n\r\n",
                    b"POST /streams/s HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                    b"Content-Length: 2\r\n\r\n{}", b"GET /ws HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\n\r\n",
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00"):
        yield b"\0" + request
    calls = ((0, "/readiness", ""), (0, "/metrics", ""), (2, "/streams/s?target_object_id=t", ""),
             (1, "/streams/s/animation_graphs/avatar/variables/posture_state/Talking", ""),
             (1, "/streams/s/users/u", '{"position":{"x":1,"y":"NaN"},"gaze":{"z":1e39}}'),
             (1, "/streams/s/place", '{"x_m":1,"z_m":-2.5,"turn_deg":400}'),
             (1, "/clips/c?kind=gesture&loop=true", "\n"), (0, "/streams/s/sites?names=Head", ""),
             (1, "/arrangements/a", '{"tracks":[{"clip":"wave","begin_s":0}]}'),
             (2, "/sdr/add_stream", '{"event":{"camera_id":"s"}}'), (3, "/streams/s", ""),
             (1, "/streams/s/gesture/wave", ""), (2, "/streams/s/events/hello", ""))
    for method, target, body in calls:
        yield bytes([1, method]) + text(target.encode()) + body.encode()
    said = [json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params}).encode()
            for n, (method, params) in enumerate((
                ("SetVariable", {"stream_id": "s", "name": "posture_state", "value": "Talking"}),
                ("ListStreams", {}), ("WatchEvents", {"stream_id": "s"}), ("UnwatchEvents", {}),
                ("GetSites", {"stream_id": "s", "names": ["Head"]}), ("Nothing", {})))]
    said += [b'{"id":"a","method":1}', b"[1,2]", b'{"id":[],"method":"ListStreams"}', b"\xff"]
    for message in said:
        yield b"\3\0" + text(message)
    yield b"\3" + b"".join(bytes([n]) + text(message) for n, message in enumerate(said))
    mask = b"\1\2\3\4"
    masked = bytes(c ^ mask[i % 4] for i, c in enumerate(said[1]))
    yield b"\2\x81" + bytes([0x80 | len(masked)]) + mask + masked
    for frame_bytes in (b"\x81\xff" + b"\x7f" * 8, b"\x88\x82\0\0\0\0\x03\xe8", b"\xf1\x80\0\0\0\0",
                        b"\x01\x80\0\0\0\0" * 3, b"\x81\x02hi", b"\x80\x80\0\0\0\0"):
        yield b"\2" + frame_bytes


def metadata():
    """What our own metadata says, as anim_graph and a2f_source write it, and beyond its bounds."""
    def entry(key, kind, message):
        return bytes([key]) + field(1, b"type.googleapis.com/" + kind) + field(2, message)

    def number(at, value):
        return varint(at << 3 | 5) + struct.pack("<f", value)

    def clip(weight, mask=b"", name=b"wave", more=b""):
        seen = field(1, name) + b"\x11" + struct.pack("<Q", 77) + b"\x19" + struct.pack("<d", 1.5)
        return field(1, seen + number(4, weight) + mask + more)

    arm = field(5, field(1, b"l_shoulder") + field(1, b"l_wrist") +
                field(2, struct.pack("<ff", 0.5, 0)))
    kind = b"posewire.contributions.v1.Contributions"
    for message in (b"", clip(1), clip(0.5, arm) + clip(0.5, b"", b"", field(9, b"a2f")),
                    clip(0.2, b"", b"bow", b"\x30\x01\x38\x01\x40\x01") + number(2, 0.1),
                    clip(0.1) * 9, clip(2), clip(float("nan")), clip(1, field(5, field(1, b"a")))):
        yield entry(0, kind, message)
        yield entry(0, kind, message + message[:7])
    stroke = b"\x19" + struct.pack("<d", 0.8) + b"\x21" + struct.pack("<d", 2)
    yield entry(1, b"posewire.gesture.v1.SpeechGesture", b"\x08\x02" + number(2, 0.7) + stroke)
    yield entry(2, b"posewire.character.v1.Appearance", field(1, b"man") + field(2, b"hair"))
    yield entry(3, b"posewire.scene.v1.Props", field(1, field(1, b"cup")))
    yield entry(3, kind, clip(1))
    yield b"\0" + field(1, b"type.googleapis.com/" + kind) * 2 + field(2, clip(1))


def sparse_poses():
    """Sparse streams, by the names, the form and the messages of sparse_pose_fuzz.cc."""
    def text(message):
        return struct.pack("<H", len(message)) + message

    def rows(numbers):
        """Each a vector or rotation: empty, as one that is left out, or its numbers in full form."""
        return b"".join(field(2, b"".join(varint(n + 1 << 3 | 5) + struct.pack("<f", v)
                                          for n, v in enumerate(row))) for row in numbers)

    def message(seconds, keys, entry=b""):
        pose = b"".join(field(track, code(seconds + n / 100) + values) for n, (track, values) in
                        enumerate(keys))
        data = field(1, pose)
        if entry:
            data += field(4, field(1, b"posewire.pose") + field(2, entry))
        return text(field(2, data))

    weights = (1, field(2, struct.pack("<f", 0.5)))
    turned, still = (0.6, 0.8, 0, 0), ()
    turns = [(3, rows(both)) for both in ((turned, turned), (turned, still), (still, still))]
    moves = [(2, rows(both)) for both in (((1, 2, 3), (0, 0, 1e-20)), (still, (3, 2, 1)))]
    sizes = (4, rows(((1, 1, 1), (1, 2, 1))))
    whole = message(0, [weights, turns[0], moves[0], sizes])
    for after in ([turns[1]], [turns[2]], [turns[1], moves[1]], [turns[2], weights], [], [moves[1]],
                  [turns[2]] * 2, [turns[2]] * 40, [weights] * 3 + [turns[0]],
                  [(3, rows(()))], [(3, rows((turned,)))]):
        yield b"\0\0" + whole + message(1, after) + message(2, [turns[2]])
    yield b"\0\0" + message(1, [turns[1]]) + whole

    def pose(which, seconds, parts=b""):
        return struct.pack("<Bd", which, seconds) + parts

    def packed(pose_bytes, kind=b"google.protobuf.BytesValue"):
        return field(1, b"type.googleapis.com/" + kind) + field(2, field(1, pose_bytes))

    half = struct.pack("<4h", 23170, 0, 23170, 0)
    parts = (b"\1" + struct.pack("<f", 0.5) + b"\2" + struct.pack("<3f", 1, 2, 3) + b"\3" + half * 2 +
             b"\1" + struct.pack("<3f", 1, 2, 1))
    first, rest = pose(0x1F, 0.5, parts), pose(0x10, 0.5)
    for after in (pose(0, 1), pose(4, 1, b"\2" + half), pose(4, 1, b"\2" + bytes(8)), pose(0x20, 1),
                  pose(4, float("nan")), pose(1, 1, b"\1" + struct.pack("<f", float("inf"))), rest):
        yield b"\0\2" + text(first) + text(after) + text(pose(4, 2, b"\1" + half))
        yield b"\0\1" + message(0, [], packed(first)) + message(1, [turns[0]] * 2, packed(after))
    yield b"\0\1" + message(0, [], packed(first, b"x")) + message(0, [], packed(rest) * 2) + whole
    yield b"\1\2" + text(rest) + text(pose(4, 1, b"\0\1" + half))
    yield b"\2\2" + text(pose(0x11, 0, b"\5" + struct.pack("<2f", 0.5, 1)))
    yield b"\0\0" + whole + text(header()) + message(1, [turns[2]]) + whole


def stage_files():
    """Characters as stages: a skinned mesh with shapes and parts, and a solid that a joint moves."""
    one = '((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,%s,0,1))'
    bones = ' [' + one % 0 + ', ' + one % 1 + ']\n'
    size = ' ( elementSize = 2; interpolation = "vertex" )\n'
    stage = (
        '#usda 1.0\n( metersPerUnit = 1 )\ndef SkelRoot "R" {\n rel skel:skeleton = </R/S>\n'
        ' def Skeleton "S" {\n  uniform token[] joints = ["A", "A/B"]\n'
        '  uniform matrix4d[] bindTransforms =' + bones +
        '  uniform matrix4d[] restTransforms =' + bones + ' }\n def Mesh "M" {\n'
        '  point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0), (2,1,0)]\n'
        '  int[] faceVertexCounts = [4, 3]\n  int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 2]\n'
        '  texCoord2f[] primvars:st = [(0,0), (1,0), (1,1)] ( interpolation = "faceVarying" )\n'
        '  int[] primvars:st:indices = [0, 1, 2, 0, 1, 2, 0]\n'
        '  color3f[] primvars:displayColor = [(1,0,0), (0,1,0)] ( interpolation = "uniform" )\n'
        '  int[] primvars:skel:jointIndices = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]' + size +
        '  float[] primvars:skel:jointWeights = [1, 0, 1, 0, .5, .5, 0, 1, 0, 1]' + size +
        '  uniform token[] skel:blendShapes = ["jawOpen", "gone"]\n'
        '  rel skel:blendShapeTargets = [</R/M/T>, </R/M/N>]\n'
        '  def BlendShape "T" {\n   uniform vector3f[] offsets = [(0,1,0), (0,2,0)]\n'
        '   uniform int[] pointIndices = [1, 3]\n'
        '   uniform vector3f[] inbetweens:half = [(0,0,1), (1,0,0)] ( weight = 0.5 ) }\n'
        '  def GeomSubset "G" { uniform token familyName = "materialBind"\n   int[] indices = [1]\n'
        '   rel material:binding = </R/Red> } }\n def Material "Red" {\n'
        '  token outputs:surface.connect = </R/Red/P.outputs:surface>\n  def Shader "P" {\n'
        '   uniform token info:id = "UsdPreviewSurface"\n   float inputs:opacity = 0.5\n'
        '   color3f inputs:diffuseColor.connect = </R/Red/X.outputs:rgb> }\n'
        '  def Shader "X" { uniform token info:id = "UsdUVTexture"\n'
        '   asset inputs:file = @a.png@ } }\n def %s "C" { double height = 2\n'
        '  int[] primvars:skel:jointIndices = [1] ( interpolation = "constant" )\n'
        '  float[] primvars:skel:jointWeights = [1] ( interpolation = "constant" ) } }\n')
    for solid in ("Capsule", "Cone", "Cube"):
        yield (stage % solid).encode()
    yield (stage % "Sphere").replace('SkelRoot "R" {', 'SkelRoot "R" {\n uniform token '
                                     'primvars:skel:skinningMethod = "dualQuaternion"').encode()


def character_files():
    """Small persons of three kinds, and triangles with one thing more each."""
    for kind in ("vrm0", "vrm1", "mixamo"):
        yield small_person(kind)
    body = (struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<3H", 0, 1, 2) + b"\0\0" +
            struct.pack("<16B", *range(16)) + zlib.compress(bytes(64)))
    uri = "data:application/octet-stream;base64," + base64.b64encode(body).decode()
    pixels = b"".join(b"\0" + bytes(range(12)) for _ in range(4))

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) +
           chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))
    picture = "data:image/png;base64," + base64.b64encode(png).decode()

    def gltf(primitive=None, **more):
        document = {
            "asset": {"version": "2.0"}, "buffers": [{"byteLength": len(body), "uri": uri}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36,
                                                               "byteLength": 6},
                            {"buffer": 0, "byteOffset": 44, "byteLength": 16}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3},
                          {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 3},
                          {"bufferView": 2, "componentType": 5121, "type": "VEC4", "count": 3,
                           "normalized": True},
                          {"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {
                              "count": 1, "indices": {"bufferView": 1, "componentType": 5123},
                              "values": {"bufferView": 0}}}],
            "scenes": [{"nodes": [0]}], "nodes": [{"name": "thing", "mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, **(primitive or {})}],
                        "extras": {"targetNames": ["jawOpen", "half"]}}]}
        document.update(more)
        return json.dumps(document).encode()

    yield gltf()
    yield gltf({"indices": 1})
    for mode in (0, 5, 6):
        yield gltf({"mode": mode})
    yield gltf({"attributes": {"POSITION": 0, "COLOR_0": 2}})
    yield gltf({"targets": [{"POSITION": 3}, {"POSITION": 0}]})
    yield gltf({"targets": [{"POSITION": 3}, {"POSITION": 0}]}, extras={"posewire": {
        "version": 1, "mouthClose": "ace",
        "inbetweens": [{"target": "half", "shape": "jawOpen", "at": 0.5}],
        "correctives": [{"target": "half", "shapes": ["jawOpen", "mouthSmileLeft"]}],
        "variants": [{"part": "it", "choices": [{"name": "on", "nodes": ["thing"]}, {"name": "off"}]}],
        "cameras": {"face": {"height_m": 0.3}}}})
    material = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "extensions": {
        "KHR_texture_transform": {"scale": [2, 1], "rotation": 1, "offset": [0, 1]}}}},
        "alphaMode": "MASK", "emissiveFactor": [1, 0, 0], "normalTexture": {"index": 0}}
    for source in ({"uri": picture}, {"bufferView": 2, "mimeType": "image/png"},
                   {"uri": "beside.png"}):
        yield gltf({"material": 0}, materials=[material], textures=[{"source": 0, "sampler": 0}],
                   samplers=[{"wrapS": 33071}], images=[source])
    for stride, mode in ((12, "ATTRIBUTES"), (2, "TRIANGLES"), (4, "INDICES")):
        view = {"buffer": 0, "byteLength": 36, "extensions": {"EXT_meshopt_compression": {
            "buffer": 0, "byteOffset": 36, "byteLength": 30, "byteStride": stride, "count": 3,
            "mode": mode, "filter": "NONE"}}}
        yield gltf(bufferViews=[view])
    yield gltf({"extensions": {"KHR_draco_mesh_compression": {
        "bufferView": 2, "attributes": {"POSITION": 0}}}})
    yield gltf(nodes=[{"mesh": 0, "children": [1], "matrix": [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0,
                                                              5, 5, 5, 1]}, {"scale": [0, 1, 1]}])
    yield gltf(nodes=[{"mesh": 0, "skin": 0}], skins=[{"joints": [0]}])
    yield gltf(extensionsRequired=["KHR_texture_basisu"])
    yield b'{"asset":{"version":"2.0"},"nodes":[{"children":[0]}]}'
    yield b"[" * 100
    yield from stage_files()
    yield from x3d_characters()


def point_animations():
    """Points over time: a stage, a glTF with morph targets, and pairs of OBJ files."""
    yield (b'#usda 1.0\n( timeCodesPerSecond = 24 )\ndef Xform "X" {\n double3 xformOp:translate.'
           b'timeSamples = { 1: (0,0,0), 3: (0,1,0) }\n uniform token[] xformOpOrder = '
           b'["xformOp:translate"]\n def Mesh "M" { point3f[] points.timeSamples = { 1: [(0,0,0), '
           b'(1,0,0)], 4: [(0,0,1), (1,0,1)] } }\n def Mesh "N" { point3f[] points = [(0,0,0)]\n '
           b'token visibility = "invisible" } }\n')
    yield (b'#usda 1.0\ndef Mesh "M" { point3f[] points.timeSamples = { 0: [(0,0,0)], 1: [] } }\n')
    for samples in ("1e300: [(0,0,0)], 2e300: [(1,1,1)]", "0: [(0,0,0)], 1: None",
                    "0: [(nan,0,0)], 1: [(inf,0,0)]", "-5: [(0,0,0)], 1e12: [(1,1,1)]"):
        yield f'#usda 1.0\ndef Mesh "M" {{ point3f[] points.timeSamples = {{ {samples} }} }}'.encode()
    for mode, numbers in (("LINEAR", [0, 0, 1, 2]), ("STEP", [0, 0, 1, 2]),
                          ("CUBICSPLINE", [0, 0, 0, 0, 1, 0, 0, 2, 1, 1, 0, 0])):
        triangle = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
        data = (triangle + triangle + struct.pack("<2f", 0, 1) +
                struct.pack(f"<{len(numbers)}f", *numbers) + struct.pack("<6f", 0, 0, 0, 0, 1, 0) +
                struct.pack("<8f", 0, 0, 0, 1, 0, 1, 0, 0))
        accessors, views, at = [], [], 0
        turns = 32 if mode != "CUBICSPLINE" else 0
        for kind, count, size in (("VEC3", 3, 36), ("VEC3", 3, 36), ("SCALAR", 2, 8),
                                  ("SCALAR", len(numbers), 4 * len(numbers)), ("VEC3", 2, 24),
                                  ("VEC4", 2, 32)):
            views.append({"buffer": 0, "byteOffset": at, "byteLength": size})
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "type": kind,
                              "count": count})
            at += size
        samplers = [{"input": 2, "output": 3, "interpolation": mode}]
        channels = [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]
        if turns:
            samplers += [{"input": 2, "output": 4}, {"input": 2, "output": 5}]
            channels += [{"sampler": 1, "target": {"node": 0, "path": "translation"}},
                         {"sampler": 2, "target": {"node": 0, "path": "rotation"}}]
        yield json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," +
                         base64.b64encode(data).decode()}],
            "bufferViews": views, "accessors": accessors, "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0},
                                        "targets": [{"POSITION": 1}, {"POSITION": 1}]}]}],
            "animations": [{"channels": channels, "samplers": samplers}]}).encode()
    yield (b"mtllib m\nnewmtl x\nKd 1 .5 0\nd .5\nmap_Kd -s 1 1 1 y.png\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\n"
           b"v 0 1 0\nvt 0 0\nvt 1 1\nvn 0 0 1\nusemtl x\nf 1/1/1 2/2/1 3/1/1 4/2/1\nf -4//1 -3 -2/2\n"
           b"o b\nv 0 0 1\nv 1 0 1\nv 1 1 1\nf 5 6 7\nf 5 6 5\n")
    for one, two in (("o a\nv 0 0 0\nv 1 2 3 1\no b\nv 1e3 -2 .5\nf 1 2 3\n", None),
                     ("v 0 0 0\n", "v 0 0 0\nv 1 1 1\n"), ("v 0 0\n", ""), ("v nan 0 0", ""),
                     ("o a\no b\n\tv 1 1 1", "o c\nv\t2 2 2"), ("v 1e99 0 0", ""),
                     ("v -1 +2 3\r\nvn 0 1 0\r\nvt 0 0\r\n", None), ("", "v 0 0 0\n"),
                     ("o " + "n" * 300 + "\nv 1 2 3\n", None), ("v 1,2,3\n", "v 1 2 3\n"),
                     ("v 1 2 3" * 40 + "\n", None), ("# only words\nmtllib a.mtl\n", None)):
        yield (one + "NEXT\n" + (one if two is None else two)).encode()


def usd_files():
    """Layers for libs/formats/usd: every kind of statement and value, and what must be refused."""
    stage = (
        '#usda 1.0\n(\n    "words"\n    defaultPrim = "R"\n    upAxis = "Z"\n'
        '    subLayers = [@a.usda@ (offset = 1; scale = 2), @@@b@c.usda@@@]\n'
        '    customLayerData = { string a = "x"; double[] "b c" = [1, 2.5] }\n)\n\n'
        'def SkelRoot "R" (\n    prepend apiSchemas = ["SkelBindingAPI"]\n'
        '    references = @rig.usda@</Rig> (offset = 3)\n)\n{\n'
        '    rel skel:skeleton = </R/S>\n    rel none\n    custom int points:count = -7 # note\n'
        '    color3f[] primvars:displayColor = [(1, 0, .5)] (\n'
        '        interpolation = "constant"\n    )\n'
        '    reorder properties = ["b", "a"]\n    prepend rel also = [</R>, </R/S>]\n'
        '    float3[] extent.timeSamples = { 1: [(0.1, -inf, nan)], 2.5: None, 3: [], }\n'
        '    token outputs:a.connect = </R/M.outputs:b>\n    def Skeleton "S"\n    {\n'
        '        uniform matrix4d[] restTransforms = '
        '[((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1))]\n'
        '        uniform token[] joints = ["A", "A/B"]\n'
        '        quatf[] rotations.timeSamples = { 0: [(1, 0, 0, 0), (0, 1, 0, 0)] }\n'
        '        string s = """two\nlines \\x41\\n"""\n        asset v = @a.wav@\n'
        '        bool on = true\n    }\n}\nover "O" { }\nclass "C" { }\n').encode()
    yield stage
    yield stage[:len(stage) // 2]
    yield b'#usda 1.0\r\ndef "A" { float x = 1e999 }'
    yield b'#usda 1.0\ndef "A" { int64 x = 9007199254740993 }'
    yield b'#usda 1.0\n' + b'def "A" {\n' * 70
    yield b'#usda 1.0\n( a = ' + b'{ dictionary a = ' * 70
    yield b'#usda 1.0\ndef "A" { float x = ' + b'(' * 300
    yield b'#usda 1.0\ndef "A" { token[] x = ["a", 1] }'
    bone = '((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,%s,0,1))'
    yield ('#usda 1.0\n( upAxis = "Z"; timeCodesPerSecond = 30 )\nclass "_c" { double3 xformOp:scale'
           ' = (1,2,1)\n uniform token[] xformOpOrder = ["xformOp:scale"] }\ndef SkelRoot "R" (inherits ='
           ' </_c>) {\n rel skel:animationSource = </R/S/N>\n def Skeleton "S" {\n uniform token[] '
           'joints = ["A", "A/B"]\n uniform token[] jointNames = ["a", "b"]\n uniform matrix4d[] '
           'bindTransforms = [' + bone % 0 + ', ' + bone % 1 + ']\n uniform matrix4d[] restTransforms'
           ' = [' + bone % 0 + ', ' + bone % 1 + ']\n def SkelAnimation "N" {\n uniform token[] joints '
           '= ["A/B"]\n float3[] translations = [(0, 1, 0)]\n half3[] scales = [(1, 1, 1)]\n quatf[] '
           'rotations.timeSamples = { 0: [(1,0,0,0)], 5: [(0,1,0,0)], 6: None }\n uniform token[] '
           'blendShapes = ["s"]\n float[] blendShapeWeights = [0.5] } } }\n').encode()
    yield (b'#usda 1.0\ndef "A" { string x = "' + b'x' * 300 + b'" }\n' + b''.join(
        b'def "%c" { def "L" (references = </%c>) {} def "R" (references = </%c>) {} }\n' %
        (66 + i, 65 + i, 65 + i) for i in range(20)))
    for statement in (
            'token[] x = []', 'matrix2d x = ((1, 2), (3, 4))', 'half[] x = [1e-7, -0.0, +2.5]',
            'rel x = [</A>, </A/B.c>]', 'delete rel x = </A>', 'asset x = @a\\b@', 'int x = None',
            'float x.timeSamples = { -1: 1; 0: 2, 1e3: 3 }', 'float x.timeSamples = { 2: 1, 1: 1 }',
            'uniform bool x = true ( doc = "d"; displayUnits = cm )', "string x = 'it\\'s \\x7f'",
            'dictionary x = { dictionary y = { int[] z = [1] } }', 'string x = """open',
            'float[] x = 1', 'def "B" (inherits = </_c>) {} over "B" { }'):
        yield ('#usda 1.0\nclass "_c" {}\ndef "A" {\n    ' + statement + '\n}\n').encode()
    yield b"#usda 1.0\ndef 'A' { variantSet 'v' = { } }"
    yield (b'#usda 1.0\ndef SkelRoot "R" ( variants = { string v = "a" }\n variantSets = ["v", "w"]\n'
           b' instanceable = true ) {\n variantSet "v" = {\n "a" ( references = </B>\n variants = { '
           b'string w = "x" } ) { def SkelAnimation "N" { uniform token[] joints = ["A"] } }\n "b" { } }\n'
           b' variantSet "w" = { "x" { int c = 1\n variantSet "v" = { "a" { } } } } }\n'
           b'def "B" ( variantSets = "v" ) { variantSet "v" = { "a" { int d = 2 } } }\n')
    for times in ("", "double2[] times = [(0, 0), (4, 4), (4, 0), (9, 5)]",
                  "double2[] times = [(0, 9), (9, 0)]\n bool interpolateMissingClipValues = true",
                  "asset manifestAssetPath = @self.usda@"):
        yield ('#usda 1.0\ndef Skeleton "S" {\n uniform token[] joints = ["A"]\n rel '
               'skel:animationSource = </N> }\ndef SkelAnimation "N" ( clips = { dictionary default = {\n'
               ' asset[] assetPaths = [@self.usda@, @self.usda@]\n string primPath = "/C"\n double2[] '
               'active = [(0, 0), (3, 1)]\n ' + times + ' } } ) {\n uniform token[] joints = ["A"]\n '
               'half3[] scales = [(1,1,1)] }\ndef "C" {\n quatf[] rotations.timeSamples = { 0: [(1,0,0,0)],'
               ' 5: [(0,1,0,0)] }\n float3[] translations.timeSamples = { 1: [(0,1,0)], 2: [] } }\n'
               ).encode()
    yield (b'#usda 1.0\ndef "N" ( clips = { dictionary default = { string templateAssetPath = "self.#.usda"'
           b'\n double templateStartTime = 0\n double templateEndTime = 9\n double templateStride = 1\n '
           b'string primPath = "/C" } } ) { }\n')
    yield (b'#usda 1.0\n( metersPerUnit = 0.01; upAxis = "Z" )\ndef Camera "main_cam" { float focalLength.'
           b'timeSamples = { 0: 35, 1: 50 }\n float verticalAperture = 0\n float focusDistance = inf\n '
           b'double3 xformOp:translate.timeSamples = { 0: (0,0,0) }\n uniform token[] xformOpOrder = '
           b'["xformOp:translate"] }\ndef SpatialAudio "V" { uniform asset filePath = @v.wav@\n uniform '
           b'timecode startTime = -3\n uniform double mediaOffset = nan }\n')


def x3d_prototypes():
    """Prototypes: of a humanoid, in each other, with fields that lead further, and hostile ones."""
    door = ("PROTO Door [ exposedField SFVec3f size 1 2 3 field MFNode parts [ DEF K Group { } ] "
            "eventIn SFRotation turn ] { DEF L Transform { scale IS size rotation IS turn children "
            "IS parts } DEF S OrientationInterpolator { } ROUTE S.value_changed TO L.rotation }\n")
    yield door + "DEF D Door { size 4 5 6 parts [ Shape { } USE D2 ] } DEF D2 Door { }"
    yield door + "DEF D Door { } DEF O OrientationInterpolator { } ROUTE O.value_changed TO D.turn"
    yield (door + "PROTO House [ field SFVec3f s 1 1 1 field MFNode in [ ] eventIn SFRotation t ] { "
           "Door { size IS s parts IS in turn IS t } } DEF H House { in [ House { } ] }\n"
           "DEF O OrientationInterpolator { } ROUTE O.value_changed TO H.set_t")
    yield door + "PROTO Door [ ] { Door { } } Door { }"
    yield "".join(f"PROTO P{i} [ ] {{ Group {{ children [ P{i - 1} {{ }} P{i - 1} {{ }} ] }} }}\n"
                  if i else "PROTO P0 [ ] { Group { } }\n" for i in range(30)) + "P29 { }"
    yield "PROTO A [ ] { " * 40
    yield "PROTO A [ eventIn SFTime x.y ] { Group { a$b IS x.y } } DEF I A { } ROUTE I.x TO I.x"
    yield ("PROTO Joint [ field MFNode children [ ] ] { Group { } } EXTERNPROTO Humanoid [ exposedField "
           "SFString name ] [ \"h.wrl\" ] Humanoid { name \"A\" humanoidBody [ Joint { children Joint "
           "{ } } ] }")
    yield ("Script { field SFBool a TRUE field SFNode b USE c eventIn SFTime d exposedField MFNode e [ "
           "Group { } ] eventOut SFTime f IS g url \"x\" } IMPORT i.D AS E EXPORT F ROUTE E.a TO E.b")


def x3d_files():
    def xml(scene, head=""):
        return f"<X3D profile='Full' version='4.0'><head>{head}</head>\n<Scene>{scene}</Scene></X3D>"

    def classic(scene):
        return f"#X3D V4.0 utf8\nPROFILE Full\n{scene}\n"

    joint = ("<HAnimJoint DEF='r' name='humanoid_root' containerField='skeleton' center='0 .8 0' "
             "llimit='-1 -1 -1' ulimit='1 1 1' stiffness='0 0 0' rotation='0 0 1 .5'>{}</HAnimJoint>")
    segment = ("<HAnimSegment name='sacrum' mass='3' centerOfMass='0 .1 0'><HAnimDisplacer "
               "name='x_jawOpen_action' coordIndex='0 1' displacements='0 0 1 1e-3 -2.5E4 0'/>"
               "<Shape><IndexedFaceSet coordIndex='0 1 2 -1'><Coordinate point='0 0 0,1 0 0,0 1 0'/>"
               "</IndexedFaceSet></Shape></HAnimSegment>")
    site = "<HAnimSite name='skull_tip' translation='0 1 0' rotation='0 1 0 1.57'/>"
    human = "<HAnimHumanoid DEF='h' name='Joe' info='\"a=b\" \"c\"' version='2.0'>{}</HAnimHumanoid>"
    motion = ("<HAnimMotion channels='6 Xposition Yposition Zposition' joints='r' "
              "values='0 1 2' frameDuration='.1'/>")
    clock = ("<TimeSensor DEF='t' loop='TRUE' cycleInterval='2'/><OrientationInterpolator DEF='o' "
             "key='0 1' keyValue='0 0 1 0 0 0 1 1'/><ROUTE fromNode='t' fromField='fraction_changed' "
             "toNode='o' toField='set_fraction'/>")
    return [item.encode() for item in (
        xml(""), xml(human.format("")), xml(human.format(joint.format(""))),
        xml(human.format(joint.format(segment + site))), xml(human.format(motion) + clock),
        xml(human.format(joint.format("") + "<HAnimJoint USE='r' containerField='joints'/>")),
        xml("<Group DEF='a'><Group USE='a'/></Group>"), xml("<Group USE='b'/>"),
        xml("<Group DEF='a'/><Group USE='a'/><Group DEF='a'/>"), xml("<ProtoDeclare name='p'/>"),
        xml("<Group>" * 300), xml("<WorldInfo title='&lt;&#10;\"' info='\"a\\\\\" \"b'/>"),
        "<!DOCTYPE X3D [<!ENTITY a 'b'>]>" + xml("<WorldInfo title='&a;'/>"),
        xml("<Shape/>", "<unit category='length' name='inch' conversionFactor='.0254'/>"
                        "<component name='HAnim' level='3'/><meta name='a' content='b'/>"),
        xml("<PixelTexture image='1 1 3 0xFF0000' repeatS='false'/>"),
        classic(""), classic("DEF a Group { children [ DEF b Shape { geometry Box { size 1 2 3 } } "
                             "USE b NULL ] }"),
        classic("UNIT length inch 0.0254\nCOMPONENT HAnim:3\nMETA \"a\" \"b\""),
        classic("DEF h HAnimHumanoid { name \"Joe\" info [ \"a\", \"b\\\"\" ] skeleton [ DEF r "
                "HAnimJoint { center 0 .8 0 llimit [ 1, 2 ] } ] joints USE r }"),
        classic("DEF t TimeSensor { loop TRUE } DEF o OrientationInterpolator { key [ 0 1 ] } "
                "ROUTE t.fraction_changed TO o.set_fraction"),
        classic("PROTO P [ ] { }"), *(classic(item) for item in x3d_prototypes()),
        xml("<ProtoDeclare name='P'><ProtoInterface><field name='a' value='1 2 3'/><field name='n'>"
            "<Group DEF='G'/></field></ProtoInterface><ProtoBody><Transform DEF='T'><IS><connect "
            "nodeField='scale' protoField='a'/><connect nodeField='children' protoField='n'/></IS>"
            "</Transform><ROUTE fromNode='T' fromField='scale' toNode='T' toField='translation'/>"
            "</ProtoBody></ProtoDeclare><ProtoInstance name='P' DEF='I'><fieldValue name='n'>"
            "<ProtoInstance name='P'/></fieldValue></ProtoInstance><ROUTE fromNode='I' "
            "fromField='a' toNode='I' toField='set_a'/>"),
        xml("<ExternProtoDeclare name='Joint' url='a'/><IS/><fieldValue name='a' value='1'/>"),
        xml("<Script DEF='S'><field name='a' type='SFNode'><Group/></field></Script><IMPORT AS='I'/>"
            "<EXPORT localDEF='S'/><ROUTE fromNode='I' fromField='a' toNode='S' toField='b'/>"),
        classic("Group { children " * 300), classic("Group { a [ 1 "),
        classic("WorldInfo { title \"a"), "#VRML V2.0 utf8\nTransform { children [] }",
        classic("".join(f"DEF n{i} Group {{ children [ USE n{i - 1} USE n{i - 1} ] }}\n" if i else
                        "DEF n0 Group { }\n" for i in range(40))),
    )]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_corpus.py FOLDER")
    for name, inputs in (("character_file", character_files()), ("prop_file", character_files()),
                         ("engine", engine_scripts()), ("metadata", metadata()),
                         ("sparse_pose", sparse_poses()),
                         ("x3d_file", x3d_files()),
                         ("usd_file", usd_files()), ("point_animation", point_animations()),
                         ("clip_file", clip_files()), ("text_file", text_files()),
                         ("http_text", http_texts()), ("http_wire", http_wire()),
                         ("voice_answer", voice_answers())):
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("made_*"):
            old.unlink()
        for n, data in enumerate(inputs):
            (folder / f"made_{n:02}").write_bytes(data)


if __name__ == "__main__":
    main()
