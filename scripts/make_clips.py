#!/usr/bin/env python3
"""Makes the test clips of data/clips, and the pulls that must come out of them.

    scripts/make_clips.py                 # with the programs of build/release/bin
    scripts/make_clips.py --bin DIR

What it makes is kept in git. Make it again when a clip is to change; a pull that comes out
otherwise than before is a fault, until it is known why. Needs the built programs, and nothing else.
"""

import argparse
import base64
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

CLIPS = Path(__file__).resolve().parents[1] / "data" / "clips"
FPS, RATE = 30, 16000

# What the anim_graph is told that each is pushed to. With ACE's profile a pull is of the whole
# stream, unless it is told otherwise, and then it never ends.
SERVERS = {
    "speech": ["--graph", "passthrough"],
    "gesture": ["--graph", "passthrough"],
    "camera_emotion": ["--graph", "passthrough"],
    "ace": ["--graph", "passthrough", "--ace-compat", "--http", "127.0.0.1:0",
            "--no-ignore-pull-request-ids"],
}
SUCCESS = {"status": {"message": "the source has sent all"}}


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def write(path, messages):
    with open(path, "w") as file:
        for message in messages:
            file.write(json.dumps(message, separators=(",", ":")) + "\n")


def read_shapes():
    """ARKit's names; ACE has them in the same order."""
    with open(CLIPS.parent / "rigs" / "arkit52.shapes") as file:
        return [line.split()[1] for line in file if line.startswith("shape ")]


def header_of(messages):
    return messages[0]["animationDataStreamHeader"]


def ids(request, stream="demo", target=""):
    found = {"requestId": request, "streamId": stream, "targetObjectId": target}
    return {key: value for key, value in found.items() if value}


def run(program, *args):
    subprocess.run([program, *args], check=True, stdout=subprocess.DEVNULL)


# ---- The clips -----------------------------------------------------------------------------------

def say(bin_dir, folder, text):
    """Voice and face of a text, as the stream's messages, without an epoch of today."""
    path = folder / "said.jsonl"
    run(bin_dir / "a2f_source", "say", text, "--no-body", "--seed", "1", "--log-level", "error",
        "--out", path)
    messages = read(path)
    header_of(messages).pop("startTimeCodeSinceEpoch")
    return messages


def speech(bin_dir, folder):
    messages = say(bin_dir, folder, "Hello from a clip.")
    header_of(messages)["animationIds"] = ids("speech")
    return messages


def gesture(bin_dir, folder):
    """A built-in gesture, as the rotations of the joints that it turns and the weights."""
    run(bin_dir / "animclip", "gestures", "--out", folder / "gestures", "--format", "jsonl")
    messages = read(folder / "gestures" / "thumbs_up.jsonl")
    frames = [m["animationData"]["skelAnimation"] for m in messages if "animationData" in m]
    names = header_of(messages)["skelAnimationHeader"]["joints"]
    rotations = [frame["rotations"][0]["values"] for frame in frames]
    turned = [j for j in range(len(names))
              if any(abs(r[j].get(axis, 0)) > 1e-4 for r in rotations for axis in "ijk")]
    out = [{"animationDataStreamHeader": {
        "animationIds": ids("gesture"), "sourceServiceId": "posewire clip",
        "skelAnimationHeader": {
            "blendShapes": header_of(messages)["skelAnimationHeader"]["blendShapes"],
            "joints": [names[j].split("/")[-1] for j in turned]}}}]
    for frame in frames:
        key = frame["rotations"][0]
        out.append({"animationData": {"skelAnimation": {
            "blendShapeWeights": frame["blendShapeWeights"],
            "rotations": [{**key, "values": [key["values"][j] for j in turned]}]}}})
    return out + [SUCCESS]


def emotion(time_code, joy):
    return {"emotion_aggregate": {
        "@type": "type.googleapis.com/nvidia_ace.emotion_aggregate.v1.EmotionAggregate",
        "a2eOutput": [{"timeCode": time_code, "emotion": {"joy": joy}}],
        "a2fSmoothedOutput": [{"timeCode": time_code, "emotion": {"joy": round(joy / 2, 4)}}]}}


