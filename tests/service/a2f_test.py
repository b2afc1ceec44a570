"""ACE's Audio2Face on a2f_source serve: voices in, faces back or on to anim_graph."""

import array
import base64
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import wave
from concurrent import futures
from pathlib import Path

import grpc

from posewire_test import BIN, Client, Collector, Server, free_port, until

PROCESS = "/nvidia_ace.services.a2f_controller.v1.A2FControllerService/ProcessAudioStream"
PUSH_SOUND = "/nvidia_ace.services.a2f.v1.A2FService/PushAudioStream"
CONTROLLER = "nvidia_ace.services.animation_controller.v1.AnimationControllerService"
STREAM = "voice"
RATE = 16000
# A checkout of NVIDIA/Audio2Face-3D-Samples, where there is one.
SAMPLES = os.environ.get("POSEWIRE_A2F_SAMPLES", "")


def spoken(folder, text="Maybe Bob may move my map, my mother said."):
    """Samples of flite's voice."""
    path = os.path.join(folder, "spoken.jsonl")
    subprocess.run([os.path.join(BIN, "a2f_source"), "say", text, "--no-body", "--out", path],
                   check=True, capture_output=True)
    data = b""
    with open(path) as f:
        for line in f:
            audio = json.loads(line).get("animationData", {}).get("audio", {})
            data += base64.b64decode(audio.get("audioBuffer", ""))
    return array.array("h", data)


class Face:
    """What came back for a sound."""

    def __init__(self, messages):
        self.messages = list(messages)

    def kinds(self):
        return [m.WhichOneof("stream_part") for m in self.messages]

    def header(self):
        return self.messages[0].animation_data_stream_header

    def data(self):
        return [m.animation_data for m in self.messages if m.HasField("animation_data")]

    def audio(self):
        return b"".join(d.audio.audio_buffer for d in self.data())

    def track(self, shape):
        at = list(self.header().skel_animation_header.blend_shapes).index(shape)
        return [d.skel_animation.blend_shape_weights[0].values[at] for d in self.data()]

    def status(self):
        return self.messages[-1].status


class Voices(Client):
    """A client of both services, by reflection."""

    def __init__(self, address):
        super().__init__(address)
        self.process_method = self.method(PROCESS)
        self.push_method = self.method(PUSH_SOUND)
        self.part = self.type("nvidia_ace.controller.v1.AudioStream")
        self.push_part = self.type("nvidia_ace.a2f.v1.AudioStream")

    def header(self, of=None, rate=RATE, bits=16, channels=1):
        m = (of or self.part)()
        audio = m.audio_stream_header.audio_header
        audio.samples_per_second, audio.bits_per_sample, audio.channel_count = rate, bits, channels
        return m

    def parts(self, samples, portion, of=None):
        for i in range(0, len(samples), portion):
            m = (of or self.part)()
            m.audio_with_emotion.audio_buffer = samples[i:i + portion].tobytes()
            yield m

    def clip(self, samples, portion=RATE, header=None, rate=RATE):
        yield header or self.header(rate=rate)
        yield from self.parts(samples, portion)
        end = self.part()
        end.end_of_audio.SetInParent()
        yield end

    def face(self, samples, **options):
        return Face(self.process_method(self.clip(samples, **options), timeout=60))

    def pushed(self, samples, stream=STREAM, request="", portion=RATE, rate=RATE):
        m = self.header(self.push_part, rate)
        m.audio_stream_header.animation_ids.stream_id = stream
        m.audio_stream_header.animation_ids.request_id = request
        yield m
        yield from self.parts(samples, portion, self.push_part)


class A2fTest(unittest.TestCase):
    ARGS = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.voice = spoken(cls.folder.name)
        cls.source = Server("a2f_source", "serve", "--to", "none", *cls.ARGS)
        cls.client = Voices(cls.source.address)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        code = cls.source.stop()
        cls.folder.cleanup()
        assert code == 0, cls.source.log_text()[-2000:]

    def assertRefused(self, messages, code, *words):
        with self.assertRaises(grpc.RpcError) as caught:
            Face(self.client.process_method(iter(messages), timeout=30))
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        for word in words:
            self.assertIn(word, caught.exception.details())


