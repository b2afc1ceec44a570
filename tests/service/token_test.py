"""Who may do what by which token, and what becomes of streams when tokens change."""

import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import grpc
from google.protobuf import empty_pb2
from http_client import Http, WebSocket
from posewire_test import BIN, CONTROL, PULL, PUSH, Client, Server, clip, header, until

ACE = "nvidia_ace.services"
IDS = f"/{ACE}.animation_controller.v1.AnimationControllerService/RequestAnimationIds"
VOICE = f"/{ACE}.animation_controller.v1.AnimationControllerService/PushAudioStream"

# Of each token: name, permissions, streams, until. "other" may do all with another stream.
TOKENS = {
    "push": "push s-*", "pull": "pull s-*", "watch": "watch s-*", "control": "control s-*",
    "clips": "clips s-*", "other": "push,pull,watch,control,clips t-*",
    "all": "push,pull,watch,control,clips *",
    "late": "push,pull,watch,control,clips * {} 2020-01-01T00:00:00Z",
}
# Served, not known (UNAUTHENTICATED, 401), not allowed (PERMISSION_DENIED, 403).
TABLE = """
call                 none wrong late push pull watch control clips other all
push                 who  who   who  yes  no   no    no      no    no    yes
push-voice           who  who   who  yes  no   no    no      no    no    yes
pull                 who  who   who  no   yes  no    no      no    no    yes
WatchEvents          who  who   who  no   no   yes   no      no    no    yes
WatchEvents-of-all   who  who   who  no   no   no    no      no    no    yes
ListStreams          who  who   who  no   no   yes   no      no    yes   yes
ListVariables        who  who   who  no   no   yes   no      no    no    yes
GetSites             who  who   who  no   no   yes   no      no    no    yes
ListClips            who  who   who  no   no   yes   no      no    yes   yes
SetVariable          who  who   who  no   no   no    yes     no    no    yes
FireEvent            who  who   who  no   no   no    yes     no    no    yes
RegisterStream       who  who   who  no   no   no    yes     no    no    yes
SetUser              who  who   who  no   no   no    yes     no    no    yes
SetProp              who  who   who  no   no   no    yes     no    no    yes
ListProps            who  who   who  no   no   yes   no      no    no    yes
PutArrangement       who  who   who  no   no   no    no      yes   yes   yes
RemoveClip           who  who   who  no   no   no    no      yes   yes   yes
RequestAnimationIds  who  who   who  no   no   no    yes     no    yes   yes
GET/streams          who  who   who  no   no   yes   no      no    yes   yes
GET/variables        who  who   who  no   no   yes   no      no    no    yes
PUT/variable         who  who   who  no   no   no    yes     no    no    yes
PUT/arrangement      who  who   who  no   no   no    no      yes   yes   yes
ws-ListStreams       who  who   who  no   no   yes   no      no    yes   yes
ws-SetVariable       who  who   who  no   no   no    yes     no    no    yes
ws-WatchEvents       who  who   who  no   no   yes   no      no    no    yes
probes               yes  yes   yes  yes  yes  yes   yes     yes   yes   yes
"""
CODES = {"UNAUTHENTICATED": "who", "PERMISSION_DENIED": "no", 401: "who", 403: "no"}
FIELDS = {
    "ListVariables": {"stream_id": "s-1"}, "GetSites": {"stream_id": "s-1"},
    "SetVariable": {"stream_id": "s-1", "name": "posture_state", "value": "Talking"},
    "FireEvent": {"stream_id": "s-1", "event": "nod"}, "RegisterStream": {"stream_id": "s-2"},
    "SetUser": {"stream_id": "s-1", "user": {"name": "u"}}, "ListStreams": {}, "ListClips": {},
    "SetProp": {"stream_id": "s-1", "prop": {"name": "cup"}},
    "ListProps": {"stream_id": "s-1"},
    "PutArrangement": {"arrangement": {"name": "mine"}}, "RemoveClip": {"name": "mine"},
}


def token_of(name):
    return hashlib.sha256(f"test {name}".encode()).hexdigest()


def line(name, rights, token=None):
    text = rights if "{}" in rights else rights + " {}"
    return f"{name} {text.format(token or token_of(name))}\n"


