"""docker/edge/envoy as it stands, but for addresses and files, before servers of a test."""

import os
import pathlib
import subprocess
import tempfile
import time

from posewire_test import free_port

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docker/edge/envoy"
# `./test` puts it there; see need_envoy of scripts/setup.sh.
ENVOY = FOLDER.parents[2] / "build/tools/venv/bin/envoy"


class EnvoyDoor:
    """`graphs` and `controls` are ports, one or three, or pairs of a host and a port; `files` the PEM
    files of server, key and clients' CA. As door.Door. `command` runs it on another machine, whose
    address `host` is."""

    def __init__(self, graphs, controls, files, changes=(), host="127.0.0.1", command=()):
        self.folder = tempfile.TemporaryDirectory()
        self.port = free_port()
        self.address = f"{host}:{self.port}"
        server, key, clients = files
        for name in ("server.yaml", "clients.yaml"):
            self.write(name, (("/etc/posewire/server.pem", server), ("/etc/posewire/server.key", key),
                              ("/etc/posewire/clients.pem", clients),
                              ("path: /etc/posewire}", f"path: {os.path.dirname(server)}}}")))
        changes = [("address: 0.0.0.0, port_value: 8443", f"address: {host}, port_value: {self.port}"),
                   ("/etc/posewire-door", self.folder.name),
                   ("/tmp/envoy-admin.sock", f"{self.folder.name}/admin.sock"),
                   ("/dev/stdout", f"{self.folder.name}/audit.jsonl"), *changes]
        three = len(graphs) == 3
        for known, ports in ((51000, graphs), (8020, controls)):
            one = self.endpoints("anim_graph", known, 1)
            places = [p if isinstance(p, tuple) else ("127.0.0.1", p) for p in ports]
            changes.append((one, "".join(
                self.endpoints(*place, n) for n, place in enumerate(places, 1))))
        self.write("envoy.yaml", changes, three)
        self.log = open(f"{self.folder.name}/errors", "w+")
        self.process = subprocess.Popen(
            [*command, str(ENVOY), "-c", f"{self.folder.name}/envoy.yaml", "--disable-hot-restart",
             "--concurrency", "2", "--log-level", "warning"],
            stderr=self.log, stdout=self.log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"envoy does not listen: {self.log_text()}")
            time.sleep(0.02)

    @staticmethod
    def endpoints(host, port, node):
        """Lines of envoy.yaml."""
        start = " " * 14
        return (f"{start}- endpoint: {{address: {{socket_address: {{address: {host}, "
                f"port_value: {port}}}}}}}\n"
                f"{start}  metadata: {{filter_metadata: {{envoy.lb: {{hash_key: node{node}}}}}}}\n")

    def write(self, name, changes, three=False):
        text = (FOLDER / name).read_text()
        for old, new in changes:
            if old not in text and name != "envoy.yaml":
                continue
            assert old in text, old
            text = text.replace(old, new)
        pathlib.Path(self.folder.name, name).write_text(text)

    def ready(self):
        """Its nodes are healthy and it listens."""
        asked = subprocess.run(["curl", "-s", "--unix-socket", f"{self.folder.name}/admin.sock",
                                "http://admin/ready"], capture_output=True, text=True, timeout=10)
        return asked.stdout.strip() == "LIVE"

    def log_text(self):
        return pathlib.Path(self.log.name).read_text(errors="backslashreplace")

    def audit(self):
        path = pathlib.Path(self.folder.name, "audit.jsonl")
        return path.read_text(errors="backslashreplace") if path.exists() else ""

    def processes(self):
        return [self.process.pid]

    def memory_mb(self):
        with open(f"/proc/{self.process.pid}/statm") as f:
            return int(f.read().split()[1]) * 4096 / (1 << 20)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(30)
        self.log.close()
        self.folder.cleanup()
        return code


RESOLVER = "type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig"


def find_by(names, config, grpc, http):
    """Has the clusters of a configuration ask the NameServer `names`, for nodes at the ports `grpc` and
    `http` in place of the usual ones."""
    resolver = {"@type": RESOLVER, "dns_resolver_options": {"no_default_search_domain": True},
                "resolvers": [{"socket_address": {"address": "127.0.0.1", "port_value": names.port,
                                                  "protocol": "UDP"}}]}
    for cluster in config["static_resources"]["clusters"]:
        if cluster["type"] != "STRICT_DNS":
            continue
        cluster["typed_dns_resolver_config"] = {"name": "envoy.network.dns_resolver.cares",
                                                "typed_config": resolver}
        for endpoint in cluster["load_assignment"]["endpoints"][0]["lb_endpoints"]:
            address = endpoint["endpoint"]["address"]["socket_address"]
            address["port_value"] = {51000: grpc, 8020: http}[address["port_value"]]
