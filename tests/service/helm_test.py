"""The Helm chart: what it renders is valid, complete, closed by default, and started by the real
programs. No cluster is needed."""

import json
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest

import yaml
from certificates import Ca
from helm_chart import (CHART, EXAMPLES, ROOT, VALIDATE, Release, Secrets, container, helm, labels,
                        render_text, selects)
from http_client import Http
from posewire_test import BIN, tool
from redis_server import Redis

# The oldest and the newest Kubernetes that the schemas know and the chart supports.
KUBERNETES = ("1.29", "1.37")
OF_OPERATORS = {"ServiceMonitor", "PrometheusRule"}
RELEASES = {name: Release(name) for name in (None, *EXAMPLES)}


class Rendered(unittest.TestCase):
    def each(self):
        for name, release in RELEASES.items():
            with self.subTest(values=name or "defaults"):
                yield release

    def each_pod(self):
        for release in self.each():
            for component, pod in release.pods().items():
                with self.subTest(pod=component):
                    yield release, component, pod

    def test_helm_finds_no_fault(self):
        for name, path in {"defaults": CHART / "values.yaml", **EXAMPLES}.items():
            code, text, errors = helm("lint", "--strict", CHART, "--values", path)
            self.assertEqual(code, 0, f"{name}: {text}{errors}")

    def test_kubernetes_knows_every_field(self):
        with tempfile.TemporaryDirectory() as folder:
            for release in self.each():
                known = [o for o in release.objects if o["kind"] not in OF_OPERATORS]
                path = pathlib.Path(folder, "objects.yaml")
                path.write_text(yaml.safe_dump_all(known))
                for version in KUBERNETES:
                    done = subprocess.run([VALIDATE, "--strict", "--quiet", "-k", version, path],
                                          capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stdout), (0, ""), version)

    def test_names_are_unique(self):
        for release in self.each():
            names = [(o["kind"], o["metadata"]["name"]) for o in release.objects]
            self.assertEqual(len(names), len(set(names)))

    def test_values_are_checked(self):
        """By the schema, and against each other."""
        for expected, *sets in (
                ("animGraf", "animGraf.replicas=3"),
                ("replicas", "animGraph.replicas=many"),
                ("balanceFactor", "door.balanceFactor=50"),
                ("externalAddress", "redis.externalAddress=redis.example"),
                ("door.tls.secretName", "tls.secretName=t"),
                ("door.tls.secretName", "door.service.type=LoadBalancer"),
                ("needs door.tls.secretName", "door.tls.clientCaSecretName=c"),
                ("directory.enabled", "directory.enabled=false"),
                ("maxReplicas", "animGraph.replicas=11"),
                ("minReplicas", "autoscaling.enabled=true", "autoscaling.minReplicas=11"),
                ("no metric", "autoscaling.enabled=true", "autoscaling.cpuUtilization=0"),
                ("a2fSource.tokenSecretName", "tokens.secretName=t", "a2fSource.enabled=true"),
                ("animGraph.tokenSecretName", "tokens.secretName=t", "a2fSource.enabled=true",
                 "a2fSource.tokenSecretName=s")):
            with self.subTest(sets):
                args = [word for value in sets for word in ("--set", value)]
                code, _, errors = helm("template", "x", CHART, *args)
                self.assertNotEqual(code, 0)
                self.assertIn(expected, errors)

    def test_each_value_has_a_place_in_the_schema(self):
        def check(values, schema, path):
            for key, value in values.items():
                self.assertIn(key, schema["properties"], path)
                below = schema["properties"][key]
                if isinstance(value, dict) and "properties" in below:
                    check(value, below, f"{path}.{key}")
        schema = json.loads((CHART / "values.schema.json").read_text())
        values = yaml.safe_load((CHART / "values.yaml").read_text())
        check(values, schema, "")
        self.assertEqual(set(schema["properties"]) - set(values), {"global"})

    def test_a_packaged_chart_has_the_files_that_it_links_to(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(helm("package", CHART, "--destination", folder)[0], 0)
            (package,) = pathlib.Path(folder).iterdir()
            with tarfile.open(package) as archive:
                for name, source in (("alerts.yml", "docker/observe/alerts.yml"),
                                     ("dashboard.json", "docker/observe/dashboard.json"),
                                     ("envoy.yaml", "docker/edge/envoy/envoy.yaml")):
                    member = archive.getmember(f"posewire/files/{name}")
                    self.assertTrue(member.isfile())
                    self.assertEqual(archive.extractfile(member).read(), (ROOT / source).read_bytes())
            values = ("--values", EXAMPLES["everything"], "--set", "redis.password=x")
            self.assertEqual(render_text(*values, chart=package), render_text(*values))

    def test_pods_run_without_rights(self):
        for _, component, pod in self.each_pod():
            spec, one = pod["spec"], container(pod)
            self.assertFalse(spec["automountServiceAccountToken"])
            self.assertTrue(spec["securityContext"]["runAsNonRoot"])
            self.assertGreater(spec["securityContext"]["runAsUser"], 0)
            self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
            self.assertEqual(one["securityContext"], {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]}})
            self.assertIn("memory", one["resources"]["limits"])
            self.assertLessEqual({"cpu", "memory"}, set(one["resources"]["requests"]))
            for volume in spec.get("volumes") or []:
                self.assertFalse({"hostPath", "projected"} & set(volume))

    def test_probes_call_the_port_of_the_probes(self):
        for _, component, pod in self.each_pod():
            one = container(pod)
            ports = {p["name"]: p["containerPort"] for p in one["ports"]}
            if component == "redis":
                self.assertNotIn("probes", ports)
                continue
            self.assertEqual(labels(pod)["posewire/probes"], "yes")
            for kind, path in (("startupProbe", "/healthz"), ("livenessProbe", "/healthz"),
                               ("readinessProbe", "/readyz")):
                self.assertEqual(one[kind]["httpGet"], {"path": path, "port": "probes"})
            if component != "door":
                self.assertIn(f"--probes=0.0.0.0:{ports['probes']}", one["args"])

    def test_selectors_and_ports_lead_somewhere(self):
        for release in self.each():
            pods = list(release.pods().values())
            for workload in release.workloads():
                self.assertTrue(selects(workload["spec"]["selector"]["matchLabels"],
                                        workload["spec"]["template"]))
            for service in release.kind("Service"):
                chosen = [p for p in pods if selects(service["spec"]["selector"], p)]
                self.assertTrue(chosen, service["metadata"]["name"])
                for pod in chosen:
                    names = {p["name"] for p in container(pod)["ports"]}
                    for port in service["spec"]["ports"]:
                        self.assertIn(port["targetPort"], names)
            for guard in release.kind("PodDisruptionBudget"):
                chosen = [p for p in pods if selects(guard["spec"]["selector"]["matchLabels"], p)]
                self.assertEqual(len(chosen), 1)
            for policy in release.kind("NetworkPolicy"):
                chosen = [p for p in pods if selects(policy["spec"]["podSelector"]["matchLabels"], p)]
                self.assertEqual(len(chosen), 1, policy["metadata"]["name"])
            for scaler in release.kind("HorizontalPodAutoscaler"):
                target = scaler["spec"]["scaleTargetRef"]
                nodes = release.named(target["kind"], target["name"])
                self.assertNotIn("replicas", nodes["spec"])

    def test_a_pod_has_time_for_its_drain(self):
        for seconds, *sets in ((120,), (8, "animGraph.drainTimeoutSeconds=8"),
                               (3600, "animGraph.drainTimeoutSeconds=3600")):
            nodes = Release(None, *sets).pods()["anim_graph"]
            self.assertIn(f"--drain-timeout-s={seconds}", container(nodes)["args"])
            self.assertEqual(nodes["spec"]["terminationGracePeriodSeconds"], seconds + 10)

    def test_no_password_is_on_a_command_line(self):
        for _, component, pod in self.each_pod():
            if component != "redis":
                self.assertNotIn("PASSWORD", " ".join(container(pod).get("args", [])))

    def test_a_given_password_is_the_same_in_each_rendering(self):
        once, twice = (Release(None, "redis.password=abc").named("Secret", "posewire-redis")
                       for _ in range(2))
        self.assertEqual(once, twice)


