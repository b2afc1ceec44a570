"""Files and voices that people reported: takes of other programs, sounds of streaming writers, audio in
pieces of any size, clients that interrupt and ping."""

import base64
import json
import os
import pathlib
import shutil
import struct
import subprocess
import threading
import time
import unittest

import grpc
from google.protobuf import json_format

from field import BIN, CASES, FieldTest, Take
from a2f_test import Voices
from posewire_test import PULL, PUSH, Client, Collector, Server, until


def lines_of(path):
    return [line for line in pathlib.Path(path).read_text().splitlines() if line.strip()]


def facts(text, name):
    """The row of `animclip info` that begins with this name."""
    return next(line.split(None, 1)[1] for line in text.splitlines()
                if line.split()[:1] == [name])


def wav(samples, said=None, riff=36, after=b"", rate=16000):
    data = struct.pack(f"<{len(samples)}h", *samples)
    said = len(data) if said is None else said
    return (b"RIFF" + struct.pack("<I", riff) + b"WAVEfmt " +
            struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16) + b"data" +
            struct.pack("<I", said) + data + after)


def sound_of(take):
    return b"".join(base64.b64decode(a.get("audioBuffer", "")) for a in take.audio)


class Bvh(FieldTest):
    case = CASES / "01-bvh-one-frame-more"

    def test_01_a_bvh_with_one_frame_more_plays_with_a_remark(self):
        """facebookresearch/AnimatedDrawings #106, #140, #144 (Rokoko exports)."""
        out = self.scratch("y.animdata")
        said = self.run_program("animclip", "convert", self.case / "walk.bvh", out).err
        self.assertIn("Frames: says 30, but the file has 31; all of them are played", said)
        info = self.run_program("animclip", "info", self.case / "walk.bvh")
        self.assertEqual(1, info.err.count("warning"), info)
        self.assertIn("31 keys", facts(info.out, "rotations"))
        take, said = self.play(self.case / "walk.bvh")
        self.assertEqual(31, len(take.rotations))
        self.assertEqual(["SUCCESS"], [s.get("code", "SUCCESS") for s in take.statuses])
        self.assertEqual(1, said.count("but the file has 31"), said)

    def test_01_a_bvh_with_fewer_frames_plays_with_a_remark(self):
        """facebookresearch/AnimatedDrawings #106: the other way round, as after a crash."""
        text = (self.case / "walk.bvh").read_text().replace("Frames: 30", "Frames: 4000")
        path = self.scratch("less.bvh")
        pathlib.Path(path).write_text(text)
        take, said = self.play(path)
        self.assertEqual(31, len(take.rotations))
        self.assertIn("Frames: says 4000, but the file has 31", said)

    def test_01_frame_times_are_assumed_once_and_changed_by_a_flag(self):
        """facebookresearch/AnimatedDrawings #106: other numbers in the same two lines."""
        text = (self.case / "walk.bvh").read_text().replace("Frames: 30", "Frames: 31")
        line = next(l for l in text.splitlines() if l.startswith("Frame Time:"))
        for written, step in (("0", 1 / 30), ("60", 1 / 60), ("40.0", 1 / 25)):
            path = self.scratch(f"t{written}.bvh")
            pathlib.Path(path).write_text(text.replace(line, f"Frame Time: {written}"))
            take, said = self.play(path)
            self.assertAlmostEqual(30 * step, take.times()[-1])
            self.assertEqual(1, said.count("--fps"), said)
            take, said = self.play(path, "--fps", "120")
            self.assertAlmostEqual(30 / 120, take.times()[-1])
            self.assertNotIn("--fps", said)
            info = self.run_program("animclip", "info", path, "--fps", "24")
            self.assertIn("24 fps", facts(info.out, "rotations"))
        self.play(self.case / "walk.bvh")
        shutil.copy(self.scratch("played.jsonl"), self.scratch("timed.jsonl"))
        _, said = self.play(self.scratch("timed.jsonl"), "--fps", "24")
        self.assertEqual(1, said.count("--fps"), said)

    def test_01_what_cannot_be_played_to_its_end_is_refused_before_it_begins(self):
        """facebookresearch/AnimatedDrawings #106: 30 frames were played, and then it failed."""
        good = (self.case / "walk.bvh").read_text()
        broken = {
            "bvh": good.rstrip().rsplit(" ", 1)[0] + " x\n",
            "csv": (CASES / "02-llf-csv-30-fps" / "face_30fps.csv").read_text() + "1:2,3\n",
        }
        take, _ = self.play(self.case / "walk.bvh", "--rig", "none")
        lines = lines_of(self.scratch("played.jsonl"))
        broken["jsonl"] = "\n".join(lines[:20] + ["{\"animationData\": 7}"] + lines[20:])
        for ending, text in broken.items():
            path = self.scratch("broken." + ending)
            out = self.scratch("out.jsonl")
            pathlib.Path(path).write_text(text)
            said = self.run_program("a2f_source", "play", path, "--out", out, code=None)
            self.assertNotEqual(0, said.code)
            self.assertIn("line", said.err)
            self.assertFalse(os.path.exists(out), ending)

    def test_16_numbers_that_run_together_are_named_by_their_line(self):
        """SlimeVR/SlimeVR-Server #995 ("0-7.5")."""
        said = self.run_program("animclip", "convert", CASES / "16-bvh-missing-blank" / "take.bvh",
                                self.scratch("c.jsonl"), code=1)
        self.assertIn("line 130: \"0-7.5\"", said.err)
        self.assertFalse(os.path.exists(self.scratch("c.jsonl")))


