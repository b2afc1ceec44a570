"""The control API over HTTP and the WebSocket, of a real process."""

import json
import os
import re
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import unittest.mock
import urllib.parse

from http_client import Http, WebSocket
from posewire_test import BIN, Collector, GraphTest, Server, clip, header, keys, until

GRAPH = """
name: "test"
output: "sources"
variables { name: "mood" choice { values: "calm" values: "Very glad" } }
variables { name: "pace" number { default_value: 1 min: 0 max: 2 unit: "x" } }
variables { name: "spot" vector { y: 1 } }
variables { name: "gesture_state" choice { values: "none" values_from: GESTURES } }
events: "wave"
nodes { name: "idle" idle {} }
nodes { name: "gestures" gesture { below: "idle" variable: "gesture_state" } }
nodes { name: "sources" provider { below: "gestures" plain: true } }
"""
VARIABLES = "animation_graphs/avatar/variables"


def stillness():
    """A second of a joint at rest, as the body of a PUT."""
    frames = [{"animationDataStreamHeader": {"skelAnimationHeader": {"joints": ["l_elbow"]}}}]
    for k in range(31):
        rotation = {"timeCode": k / 30, "values": [{"real": 1}]}
        frames.append({"animationData": {"skelAnimation": {"rotations": [rotation]}}})
    return "\n".join(json.dumps(f) for f in frames)


class HttpTest(GraphTest):
    ARGS = ()

    @classmethod
    def setUpClass(cls):
        cls.graph = tempfile.NamedTemporaryFile("w", suffix=".graph.txtpb")
        cls.graph.write(GRAPH)
        cls.graph.flush()
        cls.ARGS = ("--graph", cls.graph.name, "--http", "127.0.0.1:0", *cls.ARGS)
        super().setUpClass()
        cls.http = Http(cls.server.http_port)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.graph.close()

    def ok(self, method, path, body=None, headers=None):
        status, reply = self.http.call(method, path, body, headers)
        self.assertEqual(status, 200, reply)
        return reply

    def refused(self, code, method, path, body=None, headers=None):
        status, reply = self.http.call(method, path, body, headers)
        self.assertEqual(status, code, reply)
        self.assertEqual(list(reply), ["error"])
        return reply["error"]

    def value(self, name, stream):
        path = f"/streams/{stream}/{VARIABLES}" if stream else f"/{VARIABLES}"
        return {v["name"]: v["value"] for v in self.ok("GET", path)["variables"]}[name]

    def stream(self, name):
        found = [s for s in self.ok("GET", "/streams")["streams"] if s["stream_id"] == name]
        return found[0] if found else None


