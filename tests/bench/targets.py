"""Codec, kernels and graph on each instruction set of this CPU, against the same floors.

    targets.py --bin DIR --json FILE [--rounds N] [--min-time S]

posewire_micro runs once a round for each set, so that they take turns; of each time the least of
all rounds counts. The floors are shared: memcpy, a copy of one pose, and the scalar twins are the
same code on every set, so the least of all sets is theirs. Standard library only.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import budgets
import micro_measures

WORDS = {"avx3_dl": "AVX-512 (VBMI)", "avx3": "AVX-512", "avx2": "AVX2", "sse4": "SSE4",
         "ssse3": "SSSE3", "emu128": "any", "scalar": "any"}
# Rows of the table, and the ratio that stands beside each.
ROWS = [
    ("encode_frame", "encode_frame_x_memcpy"),
    ("read_frame", "read_frame_x_memcpy"),
    ("read_stock_frame", "read_stock_frame_x_memcpy"),
    ("encode_frame_in_cache", "encode_frame_in_cache_x_memcpy"),
    ("read_frame_in_cache", "read_frame_in_cache_x_memcpy"),
    ("blend_4", "blend_4_x_scalar"),
    ("masked_blend_4", "masked_blend_4_x_scalar"),
    ("layer_masked", "layer_masked_x_copy"),
    ("additive", "additive_x_copy"),
    ("local_to_model", "local_to_model_x_copy"),
    ("sample_clip", "sample_clip_x_copy"),
    ("sample_and_blend_4", "sample_and_blend_4_x_copy"),
    ("passthrough_graph", "passthrough_graph_x_copy"),
    ("default_graph_idle", "default_graph_idle_x_copy"),
    ("default_graph_driven", "default_graph_driven_x_copy"),
    ("default_graph_gesture", "default_graph_gesture_x_copy"),
]
BUDGETED = {b.measure for b in budgets.BUDGETS if b.parts == ("micro",)}
# Bytes are the same whatever counts them.
COUNTERS = [c for c in micro_measures.COUNTERS if c[1] == "ratio"]


def names(folder):
    found = subprocess.run([str(folder / "posewire_micro"), "--list_targets"], check=True,
                           capture_output=True, text=True)
    return found.stdout.split()


def run_once(folder, target, min_time):
    """One run of every benchmark by its name, as Google Benchmark wrote it."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "micro.json"
        done = subprocess.run(
            [str(folder / "posewire_micro"), f"--targets={target}",
             "--benchmark_filter=-CompressGestures",
             f"--benchmark_min_time={min_time}", f"--benchmark_out={out}",
             "--benchmark_out_format=json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"posewire_micro failed on {target}: {done.stderr.strip()}")
        return micro_measures.single_runs(json.loads(out.read_text()))


def least(rounds):
    """Of runs by benchmark, those with the least time, twins apart."""
    result = {}
    for runs in rounds:
        for name, run in runs.items():
            kept = result.setdefault(name, dict(run))
            for key in ("cpu_time", "real_time", "twin_ns"):
                if key in run:
                    kept[key] = min(kept[key], run[key])
    return result


def share_floors(by_target):
    """Gives every target the least floors of all, and the ratios to twins that follow."""
    for name in micro_measures.FLOORS.values():
        runs = [found[name] for found in by_target.values() if name in found]
        for key in ("cpu_time", "real_time"):
            floor = min((run[key] for run in runs), default=None)
            for run in runs:
                run[key] = floor
    twins = {}
    for found in by_target.values():
        for name, run in found.items():
            if "twin_ns" in run:
                twins[name] = min(twins.get(name, run["twin_ns"]), run["twin_ns"])
    for found in by_target.values():
        for name, ns in twins.items():
            found[name]["ratio"] = ns / found[name]["real_time"]


def judge(measures):
    """The budgets that depend on kernels, by measure."""
    kernels = measures.keys() & BUDGETED
    found = {}
    for b in budgets.BUDGETS:
        if b.measure in kernels:
            value = budgets.value(measures, b.measure, b.unit)
            met = value >= b.budget if b.at_least else value <= b.budget
            found[b.measure] = {"value": value, "budget": b.budget, "unit": b.unit, "met": met}
    return found


def report(by_target):
    """Measures and budgets of each target, from the least runs of each."""
    share_floors(by_target)
    result = {}
    for target, runs in by_target.items():
        measures = micro_measures.measures_of(runs, COUNTERS)
        result[target] = {"measures": measures, "budgets": judge(measures)}
    return result


def table(found):
    """Text: times in us, in brackets how they stand to their floor, ! beside a missed budget."""
    head = "".join(f"{WORDS.get(t, t):>18}" for t in found)
    lines = [f"  {'us (x floor or scalar twin)':28}{head}"]
    for row, ratio in ROWS:
        line = f"  {row:28}"
        for one in found.values():
            met = all(one["budgets"][m]["met"] for m in (row, ratio) if m in one["budgets"])
            us, x = one["measures"][row]["value"], one["measures"][ratio]["value"]
            line += f"{us:10.3f} {f'({x:.1f})':>6}{' ' if met else '!'}"
        lines.append(line)
    for target, one in found.items():
        missed = [m for m, b in one["budgets"].items() if not b["met"]]
        lines.append(f"  {WORDS.get(target, target)}: " + (
            "misses " + ", ".join(missed) if missed else "meets every budget of kernels"))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--min-time", type=float, default=0.05)
    options = parser.parse_args()

    targets = names(options.bin)
    rounds = {target: [] for target in targets}
    for _ in range(options.rounds):
        for target in targets:
            rounds[target].append(run_once(options.bin, target, options.min_time))
    found = report({target: least(runs) for target, runs in rounds.items()})
    print(table(found))
    options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
