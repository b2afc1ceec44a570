"""espeak-ng, always as a process of its own: Debian's program, or else the library of PyPI's
espeakng-loader in a child (espeak_child.py)."""

import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

VOICES = {
    "en-US": "en-us",
    "en-GB": "en-gb",
    "es": "es",
    "fr": "fr",
    "hi": "hi",
    "it": "it",
    "pt-BR": "pt-br",
}
TIMEOUT_S = 5.0
# Signs that espeak-ng would take for its own, and line ends.
OWN_SIGNS = re.compile(r"\[\[|\]\]|[\r\n\0]+")


class EspeakFailed(RuntimeError):
    """espeak-ng is missing, ended or did not answer."""


def clean(ipa):
    """Without marks of language switches, joining hyphens and zero-width signs."""
    ipa = re.sub(r"\([a-z^]+(?:-[a-z^]+)*\)", "", ipa)
    return re.sub(r"\s+", " ", re.sub("[-_\u200b\u200c\u200d]", "", ipa)).strip()


class Program:
    """The espeak-ng program, started once per call: 5 to 20 ms. Thread-safe."""

    def __init__(self, path):
        self._path = path

    def ipa(self, texts, voice):
        """The IPA of each text, tied by "^"."""
        lines = [OWN_SIGNS.sub(" ", text) for text in texts]
        out = self._run("\n".join(lines), voice)
        if len(out) == len(lines):
            return out
        # A text with a sentence end in its middle makes two lines.
        return [" ".join(self._run(line, voice)) for line in lines]

    def _run(self, text, voice):
        try:
            done = subprocess.run(
                [self._path, "-q", "--ipa", "--tie=^", "-v", voice, "-b", "1", "--stdin"],
                input=text + "\n",
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EspeakFailed(f"{self._path}: {error}") from error
        if done.returncode:
            raise EspeakFailed(
                f"{self._path} -v {voice} ended with {done.returncode}: {done.stderr.strip()}"
            )
        return [line.strip() for line in done.stdout.strip("\n").split("\n")]

    def close(self):
        """Nothing runs between calls."""


class Child:
    """espeak-ng's library in a child process that is started at the first call and again after a
    failure. Thread-safe: calls wait for each other."""

    def __init__(self, library, data):
        self._command = [
            sys.executable,
            "-B",
            str(Path(__file__).with_name("espeak_child.py")),
            str(library),
            str(data),
        ]
        self._process = None
        self._lock = threading.Lock()

    def ipa(self, texts, voice):
        with self._lock:
            try:
                return self._ask_all(texts, voice)
            except EspeakFailed:
                # It may have ended long ago. A new process gets one try.
                return self._ask_all(texts, voice)

    def _ask_all(self, texts, voice):
        try:
            return [self._ask(OWN_SIGNS.sub(" ", text), voice) for text in texts]
        except EspeakFailed:
            self._stop()
            raise
        except (OSError, ValueError) as error:
            self._stop()
            raise EspeakFailed(f"espeak-ng's process failed: {error}") from error

    def _ask(self, text, voice):
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        self._process.stdin.write(json.dumps({"voice": voice, "text": text}).encode() + b"\n")
        self._process.stdin.flush()
        line, end = b"", time.monotonic() + TIMEOUT_S
        while not line.endswith(b"\n"):
            if not select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))[
                0
            ]:
                raise EspeakFailed(f"espeak-ng did not answer within {TIMEOUT_S:g} s")
            some = os.read(self._process.stdout.fileno(), 65536)
            if not some:
                raise EspeakFailed("espeak-ng's process ended")
            line += some
        answer = json.loads(line)
        if "error" in answer:
            raise EspeakFailed(answer["error"])
        return answer["ipa"]

    def _stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            with contextlib.suppress(OSError):  # what it never read
                self._process.stdin.close()
            self._process.stdout.close()
            self._process = None

    def close(self):
        with self._lock:
            self._stop()


def find_espeak(choice="auto", package=None):
    """`choice` is auto, package, or a program. `package` is the folder of espeakng_loader, if
    installed."""
    program = None
    if choice != "package":
        program = shutil.which("espeak-ng" if choice == "auto" else choice)
    if program:
        return Program(program)
    if choice not in ("auto", "package"):
        raise EspeakFailed(
            f"--espeak {choice} is no program; valid: auto, package, or a path of espeak-ng"
        )
    if package is None:
        raise EspeakFailed(
            "there is neither an espeak-ng program nor PyPI's espeakng-loader; "
            "run voices/kokoro/install"
        )
    return Child(Path(package) / "libespeak-ng.so", Path(package) / "espeak-ng-data")
