"""HTTP/2 frames by hand: a peer that keeps no rule it does not want to keep."""

import select
import socket
import ssl
import struct
import threading
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
ENHANCE_YOUR_CALM = 11


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def integer(value, prefix_bits, first=0):
    """RFC 7541, 5.1."""
    most = (1 << prefix_bits) - 1
    if value < most:
        return bytes([first | value])
    out, value = bytes([first | most]), value - most
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def text(value):
    """A string without Huffman coding."""
    return integer(len(value), 7) + value


def literal(name, value, indexed=False):
    """A header; `indexed`: the table of the connection keeps it."""
    return (b"\x40" if indexed else b"\x00") + text(name) + text(value)


def call(path, *more):
    """The headers of a gRPC call."""
    return b"".join(literal(n, v) for n, v in (
        (b":method", b"POST"), (b":scheme", b"http"), (b":path", path.encode()),
        (b":authority", b"x"), (b"content-type", b"application/grpc"), (b"te", b"trailers"),
        *more))


def message(body, compressed=0):
    return struct.pack(">BI", compressed, len(body)) + body


class TlsSocket:
    """Read by one thread while another writes, which ssl.SSLSocket does not stand: OpenSSL's state
    is for one of them at a time. Neither holds the other up while it waits."""

    def __init__(self, plain, context):
        self.socket = context.wrap_socket(plain, server_hostname="127.0.0.1")
        self.timeout = self.socket.gettimeout()
        self.socket.setblocking(False)
        self.lock = threading.Lock()

    def settimeout(self, seconds):
        self.timeout = seconds

    def fileno(self):
        return self.socket.fileno()

    def _when_ready(self, act, end):
        while True:
            with self.lock:
                try:
                    return act()
                except ssl.SSLWantReadError:
                    event = select.POLLIN
                except ssl.SSLWantWriteError:
                    event = select.POLLOUT
            if time.monotonic() > end:
                raise TimeoutError
            poll = select.poll()
            if self.socket.fileno() < 0:
                raise OSError("closed")
            poll.register(self.socket.fileno(), event)
            poll.poll(20)

    def sendall(self, data):
        view, end = memoryview(data), time.monotonic() + self.timeout
        while view:
            view = view[self._when_ready(lambda: self.socket.send(view[:16384]), end):]

    def makefile(self, _):
        return self

    def read(self, size):
        out = bytearray()
        while len(out) < size:
            some = self._when_ready(lambda: self.socket.recv(size - len(out)), float("inf"))
            if not some:
                break
            out += some
        return bytes(out)

    def shutdown(self, how):
        self.socket.shutdown(how)

    def close(self):
        with self.lock:
            self.socket.close()


class Peer:
    """A connection that has opened in order, unless `greet` is False. What comes is counted by a
    thread of its own, unless `read` is False."""

    def __init__(self, port, greet=True, read=True, tls=None, host="127.0.0.1"):
        """`tls` is an ssl.SSLContext, `host` the address that the server sees."""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30,
                                               source_address=(host, 0))
        if tls:
            self.socket = TlsSocket(self.socket, tls)
        self.changed = threading.Condition()
        self.kinds = {}  # number of frames by kind
        self.goaways = []  # (code, debug text)
        self.resets = []  # (stream, code)
        self.headers = {}  # stream: header blocks as they came
        self.closed = False
        self.dropped = 0  # bytes that could not be sent any more
        if read:
            threading.Thread(target=self._read, daemon=True).start()
        if greet:
            self.send(PREFACE + frame(SETTINGS, 0, 0))
            if read:
                assert self.wait(lambda p: p.kinds.get(SETTINGS)), "no SETTINGS came"
                self.send(frame(SETTINGS, ACK, 0))

    def send(self, data):
        """False when the other side has closed."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            self.dropped += len(data)
            return False

    def wait(self, condition, timeout=20):
        with self.changed:
            return self.changed.wait_for(lambda: condition(self), timeout)

    def wait_closed(self, timeout=20):
        """Seconds until the other side closed; None when it did not."""
        began = time.monotonic()
        return time.monotonic() - began if self.wait(lambda p: p.closed, timeout) else None

    def _read(self):
        stream = self.socket.makefile("rb")
        try:
            while len(head := stream.read(9)) == 9:
                size = int.from_bytes(head[:3], "big")
                kind, flags, stream_id = struct.unpack(">BBI", head[3:])
                payload = stream.read(size)
                with self.changed:
                    self._take(kind, flags, stream_id, payload)
                    self.changed.notify_all()
        except OSError:
            pass
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def _take(self, kind, flags, stream_id, payload):
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == GOAWAY:
            self.goaways.append((int.from_bytes(payload[4:8], "big"), payload[8:]))
        elif kind == RST_STREAM:
            self.resets.append((stream_id, int.from_bytes(payload, "big")))
        elif kind == HEADERS:
            self.headers[stream_id] = self.headers.get(stream_id, b"") + payload

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
