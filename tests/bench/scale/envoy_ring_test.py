"""The simulation's ring sends streams where Envoy sends them."""
import http.client
import http.server
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from ring import Ring, xxh64  # noqa: E402

# `./test` puts it there; see need_envoy of scripts/setup.sh.
ENVOY = HERE.parents[2] / "build/tools/venv/bin/envoy"
EXTENSIONS = "type.googleapis.com/envoy.extensions.filters"
NODES = 7


def node(number):
    """A server that answers with its number."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 4096  # an answer is one write

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "1")
            self.end_headers()
            self.wfile.write(b"%d" % number)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def config(port, nodes, ring_size):
    """Envoy before the nodes, with the keys and the policy of docker/edge/envoy."""
    endpoints = [{"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": p}}},
                  "metadata": {"filter_metadata": {"envoy.lb": {"hash_key": f"node{i}"}}}}
                 for i, p in enumerate(nodes)]
    by_stream = {"header": {"header_name": "x-stream-id"}, "terminal": True}
    route = {"match": {"prefix": "/"}, "route": {"cluster": "graphs", "hash_policy": [by_stream]}}
    router = {"name": "envoy.filters.http.router",
              "typed_config": {"@type": f"{EXTENSIONS}.http.router.v3.Router"}}
    manager = {"@type": f"{EXTENSIONS}.network.http_connection_manager.v3.HttpConnectionManager",
               "stat_prefix": "door", "http_filters": [router],
               "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"],
                                                   "routes": [route]}]}}
    filters = [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]
    return {"static_resources": {
        "listeners": [{"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
                       "filter_chains": [{"filters": filters}]}],
        "clusters": [{"name": "graphs", "type": "STATIC", "lb_policy": "RING_HASH",
                      "ring_hash_lb_config": {"minimum_ring_size": ring_size},
                      "load_assignment": {"cluster_name": "graphs",
                                          "endpoints": [{"lb_endpoints": endpoints}]}}]}}


class EnvoyRingTest(unittest.TestCase):
    def envoy(self, nodes, ring_size):
        """A connection to an Envoy before the nodes."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(config(port, nodes, ring_size), file)
            file.flush()
            process = subprocess.Popen(
                [str(ENVOY), "-c", file.name, "--disable-hot-restart", "--concurrency", "1",
                 "--log-level", "error"], stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            self.addCleanup(connection.close)
            end = time.monotonic() + 30
            while True:
                try:
                    connection.connect()
                    return connection
                except OSError:
                    self.assertIsNone(process.poll())
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.02)

    def test_streams_reach_the_computed_nodes(self):
        servers = [node(number) for number in range(NODES)]
        for server in servers:
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
        streams = [f"s{i}" for i in range(100)]
        streams += [f"the-rather-long-name-of-a-stream-{i}" for i in range(100)]
        for ring_size in (1, 1000, 65536):
            connection = self.envoy([s.server_port for s in servers], ring_size)
            ring = Ring(range(NODES), ring_size)
            reached = []
            for stream in streams:
                connection.request("GET", "/", headers={"x-stream-id": stream})
                reached.append(int(connection.getresponse().read()))
            self.assertEqual(reached, [ring.node(xxh64(s.encode())) for s in streams], ring_size)


if __name__ == "__main__":
    if not ENVOY.exists():
        raise SystemExit(f"{ENVOY} is not there; ./test fetches it")
    unittest.main(verbosity=2)
