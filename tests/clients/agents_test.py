"""docs/agents.md: its shortest program with a model that writes words at a pace, and its figures."""

import hashlib
import http.server
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "service"))
from posewire_test import Client, Server, until  # noqa: E402
from source_test import STREAM, Pulled, Source, serve  # noqa: E402

PAGE = (ROOT / "docs" / "agents.md").read_text()
ANSWER = (
    "That is a good question. The sky is blue because air scatters light, and it scatters blue "
    "light more than red light. In the evening the path through the air is longer. Most of the "
    "blue is gone by then, so what is left looks red. Do you want to know more about it?"
)
# Louder than this is heard.
HEARD = 150


def program(heading):
    """The first block of Python under a heading."""
    block = PAGE.split(f"\n## {heading}\n")[1].split("```python\n")[1].split("```")[0]
    return block


def figures():
    """The tables of the page: {row: [numbers]}."""
    rows = re.findall(r"^\| ([^|]+?) \| ((?:\d+ \| ?)+)$", PAGE, re.M)
    return {name: [int(n) for n in numbers.split("|") if n.strip()] for name, numbers in rows}


class Model(http.server.ThreadingHTTPServer):
    """Writes ANSWER as Ollama does, a word at a time."""

    def __init__(self, words_a_second):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.pace_s = 1 / words_a_second
        self.first_word_at = None
        self.asked = None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.server.asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.end_headers()
            self.server.first_word_at = start = time.monotonic()
            for i, word in enumerate(ANSWER.split()):
                time.sleep(max(0, start + i * self.server.pace_s - time.monotonic()))
                self.wfile.write(json.dumps({"response": word + " "}).encode() + b"\n")
                self.wfile.flush()

        def log_message(self, *_):
            pass


def environment():
    """An interpreter with what the package needs, kept between runs; gives its path."""
    pins = ROOT / "tests" / "clients" / "requirements.txt"
    name = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = ROOT / "build" / "tools" / "clients" / name
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "-c",
                        pins, "grpcio", "protobuf", "numpy"], check=True)
        (folder / "ready").touch()
    return python


class AgentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = environment()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        # As setup.py makes it.
        package = Path(cls.folder.name) / "posewire"
        package.mkdir()
        for file in (ROOT / "clients" / "python" / "posewire").glob("*.py"):
            (package / file.name).symlink_to(file)
        files = re.search(r"FILES = \[(.*?)\]", (ROOT / "clients/python/setup.py").read_text(), re.S)
        subprocess.run(["protoc", "--include_imports", f"--descriptor_set_out={package}/protocol.pb",
                        f"-I{ROOT}/proto", *re.findall(r'"(.+?)"', files[1])], check=True)
        cls.graph = Server("anim_graph")
        cls.addClassCleanup(cls.graph.stop)
        cls.source = serve(cls.graph)
        cls.addClassCleanup(cls.source.stop)
        cls.client = Source(cls.source.address)
        cls.graph_client = Client(cls.graph.address)
        cls.addClassCleanup(cls.client.close)
        cls.addClassCleanup(cls.graph_client.close)
        cls.limits = figures()

    def setUp(self):
        self.pulled = Pulled(self.graph_client.pull(STREAM)).wait_started()
        self.addCleanup(self.pulled.call.cancel)
        # The first text waits for threads and connections that the next ones have.
        self.client.say("Hm.", stream_id="other")

    def rate(self):
        header = next(m for m in self.pulled.messages if m.HasField("animation_data_stream_header"))
        return header.animation_data_stream_header.audio_header.samples_per_second

    def samples(self):
        sound = self.pulled.audio()
        return struct.unpack(f"<{len(sound) // 2}h", sound)

    def heard_at(self, after):
        """When the first sound came to the pull, after a time."""
        for message, at in zip(self.pulled.messages, self.pulled.times):
            sound = message.animation_data.audio.audio_buffer
            if at >= after and any(abs(v) > HEARD for v in struct.unpack(f"<{len(sound) // 2}h", sound)):
                return at
        return None

    def longest_silence_s(self):
        step = self.rate() // 100
        samples = self.samples()
        loud = [i for i in range(len(samples) // step)
                if max(map(abs, samples[i * step:(i + 1) * step])) > HEARD]
        return max(b - a - 1 for a, b in zip(loud, loud[1:])) / 100

    def mouth_after_voice_s(self):
        """By how much the mouth opens after the voice begins, in the middle of all its beginnings after
        a silence. People's mouths open before."""
        frames = [d for d in self.pulled.data() if d.audio.audio_buffer]
        loud = [max(map(abs, struct.unpack(f"<{len(f.audio.audio_buffer) // 2}h",
                                           f.audio.audio_buffer))) > 1000 for f in frames]
        jaw = self.pulled.jaw()[-len(loud):]
        late = []
        for i in range(8, len(loud) - 10):
            if not loud[i] or any(loud[i - 6:i]):
                continue
            opened = next((k for k in range(i - 6, i + 10) if jaw[k] > jaw[i - 7] + 0.03), None)
            if opened is not None:
                late.append((opened - i) / 30)
        self.assertGreaterEqual(len(late), 3)
        return sorted(late)[len(late) // 2]

    def within(self, row, column, measured_s, slack_ms=150):
        limit = 2 * self.limits[row][column] + slack_ms
        self.measured.setdefault(row, []).append(round(1000 * measured_s))
        self.assertLess(1000 * measured_s, limit, row)

    measured = {}

    @classmethod
    def tearDownClass(cls):
        print(json.dumps(cls.measured), file=sys.stderr)

    def run_program(self, words_a_second):
        model = Model(words_a_second)
        self.addCleanup(model.server_close)
        self.addCleanup(model.shutdown)
        code = program("A model on your machine")
        self.assertLessEqual(len([line for line in code.splitlines() if line.strip()]), 10)
        for address, ours in (("127.0.0.1:11434", f"127.0.0.1:{model.server_port}"),
                              ("127.0.0.1:51002", self.source.address),
                              ('stream="demo"', f'stream="{STREAM}"')):
            self.assertIn(address, code)
            code = code.replace(address, ours)
        subprocess.run([self.python, "-c", code, "Why is the sky blue?"], check=True, timeout=60,
                       env={**os.environ, "PYTHONPATH": self.folder.name})
        self.assertEqual(model.asked["prompt"], "Why is the sky blue?")
        return model

    def check_pace(self, words_a_second, column):
        model = self.run_program(words_a_second)
        first = self.heard_at(model.first_word_at)
        self.within("first sound after the first word of the model", column,
                    first - model.first_word_at)
        self.within("longest silence within the text", column, self.longest_silence_s())
        mouth_s = self.mouth_after_voice_s()
        self.measured.setdefault("mouth", []).append(round(1000 * mouth_s))
        self.assertLessEqual(mouth_s, 0.04)
        self.assertGreaterEqual(mouth_s, -0.15)
        # Every word of it is heard: half a minute of text is not said in less.
        self.assertGreater(self.pulled.times[-1] - first, len(ANSWER.split()) / 4)

    def test_a_model_of_5_words_a_second(self):
        self.check_pace(5, 0)

    def test_a_model_of_15_words_a_second(self):
        self.check_pace(15, 1)

    def test_a_model_of_40_words_a_second(self):
        self.check_pace(40, 2)

    def test_first_sound_and_silence(self):
        at = time.monotonic()
        said = self.client.say("Hello there, everybody. " * 5)
        self.assertTrue(until(lambda: self.heard_at(at)))
        self.within("first sound of a whole text", 0, self.heard_at(at) - at)
        count = len(self.pulled.audio()) // 2
        self.client.call("Stop", request_id=said.request_id)
        self.assertTrue(until(lambda: len(self.pulled.audio()) // 2 > count + self.rate()))
        last = max(i for i, v in enumerate(self.samples()) if abs(v) > HEARD)
        self.within("silence after an interruption", 0, max(0, last - count) / self.rate())


if __name__ == "__main__":
    unittest.main()
