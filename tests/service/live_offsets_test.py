"""renderer_sink stream --offsets: a live film of a film's character, held against render's."""

import http.server
import json
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
import zlib
from pathlib import Path

from film_offsets import exaggerate, record, run
from live_film import pictures_taken_by_ffmpeg_of
from posewire_test import BIN, Client, until

SIZE, RATE = (144, 192), 30
LOOK = ("--camera", "body", "--size", f"{SIZE[0]}x{SIZE[1]}", "--fps", RATE, "--background", "#404040")
CLIP = "raise_both_arms"
TIMES = 20  # what shapes and joints do not explain is small
# A picture that is nearer than this to the one before, on average, was not drawn but shown again.
SAME = 0.1
# A moment tells whose picture is seen where the two differ by so much on average, encoded as they are.
TELLS = 1.5


def pictures(film):
    """Each as bytes of gray."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", str(film), "-map", "0:v", "-vsync", "0", "-pix_fmt",
                          "gray", "-f", "rawvideo", "-"], capture_output=True, check=True).stdout
    size = SIZE[0] * SIZE[1]
    return [raw[i:i + size] for i in range(0, len(raw) - size + 1, size)]


def apart(a, b):
    """The mean difference of the pixels, of those that are looked at."""
    return sum(abs(x - y) for x, y in zip(a[::3], b[::3])) / (len(a) / 3)


def drawn(film):
    """Numbers of the pictures that are not the one before: a machine that is too slow repeats some."""
    return [k for k in range(1, len(film)) if apart(film[k], film[k - 1]) > SAME]


class Ranges(http.server.BaseHTTPRequestHandler):
    """Files of a folder by ranges. What is not a file's beginning waits for the gate."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        data = (server.folder / self.path.lstrip("/")).read_bytes()
        first, last = map(int, re.match(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        if first > 0:
            server.gate.wait(30)
        part = data[first:last + 1]
        server.ranges += 1
        self.send_response(206)
        self.send_header("ETag", f'"{zlib.crc32(data):x}"')
        self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


@unittest.skipUnless(shutil.which("ffprobe"), "ffmpeg is not installed")
class LiveOffsetsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = Path(place.name)
        cls.take = cls.place / "take.animdata"
        record(cls.take, 4)
        cls.films = cls.place / "films"
        cls.films.mkdir()
        exaggerate(CLIP, cls.films / "both.offsets", TIMES)
        for name, more in (("film", ("--offsets", cls.films)), ("own", ())):
            run("renderer_sink", "render", cls.take, cls.place / f"{name}.mp4", *LOOK, *more)
        cls.film, cls.own = pictures(cls.place / "film.mp4"), pictures(cls.place / "own.mp4")

    def stream(self, offsets, *flags, while_it_plays=lambda sink: None):
        """The film of the take, pushed; its pictures, what it said, and its log."""
        out = self.place / f"{self.id().split('.')[-1]}.mp4"
        with open(self.place / "log", "w+") as log:
            sink = subprocess.Popen(
                [f"{BIN}/renderer_sink", "stream", "--from", "none", "--listen", "127.0.0.1:0", "--to", out,
                 "--until-end", *map(str, LOOK), "--detail", "full", "--offsets", str(offsets), *flags],
                stdout=subprocess.PIPE, stderr=log, text=True)
            try:
                line = sink.stdout.readline()
                if not line:
                    sink.communicate()
                    return [], "", (self.place / "log").read_text()
                port = json.loads(line)["grpc_port"]
                client = Client(f"127.0.0.1:{port}")
                pushed = self.place / "push.animdata"
                run("animclip", "convert", self.take, pushed, "--request-id", "r")
                done = threading.Thread(target=subprocess.run, args=(
                    [f"{BIN}/a2f_source", "play", str(pushed), "--to", f"127.0.0.1:{port}", "--no-progress"],),
                    kwargs={"capture_output": True})
                done.start()
                while_it_plays(sink)
                said, _ = sink.communicate(timeout=60)
                done.join()
                client.close()
            finally:
                if sink.poll() is None:
                    sink.send_signal(signal.SIGKILL)
                    sink.wait()
            return pictures(out), said, (self.place / "log").read_text()

    def nearest(self, live):
        """For each picture that was drawn and can tell: how far it is from the film's and from the own
        shapes' of its moment, by its number."""
        def shifted(s):
            return [(k, k + s) for k in range(len(live)) if 0 <= k + s < len(self.film)]
        spread = range(-12, 13)
        best = min(spread, key=lambda s: sum(
            min(apart(live[a], self.film[b]), apart(live[a], self.own[b]))
            for a, b in shifted(s)[::5]) / max(1, len(shifted(s)[::5])))
        of = dict(shifted(best))
        return {k: (apart(live[k], self.film[of[k]]), apart(live[k], self.own[of[k]])) for k in drawn(live)
                if k in of and apart(self.film[of[k]], self.own[of[k]]) > TELLS}

    def test_a_live_film_is_that_of_its_take(self):
        live, said, log = self.stream(self.films)
        self.assertGreater(len(live), 90, log)
        self.assertNotIn("does not say which clips", log)
        told = list(self.nearest(live).values())
        print(said.strip())
        print("pictures that tell:", len(told))
        self.assertGreater(len(told), 10)
        nearer = [film < own for film, own in told]
        self.assertGreater(sum(nearer), 0.85 * len(told), told)
        self.assertLess(sum(t[0] for t in told), 0.5 * sum(t[1] for t in told))

    def serve(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
        server.folder, server.gate, server.ranges = self.films, threading.Event(), 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.gate.set)
        return server

    def test_a_source_that_is_late_holds_up_nothing_and_fades_in(self):
        (self.films / "list.txt").write_text("# from its top\n/both.offsets\n")
        server = self.serve()
        shut = 35  # pictures of the film, in which the gate is not open

        def open_late(sink):
            pictures = pictures_taken_by_ffmpeg_of(sink.pid, SIZE)
            # Besides pictures it reads a little voice.
            self.assertTrue(until(lambda: pictures() > 1.15 * shut))
            server.gate.set()
        live, said, log = self.stream(f"http://127.0.0.1:{server.server_port}/list.txt",
                                      while_it_plays=open_late)
        self.assertGreater(len(live), 90, log)
        shares = {k: own / (film + own) for k, (film, own) in self.nearest(live).items()}
        print(said.strip())
        print({k: round(share, 2) for k, share in shares.items()})
        # What ffmpeg had before the gate was open, none of which has waited for it.
        early = [share for k, share in shares.items() if k < shut]
        late = [share for k, share in shares.items() if k >= shut]
        self.assertGreater(len(early), 3)
        self.assertLess(max(early), 0.5, "own shapes while the offsets are late")
        self.assertGreater(max(late), 0.6, "the film's once they are there")

    def test_a_film_plays_from_the_cache_when_its_server_is_gone(self):
        (self.films / "list.txt").write_text("both.offsets\n")
        server = self.serve()
        server.gate.set()
        address = f"http://127.0.0.1:{server.server_port}/list.txt"
        cache = ("--offsets-cache", self.place / "cache")
        self.stream(address, *map(str, cache))
        self.assertGreater(server.ranges, 3)
        server.shutdown()
        server.server_close()
        live, said, log = self.stream(address, *map(str, cache))
        self.assertGreater(len(live), 90, log)
        self.assertEqual(log.count("a server of offsets does not answer"), 1, log)
        self.assertIn("ranges_from_servers=0", log)
        told = list(self.nearest(live).values())
        print(said.strip())
        self.assertGreater(len(told), 10)
        self.assertGreater(sum(film < own for film, own in told), 0.85 * len(told), told)

    def test_what_cannot_be_is_said_at_once(self):
        other = self.place / "other"
        other.mkdir(exist_ok=True)
        for offsets, flags, said in (
                (self.place / "nowhere", (), "nowhere"),
                (other, (), "there are no .offsets files"),
                (self.films, ("--avatar", "man"), "made of another character"),
                (self.films, ("--offsets-mib", "1"), "raise --offsets-mib"),
                ("none", (), "only with render"),
                ("https://127.0.0.1/list.txt", (), "https://")):
            _, _, log = self.stream(offsets, *flags)
            self.assertIn(said, log)

    def test_a_clip_without_offsets_is_told_once(self):
        _, _, log = self.stream(self.films)
        told = [line for line in log.splitlines() if "a clip has no offsets" in line]
        self.assertTrue(told)
        self.assertEqual(len(told), len(set(told)))
        self.assertFalse([line for line in told if CLIP in line])


if __name__ == "__main__":
    unittest.main(verbosity=2)
