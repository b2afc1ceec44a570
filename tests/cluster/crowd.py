"""Avatars that speak: a source and a sink each, which reconnect as ours do, and a record of every frame."""

import asyncio
import collections
import functools
import pathlib
import random
import threading
import time

import grpc
from cluster import RATE
from posewire_test import PULL, PUSH, Client, header, until
from record import HEADER, STATUS, Record, scan
from voice import count, voice

RETRY_S = 0.2
CALLS_OF_A_CHANNEL = 80  # the door allows 100 on one connection


@functools.cache
def event_loop():
    """One for all: gRPC wants no second one in a process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


class Channels:
    """Connections to one address, a few calls on each."""

    def __init__(self, loop, address, tls=None):
        self.loop, self.address, self.tls = loop, address, tls
        self.channels, self.taken = [], CALLS_OF_A_CHANNEL

    def take(self):
        """The channel for one more call."""
        return asyncio.run_coroutine_threadsafe(self.open(), self.loop).result(10)

    async def open(self):
        if self.taken >= CALLS_OF_A_CHANNEL:
            # Not shared with other channels, and quick to see that a node is back.
            options = [("grpc.use_local_subchannel_pool", 1), ("grpc.initial_reconnect_backoff_ms", 100),
                       ("grpc.min_reconnect_backoff_ms", 5000 if self.tls else 1000),
                       ("grpc.max_reconnect_backoff_ms", 500)]
            if self.tls:
                ca, cert, key = (pathlib.Path(file).read_bytes() for file in self.tls)
                self.channels.append(grpc.aio.secure_channel(
                    self.address, grpc.ssl_channel_credentials(ca, key, cert), options))
            else:
                self.channels.append(grpc.aio.insecure_channel(self.address, options))
            self.taken = 0
        self.taken += 1
        return self.channels[-1]

    async def close(self):
        for channel in self.channels:
            await channel.close()


class Metronome(threading.Thread):
    """How late this machine wakes a thread that sleeps, at most."""

    def __init__(self):
        super().__init__(daemon=True)
        self.over, self.most_late_s = threading.Event(), 0.0
        self.start()

    def run(self):
        due = time.monotonic()
        while not self.over.is_set():
            due += 0.02
            time.sleep(max(0, due - time.monotonic()))
            self.most_late_s = max(self.most_late_s, time.monotonic() - due)
            due = max(due, time.monotonic() - 0.02)


class Caller:
    """Calls until `end`, again and again when a call fails. All run on one event loop, since threads that
    wait for gRPC wake ten times a second each."""

    def __init__(self, loop):
        self.loop, self.over = loop, False
        self.current = self.last_error = None
        self.codes = collections.Counter()  # of ended calls

    def start(self):
        self.task = asyncio.run_coroutine_threadsafe(self.run(), self.loop)

    def note(self, error):
        self.codes[error.code().name] += 1
        self.last_error = f"{error.code().name}: {error.details()}"

    async def rest(self):
        await asyncio.sleep(RETRY_S * random.uniform(0.5, 1.5))

    def connect_again(self):
        self.loop.call_soon_threadsafe(self.current.cancel)

    def end(self):
        self.over = True
        self.loop.call_soon_threadsafe(self.current.cancel)

    def done(self):
        return self.task.done()


class Sink(Caller):
    """Pulls a stream for as long as the test lasts. With `node`, only as long as that node owns it."""

    def __init__(self, loop, record, channel, request, node=None):
        super().__init__(loop)
        self.record, self.request, self.node = record, request, node
        self.method = channel.unary_stream(PULL)
        self.metadata = [("x-stream-id", record.stream)]
        if node:
            self.metadata.append(("x-posewire-relayed", "1"))  # such a call is not relayed again
        self.last = self.last_voice = 0.0  # when a frame came, and one with a voice
        self.gaps = []  # (when it ended, its length)
        self.warnings = []
        self.start()

    async def run(self):
        while not self.over:
            self.current = self.method(self.request, metadata=self.metadata)
            try:
                await self.read(self.current)
            except grpc.RpcError as e:
                self.note(e)
            except asyncio.CancelledError:
                pass  # of the call: see connect_again
            if not self.over:
                await self.rest()

    async def read(self, call):
        tick_before = -1
        async for message in call:
            now = time.monotonic()
            part, value, data = scan(message)
            if part == HEADER:
                reign = self.record.begin(value, self.node)
            elif part == STATUS:
                self.warnings.append((value, data.decode(errors="replace")))
            else:
                self.record.add(reign, value, data)
                tick = round(value * self.record.fps)
                if tick <= tick_before:
                    self.record.faults.append(f"{self.record.stream}: tick {tick} after {tick_before}")
                tick_before = tick
                if self.last and now - self.last > 0.25:
                    self.gaps.append((now, now - self.last))
                self.last = now
                if data.strip(b"\0"):
                    self.last_voice = now

    def longest_gap_until(self, moment):
        """Seconds between two frames, the first of them before that moment."""
        return max([length for end, length in self.gaps if end - length < moment], default=0.0)


class Source(Caller):
    """Says requests one after the other, `talk_s` each (0: one without end), with pauses between.

    When its call is lost it resumes the request where the server holds it, or, if the server does not
    know it, where the voice was then. It sends every sample from there on once.
    """

    def __init__(self, loop, types, channel, stream, talk_s=0, pause_s=0.0, message_s=0.1):
        super().__init__(loop)
        self.step, self.lead_s = int(message_s * RATE), 0.5 + message_s  # what it sends ahead of the time
        self.types, self.stream = types, stream
        self.talk_s, self.pause_s = talk_s, pause_s
        self.method = channel.stream_unary(PUSH)
        self.said = []  # (request, its samples) of those that the server has taken whole
        self.skipped = []  # (request, from, to): it went on there when the server knew nothing
        self.held = []  # (when, request, seconds) of each answer to a resumption
        self.start()

    async def run(self):
        number = 0
        while not self.over:
            await self.say(number)
            number += 1
            if not self.over:
                await asyncio.sleep(self.pause_s)

    def finish(self):
        """Ends what it says in order, a voice without end at once."""
        self.over = True

    async def say(self, number):
        self.began, self.at = None, 0
        self.place = 0  # where the voice was when its call was lost
        self.total = int(self.talk_s * RATE) if self.talk_s else 1 << 40
        resume = False
        while True:
            call = Push(self, number, resume)
            try:
                await call.result()
                self.said.append((number, self.at))
                return
            except grpc.RpcError as e:
                self.note(e)
                if e.code() == grpc.StatusCode.ALREADY_EXISTS and resume:
                    return  # it is over
            except asyncio.CancelledError:
                assert self.over
                return
            finally:
                call.ended = True
            if call.flowed:
                self.place = min(self.at, int((time.monotonic() - self.began) * RATE))
            resume = True
            await self.rest()
            if self.over and not self.talk_s:
                return

    def resume(self, number, metadata):
        held, now = metadata.get("x-posewire-held-s"), time.monotonic()
        if held is None:
            self.at = self.place  # the server knows nothing of the request, or refuses it
        else:
            self.at = round(float(held) * RATE)
            self.held.append((now, number, float(held)))
        self.began = now - self.at / RATE

    def message(self, number, first, last):
        m = self.types.stream_message()
        data = m.animation_data
        data.audio.time_code = first / RATE
        data.audio.audio_buffer = voice(number, first, last).tobytes()
        key = data.skel_animation.blend_shape_weights.add(time_code=first / RATE)
        key.values.append(0.5)
        return m.SerializeToString()


class Push:
    """One call of a source."""

    def __init__(self, source, number, resume):
        self.source, self.number, self.resume = source, number, resume
        self.ended = self.flowed = False
        metadata = [("x-stream-id", source.stream)]
        if resume:
            metadata.append(("x-posewire-resume", "1"))
        self.call = source.current = source.method(self.messages(), metadata=metadata)

    async def result(self):
        await self.call

    async def messages(self):
        s = self.source
        yield header(s.types, s.stream, f"r{self.number}", rate=RATE, shapes=["jawOpen"],
                     joints=[]).SerializeToString()
        if self.resume:
            metadata = {key: value for key, value in await self.call.initial_metadata() or ()}
            if self.ended:
                return
            was, self.held = s.at, "x-posewire-held-s" in metadata
            s.resume(self.number, metadata)
        started = time.monotonic()
        s.began = s.began or started
        while s.at < s.total and not self.ended:
            if s.over and not s.talk_s:
                return
            stop = min(s.total, (s.at // s.step + 1) * s.step)
            wait_s = s.began + stop / RATE - s.lead_s - time.monotonic()
            if not self.flowed and time.monotonic() - started > 0.3:  # a refusal comes sooner
                self.flowed = True
                if self.resume and not self.held:
                    s.skipped.append((self.number, was, s.place))
            if wait_s > 0:
                await asyncio.sleep(min(wait_s, 0.2))
                continue
            message = s.message(self.number, s.at, stop)
            s.at = stop
            yield message


class Crowd:
    """Streams NAME0, NAME1 and so on. Each has a source and a sink that go through the door; with
    `watched`, each node has a sink for each stream too, which sees what that node alone sends. `talk`
    goes to Source."""

    def __init__(self, cluster, name, count, watched=True, **talk):
        self.cluster, self.ended = cluster, False
        self.machine = Metronome()
        self.loop = event_loop()
        self.types = Client(cluster.nodes[0].server.address)
        self.types.method(PUSH)
        self.types.method(PULL)
        self.doors = Channels(self.loop, cluster.door.address, cluster.tls)
        self.direct = {n.name: Channels(self.loop, f"{n.machine.watched}:{n.port}") for n in cluster.nodes}
        self.records = [Record(f"{name}{n}", cluster.fps) for n in range(count)]
        self.streams = {record.stream for record in self.records}
        self.watches, self.sources = [], []
        self.sinks = [self.sink(record, self.doors.take()) for record in self.records]
        assert until(lambda: all(s.last for s in self.sinks), 60), self.errors()
        self.watches = [self.sink(record, self.direct[n.name].take(), n.name)
                        for n in (cluster.nodes if watched else ()) for record in self.records]
        self.sources = [Source(self.loop, self.types, self.doors.take(), record.stream, **talk)
                        for record in self.records]
        assert until(lambda: all(s.last_voice for s in self.sinks), 60), self.errors()

    def sink(self, record, channel, node=None):
        ids = self.types.type("nvidia_ace.animation_id.v1.AnimationIds")
        return Sink(self.loop, record, channel, ids(stream_id=record.stream).SerializeToString(), node)

    def callers(self):
        return [*self.sinks, *self.watches, *self.sources]

    def errors(self):
        return collections.Counter(str(c.last_error) for c in self.callers())

    def flows(self, since):
        """Each sink got a frame with a voice since then."""
        return all(s.last_voice > since for s in self.sinks)

    def await_flow(self, what, timeout=30):
        """Seconds until all sinks hear a voice again."""
        since = time.monotonic()
        assert until(lambda: self.flows(since), timeout), (
            f"{what}: no voice for {timeout} s: "
            f"{[s.record.stream for s in self.sinks if s.last_voice <= since]}, {self.errors()}")
        return time.monotonic() - since

    def forget_gaps(self):
        for sink in [*self.sinks, *self.watches]:
            sink.gaps = []

    def end(self):
        """Lets sources finish what they say, and sinks hear it; then there are only records."""
        if self.ended:
            return
        self.ended = True
        for source in self.sources:
            source.finish()
        until(lambda: all(s.done() for s in self.sources), 30)
        self.longest_gap_s = max(s.longest_gap_until(time.monotonic()) for s in self.sinks)
        until(lambda: all(s.last_voice < time.monotonic() - 0.7 for s in self.sinks), 15)
        for caller in self.callers():
            caller.end()
        until(lambda: all(c.done() for c in self.callers()), 10)
        self.machine.over.set()
        for channels in [self.doors, *self.direct.values()]:
            asyncio.run_coroutine_threadsafe(channels.close(), self.loop).result(10)
        self.types.close()

    def overlaps(self):
        return [o for record in self.records for o in record.overlaps()]

    def faults(self):
        return [fault for record in self.records for fault in record.faults]

    def voices(self):
        """A Listener for each stream. Call after `end`."""
        return [record.listen() for record in self.records]


def summary(listeners):
    return (f"{sum(count(v.lost) for v in listeners)} samples lost and "
            f"{sum(count(v.repeated) for v in listeners)} repeated")
