"""Joint names that cost most to compare, as many as a message may carry: 32767, or 4 MiB of them."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent import futures

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
from http_client import Http
from posewire_test import BIN, PULL, SERVICE, Client, Server, header, until

MOST = 32767
KINDS = ("equal last names", "equal ends", "each below the one before")
# CPU time on a slow machine; the square of the names took from 20 s to hours.
SOON_S = 10


def names(kind):
    if kind == "equal last names":
        return [f"j{k}/a" for k in range(MOST)]
    if kind == "equal ends":
        return [f"{k}/a/b/c/d/e/f/{'b' * 100}" for k in range(MOST)]
    return ["/".join(["a"] * k) for k in range(1, 2001)]


def message(client, joints, code_s):
    m = client.stream_message()
    keys = m.animation_data.skel_animation.rotations.add(time_code=code_s)
    for _ in range(joints):
        keys.values.add(real=1)
    return m


class Foreign:
    """A server that is not ours, and sends this to each pull."""

    def __init__(self, messages):
        def pull(_, context):
            gone = threading.Event()
            context.add_callback(gone.set)
            yield from messages
            gone.wait(60)
        handler = grpc.method_handlers_generic_handler(SERVICE, {
            PULL.rsplit("/", 1)[1]: grpc.unary_stream_rpc_method_handler(
                pull, request_deserializer=bytes, response_serializer=bytes)})
        self.server = grpc.server(futures.ThreadPoolExecutor(4))
        self.server.add_generic_rpc_handlers([handler])
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        server = Server("anim_graph")
        cls.client = Client(server.address)
        cls.client.method(PULL)
        cls.messages = {}
        for kind in KINDS:
            joints = names(kind)
            cls.messages[kind] = [header(cls.client, "s", "r", joints=joints, shapes=[], rate=0),
                                  *(message(cls.client, len(joints), k / 30) for k in range(3))]
        cls.client.close()
        server.stop()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="posewire-names-")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_case_65_the_page_is_soon_done_and_stops_at_once(self):
        for kind in KINDS:
            foreign = Foreign([m.SerializeToString() for m in self.messages[kind]])
            self.addCleanup(foreign.server.stop, 0)
            view = subprocess.Popen(
                [os.path.join(BIN, "renderer_sink"), "view", "--from", foreign.address,
                 "--stream-id", "s", "--http", "127.0.0.1:0"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.addCleanup(view.stdout.close)
            self.addCleanup(view.wait)
            self.addCleanup(view.kill)
            http = Http(json.loads(view.stdout.readline())["http_port"])

            def taken(http=http):
                return any(line.startswith("posewire_taken_frames_total 3")
                           or line.startswith("posewire_pull_messages_total 4")
                           for line in http.raw("GET", "/metrics")[2].decode().splitlines())
            self.assertTrue(until(taken, 60), kind)
            view.terminate()
            self.assertEqual(view.wait(20), 0, kind)

    def write(self, name, messages):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            for m in messages:
                raw = m.SerializeToString()
                length, size = len(raw), bytearray()
                while length > 127:
                    size.append(length & 127 | 128)
                    length >>= 7
                f.write(bytes([*size, length]) + raw)
        return path

    def test_case_65_the_tool_is_soon_done(self):
        for kind in KINDS:
            clip = self.write("a.animdata", self.messages[kind])
            for words in (("info", clip), ("validate", clip), ("diff", clip, clip, "--tracks"),
                          ("concat", clip, clip, "-o", "b.animdata"),
                          ("cut", clip, "c.animdata", "--drop", "head"),
                          ("convert", clip, "d.jsonl"), ("convert", clip, "e.usda"),
                          ("convert", clip, "f.glb"), ("convert", clip, "g.bvh"),
                          ("convert", clip, "h.x3d"), ("convert", clip, "i.animdata", "--rig",
                                                       "ace_biped"),
                          ("mirror", clip, "j.animdata"), ("smooth", clip, "k.animdata"),
                          ("sheet", clip, "-o", "l.svg"), ("plot", clip, "-o", "m.svg")):
                process = subprocess.Popen([os.path.join(BIN, "animclip"), *words],
                                           cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, preexec_fn=lambda:
                                           resource.setrlimit(resource.RLIMIT_CPU,
                                                              (SOON_S, SOON_S)))
                self.assertIn(process.wait(300), (0, 1), (kind, words))


if __name__ == "__main__":
    unittest.main(verbosity=2)
