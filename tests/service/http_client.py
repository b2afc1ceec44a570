"""HTTP and WebSocket clients of the plainest kind, for the tests of anim_graph's control API."""

import base64
import hashlib
import http.client
import json
import os
import socket
import struct
import threading


class Http:
    """Calls one server; every call is a connection of its own. `tls` is an SSLContext."""

    def __init__(self, port, tls=None):
        self.port, self.tls = port, tls

    def raw(self, method, path, body=None, headers=None):
        """Status, headers and body as bytes."""
        if self.tls:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20,
                                                     context=self.tls)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()

    def call(self, method, path, body=None, headers=None):
        """Status and the JSON of the reply."""
        status, _, text = self.raw(method, path, body, headers)
        return status, json.loads(text)


class WebSocket:
    """Speaks RFC 6455 by hand. What comes is read in the background, so that nothing is lost. After
    `timeout` seconds without anything the connection counts as ended; None: never."""

    def __init__(self, port, path="/ws", headers=None, receive_buffer=0, read=True, host="",
                 tls=None, timeout=20):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="127.0.0.1")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.stream = self.socket.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        head = {}
        while (line := self.stream.readline().strip()):
            name, value = line.decode().split(": ", 1)
            head[name.lower()] = value
        if self.status == 101:
            want = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            assert head["sec-websocket-accept"] == base64.b64encode(want).decode()
        self.changed = threading.Condition()
        self.answers = {}
        self.events = []
        self.others = []
        self.close_code = None
        self.ended = False
        self.next_id = 0
        if self.status == 101 and read:
            threading.Thread(target=self._read, daemon=True).start()

    def _frame(self):
        first, second = self.stream.read(2)
        size = second & 127
        if size == 126:
            size, = struct.unpack(">H", self.stream.read(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.stream.read(8))
        return first & 15, self.stream.read(size)

    def _read(self):
        try:
            while True:
                opcode, payload = self._frame()
                with self.changed:
                    if opcode == 1:
                        self._take(json.loads(payload))
                    elif opcode == 2:
                        self._take_bytes(payload)
                    elif opcode == 8:
                        self.close_code, = struct.unpack(">H", payload[:2])
                        self.send(payload, 8)
                        break
                    elif opcode == 9:
                        self.send(payload, 10)
                    self.changed.notify_all()
        except (OSError, ValueError):
            pass
        with self.changed:
            self.ended = True
            self.changed.notify_all()
        self.socket.close()

    def _take(self, message):
        if message.get("method") == "Event":
            self.events.append(message["params"])
        elif isinstance(message.get("id"), (int, float)):
            self.answers[message["id"]] = message
        else:
            self.others.append(message)

    def _take_bytes(self, payload):
        self.others.append(payload)

    def send(self, payload, opcode=1):
        if isinstance(payload, str):
            payload = payload.encode()
        size = len(payload)
        head = bytes([0x80 | opcode])
        head += (bytes([0x80 | size]) if size < 126
                 else struct.pack(">BH", 0x80 | 126, size) if size < 65536
                 else struct.pack(">BQ", 0x80 | 127, size))
        mask = os.urandom(4)
        body = bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if size < 4096 else payload
        self.socket.sendall(head + (mask if size < 4096 else bytes(4)) + body)

    def wait(self, condition, timeout=15):
        with self.changed:
            return self.changed.wait_for(lambda: condition(self), timeout)

    def ask(self, method, **params):
        """Sends a call; gives its id."""
        self.next_id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method,
                              "params": params}))
        return self.next_id

    def call(self, method, **params):
        """The whole answer to a call."""
        id = self.ask(method, **params)
        assert self.wait(lambda s: id in s.answers), f"no answer to {method}"
        return self.answers.pop(id)

    def close(self):
        self.socket.close()


class Frames(WebSocket):
    """A viewer of renderer_sink view that is no browser: keeps texts and frames."""

    def __init__(self, port, **options):
        self.texts, self.frames = [], []
        super().__init__(port, **options)

    def _take(self, message):
        self.texts.append(message)

    def _take_bytes(self, payload):
        self.frames.append(payload)

    def count(self, kind):
        return sum(t["type"] == kind for t in self.texts)

    def last(self, kind):
        return next((t for t in reversed(self.texts) if t["type"] == kind), None)
