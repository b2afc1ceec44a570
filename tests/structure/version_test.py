"""CMakeLists.txt holds the version. What cannot read it there repeats it; these are all such places."""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("POSEWIRE_BIN_DIR")
REPEATED = {
    "CHANGELOG.md": r"\A(?:(?!## ).*\n)*## (\S+) \(",
    "clients/mcp/posewire_mcp/__init__.py": r'^__version__ = "(.*)"',
    "clients/python/posewire/__init__.py": r'^__version__ = "(.*)"',
    "clients/typescript/package.json": r'^  "version": "(.*)"',
    "clients/typescript/package-lock.json": r'"name": "posewire",\n +"version": "(.*)"',
    "deploy/helm/posewire/Chart.yaml": r"^(?:version|appVersion): (.*)",
    "docker/Dockerfile": r'image\.version="(.*)"',
    "docker/kokoro/Dockerfile": r'image\.version="(.*)"',
    "docs/asyncapi.yaml": r"^  version: (.*)",
    "docs/operations.md": r"posewire_([\d.]+)_amd64\.deb",
    "plugins/livekit/pyproject.toml": r'^version = "(.*)"',
    "plugins/pipecat/pyproject.toml": r'^version = "(.*)"',
    "voices/kokoro/kokoro_voice/__init__.py": r'^__version__ = "(.*)"',
}


class VersionTest(unittest.TestCase):
    version = re.search(r"project\(posewire VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

    def test_every_place_repeats_the_version(self):
        for path, pattern in REPEATED.items():
            with self.subTest(path):
                found = set(re.findall(pattern, (ROOT / path).read_text(), re.M))
                self.assertEqual(found, {self.version})

    @unittest.skipUnless(BIN, "POSEWIRE_BIN_DIR is not set")
    def test_the_programs_report_the_version(self):
        for name in ("a2f_source", "anim_graph", "animclip", "renderer_sink"):
            done = subprocess.run([f"{BIN}/{name}", "--version"], capture_output=True, text=True)
            self.assertEqual(done.stdout.split()[:2], [name, self.version], done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
