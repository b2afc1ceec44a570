"""What ./run and ./test call, as small scripts: package tools, compiler, services, ffmpeg."""
import contextlib
import fcntl
import os
import pty
import select
import signal
import stat
import struct
import subprocess
import tempfile
import termios
import textwrap
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TOOLS = {
    # Says that every package is there but those in $MISSING.
    "dpkg-query": '''
        shift 3
        for package in "$@"; do
          case " $MISSING " in *" $package "*) ;; *) echo "installed $package" ;; esac
        done''',
    "apt-get": '''
        echo "apt-get $*" >>"$CALLS"
        case "$*" in
          *--download-only*) [ -z "$SLOW_DOWNLOAD" ] || wait_for released ;;
          *install*)
            [ -z "$BROKEN_INSTALL" ] || { echo "E: the disk is full" >&2; exit 100; }
            [ -z "$SLOW_INSTALL" ] || wait_for released
            case "$*" in *ffmpeg*) cp "$TOOLS_DIR/true" "$TOOLS_DIR/ffmpeg" ;; esac
            echo "installed" >>"$CALLS" ;;
        esac''',
    "sudo": 'echo "sudo" >>"$CALLS"; [ "$1" != -n ] || shift; exec "$@"',
    "go": 'echo "go $*" >>"$CALLS"',
    "id": 'echo "${FAKE_UID:-0}"',
    # Fetches, configures or builds.
    "cmake": '''
        trap 'exit 130' INT  # as ninja; bash alone may miss it between two children
        echo "cmake $*" >>"$CALLS"
        case "$*" in
          *ONLY_FETCH*)
            trap 'echo "fetch stopped" >>"$CALLS"; exit 143' TERM
            [ -z "$SLOW_FETCH" ] || { wait_for fetch_released; echo "fetched" >>"$CALLS"; } ;;
          *--build*)
            [ -z "$NINJA" ] || cat "$NINJA"
            [ -z "$SLOW_BUILD" ] || wait_for released
            [ -z "$BROKEN_BUILD" ] || exit 1
            echo "built" >>"$CALLS" ;;
        esac''',
    "npm": 'echo "npm $*" >>"$CALLS"',
    "true": "",
    "ffmpeg": 'echo "ffmpeg $*" >>"$CALLS"',
    "ctest": '''
        echo "ctest $*" >>"$CALLS"
        echo "level $TEST_LEVEL" >>"$CALLS"
        echo "100% tests passed"''',
}
SERVICES = {
    "anim_graph": '''
        trap 'echo "anim_graph stopped" >>"$CALLS"; exit 0' TERM
        if [ -n "$BROKEN_START" ]; then echo "no port" >&2; exit 1; fi
        echo '{"grpc_port": 4711}'
        for i in $(seq 400); do sleep 0.05; done''',
    "renderer_sink": '''
        trap 'echo "renderer_sink stopped" >>"$CALLS"; exit 0' TERM
        echo "renderer_sink $*" >>"$CALLS"
        if [ "$1" = render ]; then
          [ -z "$PLAIN" ] || echo '{"msg": "avatar", "name": "plain figure"}' >&2
          case "$3" in *.mp4) [ -z "$BROKEN_FILM" ] || { echo "no encoder" >&2; exit 1; } ;; esac
          : >"$3"
          exit 0
        fi
        if [ "$1" = view ]; then echo '{"http_port": 4712}'; for i in $(seq 400); do sleep 0.05; done; fi
        while [ ! -e "$DONE" ]; do sleep 0.02; done
        echo "57 frames, 1.90 s, audio 1.90 s, gaps 0"''',
    "a2f_source": '''
        trap 'echo "a2f_source stopped" >>"$CALLS"; exit 143' TERM
        echo "a2f_source $*" >>"$CALLS"
        if [ "$1" = serve ]; then echo '{"grpc_port": 4713}'; for i in $(seq 400); do sleep 0.05; done; fi
        if [ -n "$BROKEN_SOURCE" ]; then echo "the voice is hoarse" >&2; exit 1; fi
        if [ -n "$ENDLESS" ]; then for i in $(seq 400); do sleep 0.05; done; fi
        : >"$DONE"''',
    # Converting breaks off as with a closed pipe.
    "animclip": '''
        echo "animclip $*" >>"$CALLS"
        if [ "$1" = convert ]; then [ -z "$TAKE" ] || cat "$TAKE"; exit 141; fi''',
}
# wait_for NAME: until there is a file of that name in the test's folder.
HEAD = """#!/bin/bash
wait_for() { until [ -e "$HOME/$1" ]; do sleep 0.02; done; }
"""
NINJA = """ninja: Entering directory `build'
[1/4] Building CXX object a.cc.o
[2/4] Building CXX object b.cc.o
b.cc:3: warning: this is odd
"""


