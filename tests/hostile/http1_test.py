"""What no client sends to the HTTP port of an anim_graph, while probes are answered as ever."""

import random
import socket
import time
import unittest

import watch
from http_client import Http, WebSocket
from posewire_test import LONG

TIMEOUT_S = 5 if LONG else 2  # of a transfer; 5 s is the default
HEAD = b"PUT /clips/a HTTP/1.1\r\nHost: localhost\r\n"


def connect(case, server, first=b""):
    s = socket.create_connection(("127.0.0.1", server.http_port), timeout=30)
    case.addCleanup(s.close)
    s.sendall(first)
    return s


def read_all(s):
    """Until the server closes."""
    out = b""
    try:
        while some := s.recv(65536):
            out += some
    except ConnectionResetError:
        pass
    return out


def probe(case, server):
    began = time.monotonic()
    for path in ("/liveness", "/readiness"):
        case.assertEqual(Http(server.http_port).raw("GET", path)[0], 200)
    # Each by a new connection. On a busy machine this test's own threads wait for each other.
    case.assertLess(time.monotonic() - began, 2)


def bodies_without_end(case, server):
    """Of what is not data, no more is read than a header may have."""
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    for first in (chunked + b"3;", chunked + b"0\r\nX: ", chunked + b"3;a=\"",
                  HEAD + b"X: ", HEAD + b"X", b"GET /", b"G"):
        s = connect(case, server, first)
        sent = 0
        with case.assertRaises(OSError, msg=first):
            while sent < 64 << 20:
                s.sendall(b"x" * 65536)
                sent += 65536
        probe(case, server)


def headers_by_the_thousand(case, server):
    for many in (b"a:\r\n" * 100000, b"".join(b"h%d: 1\r\n" % i for i in range(50000))):
        s = connect(case, server, HEAD)
        try:
            s.sendall(many)
        except OSError:
            continue
        case.assertIn(b" 431 ", read_all(s)[:100])


def byte_by_byte(case, server):
    """A header and a body of one byte now and then, by 64 at once: the whole has TIMEOUT_S."""
    drips = [connect(case, server, first) for first in
             (b"G", HEAD + b"Content-Length: 1000\r\n\r\n",
              HEAD + b"Transfer-Encoding: chunked\r\n\r\n", HEAD + b"X: ") for _ in range(16)]
    began = time.monotonic()
    left = list(drips)
    while left and time.monotonic() - began < 4 * TIMEOUT_S:
        for s in list(left):
            s.settimeout(0.01)
            try:
                s.sendall(b"1")
                if not s.recv(1000):
                    left.remove(s)
            except TimeoutError:
                pass
            except OSError:
                left.remove(s)
        probe(case, server)
    case.assertFalse(left, "who sends a byte now and then stays")
    case.assertGreater(time.monotonic() - began, 0.8 * TIMEOUT_S)


def idle_connections(case, server):
    """As many as there are places, and as many again."""
    kept = []
    for i in range(256):
        kept.append(connect(case, server, b"" if i % 2 else b"GET /liveness HTTP/1.1\r\n"))
        if i % 32 == 31:
            probe(case, server)
    began = time.monotonic()
    for s in kept:
        read_all(s)
    case.assertLess(time.monotonic() - began, 2 * TIMEOUT_S)


def replies_that_nobody_reads(case, server):
    """Requests in one go, 100,000 of them, and not a look at what comes."""
    s = connect(case, server)
    s.settimeout(2 * TIMEOUT_S)
    ask = b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
    with case.assertRaises(OSError):
        for _ in range(100):
            s.sendall(ask)
        raise TimeoutError  # taken by the system's buffers
    probe(case, server)


def no_http(case, server):
    noise = random.Random(46)
    for first in (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\r\n" * 1000, b"GET / HTTP/9.9\r\n\r\n",
                  b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                  HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n",
                  HEAD + b"Content-Length: -1\r\n\r\n",
                  HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
                  HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                  *(noise.randbytes(1 << noise.randrange(3, 14)) for _ in range(50))):
        s = connect(case, server, first)
        s.shutdown(socket.SHUT_WR)
        read_all(s)
        s.close()
    probe(case, server)


def web_sockets(case, server):
    """Pings without a look at the pongs; pieces of a message without end; noise."""
    noise = random.Random(47)
    for payload, opcode in ((b"", 9), (b"x" * 100, 9), (b"x", 10)):
        deaf = WebSocket(server.http_port, receive_buffer=4096, read=False)
        case.addCleanup(deaf.close)
        deaf.socket.settimeout(TIMEOUT_S)
        frame = bytes([0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0]) + payload
        try:
            for _ in range(200):
                deaf.socket.sendall(frame * 1000)
        except OSError:
            pass
    for piece in (b"\x00\x80\0\0\0\0", b"\x00\x81\0\0\0\0x"):
        endless = WebSocket(server.http_port, read=False)
        case.addCleanup(endless.close)
        endless.socket.settimeout(TIMEOUT_S)
        try:
            endless.socket.sendall(b"\x01\x81\0\0\0\0x")
            for _ in range(100 if LONG else 20):
                endless.socket.sendall(piece * 10000)
        except OSError:
            pass
    for _ in range(20):
        wild = WebSocket(server.http_port, read=False)
        case.addCleanup(wild.close)
        try:
            wild.socket.sendall(noise.randbytes(2000))
        except OSError:
            pass
    probe(case, server)


class Http1(watch.Attacked):
    KINDS = ("graph",)
    ARGS = ("--http-transfer-timeout-s", str(TIMEOUT_S))
    # 128 connections, and the sockets of this test that are not closed yet.
    MOST_DESCRIPTORS = 200

    def test_case_25_what_is_no_http(self):
        self.attacked(no_http)

    def test_case_46_bodies_and_headers_without_end(self):
        self.attacked(bodies_without_end)

    def test_case_46_headers_by_the_thousand(self):
        self.attacked(headers_by_the_thousand)

    def test_case_46_a_byte_now_and_then(self):
        self.attacked(byte_by_byte)

    def test_case_46_idle_connections_in_all_places(self):
        self.attacked(idle_connections)

    def test_case_46_replies_that_nobody_reads(self):
        self.attacked(replies_that_nobody_reads)

    def test_case_46_web_sockets(self):
        self.attacked(web_sockets)


if __name__ == "__main__":
    unittest.main(verbosity=2)
