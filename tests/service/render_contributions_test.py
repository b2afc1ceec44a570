"""What a graph has mixed is drawn by the offsets of its clips: record, bake, render."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, Client, Server


def run(*args):
    return subprocess.run([str(Path(BIN) / args[0]), *map(str, args[1:])], capture_output=True, text=True)


class RenderContributionsTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def record(self, name, *flags):
        """Both arms go up at the start; two seconds."""
        graph = Server("anim_graph")
        self.addCleanup(graph.stop)
        client = Client(graph.address)
        client.control("RegisterStream", stream_id="s")
        client.control("SetVariable", stream_id="s", name="gesture_state", value="raise_both_arms")
        done = run("renderer_sink", "record", "--from", graph.address, "--stream-id", "s",
                   "--duration", "2", *flags, self.place / name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.place / name

    def draw(self, take, offsets, out):
        done = run("renderer_sink", "render", take, self.place / out, "--at", "1", "--camera", "body",
                   "--size", "160x240", "--offsets", offsets)
        return done, (self.place / out).read_bytes() if done.returncode == 0 else b""

    def test_the_clips_that_are_seen(self):
        take = self.record("take.animdata", "--contributions")
        films = self.place / "films"
        films.mkdir()
        done, _ = self.draw(take, films, "none.png")
        self.assertIn("there are no .offsets files", done.stderr)
        # Found by its poses, not by its name.
        done = run("animclip", "bake", "raise_both_arms", films / "a.offsets")
        self.assertEqual(done.returncode, 0, done.stderr)
        done, simple = self.draw(take, "none", "simple.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        done, film = self.draw(take, films, "film.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(film, simple)
        # Of another clip nothing is added: she keeps her own shapes.
        (films / "a.offsets").unlink()
        self.assertEqual(run("animclip", "bake", "wave", films / "b.offsets").returncode, 0)
        done, other = self.draw(take, films, "other.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(other, film)
        self.assertNotEqual(other, simple)
        self.assertIn("raise_both_arms", done.stderr)

    def test_a_take_that_does_not_say_them_is_refused(self):
        take = self.record("plain.animdata")
        films = self.place / "films"
        films.mkdir()
        self.assertEqual(run("animclip", "bake", "wave", films / "a.offsets").returncode, 0)
        done, _ = self.draw(take, films, "x.png")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--contributions", done.stderr)


if __name__ == "__main__":
    unittest.main()