class FaceTable(FieldTest):
    case = CASES / "02-llf-csv-30-fps" / "face_30fps.csv"

    def test_02_a_face_at_30_frames_a_second_takes_its_three_seconds(self):
        """Qaanaaq/Face_Landmark_Link #9 (plays in half a second, then freezes)."""
        info = self.run_program("animclip", "info", self.case)
        self.assertEqual("", info.err)
        self.assertIn("90 keys, 0.000 to 2.967 s, 30 fps", facts(info.out, "weights"))
        take, said = self.play(self.case)
        self.assertNotIn("warning", said)
        for k, code_s in enumerate(take.times()):
            self.assertAlmostEqual(k / 30, code_s, places=6)

    def test_02_other_rates_are_found_too_and_fps_goes_before_them(self):
        """Qaanaaq/Face_Landmark_Link #9, at the other rates that the app offers."""
        head, *rows = lines_of(self.case)
        values = rows[0].split(",", 1)[1]
        for labels, mark, hz in ((24, ":", 24), (25, ":", 25), (30, ";", 30000 / 1001), (50, ":", 50),
                                 (60, ":", 60), (60, ";", 60000 / 1001), (120, ":", 120)):
            text = [head]
            for k in range(3 * labels):
                text.append(f"07:00:{20 + k // labels:02}{mark}{k % labels:02}.000,{values}")
            path = self.scratch("rate.csv")
            pathlib.Path(path).write_text("\r\n".join(text))
            take, said = self.play(path)
            self.assertEqual(3 * labels, len(take.weights))
            self.assertAlmostEqual((3 * labels - 1) / hz, take.times()[-1], places=4, msg=said)
        take, _ = self.play(self.case, "--fps", "60")
        self.assertAlmostEqual(2 + 29 / 60, take.times()[-1])
        refused = self.run_program("a2f_source", "play", self.case, "--fps", "24", "--out",
                                   self.scratch("n.jsonl"), code=None)
        self.assertNotEqual(0, refused.code)
        self.assertIn("FF below 24", refused.err)

    def test_02_a_table_that_does_not_tell_its_rate_is_said(self):
        """Qaanaaq/Face_Landmark_Link #9, of half a second."""
        path = self.scratch("half.csv")
        pathlib.Path(path).write_text("\n".join(lines_of(self.case)[:16]))
        _, said = self.play(path)
        self.assertEqual(1, said.count("--fps"), said)
        _, said = self.play(path, "--fps", "30")
        self.assertNotIn("--fps", said)