class Paths(HttpTest):
    def test_probes_answer(self):
        for path in ("/readiness", "/liveness", "/healthz"):
            self.assertEqual(self.ok("GET", path), {"status": "ok"})

    def test_streams_come_and_go(self):
        self.ok("POST", "/streams/come")
        self.assertTrue(self.stream("come")["registered"])
        self.ok("DELETE", "/streams/come")
        self.assertIsNone(self.stream("come"))
        self.assertIn("come", self.refused(404, "DELETE", "/streams/come"))

    def test_an_autoscaler_registers_and_removes(self):
        body = json.dumps({"event": {"camera_id": "sdr/1", "camera_name": "x"}, "source": "sdr"})
        self.ok("POST", "/sdr/add_stream", body)
        self.assertTrue(self.stream("sdr/1")["registered"])
        self.ok("POST", "/sdr/remove_stream", body)
        self.assertIsNone(self.stream("sdr/1"))
        for bad in ("", "{}", "[]", '{"event": {"camera_id": 5}}', "{", b"\xff"):
            self.refused(400, "POST", "/sdr/add_stream", bad)

    def test_ids_are_any_text_and_no_path(self):
        for name in ("../x", "a b", "a%2Fb", "Größe", "."):
            quoted = urllib.parse.quote(name, safe="")
            self.ok("POST", f"/streams/{quoted}")
            self.assertIsNotNone(self.stream(name), name)
            self.ok("DELETE", f"/streams/{quoted}")
        self.assertIn("UTF-8", self.refused(400, "POST", "/streams/%ff"))
        self.assertIn("control", self.refused(400, "POST", "/streams/a%0Ab"))
        self.refused(400, "POST", "/streams/" + "x" * 129)
        self.refused(404, "POST", "/streams/")

    def test_a_variable_belongs_to_the_stream_before_it_has_an_avatar(self):
        reply = self.ok("PUT", f"/streams/early/{VARIABLES}/mood/very%20glad", "{}",
                        {"Content-Type": "application/json", "x-stream-id": "early"})
        self.assertEqual((reply["avatars"], reply["value"]), (0, "Very glad"))
        pulls = [Collector(self.client.pull("early", target=t)).wait_started() for t in ("a", "b")]
        listed = self.ok("GET", f"/streams/early/{VARIABLES}?target_object_id=b")["variables"]
        self.assertEqual({v["name"]: v["value"] for v in listed}["mood"], "Very glad")
        reply = self.ok("PUT", f"/streams/early/{VARIABLES}/pace/1.5")
        self.assertEqual(reply["avatars"], 2)
        self.ok("PUT", f"/streams/early/{VARIABLES}/pace/0.5?target_object_id=a")
        self.assertEqual(self.value("pace", "early"), "0.5")
        self.assertEqual(self.value("pace", ""), "1")
        self.ok("DELETE", "/streams/early")
        for pull in pulls:
            pull.join(10)

    def test_bodies_of_any_kind_are_taken(self):
        path = f"/streams/body/{VARIABLES}/pace/1"
        for kind, body in (("application/json", "{}"), ("text/plain", "hello"), ("", None),
                           ("application/x-protobuf", b"\x00\xff\xfe"), ("application/json", "[")):
            self.ok("PUT", path, body, {"Content-Type": kind} if kind else {})

    def test_errors_say_what_would_be_right(self):
        error = self.refused(400, "PUT", f"/streams/s/{VARIABLES}/mood/sad")
        self.assertIn("calm", error)
        self.assertIn("pace", self.refused(404, "PUT", f"/streams/s/{VARIABLES}/none/1"))
        self.assertIn("2", self.refused(400, "PUT", f"/streams/s/{VARIABLES}/pace/3"))
        self.assertIn("avatar and test", self.refused(404, "GET", "/animation_graphs/x/variables"))
        self.assertEqual(self.ok("GET", "/animation_graphs/test/variables"),
                         self.ok("GET", "/animation_graphs/avatar/variables"))
        error = self.refused(400, "POST", "/streams/s1", None, {"x-stream-id": "s2"})
        self.assertIn("s2", error)
        self.refused(404, "GET", "/nothing")
        self.refused(405, "PUT", "/streams")
        self.refused(404, "GET", f"/streams/unknown/{VARIABLES}")

    def test_graphs_events_gestures_and_sites(self):
        graph = self.ok("GET", "/animation_graphs")["graphs"][0]
        self.assertEqual((graph["name"], graph["events"]), ("test", ["wave"]))
        pace = [v for v in graph["variables"] if v["name"] == "pace"][0]
        self.assertEqual((pace["type"], pace["min"], pace["max"], pace["unit"]),
                         ("number", 0, 2, "x"))
        pull = Collector(self.client.pull("events")).wait_started()
        self.assertEqual(self.ok("POST", "/streams/events/events/wave"), {"avatars": 1})
        self.assertIn("wave", self.refused(404, "POST", "/streams/events/events/jump"))
        gesture = self.ok("GET", "/gestures")["gestures"][0]
        self.assertGreater(gesture["duration_s"], 0)
        self.assertEqual(self.ok("PUT", f"/streams/events/gesture/{gesture['name']}")["avatars"], 1)
        sites = self.ok("GET", "/streams/events/sites?names=skullbase&names=l_wrist")["sites"]
        self.assertEqual([s["name"] for s in sites], ["skullbase", "l_wrist"])
        self.assertGreater(sites[0]["position"]["y"], 1)
        self.refused(404, "GET", "/streams/events/sites?names=tail")
        self.ok("DELETE", "/streams/events")
        pull.join(10)

    def test_users_and_places(self):
        self.ok("PUT", "/streams/room/users/anna", '{"head": {"x": 0, "y": 1.6, "z": 1}}')
        self.assertIn("hed", self.refused(400, "PUT", "/streams/room/users/anna", '{"hed": {}}'))
        self.ok("DELETE", "/streams/room/users/anna")
        self.refused(404, "DELETE", "/streams/room/users/anna")
        self.ok("POST", "/streams/room")
        self.ok("PUT", "/streams/room/place", '{"x_m": 1, "turn_deg": 90}')
        self.refused(400, "PUT", "/streams/room/place", '{"x_m": "NaN"}')
        self.ok("DELETE", "/streams/room")

    def test_clips_come_as_bytes_and_go(self):
        body = stillness()
        clip_info = self.ok("PUT", "/clips/stillness?kind=gesture", body)["clip"]
        self.assertAlmostEqual(clip_info["duration_s"], 1, places=3)
        names = {c["name"]: c["origin"] for c in self.ok("GET", "/clips")["clips"]}
        self.assertEqual(names["stillness"], "put")
        self.ok("DELETE", "/clips/stillness")
        self.refused(404, "DELETE", "/clips/stillness")
        self.refused(400, "PUT", "/clips/bad", "not a clip")
        self.refused(400, "PUT", "/clips/bad?loop=perhaps", body)

    def metrics(self):
        status, headers, text = self.http.raw("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        lines = [line for line in text.decode().splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def test_metrics_count_messages_by_the_way_they_were_read_and_frames(self):
        before = self.metrics()
        pull = Collector(self.client.pull("counted")).wait_started()
        self.assertEqual(self.client.push(clip(self.client, "counted", "r1", 10)).code, 0)
        self.assertTrue(pull.wait_for(lambda p: len(p.data()) >= 10))
        after = self.metrics()
        self.ok("DELETE", "/streams/counted")
        pull.join(10)

        def grown(name):
            return after[name] - before[name]

        read = sum(grown(f'posewire_messages_total{{path="{path}"}}')
                   for path in ("fixed", "by_record", "general"))
        self.assertGreater(read, 0)
        self.assertGreater(grown("posewire_data_messages_total"), 0)
        self.assertGreaterEqual(grown("posewire_frames_total"), 10)
        self.assertGreaterEqual(grown("posewire_ticks_total"), grown("posewire_frames_total") - 1)
        self.assertGreaterEqual(after["posewire_avatars"], 1)

    def test_a_request_is_stopped(self):
        pull = Collector(self.client.pull("stopped")).wait_started()
        call = self.client.method("/nvidia_ace.services.animation_data.v1.AnimationDataService/"
                                  "PushAnimationDataStream")
        watch = WebSocket(self.server.http_port)
        self.addCleanup(watch.close)
        watch.call("WatchEvents", stream_id="stopped")
        go = threading.Event()

        def messages():
            yield header(self.client, "stopped", "r1")
            yield keys(self.client, 0, 60)
            go.wait(20)

        push = call.future(messages(), timeout=30)
        self.assertTrue(pull.wait_for(lambda p: any(any(d.audio.audio_buffer) for d in p.data())))
        self.ok("DELETE", "/streams/stopped/requests/r1", None, {"x-stream-id": "stopped"})
        self.assertEqual(push.result().code, 1)  # INFO
        self.assertTrue(watch.wait(lambda s: any(
            (e["type"], e["request_id"], e["detail"]) == ("REQUEST_INTERRUPTED", "r1", "stopped")
            for e in s.events)))
        go.set()
        self.refused(404, "DELETE", "/streams/stopped/requests/r2")
        self.ok("DELETE", "/streams/stopped")
        pull.join(10)


class Document(HttpTest):
    def test_every_path_of_the_document_is_served_and_described(self):
        document = self.ok("GET", "/openapi.json")
        self.assertEqual(document["openapi"], "3.0.3")
        program = subprocess.run([f"{BIN}/anim_graph", "--version"], capture_output=True, text=True)
        self.assertEqual(document["info"]["version"], program.stdout.split()[1])
        served = 0
        for path, methods in document["paths"].items():
            filled = re.sub(r"{graph}", "avatar", path)
            filled = re.sub(r"{[a-z_]+}", "none", filled)
            _, headers, _ = self.http.raw("OPTIONS", filled)
            allowed = set(headers["Allow"].split(", ")) - {"HEAD", "OPTIONS"}
            self.assertEqual(allowed, {m.upper() for m in methods}, path)
            for method, what in methods.items():
                served += 1
                self.assertTrue(what["summary"].endswith("."), path)
                named = [p["name"] for p in what.get("parameters", []) if p["in"] == "path"]
                self.assertEqual(named, re.findall(r"{([a-z_]+)}", path))
        self.assertGreater(served, 25)

    def test_every_reference_leads_somewhere(self):
        text = self.http.raw("GET", "/openapi.json")[2].decode()
        schemas = json.loads(text)["components"]["schemas"]
        found = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
        self.assertEqual(found, set(schemas))

    def test_replies_are_as_described(self):
        document = self.ok("GET", "/openapi.json")
        self.ok("POST", "/streams/described")
        for path, methods in document["paths"].items():
            what = methods.get("get")
            if what is None or path == "/ws":
                continue
            reply = self.ok("GET", path.replace("{graph}", "avatar")
                            .replace("{stream_id}", "described"))
            schema = what["responses"]["200"]["content"]["application/json"]["schema"]
            self.check(reply, schema, document, path)
        self.ok("DELETE", "/streams/described")

    def check(self, value, schema, document, where):
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        kinds = {"object": dict, "array": list, "string": str, "boolean": bool,
                 "number": (int, float), "integer": int}
        self.assertIsInstance(value, kinds[schema["type"]], where)
        if isinstance(value, dict):
            for name, part in value.items():
                self.assertIn(name, schema["properties"], where)
                self.check(part, schema["properties"][name], document, f"{where} {name}")
        elif isinstance(value, list):
            for part in value:
                self.check(part, schema["items"], document, where)

    def test_the_page_needs_nothing_from_elsewhere(self):
        status, headers, html = self.http.raw("GET", "/docs")
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        for name in re.findall(r'(?:src|href)="(/docs[^"]*)"', html.decode()):
            status, headers, text = self.http.raw("GET", name)
            self.assertEqual(status, 200, name)
            self.assertNotRegex(text.decode(), r"https?://")
        self.assertNotRegex(html.decode(), r"https?://|<script>|style=|onclick=")
        self.assertEqual(self.http.raw("GET", "/")[1]["Location"], "/docs")


class Socket(HttpTest):
    def setUp(self):
        self.socket = WebSocket(self.server.http_port)
        self.addCleanup(self.socket.close)

    def test_calls_by_name(self):
        reply = self.socket.call("SetVariable", stream_id="w", name="pace", value="1.25")
        self.assertEqual(reply["result"]["value"], "1.25")
        values = self.socket.call("ListVariables", stream_id="w")["result"]["variables"]
        self.assertEqual({v["name"]: v["value"] for v in values}["pace"], "1.25")
        self.socket.send('{"id": "text", "method": "ListStreams"}')
        self.assertTrue(self.socket.wait(lambda s: s.others))
        self.assertEqual(self.socket.others.pop()["id"], "text")

    def test_errors_name_their_kind(self):
        for text, code in (("{", -32700), ("[]", -32700), ("{}", -32600),
                           ('{"method": 1}', -32600), ('{"method": "x", "id": {}}', -32600),
                           ('{"method": "ListStreams", "params": [1]}', -32600)):
            self.socket.send(text)
            self.assertTrue(self.socket.wait(lambda s: s.others), text)
            answer = self.socket.others.pop()
            self.assertEqual((answer["id"], answer["error"]["code"]), (None, code), text)
        answer = self.socket.call("Nothing")
        self.assertEqual(answer["error"]["code"], -32601)
        self.assertRegex(answer["error"]["message"], r"there are [0-9]{2}, such as [A-Z]")
        answer = self.socket.call("SetVariabel")
        self.assertIn("did you mean SetVariable?", answer["error"]["message"])
        answer = self.socket.call("SetVariable", stream_id="w", nome="x")
        self.assertEqual(answer["error"]["code"], -32602)
        answer = self.socket.call("RemoveStream", stream_id="not there")
        self.assertEqual(answer["error"]["data"], {"status": "NOT_FOUND"})

    def test_a_call_without_id_is_done_and_not_answered(self):
        self.socket.send('{"method": "RegisterStream", "params": {"stream_id": "quiet"}}')
        self.assertEqual(self.socket.call("RemoveStream", stream_id="quiet")["result"], {})
        self.assertEqual(self.socket.others, [])

    def test_events_come_as_they_happen(self):
        all_of_them = WebSocket(self.server.http_port)
        self.addCleanup(all_of_them.close)
        self.socket.call("WatchEvents", stream_id="talk")
        all_of_them.call("WatchEvents")
        pull = Collector(self.client.pull("talk")).wait_started()
        self.client.push(clip(self.client, "talk", "r1", 20))
        self.assertTrue(self.socket.wait(
            lambda s: "REQUEST_ENDED" in [e["type"] for e in s.events]))
        told = [(e["type"], e["request_id"]) for e in self.socket.events]
        self.assertLess(told.index(("REQUEST_STARTED", "r1")), told.index(("REQUEST_ENDED", "r1")))
        self.assertAlmostEqual(self.socket.events[-1]["time_s"], time.time(), delta=10)
        self.assertTrue(all_of_them.wait(
            lambda s: "REQUEST_ENDED" in [e["type"] for e in s.events]))
        self.socket.call("UnwatchEvents")
        self.ok("DELETE", "/streams/talk")
        self.assertTrue(all_of_them.wait(lambda s: s.events[-1]["type"] == "AVATAR_REMOVED"))
        self.assertNotIn("AVATAR_REMOVED", [e["type"] for e in self.socket.events])
        pull.join(10)

    def test_many_calls_at_once_are_answered_or_refused(self):
        ids = [self.socket.ask("ListStreams") for _ in range(500)]
        self.assertTrue(self.socket.wait(lambda s: all(i in s.answers for i in ids)))
        for i in ids:
            answer = self.socket.answers[i]
            if "error" in answer:
                self.assertEqual(answer["error"]["data"]["status"], "RESOURCE_EXHAUSTED")

    def test_a_message_over_the_limit_ends_the_connection(self):
        # The head of the frame is enough. A server that closes with bytes unread resets the
        # connection, and its last words may be lost.
        self.socket.socket.sendall(bytes([0x81, 0x80 | 127]) + struct.pack(">Q", (1 << 20) + 1) +
                                   bytes(4))
        self.assertTrue(self.socket.wait(lambda s: s.ended))
        self.assertEqual(self.socket.close_code, 1009)


class Load(HttpTest):
    def test_a_websocket_that_takes_nothing_is_cut_and_nobody_else(self):
        other = WebSocket(self.server.http_port)
        self.addCleanup(other.close)
        deaf = WebSocket(self.server.http_port, receive_buffer=4096, read=False)
        self.addCleanup(deaf.close)
        before = self.server.memory_mb()
        call = json.dumps({"id": 1, "method": "ListGraphs"})
        deaf.socket.settimeout(20)
        with self.assertRaises(OSError):
            for _ in range(100000):
                deaf.send(call)
        self.server.await_log("does not keep up")
        self.assertLess(self.server.memory_mb() - before, 100)
        self.assertIn("result", other.call("ListStreams"))


class Guard(HttpTest):
    ARGS = ("--http-allow-origin", "https://studio.example", "--http-transfer-timeout-s", "0.5",
            "--http-max-connections", "20", "--http-max-body-bytes", "2000",
            "--http-max-websockets", "2")

    def test_foreign_pages_change_nothing(self):
        put = f"/streams/guard/{VARIABLES}/pace/1"
        self.refused(403, "PUT", put, None, {"Origin": "https://evil.example"})
        self.refused(403, "PUT", put, None, {"Origin": "null"})
        self.assertIsNone(self.stream("guard"))
        own = f"http://127.0.0.1:{self.server.http_port}"
        self.ok("PUT", put, None, {"Origin": own})
        status, headers, _ = self.http.raw("PUT", put, None, {"Origin": "https://studio.example"})
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]),
                         (200, "https://studio.example"))
        _, headers, _ = self.http.raw("GET", "/streams", None, {"Origin": "https://evil.example"})
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        for origin, status in (("https://evil.example", 403), (own, 101)):
            socket_ = WebSocket(self.server.http_port, headers={"Origin": origin})
            self.assertEqual(socket_.status, status)
            socket_.close()

    def test_foreign_names_lead_nowhere(self):
        error = self.refused(403, "GET", "/streams", None, {"Host": "rebound.example"})
        self.assertIn('"rebound.example"', error)
        self.assertIn("start anim_graph with --http-allow-host", error)
        error = self.refused(403, "PUT", "/clips/a", None, {"Origin": "https://evil.example"})
        self.assertIn('"https://evil.example"', error)
        self.assertIn("start anim_graph with --http-allow-origin", error)

    def test_foreign_names_lead_nowhere_beyond_loopback(self):
        server = Server("anim_graph", "--http", "0.0.0.0:0", "--allow-plaintext",
                        "--http-allow-host", "stage", "--http-allow-host", "stage.example")
        self.addCleanup(server.stop)
        http = Http(server.http_port)
        port = server.http_port
        for host, status in (("rebound.example", 403), (f"rebound.example:{port}", 403),
                             (f"stage:{port}", 200), ("stage.example", 200),
                             (f"192.0.2.1:{port}", 200), (f"localhost:{port}", 200)):
            self.assertEqual(http.call("GET", "/streams", None, {"Host": host})[0], status, host)
            socket_ = WebSocket(port, host=host)
            self.assertEqual(socket_.status, 101 if status == 200 else 403, host)
            socket_.close()
        run = subprocess.run([f"{BIN}/anim_graph", "--http-allow-host", "http://stage:80"],
                             capture_output=True, text=True, timeout=20)
        self.assertEqual(run.returncode, 2)
        self.assertIn("without http:// and without a port", run.stderr)

    def test_large_bodies_are_refused(self):
        error = self.refused(413, "PUT", "/clips/large", b"x" * 2001)
        self.assertIn("--http-max-body-bytes takes more", error)
        text = self.http.raw("GET", "/metrics")[2].decode()
        self.assertRegex(text, r'posewire_http_replies_total\{code="413"\} [1-9]')

    def test_slow_clients_are_closed_and_do_not_disturb(self):
        slow = [socket.create_connection(("127.0.0.1", self.server.http_port)) for _ in range(10)]
        for s in slow:
            s.sendall(b"GET /streams HTTP/1.1\r\nHo")
        start = time.monotonic()
        self.ok("GET", "/streams")
        self.assertLess(time.monotonic() - start, 0.4)
        for s in slow:
            s.settimeout(10)
            self.assertEqual(s.recv(100), b"")
            s.close()

    def test_probes_are_answered_when_idle_and_slow_clients_have_all_places(self):
        # One after the other: a connection of another test may still have a place, and then who waits
        # for longest gives way.
        kept = []
        for i in range(20):
            s = socket.create_connection(("127.0.0.1", self.server.http_port))
            kept.append(s)
            s.sendall(b"GET /liveness HTTP/1.1\r\nHost: localhost\r\n")
            if i % 2 == 0:
                s.sendall(b"\r\n")
                s.settimeout(10)
                self.assertIn(b" 200 ", s.recv(1000))
        for _ in range(25):
            for path in ("/liveness", "/readiness", "/healthz", "/metrics"):
                self.assertEqual(self.http.raw("GET", path)[0], 200, path)
        for s in kept:
            s.close()

    def test_probes_alone_are_answered_when_all_places_are_at_work(self):
        # WebSockets never give way.
        server = Server("anim_graph", "--http", "127.0.0.1:0", "--http-max-connections", "5",
                        "--http-max-websockets", "5")
        self.addCleanup(server.stop)
        http = Http(server.http_port)
        kept = []
        while len(kept) < 5:
            # A moment after it is open, the connection that asked for it still has a place, too.
            if (opened := WebSocket(server.http_port)).status == 101:
                kept.append(opened)
        idle = []
        for _ in range(10):
            idle.append(socket.create_connection(("127.0.0.1", server.http_port)))
            for path in ("/liveness", "/readiness", "/healthz", "/metrics"):
                self.assertEqual(http.raw("GET", path)[0], 200, path)
        status, headers, body = http.raw("GET", "/streams")
        self.assertEqual((status, headers["Retry-After"]), (503, "1"))
        self.assertIn(b"there are 5 connections already", body)
        self.assertIn("result", kept[0].call("ListStreams"))
        kept.pop().socket.shutdown(socket.SHUT_RDWR)
        for s in idle:
            s.close()
        self.assertTrue(until(lambda: http.raw("GET", "/streams")[0] == 200))
        for s in kept:
            s.close()

    def test_a_chunk_extension_without_end_takes_no_memory(self):
        before = self.server.memory_mb()
        for head in (b"3;", b"0\r\nX: "):
            flood = socket.create_connection(("127.0.0.1", self.server.http_port))
            flood.sendall(b"PUT /clips/a HTTP/1.1\r\nHost: localhost\r\n"
                          b"Transfer-Encoding: chunked\r\n\r\n" + head)
            with self.assertRaises(OSError):
                for _ in range(4096):
                    flood.sendall(b"x" * 65536)
            flood.close()
        self.assertLess(self.server.memory_mb() - before, 20)

    def test_beyond_loopback_only_when_told(self):
        run = subprocess.run([f"{BIN}/anim_graph", "--listen", "127.0.0.1:0", "--http",
                              "0.0.0.0:0"], capture_output=True, text=True, timeout=20)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--allow-plaintext", run.stderr)
        server = Server("anim_graph", "--http", "0.0.0.0:0", "--allow-plaintext")
        self.assertEqual(Http(server.http_port).call("GET", "/readiness")[0], 200)
        self.assertEqual(server.stop(), 0)


