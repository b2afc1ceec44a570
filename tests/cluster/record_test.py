"""The checker itself: it sees a sample that is lost or repeated, and two owners at one time."""

import random
import struct
import unittest

import numpy as np

from record import DATA, HEADER, STATUS, Record, scan
from voice import Listener, count, voice

RATE, FPS = 8000, 20
TICK = RATE // FPS


def field(number, payload):
    size = len(payload)
    return bytes([number << 3 | 2]) + (bytes([size]) if size < 128 else
                                       bytes([size & 127 | 128, size >> 7])) + payload


class VoiceTest(unittest.TestCase):
    def heard(self, *runs, silence=True):
        """A Listener after runs (request, first, last), in pieces of random sizes with silence."""
        samples = np.concatenate([voice(*run) for run in runs])
        pick, listener, at = random.Random(1), Listener(), 0
        while at < len(samples):
            size = pick.randint(1, 900)
            listener.hear(samples[at:at + size].tobytes())
            listener.hear(bytes(2 * pick.randint(0, 3)) if silence else b"")
            at += size
        return listener.end()

    def test_hears_a_whole_voice(self):
        heard = self.heard((3, 0, 50_000), (4, 0, 10_001), (5, 0, 2))
        self.assertEqual((heard.lost, heard.repeated, heard.garbage), ([], [], 0))
        self.assertEqual(heard.ends, {3: 50_000, 4: 10_001, 5: 2})

    def test_knows_places_up_to_the_last(self):
        for first in (0, 1, 32_766, 32_767, 32_768, 7_200_000, (2 << 22) - 20):
            heard = self.heard((127, first, first + 20))
            self.assertEqual(heard.lost, [(127, 0, first)] if first else [])
            self.assertEqual(heard.ends, {127: first + 20})

    def test_counts_each_sample_that_is_lost_or_repeated(self):
        for at in (1000, 1001):
            for size in (1, 2, 3, 777, 40_000):
                with self.subTest(at=at, size=size):
                    heard = self.heard((1, 0, at), (1, at + size, at + size + 5000))
                    self.assert_run(heard.lost, at, size)
                    self.assertEqual((heard.repeated, heard.garbage), ([], 0))
                    size = min(size, at)
                    heard = self.heard((1, 0, at), (1, at - size, at + 5000))
                    self.assert_run(heard.repeated, at - size, size)
                    self.assertEqual((heard.lost, heard.garbage), ([], 0))

    def assert_run(self, jumps, first, size):
        self.assertEqual((count(jumps), len(jumps)), (size, 1))
        # Odd ones next to each other are equal, so a run may begin at the next sample as well.
        self.assertIn(jumps[0][1] - first, (0, 1))

    def test_counts_what_is_no_voice(self):
        samples = voice(0, 0, 2000)
        samples[1001] ^= 256
        listener = Listener()
        listener.hear(samples.tobytes())
        self.assertGreater(listener.end().garbage + count(listener.lost), 0)


class RecordTest(unittest.TestCase):
    def reign(self, record, epoch, ticks, first=0, request=0, node=None):
        """Frames of one owner; `first` is the sample of the first of them."""
        reign = record.begin(epoch, node)
        for n, tick in enumerate(ticks):
            begin = first + n * TICK
            record.add(reign, tick / FPS, voice(request, begin, begin + TICK).tobytes())
        return first + len(ticks) * TICK

    def test_owners_one_after_the_other(self):
        record = Record("s", FPS)
        after = self.reign(record, 100.0, range(40), node="a")
        self.reign(record, 90.0, range(240, 280), first=after, node="b")
        self.assertEqual((record.overlaps(), record.faults, record.skipped()), ([], [], 0))
        heard = record.listen()
        self.assertEqual((heard.lost, heard.repeated, heard.garbage), ([], [], 0))
        self.assertEqual(heard.ends, {0: 80 * TICK})

    def test_owners_at_one_time(self):
        record = Record("s", FPS)
        self.reign(record, 100.0, range(0, 200), node="a")
        self.reign(record, 105.01, range(0, 40), node="b")
        self.reign(record, 109.951, range(0, 40), node="c")
        overlap, = record.overlaps()
        self.assertAlmostEqual(overlap.seconds(), 1.95, 2)
        self.assertIn("['a'] and ['b']", str(overlap))
        self.reign(record, 101.0, [160], node="d")
        self.assertEqual(len(record.overlaps()), 2)

    def test_frames_that_several_pulls_saw_count_once(self):
        record = Record("s", FPS)
        for _ in range(2):
            self.reign(record, 100.0, range(40))
        self.assertEqual(record.listen().repeated, [])
        record.add(record.begin(100.0), 5 / FPS, voice(0, 1, 1 + TICK).tobytes())
        self.assertIn("two voices for tick 5", record.faults[0])

    def test_a_node_each(self):
        record = Record("s", FPS)
        record.begin(100.0, "a")
        record.begin(100.0, "b")
        self.assertIn("one epoch at", record.faults[0])

    def test_counts_frames_that_nobody_saw(self):
        record = Record("s", FPS)
        self.reign(record, 100.0, [*range(10), *range(13, 20)])
        self.assertEqual(record.skipped(), 3)

    def test_reads_messages(self):
        self.assertEqual(scan(field(1, field(1, b"\x0a\x01s") + b"\x29" + struct.pack("<d", 1.5))),
                         (HEADER, 1.5, b""))
        audio = field(2, b"\x09" + struct.pack("<d", 2.5) + field(2, b"1234" * 99))
        self.assertEqual(scan(field(2, field(1, b"\x0a" * 300) + audio)), (DATA, 2.5, b"1234" * 99))
        self.assertEqual(scan(field(2, field(1, b"") + field(2, field(2, b"12")))), (DATA, 0, b"12"))
        self.assertEqual(scan(field(3, b"\x08\x02" + field(2, b"pauses"))), (STATUS, 2, b"pauses"))
        self.assertEqual(scan(field(3, b"")), (STATUS, 0, b""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
