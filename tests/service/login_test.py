"""renderer_sink view behind a login: who sees, hears and steers which streams, by token or by session."""

import collections
import http.client
import json
import os
import re
import ssl
import tempfile
import unittest
import urllib.parse

from browser import Browser
from certificates import Ca
from door import Door
from embed_test import Site
from http_client import Frames, Http, WebSocket
from posewire_test import Client, Server, clip, until
from token_test import line, token_of
from view_test import View

# Who may do what, by the name of the token.
RIGHTS = {"all": "pull,watch,control *", "a": "pull,watch,control a", "eyes": "pull,watch a",
          "hands": "control a", "pictures": "pull *", "late": "pull * {} 2020-01-01T00:00:00Z"}
FORM = "application/x-www-form-urlencoded"
REVOKED_S = 4  # viewers are looked at each second, and the file before that; and patience


def bearer(name):
    return {"Authorization": f"Bearer {token_of(name)}"}


def element_page(view, attributes):
    """A page of somebody else, which keeps in `heard` what the element tells."""
    return ('<!doctype html><body><script>window.heard = [];'
            'for (const name of ["ready", "shown", "error"]) addEventListener(name,'
            '({ detail }) => heard.push([name, detail]), true);</script>'
            f'<script src="{view}/embed.js"></script>'
            f'<posewire-avatar {attributes}></posewire-avatar>')


class Login(unittest.TestCase):
    """Each class has one view of the streams a and b, with a source for texts."""

    ARGS = ()

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.tokens = os.path.join(cls.home.name, "tokens")
        cls.write(RIGHTS)
        cls.graph = Server("anim_graph", "--graph", "default")
        cls.addClassCleanup(cls.graph.stop)
        cls.client = Client(cls.graph.address)
        cls.addClassCleanup(cls.client.close)
        for stream in "ab":
            cls.client.control("RegisterStream", stream_id=stream)
        cls.source = Server("a2f_source", "serve", "--to", cls.graph.address, "--stream-id", "b")
        cls.addClassCleanup(cls.source.stop)
        cls.view = View(cls.graph.address, "--tokens", cls.tokens, "--say-to", cls.source.address,
                        "--stream-id", "a", "--stream-id", "b", *cls.ARGS)
        cls.addClassCleanup(cls.view.stop)
        cls.http = Http(cls.view.http_port)

    @classmethod
    def write(cls, rights):
        with open(cls.tokens + ".new", "w") as file:
            file.writelines(line(name, text) for name, text in rights.items())
        os.rename(cls.tokens + ".new", cls.tokens)
        cls.written = rights

    def change(self, **rights):
        """Until the end of the test; None takes a token away. Returns when the view has read it."""
        if rights:
            self.addCleanup(self.change)
        read = self.view.log_text().count("tokens read")
        wanted = {name: text for name, text in {**RIGHTS, **rights}.items() if text}
        if wanted == self.written:
            return
        self.write(wanted)
        self.assertTrue(until(lambda: self.view.log_text().count("tokens read") > read))

    def log_in(self, token, http=None, headers=()):
        """The status and the head of the reply to JSON, and the cookie to be shown."""
        status, head, body = (http or self.http).raw(
            "POST", "/login", json.dumps({"token": token}),
            {"Content-Type": "application/json", **dict(headers)})
        return status, head, head.get("Set-Cookie", "").split(";")[0]

    def session(self, name):
        """The header of a browser that has logged in."""
        status, _, cookie = self.log_in(token_of(name))
        self.assertEqual(status, 200)
        return {"Cookie": cookie}

    def viewer(self, headers):
        viewer = Frames(self.view.http_port, headers=headers)
        self.addCleanup(viewer.close)
        return viewer

    def call(self, viewer, id, call, **params):
        """The status of the answer; OK if it has a result."""
        viewer.send(json.dumps({"id": id, "call": call, "params": params}))
        answered = lambda v: [t for t in v.texts if t["type"] == "answer" and t["id"] == id]
        self.assertTrue(viewer.wait(answered), call)
        answer = answered(viewer)[0]
        return answer.get("status", "OK"), answer.get("error", "")


