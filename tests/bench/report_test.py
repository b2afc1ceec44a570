"""report.py against made-up measurements, and that ./bench parses."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import report  # noqa: E402


def google_benchmark(medians):
    """What Google Benchmark writes, as far as the report reads it."""
    runs = []
    for name, ns in medians.items():
        for kind, value in (("mean", ns * 2), ("median", ns), ("stddev", 1)):
            runs.append({"name": f"{name}_{kind}", "run_name": name, "aggregate_name": kind,
                         "cpu_time": value, "real_time": value, "time_unit": "ns"})
    return {"benchmarks": runs}


ALL = {timed: 1000.0 for timed, _, _ in report.MICRO} | {
    "CopyFrame": 100.0, "CopyStockFrame": 50.0, "CopyPose": 80.0}


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def write(self, name, content):
        (self.dir / name).write_text(json.dumps(content))

    def run_report(self):
        return subprocess.run([sys.executable, str(HERE / "report.py"), str(self.dir)],
                              capture_output=True, text=True)

    def read(self):
        return json.loads((self.dir / "report.json").read_text())

    def test_takes_medians_and_divides_them_by_their_floor(self):
        measures = report.micro_measures(google_benchmark(ALL | {"EncodeFrame": 430.0}))
        self.assertAlmostEqual(measures["encode_frame"]["value"], 0.43)
        self.assertEqual(measures["encode_frame_x_memcpy"], {"value": 4.3, "unit": "x"})
        self.assertEqual(measures["read_stock_frame_x_memcpy"]["value"], 20)
        self.assertEqual(measures["blend_4_x_copy"]["value"], 12.5)

    def test_says_of_each_budget_whether_it_is_met(self):
        self.write("start.json", {"start_to_first_rpc_median": {"value": 0.2, "unit": "s"}})
        self.write("latency.json", {"live_latency_p50": {"value": 18.7, "unit": "ms"}})
        done = self.run_report()
        self.assertEqual(done.returncode, 0, done.stderr)
        budgets = self.read()["budgets"]
        self.assertEqual(budgets["start_to_first_rpc_median"],
                         {"value": 0.2, "budget": 0.2, "unit": "s", "met": True})
        self.assertFalse(budgets["live_latency_p50"]["met"])
        self.assertAlmostEqual(budgets["live_latency_p50"]["budget"], 1000 / 60 + 2)
        self.assertIn("MISSED", done.stdout)

    def test_asks_some_measures_to_be_high(self):
        low = {"default_largest_x_relay": {"value": 0.69, "unit": "x"}}
        high = {"default_largest_x_relay": {"value": 0.7, "unit": "x"}}
        self.assertFalse(report.budgets(low)["default_largest_x_relay"]["met"])
        self.assertTrue(report.budgets(high)["default_largest_x_relay"]["met"])

    def test_leaves_out_what_was_not_run(self):
        self.write("micro.json", google_benchmark(ALL))
        self.assertEqual(self.run_report().returncode, 0)
        found = self.read()
        self.assertNotIn("live_latency_p50", found["budgets"])
        self.assertIn("encode_frame_x_memcpy", found["budgets"])

    def test_says_machine_commit_date_and_headline(self):
        self.write("start.json", {"start_to_first_rpc_median": {"value": 0.1, "unit": "s"}})
        self.run_report()
        found = self.read()
        self.assertGreaterEqual(found["machine"]["cpus"], 1)
        self.assertRegex(found["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
        self.assertTrue(found["commit"])
        self.assertIn("headline", found)

    def test_fails_when_there_is_nothing_or_a_benchmark_failed(self):
        self.assertNotEqual(self.run_report().returncode, 0)
        failed = google_benchmark(ALL)
        failed["benchmarks"].append({"name": "Blend/4", "error_occurred": True,
                                     "error_message": "refused"})
        self.write("micro.json", failed)
        done = self.run_report()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Blend/4 failed: refused", done.stderr)

    def test_refuses_a_measure_in_another_unit_than_its_budget(self):
        with self.assertRaises(SystemExit):
            report.budgets({"start_to_first_rpc_median": {"value": 21, "unit": "ms"}})

    def test_the_script_parses_and_refuses_what_it_does_not_know(self):
        script = HERE.parents[1] / "bench"
        parsed = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
        self.assertEqual(parsed.returncode, 0, parsed.stderr)
        done = subprocess.run([str(script), "latncy"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown argument latncy", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
