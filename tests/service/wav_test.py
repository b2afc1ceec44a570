"""a2f_source wav: sound from files and pipes comes out as sound and face."""

import base64
import json
import math
import os
import signal
import struct
import subprocess
import tempfile
import unittest
import wave
from pathlib import Path

from google.protobuf import json_format

from posewire_test import BIN, Client, Collector, Server, until

RATE = 16000
ROOT = Path(__file__).resolve().parents[2]


def tone(seconds, rate=RATE):
    """A voice of sorts, and a sample of its own at every place."""
    return [int(9000 * math.sin(i * 0.09) * abs(math.sin(i * 0.0009))) for i in range(
        int(seconds * rate))]


def pcm(samples):
    return struct.pack(f"<{len(samples)}h", *samples)


def wav_file(samples, rate=RATE):
    file = tempfile.NamedTemporaryFile(suffix=".wav")
    with wave.open(file.name, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(pcm(samples))
    return file


def run(*args, stdin=subprocess.DEVNULL):
    return subprocess.run([os.path.join(BIN, "a2f_source"), "wav", *args], stdin=stdin,
                          capture_output=True, timeout=200)


def live(*args):
    """A source that hears what is written to it, and writes its messages as lines."""
    return subprocess.Popen([os.path.join(BIN, "a2f_source"), "wav", "-", "--out", "-", *args],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def hear(process, samples):
    process.stdin.write(pcm(samples))
    process.stdin.flush()


LIPS = ("jawOpen", "mouthFunnel", "mouthPucker", "mouthPressLeft", "mouthRollLower",
        "mouthRollUpper", "mouthLowerDownLeft", "mouthUpperUpRight", "mouthStretchLeft")


class Track:
    """The weights and the sound of messages."""

    def __init__(self, messages):
        self.names, self.frames, self.sound, self.starts = [], [], b"", []
        for m in messages:
            if m.HasField("animation_data_stream_header"):
                header = m.animation_data_stream_header.skel_animation_header
                self.names = [name[0].lower() + name[1:] for name in header.blend_shapes]
            elif m.HasField("animation_data"):
                self.starts.append(len(self.sound))
                self.sound += m.animation_data.audio.audio_buffer
                self.frames += [f.values
                                for f in m.animation_data.skel_animation.blend_shape_weights]

    def weight(self, shape, frame):
        return self.frames[frame][self.names.index(shape)]

    def frame_of(self, sound):
        """The one with which a sound begins."""
        return self.starts.index(self.sound.index(sound))


def written(client, command, path):
    """The Track that a2f_source writes into a file."""
    subprocess.run([os.path.join(BIN, "a2f_source"), *command, "--out", path], check=True,
                   capture_output=True, timeout=60)
    client.learn("posewire.gesture.v1.SpeechGesture")  # which metadata hold
    with open(path, encoding="utf-8") as file:
        return Track([json_format.Parse(line, client.stream_message(), descriptor_pool=client.pool)
                      for line in file])


class WavTest(unittest.TestCase):
    def test_a_file_plays_with_its_sound_and_a_face(self):
        graph = Server("anim_graph")
        client = Client(graph.address)
        try:
            pull = Collector(client.pull("s")).wait_started()
            samples = tone(2)
            with wav_file(samples) as file:
                source = run(file.name, "--to", graph.address, "--stream-id", "s")
            self.assertEqual(source.returncode, 0, source.stderr)
            self.assertTrue(pull.wait_for(lambda c: pcm(samples) in c.audio()))
            names = list(next(m for m in pull.messages if m.HasField(
                "animation_data_stream_header")).animation_data_stream_header
                .skel_animation_header.blend_shapes)
            self.assertTrue(any(name.lower() == "jawopen" for name in names))
        finally:
            client.close()
            graph.stop()

    def test_lips_are_the_voices_and_facial_gestures_share_as_with_a_text(self):
        """In the default graph, a face from sound behaves as one from text."""
        say = ["say", "Maybe Bob may move my map, my mother said.", "--no-body"]
        graph = Server("anim_graph")
        client = Client(graph.address)
        try:
            with tempfile.NamedTemporaryFile(suffix=".jsonl") as out:
                said = written(client, say, out.name)
                self.assertShared(graph, client, say, said)
                with wav_file(struct.unpack(f"<{len(said.sound) // 2}h", said.sound)) as file:
                    wav = ["wav", file.name]
                    self.assertShared(graph, client, wav, written(client, wav, out.name))
        finally:
            client.close()
            graph.stop()

    def test_the_mood_of_a_voice_is_shown_and_sets_variables(self):
        flags = ("--emotion", "auto", "--emotion-strength", "1")
        voice = str(ROOT / "data/samples/voice.wav")
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as out:
            brows = []
            for more in (), flags:
                self.assertEqual(run(voice, "--out", out.name, *more).returncode, 0)
                lines = [json.loads(line) for line in open(out.name, encoding="utf-8")]
                names = lines[0]["animationDataStreamHeader"]["skelAnimationHeader"]["blendShapes"]
                frames = [line["animationData"] for line in lines if "animationData" in line]
                brows.append(max(
                    frame["skelAnimation"]["blendShapeWeights"][0]["values"][
                        names.index("browInnerUp")] for frame in frames))
        self.assertTrue(any("posewire.voice_mood" in frame.get("metadata", {}) for frame in frames))
        self.assertGreater(brows[1], brows[0] + 0.03, "the speaker sounds calm and a little sad")
        graph = Server("anim_graph", "--graph",
                       str(ROOT / "data/graphs/examples/voice_mood.graph.txtpb"))
        client = Client(graph.address)
        try:
            pull = Collector(client.pull("s")).wait_started()
            source = subprocess.Popen(
                [os.path.join(BIN, "a2f_source"), "wav", voice, "--to", graph.address,
                 "--stream-id", "s", *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

            def arousal():
                listed = client.control("ListVariables", stream_id="s").variables
                return {v.name: float(v.value) for v in listed}["arousal"]
            self.assertTrue(until(lambda: arousal() < -0.05, 20))
            self.assertEqual(source.wait(20), 0)
            self.assertTrue(until(lambda: arousal() == 0, 20), "the request is over")
            pull.call.cancel()
        finally:
            client.close()
            graph.stop()

    def assertShared(self, graph, client, command, face):
        stream = command[0]
        pull = Collector(client.pull(stream)).wait_started()
        source = subprocess.Popen(
            [os.path.join(BIN, "a2f_source"), *command, "--to", graph.address, "--stream-id",
             stream], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pull.wait_for_sound()
        client.control("SetVariable", stream_id=stream, name="facial_gesture_state",
                       value="big_smile")
        self.assertTrue(pull.wait_for(lambda c: face.sound in c.audio()))
        self.assertEqual(source.wait(20), 0)
        pull.call.cancel()
        shown = Track(pull.messages)
        first = shown.frame_of(face.sound)
        # The first half second is blended in.
        frames = range(15, len(face.sound) * 30 // (2 * RATE))

        def off(shape):
            return [abs(shown.weight(shape, first + k) - face.weight(shape, k)) for k in frames]

        for shape in LIPS:
            self.assertGreater(max(face.weight(shape, k) for k in frames), 0, shape)
            self.assertLess(max(off(shape)), 1e-4, f"{shape} is not the voice's")
        self.assertGreater(max(off("cheekSquintLeft")), 0.12)
        smile = max(off("mouthSmileLeft"))
        self.assertGreater(smile, 0.3, "the voice still smiles")
        self.assertLess(smile, 0.7)

    def test_ten_minutes_end_on_their_last_sample(self):
        samples = tone(10) * 60
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as out:
            with wav_file(samples) as file:
                self.assertEqual(run(file.name, "--out", out.name).returncode, 0)
            sound, times_s = bytearray(), []
            for line in out:
                data = json.loads(line).get("animationData")
                if not data:
                    continue
                # A frame carries the sound that begins with it, to a sample.
                times_s += [f.get("timeCode", 0) for f in data["skelAnimation"]["blendShapeWeights"]]
                self.assertEqual(len(sound) // 2, int(times_s[-1] * RATE + 1e-6))
                sound += base64.b64decode(data["audio"]["audioBuffer"])
        self.assertEqual(sound[:2 * len(samples)], pcm(samples))
        self.assertFalse(any(sound[2 * len(samples):]))
        self.assertAlmostEqual(times_s[-1], 600.5, delta=1 / 30)

    def test_live_sound_is_sent_at_once(self):
        """The first face is there when 150 ms were heard, while the microphone is still open."""
        process = live()
        hear(process, tone(0.15))
        header = json.loads(process.stdout.readline())
        self.assertIn("animationDataStreamHeader", header)
        first = json.loads(process.stdout.readline())
        self.assertIn("animationData", first)
        hear(process, tone(1))
        process.stdin.close()
        rest = process.stdout.read().splitlines()
        process.stdout.close()
        self.assertEqual(process.wait(20), 0)
        # Its 1.15 s and half a second of rest, and the status.
        self.assertEqual(len(rest), math.ceil(1.65 * 30) + 1 - 1 + 1)

    def test_a_stop_is_heard_in_silence(self):
        process = live()
        hear(process, tone(0.5))
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        lines = process.stdout.read().splitlines()
        process.stdin.close()
        process.stdout.close()
        # A forced end would be 1.
        self.assertEqual(process.wait(20), 128 + signal.SIGTERM)
        self.assertIn("stopped", json.loads(lines[-1])["status"]["message"])

    def test_a_pipe_may_carry_a_wav(self):
        samples = tone(1, 44100)
        with wav_file(samples, 44100) as file, tempfile.TemporaryDirectory() as folder:
            one, two = os.path.join(folder, "a.jsonl"), os.path.join(folder, "b.jsonl")
            ids = ("--stream-id", "s", "--request-id", "r")
            self.assertEqual(run(file.name, "--out", one, *ids).returncode, 0)
            with open(file.name, "rb") as pipe:
                self.assertEqual(run("-", "--out", two, *ids, stdin=pipe).returncode, 0)
            with open(one) as a, open(two) as b:
                self.assertEqual(a.readlines()[1:], b.readlines()[1:])

    def test_what_is_wrong_is_named(self):
        with wav_file(tone(0.1), 4000) as file:
            done = run(file.name, "--out", "-")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(b"4000 samples a second", done.stderr)
        done = run("/nowhere.wav", "--out", "-")
        self.assertIn(b"/nowhere.wav", done.stderr)
        done = run("x.wav", "--out", "-", "--face-param", "lowerFaceStrength=9",
                   "--shape-offset", "jaw=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"lowerFaceStrength: 9, 0 to 2 is right", done.stderr)
        self.assertIn(b"jaw", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