class ProcessTest(A2fTest):
    def test_the_answer_comes_in_ACEs_order(self):
        face = self.client.face(self.voice)
        kinds = face.kinds()
        self.assertEqual(kinds[0], "animation_data_stream_header")
        self.assertEqual(kinds[-1], "status")
        self.assertEqual(kinds.count("event"), 1)
        event = kinds.index("event")
        self.assertTrue(all(m.animation_data.HasField("audio") for m in face.messages[1:event]))
        late = face.messages[event + 1:-1]
        self.assertTrue(late)
        self.assertFalse(any(m.animation_data.HasField("audio") for m in late))
        self.assertEqual(face.status().code, 0, face.status().message)

    def test_the_voice_comes_back_bit_for_bit_beside_68_shapes(self):
        face = self.client.face(self.voice)
        self.assertEqual(face.audio(), self.voice.tobytes())
        header = face.header()
        self.assertEqual(header.audio_header.samples_per_second, RATE)
        shapes = list(header.skel_animation_header.blend_shapes)
        self.assertEqual((len(shapes), shapes[0], shapes[67]),
                         (68, "EyeBlinkLeft", "TongueNarrow"))
        self.assertLess(abs(header.start_time_code_since_epoch - time.time()), 60)
        for k, data in enumerate(face.data()):
            self.assertAlmostEqual(data.skel_animation.blend_shape_weights[0].time_code, k / 30)
        self.assertGreater(max(face.track("JawOpen")), 0.15)
        self.assertLess(face.track("JawOpen")[-1], 0.02)

    def test_how_the_sound_is_cut_does_not_show(self):
        voice = self.voice[:RATE]
        once = [d.SerializeToString(deterministic=True) for d in self.client.face(voice).data()]
        for portion in (1, 160, 100000):
            cut = self.client.face(voice, portion=portion).data()
            self.assertEqual([d.SerializeToString(deterministic=True) for d in cut], once, portion)

    def test_rates_from_8_to_192_khz(self):
        for rate in (8000, 22050, 44100, 48000, 144000, 192000):
            samples = array.array("h", [int(9000 * math.sin(i * 900 / rate))
                                        for i in range(rate // 2)])
            face = self.client.face(samples, portion=rate // 7, rate=rate)
            self.assertEqual(face.audio(), samples.tobytes(), rate)
            self.assertEqual(face.status().code, 0)

    def test_a_half_close_does_for_an_end_of_audio(self):
        messages = list(self.client.clip(self.voice))[:-1]
        face = Face(self.client.process_method(iter(messages), timeout=30))
        self.assertEqual(face.audio(), self.voice.tobytes())

    def test_the_face_of_a_live_voice_follows_it(self):
        """Each portion is sent when the faces of those before it, but for 0.2 s, have come."""
        portion = RATE // 50
        come = threading.Semaphore(10)

        def live():
            yield self.client.header()
            for m in self.client.parts(self.voice[:RATE], portion):
                self.assertTrue(come.acquire(timeout=20), "the face stays behind")
                yield m

        got = 0
        for m in self.client.process_method(live(), timeout=60):
            samples = len(m.animation_data.audio.audio_buffer) // 2
            for _ in range((got + samples) // portion - got // portion):
                come.release()
            got += samples
        self.assertEqual(got, RATE)

    def test_emotions_move_the_face_and_are_told(self):
        header = self.client.header()
        post = header.audio_stream_header.emotion_post_processing_params
        post.preferred_emotion_strength = post.emotion_strength = 1
        messages = list(self.client.clip(self.voice, header=header))
        messages[1].audio_with_emotion.emotions.add(time_code=0).emotion["joy"] = 1
        face = Face(self.client.process_method(iter(messages), timeout=30))
        self.assertGreater(max(face.track("MouthSmileLeft")), 0.5)
        self.client.learn("nvidia_ace.emotion_aggregate.v1.EmotionAggregate")
        aggregate = self.client.type("nvidia_ace.emotion_aggregate.v1.EmotionAggregate")()
        self.assertTrue(face.data()[0].metadata["emotion_aggregate"].Unpack(aggregate))
        self.assertEqual(aggregate.input_emotions[0].emotion["joy"], 1)
        self.assertEqual(len(aggregate.a2f_smoothed_output[0].emotion), 10)
        self.assertEqual(len(aggregate.a2e_output[0].emotion), 10)

    def test_what_has_no_effect_is_named_in_the_last_status(self):
        header = self.client.header()
        header.audio_stream_header.face_params.float_params["hairStrength"] = 1
        status = self.client.face(self.voice, header=header).status()
        self.assertEqual(status.code, 2)
        self.assertIn("hairStrength", status.message)

    def test_wrong_sounds_are_refused_by_field(self):
        wrong = grpc.StatusCode.INVALID_ARGUMENT
        header, voice = self.client.header, self.voice
        for fields, words in (({"rate": 4000}, ("samples_per_second: 4000", "8000 to 192000")),
                              ({"bits": 8}, ("bits_per_sample: 8", "16 is right")),
                              ({"channels": 2}, ("channel_count: 2", "1 is right"))):
            self.assertRefused(self.client.clip(voice, header=header(**fields)), wrong, *words)
        face = header()
        face.audio_stream_header.face_params.float_params["skinStrength"] = 7
        self.assertRefused([face], wrong, "face_params.float_params.skinStrength: 7", "0 to 2")
        self.assertRefused(self.client.parts(voice, RATE), wrong, "audio_stream_header")
        self.assertRefused([header(), header()], wrong, "audio_stream_header: a second one")
        self.assertRefused([header()], wrong, "without a sample")
        self.assertRefused(self.client.clip(array.array("h", bytes(2 * 11 * RATE)), portion=11 * RATE),
                           wrong, "11 s; at most 10 s")
        self.assertRefused([b"\x0a\xff"], wrong, "no nvidia_ace.controller.v1.AudioStream")

    def test_a_fault_in_mid_sound_is_the_last_status_too(self):
        long = self.client.part()
        long.audio_with_emotion.audio_buffer = bytes(2 * 11 * RATE)
        messages = list(self.client.clip(self.voice))[:-1] + [long]
        call = Collector(self.client.process_method(iter(messages), timeout=30))
        call.join(30)
        self.assertEqual(call.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertEqual(call.messages[-1].status.code, 3)
        self.assertIn("at most 10 s", call.messages[-1].status.message)

    def test_20_clients_at_once(self):
        clients = [Voices(self.source.address) for _ in range(20)]
        alone = self.client.face(self.voice)
        with futures.ThreadPoolExecutor(20) as pool:
            faces = list(pool.map(lambda c: c.face(self.voice, portion=1600), clients))
        for face in faces:
            self.assertEqual(face.audio(), self.voice.tobytes())
            self.assertEqual(face.track("JawOpen"), alone.track("JawOpen"))
            self.assertEqual(face.status().code, 0)
        for client in clients:
            client.close()

    def test_health_and_reflection(self):
        self.assertEqual(self.client.health(), 1)
        self.assertIn(PROCESS.split("/")[1], self.client.services())
        self.assertIn(PUSH_SOUND.split("/")[1], self.client.services())

    @unittest.skipUnless(SAMPLES, "POSEWIRE_A2F_SAMPLES names no checkout of NVIDIA's samples")
    def test_NVIDIAs_client_works_unchanged(self):
        root = Path(SAMPLES)
        app = root / "scripts/audio2face_3d_microservices_interaction_app"
        wheel = next((root / "proto/sample_wheel").glob("*.whl"))
        sound = os.path.join(self.folder.name, "sound.wav")
        with wave.open(sound, "wb") as f:
            f.setnchannels(1)
            f.setsampwidth(2)
            f.setframerate(RATE)
            f.writeframes(self.voice.tobytes())

        def client(*args):
            return subprocess.run(
                [sys.executable, str(app / "a2f_3d.py"), *args], cwd=self.folder.name, text=True,
                capture_output=True, timeout=60, env={**os.environ, "PYTHONPATH": str(wheel)})

        done = client("health_check", "--url", self.source.address)
        self.assertIn("is ONLINE", done.stdout, done.stderr)
        done = client("run_inference", sound, str(app / "config/config_claire.yml"),
                      "-u", self.source.address)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Status code: SUCCESS", done.stdout)
        out = Path(self.folder.name, "output_000001")
        with wave.open(str(out / "out.wav"), "rb") as f:
            self.assertEqual(f.readframes(f.getnframes()), self.voice.tobytes())
        with open(out / "animation_frames.csv") as f:
            frames = list(csv.DictReader(f))
        self.assertGreaterEqual(len(frames), len(self.voice) * 30 // RATE)
        self.assertGreater(max(float(f["blendShapes.JawOpen"]) for f in frames), 0.15)
        with open(out / "a2f_3d_input_emotions.csv") as f:
            self.assertEqual(len(list(csv.DictReader(f))), 2)


class BoundsTest(A2fTest):
    ARGS = ("--max-sounds", "2", "--sound-idle-s", "1", "--max-sound-s", "60")

    def open_call(self):
        """A call that holds on until its `go` is set; its header has been answered."""
        go = threading.Event()

        def messages():
            yield self.client.header()
            yield next(self.client.parts(self.voice, RATE))
            go.wait(20)

        call = Collector(self.client.process_method(messages(), timeout=60))
        call.go = go
        return call.wait_started()

    def test_more_than_the_most_are_refused(self):
        calls = [self.open_call(), self.open_call()]
        self.assertRefused(self.client.clip(self.voice), grpc.StatusCode.RESOURCE_EXHAUSTED,
                           "2 sounds are already in progress")
        for call in calls:
            call.go.set()
            call.join(20)
        self.assertTrue(until(lambda: self.works()))

    def works(self):
        try:
            return self.client.face(self.voice[:RATE // 2]).status().code == 0
        except grpc.RpcError:
            return False

    def test_a_client_that_says_nothing_is_sent_away(self):
        call = self.open_call()
        call.join(20)
        self.assertEqual(call.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertIn("no sound arrived for 1 s", call.error.details())
        call.go.set()

    def test_a_client_that_takes_nothing_is_not_read_and_then_cut_off(self):
        rate = 192000  # more than fits between the two
        silence = array.array("h", bytes(2 * rate))

        def messages():
            yield self.client.header(rate=rate)
            for _ in range(58):
                yield next(self.client.parts(silence, rate))

        before = self.source.memory_mb()
        channel = grpc.insecure_channel(self.source.address)
        call = channel.stream_stream(PROCESS, request_serializer=lambda m: m.SerializeToString(),
                                     response_deserializer=lambda b: b)(messages(), timeout=60)
        self.source.await_log("the client read nothing for 1 s")
        # The whole sound and its answer would be 44 MB.
        self.assertLess(self.source.memory_mb() - before, 15)
        call.cancel()
        channel.close()
        self.assertTrue(until(lambda: self.works()))

    def test_clients_that_vanish_leave_nothing(self):
        for _ in range(4):
            calls = [self.open_call(), self.open_call()]
            for call in calls:
                call.call.cancel()
                call.go.set()
            self.assertTrue(until(lambda: self.works()))

    def test_a_sound_over_the_longest_is_refused(self):
        self.assertRefused(self.client.clip(array.array("h", bytes(2 * 61 * RATE)), portion=5 * RATE),
                           grpc.StatusCode.INVALID_ARGUMENT, "longer than 60 s")

    def test_a_stop_ends_the_calls_that_are_open(self):
        source = Server("a2f_source", "serve", "--to", "none")
        client = Voices(source.address)
        header = client.header()
        wait = threading.Event()

        def messages():
            yield header
            yield next(client.parts(self.voice, RATE))
            wait.wait(20)

        call = Collector(client.process_method(messages(), timeout=60)).wait_started()
        began = time.monotonic()
        self.assertEqual(source.stop(), 0)
        self.assertLess(time.monotonic() - began, 5)
        call.join(20)
        self.assertEqual(call.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertIn("the source is stopping", call.error.details())
        wait.set()
        client.close()


def pushed_twice(test, push, voices, voice, stream, pull):
    """While a request is pushed, another push of it is refused; when it is over, the id is free."""
    go = threading.Event()
    first = []

    def messages():
        yield from voices.pushed(voice, stream, "same")
        go.wait(20)

    thread = threading.Thread(target=lambda: first.append(push(messages())))
    thread.start()
    pull.wait_for_sound()
    with test.assertRaises(grpc.RpcError) as second:
        push(voices.pushed(voice, stream, "same"))
    test.assertEqual(second.exception.code(), grpc.StatusCode.ALREADY_EXISTS)
    test.assertIn('request_id "same" is being pushed', second.exception.details())
    go.set()
    thread.join(30)
    test.assertEqual([answer.code for answer in first], [0])
    test.assertEqual(push(voices.pushed(voice, stream, "same")).code, 0)


class PushTest(unittest.TestCase):
    """sound -> a2f_source -> anim_graph -> pull, and by anim_graph's own PushAudioStream."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.voice = spoken(cls.folder.name)
        at = f"127.0.0.1:{free_port()}"
        cls.graph = Server("anim_graph", "--a2f", at)
        cls.source = Server("a2f_source", "serve", "--to", cls.graph.address, listen=at)
        cls.client = Voices(cls.source.address)
        cls.graph_client = Client(cls.graph.address)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.graph_client.close()
        codes = cls.source.stop(), cls.graph.stop()
        cls.folder.cleanup()
        assert codes == (0, 0), (cls.source.log_text()[-2000:], cls.graph.log_text()[-2000:])

    def pull(self, stream):
        return Collector(self.graph_client.pull(stream)).wait_started()

    def assertSpoken(self, pull):
        """The voice comes out of the graph bit for bit, and the jaw moves with it."""
        want = self.voice.tobytes()
        self.assertTrue(pull.wait_for(lambda c: want in c.audio()), "the voice did not come out")
        header = next(m for m in pull.messages if m.HasField("animation_data_stream_header"))
        shapes = header.animation_data_stream_header.skel_animation_header.blend_shapes
        jaw = list(shapes).index("jawOpen")
        self.assertGreater(max(d.skel_animation.blend_shape_weights[0].values[jaw]
                               for d in pull.data() if d.skel_animation.blend_shape_weights), 0.15)

    def through_the_graph(self, messages):
        method = self.graph_client.method(f"/{CONTROLLER}/PushAudioStream")
        return method(messages, timeout=30)

    def test_a_voice_that_is_pushed_comes_out_of_the_graph(self):
        pull = self.pull("direct")
        answer = self.client.push_method(self.client.pushed(self.voice, "direct"), timeout=30)
        self.assertEqual(answer.code, 0, answer.message)
        self.assertIn("s of sound", answer.message)
        self.assertSpoken(pull)
        pull.call.cancel()

    def test_one_that_is_pushed_to_the_graph_goes_round_by_the_source(self):
        pull = self.pull("round")
        answer = self.through_the_graph(self.client.pushed(self.voice, "round", portion=999))
        self.assertEqual(answer.code, 0, answer.message)
        self.assertSpoken(pull)
        pull.call.cancel()

    def test_the_graph_passes_on_what_the_source_refuses(self):
        held = threading.Event()

        def messages():
            m = self.client.header(self.client.push_part, rate=100)
            m.audio_stream_header.animation_ids.stream_id = "refused"
            yield m
            held.wait(20)  # the refusal comes while the client still has the call open

        with self.assertRaises(grpc.RpcError) as caught:
            self.through_the_graph(messages())
        held.set()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn("samples_per_second: 100", caught.exception.details())

    def test_a_second_push_of_a_request_is_refused_and_the_first_unharmed(self):
        direct = lambda messages: self.client.push_method(messages, timeout=30)  # noqa: E731
        for stream, push in (("twice", direct), ("twice round", self.through_the_graph)):
            pull = self.pull(stream)
            pushed_twice(self, push, self.client, self.voice, stream, pull)
            self.assertSpoken(pull)
            pull.call.cancel()

    def test_a_pusher_that_vanishes_ends_its_request(self):
        pull = self.pull("gone")
        go = threading.Event()

        def messages():
            yield from self.client.pushed(self.voice, "gone", "broken")
            go.wait(20)

        call = self.client.push_method.future(messages(), timeout=30)
        pull.wait_for_sound()
        call.cancel()
        go.set()

        def playing():
            return [r for s in self.graph_client.control("ListStreams").streams
                    if s.stream_id == "gone" for a in s.avatars for r in a.requests]

        self.assertTrue(until(lambda: not playing()))
        pull.call.cancel()


class PulledTest(A2fTest):
    """A source that sends to nobody: its pulls are all there is."""

    ARGS = ("--stream-id", "alone")

    def test_a_second_push_of_a_request_is_refused_and_the_first_unharmed(self):
        pull = Collector(self.client.pull("alone"))
        push = lambda messages: self.client.push_method(messages, timeout=30)  # noqa: E731
        pushed_twice(self, push, self.client, self.voice, "alone", pull)
        # Both that were taken, and nothing of the one between.
        self.assertTrue(pull.wait_for(lambda c: c.audio() == 2 * self.voice.tobytes()),
                        len(pull.audio()))
        pull.call.cancel()


class LonelyTest(unittest.TestCase):
    def test_what_cannot_be_reached_is_unavailable(self):
        nobody = f"127.0.0.1:{free_port()}"
        with tempfile.TemporaryDirectory() as folder:
            voice = spoken(folder)
        graph = Server("anim_graph", "--a2f", nobody)
        source = Server("a2f_source", "serve", "--to", nobody)
        voices = Voices(source.address)
        client = Client(graph.address)
        for method in (voices.push_method, client.method(f"/{CONTROLLER}/PushAudioStream")):
            with self.assertRaises(grpc.RpcError) as caught:
                method(voices.pushed(voice), timeout=20)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
            self.assertIn("reached" if method is voices.push_method else nobody,
                          caught.exception.details())
        client.close()
        voices.close()
        source.stop()
        graph.stop()


if __name__ == "__main__":
    unittest.main()
