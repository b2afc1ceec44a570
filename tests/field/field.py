"""What the tests of field cases share.

A field case is a situation that people reported in public. Its folder here has inputs that were
made for it; issue numbers of the reports are in the tests. The right outcome comes from a standard,
or from what other readers of the format do.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CASES = pathlib.Path(__file__).parent
sys.path.insert(0, str(CASES.parent / "service"))

from posewire_test import BIN  # noqa: E402


class Outcome:
    """How a program ended, and what it said."""

    def __init__(self, process):
        self.code = process.returncode
        self.out, self.err = (text if isinstance(text, str) else text.decode(errors="replace")
                              for text in (process.stdout, process.stderr))

    def __str__(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


class Take:
    """What a .jsonl file holds: names, keys of the poses, and the last status."""

    def __init__(self, path):
        lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
        header = next(line["animationDataStreamHeader"] for line in lines
                      if "animationDataStreamHeader" in line)
        names = header.get("skelAnimationHeader", {})
        self.joints = [path.split("/")[-1] for path in names.get("joints", [])]
        self.shapes = names.get("blendShapes", [])
        data = [line["animationData"] for line in lines if "animationData" in line]
        poses = [d["skelAnimation"] for d in data if "skelAnimation" in d]
        self.rotations = [key for pose in poses for key in pose.get("rotations", [])]
        self.translations = [key for pose in poses for key in pose.get("translations", [])]
        self.weights = [key for pose in poses for key in pose.get("blendShapeWeights", [])]
        self.audio = [d["audio"] for d in data if "audio" in d]
        self.statuses = [line["status"] for line in lines if "status" in line]

    def rotation(self, joint, key=-1):
        """(w, x, y, z)"""
        value = self.rotations[key]["values"][self.joints.index(joint)]
        return tuple(value.get(part, 0) for part in ("real", "i", "j", "k"))

    def degrees(self, joint, key=-1):
        return 2 * math.degrees(math.acos(min(1, abs(self.rotation(joint, key)[0]))))

    def times(self):
        return [key.get("timeCode", 0) for key in self.rotations or self.weights]


class FieldTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def scratch(self, name):
        return os.path.join(self.folder.name, name)

    def run_program(self, name, *args, code=0, stdin=None, timeout=60):
        """Runs a program of ours to its end, which has this exit code; None: any."""
        outcome = Outcome(subprocess.run(
            [os.path.join(BIN, name), *map(str, args)], input=stdin, capture_output=True,
            timeout=timeout, text=stdin is None or isinstance(stdin, str)))
        if code is not None:
            self.assertEqual(code, outcome.code, outcome)
        return outcome

    def play(self, path, *args, **options):
        """What a2f_source makes of a clip, and what it said on the way."""
        out = self.scratch("played.jsonl")
        said = self.run_program("a2f_source", "play", path, "--out", out, *args, **options)
        return Take(out), said.err
