"""Who may talk to whom by which certificates, and what becomes of streams when these change."""

import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

import grpc
from certificates import Ca
from posewire_test import BIN, Server, until


# A second, and what a busy machine takes to start the program.
WITHIN_S = 4


def certificate_of(port, ca):
    context = ssl.create_default_context(cafile=str(ca.cert))
    context.set_alpn_protocols(["h2"])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
            return secure.getpeercert(binary_form=True)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.ca, cls.other = Ca(cls.home.name, "ca"), Ca(cls.home.name, "other")
        cls.server_files = cls.ca.issue("server")
        cls.client_files = cls.ca.issue("client")
        cls.stranger_files = cls.other.issue("stranger")

    def path(self, name):
        return os.path.join(self.home.name, name)

    def graph(self, *more, files=None, listen="127.0.0.1:0"):
        cert, key = files or self.server_files
        server = Server("anim_graph", "--tls-cert", cert, "--tls-key", key, *more, listen=listen)
        self.addCleanup(server.stop)
        return server

    def sink(self, port, *tls, seconds=0.3, stream="s", host="127.0.0.1"):
        return subprocess.run(
            [f"{BIN}/renderer_sink", "print", "--summary", "--from", f"{host}:{port}", "--stream-id",
             stream, "--duration", str(seconds), "--give-up-s", "1.5", *map(str, tls)],
            capture_output=True, text=True, timeout=60)

    def say(self, port, *tls, text="Hello.", stream="s"):
        return subprocess.run(
            [f"{BIN}/a2f_source", "say", text, "--to", f"127.0.0.1:{port}", "--stream-id", stream,
             "--give-up-s", "1.5", "--rate", "4x", *map(str, tls)], capture_output=True, text=True,
            timeout=60)

    def assert_served(self, ended):
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def assert_not_served(self, ended):
        self.assertNotEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("UNAVAILABLE", ended.stderr)

    def test_a_server_with_a_certificate(self):
        server = self.graph()
        trust = ("--server-ca", self.ca.cert)
        self.assert_served(self.sink(server.port, *trust))
        self.assert_served(self.sink(server.port, *trust, host="localhost"))
        self.assert_served(self.say(server.port, *trust))
        # A certificate that nobody asked for does no harm.
        self.assert_served(self.sink(server.port, *trust, "--client-cert", self.stranger_files[0],
                                     "--client-key", self.stranger_files[1]))
        for wrong in ((), ("--server-ca", self.other.cert), ("--server-ca", "system")):
            with self.subTest(wrong):
                self.assert_not_served(self.sink(server.port, *wrong))
                self.assert_not_served(self.say(server.port, *wrong))

    def test_a_server_that_wants_to_know_its_clients(self):
        server = self.graph("--tls-client-ca", str(self.ca.cert))
        trust = ("--server-ca", self.ca.cert)

        def with_files(files):
            return (*trust, "--client-cert", files[0], "--client-key", files[1])
        self.assert_served(self.sink(server.port, *with_files(self.client_files)))
        self.assert_served(self.say(server.port, *with_files(self.client_files)))
        expired = self.ca.issue("expired", "-days", "-1")
        for name, wrong in (("nothing", ()), ("none", trust),
                            ("a stranger's", with_files(self.stranger_files)),
                            ("one that is over", with_files(expired))):
            with self.subTest(name):
                self.assert_not_served(self.sink(server.port, *wrong))
                self.assert_not_served(self.say(server.port, *wrong))

    def test_servers_that_are_not_who_they_should_be(self):
        trust = ("--server-ca", self.ca.cert)
        for name, files in (
                ("a stranger", self.stranger_files),
                ("over", self.ca.issue("late", "-days", "-1")),
                ("another name", self.ca.issue("elsewhere", names="DNS:example.org"))):
            with self.subTest(name):
                self.assert_not_served(self.sink(self.graph(files=files).port, *trust))
        # Nor is plain text spoken to who asked for TLS.
        plain = Server("anim_graph")
        self.addCleanup(plain.stop)
        self.assert_not_served(self.sink(plain.port, *trust))

    def timed(self, run, *args):
        began = time.monotonic()
        ended = run(*args)
        self.assertNotEqual(ended.returncode, 0, ended.stderr)
        self.assertLess(time.monotonic() - began, WITHIN_S, ended.stderr)
        return ended.stdout + ended.stderr

    def dial(self, port, binary, *args):
        """As a user starts it: it would try for 30 s, or for ever."""
        place = {"a2f_source": ("say", "Hello.", "--stream-id", "s", "--to"),
                 "renderer_sink": ("print", "--stream-id", "s", "--from"),
                 "anim_graph": ("--health-check",)}[binary]
        return subprocess.run([f"{BIN}/{binary}", *place, f"127.0.0.1:{port}", *map(str, args)],
                              capture_output=True, text=True, timeout=60)

    def test_plain_text_to_a_tls_server_is_told_at_once(self):
        for more in ((), ("--tls-client-ca", str(self.ca.cert))):
            server = self.graph(*more)
            for binary in ("a2f_source", "renderer_sink", "anim_graph"):
                with self.subTest(binary, server=more):
                    said = self.timed(self.dial, server.port, binary)
                    self.assertIn(f"127.0.0.1:{server.port} speaks TLS", said)
                    self.assertIn("--server-ca", said)

    def test_the_page_says_so_too_and_goes_on(self):
        server = self.graph()
        for streams in ((), ("--stream-id", "s")):
            with self.subTest(streams):
                view = Server("renderer_sink", "view", "--from", server.address, *streams,
                              "--http", "127.0.0.1:0")
                self.addCleanup(view.stop)
                view.await_log("speaks TLS, and it was called in plain text", WITHIN_S)
                time.sleep(1.5)
                self.assertEqual(view.log_text().count("speaks TLS"), 1)
                self.assertIsNone(view.process.poll())

    def test_tls_to_a_server_in_plain_text_is_told_at_once(self):
        plain = Server("anim_graph")
        self.addCleanup(plain.stop)
        for binary in ("a2f_source", "renderer_sink", "anim_graph"):
            with self.subTest(binary):
                said = self.timed(self.dial, plain.port, binary, "--server-ca", self.ca.cert)
                self.assertIn(f"127.0.0.1:{plain.port} speaks plain text", said)

    def test_grpc_to_the_http_port_is_told_at_once(self):
        server = Server("anim_graph", "--http", "127.0.0.1:0")
        self.addCleanup(server.stop)
        for binary in ("a2f_source", "renderer_sink"):
            with self.subTest(binary):
                said = self.timed(self.dial, server.http_port, binary)
                self.assertIn("speaks HTTP/1 and not gRPC", said)

    def test_a_server_that_begins_to_speak_tls_is_waited_for(self):
        """A client that has been served goes on trying: its server may be put right."""
        plain = Server("anim_graph")
        self.addCleanup(plain.stop)
        sink = subprocess.Popen(
            [f"{BIN}/renderer_sink", "print", "--from", plain.address, "--stream-id", "s"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(sink.kill)
        self.addCleanup(sink.stderr.close)
        self.addCleanup(sink.stdout.close)
        self.assertTrue(sink.stdout.readline())
        plain.stop()
        secure = self.graph(listen=plain.address)
        time.sleep(1.5)
        self.assertIsNone(sink.poll())
        secure.stop()
        again = Server("anim_graph", listen=plain.address)
        self.addCleanup(again.stop)
        again.await_log('avatar made stream_id="s"')
        sink.terminate()
        _, log = sink.communicate(timeout=10)
        self.assertIn("connected again", log)

    def test_a_stream_lives_through_three_new_certificates(self):
        files = self.ca.issue("turning")
        server = self.graph(files=files)
        sink = subprocess.Popen(
            [f"{BIN}/renderer_sink", "print", "--from", server.address, "--stream-id", "s",
             "--server-ca", str(self.ca.cert)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.addCleanup(sink.kill)
        self.addCleanup(sink.stderr.close)
        self.addCleanup(sink.stdout.close)
        self.assertTrue(sink.stdout.readline())
        shown = certificate_of(server.port, self.ca)
        for _ in range(3):
            self.ca.issue("turning")
            self.assertTrue(until(lambda: certificate_of(server.port, self.ca) != shown, 20))
            shown = certificate_of(server.port, self.ca)
        # A key that cannot be used harms nobody who is there, and may be mended.
        pathlib.Path(files[1]).write_text("no key\n")
        for _ in range(100):
            self.assertTrue(sink.stdout.readline())
        self.ca.issue("turning")

        def newest():
            try:
                return certificate_of(server.port, self.ca) != shown
            except OSError:
                return False
        self.assertTrue(until(newest, 20))
        sink.terminate()
        _, log = sink.communicate(timeout=10)
        self.assertNotIn("lost", log)
        self.assert_served(self.sink(server.port, "--server-ca", self.ca.cert))

    def test_beyond_loopback_without_plain_text(self):
        server = self.graph(listen="0.0.0.0:0")
        self.assert_served(self.sink(server.port, "--server-ca", self.ca.cert))

    def test_a_source_and_a_sink_listen_with_certificates(self):
        cert, key = self.server_files
        out = self.path("taken.jsonl")
        sink = Server("renderer_sink", "record", out, "--from", "none", "--until-end", "--tls-cert",
                      cert, "--tls-key", key)
        self.addCleanup(sink.stop)
        self.assert_served(self.say(sink.port, "--server-ca", self.ca.cert))
        self.assertEqual(sink.process.wait(20), 0, sink.log_text())
        self.assertIn("jawopen", pathlib.Path(out).read_text().lower())

    def test_the_server_asks_itself_by_its_own_files(self):
        cert, key = self.server_files
        for more in ((), ("--tls-client-ca", str(self.ca.cert))):
            server = self.graph(*more)
            ask = [f"{BIN}/anim_graph", "--health-check", server.address]
            own = dict(os.environ, POSEWIRE_TLS_CERT=cert, POSEWIRE_TLS_KEY=key)
            self.assertEqual(subprocess.run(ask, env=own, capture_output=True).returncode, 0)
            self.assertEqual(subprocess.run(ask, capture_output=True).returncode, 1)
            half = dict(os.environ, POSEWIRE_TLS_CERT=cert)
            self.assertEqual(subprocess.run(ask, env=half, capture_output=True).returncode, 2)

    def test_the_health_of_another_server_is_asked_as_any_client_asks(self):
        server = self.graph("--tls-client-ca", str(self.ca.cert))
        cert, key = self.client_files
        trust = ("--server-ca", self.ca.cert)
        shown = ("--client-cert", cert, "--client-key", key)
        for binary in ("a2f_source", "anim_graph", "renderer_sink"):
            for files, code in ((trust + shown, 0), (trust, 1)):
                with self.subTest(binary, files=files):
                    ended = subprocess.run([f"{BIN}/{binary}", "--health-check", server.address,
                                            *files], capture_output=True, text=True, timeout=20)
                    self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)

    def test_files_that_cannot_be_used(self):
        cert, key = self.server_files
        for args, said in (
                (("--tls-cert", cert), "needs its key"),
                (("--tls-key", key), "needs its certificate"),
                (("--tls-cert", cert, "--tls-key", self.client_files[1]), "is not that of"),
                (("--tls-cert", key, "--tls-key", key), "no certificate in PEM"),
                (("--tls-cert", cert, "--tls-key", cert), "no key in PEM"),
                (("--tls-cert", self.path("none.pem"), "--tls-key", key), "none.pem"),
                (("--tls-client-ca", cert), "--tls-client-ca: needs --tls-cert"),
                (("--client-cert", cert, "--client-key", key), "--client-cert: needs --server-ca"),
                (("--server-ca", key), "no certificate in PEM")):
            with self.subTest(args):
                ended = subprocess.run([f"{BIN}/anim_graph", "--listen", "127.0.0.1:0", *args],
                                       capture_output=True, text=True, timeout=20)
                self.assertEqual(ended.returncode, 2)
                self.assertIn(said, ended.stderr)

    def test_what_tells_of_the_server_may_be_turned_off(self):
        for more, there in (((), {"reflection", "channelz"}), (("--no-reflection",), {"channelz"}),
                            (("--no-channelz",), {"reflection"})):
            server = Server("anim_graph", *more)
            self.addCleanup(server.stop)

            def served(method, text):
                with grpc.insecure_channel(server.address) as channel:
                    call = channel.stream_stream if "Info" in method else channel.unary_unary
                    made = call(method)
                    try:
                        made(iter([text])).__next__() if "Info" in method else made(text)
                        return True
                    except grpc.RpcError as error:
                        self.assertEqual(error.code(), grpc.StatusCode.UNIMPLEMENTED)
                        return False
            found = {name for name, method, text in (
                ("reflection", "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                 b"\x3a\x00"), ("channelz", "/grpc.channelz.v1.Channelz/GetServers", b""))
                if served(method, text)}
            with self.subTest(more):
                self.assertEqual(found, there)

    def test_calls_of_others_go_through(self):
        server = self.graph()
        port = str(server.port)
        for tls, code in ((("-cacert", str(self.ca.cert)), 0), (("-plaintext",), 1)):
            ended = subprocess.run(["grpcurl", *tls, f"127.0.0.1:{port}", "list"],
                                   capture_output=True, text=True, timeout=20)
            self.assertEqual(ended.returncode != 0, code, ended.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
