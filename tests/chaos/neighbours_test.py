"""Dead and stopped neighbours: each is borne, and then all goes on."""

import signal
import time
import unittest

from programs import Chaos, Sink, breaks, wait_until
from posewire_test import Collector
from witness import FPS


def graph_now(pull):
    """The newest moment that has come by the pull: epoch + code."""
    heads = [m.animation_data_stream_header for m in list(pull.messages)
             if m.HasField("animation_data_stream_header")]
    data = pull.data()
    if not heads or not data:
        return None
    return heads[0].start_time_code_since_epoch + \
        data[-1].skel_animation.blend_shape_weights[0].time_code


class Neighbours(Chaos):
    def chain(self):
        """A long talk through all three."""
        graph = self.server("anim_graph", "--graph", "passthrough")
        sink = self.started(Sink, graph.address, "s")
        source = self.talker(graph.port, self.long_talk)
        wait_until(lambda: sum(peak > 0 for _, _, peak in sink.frames()) > FPS, "a voice")
        return graph, source, sink

    def test_case_31_a_compositor_that_is_killed_and_comes_back(self):
        graph, source, sink = self.chain()
        for _ in range(3):
            graph.process.kill()
            graph.process.wait()
            graph = self.server("anim_graph", "--graph", "passthrough", "--listen", graph.address)
            back = time.monotonic()
            self.assertLess(sink.first_after(back) - back, 3)
            # The voice too, from its source.
            def heard():
                return any(at > back and peak > 0 for at, _, peak in sink.frames())
            wait_until(heard, "a voice")
            self.assertLess(time.monotonic() - back, 3)
        times = [t for _, t, _ in sink.frames()]
        self.assertEqual([i for i, (a, b) in enumerate(zip(times, times[1:])) if b <= a], [])
        self.assertIsNone(source.process.poll(), source.log_text())
        self.assert_ends(graph)

    def stopped(self, program, seconds):
        program.send_signal(signal.SIGSTOP)
        time.sleep(seconds)  # as long as it stands still
        program.send_signal(signal.SIGCONT)
        return time.monotonic()

    def test_a_source_that_stands_still(self):
        graph, source, sink = self.chain()
        begin = len(sink.frames())
        went_on = self.stopped(source.process, 4)
        def heard():
            return any(at > went_on and peak > 0 for at, _, peak in sink.frames())
        wait_until(heard, "a voice")
        while_it_stood = [peak for at, _, peak in sink.frames()[begin:]
                          if went_on - 2 < at < went_on]
        self.assertGreater(len(while_it_stood), 1.5 * FPS)  # it idles on
        self.assertEqual(max(while_it_stood), 0)
        self.assertIsNone(source.process.poll())
        self.assert_ends(graph)

    def test_a_sink_that_stands_still_disturbs_nobody_and_comes_back(self):
        graph, _, sink = self.chain()
        beside = Collector(self.client(graph.address).pull("s", timeout=None)).wait_started()
        self.stopped(sink.process, 8)
        self.assertIsNone(beside.error)
        codes = [d.skel_animation.blend_shape_weights[0].time_code for d in beside.data()]
        lost = round((codes[-1] - codes[0]) * FPS) + 1 - len(codes)
        self.assertLess(lost, 0.05 * len(codes))
        self.assertEqual(breaks(beside.audio())[0], 0)
        # At the present again, be it by a new pull, within what reconnecting may take.
        def present():
            last = graph_now(beside)
            seen = sink.frames()
            return bool(last and seen) and seen[-1][1] > last - 0.5
        self.assertLess(wait_until(present, "the present"), 5)
        self.assert_ends(graph)

    def test_case_32_a_compositor_that_stands_still(self):
        graph, source, sink = self.chain()
        before = len(sink.frames())
        went_on = self.stopped(graph.process, 6)
        wait_until(lambda: sink.flows(went_on, 2 * FPS), "frames")
        after = [f for f in sink.frames()[before:] if f[0] > went_on]
        # No burst of old frames: what comes in the first half second is not more than a second's.
        self.assertLess(sum(at < after[0][0] + 0.5 for at, _, _ in after), FPS)
        times = [t for _, t, _ in sink.frames()]
        self.assertEqual([i for i, (a, b) in enumerate(zip(times, times[1:])) if b <= a], [])
        def heard():
            return any(at > went_on and peak > 0 for at, _, peak in sink.frames())
        wait_until(heard, "a voice")
        self.assertIsNone(source.process.poll(), source.log_text())
        self.assert_ends(graph)


if __name__ == "__main__":
    unittest.main(verbosity=2)
