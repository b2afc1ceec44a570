"""Frames to messages and back, and clips."""

import pathlib
import tempfile
import unittest

import numpy as np

import posewire
from posewire import _frames, _wire

JOINTS = ("hips", "hips/spine")
SHAPES = ("jawOpen", "mouthSmileLeft", "mouthFunnel")


def frame(n, rng, rate=16000):
    turns = rng.normal(size=(2, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    return posewire.Frame(
        n / 30,
        JOINTS,
        SHAPES,
        rotations=turns.astype(np.float32),
        translations=rng.normal(size=(2, 3)).astype(np.float32),
        scales=np.ones((2, 3), np.float32),
        weights=rng.random(3, np.float32),
        audio=rng.integers(-32768, 32767, rate // 30).astype(np.int16),
        audio_rate=rate,
        audio_time_code_s=n / 30,
        camera=posewire.Camera(
            np.array([1, 2, 3], np.float32), np.array([0, 1, 0, 0], np.float32), 35.0, 2.0
        ),
        epoch_s=1000.0,
    )


def parts(camera):
    return [camera.position, camera.rotation, camera.focal_length, camera.focus_distance]


class FramesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "a.animdata")

    def assert_same(self, a, b):
        self.assertEqual((a.time_code_s, a.joints, a.shapes), (b.time_code_s, b.joints, b.shapes))
        self.assertEqual((a.audio_rate, a.epoch_s), (b.audio_rate, b.epoch_s))
        for name in ("rotations", "translations", "scales", "weights", "audio"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
        for x, y in zip(parts(a.camera), parts(b.camera)):
            np.testing.assert_array_equal(x, y)

    def test_a_clip_comes_back_as_it_was_written(self):
        rng = np.random.default_rng(1)
        frames = [frame(n, rng) for n in range(50)]
        self.assertEqual(posewire.write_clip(self.path, frames), 50)
        back = list(posewire.read_clip(self.path))
        self.assertEqual(len(back), 50)
        for a, b in zip(frames, back):
            self.assert_same(a, b)
            self.assertEqual((b.weights.dtype, b.rotations.dtype, b.audio.dtype), ("f4", "f4", "i2"))

    def test_an_empty_clip_is_a_clip(self):
        self.assertEqual(posewire.write_clip(self.path, []), 0)
        self.assertEqual(list(posewire.read_clip(self.path)), [])

    def test_keys_of_one_message_become_frames_by_their_times(self):
        decoder = _frames.Decoder()
        header = _frames.encode_header(JOINTS, SHAPES, 16000, {}, "test", 0)
        self.assertEqual(list(decoder.frames(header)), [])
        message = _wire.message(f"{_wire.ANIMATION}.AnimationDataStream")
        data = message.animation_data
        for time_code_s in (0, 0.5, 1):
            data.skel_animation.blend_shape_weights.add(time_code=time_code_s, values=[time_code_s] * 3)
        data.skel_animation.rotations.add(time_code=0.25).values.add()
        data.audio.audio_buffer = b"\1\0\2"
        frames = list(decoder.frames(message))
        self.assertEqual([f.time_code_s for f in frames], [0, 0.25, 0.5, 1])
        self.assertEqual([f.weights is None for f in frames], [False, True, False, False])
        np.testing.assert_array_equal(frames[1].rotations, [[1, 0, 0, 0]])  # four zeros
        np.testing.assert_array_equal(frames[0].audio, [1])
        message.animation_data.audio.audio_buffer = b"\0\3\0"  # the other half
        np.testing.assert_array_equal(next(decoder.frames(message)).audio, [2, 3])

    def test_arrays_that_do_not_fit_the_names_are_refused_and_leave_no_file(self):
        cases = [
            (dict(weights=[1, 2]), r"frame.weights has the shape \(2,\): must be \(3,\)"),
            (
                dict(rotations=np.zeros((2, 3))),
                r"frame.rotations has the shape \(2, 3\): must be \(2, 4\)",
            ),
            (dict(audio=np.zeros(3, np.int16)), "give rate"),
        ]
        for fields, want in cases:
            with self.assertRaisesRegex(ValueError, want):
                posewire.write_clip(self.path, [posewire.Frame(0, JOINTS, SHAPES, **fields)])
        self.assertEqual(list(self.path.parent.iterdir()), [])

    def test_a_torn_clip_gives_its_whole_frames_and_then_the_byte(self):
        posewire.write_clip(self.path, [frame(n, np.random.default_rng(2)) for n in range(5)])
        whole = self.path.read_bytes()
        ends = set()
        for size in range(1, len(whole), 37):
            self.path.write_bytes(whole[:size])
            count = 0
            try:
                for _ in posewire.read_clip(self.path):
                    count += 1
            except posewire.Error as error:
                self.assertEqual(error.code, "DATA_LOSS")
                self.assertRegex(str(error), "torn: it ends within the message at byte [0-9]+")
                ends.add(count)
        self.assertEqual(ends, set(range(5)))

    def test_what_is_no_clip_is_refused(self):
        for content in (b"\xff" * 20, b"\x05hello", b"{}\n" * 30):
            self.path.write_bytes(content)
            with self.assertRaisesRegex(posewire.Error, "animdata.* byte"):
                list(posewire.read_clip(self.path))


if __name__ == "__main__":
    unittest.main()