class FaceExport(FieldTest):
    case = CASES / "27-a2f-json-export" / "face_bsweight.json"

    def export(self):
        return json.loads(self.case.read_text())

    def test_27_an_export_of_audio2face_plays_and_is_written_again(self):
        """SocAIty/py_audio2face #17, poly-hammer/meta-human-dna-addon #70."""
        export = self.export()
        info = self.run_program("animclip", "info", self.case)
        self.assertIn("60 keys, 0.000 to 1.967 s, 30 fps", facts(info.out, "weights"))
        take, said = self.play(self.case)
        self.assertEqual(export["facsNames"], take.shapes)
        self.assertEqual(["SUCCESS"], [s.get("code", "SUCCESS") for s in take.statuses])
        self.assertEqual(1, said.count("trackPath names the voice"), said)
        again = self.scratch("again.a2f.json")
        self.run_program("animclip", "convert", self.case, again)
        back = json.loads(pathlib.Path(again).read_text())
        self.assertEqual([30, 9, 60, export["facsNames"], ["jaw"]],
                         [back[name] for name in ("exportFps", "numPoses", "numFrames", "facsNames",
                                                  "joints")])
        for k, row in enumerate(export["weightMat"]):
            self.assertAlmostEqual(k / 30, take.times()[k])
            for want, played, written in zip(row, take.weights[k]["values"], back["weightMat"][k]):
                self.assertAlmostEqual(want, played, places=6)
                self.assertAlmostEqual(want, written, places=6)

    def test_27_a_json_is_told_by_what_is_in_it_and_written_by_its_name(self):
        """The same ending as of messages, as grpcurl prints them."""
        messages = self.scratch("face.json")
        self.run_program("animclip", "convert", self.case, messages)
        self.assertIn("animationDataStreamHeader", pathlib.Path(messages).read_text())
        take, said = self.play(messages)
        self.assertEqual(self.export()["facsNames"], take.shapes)
        self.assertNotIn("warning", said)

    def test_27_its_voice_is_the_one_next_to_it(self):
        """trackPath is a path on the machine that exported it."""
        export = {**self.export(), "trackPath": "C:\\Users\\me\\voice.wav"}
        pathlib.Path(self.scratch("face.json")).write_text(json.dumps(export))
        samples = list(range(16000))
        pathlib.Path(self.scratch("voice.wav")).write_bytes(wav(samples))
        take, said = self.play(self.scratch("face.json"))
        self.assertEqual(struct.pack("<16000h", *samples), sound_of(take)[:32000])
        self.assertNotIn("voice", said)

    def test_27_fps_goes_before_its_rate_and_a_missing_one_is_said(self):
        export = self.export()
        del export["exportFps"]
        path = self.scratch("face.json")
        pathlib.Path(path).write_text(json.dumps(export))
        take, said = self.play(path)
        self.assertAlmostEqual(59 / 30, take.times()[-1])
        self.assertEqual(1, said.count("exportFps is missing; taken for 30 frames a second"), said)
        take, said = self.play(path, "--fps", "60")
        self.assertAlmostEqual(59 / 60, take.times()[-1])
        self.assertNotIn("exportFps", said)

    def test_27_a_broken_export_is_refused_by_field_and_index(self):
        export = self.export()
        export["weightMat"][7][2] = None
        path = self.scratch("face.json")
        pathlib.Path(path).write_text(json.dumps(export))
        refused = self.run_program("a2f_source", "play", path, "--out", self.scratch("n.jsonl"),
                                   code=None)
        self.assertNotEqual(0, refused.code)
        self.assertIn("face.json: weightMat[7][2] is null; must be a finite number", refused.err)
        # Which is for recordings.
        self.assertNotIn("animclip recover", refused.err)


