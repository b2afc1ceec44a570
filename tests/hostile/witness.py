"""The stream beside an attack, in a process of its own: is it on time, and is every sample there?

    witness.py graph ADDRESS    pushes a voice to an anim_graph, and pulls it
    witness.py source ADDRESS   pulls what an a2f_source plays from a clip of `write_clip`
    witness.py sink ADDRESS     pushes to a `renderer_sink print`, whose lines it reads from stdin

CA, CERTIFICATE and KEY behind that are PEM files for TLS.

Prints "ready" when all flows. At SIGUSR1 it prints how late frames came since then, or since the last
such line, as a line of JSON. At SIGTERM it prints that again, lets the voice end, and adds what became
of the samples. The samples of the voice are numbered and never 0, so that silence may stand between
them and a lost or doubled one shows. A frame is late against the smallest distance of arrival and
code; a tick that was left out is as late as the frame that came in its stead. Beside it a thread
sleeps from tick to tick: how late it wakes is what the machine itself costs at the moment.
"""

import array
import base64
import json
import os
import re
import signal
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
os.environ.setdefault("POSEWIRE_BIN_DIR", "")
from posewire_test import PUSH, Client, Collector, header, keys  # noqa: E402

FPS, RATE, PERIOD = 30, 16000, 32003
LEAD_S = 1.0  # for which the voice is pushed ahead


def numbered(first, last):
    return struct.pack(f"<{last - first}h", *(1 + n % PERIOD for n in range(first, last)))


