"""The README's lines for grpcurl, run as they stand there, in a folder laid out as a clone."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from posewire_test import BIN, tool

ROOT = Path(__file__).resolve().parents[2]
PORT = 51000  # the default


def blocks():
    """Those of the section on grpcurl, and of the next ones that call it."""
    text = (ROOT / "README.md").read_text()
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    found = re.findall(r"```sh\n(.*?)```", sections["Push and pull with grpcurl"], re.S)
    more = re.findall(r"```sh\n(.*?)```", sections["Tell the avatar what to do"], re.S)
    return found + [block for block in more if "grpcurl" in block]


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.port = PORT
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/tools").mkdir()
        os.symlink(BIN, self.folder / "build/release/bin")
        os.symlink(Path(tool("grpcurl")).parent, self.folder / "build/tools/bin")
        os.symlink(ROOT / "data", self.folder / "data")

    def start(self, script):
        """The shell that runs the lines; each is in the log before what it prints."""
        env = {**os.environ, "PS4": "+ "}
        if not is_free(PORT):  # somebody else's: all move to another one
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            address = f"127.0.0.1:{self.port}"
            script = script.replace("anim_graph &", f"anim_graph --listen {address} &")
            script = script.replace(f"127.0.0.1:{PORT}", address)
            env.update(POSEWIRE_TO=address, POSEWIRE_FROM=address)
        self.log = self.folder / "log"
        with open(self.log, "w") as log:
            shell = subprocess.Popen(["bash", "-exo", "pipefail", "-c", script], cwd=self.folder,
                                     stdin=subprocess.DEVNULL, stdout=log,
                                     stderr=subprocess.STDOUT, start_new_session=True, env=env)
        self.addCleanup(self.end, shell)
        return shell

    def end(self, shell):
        try:
            os.killpg(shell.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        shell.wait(20)
        deadline = time.monotonic() + 20
        while not is_free(self.port) and time.monotonic() < deadline:
            time.sleep(0.1)

    def test_they_run_as_they_stand(self):
        lines = "".join(blocks())
        for call in ("PushAnimationDataStream", "PullAnimationDataStream", "SetVariable",
                     "SetGesture", "WatchEvents"):
            self.assertIn(call, lines)
        self.assertNotIn("say", lines.split("PushAnimationDataStream")[0], "nothing is made first")
        shell = self.start(lines)
        deadline = time.monotonic() + 90
        # The last one goes on until Ctrl-C: an event is enough.
        while not re.search(r"^\+ grpcurl .*WatchEvents.*^\{", self.log.read_text(), re.M | re.S):
            self.assertIsNone(shell.poll(), self.log.read_text()[-3000:])
            self.assertLess(time.monotonic(), deadline, self.log.read_text()[-3000:])
            time.sleep(0.1)
        said = self.log.read_text()
        self.assertRegex(said, r'"message": "\d+ messages accepted"')
        for name in ("pulled.jsonl", "take.animdata"):
            done = subprocess.run([os.path.join(BIN, "animclip"), "validate", self.folder / name],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        info = subprocess.run([os.path.join(BIN, "animclip"), "info", self.folder / "pulled.jsonl"],
                              capture_output=True, text=True).stdout
        self.assertIn("SUCCESS the request has ended", info)

    def test_what_they_read_is_in_git(self):
        if shutil.which("git") is None or not (ROOT / ".git").exists():
            self.skipTest("no clone")
        used = set(re.findall(r"\bdata/[\w./]+", "".join(blocks())))
        self.assertTrue(used)
        kept = subprocess.run(["git", "-C", ROOT, "ls-files", *used], capture_output=True,
                              text=True)
        self.assertEqual(set(kept.stdout.split()), used)


if __name__ == "__main__":
    unittest.main()