class Wavs(FieldTest):
    case = CASES / "04-wav-placeholder-sizes"

    def heard(self, *args, code=0, **options):
        out = self.scratch("heard.jsonl")
        said = self.run_program("a2f_source", "wav", *args, "--to", "none", "--out", out, code=code,
                                **options)
        return sound_of(Take(out)), said.err

    def test_04_streamed_wavs_play_all_that_they_hold(self):
        """kyutai-labs/pocket-tts #229, pollinations #8929, naudio/NAudio #688."""
        right, _ = self.heard(self.case / "right.wav")
        self.assertGreaterEqual(len(right), 2 * 2 * 24000)
        names = ["zero", "2e9", "7fffffff", "ffffffff"]
        for name in names:
            path = self.case / f"placeholder_{name}.wav"
            for sound, said in (self.heard(path), self.heard("-", stdin=path.read_bytes())):
                self.assertEqual(right, sound, name)
                self.assertNotIn("warning", said)
            shutil.copy(path, self.scratch("face.wav"))
            shutil.copy(self.case / "face.csv", self.scratch("face.csv"))
            info = self.run_program("animclip", "info", self.scratch("face.csv"))
            self.assertIn("48000 samples (2.000 s)", facts(info.out, "audio"))
            self.assertEqual("", info.err)

    def test_04_wrong_sizes_are_doubted_and_chunks_after_data_are_no_sound(self):
        """speaches #493, AstrBot PR #9867: other sizes, with and without chunks after the data."""
        samples = [(i * 37) % 20001 - 10000 for i in range(8000)]
        data = struct.pack("<8000h", *samples)
        chunk = b"LIST" + struct.pack("<I", 26) + b"INFOISFT\x0e\0\0\0Lavf58.29.100\0"
        cases = [(wav(samples, said=None, after=chunk), data, None),
                 (wav(samples, said=0, riff=0), data, None),
                 (wav(samples, said=100), data, "says 100 bytes"),
                 (wav(samples, said=15999), data[:15998], None),
                 (wav(samples, said=17000), data, "ends after 16000"),
                 (wav(samples, after=b"x"), data, None),
                 (wav([], said=0, after=chunk), b"", "has no samples"),
                 (wav([]), b"", "has no samples")]
        for number, (bytes_, wanted, says) in enumerate(cases):
            path = self.scratch("w.wav")
            pathlib.Path(path).write_bytes(bytes_)
            pathlib.Path(self.scratch("w.csv")).write_text("timeCode,blendShapes.A\n0,0\n1,1\n")
            sound, said = self.heard(path)
            self.assertEqual(wanted, sound[:len(wanted)], number)
            self.assertFalse(any(sound[len(wanted):]), number)
            info = self.run_program("animclip", "info", self.scratch("w.csv"))
            self.assertIn(f"{len(wanted) // 2} samples", facts(info.out, "audio"))
            for text in (said, info.err):
                if says:
                    self.assertEqual(1, text.count(says), (number, text))
            piped, said = self.heard("-", stdin=bytes_)
            self.assertEqual(wanted, piped[:len(wanted)], number)
            self.assertFalse(any(piped[len(wanted):]), number)

    def test_03_half_a_sample_on_standard_input_is_dropped_and_said(self):
        """pipecat-ai/pipecat PR #4952: an odd number of bytes in all."""
        sound, said = self.heard("-", "--sample-rate", "16000", stdin=b"\1\2" * 1600 + b"\3")
        self.assertEqual(b"\1\2" * 1600, sound[:3200])
        self.assertEqual(1, said.count("ends within a sample"), said)

    def test_04_other_kinds_of_sound_are_no_noise(self):
        """pollinations #11951: what is no WAV and no raw samples."""
        for begin in (b"FORM\0\0\1\0AIFF", b".snd\0\0\0\x18", b"RIFX\0\0\1\0WAVE", b"ID3\4\0\0\0\0"):
            _, said = self.heard_nothing("-", stdin=begin + bytes(4000))
            self.assertIn("is read from files", said)

    def heard_nothing(self, *args, **options):
        said = self.run_program("a2f_source", "wav", *args, "--to", "none", "--out",
                                self.scratch("n.jsonl"), code=None, **options)
        self.assertNotEqual(0, said.code, said)
        return said.code, said.err