def camera_emotion(_bin_dir, _folder):
    """A slow push-in of the camera on a smile; ten camera keys a second, an emotion every half."""
    messages = [{"animationDataStreamHeader": {
        "animationIds": ids("camera_emotion"), "sourceServiceId": "posewire clip",
        "skelAnimationHeader": {"blendShapes": ["mouthSmileLeft", "mouthSmileRight",
                                                "cheekSquintLeft", "cheekSquintRight"]}}}]
    for k in range(46):
        t = k / FPS
        smile = 0.5 - 0.5 * math.cos(2 * math.pi * t / 1.5)
        data = {"skelAnimation": {"blendShapeWeights": [{
            "timeCode": t, "values": [round(w, 5) for w in (0.8 * smile, 0.75 * smile,
                                                            0.4 * smile, 0.4 * smile)]}]}}
        if k % 3 == 0:
            turn = math.radians(4 * t)
            data["camera"] = {
                "position": [{"timeCode": t, "value": {"x": round(0.1 * t, 5), "y": 1.55,
                                                       "z": round(1.6 - 0.3 * t, 5)}}],
                "rotation": [{"timeCode": t, "value": {"real": round(math.cos(turn / 2), 7),
                                                       "j": round(math.sin(turn / 2), 7)}}],
                "focalLength": [{"timeCode": t, "value": round(50 + 10 * t, 4)}],
                "focusDistance": [{"timeCode": t, "value": round(1.6 - 0.3 * t, 4)}]}
        if k % 15 == 0:
            data["metadata"] = emotion(t, round(smile, 4))
        messages.append({"animationData": data})
    return messages + [SUCCESS]


def ace(bin_dir, folder):
    """As Audio2Face sends it: its names in its order, its ids, and a nod on ACE's joints."""
    messages = say(bin_dir, folder, "Yes, of course.")
    header = header_of(messages)
    header["animationIds"] = ids("8b09637f-737e-488c-872e-e367e058aa15",
                                 "17f1fefd-3812-4211-94e8-7af1ef723d7f", "AceModel")
    header["sourceServiceId"] = "A2F MS"
    names = header["skelAnimationHeader"]
    given, arkit = names["blendShapes"], read_shapes()
    names["blendShapes"] = [name[0].upper() + name[1:] for name in arkit]
    names["joints"] = ["Chest", "Neck1", "Neck2", "Head"]
    frame = 0
    for message in messages:
        if "animationData" not in message:
            continue
        nod = math.radians(5) * math.sin(2 * math.pi * frame / FPS) ** 2
        turn = {"real": round(math.cos(nod / 2), 7), "i": round(math.sin(nod / 2), 7)}
        skel = message["animationData"]["skelAnimation"]
        for key in skel["blendShapeWeights"]:
            weights = dict(zip(given, key["values"]))
            key["values"] = [weights.get(name, 0) for name in arkit]
        skel["rotations"] = [
            {"timeCode": frame / FPS, "values": [{"real": 1}, turn, turn, turn]}]
        frame += 1
    return messages


# ---- What comes out ------------------------------------------------------------------------------

def leaf(name):
    return name.split("/")[-1]


def place(pushed, pulled):
    """Where in the pulled names each pushed one stands."""
    plain = [leaf(name).lower() for name in pulled]
    return [plain.index(leaf(name).lower()) for name in pushed]


def first_code(messages):
    for message in messages:
        for track in ("rotations", "blendShapeWeights"):
            keys = message.get("animationData", {}).get("skelAnimation", {}).get(track)
            if keys:
                return keys[0].get("timeCode", 0)
    raise ValueError("no frame in the pull")


