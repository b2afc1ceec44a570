"""a2f_source talk: avatars of one stream speak in turn."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, Server

ROOT = Path(__file__).resolve().parents[2]
TALK = "ada [slt]: Good day.\nbob: Hello.\nada: Goodbye.\n"


def talk(file, *args, **options):
    return subprocess.run([os.path.join(BIN, "a2f_source"), "talk", file, *args], text=True,
                          capture_output=True, timeout=60, **options)


class TalkTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "talk.txt"
        self.file.write_text(TALK)
        self.addCleanup(self.folder.cleanup)

    def test_each_speaks_when_the_one_before_has_ended(self):
        graph = Server("anim_graph", "--graph", "passthrough")
        self.addCleanup(graph.stop)
        done = talk(self.file, "--to", graph.address, "--stream-id", "s")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = re.findall(r"(\S+Z) info anim_graph: request (started|ended) .*?"
                            r"target_object_id=\"(\w*)\"",
                            graph.log_text())
        self.assertEqual([(what, who) for _, what, who in events],
                         [("started", "ada"), ("ended", "ada"), ("started", "bob"),
                          ("ended", "bob"), ("started", "ada"), ("ended", "ada")])

    def test_a_script_that_cannot_be_read_says_where(self):
        self.file.write_text("ada: Hi.\nnobody says this\n")
        done = talk(self.file)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{self.file}: line 2: a line must begin with the speaker", done.stderr)
        self.assertEqual(talk(Path(self.folder.name) / "none.txt").returncode, 2)

    def test_the_script_that_comes_with_it_is_right(self):
        script = (ROOT / "data" / "talk.txt").read_text()
        self.file.write_text(script + "carl\n")
        lines = script.count("\n") + 1
        self.assertIn(f"line {lines}: ", talk(self.file).stderr, "all before it was taken")


if __name__ == "__main__":
    unittest.main()
