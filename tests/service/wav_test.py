"""a2f_source wav: sound from files and pipes comes out as sound and face."""

import json
import math
import os
import signal
import struct
import subprocess
import tempfile
import unittest
import wave

from posewire_test import BIN, Client, Collector, Server

RATE = 16000


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
                          capture_output=True, timeout=60)


def live(*args):
    """A source that hears what is written to it, and writes its messages as lines."""
    return subprocess.Popen([os.path.join(BIN, "a2f_source"), "wav", "-", "--out", "-", *args],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def hear(process, samples):
    process.stdin.write(pcm(samples))
    process.stdin.flush()


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