class Tokens(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)

    def path(self, name):
        return os.path.join(self.home.name, name)

    def write(self, name, text):
        """At once, as who replaces a file should."""
        pathlib.Path(self.path(name + ".new")).write_text(text)
        os.rename(self.path(name + ".new"), self.path(name))
        return self.path(name)

    def start(self, name, *args, **options):
        server = Server(name, *args, **options)
        self.addCleanup(server.stop)
        return server

    def client(self, server):
        client = Client(server.address)
        self.addCleanup(client.close)
        return client

    def grpc_code(self, call):
        try:
            call()
            return "yes"
        except grpc.RpcError as error:
            # What is said then is another matter: the call was let in.
            return CODES.get(error.code().name, "yes")


class Table(Tokens):
    def attempt(self, call, auth, number, want):
        client, metadata = self.grpc_client, [("authorization", auth)] if auth else []
        web_headers = {"Authorization": auth} if auth else {}
        if call == "push":
            return self.grpc_code(lambda: client.push(
                clip(client, "s-1", f"r{number}", 2), metadata=metadata, timeout=10))
        if call == "push-voice":
            method = client.method(VOICE)
            message = client.type("nvidia_ace.a2f.v1.AudioStream")()
            message.audio_stream_header.animation_ids.stream_id = "s-1"
            return self.grpc_code(lambda: method(iter([message]), metadata=metadata, timeout=10))
        if call == "pull":
            pull = client.pull("s-1", metadata=metadata, timeout=10)
            code = self.grpc_code(lambda: next(pull))
            pull.cancel()
            return code
        if call.startswith("WatchEvents"):
            method = client.method(f"/{CONTROL}/WatchEvents")
            request = client.type("posewire.control.v1.WatchEventsRequest")(
                stream_id="" if call.endswith("all") else "s-1")
            watch = method(request, metadata=metadata, timeout=10)
            # Its initial metadata come when it was let in, or with its end, which the client takes
            # in a little later.
            watch.initial_metadata()
            until(watch.done, 0.1 if want == "yes" else 20)
            code = self.grpc_code(lambda: next(watch) if watch.done() else None)
            watch.cancel()
            return code
        if call == "RequestAnimationIds":
            method = client.method(IDS)
            return self.grpc_code(
                lambda: method(empty_pb2.Empty(), metadata=metadata, timeout=10))
        if call in FIELDS:
            method = client.method(f"/{CONTROL}/{call}")
            request = client.type(f"posewire.control.v1.{call}Request")(**FIELDS[call])
            return self.grpc_code(lambda: method(request, metadata=metadata, timeout=10))
        if call.startswith("ws-"):
            name = call[3:]
            socket = WebSocket(self.server.http_port, headers=web_headers)
            self.addCleanup(socket.close)
            self.assertEqual(socket.status, 101)
            if socket.wait(lambda s: s.close_code, 0.3):
                self.assertEqual(socket.close_code, 1008)
                return "who"
            answer = socket.call(name, **({"stream_id": "s-1"} if name == "WatchEvents"
                                          else FIELDS[name]))
            return CODES.get(answer.get("error", {}).get("data", {}).get("status"), "yes")
        if call == "probes":
            for path in ("/liveness", "/readiness", "/metrics", "/openapi.json"):
                self.assertEqual(Http(self.server.http_port).raw("GET", path)[0], 200, path)
            self.assertEqual(client.health(), 1)
            return "yes"
        method, path, body = {
            "GET/streams": ("GET", "/streams", None),
            "GET/variables": ("GET", "/streams/s-1/animation_graphs/avatar/variables", None),
            "PUT/variable": (
                "PUT", "/streams/s-1/animation_graphs/avatar/variables/posture_state/Talking", None),
            "PUT/arrangement": ("PUT", "/arrangements/mine", json.dumps({})),
        }[call]
        status, headers, _ = Http(self.server.http_port).raw(method, path, body, web_headers)
        self.assertEqual(headers.get("WWW-Authenticate"), "Bearer" if status == 401 else None)
        return CODES.get(status, "yes")

    def test_each_cell(self):
        tokens = self.write("tokens", "".join(line(n, r) for n, r in TOKENS.items()))
        voices = self.start("a2f_source", "serve", "--to", "none")
        self.server = self.start("anim_graph", "--http", "127.0.0.1:0", "--tokens", tokens,
                                 "--a2f", voices.address)
        self.grpc_client = self.client(self.server)
        # The stream lives by this pull.
        held = self.grpc_client.pull("s-1", metadata=[("authorization",
                                                       f"Bearer {token_of('all')}")])
        next(held)
        head, *rows = [row.split() for row in TABLE.split("\n") if row]
        number = 0
        for call, *wants in rows:
            for name, want in zip(head[1:], wants, strict=True):
                number += 1
                with self.subTest(call=call, token=name):
                    auth = f"Bearer {token_of(name)}" if name != "none" else ""
                    self.assertEqual(self.attempt(call, auth, number, want), want)
        self.assertGreater(number, 200)
        log = self.server.log_text()
        for name in head[1:]:
            self.assertNotIn(token_of(name), log)
            self.assertNotIn(hashlib.sha256(token_of(name).encode()).hexdigest(), log)
        for told in ('admitted token="push" to="push" stream_id="s-1" peer="ipv4:',
                     'admitted token="pull" to="pull" stream_id="s-1"',
                     'admitted token="watch" to="watch" stream_id="s-1"',
                     'control call token="control" call="SetVariable" stream_id="s-1" code="OK"',
                     'control call token="clips" call="PutArrangement" stream_id="" code=',
                     "the token of push is for push; this is pull",
                     "the token of other is for the streams t-*; this is \\\"s-1\\\"",
                     "the token of late was good until 2020-01-01",
                     "this server does not know the token", "this server requires a token"):
            self.server.await_log(told)
        self.assertNotIn('call="SetUser"', log)
        # Who the others are is not for all eyes.
        self.assertNotIn("grpc.channelz.v1.Channelz", self.grpc_client.services())
        held.cancel()

    def test_a_list_shows_the_streams_of_the_token(self):
        tokens = self.write("tokens", line("one", "watch,control a-*") + line("all", "watch,control *"))
        server = self.start("anim_graph", "--http", "127.0.0.1:0", "--tokens", tokens)
        http = Http(server.http_port)

        def headers(name):
            return {"Authorization": f"Bearer {token_of(name)}"}
        for stream in ("a-1", "b-1"):
            self.assertEqual(http.raw("POST", f"/streams/{stream}", headers=headers("all"))[0], 200)
        for name, want in (("one", {"a-1"}), ("all", {"a-1", "b-1"})):
            listed = http.call("GET", "/streams", headers=headers(name))[1]["streams"]
            self.assertEqual({s["stream_id"] for s in listed}, want)

    def test_a_push_without_a_token_is_refused_before_its_header(self):
        tokens = self.write("tokens", line("push", "push *"))
        server = self.start("anim_graph", "--tokens", tokens)
        client = self.client(server)

        def silent():
            done.wait(20)
            yield header(client, "s", "r")
        done = threading.Event()
        self.addCleanup(done.set)
        with self.assertRaises(grpc.RpcError) as caught:
            client.push(silent(), timeout=10)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)


