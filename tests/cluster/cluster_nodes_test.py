"""Nodes that come and go while avatars speak."""

import unittest

import network
from cases import MOST_GAP_S, ClusterTest
from crowd import Crowd
from posewire_test import until


class Added(ClusterTest):
    RUNNING = 2

    def test_case_40_an_added_node_gets_new_streams_only(self):
        crowd = self.crowd(12)
        added = self.cluster.nodes[2]
        self.addCleanup(added.kill)
        added.start()
        # The door passes new calls on to it; those for streams of other nodes are relayed there.
        def more():
            later = Crowd(self.cluster, f"later{len(crowds)}-", 12, watched=False)
            self.addCleanup(later.end)
            crowds.append(later)
            return added.streams()
        crowds = []
        self.assertTrue(until(more, 20))
        self.assertFalse(added.streams() & crowd.streams)
        for sink in crowd.sinks:
            sink.connect_again()
        crowd.await_flow("added")
        self.assertFalse(added.streams() & crowd.streams)
        for later in crowds:
            self.judge(later)
        self.judge(crowd)
        self.assert_steady(crowd)
        self.assertEqual([len(r.in_order()) for r in crowd.records], [1] * len(crowd.records))


class Drained(ClusterTest):
    def test_case_40_a_drained_node_gives_its_streams_to_others(self):
        crowd = self.crowd(12, watched=False)
        node, _ = self.cluster.owner_of_most(crowd.streams)
        self.assertEqual(node.drain(), 0)
        took = crowd.await_flow("drained")
        self.tell(f"flows {took:.2f} s after its end")
        self.assert_whole(crowd, self.judge(crowd))
        self.assert_gap(crowd.longest_gap_s, MOST_GAP_S, crowd)


class Rolling(ClusterTest):
    AVATARS = 300
    FPS = 10  # the clients of the test are in Python, on the same processors

    def test_case_40_each_node_is_restarted_under_three_hundred_avatars(self):
        crowd = self.crowd(self.AVATARS, watched=False, message_s=0.5)
        for node in self.cluster.nodes:
            self.assertEqual(node.drain(), 0)
            node.start()
            took = crowd.await_flow(f"{node.name} restarted")
            self.tell(f"all flow {took:.2f} s after {node.name} is back")
            self.last(2)  # the door sees that it is back
        self.assert_whole(crowd, self.judge(crowd))
        self.assert_gap(crowd.longest_gap_s, MOST_GAP_S, crowd)


if __name__ == "__main__":
    network.enter()
    unittest.main(verbosity=2)
