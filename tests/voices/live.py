"""Kokoro in real time, as it arrives at a pull of anim_graph: gaps between clauses, interruption.

    POSEWIRE_BIN_DIR=build/release/bin /usr/bin/python3 -B tests/voices/live.py
        [--voice af_heart] [--rounds 10] [--clause-threads 2]

Gaps: a minute of text through `a2f_source serve`, anim_graph and a pull. The same text written to
a file, where nothing has to be in time, has the pauses that the text asks for; what the pull has
beyond them is a gap. Interruption: a text with `policy: interrupt` arrives while the first clause
of another text is heard and its next one, of five seconds, is being synthesised. Prints one JSON
object; fails when there is a gap of over 50 ms, or silence comes later than 100 ms after the call.
Judges milliseconds, so nothing else should run.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid

import numpy as np

import installed
import voice_tree
from posewire_test import BIN, Client, Server, until
from source_test import STREAM, Pulled, Source

# Loud enough to be heard: -44 dB, with the voice's loudest at about -6 dB.
HEARD = 200
WINDOW_S, LEAST_PAUSE_S = 0.01, 0.1
MOST_GAP_S, MOST_SILENCE_MS = 0.05, 100

MINUTE = (voice_tree.DATA / "minute.txt").read_text(encoding="utf-8")
FIRST = "Good morning to all of you."
FIVE_SECONDS = (
    "There was a shop near the entrance that sold tea and cakes and postcards with pictures of "
    "boats."
)
NEXT = "Stop, please."


def silences(sound, rate_hz):
    """[(start_s, length_s)] of what is not heard, between the first and the last sound."""
    step = round(WINDOW_S * rate_hz)
    count = len(sound) // step
    heard = np.flatnonzero(np.abs(sound[: count * step]).reshape(count, step).max(1) > HEARD)
    gaps = np.diff(heard) - 1
    return [
        (round(float(heard[k] + 1) * WINDOW_S, 2), round(float(gaps[k]) * WINDOW_S, 2))
        for k in np.flatnonzero(gaps * WINDOW_S >= LEAST_PAUSE_S)
    ]


def span_s(sound, rate_hz):
    heard = np.flatnonzero(np.abs(sound) > HEARD)
    return (heard[-1] - heard[0]) / rate_hz if len(heard) else 0.0


def written(text, kokoro, voice):
    """Sound and rate of a text that is written to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "said.jsonl")
        subprocess.run(
            [os.path.join(BIN, "a2f_source"), "say", text, "--voice-server", kokoro.url]
            + ["--voice", voice, "--out", path, "--log-level", "warning"],
            check=True,
        )
        with open(path, encoding="utf-8") as lines:
            messages = [json.loads(line) for line in lines]
    header = next(m for m in messages if "animationDataStreamHeader" in m)
    rate_hz = header["animationDataStreamHeader"]["audioHeader"]["samplesPerSecond"]
    parts = [m.get("animationData", {}).get("audio", {}).get("audioBuffer", "") for m in messages]
    pcm = b"".join(base64.b64decode(part) for part in parts)
    return np.frombuffer(pcm, "<i2").astype(int), rate_hz


class Live:
    """anim_graph, a2f_source and a pull, with Kokoro's voice."""

    def __init__(self, kokoro, voice):
        self.graph = Server("anim_graph")
        self.source = Server(
            *("a2f_source", "serve", "--to", self.graph.address, "--stream-id", STREAM),
            *("--voice-server", kokoro.url, "--voice", voice),
        )
        self.client, self.talker = Client(self.graph.address), Source(self.source.address)
        self.pull = Pulled(self.client.pull(STREAM, timeout=1200)).wait_started()
        head = next(m for m in self.pull.messages if m.HasField("animation_data_stream_header"))
        self.rate_hz = head.animation_data_stream_header.audio_header.samples_per_second

    def say(self, text, **fields):
        return self.talker.say(text, request_id=str(uuid.uuid4()), timeout=60, **fields)

    def arrivals(self, since=0):
        """[(time, whether it is heard)] of all messages since that one."""
        out = []
        for message, at in zip(self.pull.messages[since:], self.pull.times[since:]):
            sound = np.frombuffer(message.animation_data.audio.audio_buffer, "<i2").astype(int)
            out.append((at, len(sound) > 0 and bool(np.abs(sound).max() > HEARD)))
        return out

    def heard(self, since):
        return any(heard for _, heard in self.arrivals(since))

    def done(self):
        return not self.talker.call("ListTexts").texts

    def close(self):
        self.pull.call.cancel()
        for each in (self.client, self.talker):
            each.close()
        return self.source.stop(), self.graph.stop()


