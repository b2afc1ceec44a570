"""A scene played by a2f_source: each character by its own avatar, in sync, with props and camera."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, Client, Collector, Server

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
