"""X_ITE, an X3D browser, in a page of a test's own. Tests are skipped with a word where its package
(build/tools/x_ite) or Chromium is not there."""

import functools
import http.server
import shutil
import tempfile
import threading
import unittest
from pathlib import Path

from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
X_ITE = ROOT / "build" / "tools" / "x_ite" / "node_modules" / "x_ite" / "dist" / "x_ite.min.js"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class XIteTest(unittest.TestCase):
    """`PAGE` is served beside X_ITE and what lies in `folder`; `browser` is open."""

    PAGE = None

    @classmethod
    def setUpClass(cls):
        if not X_ITE.exists():
            raise unittest.SkipTest(f"{X_ITE} is not there; ./test fetches it from npm")
        if shutil.which("chromium") is None:
            raise unittest.SkipTest("chromium is not on the PATH; ./test installs it")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        for name in ("x_ite.min.js", "x_ite.css", "assets"):
            (cls.folder / name).symlink_to(X_ITE.parent / name)
        (cls.folder / "index.html").write_text(cls.PAGE)
        cls.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=folder.name))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
