"""renderer_sink stream: live films through the real ffmpeg, received by a second one and measured."""

import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.request

from posewire_test import BIN, GraphTest, Server, header, until
from small_person import small_person
from x3d_person import small_humanoid

RATE = 16000
SIZE = (128, 96)
FFMPEG = ["ffmpeg", "-v", "error", "-y"]
# The tone and the open jaw of the clip, in frames at 30 a second.
BEGINS, ENDS, FRAMES = (12, 30, 48), (21, 39, 57), 66


def has_protocol(name):
    if shutil.which("ffmpeg") is None:
        return False
    said = subprocess.run(["ffmpeg", "-v", "error", "-protocols"], capture_output=True, text=True)
    return name in said.stdout.split()


def needs(*protocols):
    missing = [p for p in protocols if not has_protocol(p)]
    return unittest.skipIf(missing, f"this ffmpeg has no {', '.join(missing)}")


def free_port():
    """Even, with room for four behind it."""
    for _ in range(100):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1] & ~1
        if port < 65000:
            return port
    raise AssertionError("no free port")


def listens(port, kind):
    """Whether a socket of this machine is bound there; a connection would be taken for the film's."""
    with open(f"/proc/net/{kind}") as f:
        return any(line.split()[1].endswith(f":{port:04X}") for line in list(f)[1:])


def open_jaw(k):
    return any(begin <= k < end for begin, end in zip(BEGINS, ENDS))


