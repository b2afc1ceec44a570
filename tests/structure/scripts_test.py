"""./run and ./test with stand-ins for the package tools, the compiler and the services."""
import json
import math
import os
import re
import signal
import subprocess
import time
import unittest

from stand_ins import ROOT, SERVICES, StandIns


class ScriptsTest(StandIns):
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

    def take(self, *keys):
        """A clip of keys of (seconds, turn of an elbow, weights), as animclip writes it."""
        shapes = ["jawOpen", "mouthSmileLeft", "eyeBlinkLeft", "eyeBlinkRight", "mouthPucker"]
        messages = [{"animationDataStreamHeader": {"skelAnimationHeader": {
            "blendShapes": shapes, "joints": ["root", "root/r_elbow"]}}}]
        for time_s, turn, weights in keys:
            messages.append({"animationData": {"skelAnimation": {
                "blendShapeWeights": [{"timeCode": time_s,
                                       "values": [weights.get(shape, 0) for shape in shapes]}],
                "rotations": [{"timeCode": time_s, "values": [
                    {"real": 1}, {"real": math.cos(turn / 2), "i": math.sin(turn / 2)}]}]}}})
        return "".join(json.dumps(message) + "\n" for message in messages)

    def best_moment(self, *keys):
        done = subprocess.run([str(ROOT / "scripts/best_moment.py")], text=True, timeout=60,
                              input=self.take(*keys), capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_picture_shows_open_eyes_a_speaking_mouth_and_arms_at_rest(self):
        open_mouth = {"jawOpen": 0.3, "mouthSmileLeft": 0.2}
        faces = {1.0: open_mouth | {"eyeBlinkLeft": 0.8, "eyeBlinkRight": 0.8},
                 2.0: open_mouth,  # while the arm moves
                 3.0: {"jawOpen": 0.3, "mouthPucker": 0.5},
                 4.0: open_mouth,
                 5.9: open_mouth | {"mouthSmileLeft": 0.3}}  # at the very end
        keys = [(i / 10, min(2, max(0, 2 * (i - 16) / 10)), faces.get(i / 10, {})) for i in range(61)]
        self.assertEqual(self.best_moment(*keys), "4.000\n")
        # A hand that is raised is worth showing.
        keys = [(i / 10, 1.5 if i > 45 else 0, open_mouth if i in (20, 50) else {}) for i in range(61)]
        self.assertEqual(self.best_moment(*keys), "5.000\n")

    def test_the_picture_of_a_clip_without_a_face_has_no_best_moment(self):
        self.assertEqual(self.best_moment(), "")

    def test_run_draws_the_picture_at_the_best_moment(self):
        take = self.dir / "take.jsonl"
        take.write_text(self.take(*((i / 10, 0, {"jawOpen": 0.3} if i == 7 else {}) for i in range(30))))
        done = self.script("run", "Hello.", TAKE=str(take))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        render = [call for call in self.called() if call.startswith("renderer_sink render")]
        self.assertIn("picture.png --at 0.700 ", next(c for c in render if "picture.png" in c))
        self.assertNotIn("--at", next(c for c in render if "film.mp4" in c))

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

    def test_run_ends_with_a_film_a_picture_and_a_sheet(self):
        done = self.script("run", "Hello.")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertLessEqual({"film.mp4", "picture.png"}, self.results())
        self.assertTrue(any(c.startswith("animclip sheet ") for c in self.called()))
        listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
        self.assertEqual(listed[:3], ["film.mp4", "picture.png", "sheet.png"])
        self.assertIn("woman", done.stdout)
        self.assertNotIn("plain figure", done.stdout)
        self.assertIn("./run --view", done.stdout.splitlines()[-1])

    def test_run_installs_ffmpeg_for_the_film(self):
        done = self.script("run", "Hello.", PATH=self.path_without("ffmpeg"), MISSING="ffmpeg")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("film.mp4", self.results())
        self.assertIn("apt-get install -y -q --no-install-recommends ffmpeg", self.called())
        self.assertIn("  film.mp4 ", done.stdout)

    def test_run_makes_no_film_where_ffmpeg_cannot_be_installed(self):
        path = self.path_without("ffmpeg", "sudo")
        for env in {"BROKEN_INSTALL": "1"}, {"FAKE_UID": "1000"}:
            self.calls.unlink(missing_ok=True)
            done = self.script("run", "Hello.", PATH=path, MISSING="ffmpeg", **env)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("no film, because ffmpeg is not installed", done.stdout)
            self.assertIn("apt-get install ffmpeg", done.stdout)
            self.assertNotIn("film.mp4", done.stdout)
            self.assertIn("  picture.png ", done.stdout)
            self.assertIn("picture.png", self.results())
            self.assertFalse([c for c in self.called() if c.endswith("film.mp4")])
        self.assertFalse([c for c in self.called() if c.startswith(("apt-get", "sudo"))])

    def test_run_goes_without_a_film_when_ffmpeg_takes_longer_than_half_a_minute(self):
        path = self.path_without("ffmpeg")
        done = self.bash("""
            source scripts/drawing.sh
            FFMPEG_FROM=$((SECONDS - 30))
            start_job ffmpeg need_packages ffmpeg
            have_ffmpeg || echo "without"
            job_runs ffmpeg || echo "stopped" """, PATH=path, MISSING="ffmpeg", SLOW_DOWNLOAD="1")
        self.assertEqual((done.returncode, done.stdout), (0, "without\nstopped\n"), done.stderr)
        self.assertNotIn("installed", self.called())

    def test_run_needs_no_film_to_succeed(self):
        done = self.script("run", "Hello.", BROKEN_FILM="1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("There is no film: no encoder", done.stdout)
        self.assertIn("picture.png", self.results())

    def test_run_says_in_a_line_that_a_plain_figure_takes_her_place(self):
        done = self.script("run", "Hello.", PLAIN="1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = [line for line in done.stdout.splitlines() if "PyPI" in line]
        self.assertEqual(len(lines), 1, done.stdout)
        self.assertIn("plain figure", lines[0])
        self.assertNotIn("the built-in woman says", done.stdout)

    def test_run_prints_plain_lines_in_a_pipe(self):
        done = self.script("run", "Hello.", NINJA=self.ninja(), MISSING="cmake")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("b.cc:3: warning: this is odd\n", done.stdout)
        for text in "\r", "\033", "Building CXX", "Entering directory", "left":
            self.assertNotIn(text, done.stdout + done.stderr)

    def test_run_shows_progress_on_a_terminal(self):
        code, text = self.on_terminal("Hello.", NINJA=self.ninja(), SLOW_BUILD="1", TERM="xterm")
        self.assertEqual(code, 0, text)
        drawn = re.findall(r"\r\033\[K([^\r\n]+)", text)
        bars = [line for line in drawn if line.startswith("[")]
        self.assertTrue(bars, text)
        for bar in bars:
            self.assertRegex(bar, r"^\[#*-*\] \d+ %  .*left$")
            self.assertLess(len(bar), 80)
        self.assertTrue([bar for bar in bars if "Compiling, 2 of 4 steps" in bar], bars)
        self.assertTrue([bar for bar in bars if "Speaking" in bar], bars)
        shares = [int(re.search(r"(\d+) %", bar)[1]) for bar in bars]
        self.assertEqual(shares, sorted(shares))
        # Nothing of the line is left among what stays.
        kept = [line.split("\r\033[K")[-1] for line in text.split("\n")]
        self.assertIn("b.cc:3: warning: this is odd", kept)
        self.assertIn("57 frames, 1.90 s, audio 1.90 s, gaps 0", kept)
        self.assertFalse([line for line in kept if line.startswith("[")], kept)

    def test_the_time_left_follows_the_pace(self):
        """100 parts of 3 s each, where 100 s were guessed for all, and 50 s for what comes then."""
        done = self.bash("""
            SECONDS=0
            expect compile 100
            expect drawing 50
            begin compile Compiling
            for ((i = 1; i < 100; ++i)); do
              SECONDS=$((3 * i))
              report $i 100
              time_left
              echo "$i $LEFT_S $PERCENT $WORDS"
            done""")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split(" ", 3) for line in done.stdout.splitlines() if line[0].isdigit()]
        self.assertEqual(len(lines), 99)
        left = {int(i): int(s) for i, s, _, _ in lines}
        words = {int(i): text for i, _, _, text in lines}
        self.assertLess(left[1], 150)
        for i in range(30, 100):
            self.assertAlmostEqual(left[i], 3 * (100 - i), delta=70, msg=f"after {i} parts")
        self.assertAlmostEqual(left[99], 3, delta=10)
        self.assertEqual(words[50], "about 3 min left")
        self.assertEqual(words[99], "about 60 s left")
        shares = [int(share) for _, _, share, _ in lines]
        self.assertEqual(shares, sorted(shares))

    def test_run_draws_no_line_on_a_terminal_that_cannot(self):
        code, text = self.on_terminal("--build", NINJA=self.ninja(), TERM="dumb")
        self.assertEqual(code, 0, text)
        self.assertNotIn("\r", text)
        self.assertNotIn("\033", text)

    def test_run_shows_why_the_build_failed(self):
        ninja = self.ninja("[1/2] Building CXX object a.cc.o\nFAILED: b.cc.o\nb.cc:7: error: no such thing\n")
        done = self.script("run", "--build", NINJA=ninja, BROKEN_BUILD="1", SLOW_FETCH="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: b.cc.o\nb.cc:7: error: no such thing\n", done.stdout)
        self.assertIn("The build failed.", done.stderr)
        self.assertIn("fetch stopped", self.called())

    def test_run_shows_why_packages_were_not_installed(self):
        done = self.script("run", "--build", MISSING="cmake", BROKEN_INSTALL="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: the disk is full", done.stderr)
        self.assertFalse([c for c in self.called() if c.startswith("cmake")])

    def test_run_downloads_while_it_compiles_and_waits_for_both(self):
        run = self.started("run", "--build", SLOW_FETCH="1", SLOW_BUILD="1")
        # Neither has ended yet.
        self.until_called("cmake --build")
        self.until(lambda: sum("ONLY_FETCH" in call for call in self.called()) == 2)
        fetches = [call for call in self.called() if "ONLY_FETCH" in call]
        self.assertTrue(any("make.cmake" in call for call in fetches))
        self.assertTrue(any("bundle.cmake" in call for call in fetches))
        (self.dir / "released").touch()
        self.until_called("built")
        with self.assertRaises(subprocess.TimeoutExpired):
            run.wait(timeout=1)
        (self.dir / "fetch_released").touch()
        text, errors = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 0, text + errors)
        self.assertEqual(self.called().count("fetched"), 2)
        self.assertNotIn("fetch stopped", self.called())

    def test_run_without_npm_fetches_for_the_characters_alone(self):
        done = self.script("run", "--build", PATH=self.path_without("npm"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sum("ONLY_FETCH" in call for call in self.called()), 1)

    def test_interrupted_run_ends_its_downloads_and_the_build(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.calls.unlink(missing_ok=True)
            run = self.started("run", "--build", SLOW_FETCH="1", SLOW_BUILD="1")
            self.until_called("cmake --build")
            self.until(lambda: sum("ONLY_FETCH" in call for call in self.called()) == 2)
            os.kill(run.pid, number)  # The script alone.
            text, errors = run.communicate(timeout=30)
            self.assertEqual(run.returncode, code, text + errors)
            self.assertEqual(self.called().count("fetch stopped"), 2)
            self.assertNotIn("built", self.called())

    def test_a_job_that_installs_is_not_broken_off(self):
        done = self.bash("""
            start_job packages need_packages graphviz
            until grep -q "recommends graphviz" "$CALLS"; do sleep 0.02; done
            # Goes on only after the signal.
            eval "really_$(declare -f wait_job)"
            wait_job() { : >"$HOME/released"; really_wait_job "$@"; }
            stop_jobs
            grep -c "^installed" "$CALLS" """, MISSING="graphviz", SLOW_INSTALL="1")
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)

    def test_a_job_that_downloads_is_broken_off(self):
        done = self.bash("""
            start_job packages need_packages graphviz
            until grep -q "download-only" "$CALLS"; do sleep 0.02; done
            stop_jobs
            grep -c "^installed" "$CALLS" || true""", MISSING="graphviz", SLOW_DOWNLOAD="1")
        self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)

    def test_test_fetches_foreign_tools_while_it_compiles_and_before_it_tests(self):
        self.foreign(**{"bin/grpcurl": None})
        self.write(self.dir / "tools/go",
                   'echo "go $*" >>"$CALLS"; wait_for released; echo "go ended" >>"$CALLS"')
        test = self.started("test", SLOW_BUILD="1")
        self.until_called("cmake --build")
        self.until_called("go install")
        (self.dir / "released").touch()
        text, errors = test.communicate(timeout=30)
        self.assertEqual(test.returncode, 0, text + errors)
        calls = self.called()
        ctest = next(i for i, call in enumerate(calls) if call.startswith("ctest"))
        self.assertLess(calls.index("go ended"), ctest)
        self.assertLess(calls.index("built"), ctest)

    def test_test_goes_on_without_a_tool_and_says_so(self):
        self.foreign(**{"bin/grpcurl": None, "bin/promtool": None, "venv/bin/envoy": None,
                        "venv/bin/pip": 'echo "no route to host" >&2; exit 1'})
        self.write(self.dir / "tools/go", "exit 1")
        done = self.script("test")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("grpcurl could not be built: the tests that need it will fail.", done.stderr)
        self.assertIn("no route to host", done.stderr)
        self.assertIn("Envoy could not be fetched: the tests that need it will fail.", done.stderr)
        self.assertIn("Prometheus could not be fetched: the tests that need it will fail.", done.stderr)
        self.assertTrue(done.stdout.endswith("100% tests passed\n"))

    def test_test_installs_its_packages_while_it_compiles(self):
        self.foreign()
        test = self.started("test", MISSING="chromium", SLOW_INSTALL="1", SLOW_BUILD="1")
        self.until_called("cmake --build")
        self.until_called("apt-get install -y -q --no-install-recommends chromium")
        (self.dir / "released").touch()
        text, errors = test.communicate(timeout=30)
        self.assertEqual(test.returncode, 0, text + errors)
        self.assertLess(self.called().index("installed"),
                        next(i for i, call in enumerate(self.called()) if call.startswith("ctest")))

    def test_test_does_not_start_without_its_packages(self):
        self.foreign()
        done = self.script("test", MISSING="chromium", BROKEN_INSTALL="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("E: the disk is full", done.stderr)
        self.assertFalse([call for call in self.called() if call.startswith("ctest")])

    def test_interrupted_test_ends_its_downloads(self):
        self.foreign()
        test = self.started("test", SLOW_FETCH="1", SLOW_BUILD="1")
        self.until_called("cmake --build")
        self.until(lambda: sum("ONLY_FETCH" in call for call in self.called()) == 2)
        os.killpg(test.pid, signal.SIGINT)
        test.communicate(timeout=30)
        self.assertNotEqual(test.returncode, 0)
        self.assertEqual(self.called().count("fetch stopped"), 2)

    def test_test_passes_its_name_to_ctest(self):
        self.foreign()
        done = self.script("test", "flags", "-V")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ctest = next(c for c in self.called() if c.startswith("ctest"))
        self.assertTrue(ctest.endswith("-R flags -V"), ctest)
        self.assertTrue(done.stdout.endswith("100% tests passed\n"))

    def test_test_leaves_out_the_long_level_unless_it_is_asked_for(self):
        self.foreign()
        short = ["-LE", "^long$"]
        for arguments, options, level in (
                ([], short, "short"), (["-V"], [*short, "-V"], "short"),
                (["--long"], [], "long"), (["--long", "-V"], ["-V"], "long"),
                (["flags"], ["-R", "flags"], "long"), (["--long", "flags"], ["-R", "flags"], "long")):
            self.calls.unlink(missing_ok=True)
            done = self.script("test", *arguments)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            ctest = next(c for c in self.called() if c.startswith("ctest")).split()
            self.assertEqual(ctest[ctest.index("-j") + 2:], options)
            self.assertIn(f"level {level}", self.called())

    def test_test_fetches_what_the_long_level_needs_for_that_level_alone(self):
        self.foreign()
        (self.dir / "foreign/x_ite/package-lock.json").unlink()
        for arguments, fetched in (([], False), (["--long"], True), (["flags"], True)):
            self.calls.unlink(missing_ok=True)
            done = self.script("test", *arguments, MISSING="valgrind")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            calls = self.called()
            self.assertEqual("apt-get install -y -q --no-install-recommends valgrind" in calls, fetched)
            self.assertEqual(any(c.startswith("npm ci") for c in calls), fetched)
            (self.dir / "foreign/x_ite/package-lock.json").unlink(missing_ok=True)

    def test_ci_runs_what_every_change_must_pass_and_ends_with_its_summary(self):
        self.foreign()
        done = self.script(".ci/run")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ctest = next(c for c in self.called() if c.startswith("ctest"))
        self.assertIn("-LE ^long$", ctest)
        self.assertTrue(done.stdout.endswith("100% tests passed\n"))


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main(verbosity=2)
