"""Frames to messages and back, and clips."""

import pathlib
import struct
import tempfile
import unittest

import numpy as np
from google.protobuf import wrappers_pb2

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

    def sparse(self, form, joints=JOINTS, shapes=SHAPES):
        decoder = _frames.Decoder()
        decoder.sparse = form
        list(decoder.frames(_frames.encode_header(joints, shapes, 0, {}, "test", 0)))

        def receive(time_code_s, rotations=(), weights=(), translations=(), pose=None):
            """Keys by rows, of which an empty one is left out, or the bytes of a quantised pose."""
            message = _wire.message(f"{_wire.ANIMATION}.AnimationDataStream")
            skeleton = message.animation_data.skel_animation
            for track, names, rows in (
                ("rotations", "real i j k", rotations),
                ("translations", "x y z", translations),
            ):
                if rows:
                    key = getattr(skeleton, track).add(time_code=time_code_s)
                    for row in rows:
                        key.values.add(**dict(zip(names.split(), row)))
            if weights:
                skeleton.blend_shape_weights.add(time_code=time_code_s, values=weights)
            if pose is not None:
                value = wrappers_pb2.BytesValue(value=pose)
                message.animation_data.metadata["posewire.pose"].Pack(value)
            else:
                message.animation_data.audio.time_code = time_code_s
            return next(decoder.frames(message), None)

        return receive

    def test_a_sparse_frame_is_completed(self):
        receive = self.sparse("1")
        turn, back = (0.6, 0, 0.8, 0), (0.6, 0, -0.8, 0)
        receive(0, [turn, back], [0.25, 0.5, 1], [(1, 2, 3), (4, 5, 6)])
        second = receive(1, [back, ()], translations=[(), (0, 0, 1e-20)])
        third = receive(2, [(), (1, 0, 0, 1e-20)], [0, 0, 0])
        lost = receive(3)
        np.testing.assert_allclose(second.rotations, [back, back])
        np.testing.assert_allclose(second.translations, [(1, 2, 3), (0, 0, 0)], atol=1e-6)
        np.testing.assert_array_equal(second.weights, np.float32([0.25, 0.5, 1]))
        np.testing.assert_allclose(third.rotations, [back, (1, 0, 0, 0)], atol=1e-6)
        np.testing.assert_allclose(third.translations, second.translations)
        np.testing.assert_array_equal(third.weights, [0, 0, 0])
        self.assertIsNone(lost.rotations)

    def test_a_quantised_frame_is_completed(self):
        receive = self.sparse("quantised")
        turn = struct.pack("<4h", 19660, 0, 26214, 0)  # 0.6, 0, 0.8, 0
        whole = struct.pack("<Bd", 0x17, 0.5) + b"\2" + struct.pack("<f", 0.75)
        whole += b"\1" + struct.pack("<3f", 1, 2, 3) + b"\2" + turn
        first = receive(0, pose=whole)
        second = receive(0, pose=struct.pack("<Bd", 4, 1.5) + b"\1" + turn)
        self.assertEqual((first.time_code_s, second.time_code_s), (0.5, 1.5))
        np.testing.assert_array_equal(first.weights, [0, 0.75, 0])
        np.testing.assert_allclose(first.rotations, [(1, 0, 0, 0), (0.6, 0, 0.8, 0)], atol=4e-5)
        np.testing.assert_allclose(second.rotations, [(0.6, 0, 0.8, 0)] * 2, atol=4e-5)
        for name in ("weights", "translations", "scales"):
            np.testing.assert_array_equal(getattr(second, name), getattr(first, name))
        np.testing.assert_array_equal(second.translations, [(1, 2, 3), (0, 0, 0)])
        np.testing.assert_array_equal(second.scales, [(1, 1, 1)] * 2)

    def test_a_quantised_pose_that_cannot_be_read_is_left_out_up_to_a_complete_one(self):
        def pose(which, time_code_s, rest=b""):
            return struct.pack("<Bd", which, time_code_s) + rest

        whole, same = pose(0x10, 0), pose(0, 1)
        bad = [
            b"",
            b"\x10",
            pose(0x20, 1),
            pose(0x10, float("nan")),
            pose(0x10, 0, b"\0"),
            pose(1, 1, b"\1"),
            pose(4, 1, b"\1" + bytes(8)),
            pose(1, 1, b"\1" + struct.pack("<f", float("inf"))),
        ]
        for broken in bad:
            receive = self.sparse("quantised")
            self.assertIsNone(receive(0, pose=same))
            self.assertIsNotNone(receive(0, pose=whole))
            self.assertIsNone(receive(0, pose=broken), broken)
            self.assertIsNone(receive(0, pose=same))
            self.assertIsNotNone(receive(0, pose=whole))

    def test_rigs_without_shapes_or_joints_have_quantised_frames(self):
        whole, same = struct.pack("<Bd", 0x10, 0), struct.pack("<Bd", 0, 1)
        for joints, shapes in ((JOINTS, ()), ((), SHAPES)):
            receive = self.sparse("quantised", joints, shapes)
            self.assertIsNotNone(receive(0, pose=whole))
            frame = receive(0, pose=same)
            self.assertEqual(frame.weights is None, not shapes)
            self.assertEqual(frame.rotations is None, not joints)

    def test_the_key_of_quantised_poses_means_nothing_in_other_streams(self):
        for form in ("", "1"):
            receive = self.sparse(form)
            self.assertIsNone(receive(0, pose=b"of a source"))
            frame = receive(0, [(0.6, 0, 0.8, 0)] * 2, pose=b"of a source")
            np.testing.assert_allclose(frame.rotations, [(0.6, 0, 0.8, 0)] * 2)

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
