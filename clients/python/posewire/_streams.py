"""Poses over gRPC: pulled as frames, and pushed."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any

import grpc

from . import _wire
from ._errors import Error
from ._frames import Decoder, Frame, encode, encode_header, encode_status

_SERVICE = "nvidia_ace.services.animation_data.v1.AnimationDataService"


async def pull(
    address: str = "127.0.0.1:51000",
    *,
    stream: str,
    request_id: str = "",
    target: str = "",
    rig: str = "",
    sparse: bool | str = False,
    token: None | str | os.PathLike[str] = None,
    ca: _wire.FilePath | None = None,
    cert: _wire.FilePath | None = None,
    key: _wire.FilePath | None = None,
) -> AsyncIterator[Frame]:
    """The frames of an avatar as an anim_graph (or an a2f_source that listens) sends them.

    Goes on until the loop is left or, with `request_id`, that request is over. `rig` names the rig
    to be sent; the avatar's own unless given. `sparse` asks for only what changes of a pose, which
    takes a quarter of the pose's bytes ("quantised": a tenth): frames are complete all the same,
    within 0.2 mm a joint of the exact ones, about 1 mm at the fingertips. Access is as of Avatar.
    Metadata is left out. A reader that is 4 frames late gets frames without their pose. Raises Error
    when the server ends the call, or a request has lost its source; a lost connection is not called
    again.

        async for frame in posewire.pull("127.0.0.1:51000", stream="demo"):
            print(frame.time_code_s, frame.rotations)
    """
    peer = _peer(address, _wire.Access(token, ca, cert, key), "anim_graph --listen")
    ids = dict(stream_id=stream, request_id=request_id, target_object_id=target)
    request = _wire.message("nvidia_ace.animation_id.v1.AnimationIds", **ids)
    options = {"x-posewire-rig": rig}
    if sparse:
        options["x-posewire-sparse"] = sparse if isinstance(sparse, str) else "1"
    metadata = tuple((name, value) for name, value in options.items() if value)
    decoder = Decoder()
    call = peer.call(f"{_SERVICE}/PullAnimationDataStream", request, metadata=metadata)
    try:
        if sparse:
            name, form = metadata[-1]
            if (name, form) in tuple(await call.initial_metadata() or ()):
                decoder.sparse = form
        async for message in call:
            for frame in decoder.frames(message):
                yield frame
    except grpc.aio.AioRpcError as status:
        raise peer.error(status) from None
    finally:
        call.cancel()
        await peer.close()
    if decoder.failed:
        raise Error("ABORTED", decoder.failed)


class Push:
    """A request of the caller's own: poses and sound, played by an anim_graph.

    `joints` and `shapes` name the rows of the arrays of each frame; names of ACE, H-Anim and Unity are
    recognised. `rate` is that of its sound (Hz), 0 for none. With `fps`, frames are that far apart,
    and their own codes do not count. `mode` is "stall" or "live", `policy` "queue" or "interrupt";
    empty ones are the server's. Access is as of Avatar.

    The request ends well with the `async with` block, and `answer` is what the server says of it
    then; an exception in the block breaks it off. Raises Error when the server refuses it.

        async with posewire.push(stream="demo", shapes=["jawOpen"], fps=30) as p:
            await p.send(Frame(0, weights=[0.5]))
    """

    def __init__(
        self,
        address: str = "127.0.0.1:51000",
        *,
        stream: str,
        joints: Sequence[str] = (),
        shapes: Sequence[str] = (),
        rate: int = 0,
        fps: float | None = None,
        request_id: str = "",
        target: str = "",
        source: str = "posewire-python",
        mode: str = "",
        policy: str = "",
        token: None | str | os.PathLike[str] = None,
        ca: _wire.FilePath | None = None,
        cert: _wire.FilePath | None = None,
        key: _wire.FilePath | None = None,
    ) -> None:
        self.request_id = request_id or str(uuid.uuid4())
        self.answer = ""
        self._peer = _peer(address, _wire.Access(token, ca, cert, key), "anim_graph --listen")
        ids = dict(stream_id=stream, request_id=self.request_id, target_object_id=target)
        self._header = encode_header(joints, shapes, rate, ids, source, time.time())
        self._about = len(joints), len(shapes), rate
        self._fps = fps
        options = {"x-posewire-mode": mode, "x-posewire-policy": policy}
        self._metadata = tuple((name, value) for name, value in options.items() if value)
        self._sent = 0

    async def __aenter__(self) -> Push:
        self._call = self._peer.call(f"{_SERVICE}/PushAnimationDataStream", metadata=self._metadata)
        self._end = _wire.End(self._call)
        try:
            await self._write(self._header)
        except BaseException:
            self._call.cancel()
            await self._peer.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                await self._write(encode_status(""))
                await self._call.done_writing()
                self.answer = (await self._call).message
        except grpc.aio.AioRpcError:
            raise await self._peer.error_of_writer(self._end) from None
        finally:
            self._call.cancel()
            await self._peer.close()

    async def send(self, frame: Frame) -> None:
        """Sends a frame; waits while the server has enough. Cancelled in that, the push is broken off.

        Raises ValueError when an array has not as many rows as there are names.
        """
        if self._fps is not None:
            frame = dataclasses.replace(frame, time_code_s=self._sent / self._fps, audio_time_code_s=None)
        await self._write(encode(frame, *self._about))
        self._sent += 1

    async def _write(self, message: Any) -> None:
        try:
            await self._call.write(message)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            raise await self._peer.error_of_writer(self._end) from None


def _peer(address: str, access: _wire.Access, start: str) -> _wire.Peer:
    return _wire.Peer(address, access, "anim_graph", f"{start} {address}")
