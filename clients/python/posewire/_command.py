"""The command `posewire`: an avatar to try things with, and a sentence for it."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Any

from . import __version__, _wire
from ._avatar import Avatar
from ._errors import Error
from ._events import Reason

_START_S = 20.0
_STOP_S = 10.0
_MISSING = """posewire: {name} is not {where}.
Install the Debian package, or build it from a clone of the sources (./run --build), and say where it
is: posewire up --bin build/release/bin. With Docker instead of all this, from a clone:
  docker compose -f docker/docker-compose.yml --profile view up --build"""


class _Failed(Exception):
    """Ends the command with a message, and 1 or 2 as exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


class _Service:
    """A program of ours that runs until it is stopped. Its log is in a file."""

    def __init__(self, name: str, program: str, *arguments: str) -> None:
        self.name = name
        self._command = (program, *arguments)
        self._log: IO[bytes] = tempfile.TemporaryFile()

    async def start(self) -> dict[str, int]:
        """Waits until it listens, and returns its ports, as it says them."""
        # In a session of its own, so that Ctrl-C reaches this process alone, which stops all in order.
        self.process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), _START_S)
        except asyncio.TimeoutError:
            raise _Failed(f"{self.name} does not listen after {_START_S:g} s.\n{self.log()}") from None
        if not line:
            code = await self.process.wait()
            raise _Failed(f"{self.name} did not start.\n{self.log()}", 2 if code == 2 else 1)
        ports: dict[str, int] = json.loads(line)
        return ports

    async def run(self) -> None:
        """Waits for its end, which comes too early."""
        code = await self.process.wait()
        raise _Failed(f"{self.name} ended with code {code}.\n{self.log()}")

    async def stop(self) -> None:
        if hasattr(self, "process") and self.process.returncode is None:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), _STOP_S)
            except asyncio.TimeoutError:
                self.process.kill()
                await self.process.wait()

    def log(self) -> str:
        self._log.seek(0)
        return "\n".join(self._log.read().decode(errors="replace").splitlines()[-15:])


def _find(name: str, folder: str | None) -> str:
    path = shutil.which(name, path=folder)
    if path is None:
        where = f"in {folder}" if folder else "on the PATH"
        raise _Failed(_MISSING.format(name=name, where=where), 2)
    return path


async def _until_healthy(name: str, address: str) -> None:
    peer = _wire.Peer(address, _wire.Access(), name, name)
    request = _wire.message("grpc.health.v1.HealthCheckRequest")
    try:
        for _ in range(int(_START_S / 0.1)):
            answer = await peer.ask("grpc.health.v1.Health/Check", request)
            if answer.status == 1:
                return
            await asyncio.sleep(0.1)
    finally:
        await peer.close()
    raise _Failed(f"{name} at {address} is not healthy after {_START_S:g} s")


async def _up(options: argparse.Namespace) -> int:
    names = ("anim_graph", "a2f_source", "renderer_sink")
    graph, source, sink = (_find(name, options.bin) for name in names)
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    services: list[_Service] = []

    async def start(name: str, *arguments: str) -> dict[str, int]:
        services.append(_Service(name, *arguments))
        return await services[-1].start()

    async def run() -> None:
        ports = await start("anim_graph", graph, "--listen", options.compositor)
        to = f"{_wire.host_of(options.compositor)}:{ports['grpc_port']}"
        stream = ("--stream-id", options.stream)
        voice = ("--voice", options.voice) if options.voice else ()
        if options.voice_server:
            voice = (*voice, "--voice-server", options.voice_server)
        listen = ("--listen", options.source, "--to", to)
        ports = await start("a2f_source", source, "serve", *listen, *stream, *voice)
        say_to = f"{_wire.host_of(options.source)}:{ports['grpc_port']}"
        page = ("--http", options.http, "--from", to, "--say-to", say_to)
        ports = await start("renderer_sink", sink, "view", *page, *stream)
        # After the last start: before Python 3.10, a fork while gRPC runs may kill the child.
        await _until_healthy("anim_graph", to)
        await _until_healthy("a2f_source", say_to)
        print(f"The avatar is at http://{_wire.host_of(options.http)}:{ports['http_port']}")
        arguments = f'"{say_to}", stream="{options.stream}", compositor="{to}"'
        print(f"For agents: posewire.Avatar({arguments}). Ctrl-C ends all.", flush=True)
        await asyncio.gather(*(service.run() for service in services))

    work = asyncio.ensure_future(run())
    stop = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
        if not stopped.is_set():
            await work
        return 0
    finally:
        work.cancel()
        stop.cancel()
        await asyncio.gather(work, stop, return_exceptions=True)
        for service in reversed(services):
            await service.stop()


