"""One text or voice on its way to an avatar, and what is told of it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Coroutine, Iterable
from typing import Any, Callable, Generic, TypeVar, Union

import grpc

from . import _wire
from ._errors import Error, SpeechEnded
from ._events import (
    Accepted,
    Ended,
    Note,
    Phoneme,
    Reason,
    Samples,
    Sound,
    SpeechEvent,
    Spoken,
    Started,
    Word,
    event_of,
    pcm,
)

T = TypeVar("T")
Chunk = Union[str, Samples, Sound]
Chunks = Union[Iterable[Chunk], AsyncIterable[Chunk]]

_log = logging.getLogger("posewire")
# Events and words that wait for a reader that does not come: the oldest are dropped beyond that.
MOST_WAITING = 20_000
# Parts stay below the 4 MiB that a server takes.
_MOST_CHARACTERS = 16_384
MOST_SAMPLE_BYTES = 2 << 20


class Mailbox(Generic[T]):
    """What was told and not read yet, for one reader, who iterates over it once."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        self._error: BaseException | None = None
        self._dropped = 0

    def put(self, item: T) -> None:
        if len(self._items) == MOST_WAITING:
            self._items.popleft()
            if self._dropped == 0:
                _log.warning("events are not read: the oldest of %d are dropped", MOST_WAITING)
            self._dropped += 1
        self._items.append(item)
        self._changed.set()

    def close(self, error: BaseException | None = None) -> None:
        self._closed, self._error = True, error
        self._changed.set()

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._error is not None:
                raise self._error
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._items.popleft()


async def each(chunks: Chunks) -> AsyncIterator[Chunk]:
    """Iterates over either kind. A sync iterator waits in a thread, so that the loop goes on."""
    if isinstance(chunks, AsyncIterable):
        iterator = chunks.__aiter__()
        try:
            async for chunk in iterator:
                yield chunk
        finally:
            close = getattr(iterator, "aclose", None)
            if close is not None:
                await close()
    elif isinstance(chunks, (list, tuple)):
        for chunk in chunks:
            yield chunk
    else:
        end: Any = object()
        values = iter(chunks)
        while (chunk := await asyncio.to_thread(next, values, end)) is not end:
            yield chunk


