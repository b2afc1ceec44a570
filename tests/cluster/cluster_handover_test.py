"""What the next owner of a stream takes over from a node that is drained or killed."""

import time
import unittest

import network
from cases import ClusterTest
from voice import Listener

RENEWED_S = 0.5  # how often a node saves where its streams are


def drain(test, crowd):
    """Drains the node that owns most. Returns the seconds until its end."""
    node, _ = test.cluster.owner_of_most(crowd.streams)
    began = time.monotonic()
    test.assertEqual(node.drain(60), 0)
    took = time.monotonic() - began
    crowd.await_flow("drained")
    test.tell(f"drained in {took:.2f} s")
    return took


class Handover(ClusterTest):
    def test_case_40_a_killed_node_repeats_what_it_said_since_it_saved(self):
        crowd = self.crowd(12, watched=False)
        self.last(2 * RENEWED_S)  # each node saves what began
        node, _ = self.cluster.owner_of_most(crowd.streams)
        node.kill()
        crowd.await_flow("killed")
        self.last(1)
        self.assert_whole(crowd, self.judge(crowd), most_repeated_s=RENEWED_S + 0.25)


class Deadline(ClusterTest):
    SECONDS = 20
    ARGS = ("--drain-timeout-s", str(SECONDS))

    def test_case_40_streams_that_rest_are_drained_between_sentences(self):
        crowd = self.crowd(8, watched=False, talk_s=2, pause_s=2.5)
        took = drain(self, crowd)
        self.assertLess(took, self.SECONDS - 8)  # each came to its pause before
        self.assert_whole(crowd, self.judge(crowd))
        for record in crowd.records:
            said = []
            for reign in record.in_order():
                listener = Listener()
                for tick in sorted(reign.frames):
                    listener.hear(reign.frames[tick])
                said += listener.ends
            self.assertEqual(len(said), len(set(said)), f"{record.stream}: a sentence of two nodes")


if __name__ == "__main__":
    network.enter()
    unittest.main(verbosity=2)
