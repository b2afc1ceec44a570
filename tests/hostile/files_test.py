"""Pipes, sockets and devices where a file is expected, and files that name what lies elsewhere.

Nothing may wait for a pipe (case 61): each program either refuses it at once or, where its user named
it on the command line of a command that runs once, reads it until a signal comes. And a file may name
only what is in its own folder (case 70)."""

import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))

from certificates import Ca  # noqa: E402
from http_client import Http  # noqa: E402
from posewire_test import BIN, Server, until  # noqa: E402
from tls_test import certificate_of  # noqa: E402

PATIENCE_S = 20   # a hang is no end at all; a busy machine is slow
STOP_S = 8        # a forced end comes after 9.5 s
PIPE_REFUSED = "is a pipe; a regular file is needed"
SECRET_WAV = b"RIFF" + struct.pack("<I", 36 + 3200) + b"WAVEfmt " + struct.pack(
    "<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16) + b"data" + struct.pack("<I", 3200) + b"\x01\x02" * 1600


def run(*args, **options):
    return subprocess.run([f"{BIN}/{args[0]}", *args[1:]], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, errors="replace", timeout=PATIENCE_S, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="pw-files-")
        self.addCleanup(self.home.cleanup)

    def path(self, name):
        return os.path.join(self.home.name, name)

    def write(self, name, text):
        path = pathlib.Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def replace(self, name, make):
        """Puts what `make` makes in the place of a file at once."""
        make(self.path(name + ".new"))
        os.rename(self.path(name + ".new"), self.path(name))

    def clip(self, name):
        made = run("a2f_source", "say", "Hi", "--out", self.path(name), "--no-progress")
        self.assertEqual(made.returncode, 0, made.stderr)
        return self.path(name)

    def start(self, program, *args):
        server = Server(program, *args)
        self.addCleanup(server.stop)
        return server

    def assert_stops(self, process, *codes):
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(STOP_S), codes)


def entries(program):
    """The settings of --help-all, each with what it says."""
    found, name = {}, None
    for line in run(program, "--help-all").stdout.splitlines():
        match = re.match(r"  (?:-\w, ?)?--([a-z0-9-]+)(.*)", line)
        if match:
            name, found[match[1]] = match[1], match[2]
        elif name and line.startswith(" " * 20):
            found[name] += " " + line.strip()
        else:
            name = None
    return found


def is_of_files(entry):
    return re.search(r"FILE|DIR\b|\bfiles?\b|\bfolder\b|\bpicture", entry) is not None


# Settings whose help speaks of files, but which name none to read.
NAME_NONE = {"overwrite", "prim", "rate", "requests-only", "size", "tokens-lost"}
WRITTEN = {"out", "dump", "sdp", "to", "offsets-cache"}
# What a setting needs beside it.
# Settings that mean nothing without others.
NEEDS = {name: ["--voice-server", "http://127.0.0.1:1"] for name in ("voice-key-file", "voice-ca")}
WITH = {"tls-key": ["tls-cert"], "tls-client-ca": ["tls-cert", "tls-key"], "client-key":
        ["client-cert", "server-ca"], "client-cert": ["client-key", "server-ca"], "tls-cert":
        ["tls-key"]}
VALUE = {"target": "prop:rig={}"}
ENDING = {"rig": ".rig", "rest": ".bvh", "graph": ".graph.txtpb", "avatar": ".glb", "background":
          ".png", "offsets": ".offsets", "out": ".jsonl", "sdp": ".sdp", "to": ".mp4", "target": ".rig"}