def voice_of(frame):
    return numbered(frame * RATE // FPS, (frame + 1) * RATE // FPS)


def breaks(samples, whole=False):
    """Where a spoken sample is not the successor of the one before, silence aside. `whole`: the
    first one must be the voice's first."""
    spoken = array.array("h", samples)
    spoken = array.array("h", [s for s in spoken if s])
    wrong = sum(b != a % PERIOD + 1 for a, b in zip(spoken, spoken[1:]))
    return wrong + (whole and (not spoken or spoken[0] != 1)), len(spoken)


def write_clip(path, seconds):
    """A clip that says a numbered voice."""
    lines = [{"animationDataStreamHeader": {
        "animationIds": {"streamId": "witness", "requestId": "r"}, "sourceServiceId": "test",
        "audioHeader": {"channelCount": 1, "samplesPerSecond": RATE, "bitsPerSample": 16},
        "skelAnimationHeader": {"blendShapes": ["jawOpen"]}}}]
    for k in range(seconds * FPS):
        weights = {"timeCode": k / FPS, "values": [0.5 + 0.5 * (k % 2)]}
        lines.append({"animationData": {
            "skelAnimation": {"blendShapeWeights": [weights]},
            "audio": {"timeCode": (k * RATE // FPS) / RATE,
                      "audioBuffer": base64.b64encode(voice_of(k)).decode()}}})
    with open(path, "w") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


class Metronome(threading.Thread):
    """How late this machine wakes who sleeps until the next tick."""

    def __init__(self):
        super().__init__(daemon=True)
        self.late = []
        self.start()

    def run(self):
        due = time.monotonic()
        while True:
            due += 1 / FPS
            time.sleep(max(0, due - time.monotonic()))
            self.late.append(time.monotonic() - due)
            due = max(due, time.monotonic() - 1 / FPS)


class Voice:
    """What is pushed, LEAD_S ahead of playback, until it is told to end."""

    def __init__(self, client, lead_s=LEAD_S):
        self.client = client
        self.lead_s = lead_s
        self.ended = threading.Event()
        self.frames = 0
        self.sent = []  # when each frame was

    def messages(self):
        yield header(self.client, "witness", "witness")
        began = time.monotonic()
        def due_in():
            return max(0, began + self.frames / FPS - self.lead_s - time.monotonic())
        while not self.ended.wait(due_in()):
            message = keys(self.client, self.frames, self.frames + 1)
            message.animation_data.audio.audio_buffer = voice_of(self.frames)
            self.sent.append(time.monotonic())
            self.frames += 1
            yield message


def late_by_tick(arrivals):
    """Seconds for each tick; `arrivals` are (time, code)."""
    if not arrivals:
        return []
    base = min(t - c for t, c in arrivals)
    first = round(arrivals[0][1] * FPS)
    late, k = [], first
    for at, code in arrivals:
        while k <= round(code * FPS):
            late.append(at - k / FPS - base)
            k += 1
    return late


def keys_of(data):
    """None in a frame that came so late that it goes without its pose."""
    return data.skel_animation.rotations or data.skel_animation.blend_shape_weights


class Pulled:
    """Of an anim_graph that is pushed to, or of an a2f_source."""

    def __init__(self, address, pushes, tls=None):
        self.client = Client(address, tls)
        request = "witness" if pushes else ""
        self.pull = Collector(self.client.pull("witness", request, timeout=None))
        self.voice = Voice(self.client) if pushes else None
        if pushes:
            self.push = self.client.method(PUSH).future(self.voice.messages())

    def wait_ready(self):
        return self.pull.wait_for(lambda p: len(p.times) > 2 * FPS, 60)

    def late(self):
        """Seconds for each tick so far."""
        frames = [(at, keys_of(m.animation_data)[0].time_code)
                  for at, m in zip(list(self.pull.times), self.pull.messages)
                  if keys_of(m.animation_data)]
        # The window of a request goes on while it blends out.
        return late_by_tick(frames[FPS:])

    def end(self):
        """Breaks of the voice, its seconds, and what went wrong."""
        fault = ""
        if self.voice:
            self.voice.ended.set()
            self.push.result(30)
            self.pull.join(30)
            if self.pull.is_alive():
                fault = "the pull does not end"
        if self.pull.error:
            fault = str(self.pull.error)
        wrong, spoken = breaks(self.pull.audio(), whole=True)
        if self.voice and spoken != self.voice.frames * RATE // FPS:
            wrong += 1
        return wrong, spoken / RATE, fault


class Read:
    """Of a renderer_sink that is pushed to: how long each frame takes to its line."""

    def __init__(self, address):
        self.client = Client(address)
        self.voice = Voice(self.client, 0)
        self.lines = []  # (time, code, samples)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.push = self.client.method(PUSH).future(self.voice.messages())

    def read(self):
        for line in sys.stdin:
            if found := re.match(r"([\d.]+) s: .*audio (\d+) samples", line):
                self.lines.append((time.monotonic(), float(found[1]), int(found[2])))

    def wait_ready(self):
        end = time.monotonic() + 60
        while len(self.lines) < 2 * FPS and time.monotonic() < end:
            time.sleep(0.02)
        return len(self.lines) >= 2 * FPS

    def late(self):
        """Seconds for each frame so far."""
        return [t - self.voice.sent[round(c * FPS)] for t, c, _ in self.lines[FPS:]]

    def end(self):
        """Breaks of the voice, its seconds, and what went wrong."""
        self.voice.ended.set()
        self.push.result(30)
        end = time.monotonic() + 20
        while len(self.lines) < self.voice.frames and time.monotonic() < end:
            time.sleep(0.02)
        wrong = sum(round(c * FPS) != k for k, (_, c, _) in enumerate(self.lines))
        samples = sum(n for _, _, n in self.lines)
        wrong += samples != self.voice.frames * RATE // FPS
        return wrong, samples / RATE, ""


class Window:
    """What is seen from one report to the next."""

    def __init__(self, witness, metronome):
        self.witness, self.metronome = witness, metronome
        self.told, self.machine_told = len(witness.late()), len(metronome.late)
        self.began = self.machine_told

    def report(self, least_s, least_in_all_s=0):
        """An attack may be over at once, and what it left behind shows later. So a window has at least so
        many seconds, all of them together have `least_in_all_s`, and half a second follows the call."""
        ticks = max(self.machine_told + least_s * FPS, self.began + least_in_all_s * FPS,
                    len(self.metronome.late) + FPS // 2)
        while len(self.metronome.late) < ticks:
            time.sleep(1 / FPS)
        late = self.witness.late()[self.told:]
        machine = self.metronome.late[self.machine_told:]
        self.told += len(late)
        self.machine_told += len(machine)
        return {"frames": len(late), "late_p99_ms": 1000 * percentile(late, 0.99),
                "late_max_ms": 1000 * max(late, default=0),
                "machine_p99_ms": 1000 * percentile(machine, 0.99),
                "machine_max_ms": 1000 * max(machine)}


def main():
    kind, address, *tls = sys.argv[1:]
    signals = {signal.SIGUSR1, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # of all threads, for sigwait
    metronome = Metronome()
    witness = Read(address) if kind == "sink" else Pulled(address, kind == "graph", tls)
    if not witness.wait_ready():
        sys.exit("the witness's stream does not flow")
    window = Window(witness, metronome)
    print("ready", flush=True)
    while signal.sigwait(signals) == signal.SIGUSR1:
        print(json.dumps(window.report(1)), flush=True)
    saw = window.report(0, 3)
    wrong, seconds, fault = witness.end()
    print(json.dumps(saw | {"breaks": wrong, "voice_s": seconds, "fault": fault}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
