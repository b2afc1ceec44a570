"""Three nodes, of which one is killed, stopped or cut off, and a Redis that fails; one test each, for
both settings of --directory-lost. docs/scale.md says what each setting guarantees."""

import time
import unittest

import network
from cases import ABSENT_S, MOST_GAP_S, STEADY_S, ClusterTest
from network import cut_between, needs_links


class Faults:
    def begin(self):
        """A crowd, the node that owns most of it, the other nodes, and the streams of the first."""
        crowd = self.crowd()
        node, others = self.cluster.owner_of_most(crowd.streams)
        owned = node.streams() & crowd.streams
        self.assertTrue(owned)
        return crowd, node, others, owned

    def recover(self, crowd, what, two_owners=False):
        took = crowd.await_flow(what)
        self.await_owners(crowd, lambda nodes: len(nodes) == 1)
        self.tell(f"flows {took:.2f} s after the end of the fault")
        return self.judge(crowd, two_owners)

    def watches(self, crowd, node, streams):
        return [w for w in crowd.watches if w.node == node.name and w.record.stream in streams]

    def test_case_40_a_node_is_killed(self):
        crowd, node, others, owned = self.begin()
        node.kill()
        crowd.await_flow("killed")
        node.start()  # it gets no stream back
        self.recover(crowd, "the node is back")
        self.assert_gap(crowd.longest_gap_s, MOST_GAP_S, crowd)

    def test_case_40_a_node_is_stopped_and_goes_on(self):
        crowd, node, others, owned = self.begin()
        node.pause()
        self.await_owners(crowd, lambda nodes: nodes and node.name not in nodes, owned)
        self.last()
        node.go_on()
        self.recover(crowd, "stopped")
        self.assert_gap(crowd.longest_gap_s, MOST_GAP_S, crowd)

    @needs_links
    def test_case_40_a_node_is_cut_off_from_redis(self):
        self.cut_off_from_redis(lambda node, redis: cut_between(node, [redis]))

    @needs_links
    def test_case_40_requests_of_a_node_to_redis_are_lost(self):
        self.cut_off_from_redis(lambda node, redis: node.cut_to(redis))

    @needs_links
    def test_case_40_answers_of_redis_to_a_node_are_lost(self):
        self.cut_off_from_redis(lambda node, redis: redis.cut_to(node))

    def cut_off_from_redis(self, cut):
        crowd, node, others, owned = self.begin()
        cut(node.machine, self.cluster.redis.machine)
        # The others serve its streams when its session is over.
        self.await_owners(crowd, lambda nodes: nodes - {node.name}, owned)
        self.last()
        two = self.MODE == "continue"
        self.await_owners(crowd, lambda nodes: (node.name in nodes) == two, owned, 2 * ABSENT_S)
        self.network_heals()
        self.recover(crowd, "cut off from Redis", two_owners=two)
        watches = self.watches(crowd, node, owned)
        if two:
            self.assert_gap(max(w.longest_gap_until(self.healed) for w in watches), STEADY_S, crowd)
            self.assertEqual({o.later.nodes <= {n.name for n in others} for o in crowd.overlaps()},
                             {True})
        else:
            self.assertTrue(all(any("pauses" in text for _, text in w.warnings) for w in watches),
                            [w.warnings for w in watches])

    def network_heals(self):
        self.cluster.heal()
        self.healed = time.monotonic()

    @needs_links
    def test_case_40_a_node_is_cut_off_from_other_nodes(self):
        crowd, node, others, owned = self.begin()
        relayed = [crowd.sink(record, crowd.direct[others[0].name].take())
                   for record in crowd.records if record.stream in owned]
        crowd.sinks += relayed
        crowd.await_flow("relayed")
        cut_between(node.machine, [other.machine for other in others])
        self.last()
        # Clients that reach it notice nothing.
        self.await_owners(crowd, lambda nodes: nodes == {node.name}, owned, 2 * ABSENT_S)
        self.network_heals()
        self.recover(crowd, "cut off from nodes")
        watches = self.watches(crowd, node, owned) + crowd.sinks[:-len(relayed)]
        self.tell(f"relayed pulls: longest gap {max(max(s.gaps)[1] for s in relayed):.2f} s")
        self.assert_gap(max(w.longest_gap_until(self.healed) for w in watches), STEADY_S, crowd)

    @needs_links
    def test_case_40_a_node_is_cut_off_from_all(self):
        crowd, node, others, owned = self.begin()
        machines = [o.machine for o in others]
        cut_between(node.machine, [*machines, self.cluster.redis.machine, self.cluster.door.machine])
        self.await_owners(crowd, lambda nodes: nodes - {node.name}, owned)
        crowd.await_flow("cut off from all")
        self.network_heals()
        self.recover(crowd, "cut off from all", two_owners=self.MODE == "continue")
        self.assert_gap(crowd.longest_gap_s, MOST_GAP_S, crowd)

    @needs_links
    def test_case_40_a_node_is_cut_off_from_the_door(self):
        for cut in (lambda node, door: node.cut_to(door), lambda node, door: door.cut_to(node)):
            with self.subTest(cut):
                crowd, node, others, owned = self.begin()
                cut(node.machine, self.cluster.door.machine)
                self.last()
                crowd.await_flow("cut off from the door")
                self.await_owners(crowd, lambda nodes: nodes == {node.name}, owned, 2 * ABSENT_S)
                self.network_heals()
                self.recover(crowd, "cut off from the door")
                self.assert_gap(crowd.longest_gap_s, MOST_GAP_S, crowd)

    def test_case_40_redis_is_killed_and_comes_back_empty(self):
        crowd, *_ = self.begin()
        self.cluster.redis.kill()
        self.last()
        self.cluster.redis.start()
        self.recover(crowd, "Redis killed")
        self.assert_no_owner_changed(crowd)
        if self.MODE == "continue":
            self.assert_steady(crowd)

    def test_case_40_redis_is_restarted_at_once(self):
        crowd, *_ = self.begin()
        self.cluster.redis.kill()
        self.cluster.redis.start()
        self.recover(crowd, "Redis restarted")
        self.assert_no_owner_changed(crowd)
        self.assert_steady(crowd)

    def test_case_40_redis_is_flushed(self):
        crowd, *_ = self.begin()
        self.cluster.redis.ask("FLUSHALL")
        self.last()
        self.recover(crowd, "flushed")
        self.assert_no_owner_changed(crowd)
        self.assert_steady(crowd)

    def test_case_40_redis_is_slow(self):
        crowd, *_ = self.begin()
        for _ in range(4):
            self.cluster.redis.stop()
            self.last(1)
            self.cluster.redis.go_on()
            self.last(1)
        self.recover(crowd, "slow")
        self.assert_no_owner_changed(crowd)
        self.assert_steady(crowd)

    def assert_no_owner_changed(self, crowd):
        self.assertEqual([len(r.in_order()) for r in crowd.records], [1] * len(crowd.records))


class Pause(Faults, ClusterTest):
    MODE = "pause"


class Continue(Faults, ClusterTest):
    MODE = "continue"


if __name__ == "__main__":
    network.enter()
    unittest.main(verbosity=2)
