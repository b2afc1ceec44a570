"""Measures out of what posewire_micro writes. Standard library only."""
import re

from budgets import value

# What is timed, its name in the report, and its floor: by Google Benchmark's names, without what it
# adds of iterations and clocks.
TIMES = [
    ("EncodeFrame", "encode_frame", "memcpy_frame"),
    ("ReadFrame", "read_frame", "memcpy_frame"),
    ("ReadStockFrame", "read_stock_frame", "memcpy_stock_frame"),
    ("ProtobufSerializeFrame", "protobuf_serialize_frame", "memcpy_frame"),
    ("ProtobufParseFrame", "protobuf_parse_frame", "memcpy_frame"),
    ("SampleClip", "sample_clip", "copy_pose"),
    ("SampleClipOfManyCharacters", "sample_clip_of_many_characters", "copy_pose"),
    ("Blend/2", "blend_2", "copy_pose"),
    ("Blend/4", "blend_4", "copy_pose"),
    ("Blend/8", "blend_8", "copy_pose"),
    ("LayerMasked", "layer_masked", "copy_pose"),
    ("Additive", "additive", "copy_pose"),
    ("LocalToModel", "local_to_model", "copy_pose"),
    ("SampleAndBlend4OfManyCharacters", "sample_and_blend_4", "copy_pose"),
    ("TickPassthrough", "passthrough_graph", "copy_pose"),
    ("TickDefaultIdle", "default_graph_idle", "copy_pose"),
    ("TickDefaultDriven", "default_graph_driven", "copy_pose"),
    ("TickDefaultGesture", "default_graph_gesture", "copy_pose"),
]
FLOORS = {
    "memcpy_frame": "CopyFrame",
    "memcpy_stock_frame": "CopyStockFrame",
    "copy_pose": "CopyPose",
}
# Benchmark, counter, name in the report, unit.
COUNTERS = [
    ("CompressGestures/um:100/quick:0", "clip_bytes", "clip_bytes_at_0.1_mm", "bytes"),
    ("CompressGestures/um:1000/quick:0", "clip_bytes", "clip_bytes_at_1_mm", "bytes"),
]
ADDED = re.compile(r"/(iterations:\d+|repeats:\d+|min_time:[\d.]+|manual_time|real_time)")


def medians(found):
    """Run name to the median of its repetitions: the run as Google Benchmark wrote it."""
    result = {}
    for run in found["benchmarks"]:
        if run.get("error_occurred"):
            raise SystemExit(f"{run['name']} failed: {run.get('error_message')}")
        if run.get("aggregate_name") == "median":
            if run["time_unit"] != "ns":
                raise SystemExit(f"{run['name']} is in {run['time_unit']}, not in ns")
            result[ADDED.sub("", run["run_name"])] = run
    return result


def time_us(runs, name):
    if name not in runs:
        raise SystemExit(f"posewire_micro has no benchmark {name}")
    run = runs[name]
    timed_by_hand = "/manual_time" in run["run_name"]
    return run["real_time" if timed_by_hand else "cpu_time"] / 1000


def measures(found):
    runs = medians(found)
    result = {name: {"value": time_us(runs, b), "unit": "us"} for name, b in FLOORS.items()}
    for benchmark, name, floor in TIMES:
        us = time_us(runs, benchmark)
        result[name] = {"value": us, "unit": "us"}
        result[f"{name}_x_{suffix(floor)}"] = {"value": us / result[floor]["value"], "unit": "x"}
    for benchmark, counter, name, unit in COUNTERS:
        if benchmark not in runs:
            raise SystemExit(f"posewire_micro has no benchmark {benchmark}")
        if counter not in runs[benchmark]:
            raise SystemExit(f"benchmark {benchmark} has no counter {counter}")
        result[name] = {"value": runs[benchmark][counter], "unit": unit}
    return result


def suffix(floor):
    return "copy" if floor == "copy_pose" else "memcpy"


def table(all_measures):
    """Text: each time and its ratio to its floor."""
    lines = [f"  {'':34}{'us':>10}{'x floor':>10}"]
    for _, name, floor in TIMES:
        us, ratio = value(all_measures, name), value(all_measures, f"{name}_x_{suffix(floor)}")
        lines.append(f"  {name:34}{us:10.3f}{ratio:10.1f}  of {floor}")
    return "\n".join(lines)