def may_call(release, source, target, port):
    """Whether the NetworkPolicies let pods of one component (None: from outside) call another."""
    pods = release.pods()

    def rules(component, direction):
        """None: nothing restricts it."""
        found = [p["spec"] for p in release.kind("NetworkPolicy")
                 if selects(p["spec"]["podSelector"]["matchLabels"], pods[component])
                 and direction.title() in p["spec"]["policyTypes"]]
        return [r for spec in found for r in spec.get(direction) or []] if found else None

    def admits(rule, peers, component):
        if port not in [p["port"] for p in rule.get("ports", [])]:
            return False
        if peers not in rule:
            return True
        return any("podSelector" in p and "namespaceSelector" not in p and component
                   and selects(p["podSelector"]["matchLabels"], pods[component])
                   for p in rule[peers])

    taken = rules(target, "ingress")
    sent = rules(source, "egress") if source else None
    return ((taken is None or any(admits(r, "from", source) for r in taken))
            and (sent is None or any(admits(r, "to", target) for r in sent)))


class Networks(unittest.TestCase):
    NEEDED = [("door", "anim_graph", 51000), ("door", "anim_graph", 8020),
              ("anim_graph", "anim_graph", 51000), ("anim_graph", "anim_graph", 8020),
              ("anim_graph", "redis", 6379), ("anim_graph", "a2f_source", 51002),
              ("a2f_source", "door", 8444), ("renderer_sink", "door", 8444),
              ("renderer_sink", "a2f_source", 51002)]
    FORBIDDEN = [(None, "anim_graph", 51000), (None, "anim_graph", 8020), (None, "redis", 6379), (None, "door", 8444),
                 ("a2f_source", "anim_graph", 51000), ("renderer_sink", "redis", 6379),
                 ("door", "redis", 6379), ("door", "a2f_source", 51002), ("door", "anim_graph", 8021)]

    def test_what_is_needed_is_allowed_and_nothing_more(self):
        release = RELEASES["everything"]
        for call in self.NEEDED:
            self.assertTrue(may_call(release, *call), call)
        for call in self.FORBIDDEN:
            self.assertFalse(may_call(release, *call), call)

    def test_anyone_may_scrape_unless_namespaces_are_chosen(self):
        for component in RELEASES[None].pods():
            self.assertEqual(may_call(RELEASES[None], None, component, 8021), component != "redis")
        for component in RELEASES["everything"].pods():
            self.assertFalse(may_call(RELEASES["everything"], None, component, 8021))

    def test_without_a_door_clients_reach_the_nodes(self):
        release = Release(None, "door.enabled=false", "a2fSource.enabled=true")
        for call in ((None, "anim_graph", 51000), (None, "anim_graph", 8020),
                     ("a2f_source", "anim_graph", 51000), ("anim_graph", "a2f_source", 51002)):
            self.assertTrue(may_call(release, *call), call)

    def test_an_external_redis_is_reached_by_its_port(self):
        egress = RELEASES["external-redis"].named("NetworkPolicy", "posewire-anim-graph")["spec"]["egress"]
        self.assertIn({"ports": [{"port": 6380}]}, egress)

    def test_monitoring_reaches_the_probes_of_chosen_namespaces(self):
        for policy in RELEASES["everything"].kind("NetworkPolicy"):
            for rule in policy["spec"]["ingress"]:
                if rule["ports"] == [{"port": 8021}]:
                    self.assertIn("namespaceSelector", rule["from"][0])


