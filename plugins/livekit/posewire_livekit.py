"""An avatar in a LiveKit room: the agent's side (AvatarSession), and the worker that joins the room.

    avatar = posewire_livekit.AvatarSession(source="127.0.0.1:51002", stream="demo")
    await avatar.start(session, ctx.room)
    await session.start(agent=agent, room=ctx.room)

The agent sends its voice to the worker by LiveKit's own protocol (byte streams `lk.audio_stream`, RPCs
`lk.clear_buffer`, `lk.playback_started` and `lk.playback_finished`). The worker has a2f_source play it,
and publishes the film that renderer_sink draws of the avatar, with the voice that is in it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

import av
import numpy as np
import posewire
from livekit import api, rtc
from livekit.agents import types, voice
from livekit.agents.voice.avatar import (
    AudioSegmentEnd,
    AvatarOptions,
    AvatarRunner,
    DataStreamAudioOutput,
    DataStreamAudioReceiver,
    VideoGenerator,
)

logger = logging.getLogger("posewire.livekit")

FILM_RATE_HZ = 48000
# Of 1: where a voice begins.
_AUDIBLE = 0.01
# How long a film may take from the compositor to here; a segment that is not found in it ends then.
_FILM_DELAY_S = 2.0
# Pictures and sound that wait to be published; the oldest are dropped.
_MOST_FRAMES = 100
# How long the source may take to stop before the call is cancelled, which stops it too.
_STOP_TIMEOUT_S = 2.0
# Of a word that is cut so soon after its beginning nothing is understood.
_NOT_HEARD_S = 0.05


class HeardWords:
    """A mixin for audio outputs: tells the agent which words were heard before an interruption.

    It needs a TTS that times its text (TTSCapabilities.aligned_transcript); of a sentence that is timed
    as a whole, words are taken to be as long as they have letters. Where the room's output synchronises
    transcripts (TextOutputOptions.sync_transcription), LiveKit's own estimate takes its place.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._segments: deque[_Timed] = deque()  # that have not been played
        self._open = False

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        if not self._open:
            self._open = True
            self._segments.append(_Timed())
        self._segments[-1].add(frame)
        await super().capture_frame(frame)

    def flush(self) -> None:
        self._open = False
        super().flush()

    def on_playback_finished(
        self,
        *,
        playback_position: float,
        interrupted: bool,
        synchronized_transcript: str | None = None,
    ) -> None:
        segment = self._segments.popleft() if self._segments else _Timed()
        if interrupted and segment.texts and synchronized_transcript is None:
            synchronized_transcript = segment.heard(playback_position)
        super().on_playback_finished(
            playback_position=playback_position,
            interrupted=interrupted,
            synchronized_transcript=synchronized_transcript,
        )


class _Timed:
    """The text of a segment, with the times that the TTS gave it."""

    def __init__(self) -> None:
        self.texts: list[tuple[float, float | None, str]] = []  # from, to, what
        self._length_s = 0.0

    def add(self, frame: rtc.AudioFrame) -> None:
        for text in frame.userdata.get(types.USERDATA_TIMED_TRANSCRIPT, ()):
            start_s, end_s = getattr(text, "start_time", None), getattr(text, "end_time", None)
            known = isinstance(start_s, float | int)
            begin_s = float(start_s) if known else self._length_s
            self.texts.append(
                (begin_s, end_s if isinstance(end_s, float | int) else None, str(text))
            )
        self._length_s += frame.duration

    def heard(self, position_s: float) -> str:
        """To the word that was last begun."""
        heard = ""
        ends = [begin_s for begin_s, _, _ in self.texts[1:]] + [self._length_s]
        for (begin_s, end_s, text), next_s in zip(self.texts, ends, strict=True):
            letter_s = ((end_s or next_s) - begin_s) / max(1, len(text))
            for word in re.finditer(r"\s*\S+\s*", text):
                if begin_s + word.start() * letter_s + _NOT_HEARD_S > position_s:
                    return heard.rstrip()
                heard += word.group()
        return heard.rstrip()


class AvatarAudioOutput(HeardWords, DataStreamAudioOutput):
    """Sends the agent's voice to the worker."""


