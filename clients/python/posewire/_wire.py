"""Messages of the services, and the connection to one of them."""

from __future__ import annotations

import asyncio
import ipaddress
import os
from pathlib import Path
from typing import Any, Union

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from ._errors import Error, error_of

# The message classes are made when the package is imported, of the descriptors that its build wrote,
# in a pool of their own. Generated modules would register "nvidia_ace.*.proto" in protobuf's default
# pool, where NVIDIA's own wheel registers files of the same names, and the second import would fail.
# They would also tie the package to the protobuf release of the protoc that made them.
_POOL = descriptor_pool.DescriptorPool()
_FILES = descriptor_pb2.FileDescriptorSet.FromString(
    (Path(__file__).parent / "protocol.pb").read_bytes()
)
for _file in _FILES.file:
    _POOL.Add(_file)

SOURCE = "posewire.source.v1"
CONTROL = "posewire.control.v1"
ANIMATION = "nvidia_ace.animation_data.v1"
ENDED_EARLY = "ended the call before it was over, without saying why"
FilePath = Union[str, "os.PathLike[str]"]


def message(name: str, /, **fields: Any) -> Any:
    """A message of the full name, such as "posewire.source.v1.SayBegin"."""
    return message_class(name)(**fields)


def message_class(name: str) -> Any:
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(name))


class Access:
    """How servers are called: by TLS or in plain text, and with which token.

    `token`: a str is the token itself, a path is a file that holds it. `ca`: a PEM file, or "system";
    with it, servers are called by TLS. `cert`, `key`: PEM files of the client.
    """

    def __init__(
        self,
        token: None | str | os.PathLike[str] = None,
        ca: FilePath | None = None,
        cert: FilePath | None = None,
        key: FilePath | None = None,
    ) -> None:
        if (cert is None) != (key is None):
            raise ValueError("cert and key go together: give both, or none")
        if cert is not None and ca is None:
            raise ValueError('cert needs ca: the PEM file of the server\'s authority, or "system"')
        if token is not None and not isinstance(token, str):
            token = Path(token).read_text(encoding="utf-8").strip()
        self.metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.credentials: Any = None
        if ca is not None:
            self.credentials = grpc.ssl_channel_credentials(
                None if ca == "system" else Path(ca).read_bytes(),
                None if key is None else Path(key).read_bytes(),
                None if cert is None else Path(cert).read_bytes(),
            )

    def check(self, address: str) -> None:
        """A token goes in plain text to this machine alone."""
        host = host_of(address)
        if self.metadata and self.credentials is None and not _is_local(host):
            raise ValueError(f'the token would go to {address} in plain text: give ca, or ca="system"')


def _is_local(host: str) -> bool:
    """Whether it is this machine whatever a name server says: 127.evil.example is not."""
    if host.startswith("unix:") or host in ("localhost", "[::1]"):
        return True
    try:
        return ipaddress.IPv4Address(host).is_loopback
    except ValueError:
        return False


def host_of(address: str) -> str:
    """
    >>> host_of("127.0.0.1:51002"), host_of("[::1]:51002")
    ('127.0.0.1', '[::1]')
    """
    if address.startswith("unix:"):
        return address
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"address {address!r} must be HOST:PORT, such as 127.0.0.1:51002")
    return host


class Peer:
    """A server. Connects at the first call, in the running event loop, and again when that is lost."""

    def __init__(self, address: str, access: Access, name: str, start: str) -> None:
        access.check(address)
        self.address = address
        self._access = access
        self._name = name
        self._start = start
        self._channel: Any = None

    def call(self, method: str, *request: Any, **options_of_call: Any) -> Any:
        """Begins a call of "package.Service/Method"; `request` has the message, if it takes one.

        Options are those of grpc: `timeout` in seconds, `metadata` beside the token.
        """
        if self._channel is None:
            options = [
                ("grpc.max_receive_message_length", -1),
                # A server that is started late is found soon.
                ("grpc.max_reconnect_backoff_ms", 1000),
                ("grpc.keepalive_time_ms", 10000),
                ("grpc.keepalive_timeout_ms", 4000),
            ]
            if self._access.credentials is None:
                self._channel = grpc.aio.insecure_channel(self.address, options)
            else:
                self._channel = grpc.aio.secure_channel(self.address, self._access.credentials, options)
        service, _, name = method.partition("/")
        about = _POOL.FindServiceByName(service).FindMethodByName(name)
        kind = (
            f"{'stream' if about.client_streaming else 'unary'}"
            f"_{'stream' if about.server_streaming else 'unary'}"
        )
        begin = getattr(self._channel, kind)(
            f"/{method}",
            request_serializer=message_class(about.input_type.full_name).SerializeToString,
            response_deserializer=message_class(about.output_type.full_name).FromString,
        )
        metadata = (*self._access.metadata, *options_of_call.pop("metadata", ()))
        return begin(*request, metadata=metadata, **options_of_call)

    async def ask(self, method: str, request: Any, timeout_s: float = 10) -> Any:
        """Calls a method with one answer. Raises Error."""
        try:
            return await self.call(method, request, timeout=timeout_s)
        except grpc.aio.AioRpcError as status:
            raise self.error(status) from None

    def error(self, status: Any) -> Error:
        return error_of(status.code(), status.details(), self.address, self._name, self._start)

    async def error_of_writer(self, end: End) -> Error:
        code, details = await end.status()
        if code == grpc.StatusCode.OK:
            return Error("INTERNAL", f"{self._name} at {self.address} {ENDED_EARLY}")
        return error_of(code, details, self.address, self._name, self._start)

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()
            self._channel = None


class End:
    """How the server ended a call that is written to.

    When a write fails because the call is over, grpc puts INTERNAL in place of what the server said,
    or before it. So this looks when grpc first sets the status, in which moment its coroutines do not
    wait, and later until something else is there.
    """

    def __init__(self, call: Any) -> None:
        self._call = call
        self._status: tuple[Any, str] | None = None
        call.add_done_callback(self._take)

    def _take(self, call: Any) -> None:
        code, details = _at_once(call.code()), _at_once(call.details())
        if details != "Internal error from Core":
            self._status = code, details

    async def status(self) -> tuple[Any, str]:
        """Code and details; INTERNAL when a write has failed and the server says nothing."""
        await self._call.code()
        for _ in range(100):
            if self._status is not None:
                return self._status
            await asyncio.sleep(0.01)
            self._take(self._call)
        return grpc.StatusCode.INTERNAL, "the call has failed in a write"


def _at_once(coroutine: Any) -> Any:
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    return None
