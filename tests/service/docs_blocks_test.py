"""The `sh` blocks of the pages under docs/, run as they stand there, in a folder laid out as a clone.

Each block has a shell of its own, after those before it on its page, and the files that they made. A
program that goes on until Ctrl-C is stopped where it stands in the foreground, once it is ready; in
the background it runs to the end of its block. Only ports differ: somebody may use the usual ones.
What needs root, Docker or another machine is a `console` block, which nobody runs; README.md,
quickstart.md and tutorial.md have tests of their own, and docs_films_test runs pages whose commands
draw films."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from posewire_test import BIN, Server, free_port, long_level, tool, until
from small_person import small_person

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ELSEWHERE = {"agents.md", "quickstart.md", "tutorial.md"}

# Takes the place of each program: other ports by default, and an end for what would go on.
STAND_IN = '''#!{python} -B
import os, signal, subprocess, sys, time
program, args = {program!r}, sys.argv[1:]
ports = {ports!r}
command = next((a for a in args if not a.startswith("-")), "")
def default(name, port):
    os.environ.setdefault("POSEWIRE_" + name, "127.0.0.1:%d" % ports[port])
asks = any(a.startswith(("--health-check", "--help", "--version")) for a in args)
deaf = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
if program == "anim_graph" and not asks:
    # Nothing calls a program that runs in the foreground.
    ports["51000"] = ports["51000"] if deaf else 0
    default("LISTEN", "51000")
if program == "a2f_source":
    default("TO", "51000")
    if command == "serve":
        default("LISTEN", "52000" if "--ace-compat" in args else "51002")
    if command == "vmc":
        os.environ.setdefault("POSEWIRE_PORT", str(ports["39539"]))
    if command == "livelink":
        os.environ.setdefault("POSEWIRE_PORT", str(ports["11111"]))
if program == "renderer_sink":
    default("FROM", "51000")
    if command == "view":
        default("HTTP", "8080")
goes_on = not asks and ((program == "anim_graph" and command != "graph") or
    (program, command) in {{("a2f_source", "serve"), ("a2f_source", "vmc"), ("a2f_source", "livelink"),
                            ("renderer_sink", "view"), ("renderer_sink", "livelink"),
                            ("renderer_sink", "vmc"), ("renderer_sink", "stream"),
                            ("renderer_sink", "record")}})
ends = any(a.startswith(("--duration", "--until-end", "--request-id", "--replay")) for a in args)
path = os.path.join({bin!r}, program)
# Shells without job control start what is in the background deaf to Ctrl-C.
if not goes_on or ends or deaf:
    os.execv(path, [program, *args])
process = subprocess.Popen([path, *args], stdout=subprocess.PIPE, text=True)
ready = process.stdout.readline() if (program, command) != ("renderer_sink", "record") else "{{"
if not ready.startswith("{{"):
    sys.exit(process.wait() or 1)
def handles_interrupts():
    with open("/proc/%d/status" % process.pid) as status:
        masks = dict(line.split(":", 1) for line in status)
    return (int(masks["SigCgt"], 16) | int(masks["SigBlk"], 16)) >> (signal.SIGINT - 1) & 1
try:
    process.wait(0.5)
except subprocess.TimeoutExpired:
    # On a busy machine it takes longer to start.
    while process.poll() is None and not handles_interrupts():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
sys.exit(process.wait(20))
'''


def sh_blocks(page):
    return re.findall(r"^```sh\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)


class Page(unittest.TestCase):
    PATIENCE_S = 150  # for a block

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("data", "docs", "docker"):
            os.symlink(ROOT / name, self.folder / name)
        self.ports = {port: free_port() for port in ("51000", "51002", "52000", "8020", "8080",
                                                     "39539", "11111", "6379")}
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.add("arecord", f"#!{sys.executable}\nimport os\nos.write(1, bytes(2 * 16000))\n")
        self.env = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}:/usr/sbin", "PS4": "+ "}

    def add(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def program(self, name, *args):
        subprocess.run([os.path.join(BIN, name), *args], cwd=self.folder, check=True,
                       capture_output=True)

    def graph(self):
        """An anim_graph that runs already, where a page says nothing of it."""
        server = Server("anim_graph", "--http", f"127.0.0.1:{self.ports['8020']}",
                        listen=f"127.0.0.1:{self.ports['51000']}")
        self.addCleanup(server.stop)

    def run_page(self, page, without=(), codes=None, one_shell=False):
        """`without`: beginnings of lines that are left out, each with its reason in the test.
        `codes`: lines, by their beginnings, that end with another code than 0. `one_shell`: what one
        block starts in the background is there for those after it."""
        blocks = ["".join(sh_blocks(page))] if one_shell else sh_blocks(page)
        self.assertTrue(blocks, page)
        text = "".join(blocks)
        for known in (*without, *(codes or {})):
            self.assertRegex(text, rf"(?m)^{re.escape(known)}", f"{page} has no such line any more")
        # What watches goes on until Ctrl-C.
        watcher = ("WatchEvents", "RequestAnimationIds")
        self.add("grpcurl", f"""#!/bin/bash
case "${{*: -1}}" in
  *{'|*'.join(watcher)}) timeout -s INT 2 {tool("grpcurl")} "$@" || [ $? = 124 ] ;;
  *) exec {tool("grpcurl")} "$@" ;;
