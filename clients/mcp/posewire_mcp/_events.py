"""Events of streams, kept until they are asked for."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import AsyncIterator
from typing import Any

import posewire

# Streams that are watched at once; the one that was asked for longest ago is dropped.
MOST_STREAMS = 8
# Events of a stream that are kept, and that one `take` returns.
MOST_EVENTS = 200

Event = dict[str, Any]


class EventLog:
    """The events of one stream since `start`, each returned once.

    Keeps the last MOST_EVENTS; older ones are dropped, and `take` returns how many. Runs in one event
    loop.
    """

    def __init__(self, control: posewire.Calls, stream: str) -> None:
        self._control = control
        self._stream = stream
        self._kept: collections.deque[Event | posewire.Error] = collections.deque()
        self._changed = asyncio.Event()
        self._missed = 0
        self._starts = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Returns once events are recorded. Raises posewire.Error."""
        async with self._starts:
            if self._task is not None and not self._task.done():
                return
            answers = await self._control.watch("WatchEvents", stream_id=self._stream)
            self._task = asyncio.create_task(self._record(answers))

    async def take(self, seconds: float, until: str) -> tuple[list[Event], int]:
        """The events since the last call, and those of the next `seconds`, and how many were dropped.
        Returns early with the first event of the type `until`, and with MOST_EVENTS. Raises
        posewire.Error if the server ended the watch after the last event. A cancelled call takes
        nothing."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        timer = loop.call_at(end, self._changed.set)
        try:
            while loop.time() < end and not self._has(until):
                self._changed.clear()
                await self._changed.wait()
        finally:
            timer.cancel()
        taken: list[Event] = []
        while self._kept and len(taken) < MOST_EVENTS:
            event = self._kept[0]
            if isinstance(event, posewire.Error) and taken:
                break  # for the next call
            self._kept.popleft()
            if isinstance(event, posewire.Error):
                raise event
            taken.append(event)
            if event["type"] == until:
                break
        missed, self._missed = self._missed, 0
        return taken, missed

    def _has(self, until: str) -> bool:
        """Whether there is no need to wait."""
        return len(self._kept) >= MOST_EVENTS or any(
            isinstance(event, posewire.Error) or event["type"] == until for event in self._kept
        )

    async def _record(self, answers: AsyncIterator[Event]) -> None:
        try:
            async for event in answers:
                self._missed += int(event.get("missed", 0))
                self._keep(event)
            self._keep(posewire.Unavailable("UNAVAILABLE", "the server ended the watch"))
        except posewire.Error as error:
            self._keep(error)

    def _keep(self, event: Event | posewire.Error) -> None:
        if len(self._kept) >= MOST_EVENTS:
            self._kept.popleft()
            self._missed += 1
        self._kept.append(event)
        self._changed.set()

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()


class EventLogs:
    """The logs of the streams that were asked for last."""

    def __init__(self, control: posewire.Calls) -> None:
        self._control = control
        self._logs: collections.OrderedDict[str, EventLog] = collections.OrderedDict()

    async def of(self, stream: str) -> EventLog:
        """The log of a stream, which records from now on at the latest. Raises posewire.Error."""
        log = self._logs.setdefault(stream, EventLog(self._control, stream))
        self._logs.move_to_end(stream)
        if len(self._logs) > MOST_STREAMS:
            self._logs.popitem(last=False)[1].close()
        await log.start()
        return log

    def close(self) -> None:
        for log in self._logs.values():
            log.close()
