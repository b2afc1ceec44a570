"""The compose files: Prometheus finds each of their processes, and the files that they mount exist."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

import yaml

DOCKER = pathlib.Path(__file__).resolve().parents[2] / "docker"
FILES = sorted(DOCKER.glob("*compose*.yml"))
PROGRAMS = ("anim_graph", "a2f_source", "renderer_sink")
SCALE = yaml.safe_load((DOCKER / "compose.scale.yml").read_text())["services"]
CHART = yaml.safe_load((DOCKER.parent / "deploy/helm/posewire/values.yaml").read_text())
OBSERVE = yaml.safe_load((DOCKER / "compose.observe.yml").read_text())["services"]
PROMETHEUS = yaml.safe_load((DOCKER / "observe/prometheus.yml").read_text())


def services():
    """The file's name, the service's name, and the service, of each in all files."""
    for file in FILES:
        for name, service in yaml.safe_load(file.read_text())["services"].items():
            yield file.name, name, service


class Compose(unittest.TestCase):
    def test_prometheus_scrapes_each_process(self):
        scraped = {(job["job_name"], name, found["port"])
                   for job in PROMETHEUS["scrape_configs"]
                   for found in job["dns_sd_configs"] for name in found["names"]}
        served = set()
        for file, name, service in services():
            command = service.get("command", [""])
            if command[0] not in PROGRAMS:
                continue
            with self.subTest(file=file, service=name):
                host, port = command[command.index("--http") + 1].split(":")
                self.assertEqual(host, "0.0.0.0")
                self.assertIn("--allow-plaintext", command)
                network = (service.get("networks") or {}).get("default") or {}
                names = {(command[0], each, int(port)) for each in [name, *network.get("aliases", [])]}
                self.assertTrue(names & scraped, names)
                served |= names & scraped
        self.assertEqual(served, scraped)

    def test_all_services_share_the_network_that_prometheus_joins(self):
        for file, name, service in services():
            self.assertLessEqual(set(service.get("networks", {})), {"default"}, f"{file}: {name}")

    def test_mounted_files_exist(self):
        mounts = [(file, mount.split(":")[0]) for file, _, service in services()
                  for mount in service.get("volumes", []) if mount.startswith(".")]
        self.assertGreater(len(mounts), 2)
        for file, path in mounts:
            self.assertTrue((DOCKER / path).exists(), f"{file}: {path}")

    def test_ports_of_the_host_are_published_on_loopback_except_the_doors(self):
        for file, name, service in services():
            for port in service.get("ports", []):
                by_tls = name == "door" and port.endswith(":8443")
                self.assertEqual(port.startswith("127.0.0.1:"), not by_tls, f"{file}: {name}")

    def test_nodes_can_be_added(self):
        """Nothing of the service is for one container alone."""
        nodes = SCALE["anim_graph"]
        self.assertGreater(nodes["scale"], 1)
        self.assertLessEqual({"container_name", "hostname", "ports", "networks"} & set(nodes), set())
        self.assertNotIn("--directory-address", nodes["command"])
        drain_s = int(nodes["command"][nodes["command"].index("--drain-timeout-s") + 1])
        self.assertEqual(nodes["stop_grace_period"], f"{drain_s + 10}s")

    def test_the_scaled_door_finds_the_nodes_where_they_listen(self):
        envoy = DOCKER / "edge/envoy"
        made = subprocess.run(["sed", "-f", envoy / "scale.sed", envoy / "envoy.yaml"], check=True,
                              capture_output=True, text=True).stdout
        config = yaml.safe_load(made)["static_resources"]
        command = SCALE["anim_graph"]["command"]
        for cluster, setting in zip(config["clusters"], ("--listen", "--http"), strict=True):
            (group,) = cluster["load_assignment"]["endpoints"]
            (node,) = group["lb_endpoints"]
            self.assertEqual(set(node), {"endpoint"})
            address = node["endpoint"]["address"]["socket_address"]
            self.assertEqual(address["address"], "anim_graph")
            self.assertEqual(f"0.0.0.0:{address['port_value']}",
                             command[command.index(setting) + 1])
            self.assertEqual(cluster["dns_lookup_family"], "V4_ONLY")
        door, plain = config["listeners"]
        self.assertEqual([chain["filters"] for chain in plain["filter_chains"]],
                         [chain["filters"] for chain in door["filter_chains"]])
        listening = {listener["address"]["socket_address"]["port_value"]
                     for listener in config["listeners"]}
        self.assertEqual({int(port.rpartition(":")[2]) for port in SCALE["door"]["ports"]}, listening)
        routes = plain["filter_chains"][0]["filters"][0]["typed_config"]["route_config"]
        for route in routes["virtual_hosts"][0]["routes"]:
            self.assertEqual(route["route"]["hash_policy"][-1],
                             {"connection_properties": {"source_ip": True}})

    def test_images_are_those_of_the_chart(self):
        self.assertIn(f":-{CHART['redis']['image']}}}", SCALE["redis"]["image"])
        self.assertIn(f":-{CHART['door']['image'].replace('distroless-', '')}}}", SCALE["door"]["image"])

    def test_grafana_finds_dashboard_and_prometheus(self):
        grafana = DOCKER / "observe/grafana"
        [source] = yaml.safe_load((grafana / "datasources/prometheus.yml").read_text())["datasources"]
        self.assertEqual(source["url"], "http://prometheus:9090")
        self.assertIn("prometheus", OBSERVE)
        self.assertEqual(source["jsonData"]["timeInterval"], PROMETHEUS["global"]["scrape_interval"])
        [provider] = yaml.safe_load((grafana / "dashboards/posewire.yml").read_text())["providers"]
        at = provider["options"]["path"]
        self.assertEqual(OBSERVE["grafana"]["volumes"], [f"./observe:{at}:ro"])
        settings = OBSERVE["grafana"]["environment"]
        self.assertEqual(settings["GF_PATHS_PROVISIONING"], f"{at}/grafana")
        home = settings["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
        dashboard = json.loads((DOCKER / "observe" / home.removeprefix(f"{at}/")).read_text())
        [variable] = [v for v in dashboard["templating"]["list"] if v["type"] == "datasource"]
        self.assertEqual(variable["query"], source["type"])
        for panel in dashboard["panels"]:
            self.assertEqual(panel["datasource"]["uid"], f"${{{variable['name']}}}")

    def test_images_of_others_have_a_version(self):
        for name in ("prometheus", "grafana"):
            self.assertRegex(OBSERVE[name]["image"], r":-[a-z/]+:v?\d+\.\d+\.\d+\}$")

    @unittest.skipUnless(shutil.which("docker-compose"), "docker-compose is not there")
    def test_docker_compose_reads_each_file_together_with_observe(self):
        for file in FILES:
            done = subprocess.run(["docker-compose", "-f", file, "-f", DOCKER / "compose.observe.yml",
                                   "config", "-q"], text=True, capture_output=True,
                                  env=os.environ | {"POSEWIRE_TLS": "/tls"})
            self.assertEqual(done.returncode, 0, f"{file.name}: {done.stderr}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
