"""What goes wrong in a call, as exceptions."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A call failed.

    `code` is the name of its gRPC status, such as "NOT_FOUND"; `message` is what the server says,
    which names the field, its value and what would be right.

    >>> error = Error("NOT_FOUND", "stream \\"x\\" is not known")
    >>> print(error.code, "-", error)
    NOT_FOUND - stream "x" is not known
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Unavailable(Error):
    """The server cannot be reached, is ending, or cannot reach the server that it needs."""


class InvalidArgument(Error):
    """A field has a value that the server refuses."""


class NotFound(Error):
    """There is no such stream, request, gesture or voice."""


class AlreadyExists(Error):
    """A request of that id is being said already, or waits."""


class ResourceExhausted(Error):
    """A limit of the server is reached, or this client reads too slowly."""


class PermissionDenied(Error):
    """The token is missing (UNAUTHENTICATED), or may not do this (PERMISSION_DENIED)."""


class Unimplemented(Error):
    """The server is older than this call, or another one serves it."""


class SpeechEnded(Error):
    """Something was written to a speech that is over: it was stopped or interrupted meanwhile.

    Its `done()` says how far it came.
    """


_BY_CODE: dict[str, type[Error]] = {
    "UNAVAILABLE": Unavailable,
    "INVALID_ARGUMENT": InvalidArgument,
    "NOT_FOUND": NotFound,
    "ALREADY_EXISTS": AlreadyExists,
    "RESOURCE_EXHAUSTED": ResourceExhausted,
    "UNAUTHENTICATED": PermissionDenied,
    "PERMISSION_DENIED": PermissionDenied,
    "UNIMPLEMENTED": Unimplemented,
}
# How gRPC words what it found out itself. Other UNAVAILABLE statuses come from a server that is there.
_NO_CONNECTION = ("failed to connect", "dns resolution failed", "connections to all backends failing")


def error_of(status: Any, details: str | None, address: str, name: str, start: str) -> Error:
    """The exception for the status of a call to `name` at `address`.

    `start` is the command that starts such a server.
    """
    code: str = status.name
    message = details or f"{name} at {address} gave no reason"
    if code == "UNIMPLEMENTED" and not details:
        message = f"{name} at {address} does not know this call: a newer one is needed"
    if code == "UNAVAILABLE" and any(word in message.lower() for word in _NO_CONNECTION):
        message = f"cannot reach {name} at {address}: start it with `{start}` ({message})"
    return _BY_CODE.get(code, Error)(code, message)
