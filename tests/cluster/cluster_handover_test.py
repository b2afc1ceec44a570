"""What the next owner of a stream takes over: the voice to the sample, registration, variables and
things, after a drain and after a kill."""

import time
import unittest

import grpc
import network
from cases import ClusterTest
from posewire_test import Client, until
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
    def test_case_40_a_drain_loses_and_repeats_no_sample(self):
        # Without watches: the first pull is the sink's, and the voice waits for it.
        crowd = self.crowd(12, watched=False)
        drain(self, crowd)
        self.last(1)
        self.assert_whole(crowd, self.judge(crowd))

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

    def test_case_40_streams_that_never_rest_are_drained_at_the_deadline(self):
        crowd = self.crowd(6, watched=False)
        took = drain(self, crowd)
        self.assertGreater(took, self.SECONDS - 9)
        self.assertLess(took, self.SECONDS + 2)
        self.assert_whole(crowd, self.judge(crowd))


class State(ClusterTest):
    GRAPH = "default"

    def ask(self, method, **fields):
        """Of any node that runs, until a node serves the stream."""
        node = next(n for n in self.cluster.nodes if n.runs())
        client = Client(node.server.address)
        self.addCleanup(client.close)
        answers = []

        def answered():
            try:
                answers.append(client.control(method, **fields))
            except grpc.RpcError as e:
                self.assertEqual(e.code(), grpc.StatusCode.UNAVAILABLE, e.details())
            return answers
        self.assertTrue(until(answered, 10))
        return answers[0]

    def state(self, stream):
        values = {v.name: v.value for v in self.ask("ListVariables", stream_id=stream).variables}
        props = [(p.name, p.position.x, p.shape) for p in self.ask("ListProps", stream_id=stream).props]
        return values["posture_state"], props

    def owner(self, stream):
        return next(n for n in self.cluster.nodes if n.runs() and stream in n.streams())

    def test_case_40_state_outlives_its_node(self):
        self.addCleanup(self.restore)
        for n, end in enumerate((lambda node: node.drain(), lambda node: node.kill())):
            with self.subTest(n):
                stream = f"kept{n}"
                self.ask("RegisterStream", stream_id=stream)
                self.ask("SetVariable", stream_id=stream, name="posture_state", value="Listening")
                prop = {"name": "mug", "position": {"x": 0.5}, "shape": "cup"}
                self.ask("SetProp", stream_id=stream, prop=prop)
                self.assertEqual(self.state(stream), ("Listening", [("mug", 0.5, "cup")]))
                self.last(2 * RENEWED_S)  # it saves its streams
                node = self.owner(stream)
                end(node)
                self.assertEqual(self.state(stream), ("Listening", [("mug", 0.5, "cup")]))
                registered = {s.stream_id: s.registered for s in self.ask_owner(stream).streams}
                self.assertTrue(registered[stream])
                node.start()

    def ask_owner(self, stream):
        client = Client(self.owner(stream).server.address)
        self.addCleanup(client.close)
        return client.control("ListStreams")


if __name__ == "__main__":
    network.enter()
    unittest.main(verbosity=2)
