"""All parts of the bench, as short as can be: the report is complete and well-formed.

    POSEWIRE_BIN_DIR=DIR whole_test.py

No number is judged.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import budgets  # noqa: E402


class WholeTest(unittest.TestCase):
    def test_every_part_runs_and_every_budget_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            done = subprocess.run(
                [sys.executable, "-B", str(HERE / "run.py"), "--bin",
                 os.environ["POSEWIRE_BIN_DIR"], "--out", folder, "--size", "smoke"],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = json.loads((out / "report.json").read_text())
            ElementTree.parse(out / "lateness.svg")

        for word in ("machine", "commit", "date"):
            self.assertTrue(report[word], word)
        self.assertEqual(list(report["budgets"]), [b.measure for b in budgets.BUDGETS])
        for name, b in report["budgets"].items():
            self.assertTrue(math.isfinite(b["value"]), name)
            self.assertGreater(b["budget"], 0, name)
            self.assertTrue(b["unit"], name)
            self.assertIsInstance(b["met"], bool, name)
        for what in ("pushed_and_pulled", "idle_and_pulled"):
            found = report["headline"][what]
            self.assertGreater(found["frames"], 0, what)
            self.assertEqual(found["failed_calls"], 0, what)


if __name__ == "__main__":
    unittest.main(verbosity=2)
