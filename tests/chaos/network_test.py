"""Case 34: a network that delays, slices, narrows, stands still, cuts and corrupts."""

import re
import socket
import subprocess
import time
import unittest

from programs import RATE, TALK_S, Chaos, Program, Sink, breaks, wait_until
from gate import Faults, TcpGate, UdpGate
from posewire_test import Collector


class BadNetwork(Chaos):
    def setUp(self):
        self.graph = self.server("anim_graph", "--graph", "passthrough")
        self.to_graph = self.gate(self.graph.port, seed=34)
        self.from_graph = self.gate(self.graph.port, seed=35)
        # Beside, without a gate: what it hears is what the compositor played.
        self.near = Collector(self.client(self.graph.address).pull("s", timeout=None))

    def gate(self, port, seed):
        gate = TcpGate(port, seed)
        self.addCleanup(gate.close)
        return gate

    def talk_through(self, faults, again=Faults()):
        """A sentence that meets the faults after a second and for three; all of it comes."""
        far = Collector(self.client(f"127.0.0.1:{self.from_graph.port}").pull("s", timeout=None))
        far.wait_started()
        source = self.talker(self.to_graph.port, self.talk)
        self.assertTrue(self.near.wait_for(lambda p: breaks(p.audio())[1] > RATE))
        self.to_graph.faults = self.from_graph.faults = faults
        time.sleep(3)  # as long as the network is bad
        self.to_graph.faults = self.from_graph.faults = again
        self.assertEqual(source.process.wait(40), 0, source.log_text())
        for pull in (self.near, far):
            self.assertTrue(pull.wait_for(lambda p: breaks(p.audio())[1] >= TALK_S * RATE, 30),
                            "the voice does not come to its end")
            self.assert_spoken(pull)
            self.assertIsNone(pull.error)
        self.assert_ends(self.graph)

    def test_case_34_a_delay_that_varies(self):
        self.talk_through(Faults(delay_s=0.1, jitter_s=0.05), Faults(delay_s=0.1, jitter_s=0.05))

    def test_case_34_pieces_of_a_few_bytes(self):
        self.talk_through(Faults(slice_bytes=200))

    def test_case_34_a_narrow_line(self):
        # 64 kbit/s: a quarter of the voice alone.
        self.talk_through(Faults(bytes_per_s=8000))

    def test_case_34_a_line_that_stands_still(self):
        self.talk_through(Faults(stalled=True))

    def test_case_34_a_line_that_is_cut(self):
        sink = self.started(Sink, f"127.0.0.1:{self.from_graph.port}", "s")
        wait_until(lambda: sink.flows(0), "frames")
        source = self.talker(self.to_graph.port, self.talk)
        # Between two cuts a connection is alive for longer than the second after which the source's
        # delays start over: of growing ones, the third outlasts the 0.3 s that it is ahead.
        for _ in range(3):
            spoken = breaks(self.near.audio())[1]
            self.assertTrue(
                self.near.wait_for(lambda p: breaks(p.audio())[1] > spoken + 1.6 * RATE))
            self.to_graph.cut()
            self.from_graph.cut()
            cut = time.monotonic()
            self.assertLess(sink.first_after(cut + 0.05) - cut, 3)
        self.assertEqual(source.process.wait(40), 0, source.log_text())
        self.assertTrue(self.near.wait_for(lambda p: breaks(p.audio())[1] >= TALK_S * RATE))
        self.assert_spoken(self.near)
        times = [t for _, t, _ in sink.frames()]
        self.assertEqual(times, sorted(times))
        self.assert_ends(self.graph)

    def test_case_34_bits_that_turn_over(self):
        """Plain text cannot tell: what is wrong is refused, or played. It must not be fatal."""
        for share in (0.02, 0.5):
            self.to_graph.faults = Faults(corrupt=share)
            source = self.talker(self.to_graph.port, self.talk, f"wrong-{share}", "s",
                                 "--give-up-s", "3", "--rate", "8x")
            try:
                source.process.wait(20)
            except subprocess.TimeoutExpired:
                pass  # a wrong length keeps it waiting
            source.kill()
        self.to_graph.faults = Faults()
        self.assertIsNone(self.near.error)
        source = self.talker(self.to_graph.port, self.talk, "right", "other")
        pull = Collector(self.client(self.graph.address).pull("other", timeout=None))
        self.assertEqual(source.process.wait(40), 0, source.log_text())
        self.assertTrue(pull.wait_for(lambda p: breaks(p.audio())[1] >= TALK_S * RATE))
        self.assert_spoken(pull)
        self.assert_ends(self.graph)

    def test_datagrams_that_are_lost_doubled_cut_and_late(self):
        received = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(received.close)
        received.bind(("127.0.0.1", 0))
        source = self.started(Program, "a2f_source", "vmc", "--port", "0", "--to",
                              self.graph.address, "--stream-id", "vmc")
        wait_until(lambda: source.lines, "the line that says its port")
        gate = UdpGate(int(re.search(r'vmc_port": (\d+)', source.lines[0][1])[1]), 38)
        self.addCleanup(gate.close)
        sink = self.started(Program, "renderer_sink", "vmc", "--from", self.graph.address,
                            "--stream-id", "loop", "--to", f"127.0.0.1:{gate.port}")
        pull = Collector(self.client(self.graph.address).pull("vmc", timeout=None))
        def poses():
            return len(pull.data())
        for faults in (Faults(), Faults(drop=0.3), Faults(double=0.5, reorder=0.3),
                       Faults(truncate=0.3, corrupt=0.5), Faults(delay_s=0.1, jitter_s=0.1),
                       Faults()):
            gate.faults = faults
            passed, came = gate.passed, poses()
            wait_until(lambda: gate.passed > passed + 100 and poses() > came + 30, faults)
            self.assertIsNone(source.process.poll(), source.log_text())
        self.assertIsNone(sink.process.poll(), sink.log_text())
        self.assertIsNone(pull.error)
        self.assert_ends(self.graph)


if __name__ == "__main__":
    unittest.main(verbosity=2)
