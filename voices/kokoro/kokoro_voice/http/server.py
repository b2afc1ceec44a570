"""The server: one thread per connection, within limits."""

import contextlib
import hmac
import http.server
import io
import json
import logging
import socket
import socketserver
import threading
from dataclasses import dataclass

from .. import __version__
from . import request as speech_request
from .errors import ApiError
from .reader import DeadlineReader, HeadTooLarge
from .speech import Disconnected, SpeechResponse, Watched, stopping

ROUTES = {
    "/v1/audio/speech": "POST",
    "/v1/models": "GET",
    "/v1/audio/voices": "GET",
    "/health": "GET",
}


@dataclass(frozen=True)
class Limits:
    """What a client may use. Each connection has a thread of its own."""

    connections: int = 64
    characters: int = 4096
    body_bytes: int = 65536
    head_bytes: int = 16384
    head_s: float = 10.0  # for a whole head, and for a whole body
    idle_s: float = 60.0  # between requests


class Server(http.server.ThreadingHTTPServer):
    """`scheduler` and `voices` outlive it. `key`: what clients must send as a bearer token, or
    None."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address, scheduler, voices, key=None, limits=Limits()):
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, Handler)
        self.scheduler = scheduler
        self.voices = voices
        self.key = key
        self.limits = limits
        self.draining = False
        self._lock = threading.Condition()
        self._connections = set()
        self._answering = 0

    def server_bind(self):
        # HTTPServer's own would ask the name server for the host's full name.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def process_request(self, request, client_address):
        with self._lock:
            room = len(self._connections) < self.limits.connections
            if room:
                self._connections.add(request)
        if room:
            super().process_request(request, client_address)
            return
        body = ApiError(
            503, f"{self.limits.connections} connections are open, which is the limit"
        ).body()
        try:
            request.settimeout(0.1)
            request.sendall(
                b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
                b"Retry-After: 1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                % (len(body), body)
            )
        except OSError:
            pass
        self.shutdown_request(request)

    def shutdown_request(self, request):
        with self._lock:
            self._connections.discard(request)
            self._lock.notify_all()
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        logging.exception("a connection failed")

    def answering(self, step):
        with self._lock:
            self._answering += step
            self._lock.notify_all()

    def drain(self, timeout_s):
        """Refuses new requests and waits for those that are being answered. Call after
        shutdown()."""
        self.draining = True
        with self._lock:
            self._lock.wait_for(lambda: self._answering == 0, timeout_s)


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = f"posewire-kokoro/{__version__}"
    sys_version = ""
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.rfile.close()
        self._raw = DeadlineReader(self.connection)
        self.rfile = io.BufferedReader(self._raw, 8192)
        self._watched = Watched(self.connection)
        self._head_sent = False

    def handle_one_request(self):
        limits = self.server.limits
        self._head_sent = False
        self.close_connection = True  # parse_request decides otherwise
        try:
            self._raw.allow(limits.idle_s, limits.head_bytes)
            if not self.rfile.peek(1):
                return
            self._raw.allow(limits.head_s, limits.head_bytes)
            self.raw_requestline = self.rfile.readline(limits.head_bytes + 1)
            if not self.raw_requestline or not self.parse_request():
                return
        except HeadTooLarge:
            error = ApiError(431, f"the head has over {limits.head_bytes} bytes")
            with contextlib.suppress(Disconnected, OSError):
                self._refuse(error)
            return
        except (Disconnected, OSError):  # TimeoutError too
            self.close_connection = True
            return
        self.server.answering(1)
        try:
            self._answer()
        except (Disconnected, OSError):  # TimeoutError too
            self.close_connection = True
        finally:
            self.server.answering(-1)
        if self.server.draining:
            self.close_connection = True

    def _answer(self):
        try:
            if self.server.draining:
                raise stopping()
            path = self.path.split("?")[0].rstrip("/")
            body = self._body()
            if path not in ROUTES:
                raise ApiError(404, f"no such path; valid: {', '.join(ROUTES)}")
            if self.command != ROUTES[path]:
                raise ApiError(
                    405,
                    f"{self.command[:20]} is not for {path}; valid: {ROUTES[path]}",
                    headers=[("Allow", ROUTES[path])],
                )
            if path != "/health":
                self._check_key()
            if path == "/v1/audio/speech":
                self._speech(body)
            else:
                self._json(
                    200,
                    {
                        "/v1/models": self._models,
                        "/v1/audio/voices": self._voices,
                        "/health": self._health,
                    }[path](),
                )
        except ApiError as error:
            if self._head_sent:
                raise Disconnected() from error
            self._refuse(error)

    def _body(self):
        """The request's body, read whole, so that the connection can be used again."""
        lengths = self.headers.get_all("Content-Length", [])
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise ApiError(
                411, "Transfer-Encoding is not supported; valid: a body with Content-Length"
            )
        if not lengths:
            if self.command == "POST":
                self.close_connection = True
                raise ApiError(411, "Content-Length is missing; valid: a body with Content-Length")
            return b""
        if len(set(lengths)) > 1 or not lengths[0].isascii() or not lengths[0].isdigit():
            self.close_connection = True
            raise ApiError(400, f"Content-Length is '{', '.join(lengths)[:40]}'; valid: one number")
        size = int(lengths[0])
        if size > self.server.limits.body_bytes:
            self.close_connection = True
            raise ApiError(
                413, f"the body has {size} bytes; valid: up to {self.server.limits.body_bytes}"
            )
        self._raw.allow(self.server.limits.head_s)
        data = self.rfile.read(size)
        if len(data) < size:
            raise Disconnected()
        return data

    def handle_expect_100(self):
        if self.headers.get("Content-Length", "").isdigit() and (
            int(self.headers["Content-Length"]) > self.server.limits.body_bytes
        ):
            return True  # refused in _body, without asking for it
        return super().handle_expect_100()

    def _check_key(self):
        if self.server.key is None:
            return
        given = self.headers.get("Authorization", "")
        kind, _, token = given.partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(
            token.strip().encode(), self.server.key
        ):
            raise ApiError(
                401,
                "the key is missing or wrong; valid: 'Authorization: Bearer KEY' with the key "
                "of this server's --key-file",
                code="invalid_api_key",
                headers=[("WWW-Authenticate", "Bearer")],
            )

    def _speech(self, body):
        kind = self.headers.get_content_type()
        if kind != "application/json":
            raise ApiError(415, f"Content-Type is {kind[:60]}; valid: application/json")
        request = speech_request.parse(body, self.server.voices, self.server.limits.characters)
        chunked = self.request_version != "HTTP/1.0"

        def start(content_type):
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Cache-Control", "no-store")
            if chunked:
                self.send_header("Transfer-Encoding", "chunked")
            else:
                self.close_connection = True
            self._end_head()

        def chunk(data):
            return b"%x\r\n%s\r\n" % (len(data), data) if chunked else data

        SpeechResponse(self.server.scheduler, self._watched, start, chunk).send(request)

    def _models(self):
        return {
            "object": "list",
            "data": [
                {
                    "id": name,
                    "object": "model",
                    "created": 0,
                    "owned_by": "posewire",
                    "posewire": {"marks": ["phoneme", "word"]},
                }
                for name in speech_request.MODELS
            ],
            "posewire": {"marks": ["phoneme", "word"]},
        }

    def _voices(self):
        return {
            "voices": [
                {
                    "id": voice.alias or voice.name,
                    "name": voice.alias or voice.name,
                    "language": voice.language,
                    "sex": voice.sex,
                    "engine": voice.engine,
                    **({"alias_of": voice.name} if voice.alias else {}),
                }
                for voice in self.server.voices.all()
            ]
        }

    def _health(self):
        return {"status": "ok", "unfinished": self.server.scheduler.unfinished()}

    # Keeps a connection open after a response unless the client or an error wants it closed.
    def _end_head(self):
        self.send_header("Connection", "close" if self.close_connection else "keep-alive")
        self._head_sent = True
        self.connection.settimeout(10)
        self.end_headers()

    def _json(self, status, value, headers=()):
        self._send(status, json.dumps(value, ensure_ascii=False).encode(), headers)

    def _refuse(self, error):
        self._send(error.status, error.body(), error.headers)
        if self.close_connection:
            self._linger()

    def _send(self, status, body, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self._end_head()
        self._watched.send(body)

    def _linger(self):
        """Takes some of what the client still sends, so that it gets to read the error."""
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(0.5)
            for _ in range(16):
                if not self.connection.recv(65536):
                    break
        except OSError:
            pass

    def send_error(self, code, message=None, explain=None):
        """http.server's own refusals: a bad request line, headers that are too many."""
        self.close_connection = True
        self.request_version = "HTTP/1.1"  # whatever the client wrote there
        self._refuse(ApiError(int(code), str(message or explain or "bad request")[:200]))

    def version_string(self):
        return self.server_version

    def log_message(self, format, *args):
        logging.debug(format, *args)
