"""A voice server with a made-up voice, in this process."""

import http.client
import json
import socket
import threading

import voice_tree  # noqa: F401 (finds the package)
from kokoro_voice.http.server import Limits, Server
from kokoro_voice.synthesis.piece import Piece
from kokoro_voice.synthesis.router import Router
from kokoro_voice.synthesis.scheduler import Scheduler
from kokoro_voice.voices import ESPEAK, KOKORO, RATE_HZ, VoiceList

STYLES = ["af_heart", "af_alloy", "am_onyx", "bf_emma", "ff_siwis", "jf_alpha", "zf_xiaobei"]
TIMEOUT_S = 20


class Stopped(Exception):
    pass


class FakeStop:
    def __init__(self):
        self.event = threading.Event()
        self.cancelled = False

    def cancel(self):
        self.cancelled = True
        self.event.set()


class FakeSpeaker:
    """Each word is 0.1 s of sound, one phoneme and one mark. Clauses with the word "wait" last
    until release() or a cancel; those with "break" fail."""

    def __init__(self):
        self.changed = threading.Condition()
        self.spoken = []  # (voice, clause), when done
        self.started = []  # clauses
        self.stopped = []  # clauses that were cancelled
        self._released = threading.Event()

    def new_stop(self):
        return FakeStop()

    def release(self):
        self._released.set()

    def _note(self, where, what):
        with self.changed:
            where.append(what)
            self.changed.notify_all()

    def await_(self, condition):
        with self.changed:
            if not self.changed.wait_for(condition, TIMEOUT_S):
                raise AssertionError(
                    f"started {self.started}, spoken {self.spoken}, " f"stopped {self.stopped}"
                )

    def speak(self, request, clause, stop):
        self._note(self.started, clause)
        if "break" in clause:
            raise RuntimeError("broken as the test wants it")
        if "wait" in clause:
            while not self._released.is_set() and not stop.event.wait(0.005):
                pass
            if stop.cancelled:
                self._note(self.stopped, clause)
                raise Stopped()
        words = clause.split()
        marks = [
            {"text": word, "start": n * 0.1, "end": n * 0.1 + 0.1} for n, word in enumerate(words)
        ]
        phonemes = [
            {"ph": "a", "start": mark["start"], "end": mark["end"], "index": n}
            for n, mark in enumerate(marks)
        ]
        pcm = bytes(range(256)) * (len(words) * RATE_HZ // 10 * 2 // 256 + 1)
        self._note(self.spoken, (request.voice, clause))
        yield Piece(clause, pcm[: len(words) * RATE_HZ // 10 * 2], marks, phonemes)


class FakeServer:
    """Runs until close(). `speaker` is the FakeSpeaker. With `styles` empty there is no Kokoro;
    `espeak` is (EspeakVoices, EspeakSpeaker)."""

    def __init__(self, key=None, queue=8, threads=1, styles=STYLES, espeak=None, **limits):
        self.speaker = FakeSpeaker()
        schedulers = {KOKORO: Scheduler(self.speaker, threads, queue)} if styles else {}
        voices = VoiceList(styles)
        if espeak:
            voices = VoiceList(styles, espeak[0])
            schedulers[ESPEAK] = Scheduler(espeak[1], 1, queue)
        self.scheduler = Router(schedulers)
        self.server = Server(("127.0.0.1", 0), self.scheduler, voices, key, Limits(**limits))
        self.port = self.server.server_port
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self):
        self.speaker.release()
        self.server.shutdown()
        self._thread.join(TIMEOUT_S)
        self.server.socket.close()
        self.scheduler.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)


def speech(connection, headers=(), **body):
    """Sends a request for speech; the response's body is not read yet."""
    connection.request(
        "POST",
        "/v1/audio/speech",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **dict(headers)},
    )
    return connection.getresponse()


def events(data):
    """The events of a text/event-stream."""
    return [json.loads(block[len("data: ") :]) for block in data.decode().split("\n\n") if block]
