"""Any call of a server by its name, with messages as dicts."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any

import grpc
from google.protobuf import json_format

from . import _wire
from ._errors import InvalidArgument

# The services, and the command that starts a server of each.
_SERVICES = {
    "ControlService": (_wire.CONTROL, "anim_graph", "anim_graph --listen {0}"),
    "SourceService": (_wire.SOURCE, "a2f_source", "a2f_source serve --listen {0}"),
}


class Calls:
    """The calls of one server that no other class of this package makes.

    `service` is "ControlService" of an anim_graph, or "SourceService" of an a2f_source. Access is as
    of Avatar. Use it in one event loop. Nothing is connected before the first call.

        async with posewire.Calls("ControlService", "127.0.0.1:51000") as control:
            for clip in (await control.ask("ListClips"))["clips"]:
                print(clip["name"])
    """

    def __init__(
        self,
        service: str,
        address: str,
        *,
        token: None | str | os.PathLike[str] = None,
        ca: _wire.FilePath | None = None,
        cert: _wire.FilePath | None = None,
        key: _wire.FilePath | None = None,
    ) -> None:
        if service not in _SERVICES:
            raise ValueError(f"service {service!r} must be one of {', '.join(_SERVICES)}")
        package, program, start = _SERVICES[service]
        self._package = package
        self._service = f"{package}.{service}"
        access = _wire.Access(token, ca, cert, key)
        self._peer = _wire.Peer(address, access, program, start.format(address))

    @property
    def address(self) -> str:
        return self._peer.address

    async def __aenter__(self) -> Calls:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Disconnects; calls in progress fail."""
        await self._peer.close()

    async def ask(self, method: str, /, *, timeout_s: float = 10, **fields: Any) -> dict[str, Any]:
        """Calls a method with one answer. `fields` are those of its request, by their names in the
        protocol; messages are dicts, and enums the names of their values.

        The answer has the same form. Fields that are empty or 0 are left out. Raises Error;
        InvalidArgument for a field that the request does not have.
        """
        request = self._request(method, fields)
        return _dict(await self._peer.ask(f"{self._service}/{method}", request, timeout_s))

    async def watch(self, method: str, /, **fields: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Calls a method with many answers. Returns once the server has taken the call, so that what
        happens from then on is among the answers. Closing the iterator ends the call."""
        call = self._peer.call(f"{self._service}/{method}", self._request(method, fields))
        try:
            await call.initial_metadata()
        except BaseException as error:
            call.cancel()
            if isinstance(error, grpc.aio.AioRpcError):
                raise self._peer.error(error) from None
            raise
        if call.done():
            # It was refused. Reading raises the reason.
            async for _ in self._answers(call):
                pass
        return self._answers(call)

    async def _answers(self, call: Any) -> AsyncGenerator[dict[str, Any], None]:
        try:
            async for answer in call:
                yield _dict(answer)
        except grpc.aio.AioRpcError as status:
            raise self._peer.error(status) from None
        finally:
            call.cancel()

    def _request(self, method: str, fields: dict[str, Any]) -> Any:
        try:
            return json_format.ParseDict(fields, _wire.message(f"{self._package}.{method}Request"))
        except KeyError:
            raise InvalidArgument(
                "INVALID_ARGUMENT", f"{self._service} has no call {method!r}"
            ) from None
        except (json_format.ParseError, TypeError) as error:
            raise InvalidArgument("INVALID_ARGUMENT", f"{method}: {error}") from None


def _dict(message: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return fields