class Ending(unittest.TestCase):
    def test_a_drain_says_goodbye(self):
        server = Server("anim_graph", "--http", "127.0.0.1:0", "--max-streams", "1",
                        "--drain-delay-s", "1")
        http = Http(server.http_port)
        self.assertEqual(http.call("POST", "/streams/only")[0], 200)
        status, reply = http.call("GET", "/readiness")
        self.assertEqual(status, 503)
        self.assertIn("--max-streams", reply["error"])
        self.assertEqual(http.call("GET", "/liveness")[0], 200)
        socket_ = WebSocket(server.http_port)
        socket_.call("WatchEvents")
        server.process.terminate()
        deadline = time.monotonic() + 5
        while "shutting down" not in http.call("GET", "/readiness")[1].get("error", ""):
            self.assertLess(time.monotonic(), deadline)
        self.assertTrue(socket_.wait(lambda s: s.ended))
        self.assertEqual(socket_.close_code, 1001)
        self.assertEqual(server.process.wait(10), 0)
        server.stop()

    def test_a_clip_is_put_where_no_temporary_file_can_be_made(self):
        tempfile.gettempdir()  # Of this process, which needs one.
        with unittest.mock.patch.dict(os.environ, TMPDIR="/nowhere"):
            server = Server("anim_graph", "--http", "127.0.0.1:0")
        self.addCleanup(server.stop)
        http = Http(server.http_port)
        self.assertEqual(http.call("PUT", "/clips/a", stillness())[0], 200)
        self.assertEqual(http.call("PUT", "/clips/a", "not a clip")[0], 400)
        self.assertEqual(http.call("GET", "/liveness")[0], 200)

    def test_without_the_setting_there_is_no_http(self):
        server = Server("anim_graph")
        self.assertEqual(server.http_port, 0)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
