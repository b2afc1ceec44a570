"""Envoy as the Helm chart configures it, in front of real nodes that it finds by DNS."""

import http.client
import pathlib
import re
import ssl
import subprocess
import tempfile
import time
import unittest

import yaml
from certificates import Ca
from envoy_door import ENVOY, find_by
from helm_chart import EXAMPLES, Release, Secrets, container
from http_client import Http
from name_server import NameServer
from posewire_test import BIN, Client, Collector, Server, free_port, until

NODES = "posewire-nodes.avatars.svc.cluster.local"


class Door:
    """The door's container, with its listeners on loopback, and nodes at the ports `grpc` and `http`."""

    def __init__(self, release, names, grpc, http, content=()):
        pod = release.pods()["door"]
        self.files = Secrets(release, pod, dict(content))
        self.port, self.inside_port, self.probes_port = free_port(), free_port(), free_port()
        self.config = pathlib.Path(self.files.place("/etc/posewire-door/envoy.yaml"))
        config = yaml.safe_load(self.config.read_text())
        listeners = config["static_resources"]["listeners"]
        for listener, port in zip(listeners, (self.port, self.inside_port, self.probes_port)):
            listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": port}
        find_by(names, config, grpc, http)
        self.config.write_text(yaml.safe_dump(config))
        pathlib.Path(self.files.folder.name, "tmp").mkdir(exist_ok=True)
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        words = [self.files.place(word) for word in container(pod)["args"]]
        self.process = subprocess.Popen([ENVOY, *words], stdout=self.log, stderr=self.log,
                                        stdin=subprocess.DEVNULL)
        if not until(self.ready, 30):
            raise RuntimeError(pathlib.Path(self.log.name).read_text())

    def ready(self):
        try:
            return Http(self.probes_port).raw("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def healthy(self):
        """How many nodes may get gRPC calls."""
        text = Http(self.probes_port).raw("GET", "/metrics")[2].decode()
        found = re.search(r'membership_healthy\{envoy_cluster_name="graphs"\} (\d+)', text)
        return int(found[1]) if found else 0

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.files.close()


class HelmDoor(unittest.TestCase):
    def setUp(self):
        self.names = NameServer()
        self.addCleanup(self.names.close)
        self.ports = free_port(), free_port()

    def node(self, number, *args, at=None):
        """A node that DNS knows."""
        address = f"127.0.0.{at or 11 + number}"
        server = Server("anim_graph", "--http", f"{address}:{self.ports[1]}", *args,
                        listen=f"{address}:{self.ports[0]}")
        self.addCleanup(server.stop)
        server.host = address
        self.names.addresses[f"posewire-node-{number}.{NODES}"] = address
        return server

    def door(self, release, content=()):
        door = Door(release, self.names, *self.ports, content)
        self.addCleanup(door.stop)
        return door

    def streams(self, node):
        web = http.client.HTTPConnection(node.host, self.ports[1], timeout=10)
        web.request("GET", "/streams")
        text = web.getresponse().read().decode()
        web.close()
        return set(re.findall(r'"stream_?[iI]d": ?"(s\d+)"', text))

    def pull(self, door, count):
        client = Client(f"127.0.0.1:{door.port}")
        self.addCleanup(client.close)
        for n in range(count):
            Collector(client.pull(f"s{n}", metadata=(("x-stream-id", f"s{n}"),))).wait_started()

    def test_envoy_accepts_what_is_rendered(self):
        for example in (None, *EXAMPLES):
            release = Release(example)
            if "door" not in release.pods():
                continue
            with self.subTest(example), tempfile.TemporaryDirectory() as home:
                cert, key = (pathlib.Path(f).read_bytes() for f in Ca(home, "ca").issue("server"))
                content = {(s, k): v for s in ("posewire-tls", "door-tls", "clients-ca")
                           for k, v in (("tls.crt", cert), ("tls.key", key), ("ca.crt", cert))}
                files = Secrets(release, release.pods()["door"], content)
                done = subprocess.run([ENVOY, "--mode", "validate", "-c",
                                       files.place("/etc/posewire-door/envoy.yaml")],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                files.close()

    def test_gRPC_and_http_find_a_stream_at_one_node(self):
        nodes = [self.node(n) for n in range(3)]
        door = self.door(Release(None, "door.balanceFactor=0"))
        self.assertTrue(until(lambda: door.healthy() == 3))
        self.pull(door, 12)
        held = [self.streams(node) for node in nodes]
        self.assertEqual(sorted(s for h in held for s in h), sorted(f"s{n}" for n in range(12)))
        self.assertGreater(sum(bool(h) for h in held), 1)
        for n in range(12):
            status, _ = Http(door.port).call("GET", f"/streams/s{n}/animation_graphs/avatar/variables")
            self.assertEqual(status, 200)

    def test_a_pod_under_another_address_keeps_its_streams(self):
        """Of the ring's keys, which are names. Other streams stay where they are."""
        nodes = [self.node(n) for n in range(2)]
        door = self.door(Release(None, "door.balanceFactor=0"))
        self.assertTrue(until(lambda: door.healthy() == 2))
        self.pull(door, 12)
        held = [self.streams(node) for node in nodes]
        self.assertTrue(all(held))
        nodes[1].stop()
        self.assertTrue(until(lambda: door.healthy() == 1))
        again = self.node(1, at=31)
        self.assertTrue(until(lambda: door.healthy() == 2))
        self.pull(door, 12)
        self.assertEqual(self.streams(again), held[1])
        self.assertEqual(self.streams(nodes[0]), held[0])

    def test_a_node_that_joins_is_found_by_its_name(self):
        self.node(0)
        door = self.door(Release(None, "door.balanceFactor=0"))
        self.assertTrue(until(lambda: door.healthy() == 1))
        joined = self.node(1)
        began = time.monotonic()
        self.assertTrue(until(lambda: door.healthy() == 2))
        print(f"a node that joined was in use after {time.monotonic() - began:.1f} s", flush=True)
        self.pull(door, 12)
        self.assertGreater(len(self.streams(joined)), 1)

    def test_the_port_of_the_probes_serves_nothing_else(self):
        door = self.door(Release())
        probes = Http(door.probes_port)
        self.assertEqual(probes.raw("GET", "/healthz")[0], 200)
        for path in ("/", "/clusters", "/config_dump", "/quitquitquit", "/stats", "/metrics/x"):
            self.assertEqual(probes.raw("POST", path)[0], 404, path)

    def test_tls_at_the_door_and_to_the_nodes(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        ca, clients, other = (Ca(home.name, name) for name in ("ca", "clients", "other"))
        right = ca.issue("nodes", names=f"DNS:{NODES},DNS:*.{NODES}")
        read = lambda path: pathlib.Path(path).read_bytes()
        outside = ca.issue("door")
        content = {("posewire-tls", "ca.crt"): read(ca.cert), ("posewire-tls", "tls.crt"): read(outside[0]),
                   ("posewire-tls", "tls.key"): read(outside[1]),
                   ("door-tls", "tls.crt"): read(outside[0]), ("door-tls", "tls.key"): read(outside[1]),
                   ("clients-ca", "ca.crt"): read(clients.cert)}
        tokens = pathlib.Path(home.name, "tokens")
        tokens.write_text(f"me pull,watch * {'a' * 32}\n")
        wrong = ca.issue("strange", names="DNS:elsewhere.example")
        for number, (cert, key) in enumerate((right, wrong, other.issue("foreign", names=f"DNS:{NODES}"))):
            self.node(number, "--tls-cert", cert, "--tls-key", key, "--tokens", str(tokens))
        door = self.door(Release("tls-tokens"), content)
        # Only the first shows the right certificate.
        self.assertTrue(until(lambda: door.healthy() == 1))
        own = clients.issue("me")
        context = ssl.create_default_context(cafile=str(ca.cert))
        context.load_cert_chain(*own)
        for headers, code in (({}, 401), ({"Authorization": f"Bearer {'a' * 32}"}, 200)):
            status = Http(door.port, context).raw("GET", "/streams", headers=headers)[0]
            self.assertEqual(status, code)
        nameless = ssl.create_default_context(cafile=str(ca.cert))
        with self.assertRaises((OSError, ssl.SSLError)):
            Http(door.port, nameless).raw("GET", "/streams")
        # Pods of the release show no certificate.
        self.assertEqual(Http(door.inside_port, nameless).raw("GET", "/streams")[0], 401)
        for port, more in ((door.port, ("--client-cert", own[0], "--client-key", own[1])),
                           (door.inside_port, ())):
            done = subprocess.run(
                [f"{BIN}/renderer_sink", "print", "--summary", "--from", f"127.0.0.1:{port}",
                 "--stream-id", "s", "--duration", "0.5", "--give-up-s", "5", "--server-ca",
                 str(ca.cert), "--token-file", self.token(home.name), *more],
                capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @staticmethod
    def token(folder):
        path = pathlib.Path(folder, "token")
        path.write_text("a" * 32 + "\n")
        return str(path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
