"""Many performers at once: the CPU of their a2f_source, of anim_graph and of the sender; and how long
a value takes from its datagram to a pulled frame, by VMC and by Live Link.

    ./bench performers [--performers 50] [--seconds 30] [--latency-s 30]

Each performer is a process of `a2f_source vmc`, with 60 frames a second of a whole body and 52
expressions from performer_datagrams.py. loadgen pulls every avatar at 30 frames a second. CPU is of
/proc, over the seconds in which nothing starts or ends.

For the latency, a shape rises and falls in straight lines of four seconds. A pulled frame shows a
value that was sent at one moment: the difference is measured for each frame, away from the corners,
first alone and then next to the performers. It depends on when in a frame each program begins, so
there are six sources, which start at any moment, and 59 datagrams a second, which go through every
moment of a frame.
"""

import argparse
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "service"))
sys.dont_write_bytecode = True
from livelink_test import face, timed  # noqa: E402
from posewire_test import BIN, Client, Collector, Server, until  # noqa: E402
from servers import cpu_s  # noqa: E402
from vmc_performance import bundle, message  # noqa: E402
from vmc_test import LOOPBACK, Program, names  # noqa: E402

RAMP_S = 4
CORNER_S = 0.3
LATENCY_HZ = 59
LATENCY_SOURCES = 6


def memory_mb(pids):
    """Resident and not shared with others, of each on average."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            total += sum(int(line.split()[1]) for line in f if line.startswith("Private_"))
    return total / 1024 / len(pids)


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


# Latency.
def ramp(t):
    """From 0.1 to 0.9 and back."""
    up = t / RAMP_S % 2
    return 0.1 + 0.8 * (up if up < 1 else 2 - up)


def moment(value, near):
    """When the ramp had the value, on the straight line around `near`; None close to a corner."""
    line = int(near / RAMP_S)
    part = (value - 0.1) / 0.8
    t = (line + (part if line % 2 == 0 else 1 - part)) * RAMP_S
    inside = line * RAMP_S + CORNER_S <= min(t, near) and max(t, near) <= (line + 1) * RAMP_S - CORNER_S
    return t if inside else None


def vmc_datagram(t):
    return bundle([message("/VMC/Ext/T", 10.0 + t), message("/VMC/Ext/OK", 1),
                   message("/VMC/Ext/Blend/Val", "TongueOut", ramp(t)),
                   message("/VMC/Ext/Blend/Apply")]).dgram


def livelink_datagram(t):
    return timed(face({"TongueOut": ramp(t)}), 43200 + t)


class Latency(threading.Thread):
    """One performer, whose frames are pulled while a `with` lasts; `found` has seconds."""

    WAYS = {"vmc": (vmc_datagram, ("--performer", "0")), "livelink": (livelink_datagram, ())}

    def __init__(self, graph, client, way, number):
        super().__init__(daemon=True)
        self.datagram, more = self.WAYS[way]
        self.client, self.stream = client, f"latency-{way}-{number}"
        self.source = Program("a2f_source", "--port", "0", "--to", graph.address, "--stream-id",
                              self.stream, *more, command=way)
        self.port = self.source.ports[f"{way}_port"]
        self.over = threading.Event()

    def __enter__(self):
        self.pull = Collector(self.client.pull(self.stream, timeout=3600)).wait_started()
        self.begin = time.monotonic()
        self.start()
        return self

    def run(self):
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        k = 0
        while not self.over.is_set():
            time.sleep(max(0, self.begin + k / LATENCY_HZ - time.monotonic()))  # until it is due
            # The value of this moment: a sender that is late does not count.
            out.sendto(self.datagram(time.monotonic() - self.begin), (LOOPBACK, self.port))
            k += 1
        out.close()

    def __exit__(self, *_):
        self.over.set()
        self.join(5)
        self.pull.call.cancel()
        self.source.stop()
        tongue = names(self.pull)[1].index("tongueOut")
        self.found = []
        for at, m in zip(self.pull.times, self.pull.messages):
            if not m.HasField("animation_data") or at - self.begin < 2:
                continue
            shown = m.animation_data.skel_animation.blend_shape_weights
            sent = shown and moment(shown[0].values[tongue], at - self.begin)
            if sent:
                self.found.append(at - self.begin - sent)


def measure_latency(graph, client, seconds, when):
    for way in Latency.WAYS:
        with contextlib.ExitStack() as stack:
            sources = [stack.enter_context(Latency(graph, client, way, n))
                       for n in range(LATENCY_SOURCES)]
            time.sleep(seconds)
        ms = [1000 * s for source in sources for s in source.found]
        print(f"| {way}, {when} | {percentile(ms, 0.5):.0f} ms | {percentile(ms, 0.99):.0f} ms "
              f"| {max(ms):.0f} ms | {len(ms)} |", flush=True)


# Load.
@contextlib.contextmanager
def child(command, **options):
    """A process that is over at the end of the block."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def loadgen(graph, count, warm_up_s, seconds):
    """Pulls the streams load-PID-0 and so on, which idle until someone pushes to them."""
    return child([f"{BIN}/loadgen", "--to", graph.address, "--pushes", "0", "--pulls", str(count),
                  "--warm-up-s", str(warm_up_s), "--seconds", str(seconds)])