class Doors(Login):
    def test_a_page_without_a_session_is_a_form_that_loads_nothing_from_elsewhere(self):
        status, head, body = self.http.raw("GET", "/?stage&stream=a&x=\"<b>'")
        text = body.decode()
        self.assertEqual(status, 401)
        self.assertIn('method="post" action="/login?stage&amp;stream=a&amp;x=&quot;&lt;b&gt;&#39;"', text)
        self.assertEqual(set(re.findall(r'(?:src|href)="([^"]*)"', text)),
                         {"data:,", "/style.css", "/login.js"})
        for words in ("default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"):
            self.assertIn(words, head["Content-Security-Policy"])
        # Without a referrer browsers would send the form with the Origin null.
        self.assertEqual(head["Referrer-Policy"], "same-origin")

    def test_without_a_session_there_is_nothing_but_the_software_and_the_probes(self):
        for path in ("/embed.js", "/app.js", "/style.css", "/login.js", "/notices.txt", "/healthz",
                     "/metrics"):
            self.assertEqual(self.http.raw("GET", path)[0], 200, path)
        for path in ("/characters/0.glb", "/prop.glb?shape=cup&width=1&height=1&depth=1", "/ws",
                     "/avatars/0/clip.jsonl", "/source/voices", "/session"):
            status, head, body = self.http.raw("GET", path)
            self.assertEqual(status, 401, path)
            self.assertEqual(head["WWW-Authenticate"], "Bearer")
            self.assertIn("log in", json.loads(body)["error"])
        for path in ("/source/say", "/source/stop", "/source/texts"):
            self.assertEqual(self.http.raw("POST", path, "{}")[0], 401, path)
        for headers in ({}, {"Cookie": f"posewire_{self.view.http_port}=wrong"}):
            self.assertEqual(Frames(self.view.http_port, headers=headers).status, 401)

    def test_a_form_opens_a_session_and_leads_back_to_the_page(self):
        body = urllib.parse.urlencode({"token": token_of("all")})
        status, head, _ = self.http.raw("POST", "/login?stage&stream=a", body, {"Content-Type": FORM})
        self.assertEqual((status, head["Location"]), (303, "/?stage&stream=a"))
        cookie, *flags = head["Set-Cookie"].split("; ")
        self.assertRegex(cookie, rf"^posewire_{self.view.http_port}=[\w-]{{43}}$")
        self.assertEqual(flags, ["Path=/", "HttpOnly", "Max-Age=43200", "SameSite=Strict"])
        headers = {"Cookie": f"x=1; {cookie}; y=2"}
        self.assertIn(b"/app.js", self.http.raw("GET", "/?stage&stream=a", headers=headers)[2])
        self.assertEqual(self.http.call("GET", "/session", headers=headers), (200, {"name": "all"}))
        self.assertEqual(self.http.raw("GET", "/characters/0.glb", headers=headers)[0], 200)
        self.view.await_log('admitted token="all" to="log in"')
        self.assertNotIn(token_of("all"), self.view.log_text())
        self.assertNotIn(cookie.split("=")[1], self.view.log_text())

    def test_sessions_and_bearer_tokens_open_the_web_socket(self):
        for headers in (self.session("all"), bearer("all")):
            viewer = self.viewer(headers)
            self.assertEqual(viewer.status, 101)
            self.assertTrue(viewer.wait(lambda v: {f[1] for f in v.frames} == {0, 1}))
            self.assertTrue(viewer.last("hello")["login"])
        # A password for somebody before us does not count.
        basic = {**self.session("all"), "Authorization": "Basic YTpi"}
        self.assertEqual(self.http.raw("GET", "/session", headers=basic)[0], 200)
        foreign = {**self.session("all"), "Origin": "http://evil.example"}
        self.assertEqual(Frames(self.view.http_port, headers=foreign).status, 403)
        self.assertEqual(self.http.raw("POST", "/logout", headers=foreign)[0], 403)

    def test_wrong_tokens_are_refused_and_logged_with_the_peer_alone(self):
        # Each from an address of its own, so as not to use up those of others.
        def said(n, token):
            return self.log_in(token, headers={"X-Forwarded-For": f"1.2.3.4, 192.0.2.{n}"})[0]
        self.assertEqual(said(1, "a-token-that-nobody-has"), 401)
        self.assertEqual(said(2, token_of("late")), 401)
        self.assertEqual(said(3, token_of("hands")), 403)
        self.assertEqual(said(4, ""), 400)
        self.view.await_log('login refused why="this server does not know the token" peer="192.0.2.1"')
        self.view.await_log('the token of late was good until')
        self.assertNotIn("nobody-has", self.view.log_text())
        for body, kind in (("token=x", "text/plain"), ("[1]", "application/json"), ("", FORM),
                           ("token=%zz", FORM), ("token=" + "x" * 100_000, FORM)):
            self.assertEqual(self.http.raw("POST", "/login", body, {"Content-Type": kind})[0], 400)
        # A form is answered by the form.
        _, _, text = self.http.raw("POST", "/login", "token=a-token-that-nobody-has",
                                   {"Content-Type": FORM, "X-Forwarded-For": "192.0.2.5"})
        self.assertIn(b"this server does not know the token", text)
        self.assertNotIn(b"nobody-has", text)

    def test_cookies_are_secure_where_the_front_door_speaks_tls(self):
        flags = self.log_in(token_of("all"), headers={"X-Forwarded-Proto": "https"})[1]["Set-Cookie"]
        self.assertTrue(flags.startswith(f"__Host-posewire_{self.view.http_port}="), flags)
        self.assertTrue(flags.endswith("; Secure; SameSite=Strict"), flags)
        self.assertEqual(self.http.raw("GET", "/session", headers={
            "Cookie": flags.split(";")[0], "X-Forwarded-Proto": "https"})[0], 200)

    def test_a_browser_that_logs_in_again_has_its_newest_session_alone(self):
        first = self.session("eyes")
        status, _, cookie = self.log_in(token_of("all"), headers=first)
        self.assertEqual(status, 200)
        self.assertEqual(self.http.raw("GET", "/session", headers=first)[0], 401)
        self.assertEqual(self.http.call("GET", "/session", headers={"Cookie": cookie}),
                         (200, {"name": "all"}))

    def test_logging_out_ends_the_session_and_its_web_socket(self):
        headers = self.session("all")
        viewer, other = self.viewer(headers), self.viewer(self.session("all"))
        self.assertTrue(viewer.wait(lambda v: v.last("present")))
        status, head, _ = self.http.raw("POST", "/logout", headers=headers)
        self.assertEqual(status, 200)
        self.assertIn("Max-Age=0", head["Set-Cookie"])
        self.assertEqual(self.http.raw("GET", "/session", headers=headers)[0], 401)
        self.assertTrue(viewer.wait(lambda v: v.close_code, REVOKED_S))
        self.assertEqual(viewer.close_code, 1008)
        self.assertEqual(other.close_code, None)

    def test_a_token_that_is_revoked_ends_its_sessions_and_web_sockets(self):
        headers = self.session("a")
        viewers = [self.viewer(headers), self.viewer(bearer("a"))]
        stays = self.viewer(self.session("all"))
        for viewer in (*viewers, stays):
            self.assertTrue(viewer.wait(lambda v: v.frames))
        self.change(a=None)
        for viewer in viewers:
            self.assertTrue(viewer.wait(lambda v: v.close_code, REVOKED_S))
            self.assertEqual(viewer.close_code, 1008)
        self.assertEqual(self.http.raw("GET", "/session", headers=headers)[0], 401)
        # It stays so when the token comes back.
        self.change(a=RIGHTS["a"] + " {} pulls=9")
        self.assertEqual(self.http.raw("GET", "/session", headers=headers)[0], 401)
        seen = len(stays.frames)
        self.assertTrue(stays.wait(lambda v: len(v.frames) > seen + 10))
        self.assertEqual(stays.close_code, None)

    def test_a_token_that_is_revoked_falls_silent(self):
        socket = WebSocket(self.view.http_port, "/source/stream", headers=self.session("a"))
        socket.send(json.dumps({"begin": {"stream_id": "a"}}))
        socket.send(json.dumps({"text": "people " * 200}))
        self.assertTrue(socket.wait(lambda s: any("word" in m for m in s.others)))
        self.change(a=None)
        self.assertTrue(socket.wait(lambda s: s.close_code, REVOKED_S))
        self.assertEqual(socket.close_code, 1008)
        self.assertTrue(until(lambda: not any(r.request_id for s in self.client.control(
            "ListStreams").streams if s.stream_id == "a" for a in s.avatars for r in a.requests)))

    def test_a_page_that_may_only_look_does_not_speak(self):
        for name, stream in (("eyes", "a"), ("hands", "b")):
            socket = WebSocket(self.view.http_port, "/source/stream", headers=bearer(name))
            if socket.status == 101:
                socket.send(json.dumps({"begin": {"stream_id": stream}}))
                self.assertTrue(socket.wait(lambda s: s.close_code))
                self.assertEqual(socket.close_code, 1008)
            else:
                self.assertEqual(socket.status, 403)

    def test_rights_that_change_hold_for_sessions_that_are_open(self):
        headers = self.session("a")
        viewer = self.viewer(headers)
        self.assertTrue(viewer.wait(lambda v: v.frames))
        self.change(a="pull,watch,control b")
        self.assertTrue(viewer.wait(lambda v: v.close_code, REVOKED_S))
        self.assertEqual(viewer.close_code, 1012)
        again = self.viewer(headers)
        self.assertTrue(again.wait(lambda v: len(v.frames) > 10))
        self.assertEqual({f[1] for f in again.frames}, {1})

    def test_a_token_has_so_many_viewers_as_it_has_pulls(self):
        self.change(a="pull,watch a {} pulls=1")
        def viewer():
            made = self.viewer(bearer("a"))
            made.wait(lambda v: v.close_code or v.last("present"))
            return made
        self.assertTrue(until(lambda: viewer().close_code == 1013))


