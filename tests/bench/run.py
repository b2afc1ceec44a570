"""Measures the parts one by one, and joins what they found: ./bench without the build.

    run.py --bin DIR --out DIR [--size full|short|smoke|headline] [PART...]

Standard library only.
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPEECH = HERE.parents[1] / "tools/speech_model/judging"
PARTS = ["start", "latency", "micro", "load", "headline"]
# Run only when they are named; no budget stands on them.
EXTRA = ["targets", "profile", "speech"]

# How long each part takes. `full` stays under ten minutes in all, `short` takes one or two, `smoke`
# just shows that all works, and `headline` is `full` with the headline for ten minutes each.
FULL = {
    "starts": 20, "latency_s": 30, "repetitions": 9, "min_time": 0.05,
    "load": ["--sizes", "100,250,500", "--seconds", "4"],
    "headline": ["--seconds", "30"], "targets": [], "profile": [], "speech": [],
}
SIZES = {
    "full": FULL,
    "headline": FULL | {"headline": ["--seconds", "600"]},
    "short": {
        "starts": 5, "latency_s": 5, "repetitions": 3, "min_time": 0.02,
        "load": ["--sizes", "30,60,120", "--seconds", "1", "--warm-up-s", "1", "--most", "240"],
        "headline": ["--seconds", "3", "--relay-seconds", "2", "--warm-up-s", "1"],
        "targets": ["--rounds", "2", "--min-time", "0.02"], "profile": ["--seconds", "3"],
        "speech": ["--minutes", "2", "--rest-minutes", "1"],
    },
    "smoke": {
        "starts": 1, "latency_s": 1, "repetitions": 2, "min_time": 0.001,
        "load": ["--sizes", "2,4,8", "--seconds", "0.5", "--warm-up-s", "0.5", "--most", "8",
                 "--tries", "1"],
        "headline": ["--pushed", "4", "--idle", "8", "--seconds", "0.5", "--relay-seconds", "0.5",
                     "--warm-up-s", "0.5"],
        "targets": ["--rounds", "1", "--min-time", "0.001"],
        "profile": ["--avatars", "4", "--seconds", "1"],
        "speech": ["--minutes", "0.2", "--rest-minutes", "0.2"],
    },
}


def run(title, command, log=None):
    print(title, flush=True)
    if log is None:
        done = subprocess.run([str(c) for c in command])
    else:
        with open(log, "w", encoding="utf-8") as file:
            done = subprocess.run([str(c) for c in command], stdout=file, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        if log is not None:
            print("".join(Path(log).read_text().splitlines(True)[-15:]), file=sys.stderr)
        sys.exit(f"{Path(str(command[0])).name} failed.")


def command_of(part, size, folder, out):
    """What is said of a part, what runs it, and where its output goes when that is no news."""
    python = [sys.executable, "-B"]
    server = ["--server", folder / "anim_graph", "--log", out / f"{part}.log",
              "--json", out / f"{part}.json"]
    found = ["--bin", folder, "--json", out / f"{part}.json"]
    if part == "start":
        return (f"Start to first answer, {size['starts']} times:",
                [folder / "posewire_bench", "start", *server, "--runs", size["starts"]], None)
    if part == "latency":
        return (f"Push to pull in live mode, {size['latency_s']} s:",
                [folder / "posewire_bench", "latency", *server, "--seconds", size["latency_s"]],
                None)
    if part == "micro":
        return (f"Codec, kernels and graph, {size['repetitions']} times each:",
                [folder / "posewire_micro",
                 f"--benchmark_repetitions={size['repetitions']}",
                 f"--benchmark_min_time={size['min_time']}",
                 "--benchmark_enable_random_interleaving=true",
                 "--benchmark_report_aggregates_only=true",
                 f"--benchmark_out={out / 'micro.json'}", "--benchmark_out_format=json"],
                out / "micro.log")
    if part == "load":
        return ("As many avatars pushed and pulled as are on time, bare relay and anim_graph:",
                [*python, HERE / "load.py", *found, *size["load"]], None)
    if part == "targets":
        return ("Codec, kernels and graph on each instruction set:",
                [*python, HERE / "targets.py", *found, *size["targets"]], None)
    if part == "profile":
        return ("Where a server's time goes:",
                [*python, HERE / "profiles.py", *found, *size["profile"]], None)
    if part == "speech":
        return ("Sound to face, beside other programs, against human recordings:",
                [*python, SPEECH / "run.py", *found, *size["speech"]], None)
    return ("The headline, bare relay and anim_graph:",
            [*python, HERE / "headline.py", *found, *size["headline"]], None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", choices=SIZES, default="full")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS + EXTRA))
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS + EXTRA:
            parser.error(f"there is no part {part}; there are {', '.join(PARTS + EXTRA)}")

    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    # What an earlier run found is not this run's.
    for name in [f"{part}.json" for part in PARTS + EXTRA] + ["load_runs.json", "report.json",
                                                      "lateness.svg"]:
        (out / name).unlink(missing_ok=True)
    load_before = os.getloadavg()[0]
    parts = options.parts or PARTS
    for part in PARTS + EXTRA:
        if part in parts:
            run(*command_of(part, SIZES[options.size], options.bin, out))
    if (out / "load_runs.json").exists():
        run("", [sys.executable, "-B", HERE / "draw.py", out / "load_runs.json",
                 out / "lateness.svg"])
    if not set(parts) & set(PARTS):
        return
    run("Report:", [sys.executable, "-B", HERE / "report.py", out, "--size", options.size,
                    "--load-before", load_before])


if __name__ == "__main__":
    main()