class Voice(FieldTest):
    """Audio2Face's services, with voices as text-to-speech services send them."""

    @classmethod
    def setUpClass(cls):
        cls.graph = Server("anim_graph")
        cls.source = Server("a2f_source", "serve", "--ace-compat", "--to", cls.graph.address)
        cls.client = Voices(cls.source.address)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.source.stop()
        cls.graph.stop()

    def face(self, messages):
        frames, sound, status = 0, b"", None
        for message in self.client.process_method(iter(messages), timeout=60):
            if message.HasField("animation_data"):
                frames += 1
                sound += message.animation_data.audio.audio_buffer
            if message.HasField("status"):
                status = message.status
        return frames, sound, status

    def parts(self, path):
        return [json_format.Parse(line, self.client.part()) for line in lines_of(path)]

    def test_03_chunks_of_an_odd_number_of_bytes_give_the_same_voice(self):
        """pipecat-ai/pipecat PR #4952, #3109; openai/openai-agents-python #1824."""
        case = CASES / "03-odd-pcm-chunks"
        even, odd = (self.face(self.parts(case / name)) for name in ("even.jsonl", "odd.jsonl"))
        self.assertEqual((76, 96000), (even[0], len(even[1])))
        self.assertEqual(even[:2], odd[:2])
        self.assertEqual(0, odd[2].code, odd[2])

    def test_03_half_a_sample_at_the_end_is_dropped_and_said(self):
        """pipecat-ai/pipecat PR #5090: the last chunk is cut off."""
        messages = [self.client.header()]
        for size in (999, 1, 3333, 2000):
            part = self.client.part()
            part.audio_with_emotion.audio_buffer = bytes(range(250)) * 14
            part.audio_with_emotion.audio_buffer = part.audio_with_emotion.audio_buffer[:size]
            messages.append(part)
        frames, sound, status = self.face(messages)
        self.assertEqual(6332, len(sound))
        self.assertEqual(2, status.code)  # WARNING
        self.assertIn("half a sample was dropped", status.message)

    def test_03_a_push_of_odd_chunks_plays_each_sample(self):
        """pipecat-ai/pipecat PR #4952, over ACE's Push to anim_graph."""
        client = Client(self.graph.address)
        self.addCleanup(client.close)
        push, pull_of = client.method(PUSH), client.method(PULL)
        stream, ids = client.type("nvidia_ace.animation_data.v1.AnimationDataStream"), "odd"
        voice = struct.pack("<16000h", *((i * 7919) % 30011 - 15000 or 1 for i in range(16000)))

        def messages(tail):
            header = stream()
            header.animation_data_stream_header.animation_ids.stream_id = ids
            header.animation_data_stream_header.animation_ids.request_id = f"r{len(tail)}"
            audio = header.animation_data_stream_header.audio_header
            audio.samples_per_second, audio.bits_per_sample, audio.channel_count = 16000, 16, 1
            header.animation_data_stream_header.skel_animation_header.blend_shapes.append("jawOpen")
            yield header
            bytes_, at, k = voice + tail, 0, 0
            while at < len(bytes_):
                size = (1067, 1, 1066, 3, 999)[k % 5]
                data = stream()
                data.animation_data.audio.time_code = at // 2 / 16000
                data.animation_data.audio.audio_buffer = bytes_[at:at + size]
                key = data.animation_data.skel_animation.blend_shape_weights.add()
                key.time_code = (at + 1) / 32000
                key.values.append(0.5)
                yield data
                at, k = at + size, k + 1

        pull = Collector(pull_of(
            client.type("nvidia_ace.animation_id.v1.AnimationIds")(stream_id=ids, request_id="r1"),
            timeout=30))
        said = push(messages(b"\1"))
        self.assertIn("1 half sample dropped", said.message)
        pull.join(30)
        played = b"".join(d.audio.audio_buffer for d in pull.data())
        self.assertIn(voice, played)
        said = push(messages(b""))
        self.assertNotIn("half", said.message)

    def test_20_fifteen_seconds_come_back_second_by_second(self):
        """NVIDIA/Audio2Face-3D-Samples #3 (15 s in, under 1 s back)."""
        case = pathlib.Path(CASES / "20-a2f-fifteen-seconds")
        frames, sound, status = self.face(self.parts(case / "second_by_second.jsonl"))
        self.assertEqual((466, 480000, 0), (frames, len(sound), status.code))
        with self.assertRaises(grpc.RpcError) as refused:
            self.face(self.parts(case / "one_message.jsonl"))
        self.assertEqual(grpc.StatusCode.INVALID_ARGUMENT, refused.exception.code())
        self.assertIn("at most 10 s in a message", refused.exception.details())

    def test_24_the_last_of_six_voices_plays_though_each_interrupts(self):
        """livekit/agents #3434, #3418; met4citizen/TalkingHead #132."""
        source = Server("a2f_source", "serve", "--to", self.graph.address, "--policy", "interrupt")
        self.addCleanup(source.stop)
        voices = Voices(source.address)
        self.addCleanup(voices.close)
        graph = Client(self.graph.address)
        self.addCleanup(graph.close)
        raw = b"".join(base64.b64decode(json.loads(line)["audio_with_emotion"]["audio_buffer"])
                       for line in lines_of(CASES / "03-odd-pcm-chunks" / "even.jsonl")
                       if "audio_with_emotion" in line)
        pull_of = graph.method(PULL)
        pull = Collector(pull_of(
            graph.type("nvidia_ace.animation_id.v1.AnimationIds")(stream_id="demo"), timeout=60))
        self.addCleanup(pull.call.cancel)
        until(lambda: pull.data())

        def voice(number):
            header = voices.header(voices.push_part, 24000)
            header.audio_stream_header.animation_ids.stream_id = "demo"
            header.audio_stream_header.animation_ids.request_id = f"r{number}"
            yield header
            for at in range(0, len(raw), 4800):
                part = voices.push_part()
                part.audio_with_emotion.audio_buffer = raw[at:at + 4800]
                yield part
                time.sleep(0.02)

        answers = {}
        threads = []
        for number in range(6):
            threads.append(threading.Thread(target=lambda n=number: answers.setdefault(
                n, voices.push_method(voice(n), timeout=40))))
            threads[-1].start()
            time.sleep(0.5)
        since = len(pull.data())
        for thread in threads:
            thread.join(40)
        shapes = [n.lower() for n in
                  pull.messages[0].animation_data_stream_header.skel_animation_header.blend_shapes]
        jaw = shapes.index("jawopen")

        def of_the_last():
            return pull.data()[since:]

        def open_jaws():
            return sum(w.values[jaw] > 0.05 for d in of_the_last()
                       for w in d.skel_animation.blend_shape_weights)

        self.assertTrue(until(lambda: open_jaws() >= 10), open_jaws())
        self.assertGreater(sum(any(d.audio.audio_buffer) for d in of_the_last()), 10)
        self.assertEqual(6, len(answers))

    def test_25_pings_at_usual_intervals_are_accepted(self):
        """grpc/grpc #33661; grpc/grpc-go #5063 ("too_many_pings")."""
        ended = {}

        def wait(ms, timeout):
            client = Client(self.graph.address, **{"grpc.keepalive_time_ms": ms,
                                                   "grpc.keepalive_permit_without_calls": 1,
                                                   "grpc.http2.max_pings_without_data": 0})
            pull = client.method(PULL)
            ids = client.type("nvidia_ace.animation_id.v1.AnimationIds")
            try:
                for _ in pull(ids(stream_id="quiet", request_id="never"),
                                             timeout=timeout):
                    pass
            except grpc.RpcError as error:
                ended[ms] = error.code(), error.details()
            client.close()

        threads = [threading.Thread(target=wait, args=of) for of in ((5000, 13), (1000, 20))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(grpc.StatusCode.DEADLINE_EXCEEDED, ended[5000][0], ended)
        self.assertEqual(grpc.StatusCode.UNAVAILABLE, ended[1000][0], ended)
        self.assertIn("many pings", ended[1000][1])


class Vmc(FieldTest):
    def replayed(self, path):
        out = self.scratch("vmc.jsonl")
        self.run_program("a2f_source", "vmc", "--replay", path, "--rate", "burst", "--out", out)
        return Take(out)

    def test_23_bones_that_come_alone_play(self):
        """emilianavt/VSeeFaceReleases #15, #43; an older sender of SnekStudio."""
        take = self.replayed(CASES / "23-vmc-bones-alone" / "bones.jsonl")
        self.assertEqual(111, len(take.rotations))
        self.assertGreater(max(take.degrees(joint, k) for joint in take.joints
                               for k in range(len(take.rotations))), 5)

    def test_26_messages_without_type_tags_apply(self):
        """radarsat1/liblo #17; colinbdclark/osc.js #72."""
        takes = [self.replayed(path) for path in
                 sorted((CASES / "26-osc-without-type-tags").glob("*.jsonl"))]
        self.assertEqual(4, len(takes))
        for take in takes:
            jaw = take.shapes.index("jawOpen")
            self.assertAlmostEqual(1, max(key["values"][jaw] for key in take.weights), places=5)
        first = [key["values"] for key in takes[0].weights]
        for take in takes[1:]:
            self.assertEqual(first, [key["values"] for key in take.weights])


if __name__ == "__main__":
    unittest.main()
