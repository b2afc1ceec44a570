"""The report against made-up measurements, and that ./bench parses."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import budgets  # noqa: E402
import draw  # noqa: E402
import headline  # noqa: E402
import load  # noqa: E402
import micro_measures  # noqa: E402
import profiles  # noqa: E402
import servers  # noqa: E402
import targets  # noqa: E402

COUNTERS = {}
for _benchmark, _counter, _, _ in micro_measures.COUNTERS:
    COUNTERS.setdefault(_benchmark, {})[_counter] = 3.5
MEDIANS = ({name: 100.0 for name in micro_measures.FLOORS.values()} |
           {name: 1000.0 for name in COUNTERS} |
           {timed: 1000.0 for timed, _, _ in micro_measures.TIMES})


def google_benchmark(medians=None, counters=None):
    """What Google Benchmark writes, as far as the report reads it."""
    counters = COUNTERS if counters is None else counters
    runs = []
    for name, ns in (MEDIANS | (medians or {})).items():
        for kind, value in (("mean", ns * 2), ("median", ns), ("stddev", 1)):
            runs.append({"name": f"{name}_{kind}", "run_name": name, "aggregate_name": kind,
                         "cpu_time": value, "real_time": value, "time_unit": "ns"}
                        | counters.get(name, {}))
    return {"benchmarks": runs}


def load_run(server="default", n=100, p99=1.0, **changes):
    run = {"server": server, "pushes": n, "pulls": n, "pulls_of_each": 1, "seconds": 4.0,
           "frames": 120 * n, "expected_frames": 120 * n, "lateness_p50_ms": p99 / 4,
           "lateness_p99_ms": p99, "missed_ticks": 0, "frames_without_pose": 0, "voice_breaks": 0, "silent_samples": 0,
           "spoken_samples": 1, "failed_calls": 0, "server_cpu_us_per_frame": 30.0,
           "server_mib": 20 + n / 10} | changes
    return run | {"held": servers.holds(run)}


def load_measures():
    sizes = [100, 250, 500]
    fixed = {(name, n): load_run(name, n) for n in sizes for name in load.LADDER}
    class Idle:
        def run(self, name, pushes, pulls, of_each=1):
            return load_run(name, pulls, pushes=pushes, pulls_of_each=of_each,
                            frames=120 * pulls * of_each)
    idle = {n: load_run("default", n, pushes=0) for n in sizes[:2]}
    return (load.cpu_measures(fixed, sizes) | load.memory_measures(idle, fixed, sizes)
            | load.extra_pull_measures(Idle(), idle[100], 100)
            | load.largest_measures({"relay": 1000, "passthrough": 900, "default": 700}))


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def write(self, name, content):
        (self.dir / name).write_text(json.dumps(content))

    def write_all(self):
        self.write("start.json", {"start_to_first_rpc_median": {"value": 0.2, "unit": "s"},
                                  "start_to_ready_median": {"value": 0.1, "unit": "s"}})
        self.write("latency.json", {"live_latency_p50": {"value": 18.7, "unit": "ms"}})
        self.write("micro.json", google_benchmark())
        self.write("load.json", load_measures())
        judged = headline.judge(load_run(n=500), load_run("relay", 500))
        self.write("headline.json", {"pushed_and_pulled": judged, "idle_and_pulled": judged,
                                     "met": True})

    def run_report(self):
        return subprocess.run([sys.executable, str(HERE / "report.py"), str(self.dir)],
                              capture_output=True, text=True)

    def read(self):
        return json.loads((self.dir / "report.json").read_text())


class ReportTest(FolderTest):
    def test_holds_every_budget_and_the_headline(self):
        self.write_all()
        done = self.run_report()
        self.assertEqual(done.returncode, 0, done.stderr)
        found = self.read()
        self.assertEqual(list(found["budgets"]), [b.measure for b in budgets.BUDGETS])
        for b in found["budgets"].values():
            self.assertLessEqual({"value", "budget", "unit", "met"}, b.keys())
            self.assertIsInstance(b["met"], bool)
        self.assertTrue(found["headline"]["measured"])
        self.assertTrue(found["headline"]["met"])
        self.assertEqual(found["headline"]["pushed_and_pulled"]["avatars"], 500)

    def test_says_of_each_budget_whether_it_is_met_and_what_it_stands_on(self):
        self.write_all()
        done = self.run_report()
        found = self.read()["budgets"]
        self.assertEqual(found["start_to_first_rpc_median"],
                         {"value": 0.2, "budget": 0.2, "unit": "s", "met": True,
                          "against": {"name": "start_to_ready_median", "value": 0.1, "ratio": 2}})
        self.assertFalse(found["live_latency_p50"]["met"])
        self.assertAlmostEqual(found["live_latency_p50"]["budget"], 1000 / 60 + 2)
        self.assertIn("MISSED", done.stdout)

    def test_leaves_out_what_was_not_run(self):
        self.write("micro.json", google_benchmark())
        self.assertEqual(self.run_report().returncode, 0)
        found = self.read()
        self.assertEqual(found["parts"], ["micro"])
        self.assertNotIn("live_latency_p50", found["budgets"])
        self.assertNotIn("default_cpu_less_work_x_relay", found["budgets"])
        self.assertIn("encode_frame_x_memcpy", found["budgets"])
        self.assertFalse(found["headline"]["measured"])

    def test_names_what_a_part_should_have_found(self):
        self.write_all()
        self.write("load.json", {n: m for n, m in load_measures().items() if n != "memory_idle"})
        done = self.run_report()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nothing measured memory_idle", done.stderr)
        self.assertFalse((self.dir / "report.json").exists())

    def test_says_machine_commit_and_date(self):
        self.write_all()
        self.run_report()
        found = self.read()
        self.assertGreaterEqual(found["machine"]["cpus"], 1)
        self.assertRegex(found["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
        self.assertTrue(found["commit"])

    def test_fails_when_there_is_nothing(self):
        self.assertNotEqual(self.run_report().returncode, 0)


class BudgetsTest(unittest.TestCase):
    def test_asks_some_measures_to_be_high(self):
        for value, met in ((0.89, False), (0.9, True)):
            measures = load_measures()
            measures["default_largest_x_relay"] = {"value": value, "unit": "x"}
            found = budgets.judge(measures, ["load"])
            self.assertEqual(found["default_largest_x_relay"]["met"], met)

    def test_refuses_a_measure_in_another_unit_than_its_budget(self):
        measures = load_measures() | {"extra_pull_x_write": {"value": 1, "unit": "ms"}}
        with self.assertRaises(SystemExit) as end:
            budgets.judge(measures, ["load"])
        self.assertIn("extra_pull_x_write is in ms, not in x", str(end.exception))

    def test_takes_graph_and_codec_off_the_cpu_of_a_frame(self):
        measures = {"relay_cpu_middle": 20, "passthrough_cpu_middle": 24, "default_cpu_middle": 36,
                    "read_frame": 0.5, "encode_frame": 0.5, "passthrough_graph": 1,
                    "default_graph_driven": 5}
        measures = {name: {"value": v, "unit": "us"} for name, v in measures.items()}
        found = budgets.derived(measures, ["micro", "load"])
        self.assertAlmostEqual(found["passthrough_cpu_less_work_x_relay"]["value"], 1.1)
        self.assertAlmostEqual(found["default_cpu_less_work_x_relay"]["value"], 1.5)


class MicroTest(unittest.TestCase):
    def test_takes_medians_and_divides_them_by_their_floor(self):
        found = micro_measures.measures(google_benchmark({"EncodeFrameInTurn": 430.0}))
        self.assertAlmostEqual(found["encode_frame"]["value"], 0.43)
        self.assertEqual(found["encode_frame_x_memcpy"]["unit"], "x")
        self.assertAlmostEqual(found["encode_frame_x_memcpy"]["value"], 4.3)

    def test_finds_benchmarks_whatever_is_added_to_their_names(self):
        medians = dict(MEDIANS)
        del medians["TickDefaultIdle"]
        written = google_benchmark()
        for run in written["benchmarks"]:
            if run["run_name"] == "TickDefaultIdle":
                run["run_name"] += "/iterations:300/manual_time"
                run["real_time"], run["cpu_time"] = 5000, 1
        self.assertEqual(micro_measures.measures(written)["default_graph_idle"]["value"], 5)

    def test_takes_counters(self):
        found = micro_measures.measures(google_benchmark())
        for _, _, name, unit in micro_measures.COUNTERS:
            self.assertEqual(found[name], {"value": 3.5, "unit": unit})

    def test_names_the_benchmark_or_counter_that_is_missing(self):
        for name in MEDIANS:
            written = google_benchmark()
            written["benchmarks"] = [r for r in written["benchmarks"] if r["run_name"] != name]
            with self.assertRaises(SystemExit) as end:
                micro_measures.measures(written)
            self.assertIn(f"no benchmark {name}", str(end.exception))
        for benchmark, counter, _, _ in micro_measures.COUNTERS:
            with self.assertRaises(SystemExit) as end:
                micro_measures.measures(google_benchmark(counters=COUNTERS | {benchmark: {}}))
            self.assertIn(f"{benchmark} has no counter", str(end.exception))

    def test_fails_when_a_benchmark_failed(self):
        written = google_benchmark()
        written["benchmarks"].append({"name": "Additive", "error_occurred": True,
                                      "error_message": "refused"})
        with self.assertRaises(SystemExit) as end:
            micro_measures.measures(written)
        self.assertIn("Additive failed: refused", str(end.exception))


class LoadTest(unittest.TestCase):
    def test_a_run_holds_when_all_came_in_time(self):
        self.assertTrue(load_run()["held"])
        for bad in ({"lateness_p99_ms": 5.0}, {"failed_calls": 1}, {"voice_breaks": 1},
                    {"frames": 11800}, {"missed_ticks": 20}, {"frames_without_pose": 20}):
            self.assertFalse(load_run(**bad)["held"], bad)

    def test_searches_the_largest_size_that_holds(self):
        for truth in (0, 3, 99, 100, 101, 333, 499, 500, 640, 1200, 1999, 2000, 9999):
            steps = load.search({n: n <= truth for n in (100, 250, 500)}, 2000)
            answer, tries = None, 0
            while True:
                try:
                    answer = steps.send(answer) <= truth
                    tries += 1
                except StopIteration as end:
                    found = end.value
                    break
            self.assertLessEqual(found, truth)
            self.assertGreaterEqual(found, min(2000, truth * 0.94 - 10), truth)
            self.assertLessEqual(tries, 8)

    def test_a_server_that_takes_no_calls_is_reported_as_one_of_which_nothing_came(self):
        run = servers.nothing(5, 10, 2.0, 3)
        self.assertFalse(servers.came(run))
        self.assertEqual(run["failed_calls"], 35)
        judged = headline.judge(run | {"server": "default"}, load_run("relay", 10))
        self.assertFalse(judged["met"])

    def test_the_ladder_finds_the_largest_of_each_server_in_turn_and_ends(self):
        class Fake(load.Bench):
            truth = {"relay": 800, "passthrough": 600, "default": 20}
            def run(self, name, pushes, pulls, of_each=1):
                self.runs.append((name, pulls))
                return load_run(name, pulls, 1.0 if pulls <= self.truth[name] else 9.0)
        class Options:
            most = 2000
            tries = 10
        bench = Fake(Options())
        found = bench.largest(bench.at_sizes([100, 250, 500]))
        for name, truth in Fake.truth.items():
            self.assertLessEqual(found[name], truth)
            self.assertGreaterEqual(found[name], truth * 0.85)
            self.assertLessEqual(bench.tries[name], Options.tries + 1)

    def test_an_extra_pull_is_what_more_pulls_add(self):
        # 4 of each for 160 us a tick, 1 of each for 100 us: 10 us an extra pull and avatar of 2.
        cost_us = {("default", 1): 100, ("default", 4): 160, ("relay_idle", 1): 50,
                   ("relay_idle", 4): 146}
        class Fake:
            def run(self, name, _, pulls, of_each=1):
                width = of_each if name == "default" else pulls // 2
                frames = 2 * width * 120
                return {"frames": frames, "seconds": 4,
                        "server_cpu_us_per_frame": cost_us[name, width] * 120 / frames}
        found = load.extra_pull_measures(Fake(), Fake().run("default", 0, 2), 2)
        self.assertAlmostEqual(found["extra_pull"]["value"], 10)
        self.assertAlmostEqual(found["raw_write"]["value"], 16)
        self.assertAlmostEqual(found["extra_pull_x_write"]["value"], 10 / 16)

    def test_memory_is_what_more_avatars_add(self):
        sizes = [100, 250, 500]
        fixed = {(name, n): load_run(name, n) for n in sizes for name in load.LADDER}
        idle = {n: load_run("default", n, server_mib=10 + n) for n in sizes[:2]}
        found = load.memory_measures(idle, fixed, sizes)
        self.assertAlmostEqual(found["memory_idle"]["value"], 1024)
        self.assertAlmostEqual(found["memory_playing"]["value"], 102.4)

    def test_the_headline_is_met_when_all_came_within_a_frame(self):
        relay = load_run("relay", 500, 2.0)
        judged = headline.judge(load_run(n=500, p99=30.0), relay)
        self.assertTrue(judged["met"])
        self.assertEqual(judged["x_relay"], 15)
        for bad in ({"p99": 34.0}, {"voice_breaks": 1}, {"failed_calls": 1}, {"frames": 50000}):
            self.assertFalse(headline.judge(load_run(n=500, **bad), relay)["met"], bad)


def single_runs(us=1.0, floor_us=0.5, twin_us=4.0):
    """What targets.py reads of one run of posewire_micro, all at the same time."""
    written = google_benchmark()
    runs = [dict(r) for r in written["benchmarks"] if r["aggregate_name"] == "median"]
    for run in runs:
        floor = run["run_name"] in micro_measures.FLOORS.values()
        run |= {"cpu_time": 1000 * (floor_us if floor else us),
                "real_time": 1000 * (floor_us if floor else us)}
        if "ratio" in run:
            run["twin_ns"] = 1000 * twin_us
    return micro_measures.single_runs({"benchmarks": runs})


class TargetsTest(unittest.TestCase):
    def test_of_each_time_the_least_counts(self):
        found = targets.least([single_runs(us=3.0), single_runs(us=2.0), single_runs(us=4.0)])
        self.assertEqual(found["TickPassthrough"]["cpu_time"], 2000)

    def test_all_stand_on_the_least_floor_and_twin_of_all(self):
        found = targets.report({"a": single_runs(1.0, floor_us=0.5, twin_us=4.0),
                                "b": single_runs(2.0, floor_us=0.4, twin_us=5.0)})
        measure = "encode_frame_x_memcpy"
        self.assertAlmostEqual(found["a"]["measures"][measure]["value"], 2.5)
        self.assertAlmostEqual(found["b"]["measures"][measure]["value"], 5)
        self.assertAlmostEqual(found["a"]["measures"]["blend_4_x_scalar"]["value"], 4)
        self.assertAlmostEqual(found["b"]["measures"]["blend_4_x_scalar"]["value"], 2)

    def test_says_which_budgets_each_meets(self):
        found = targets.report({"a": single_runs(1.0), "b": single_runs(2.0)})
        self.assertTrue(found["a"]["budgets"]["blend_4_x_scalar"]["met"])
        self.assertFalse(found["b"]["budgets"]["blend_4_x_scalar"]["met"])
        self.assertNotIn("clip_bytes_at_0_1_mm", found["a"]["budgets"])
        text = targets.table(found)
        self.assertIn("a: meets every budget of kernels", text)
        self.assertIn("b: misses", text)


class ProfilesTest(unittest.TestCase):
    TYPES = {"Engine": "anim_graph/core"}

    def test_tells_rooms_by_object_and_name(self):
        for dso, symbol, room in (
                ("[kernel.kallsyms]", "tcp_sendmsg", "kernel"),
                ("/usr/lib/libc.so.6", "__memmove_avx512_unaligned_erms", "libc copies"),
                ("/usr/lib/libc.so.6", "_int_malloc", "libc heap"),
                ("/usr/lib/libc.so.6", "epoll_wait", "libc, other"),
                ("/usr/lib/libgrpc.so.29", "[unknown]", "gRPC, absl"),
                ("/bin/x", "posewire::wire::FrameReader::Read(posewire::skel::X)", "libs/wire"),
                ("/bin/x", "posewire::skel::N_AVX3::BlendKernel(int)", "libs/skel"),
                ("/bin/x", "void posewire::anim_graph::Engine::Tick()", "anim_graph/core"),
                ("/bin/x", "posewire::anim_graph::(anonymous namespace)::Engine::F()",
                 "anim_graph/core"),
                ("/bin/x", "posewire::anim_graph::Unheard::F()", "anim_graph"),
                ("/bin/x", "posewire::bench::Relay::Run()", "relay"),
                ("/bin/x", "_start", "other")):
            self.assertEqual(profiles.room_of(dso, symbol, self.TYPES), room, symbol)

    def test_finds_the_rooms_of_the_classes_of_anim_graph(self):
        found = profiles.rooms_of_types()
        self.assertEqual(found["Engine"], "anim_graph/core")

    def test_reads_samples_and_shares_them_out(self):
        samples = list(profiles.read_script(
            "    7f0012 __memmove_avx (/usr/lib/libc.so.6)\n"
            "    55aa01 posewire::wire::A::B(int, char) (/b/anim_graph)\n"
            "\n"
            "ffffffff01 tcp_ack ([kernel.kallsyms])\n    55aa09 posewire::wire::C() (/b/a)\n"))
        self.assertEqual(profiles.rooms(samples, self.TYPES),
                         {"libc copies": 0.25, "libs/wire": 0.5, "kernel": 0.25})

    def test_the_table_tells_microseconds_a_frame(self):
        found = {"relay": {"cpu_us_per_frame": 20.0,
                           "rooms": {"kernel": {"share": 0.5, "us": 10.0}}}}
        text = profiles.table(found)
        self.assertRegex(text, r"kernel +10\.0 +50\.0%")


class DrawTest(unittest.TestCase):
    def test_draws_each_server_with_hollow_points_where_it_did_not_hold(self):
        runs = [load_run("relay", 100), load_run("relay", 200, 9.0), load_run("relay", 200, 4.0),
                load_run("default", 100, 50.0), load_run("default", 100, pushes=0)]
        root = ElementTree.fromstring(draw.draw(runs))
        circles = root.findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), 3)
        hollow = [c for c in circles if c.get("fill") == "#ffffff"]
        self.assertEqual(len(hollow), 1)
        # Lower on the picture is less late, and to the right are more.
        relay = circles[:2]
        self.assertLess(float(relay[0].get("cx")), float(relay[1].get("cx")))
        self.assertGreater(float(relay[0].get("cy")), float(relay[1].get("cy")))

    def test_draws_nothing_but_axes_without_runs(self):
        ElementTree.fromstring(draw.draw([]))


class ScriptTest(unittest.TestCase):
    def test_the_script_parses_and_refuses_what_it_does_not_know(self):
        script = HERE.parents[1] / "bench"
        parsed = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
        self.assertEqual(parsed.returncode, 0, parsed.stderr)
        done = subprocess.run([str(script), "latncy"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown argument latncy", done.stderr)
        shown = subprocess.run([str(script), "--help"], capture_output=True, text=True)
        self.assertEqual(shown.returncode, 0)
        for word in ("--short", "--headline", "start, latency, micro, load, headline", "targets",
                     "profile"):
            self.assertIn(word, shown.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