def sender(sources, seconds):
    return child([sys.executable, "-B", str(HERE / "performer_datagrams.py"), str(seconds),
                  *(str(s.ports["vmc_port"]) for s in sources)], stdin=subprocess.PIPE)


def measure_load(graph, client, count, seconds, latency_s):
    # loadgen counts while we do, and somewhat longer.
    settle_s = 5 + count / 5
    with contextlib.ExitStack() as stack:
        pulls = stack.enter_context(loadgen(graph, count, 2 * settle_s, seconds))
        sources = []
        for n in range(count):
            sources.append(Program("a2f_source", "--port", "0", "--performer", "0", "--to",
                                   graph.address, "--stream-id", f"load-{pulls.pid}-{n}"))
            stack.callback(sources[-1].stop)
        sends = stack.enter_context(sender(sources, 2 * settle_s + seconds + 5))
        shape = json.loads(sends.stdout.readline())
        sends.stdin.write("go\n")
        sends.stdin.flush()
        playing = lambda: sum(len(a.requests) > 0 for s in client.control("ListStreams").streams
                              for a in s.avatars)
        if not until(lambda: playing() >= count, 2 * settle_s):
            print(f"only {playing()} of {count} performers play", flush=True)
        pids = [s.process.pid for s in sources]
        watched = {"a2f_source": pids, "anim_graph": [graph.process.pid], "sender": [sends.pid],
                   "loadgen": [pulls.pid]}
        before = {name: cpu_s(of) for name, of in watched.items()}
        start = time.monotonic()
        time.sleep(seconds)
        wall_s = time.monotonic() - start
        cpu = {name: (cpu_s(of) - before[name]) / wall_s for name, of in watched.items()}
        memory = memory_mb(pids)
        if latency_s > 0:
            measure_latency(graph, client, min(latency_s, settle_s), f"next to {count} performers")
        pulled = json.loads(pulls.communicate(timeout=4 * settle_s + seconds)[0])
        sent = json.loads(sends.communicate(timeout=4 * settle_s + seconds)[0])
        for s in sources:
            s.stop()
    read, requests = (sum(s.count(name) for s in sources) for name in ("datagrams", "requests"))
    print(f"\n{count} performers, {shape['datagrams_a_frame']:.1f} datagrams and "
          f"{shape['bytes_a_frame']:.0f} bytes a frame, 60 frames a second; {wall_s:.0f} s\n")
    print("| process | CPU, % of a core | for each performer |\n| --- | --- | --- |")
    for name, used in cpu.items():
        print(f"| {name} | {100 * used:.1f} | {100 * used / count:.2f} |")
    print(f"\na2f_source: {memory:.1f} MiB each; {sent['datagrams'] - read} of "
          f"{sent['datagrams']} datagrams lost, {requests} requests; the sender was "
          f"{1000 * sent['late_s']:.0f} ms late at most\n"
          f"pulls: {pulled['frames']} of {pulled['expected_frames']} frames, late p50 "
          f"{pulled['lateness_p50_ms']:.1f} ms, p99 {pulled['lateness_p99_ms']:.1f} ms, "
          f"{pulled['frames_without_pose']} without a pose", flush=True)


def measure(graph, client, options):
    print("| from a datagram to a pulled frame | median | p99 | most | frames |\n"
          "| --- | --- | --- | --- | --- |", flush=True)
    if options.latency_s > 0:
        measure_latency(graph, client, options.latency_s, "alone")
    if options.performers > 0:
        measure_load(graph, client, options.performers, options.seconds, options.latency_s)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--performers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--latency-s", type=float, default=30)
    options = parser.parse_args()
    graph = Server("anim_graph", "--graph", "default")
    client = Client(graph.address)
    try:
        measure(graph, client, options)
    finally:
        client.close()
        graph.stop()


if __name__ == "__main__":
    main()
