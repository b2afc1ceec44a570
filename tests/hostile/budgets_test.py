"""More than is allowed of what everybody may have, beside a witness that must not notice."""

import re
import select
import threading
import time
import unittest
import urllib.error
import urllib.request

import grpc

from http2_wire import DATA, END_HEADERS, END_STREAM, HEADERS, Peer, call, frame, message
from watch import Attacked
from posewire_test import CONTROL, LONG, PULL, PUSH, Client, header, until

WATCH = f"/{CONTROL}/WatchEvents"
CALLS_EACH = 100  # of a connection: --max-streams-per-connection


class Crowd:
    """Connections that send calls and throw away what comes, up to what HTTP/2 lets the server
    send. One thread reads for all."""

    def __init__(self, case, server):
        self.port = server.port
        self.peers = []
        self.poll = select.poll()
        self.by_fd = {}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        case.addCleanup(self.close)

    def peer(self):
        peer = Peer(self.port, read=False)
        self.peers.append(peer)
        peer.socket.settimeout(5)
        self.by_fd[peer.socket.fileno()] = peer
        self.poll.register(peer.socket, select.POLLIN)
        return peer

    def calls(self, path, bodies):
        """Each body as a call of its own, which a push leaves open."""
        ends = 0 if path == PUSH else END_STREAM
        peer, sent = None, CALLS_EACH
        for body in bodies:
            if sent == CALLS_EACH:
                peer, sent = self.peer(), 0
            stream = 2 * sent + 1
            sent += 1
            data = message(body)
            parts = [data[i:i + 16000] for i in range(0, len(data), 16000)]
            frames = [frame(HEADERS, END_HEADERS, stream, call(path))]
            frames += [frame(DATA, 0, stream, part) for part in parts[:-1]]
            frames.append(frame(DATA, ends, stream, parts[-1]))
            peer.send(b"".join(frames))

    def _read(self):
        while not self.over.is_set():
            for fd, _ in self.poll.poll(50):
                peer = self.by_fd.get(fd)
                try:
                    some = peer.socket.recv(1 << 20)
                except OSError:
                    some = b""
                if not some:
                    self.poll.unregister(fd)

    def close(self):
        self.over.set()
        self.thread.join()
        for peer in self.peers:
            peer.close()


def refusals(server, reason):
    """What /metrics counts."""
    page = urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/metrics", timeout=10).read()
    return int(re.search(rf'posewire_refusals_total{{reason="{reason}"}} (\d+)', page.decode())[1])


def begun(client, stream, request, source, names=()):
    """The header of a push, as bytes."""
    first = header(client, stream, request, "a")
    first.animation_data_stream_header.source_service_id = source
    if names:
        first.animation_data_stream_header.skel_animation_header.joints.extend(names)
    return first.SerializeToString()


def pushed(client, calls, most_s):
    """Pushes each of `calls` (lists of messages) for so long, or until all are refused; gives the codes of
    those that were."""
    over = threading.Event()

    def said(messages):
        yield from messages
        over.wait()

    push = client.method(PUSH)
    open_calls = [push.future(said(messages)) for messages in calls]
    until(lambda: all(c.done() for c in open_calls), most_s)
    codes = [c.code() for c in open_calls if c.done()]
    for c in open_calls:
        c.cancel()
    over.set()
    return codes


def small_metadata(case, server):
    """Case 43: 32 entries of a byte each, over and over, to requests that wait."""
    client = Client(server.address)
    data = client.stream_message()
    for k in range(32):
        data.animation_data.metadata[chr(65 + k)].SetInParent()
    again = [data.SerializeToString()] * 40000
    codes = pushed(client, ([begun(client, f"small{k}", "r", "s"), *again] for k in range(4)),
                   6 if LONG else 3)
    case.assertEqual(codes, [], "a push that brings too much is read slower, and not refused")
    client.close()


def long_names(case, server):
    """Case 43: headers of nearly 4 MiB of names to one avatar."""
    client = Client(server.address)
    names = ["n%04d" % k + "x" * 4000 for k in range(1000)]
    codes = pushed(client, ([begun(client, "long", f"r{k}", f"s{k}", names)] for k in range(40)), 20)
    case.assertEqual(codes, [grpc.StatusCode.RESOURCE_EXHAUSTED] * 40)
    client.close()


def pushes_of_many_sources(case, server):
    """Case 44: 2,000 sources push to one avatar."""
    client = Client(server.address)
    crowd = Crowd(case, server)
    crowd.calls(PUSH, (begun(client, "crowd", f"r{k}", f"s{k}") for k in range(2000)))
    case.assertTrue(until(lambda: refusals(server, "requests_per_avatar") == 2000 - 32))
    client.close()