class Streams(Login):
    def test_a_viewer_gets_what_its_token_may_see_and_nothing_else(self):
        mine, all_ = self.viewer(self.session("eyes")), self.viewer(self.session("all"))
        self.client.push(list(clip(self.client, "b", "theirs", 10)))
        self.client.push(list(clip(self.client, "a", "mine", 10)))
        played = lambda v: {t["event"]["stream_id"] for t in v.texts if t["type"] == "event"
                            and t["event"]["type"] == "REQUEST_ENDED"}
        self.assertTrue(all_.wait(lambda v: played(v) == {"a", "b"} and v.count("stats") > 1))
        self.assertTrue(mine.wait(lambda v: played(v) == {"a"} and v.count("streams") > 1))
        self.assertEqual({f[1] for f in all_.frames}, {0, 1})
        self.assertEqual({f[1] for f in mine.frames}, {0})
        told = collections.Counter(t["type"] for t in mine.texts if t.get("avatar") == 1)
        self.assertFalse(told, "of b's avatar")
        self.assertNotIn('"b"', json.dumps([t for t in mine.texts if t["type"] != "answer"]))
        self.assertEqual(mine.last("hello")["streams"], ["a"])
        self.assertEqual({s["stream_id"] for s in all_.last("streams")["reply"]["streams"]}, {"a", "b"})
        # Who comes later gets no more of the past.
        later = self.viewer(self.session("eyes"))
        self.assertTrue(later.wait(lambda v: v.last("present")))
        self.assertNotIn('"b"', json.dumps(later.texts))

    def test_pictures_without_watch_come_without_events_and_lists(self):
        viewer = self.viewer(bearer("pictures"))
        self.assertTrue(viewer.wait(lambda v: {f[1] for f in v.frames} == {0, 1}
                                    and v.count("streams")))
        self.client.push(list(clip(self.client, "a", "unseen", 10)))
        self.assertTrue(viewer.wait(lambda v: v.count("streams") > 1))
        self.assertEqual(viewer.last("streams")["reply"]["streams"], [])
        self.assertEqual(viewer.count("event"), 0)
        self.assertEqual(self.call(viewer, 1, "ListGestures")[0], "PERMISSION_DENIED")

    def test_foreign_streams_are_refused_by_stream_and_verb(self):
        headers = self.session("a")
        for path in ("/avatars/1/clip.jsonl", "/?stream=b"):
            status, _, body = self.http.raw("GET", path, headers=headers)
            self.assertEqual(status, 403, path)
            text = body.decode().replace("&quot;", '"').replace('\\"', '"')
            self.assertIn('pull of the stream "b": the token of a is for the streams a', text)
        self.assertEqual(self.http.raw("GET", "/avatars/0/clip.jsonl", headers=headers)[0], 200)
        self.assertEqual(self.http.raw("GET", "/?stream=a", headers=headers)[0], 200)
        viewer = self.viewer(headers)
        self.assertEqual(self.call(viewer, 1, "SetGesture", stream_id="a", gesture="nod")[0], "OK")
        for id, call, params in ((2, "SetGesture", {"stream_id": "b", "gesture": "nod"}),
                                 (3, "SetVariable", {"streamId": "b", "name": "x", "value": "1"}),
                                 (4, "SetUser", {"stream_id": "b", "user": {"name": "u"}}),
                                 (5, "StopRequest", {"stream_id": "b", "request_id": "r"})):
            status, error = self.call(viewer, id, call, **params)
            self.assertEqual(status, "PERMISSION_DENIED", call)
            self.assertIn('control of the stream "b"', error)
        status, error = self.call(viewer, 6, "ListVariables", stream_id="b")
        self.assertEqual((status, 'watch of the stream "b"' in error), ("PERMISSION_DENIED", True))
        # Calls that would answer of all streams, or act on one that the server chooses.
        for id, call in ((7, "ListStreams"), (8, "SetGesture"), (9, "ListVariables")):
            status, error = self.call(viewer, id, call)
            self.assertEqual((status, "of all streams" in error), ("PERMISSION_DENIED", True), call)
        self.view.await_log('admitted token="a" to="SetGesture" stream_id="a"')
        self.view.await_log('call refused call="SetGesture" why="control of the stream')

    def test_texts_are_said_and_listed_by_stream_and_verb(self):
        def status(name, path, **params):
            headers = {**self.session(name), "Content-Type": "application/json"}
            return self.http.call("POST", path, json.dumps(params), headers)
        self.assertEqual(status("a", "/source/say", stream_id="a", text="Hi.")[0], 200)
        self.assertEqual(status("a", "/source/texts", stream_id="a")[0], 200)
        self.assertEqual(status("a", "/source/stop", stream_id="a")[0], 200)
        for path, verb in (("say", "control"), ("stop", "control"), ("texts", "watch")):
            code, reply = status("a", f"/source/{path}", stream_id="b", **(
                {"text": "Hi."} if path == "say" else {}))
            self.assertEqual(code, 403)
            self.assertIn(f'{verb} of the stream "b": the token of a is for', reply["error"])
            # The source's own stream is b.
            code, reply = status("a", f"/source/{path}")
            self.assertEqual((code, "of all streams" in reply["error"]), (403, True))
        code, reply = status("eyes", "/source/say", stream_id="a", text="Hi.")
        self.assertEqual(code, 403)
        self.assertIn('control of the stream "a": the token of eyes is for pull, watch', reply["error"])
        # Two spellings of one field: what is checked is what is sent.
        for text in ('{"stream_id": "a", "streamId": "b", "text": "Hi."}',
                     '{"stream_id": "a", "stream_id": "b", "text": "Hi."}'):
            self.assertIn(self.http.raw("POST", "/source/say", text, self.session("a"))[0], (400, 403))
        # A program needs no right to see.
        said = json.dumps({"stream_id": "a", "text": "Hi."})
        self.assertEqual(self.http.raw("POST", "/source/say", said, bearer("hands"))[0], 200)
        self.assertEqual(self.http.raw("GET", "/session", headers=bearer("hands"))[0], 403)
        self.assertEqual(Frames(self.view.http_port, headers=bearer("hands")).status, 403)

    def test_who_only_watches_cannot_steer(self):
        viewer = self.viewer(self.session("eyes"))
        self.assertEqual(self.call(viewer, 1, "ListGestures")[0], "OK")
        self.assertEqual(self.call(viewer, 2, "ListVariables", stream_id="a")[0], "OK")
        status, error = self.call(viewer, 3, "FireEvent", stream_id="a", event="nod")
        self.assertEqual(status, "PERMISSION_DENIED")
        self.assertIn('control of the stream "a": the token of eyes is for pull, watch', error)


