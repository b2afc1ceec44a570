"""A clip that a source pushes, with a gesture of the graph and a spoken sentence: drawn with offsets,
it is the film's character."""

import concurrent.futures
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from film_offsets import run
from posewire_test import BIN, Client, Server, until

SENTENCE = "Hello, I am speaking while I bend my knees, and this face is the one of the film."
GESTURE = "hi"  # of the right arm


def errors(take, films, begin, end):
    """{(drawn, part): (rms, worst)} in mm between two times of the take, and what has no offsets."""
    said = run("posewire_film", "--take", take, "--offsets", films, "--from", begin, "--to", end).stdout
    rows = re.findall(r"\| (with offsets|without) \| (body|face) \| ([\d.]+) \| ([\d.]+) \|", said)
    assert len(rows) == 4, said
    return ({(drawn, part): (float(rms), float(worst)) for drawn, part, rms, worst in rows},
            re.findall(r"without offsets: (\S+), in (\d+) frames", said))


def contributions(take, place):
    """(time, [contribution]) of each frame."""
    lines = place / "take.jsonl"
    run("animclip", "convert", take, lines)
    frames = []
    for line in lines.read_text().splitlines():
        data = json.loads(line).get("animationData", {})
        said = data.get("metadata", {}).get("posewire.contributions")
        keys = data.get("skelAnimation", {}).get("rotations")
        if said and keys:
            frames.append((keys[0].get("timeCode", 0), said.get("contributions", [])))
    first = frames[0][0]
    return [(code - first, clips) for code, clips in frames]


@unittest.skipUnless((Path(BIN) / "posewire_film").exists(), "POSEWIRE_BENCH is off")
class FilmLiveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = Path(place.name)
        cls.films = cls.place / "films"
        cls.films.mkdir()
        faces = cls.films / "faces.offsets"
        run("animclip", "bake", "shapes", faces, "--method", "float")
        whole, cls.pushed = cls.place / "whole.animdata", cls.place / "pushed.animdata"
        run("animclip", "bake", "exercise", cls.place / "whole.offsets", "--take", whole)
        # The graph's gesture has the right arm.
        run("animclip", "cut", whole, cls.pushed, "--to", "7.5", "--drop", "r_shoulder")
        for clip, out in ((cls.pushed, "pushed"), (GESTURE, "gesture"), ("posture_attentive", "attentive"),
                          ("posture_talking", "talking")):
            run("animclip", "bake", clip, cls.films / f"{out}.offsets", "--method", "float", "--shapes", faces)
        cls.take = cls.place / "take.animdata"
        cls.record()

    @classmethod
    def record(cls):
        graph = Server("anim_graph")
        try:
            client = Client(graph.address)
            client.control("RegisterStream", stream_id="anna")
            to = ("--to", graph.address, "--stream-id", "anna", "--no-progress")
            with concurrent.futures.ThreadPoolExecutor() as all_:
                done = [all_.submit(run, "renderer_sink", "record", "--from", graph.address, "--stream-id",
                                    "anna", "--contributions", "--duration", 9, cls.take)]
                assert until(lambda: any(avatar.pulls for stream in client.control("ListStreams").streams
                                         for avatar in stream.avatars))
                done += [all_.submit(run, "a2f_source", "play", cls.pushed, *to),
                         all_.submit(run, "a2f_source", "say", SENTENCE, "--no-body", *to)]
                client.control("SetGesture", stream_id="anna", gesture=GESTURE)
                for one in done:
                    one.result()
            client.close()
        finally:
            graph.stop()

    def seen_together(self):
        """When the pushed clip, the gesture and a live face are all seen: from the first to the last frame."""
        frames = contributions(self.take, self.place)
        whole = [t for t, clips in frames
                 if any(c.get("clip") == "pushed" and c["weight"] > 0.99 for c in clips) and
                 any(c.get("clip") == GESTURE for c in clips) and any(not c.get("clip") for c in clips)]
        self.assertGreater(len(whole), 20, [[c.get("clip", "live") for c in clips] for _, clips in frames[::15]])
        return min(whole), max(whole)

    def test_a_pushed_clip_is_known_by_its_hash_and_its_time(self):
        hash_ = int(re.search(r"clip +([0-9a-f]{16})", run(
            "animclip", "offsets", "info", self.films / "pushed.offsets").stdout)[1], 16)
        times = []
        for t, clips in contributions(self.take, self.place):
            for clip in clips:
                if clip.get("clip") != "pushed" or clip.get("frozen"):
                    continue
                self.assertEqual(int(clip["clipHash"]), hash_)
                self.assertTrue(clip["sourceServiceId"])
                times.append((t, clip["timeS"]))
        self.assertGreater(len(times), 150)
        # It advances with the frames; on a busy machine the request may wait for its source.
        ahead = [time - t for t, time in times]
        steps = [b - a for a, b in zip(ahead, ahead[1:])]
        self.assertGreater(sum(abs(step) < 1e-3 for step in steps), 0.9 * len(steps))
        self.assertLessEqual(max(steps), 1e-3)

    def test_with_offsets_it_is_the_film_s_character_while_it_speaks(self):
        begin, end = self.seen_together()
        found, missing = errors(self.take, self.films, begin, end)
        print(f"{begin:.2f} to {end:.2f} s:", found, missing)
        self.assertEqual(missing, [])
        # Under 1 mm rms, and far nearer than without.
        for part in ("body", "face"):
            self.assertLess(found["with offsets", part][0], 1.0)
            self.assertLess(found["with offsets", part][0], 0.5 * found["without", part][0])

    def test_render_draws_it(self):
        begin, end = self.seen_together()
        pictures = []
        for more in ((), ("--offsets", self.films)):
            out = self.place / "picture.png"
            done = subprocess.run([f"{BIN}/renderer_sink", "render", str(self.take), str(out), "--camera", "body",
                                   "--at", str((begin + end) / 2), "--size", "240x320", *map(str, more)],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("has no offsets", done.stderr)
            pictures.append(out.read_bytes())
        self.assertNotEqual(*pictures)

    def test_offsets_on_top_of_another_face_are_refused(self):
        other = self.place / "other"
        other.mkdir()
        run("animclip", "bake", "wave", other / "wave.offsets")
        (other / "faces.offsets").write_bytes((self.films / "faces.offsets").read_bytes())
        (self.place / "lonely").mkdir()
        (self.place / "lonely" / "pushed.offsets").write_bytes((self.films / "pushed.offsets").read_bytes())
        for offsets, said in ((other, "was not baked on top of the shape set"),
                              (self.place / "lonely", "was baked on top of a shape set, and there is none")):
            done = subprocess.run([f"{BIN}/renderer_sink", "render", str(self.take), str(self.place / "x.png"),
                                   "--offsets", str(offsets)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertIn("--shapes" if offsets is other else "folder", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
