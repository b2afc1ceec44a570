"""Joins what the benchmarks found into report.json, and prints what has a budget or a floor.

    report.py FOLDER [--load-before L]

FOLDER holds start.json and latency.json of posewire_bench, micro.json of posewire_micro and
load.json of load.py; a part that was not run is left out. Standard library only.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

FRAME_MS = 1000 / 30

# Budgets: measure, most, unit.
BUDGETS = {
    "live_latency_p50": (FRAME_MS / 2 + 2, "ms"),
    "start_to_first_rpc_median": (0.2, "s"),
    "encode_frame_x_memcpy": (4.5, "x"),
    "read_frame_x_memcpy": (4.5, "x"),
    "read_stock_frame_x_memcpy": (10, "x"),
    "sample_and_blend_4": (5, "us"),
    "default_graph_idle": (6, "us"),
    "default_graph_driven": (6, "us"),
    "default_graph_gesture": (6, "us"),
}

# Budgets that are to be reached, not kept below.
AT_LEAST = {
    "passthrough_largest_x_relay": (0.85, "x"),
    "default_largest_x_relay": (0.7, "x"),
}

# The measure by which the whole is known. Nothing runs it yet.
HEADLINE = "500 avatars pushed and pulled, and 1000 idling and pulled, at 30 fps"

# Micro benchmarks: what is timed, its name in the report, its floor.
MICRO = [
    ("EncodeFrame", "encode_frame", "CopyFrame"),
    ("ReadFrame", "read_frame", "CopyFrame"),
    ("ReadStockFrame", "read_stock_frame", "CopyStockFrame"),
    ("ProtobufSerializeFrame", "protobuf_serialize_frame", "CopyFrame"),
    ("ProtobufParseFrame", "protobuf_parse_frame", "CopyFrame"),
    ("SampleClip", "sample_clip", "CopyPose"),
    ("SampleClipOfManyCharacters", "sample_clip_of_many_characters", "CopyPose"),
    ("Blend/2", "blend_2", "CopyPose"),
    ("Blend/4", "blend_4", "CopyPose"),
    ("Blend/8", "blend_8", "CopyPose"),
    ("LayerMasked", "layer_masked", "CopyPose"),
    ("Additive", "additive", "CopyPose"),
    ("LocalToModel", "local_to_model", "CopyPose"),
    ("SampleAndBlend4OfManyCharacters", "sample_and_blend_4", "CopyPose"),
    ("TickPassthrough", "passthrough_graph", "CopyPose"),
    ("TickDefaultIdle", "default_graph_idle", "CopyPose"),
    ("TickDefaultDriven", "default_graph_driven", "CopyPose"),
    ("TickDefaultGesture", "default_graph_gesture", "CopyPose"),
]
SUFFIX = {"CopyFrame": "memcpy", "CopyStockFrame": "memcpy", "CopyPose": "copy"}


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


def micro_measures(found):
    """Medians of time in ns, and each as a ratio to its floor, from Google Benchmark's JSON."""
    medians = {}
    for run in found["benchmarks"]:
        if run.get("error_occurred"):
            raise SystemExit(f"{run['name']} failed: {run.get('error_message')}")
        if run.get("aggregate_name") == "median":
            if run["time_unit"] != "ns":
                raise SystemExit(f"{run['name']} is in {run['time_unit']}, not in ns")
            medians[run["run_name"]] = run["cpu_time"]
    measures = {"memcpy_frame": {"value": medians["CopyFrame"], "unit": "ns"},
                "copy_pose": {"value": medians["CopyPose"], "unit": "ns"}}
    for timed, name, floor in MICRO:
        measures[name] = {"value": medians[timed] / 1000, "unit": "us"}
        measures[f"{name}_x_{SUFFIX[floor]}"] = {"value": medians[timed] / medians[floor],
                                                 "unit": "x"}
    return measures


def budgets(measures):
    result = {}
    for name, (budget, unit) in (BUDGETS | AT_LEAST).items():
        if name not in measures:
            continue
        value = measures[name]["value"]
        if measures[name]["unit"] != unit:
            raise SystemExit(f"{name} is in {measures[name]['unit']}, its budget in {unit}")
        met = value >= budget if name in AT_LEAST else value <= budget
        result[name] = {"value": value, "budget": budget, "unit": unit, "met": met}
    return result


def print_micro(measures):
    print(f"  {'':34}{'us':>10}{'x floor':>10}")
    for _, name, floor in MICRO:
        ratio = measures[f"{name}_x_{SUFFIX[floor]}"]["value"]
        print(f"  {name:34}{measures[name]['value']:10.3f}{ratio:10.1f}  of {SUFFIX[floor]}")


def print_budgets(found):
    print("Budgets:")
    for name, b in found.items():
        word = "met" if b["met"] else "MISSED"
        print(f"  {name:34}{b['value']:10.3f} {b['unit']:3} of {b['budget']:.3f}  {word}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--load-before", type=float, default=None,
                        help="load average of the machine before the first measurement")
    options = parser.parse_args()

    measures = {}
    for part in ("start", "latency", "load"):
        measures.update(load(options.folder / f"{part}.json") or {})
    micro = load(options.folder / "micro.json")
    if micro:
        measures.update(micro_measures(micro))
        print_micro(measures)
    if not measures:
        sys.exit(f"{options.folder} holds no measurements")
    report = {
        "machine": machine() | {"load_before": options.load_before},
        "commit": commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "budgets": budgets(measures),
        "headline": {"what": HEADLINE, "measured": False},
        "measures": measures,
    }
    (options.folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    print_budgets(report["budgets"])


if __name__ == "__main__":
    main()
