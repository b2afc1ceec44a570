"""The lines of the README and of docs/quickstart.md, run as they stand there, in a folder laid out
as a clone. Only ports differ: somebody may use the usual ones."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, Server, free_port, tool, until
from small_person import small_person

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
QUICKSTART = (ROOT / "docs/quickstart.md").read_text()
START, GRPCURL, CONTROL, TOPOLOGIES, PASSTHROUGH = (
    "Push, pull and control by hand", "Push and pull with grpcurl", "Tell the avatar what to do",
    "With and without a compositor", "What goes in comes out")


def shell_blocks(text):
    return re.findall(r"^ *```sh\n(.*?)^ *```", text, re.M | re.S)


def blocks(*headings):
    """Those of the sections of the quickstart, after those at its start."""
    sections = dict(re.findall(r"^##? (.+?)\n(.*?)(?=^## |\Z)", QUICKSTART, re.M | re.S))
    return [block for heading in (START, *headings) for block in shell_blocks(sections[heading])]


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


class Clone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        os.symlink(ROOT / "data", self.folder / "data")

    def install(self, address):
        """The programs, which take `address` for that of the anim_graph unless a line says else."""
        self.bin = self.folder / "build/release/bin"
        self.bin.mkdir(parents=True)
        for program, variable in (("anim_graph", "LISTEN"), ("a2f_source", "TO"),
                                  ("renderer_sink", "FROM"), ("animclip", "NONE")):
            path = self.bin / program
            path.write_text(f"#!/bin/bash\nexport POSEWIRE_{variable}={address}\n"
                            f'exec {os.path.join(BIN, program)} "$@"\n')
            path.chmod(0o755)

    def validate(self, *names):
        for name in names:
            done = subprocess.run([os.path.join(BIN, "animclip"), "validate", self.folder / name],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")


class Quickstart(Clone):
    def choose(self, usual):
        """{port in the text: port in this test}"""
        return {port: free_port() for port in sorted(usual)}

    def start(self, script):
        """The shell that runs the lines; each is in the log before what it prints."""
        self.ports = self.choose({"51000"} | set(re.findall(r"127\.0\.0\.1:(\d+)", script)))
        script = re.sub(r"127\.0\.0\.1:(\d+)", lambda m: f"127.0.0.1:{self.ports[m[1]]}", script)
        self.install(f"127.0.0.1:{self.ports['51000']}")
        (self.folder / "build/tools").mkdir()
        os.symlink(Path(tool("grpcurl")).parent, self.folder / "build/tools/bin")
        self.log = self.folder / "log"
        with open(self.log, "w") as log:
            shell = subprocess.Popen(["bash", "-exo", "pipefail", "-c", script], cwd=self.folder,
                                     stdin=subprocess.DEVNULL, stdout=log,
                                     stderr=subprocess.STDOUT, start_new_session=True,
                                     env={**os.environ, "PS4": "+ "})
        self.addCleanup(self.end, shell)
        return shell

    def end(self, shell):
        """Ends all that the lines started."""
        try:
            os.killpg(shell.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        shell.wait(20)
        self.assertTrue(until(lambda: all(is_free(port) for port in self.ports.values())))

    def run_to_its_end(self, *headings):
        """The exit code, and what was printed."""
        return self.start("".join(blocks(*headings))).wait(120), self.log.read_text()

    def test_they_run_as_they_stand(self):
        lines = "".join(blocks(GRPCURL, CONTROL))
        for call in ("PushAnimationDataStream", "PullAnimationDataStream", "ListVariables",
                     "SetVariable", "SetGesture", "WatchEvents", "curl -X PUT"):
            self.assertIn(call, lines)
        self.assertNotIn("say", lines.split("PushAnimationDataStream")[0], "nothing is made first")
        shell = self.start(lines)
        # The last one goes on until Ctrl-C: an event is enough.
        watched = re.compile(r"^\+ grpcurl .*WatchEvents.*^\{", re.M | re.S)
        # The push's answer, which goes on where the pull has not arrived yet or frames were late.
        accepted = re.compile(r'"message": "\d+ messages accepted\b')
        until(lambda: shell.poll() is not None or all(
            told.search(self.log.read_text()) for told in (watched, accepted)), 90)
        said = self.log.read_text()
        self.assertIsNone(shell.poll(), said[-3000:])
        self.assertRegex(said, watched)
        self.assertRegex(said, accepted)
        self.validate("pulled.jsonl", "take.animdata")
        info = subprocess.run([os.path.join(BIN, "animclip"), "info", self.folder / "pulled.jsonl"],
                              capture_output=True, text=True).stdout
        self.assertIn("SUCCESS the request has ended", info)

    def test_any_two_of_the_programs_are_enough(self):
        code, said = self.run_to_its_end(TOPOLOGIES)
        self.assertEqual(code, 0, said[-3000:])
        self.validate("one.animdata", "two.animdata", "three.animdata")

    def test_what_goes_in_comes_out(self):
        code, said = self.run_to_its_end(PASSTHROUGH)
        self.validate("pulled.animdata")
        self.assertIn(" a tolerance of 1e-05", said[-3000:])
        if code != 0:  # A busy machine leaves frames out, and may hold the voice after them.
            self.assertIn("B misses", said[-3000:])

    def test_every_section_with_lines_is_run(self):
        sections = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", QUICKSTART, re.M | re.S)
        self.assertEqual([heading for heading, text in sections if shell_blocks(text)],
                         [GRPCURL, CONTROL, TOPOLOGIES, PASSTHROUGH])

    def test_what_they_read_is_in_git(self):
        if shutil.which("git") is None or not (ROOT / ".git").exists():
            self.skipTest("no clone")
        used = set(re.findall(r"\bdata/[\w./]+", "".join(shell_blocks(QUICKSTART))))
        self.assertTrue(used)
        kept = subprocess.run(["git", "-C", ROOT, "ls-files", *used], capture_output=True,
                              text=True)
        self.assertEqual(set(kept.stdout.split()), used)


class Readme(Clone):
    """The things to try. Those that go on until Ctrl-C are stopped when they are ready."""

    GO_ON = ("renderer_sink view", "a2f_source serve", "a2f_source vmc")

    def setUp(self):
        super().setUp()
        self.lines = [line.split(" #")[0].strip() for block in shell_blocks(README)
                      for line in block.splitlines()]

    def test_commands_are_what_scripts_take(self):
        flags = {flag for line in self.lines if line.startswith("./run")
                 for flag in re.findall(r" (--\w+)", line)}
        self.assertEqual(flags, {"--view", "--talk", "--voice"})
        usage = subprocess.run([ROOT / "run", "--help"], capture_output=True, text=True).stdout
        for flag in flags:
            self.assertIn(flag, usage)
        for line in self.lines:
            for path in re.findall(r"(?:^|-f )(\./\w+|docker/[\w.-]+)", line):
                self.assertTrue((ROOT / path).exists(), line)

    def test_files_that_are_named_are_there(self):
        """But for what a line makes, and for what is the reader's own."""
        for page in (README, (ROOT / "docs/README.md").read_text()):
            made = set(re.findall(r"--out (\S+)|(\S+\.mp4)", page))
            made = {name for names in made for name in names if name}
            text = re.sub(r"^\|.*\|$", "", page, flags=re.M)  # tables name the readers' own files
            named = {name for block in shell_blocks(text) for line in block.splitlines()
                     for name in re.findall(r"(?:^|\s)([\w./-]+\.[a-z]\w{1,7})(?=\s|$)",
                                            line.split(" #")[0])}
            missing = {name for name in named - made
                       if not (ROOT / name).exists() and not name.startswith("my.")}
            self.assertEqual(missing, set())
        self.assertIn("data/samples/walk.bvh", README)

    def test_samples_are_small_and_of_the_formats_they_name(self):
        samples = [path for path in (ROOT / "data/samples").iterdir() if path.suffix != ".md"]
        self.assertGreater(len(samples), 4)
        listed = (ROOT / "data/samples/README.md").read_text()
        for path in samples:
            self.assertLess(path.stat().st_size, 100_000, path.name)
            self.assertIn(f"`{path.name}`", listed)
            if path.suffix == ".wav":
                continue
            done = subprocess.run([os.path.join(BIN, "animclip"), "validate", path],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)

    def test_things_to_try_run_as_they_stand(self):
        if shutil.which("ffmpeg") is None:
            self.skipTest("no ffmpeg")
        elsewhere = ("./", "docker", "export", "anim_graph &", "pip install")
        lines = [line for line in self.lines if not line.startswith(elsewhere)]
        self.assertGreaterEqual(len(lines), 8)
        graph = Server("anim_graph")
        self.addCleanup(graph.stop)
        self.install(graph.address)
        self.env = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        self.make_what_is_yours()
        for line in lines:
            if line.startswith(self.GO_ON):
                self.start_and_stop(line)
            else:
                done = subprocess.run(["bash", "-ec", line], cwd=self.folder, env=self.env,
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr[-2000:]}")
        self.validate("ben.animdata", "voice.animdata")
        film = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_type",
                               "-of", "json", self.folder / "ben.mp4"], capture_output=True).stdout
        self.assertEqual({stream["codec_type"] for stream in json.loads(film)["streams"]},
                         {"video", "audio"})

    def make_what_is_yours(self):
        """A microphone and an avatar."""
        (self.folder / "my.vrm").write_bytes(small_person("vrm1"))
        arecord = self.bin / "arecord"
        arecord.write_text(f"#!{sys.executable}\nimport os\nos.write(1, bytes(2 * 16000))\n")
        arecord.chmod(0o755)

    def start_and_stop(self, line):
        """At ports of its own, until the line that says that it is ready."""
        env = {**self.env, "POSEWIRE_LISTEN": "127.0.0.1:0", "POSEWIRE_HTTP": "127.0.0.1:0"}
        if " vmc " in line:
            env["POSEWIRE_PORT"] = "0"
        with tempfile.TemporaryFile("w+") as log:
            process = subprocess.Popen(["bash", "-c", f"exec {line}"], cwd=self.folder, env=env,
                                       stdout=subprocess.PIPE, stderr=log, text=True)
            self.addCleanup(process.stdout.close)
            ready = process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            code = process.wait(20)
            log.seek(0)
            self.assertTrue(ready.startswith('{"'), f"{line}\n{log.read()}")
            self.assertEqual(code, 0, line)


if __name__ == "__main__":
    unittest.main()