class Floods(Login):
    def wrong(self, connection, headers=()):
        connection.request("POST", "/login", '{"token": "a-token-that-nobody-has"}',
                           {"Content-Type": "application/json", **dict(headers)})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())["error"]

    def test_one_address_that_fails_is_locked_out_alone_and_costs_no_memory(self):
        session = self.session("all")
        attacker = http.client.HTTPConnection("127.0.0.1", self.view.http_port, timeout=20,
                                              source_address=("127.0.0.2", 0))
        self.addCleanup(attacker.close)
        said = [self.wrong(attacker) for _ in range(200)]
        before = self.view.memory_mb()
        codes = collections.Counter(self.wrong(attacker)[0] for _ in range(5000))
        self.assertEqual([code for code, _ in said[:10]], [401] * 10)
        self.assertEqual(said[10][0], 429)
        self.assertIn("too many wrong tokens came from 127.0.0.2; try again in", said[10][1])
        self.assertGreater(codes[429], 4900)
        self.assertLess(self.view.memory_mb() - before, 4)
        # Right tokens from there are not even looked at, in whichever way they come.
        for path, method in (("/login", "POST"), ("/session", "GET")):
            attacker.request(method, path, json.dumps({"token": token_of("all")}),
                             {"Content-Type": "application/json", **bearer("all")})
            reply = attacker.getresponse()
            reply.read()
            self.assertEqual(reply.status, 429)
        # Sessions go on there, and other addresses may log in.
        attacker.request("GET", "/session", headers=session)
        reply = attacker.getresponse()
        reply.read()
        self.assertEqual(reply.status, 200)
        self.assertEqual(self.log_in(token_of("all"))[0], 200)

    def test_ten_thousand_addresses_cost_no_memory_and_lock_nobody_out(self):
        door = http.client.HTTPConnection("127.0.0.1", self.view.http_port, timeout=20)
        self.addCleanup(door.close)
        def flood(first, count):
            for n in range(first, first + count):
                address = f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}"
                self.assertEqual(self.wrong(door, {"X-Forwarded-For": address})[0], 401)
        flood(0, 5000)
        before = self.view.memory_mb()
        flood(5000, 10000)
        self.assertLess(self.view.memory_mb() - before, 4)
        self.assertEqual(self.log_in(token_of("all"), headers={"X-Forwarded-For": "192.0.2.9"})[0], 200)

    def test_sessions_of_one_token_are_bounded_and_the_idlest_ends(self):
        first, second = self.session("all"), self.session("all")
        other = self.session("a")
        connection = http.client.HTTPConnection("127.0.0.1", self.view.http_port, timeout=20)
        self.addCleanup(connection.close)
        for _ in range(1023):
            connection.request("POST", "/login", json.dumps({"token": token_of("all")}),
                               {"Content-Type": "application/json"})
            connection.getresponse().read()
        # Of 1024, the first and the second were there and one had to go.
        status = [self.http.raw("GET", "/session", headers=h)[0] for h in (first, second, other)]
        self.assertEqual(status, [401, 200, 200])


