"""What TLS, the front door and other nodes cost: CPU of the servers for the same pulls, as ratios of
one run.

A dozen idle avatars are pulled by processes of `renderer_sink print`, in plain text, by TLS, by TLS
with tokens, by TLS with certificates of clients, through docker/edge's nginx, and from nodes that share a
directory, in turn and over and over; the least of each way counts. The CPU is of anim_graph, and for
the door of nginx as well.

    POSEWIRE_BIN_DIR=build/release/bin python3 tests/bench/tls.py [--seconds 5] [--rounds 3]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
from certificates import Ca  # noqa: E402
from door import Door  # noqa: E402
from posewire_test import BIN, Client, Collector, Server, until  # noqa: E402
from redis_server import Redis  # noqa: E402
from servers import cpu_s  # noqa: E402

STREAMS = 12


def measure(address, tls, pids, seconds):
    sinks = [subprocess.Popen(
        [f"{BIN}/renderer_sink", "print", "--summary", "--from", address, "--stream-id", f"s{n}",
         *tls], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for n in range(STREAMS)]
    try:
        time.sleep(2)  # until all flow
        before = cpu_s(pids())
        time.sleep(seconds)
        return cpu_s(pids()) - before
    finally:
        for sink in sinks:
            sink.terminate()
        for sink in sinks:
            sink.wait()


def register_all(node):
    """Makes the node the owner of all streams; waits while Redis is too young for that. Streams that
    are registered at once tick together, which takes less CPU."""
    client = Client(node.address)

    def registered():
        try:
            for n in range(STREAMS):
                client.control("RegisterStream", stream_id=f"s{n}")
        except grpc.RpcError:
            return False
        return True
    assert until(registered)
    client.close()


def later_ms(owner, other, frames=300):
    """How much later the frames of a stream come from the other node; the median."""
    clients = Client(owner.address), Client(other.address)
    pulls = [Collector(client.pull("s0")) for client in clients]
    for pull in pulls:
        assert pull.wait_for(lambda p: len(p.times) > frames)
    times = [{m.animation_data.skel_animation.rotations[0].time_code: t
              for m, t in zip(pull.messages, pull.times) if m.HasField("animation_data")}
             for pull in pulls]
    for pull, client in zip(pulls, clients):
        pull.call.cancel()
        client.close()
    return 1e3 * statistics.median(times[1][code] - times[0][code]
                                   for code in times[0].keys() & times[1].keys())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        ca, clients = Ca(home, "servers"), Ca(home, "clients")
        cert, key = ca.issue("server")
        own = clients.issue("client")
        trust = ("--server-ca", str(ca.cert))
        known = (*trust, "--client-cert", own[0], "--client-key", own[1])
        served = ("--tls-cert", cert, "--tls-key", key)
        plain, tls = Server("anim_graph", "--http", "127.0.0.1:0"), Server("anim_graph", *served)
        word = os.path.join(home, "token")
        with open(word, "w") as token, open(os.path.join(home, "tokens"), "w") as tokens:
            token.write("0123456789abcdef0123456789abcdef\n")
            tokens.write("wall pull * 0123456789abcdef0123456789abcdef\n")
        told = Server("anim_graph", *served, "--tokens", tokens.name)
        mutual = Server("anim_graph", *served, "--tls-client-ca", str(clients.cert))
        behind = Server("anim_graph", "--http", "127.0.0.1:0")
        door = Door([behind.port], [behind.http_port], (cert, key, str(clients.cert)))
        three = [Server("anim_graph", "--http", "127.0.0.1:0") for _ in range(3)]
        wide = Door([n.port for n in three], [n.http_port for n in three],
                    (cert, key, str(clients.cert)))
        redis = Redis()
        shared = ("--directory", f"redis://127.0.0.1:{redis.port}")
        alone = Server("anim_graph")
        owner, other = Server("anim_graph", *shared), Server("anim_graph", *shared)
        for node in (alone, owner):
            register_all(node)
        ways = {"plain text": (plain.address, (), lambda: [plain.process.pid]),
                "TLS": (tls.address, trust, lambda: [tls.process.pid]),
                "TLS and tokens": (told.address, (*trust, "--token-file", word),
                                   lambda: [told.process.pid]),
                "TLS, clients with certificates": (mutual.address, known,
                                                   lambda: [mutual.process.pid]),
                "anim_graph behind the door": (door.address, known, lambda: [behind.process.pid]),
                "with the door's own": (door.address, known,
                                        lambda: [behind.process.pid, *door.processes()]),
                "three behind the door, with its own":
                    (wide.address, known,
                     lambda: [*(n.process.pid for n in three), *wide.processes()]),
                "registered streams": (alone.address, (), lambda: [alone.process.pid]),
                "registered streams, with a directory": (owner.address, (),
                                                         lambda: [owner.process.pid]),
                "the same, relayed by another node":
                    (other.address, (), lambda: [owner.process.pid, other.process.pid])}
        least = {}
        for _ in range(options.rounds):
            for name, way in ways.items():
                took = measure(*way, options.seconds)
                least[name] = min(took, least.get(name, took))
        frames = STREAMS * 30 * options.seconds
        print("| way | CPU of servers a frame, us | beside plain text |\n| --- | --- | --- |")
        for name, took in least.items():
            print(f"| {name} | {1e6 * took / frames:.0f} | {took / least['plain text']:.2f} |")
        print(f"\na frame that is relayed comes {later_ms(owner, other):.2f} ms later (median)")
        for server in (plain, tls, told, mutual, behind, door, *three, wide, alone, owner, other):
            server.stop()
        redis.kill()


if __name__ == "__main__":
    main()
