"""a2f_source with a voice server: it speaks, fails as documented, and the avatar idles on."""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import grpc

from posewire_test import BIN, Server
from source_test import Source, SourceTest, loudest

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = "Maybe Bob may move the big blue box. Then he moves home."


class VoiceServer:
    """lying_voice.py."""

    def __init__(self, *args):
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(HERE, "lying_voice.py"), *args],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = json.loads(self.process.stdout.readline())
        self.url = f"{'https' if 'ca' in told else 'http'}://127.0.0.1:{told['port']}"
        self.ca = told.get("ca")
        self.port = told["port"]

    def state(self):
        with urllib.request.urlopen(f"{self.url}/lying/state", timeout=5) as answer:
            return json.load(answer)

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=10)


def sounds(pulled, since=0):
    return loudest(b"".join(d.audio.audio_buffer for d in pulled.data()[since:])) > 1000


class Take:
    """What `say --out` wrote as JSON lines."""

    def __init__(self, path):
        with open(path) as lines:
            self.messages = [json.loads(line) for line in lines]
        header = next(m["animationDataStreamHeader"] for m in self.messages
                      if "animationDataStreamHeader" in m)
        self.rate = header["audioHeader"]["samplesPerSecond"]
        self.shapes = header["skelAnimationHeader"]["blendShapes"]
        self.frames = [m["animationData"] for m in self.messages if "animationData" in m]

    def sound_s(self):
        return sum(len(base64.b64decode(f["audio"]["audioBuffer"])) for f in self.frames
                   if "audio" in f) / 2 / self.rate

    def shape(self, name):
        at = self.shapes.index(name)
        return [f["skelAnimation"]["blendShapeWeights"][0]["values"][at] for f in self.frames]