class StandIns(unittest.TestCase):
    """A folder of stand-ins, and the environment in which ./run and ./test find them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.calls = self.dir / "calls"
        for name, body in TOOLS.items():
            self.write(self.dir / "tools" / name, body)
        for name, body in SERVICES.items():
            self.write(self.dir / "build" / "bin" / name, body)
        self.env = {
            "PATH": f"{self.dir / 'tools'}:/usr/bin:/bin",
            "HOME": str(self.dir),
            "TMPDIR": str(self.dir),
            "CALLS": str(self.calls),
            "DONE": str(self.dir / "done"),
            "MISSING": "",
            "TOOLS_DIR": str(self.dir / "tools"),
            "POSEWIRE_TOOLS_DIR": str(self.dir / "foreign"),
            "POSEWIRE_BUILD_DIR": str(self.dir / "build"),
            "POSEWIRE_OUT_DIR": str(self.dir / "out"),
        }

    def write(self, path, body):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + textwrap.dedent(body) + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def script(self, name, *arguments, **env):
        return subprocess.run([str(ROOT / name), *arguments], env=self.env | env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def until(self, condition):
        deadline = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), deadline, self.called())
            time.sleep(0.02)

    def until_called(self, start):
        self.until(lambda: any(call.startswith(start) for call in self.called()))

    def started(self, name, *arguments, **env):
        script = subprocess.Popen([str(ROOT / name), *arguments], env=self.env | env, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end, script)
        return script

    def end(self, script):
        """With all that it started in its own group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(script.pid, signal.SIGKILL)
        script.communicate()

    def path_without(self, *names):
        """What the system has but for these, in front of it the stand-ins that are left."""
        bare = self.dir / "bare"
        bare.mkdir()
        for program in Path("/usr/bin").iterdir():
            if program.name not in names:
                (bare / program.name).symlink_to(program)
        for name in names:
            (self.dir / "tools" / name).unlink(missing_ok=True)
        return f"{self.dir / 'tools'}:{bare}"

    def results(self):
        return {path.name for folder in (self.dir / "out").iterdir() for path in folder.iterdir()}

    def bash(self, text, **env):
        """The text, run after what ./run loads."""
        return subprocess.run(
            ["bash", "-c", "set -euo pipefail\nfor part in setup jobs progress pipeline; do "
                           "source scripts/$part.sh; done\n" + text],
            cwd=ROOT, env=self.env | env, text=True, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=60)

    def ninja(self, text=NINJA):
        file = self.dir / "ninja.txt"
        file.write_text(text)
        return str(file)

    def on_terminal(self, *arguments, **env):
        """All that ./run writes to a terminal of 80 columns."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        script = subprocess.Popen([str(ROOT / "run"), *arguments], env=self.env | env,
                                  stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                                  start_new_session=True)
        os.close(slave)
        self.addCleanup(self.end, script)
        text = ""
        while True:
            self.assertTrue(select.select([master], [], [], 30)[0], text)
            try:
                data = os.read(master, 4096)
            except OSError:  # The last process has closed it.
                break
            text += data.decode()
            if " 2 of 4 steps" in text:
                (self.dir / "released").touch()
        os.close(master)
        return script.wait(30), text.replace("\r\n", "\n")

    def foreign(self, **others):
        """What need_test_tools looks for, but for these stand-ins."""
        tools = {"bin/grpcurl": "", "bin/promtool": "", "bin/helm": "", "venv/bin/python": "",
                 "venv/bin/envoy": "", "venv/bin/kubernetes-validate": ""} | others
        for name, body in tools.items():
            if body is not None:
                self.write(self.dir / "foreign" / name, body)
        for folder, package in (("x_ite", "x_ite"), ("osc_js", "osc"),
                                ("iwer", "iwer"), ("gltf_validator", "gltf-validator")):
            at = self.dir / "foreign" / folder
            (at / "node_modules" / package).mkdir(parents=True)
            (at / "package-lock.json").write_bytes(
                (ROOT / "tests/service" / folder / "package-lock.json").read_bytes())
