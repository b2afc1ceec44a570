"""How far a face's lips are apart, and how much the lower lip is at the teeth, from its weights.

Weights are ACE's (docs/protocol.md): `jawOpen` is how far the jaw parts the lips, and `mouthClose`
lets the jaw down behind closed lips, so that it opens nothing. Of a stream with Apple's meaning
(`arkit=True`) mouthClose is taken off jawOpen. The unit of the gap is a whole jawOpen, 26 mm in the
middle of the lips on the built-in avatar, whose lips the other shapes part by 6 mm (lowerDown),
5 mm (upperUp) and 6 mm (funnel). Press and roll draw lips together that are a little apart: they
count against the gap, so a closure with pressed lips is below 0 and a mouth at rest is at 0.
"""
import base64
import json
import re
from array import array

PARTS = {"jawOpen": 1.0, "mouthLowerDown": 0.22, "mouthUpperUp": 0.18, "mouthFunnel": 0.25}
JOINS = {"mouthPress": 0.10, "mouthRollLower": 0.05, "mouthRollUpper": 0.05}
# The lower lip goes in and under the upper teeth, which the raised upper lip shows.
BITES = {"mouthRollLower": 1.0, "mouthUpperUp": 0.5}
BITE_SPOILERS = {"jawOpen": 1.0, "mouthLowerDown": 0.5}


class Face:
    """Weights over time: `times` in seconds, `shapes` by name without side, left and right as
    their mean, and the sound that came with them (16-bit mono, `rate_hz`)."""

    def __init__(self, times, shapes, pcm=b"", rate_hz=16000):
        self.times, self.shapes, self.pcm, self.rate_hz = times, shapes, pcm, rate_hz

    def weight(self, shape):
        return self.shapes.get(shape) or [0.0] * len(self.times)

    def _sum(self, weights):
        rows = [(factor, self.weight(shape)) for shape, factor in weights.items()]
        return [sum(f * row[k] for f, row in rows) for k in range(len(self.times))]

    def gap(self, arkit=False):
        parted, joined = self._sum(PARTS), self._sum(JOINS)
        closed = self.weight("mouthClose") if arkit else [0.0] * len(self.times)
        return [p - j - c for p, j, c in zip(parted, joined, closed)]

    def bite(self):
        return [b - s for b, s in zip(self._sum(BITES), self._sum(BITE_SPOILERS))]


def read_jsonl(path):
    """A clip of JSON lines, as a2f_source writes it."""
    times, rows, names, rate_hz, pcm = [], [], [], 16000, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            message = json.loads(line)
            head = message.get("animationDataStreamHeader")
            if head:
                names = head.get("skelAnimationHeader", {}).get("blendShapes", [])
                rate_hz = head.get("audioHeader", {}).get("samplesPerSecond", rate_hz)
            data = message.get("animationData", {})
            for frame in data.get("skelAnimation", {}).get("blendShapeWeights", []):
                times.append(frame.get("timeCode", 0.0))
                rows.append(array("f", frame["values"]))
            pcm.append(base64.b64decode(data.get("audio", {}).get("audioBuffer", "")))
    shapes = {}
    for i, name in enumerate(names):
        stem = re.sub(r"(?<=[a-z])(Left|Right)$", "", name.split("/")[-1])
        stem = stem[0].lower() + stem[1:]
        if stem in ("jaw", "mouth"):
            continue
        shapes.setdefault(stem, []).append([row[i] for row in rows])
    whole = {stem: [sum(v) / len(v) for v in zip(*sides)] for stem, sides in shapes.items()}
    return Face(times, whole, b"".join(pcm), rate_hz)