class VoiceTest(unittest.TestCase):
    def setUp(self):
        self.voices = VoiceServer()
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.voices.stop()
        self.folder.cleanup()

    def scratch(self, name):
        return os.path.join(self.folder.name, name)

    def say(self, voice, *args, text=TEXT, url=None):
        out = self.scratch("said.jsonl")
        if os.path.exists(out):
            os.remove(out)
        return subprocess.run(
            [os.path.join(BIN, "a2f_source"), "say", text, "--voice-server", url or self.voices.url,
             "--voice", voice, "--out", out, *args], capture_output=True, text=True, timeout=60)

    def good(self, voice, *args, **options):
        done = self.say(voice, *args, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Take(self.scratch("said.jsonl")), done.stderr

    def test_every_api_speaks_with_lips_and_gestures(self):
        for voice, *args in (("plain",), ("pcm",), ("stereo",), ("48k",), ("odd-bytes",),
                             ("sse-phonemes", "--voice-marks", "always"),
                             ("sse-words", "--voice-marks", "always"),
                             ("captioned", "--voice-api", "kokoro-fastapi"),
                             ("elevenlabs", "--voice-api", "elevenlabs")):
            with self.subTest(voice):
                take, said = self.good(voice, *args)
                # 15 characters a second, the pauses around, and half a second of rest.
                self.assertAlmostEqual(take.sound_s(), len(TEXT) / 15 + 0.5, delta=0.35)
                self.assertGreater(max(take.shape("jawOpen")), 0.1)
                self.assertEqual(take.shape("jawOpen")[-1], 0)
                self.assertEqual(take.rate, 48000 if voice == "48k" else 24000)
                self.assertGreaterEqual(
                    sum("metadata" in frame for frame in take.frames), 1, "hands move")

    def test_lips_close_where_the_server_says_m_and_b(self):
        take, _ = self.good("sse-phonemes", "--voice-marks", "always", text="aaaamaaaabaaaa")
        closed = [t / 30 for t, (press, jaw) in enumerate(zip(take.shape("mouthPressLeft"),
                                                              take.shape("jawOpen")))
                  if press > 0.2 and jaw < 0.15]
        # The fifth and the tenth letter, 15 a second, after up to 0.2 s of silence.
        starts = [t for i, t in enumerate(closed) if i == 0 or t - closed[i - 1] > 0.05]
        self.assertEqual(len(starts), 2, closed)
        self.assertAlmostEqual(starts[1] - starts[0], 5 / 15, delta=0.05)

    def test_marks_that_lie_leave_lips_from_the_sound(self):
        for voice in ("marks-negative", "marks-nan", "marks-1e6", "marks-sparse", "marks-many"):
            with self.subTest(voice):
                take, said = self.good(voice, "--voice-marks", "always")
                self.assertIn("lips come from the sound", said)
                self.assertGreater(max(take.shape("jawOpen")), 0.1)

    def test_faults_end_with_the_servers_own_words(self):
        for voice, words in (("401", "Incorrect API key"), ("429", "slow down"), ("500", "fell over"),
                             ("html", "text/html"), ("mp3", "audio/mpeg"), ("redirect", "/elsewhere"),
                             ("empty", "no sound"), ("refuse", "reset"),
                             ("broken-json", "JSON"), ("flood", "without sound"), ("nobody", "no voice nobody")):
            with self.subTest(voice):
                done = self.say(voice)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words.lower(), done.stderr.lower())
                self.assertLess(len(done.stderr), 4000)

    def test_sound_without_end_is_cut(self):
        take, said = self.good("endless", text="Hello there.")
        self.assertIn("cut after", said)
        self.assertLess(take.sound_s(), 30 + 4 * 12 / 15 + 1)

    def test_a_fault_that_passes_is_not_seen(self):
        for voice in ("reset-once", "429-once", "503-once"):
            take, said = self.good(voice)
            self.assertGreater(take.sound_s(), 3, voice)
            self.assertNotIn("left out", said)

    def test_a_change_of_rate_is_evened_out(self):
        take, _ = self.good("rate-changes")
        self.assertEqual(take.rate, 24000)
        self.assertAlmostEqual(take.sound_s(), len(TEXT) / 15 + 0.5, delta=0.35)

    def test_another_voice_stands_in(self):
        for voice in ("refuse", "401", "html", "empty"):
            with self.subTest(voice):
                take, said = self.good(voice, "--fallback-voice", "rms")
                self.assertGreater(take.sound_s(), 2)
                self.assertEqual(said.count(f"rms speaks in place of {voice}"), 1, said)

    def test_a_key_goes_nowhere_in_plain_text(self):
        key = self.scratch("key")
        with open(key, "w") as out:
            out.write("sk-secret-1234\n")
        done = self.say("401", "--voice-key-file", key)
        self.assertIn("Incorrect API key", done.stderr)
        self.assertNotIn("sk-secret", done.stderr + done.stdout, "the server repeats the key")
        done = self.say("redirect-key", "--voice-key-file", key)
        self.assertIn("***", done.stderr)
        self.assertNotIn("sk-secret", done.stderr)
        done = self.say("plain", "--voice-key-file", key, url="http://192.0.2.1:80")
        self.assertEqual(done.returncode, 2)
        self.assertIn("https", done.stderr)
        self.assertNotIn("sk-secret", done.stderr)

    def test_a_key_goes_over_tls_to_a_server_that_is_known(self):
        key = self.scratch("key")
        with open(key, "w") as out:
            out.write("sk-secret-1234")
        voices = VoiceServer("--tls", self.folder.name)
        try:
            take, _ = self.good("plain", "--voice-key-file", key, "--voice-ca", voices.ca,
                                url=voices.url)
            self.assertGreater(take.sound_s(), 3)
            done = self.say("plain", "--voice-key-file", key, url=voices.url)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("certificate", done.stderr)
        finally:
            voices.stop()

    def test_settings_that_cannot_be_right_are_named(self):
        run = lambda *args: subprocess.run(
            [os.path.join(BIN, "a2f_source"), "say", "Hi", "--out", self.scratch("x.jsonl"), *args],
            capture_output=True, text=True, timeout=30)
        for args, words in ((("--voice", "bob"), "--voice-server"),
                            (("--fallback-voice", "rms"), "needs a voice server"),
                            (("--voice-server", "ftp://x"), "http"),
                            (("--language", "en_US"), "en-US"),
                            (("--voice-server", self.voices.url, "--voice-key-file", "/nowhere"),
                             "--voice-key-file")):
            done = run(*args)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)


