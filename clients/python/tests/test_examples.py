"""The examples and the README's first program, as they stand but for their addresses."""

import ast
import asyncio
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
from test_services import BIN, PATIENCE_S, Services

import posewire
from posewire import _wire

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
ANSWER = "The sky is blue, because air scatters blue light."
# What the example takes of the package openai.
OPENAI = """
class Some:
    def __init__(self, **fields):
        self.__dict__.update(fields)

class AsyncOpenAI:
    def __init__(self):
        self.chat = Some(completions=self)

    async def create(self, *, model, messages, stream):
        assert stream and messages == [{"role": "user", "content": "Why?"}]
        return self.chunks()

    async def chunks(self):
        for content in [None, *ANSWER.split(" ")]:
            yield Some(choices=[Some(delta=Some(content=content and content + " "))])
"""


class Ollama(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["prompt"] == "Why?", asked
        self.send_response(200)
        self.end_headers()
        for word in ANSWER.split(" "):
            self.wfile.write(json.dumps({"response": word + " "}).encode() + b"\n")

    def log_message(self, *arguments):
        pass


@unittest.skipUnless(BIN, "POSEWIRE_BIN_DIR is not set")
class ExamplesTest(Services):
    GRAPH = [f"--graph={HERE.parents[2] / 'data/graphs/examples/user_acts.graph.txtpb'}"]

    def start_program(self, text, *arguments, path=""):
        replaced = {"127.0.0.1:51002": self.source, "127.0.0.1:51000": self.graph}
        for address, at in replaced.items():
            text = text.replace(address, at)
        program = subprocess.Popen(
            [sys.executable, "-c", text, *arguments],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        return program

    async def said(self, text, *arguments, path=""):
        """The samples that are heard while a program runs to its end."""
        heard = []

        async def listen():
            async for frame in posewire.pull(self.graph, stream="demo"):
                heard.append(frame.audio)

        listening = asyncio.ensure_future(listen())
        program = self.start_program(text, *arguments, path=path)
        out, log = await asyncio.to_thread(program.communicate, timeout=PATIENCE_S)
        listening.cancel()
        self.assertEqual(program.returncode, 0, log)
        return out, np.concatenate(heard)

    async def test_the_first_program_of_the_readme(self):
        readme = (HERE.parent / "README.md").read_text()
        out, heard = await self.said(re.search(r"```python\n(.*?)```", readme, re.S)[1])
        self.assertEqual(
            out, "completed Hello there. I say what I am given, while it is being written.\n"
        )
        self.assertTrue(np.any(heard))

    async def test_an_openai_agent(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "openai.py").write_text(f"ANSWER = {ANSWER!r}\n{OPENAI}")
            text = (EXAMPLES / "openai_agent.py").read_text()
            _, heard = await self.said(text, "Why?", path=folder)
        self.assertGreater(np.count_nonzero(heard), 16000)

    async def test_an_ollama_agent(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ollama)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        text = (EXAMPLES / "ollama_agent.py").read_text()
        text = text.replace("127.0.0.1:11434", f"127.0.0.1:{server.server_port}")
        _, heard = await self.said(text, "Why?")
        self.assertGreater(np.count_nonzero(heard), 16000)

    async def test_a_kiosk_welcomes_who_comes(self):
        self.start_program((EXAMPLES / "kiosk.py").read_text())
        compositor = _wire.Peer(self.graph, _wire.Access(), "anim_graph", "")
        self.addAsyncCleanup(compositor.close)
        head = _wire.message(f"{_wire.CONTROL}.Vector", y=1.6, z=2)

        async def user(method, **fields):
            request = _wire.message(f"{_wire.CONTROL}.{method}Request", stream_id="demo", **fields)
            await compositor.ask(f"{_wire.CONTROL}.ControlService/{method}", request)

        async def come():
            someone = _wire.message(f"{_wire.CONTROL}.User", name="ann", head=head, hold_s=60)
            while True:  # until the kiosk watches
                await user("SetUser", user=someone)
                await asyncio.sleep(1)
                await user("RemoveUser", name="ann")
                await asyncio.sleep(1)

        async def listen():
            async for frame in posewire.pull(self.graph, stream="demo"):
                if np.any(frame.audio):
                    return

        coming = asyncio.ensure_future(come())
        await asyncio.wait_for(listen(), PATIENCE_S)
        coming.cancel()

    def test_examples_have_at_most_ten_lines(self):
        for path in sorted(EXAMPLES.glob("*.py")):
            nodes = list(ast.walk(ast.parse(path.read_text())))
            lines = {n.lineno for n in nodes if isinstance(n, ast.stmt) and not _is_text(n)}
            self.assertLessEqual(len(lines), 10, path.name)


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


if __name__ == "__main__":
    unittest.main()