def pulls_of_one_stream(case, server):
    """Case 44: 10,000 pulls of one stream."""
    client = Client(server.address)
    client.method(PULL)
    ids = client.type("nvidia_ace.animation_id.v1.AnimationIds")(stream_id="pulled")
    crowd = Crowd(case, server)
    crowd.calls(PULL, [ids.SerializeToString()] * 10000)
    case.assertTrue(until(lambda: refusals(server, "pulls_per_stream") >= 10000 - 512))
    client.close()


def watchers(case, server):
    """Case 44: 100,000 who watch, over 1,000 connections; half of these are one too many."""
    crowd = Crowd(case, server)
    crowd.calls(WATCH, [b""] * 100000)
    case.assertTrue(until(lambda: refusals(server, "watchers") > 50000))
    case.assertGreater(refusals(server, "connections_per_address"), 480)
    server.await_log("a connection was refused")
    crowd.close()  # no other connection of this address is taken before


def pushes_that_say_nothing(case, server):
    """Pushes without a header, up to all that may be open."""
    crowd = Crowd(case, server)
    for _ in range(25):
        crowd.peer().send(b"".join(frame(HEADERS, END_HEADERS, 2 * k + 1, call(PUSH))
                                   for k in range(CALLS_EACH)))
    # The witness has one.
    case.assertTrue(until(lambda: refusals(server, "pushes") == 2500 - 2047))
    with case.assertRaises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/readiness", timeout=10)
    case.assertEqual(refused.exception.code, 503)
    case.assertIn(b"2048 pushes are open, and --max-pushes allows 2048",
                  refused.exception.read())


def long_texts(case, server):
    """Case 49: ids, names and values of 4 MiB; arrangements by the megabyte."""
    client = Client(server.address)
    text = "x" * ((4 << 20) - 4096)
    for method, fields in (
            ("SetVariable", {"stream_id": "witness", "name": "posture_state", "value": text}),
            ("SetVariable", {"stream_id": "witness", "name": text, "value": "x"}),
            ("SetGesture", {"stream_id": "witness", "gesture": text}),
            ("PlayArrangement", {"stream_id": "witness", "arrangement": text}),
            ("PlaceAvatar", {"stream_id": "witness", "target_object_id": text}),
            ("StopRequest", {"stream_id": "witness", "request_id": text}),
            ("RegisterStream", {"stream_id": text}), ("RemoveClip", {"name": text})):
        with case.assertRaises(grpc.RpcError) as refused:
            client.control(method, **fields)
        case.assertEqual(refused.exception.code(), grpc.StatusCode.INVALID_ARGUMENT, method)
    client.close()


def slow_pulls(case, server):
    """Case 45: 40 pulls that read nothing, beside 4 MiB of metadata in each frame."""
    client = Client(server.address)
    client.method(PULL)
    ids = client.type("nvidia_ace.animation_id.v1.AnimationIds")(stream_id="heavy")
    crowd = Crowd(case, server)
    for _ in range(40):
        peer = Peer(server.port, read=False)
        crowd.peers.append(peer)
        peer.send(frame(HEADERS, END_HEADERS, 1, call(PULL)) +
                  frame(DATA, END_STREAM, 1, message(ids.SerializeToString())))

    def said():
        yield header(client, "heavy", "r")
        end = time.monotonic() + 8
        k = 0
        while time.monotonic() < end:
            data = client.stream_message()
            data.animation_data.metadata["m"].type_url = "t/" + "x" * ((4 << 20) - 4096)
            weights = data.animation_data.skel_animation.blend_shape_weights.add()
            weights.time_code = k / 30
            weights.values.extend([0.5] * 2)
            k += 1
            yield data

    client.push(said())
    client.close()


class Budgets(Attacked):
    KINDS = ("graph",)
    # 8 MiB for each of a few requests, frames for the slowest pulls, and a thousand connections.
    MOST_MB, MOST_DESCRIPTORS = 200, 1100

    def test_case_43_small_metadata(self):
        self.attacked(small_metadata)

    def test_case_44_pushes_of_many_sources(self):
        self.attacked(pushes_of_many_sources)

    def test_case_44_pulls_of_one_stream(self):
        self.attacked(pulls_of_one_stream)

    def test_case_44_watchers(self):
        self.attacked(watchers)

    def test_case_49_long_texts(self):
        self.attacked(long_texts)

    def test_pushes_that_say_nothing(self):
        self.attacked(pushes_that_say_nothing)


class Megabytes(Attacked):
    """4 MiB in each message. They are read, and copied, on the thread that ticks: memory is bounded
    and nothing is lost, but others are late meanwhile, which is told and not judged."""

    KINDS = ("graph",)
    MOST_MB = 200

    def one(self, kind, attack, share):
        told, _ = super().one(kind, attack, share)
        return told, True

    def test_case_43_long_names(self):
        self.attacked(long_names)

    def test_case_45_slow_pulls(self):
        self.attacked(slow_pulls)


if __name__ == "__main__":
    unittest.main(verbosity=2)