async def _lines() -> AsyncIterator[str]:
    """Standard input, without a thread that Ctrl-C would have to wait for."""
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    try:
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    except ValueError:  # a file, which does not wait
        for line in sys.stdin:
            yield line
        return
    while line_bytes := await reader.readline():
        yield line_bytes.decode()


async def _say(options: argparse.Namespace) -> int:
    text: str | AsyncIterator[str] = _lines() if options.text == "-" else options.text
    token = None if options.token_file is None else Path(options.token_file)
    settings: dict[str, Any] = dict(token=token, ca=options.ca, speed=options.speed)
    for name in ("stream", "target", "voice", "language"):
        settings[name] = getattr(options, name)
    async with Avatar(options.to, **settings) as avatar:
        said = await avatar.speak(text)
    if said.reason is Reason.COMPLETED:
        return 0
    print(f'posewire: {said.reason} after "{said.text}". {said.detail}'.strip(), file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("posewire", description="Avatars that speak what you write.")
    parser.add_argument("--version", action="version", version=f"posewire {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    up = commands.add_parser("up", help="starts an avatar, and a page that shows it")
    up.set_defaults(run=_up)
    folder = os.environ.get("POSEWIRE_BIN_DIR")
    up.add_argument(
        "--bin", default=folder, metavar="DIR", help="of the programs (or $POSEWIRE_BIN_DIR)"
    )
    up.add_argument("--stream", default="demo", metavar="ID", help="the stream (demo)")
    up.add_argument("--voice", default="", metavar="NAME", help="slt, rms, awb, or one of the server's")
    up.add_argument("--voice-server", default="", metavar="URL", help="one with OpenAI's API")
    for name, address in (("http", "8080"), ("source", "51002"), ("compositor", "51000")):
        address = f"127.0.0.1:{address}"
        what = f"of the {'page' if name == 'http' else name} ({address}); port 0: a free one"
        up.add_argument(f"--{name}", default=address, metavar="HOST:PORT", help=what)

    say = commands.add_parser("say", help="says a text, and waits to its end")
    say.set_defaults(run=_say)
    say.add_argument("text", help="the text; -: standard input, spoken as it arrives")
    to = "127.0.0.1:51002"
    say.add_argument("--to", default=to, metavar="HOST:PORT", help=f"the a2f_source ({to})")
    for name in ("stream", "target", "voice", "language"):
        say.add_argument(f"--{name}", default="", help="the source's own unless given")
    say.add_argument("--speed", type=float, help="0.5 to 2")
    say.add_argument("--token-file", metavar="FILE", help="a file that holds the token")
    say.add_argument("--ca", metavar="FILE", help="calls by TLS: the authority's PEM file, or system")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command. Exit code: 0, also after Ctrl-C of `up`; 1: failed; 2: wrong settings; 130:
    `say` was stopped by Ctrl-C."""
    options = _parser().parse_args(arguments)
    try:
        code: int = asyncio.run(options.run(options))
        return code
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except _Failed as failure:
        print(failure, file=sys.stderr)
        return failure.code
    except (Error, OSError) as error:
        print(f"posewire: {error}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"posewire: {error}", file=sys.stderr)
        return 2
