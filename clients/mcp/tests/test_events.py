"""The log of events, with a server that the test plays."""

import asyncio
import time
import unittest

import posewire
from posewire_mcp._events import MOST_EVENTS, MOST_STREAMS, EventLog, EventLogs


class Control:
    """Answers WatchEvents with what the test puts: events, or an error."""

    def __init__(self):
        self.queues = {}
        self.open = 0

    async def watch(self, method, *, stream_id):
        assert method == "WatchEvents"
        self.queues[stream_id] = asyncio.Queue()
        return self._answers(self.queues[stream_id])

    async def _answers(self, queue):
        self.open += 1
        try:
            while True:
                event = await queue.get()
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.open -= 1

    async def send(self, *events, stream="s"):
        for event in events:
            self.queues[stream].put_nowait(event)
        while not self.queues[stream].empty():
            await asyncio.sleep(0)
        await asyncio.sleep(0)


def event(number, kind="GESTURE_ENDED", **fields):
    return {"type": kind, "name": str(number), **fields}


class EventLogTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.control = Control()
        self.log = EventLog(self.control, "s")
        self.addCleanup(self.log.close)
        await self.log.start()

    async def names(self, seconds=0, until=""):
        taken, missed = await self.log.take(seconds, until)
        return [one["name"] for one in taken], missed

    async def test_each_event_is_returned_once(self):
        await self.control.send(event(1), event(2))
        self.assertEqual(await self.names(), (["1", "2"], 0))
        self.assertEqual(await self.names(), ([], 0))

    async def test_it_returns_with_the_awaited_event_and_keeps_later_ones(self):
        await self.control.send(event(1), event(2, "ARRANGEMENT_ENDED"), event(3))
        self.assertEqual(await self.names(60, "ARRANGEMENT_ENDED"), (["1", "2"], 0))
        self.assertEqual(await self.names(), (["3"], 0))
        waiting = asyncio.ensure_future(self.names(60, "ARRANGEMENT_ENDED"))
        await asyncio.sleep(0)
        await self.control.send(event(4), event(5, "ARRANGEMENT_ENDED"))
        self.assertEqual(await asyncio.wait_for(waiting, 20), (["4", "5"], 0))

    async def test_a_cancelled_call_loses_no_event(self):
        await self.control.send(event(1))
        waiting = asyncio.ensure_future(self.names(60))
        await asyncio.sleep(0)
        await self.control.send(event(2))
        waiting.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await waiting
        await self.control.send(event(3))
        self.assertEqual(await self.names(), (["1", "2", "3"], 0))

    async def test_it_waits_no_longer_than_it_is_told(self):
        began = time.monotonic()
        self.assertEqual(await self.names(0.2, "ARRANGEMENT_ENDED"), ([], 0))
        self.assertGreaterEqual(time.monotonic() - began, 0.19)

    async def test_the_oldest_events_are_dropped_and_counted(self):
        await self.control.send(*(event(i) for i in range(MOST_EVENTS + 50)), event("last", missed=7))
        names, missed = await self.names()
        self.assertEqual((len(names), names[0], names[-1], missed), (MOST_EVENTS, "51", "last", 58))
        self.assertEqual(await self.names(), ([], 0))

    async def test_the_end_of_the_watch_is_raised_after_the_last_event_and_it_begins_anew(self):
        await self.control.send(event(1), posewire.Unavailable("UNAVAILABLE", "gone"))
        self.assertEqual(await self.names(60), (["1"], 0))
        await self.log.start()
        with self.assertRaisesRegex(posewire.Unavailable, "gone"):
            await self.names(60)
        await self.control.send(posewire.Unavailable("UNAVAILABLE", "gone again"))
        with self.assertRaisesRegex(posewire.Unavailable, "gone again"):
            await self.names(60)
        await self.log.start()
        await self.control.send(event(2))
        self.assertEqual(await self.names(), (["2"], 0))

    async def test_calls_at_once_share_one_watch(self):
        logs = EventLogs(self.control)
        same = await asyncio.gather(*(logs.of("busy") for _ in range(5)))
        await asyncio.sleep(0)
        self.assertEqual(len(set(map(id, same))), 1)
        self.assertEqual(self.control.open, 2, "one besides this test's own")
        logs.close()

    async def test_the_stream_that_was_asked_for_longest_ago_is_dropped(self):
        logs = EventLogs(self.control)
        self.addCleanup(logs.close)
        first = await logs.of("first")
        for i in range(MOST_STREAMS - 1):
            await logs.of(str(i))
        self.assertIs(await logs.of("first"), first)
        await logs.of("one more")
        await asyncio.sleep(0)
        self.assertEqual(self.control.open, 1 + MOST_STREAMS)
        self.assertIs(await logs.of("first"), first)


if __name__ == "__main__":
    unittest.main(verbosity=2)
