"""./run and ./test with stand-ins for the package tools, the compiler and the services."""
import os
import signal
import stat
import subprocess
import tempfile
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
    "apt-get": 'echo "apt-get $*" >>"$CALLS"',
    "sudo": 'echo "sudo" >>"$CALLS"; exec "$@"',
    "go": 'echo "go $*" >>"$CALLS"',
    "id": 'echo "${FAKE_UID:-0}"',
    "cmake": 'echo "cmake $*" >>"$CALLS"',
    "ctest": 'echo "ctest $*" >>"$CALLS"; echo "100% tests passed"',
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
    "animclip": 'echo "animclip $*" >>"$CALLS"',
}


class ScriptsTest(unittest.TestCase):
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
            "CALLS": str(self.calls),
            "DONE": str(self.dir / "done"),
            "MISSING": "",
            "POSEWIRE_BUILD_DIR": str(self.dir / "build"),
            "POSEWIRE_OUT_DIR": str(self.dir / "out"),
        }

    def write(self, path, body):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/bash\n" + textwrap.dedent(body) + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def script(self, name, *arguments, **env):
        return subprocess.run([str(ROOT / name), *arguments], env=self.env | env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_all_scripts_parse(self):
        scripts = [ROOT / name for name in ("run", "test", "lint", ".ci/run", "docker/test")]
        scripts += sorted((ROOT / "scripts").glob("*.sh")) + sorted((ROOT / "docker").glob("*.sh"))
        self.assertGreater(len(scripts), 7)
        for script in scripts:
            done = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_run_makes_no_package_call_when_all_is_there(self):
        done = self.script("run", "Hello there.")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = self.called()
        self.assertFalse([c for c in calls if c.startswith(("apt-get", "go", "sudo"))])
        self.assertIn("57 frames, 1.90 s", done.stdout)
        self.assertIn("anim_graph stopped", calls)
        source = next(c for c in calls if c.startswith("a2f_source "))
        self.assertTrue(source.startswith("a2f_source say Hello there. --to 127.0.0.1:4711 "))
        self.assertTrue(any(c.startswith("animclip sheet ") for c in calls))
        results = list((self.dir / "out").iterdir())
        self.assertEqual(len(results), 1)
        self.assertIn("57 frames", (results[0] / "summary.txt").read_text())

    def test_run_installs_just_what_is_missing(self):
        done = self.script("run", "--build", MISSING="cmake flite1-dev")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = [c for c in self.called() if c.startswith("apt-get")]
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].startswith("apt-get update"))
        self.assertTrue(calls[1].endswith("--no-install-recommends cmake flite1-dev"))

    def test_run_asks_sudo_when_it_is_not_root(self):
        done = self.script("run", "--build", MISSING="cmake", FAKE_UID="1000")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.called().count("sudo"), 2)

    def test_run_build_starts_nothing(self):
        done = self.script("run", "--build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse([c for c in self.called() if c.startswith("a2f_source")])
        self.assertFalse((self.dir / "out").exists())

    def test_run_refuses_what_it_does_not_know(self):
        done = self.script("run", "--bild")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown flag --bild", done.stderr)
        self.assertEqual(self.script("run", "  ").returncode, 1)

    def test_run_says_why_a_service_failed_and_stops_the_others(self):
        done = self.script("run", "Hello.", BROKEN_SOURCE="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a2f_source ended with code 1", done.stderr)
        self.assertIn("the voice is hoarse", done.stderr)
        self.assertIn("anim_graph stopped", self.called())
        self.assertIn("renderer_sink stopped", self.called())

    def test_run_says_why_anim_graph_did_not_start(self):
        done = self.script("run", "Hello.", BROKEN_START="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("anim_graph did not start", done.stderr)
        self.assertIn("no port", done.stderr)

    def test_interrupted_run_stops_all_three(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.calls.unlink(missing_ok=True)
            run = subprocess.Popen([str(ROOT / "run"), "Hello."], env=self.env | {"ENDLESS": "1"},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, start_new_session=True)
            # Until the source speaks, and the sink has come as far as to hear of it: it was started
            # before, and may be slower.
            deadline = time.monotonic() + 30
            while not all(any(c.startswith(f"{name} ") for c in self.called())
                          for name in ("renderer_sink", "a2f_source")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            os.killpg(run.pid, number)  # As a terminal does: the whole group.
            text, _ = run.communicate(timeout=30)
            self.assertEqual(run.returncode, code, text)
            for name in SERVICES:
                if name != "animclip":
                    self.assertIn(f"{name} stopped", self.called(), text)

    def test_view_serves_the_page_and_says_each_line_until_it_is_interrupted(self):
        run = subprocess.Popen([str(ROOT / "run"), "--view", "Hello."], env=self.env,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, start_new_session=True)
        run.stdin.write("\nAnd you?\n")
        run.stdin.flush()
        spoken = lambda: [c for c in self.called() if c.startswith("a2f_source say")]
        deadline = time.monotonic() + 30
        while len(spoken()) < 2:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGINT)
        text, _ = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130, text)
        self.assertIn("http://127.0.0.1:4712", text)
        self.assertIn("a2f_source serve --listen 127.0.0.1:0 --to 127.0.0.1:4711 --stream-id avatar",
                      self.called())
        view = next(c for c in self.called() if c.startswith("renderer_sink view"))
        self.assertIn("--say-to 127.0.0.1:4713", view)
        self.assertTrue(spoken()[0].startswith("a2f_source say Hello. --to 127.0.0.1:4711 "))
        self.assertTrue(spoken()[1].startswith("a2f_source say And you? --to 127.0.0.1:4711 "))
        for name in ("anim_graph", "renderer_sink", "a2f_source"):
            self.assertIn(f"{name} stopped", self.called(), text)

    def test_a_service_that_is_slow_to_start_has_its_files_at_once(self):
        # The parent looks before the child has run: often, though not each time.
        done = subprocess.run(
            ["bash", "-c", """
                set -euo pipefail
                source scripts/setup.sh
                source scripts/pipeline.sh
                out=$1
                for i in $(seq 100); do
                  start "service$i" true
                  [ -e "$out/service$i.out" ] && [ -e "$out/service$i.log" ] || echo "none at $i"
                done
                wait""", "bash", str(self.dir)],
            cwd=ROOT, env=self.env, text=True, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_an_image_without_its_page_is_refused_unless_it_was_asked_for(self):
        page = self.dir / "build/services/renderer_sink/view/bundle/app.js"
        page.parent.mkdir(parents=True)
        collect = [str(ROOT / "docker/collect.sh"), str(self.dir / "build"), str(self.dir / "image"),
                   str(self.dir / "pictures")]
        for text in None, "":
            if text is not None:
                page.write_text(text)
            done = subprocess.run(collect, env=self.env, text=True, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn("NPM_CONFIG_REGISTRY", done.stderr)
            self.assertFalse((self.dir / "image").exists())
        done = subprocess.run(collect, env=self.env | {"POSEWIRE_PAGE": "no"}, text=True,
                              capture_output=True, timeout=60)
        self.assertTrue((self.dir / "image").exists(), done.stderr)

    def test_test_passes_its_name_to_ctest(self):
        done = self.script("test", "flags", "-V")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ctest = next(c for c in self.called() if c.startswith("ctest"))
        self.assertTrue(ctest.endswith("-R flags -V"), ctest)
        self.assertTrue(done.stdout.endswith("100% tests passed\n"))

    def test_ci_runs_all_tests_and_ends_with_their_summary(self):
        done = self.script(".ci/run")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ctest = next(c for c in self.called() if c.startswith("ctest"))
        self.assertNotIn("-R", ctest)
        self.assertTrue(done.stdout.endswith("100% tests passed\n"))


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main(verbosity=2)
