"""HTTP and WebSocket over TLS: who is served by which certificates, and what becomes of connections
when these change."""

import json
import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import unittest

from certificates import Ca
from http_client import Http, WebSocket
from posewire_test import BIN, Server, until


class Https(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.ca, cls.other = Ca(cls.home.name, "ca"), Ca(cls.home.name, "other")
        cls.server_files = cls.ca.issue("server")
        cls.client_files = cls.ca.issue("client")
        cls.stranger_files = cls.other.issue("stranger")

    def start(self, *args, **options):
        """The port of its HTTP server, and where its log is."""
        ready, log = self.ready(*args, **options)
        return ready["http_port"], log

    def ready(self, *args, files=None, http="127.0.0.1:0"):
        """Its first line, and where its log is."""
        cert, key = files or self.server_files
        log = tempfile.NamedTemporaryFile("w+", suffix=".log", dir=self.home.name)
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [f"{BIN}/{args[0]}", *args[1:], "--http", http, "--tls-cert", cert, "--tls-key", key],
            stdout=subprocess.PIPE, stderr=log, text=True)
        for stop in (process.stdout.close, process.wait, process.kill):
            self.addCleanup(stop)
        line = process.stdout.readline()
        self.assertTrue(line, pathlib.Path(log.name).read_text())
        return json.loads(line), log.name

    def graph(self, *args, **options):
        return self.start("anim_graph", "--listen", "127.0.0.1:0", *args, **options)

    def context(self, own=None, trusted=None):
        context = ssl.create_default_context(cafile=str((trusted or self.ca).cert))
        if own:
            context.load_cert_chain(*own)
        return context

    def status(self, port, tls, path="/healthz"):
        """Of a reply; 0 where there is none."""
        try:
            return Http(port, tls).raw("GET", path)[0]
        except (OSError, ssl.SSLError):
            return 0

    def command_lines(self):
        yield "anim_graph", "--listen", "127.0.0.1:0"
        yield "a2f_source", "serve", "--to", "none", "--listen", "127.0.0.1:0"
        yield ("renderer_sink", "record", os.path.join(self.home.name, "take.animdata"),
               "--overwrite", "--from", "127.0.0.1:1", "--stream-id", "s")
        yield "renderer_sink", "view", "--from", "127.0.0.1:1"

    def programs(self, *tls):
        return (self.start(*line, *tls) for line in self.command_lines())

    def test_a_server_with_a_certificate(self):
        for port, log in self.programs():
            with self.subTest(log=pathlib.Path(log).read_text()[:200]):
                self.assertEqual(self.status(port, self.context()), 200)
                # A certificate that nobody asked for does no harm.
                self.assertEqual(self.status(port, self.context(self.stranger_files)), 200)
                self.assertEqual(self.status(port, self.context(trusted=self.other)), 0)
                status, _, text = Http(port).raw("GET", "/healthz")
                self.assertEqual(status, 400)
                self.assertIn(b"https://", text)

    def test_a_server_that_wants_to_know_its_clients(self):
        expired = self.ca.issue("expired", "-days", "-1")
        for port, log in self.programs("--tls-client-ca", str(self.ca.cert)):
            with self.subTest(log=pathlib.Path(log).read_text()[:200]):
                self.assertEqual(self.status(port, self.context(self.client_files)), 200)
                for own in (None, self.stranger_files, expired):
                    self.assertEqual(self.status(port, self.context(own)), 0)
                self.assertTrue(until(
                    lambda: "a TLS handshake failed" in pathlib.Path(log).read_text()))

    def test_probes_need_neither_certificate_nor_token_and_serve_nothing_else(self):
        tokens = pathlib.Path(self.home.name, "tokens")
        tokens.write_text(f"studio push,pull,control,watch * {'a' * 32}\n")
        for line in self.command_lines():
            with self.subTest(line[:2]):
                ready, _ = self.ready(*line, "--tls-client-ca", str(self.ca.cert), "--tokens",
                                      str(tokens), "--probes", "0.0.0.0:0")
                probes = Http(ready["probes_port"])
                for path in ("/healthz", "/readyz", "/metrics"):
                    # A kubelet calls the pod's address, Prometheus perhaps a name.
                    for host in ("127.0.0.1", "posewire-node-0.posewire-nodes"):
                        self.assertEqual(probes.raw("GET", path, headers={"Host": host})[0], 200)
                self.assertEqual(probes.call("GET", "/readyz")[1], {"status": "ok"})
                for path in ("/", "/health", "/liveness", "/readiness", "/streams", "/docs", "/ws",
                             "/openapi.json", "/session", "/app.js", "/metrics/x", "//metrics"):
                    self.assertEqual(probes.raw("GET", path)[0], 404, path)
                self.assertEqual(probes.raw("POST", "/readyz")[0], 405)
                # The main port still asks for both.
                main = ready["http_port"]
                self.assertEqual(self.status(main, self.context(self.client_files)), 200)
                self.assertEqual(self.status(main, self.context()), 0)
                self.assertEqual(Http(main).raw("GET", "/healthz")[0], 400)
                if line[0] == "anim_graph":
                    tls = self.context(self.client_files)
                    self.assertEqual(self.status(main, tls, "/streams"), 401)

    def test_probes_report_a_drain_until_it_ends(self):
        graph = Server("anim_graph", "--probes", "127.0.0.1:0", "--drain-delay-s", "5")
        self.addCleanup(graph.stop)
        probes = Http(graph.ready["probes_port"])
        self.assertEqual(probes.raw("GET", "/readyz")[0], 200)
        graph.process.terminate()
        self.assertTrue(until(lambda: probes.raw("GET", "/readyz")[0] == 503))
        self.assertEqual(probes.raw("GET", "/healthz")[0], 200)
        self.assertEqual(probes.raw("GET", "/metrics")[0], 200)

    def test_servers_that_are_not_who_they_should_be(self):
        for files in (self.stranger_files, self.ca.issue("late", "-days", "-1"),
                      self.ca.issue("elsewhere", names="DNS:example.org")):
            with self.subTest(files[0]):
                self.assertEqual(self.status(self.graph(files=files)[0], self.context()), 0)

    def test_only_what_is_safe_is_spoken(self):
        port, _ = self.graph()
        old = self.context()
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        self.assertEqual(self.status(port, old), 0)
        context = self.context()
        context.set_alpn_protocols(["h2", "http/1.1"])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
            with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                self.assertEqual(secure.selected_alpn_protocol(), "http/1.1")

    def test_a_web_socket_lives_through_three_new_certificates(self):
        files = self.ca.issue("turning")
        port, log = self.graph(files=files)

        def shown():
            with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
                with self.context().wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                    return secure.getpeercert(binary_form=True)
        open_one = WebSocket(port, tls=self.context())
        self.addCleanup(open_one.close)
        self.assertEqual(open_one.status, 101)
        before = shown()
        for _ in range(3):
            self.ca.issue("turning")
            self.assertTrue(until(lambda: shown() != before))
            before = shown()
            self.assertEqual(open_one.call("ListStreams")["result"]["streams"], [])
        # What does not fit harms nobody: the certificate before holds, and it may be mended.
        pathlib.Path(files[1]).write_text("no key\n")
        self.assertTrue(until(lambda: shown() and "cannot be used; the previous one stays in use"
                              in pathlib.Path(log).read_text()))
        self.assertEqual(shown(), before)
        self.assertEqual(open_one.call("ListStreams")["result"]["streams"], [])
        self.ca.issue("turning")
        self.assertTrue(until(lambda: shown() != before))

    def test_large_bodies_and_many_requests_on_a_connection(self):
        port, _ = self.graph("--http-max-body-bytes", "100000")
        for size, code in ((90_000, 404), (3_000_000, 413)):
            status, reply = Http(port, self.context()).call("PUT", "/nothing", b"x" * size)
            self.assertEqual(status, code, reply)
        import http.client
        web = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=self.context())
        self.addCleanup(web.close)
        for _ in range(50):
            web.request("GET", "/docs")
            reply = web.getresponse()
            self.assertEqual((reply.status, len(reply.read()) > 500), (200, True))

    def test_those_who_say_nothing_and_those_who_talk_rubbish(self):
        port, log = self.graph("--http-transfer-timeout-s", "0.5")
        silent = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.addCleanup(silent.close)
        self.assertEqual(silent.recv(10), b"")
        rubbish = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.addCleanup(rubbish.close)
        rubbish.sendall(bytes(range(256)) * 8)
        try:
            while rubbish.recv(4096):
                pass
        except ConnectionError:
            pass
        self.assertTrue(until(lambda: "a TLS handshake failed" in pathlib.Path(log).read_text()))
        self.assertEqual(self.status(port, self.context()), 200)

    def test_plain_text_is_asked_for(self):
        port, _ = self.graph("--no-http-tls")
        self.assertEqual(self.status(port, None), 200)
        cert, key = self.server_files
        for more, code in (((), 0), (("--no-http-tls",), 2)):
            process = subprocess.Popen(
                [f"{BIN}/anim_graph", "--listen", "127.0.0.1:0", "--http", "0.0.0.0:0", "--tls-cert",
                 cert, "--tls-key", key, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True)
            if code == 0:
                self.assertIn("http_port", process.stdout.readline())
                process.terminate()
            _, log = process.communicate(timeout=20)
            self.assertEqual(process.returncode, code, log)


if __name__ == "__main__":
    unittest.main(verbosity=2)
