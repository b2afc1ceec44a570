"""What no client sends: raw HTTP/2 against the gRPC port of each kind of process."""

import gzip
import random
import time
import unittest

from http2_wire import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM,
                        HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, Peer, call, frame, integer,
                        literal, message, text)
from watch import Attacked
from posewire_test import PULL, PUSH

WINDOW_UPDATE = 8


def blocks(data, size):
    return (data[i:i + size] for i in range(0, len(data), size))


def headers(block, stream=1, flags=END_STREAM, size=16000):
    """A block of headers, in as many frames as it takes."""
    first, *rest = blocks(block, size)
    frames = [frame(HEADERS, flags, stream, first)]
    frames += [frame(CONTINUATION, 0, stream, some) for some in rest]
    frames.append(frame(CONTINUATION, END_HEADERS, stream))
    return b"".join(frames)


def flood(case, server, first, again, most_bytes, most_s=5, read=True):
    """Sends `again` over and over, until the server has enough; gives the connection."""
    peer = Peer(server.port, read=read)
    case.addCleanup(peer.close)
    peer.socket.settimeout(5)
    peer.send(first)
    some = again * max(1, 65536 // len(again))
    sent, end = 0, time.monotonic() + most_s
    while sent < most_bytes and time.monotonic() < end and peer.send(some):
        sent += len(some)
    return peer


def rapid_reset(case, server):
    """50,000 calls, each reset at once, over as many connections as that takes."""
    for path in (PUSH, PULL, "/no/such"):
        left, block = 50000, call(path)
        while left > 0:
            peer = Peer(server.port)
            calls = b"".join(
                frame(HEADERS, END_HEADERS, stream, block) +
                frame(RST_STREAM, 0, stream, b"\0\0\0\x08") for stream in range(1, 10001, 2))
            for some in blocks(calls, 1 << 16):
                if not peer.send(some):
                    break
            left -= 5000
            case.assertIsNotNone(peer.wait_closed(), "5,000 resets were taken")
            case.assertEqual({code for code, _ in peer.goaways}, {ENHANCE_YOUR_CALM})
            peer.close()
    server.await_log("a connection was cut")


def half_open(case, server):
    """Connections that do not get as far as their first settings."""
    peers = []
    for first in (b"", PREFACE[:10], PREFACE, PREFACE + frame(SETTINGS, 0, 0)[:4]):
        for _ in range(10):
            peer = Peer(server.port, greet=False)
            case.addCleanup(peer.close)
            peer.send(first)
            peers.append(peer)
    opened = time.monotonic()
    for peer in peers:
        case.assertIsNotNone(peer.wait_closed(), "a half-open connection stays")
    case.assertGreater(time.monotonic() - opened, 3)
    case.assertLess(time.monotonic() - opened, 6 + 3)  # a busy machine


def large_headers(case, server):
    """60 KB of headers are one call's end; headers without end, the connection's."""
    peer = Peer(server.port)
    case.addCleanup(peer.close)
    peer.send(headers(call(PUSH, *[(b"x-%d" % i, b"v" * 1000) for i in range(58)])))
    case.assertTrue(peer.wait(lambda p: 1 in p.headers))
    case.assertIn(b"grpc-status\x018", peer.headers[1])  # RESOURCE_EXHAUSTED
    start = frame(HEADERS, 0, 1, call(PUSH))
    for more in (literal(b"a", b""), b"", literal(b"x-abc", b"v" * 1000) * 15):
        peer = flood(case, server, start, frame(CONTINUATION, 0, 1, more), 40 << 20)
        case.assertIsNotNone(peer.wait_closed())


def no_http2(case, server):
    """HTTP/1, TLS and noise."""
    noise = random.Random(25)
    hello = bytes.fromhex("16030100c8010000c40303") + noise.randbytes(200)
    for first in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"POST /streams HTTP/1.0\r\n\r\n", hello,
                  PREFACE + noise.randbytes(5000), PREFACE + b"\xff" * 9,
                  *(noise.randbytes(1 << noise.randrange(5, 16)) for _ in range(50))):
        peer = Peer(server.port, greet=False)
        peer.send(first)
        case.assertIsNotNone(peer.wait_closed(), first[:40])
        peer.close()


