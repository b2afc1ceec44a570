"""Dashboard and alerts in a real Prometheus, which scrapes processes that speak, are pulled, and record."""

import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

import grpc
import yaml
from posewire_test import (BIN, Client, Server, free_port, header, start_with_probes, tool, until)

OBSERVE = pathlib.Path(__file__).resolve().parents[2] / "docker/observe"
PANELS = json.loads((OBSERVE / "dashboard.json").read_text())["panels"]
ALERTS = yaml.safe_load((OBSERVE / "alerts.yml").read_text())["groups"][0]["rules"]
TOKEN = "a-token-of-the-test"


class Prometheus:
    """A Prometheus with our configuration, except for its targets and its intervals of a second."""

    def __init__(self, home, targets):
        """`targets`: the ports of each job."""
        config = yaml.safe_load((OBSERVE / "prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(OBSERVE / name) for name in config["rule_files"]]
        config["scrape_configs"] = [
            {"job_name": job["job_name"], "static_configs": [
                {"targets": [f"127.0.0.1:{port}" for port in targets[job["job_name"]]]}]}
            for job in config["scrape_configs"]]
        file = pathlib.Path(home, "prometheus.yml")
        file.write_text(yaml.safe_dump(config))
        self.port = free_port()
        log = pathlib.Path(home, "prometheus.log")
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [tool("prometheus"), f"--config.file={file}", f"--storage.tsdb.path={home}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdout=out, stderr=out)
        if not until(self.ready):
            self.stop()
            raise AssertionError(log.read_text())

    def ready(self):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready").close() is None
        except OSError:
            return False

    def get(self, path, **parameters):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as reply:
                return json.load(reply)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None

    def query(self, expression):
        """The labels and the value of each series."""
        return [(series["metric"], float(series["value"][1]))
                for series in self.get("query", query=expression)["result"]]

    def alerts(self, state):
        return {alert["labels"]["alertname"] for alert in self.get("alerts")["alerts"]
                if alert["state"] == state}

    def stop(self):
        self.process.kill()
        self.process.wait()


def expressions():
    """The place and the text of each query. `bool` makes an alert's comparison return 0 or 1."""
    for panel in PANELS:
        for target in panel["targets"]:
            yield (panel["title"], target["expr"].replace("$instance", ".*")
                   .replace("$__rate_interval", "5s"))
    for alert in ALERTS:
        yield alert["alert"], re.sub(r"(==|>) (?=[\d.]+)", r"\1 bool ", alert["expr"])


class PrometheusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.graph = cls.server()
        clip = os.path.join(cls.home, "clip.jsonl")
        subprocess.run([f"{BIN}/a2f_source", "say", "One two three.", "--out", clip], check=True,
                       capture_output=True)
        sink = cls.start("renderer_sink", "record", os.path.join(cls.home, "out.jsonl"),
                         "--from", cls.graph.address, "--stream-id", "s")
        source = cls.start("a2f_source", "play", clip, "--loop", "--to", cls.graph.address,
                           "--stream-id", "s")
        # The second anim_graph, the second sink and a port without a server are for the faults.
        cls.tokens = pathlib.Path(cls.home, "tokens")
        cls.tokens.write_text(f"all push,pull,watch * {TOKEN}\n")
        cls.faulty = cls.server("--tokens", str(cls.tokens), "--max-pulls", "1")
        lost = cls.start("renderer_sink", "record", os.path.join(cls.home, "lost.jsonl"),
                         "--from", f"127.0.0.1:{free_port()}", "--stream-id", "s")
        cls.prometheus = Prometheus(cls.home, {
            "anim_graph": [cls.graph.http_port, cls.faulty.http_port],
            "a2f_source": [source], "renderer_sink": [sink, lost, free_port()]})
        cls.addClassCleanup(cls.prometheus.stop)
        scraped = "sum_over_time(up[1h]) > 3"
        assert until(lambda: len(cls.prometheus.query(scraped)) == 5), cls.prometheus.query("up")

    @classmethod
    def server(cls, *args):
        server = Server("anim_graph", "--http", "127.0.0.1:0", *args)
        cls.addClassCleanup(server.stop)
        return server

    @classmethod
    def start(cls, name, *args):
        return start_with_probes(cls, cls.home, name, *args)

    def test_each_query_returns_numbers_of_all_that_it_names(self):
        for place, expression in expressions():
            with self.subTest(place=place, query=expression):
                self.assertTrue(until(lambda: any(math.isfinite(value) for _, value
                                                  in self.prometheus.query(expression))))
                labels = [labels for labels, _ in self.prometheus.query(expression)]
                for label, values in re.findall(r'(\w+)=~?"([^"]*)"', expression):
                    if label not in ("instance", "job"):
                        self.assertLessEqual(set(values.split("|")), {each.get(label) for each in labels})
                for grouping in re.findall(r"by \(([^)]*)\)", expression):
                    for label in set(grouping.split(", ")) - {"le"}:
                        self.assertTrue(all(label in each for each in labels), label)

    def test_faults_fire_their_alerts_and_no_others(self):
        client = Client(self.faulty.address)
        self.addCleanup(client.close)
        admitted = [("authorization", f"Bearer {TOKEN}")]
        for _ in range(15):
            with self.assertRaises(grpc.RpcError):
                next(client.pull("s"))
        for _ in range(5):
            with self.assertRaises(grpc.RpcError):
                client.push([header(client, "s", "r"), header(client, "s", "r")], metadata=admitted)
        pull = client.pull("s", metadata=admitted)
        self.addCleanup(pull.cancel)
        next(pull)
        with self.assertRaises(grpc.RpcError):
            next(client.pull("s", metadata=admitted))
        self.tokens.unlink()
        fire = {"PosewireStrangers", "PosewireSourcesLost", "PosewireRefusing", "PosewireTokensLost",
                "PosewireReconnecting"}
        self.assertTrue(until(lambda: self.prometheus.alerts("firing") == fire),
                        self.prometheus.alerts("firing"))
        # These fire when they have lasted for minutes.
        wait = {"PosewireDown", "PosewireNearlyFull"}
        self.assertTrue(until(lambda: wait <= self.prometheus.alerts("pending")),
                        self.prometheus.alerts("pending"))
        for rule in self.prometheus.get("rules")["groups"][0]["rules"]:
            self.assertEqual(rule["health"], "ok", rule)
            for alert in rule["alerts"]:
                self.assertNotRegex(alert["annotations"]["summary"], "<error|<no value>|  ")

    def test_promtool_accepts_configuration_and_alerts(self):
        for arguments in (["check", "config", OBSERVE / "prometheus.yml"],
                          ["test", "rules", pathlib.Path(__file__).parent / "alerts_test.yml"]):
            done = subprocess.run([tool("promtool"), *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_alert_has_its_line_in_the_documentation(self):
        text = (OBSERVE.parents[1] / "docs/operations.md").read_text()
        self.assertGreater(len(ALERTS), 8)
        for alert in ALERTS:
            self.assertIn(f"| `{alert['alert']}` |", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
