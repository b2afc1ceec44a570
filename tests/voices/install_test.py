"""The installer of the voice server, with an npm of the test's own."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import voice_tree


class InstallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.target = self.dir / "voices" / "kokoro"

    def install(self, *flags, npm="exit 1"):
        program = self.dir / "bin" / "npm"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{npm}\n")
        program.chmod(0o755)
        return subprocess.run(
            [
                "/usr/bin/python3",
                "-B",
                str(voice_tree.KOKORO / "install"),
                *flags,
                str(self.target),
            ],
            env={"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(self.dir)},
            text=True,
            capture_output=True,
            timeout=60,
        )

    def test_a_failed_download_says_why_and_leaves_nothing(self):
        done = self.install(npm="echo no route to the registry >&2; exit 1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Fetching kokoro-js@1.2.1 from npm failed", done.stderr)
        self.assertIn("no route to the registry", done.stderr)
        self.assertEqual(os.listdir(self.target.parent), ["kokoro.lock"])

    def test_another_archive_than_the_pinned_one_is_refused(self):
        done = self.install(npm="echo other >kokoro-js-1.2.1.tgz")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "has the sha512 checksum .*; expected oq0HZJWis3t8")
        self.assertFalse(self.target.exists())

    def test_check_tells_whether_the_wanted_packages_are_there(self):
        self.assertEqual(self.install("--check").returncode, 1)
        self.target.mkdir(parents=True)
        (self.target / "stamp").write_text("of older packages")
        self.assertEqual(self.install("--check").returncode, 1)

    def test_every_package_is_pinned_by_checksum(self):
        text = (voice_tree.KOKORO / "requirements.txt").read_text().replace("\\\n", " ")
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        self.assertGreater(len(lines), 7)
        for line in lines:
            self.assertRegex(line, r"^[\w-]+==[\d.]+( +--hash=sha256:[0-9a-f]{64})+$")

    def test_unknown_flags_show_the_help(self):
        done = self.install("--force")
        self.assertEqual(done.returncode, 1)
        self.assertIn("install [DIR]", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
