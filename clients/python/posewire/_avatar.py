"""An avatar: what it says, and what it does."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
import weakref
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Union

import grpc

from . import _wire
from ._events import Samples, Sound, Spoken, Word
from ._speech import Mailbox, Speech
from ._voiced import voiced

_log = logging.getLogger("posewire")
Text = Union[str, Iterable[str], AsyncIterable[str]]
Voiced = Union[Samples, Sound]
Value = Union[str, bool, float, Sequence[float]]


@dataclass(frozen=True)
class Voice:
    """A voice of the source. Empty fields are not known.

    `sex` is "female" or "male", `languages` are BCP 47, `marks` is what lips move by ("phonemes",
    "words" or "none"), `engine` is "flite" or the address of a voice server.
    """

    name: str
    description: str = ""
    sex: str = ""
    languages: tuple[str, ...] = ()
    marks: str = ""
    engine: str = ""


@dataclass(frozen=True)
class Event:
    """Something that happened to the avatars of a stream (ControlService.WatchEvents).

    `type` is as in the protocol, in lower case: "request_started", "gesture_ended", "user_acted".
    `time_code_s` is in the avatar's time codes, `time_s` Unix time. `missed` events before this one were
    not told: this reader was too slow.
    """

    type: str
    stream: str
    target: str
    request_id: str
    name: str
    detail: str
    time_code_s: float
    time_s: float
    missed: int


class Avatar:
    """An avatar that a running `a2f_source serve` gives a voice.

    `source` is the address of the a2f_source, `compositor` that of its anim_graph, which gestures,
    variables and events need (the same host, port 51000, unless given). `stream` and `target` say
    which avatar: empty ones are the source's own. `voice`, `language` (BCP 47) and `speed` (0.5 to 2)
    go for all that it says, unless said otherwise.

    `token` is the token itself, or a pathlib.Path of a file that holds it. With `ca` (a PEM file, or
    "system") servers are called by TLS; `cert` and `key` are PEM files of this client.

    Use it in one event loop. Nothing is connected before the first call. Leaving the `async with`
    block, or `close()`, stops what is still being said.

        async with Avatar("127.0.0.1:51002", stream="demo") as avatar:
            await avatar.speak("Hello.")
    """

    def __init__(
        self,
        source: str = "127.0.0.1:51002",
        *,
        stream: str = "",
        compositor: str | None = None,
        target: str = "",
        voice: str = "",
        language: str = "",
        speed: float | None = None,
        token: None | str | os.PathLike[str] = None,
        ca: _wire.FilePath | None = None,
        cert: _wire.FilePath | None = None,
        key: _wire.FilePath | None = None,
    ) -> None:
        self.stream = stream
        self.target = target
        self.voice = voice
        self.language = language
        self.speed = speed
        access = _wire.Access(token, ca, cert, key)
        host = _wire.host_of(source)
        if compositor is None:
            compositor = "127.0.0.1:51000" if host.startswith("unix:") else f"{host}:51000"
        listen = f"a2f_source serve --listen {source} --stream-id {stream or 'demo'}"
        self._source = _wire.Peer(source, access, "a2f_source", listen)
        listen = f"anim_graph --listen {compositor}"
        self._compositor = _wire.Peer(compositor, access, "anim_graph", listen)
        self._open: list[Speech] = []
        self._listeners: weakref.WeakSet[Mailbox[Word]] = weakref.WeakSet()

    async def __aenter__(self) -> Avatar:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stops what is still being said, and disconnects."""
        for speech in list(self._open):
            speech.cancel()
        for listener in list(self._listeners):
            listener.close()
        await self._source.close()
        await self._compositor.close()

    async def speak(
        self,
        text: Text,
        *,
        request_id: str = "",
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        policy: str = "",
    ) -> Spoken:
        """Says a text, to its end: a str, or what yields pieces of it, such as an LLM's stream.

        Pieces may be cut anywhere; the avatar begins with the first clause. An exception of the
        iterator stops the avatar and is raised here, and a task that is cancelled here stops it too.
        `policy` is "queue" (waits for what is being said) or "interrupt" (takes its place). A speech
        that is stopped or interrupted meanwhile, or whose voice fails midway, is no error: see
        `Spoken.reason`. Raises Error when the source refuses it, cannot be reached, or can say none
        of it.
        """
        speech = await self.say(
            text, request_id=request_id, voice=voice, language=language, speed=speed, policy=policy
        )
        return await self._finished(speech)

    async def say(
        self,
        text: None | Text | Iterable[Voiced] | AsyncIterable[Voiced] = None,
        *,
        end: bool | None = None,
        request_id: str = "",
        voice: str | None = None,
        language: str | None = None,
        speed: float | None = None,
        policy: str = "",
        phonemes: bool = False,
        rate: int = 0,
        channels: int = 1,
        live: bool = False,
    ) -> Speech:
        """Begins to say a text, as `speak` does, and returns without waiting.

        Without a text, write to the Speech and `end()` it. With one, it ends with that; `end=False`
        leaves it open for more. With `rate` (Hz) the caller's own voice is played, and what is written
        is samples: see `play`; `live` says that it comes as it is spoken, and is to be heard as soon as can
        be. With `phonemes`, their events come too.
        """
        begin = _wire.message(
            f"{_wire.SOURCE}.SayBegin",
            stream_id=self.stream,
            target_object_id=self.target,
            request_id=request_id or str(uuid.uuid4()),
            voice=self.voice if voice is None else voice,
            language=self.language if language is None else language,
            speed=(self.speed if speed is None else speed) or 0,
            policy=policy,
            phonemes=phonemes,
        )
        if rate:
            begin.sound.rate_hz, begin.sound.channels, begin.sound.live = rate, channels, live
        speech = Speech(self._source, begin, self._hear)
        self._open.append(speech)
        speech.on_end(self._open.remove)
        try:
            await speech.open()
        except BaseException:
            speech.cancel()
            raise
        if text is not None:
            speech.feed([text] if isinstance(text, str) else text, end is not False)
        elif end:
            await speech.end()
        return speech

    async def play(
        self,
        chunks: Iterable[Voiced] | AsyncIterable[Voiced],
        rate: int = 24000,
        channels: int = 1,
        *,
        text: str = "",
        words: Sequence[Word] | None = None,
        request_id: str = "",
        policy: str = "",
    ) -> Spoken:
        """Plays the caller's own voice, to its end: what yields bytes (signed 16 bit, little-endian,
        interleaved), int16 or float32 arrays, or Sounds.

        `text` and `words` (times from the first sample of all) are of the whole voice; Sounds have
        their own instead. With words, each clause waits for all its sound; with a text alone, all
        waits for its end (or 2 MiB): to begin sooner, give Sounds of a clause each. Else as `speak`.
        """
        sounds: Iterable[Voiced] | AsyncIterable[Voiced] = chunks
        if text or words:
            sounds = voiced(chunks, rate, channels, text, words or ())
        speech = await self.say(
            sounds, rate=rate, channels=channels, request_id=request_id, policy=policy
        )
        return await self._finished(speech)

    async def interrupt(self) -> Spoken | None:
        """Silences the avatar.

        Stops what this object says or is to say, and returns how far it came with what was being
        said. When it says nothing, stops all that others have the avatar say, and returns None.
        """
        speeches = [speech for speech in self._open if not speech.ended]
        if not speeches:
            request = _wire.message(
                f"{_wire.SOURCE}.StopRequest", stream_id=self.stream, target_object_id=self.target
            )
            await self._source.ask(f"{_wire.SOURCE}.SourceService/Stop", request)
            return None
        # Those that wait first, so that none of them begins.
        stops = [asyncio.ensure_future(speech.stop()) for speech in reversed(speeches)]
        results = await asyncio.gather(*stops)
        return results[-1]

    def words(self) -> AsyncIterator[Word]:
        """The words of all that this object says, as they are heard, from this call on.

        Ends when the Avatar is closed. Words that nobody reads are kept, up to 20,000.
        """
        listener: Mailbox[Word] = Mailbox()
        self._listeners.add(listener)
        return listener

    async def voices(self) -> list[Voice]:
        """The voices that `voice` may name; the first is the source's own."""
        request = _wire.message(f"{_wire.SOURCE}.ListVoicesRequest")
        answer = await self._source.ask(f"{_wire.SOURCE}.SourceService/ListVoices", request)
        found = [
            Voice(v.name, v.description, v.sex, tuple(v.languages), v.marks, v.engine)
            for v in answer.details
        ] or [Voice(name) for name in answer.voices]
        return sorted(found, key=lambda voice: voice.name != answer.default_voice)

    async def gesture(self, name: str) -> str:
        """Plays a gesture, as the variable `gesture_state`; "none" ends it."""
        return await self.set("gesture_state", name)

    async def expression(self, name: str) -> str:
        """Shows a facial gesture, as the variable `facial_gesture_state`."""
        return await self.set("facial_gesture_state", name)

    async def set(self, name: str, value: Value) -> str:
        """Sets a variable of the graph, and returns its value as it was understood.

        A number, a choice by its name, a flag, or the three numbers of a vector. Raises
        InvalidArgument with the names or values that would be right.
        """
        request = _wire.message(
            f"{_wire.CONTROL}.SetVariableRequest",
            stream_id=self._named_stream(),
            target_object_id=self.target,
            name=name,
            value=text_of(value),
        )
        answer = await self._compositor.ask(f"{_wire.CONTROL}.ControlService/SetVariable", request)
        if answer.note:
            _log.info("%s: %s", name, answer.note)
        return str(answer.value)

    async def events(self) -> AsyncIterator[Event]:
        """What happens to the avatars of the stream, from now on, until the loop is left.

        With a target, events of other avatars are left out. Raises Error when the compositor goes.
        """
        request = _wire.message(f"{_wire.CONTROL}.WatchEventsRequest", stream_id=self._named_stream())
        kinds = _wire.message_class(f"{_wire.CONTROL}.Event").DESCRIPTOR.enum_types_by_name["Type"]
        call = self._compositor.call(f"{_wire.CONTROL}.ControlService/WatchEvents", request)
        try:
            async for e in call:
                if self.target and e.target_object_id not in ("", self.target):
                    continue
                kind = kinds.values_by_number.get(e.type)
                yield Event(
                    kind.name.lower() if kind else str(e.type),
                    e.stream_id,
                    e.target_object_id,
                    e.request_id,
                    e.name,
                    e.detail,
                    e.time_code_s,
                    e.time_s,
                    e.missed,
                )
        except grpc.aio.AioRpcError as status:
            raise self._compositor.error(status) from None
        finally:
            call.cancel()

    def _hear(self, word: Word) -> None:
        for listener in list(self._listeners):
            listener.put(word)

    def _named_stream(self) -> str:
        if not self.stream:
            raise ValueError("stream is empty: the compositor needs to know which one")
        return self.stream

    async def _finished(self, speech: Speech) -> Spoken:
        try:
            return await speech.done()
        except asyncio.CancelledError:
            speech.cancel()
            raise


def text_of(value: Value) -> str:
    """
    >>> [text_of(value) for value in ("Talking", True, 0.5, (0, 1.6, 1))]
    ['Talking', 'true', '0.5', '0,1.6,1']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Sequence):
        return ",".join(map(text_of, value))
    return repr(value)