def gaps(live, kokoro, voice):
    began = time.monotonic()
    expected, rate_hz = written(MINUTE, kokoro, voice)
    written_s = time.monotonic() - began
    since, called = len(live.pull.messages), time.monotonic()
    live.say(MINUTE)
    if not until(live.done, 180):
        sys.exit("the text does not end")
    time.sleep(1)
    data = live.pull.messages[since:]
    sound = b"".join(m.animation_data.audio.audio_buffer for m in data)
    sound = np.frombuffer(sound, "<i2").astype(int)
    asked, found = silences(expected, rate_hz), silences(sound, live.rate_hz)
    expected_s, found_s = span_s(expected, rate_hz), span_s(sound, live.rate_hz)
    arrivals = live.arrivals(since)
    first = next(at for at, heard in arrivals if heard)
    heard_at = [at for at, heard in arrivals if heard]
    between = [b[0] - a[0] for a, b in zip(arrivals, arrivals[1:])]
    return {
        "first_sound_s": round(first - called, 2),
        # Without a reader that is in time: how busy the machine is.
        "synthesis_per_speech": round(written_s / expected_s, 2),
        "speech_s": [round(each, 2) for each in (expected_s, found_s)],
        "heard_for_s": round(heard_at[-1] - heard_at[0], 2),
        "pauses": [len(asked), len(found)],
        "longest_pauses_s": [sorted((length for _, length in each), reverse=True)[:5]
                             for each in (asked, found)],
        # Where a pause is longer than the text asks for: [when it begins in the text, by how much].
        "gaps": [[when, round(length - wanted, 2)]
                 for (when, wanted), (_, length) in zip(asked, found)
                 if length - wanted > MOST_GAP_S] if len(asked) == len(found) else None,
        "longest_between_messages_s": round(max(between), 3),
        "excess_s": round(found_s - expected_s, 3),
        "late_notes": live.source.log_text().count("voice: late"),
    }


def interruption(live, kokoro, round_number):
    """Milliseconds from the call to silence, and to the first sound of the next text."""
    since = len(live.pull.messages)
    live.say(f"{FIRST} {FIVE_SECONDS}")
    if not until(lambda: live.heard(since), 30):
        sys.exit("nothing is heard")
    time.sleep(0.05 + 0.07 * round_number)  # another place in the clause each time
    in_synthesis = kokoro.unfinished()
    since, called = len(live.pull.messages), time.monotonic()
    live.say(NEXT, policy="interrupt")
    until(live.done, 60)
    time.sleep(0.5)
    heard = [at for at, sounds in live.arrivals(since) if sounds]
    # The next text takes its own synthesis: it comes after the first longer break.
    last = called
    for at in heard:
        if at - last > 0.25:
            break
        last = at
    after = [at for at in heard if at > last]
    return {
        "in_synthesis": in_synthesis,
        "silence_ms": round(1000 * (last - called)),
        "next_sound_ms": round(1000 * (after[0] - called)) if after else None,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--voice", default="af_heart")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--clause-threads", default="2")
    options = parser.parse_args()
    kokoro = installed.Kokoro("--clause-threads", options.clause_threads)
    live = None
    try:
        live = Live(kokoro, options.voice)
        live.say(FIRST)  # the first text warms everything up
        until(live.done, 60)
        report = {"gaps": gaps(live, kokoro, options.voice)}
        rounds = [interruption(live, kokoro, k) for k in range(options.rounds)]
        report["interruption"] = rounds
        worst = max(r["silence_ms"] for r in rounds)
        report["worst_silence_ms"] = worst
    finally:
        if live:
            live.close()
        kokoro.close()
    print(json.dumps(report, indent=1))
    return 0 if report["gaps"]["excess_s"] <= MOST_GAP_S and worst <= MOST_SILENCE_MS else 1


if __name__ == "__main__":
    sys.exit(main())
