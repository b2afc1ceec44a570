"""Joins what the benchmarks found into report.json, and prints what has a budget or a floor.

    report.py FOLDER [--size full|short|smoke|headline] [--load-before L]

FOLDER holds start.json and latency.json of posewire_bench, micro.json of posewire_micro, load.json
of load.py and headline.json of headline.py; a part that was not run is left out. What a part that
was run should have found and did not is an error. Standard library only.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import budgets
import micro_measures

HEADLINE = ("500 avatars pushed and pulled, and 1000 idling and pulled, at 30 fps: p99 lateness "
            "under one frame, no audio sample lost")


def machine():
    """What the numbers were measured on."""
    found = {"cpus": os.cpu_count(), "cpu": "", "memory_gib": 0, "system": ""}
    for line in read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            found["cpu"] = line.split(":", 1)[1].strip()
            break
    for line in read("/proc/meminfo").splitlines():
        if line.startswith("MemTotal"):
            found["memory_gib"] = round(int(line.split()[1]) / 2**20, 1)
    for line in read("/etc/os-release").splitlines():
        if line.startswith("PRETTY_NAME="):
            found["system"] = line.split("=", 1)[1].strip('"')
    found["kernel"] = os.uname().release
    return found


def read(path):
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def commit():
    """The commit, and whether the tree differs from it."""
    root = Path(__file__).resolve().parents[2]
    def git(*arguments):
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None
    try:
        name, changes = git("rev-parse", "HEAD"), git("status", "--porcelain")
    except OSError:
        return "unknown"
    return (name or "unknown") + ("+changes" if changes else "")


def load(path):
    return json.loads(path.read_text()) if path.exists() else None


def print_budgets(found):
    print("Budgets:")
    for name, b in found.items():
        word = "met" if b["met"] else "MISSED"
        line = f"  {name:34}{b['value']:10.3f} {b['unit']:5}"
        line += f" {'>=' if b.get('at_least') else '<='} {b['budget']:8.3f}  {word:6}"
        if "against" in b and b["against"]["ratio"] is not None:
            against = b["against"]
            line += f"  {against['ratio']:.2f} x {against['name']} of {against['value']:.3f}"
        print(line)


def print_headline(found):
    for what in ("pushed_and_pulled", "idle_and_pulled"):
        h = found[what]
        print(f"Headline, {h['avatars']} {what.replace('_', ' ')}, {h['seconds']:.0f} s: p99 "
              f"{h['value']:.2f} ms late (a frame is {h['budget']:.1f}), relay "
              f"{h['relay']['value']:.2f}; {h['breaks_of_voice']} breaks of voice, "
              f"{h['frames']} of {h['expected_frames']} frames: "
              f"{'met' if h['met'] else 'MISSED'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", default="full")
    parser.add_argument("--load-before", type=float, default=None,
                        help="load average of the machine before the first measurement")
    options = parser.parse_args()

    names = ("start", "latency", "micro", "load", "headline")
    found = {name: load(options.folder / f"{name}.json") for name in names}
    parts = [name for name in names if found[name] is not None]
    if not parts:
        sys.exit(f"{options.folder} holds no measurements")
    measures = {}
    for part in ("start", "latency", "load"):
        measures |= found[part] or {}
    if found["micro"] is not None:
        measures |= micro_measures.measures(found["micro"])
        print(micro_measures.table(measures))
    measures |= budgets.derived(measures, parts)
    report = {
        "machine": machine() | {"load_before": options.load_before},
        "commit": commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "size": options.size,
        "parts": parts,
        "budgets": budgets.judge(measures, parts),
        "headline": {"what": HEADLINE, "measured": found["headline"] is not None}
        | (found["headline"] or {}),
        "measures": measures,
    }
    (options.folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    print_budgets(report["budgets"])
    if found["headline"] is not None:
        print_headline(found["headline"])


if __name__ == "__main__":
    main()
