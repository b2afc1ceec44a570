"""What sparse frames save: bytes of the pose a second, and the server's CPU for a frame.

Bytes: one avatar that idles, speaks and gestures, pulled both ways at once; the voice is reported
apart. CPU: loadgen pulls idle and playing avatars, densely and sparsely in turn, each time from a
fresh server; medians of the rounds.

    POSEWIRE_BIN_DIR=build/release/bin python3 tests/bench/sparse.py [--seconds 10] [--rounds 5]
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
from posewire_test import BIN, PULL, Client, Collector, Server  # noqa: E402
from servers import run_load  # noqa: E402

WAYS = {"dense": (), "sparse": (("x-posewire-sparse", "1"),),
        "quantised": (("x-posewire-sparse", "quantised"),)}
TEXT = ("This is a sentence that is spoken while the bytes are counted, and after it comes another "
        "one, which says as little as the first. ")


def pull(client, stream, metadata):
    """Messages as they are on the wire; protobuf would leave out their zeros."""
    ids = client.type("nvidia_ace.animation_id.v1.AnimationIds")(stream_id=stream)
    return Collector(client.channel.unary_stream(PULL)(
        ids.SerializeToString(), metadata=metadata)).wait_started()


def count(client, messages, seconds):
    """KB a second of all but the voice, and of the voice."""
    of = client.stream_message.FromString
    parsed = [(len(m), of(m).animation_data) for m in messages if of(m).HasField("animation_data")]
    parsed = parsed[:int(30 * seconds)]
    voice = sum(len(data.audio.audio_buffer) for _, data in parsed)
    rest = sum(size for size, _ in parsed) - voice
    return rest * 30 / len(parsed) / 1000, voice * 30 / len(parsed) / 1000


def bytes_of(client, address, what, seconds):
    stream = what
    client.stream_message  # learned before the first pull
    pulls = {way: pull(client, stream, metadata) for way, metadata in WAYS.items()}
    speaker = None
    if what == "speaking":
        speaker = subprocess.Popen(
            [f"{BIN}/a2f_source", "say", "--to", address, "--stream-id", stream,
             TEXT * (1 + int(seconds / 6))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        of = client.stream_message.FromString
        assert pulls["sparse"].wait_for(
            lambda c: any(of(c.messages[-1]).animation_data.audio.audio_buffer))
    before = {way: len(each.messages) for way, each in pulls.items()}
    for second in range(int(seconds) + 1):
        if what == "gesturing" and second % 2 == 0:
            client.control("SetVariable", stream_id=stream, name="gesture_state", value="none")
            client.control("SetVariable", stream_id=stream, name="gesture_state", value="wave")
        pulls["sparse"].wait_for_more(30)
    found = {way: count(client, each.messages[before[way]:], seconds)
             for way, each in pulls.items()}
    for each in pulls.values():
        each.call.cancel()
    if speaker:
        speaker.kill()
        speaker.wait()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--avatars", type=int, default=250)
    options = parser.parse_args()
    server = Server("anim_graph")
    client = Client(server.address)
    print(f"{'KB/s':12}{'dense':>10}{'sparse':>10}{'quantised':>10}{'voice':>10}")
    for what in "idle", "speaking", "gesturing":
        found = bytes_of(client, server.address, what, options.seconds)
        print(f"{what:12}" + "".join(f"{found[way][0]:10.1f}" for way in WAYS)
              + f"{found['sparse'][1]:10.1f}", flush=True)
    client.close()
    server.stop()

    took = {}
    for _ in range(options.rounds):
        for kind, pushes in ("idle", 0), ("playing", options.avatars):
            for way in WAYS:
                run = run_load(pathlib.Path(BIN), "default", pushes, options.avatars, 4,
                               sparse=dict(WAYS[way]).get("x-posewire-sparse", "0"))
                took.setdefault((kind, way), []).append(run["server_cpu_us_per_frame"])
    for kind in ("idle", "playing") if took else ():
        medians = {way: statistics.median(took[kind, way]) for way in WAYS}
        print(f"{kind}, us a frame: " + ", ".join(
            f"{way} {us:.1f} ({us / medians['dense']:.2f})" for way, us in medians.items()))


if __name__ == "__main__":
    main()
