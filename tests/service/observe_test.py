"""What the three programs report at /metrics."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import grpc
from http_client import Http
from posewire_test import BIN, Client, Collector, Server, start_with_probes, tool, until

ROOT = pathlib.Path(__file__).resolve().parents[2]


def scrape(port):
    """{name: {labels: value}} and {name: type}, by the text."""
    status, headers, text = Http(port).raw("GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
    values, types = {}, {}
    for line in text.decode().splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            types[name] = kind
        elif not line.startswith("#"):
            name, labels, value = re.fullmatch(r"(\w+)(\{.*\})? (\S+)", line).groups()
            values.setdefault(name, {})[labels or ""] = float(value)
    return values, types, text


class Observe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.graph = Server("anim_graph", "--http", "127.0.0.1:0")
        cls.addClassCleanup(cls.graph.stop)
        cls.client = Client(cls.graph.address)
        cls.addClassCleanup(cls.client.close)
        clip = os.path.join(cls.home.name, "clip.jsonl")
        subprocess.run([f"{BIN}/a2f_source", "say", "One two three.", "--out", clip], check=True,
                       capture_output=True)
        cls.sink = cls.start("renderer_sink", "record", os.path.join(cls.home.name, "out.jsonl"),
                             "--from", cls.graph.address, "--stream-id", "s")
        cls.source = cls.start("a2f_source", "play", clip, "--loop", "--to", cls.graph.address,
                               "--stream-id", "s")

    @classmethod
    def start(cls, name, *args):
        return start_with_probes(cls, cls.home.name, name, *args)

    def value(self, port, name, labels=""):
        return scrape(port)[0][name][labels]

    def test_what_is_counted_grows(self):
        for port, names in (
                (self.source, ("posewire_push_connections_total", "posewire_push_messages_total",
                               "posewire_push_bytes_total", "posewire_push_voice_seconds_total")),
                (self.sink, ("posewire_pull_connections_total", "posewire_pull_messages_total",
                             "posewire_pull_bytes_total", "posewire_taken_frames_total",
                             "posewire_taken_voice_seconds_total")),
                (self.graph.http_port, ("posewire_pushes_total", "posewire_pulls_total",
                                        "posewire_tick_lateness_seconds_count",
                                        "posewire_push_to_pull_seconds_count",
                                        "posewire_voice_taken_seconds_total",
                                        "posewire_voice_played_seconds_total"))):
            for name in names:
                with self.subTest(name):
                    self.assertTrue(until(lambda: self.value(port, name) > 0))
        for port, name in ((self.source, "posewire_push_losses_total"),
                           (self.sink, "posewire_pull_losses_total"),
                           (self.sink, "posewire_taken_faulty_messages_total")):
            self.assertEqual(self.value(port, name), 0)

    def test_the_histograms(self):
        values, types, _ = scrape(self.graph.http_port)
        for name in ("posewire_tick_lateness_seconds", "posewire_push_to_pull_seconds"):
            self.assertEqual(types[name], "histogram")
            counts = list(values[f"{name}_bucket"].items())
            self.assertEqual([count for _, count in counts], sorted(count for _, count in counts))
            self.assertEqual(counts[-1], ('{le="+Inf"}', values[f"{name}_count"][""]))
            self.assertGreaterEqual(values[f"{name}_sum"][""], 0)

    def test_push_to_pull_is_as_long_as_the_source_is_ahead(self):
        """In a process of its own: the sum over the count is what one source had."""
        means = []
        for lead in ("0.1", "0.8"):
            graph = Server("anim_graph", "--http", "127.0.0.1:0")
            self.addCleanup(graph.stop)
            # A request waits a moment for the first pull; this one is there.
            client = Client(graph.address)
            self.addCleanup(client.close)
            Collector(client.pull("s")).wait_started()
            subprocess.run([f"{BIN}/a2f_source", "say", "One two three four five six seven.", "--to",
                            graph.address, "--stream-id", "s", "--lead-s", lead], check=True,
                           capture_output=True, timeout=60)
            def voice(what):
                return self.value(graph.http_port, f"posewire_voice_{what}_seconds_total")
            # What was said was taken, and played, but for some pauses.
            self.assertGreater(voice("taken"), 1)
            self.assertTrue(until(lambda: abs(voice("taken") - voice("played")) < 0.35),
                            (voice("taken"), voice("played")))
            values, _, _ = scrape(graph.http_port)
            name = "posewire_push_to_pull_seconds"
            self.assertGreater(values[f"{name}_count"][""], 20)
            means.append(values[f"{name}_sum"][""] / values[f"{name}_count"][""])
        print(f"push to pull: {means[0]:.3f} s with 0.1 s ahead, {means[1]:.3f} s with 0.8", flush=True)
        self.assertLess(means[0], 0.35)
        self.assertGreater(means[1], 0.5)

    def test_pulls_that_are_refused_are_counted_by_their_code(self):
        def count():
            return self.value(self.graph.http_port, "posewire_refused_pulls_total",
                              '{code="INVALID_ARGUMENT"}')
        before = count()
        with self.assertRaises(grpc.RpcError):
            next(self.client.pull(""))
        self.assertTrue(until(lambda: count() == before + 1))

    def test_a_server_that_goes_is_a_loss(self):
        graph = Server("anim_graph")
        sink = self.start("renderer_sink", "record", os.path.join(self.home.name, "lost.jsonl"),
                          "--from", graph.address, "--stream-id", "s")
        self.assertTrue(until(lambda: self.value(sink, "posewire_pull_connections_total") == 1))
        graph.stop()
        self.assertTrue(until(lambda: self.value(sink, "posewire_pull_losses_total") > 0))

    def test_each_metric_has_its_line_in_the_documentation(self):
        text = (ROOT / "docs/control.md").read_text()
        for port in (self.graph.http_port, self.source, self.sink):
            for name in scrape(port)[1]:
                self.assertRegex(text, rf"`{name}[`{{]")

    def test_promtool_accepts_the_metrics(self):
        for port in (self.graph.http_port, self.source, self.sink):
            done = subprocess.run([tool("promtool"), "check", "metrics"], input=scrape(port)[2],
                                  capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