def control_frames(case, server):
    """Pings, settings and empty data by the hundred thousand, read and not read."""
    ping, settings = frame(PING, 0, 0, b"12345678"), frame(SETTINGS, 0, 0)
    start = frame(HEADERS, END_HEADERS, 1, call(PUSH))
    for first, again in ((b"", ping), (b"", settings), (b"", frame(SETTINGS, ACK, 0)),
                         (start, frame(DATA, 0, 1))):
        peer = flood(case, server, first, again, 10 << 20)
        case.assertIsNotNone(peer.wait_closed(), "a flood of control frames is borne")
        case.assertIn(ENHANCE_YOUR_CALM, [code for code, _ in peer.goaways])
        unread = flood(case, server, first, again, 10 << 20, read=False)
        case.assertGreater(unread.dropped, 0)
    # These are what who reads much sends, and cost nothing.
    flood(case, server, b"", frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\0"[:3] + b"\1"), 10 << 20)


def compressed(case, server):
    """64 KB that would be 64 MB, whatever the call says of its encoding."""
    bomb = message(gzip.compress(b"\0" * (64 << 20)), compressed=1)
    for path in (PUSH, PULL):
        for more in ((), ((b"grpc-encoding", b"identity"),), ((b"grpc-encoding", b"gzip"),),
                     ((b"grpc-encoding", b"deflate"),), ((b"grpc-encoding", b"nonsense"),)):
            peer = Peer(server.port)
            peer.send(frame(HEADERS, END_HEADERS, 1, call(path, *more)))
            for some in blocks(bomb, 16000):
                peer.send(frame(DATA, 0, 1, some))
            peer.send(frame(DATA, END_STREAM, 1))
            case.assertTrue(peer.wait(lambda p: b"grpc-status" in p.headers.get(1, b"")), more)
            said = peer.headers[1].split(b"grpc-status")[1]
            # INVALID_ARGUMENT, UNIMPLEMENTED, INTERNAL
            case.assertIn(said[1:1 + said[0]], (b"3", b"12", b"13"), more)
            peer.close()


def header_compression(case, server):
    """CVE-2023-33953: a string and a number without end; a table that is meant again and again.
    CVE-2023-1428: 60 KB of `te: x`."""
    a = frame(CONTINUATION, 0, 1, b"a" * 16000)
    zeros = frame(CONTINUATION, 0, 1, b"\x80" * 16000)
    name = call(PUSH) + b"\x00" + text(b"x-big")
    for start, again in ((name + integer(200 << 20, 7), a), (name + b"\x7f", zeros)):
        peer = flood(case, server, frame(HEADERS, 0, 1, start), again, 60 << 20)
        case.assertIsNotNone(peer.wait_closed(), "headers without end are borne")
        case.assertEqual([code for code, _ in peer.goaways], [ENHANCE_YOUR_CALM])
    peer = Peer(server.port)
    case.addCleanup(peer.close)
    peer.send(headers(call(PUSH) + literal(b"x-b", b"v" * 3900, indexed=True)))
    for stream in range(3, 43, 2):
        # Each byte stands for 3.9 KB: 59 MB a call.
        peer.send(headers(call(PUSH) + b"\xbe" * 15000, stream))
        peer.send(headers(call(PUSH) + b"\xbe" * 10, stream, size=1))
    block = call(PUSH, *[(b"te", b"x")] * 8000)
    for _ in range(20):
        peer = Peer(server.port)
        peer.send(headers(block))
        case.assertTrue(peer.wait(lambda p: b"grpc-status" in p.headers.get(1, b"") or p.closed))
        peer.close()


class AnimGraph(Attacked):
    KINDS = ("graph",)

    def test_case_21_calls_that_are_reset_at_once(self):
        self.attacked(rapid_reset)

    def test_case_23_connections_that_do_not_open(self):
        self.attacked(half_open)

    def test_case_24_headers_that_are_too_large_or_have_no_end(self):
        self.attacked(large_headers)

    def test_case_25_what_is_no_http2(self):
        self.attacked(no_http2)

    def test_case_26_floods_of_control_frames(self):
        self.attacked(control_frames)

    def test_case_41_compressed_messages(self):
        self.attacked(compressed)

    def test_case_55_header_compression(self):
        self.attacked(header_compression)


class SourceAndSink(Attacked):
    KINDS = ("source", "sink")

    def test_all_of_it_in_turn(self):
        for attack in (rapid_reset, half_open, large_headers, no_http2, control_frames, compressed,
                       header_compression):
            self.attacked(attack)


if __name__ == "__main__":
    unittest.main(verbosity=2)
