"""A scene played by a2f_source: each character by its own avatar, in sync, with props and camera."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from live_film import pictures_taken_by_ffmpeg_of
from posewire_test import BIN, Client, Collector, Server, until

ROOT = Path(__file__).resolve().parents[2]
SCENES = ROOT / "tests/data/scenes"
FRAME_S = 1 / 30


def play(server, *args):
    done = subprocess.run([os.path.join(BIN, "a2f_source"), "play", "--to", server.address, *args],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


def forearm_turns(pull):
    """Unix time and the real part of the turn of the right forearm, for each frame."""
    header = next(m.animation_data_stream_header for m in pull.messages
                  if m.HasField("animation_data_stream_header"))
    joints = list(header.skel_animation_header.joints)
    arm = next(i for i, path in enumerate(joints) if path.split("/")[-1] in ("r_elbow", "RightForeArm"))
    epoch = header.start_time_code_since_epoch
    return [(epoch + d.skel_animation.rotations[0].time_code,
             d.skel_animation.rotations[0].values[arm].real) for d in pull.data()]


def begins(turns):
    """When the forearm has left its first turn by a little."""
    still = turns[0][1]
    return next(t for t, real in turns if abs(real - still) > 0.02)


class ScenePlayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = Server("anim_graph")
        cls.client = Client(cls.graph.address)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.graph.stop()

    def pulls(self, stream, targets):
        found = {}
        for target in targets:
            found[target] = Collector(self.client.pull(stream, target=target))
            self.addCleanup(found[target].call.cancel)
        for pull in found.values():
            pull.wait_started()
        return found

    def avatars(self, stream):
        streams = self.client.control("ListStreams").streams
        return {a.target_object_id: a for s in streams if s.stream_id == stream for a in s.avatars}

    def check(self, file):
        pulls = self.pulls(file, ["Anna", "Bert"])
        log = play(self.graph, str(SCENES / file), "--stream-id", file)
        self.assertEqual(len(re.findall("has 2 characters, Anna, Bert", log)), 1, log)
        for pull in pulls.values():
            pull.wait_for(lambda p=pull: any("ends" in s.message or "over" in s.message
                                             for s in p.statuses()) or
                          forearm_turns(p)[-1][0] - forearm_turns(p)[0][0] > 3)
        anna, bert = (forearm_turns(pulls[name]) for name in ("Anna", "Bert"))
        self.assertLess(abs(begins(anna) - begins(bert)), FRAME_S * 1.5)
        places = self.avatars(file)
        self.assertAlmostEqual(places["Anna"].x_m, -0.6, 3)
        self.assertAlmostEqual(places["Anna"].turn_deg, 90, 2)
        self.assertAlmostEqual(places["Bert"].x_m, 0.6, 3)
        props = [d for d in pulls["Anna"].data() if "posewire.props" in d.metadata]
        self.assertGreater(len(props), 25)
        self.assertFalse([d for d in pulls["Bert"].data() if "posewire.props" in d.metadata])
        camera = next(d.camera for d in pulls["Anna"].data() if d.camera.position)
        self.assertAlmostEqual(camera.position[0].value.y, 1.3, 3)

    def test_a_stage_is_played_by_all_its_characters_in_sync(self):
        self.check("two_people.usda")

    def test_a_gltf_file_is_played_by_all_its_characters_in_sync(self):
        self.check("two_people.gltf")

    def test_a_character_plays_to_the_target_that_is_said(self):
        play(self.graph, str(SCENES / "two_people.usda"), "--stream-id", "mapped", "--rate", "50x",
             "--target", "Bert=guest")
        self.assertEqual(sorted(self.avatars("mapped")), ["Anna", "guest"])

    def test_one_target_gets_the_first_animation_alone(self):
        log = play(self.graph, str(SCENES / "two_people.usda"), "--stream-id", "alone",
                   "--rate", "50x", "--target-id", "host")
        self.assertEqual(list(self.avatars("alone")), ["host"])
        self.assertIn("because of --target-id", log)

    def sink(self, command, *args):
        log = tempfile.NamedTemporaryFile("w+")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [os.path.join(BIN, "renderer_sink"), command, "--from", self.graph.address, *args],
            stdout=subprocess.PIPE, stderr=log, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process, lambda: Path(log.name).read_text()

    def end(self, process, log):
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, log())
        return out

    def assertPulled(self, stream, name, times, log):
        self.assertTrue(until(lambda: name in (known := self.avatars(stream)) and
                              known[name].pulls == times), log())

    def test_a_recording_of_all_avatars_is_a_scene_again(self):
        stream = "recorded"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        take = os.path.join(folder.name, "take.animdata")
        self.pulls(stream, ["Anna"])  # so that she is the first avatar
        process, log = self.sink("record", take, "--stream-id", stream, "--all-avatars")
        # Bert is pulled when he comes.
        self.assertPulled(stream, "Anna", 2, log)
        play(self.graph, str(SCENES / "two_people.usda"), "--stream-id", stream)
        self.assertPulled(stream, "Bert", 1, log)
        play(self.graph, str(SCENES / "two_people.usda"), "--stream-id", stream)
        out = self.end(process, log)
        self.assertRegex(out, r'avatar "Anna": \d+ frames')
        self.assertRegex(out, r'avatar "Bert": \d+ frames')
        self.assertIn(f"wrote {take}", out)
        played = self.pulls("again", ["Anna", "Bert"])
        said = play(self.graph, take, "--stream-id", "again")
        self.assertIn("has 2 characters, Anna, Bert", said)
        places = self.avatars("again")
        self.assertAlmostEqual(places["Anna"].x_m, -0.6, 3)
        self.assertAlmostEqual(places["Bert"].x_m, 0.6, 3)
        self.assertTrue([d for d in played["Anna"].data() if "posewire.props" in d.metadata])
        scene = os.path.join(folder.name, "take.usda")
        done = subprocess.run([os.path.join(BIN, "animclip"), "convert", take, scene],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Path(scene).read_text().count("def SkelRoot"), 2)
        shown = subprocess.run([os.path.join(BIN, "animclip"), "info", take],
                               capture_output=True, text=True)
        self.assertIn("Anna, Bert", shown.stdout)

    @unittest.skipUnless(shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_a_live_film_shows_all_avatars_as_they_come(self):
        stream, size = "filmed", (320, 180)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        film = os.path.join(folder.name, "x.mp4")
        self.pulls(stream, ["Anna"])
        process, log = self.sink("stream", "--stream-id", stream, "--to", film, "--camera", "all",
                                 "--size", f"{size[0]}x{size[1]}", "--avatar", "Bert=man")
        pictures = pictures_taken_by_ffmpeg_of(process.pid, size)
        self.assertPulled(stream, "Anna", 2, log)
        begun = pictures()
        self.assertTrue(until(lambda: pictures() >= begun + 25), log())
        play(self.graph, str(SCENES / "two_people.usda"), "--stream-id", stream)
        self.assertPulled(stream, "Bert", 1, log)
        begun = pictures()
        self.assertTrue(until(lambda: pictures() >= begun + 25), log())
        self.end(process, log)
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", film, "-f", "rawvideo", "-pix_fmt",
                              "gray", "-"], capture_output=True, check=True).stdout
        width, height = size

        def columns(frame):
            """How many of the middle rows differ from the background's, by column."""
            rows = [frame[y * width:(y + 1) * width] for y in range(height // 4, height // 2)]
            return [sum(abs(row[x] - row[0]) > 24 for row in rows) for x in range(width)]
        first, last = columns(raw[:width * height]), columns(raw[-width * height:])
        # One avatar is drawn in the middle, two at its left and right.
        middle = slice(width * 9 // 20, width * 11 // 20)
        self.assertGreater(sum(first[middle]), 100)
        self.assertLess(sum(last[middle]), sum(first[middle]) / 4)
        for side in (slice(0, width // 2), slice(width // 2, width)):
            self.assertGreater(sum(last[side]), 100)

    def test_an_unknown_character_is_named_with_those_that_there_are(self):
        done = subprocess.run([os.path.join(BIN, "a2f_source"), "play", "--to", self.graph.address,
                               str(SCENES / "two_people.usda"), "--target", "Carl=x"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn('there is no character \\"Carl\\"; there are Anna, Bert', done.stderr)

    def test_a_file_with_one_character_is_played_as_ever(self):
        sample = str(ROOT / "data/samples/stage.usda")
        with tempfile.TemporaryDirectory() as folder:
            log = play(self.graph, sample, "--stream-id", "one", "--rate", "50x")
            self.assertNotIn("characters", log)
            self.assertEqual(len(self.avatars("one")), 1)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
