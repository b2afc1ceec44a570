"""How far and how fast mouths move in speech: of takes of ours, and of recordings of people.

    openness.py FILE...     a row of a Markdown table for each

FILE is a clip of JSON lines (`a2f_source say TEXT --out x.jsonl`), Live Link Face's CSV (52 ARKit
shapes and a time code), or Audio2Face's (`blendShapes.JawOpen`, seconds). Of each only the stretch
counts in which the mouth moves: from half a second before it first opens to half a second after it
last closes. The weights are taken as they come: ACE's `jawOpen`, which parts the lips, and Apple's,
which lowers the jaw behind closed lips too, are the same where `mouthClose` is 0.
"""
import csv
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lips import Face, read_jsonl  # noqa: E402

OPEN = 0.06
PACE_S = 0.08


def seconds(time_code):
    """Of 12:27:47:49.169, whose last part counts frames of a sixtieth; or of a number."""
    parts = time_code.split(":")
    if len(parts) == 1:
        return float(time_code)
    hours, minutes, whole, frames = parts
    return int(hours) * 3600 + int(minutes) * 60 + int(whole) + float(frames) / 60


def read_csv(path):
    with open(path, newline="", encoding="utf-8-sig") as lines:
        rows = list(csv.reader(lines))
    names = [name.split(".")[-1] for name in rows[0]]
    rows = [row for row in rows[1:] if len(row) == len(names)]
    at = next(i for i, name in enumerate(names) if name.lower() == "timecode")
    times = [seconds(row[at]) for row in rows]
    shapes = {}
    for i, name in enumerate(names):
        if name.startswith(("Jaw", "Mouth")):
            stem = name[0].lower() + name[1:]
            for side in ("Left", "Right"):
                stem = stem.removesuffix(side) if len(stem) > len(side) + 5 else stem
            shapes.setdefault(stem, []).append([float(row[i]) for row in rows])
    whole = {stem: [sum(v) / len(v) for v in zip(*sides)] for stem, sides in shapes.items()}
    return Face([t - times[0] for t in times], whole)


def spoken(face):
    """The first and the last frame that count."""
    moving = [k for k, w in enumerate(face.weight("jawOpen")) if w > OPEN]
    if not moving:
        return 0, len(face.times)
    margin = round(0.5 / step_s(face))
    return max(0, moving[0] - margin), min(len(face.times), moving[-1] + margin + 1)


def step_s(face):
    steps = sorted(b - a for a, b in zip(face.times, face.times[1:]))
    return steps[len(steps) // 2]


def percentile(values, percent):
    ordered = sorted(values)
    at = (len(ordered) - 1) * percent / 100
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def figures(face):
    """Of the stretch that counts: seconds; mean and percentiles of the shapes that open and round a
    mouth; the part of the time that the jaw is open by 0.3; the change of the jaw in PACE_S."""
    start, end = spoken(face)
    shape = {name: face.weight(name)[start:end]
             for name in ("jawOpen", "mouthLowerDown", "mouthFunnel", "mouthPucker", "mouthClose")}
    jaw = shape["jawOpen"]
    stride = max(1, round(PACE_S / step_s(face)))
    paces = [abs(b - a) for a, b in zip(jaw, jaw[stride:])] or [0.0]
    result = {"seconds": len(jaw) * step_s(face), "over_0.3": sum(w > 0.3 for w in jaw) / len(jaw)}
    for name, values in shape.items():
        result[name] = [sum(values) / len(values)] + [percentile(values, p) for p in (50, 90, 95, 99)]
    result["pace"] = [percentile(paces, p) for p in (95, 99, 100)]
    return result


HEADER = """| | seconds | jawOpen: mean | 50, 90, 95, 99 % | over 0.3 | in 80 ms: 95, 99, 100 % | \
mouthLowerDown: mean, 95 % | mouthFunnel: mean, 95 % | mouthPucker: mean, 95 % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def row(name, f):
    numbers = lambda values: ", ".join(f"{v:.2f}" for v in values)  # noqa: E731
    ends = lambda shape: numbers([f[shape][0], f[shape][3]])  # noqa: E731
    return (f"| {name} | {f['seconds']:.0f} | {f['jawOpen'][0]:.3f} | {numbers(f['jawOpen'][1:])} | "
            f"{100 * f['over_0.3']:.0f} % | {numbers(f['pace'])} | {ends('mouthLowerDown')} | "
            f"{ends('mouthFunnel')} | {ends('mouthPucker')} |")


def main(paths):
    print(HEADER)
    for path in paths:
        face = read_csv(path) if path.endswith(".csv") else read_jsonl(path)
        print(row(os.path.basename(path).rsplit(".", 1)[0], figures(face)))


if __name__ == "__main__":
    main(sys.argv[1:])
