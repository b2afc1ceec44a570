"""Two anim_graphs with one directory: calls that reach the wrong node are relayed to the owner."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

import grpc

from certificates import Ca
from http_client import Http, WebSocket
from posewire_test import BIN, Client, Collector, Server, clip, header, spoken, tool, until
from redis_server import Redis

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


class Relayed(unittest.TestCase):
    def setUp(self):
        self.redis = Redis()
        self.addCleanup(self.redis.kill)
        self.nodes = []
        self.owner, self.other = self.node(), self.node()
        self.at_owner, self.at_other = map(self.client, (self.owner, self.other))
        self.assertTrue(until(self.registered))  # Redis has just started

    def registered(self):
        try:
            self.at_owner.control("RegisterStream", stream_id="s")
        except grpc.RpcError as e:
            self.assertEqual(e.code(), UNAVAILABLE)
            return False
        return True

    def node(self, *args):
        node = Server("anim_graph", "--directory", f"redis://127.0.0.1:{self.redis.port}",
                      "--http", "127.0.0.1:0", *args)
        self.addCleanup(node.stop)
        return node

    def client(self, node, **options):
        client = Client(node.address, **options)
        self.addCleanup(client.close)
        return client

    def metric(self, node, name):
        text = Http(node.http_port).raw("GET", "/metrics")[2].decode()
        return float(text.split(f"\n{name} ")[1].split()[0])

    def relayed(self, kind):
        return self.metric(self.other, f'posewire_relayed_calls_total{{kind="{kind}"}}')

    def variable(self):
        listed = self.at_owner.control("ListVariables", stream_id="s").variables
        return next(v.value for v in listed if v.name == "posture_state")

    def grpcurl(self, node, value):
        return subprocess.run(
            [tool("grpcurl"), "-plaintext", "-d",
             json.dumps({"stream_id": "s", "name": "posture_state", "value": value}), node.address,
             "posewire.control.v1.ControlService/SetVariable"],
            capture_output=True, text=True, timeout=30)

    def test_a_push_and_a_pull_at_different_nodes_meet(self):
        for n, (pushed_to, pulled_from) in enumerate(((self.at_other, self.at_owner),
                                                      (self.at_owner, self.at_other),
                                                      (self.at_other, self.at_other))):
            pull = Collector(pulled_from.pull("s", request=f"r{n}"))
            answer = pushed_to.push(clip(pushed_to, "s", f"r{n}", 45))
            self.assertEqual(answer.code, 0, answer.message)
            pull.join(20)
            self.assertIsNone(pull.error)
            self.assertIsNotNone(spoken(pull.audio(), 45 * 16000 // 30))
            self.assertEqual(pull.statuses()[-1].code, 0)
        self.assertEqual((self.relayed("push"), self.relayed("pull")), (2, 2))

    def test_a_relayed_pull_gets_sparse_frames_when_it_asks(self):
        for form in "1", "quantised":
            asked = ("x-posewire-sparse", form)
            pull = Collector(self.at_other.pull("s", metadata=[asked])).wait_started()
            pull.wait_for_more(10)
            self.assertIn(asked, [(m.key, m.value) for m in pull.call.initial_metadata()])
            sizes = [data.ByteSize() - len(data.audio.audio_buffer) for data in pull.data()]
            self.assertGreater(max(sizes), 2 * min(sizes))
            pull.call.cancel()

    def test_the_final_status_is_the_owners(self):
        for client in (self.at_owner, self.at_other):
            with self.assertRaises(grpc.RpcError) as caught:
                client.push([header(client, "s", "bad"), header(client, "s", "bad")])
            pull = client.pull("s", request="never", timeout=60)
            with self.subTest(client=client):
                self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
                self.assertIn("header", caught.exception.details())
            pull.cancel()

    def test_a_cancelled_call_is_cancelled_at_the_owner(self):
        def pulls():
            return [a.pulls for s in self.at_owner.control("ListStreams").streams for a in s.avatars]
        pull = Collector(self.at_other.pull("s")).wait_started()
        self.assertEqual(pulls(), [1])
        pull.call.cancel()
        self.assertTrue(until(lambda: pulls() == [0]))

    def test_grpcurl_and_http_and_websocket_control_a_stream_of_the_other_node(self):
        answer = self.grpcurl(self.other, "Talking")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(self.variable(), "Talking")
        refused = [self.grpcurl(node, "Flying") for node in (self.owner, self.other)]
        self.assertEqual(refused[0].stderr, refused[1].stderr)
        self.assertIn("Flying", refused[1].stderr)

        http = Http(self.other.http_port)
        path = "/streams/s/animation_graphs/avatar/variables"
        status, _, body = http.raw("PUT", f"{path}/posture_state/Listening")
        self.assertEqual(status, 200, body)
        self.assertEqual(self.variable(), "Listening")
        listed = [Http(node.http_port).raw("GET", path)[2] for node in (self.owner, self.other)]
        self.assertEqual(listed[0], listed[1])
        statuses = [Http(node.http_port).raw("PUT", f"{path}/posture_state/Flying")[0::2]
                    for node in (self.owner, self.other)]
        self.assertEqual(statuses[0], statuses[1])

        socket = WebSocket(self.other.http_port)
        self.addCleanup(socket.close)
        socket.call("SetVariable", stream_id="s", name="posture_state", value="Talking")
        self.assertEqual(self.variable(), "Talking")
        socket.call("WatchEvents", stream_id="s")
        watchers = 'posewire_budget_used{budget="watchers"}'
        self.assertTrue(until(lambda: self.metric(self.owner, watchers) == 1))
        for target in ("cat", "dog"):  # the first is the avatar that is there
            Collector(self.at_owner.pull("s", target=target)).wait_started().call.cancel()
        made = ("AVATAR_MADE", "dog")
        self.assertTrue(socket.wait(lambda s: made in [
            (event["type"], event["target_object_id"]) for event in s.events]), socket.events)

    def test_a_killed_owner_ends_relayed_calls_and_sinks_reconnect(self):
        pull = Collector(self.at_other.pull("s")).wait_started()
        sink = subprocess.Popen([os.path.join(BIN, "renderer_sink"), "print", "--from",
                                 self.other.address, "--stream-id", "s"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(sink.stdout.close)
        self.addCleanup(sink.wait)
        self.addCleanup(sink.kill)
        sink.stdout.readline()
        self.owner.kill()
        self.assertTrue(until(lambda: pull.code() == UNAVAILABLE), pull.error)
        # The other node serves the stream from now on.
        self.assertTrue(until(lambda: self.metric(self.other, "posewire_frames_total") > 30))
        self.assertIsNone(sink.poll())

    def test_a_stopped_owner_ends_relayed_calls_when_its_lease_is_over(self):
        pull = Collector(self.at_other.pull("s")).wait_started()
        self.owner.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.owner.process.send_signal, signal.SIGCONT)
        # Long before a ping would fail.
        self.assertTrue(until(lambda: pull.code() == UNAVAILABLE, 7), pull.error)
        self.assertIn("another server", pull.error.details())
        Collector(self.at_other.pull("s")).wait_started().call.cancel()

    def test_a_pull_that_is_not_read_holds_little_at_the_node_between(self):
        client = self.client(self.other, **{"grpc.http2.lookahead_bytes": 1024,
                                            "grpc.http2.bdp_probe": 0})
        others = [Collector(self.at_other.pull("s")).wait_started() for _ in range(4)]
        before = self.other.memory_mb()
        slow = [client.pull("s", timeout=120) for _ in range(16)]
        for pull in slow:
            next(iter(pull))
        def all_ended():
            return self.metric(self.owner, "posewire_slow_pulls_total") == 16
        self.assertTrue(until(all_ended, 60), "pulls that are not read go on")
        self.assertLess(self.other.memory_mb() - before, 16)
        for pull in slow:
            with self.assertRaises(grpc.RpcError) as caught:
                for _ in pull:
                    pass
            self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertEqual([p.code() for p in others], [None] * 4)

    def test_a_list_has_the_streams_of_all_nodes(self):
        self.at_other.control("RegisterStream", stream_id="t")
        for client, own in ((self.at_owner, "s"), (self.at_other, "t")):
            listed = client.control("ListStreams")
            self.assertEqual(sorted(s.stream_id for s in listed.streams), ["s", "t"])
            self.assertEqual([s.stream_id for s in listed.streams if not s.server], [own])
            self.assertEqual(list(listed.missing), [])
        streams = json.loads(Http(self.other.http_port).raw("GET", "/streams")[2])["streams"]
        self.assertEqual({s["stream_id"]: s["server"] for s in streams},
                         {"s": self.owner.address, "t": ""})
        # For a moment, the directory still names a node that does not answer.
        self.owner.kill()
        listed = self.at_other.control("ListStreams")
        self.assertEqual([s.stream_id for s in listed.streams], ["t"])
        if listed.missing:
            self.assertIn(self.owner.address, listed.missing[0])

    def test_streams_whose_calls_are_relayed_move_on_request(self):
        pull = Collector(self.at_other.pull("s")).wait_started()
        here = Collector(self.at_owner.pull("stays")).wait_started()
        pull.wait_for_more(3)
        self.assertEqual(self.at_owner.control("MoveStreams").streams, 1)
        pull.join(20)
        self.assertEqual(pull.code(), UNAVAILABLE)
        self.assertEqual(pull.error.details(), "the stream moves to another server; call again")
        after = Collector(self.at_other.pull("s")).wait_started()
        after.wait_for_more(3)
        here.wait_for_more(3)
        listed = {s.stream_id: s for s in self.at_other.control("ListStreams").streams}
        self.assertTrue(listed["s"].registered)
        self.assertEqual(listed["s"].server, "")
        self.assertEqual(listed["stays"].server, self.owner.address)
        alone = Server("anim_graph")
        self.addCleanup(alone.stop)
        with self.assertRaises(grpc.RpcError) as caught:
            self.client(alone).control("MoveStreams")
        self.assertEqual(caught.exception.code(), grpc.StatusCode.FAILED_PRECONDITION)

    def test_a_drained_node_ends_what_it_relays(self):
        pull = Collector(self.at_other.pull("s")).wait_started()
        self.assertEqual(self.other.stop(), 0)
        pull.join(20)
        self.assertEqual(pull.code(), UNAVAILABLE)
        self.assertIn("shutting down", pull.error.details())


class RelayedByTls(unittest.TestCase):
    def test_nodes_call_each_other_by_mutual_tls(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        ca, stranger = Ca(home.name, "ca"), Ca(home.name, "stranger")
        cert, key = ca.issue("node")
        redis = Redis()
        self.addCleanup(redis.kill)

        def node(own_cert, own_key):
            server = Server(
                "anim_graph", "--directory", f"redis://127.0.0.1:{redis.port}", "--tls-cert", cert,
                "--tls-key", key, "--tls-client-ca", ca.cert, "--server-ca", ca.cert,
                "--client-cert", own_cert, "--client-key", own_key)
            self.addCleanup(server.stop)
            client = Client(server.address, tls=(ca.cert, cert, key))
            self.addCleanup(client.close)
            return server, client

        owner, at_owner = node(cert, key)
        _, at_other = node(cert, key)
        _, at_third = node(*stranger.issue("third"))

        def registered():
            try:
                return at_owner.control("RegisterStream", stream_id="s") is not None
            except grpc.RpcError as e:
                self.assertEqual(e.code(), UNAVAILABLE)

        self.assertTrue(until(registered))
        pull = Collector(at_other.pull("s", request="r"))
        at_other.push(clip(at_other, "s", "r", 30))
        pull.join(20)
        self.assertIsNotNone(spoken(pull.audio(), 16000))
        with self.assertRaises(grpc.RpcError) as caught:
            at_third.control("ListVariables", stream_id="s")
        self.assertEqual(caught.exception.code(), UNAVAILABLE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
