"""docker/compose.scale.yml without Docker: its Redis, its door and its nodes by their own command lines,
at addresses of loopback, with a name server that answers as Docker's does."""

import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import readme_test
import yaml
from certificates import Ca
from envoy_door import ENVOY, FOLDER, find_by
from http_client import Http
from name_server import NameServer
from posewire_test import Client, Collector, Server, free_port, until, wait_for_more
from redis_server import Redis

if not ENVOY.exists():
    raise SystemExit(f"{ENVOY} is not there; ./test fetches it")

SERVICES = yaml.safe_load((FOLDER.parents[1] / "compose.scale.yml").read_text())["services"]
PASSWORD = "Sesame1"


def filled_in(text, **values):
    """With variables as compose replaces them."""
    return re.sub(r"\$\{(\w+):-(.*?)\}", lambda m: values.get(m[1], m[2]), text)


class Door:
    """`names` are the addresses of the service anim_graph, whose ports are `grpc` and `http`; `files` the
    PEM files of certificate, key and clients' CA, if there are any."""

    def __init__(self, names, grpc, http, files=()):
        self.folder = tempfile.TemporaryDirectory()
        home = self.folder.name
        tls = pathlib.Path(home, "posewire")
        tls.mkdir()
        for name, file in zip(("server.pem", "server.key", "clients.pem"), files):
            (tls / name).symlink_to(file)
        text = subprocess.run(["sed", "-f", FOLDER / "scale.sed", FOLDER / "envoy.yaml"], check=True,
                              capture_output=True, text=True).stdout
        for old, new in (("/etc/posewire-door", home), ("/tmp/envoy-admin.sock", f"{home}/admin.sock"),
                         ("/dev/stdout", f"{home}/audit.jsonl")):
            text = text.replace(old, new)
        for name in ("server.yaml", "clients.yaml"):
            secret = (FOLDER / name).read_text().replace("/etc/posewire", str(tls))
            pathlib.Path(home, name).write_text(secret)
        config = yaml.safe_load(text)
        # The published ports lead to these.
        self.ports = {l["address"]["socket_address"]["port_value"]: free_port()
                      for l in config["static_resources"]["listeners"]}
        for listener in config["static_resources"]["listeners"]:
            address = listener["address"]["socket_address"]
            assert address["address"] == "0.0.0.0"
            address.update(address="127.0.0.1", port_value=self.ports[address["port_value"]])
        self.port, self.tls_port = self.ports[51000], self.ports[8443]
        find_by(names, config, grpc, http)
        path = pathlib.Path(home, "envoy.yaml")
        path.write_text(yaml.safe_dump(config))
        (command,) = SERVICES["door"]["command"]
        words = command.split("exec envoy ")[1].replace("/tmp/envoy.yaml", str(path)).split()
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.process = subprocess.Popen([ENVOY, *words], stdout=self.log, stderr=self.log,
                                        stdin=subprocess.DEVNULL)
        if not until(lambda: self.admin("/ready").strip() == "LIVE", 30):
            raise RuntimeError(pathlib.Path(self.log.name).read_text())

    def admin(self, path):
        return subprocess.run(["curl", "-s", "--unix-socket", f"{self.folder.name}/admin.sock",
                               f"http://admin{path}"], capture_output=True, text=True).stdout

    def healthy(self):
        """How many nodes may get gRPC calls, and how many HTTP."""
        text = self.admin("/stats/prometheus")
        return tuple(int(re.search(rf'membership_healthy\{{envoy_cluster_name="{name}"\}} (\d+)', text)[1])
                     for name in ("graphs", "controls"))

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


class Scale(unittest.TestCase):
    def setUp(self):
        self.names = NameServer()
        self.addCleanup(self.names.close)
        self.names.addresses["anim_graph"] = []
        self.grpc, self.http = free_port(), free_port()
        command = [filled_in(w, POSEWIRE_REDIS_PASSWORD=PASSWORD) for w in SERVICES["redis"]["command"]]
        self.redis = Redis(password=PASSWORD, command=command)
        self.addCleanup(self.redis.kill)
        self.nodes = {}

    def node(self, number, known=True):
        """A node that DNS knows, at 127.0.0.(10 + number)."""
        host = f"127.0.0.{10 + number}"
        service = SERVICES["anim_graph"]
        variables = {name: filled_in(value, POSEWIRE_REDIS_PASSWORD=PASSWORD).replace(
                         "@redis:6379", f"@127.0.0.1:{self.redis.port}")
                     for name, value in service["environment"].items()}
        program, listen, at, *more = service["command"]
        self.assertEqual((listen, at), ("--listen", "0.0.0.0:51000"))
        more = [word.replace("0.0.0.0:8020", f"{host}:{self.http}") for word in more]
        with mock.patch.dict(os.environ, variables):
            node = Server(program, *more, listen=f"{host}:{self.grpc}")
        self.addCleanup(node.kill)
        node.host = host
        self.nodes[number] = node
        if known:
            self.names.addresses["anim_graph"].append(host)
        return node

    def door(self, *files):
        door = Door(self.names, self.grpc, self.http, files)
        self.addCleanup(door.stop)
        self.await_nodes(door)
        return door

    def await_nodes(self, door):
        count = len(self.names.addresses["anim_graph"])
        self.assertTrue(until(lambda: door.healthy() == (count, count), 30), door.healthy())

    def owned(self):
        """{number: streams} of the nodes that run."""
        found = {}
        for number, node in self.nodes.items():
            if node.process.poll() is None:
                text = subprocess.run(["curl", "-s", f"http://{node.host}:{self.http}/streams"],
                                      capture_output=True, text=True).stdout
                found[number] = {s["stream_id"] for s in json.loads(text)["streams"]
                                 if not s["server"]}
        return found

    def pull(self, client, stream):
        """Tries until the stream is served: nodes wait before the first claims after Redis's start."""
        end = time.monotonic() + 20
        while True:
            pull = Collector(client.pull(stream, metadata=(("x-stream-id", stream),)))
            pull.wait_started()
            if pull.messages:
                return pull
            self.assertLess(time.monotonic(), end, pull.error)
            time.sleep(0.05)

    def client(self, door):
        client = Client(f"127.0.0.1:{door.port}")
        self.addCleanup(client.close)
        return client


