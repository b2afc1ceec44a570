"""What renderer_sink view makes of files, messages and viewers that mean no good."""

import copy
import json
import os
import signal
import subprocess
import tempfile
import unittest

from browser import Browser
from http_client import Http, WebSocket
from posewire_test import BIN, Server
from small_person import HEAD, glb, parts, small_person

PERSON = small_person("vrm1")


def changed(change, body=lambda document, data: data):
    document, data = parts(PERSON)
    document = copy.deepcopy(document)
    change(document)
    return glb(document, body(document, data))


def primitive(document):
    return document["meshes"][0]["primitives"][0]


def joints_everywhere(document, data):
    """All joints of all points become 65535."""
    at = document["accessors"][primitive(document)["attributes"]["JOINTS_0"]]["bufferView"]
    view = document["bufferViews"][at]
    begin, size = view["byteOffset"], view["byteLength"]
    return data[:begin] + b"\xff" * size + data[begin + size:]


class FileTest(unittest.TestCase):
    """What is refused before anything is served."""

    def refused(self, path, words):
        done = subprocess.run(
            [os.path.join(BIN, "renderer_sink"), "view", "--from", "127.0.0.1:1",
             "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--avatar", path],
            capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(words, done.stderr)

    def test_what_is_no_file_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe.vrm")
            os.mkfifo(pipe)
            for path in (folder, pipe, "/dev/zero"):
                self.refused(path, "a regular file is needed")
            self.refused(os.path.join(folder, "none.vrm"), "No such file")

    def test_a_file_that_is_broken_or_too_large_is_refused(self):
        for data, words in ((b"glTF", "no binary glTF 2"),
                            (PERSON[:4] + b"\1" + PERSON[5:], "no binary glTF 2"),
                            (PERSON[:len(PERSON) // 2], "cut short"),
                            (PERSON[:HEAD], "cut short"),
                            (PERSON[:12] + b"\xff\xff\xff\xff" + PERSON[16:], "cut short")):
            with tempfile.NamedTemporaryFile(suffix=".vrm") as file:
                file.write(data)
                file.flush()
                self.refused(file.name, words)
        with tempfile.NamedTemporaryFile(suffix=".vrm") as file:
            file.truncate((512 << 20) + 1)
            self.refused(file.name, "at most 536870912")


class BrokenAvatarTest(unittest.TestCase):
    """A file that only the page can see through: it says so, and shows its own figure."""

    @classmethod
    def setUpClass(cls):
        cls.graph = Server("anim_graph", "--graph", "default")
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.graph.stop()

    def show(self, data):
        with tempfile.NamedTemporaryFile(suffix=".vrm") as file:
            file.write(data)
            file.flush()
            view = Server("renderer_sink", "view", "--from", self.graph.address, "--http",
                          "127.0.0.1:0", "--stream-id", "seen", "--avatar", file.name)
        self.addCleanup(view.stop)
        tab = self.browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.size(320, 240)
        tab.until("window.posewire && posewire.probe().avatars[0]?.at && "
                  "!posewire.avatars[0].modelToCome", 30)
        return tab

    def check(self, words, data):
        tab = self.show(data)
        tab.until(f"document.getElementById('log').textContent.includes({json.dumps(words)})")
        moved = tab.evaluate("posewire.probe().avatars[0].at")
        tab.until(f"posewire.probe().avatars[0].at > {moved} + 0.3")
        self.assertFalse(tab.evaluate("Boolean(posewire.avatars[0].model)"))
        self.assertEqual(tab.faults, [])

    def test_joints_that_are_not_there(self):
        self.check("joint 65535 of 17", changed(lambda d: None, joints_everywhere))

    def test_nodes_in_a_ring(self):
        self.check("below itself", changed(lambda d: d["nodes"][0].update(children=[0])))

    def test_more_points_than_memory(self):
        def change(document):
            points = document["accessors"][primitive(document)["attributes"]["POSITION"]]
            del points["bufferView"]
            points["count"] = 200_000_000
        self.check("at most", changed(change))

    def test_a_mesh_without_points(self):
        self.check("no POSITION", changed(lambda d: primitive(d)["attributes"].pop("POSITION")))

    def test_bones_that_are_null(self):
        tab = self.show(changed(
            lambda d: d["extensions"]["VRMC_vrm"]["humanoid"].update(humanBones=None)))
        tab.until("document.getElementById('log').textContent.includes('VRM part cannot be read')")
        self.assertTrue(tab.evaluate("Boolean(posewire.avatars[0].model)"), "as any other glTF")
        moved = tab.evaluate("posewire.probe().avatars[0].at")
        tab.until(f"posewire.probe().avatars[0].at > {moved} + 0.3")
        self.assertEqual(tab.faults, [])

    def test_an_expression_of_a_shape_that_is_not_there_moves_nothing(self):
        def change(document):
            expressions = document["extensions"]["VRMC_vrm"]["expressions"]["preset"]
            expressions["blinkLeft"]["morphTargetBinds"][0]["index"] = 99
        tab = self.show(changed(change))
        tab.until("Boolean(posewire.avatars[0].model)")
        moved = tab.evaluate("posewire.probe().avatars[0].at")
        tab.until(f"posewire.probe().avatars[0].at > {moved} + 0.3")
        self.assertEqual(tab.faults, [])


class MessageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = Server("anim_graph")
        cls.view = Server("renderer_sink", "view", "--from", cls.graph.address, "--http",
                          "127.0.0.1:0")

    @classmethod
    def tearDownClass(cls):
        code = cls.view.stop()
        cls.graph.stop()
        assert code == 0, f"renderer_sink ended with {code}: {cls.view.log_text()[-2000:]}"

    def test_a_call_without_an_id_is_answered_in_json(self):
        viewer = WebSocket(self.view.http_port)
        viewer.send("{}")
        viewer.send('{"call": "ListGestures"}')
        answers = lambda v: [t for t in v.others if isinstance(t, dict) and t["type"] == "answer"]
        self.assertTrue(viewer.wait(lambda v: len(answers(v)) == 2))
        self.assertEqual([a["id"] for a in answers(viewer)], [None, None])
        viewer.close()

    def test_calls_faster_than_their_answers_are_refused_and_held_by_nobody(self):
        self.graph.process.send_signal(signal.SIGSTOP)
        viewer = WebSocket(self.view.http_port)
        try:
            for k in range(600):
                viewer.send(json.dumps({"id": k, "call": "ListGestures"}))
            refused = lambda v: sum(a.get("status") == "RESOURCE_EXHAUSTED"
                                    for a in v.answers.values())
            self.assertTrue(viewer.wait(lambda v: refused(v) >= 300))
        finally:
            self.graph.process.send_signal(signal.SIGCONT)
        self.assertTrue(viewer.wait(lambda v: len(v.answers) == 600))
        self.assertGreater(sum("result" in a for a in viewer.answers.values()), 0)
        viewer.close()
        self.assertEqual(Http(self.view.http_port).raw("GET", "/health")[0], 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