def clip(client, stream, request):
    """A jaw that opens, and a tone that sounds, at the same moments."""
    yield header(client, stream, request, rate=RATE, shapes=["jawOpen"], joints=[])
    for k in range(FRAMES):
        m = client.stream_message()
        d = m.animation_data
        d.skel_animation.blend_shape_weights.add(time_code=k / 30).values.append(open_jaw(k))
        begin, end = k * RATE // 30, (k + 1) * RATE // 30
        d.audio.time_code = begin / RATE
        d.audio.audio_buffer = struct.pack(
            f"<{end - begin}h", *(12000 * (-1) ** (i // 8) * open_jaw(k) for i in range(begin, end)))
        yield m


def probe(path, *entries):
    done = subprocess.run(["ffprobe", "-v", "error", "-of", "json", *entries, path],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def decode(path, *words):
    return subprocess.run([*FFMPEG, "-i", path, *words, "-"], capture_output=True, check=True).stdout


def rises(values, limit):
    return [i for i, v in enumerate(values) if v > limit and (i == 0 or values[i - 1] <= limit)]


def onsets(path):
    """When the jaw opens in the pictures, and when the tone begins in the voice, in seconds."""
    pictures = probe(path, "-select_streams", "v", "-show_entries", "frame=pts_time")["frames"]
    times = [float(f["pts_time"]) for f in pictures]
    gray = decode(path, "-map", "0:v", "-vsync", "0", "-pix_fmt", "gray", "-f", "rawvideo")
    size = SIZE[0] * SIZE[1]
    frames = [gray[i * size:(i + 1) * size] for i in range(len(gray) // size)]
    # The avatar stays as it is but for the jaw, and for what the encoder makes of so few pixels.
    shut = frames[-1]
    change = [sum(abs(a - b) for a, b in zip(f[::3], shut[::3])) for f in frames]
    seen = [times[i] for i in rises(change, 0.65 * max(change))]
    sound = probe(path, "-select_streams", "a", "-read_intervals", "%+#1",
                  "-show_entries", "frame=pts_time")["frames"]
    pcm = decode(path, "-map", "0:a", "-ac", "1", "-ar", "8000", "-f", "s16le")
    samples = struct.unpack(f"<{len(pcm) // 2}h", pcm)
    loud = [max(map(abs, samples[i:i + 16]), default=0) for i in range(0, len(samples), 16)]
    # The tone's own swings are shorter than its pauses.
    heard = [i for i in rises(loud, 5000) if max(loud[max(0, i - 50):i], default=0) <= 5000]
    return seen, [float(sound[0]["pts_time"]) + i * 16 / 8000 for i in heard]


class Sink:
    def __init__(self, to, *args, env=None):
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.process = subprocess.Popen(
            [os.path.join(BIN, "renderer_sink"), "stream", "--to", to, "--camera", "face", "--size",
             f"{SIZE[0]}x{SIZE[1]}", *args], stdout=subprocess.PIPE, stderr=self.log, text=True, env=env)

    def log_text(self):
        with open(self.log.name) as f:
            return f.read()

    def await_log(self, text):
        if not until(lambda: text in self.log_text()):
            raise AssertionError(f"no {text!r} in the log: {self.log_text()}")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.log.close()

    def end(self, stop=False):
        """Exit code and standard output."""
        if stop:
            self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=30)
        return self.process.returncode, out


@unittest.skipUnless(shutil.which("ffprobe"), "ffmpeg is not installed")
class StreamTest(GraphTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.stream = self.id().split(".")[-1][5:40]

    def path(self, name):
        return os.path.join(self.folder, name)

    def sink(self, to, *args, **more):
        sink = Sink(to, "--from", self.server.address, "--stream-id", self.stream, *args, **more)
        self.addCleanup(sink.close)
        return sink

    def receiver(self, *words):
        process = subprocess.Popen([*FFMPEG, *words], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def say(self):
        """Plays the clip, to its end as the server hears it."""
        request = f"{self.stream}-r"
        pull = self.client.pull(self.stream, request)
        self.client.push(clip(self.client, self.stream, request))
        for _ in pull:
            pass

    def counts(self, out):
        found = re.search(r"film .*: ([\d.]+) s, (\d+) pictures, drawn \d+, dropped (\d+) .*left out (\d+)", out)
        self.assertTrue(found, out)
        return float(found[1]), int(found[2]), int(found[3]), int(found[4])

    def assertTogether(self, path, out):
        """Each opening of the jaw is within a picture of its tone. A picture that was not ready is
        shown later, by no more than the longest drawing took."""
        seen, heard = onsets(path)
        self.assertEqual((len(seen), len(heard)), (3, 3), (seen, heard))
        apart = [a - b for a, b in zip(seen, heard)]
        dropped, longest_s = self.counts(out)[2], float(re.search(r"max ([\d.]+)\n", out)[1]) / 1000
        print(f"{self.stream}: jaw after tone, ms: {[round(1000 * s) for s in apart]}, "
              f"dropped {dropped}, longest drawing {longest_s}")
        self.assertGreater(min(apart), -0.045)
        self.assertLess(min(apart), 0.045 + (longest_s if dropped > 3 else 0))

    def test_a_file_has_the_voice_on_the_lips_and_as_much_of_both_as_there_was_time_for(self):
        film = self.path("a 12:30.mp4")
        sink = self.sink(film, "--request-id", f"{self.stream}-r")
        sink.await_log("ready to draw")
        self.say()
        code, out = sink.end()
        self.assertEqual(code, 0, sink.log_text())
        seconds, pictures, _, left_out = self.counts(out)
        self.assertEqual(left_out, 0)
        self.assertGreater(seconds, FRAMES / 30)
        self.assertEqual(pictures, round(25 * seconds))
        streams = {s["codec_type"]: s for s in probe(
            film, "-count_packets", "-show_entries",
            "stream=codec_type,codec_name,width,height,r_frame_rate,nb_read_packets,duration"
        )["streams"]}
        video, audio = streams["video"], streams["audio"]
        self.assertEqual((video["codec_name"], audio["codec_name"]), ("h264", "aac"))
        self.assertEqual((video["width"], video["height"]), SIZE)
        self.assertEqual(video["r_frame_rate"], "25/1")
        self.assertEqual(int(video["nb_read_packets"]), pictures)
        self.assertAlmostEqual(float(audio["duration"]), seconds, delta=0.05)
        self.assertEqual(os.listdir(self.folder), ["a 12:30.mp4"])
        self.assertTogether(film, out)

    @needs("rtp")
    def test_players_open_the_sdp_file_and_get_both_by_rtp(self):
        sdp, film, port = self.path("x.sdp"), self.path("received.mkv"), free_port()
        to = (f"rtp://127.0.0.1:{port}", "--sdp", sdp)
        sink = self.sink(*to)
        self.assertTrue(until(lambda: os.path.exists(sdp) and os.path.getsize(sdp)), sink.log_text())
        self.assertEqual(sink.end(stop=True)[0], 0, sink.log_text())
        # The file holds for every film of this kind. What brings pictures and voice together goes
        # out first, and then every five seconds: so the receiver is there before.
        receiver = self.receiver("-protocol_whitelist", "file,udp,rtp", "-i", sdp, "-c", "copy", film)
        self.assertTrue(until(lambda: listens(port, "udp") and listens(port + 2, "udp")))
        sink = self.sink(*to)
        sink.await_log("connected")
        self.say()
        receiver.communicate(b"q", timeout=20)
        code, out = sink.end(stop=True)
        self.assertEqual(code, 0, sink.log_text())
        self.assertTogether(film, out)

    @needs("srt")
    def test_srt_brings_both_together_and_a_stop_ends_it_well(self):
        port, film = free_port(), self.path("received.ts")
        receiver = self.receiver("-i", f"srt://127.0.0.1:{port}?mode=listener", "-c", "copy", film)
        self.assertTrue(until(lambda: listens(port, "udp")))
        sink = self.sink(f"srt://127.0.0.1:{port}")
        sink.await_log("connected")
        self.say()
        code, out = sink.end(stop=True)
        self.assertEqual(code, 0, sink.log_text())
        receiver.communicate(timeout=20)
        self.assertTogether(film, out)

    @needs("rtmp")
    def test_a_receiver_that_dies_is_told_and_ends_it(self):
        port, film = free_port(), self.path("received.flv")
        receiver = self.receiver("-listen", "1", "-i", f"rtmp://127.0.0.1:{port}/live/secret",
                                 "-c", "copy", "-flush_packets", "1", film)
        self.assertTrue(until(lambda: listens(port, "tcp")))
        sink = self.sink(f"rtmp://127.0.0.1:{port}/live/secret")
        self.assertTrue(until(lambda: os.path.exists(film) and os.path.getsize(film) > 2000))
        receiver.kill()
        code, out = sink.end()
        self.assertEqual(code, 1)
        self.assertIn("ffmpeg has ended: ", sink.log_text())
        self.assertIn(f"rtmp://127.0.0.1:{port}/...", sink.log_text())
        self.assertNotIn("secret", sink.log_text() + out)
        self.counts(out)

    @needs("rtmp")
    def test_an_address_where_nobody_listens_is_told_in_the_words_of_ffmpeg(self):
        sink = self.sink(f"rtmp://127.0.0.1:{free_port()}/live/x")
        self.assertEqual(sink.end()[0], 1)
        self.assertIn("Connection refused", sink.log_text())

    def test_a_lost_server_and_a_stop_leave_a_whole_film_of_all_that_time(self):
        server = Server("anim_graph")
        self.addCleanup(server.stop)
        film = self.path("x.mp4")
        sink = Sink(film, "--from", server.address, "--stream-id", "s")
        self.addCleanup(sink.close)
        part = film + ".part"
        self.assertTrue(until(lambda: os.path.exists(part) and os.path.getsize(part) > 0))
        begun = time.monotonic()
        server.process.kill()
        time.sleep(1.5)  # as long as there is no server
        lasted = time.monotonic() - begun
        code, out = sink.end(stop=True)
        self.assertEqual(code, 0, sink.log_text())
        self.assertGreaterEqual(self.counts(out)[0], lasted)
        self.assertGreaterEqual(float(probe(film, "-show_entries", "format=duration")
                                      ["format"]["duration"]), lasted)
        self.assertEqual(os.listdir(self.folder), ["x.mp4"])

    def test_an_encoder_that_takes_nothing_never_holds_up_the_pull(self):
        with open(self.path("ffmpeg"), "w") as f:
            f.write("#!/bin/sh\nexec sleep 60\n")
        os.chmod(self.path("ffmpeg"), 0o755)
        sink = self.sink(self.path("x.mp4"), "--duration", "1.5", env={
            **os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        code, out = sink.end()
        self.assertEqual(code, 1)
        self.assertIn("ffmpeg did not end in time", sink.log_text())
        # A busy machine's server may put two frames into one; it keeps their samples.
        self.assertRegex(out, r"(?m)^4\d frames, 1\.5\d s, audio 1\.5\d s")
        self.assertGreater(self.counts(out)[2], 2, "pictures were dropped, and counted")

    def test_what_is_pushed_is_shown_to_its_end(self):
        film = self.path("x.mp4")
        sink = Sink(film, "--from", "none", "--listen", "127.0.0.1:0", "--until-end")
        self.addCleanup(sink.close)
        port = json.loads(sink.process.stdout.readline())["grpc_port"]
        said = subprocess.run([os.path.join(BIN, "a2f_source"), "say", "Good morning.", "--to",
                               f"127.0.0.1:{port}", "--no-progress"], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        code, out = sink.end()
        self.assertEqual(code, 0, sink.log_text())
        pulled = float(re.search(r"(?m)^\d+ frames, ([\d.]+) s", out)[1])
        self.assertGreaterEqual(self.counts(out)[0], pulled)

    def test_a_film_shows_whom_the_stream_asks_for_while_it_runs(self):
        film = self.path("x.mp4")
        sink = self.sink(film, "--duration", "8")
        sink.await_log("ready to draw")
        self.say()
        subprocess.run([os.path.join(BIN, "a2f_source"), "say", "Yes.", "--to", self.server.address,
                        "--stream-id", self.stream, "--character", "man", "--no-progress"],
                       check=True, capture_output=True)
        code, _ = sink.end()
        self.assertEqual(code, 0, sink.log_text())

        def mean(*where):
            raw = subprocess.run([*FFMPEG, *where, "-i", film, "-frames:v", "1", "-vf", "scale=1:1",
                                  "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True,
                                 check=True).stdout
            return raw[-3:]
        first, last = mean(), mean("-sseof", "-0.5")
        apart = max(abs(a - b) for a, b in zip(first, last))
        self.assertGreater(apart, 4, (list(first), list(last)))
        self.assertNotIn("asks for a character", sink.log_text())

    def test_detail_is_left_out_when_pictures_take_too_long(self):
        port = free_port()
        sink = self.sink(self.path("x.mp4"), "--fps", "120", "--size", "640x480", "--subdivide", "2",
                         "--http", f"127.0.0.1:{port}")
        for levels in (1, 0):
            line = f'film is drawn with other detail subdivide={levels} offsets=false because_of="time"'
            self.assertTrue(until(lambda: line in sink.log_text(), 60), sink.log_text())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
            text = page.read().decode()
        for line in ("posewire_film_subdivision_levels 0", "posewire_film_offsets 0",
                     "posewire_film_detail_lowered_total 2", "posewire_film_detail_raised_total 0"):
            self.assertIn(f"\n{line}\n", text)
        code, _ = sink.end(stop=True)
        self.assertEqual(code, 0, sink.log_text())
        self.assertIn("detail_lowered=2", sink.log_text())

    def test_detail_that_cannot_be_seen_is_left_out_unless_all_is_asked_for(self):
        for flags, left_out in (((), True), (("--detail", "full"), False)):
            sink = self.sink(self.path("x.mp4"), "--camera", "body", "--subdivide", "--duration", "2", *flags)
            code, _ = sink.end()
            self.assertEqual(code, 0, sink.log_text())
            self.assertEqual('subdivide=0 offsets=false because_of="size"' in sink.log_text(), left_out)

    def test_without_ffmpeg_it_says_what_to_install(self):
        sink = self.sink(self.path("x.mp4"), env={**os.environ, "PATH": self.folder})
        self.assertEqual(sink.end()[0], 1)
        self.assertIn("apt-get install ffmpeg", sink.log_text())
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_an_avatar_lacks_is_told(self):
        person = self.path("somebody.vrm")
        with open(person, "wb") as f:
            f.write(small_person("vrm1"))
        sink = self.sink(self.path("x.mp4"), "--avatar", person,
                         env={**os.environ, "PATH": self.folder})
        self.assertEqual(sink.end()[0], 1)
        for what in ("joints_that_move_nothing", "shapes_that_move_nothing"):
            self.assertIn(what, sink.log_text())

    def test_an_x3d_humanoid_is_taken(self):
        person = self.path("ann.x3d")
        with open(person, "w") as f:
            f.write(small_humanoid())
        sink = self.sink(self.path("x.mp4"), "--avatar", person,
                         env={**os.environ, "PATH": self.folder})
        self.assertEqual(sink.end()[0], 1)
        self.assertIn("apt-get install ffmpeg", sink.log_text())
        self.assertIn("shapes_that_move_nothing", sink.log_text())
        self.assertNotIn("jawOpen", sink.log_text())

    def test_what_cannot_be_is_said_at_once(self):
        for words, code, said in (
                (["--to", "x.avi"], 2, "or FILE.mp4"),
                (["--to", "http://127.0.0.1/x.mp4"], 2, "or FILE.mp4"),
                (["--to", "rtp://127.0.0.1"], 2, "rtp://HOST:PORT"),
                ([], 2, "--to: one of"),
                (["--to", "x.mp4", "--to", "y.mp4"], 2, "--to: one of"),
                (["--to", "x.mp4", "--sdp", "x.sdp"], 2, "only with --to rtp://"),
                (["--to", self.path("none/x.mp4")], 2, "there is no folder"),
                (["--to", "rtp://127.0.0.1:5004", "--sdp", self.path("none/x")], 2,
                 "there is no folder")):
            done = subprocess.run(
                [os.path.join(BIN, "renderer_sink"), "stream", "--stream-id", "s", *words],
                capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
