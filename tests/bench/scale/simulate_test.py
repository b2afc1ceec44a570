"""The simulation of many nodes: the ring is Envoy's, and small clusters keep the rules of leases."""
import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import cluster as model  # noqa: E402
import redis_load  # noqa: E402
import simulate  # noqa: E402
import storm  # noqa: E402
from cluster import TERM_S, Cluster, Load, Shape  # noqa: E402
from ring import Door, Ring, xxh64  # noqa: E402

HASHES = [xxh64(b"s%d" % i) for i in range(5000)]


def cluster(seed=1, streams=1500, **shape):
    return Cluster(Shape(**{"nodes": 8, "ring_size": 4096} | shape),
                   Load(streams, stream_s=120), seed)


def owners(of):
    return {stream: stream.owner for stream in of.streams}


class RingTest(unittest.TestCase):
    def test_the_hash_is_xxh64(self):
        for text, value in ((b"", 0xEF46DB3751D8E999), (b"a", 0xD24EC4F1A98C6E5B),
                            (b"abc", 0x44BC2CF5AD770999),
                            (b"Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1)):
            self.assertEqual(xxh64(text), value)

    def test_a_node_that_leaves_moves_only_its_own_streams(self):
        before, after = Ring(range(10), 1000), Ring([n for n in range(10) if n != 3], 900)
        self.assertEqual(before.hashes_of_each, after.hashes_of_each)
        for h in HASHES:
            node = before.node(h)
            self.assertEqual(after.node(h) == node, node != 3)
            self.assertEqual(before.node(h, without={3}), after.node(h))

    def test_a_larger_ring_is_more_even(self):
        fullest = [max(Counter(map(Ring(range(50), size).node, HASHES)).values())
                   for size in (64, 1024, 65536)]
        self.assertEqual(fullest, sorted(fullest, reverse=True))
        self.assertLess(fullest[2], 1.5 * len(HASHES) / 50)

    def test_a_ring_without_a_node_with_room_has_none(self):
        self.assertIsNone(Ring([1, 2], 64).node(HASHES[0], without={1, 2}))

    def test_a_bounded_door_keeps_its_bound(self):
        ring, door, free = Ring(range(50), 64), Door(150), Door()
        for h in HASHES:
            for d in (door, free):
                d.begin(d.choose(ring, h))
        self.assertGreater(max(free.calls.values()), 2 * len(HASHES) / 50)
        self.assertLessEqual(max(door.calls.values()), 1.5 * len(HASHES) / 50 + 2)
        self.assertEqual(sum(door.calls.values()), len(HASHES))


class ClusterTest(unittest.TestCase):
    def test_every_stream_has_one_owner_while_nodes_come_and_go(self):
        c = cluster()
        c.check()
        c.steps(70)
        c.check()
        node = c.join()
        c.check()
        for event in (lambda: c.rebalance(node, 20), lambda: c.drain(2, 20), lambda: c.crash(3),
                      c.join, lambda: c.drain(node, 20, seconds=2), lambda: c.steps(200)):
            event()
            c.check()
        self.assertGreater(c.ended, 1500)

    def test_the_check_finds_streams_that_are_lost_or_owned_twice(self):
        for fault in (lambda c, s: c.owned[s.owner].pop(s), lambda c, s: c.streams.pop(),
                      lambda c, s: c.owned[(s.owner + 1) % 8].setdefault(s),
                      lambda c, s: setattr(s, "owner", (s.owner + 1) % 8),
                      lambda c, s: c.alive.discard(s.owner)):
            c = cluster(streams=100)
            fault(c, c.streams[0])
            with self.assertRaises(AssertionError):
                c.check()

    def test_a_node_that_joins_gets_new_streams_and_existing_ones_stay(self):
        c = cluster()
        before, relayed = owners(c), c.relayed_share()
        node = c.join()
        self.assertEqual(owners(c), before)
        joined = c.relayed_share()
        self.assertGreater(joined, relayed + 0.05)
        c.steps(30)
        self.assertGreater(len(c.owned[node]), 0)
        for stream, owner in before.items():
            if stream.index is not None:
                self.assertEqual(stream.owner, owner)
        moved, _ = c.rebalance(node, 1000)
        self.assertGreater(moved, 0.05 * len(c.streams))
        self.assertLess(c.relayed_share(), joined / 2)

    def test_a_drain_moves_only_the_streams_of_its_node_and_no_faster_than_allowed(self):
        c = cluster()
        before = owners(c)
        had = len(c.owned[4])
        moved, seconds = c.drain(4, per_s=3)
        self.assertGreater(moved, 0)
        self.assertLessEqual(moved, had)
        self.assertGreaterEqual(3 * seconds, 0.99 * moved)
        self.assertFalse(c.owned[4])
        for stream, owner in before.items():
            if stream.index is not None and owner != 4:
                self.assertEqual(stream.owner, owner)

    def test_streams_of_a_node_that_crashed_are_back_once_its_session_has_ended(self):
        c = cluster()
        had, others = len(c.owned[5]), {s: o for s, o in owners(c).items() if o != 5}
        back, refused = c.crash(5)
        self.assertEqual((len(back), refused), (had, 0))
        self.assertGreater(back[0], TERM_S - 0.5)
        self.assertLess(back[-1], TERM_S + 0.3)
        self.assertEqual({s: s.owner for s in others}, others)

    def test_a_door_admits_no_more_calls_than_its_limit_after_a_crash(self):
        c = Cluster(Shape(nodes=2, doors=1, max_avatars=10**6), Load(20_000, stream_s=10**9), 1)
        had = len(c.owned[1])
        back, refused = c.crash(1)
        self.assertEqual(len(back), had)
        self.assertGreater(refused, 0)
        self.assertGreater(back[-1], TERM_S + 1)

    def test_nodes_are_filled_evenly_and_never_over_their_limit(self):
        fullest, emptiest = cluster(streams=4000, ring_size=65536).balance()
        self.assertLess(fullest, 1.25)
        self.assertGreater(emptiest, 0.75)
        c = cluster(streams=1000, ring_size=8, balance_factor=0, max_avatars=140)
        self.assertEqual(max(map(len, c.owned.values())), 140)
        self.assertEqual(c.refused, 0)
        self.assertGreater(c.relayed_share(), 0.1)

    def test_what_finds_no_room_is_refused(self):
        c = cluster(streams=1000, max_avatars=100)
        self.assertEqual((len(c.streams), c.refused), (800, 200))

    def test_redis_is_asked_as_often_as_the_rules_say(self):
        c = cluster(streams=3000)
        c.steps(120)
        ops = c.ops_per_s(60)
        self.assertEqual(ops["renew"], 16)
        # Most streams end before a minute has passed, or two: they are written 1.54 times on average.
        for kind, expected in (("claim", 25), ("release", 25), ("rewrite", 38.5), ("state", 400)):
            self.assertAlmostEqual(ops[kind] / expected, 1, delta=0.15, msg=kind)
        self.assertEqual(ops["take over"], 0)


class StormTest(unittest.TestCase):
    def test_few_nodes_claim_their_streams_again_within_their_term(self):
        took, given_up = storm.reclaim(10, 600, 50_000)
        self.assertLess(took, TERM_S)
        self.assertEqual(given_up, 0)

    def test_large_batches_of_many_nodes_are_never_answered_in_time(self):
        self.assertIsNone(storm.reclaim(300, 600, 50_000, batch=256, limit_s=5)[0])
        took, given_up = storm.reclaim(300, 600, 50_000, batch=32)
        self.assertGreaterEqual(took, 300 * 600 / 50_000)
        self.assertEqual(given_up, 0)


class SourceTest(unittest.TestCase):
    def test_the_rules_are_those_of_the_programs(self):
        def number(path, pattern):
            text = (HERE.parents[2] / path).read_text()
            return float(re.search(pattern + r" ?[=:] ([\d'.]+)", text)[1].replace("'", ""))

        directory = "services/anim_graph/directory/"
        keeper, store = directory + "lease_keeper.h", directory + "lease_store.h"
        client, door = "libs/client/reconnector.h", "docker/edge/envoy/envoy.yaml"
        for ours, path, pattern, unit in (
                (model.REWRITE_S, keeper, "kRewriteEvery_ns", 1e-9),
                (1 / model.RENEWALS_PER_S, keeper, "kRenewEvery_ns", 1e-9),
                (model.TERM_S, store, "kTerm_ns", 1e-9),
                (storm.RENEW_S, keeper, "kRenewEvery_ns", 1e-9),
                (storm.RECLAIM_S, keeper, "kReclaim_ns", 1e-9),
                (storm.BATCH, keeper, "kMostClaims", 1),
                (storm.CLAIMED_S - model.TERM_S, store, "kOwnersFirst_ns", 1e-9),
                (storm.TIMEOUT_S, directory + "redis_lease_store.cc", "kTimeout_s", 1),
                (model.RETRY_S, client, "initial_delay_s", 1),
                (model.RETRY_MAX_S, client, "max_delay_s", 1),
                (model.RETRY_JITTER, client, "jitter", 1),
                (model.DOOR_BURST, door, "max_tokens", 1),
                (model.DOOR_CALLS_PER_S, door, "tokens_per_fill", 1),
                (Shape.ring_size, door, "minimum_ring_size", 1),
                (simulate.DOOR_CALLS, door, "max_requests", 1)):
            self.assertAlmostEqual(ours, number(path, pattern) * unit, msg=pattern)


class RedisLoadTest(unittest.TestCase):
    def test_it_sends_what_the_scripts_of_the_directory_understand(self):
        redis = redis_load.Redis()
        self.addCleanup(redis.stop)
        commands = redis_load.Commands(redis)
        first, again, renewed, released = redis.call(
            commands.take("a"), commands.take("b", commands.session, in_term=True),
            commands.renew(commands.session), commands.release("b", 2))
        self.assertTrue(first.startswith(b"wait "), first)
        self.assertTrue(again.startswith(b"granted "), again)
        self.assertEqual((renewed, released), (b"renewed", b""))
        self.assertEqual(redis.call(redis_load.encode("EXISTS", "posewire:stream:b")), [b"0"])


class ProgramTest(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([sys.executable, "-B", str(HERE / "simulate.py"), *arguments],
                              capture_output=True, text=True)

    def test_a_seed_makes_the_same_tables_each_time(self):
        small = ("--nodes", "5", "--streams", "500", "--stream-s", "60", "--batch", "256",
                 "--ring-size", "1024")
        runs = [self.run_program(*small, "--seed", seed) for seed in ("7", "7", "8")]
        self.assertEqual([run.returncode for run in runs], [0, 0, 0], runs[0].stderr)
        self.assertEqual(runs[0].stdout, runs[1].stdout)
        self.assertNotEqual(runs[0].stdout.splitlines()[1:], runs[2].stdout.splitlines()[1:])
        self.assertIn("First limit of Redis: ", runs[0].stdout)

    def test_sizes_that_make_no_sense_are_refused(self):
        for arguments in (("--nodes", "5"), ("--nodes", "2", "--streams", "9"), ("--batch", "-1")):
            self.assertEqual(self.run_program(*arguments).returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main(verbosity=2)
