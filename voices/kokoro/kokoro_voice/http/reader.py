"""Reads from a connection with a deadline for the whole of a head or body, and a limit on the
head."""

import io
import time


class HeadTooLarge(Exception):
    """More bytes than a request's head may have."""


class DeadlineReader(io.RawIOBase):
    """The raw side of a buffered reader. Owned by the connection's thread."""

    def __init__(self, connection):
        super().__init__()
        self._connection = connection
        self._deadline = None
        self._left = None

    def allow(self, seconds, most_bytes=None):
        """From now on, all reads together may take so long and bring so much. Raises TimeoutError
        and HeadTooLarge out of read calls."""
        self._deadline = time.monotonic() + seconds
        self._left = most_bytes

    def readable(self):
        return True

    def readinto(self, buffer):
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("the client is too slow")
        if self._left is not None and self._left <= 0:
            raise HeadTooLarge()
        self._connection.settimeout(seconds)
        size = len(buffer) if self._left is None else min(len(buffer), self._left)
        count = self._connection.recv_into(memoryview(buffer)[:size])
        if self._left is not None:
            self._left -= count
        return count