esac
""")
        for host_port in re.findall(r"(?:127\.0\.0\.1|localhost|0\.0\.0\.0):(\d{4,5})", text):
            self.ports.setdefault(host_port, free_port())
        for name in ("anim_graph", "a2f_source", "renderer_sink", "animclip"):
            self.add(name, STAND_IN.format(python="/usr/bin/python3", program=name, bin=BIN,
                                           ports=self.ports))
        for number, block in enumerate(blocks, 1):
            with self.subTest(page, block=number):
                self.run_block(self.changed(block, without, codes or {}))

    def changed(self, block, without, codes):
        lines = []
        for line in block.splitlines():
            if line.startswith(tuple(without)):
                continue
            code = next((c for known, c in codes.items() if line.startswith(known)), 0)
            lines.append(f"{line.split(' #')[0]} && false || [ $? = {code} ]" if code else line)
        return re.sub(r"\b(127\.0\.0\.1|localhost|0\.0\.0\.0):(\d{4,5})\b",
                      lambda m: f"{m[1]}:{self.ports[m[2]]}", "\n".join(lines) + "\n")

    def run_block(self, script):
        with tempfile.TemporaryFile("w+") as log:
            shell = subprocess.Popen(["bash", "-exo", "pipefail", "-c", script], cwd=self.folder,
                                     stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                     start_new_session=True, env=self.env,
                                     # Where this test itself is in the background, it is deaf.
                                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            try:
                code = shell.wait(self.PATIENCE_S)
            finally:
                self.end(shell)
            log.seek(0)
            self.assertEqual(code, 0, f"{script}\n{log.read()[-4000:]}")

    def end(self, shell):
        """Programs drain, and the next block wants their ports."""
        def tell(number):
            try:
                os.killpg(shell.pid, number)
                return True
            except ProcessLookupError:
                return False
        tell(signal.SIGTERM)
        shell.wait(20)
        if not until(lambda: not tell(0), 30):
            tell(signal.SIGKILL)

    def take(self, *names, text="A take.", **options):
        """Spoken takes by these names."""
        self.program("a2f_source", "say", text, "--out", names[0])
        for name in names[1:]:
            if name.endswith(Path(names[0]).suffix):
                shutil.copy(self.folder / names[0], self.folder / name)
            else:
                self.program("animclip", "convert", names[0], name)

    def wave(self):
        self.program("animclip", "gestures", "--out", "gestures")
        shutil.copy(self.folder / "gestures/wave.animdata", self.folder / "wave.animdata")

    def given(self, path):
        shutil.copy(ROOT / path, self.folder)

    def ffmpeg(self, *args):
        subprocess.run([tool("ffmpeg"), "-v", "error", "-y", *args], cwd=self.folder, check=True)

    def voice(self, name):
        self.ffmpeg("-i", "data/samples/voice.wav", name)

    def picture(self, name):
        self.ffmpeg("-f", "lavfi", "-i", "color=c=gray:s=64x36", "-frames:v", "1", name)

    def person(self, *names):
        for name in names:
            (self.folder / name).write_bytes(small_person("vrm1"))


class DocsBlocks(Page):
    def test_every_page_with_blocks_is_run(self):
        here = Path(__file__)
        tests = here.read_text() + (here.parent / "docs_films_test.py").read_text()
        run = set(re.findall(r'self\.run_page\(\s*"([\w-]+\.md)"', tests))
        pages = [str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")]
        with_blocks = {page for page in pages if sh_blocks(page)}
        self.assertEqual(with_blocks - ELSEWHERE, run)

    def test_operations(self):
        """TLS and tokens, from making certificates on; the front door; traces."""
        self.run_page("operations.md")

    def test_embedding(self):
        self.run_page("embedding.md")

    def test_a2f(self):
        self.run_page("a2f.md")

    def test_animclip(self):
        self.take("take.animdata", "pushed.jsonl", "pulled.animdata", "torn.animdata",
                  text="A take of more than three seconds, so that there is enough to cut from it.")
        self.wave()
        torn = self.folder / "torn.animdata"
        torn.write_bytes(torn.read_bytes()[:-1000])
        self.run_page("animclip.md", codes={"animclip recover torn.animdata": 3})

    def test_complex_characters(self):
        """Moving meshes become a character, which is shown."""
        subprocess.run([Path(BIN).parent / "tests/film_frames", self.folder, "wave", "10"], check=True)
        self.program("animclip", "convert", "take.animdata", "take.glb")
        self.graph()
        self.run_page("complex-characters.md")

    def test_configuration(self):
        (self.folder / "anim_graph.toml").write_text("fps = 60\n")
        self.run_page("configuration.md")

    def test_control(self):
        self.run_page("control.md", one_shell=True)

    @long_level
    def test_retargeting(self):
        self.graph()
        self.run_page("retargeting.md")

    def test_sources_and_sinks(self):
        self.graph()
        # It installs and builds; readme_test knows its flags.
        self.run_page("sources-and-sinks.md", without=["./run --view"])

    @long_level
    def test_view(self):
        self.graph()
        self.person("my.vrm")
        self.picture("office.jpg")
        self.wave()
        (self.folder / "films").mkdir()
        self.program("animclip", "bake", "wave", "films/wave.offsets")
        self.run_page("view.md", without=["./run --view"])

    def test_livelink(self):
        # These send to other machines: livelink_test and ifacialmocap_test do so.
        self.run_page("livelink.md", without=["renderer_sink livelink", "a2f_source ifacialmocap"])

    def test_engines(self):
        self.run_page("engines.md", without=["renderer_sink vmc"])

    def test_shapes(self):
        self.take("take.animdata")
        self.run_page("shapes.md", without=["renderer_sink vmc"])

    def test_vmc(self):
        # These send to another machine, or replay what a performer has sent: vmc_test does so.
        self.run_page("vmc.md", without=["renderer_sink vmc", "a2f_source vmc --stream-id stage --dump",
                                         "a2f_source vmc --replay"])


if __name__ == "__main__":
    unittest.main()
