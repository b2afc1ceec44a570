"""The process in which espeak-ng speaks, as seen from the server."""

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

from ..g2p.espeak import EspeakFailed

TIMEOUT_S = 10.0  # for one answer; a sentence takes some 10 ms
MOST_HEAD_BYTES = 8 << 20
SYSTEM_LIBRARY = "libespeak-ng.so.1"


class Stopped(Exception):
    """The sentence was stopped by Stop.cancel()."""


class Stop:
    """Ends a sentence from another thread, by killing the process that speaks it. One per
    request."""

    def __init__(self):
        self.cancelled = False
        self._lock = threading.Lock()
        self._process = None

    def cancel(self):
        with self._lock:
            self.cancelled = True
            if self._process is not None:
                self._process.kill()

    @contextlib.contextmanager
    def killing(self, process):
        """Meanwhile, cancel() kills the process. Raises Stopped if it was called before."""
        with self._lock:
            if self.cancelled:
                raise Stopped()
            self._process = process
        try:
            yield
        finally:
            with self._lock:
                self._process = None


class SpeechProcess:
    """Starts the process at the first call, and again after it ended. Thread-safe: calls wait for
    each other."""

    def __init__(self, command):
        self._command = [str(part) for part in command]
        self._process = None
        self._lock = threading.Lock()

    def voices(self):
        """[{"id", "tags", "sex"}]; see speech_child.py."""
        with self._lock:
            return self._try_twice({"list": True}, Stop())[0]["voices"]

    def speak(self, voice, text, words_per_minute, stop):
        """(rate in Hz, samples as bytes, events); see speech_child.py. Raises Stopped,
        EspeakFailed."""
        request = {"voice": voice, "text": text, "words_per_minute": words_per_minute}
        with self._lock:
            answer, sound = self._try_twice(request, stop)
        return answer["rate_hz"], sound, answer["events"]

    def close(self):
        with self._lock:
            self._end()

    def _try_twice(self, request, stop):
        """The process may have ended long ago, so a new one gets one try."""
        try:
            return self._ask(request, stop)
        except EspeakFailed:
            return self._ask(request, stop)

    def _ask(self, request, stop):
        try:
            if self._process is None:
                self._process = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            with stop.killing(self._process):
                answer, sound = self._exchange(request)
        except Stopped:
            raise  # before anything was asked
        except (OSError, ValueError, KeyError, EspeakFailed) as error:
            self._end()
            if stop.cancelled:
                raise Stopped() from error
            raise EspeakFailed(f"espeak-ng's process failed: {error}") from error
        if "error" in answer:
            raise EspeakFailed(answer["error"])
        if stop.cancelled and self._process.poll() is not None:
            self._end()
        return answer, sound

    def _exchange(self, request):
        end = time.monotonic() + TIMEOUT_S
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        head = bytearray()
        while b"\n" not in head:
            if len(head) > MOST_HEAD_BYTES:
                raise EspeakFailed(f"an answer has over {MOST_HEAD_BYTES} bytes without a line end")
            head += self._read(end)
        line, _, sound = bytes(head).partition(b"\n")
        answer = json.loads(line)
        sound = bytearray(sound)
        while len(sound) < answer.get("samples", 0) * 2:
            sound += self._read(end)
        return answer, bytes(sound)

    def _read(self, end):
        output = self._process.stdout
        if not select.select([output], [], [], max(0.0, end - time.monotonic()))[0]:
            raise EspeakFailed(f"no answer within {TIMEOUT_S:g} s")
        some = os.read(output.fileno(), 1 << 18)
        if not some:
            raise EspeakFailed("it ended")
        return some

    def _end(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            with contextlib.suppress(OSError):  # what it never read
                self._process.stdin.close()
            self._process.stdout.close()
            self._process = None


def speech_command(package):
    """`package` is the folder of espeakng_loader, or None for the system's library."""
    files = (
        [Path(package) / "libespeak-ng.so", Path(package) / "espeak-ng-data"]
        if package
        else [SYSTEM_LIBRARY]
    )
    return [sys.executable, "-B", Path(__file__).with_name("speech_child.py"), *files]
