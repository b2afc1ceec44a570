"""What the plugins' tests share: the real services, an ear at the pull, and a voice whose words can be
counted in its sound."""

import asyncio
import functools
import sys
import threading
import time
from pathlib import Path

import numpy as np
import posewire

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from posewire_test import BIN, Server  # noqa: E402, F401

STREAM = "demo"
RATE = 24000
WORD_S, GAP_S = 0.22, 0.08
# Of 16 bit; between the silence and the tones below.
AUDIBLE = 1000


def tone(number):
    """A word: a tone of 0.22 s, and a gap of 0.08 s."""
    times = np.arange(round(WORD_S * RATE)) / RATE
    tone = np.sin(2 * np.pi * (250 + 40 * (number % 10)) * times) * 9000
    return np.concatenate([tone, np.zeros(round(GAP_S * RATE))]).astype("<i2")


def in_a_loop(test):
    """Runs an async test. IsolatedAsyncioTestCase would have asyncio's debug mode, which takes tenths of
    a second from tests that judge milliseconds."""

    @functools.wraps(test)
    def run(self):
        asyncio.run(test(self))

    return run


class Services:
    """A compositor and a source."""

    def __init__(self):
        self.compositor = Server("anim_graph")
        self.source = Server(
            "a2f_source", "serve", "--to", self.compositor.address, "--stream-id", STREAM
        )

    def avatar(self):
        return posewire.Avatar(
            self.source.address, stream=STREAM, compositor=self.compositor.address
        )

    def stop(self):
        assert self.source.stop() == 0, "a2f_source failed"
        assert self.compositor.stop() == 0, "anim_graph failed"


class Ear(threading.Thread):
    """Hears what the compositor plays, in a thread and event loop of its own."""

    def __init__(self, compositor):
        super().__init__(daemon=True)
        self._address = compositor
        self._ready = threading.Event()
        self._heard = []  # (when, samples, rate)
        self._closed = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self.start()
        assert self._ready.wait(20), "nothing comes from the compositor"

    def run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())

    async def _listen(self):
        async def pull():
            async for frame in posewire.pull(self._address, stream=STREAM):
                self._heard.append((time.monotonic(), frame.audio, frame.audio_rate))
                self._ready.set()

        pulling = asyncio.ensure_future(pull())
        await self._closed.wait()
        pulling.cancel()

    def close(self):
        self._loop.call_soon_threadsafe(self._closed.set)
        self.join(20)

    def last_sound(self):
        """When something audible came last."""
        loud = [
            when
            for when, samples, _ in self._heard
            if samples.size and np.abs(samples.astype(int)).max() > AUDIBLE
        ]
        return max(loud, default=0.0)

    def words(self):
        """The lengths of the tones that were heard, s; that of one that was begun twice is what there is
        of it in all."""
        rate = max((rate for _, _, rate in self._heard), default=0)
        sound = np.concatenate([samples for _, samples, _ in self._heard] or [np.zeros(0)])
        step = rate // 100  # 10 ms
        if not step or sound.size < step:
            return []
        loud = np.abs(sound[: sound.size // step * step].reshape(-1, step)).max(axis=1) > AUDIBLE
        edges = np.flatnonzero(np.diff(np.concatenate([[0], loud.astype(int), [0]])))
        lengths, last_end = [], None
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            if last_end is None or begin - last_end > 100 * GAP_S / 2:
                lengths.append(0.0)
            lengths[-1] += (end - begin) / 100
            last_end = end
        # Shorter is what fades of the speech that was interrupted before.
        return [length for length in lengths if length > 0.03]

    def may_have_heard(self):
        """How many words that is: of one that was cut in its first 0.1 s, nobody can say."""
        lengths = self.words()
        return {len(lengths), len(lengths) - (bool(lengths) and lengths[-1] < 0.1)}

    async def wait_for_words(self, count, timeout_s=20):
        """Until the last of so many is in its middle."""
        end = time.monotonic() + timeout_s
        while len(lengths := self.words()) < count or lengths[count - 1] < WORD_S / 2:
            assert time.monotonic() < end, f"the words heard are {lengths}, not {count}"
            await asyncio.sleep(0.01)
