"""A cluster under one fault after the other, for a long time. Avatars must flow again after each, and no
stream may have had two owners at one time.

    POSEWIRE_BIN_DIR=DIR chaos.py [--seconds S] [--seed N] [--mode pause|continue]

The same seed gives the same faults. Faults of links need network namespaces; without them there are
the others. With `continue`, two owners are allowed while a node cannot reach Redis, and not later.
"""

import argparse
import random
import sys
import time

import network
from cases import MOST_AHEAD_S
from cluster import Cluster
from crowd import Crowd, summary
from network import cut_between
from posewire_test import until

RECOVERY_S, STREAMS = 30, 6


class Chaos:
    def __init__(self, seed, mode):
        self.random = random.Random(seed)
        self.cluster = Cluster(mode)
        self.redis, self.nodes = self.cluster.redis, self.cluster.nodes
        self.crowd = Crowd(self.cluster, "s", STREAMS)
        self.owners_may_be_two = []  # [(from, to)] in absolute time
        self.longest_s = 0.0

    def faults(self):
        """{name: what it does to a node, another node and for so many seconds}"""
        def redis_away(node, other, for_s):
            self.redis.kill()
            self.wait(for_s)
            self.redis.start()

        def redis_stopped(node, other, for_s):
            self.redis.stop()
            self.wait(for_s)

        def redis_slow(node, other, for_s):
            for _ in range(int(for_s) + 1):
                self.redis.stop()
                self.wait(self.random.uniform(0.2, 1.2))
                self.redis.go_on()
                self.wait(self.random.uniform(0.05, 0.5))

        def flushed(node, other, for_s):
            self.redis.ask("FLUSHALL")

        def killed(node, other, for_s):
            node.kill()
            self.wait(for_s)

        def stopped(node, other, for_s):
            node.pause()
            self.wait(for_s)

        def drained(node, other, for_s):
            code = node.drain()
            assert code == 0, f"{node.name} ended with {code}: {node.server.log_text()[-1500:]}"

        def two_killed(node, other, for_s):
            node.kill()
            other.kill()
            self.wait(for_s)

        found = {f.__name__: f for f in (redis_away, redis_stopped, redis_slow, flushed, killed, stopped,
                                         drained, two_killed)}
        if network.PRIVATE:
            found |= {f"cut_{name}": cut for name, cut in self.cuts().items()}
        return found

    def cuts(self):
        redis, door = self.redis.machine, self.cluster.door.machine

        def cut(act):
            def run(node, other, for_s):
                act(node.machine, other.machine)
                self.wait(for_s)
            return run
        return {
            "node_and_redis": cut(lambda node, other: cut_between(node, [redis])),
            "node_to_redis": cut(lambda node, other: node.cut_to(redis)),
            "redis_to_node": cut(lambda node, other: redis.cut_to(node)),
            "nodes": cut(lambda node, other: cut_between(node, [other])),
            "node_to_node": cut(lambda node, other: node.cut_to(other)),
            "node_and_door": cut(lambda node, other: cut_between(node, [door])),
            "door_to_node": cut(lambda node, other: door.cut_to(node)),
            "node_and_all": cut(lambda node, other: cut_between(node, [other, redis, door])),
        }

    def wait(self, seconds):
        time.sleep(seconds)  # how long a fault lasts

    def round(self):
        faults = self.faults()
        names = sorted(faults)
        # Sometimes a second one, before the first is undone.
        picked = [self.random.choice(names) for _ in range(self.random.choice([1, 1, 1, 2]))]
        began = time.time()
        told = []
        for name in picked:
            node, other = self.random.sample(self.nodes, 2)
            for_s = self.random.uniform(0.3, 6)
            told.append(f"{name} {node.name} {other.name} {for_s:.1f} s")
            if node.runs() and other.runs():
                faults[name](node, other, for_s)
        told = ", ".join(told)
        self.cluster.heal()
        for node in self.nodes:
            if not node.runs():
                node.start()
        took = self.crowd.await_flow(told, RECOVERY_S)
        assert until(self.one_owner, RECOVERY_S), f"{told}: not one owner of each stream"
        self.owners_may_be_two.append((began, time.time()))
        gap = max(s.longest_gap_until(time.monotonic()) for s in self.crowd.sinks)
        self.crowd.forget_gaps()
        self.longest_s = max(self.longest_s, gap)
        print(f"{told}: flows {took:.2f} s later, longest gap {gap:.2f} s", flush=True)
        self.check()

    def one_owner(self):
        now = time.monotonic()
        owners = [w.record.stream for w in self.crowd.watches if w.last > now - 0.5]
        return sorted(owners) == sorted(self.crowd.streams)

    def check(self):
        faults = self.crowd.faults()
        for overlap in self.crowd.overlaps():
            if self.cluster.mode == "pause" or not self.allowed(overlap):
                faults.append(f"two owners: {overlap}")
        faults += [f"{r.stream} is {r.most_ahead_s:.2f} s ahead" for r in self.crowd.records
                   if r.most_ahead_s > MOST_AHEAD_S]
        assert not faults, "; ".join(faults)

    def allowed(self, overlap):
        begin, end = overlap.later.first, overlap.later.first + overlap.seconds()
        return any(a <= begin and end <= b for a, b in self.owners_may_be_two)

    def end(self):
        self.crowd.end()
        self.check()
        voices = [] if self.crowd.overlaps() else self.crowd.voices()
        assert not any(v.garbage for v in voices), "samples of no voice"
        owners = sum(len(r.in_order()) for r in self.crowd.records)
        print(f"{owners} owners of {STREAMS} streams, {len(self.crowd.overlaps())} overlaps, longest gap "
              f"{self.longest_s:.2f} s, {summary(voices)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--mode", choices=["pause", "continue"], default="pause")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.mode}, links {'can' if network.PRIVATE else 'cannot'} be cut",
          flush=True)
    chaos = Chaos(options.seed, options.mode)
    try:
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            chaos.round()
        chaos.end()
        print("passed", flush=True)
        return 0
    except AssertionError as e:
        print(f"FAULT: {e}; seed {options.seed}\nfailed", flush=True)
        return 1
    finally:
        chaos.crowd.end()
        chaos.cluster.close()


if __name__ == "__main__":
    network.enter()
    sys.exit(main())
