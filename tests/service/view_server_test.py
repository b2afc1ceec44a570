"""The server of renderer_sink view, without a browser: its sockets, its files, and which streams and
avatars it shows."""

import json
import os
import re
import struct
import subprocess
import time
import unittest

from http_client import Frames, Http, WebSocket
from posewire_test import BIN, Client, Server, clip
from view_test import View


class SocketTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = Server("anim_graph", "--graph", "passthrough")
        cls.client = Client(cls.graph.address)
        cls.view = View(cls.graph.address, "--keep-s", "20")

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        code = cls.view.stop()
        cls.graph.stop()
        assert code == 0, f"renderer_sink ended with {code}: {cls.view.log_text()[-2000:]}"

    def test_every_stream_is_shown_when_none_is_named(self):
        viewer = Frames(self.view.http_port)
        self.client.control("RegisterStream", stream_id="a")
        self.client.control("RegisterStream", stream_id="b")
        self.assertTrue(viewer.wait(lambda v: {t["stream_id"] for t in v.texts
                                               if t["type"] == "state"} >= {"a", "b"}))
        self.assertTrue(viewer.wait(lambda v: {f[1] for f in v.frames} >= {0, 1}))
        viewer.close()

    def test_a_stream_that_is_removed_stays_away_until_somebody_makes_it(self):
        listed = lambda: [s.stream_id for s in self.client.control("ListStreams").streams]
        viewer = Frames(self.view.http_port)
        state = lambda v: next((t["state"] for t in reversed(v.texts)
                                if t["type"] == "state" and t["stream_id"] == "c"), None)
        self.client.control("RegisterStream", stream_id="c")
        self.assertTrue(viewer.wait(lambda v: state(v) == "connected"))
        self.client.control("RemoveStream", stream_id="c")
        self.assertTrue(viewer.wait(lambda v: state(v) == "ended"))
        # The view looks again and again which streams there are, and pulls none of them to life.
        seen = viewer.count("streams")
        self.assertTrue(viewer.wait(lambda v: v.count("streams") >= seen + 3))
        self.assertNotIn("c", listed())
        self.client.control("RegisterStream", stream_id="c")
        self.assertTrue(viewer.wait(lambda v: state(v) == "connected"))
        viewer.close()

    def test_a_frame_is_small_and_holds_what_was_pushed(self):
        viewer = Frames(self.view.http_port)
        self.client.push(list(clip(self.client, "a", "small", 20)))
        self.assertTrue(viewer.wait(lambda v: v.last("layout") is not None and len(v.frames) > 30))
        layout = next(t for t in viewer.texts if t["type"] == "layout" and t["avatar"] == 0)
        joints, shapes = len(layout["joints"]), len(layout["shapes"])
        self.assertEqual((joints, shapes, len(layout["rest"])), (94, 52, 94 * 7))
        # After a moment without time a frame has the voice of several.
        frame = min((f for f in viewer.frames if f[1] == 0 and struct.unpack_from("<H", f, 2)[0] & 32),
                    key=len)
        kind, _, flags, number = struct.unpack_from("<BBHI", frame)
        self.assertEqual((kind, number), (1, layout["layout"]))
        self.assertLess(len(frame), 3000)
        at = 24
        for j in range(joints):
            q = struct.unpack_from("<4h", frame, at + 8 * j)
            self.assertAlmostEqual(sum(v * v for v in q) ** 0.5, 32767, delta=3)
        viewer.close()

    def test_only_calls_that_the_page_needs_pass(self):
        viewer = Frames(self.view.http_port)
        viewer.send(json.dumps({"id": 1, "call": "RemoveStream", "params": {"stream_id": "a"}}))
        viewer.send(json.dumps({"id": 2, "call": "ListGestures", "params": {}}))
        viewer.send(json.dumps({"id": 3, "call": "SetVariable", "params": {"no_field": 1}}))
        self.assertTrue(viewer.wait(lambda v: sum(t["type"] == "answer" for t in v.texts) == 3))
        answers = {t["id"]: t for t in viewer.texts if t["type"] == "answer"}
        self.assertEqual(answers[1]["status"], "PERMISSION_DENIED")
        self.assertIn("gestures", answers[2]["result"])
        self.assertEqual(answers[3]["status"], "INVALID_ARGUMENT")
        viewer.close()

    def test_foreign_pages_are_kept_out(self):
        port = self.view.http_port
        self.assertEqual(WebSocket(port, headers={"Origin": "http://evil.example"}).status, 403)
        self.assertEqual(Http(port).raw("GET", "/", headers={"Host": "evil.example"})[0], 403)
        status, headers, _ = Http(port).raw("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])

    def test_the_software_in_the_page_is_named_with_its_licences(self):
        http = Http(self.view.http_port)
        self.assertIn(b'href="/notices.txt"', http.raw("GET", "/")[2])
        status, headers, body = http.raw("GET", "/notices.txt")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; charset=utf-8"))
        text = body.decode()
        # As esbuild says at the script's end, "three/build/three.core.js:".
        script = http.raw("GET", "/app.js")[2].decode().split("Bundled license information:")[1]
        bundled = set(re.findall(r"(?m)^((?:@[\w-]+/)?[\w.-]+)/\S+:$", script))
        bundled |= set(re.findall(r"(?m)^   \* (@[\w-]+/[\w.-]+) v\d", script))
        self.assertGreaterEqual(bundled, {"three", "@pixiv/three-vrm", "@pixiv/three-vrm-core"})
        for name in (*bundled, "draco_decoder.js"):
            self.assertRegex(text, rf"(?m)^  {re.escape(name)} \d\S+, (MIT|Apache-2.0)")
        for words in ("Permission is hereby granted, free of charge", "three.js authors", "pixiv Inc.",
                      "Arseny Kapoulkine", "Apache License\n"):
            self.assertIn(words, text)

    def test_it_listens_beyond_loopback_only_when_told(self):
        done = subprocess.run([os.path.join(BIN, "renderer_sink"), "view", "--http", "0.0.0.0:0"],
                              capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("allow-plaintext", done.stderr)

    def test_an_avatar_that_is_no_glb_is_refused(self):
        done = subprocess.run([os.path.join(BIN, "renderer_sink"), "view", "--http", "127.0.0.1:0",
                               "--avatar", __file__], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("binary glTF", done.stderr)

    def test_a_slow_viewer_keeps_the_voice_and_harms_nobody(self):
        slow = Frames(self.view.http_port, receive_buffer=2048, read=False)
        quick = Frames(self.view.http_port)
        before = time.monotonic()
        dropped = lambda v: (v.last("stats") or {}).get("poses_dropped", 0) > 0
        self.client.push(list(clip(self.client, "a", "long", 300)))
        # What the kernel holds for the slow one has to fill first.
        self.assertTrue(quick.wait(dropped, 30), "no pose was dropped for the slow viewer")
        held = [f for f in quick.frames if f[1] == 0]
        self.assertGreater(len(held), 25 * (time.monotonic() - before) * 0.8)
        slow.close()
        quick.close()


class PlacesTest(unittest.TestCase):
    """Avatars and streams come and go, also more than there are places."""

    def test_every_avatar_of_a_stream_is_shown_and_pulled_again_by_its_name(self):
        servers = [Server("anim_graph", "--graph", "passthrough")]
        client = Client(servers[0].address)
        client.control("RegisterStream", stream_id="a", target_object_id="anna")
        view = View(servers[0].address, "--stream-id", "a")
        viewer = Frames(view.http_port)
        self.addCleanup(lambda: (viewer.close(), client.close(), view.stop(), servers[-1].stop()))
        newest = lambda v: {t["avatar"]: (t["target_object_id"], t["state"]) for t in v.texts
                            if t["type"] == "state"}
        self.assertTrue(viewer.wait(lambda v: newest(v) == {0: ("", "connected")}))
        client.push(clip(client, "a", "r", 10, target="ben"))
        self.assertTrue(viewer.wait(lambda v: newest(v) == {0: ("anna", "connected"),
                                                            1: ("ben", "connected")}))
        client.control("PlaceAvatar", stream_id="a", target_object_id="ben", x_m=0.5, turn_deg=-20)
        ben = lambda v: [s["avatars"][-1] for t in v.texts if t["type"] == "streams"
                         for s in t["reply"]["streams"] if s["avatars"]]
        self.assertTrue(viewer.wait(lambda v: any(
            (a["target_object_id"], a["x_m"], a["turn_deg"]) == ("ben", 0.5, -20) for a in ben(v))))
        self.assertTrue(viewer.wait(lambda v: {f[1] for f in v.frames} >= {0, 1}))
        port = servers[0].port
        servers[0].process.kill()
        servers[0].stop()
        servers.append(Server("anim_graph", "--graph", "passthrough", "--listen",
                              f"127.0.0.1:{port}"))
        self.assertTrue(viewer.wait(lambda v: newest(v) == {0: ("anna", "connected"),
                                                            1: ("ben", "connected")}, 20),
                        newest(viewer))

    def test_a_new_stream_takes_the_place_of_the_one_that_went_first(self):
        graph = Server("anim_graph", "--graph", "passthrough")
        client = Client(graph.address)
        view = View(graph.address, "--most-avatars", "2")
        viewer = Frames(view.http_port)
        newest = lambda v: {t["avatar"]: (t["stream_id"], t["state"]) for t in v.texts
                            if t["type"] == "state"}
        self.addCleanup(lambda: (viewer.close(), client.close(), view.stop(), graph.stop()))
        for k, name in enumerate(("a", "b")):
            client.control("RegisterStream", stream_id=name)
            self.assertTrue(viewer.wait(lambda v: newest(v).get(k) == (name, "connected")))
        client.control("RegisterStream", stream_id="c")
        # Seen twice, so what the view did on seeing it first is done.
        shows_c = lambda t: t["type"] == "streams" and any(
            s["stream_id"] == "c" for s in t["reply"]["streams"])
        self.assertTrue(viewer.wait(lambda v: sum(map(shows_c, v.texts)) >= 2))
        self.assertEqual([name for name, _ in newest(viewer).values()], ["a", "b"])
        client.control("RemoveStream", stream_id="b")
        self.assertTrue(viewer.wait(lambda v: newest(v).get(1) == ("c", "connected")))
        # A newcomer is told of the streams that there are now.
        other = Frames(view.http_port)
        self.assertTrue(other.wait(lambda v: newest(v) == {0: ("a", "connected"),
                                                           1: ("c", "connected")}))
        self.assertTrue(other.wait(lambda v: {f[1] for f in v.frames} >= {0, 1}))
        other.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