class Framed(Login):
    ARGS = ("--http-allow-origin", "https://shop.example", "--login-hours", "0.5")

    def test_frames_of_other_sites_get_a_cookie_by_https_alone(self):
        for headers, end in (({}, "; SameSite=Strict"),
                             ({"X-Forwarded-Proto": "https"}, "; Secure; SameSite=None; Partitioned")):
            flags = self.log_in(token_of("all"), headers=headers)[1]["Set-Cookie"]
            self.assertTrue(flags.endswith("; HttpOnly; Max-Age=1800" + end), flags)
        _, head, _ = self.http.raw("GET", "/?stage")
        self.assertIn("frame-ancestors https://shop.example", head["Content-Security-Policy"])


class FramedByAll(Login):
    ARGS = ("--http-allow-origin", "*")

    def test_where_every_page_may_call_none_gets_the_cookie(self):
        flags = self.log_in(token_of("all"), headers={"X-Forwarded-Proto": "https"})[1]["Set-Cookie"]
        self.assertTrue(flags.endswith("; Secure; SameSite=Strict"), flags)


class Tls(unittest.TestCase):
    def test_cookies_of_our_own_tls_are_secure(self):
        with tempfile.TemporaryDirectory() as home:
            ca = Ca(home, "ca")
            cert, key = ca.issue("server")
            tokens = os.path.join(home, "tokens")
            with open(tokens, "w") as file:
                file.write(line("all", RIGHTS["all"]))
            view = View("127.0.0.1:1", "--tokens", tokens, "--tls-cert", cert, "--tls-key", key)
            try:
                http_ = Http(view.http_port, ssl.create_default_context(cafile=str(ca.cert)))
                _, head, _ = http_.raw("POST", "/login", json.dumps({"token": token_of("all")}),
                                       {"Content-Type": "application/json"})
                self.assertTrue(head["Set-Cookie"].startswith("__Host-posewire_"))
                self.assertIn("; Secure; SameSite=Strict", head["Set-Cookie"])
            finally:
                view.stop()


