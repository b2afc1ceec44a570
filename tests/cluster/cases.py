"""What the tests of a cluster share: a cluster for a class, a crowd for a test, and the verdict."""

import itertools
import time
import unittest

from cluster import RATE, Cluster
from crowd import Crowd, summary
from posewire_test import until
from voice import count

STREAMS = 6
FAULT_S = 5  # how long a fault lasts
MOST_GAP_S = 5  # after a fault of one node
STEADY_S = 0.6
# The times of a new owner begin after the term of the one before, even if that did not use it up.
MOST_AHEAD_S = 2.2
ABSENT_S = 0.5  # a node that sent no frame for so long does not serve a stream


class ClusterTest(unittest.TestCase):
    MODE = "pause"
    RUNNING = 3
    ARGS = ()
    FPS = 30
    GRAPH = "passthrough"
    numbers = itertools.count()

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.MODE, cls.RUNNING, cls.ARGS, cls.FPS, cls.GRAPH)
        cls.addClassCleanup(cls.cluster.close)

    def crowd(self, count=STREAMS, **options):
        """Streams with names of their own. All faults are undone when the test ends."""
        crowd = Crowd(self.cluster, f"{self._testMethodName}-{next(self.numbers)}-", count, **options)
        self.addCleanup(crowd.end)
        self.addCleanup(self.restore)
        self.since = time.monotonic()
        crowd.forget_gaps()
        return crowd

    def restore(self):
        self.cluster.heal()
        for node in self.cluster.nodes[:self.RUNNING]:
            if not node.runs():
                node.start()

    @staticmethod
    def last(seconds=FAULT_S):
        """A fault lasts."""
        time.sleep(seconds)

    def owners(self, crowd, streams=None):
        """For each stream, the nodes that send its frames now."""
        now = time.monotonic()
        owners = {stream: set() for stream in streams or crowd.streams}
        for watch in crowd.watches:
            if watch.last > now - ABSENT_S and watch.record.stream in owners:
                owners[watch.record.stream].add(watch.node)
        return owners

    def await_owners(self, crowd, condition, streams=None, timeout=10):
        """Until it holds for the owners of each stream."""
        held = until(lambda: all(map(condition, self.owners(crowd, streams).values())), timeout)
        self.assertTrue(held, f"{self.owners(crowd, streams)}, {crowd.errors()}, {self.logs()}")

    def logs(self):
        """The last lines of the nodes."""
        return "".join(f"\n{n.name}: {n.server.log_text()[-1200:]}" for n in self.cluster.nodes if n.server)

    def assert_gap(self, gap_s, most_s, crowd):
        """`most_s` is what an idle machine allows; this one's own hiccups come on top."""
        self.assertLess(gap_s, most_s + 2 * crowd.machine.most_late_s)

    def assert_steady(self, crowd):
        """No sink noticed anything."""
        self.assert_gap(crowd.longest_gap_s, STEADY_S, crowd)

    def tell(self, *numbers):
        print(f"{self.MODE}: {self._testMethodName}: {', '.join(numbers)}", flush=True)

    def judge(self, crowd, two_owners=False):
        """Ends the crowd. Each frame is from the one owner at its time, unless there may be two."""
        crowd.end()
        overlaps = crowd.overlaps()
        voices = crowd.voices()
        self.tell(f"longest gap {crowd.longest_gap_s:.2f} s (machine {crowd.machine.most_late_s:.2f})",
                  f"{len(overlaps)} overlaps",
                  summary(voices) if not overlaps else "no voice to judge")
        self.assertEqual(crowd.faults(), [])
        if not two_owners:
            self.assertEqual([str(o) for o in overlaps], [])
            self.assertEqual(sum(v.garbage for v in voices), 0)
        self.assertLess(max(r.most_ahead_s for r in crowd.records), MOST_AHEAD_S)
        return voices

    def assert_whole(self, crowd, voices, most_repeated_s=0.0):
        """Each stream's voice came whole: each sample once, or again for so many seconds at most."""
        for source, heard in zip(crowd.sources, voices):
            told = f"{heard.lost} lost, {heard.repeated} repeated, {source.held}"
            self.assertEqual((source.skipped, heard.lost), ([], []), told)
            self.assertLessEqual(count(heard.repeated), most_repeated_s * RATE, told)
            self.assertEqual(heard.ends, dict(source.said), told)