class Speech:
    """A text that is being said, or a voice of the caller's that is being played.

    Made by `Avatar.say()`. Write to it, iterate over its events, and await `done()`; all three may be
    done by different tasks. Iterating gives each event once, and ends after Ended. Events that nobody
    reads are kept, up to 20,000. A speech ends by itself, by `stop()`, by
    `cancel()`, or with its Avatar.

    Errors of the call are raised by whatever waits for it: writing, iterating and `done()`.
    """

    def __init__(self, peer: _wire.Peer, begin: Any, heard: Callable[[Word], None]) -> None:
        self.request_id: str = begin.request_id
        self._peer = peer
        self._begin = begin
        self._heard = heard
        self._rate = begin.sound.rate_hz  # 0: a text
        self._frame_bytes = 2 * max(1, begin.sound.channels)
        self._rest = b""  # of a sample whose other bytes are in the next chunk
        self._call = peer.call(f"{_wire.SOURCE}.SourceService/SayStream")
        self._end = _wire.End(self._call)
        self._events: Mailbox[SpeechEvent] = Mailbox()
        self._writing = asyncio.Lock()
        self._closed = False  # by end()
        self._stopped = False
        self._accepted = asyncio.Event()
        self._over: asyncio.Future[Spoken] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Future[Any]] = set()
        self._feeder: asyncio.Future[Any] | None = None
        self._spawn(self._read())

    # What the caller does.

    async def write(self, chunk: Chunk) -> None:
        """Adds text, or to a voice samples or a Sound. Waits while the source is behind.

        Raises SpeechEnded when the speech is over, and the call's Error when it failed.
        """
        if isinstance(chunk, str):
            if self._rate:
                raise TypeError("text was written to a voice: write samples or a Sound")
            for at in range(0, len(chunk), _MOST_CHARACTERS):
                await self._send(text=chunk[at : at + _MOST_CHARACTERS])
            return
        if not self._rate:
            kind = type(chunk).__name__
            raise TypeError(f"{kind} was written to a text: write str, or use say(rate=...)")
        for part in self._parts(chunk if isinstance(chunk, Sound) else Sound(chunk)):
            await self._send(sound=part)

    async def flush(self) -> None:
        """Has said what was held back, to see how the sentence goes on: the text pauses here."""
        await self._send(flush=_message("SayFlush"))

    async def mark_gesture(self, name: str) -> None:
        """Plays a gesture here in the text: a value of the variable `gesture_state`."""
        await self._send(mark=_message("SayMark", gesture=name))

    async def mark_expression(self, name: str) -> None:
        """Shows a facial gesture here: a value of the variable `facial_gesture_state`."""
        await self._send(mark=_message("SayMark", expression=name))

    async def mark_emotion(self, name: str, strength: float = 1.0) -> None:
        """Colours the face from here on: one of ACE's ten emotions or "neutral", strength 0 to 1."""
        emotion = _message("SayEmotion", name=name, strength=strength)
        await self._send(mark=_message("SayMark", emotion=emotion))

    async def mark_pause(self, seconds: float) -> None:
        """Is silent here, for at most 10 s."""
        await self._send(mark=_message("SayMark", pause_s=seconds))

    async def mark_language(self, language: str) -> None:
        """Speaks another language from here on (BCP 47); empty: as at the beginning."""
        await self._send(mark=_message("SayMark", language=language))

    async def end(self) -> None:
        """Ends the text; what was written is said. Nothing happens when it has ended already."""
        if self._rest:
            raise ValueError(f"the voice ends {len(self._rest)} bytes into a sample of all channels")
        await self._fed()
        await self._shielded(self._half_close())

    async def done(self) -> Spoken:
        """Waits until all is said, or the speech is stopped; does not end the text.

        Cancelling this wait leaves the speech as it is.
        """
        return await asyncio.shield(self._over)

    async def stop(self) -> Spoken:
        """Silences the avatar, drops what was not said yet, and returns how far it came."""
        self._stopped = True
        self._stop_feeding()
        # In the call, SayStop waits behind what was written and not read yet, which may be seconds of
        # a voice. So Stop goes beside it, as soon as the source knows this speech; before, SayStop is
        # what makes it known.
        self._in_background(self._write_stop())
        accepted = self._spawn(self._accepted.wait())
        await asyncio.wait({accepted, self._over}, return_when=asyncio.FIRST_COMPLETED)
        accepted.cancel()
        if not self._over.done():
            request = _message(
                "StopRequest",
                stream_id=self._begin.stream_id,
                target_object_id=self._begin.target_object_id,
                request_id=self.request_id,
            )
            try:
                await self._peer.ask(f"{_wire.SOURCE}.SourceService/Stop", request)
            except Error:
                self.cancel()
                raise
        return await self.done()

    def cancel(self) -> None:
        """Gives up at once, which stops the avatar. Does not wait; `done()` raises Error."""
        if not self._over.done():
            self._fail(Error("CANCELLED", "the speech was cancelled by its caller"))
            self._over.exception()  # which the caller knows

    @property
    def ended(self) -> bool:
        """Whether the speech is over, in whatever way."""
        return self._over.done()

    def __aiter__(self) -> AsyncIterator[SpeechEvent]:
        return self

    async def __anext__(self) -> SpeechEvent:
        try:
            return await self._events.__anext__()
        except StopAsyncIteration:
            raise
        except BaseException:
            if self._over.done() and not self._over.cancelled():
                self._over.exception()  # it was told
            raise

    # What runs beside it.

    def feed(self, chunks: Chunks, end: bool) -> None:
        """Begins to write what is iterated over. An exception of the iterator cancels the call, and is
        raised by `done()`."""
        self._feeder = self._spawn(self._feed(chunks, end))

    def on_end(self, tell: Callable[[Speech], None]) -> None:
        self._over.add_done_callback(lambda _: tell(self))

    async def open(self) -> None:
        await self._send(begin=self._begin)

    async def _feed(self, chunks: Chunks, end: bool) -> None:
        source = each(chunks)
        try:
            async for chunk in source:
                await self.write(chunk)
            if end:
                await self.end()
        except SpeechEnded:
            pass
        except Exception as error:
            self._fail(error)
        finally:
            await source.aclose()  # type: ignore[attr-defined]

    async def _read(self) -> None:
        words: list[Word] = []
        ended: Ended | None = None
        started = False
        try:
            async for message in self._call:
                event = event_of(message)
                if event is None:
                    continue
                if isinstance(event, Accepted):
                    self._accepted.set()
                elif isinstance(event, Started):
                    started = True
                elif isinstance(event, Word):
                    words.append(event)
                    self._heard(event)
                elif isinstance(event, Note):
                    _log.info("%s: %s", self.request_id, event.text)
                elif isinstance(event, Ended):
                    ended = event
                self._events.put(event)
        except grpc.aio.AioRpcError:
            if ended is None or (ended.reason is Reason.FAILED and not started):
                self._fail(await self._peer.error_of_writer(self._end))
        except asyncio.CancelledError:
            self.cancel()
        except Exception as error:
            self._fail(error)
        if ended is None:
            self._fail(Error("INTERNAL", f"the source {_wire.ENDED_EARLY}"))
            return
        if ended.reason is Reason.FAILED and not self._over.done():
            _log.warning("speech %s failed: %s", self.request_id, ended.detail)
        said = ended.reason, ended.spoken_text, ended.spoken_s, ended.detail
        self._finish(Spoken(*said, self.request_id, tuple(words)))

    def _finish(self, spoken: Spoken) -> None:
        if not self._over.done():
            self._over.set_result(spoken)
            self._stop_feeding()
            self._events.close()

    def _fail(self, error: BaseException) -> None:
        if not self._over.done():
            self._over.set_exception(error)
            self._stop_feeding()
            self._events.close(error)
            self._call.cancel()

    def _stop_feeding(self) -> None:
        if self._feeder is not None and self._feeder is not asyncio.current_task():
            self._feeder.cancel()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Future[Any]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _shielded(self, work: Coroutine[Any, Any, None]) -> None:
        """grpc cancels the call with the task that writes. A task that gives up a write, or is stopped
        in one, only stops to wait for it here."""
        await asyncio.shield(self._in_background(work))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[Any]:
        task = self._spawn(work)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _fed(self) -> None:
        """Waits until what `say` was given is written; what the caller writes comes after that."""
        if self._feeder is not None and self._feeder is not asyncio.current_task():
            await asyncio.wait({self._feeder})

    async def _send(self, **part: Any) -> None:
        await self._fed()
        await self._shielded(self._write(_message("SayPart", **part)))

    async def _write(self, part: Any) -> None:
        async with self._writing:
            if self._closed:
                raise ValueError("the text has ended: nothing can be written after end()")
            if not (self._stopped or self._over.done()):
                try:
                    await self._call.write(part)
                    return
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
                    pass  # the call is over, and its reader knows why
            spoken = await self.done()
            raise SpeechEnded("CANCELLED", f"the speech is over: {spoken.reason}")

    async def _write_stop(self) -> None:
        async with self._writing:
            if not (self._closed or self._over.done()):
                await self._call.write(_message("SayPart", stop=_message("SayStop")))

    async def _half_close(self) -> None:
        async with self._writing:
            if not (self._stopped or self._over.done()):
                self._closed = True
                await self._call.done_writing()

    def _parts(self, sound: Sound) -> Iterable[Any]:
        """The messages of a sound, of whole samples: one, unless it is very long. A cut is in no word,
        and the texts of what is cut are those of the words."""
        size = self._frame_bytes
        samples = self._rest + pcm(sound.samples, size // 2)
        whole = len(samples) - len(samples) % size
        self._rest = samples[whole:]
        begin = 0
        timed: list[Word | Phoneme] = [*sound.words, *sound.phonemes]
        while True:
            end = min(begin + MOST_SAMPLE_BYTES // size * size, whole)
            last = end == whole
            if not last:
                cut_s = end / size / self._rate
                over = [t.start_s for t in timed if t.start_s < cut_s < t.end_s]
                cut = int(min(over, default=cut_s) * self._rate) * size
                end = cut if cut > begin else end
            from_s = begin / size / self._rate
            to_s = math.inf if last else end / size / self._rate
            here = [t for t in timed if (begin == 0 or t.start_s >= from_s) and t.start_s < to_s]
            part = _message("SaySound", samples=samples[begin:end])
            part.ends_clause = last and sound.ends_clause
            if begin == 0 and (last or not sound.words):
                part.text = sound.text
            for t in here:
                times = dict(start_s=t.start_s - from_s, end_s=t.end_s - from_s)
                if isinstance(t, Word):
                    part.words.add(text=t.text, **times)
                else:
                    part.phonemes.add(phone=t.phone, **times)
            yield part
            if last:
                return
            begin = end


def _message(name: str, /, **fields: Any) -> Any:
    return _wire.message(f"{_wire.SOURCE}.{name}", **fields)
