"""One response of POST /v1/audio/speech: waits for pieces, sends them, and watches the client
meanwhile."""

import logging
import select
import socket

from ..synthesis import clauses
from ..synthesis.scheduler import Busy, Closed, Failed, Finished
from ..voices import ESPEAK
from .encoding import EventStream, SoundStream
from .errors import ApiError

SEND_TIMEOUT_S = 30.0  # for SEND_BYTES, half a second of sound and more
SEND_BYTES = 32768


class Disconnected(Exception):
    """The client has gone; nothing more can be sent."""


def stopping():
    return ApiError(503, "the server is stopping; try again", headers=[("Retry-After", "2")])


class Watched:
    """A connection that is watched for its end while something else is waited for."""

    def __init__(self, connection):
        self._connection = connection
        self._watch = True

    def wait(self, other, timeout_s):
        """Until `other` is readable or the time is over. Raises Disconnected at once if the client
        closes."""
        watched = [other] + ([self._connection] if self._watch else [])
        readable, _, _ = select.select(watched, [], [], timeout_s)
        if self._connection in readable:
            try:
                if not self._connection.recv(1, socket.MSG_PEEK):
                    raise Disconnected()
            except BlockingIOError:
                pass
            except OSError as error:
                raise Disconnected() from error
            else:
                self._watch = False  # the next request is here already

    def send(self, data):
        self._connection.settimeout(SEND_TIMEOUT_S)
        try:
            for at in range(0, len(data), SEND_BYTES):
                self._connection.sendall(data[at : at + SEND_BYTES])
        except OSError as error:  # also a time-out
            raise Disconnected() from error


class SpeechResponse:
    """`start(content_type)` sends the response's head; it is called when the first sound is there,
    so that an error before can still have a status. `chunk(data)` frames data as the head
    promised."""

    def __init__(self, scheduler, watched, start, chunk):
        self._scheduler = scheduler
        self._watched = watched
        self._start = start
        self._chunk = chunk

    def send(self, request):
        """Raises ApiError before anything was sent, Disconnected after."""
        try:
            split = clauses.whole_sentences if request.engine == ESPEAK else clauses.split
            run = self._scheduler.begin(request, list(split(request.text)))
        except Busy as error:
            raise ApiError(
                429,
                "all places in the queue are taken; try again",
                code="queue_full",
                headers=[("Retry-After", "1")],
            ) from error
        except Closed as error:
            raise stopping() from error
        stream = (
            EventStream(request.response_format, len(request.text))
            if request.sse
            else SoundStream(request.response_format)
        )
        started = False
        try:
            while True:
                try:
                    piece = run.take()
                    data = None if piece is None else stream.piece(piece)
                except Finished:
                    break
                except (Failed, Closed) as error:
                    problem = (
                        stopping()
                        if isinstance(error, Closed)
                        else ApiError(
                            500, "this text could not be synthesised; the server's log says why"
                        )
                    )
                    if not started:
                        raise problem from error
                    last = stream.error(problem)
                    if last:
                        self._watched.send(self._chunk(last))
                    raise Disconnected() from error
                if data is None:
                    self._watched.wait(run, None)
                    continue
                if not started:
                    self._start(stream.content_type)
                    started = True
                self._watched.send(self._chunk(data))
            if not started:
                self._start(stream.content_type)
            data = stream.end()
            self._watched.send((self._chunk(data) if data else b"") + self._chunk(b""))
        except Disconnected:
            logging.info(
                "cancelled a request of %d characters: the client has gone", len(request.text)
            )
            raise
        finally:
            run.cancel()
