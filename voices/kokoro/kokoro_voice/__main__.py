"""python -m kokoro_voice: the server's flags, start and end."""

import argparse
import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path

from . import __version__
from .espeak.start import start_espeak
from .http.server import Limits, Server
from .synthesis.router import Router
from .synthesis.scheduler import Scheduler
from .voices import ESPEAK, KOKORO, VoiceList

DRAIN_S = 10.0


def parse_flags(arguments):
    parser = argparse.ArgumentParser(
        prog="kokoro",
        description="An OpenAI-compatible voice server around Kokoro-82M and espeak-ng. When it is ready, it "
        "prints one line of JSON with its port. SIGTERM: finishes what it says, for up to 10 s.",
    )
    parser.add_argument("--version", action="version", version=f"kokoro {__version__}")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=18880, help="0: any free port (%(default)s)")
    parser.add_argument(
        "--styles", type=Path, help="folder of the voices' styles (next to the environment)"
    )
    parser.add_argument(
        "--key-file", type=Path, help="file with the key that clients must send; without it, none"
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        choices=(1, 2),
        help="clauses that are synthesised at once (%(default)s)",
    )
    parser.add_argument(
        "--clause-threads",
        type=int,
        default=0,
        help="processor threads per clause (0: up to 2, as there are processors)",
    )
    parser.add_argument(
        "--queue", type=int, default=8, help="requests at once; the next get 429 (%(default)s)"
    )
    parser.add_argument(
        "--max-characters", type=int, default=4096, help="of one request (%(default)s)"
    )
    parser.add_argument("--max-connections", type=int, default=64, help="%(default)s")
    parser.add_argument(
        "--espeak",
        default="auto",
        help="espeak-ng's program; `package`: PyPI's library in a process of its own; "
        "`auto`: the program if there is one, else the package (%(default)s)",
    )
    parser.add_argument(
        "--espeak-only",
        action="store_true",
        help="without Kokoro: needs only numpy and espeak-ng's library",
    )
    parser.add_argument(
        "--log-level", default="info", choices=("debug", "info", "warning", "error")
    )
    flags = parser.parse_args(arguments)
    if not 0 <= flags.port <= 65535:
        parser.error(f"--port is {flags.port}; valid: 0 to 65535")
    for name in ("queue", "max_characters", "max_connections"):
        if getattr(flags, name) < 1:
            parser.error(f"--{name.replace('_', '-')} is {getattr(flags, name)}; valid: 1 or more")
    if flags.clause_threads < 0:
        parser.error(f"--clause-threads is {flags.clause_threads}; valid: 0 or more")
    return flags


def read_key(path):
    key = path.read_bytes().strip()
    if not key or not key.isascii() or any(byte <= 32 for byte in key):
        raise ValueError(f"--key-file {path} holds no key; valid: one line of ASCII without spaces")
    return key


def main(arguments=None):
    flags = parse_flags(arguments)
    logging.basicConfig(
        level=flags.log_level.upper(),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    try:
        key = read_key(flags.key_file) if flags.key_file else None
        schedulers, owned, names = {}, [], ()
        others, speaker, process = start_espeak(flags.espeak, flags.espeak_only)
        if speaker:
            owned.append(process)
            schedulers[ESPEAK] = Scheduler(speaker, 1, flags.queue)
        if not flags.espeak_only:
            # Imported here so that --help is quick and --espeak-only needs no model.
            from .real import make_speaker

            speaker, phonemizer, names = make_speaker(flags)
            owned.append(phonemizer)
            schedulers[KOKORO] = Scheduler(speaker, flags.threads, flags.queue)
        voices, scheduler = VoiceList(names, others), Router(schedulers)
        limits = Limits(
            connections=flags.max_connections,
            characters=flags.max_characters,
            body_bytes=max(65536, flags.max_characters * 8),
        )
        server = Server((flags.host, flags.port), scheduler, voices, key, limits)
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        sys.exit(f"kokoro: {error}")
    return serve(server, scheduler, owned, len(voices))


def serve(server, scheduler, owned, count):
    """Until SIGTERM or SIGINT. Closes what is `owned`."""

    def stop(*_):
        threading.Thread(target=server.shutdown, daemon=True).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(
        json.dumps({"http_port": server.server_port, "voices": count, "pid": os.getpid()}),
        flush=True,
    )
    server.serve_forever(poll_interval=0.1)
    server.socket.close()
    server.drain(DRAIN_S)
    scheduler.close()
    for part in owned:
        part.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
