"""What the three programs tell at /metrics, and that dashboard and alerts ask for nothing else."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import grpc
from http_client import Http
from posewire_test import BIN, Client, Collector, Server, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
OBSERVE = ROOT / "docker/observe"
NAME = re.compile(r"\b((?:posewire|process)_[a-z0-9_]+)\s*(\{[^}]*\})?")
# Whether the alerts speak when they should, for promtool.
RULES_TEST = """
rule_files: [%s/alerts.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'up{job="anim_graph", instance="a"}', values: '1 1 0 0 0 0'}
      - {series: 'posewire_budget_used{instance="a", budget="pulls"}', values: '90x20'}
      - {series: 'posewire_budget_limit{instance="a", budget="pulls"}', values: '100x20'}
      - {series: 'posewire_tick_lateness_seconds_bucket{instance="a", le="0.01"}', values: '0+10x20'}
      - {series: 'posewire_tick_lateness_seconds_bucket{instance="a", le="0.05"}', values: '0+100x20'}
      - {series: 'posewire_tick_lateness_seconds_bucket{instance="a", le="+Inf"}', values: '0+100x20'}
      - {series: 'posewire_refused_pushes_total{instance="a", code="UNAUTHENTICATED"}', values: '0+9x20'}
      - {series: 'posewire_refused_pushes_total{instance="a", code="INVALID_ARGUMENT"}', values: '0+9x20'}
    alert_rule_test:
      - {eval_time: 2m, alertname: PosewireDown, exp_alerts: []}
      - eval_time: 4m
        alertname: PosewireDown
        exp_alerts: [{exp_labels: {severity: page, job: anim_graph, instance: a},
                      exp_annotations: {summary: "anim_graph at a does not answer"}}]
      - eval_time: 12m
        alertname: PosewireNearlyFull
        exp_alerts: [{exp_labels: {severity: warning, instance: a, budget: pulls},
                      exp_annotations: {summary: "pulls at a are 90%% in use"}}]
      - eval_time: 12m
        alertname: PosewireLate
        exp_alerts: [{exp_labels: {severity: page, instance: a},
                      exp_annotations: {summary: "ticks at a begin 49.56ms late (p99)"}}]
      - eval_time: 12m
        alertname: PosewireStrangers
        exp_alerts: [{exp_labels: {severity: warning, instance: a, code: UNAUTHENTICATED},
                      exp_annotations: {summary: "callers at a are turned away: UNAUTHENTICATED"}}]
"""


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


def expressions():
    """Where it stands, and PromQL."""
    for panel in json.loads((OBSERVE / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    rules = (OBSERVE / "alerts.yml").read_text()
    for alert in re.split(r"- alert: ", rules)[1:]:
        yield alert.split()[0], re.search(r"expr:(.*?)\n        (?:for|labels):", alert, re.S)[1]


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
        """One that dials; gives the port of its probes."""
        log = open(os.path.join(cls.home.name, f"{name}.log"), "w")
        cls.addClassCleanup(log.close)
        process = subprocess.Popen([f"{BIN}/{name}", *args, "--http", "127.0.0.1:0"],
                                   stdout=subprocess.PIPE, stderr=log, text=True)
        for stop in (process.stdout.close, process.wait, process.kill):
            cls.addClassCleanup(stop)
        return json.loads(process.stdout.readline())["http_port"]

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

    def test_dashboard_and_alerts_ask_for_what_there_is(self):
        there = {}
        for port in (self.graph.http_port, self.source, self.sink):
            there.update(scrape(port)[0])
        asked = 0
        for where, expression in expressions():
            names = NAME.findall(expression)
            self.assertTrue(names or "up{" in expression, where)
            for name, selector in names:
                with self.subTest(where=where, name=name):
                    asked += 1
                    self.assertIn(name, there)
                    for label, given in re.findall(r'(\w+)=~?"([^"]*)"', selector):
                        if label in ("instance", "job"):
                            continue
                        found = {v for s in there[name] for v in re.findall(rf'{label}="([^"]*)"', s)}
                        for word in given.split("|"):
                            self.assertIn(word, found)
            for label in re.findall(r"by \(([^)]*)\)", expression):
                for word in label.replace(" ", "").split(","):
                    known = any(f'{word}="' in s for name, _ in names for s in there[name])
                    self.assertTrue(known or word == "instance", f"{where}: {word}")
        self.assertGreater(asked, 40)

    def test_each_metric_has_its_line_in_the_documentation(self):
        text = (ROOT / "docs/control.md").read_text()
        for port in (self.graph.http_port, self.source, self.sink):
            for name in scrape(port)[1]:
                self.assertRegex(text, rf"`{name}[`{{]")

    def test_each_alert_has_its_line_in_the_documentation(self):
        text = (ROOT / "docs/operations.md").read_text()
        alerts = re.findall(r"- alert: (\w+)", (OBSERVE / "alerts.yml").read_text())
        self.assertGreater(len(alerts), 8)
        for alert in alerts:
            self.assertIn(f"`{alert}`", text)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not there (Debian: prometheus)")
    def test_promtool_has_nothing_to_say(self):
        def promtool(*args, stdin=None):
            ended = subprocess.run(["promtool", *args], input=stdin, capture_output=True)
            self.assertEqual(ended.returncode, 0, (ended.stdout + ended.stderr).decode())
        promtool("check", "config", str(OBSERVE / "prometheus.yml"))
        for port in (self.graph.http_port, self.source, self.sink):
            promtool("check", "metrics", stdin=scrape(port)[2])
        test = os.path.join(self.home.name, "rules_test.yml")
        pathlib.Path(test).write_text(RULES_TEST % OBSERVE)
        promtool("test", "rules", test)


if __name__ == "__main__":
    unittest.main(verbosity=2)
