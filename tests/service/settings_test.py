"""Settings that are wrong: exit code 2, and words that say what would be right."""
import os
import subprocess
import tempfile
import unittest

from posewire_test import BIN

WRONG = [
    ("anim_graph --rig nope", "known are hanim_loa1"),
    ("anim_graph --graph nope", "No such file"),
    ("anim_graph --clips /nope", "not a folder"),
    ("anim_graph --source mocap:mode=often", "mode"),
    ("anim_graph --listen nowhere", "nowhere"),
    ("anim_graph --fsp 30", "is --fps meant?"),
    ("anim_graph frob", "frob"),
    ("a2f_source frob", "the commands are"),
    ("a2f_source serve --listen 0.0.0.0:0", "allow-plaintext"),
    ("renderer_sink frob", "the commands are"),
    ("renderer_sink view --http 127.0.0.1:0 --avatar /nope.glb", "/nope.glb"),
]


def run(line, **settings):
    return subprocess.run([os.path.join(BIN, line.split()[0]), *line.split()[1:]],
                          capture_output=True, text=True, timeout=20,
                          env={**os.environ, **settings})


class SettingsTest(unittest.TestCase):
    def test_wrong_ones_end_with_2(self):
        for line, words in WRONG:
            with self.subTest(line):
                done = run(line)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)

    def test_what_ends_a_program_is_told_with_the_log_off(self):
        done = run("anim_graph --log-level off --rig nope")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("known are hanim_loa1", done.stderr)

    def test_a_variable_that_is_like_a_setting_is_told_of(self):
        done = run("anim_graph --version", POSEWIRE_FSP="30")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("anim_graph --rig nope", POSEWIRE_FSP="30")
        self.assertIn("POSEWIRE_FSP sets nothing; is POSEWIRE_FPS meant?", done.stderr)

    def test_a_wrong_key_of_a_file_names_file_and_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "posewire.toml")
            with open(path, "w") as f:
                f.write('# mine\nfps = 30\n\nfsp = 30\nlisten = "nowhere"\n')
            done = run(f"anim_graph --config {path}")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{path}:4: there is no setting fsp; is fps meant?", done.stderr)
        self.assertIn(f"(from {path}:5): ", done.stderr)


if __name__ == "__main__":
    unittest.main()
