"""The voice server's HTTP side, with a made-up voice: answers, errors, limits, cancelling."""

import base64
import http.client
import json
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

import voice_tree
from fake_voice import FakeServer, events, speech
from kokoro_voice.voices import ALIASES, RATE_HZ

TEXT = "One two three, four five six seven. Eight nine."


class ServerTest(unittest.TestCase):
    limits = {}

    def setUp(self):
        self.fake = FakeServer(**self.limits)
        self.addCleanup(self.fake.close)
        self.speaker = self.fake.speaker
        self.connection = self.fake.connect()
        self.addCleanup(self.connection.close)

    def say(self, **body):
        return speech(self.connection, **{"input": TEXT, **body})

    def get(self, path, **headers):
        self.connection.request("GET", path, headers=headers)
        response = self.connection.getresponse()
        return response, json.loads(response.read())

    def refused(self, response, status, pattern):
        error = json.loads(response.read())["error"]
        self.assertEqual(response.status, status, error)
        self.assertEqual(set(error), {"message", "type", "param", "code"})
        self.assertRegex(error["message"], pattern)
        return error


class SoundTest(ServerTest):
    def test_pcm_is_the_sound_of_all_clauses(self):
        response = self.say(response_format="pcm")
        self.assertEqual(response.getheader("Content-Type"), "audio/pcm")
        self.assertEqual(len(response.read()), 9 * RATE_HZ // 10 * 2)
        self.assertEqual(
            "".join(clause for _, clause in self.speaker.spoken).replace(" ", ""),
            TEXT.replace(" ", ""),
        )

    def test_wav_has_one_header_of_unknown_length(self):
        data = self.say().read()
        head = struct.unpack("<4sI4s4sIHHIIHH4sI", data[:44])
        self.assertEqual(
            head,
            (
                b"RIFF",
                0xFFFFFFFF,
                b"WAVE",
                b"fmt ",
                16,
                1,
                1,
                RATE_HZ,
                RATE_HZ * 2,
                2,
                16,
                b"data",
                0xFFFFFFFF,
            ),
        )
        self.assertEqual(len(data), 44 + 9 * RATE_HZ // 10 * 2)

    def test_sse_has_marks_before_the_sound_of_each_clause(self):
        response = self.say(stream_format="sse", response_format="pcm")
        self.assertEqual(response.getheader("Content-Type"), "text/event-stream")
        found = events(response.read())
        self.assertEqual(found[-1]["type"], "speech.audio.done")
        sound, end = 0, 0.0
        for event in found[:-1]:
            if event["type"] == "speech.audio.marks":
                self.assertEqual(event["start"], end)
                self.assertEqual(sound, round(end * RATE_HZ) * 2)
                end = event["end"]
                self.assertEqual(event["phonemes"][0]["start"], event["start"])
                self.assertEqual(event["words"][-1]["end"], end)
                self.assertNotIn("index", event["phonemes"][0])
            else:
                self.assertEqual(event["type"], "speech.audio.delta")
                sound += len(base64.b64decode(event["audio"]))
        self.assertEqual(sound, 9 * RATE_HZ // 10 * 2)
        self.assertGreater(len([e for e in found if e["type"] == "speech.audio.marks"]), 1)

    def test_sse_of_wav_starts_with_the_header(self):
        found = events(self.say(stream_format="sse").read())
        self.assertTrue(base64.b64decode(found[1]["audio"]).startswith(b"RIFF"))

    def test_a_clause_is_sent_while_the_next_is_synthesised(self):
        response = self.say(input="One two three. Four wait.", response_format="pcm")
        self.assertEqual(len(response.read(3 * RATE_HZ // 10 * 2)), 3 * RATE_HZ // 10 * 2)
        self.speaker.await_(lambda: "Four wait." in self.speaker.started)
        self.speaker.release()
        self.assertEqual(len(response.read()), 2 * RATE_HZ // 10 * 2)

    def test_a_connection_serves_many_requests(self):
        for _ in range(3):
            self.assertEqual(len(self.say(response_format="pcm").read()), 9 * RATE_HZ // 10 * 2)
            self.assertEqual(self.get("/health")[0].status, 200)

    def test_http_1_0_gets_the_bare_sound(self):
        body = json.dumps({"input": TEXT, "response_format": "pcm"}).encode()
        with self.fake.socket() as client:
            client.sendall(
                b"POST /v1/audio/speech HTTP/1.0\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            data = b"".join(iter(lambda: client.recv(65536), b""))
        head, _, sound = data.partition(b"\r\n\r\n")
        self.assertNotIn(b"chunked", head)
        self.assertEqual(len(sound), 9 * RATE_HZ // 10 * 2)

    def test_openai_names_are_aliases(self):
        self.say(voice="alloy").read()
        self.say(voice={"id": "onyx"}).read()
        self.assertEqual({voice for voice, _ in self.speaker.spoken}, {"af_alloy", "am_onyx"})

    def test_a_language_chooses_the_voice(self):
        self.say(language="fr-CA").read()
        self.say(language="en", voice="bf_emma").read()
        self.assertEqual({voice for voice, _ in self.speaker.spoken}, {"ff_siwis", "bf_emma"})


class ListsTest(ServerTest):
    def test_models_say_that_marks_are_sent(self):
        _, models = self.get("/v1/models")
        self.assertEqual(models["posewire"]["marks"], ["phoneme", "word"])
        self.assertTrue(all(model["posewire"]["marks"] for model in models["data"]))

    def test_voices_have_language_and_sex_and_leave_out_what_cannot_be_spoken(self):
        _, found = self.get("/v1/audio/voices")
        voices = {voice["id"]: voice for voice in found["voices"]}
        self.assertEqual(
            voices["bf_emma"],
            {
                "id": "bf_emma",
                "name": "bf_emma",
                "language": "en-GB",
                "sex": "female",
                "engine": "kokoro",
            },
        )
        self.assertEqual(voices["onyx"]["alias_of"], "am_onyx")
        self.assertNotIn("jf_alpha", voices)
        self.assertEqual(len(ALIASES), 13)

    def test_health_is_ok(self):
        self.assertEqual(self.get("/health")[1], {"status": "ok", "unfinished": 0})


class RefusalTest(ServerTest):
    limits = {"characters": 100, "body_bytes": 2000, "head_bytes": 4096}

    def test_wrong_fields_are_named_with_what_is_valid(self):
        for body, param, pattern in (
            ({"input": ""}, "input", "missing"),
            ({"input": 5}, "input", "is a int"),
            ({"input": " ?!🙂"}, "input", "nothing to say"),
            ({"input": "こんにちは"}, "input", "no letter that voice 'af_heart' reads"),
            ({"input": "a" * 101}, "input", "101 characters; valid: 1 to 100"),
            ({"voice": "mumble"}, "voice", "valid: af_alloy, af_heart"),
            ({"voice": "jf_alpha"}, "voice", "speaks ja"),
            ({"voice": ["x"]}, "voice", "is a list"),
            ({"language": "de"}, "language", "valid: en-US, en-GB, es, fr"),
            ({"speed": 0.1}, "speed", "0.5 to 2.0"),
            ({"speed": "fast"}, "speed", "0.5 to 2.0"),
            ({"speed": True}, "speed", "0.5 to 2.0"),
            ({"speed": float("nan")}, "speed", "0.5"),
            ({"response_format": "mp3"}, "response_format", "valid: wav, pcm"),
            ({"stream_format": 3}, "stream_format", "valid: audio, sse"),
        ):
            with self.subTest(body=body):
                error = self.refused(self.say(**body), 400, pattern)
                self.assertEqual(error["param"], param)
        self.assertEqual(self.speaker.started, [])

    def test_an_unknown_model_is_404(self):
        self.refused(self.say(model="whisper"), 404, "valid: kokoro")

    def test_bodies_that_are_no_object(self):
        for body in (b"", b"[1]", b"{", b"\xff", b"[" * 1900, b'"x"'):
            self.connection.request(
                "POST", "/v1/audio/speech", body, {"Content-Type": "application/json"}
            )
            self.refused(self.connection.getresponse(), 400, "body is")

    def test_paths_and_methods(self):
        self.assertEqual(self.get("/v1/nothing")[0].status, 404)
        response, _ = self.get("/v1/audio/speech")
        self.assertEqual((response.status, response.getheader("Allow")), (405, "POST"))
        self.connection.request("DELETE", "/health")
        self.refused(self.connection.getresponse(), 405, "valid: GET")

    def test_a_form_is_no_request_so_web_pages_of_others_cannot_send_one(self):
        self.connection.request("POST", "/v1/audio/speech", b"{}", {"Content-Type": "text/plain"})
        self.refused(self.connection.getresponse(), 415, "application/json")

    def test_a_body_that_is_too_large_is_413_before_it_is_read(self):
        with self.fake.socket() as client:
            client.sendall(b"POST /v1/audio/speech HTTP/1.1\r\nContent-Length: 2001\r\n\r\n")
            response = http.client.HTTPResponse(client)
            response.begin()
            self.refused(response, 413, "2001 bytes; valid: up to 2000")

    def test_a_head_that_is_too_large_is_431(self):
        with self.fake.socket() as client:
            client.sendall(b"GET /health HTTP/1.1\r\nX: " + b"a" * 9000)
            response = http.client.HTTPResponse(client)
            response.begin()
            self.refused(response, 431, "4096 bytes")

    def test_lengths_that_lie_or_are_missing(self):
        for head, status in (
            (b"Content-Length: -1", 400),
            (b"Content-Length: x", 400),
            (b"Content-Length: 1\r\nContent-Length: 2", 400),
            (b"X: y", 411),
            (b"Transfer-Encoding: chunked", 411),
        ):
            with self.subTest(head), self.fake.socket() as client:
                client.sendall(b"POST /v1/audio/speech HTTP/1.1\r\n%s\r\n\r\n" % head)
                response = http.client.HTTPResponse(client)
                response.begin()
                self.refused(response, status, "Content-Length|Transfer-Encoding")

    def test_nonsense_instead_of_http_is_400(self):
        with self.fake.socket() as client:
            client.sendall(b"\x16\x03\x01 what is this\r\n\r\n")
            self.assertIn(b" 400 ", client.recv(1000))

    def test_a_clause_that_fails_first_is_500_and_later_breaks_off(self):
        with self.assertLogs(level="ERROR"):
            self.refused(self.say(input="break it."), 500, "log says why")
            response = self.say(input="One two three. Then break it.", response_format="pcm")
            with self.assertRaises(http.client.IncompleteRead):
                response.read()

    def test_a_clause_that_fails_later_is_an_event(self):
        with self.assertLogs(level="ERROR"):
            response = self.say(input="One two three. Then break it.", stream_format="sse")
            try:
                data = response.read()
            except http.client.IncompleteRead as error:
                data = error.partial
        self.assertEqual(events(data)[-1]["error"]["type"], "server_error")


class KeyTest(unittest.TestCase):
    def setUp(self):
        self.fake = FakeServer(key=b"secret")
        self.addCleanup(self.fake.close)
        self.connection = self.fake.connect()
        self.addCleanup(self.connection.close)

    def status(self, path, **headers):
        self.connection.request("GET", path, headers=headers)
        response = self.connection.getresponse()
        response.read()
        return response.status

    def test_all_but_health_needs_the_key(self):
        self.assertEqual(self.status("/health"), 200)
        for given in (
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "Basic secret"},
            {"Authorization": "Bearer sécret".encode()},
        ):
            self.assertEqual(self.status("/v1/models", **given), 401)
            response = speech(self.connection, given, input="Hi.")
            self.assertEqual(response.status, 401)
            self.assertNotIn(b"secret", response.read())
        self.assertEqual(self.status("/v1/models", Authorization="Bearer secret"), 200)


class Answers:
    """A socket for HTTPResponse, which reads ahead: all answers share one buffer."""

    def __init__(self, client):
        self._file = client.makefile("rb")

    def makefile(self, *_args, **_kwargs):
        return self

    def __getattr__(self, name):
        return getattr(self._file, name)

    def close(self):
        """The next answer is still to be read."""


class CancelTest(ServerTest):
    limits = {"queue": 2}

    def test_a_client_that_leaves_during_synthesis_stops_it(self):
        client = self.fake.socket()
        body = json.dumps({"input": "wait for it"}).encode()
        client.sendall(
            b"POST /v1/audio/speech HTTP/1.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        self.speaker.await_(lambda: self.speaker.started)
        client.close()
        self.speaker.await_(lambda: self.speaker.stopped)
        self.assertEqual(self.get("/health")[1]["unfinished"], 0)

    def test_a_client_that_leaves_while_it_is_sent_sound_frees_its_place(self):
        for _ in range(5):
            client = self.fake.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            body = json.dumps({"input": "word " * 800, "response_format": "pcm"}).encode()
            client.sendall(
                b"POST /v1/audio/speech HTTP/1.1\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            self.assertTrue(client.recv(1000))
            client.close()
        # Both places are free again, as soon as the server sees that the last client left.
        end = time.monotonic() + 20
        while self.get("/health")[1]["unfinished"] and time.monotonic() < end:
            pass
        self.assertEqual(self.get("/health")[1]["unfinished"], 0)

    def test_a_full_queue_is_429_with_retry_after(self):
        others = [self.fake.connect() for _ in range(2)]
        threads = [
            threading.Thread(target=lambda c=c: speech(c, input="wait").read()) for c in others
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + 20
        while self.fake.scheduler.unfinished() < 2 and time.monotonic() < end:
            pass
        response = self.say()
        self.assertEqual(response.getheader("Retry-After"), "1")
        self.refused(response, 429, "places")
        self.speaker.release()
        for thread in threads:
            thread.join(20)
        self.assertEqual(self.say().status, 200)
        for other in others:
            other.close()

    def test_the_next_request_may_come_before_the_answer_to_the_last(self):
        body = json.dumps({"input": "wait here", "response_format": "pcm"}).encode()
        request = (
            b"POST /v1/audio/speech HTTP/1.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        with self.fake.socket() as client:
            client.sendall(request)
            self.speaker.await_(lambda: self.speaker.started)
            client.sendall(request)
            self.speaker.release()
            answers = Answers(client)
            for _ in range(2):
                response = http.client.HTTPResponse(answers)
                response.begin()
                self.assertEqual(len(response.read()), 2 * RATE_HZ // 10 * 2)


class ConnectionsTest(unittest.TestCase):
    def start(self, **limits):
        fake = FakeServer(**limits)
        self.addCleanup(fake.close)
        return fake

    def test_connections_past_the_limit_get_503_and_those_that_end_make_room(self):
        fake = self.start(connections=2)
        kept = [fake.socket() for _ in range(2)]
        for client in kept:
            client.sendall(b"GET /health HTTP/1.1\r\n\r\n")
            self.assertIn(b"200 OK", client.recv(1000))
        with fake.socket() as third:
            self.assertIn(b" 503 ", third.recv(1000))
        for client in kept:
            client.close()
        end = time.monotonic() + 20
        answer = b""
        while b"200 OK" not in answer and time.monotonic() < end:
            with fake.socket() as client:
                try:
                    client.sendall(b"GET /health HTTP/1.1\r\n\r\n")
                    answer = client.recv(1000)
                except ConnectionError:
                    pass  # it was refused before it asked
        self.assertIn(b"200 OK", answer)

    def test_idle_and_slow_connections_are_closed(self):
        fake = self.start(idle_s=0.2, head_s=0.3)
        with fake.socket() as idle, fake.socket() as slow, fake.socket() as body:
            slow.sendall(b"GET /hea")
            body.sendall(b"POST /v1/audio/speech HTTP/1.1\r\nContent-Length: 10\r\n\r\n{")
            for client in (idle, slow, body):
                self.assertEqual(client.recv(1000), b"")

    def test_a_head_that_trickles_in_has_one_deadline_for_all_of_it(self):
        fake = self.start(head_s=0.5)
        began = time.monotonic()
        with fake.socket() as client:
            client.settimeout(0.05)
            for byte in b"GET /health HTTP/1.1\r\n" + b"X: y\r\n" * 1000:
                try:
                    client.sendall(bytes([byte]))
                    if client.recv(1000) == b"":
                        break
                except socket.timeout:
                    continue
                except OSError:
                    break
        self.assertLess(time.monotonic() - began, 10)


class ProcessTest(unittest.TestCase):
    """The program itself, with the made-up voice in place of the model."""

    SCRIPT = (
        "import sys; sys.path[:0] = sys.argv[1:3]; import fake_voice, types\n"
        "real = types.ModuleType('kokoro_voice.real')\n"
        "speaker = fake_voice.FakeSpeaker(); speaker.close = lambda: None\n"
        "real.make_speaker = lambda flags: (speaker, speaker, fake_voice.STYLES)\n"
        "sys.modules['kokoro_voice.real'] = real\n"
        "import threading; threading.Timer(1.0, speaker.release).start()\n"
        "from kokoro_voice.__main__ import main; sys.exit(main(sys.argv[3:]))\n"
    )

    def start(self, *flags):
        process = subprocess.Popen(
            [
                sys.executable,
                "-B",
                "-c",
                self.SCRIPT,
                str(voice_tree.DATA.parent),
                str(voice_tree.KOKORO),
                *flags,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_says_its_port_and_finishes_what_it_says_when_it_is_told_to_end(self):
        process = self.start("--port", "0")
        ready = json.loads(process.stdout.readline())
        self.assertEqual(set(ready), {"http_port", "voices", "pid"})
        connection = http.client.HTTPConnection("127.0.0.1", ready["http_port"], timeout=20)
        connection.request(
            "POST",
            "/v1/audio/speech",
            b'{"input": "One two three. Then wait.", "response_format": "pcm"}',
            {"Content-Type": "application/json"},
        )
        response = connection.getresponse()
        response.read(100)
        process.terminate()
        self.assertEqual(len(response.read()) + 100, 5 * RATE_HZ // 10 * 2)
        self.assertEqual(process.wait(20), 0)
        connection.close()

    def test_wrong_flags_and_keys_are_named(self):
        for flags, pattern in (
            (("--port", "70000"), "--port is 70000; valid: 0 to 65535"),
            (("--queue", "0"), "--queue is 0; valid: 1 or more"),
            (("--key-file", "/dev/null"), "holds no key"),
            (("--key-file", "/no/such"), "No such file"),
        ):
            with self.subTest(flags):
                process = self.start(*flags)
                _, errors = process.communicate(timeout=20)
                self.assertNotEqual(process.returncode, 0)
                self.assertIn(pattern, errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)