class Quotas(Tokens):
    FULL = grpc.StatusCode.RESOURCE_EXHAUSTED

    def test_a_token_has_so_many_pushes_and_pulls(self):
        tokens = self.write("tokens", line("one", "push,pull s {} pushes=1 pulls=2")
                            + line("two", "push,pull s {}"))
        out = self.path("taken.jsonl")
        for server in (self.start("anim_graph", "--tokens", tokens),
                       self.start("renderer_sink", "record", out, "--from", "none",
                                  "--tokens", tokens)):
            self.check_pushes(self.client(server))
        server = self.start("anim_graph", "--tokens", tokens)
        client = self.client(server)
        pulls = [self.pull(client, "one") for _ in range(2)]
        with self.assertRaises(grpc.RpcError) as full:
            self.pull(client, "one")
        self.assertEqual(full.exception.code(), self.FULL)
        self.assertIn("the token of one may have 2 open pulls", full.exception.details())
        self.pull(client, "two")
        pulls[0].cancel()
        self.assertTrue(until(lambda: self.is_served(client)))

    def is_served(self, client):
        try:
            return self.pull(client, "one") is not None
        except grpc.RpcError as error:
            self.assertEqual(error.code(), self.FULL)
            return False

    def pull(self, client, name):
        pull = client.pull("s", metadata=[("authorization", f"Bearer {token_of(name)}")])
        self.addCleanup(pull.cancel)
        next(pull)
        return pull

    def check_pushes(self, client):
        auth = [("authorization", f"Bearer {token_of('one')}")]
        done, began = threading.Event(), threading.Event()
        self.addCleanup(done.set)

        method = client.method(PUSH)
        messages = list(clip(client, "s", "r1", 2))

        def long():
            yield messages[0]
            began.set()
            done.wait(30)
            yield from messages[1:]
        push = method.future(long(), metadata=auth, timeout=60)
        self.assertTrue(began.wait(20))
        seen = []

        def refused():
            """Once the header of the first has been taken."""
            try:
                client.push(clip(client, "s", f"r{len(seen) + 2}", 2), metadata=auth, timeout=20)
                seen.append(None)
            except grpc.RpcError as error:
                seen.append(error)
            return seen[-1] is not None
        self.assertTrue(until(refused))
        self.assertEqual(seen[-1].code(), self.FULL)
        self.assertIn("the token of one may have 1 open pushes", seen[-1].details())
        self.assertIn("grpc-retry-pushback-ms", dict(seen[-1].trailing_metadata()))
        done.set()
        push.result(timeout=30)
        self.assertTrue(until(lambda: not refused()))