class Nodes(Scale):
    def test_nodes_come_and_go_and_streams_stay(self):
        for number in (1, 2):
            self.node(number)
        door = self.door()
        client = self.client(door)
        old, new = [f"a{n}" for n in range(12)], [f"b{n}" for n in range(24)]
        pulls = {stream: self.pull(client, stream) for stream in old}
        before = self.owned()
        self.assertEqual(sorted(s for held in before.values() for s in held), sorted(old))
        self.assertTrue(all(before.values()), before)

        self.node(3)
        began = time.monotonic()
        self.await_nodes(door)
        print(f"a node that was added was in use after {time.monotonic() - began:.1f} s", flush=True)
        # Every stream is where it was, and goes on, while the new node gets its share of new ones.
        pulls |= {stream: self.pull(client, stream) for stream in new}
        after = self.owned()
        for number in (1, 2):
            self.assertLessEqual(before[number], after[number])
        self.assertTrue(after[3])
        self.assertLessEqual(after[3], set(new))
        wait_for_more(pulls.values(), 3)
        # The door may now lead calls for an old stream to the new node, which relays them.
        for stream in old:
            path = f"/streams/{stream}/animation_graphs/avatar/variables/posture_state/Idle"
            self.assertEqual(Http(door.port).call("PUT", path, "{}")[0], 200)
        self.assertEqual(self.owned(), after)

        # One goes: its container leaves DNS when it has ended.
        gone = self.nodes[2]
        gone.process.send_signal(signal.SIGTERM)
        gone.process.wait(20)
        self.names.addresses["anim_graph"].remove(gone.host)
        self.assertTrue(until(lambda: door.healthy() == (2, 2), 30))
        for stream in sorted(after[2]):
            self.pull(client, stream)
        last = self.owned()
        self.assertEqual(sorted(s for held in last.values() for s in held), sorted(old + new))
        for number in (1, 3):
            self.assertLessEqual(after[number], last[number])
        wait_for_more([pull for stream, pull in pulls.items() if stream not in after[2]], 3)

    def test_other_machines_come_by_tls_with_a_certificate(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        ca, clients = Ca(home.name, "servers"), Ca(home.name, "clients")
        self.node(1)
        door = self.door(*ca.issue("door"), str(clients.cert))
        context = ssl.create_default_context(cafile=str(ca.cert))
        with self.assertRaises((OSError, ssl.SSLError)):
            Http(door.tls_port, context).raw("GET", "/streams")
        context.load_cert_chain(*clients.issue("me"))
        self.assertEqual(Http(door.tls_port, context).raw("GET", "/streams")[0], 200)

    def test_without_certificates_the_port_for_others_refuses_all(self):
        self.node(1)
        door = self.door()
        self.assertEqual(Http(door.port).raw("GET", "/streams")[0], 200)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        for tls in (None, context):
            with self.assertRaises((OSError, ssl.SSLError)):
                Http(door.tls_port, tls).raw("GET", "/streams")


class Commands(Scale, readme_test.Quickstart):
    """The lines of docs/quickstart.md, with the door of compose.scale.yml in place of an anim_graph."""

    test_any_two_of_the_programs_are_enough = None
    test_what_goes_in_comes_out = None
    test_every_section_with_lines_is_run = None
    test_what_they_read_is_in_git = None

    def setUp(self):
        Scale.setUp(self)
        readme_test.Quickstart.setUp(self)
        for number in (1, 2, 3):
            self.node(number)
        self.front = self.door()
        self.pull(self.client(self.front), "warm").call.cancel()

    def choose(self, usual):
        """Where compose publishes the ports of this machine."""
        published = dict(re.fullmatch(r"(?:127\.0\.0\.1:)?(\d+):(\d+)", filled_in(port)).groups()
                         for port in SERVICES["door"]["ports"])
        return {port: self.front.ports[int(published[port])] for port in usual}

    def start(self, script):
        started = "anim_graph --http 127.0.0.1:8020 &"
        self.assertEqual(script.count(started), 1)
        return super().start(script.replace(started, "true"))

    def end(self, shell):
        try:
            os.killpg(shell.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        shell.wait(20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