class AvatarSession(voice.avatar.AvatarSession):
    """The agent's side: starts a worker on this machine, which joins the room on the agent's behalf.

    `source` and `compositor` are the addresses of a2f_source and anim_graph, `stream` is the avatar's.
    `renderer` is the program renderer_sink. `identity` is the worker's in the room.
    """

    def __init__(
        self,
        *,
        source: str = "127.0.0.1:51002",
        compositor: str = "127.0.0.1:51000",
        stream: str = "demo",
        size: str = "640x360",
        fps: int = 25,
        renderer: str = "renderer_sink",
        identity: str = "posewire-avatar",
    ) -> None:
        super().__init__()
        self._identity = identity
        self._flags = [f"--source={source}", f"--compositor={compositor}", f"--stream={stream}"]
        self._flags += [f"--size={size}", f"--fps={fps}", f"--renderer={renderer}"]
        self._worker: asyncio.subprocess.Process | None = None

    @property
    def avatar_identity(self) -> str:
        return self._identity

    @property
    def provider(self) -> str:
        return "posewire"

    async def start(
        self,
        agent_session: voice.AgentSession,
        room: rtc.Room,
        *,
        livekit_url: str | None = None,
        livekit_api_key: str | None = None,
        livekit_api_secret: str | None = None,
    ) -> None:
        """Before AgentSession.start(). The server and its key come from the environment's LIVEKIT_URL,
        LIVEKIT_API_KEY and LIVEKIT_API_SECRET unless given."""
        await super().start(agent_session, room)
        url = livekit_url or os.environ.get("LIVEKIT_URL")
        if not url:
            raise ValueError(
                "livekit_url is empty, and so is LIVEKIT_URL: such as ws://127.0.0.1:7880"
            )
        token = (
            api.AccessToken(livekit_api_key, livekit_api_secret)
            .with_kind("agent")
            .with_identity(self._identity)
            .with_grants(api.VideoGrants(room_join=True, room=room.name))
            .with_attributes({types.ATTRIBUTE_PUBLISH_ON_BEHALF: room.local_participant.identity})
        )
        # Not as arguments: other users of the machine can see those.
        access = {"LIVEKIT_URL": url, "LIVEKIT_TOKEN": token.to_jwt()}
        self._worker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "posewire_livekit", *self._flags, env={**os.environ, **access}
        )
        agent_session.output.audio = AvatarAudioOutput(
            room,
            destination_identity=self._identity,
            wait_remote_track=rtc.TrackKind.KIND_VIDEO,
            wait_playback_start=True,
        )

    async def aclose(self) -> None:
        if self._worker and self._worker.returncode is None:
            self._worker.terminate()
            await self._worker.wait()
        await super().aclose()


