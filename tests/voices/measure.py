"""Measures an installed Kokoro: first sound, gaps, processor time, memory, cancelling.

    build/voices/kokoro/venv/bin/python -B tests/voices/measure.py [--rounds 7] [--clause-threads 2]

Starts a server of its own and prints one JSON object, and to standard error what is done so far.
Runs in the server's environment, because the bare model is timed in this process, in turns with the
server, so that a busy machine slows both.
"""

import argparse
import base64
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

import voice_tree
from kokoro_voice.g2p.espeak import find_espeak
from kokoro_voice.g2p.phonemizer import Phonemizer
from kokoro_voice.synthesis import clauses
from kokoro_voice.synthesis.engine import Engine, Stop
from kokoro_voice.synthesis.model import package_dir
from kokoro_voice.voices import RATE_HZ

CLAUSES = {3: "See you tomorrow.", 12: "The bus to the old town leaves at ten past every hour."}
PARAGRAPH = " ".join((voice_tree.DATA / "paragraph.txt").read_text().split()) + " "
PACE_OF_A_CORE = 0.65
LONG_CLAUSE = (
    "There was a shop near the entrance that sold tea and cakes and postcards with pictures"
)


class Process:
    """A server of its own; closed by close()."""

    def __init__(self, *flags):
        self.home = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [str(voice_tree.KOKORO / "kokoro"), "--port", "0", "--log-level", "warning", *flags],
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "POSEWIRE_KOKORO": str(voice_tree.INSTALLED),
                "HOME": self.home.name,
            },
        )
        began = time.monotonic()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server ended with {self.process.wait()}")
        self.start_s = time.monotonic() - began
        self.port = json.loads(line)["http_port"]
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def close(self):
        self.connection.close()
        self.process.terminate()
        began = time.monotonic()
        self.process.wait(20)
        self.process.stdout.close()
        self.home.cleanup()
        return time.monotonic() - began

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self, name="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024

    def say(self, connection=None, **body):
        connection = connection or self.connection
        connection.request(
            "POST",
            "/v1/audio/speech",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        response = connection.getresponse()
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {response.read()[:300]}")
        return response

    def health(self, connection):
        connection.request("GET", "/health")
        return json.loads(connection.getresponse().read())


def first_sound(server, engine, phonemizer, text, rounds):
    """Seconds to the first sample of the server's response, and of a bare run, in turns."""
    symbols = "".join(sounds for sounds, _ in phonemizer.parts(text, "en-US"))
    symbols = [symbol for symbol in symbols if symbol in engine.vocabulary]
    ours, bare, ratios = [], [], []
    for _ in range(rounds):
        began = time.monotonic()
        samples, _ = engine.run(symbols, "af_heart", 1.0, Stop())
        bare.append(time.monotonic() - began)
        began = time.monotonic()
        response = server.say(input=text, response_format="pcm")
        response.read(2)
        ours.append(time.monotonic() - began)
        response.read()
        ratios.append(ours[-1] / bare[-1])
    return {
        "server_s": round(min(ours), 3),
        "bare_s": round(min(bare), 3),
        "ratio": round(sorted(ratios)[len(ratios) // 2], 3),
        "ratio_of_least": round(min(ours) / min(bare), 3),
        "speech_s": round(len(samples) / RATE_HZ, 3),
    }


def gaps(arrivals, scale=1.0):
    """Of real-time playback from the first sample on. `arrivals` are (time, seconds of sound before
    it)."""
    start, late_s, longest_s, least_ahead_s = arrivals[0][0], 0.0, 0.0, float("inf")
    for at, before_s in arrivals[1:]:
        late = (at - start) * scale - late_s - before_s
        least_ahead_s = min(least_ahead_s, -late)
        if late > 0.02:
            late_s += late
            longest_s = max(longest_s, late)
    return {
        "gaps_s": round(late_s, 3),
        "longest_gap_s": round(longest_s, 3),
        "least_ahead_s": round(least_ahead_s, 3),
    }


def playback(server, text):
    """Gaps of real-time playback, and processor time. `at_pace` is the same playback by the server's
    processor time, scaled to PACE_OF_A_CORE seconds per second of speech: what a core does without
    others at work. With others at work, the clock only shows how busy they are."""
    cpu, began = server.cpu_s(), time.monotonic()
    response = server.say(input=text, response_format="pcm")
    count, by_clock, by_cpu = 0, [], []
    while True:
        data = response.read1(65536)
        if not data:
            break
        by_clock.append((time.monotonic() - began, count / 2 / RATE_HZ))
        by_cpu.append((server.cpu_s() - cpu, count / 2 / RATE_HZ))
        count += len(data)
    seconds = count / 2 / RATE_HZ
    cost = (server.cpu_s() - cpu) / seconds
    return {
        "speech_s": round(seconds, 2),
        "wall_s": round(time.monotonic() - began, 2),
        "first_sound_s": round(by_clock[0][0], 3),
        **gaps(by_clock),
        "at_pace": gaps(by_cpu, PACE_OF_A_CORE / cost),
        "cpu_per_speech": round(cost, 3),
        "clauses": len(clauses.split(text)),
    }


def marks(server, text, **body):
    """Checks the marks of a response; returns what was found."""
    found = {"speech_s": 0.0, "phonemes": 0, "words": 0, "faults": [], "covered_s": 0.0}
    sound, end = 0, 0.0
    response = server.say(input=text, response_format="pcm", stream_format="sse", **body)
    for block in response.read().decode().split("\n\n"):
        event = json.loads(block[len("data: ") :]) if block else {"type": ""}
        if event["type"] == "speech.audio.delta":
            sound += len(base64.b64decode(event["audio"])) // 2
        if event["type"] != "speech.audio.marks":
            continue
        if abs(event["start"] - end) > 1e-6 or abs(sound / RATE_HZ - event["start"]) > 1e-4:
            found["faults"].append(f"clause at {event['start']}, sound until {sound / RATE_HZ}")
        end = event["end"]
        at = event["start"]
        for mark in event["phonemes"]:
            if not at - 2e-4 <= mark["start"] < mark["end"] <= end + 2e-4:
                found["faults"].append(f"{mark} after {at} in a clause until {end}")
            at = mark["end"]
            found["covered_s"] += mark["end"] - mark["start"]
        found["phonemes"] += len(event["phonemes"])
        found["words"] += len(event["words"])
    if abs(sound / RATE_HZ - end) > 1e-4:
        found["faults"].append(f"marks until {end}, sound until {sound / RATE_HZ}")
    found["speech_s"] = round(sound / RATE_HZ, 3)
    found["covered_s"] = round(found["covered_s"], 3)
    return found


def cancel_ms(server, rounds):
    """From closing a connection in the middle of a clause to an idle server, worst and median."""
    watch = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    out = []
    for number in range(rounds):
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        client.request(
            "POST",
            "/v1/audio/speech",
            json.dumps({"input": LONG_CLAUSE}).encode(),
            {"Content-Type": "application/json"},
        )
        while not server.health(watch)["unfinished"]:
            pass
        time.sleep(0.05 + 0.1 * number)  # to be at another place of the model each time
        client.close()
        began = time.monotonic()
        while server.health(watch)["unfinished"]:
            pass
        out.append((time.monotonic() - began) * 1000)
    watch.close()
    # The thread is free too: what comes next is as quick as ever.
    began = time.monotonic()
    server.say(input=CLAUSES[3], response_format="pcm").read()
    return {
        "worst": round(max(out), 1),
        "median": round(sorted(out)[len(out) // 2], 1),
        "next_s": round(time.monotonic() - began, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--clause-threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--minutes", type=int, default=1, help="of playback")
    parser.add_argument("--parts", default="first,cancel,playback,marks")
    flags = parser.parse_args()
    parts = flags.parts.split(",")
    threads = flags.clause_threads
    server = Process("--clause-threads", str(threads))
    try:
        out = {}

        def note(name, value):
            out[name] = value
            print(f"{name}: {json.dumps(value)}", file=sys.stderr, flush=True)

        note("threads", threads)
        note("start_s", round(server.start_s, 2))
        note("memory_at_start_mb", round(server.memory_mb()))
        engine = Engine(voice_tree.INSTALLED / "styles", threads)
        phonemizer = Phonemizer(
            package_dir("misaki") / "data", find_espeak("package", package_dir("espeakng_loader"))
        )
        for words, text in CLAUSES.items() if "first" in parts else ():
            first_sound(server, engine, phonemizer, text, 1)
            found = first_sound(server, engine, phonemizer, text, flags.rounds)
            note(f"first_sound_{words}_words", found)
        if "cancel" in parts:
            note("cancel_ms", cancel_ms(server, flags.rounds))
        if "playback" in parts:
            note("playback", playback(server, (PARAGRAPH * flags.minutes)[:4096]))
        if "marks" in parts:
            note(
                "marks",
                {
                    "en-US": marks(server, PARAGRAPH[:400]),
                    "fast": marks(server, CLAUSES[12], speed=2.0),
                    "slow": marks(server, CLAUSES[12], speed=0.5),
                    "long number": marks(server, "1" * 60, voice="am_michael"),
                },
            )
        note("files_in_home", os.listdir(server.home.name))
        note("memory_mb", round(server.memory_mb()))
        note("memory_peak_mb", round(server.memory_mb("VmHWM")))
        phonemizer.close()
    finally:
        stop_s = server.close()
    out["stop_s"] = round(stop_s, 2)
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    sys.exit(main())
