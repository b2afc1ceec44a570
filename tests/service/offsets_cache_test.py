"""renderer_sink render --offsets-cache: ranges of offsets on disk, next to a server with TLS."""

import ctypes
import hashlib
import http.server
import os
import re
import resource
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from certificates import Ca
from film_offsets import exaggerate, run
from posewire_test import BIN

CLIP = "wave"
WARNING = re.compile(r" warning ")
CLONE_NEWNS = 0x20000


class Files(http.server.BaseHTTPRequestHandler):
    """Files of a folder by ranges, each with an ETag of its bytes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        server.asked += 1
        data = (server.folder / self.path.split("?")[0].lstrip("/")).read_bytes()
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        if server.tags and self.headers["If-None-Match"] == tag:
            server.confirmed += 1
            self.send_response(304)
            self.send_header("ETag", tag)
            self.end_headers()
            return
        first, last = map(int, re.match(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        part = data[first:last + 1]
        self.send_response(206)
        if server.tags:
            self.send_header("ETag", tag)
        self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


class OffsetsCacheTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = Path(place.name)
        cls.ca = Ca(cls.place, "studio")
        cls.certificate = cls.ca.issue("server")
        cls.made = cls.place / "made"
        cls.made.mkdir()
        cls.take = cls.place / "take.animdata"
        run("animclip", "bake", CLIP, cls.made / "once.offsets", "--take", cls.take)
        exaggerate(cls.take, cls.made / "often.offsets", 8)

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.own = Path(place.name)
        self.films = self.own / "films"
        self.films.mkdir()
        self.publish("once")
        self.cache = self.own / "cache"
        self.server = None
        self.serve()

    def publish(self, name):
        shutil.copy(self.made / f"{name}.offsets", self.films / "wave.offsets")

    def serve(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        server.folder, server.tags, server.asked, server.confirmed = self.films, True, 0, 0
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(self.stop)
        self.server = server
        self.url = f"https://127.0.0.1:{server.server_port}/wave.offsets?token=SECRET"

    def stop(self):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def start(self, *flags, trust=True, before=None, out="picture.png"):
        home = self.own / "home"
        home.mkdir(exist_ok=True)
        env = {k: v for k, v in os.environ.items() if k not in ("CURL_CA_BUNDLE", "SSL_CERT_FILE")}
        env |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "MESA_SHADER_CACHE_DISABLE": "true"}
        if trust:
            env["SSL_CERT_FILE"] = str(self.ca.cert)
        return subprocess.Popen(
            [f"{BIN}/renderer_sink", "render", self.take, self.own / out, "--at", "1.5", "--size", "64x64",
             "--camera", "body", "--offsets", self.url, *map(str, flags)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, preexec_fn=before)

    def render(self, *flags, **how):
        """The picture's bytes, and the log."""
        process = self.start(*flags, **how)
        _, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, log)
        return (self.own / "picture.png").read_bytes(), log

    def cached(self, *flags, **how):
        return self.render("--offsets-cache", self.cache, *flags, **how)

    def test_a_private_authority_is_that_of_the_environment(self):
        process = self.start(trust=False)
        _, log = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("certificate", log)
        self.render()

    def test_nothing_is_written_unless_asked(self):
        self.render()
        self.assertEqual([], list((self.own / "home").rglob("*")))

    def test_ranges_are_read_from_disk_and_changed_files_again(self):
        once, _ = self.cached()
        asked = self.server.asked
        again, _ = self.cached()
        self.assertEqual(self.server.asked, asked + 1)
        self.assertEqual(self.server.confirmed, 1)
        self.assertEqual(once, again)
        self.publish("often")
        often, _ = self.cached()
        self.assertNotEqual(once, often)
        self.assertEqual(self.cached()[0], often)
        self.assertEqual(often, self.render()[0])
        for file in self.cache.iterdir():
            self.assertNotIn(b"SECRET", file.read_bytes())

    def test_a_film_is_shown_while_its_server_is_away(self):
        once, _ = self.cached()
        self.stop()
        again, log = self.cached()
        self.assertEqual(once, again)
        self.assertEqual(log.count("does not answer"), 1, log)
        self.assertNotIn("SECRET", log)
        shutil.rmtree(self.cache)
        process = self.start("--offsets-cache", self.cache)
        _, log = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("refused", log)

    def test_a_server_without_versions_is_not_cached(self):
        self.server.tags = False
        once, log = self.cached()
        self.assertEqual(log.count("offsets are not cached"), 1, log)
        self.assertEqual([], list(self.cache.iterdir()))
        self.assertEqual(once, self.render()[0])

    def test_damaged_files_are_read_again(self):
        once, _ = self.cached()
        for file in self.cache.iterdir():
            data = bytearray(file.read_bytes())
            data[-7] ^= 1
            file.write_bytes(data)
        self.assertEqual(self.cached()[0], once)
        for file in self.cache.iterdir():
            file.write_bytes(file.read_bytes()[:100])
        self.assertEqual(self.cached()[0], once)
        self.assertEqual(self.server.confirmed, 0)

    def test_programs_share_a_folder_and_its_budget(self):
        self.publish("often")
        whole = (self.films / "wave.offsets").stat().st_size
        self.assertGreater(whole, 9 << 19)
        running = [self.start("--offsets-cache", self.cache, "--offsets-cache-mib", 4, out=f"{k}.png")
                   for k in range(4)]
        for process in running:
            self.addCleanup(process.kill)
            _, log = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, log)
            self.assertIsNone(WARNING.search(log), log)
        pictures = {(self.own / f"{k}.png").read_bytes() for k in range(4)}
        self.assertEqual(len(pictures), 1)
        self.assertLessEqual(sum(f.stat().st_size for f in self.cache.iterdir()), 4 << 20)

    def check_only_a_warning(self, text, **how):
        plain, _ = self.render()
        picture, log = self.cached(**how)
        self.assertEqual(plain, picture)
        self.assertEqual(len(WARNING.findall(log)), 1, log)
        self.assertIn(text, log)

    def test_a_folder_that_cannot_be_is_only_a_warning(self):
        self.cache.write_text("a file")
        self.check_only_a_warning("is no folder")

    def test_a_limit_on_file_sizes_is_only_a_warning(self):
        """subprocess restores the signal that ends a program which does not ignore it."""
        self.publish("often")
        self.check_only_a_warning("File too large", before=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (20 << 10, 20 << 10)))
        self.assertEqual([], [f for f in self.cache.iterdir() if f.suffix == ".part"])

    def mounted(self, options):
        """A preexec_fn that mounts a file system at the cache's folder, for the program alone."""
        self.cache.mkdir()
        libc = ctypes.CDLL(None, use_errno=True)
        folder = str(self.cache).encode()

        def mount():
            if libc.unshare(CLONE_NEWNS) != 0:
                raise OSError
            if libc.mount(b"none", b"/", None, 0x44000, None) != 0:  # private, with all below it
                raise OSError
            if libc.mount(b"tmpfs", folder, b"tmpfs", options[0], options[1]) != 0:
                raise OSError
        try:
            subprocess.run(["true"], preexec_fn=mount, check=True)
        except subprocess.SubprocessError:
            self.skipTest("file systems cannot be mounted here")
        return mount

    def test_a_full_disk_is_only_a_warning(self):
        self.check_only_a_warning("No space left", before=self.mounted((0, b"size=16k")))

    def test_a_read_only_disk_is_only_a_warning(self):
        self.check_only_a_warning("Read-only file system", before=self.mounted((1, b"")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