class Film:
    """What renderer_sink draws of an avatar: its pictures, and its voice.

    `frames()` may be iterated over once. Raises RuntimeError, with renderer_sink's last words, when
    the film ends by itself.
    """

    def __init__(
        self, compositor: str, stream: str, size: str, fps: int, renderer: str = "renderer_sink"
    ) -> None:
        self.width, self.height = (int(part) for part in size.split("x"))
        self.fps = fps
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._url = f"rtmp://127.0.0.1:{free.getsockname()[1]}/live/avatar"
        self._command = [renderer, "stream", "--from", compositor, "--stream-id", stream]
        self._command += ["--to", self._url, "--size", size, "--fps", str(fps)]

    async def frames(self) -> AsyncIterator[rtc.VideoFrame | rtc.AudioFrame]:
        loop = asyncio.get_running_loop()
        waiting: deque[rtc.VideoFrame | rtc.AudioFrame | None] = deque(maxlen=_MOST_FRAMES)
        more = asyncio.Event()

        def put(frame: rtc.VideoFrame | rtc.AudioFrame | None) -> None:
            waiting.append(frame)
            more.set()

        def give(frame: rtc.VideoFrame | rtc.AudioFrame | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(put, frame)

        threading.Thread(target=self._read, args=(give,), daemon=True).start()
        process = await asyncio.create_subprocess_exec(
            *self._command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
        words = asyncio.ensure_future(_last_words(process.stderr))
        words.add_done_callback(lambda _: put(None))
        try:
            while True:
                while not waiting:
                    more.clear()
                    await more.wait()
                if (frame := waiting.popleft()) is None:
                    if process.returncode is None:
                        process.terminate()  # its film could not be read
                    raise RuntimeError(f"the film of renderer_sink has ended: {await words}")
                yield frame
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()

    def _read(self, give) -> None:
        try:
            options = {
                "listen": "1",
                "fflags": "nobuffer",
                "probesize": "32",
                "analyzeduration": "0",
            }
            with av.open(self._url, options=options, timeout=(30, 10)) as film:
                to_pcm = av.AudioResampler("s16", "mono", FILM_RATE_HZ)
                for packet in film.demux():
                    for frame in packet.decode():
                        if isinstance(frame, av.VideoFrame):
                            data = frame.to_ndarray(format="yuv420p").tobytes()
                            give(
                                rtc.VideoFrame(
                                    frame.width, frame.height, rtc.VideoBufferType.I420, data
                                )
                            )
                            continue
                        for sound in to_pcm.resample(frame):
                            samples = sound.to_ndarray().tobytes()
                            give(rtc.AudioFrame(samples, FILM_RATE_HZ, 1, len(samples) // 2))
        except av.FFmpegError:
            pass  # renderer_sink has ended, or is not what it should be
        give(None)


async def _last_words(stream: asyncio.StreamReader) -> str:
    lines: deque[bytes] = deque(maxlen=4)
    while line := await stream.readline():
        lines.append(line.strip())
    return b"; ".join(lines).decode(errors="replace")


@dataclass(eq=False)
class _Segment:
    """One segment of the agent's voice, and how much of it was published."""

    call: posewire.Speech | None = None
    sent_s: float = 0.0
    lead_s: float = 0.0  # of silence, at its beginning
    audible: bool = False  # the lead is over
    started_s: float | None = None  # monotonic, as is ended_s
    ended_s: float | None = None
    spoken_s: float = 0.0
    onset: bool = False  # the film has come to its voice
    given_s: float = 0.0

    def measure(self, frame: rtc.AudioFrame) -> None:
        self.sent_s += frame.duration
        if not self.audible:
            loud = np.flatnonzero(np.abs(np.asarray(frame.data, np.int32)) > _AUDIBLE * 32768)
            self.audible = loud.size > 0
            quiet = loud[0] // frame.num_channels if loud.size else frame.samples_per_channel
            self.lead_s += quiet / frame.sample_rate


class AvatarVideo(VideoGenerator):
    """The worker's side: has the avatar play the agent's voice, and yields the film of it.

    Sound is yielded only while a segment plays: AvatarRunner takes the length of what it got for the
    playback position. A segment that the source does not take ends at once, with a line in the log.
    """

    def __init__(self, avatar: posewire.Avatar, film: Film) -> None:
        self._avatar = avatar
        self._film = film
        self._segments: deque[_Segment] = deque()  # not cleared, and not published to their end
        self._writing: _Segment | None = None
        self._film_delay_s = 0.0  # as measured
        # When a segment was cleared last, monotonic: its voice goes on in the film.
        self._cleared_s = -_FILM_DELAY_S
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def options(self) -> AvatarOptions:
        return AvatarOptions(
            video_width=self._film.width,
            video_height=self._film.height,
            video_fps=self._film.fps,
            audio_sample_rate=FILM_RATE_HZ,
            audio_channels=1,
        )

    async def push_audio(self, frame: rtc.AudioFrame | AudioSegmentEnd) -> None:
        segment = self._writing
        try:
            if isinstance(frame, AudioSegmentEnd):
                self._writing = None
                if segment and segment.call:
                    await segment.call.end()
                return
            if segment is None:
                segment = self._writing = _Segment()
                self._segments.append(segment)
                segment.call = await self._avatar.say(
                    rate=frame.sample_rate, channels=frame.num_channels
                )
                task = asyncio.create_task(self._listen(segment, segment.call))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            if segment.call:
                segment.measure(frame)
                await segment.call.write(bytes(frame.data))
        except posewire.SpeechEnded:
            pass  # it was cleared, or _listen knows why
        except posewire.Error as error:
            logger.error("the avatar takes no voice: %s", error)
            segment.ended_s = time.monotonic()

    async def clear_buffer(self) -> None:
        segments = [segment.call for segment in self._segments if segment.call]
        self._segments.clear()
        self._writing = None
        self._cleared_s = time.monotonic()
        # Those that wait first, so that none of them begins.
        await asyncio.gather(*(_stop(call) for call in reversed(segments)))

    async def _listen(self, segment: _Segment, call: posewire.Speech) -> None:
        try:
            async for event in call:
                if isinstance(event, posewire.Started):
                    segment.started_s = time.monotonic()
                elif isinstance(event, posewire.Ended):
                    segment.spoken_s = min(
                        event.spoken_s, segment.sent_s
                    )  # it counts the way to rest
                    if event.reason == posewire.Reason.FAILED:
                        logger.error("the avatar failed: %s", event.detail)
        except posewire.Error as error:
            logger.error("the avatar is lost: %s", error)
        segment.ended_s = time.monotonic()

    async def __aiter__(self) -> AsyncIterator[rtc.VideoFrame | rtc.AudioFrame | AudioSegmentEnd]:
        async for frame in self._film.frames():
            if isinstance(frame, rtc.VideoFrame):
                yield frame
                continue
            segment = self._segments[0] if self._segments else None
            if segment and self._is_of(segment, frame):
                segment.given_s += frame.duration
                yield frame
            if segment and segment.ended_s is not None:
                late = time.monotonic() > segment.ended_s + _FILM_DELAY_S
                if late or segment.given_s >= segment.spoken_s:
                    self._segments.popleft()
                    yield AudioSegmentEnd()

    def _is_of(self, segment: _Segment, sound: rtc.AudioFrame) -> bool:
        """Whether this part of the film belongs to the segment. Its silent lead cannot be told from the
        silence before it, so any silence stands for it."""
        if segment.onset or segment.started_s is None:
            return segment.onset
        now = time.monotonic()
        loud = int(np.abs(np.asarray(sound.data, np.int32)).max()) > _AUDIBLE * 32768
        delay_s = now - segment.started_s - segment.lead_s
        if now > self._cleared_s + _FILM_DELAY_S:
            segment.onset = loud
            if loud:
                self._film_delay_s = max(0.0, delay_s)
        else:  # until halfway into its lead, it may be the end of what was cleared
            segment.onset = loud and delay_s > self._film_delay_s - min(segment.lead_s, 0.2) / 2
        return segment.onset or (not loud and segment.given_s < segment.lead_s)


async def _stop(call: posewire.Speech) -> None:
    try:
        await asyncio.wait_for(call.stop(), _STOP_TIMEOUT_S)
    except (TimeoutError, posewire.Error):
        call.cancel()  # which stops it too


async def run_worker(url: str, token: str, avatar: posewire.Avatar, film: Film) -> None:
    """Joins the room and works until it is disconnected. Raises RuntimeError when the film ends."""
    room = rtc.Room()
    left = asyncio.Event()
    room.on("disconnected", lambda *_: left.set())
    await room.connect(url, token)
    generator = AvatarVideo(avatar, film)
    receiver = DataStreamAudioReceiver(room)
    runner = AvatarRunner(room, audio_recv=receiver, video_gen=generator, options=generator.options)
    try:
        await runner.start()
        working = asyncio.ensure_future(runner.wait_for_complete())
        leaving = asyncio.ensure_future(left.wait())
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if working.done():
            working.result()
        working.cancel()
    finally:
        await runner.aclose()
        await avatar.close()
        await room.disconnect()


def main() -> None:
    """The worker as a program; AvatarSession starts it."""
    flags = argparse.ArgumentParser(
        prog="posewire_livekit", description="Joins the room of LIVEKIT_URL with LIVEKIT_TOKEN."
    )
    flags.add_argument("--source", default="127.0.0.1:51002")
    flags.add_argument("--compositor", default="127.0.0.1:51000")
    flags.add_argument("--stream", default="demo")
    flags.add_argument("--size", default="640x360")
    flags.add_argument("--fps", type=int, default=25)
    flags.add_argument("--renderer", default="renderer_sink")
    at = flags.parse_args()
    for name in ("LIVEKIT_URL", "LIVEKIT_TOKEN"):
        if not os.environ.get(name):
            flags.error(f"the environment has no {name}")
    avatar = posewire.Avatar(at.source, stream=at.stream, compositor=at.compositor)
    film = Film(at.compositor, at.stream, at.size, at.fps, at.renderer)

    async def work() -> None:
        url, token = os.environ["LIVEKIT_URL"], os.environ["LIVEKIT_TOKEN"]
        working = asyncio.ensure_future(run_worker(url, token, avatar, film))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await working

    asyncio.run(work())


if __name__ == "__main__":
    main()