class EverySetting(Folder):
    """Each setting that names a file, of each program: from the help, so that none is forgotten."""

    def setUp(self):
        super().setUp()
        self.good = self.clip("good.animdata")
        self.write("v.wav", SECRET_WAV)
        self.sockets = []

    def base(self, program, commands):
        """A command line that would begin its work, were the file good."""
        if program == "anim_graph":
            return ["--listen", "127.0.0.1:0"]
        if program == "a2f_source":
            command = next((c for c in ("say", "play", "wav", "vmc", "serve", "talk")
                            if not commands or c in commands))
            listen = ["--to", "none", "--listen", "127.0.0.1:0"]
            return {"say": ["say", "Hi", *listen], "play": ["play", self.good, *listen],
                    "wav": ["wav", self.path("v.wav"), *listen],
                    "vmc": ["vmc", "--port", "0", *listen], "serve": ["serve", *listen],
                    "talk": ["talk", self.write("talk.txt", "anna [slt]: Hi.\n")]}[command]
        command = next((c for c in ("view", "render", "record", "stream", "faces", "print", "vmc")
                        if not commands or c in commands))
        pull = ["--from", "127.0.0.1:1", "--listen", "127.0.0.1:0"]
        return {"view": ["view", "--http", "127.0.0.1:0", *pull],
                "render": ["render", self.good, self.path("film.png")],
                "record": ["record", self.path("take.animdata"), *pull],
                "stream": ["stream", "--stream-id", "s", *pull],
                "faces": ["faces", self.path("faces.png")],
                "print": ["print", *pull], "vmc": ["vmc", "--stream-id", "s", *pull]}[command]

    def make(self, kind, path):
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "link to a pipe":
            os.mkfifo(path + ".pipe")
            os.symlink(path + ".pipe", path)
        elif kind == "socket":
            self.sockets.append(socket.socket(socket.AF_UNIX))
            self.addCleanup(self.sockets[-1].close)
            self.sockets[-1].bind(path)
        elif kind == "device":
            os.symlink("/dev/zero", path)
        elif kind == "folder":
            os.mkdir(path)
        elif kind == "empty":
            open(path, "w").close()
        else:
            open(path, "w").close()
            os.chmod(path, 0)
        return path

    def outcome(self, program, setting, commands, kind, path):
        """What is wrong with how it ended; None if nothing is."""
        args = [*self.base(program, commands), f"--{setting}",
                VALUE.get(setting, "{}").format(path)]
        for more in WITH.get(setting, ()):
            args += [f"--{more}", path]
        args += NEEDS.get(setting, [])
        process = subprocess.Popen([f"{BIN}/{program}", *args], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        what = f"{program} --{setting} with a {kind}"
        try:
            # An empty file is none too many, and a folder or device may be what is asked for.
            refused = kind in ("pipe", "link to a pipe", "socket", "device")
            try:
                said = process.communicate(timeout=PATIENCE_S if refused else 1.5)[1]
            except subprocess.TimeoutExpired:
                if refused:
                    return f"{what} has not ended"
                process.terminate()
                process.communicate(timeout=STOP_S)
                return None
            if refused and process.returncode not in (1, 2):
                return f"{what} ended with {process.returncode}: {said[-500:]}"
            if refused and os.path.basename(path).split(".")[0] not in said:
                return f"{what} does not name it: {said[-500:]}"
            if process.returncode < 0:
                return f"{what} ended with {process.returncode}: {said[-500:]}"
            return None
        except subprocess.TimeoutExpired:
            return f"{what} does not stop"
        finally:
            process.kill()
            process.wait()
            process.stderr.close()

    def test_case_61_no_setting_of_a_program_waits_for_what_is_no_file(self):
        kinds = ["pipe", "link to a pipe", "socket", "device", "folder", "empty"]
        kinds += ["unreadable"] if os.geteuid() != 0 else []
        jobs = []
        for program in ("anim_graph", "a2f_source", "renderer_sink"):
            of_files = {s: e for s, e in entries(program).items()
                        if is_of_files(e) and s not in NAME_NONE | WRITTEN}
            self.assertGreater(len(of_files), 9)
            for setting, entry in of_files.items():
                commands = re.findall(r"\(([a-z, ]+)\)\s*$", entry)
                commands = commands[0].split(", ") if commands else []
                for kind in kinds:
                    path = self.path(f"{len(jobs)}x{ENDING.get(setting, '.x')}")
                    jobs.append((program, setting, commands, kind, self.make(kind, path)))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            wrong = [w for w in pool.map(lambda job: self.outcome(*job), jobs) if w]
        self.assertEqual(wrong, [], "\n".join(wrong))


class CommandLine(Folder):
    """What a user names on the command line of a command that runs once."""

    def commands(self):
        text = run("animclip", "--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
        names = re.findall(r"^  ([a-z]+) ", text, re.M)
        self.assertGreater(len(names), 15)
        return names

    def waits(self, *args):
        """Starts a program; returns it once it reads the pipe, or has ended."""
        process = subprocess.Popen([f"{BIN}/{args[0]}", *args[1:]], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def opens(self, process, pipe):
        """Whether it has it open."""
        folder = f"/proc/{process.pid}/fd"
        try:
            return any(os.readlink(f"{folder}/{fd}") == pipe for fd in os.listdir(folder))
        except OSError:
            return False

    def test_case_61_commands_that_run_once_read_a_pipe(self):
        clip = pathlib.Path(self.clip("a.animdata")).read_bytes()
        for number, (bytes_, pipe, args) in enumerate((
                (clip, "p.animdata", ("animclip", "info", "PIPE")),
                (clip, "p.animdata", ("animclip", "validate", "PIPE")),
                (clip, "p.animdata", ("animclip", "convert", "PIPE", "o.jsonl")),
                (clip, "p.animdata", ("animclip", "cut", "PIPE", "o.jsonl", "--to", "1")),
                (clip, "p.animdata", ("a2f_source", "play", "PIPE", "--out", "p.jsonl")),
                (SECRET_WAV, "p.wav", ("a2f_source", "wav", "PIPE", "--out", "w.jsonl")))):
            path = self.path(f"{number}{pipe}")
            os.mkfifo(path)
            process = subprocess.Popen(
                [f"{BIN}/{args[0]}", *(path if a == "PIPE" else a for a in args[1:])],
                cwd=self.home.name, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            try:
                self.assertTrue(until(lambda: self.opens(process, path)), args)
                with open(path, "wb") as writer:
                    writer.write(bytes_)
                said = process.communicate(timeout=PATIENCE_S)[1]
                self.assertEqual(process.returncode, 0, f"{args}: {said}")
            finally:
                process.kill()
                process.communicate()

    def test_case_61_a_signal_ends_who_reads_a_pipe(self):
        self.clip("a.animdata")
        for args, codes in ((("a2f_source", "play", "p.animdata"), (143,)),
                            (("a2f_source", "play", "p.usda"), (143,)),
                            (("a2f_source", "wav", "p.wav"), (143,)),
                            (("animclip", "info", "p.animdata"), (-15, 143))):
            pipe = self.path(args[2])
            if not os.path.exists(pipe):
                os.mkfifo(pipe)
            for written in (False, True):
                process = self.waits(args[0], args[1], pipe, *(
                    ("--out", self.path("o.jsonl")) if args[0] == "a2f_source" else ()))
                self.assertTrue(until(lambda: self.opens(process, pipe)), args)
                writer = None
                if written:  # who has opened it, and writes no more
                    writer = os.open(pipe, os.O_WRONLY)
                    os.write(writer, b"#usda 1.0\n")
                try:
                    self.assert_stops(process, *codes)
                finally:
                    if writer is not None:
                        os.close(writer)

    def test_case_61_commands_of_animclip_end_or_can_be_ended(self):
        clip = self.clip("a.animdata")
        for kind in ("pipe", "socket", "device", "folder"):
            path = self.path(f"{kind}.animdata")
            if kind == "pipe":
                os.mkfifo(path)
            elif kind == "socket":
                held = socket.socket(socket.AF_UNIX)
                self.addCleanup(held.close)
                held.bind(path)
            elif kind == "device":
                os.symlink("/dev/zero", path)
            else:
                os.mkdir(path)
            for command in self.commands():
                used = run("animclip", command, "--help").stdout
                names = re.search(r"^Usage: animclip \w+ \[OPTIONS\](.*)$", used, re.M)[1].split()
                names = ["info", "FILE"] if names == ["SUBCOMMAND"] else names
                args = [path if n in ("FILE", "IN", "A", "IN...", "CLIP", "CHARACTER", "[FILE...]")
                        else self.path(f"{command}.jsonl") if n == "OUT"
                        else clip if n == "B" else n for n in names if n[-1] != "]" or "." in n]
                self.assertIn(path, args, used)
                if "--out TEXT REQUIRED" in used:
                    args += ["--out", self.path(f"{command}.svg")]
                if "--to TEXT REQUIRED" in used:
                    args += ["--to", "hanim_loa3"]
                process = self.waits("animclip", command, *args)
                if not until(lambda: process.poll() is not None or self.opens(process, path)):
                    self.fail(f"animclip {command} with a {kind}")
                if process.poll() is None and kind == "pipe":
                    process.send_signal(signal.SIGTERM)
                self.assertIsNotNone(process.wait(PATIENCE_S), f"animclip {command}, {kind}")
                self.assertNotEqual(process.returncode, 0, f"animclip {command}, {kind}")

    def test_case_61_a_pipe_that_nothing_reads_is_not_written(self):
        clip = self.clip("a.animdata")
        pipe = self.path("p.jsonl")
        os.mkfifo(pipe)
        for args in (("a2f_source", "say", "Hi", "--out", pipe),
                     ("a2f_source", "play", clip, "--out", pipe),
                     ("a2f_source", "vmc", "--port", "0", "--dump", pipe, "--out",
                      self.path("o.jsonl"))):
            ended = run(*args)
            self.assertIn(ended.returncode, (1, 2), args)
            self.assertIn("a pipe that nothing reads", ended.stderr)
        taken = []
        reader = threading.Thread(target=lambda: taken.append(pathlib.Path(pipe).read_bytes()))
        reader.start()
        # The reader waits for a writer, which the kernel shows nowhere.
        self.assertTrue(until(lambda: run("a2f_source", "say", "Hi", "--out", pipe).returncode == 0))
        reader.join(PATIENCE_S)
        self.assertEqual(len(taken), 1)
        self.assertGreater(taken[0].count(b"\n"), 10)


class WhileItRuns(Folder):
    """Files that turn into pipes under a server: one line in the log, and all else goes on."""

    def http(self, server):
        return Http(server.http_port)

    def clips(self, server):
        return {c["name"] for c in self.http(server).call("GET", "/clips")[1]["clips"]}

    def assert_said_once(self, server, text):
        lines = [line for line in server.log_text().splitlines() if text in line]
        self.assertEqual(len(lines), 1, lines)

    def test_case_61_a_voice_that_is_a_pipe_at_the_start(self):
        os.mkdir(self.path("clips"))
        self.clip("clips/greeting.bvh")
        os.mkfifo(self.path("clips/greeting.wav"))
        process = subprocess.Popen(
            [f"{BIN}/anim_graph", "--listen", "127.0.0.1:0", "--clips", self.path("clips")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        timer = threading.Timer(PATIENCE_S, process.kill)
        timer.start()
        ready = process.stdout.readline()
        timer.cancel()
        # The poses are what the graph wants of a clip.
        self.assertIn("grpc_port", ready)
        self.assert_stops(process, 0)

    def test_case_61_clips_gestures_and_graphs_that_turn_into_pipes(self):
        clips = self.path("clips")
        os.mkdir(clips)
        self.clip("clips/first.animdata")
        graph = self.write("my.graph.txtpb", run("anim_graph", "graph", "show", "default").stdout)
        server = self.start("anim_graph", "--http", "127.0.0.1:0", "--clips", clips, "--graph", graph)
        for number, name in enumerate(("clips/first.animdata", "clips/a.gesture.txtpb",
                                       "clips/b.graph.txtpb", "my.graph.txtpb")):
            self.replace(name, os.mkfifo)
            server.await_log(f"{name}: {PIPE_REFUSED}")
            self.clip(f"new{number}.animdata")
            os.rename(self.path(f"new{number}.animdata"), f"{clips}/new{number}.animdata")
            self.assertTrue(until(lambda: f"new{number}" in self.clips(server)), name)
        self.assertIn("first", self.clips(server))  # as it was last
        # By each change of a file one line for each, and none in between.
        lines = server.log_text().count(f"first.animdata: {PIPE_REFUSED}")
        self.assertLessEqual(lines, 8)
        self.assert_stops(server.process, 0)

    def test_case_61_certificates_that_turn_into_pipes(self):
        ca = Ca(self.home.name, "ca")
        cert, key = ca.issue("server")
        server = self.start("anim_graph", "--http", "127.0.0.1:0", "--tls-cert", cert, "--tls-key",
                            key)

        def shown():
            return [certificate_of(port, ca) for port in (server.port, server.http_port)]
        before = shown()
        self.replace("server.pem", os.mkfifo)
        for of in ("gRPC", "HTTP"):
            told = f"the new certificate of {of} cannot be used"
            self.assertTrue(until(lambda: shown() == before and told in server.log_text()))
            self.assert_said_once(server, told)
        self.assertIn(f"server.pem: {PIPE_REFUSED}", server.log_text())
        ca.issue("server")
        self.assertTrue(until(lambda: not set(shown()) & set(before)))
        self.assert_stops(server.process, 0)

    def tokens(self, *more):
        old, new = secrets.token_hex(16), secrets.token_hex(16)
        self.write("tokens", f"a watch * {old}\n")
        server = self.start("anim_graph", "--http", "127.0.0.1:0", "--tokens", self.path("tokens"),
                            *more)

        def status(token):
            return self.http(server).raw("GET", "/streams", headers={
                "Authorization": f"Bearer {token}"})[0]

        def metric():
            text = self.http(server).raw("GET", "/metrics")[2].decode()
            return float(re.search(r"^posewire_tokens_unusable (\S+)$", text, re.M)[1])
        self.assertEqual((status(old), status(new), metric()), (200, 401, 0))
        return server, old, new, status, metric

    def test_case_61_tokens_that_turn_into_a_pipe_are_kept_and_can_be_revoked(self):
        server, old, new, status, metric = self.tokens()
        for why, make in ((PIPE_REFUSED, os.mkfifo),
                          ("is a folder", lambda p: (os.remove(self.path("tokens")), os.mkdir(p))),
                          ("has 1048577 bytes", lambda p: pathlib.Path(p).write_bytes(
                              b"#" * (1 << 20) + b"\n")),
                          ("line 1: ", lambda p: pathlib.Path(p).write_text("a watch\n"))):
            if os.path.isdir(self.path("tokens")):
                os.rmdir(self.path("tokens"))
            self.replace("tokens", make)
            server.await_log(f"tokens: {why}")
            self.assertEqual((status(old), status(new), metric()), (200, 401, 1), why)
            self.assert_said_once(server, f"tokens: {why}")
        self.replace("tokens", lambda p: pathlib.Path(p).write_text(f"b watch * {new}\n"))
        self.assertTrue(until(lambda: status(new) == 200))
        self.assertEqual((status(old), metric()), (401, 0))
        self.assert_stops(server.process, 0)

    def test_case_61_tokens_lost_deny_refuses_until_they_can_be_read(self):
        server, old, _, status, metric = self.tokens("--tokens-lost", "deny")
        self.replace("tokens", os.mkfifo)
        server.await_log("calls that need a token are refused")
        self.assertEqual((status(old), metric()), (503, 1))
        self.assertEqual(self.http(server).raw("GET", "/liveness")[0], 200)
        self.replace("tokens", lambda p: pathlib.Path(p).write_text(f"a watch * {old}\n"))
        self.assertTrue(until(lambda: status(old) == 200))
        self.assertEqual(metric(), 0)
        os.remove(self.path("tokens"))
        self.assertTrue(until(lambda: status(old) == 503))
        self.assert_stops(server.process, 0)


STAGE = """#usda 1.0
( defaultPrim = "A" timeCodesPerSecond = 24 %s )
def SkelRoot "A" {
    def SpatialAudio "Voice" { uniform asset filePath = @%s@ }
    def Skeleton "S" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
        uniform token[] joints = ["hips"]
        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
        rel skel:animationSource = </A/S/Move>
        def SkelAnimation "Move" {
            uniform token[] joints = ["hips"]
            quatf[] rotations.timeSamples = { 0: [(1,0,0,0)], 24: [(0.7071068,0.7071068,0,0)] }
            float3[] translations = [(0,0,0)]
            half3[] scales = [(1,1,1)]
        }
    }
}
"""


class NamedByFiles(Folder):
    """Files that files name."""

    def setUp(self):
        super().setUp()
        self.write("secret.wav", SECRET_WAV)
        self.write("in/voice.wav", SECRET_WAV)
        self.write("in/below/voice.wav", SECRET_WAV)
        self.write("secret.usda", "#usda 1.0\n")
        self.write("in/layer.usda", "#usda 1.0\n")
        os.symlink("../secret.wav", self.path("in/link.wav"))
        os.symlink(self.home.name, self.path("in/folder"))
        os.mkfifo(self.path("in/pipe.wav"))

    def convert(self, more="", voice="voice.wav"):
        stage = self.write("in/stage.usda", STAGE % (more, voice))
        return run("animclip", "convert", stage, self.path("out.jsonl"))

    def foreign(self, name):
        return [f"../{name}", self.path(name), f"below/../../{name}", f"folder/{name}"]

    def test_case_70_a_stage_publishes_no_file_from_elsewhere(self):
        for name in ("voice.wav", "./voice.wav", "below/voice.wav", "below/../voice.wav"):
            done = self.convert(voice=name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("audioBuffer", pathlib.Path(self.path("out.jsonl")).read_text())
        for name in (*self.foreign("secret.wav"), "link.wav"):
            done = self.convert(voice=name)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn("is not in the folder of", done.stderr)
        self.assertIn(PIPE_REFUSED, self.convert(voice="pipe.wav").stderr)

    def test_case_70_a_stage_has_no_layer_from_elsewhere(self):
        self.assertEqual(self.convert("subLayers = [@./layer.usda@]").returncode, 0)
        for name in self.foreign("secret.usda"):
            done = self.convert(f"subLayers = [@{name}@]")
            self.assertEqual(done.returncode, 1, name)
            self.assertIn("is not in the folder of", done.stderr)

    def test_case_70_gltf_and_lists_of_offsets_follow_the_same_rule(self):
        self.write("secret.bin", b"\0" * 4)
        self.write("in/own.bin", b"\0" * 4)
        for name in (*self.foreign("secret.bin"), "pipe.wav"):
            gltf = self.write("in/a.gltf", json.dumps({
                "asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": name}]}))
            for args in (("renderer_sink", "view", "--http", "127.0.0.1:0", "--from", "127.0.0.1:1",
                          "--avatar", gltf), ("animclip", "info", gltf)):
                done = run(*args)
                self.assertIn(done.returncode, (1, 2), args)
                self.assertIn(PIPE_REFUSED if name == "pipe.wav" else "is not in the folder of",
                              done.stderr)
        self.write("secret.offsets", b"x")
        for name in self.foreign("secret.offsets"):
            list_ = self.write("in/list.txt", name + "\n")
            done = run("renderer_sink", "view", "--http", "127.0.0.1:0", "--from", "127.0.0.1:1",
                       "--offsets", list_)
            self.assertIn("line 1: ", done.stderr)
            self.assertIn("is not in the folder of", done.stderr)


if __name__ == "__main__":
    unittest.main()
