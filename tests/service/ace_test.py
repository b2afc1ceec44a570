"""What ACE's controller does, with plain curl, grpcurl and a real Redis, against --ace-compat."""

import base64
import csv
import json
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import grpc

from posewire_test import (SERVICE, Client, Collector, GraphTest, Server, clip, header, keys, tool)
from redis_server import Redis, told

ROOT = Path(__file__).resolve().parents[2]
CONTROLLER = "nvidia_ace.services.animation_controller.v1.AnimationControllerService"
STREAM = "1d4c7b3e-0000-4000-8000-00000000ace0"


class ControllerSequence(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.redis = Redis()
        cls.server = Server("anim_graph", "--ace-compat", "--http", "127.0.0.1:0",
                            "--redis", f"127.0.0.1:{cls.redis.port}")

    @classmethod
    def tearDownClass(cls):
        code = cls.server.stop()
        cls.redis.kill()
        assert code == 0, cls.server.log_text()[-2000:]

    def curl(self, method, path, *more):
        done = subprocess.run(
            [tool("curl"), "-s", "-S", "-X", method, "-H", f"x-stream-id: {STREAM}", *more,
             "-w", "\n%{http_code}", f"http://127.0.0.1:{self.server.http_port}{path}"],
            capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        text, status = done.stdout.rsplit("\n", 1)
        return int(status), json.loads(text)

    def put(self, variable, value):
        return self.curl("PUT", f"/streams/{STREAM}/animation_graphs/avatar/variables/{variable}/"
                         f"{value}", "-H", "Content-Type: application/json", "-d", "{}")

    def grpcurl(self, *more, text=""):
        return subprocess.run(
            [tool("grpcurl"), "-plaintext", "-H", f"x-stream-id: {STREAM}", *more[:-1],
             self.server.address, more[-1]], input=text, capture_output=True, text=True, timeout=60)

    def utterance(self, request, frames):
        """As ACE's controller sends it, with a target that nobody pulls."""
        ids = {"streamId": STREAM, "requestId": request, "targetObjectId": "toto"}
        audio = {"channelCount": 1, "samplesPerSecond": 16000, "bitsPerSample": 16}
        lines = [{"animationDataStreamHeader": {
            "animationIds": ids, "sourceServiceId": "ace controller", "audioHeader": audio,
            "skelAnimationHeader": {"blendShapes": ["JawOpen"]}}}]
        for k in range(frames):
            first, last = k * 16000 // 30, (k + 1) * 16000 // 30
            lines.append({"animationData": {
                "skelAnimation": {"blendShapeWeights": [{"timeCode": k / 30, "values": [0.5]}]},
                "audio": {"timeCode": first / 16000, "audioBuffer": base64.b64encode(
                    bytes(2 * (last - first))).decode()}}})
        lines.append({"status": {"code": "SUCCESS"}})
        return "\n".join(map(json.dumps, lines))

    def test_a_refused_utterance_lets_the_next_one_come_within_a_second(self):
        """The controller never reads the answer of a push; it waits for the event alone."""
        self.assertEqual(self.curl("POST", f"/streams/{STREAM}")[0], 200)
        refused = self.utterance("refused", 20).replace('"channelCount": 1', '"channelCount": 2')
        # Begins well, and then sends what cannot be played.
        broken = self.utterance("broken", 20).replace("[0.5]", "[0.5, 0.5]")
        for request, text in (("refused", refused), ("broken", broken)):
            answer = self.grpcurl("-d", "@", f"{SERVICE}/PushAnimationDataStream", text=text)
            answered = time.monotonic()
            self.assertIn("ERROR", answer.stdout, answer.stderr)
            self.assertTrue(self.redis.wait(told(request), 10), self.redis.messages)
            self.assertLess(time.monotonic() - answered, 1)
            self.assertIn({"event_type": "request_playback_interrupted", "stream_id": STREAM,
                           "request_id": request}, self.redis.messages)
        answer = self.grpcurl("-d", "@", f"{SERVICE}/PushAnimationDataStream",
                              text=self.utterance("next", 5))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertTrue(self.redis.wait(told("next")), self.redis.messages)
        self.assertEqual(self.redis.messages[-1]["event_type"], "request_playback_ended")
        self.assertEqual(self.curl("DELETE", f"/streams/{STREAM}")[0], 200)

    def test_two_utterances_variables_a_stop_and_their_events(self):
        heard = len(self.redis.messages)
        self.assertEqual(self.curl("POST", f"/streams/{STREAM}")[0], 200)
        pulled = tempfile.TemporaryFile("w+")
        self.addCleanup(pulled.close)
        pull = subprocess.Popen(
            [tool("grpcurl"), "-plaintext", "-d",
             json.dumps({"stream_id": STREAM, "request_id": "any", "target_object_id": "renderer"}),
             self.server.address, f"{SERVICE}/PullAnimationDataStream"],
            stdout=pulled, stderr=subprocess.STDOUT)
        self.addCleanup(pull.wait)
        self.addCleanup(pull.kill)
        self.assertEqual(self.put("posture_state", "Talking")[0], 200)
        for request in ("u1", "u2"):
            answer = self.grpcurl("-d", "@", f"{SERVICE}/PushAnimationDataStream",
                                  text=self.utterance(request, 20))
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertTrue(self.redis.wait(told(request)), self.redis.messages)
        self.assertEqual(self.put("gesture_state", "Thumbs_Up")[0], 200)
        self.assertEqual(self.put("gesture_state", "none")[0], 200)
        self.assertEqual(self.put("posture_state", "Attentive")[0], 200)
        self.assertEqual(self.put("posture_state", "Sulking")[0], 400)
        push = subprocess.Popen(
            [tool("grpcurl"), "-plaintext", "-d", "@", self.server.address,
             f"{SERVICE}/PushAnimationDataStream"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        push.stdin.write(self.utterance("u3", 150))
        push.stdin.close()
        self.assertIn("{", push.stdout.read())
        push.stdout.close()
        self.assertEqual(push.wait(20), 0)
        deadline = time.monotonic() + 10
        while "playing" not in json.dumps(self.curl("GET", "/streams")[1]):
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(self.curl("DELETE", f"/streams/{STREAM}/requests/u3")[0], 200)
        self.assertTrue(self.redis.wait(told("u3")))
        self.assertEqual(
            [(m["event_type"], m["request_id"], m["stream_id"]) for m in self.redis.messages[heard:]],
            [("request_playback_ended", "u1", STREAM), ("request_playback_ended", "u2", STREAM),
             ("request_playback_interrupted", "u3", STREAM)])
        self.assertEqual(self.curl("DELETE", f"/streams/{STREAM}")[0], 200)
        pull.wait(20)
        pulled.seek(0)
        text = pulled.read()
        self.assertIn('"Hips"', text)  # ACE's joints, by their leaf names
        self.assertNotIn('"Root/', text)
        self.assertRegex(text, r"\b0\.5\b")


class Profile(GraphTest):
    ARGS = ("--ace-compat", "--http", "127.0.0.1:0")

    def test_warns_without_redis(self):
        self.server.await_log("--redis")

    def put(self, variable, value):
        """What the answer's status and body are."""
        done = subprocess.run(
            [tool("curl"), "-s", "-S", "-X", "PUT", "-d", "{}", "-w", "\n%{http_code}",
             f"http://127.0.0.1:{self.server.http_port}/streams/clips/animation_graphs/avatar/"
             f"variables/{variable}/{value}"], capture_output=True, text=True, timeout=20)
        text, status = done.stdout.rsplit("\n", 1)
        return int(status), text

    def test_every_clip_of_aces_own_configuration_is_known(self):
        with open(ROOT / "tests/data/ace_clips.csv") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual(len(rows), 70)
        refused = [row["clip_id"] for row in rows
                   if self.put(row["variable"], row["clip_id"])[0] != 200]
        self.assertEqual(refused, [])

    def test_a_variant_is_answered_with_what_plays_instead(self):
        status, text = self.put("gesture_state", "Bowing_2")
        self.assertEqual(status, 200)
        self.assertIn("there is no clip Bowing_2; the nearest one plays: bow", text)

    def test_an_unknown_clip_is_answered_with_the_nearest_ones(self):
        for variable, value, near in (("gesture_state", "Thumb_Up", "thumbs_up"),
                                      ("facial_gesture_state", "Excitment", "excited")):
            status, text = self.put(variable, value)
            self.assertEqual(status, 400)
            self.assertRegex(text, rf"did you mean {near}\b")

    def test_shapes_go_out_as_ace_writes_them(self):
        pull = Collector(self.client.pull("names")).wait_started()
        names = pull.messages[0].animation_data_stream_header.skel_animation_header
        pull.call.cancel()
        with open(ROOT / "data/rigs/arkit52.shapes") as file:
            arkit = [line.split()[1] for line in file if line.startswith("shape ")]
        self.assertEqual(list(names.blend_shapes), [n[0].upper() + n[1:] for n in arkit])
        self.assertEqual(names.blend_shapes[17], "JawOpen")

    def test_a_stream_has_one_avatar(self):
        pulls = [Collector(self.client.pull("one", target=t)).wait_started() for t in ("a", "b")]
        self.client.push(clip(self.client, "one", "r", 3, target="toto"))
        streams = self.client.control("ListStreams").streams
        self.assertEqual([len(s.avatars) for s in streams if s.stream_id == "one"], [1])
        self.client.control("RemoveStream", stream_id="one")
        for pull in pulls:
            pull.join(10)
            self.assertIsNone(pull.error)

    def test_faults_in_data_are_answered_with_a_status(self):
        bad = keys(self.client, 0, 1)
        bad.animation_data.skel_animation.rotations[0].values[0].real = float("nan")
        answer = self.client.push([header(self.client, "bad", "r"), bad])
        self.assertEqual(answer.code, 3)  # ERROR
        self.assertIn("rotations", answer.message)
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.push(clip(self.client, "bad", "r2", 1), metadata=[("x-posewire-mode", "x")])
        self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)

    def test_what_is_given_goes_before_the_profile(self):
        server = Server("anim_graph", "--ace-compat", "--http", "127.0.0.1:0", "--rig",
                        "hanim_loa1", "--shape-names", "lower", "--no-ignore-target-ids")
        client = Client(server.address)
        pull = Collector(client.pull("names")).wait_started()
        names = pull.messages[0].animation_data_stream_header.skel_animation_header
        self.assertEqual(names.blend_shapes[17], "jawOpen")
        pull.call.cancel()
        client.close()
        self.assertEqual(server.stop(), 0)
        log = server.log_text()
        self.assertIn('rig="hanim_loa1"', log)
        self.assertNotIn("ignore-target-ids", log)
        self.assertIn("ignore-pull-request-ids=true", log)
        self.assertIn('joint-names="leaf"', log)


class Controller(GraphTest):
    ARGS = ("--require-registration",)

    def call(self, name, request):
        return self.client.method(f"/{CONTROLLER}/{name}")(request, timeout=20)

    def ids(self):
        self.client.method(f"/{CONTROLLER}/RequestAnimationIds")
        empty = self.client.type("google.protobuf.Empty")
        return self.call("RequestAnimationIds", empty()).animation_ids

    def request(self, stream, name, value, target=""):
        self.client.method(f"/{CONTROLLER}/UpdateAnimationGraphVariable")
        make = self.client.type(f"{CONTROLLER.rsplit('.', 1)[0]}.AnimationGraphRequest")
        message = make(animation_graph_variable_name=name, animation_graph_variable_value=value)
        message.animation_ids.stream_id = stream
        message.animation_ids.target_object_id = target
        return message

    def test_ids_are_unlike_and_of_use(self):
        uuid = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        seen = set()
        for _ in range(20):
            ids = self.ids()
            for text in (ids.stream_id, ids.request_id):
                self.assertRegex(text, uuid)
                seen.add(text)
        self.assertEqual(len(seen), 40)
        # A pull of a request begins when that is pushed.
        pull = Collector(self.call("PullAnimationDataStream", ids))
        self.client.push(clip(self.client, ids.stream_id, ids.request_id, 5))
        self.assertTrue(pull.wait_for(lambda p: p.statuses()))
        pull.call.cancel()

    def test_variables_are_set_one_by_one(self):
        stream = self.ids().stream_id
        answer = self.call("UpdateAnimationGraphVariable", iter(
            [self.request(stream, "gesture_state", "Thumbs_Up"),
             self.request(stream, "gesture_state", "none")]))
        self.assertEqual((answer.code, answer.message), (0, "2 variables set"))
        self.assertEqual(self.call("UpdateAnimationGraphVariable", iter([])).code, 0)

    def test_a_wrong_variable_is_an_error(self):
        stream = self.ids().stream_id
        for request, code in ((self.request(stream, "nothing", "1"), grpc.StatusCode.NOT_FOUND),
                              (self.request(stream, "gesture_state", "no such"),
                               grpc.StatusCode.INVALID_ARGUMENT),
                              (self.request("", "gesture_state", "none"),
                               grpc.StatusCode.INVALID_ARGUMENT)):
            with self.assertRaises(grpc.RpcError) as caught:
                self.call("UpdateAnimationGraphVariable", iter([request]))
            self.assertEqual(caught.exception.code(), code)

    def test_a_voice_alone_is_refused_with_a_hint(self):
        self.client.method(f"/{CONTROLLER}/PushAudioStream")
        audio = self.client.type("nvidia_ace.a2f.v1.AudioStream")
        with self.assertRaises(grpc.RpcError) as caught:
            self.call("PushAudioStream", iter([audio()]))
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertIn("--a2f HOST:PORT", caught.exception.details())


if __name__ == "__main__":
    unittest.main()
