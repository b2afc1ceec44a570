"""The commands of docs/tutorial.md, run as they stand there, in an empty folder."""

import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, free_port

PAGE = Path(__file__).resolve().parents[2] / "docs/tutorial.md"


class Tutorial(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_page(self):
        """With ports of its own: somebody may use the usual ones."""
        script = "".join(re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.M | re.S))
        grpc, http = free_port(), free_port()
        script = script.replace("127.0.0.1:8020", f"127.0.0.1:{http}")
        script = script.replace("--http", f"--listen 127.0.0.1:{grpc} --http")
        env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "PS4": "+ ",
               "POSEWIRE_FROM": f"127.0.0.1:{grpc}"}
        with open(self.folder / "log", "w") as log:
            shell = subprocess.Popen(["bash", "-exo", "pipefail", "-c", script], cwd=self.folder,
                                     stdin=subprocess.DEVNULL, stdout=log,
                                     stderr=subprocess.STDOUT, start_new_session=True, env=env)
            try:
                return shell.wait(120)
            finally:
                try:
                    os.killpg(shell.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def movers(self, clip):
        picture = self.folder / "movers.svg"
        subprocess.run([os.path.join(BIN, "animclip"), "plot", self.folder / clip, "-o", picture],
                       check=True, capture_output=True)
        return re.search("<desc>(.*?)</desc>", picture.read_text(), re.S).group(1)

    def test_it_runs_as_it_stands_and_both_arms_wave(self):
        code = self.run_page()
        log = (self.folder / "log").read_text()
        self.assertEqual(code, 0, log[-3000:])
        self.assertIn("r_elbow", self.movers("take.animdata"))
        self.assertNotIn("l_elbow", self.movers("take.animdata"))
        for clip in ("clips/hello.animdata", "state.animdata"):
            self.assertIn("r_elbow", self.movers(clip), clip)
            self.assertIn("l_elbow", self.movers(clip), clip)
        drawn = {path.stem for path in self.folder.glob("*.png")}
        shown = set(re.findall(r"images/tutorial-(\w+)\.png", PAGE.read_text()))
        self.assertLessEqual(shown, drawn, "the page shows what its commands draw")
        for name in shown:
            self.assertTrue((PAGE.parent / f"images/tutorial-{name}.png").is_file(), name)


if __name__ == "__main__":
    unittest.main()
