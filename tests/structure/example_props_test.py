"""data/props is what tools/props makes."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class ExamplePropsTest(unittest.TestCase):
    def test_the_files_are_those_that_the_script_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", str(ROOT / "tools/props/make.py"), folder], check=True)
            made = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        kept = {path.name: path.read_bytes() for path in (ROOT / "data/props").iterdir()}
        self.assertEqual(made.keys(), kept.keys())
        for name in kept:
            self.assertTrue(made[name] == kept[name], f"{name}: run tools/props/make.py data/props")


if __name__ == "__main__":
    unittest.main()