class Pushed(unittest.TestCase):
    def test_what_is_pushed_is_seen_by_session_and_ends_with_its_token(self):
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write(line("voice", "push s*") + line("eyes", "pull s*"))
            file.flush()
            view = View("none", "--tokens", file.name)
            self.addCleanup(view.stop)
            client = Client(view.address)
            self.addCleanup(client.close)
            viewer = Frames(view.http_port, headers=bearer("eyes"))
            self.addCleanup(viewer.close)
            self.assertEqual(Frames(view.http_port, headers=bearer("voice")).status, 403)
            client.push(list(clip(client, "s1", "r", 20)),
                        metadata=[("authorization", f"Bearer {token_of('voice')}")])
            self.assertTrue(viewer.wait(lambda v: v.frames and v.last("layout")))
            file.truncate(0)
            file.flush()
            self.assertTrue(viewer.wait(lambda v: v.close_code, REVOKED_S))
            self.assertEqual(viewer.close_code, 1008)


class Framed(Login):
    """A site whose pages may show the view's page in a frame."""

    @classmethod
    def setUpClass(cls):
        cls.pages = {}
        cls.site = Site(cls.pages)
        cls.addClassCleanup(cls.site.server_close)
        cls.addClassCleanup(cls.site.shutdown)
        cls.ARGS = ("--http-allow-origin", cls.site.origin)
        super().setUpClass()


