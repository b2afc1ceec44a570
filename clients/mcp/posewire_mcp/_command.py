"""The command `posewire-mcp`: its settings, and the server over stdio."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import posewire

from . import __version__
from ._library import Library
from ._server import make_server
from ._stage import Stage

_ENVIRONMENT = "POSEWIRE_MCP_"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "posewire-mcp",
        description="Serves tools for a language model over stdio: it lists, composes, checks and plays "
        "motion on the avatars of a running anim_graph and a2f_source.",
        epilog=f"Each flag is also an environment variable: {_ENVIRONMENT}COMPOSITOR and so on.",
    )
    parser.add_argument("--version", action="version", version=f"posewire-mcp {__version__}")

    def add(flag: str, metavar: str, text: str, default: str | None = None) -> None:
        variable = _ENVIRONMENT + flag.upper().replace("-", "_")
        # A variable that is set to nothing counts as not set.
        value = os.environ.get(variable) or default
        parser.add_argument(f"--{flag}", metavar=metavar, help=text, default=value)

    add("compositor", "HOST:PORT", "the anim_graph (127.0.0.1:51000)", "127.0.0.1:51000")
    add("source", "HOST:PORT", "the a2f_source that speaks (127.0.0.1:51002)", "127.0.0.1:51002")
    add("stream", "ID", "the stream of calls that name none (demo)", "demo")
    add("target", "ID", "the avatar of calls that name none: its target object id", "")
    add("token-file", "FILE", "a file that holds the token")
    add("ca", "FILE", "calls by TLS: the authority's PEM file, or system")
    add("cert", "FILE", "the client's certificate, PEM")
    add("key", "FILE", "the key of --cert, PEM")
    add("descriptions", "FILE", 'JSON that describes your own clips: {"my_clip": "What it shows."}')
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command until standard input ends. Exit code: 0; 2 for wrong settings."""
    options = _parser().parse_args(arguments)
    token = None if options.token_file is None else Path(options.token_file)
    access = dict(token=token, ca=options.ca, cert=options.cert, key=options.key)
    try:
        stage = Stage(
            control=posewire.Calls("ControlService", options.compositor, **access),
            source=posewire.Calls("SourceService", options.source, **access),
            stream=options.stream,
            target=options.target,
        )
        library = Library.load(options.descriptions)
    except (OSError, ValueError) as error:
        print(f"posewire-mcp: {error}", file=sys.stderr)
        return 2
    try:
        make_server(stage, library).run("stdio")
    except KeyboardInterrupt:
        pass
    return 0