def adapter_rules():
    return yaml.safe_load((ROOT / "deploy/helm/prometheus-adapter.yaml").read_text())["rules"]["custom"]


class Monitoring(unittest.TestCase):
    def setUp(self):
        self.release = RELEASES["everything"]

    def test_alerts_and_dashboard_are_those_of_the_tree(self):
        rule = self.release.named("PrometheusRule", "posewire")
        self.assertEqual(rule["spec"], yaml.safe_load((ROOT / "docker/observe/alerts.yml").read_text()))
        shown = self.release.named("ConfigMap", "posewire-dashboard")["data"]["posewire.json"]
        self.assertEqual(json.loads(shown),
                         json.loads((ROOT / "docker/observe/dashboard.json").read_text()))

    def test_the_jobs_are_those_of_the_alerts(self):
        monitor = self.release.named("ServiceMonitor", "posewire")["spec"]
        (endpoint,) = monitor["endpoints"]
        self.assertEqual(endpoint["relabelings"][0], {
            "sourceLabels": ["__meta_kubernetes_pod_label_app_kubernetes_io_component"],
            "targetLabel": "job"})
        (service,) = [s for s in self.release.kind("Service")
                      if selects(monitor["selector"]["matchLabels"], s)]
        self.assertIn(endpoint["port"], [p["name"] for p in service["spec"]["ports"]])
        jobs = {c for c, pod in self.release.pods().items()
                if selects(service["spec"]["selector"], pod)}
        self.assertEqual(jobs, {"anim_graph", "a2f_source", "renderer_sink", "door"})


    def test_the_queries_of_the_autoscaler(self):
        """As the adapter asks them, of a busy node and of one without avatars, which is not late."""
        rules = [{"record": rule["name"]["as"],
                  "expr": rule["metricsQuery"].replace("<<.GroupBy>>", "pod").replace(
                      "<<.LabelMatchers>>", 'namespace="avatars",pod=~"node-.*"')}
                 for rule in adapter_rules()]
        series = {"posewire_tick_lateness_seconds_bucket{le=\"0.01\",": ("0+980x10", "0x10"),
                  "posewire_tick_lateness_seconds_count{": ("0+1000x10", "0x10"),
                  "posewire_budget_used{budget=\"avatars\",": ("512x10", "0x10"),
                  "posewire_budget_limit{budget=\"avatars\",": ("1024x10", "1024x10")}
        given = [{"series": f'{name}namespace="avatars",pod="node-{n}"}}', "values": values[n]}
                 for name, values in series.items() for n in range(2)]
        expected = [("posewire_late_ticks_ratio", 0.02), ("posewire_avatars_used_ratio", 0.5)]
        test = {"rule_files": ["rules.yml"], "evaluation_interval": "1m",
                "tests": [{"interval": "1m", "input_series": given, "promql_expr_test": [
                    {"expr": f"round({name}, 0.0001)", "eval_time": "9m",
                     "exp_samples": [{"labels": '{pod="node-0"}', "value": busy},
                                     {"labels": '{pod="node-1"}', "value": 0}]}
                    for name, busy in expected]}]}
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "rules.yml").write_text(
                yaml.safe_dump({"groups": [{"name": "adapter", "rules": rules}]}))
            path = pathlib.Path(folder, "test.yml")
            path.write_text(yaml.safe_dump(test))
            done = subprocess.run([tool("promtool"), "test", "rules", str(path)], capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Programs(unittest.TestCase):
    """Each container's command line, started as it is but for addresses and the folder of secrets."""

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        ca = Ca(cls.home.name, "ca")
        cert, key = (pathlib.Path(path).read_bytes() for path in ca.issue("server"))
        cls.content = {(secret, name): data
                       for secret in ("posewire-tls", "door-tls", "clients-ca")
                       for name, data in (("tls.crt", cert), ("tls.key", key),
                                          ("ca.crt", pathlib.Path(ca.cert).read_bytes()))}
        tokens = yaml.safe_load(EXAMPLES["everything"].read_text())["tokens"]["content"]
        cls.content["posewire-tokens", "tokens"] = tokens.encode()
        for secret in ("node-token", "source-token", "page-token"):
            cls.content[secret, "token"] = tokens.split()[3].encode()
        cls.redis = Redis(password="abc123")
        cls.addClassCleanup(cls.redis.kill)

    def start(self, release, pod):
        """The line that reports that it is ready."""
        files = Secrets(release, pod, self.content)
        self.addCleanup(files.close)
        one = container(pod)
        env = {e["name"]: e.get("value", "") for e in one.get("env", [])}
        env.update(POD_NAME="posewire-node-0", POD_IP="127.0.0.1", REDIS_PASSWORD=self.redis.password)
        expand = lambda text: re.sub(r"\$\((\w+)\)", lambda m: env[m[1]], text)
        if "POSEWIRE_DIRECTORY" in env:
            # The chart's Redis, or the external one.
            env["POSEWIRE_DIRECTORY"] = re.sub(r"@[^@]*$", f"@127.0.0.1:{self.redis.port}",
                                               expand(env["POSEWIRE_DIRECTORY"]))
        words = [re.sub(r"=0\.0\.0\.0:\d+$", "=127.0.0.1:0", files.place(expand(word)))
                 for word in one["command"] + one["args"]]
        log = open(os.path.join(self.home.name, "log"), "w+")
        self.addCleanup(log.close)
        process = subprocess.Popen([f"{BIN}/{words[0]}", *words[1:]], env={**os.environ, **env},
                                   stdout=subprocess.PIPE, stderr=log, text=True)
        for stop in (process.stdout.close, process.wait, process.kill):
            self.addCleanup(stop)
        line = process.stdout.readline()
        self.assertTrue(line, pathlib.Path(log.name).read_text())
        return json.loads(line)

    def test_every_command_line_starts_and_its_probes_answer(self):
        started = 0
        for name, release in RELEASES.items():
            for component, pod in release.pods().items():
                if container(pod)["command"][0] not in ("anim_graph", "a2f_source", "renderer_sink"):
                    continue
                with self.subTest(values=name or "defaults", pod=component):
                    started += 1
                    probes = Http(self.start(release, pod)["probes_port"])
                    for path in ("/healthz", "/readyz", "/metrics"):
                        self.assertEqual(probes.raw("GET", path)[0], 200)
        self.assertGreaterEqual(started, 9)

    def test_the_autoscaler_asks_for_metrics_that_there_are(self):
        release = RELEASES["everything"]
        rules = {rule["name"]["as"]: rule for rule in adapter_rules()}
        (scaler,) = release.kind("HorizontalPodAutoscaler")
        asked = [m["pods"]["metric"]["name"] for m in scaler["spec"]["metrics"] if m["type"] == "Pods"]
        self.assertEqual(set(asked), set(rules))
        port = self.start(RELEASES["minimal"], RELEASES["minimal"].pods()["anim_graph"])["probes_port"]
        metrics = Http(port).raw("GET", "/metrics")[2].decode()
        for rule in rules.values():
            for name, matchers in re.findall(r"(posewire_\w+)\{([^}]*)", rule["seriesQuery"] + " "
                                             + rule["metricsQuery"]):
                own = ",".join(m for m in matchers.split(",")
                               if "LabelMatchers" not in m and "!=" not in m)
                self.assertRegex(metrics, rf"(?m)^{name}(\{{{own}\}}|) ")


if __name__ == "__main__":
    unittest.main(verbosity=2)