def essence(pushed, pulled):
    """A pull as it is compared and kept: what the push named, counted from its first frame.

    Left out are the epoch, the rest of the body, and where the voice is cut into frames, which goes
    by the server's clock. Codes are those of the frames, exactly; the voice is cut anew.
    """
    names, sent = header_of(pulled)["skelAnimationHeader"], header_of(pushed)["skelAnimationHeader"]
    wanted = {"blendShapeWeights": place(sent.get("blendShapes", []), names["blendShapes"]),
              "rotations": place(sent.get("joints", []), names["joints"])}
    start = first_code(pulled)
    header = {**header_of(pulled), "skelAnimationHeader": {
        "blendShapes": [names["blendShapes"][i] for i in wanted["blendShapeWeights"]],
        "joints": [leaf(names["joints"][i]) for i in wanted["rotations"]]}}
    header.pop("startTimeCodeSinceEpoch", None)
    frames, before, after, voice = {}, [], [], b""
    for message in pulled[1:]:
        if "status" in message:
            text = message["status"].get("message", "").split(" at code ")[0]
            (after if frames else before).append({"status": {**message["status"], "message": text}})
            continue
        data = message["animationData"]
        voice += base64.b64decode(data.get("audio", {}).get("audioBuffer", ""))
        skel = {track: data.get("skelAnimation", {}).get(track, []) for track in wanted}
        if not skel["rotations"]:  # the server left out the pose of a late frame
            continue
        frame = round((skel["rotations"][0].get("timeCode", 0) - start) * FPS)
        out = {"skelAnimation": {track: [{"timeCode": frame / FPS,
                                          "values": [keys[0]["values"][i] for i in wanted[track]]}]
                                 for track, keys in skel.items() if wanted[track]}}
        camera = {track: [{"timeCode": frame / FPS, "value": key["value"]} for key in keys]
                  for track, keys in data.get("camera", {}).items()}
        out.update({"camera": camera} if camera else {})
        out.update({"metadata": data["metadata"]} if "metadata" in data else {})
        frames[frame] = out
    if header.get("audioHeader") and "audioHeader" in header_of(pushed):
        put_voice(frames, voice)
    else:
        header.pop("audioHeader", None)
    return ([{"animationDataStreamHeader": header}] + before +
            [{"animationData": frames[k]} for k in sorted(frames)] + after)


def put_voice(frames, voice):
    for k, frame in frames.items():
        first, end = k * RATE // FPS, (k + 1) * RATE // FPS
        samples = voice[2 * first:2 * end].ljust(2 * (end - first), b"\0")
        frame["audio"] = {"timeCode": first / RATE,
                          "audioBuffer": base64.b64encode(samples).decode()}


def pull(bin_dir, folder, name, clip):
    """Pushes a clip through an anim_graph of its own; what a pull of its request gets."""
    path = folder / f"{name}.pulled.jsonl"
    server = subprocess.Popen([bin_dir / "anim_graph", "--listen", "127.0.0.1:0", "--log-level",
                               "error", *SERVERS[name]], stdout=subprocess.PIPE, text=True)
    try:
        address = f"127.0.0.1:{json.loads(server.stdout.readline())['grpc_port']}"
        wanted = header_of(read(clip))["animationIds"]
        which = ["--stream-id", wanted["streamId"], "--request-id", wanted["requestId"]]
        sink = subprocess.Popen([bin_dir / "renderer_sink", "record", path,
                                 "--from", address, *which, "--log-level", "error"],
                                stdout=subprocess.DEVNULL)
        run(bin_dir / "a2f_source", "play", clip, "--to", address, *which, "--log-level", "error")
        if sink.wait(30) != 0:
            raise RuntimeError(f"{name}: the pull failed")
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
    return read(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=CLIPS.parents[1] / "build/release/bin")
    bin_dir = parser.parse_args().bin.resolve()
    makers = {"speech": speech, "gesture": gesture, "camera_emotion": camera_emotion, "ace": ace}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, make in makers.items():
            clip = CLIPS / f"{name}.jsonl"
            write(clip, make(bin_dir, folder))
            run(bin_dir / "animclip", "validate", "--push", clip)
            out = essence(read(clip), pull(bin_dir, folder, name, clip))
            write(CLIPS / f"{name}.pull.jsonl", out)
            run(bin_dir / "animclip", "validate", CLIPS / f"{name}.pull.jsonl")
            for path in (clip, CLIPS / f"{name}.pull.jsonl"):
                print(f"{path.relative_to(CLIPS.parents[1])}: {len(read(path))} messages, "
                      f"{path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    sys.exit(main())