class Clients(Tokens):
    """Our own programs."""

    def run_sink(self, port, *args, stream="s"):
        return subprocess.run(
            [f"{BIN}/renderer_sink", "print", "--summary", "--from", f"127.0.0.1:{port}",
             "--stream-id", stream, "--duration", "0.3", "--give-up-s", "3", *args],
            capture_output=True, text=True, timeout=60)

    def run_say(self, port, *args, stream="s"):
        return subprocess.run(
            [f"{BIN}/a2f_source", "say", "Hi.", "--to", f"127.0.0.1:{port}", "--stream-id", stream,
             "--rate", "4x", "--give-up-s", "3", *args], capture_output=True, text=True, timeout=60)

    def open_sink(self, server, token_file):
        sink = subprocess.Popen(
            [f"{BIN}/renderer_sink", "print", "--from", server.address, "--stream-id", "s",
             "--token-file", token_file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for stop in (sink.stderr.close, sink.stdout.close, sink.wait, sink.kill):
            self.addCleanup(stop)
        self.assertTrue(sink.stdout.readline())
        return sink

    def test_they_show_their_token(self):
        server = self.start("anim_graph", "--tokens", self.write(
            "tokens", line("voice", "push s*") + line("wall", "pull s*")))
        voice, wall = (self.write(n, token_of(n) + "\n") for n in ("voice", "wall"))
        for run, good, wrong in ((self.run_say, voice, wall), (self.run_sink, wall, voice)):
            ended = run(server.port, "--token-file", good)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            for args, said in (((), "UNAUTHENTICATED"),
                               (("--token-file", wrong), "PERMISSION_DENIED")):
                ended = run(server.port, *args)
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn(said, ended.stderr)
                self.assertNotIn(token_of("voice"), ended.stderr)
            self.assertIn("PERMISSION_DENIED",
                          run(server.port, "--token-file", good, stream="t").stderr)

    def test_a_stream_lives_through_three_new_tokens(self):
        tokens = self.write("tokens", line("wall", "pull s", token_of("0")))
        mine = self.write("mine", token_of("0"))
        server = self.start("anim_graph", "--tokens", tokens)
        sink = self.open_sink(server, mine)
        client = self.client(server)

        def code(token):
            pull = client.pull("s", metadata=[("authorization", f"Bearer {token_of(token)}")])
            code = self.grpc_code(lambda: next(pull))
            pull.cancel()
            return code
        for n in range(1, 4):
            self.write("tokens", line("wall", "pull s", token_of(str(n))))
            self.assertTrue(until(lambda: code(str(n)) == "yes"))
            self.assertEqual(code(str(n - 1)), "who")
        # What cannot be read changes nothing, and may be mended.
        self.write("tokens", "wall pull\n")
        server.await_log("the token file cannot be used; the previous tokens stay valid")
        self.assertEqual(code("3"), "yes")
        os.remove(tokens)
        server.await_log("No such file")
        self.assertEqual(code("3"), "yes")
        self.write("tokens", "# nobody\n")
        self.assertTrue(until(lambda: code("3") == "who"))
        for _ in range(100):
            self.assertTrue(sink.stdout.readline())
        sink.terminate()
        _, log = sink.communicate(timeout=10)
        self.assertNotIn("lost", log)

    def test_who_calls_again_shows_the_token_of_that_time(self):
        tokens = self.write("tokens", line("wall", "pull s", token_of("old")))
        mine = self.write("mine", token_of("old"))
        server = self.start("anim_graph", "--tokens", tokens)
        self.open_sink(server, mine)
        self.write("mine", token_of("new"))
        self.write("tokens", line("wall", "pull s", token_of("new")))
        server.stop()
        again = self.start("anim_graph", "--tokens", tokens, listen=server.address)
        again.await_log('admitted token="wall" to="pull"')

    def test_a_source_and_a_sink_ask_for_tokens_too(self):
        tokens = self.write("tokens", line("voice", "push s*") + line("wall", "pull,watch s*"))
        voice, wall = (self.write(n, token_of(n)) for n in ("voice", "wall"))
        out = self.path("taken.jsonl")
        sink = self.start("renderer_sink", "record", out, "--from", "none", "--until-end",
                          "--tokens", tokens)
        self.assertIn("UNAUTHENTICATED", self.run_say(sink.port).stderr)
        self.assertIn("PERMISSION_DENIED", self.run_say(sink.port, "--token-file", wall).stderr)
        ended = self.run_say(sink.port, "--token-file", voice)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(sink.process.wait(20), 0, sink.log_text())
        self.assertIn('admitted token="voice" to="push" stream_id="s"', sink.log_text())
        source = self.start("a2f_source", "serve", "--to", "none", "--stream-id", "s",
                            "--tokens", tokens)
        self.assertIn("UNAUTHENTICATED", self.run_sink(source.port).stderr)
        self.assertIn("PERMISSION_DENIED", self.run_sink(source.port, "--token-file", voice).stderr)
        client = self.client(source)
        path = "/posewire.source.v1.SourceService"

        def call(method, name, **fields):
            ask = client.method(f"{path}/{method}")
            request = client.type(f"posewire.source.v1.{method}Request")(**fields)
            return self.grpc_code(lambda: ask(
                request, metadata=[("authorization", f"Bearer {token_of(name)}")], timeout=10))
        self.assertEqual(call("ListVoices", "wall"), "yes")
        self.assertEqual(call("ListVoices", "voice"), "no")
        self.assertEqual(call("ListVoices", "stranger"), "who")
        self.assertEqual(call("ListTexts", "wall"), "yes")
        self.assertEqual(call("ListTexts", "wall", stream_id="t"), "no")
        self.assertEqual(call("ListTexts", "voice"), "no")
        self.assertEqual(call("Say", "wall", text="Hi."), "no")
        source.await_log('call refused call="Say"')
        self.assertEqual(call("Stop", "voice"), "no")
        part = client.type("posewire.source.v1.SayPart")
        say_stream = client.method(f"{path}/SayStream")
        for name, want in (("wall", "no"), ("stranger", "who")):
            self.assertEqual(self.grpc_code(lambda: list(say_stream(
                iter([part(begin={}), part(text="Hi.")]), timeout=10,
                metadata=[("authorization", f"Bearer {token_of(name)}")]))), want)
        process = client.method(f"/{ACE}.a2f_controller.v1.A2FControllerService/ProcessAudioStream")
        with self.assertRaises(grpc.RpcError) as caught:
            next(process(iter([]), timeout=10))
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)

    def test_the_voice_goes_on_with_the_token_of_the_graph(self):
        token = self.write("mine", token_of("graph"))
        source = self.start("a2f_source", "serve", "--to", "none", "--tokens",
                            self.write("theirs", line("graph", "push *")))
        for args, want in (((), "who"), (("--token-file", token), "yes")):
            graph = self.start("anim_graph", "--a2f", source.address, *args)
            client = self.client(graph)
            self.assertEqual(
                self.grpc_code(lambda: client.method(VOICE)(iter([]), timeout=10)), want)

    def test_plain_text_beyond_loopback(self):
        mine = self.write("mine", token_of("wall"))
        for args in (("--from", "192.0.2.1:51000"), ("--from", "graph.example:51000")):
            ended = subprocess.run(
                [f"{BIN}/renderer_sink", "print", "--stream-id", "s", "--token-file", mine, *args],
                capture_output=True, text=True, timeout=20)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("in plain text", ended.stderr)
        ended = subprocess.run(
            [f"{BIN}/renderer_sink", "print", "--stream-id", "s", "--token-file", mine, "--from",
             "192.0.2.1:51000", "--allow-plaintext", "--give-up-s", "0.2", "--duration", "1"],
            capture_output=True, text=True, timeout=30)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        server = self.start("anim_graph", "--allow-plaintext", "--tokens", self.write("tokens", ""),
                            listen="0.0.0.0:0")
        server.await_log("tokens may cross the network as plain text")

    def test_files_that_cannot_be_used(self):
        for args, said in (
                (("--tokens", self.path("none")), "none"),
                (("--tokens", self.write("bad", "x y\n")), "bad: line 1: there are 2 fields"),
                (("--token-file", self.path("none")), "--token-file: "),
                (("--token-file", self.write("short", "secret\n")), "6 characters long")):
            with self.subTest(args):
                ended = subprocess.run([f"{BIN}/anim_graph", "--listen", "127.0.0.1:0", *args],
                                       capture_output=True, text=True, timeout=20)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
