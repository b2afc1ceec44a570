"""What the tests share: real services, and a client of the official SDK that talks to posewire-mcp."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import posewire
from mcp import Client, StdioServerParameters

BIN = os.environ.get("POSEWIRE_BIN_DIR")
PATIENCE_S = 30


def start(stack, name, *arguments):
    """Starts a program that listens; returns its address."""
    log = stack.enter_context(tempfile.TemporaryFile())
    command = [os.path.join(BIN, name), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    stack.callback(process.stdout.close)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    line = process.stdout.readline()
    if not line:
        log.seek(0)
        raise AssertionError(log.read().decode())
    return f"127.0.0.1:{json.loads(line)['grpc_port']}"


def client(*arguments, mode="auto", **environment):
    """A client with a posewire-mcp of its own, over stdio. `mode` is how the SDK agrees on a version of
    the protocol; `environment` has settings by the names of their flags."""
    inherited = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    settings = {f"POSEWIRE_MCP_{name.upper()}": value for name, value in environment.items()}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-B", "-m", "posewire_mcp", *arguments],
        env={**inherited, **settings},
    )
    return Client(server, mode=mode)


class Viewer:
    """Pulls a stream, as fast as it comes."""

    def __init__(self, address, stream):
        self.sees = asyncio.Event()
        self.pose = None
        self.moved_deg = 0.0
        self._before = None
        self._task = asyncio.ensure_future(self._look(posewire.pull(address, stream=stream)))

    async def _look(self, frames):
        async for frame in frames:
            if frame.rotations is not None:
                self.pose = frame.rotations.astype(float)
                self.sees.set()
            if self._before is not None:
                dots = np.abs(np.sum(self._before * self.pose, axis=1))
                moved_deg = np.degrees(2 * np.arccos(np.minimum(dots, 1))).max()
                self.moved_deg = max(self.moved_deg, float(moved_deg))

    def mark(self):
        """From here on, `moved_deg` is the largest rotation of a joint away from its present one."""
        self._before, self.moved_deg = self.pose, 0.0

    async def close(self):
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task


@unittest.skipUnless(BIN, "POSEWIRE_BIN_DIR is not set")
class Services(unittest.IsolatedAsyncioTestCase):
    """Each class runs one anim_graph, with GRAPH, and one a2f_source."""

    GRAPH = []

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.graph = start(cls.stack, "anim_graph", "--listen", "127.0.0.1:0", *cls.GRAPH)
        to = ["--to", cls.graph, "--stream-id", "demo"]
        cls.source = start(cls.stack, "a2f_source", "serve", "--listen", "127.0.0.1:0", *to)

    def client(self, *arguments, **options):
        servers = "--compositor", self.graph, "--source", self.source
        return client(*servers, *arguments, **options)

    async def viewer(self, stream="demo"):
        """Somebody who looks at the stream's avatar, which is there then."""
        viewer = Viewer(self.graph, stream)
        self.addAsyncCleanup(viewer.close)
        await asyncio.wait_for(viewer.sees.wait(), PATIENCE_S)
        return viewer

    async def ask(self, session, name, /, **arguments):
        """Calls a tool, which must succeed."""
        result = await session.call_tool(name, arguments)
        self.assertFalse(result.is_error, result.content[0].text)
        self.assertEqual(json.loads(result.content[0].text), result.structured_content)
        return result.structured_content

    async def refused(self, session, name, /, **arguments):
        """Calls a tool, which must fail; returns its message."""
        result = await session.call_tool(name, arguments)
        self.assertTrue(result.is_error, result.content[0].text)
        return result.content[0].text