class BehindTheDoor(Framed):
    """nginx speaks TLS for the view; Chromium shows it in a page of another site."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ca = Ca(cls.home.name, "ca")
        cls.door = Door([cls.graph.port], [1], (*cls.ca.issue("door"), str(cls.ca.cert)),
                        view=cls.view.http_port)
        cls.addClassCleanup(cls.door.stop)
        cls.tls = ssl.create_default_context(cafile=str(cls.ca.cert))
        cls.outside = Http(cls.door.view_port, cls.tls)

    def test_page_login_and_web_socket_work_without_a_certificate(self):
        self.assertEqual(self.outside.raw("GET", "/")[0], 401)
        self.assertEqual(Frames(self.door.view_port, tls=self.tls).status, 401)
        status, head, cookie = self.log_in(token_of("all"), self.outside)
        self.assertEqual(status, 200)
        self.assertTrue(cookie.startswith(f"__Host-posewire_{self.door.view_port}="), cookie)
        self.assertIn("; Secure; SameSite=None; Partitioned", head["Set-Cookie"])
        viewer = Frames(self.door.view_port, tls=self.tls, headers={
            "Cookie": cookie, "Origin": f"https://127.0.0.1:{self.door.view_port}"})
        self.addCleanup(viewer.close)
        self.assertTrue(viewer.wait(lambda v: {f[1] for f in v.frames} == {0, 1}))

    def test_the_address_behind_the_door_is_the_one_that_is_locked_out(self):
        attacker = http.client.HTTPSConnection("127.0.0.1", self.door.view_port, timeout=20,
                                               context=self.tls, source_address=("127.0.0.3", 0))
        self.addCleanup(attacker.close)
        codes = []
        for n in range(12):
            attacker.request("POST", "/login", '{"token": "a-token-that-nobody-has"}', {
                "Content-Type": "application/json", "X-Forwarded-For": f"192.0.2.{100 + n}"})
            reply = attacker.getresponse()
            reply.read()
            codes.append(reply.status)
        self.assertEqual(codes, [401] * 10 + [429] * 2)
        self.view.await_log('login refused why="too many wrong tokens came from 127.0.0.3')
        self.assertEqual(self.log_in(token_of("all"), self.outside)[0], 200)

    def test_an_element_in_a_page_of_another_site_logs_in_by_a_code_once(self):
        status, _, body = self.outside.raw("POST", "/login/code", headers=bearer("a"))
        self.assertEqual(status, 200)
        code = json.loads(body)["code"]
        self.pages["/"] = element_page(f"https://127.0.0.1:{self.door.view_port}",
                                       f'stream="a" token="{code}"')
        browser = Browser()
        self.addCleanup(browser.close)
        tab = browser.open("about:blank")
        tab.do("Security.setIgnoreCertificateErrors", ignore=True)
        tab.size(500, 400)
        tab.do("Page.navigate", url=self.site.origin)
        tab.until("window.heard?.some(([name]) => name === 'shown')", 30)
        # It was good once.
        tab.evaluate("document.querySelector('posewire-avatar').gesture('nod')")
        self.assertEqual(self.log_in(code, self.outside)[0], 401)


class Codes(Login):
    def test_codes_are_for_programs_and_end_with_their_token(self):
        self.assertEqual(self.http.raw("POST", "/login/code", headers=self.session("all"))[0], 401)
        self.assertEqual(self.http.raw("POST", "/login/code", headers=bearer("hands"))[0], 403)
        code, other = (json.loads(self.http.raw("POST", "/login/code", headers=bearer("a"))[2])
                       for _ in range(2))
        self.assertEqual((len(code["code"]), code["expires_s"]), (43, 60))
        # It stands for its token and is no token itself.
        self.assertEqual(self.http.raw("GET", "/session", headers={
            "Authorization": "Bearer " + code["code"]})[0], 401)
        status, _, cookie = self.log_in(code["code"])
        self.assertEqual(status, 200)
        self.assertEqual(self.http.call("GET", "/session", headers={"Cookie": cookie}),
                         (200, {"name": "a"}))
        self.assertEqual(self.log_in(code["code"])[0], 401)
        self.change(a=None)
        self.assertEqual(self.log_in(other["code"])[0], 401)
        self.assertEqual(self.http.raw("GET", "/session", headers={"Cookie": cookie})[0], 401)


class NoTokens(unittest.TestCase):
    def test_without_tokens_there_is_no_login(self):
        view = View("127.0.0.1:1")
        self.addCleanup(view.stop)
        self.assertEqual(Http(view.http_port).raw("GET", "/characters/0.glb")[0], 200)
        for method, path in (("POST", "/login"), ("POST", "/logout"), ("GET", "/session")):
            self.assertEqual(Http(view.http_port).raw(method, path, "")[0], 404)
        viewer = Frames(view.http_port)
        self.addCleanup(viewer.close)
        self.assertTrue(viewer.wait(lambda v: v.last("hello")))
        self.assertFalse(viewer.last("hello")["login"])


class Pages(Framed):
    """In Chromium. The site and the view are both of localhost, which to a browser is one site."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home_page = f"http://localhost:{cls.view.http_port}"

    def setUp(self):
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def test_the_form_logs_in_and_the_page_logs_out(self):
        tab = self.browser.open(f"{self.home_page}/?stream=b")
        tab.size(700, 500)
        tab.until("Boolean(document.getElementById('token'))")
        enter = ("document.getElementById('token').value = {};"
                 "document.querySelector('#login button').click()")
        tab.evaluate(enter.format(json.dumps("a-token-that-nobody-has")))
        tab.until("document.getElementById('reason')?.textContent === "
                  "'this server does not know the token'")
        tab.evaluate(enter.format(json.dumps(token_of("all"))))
        tab.until("window.posewire && posewire.probe().avatars.some((a) => a && a.at)", 30)
        self.assertEqual(tab.evaluate("location.search"), "?stream=b")
        tab.evaluate("document.getElementById('log-out').click()")
        tab.until("Boolean(document.getElementById('token'))")
        # Both are told by the browser itself, as 401s.
        self.assertEqual([f for f in tab.faults if "401" not in f], [])

    def test_a_viewer_of_the_second_stream_alone_has_a_page_that_works(self):
        self.change(a="pull,watch,control b")
        tab = self.browser.open(self.home_page)
        tab.until("Boolean(document.getElementById('token'))")
        tab.evaluate(f"document.getElementById('token').value = '{token_of('a')}';"
                     "document.querySelector('#login button').click()")
        tab.until("window.posewire && posewire.probe().avatars[1]?.at", 30)
        self.assertEqual(tab.evaluate("document.getElementById('avatars').textContent"), "b")
        self.assertEqual(tab.evaluate("posewire.avatar.state.stream_id"), "b")
        tab.evaluate("posewire.chooseNext(-1), posewire.chooseNext(1)")
        self.assertEqual([f for f in tab.faults if "401" not in f], [])
        # The token goes, and the page is the form again.
        self.change(a=None)
        tab.until("Boolean(document.getElementById('token'))")

    def open_element(self, attributes):
        self.pages["/"] = element_page(self.home_page, attributes)
        tab = self.browser.open(self.site.origin)
        tab.size(500, 400)
        return tab

    def test_an_element_with_a_token_shows_its_stream(self):
        tab = self.open_element(f'stream="a" token="{token_of("a")}"')
        tab.until("heard.some(([name]) => name === 'shown')", 30)
        tab.evaluate("document.querySelector('posewire-avatar').gesture('nod')")
        error = tab.evaluate("""(() => {
            const avatar = document.querySelector('posewire-avatar');
            return avatar.shadowRoot.querySelector('iframe').src;
          })()""")
        self.assertNotIn("token", error)
        self.change(a=None)
        tab.until("heard.some(([name]) => name === 'error')")
        self.assertIn(["error", {"message": "this server does not know the token"}],
                      tab.evaluate("heard"))

    def test_an_element_without_a_right_token_says_why(self):
        for attributes, why in (
                ("", f"{self.home_page} asks for a login, and the element has no token"),
                ('token="a-token-that-nobody-has"', "this server does not know the token"),
                (f'token="{token_of("a")}" stream="b"', 'pull of the stream "b": the token of a'),
                # To a browser another site, which gets no cookie without https.
                (f'token="{token_of("a")}" src="http://127.0.0.1:{self.view.http_port}"',
                 f"the browser keeps no cookie of http://127.0.0.1:{self.view.http_port} in a page")):
            tab = self.open_element(attributes)
            tab.until("heard.some(([name]) => name === 'error')")
            self.assertIn(why, tab.evaluate("heard")[0][1]["message"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