class ServedVoiceTest(SourceTest):
    """`serve` with a graph and a pull."""

    def setUp(self):
        self.voices = VoiceServer()
        self.ARGS = ("--voice-server", self.voices.url, "--voice", "plain", "--max-gap-s", "1")
        super().setUp()

    def tearDown(self):
        super().tearDown()
        self.voices.stop()

    def test_lists_the_servers_voices_before_its_own(self):
        listed = self.client.call("ListVoices")
        self.assertEqual(listed.default_voice, "plain")
        self.assertEqual([v for v in listed.voices][-3:], ["slt", "rms", "awb"])
        details = {v.name: v for v in listed.details}
        self.assertEqual(details["sse-phonemes"].marks, "phonemes")
        self.assertEqual(list(details["plain"].languages), ["en-US"])
        self.assertEqual(details["plain"].engine, self.voices.url)
        self.assertEqual((details["slt"].marks, details["slt"].engine), ("phonemes", "flite"))

    def test_a_language_without_a_voice_finds_one(self):
        source = Server("a2f_source", "serve", "--to", self.graph.address, "--stream-id", "other",
                        "--voice-server", self.voices.url)
        client = Source(source.address)
        for language, voice in (("pt-PT", "pcm"), ("pt", "pcm"), ("", "plain"), ("xx", "plain")):
            before = self.voices.state()["requests"].get(voice, 0)
            client.say("Hello there.", language=language)
            self.until(lambda: self.voices.state()["requests"].get(voice, 0) > before)
        client.close()
        self.assertEqual(source.stop(), 0)

    def test_every_lie_ends_and_the_avatar_idles_on(self):
        pulled = self.pull()
        for voice in ("401", "429", "500", "html", "mp3-as-wav", "redirect", "empty", "broken-base64",
                      "event-error", "cut", "refuse"):
            with self.subTest(voice):
                try:
                    self.client.say("Hello there.", voice=voice)
                except grpc.RpcError as error:
                    self.assertNotEqual(error.code(), grpc.StatusCode.UNKNOWN, error.details())
                    self.assertNotEqual(error.details(), "")
                self.until(lambda: not self.client.call("ListTexts").texts)
                since = len(pulled.data())
                self.assertTrue(pulled.wait_for(lambda p: len(p.data()) > since + 10))
        # And speaks on.
        since = len(pulled.data())
        self.client.say("Hello there, my friend.")
        self.assertTrue(pulled.wait_for(lambda p: sounds(p, since)))
        pulled.call.cancel()

    def test_a_voice_that_stalls_within_a_text_ends_it_and_the_next_is_said(self):
        pulled = self.pull()
        self.client.say("One two three, four five six seven eight nine ten. And so on.",
                        voice="stall-midway", request_id="stalls")
        self.assertTrue(pulled.wait_for(lambda p: sounds(p)))
        self.until(lambda: not self.client.call("ListTexts").texts)
        statuses = [m.status.message for m in pulled.messages if m.HasField("status")]
        since = len(pulled.data())
        self.assertTrue(pulled.wait_for(lambda p: len(p.data()) > since + 30), statuses)
        self.assertLess(max(pulled.jaw(since + 20)), 0.1, "the mouth rests")
        self.client.say("Hello there, my friend.")
        since = len(pulled.data())
        self.assertTrue(pulled.wait_for(lambda p: sounds(p, since)))
        pulled.call.cancel()

    def test_an_interrupt_does_not_wait_for_a_voice_that_hangs(self):
        pulled = self.pull()
        call = self.client.method("/posewire.source.v1.SourceService/Say")
        make = self.client.type("posewire.source.v1.SayRequest")
        waits = call.future(make(text="This never comes.", voice="stall-before"), timeout=20)
        self.until(lambda: self.voices.state()["requests"].get("stall-before") == 1)
        began = time.monotonic()
        self.client.say("Hello there.", policy="interrupt")
        took_s = time.monotonic() - began
        self.assertLess(took_s, 1.0)
        self.assertEqual(waits.exception().code(), grpc.StatusCode.CANCELLED)
        self.until(lambda: self.voices.state()["open"] == 0)
        pulled.call.cancel()

    def test_a_hundred_lies_leave_nothing_behind(self):
        def kept():
            pid = self.source.process.pid
            return (len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")))
        lies = ("refuse", "401", "html", "empty")
        before = None
        for i in range(100):
            with self.assertRaises(grpc.RpcError):
                self.client.say("Hi.", voice=lies[i % len(lies)])
            # One that comes sooner waits behind it, and is answered at once.
            self.until(lambda: not self.client.call("ListTexts").texts)
            before = before or (i > 10 and kept()) or None
        self.until(lambda: kept()[0] <= before[0] + 3 and kept()[1] <= before[1] + 3)


if __name__ == "__main__":
    unittest.main()
