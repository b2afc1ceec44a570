"""VMC datagrams that are judged by the clock: how soon they are seen, and ten thousand bad ones a second."""

import os
import random
import socket
import statistics
import struct
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))

import vmc_performance as performance  # noqa: E402
from posewire_test import Collector, GraphTest  # noqa: E402
from vmc_performance import bundle, message  # noqa: E402
from vmc_test import LOOPBACK, Performer, largest_steps, names, send, source  # noqa: E402


class Datagrams(GraphTest):
    ARGS = ("--graph", "default")

    def test_the_delay_from_datagram_to_pulled_frame_is_short(self):
        vmc = source(self.server, "delay")
        pull = Collector(self.client.pull("delay")).wait_started()
        flips = []

        def flipping(t):
            want = float(int(t / 0.5) % 2)
            if not flips or flips[-1][1] != want:
                flips.append((time.monotonic(), want))
            w = [message("/VMC/Ext/Blend/Val", "TongueOut", want),
                 message("/VMC/Ext/Blend/Apply")]
            return [bundle(performance.frame(t)[0] + performance.frame(t)[1] + w).dgram]

        performer = Performer(vmc.ports["vmc_port"], flipping, seconds=6)
        performer.join(20)
        vmc.stop()
        pull.call.cancel()
        tongue = names(pull)[1].index("tongueOut")
        shown = [(at, m.animation_data.skel_animation.blend_shape_weights[0].values[tongue])
                 for at, m in zip(pull.times, pull.messages) if m.HasField("animation_data")]
        delays = []
        for (at, want), (until, _) in zip(flips[2:], flips[3:]):
            first = next((s for s, v in shown if at < s < until and abs(v - want) < 0.5), None)
            self.assertIsNotNone(first, "a change was never shown")
            delays.append(first - at)
        middle = statistics.median(delays)
        print(f"half way of a change after: median {1000 * middle:.0f} ms, "
              f"most {1000 * max(delays):.0f} ms, of {len(delays)}")
        # A frame of the source, one of the graph at 30 fps, and the ease of a jump.
        self.assertLess(middle, 0.15)

    def bad(self):
        whole = performance.datagrams(0.0, "one")[0]
        deep = message("/VMC/Ext/OK", 1).dgram
        for _ in range(1000):
            deep = b"#bundle\0" + struct.pack(">q", 1) + struct.pack(">i", len(deep)) + deep
        yield from (whole[:n] for n in range(0, len(whole), 97))
        yield deep
        yield b"\xff" * 65507
        yield b"#bundle\0" + struct.pack(">q", 1) + struct.pack(">i", 2 ** 31 - 4)
        yield message("/VMC/Ext/Bone/Pos", 1, 2, 3).dgram
        yield message("/VMC/Ext/Bone/Pos", "Hips", *["x"] * 7).dgram
        yield message("/VMC/Ext/Bone/Pos", "Head", *[float("nan")] * 7).dgram
        yield message("/VMC/Ext/Blend/Val", "JawOpen").dgram
        yield message("/VMC/Ext/OK", "yes").dgram
        yield message("/no/such/address", 1).dgram
        yield bytes(random.Random(3).randrange(256) for _ in range(300))

    def test_bad_ones_are_counted_and_ten_thousand_a_second_harm_nobody(self):
        vmc = source(self.server, "flood")
        port = vmc.ports["vmc_port"]
        pull = Collector(self.client.pull("flood")).wait_started()
        performer = Performer(port, lambda t: performance.datagrams(t, "one"))
        self.assertTrue(pull.wait_for(lambda c: any(
            "starts at" in s.message for s in c.statuses())))
        bad = list(self.bad())
        send(port, *bad)
        pull.wait_for_more(15)
        before_mb = vmc.memory_mb()
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        start, sent = time.monotonic(), 0
        while sent < 30000:
            while sent < min(30000, (time.monotonic() - start) * 10000):
                out.sendto(bad[sent % len(bad)][:1400], (LOOPBACK, port))
                sent += 1
            time.sleep(0.0005)  # until more are due
        out.close()
        pull.wait_for_more(30)
        self.assertIsNone(vmc.process.poll())
        grown = vmc.memory_mb() - before_mb
        performer.stop()
        self.assertEqual(vmc.stop(), 0)
        pull.call.cancel()
        read, refused = vmc.count("datagrams"), vmc.count("refused")
        print(f"{sent} bad datagrams, {read} read, {refused} refused, {grown:.1f} MB more, "
              f"{vmc.count('gaps')} gaps, {vmc.count('dropped')} dropped")
        self.assertGreater(read, 0.8 * sent)
        self.assertGreater(refused, 0.8 * sent)
        self.assertLess(grown, 20)
        self.assertEqual(vmc.count("requests"), 1)
        turn, _ = largest_steps(pull.data())
        self.assertLess(turn, 40)


if __name__ == "__main__":
    unittest.main(verbosity=2)
