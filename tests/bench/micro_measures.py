"""Measures out of what posewire_micro writes. Standard library only."""
import re

from budgets import value

# What is timed, its name in the report, and its floor: by Google Benchmark's names, without what it
# adds of iterations and clocks.
TIMES = [
    ("EncodeFrameInTurn", "encode_frame", "memcpy_frame"),
    ("ReadFrameInTurn", "read_frame", "memcpy_read_frame"),
    ("ReadStockFrameInTurn", "read_stock_frame", "memcpy_read_stock_frame"),
    ("EncodeFrame", "encode_frame_in_cache", "memcpy_frame_in_cache"),
    ("ReadFrame", "read_frame_in_cache", "memcpy_frame_in_cache"),
    ("ReadStockFrame", "read_stock_frame_in_cache", "memcpy_stock_frame_in_cache"),
    ("ReadFrameAfresh", "read_frame_afresh", "memcpy_frame_in_cache"),
    ("ProtobufSerializeFrame", "protobuf_serialize_frame", "memcpy_frame_in_cache"),
    ("ProtobufParseFrame", "protobuf_parse_frame", "memcpy_frame_in_cache"),
    ("SampleClip", "sample_clip", "copy_pose"),
    ("SampleUncompressedClip", "sample_uncompressed_clip", "copy_pose"),
    ("SampleClipOfManyCharacters", "sample_clip_of_many_characters", "copy_pose"),
    ("Blend/plain/n:2", "blend_2", "copy_pose"),
    ("Blend/plain/n:4", "blend_4", "copy_pose"),
    ("Blend/plain/n:8", "blend_8", "copy_pose"),
    ("Blend/masked/n:4", "masked_blend_4", "copy_pose"),
    ("LayerMasked", "layer_masked", "copy_pose"),
    ("Additive", "additive", "copy_pose"),
    ("LocalToModel", "local_to_model", "copy_pose"),
    ("SampleAndBlend4OfManyCharacters", "sample_and_blend_4", "copy_pose"),
    ("TickPassthrough", "passthrough_graph", "copy_pose"),
    ("TickDefaultIdle", "default_graph_idle", "copy_pose"),
    ("TickDefaultDriven", "default_graph_driven", "copy_pose"),
    ("TickDefaultGesture", "default_graph_gesture", "copy_pose"),
    ("TickDefaultContributions", "default_graph_gesture_contributions", "copy_pose"),
    ("TickDefaultSpeech", "default_graph_speech", "copy_pose"),
    ("TickStanding", "standing_on_feet", "copy_pose"),
    ("TickWalking", "walking", "copy_pose"),
]
FLOORS = {
    "memcpy_frame": "CopyFrameInTurn",
    "memcpy_read_frame": "CopyFrameInTurnToOne",
    "memcpy_read_stock_frame": "CopyStockFrameInTurnToOne",
    "memcpy_frame_in_cache": "CopyFrame",
    "memcpy_stock_frame_in_cache": "CopyStockFrame",
    "copy_pose": "CopyPose",
}
# Benchmark, counter, name in the report, unit.
COUNTERS = [
    ("Blend/plain/n:4", "ratio", "blend_4_x_scalar", "x"),
    ("Blend/masked/n:4", "ratio", "masked_blend_4_x_scalar", "x"),
    ("CompressGestures/um:100/quick:0", "clip_bytes", "clip_bytes_at_0_1_mm", "bytes"),
    ("CompressGestures/um:1000/quick:0", "clip_bytes", "clip_bytes_at_1_mm", "bytes"),
    ("CompressGestures/um:100/quick:0", "raw_clip_bytes", "raw_clip_bytes", "bytes"),
    # Of an avatar and frame, among few and among many.
    ("EnginePassthrough/4", "avatar_frame", "engine_passthrough_of_4", "s"),
    ("EnginePassthrough/512", "avatar_frame", "engine_passthrough_of_512", "s"),
    ("EngineDefault/4", "avatar_frame", "engine_default_of_4", "s"),
    ("EngineDefault/512", "avatar_frame", "engine_default_of_512", "s"),
    ("EngineIdle/4", "avatar_frame", "engine_idle_of_4", "s"),
    ("EngineIdle/512", "avatar_frame", "engine_idle_of_512", "s"),
]
ADDED = re.compile(r"/(iterations:\d+|repeats:\d+|min_time:[\d.]+|manual_time|real_time)")


def medians(found):
    """Run name to the median of its repetitions: the run as Google Benchmark wrote it."""
    result = {}
    for run in found["benchmarks"]:
        if run.get("error_occurred"):
            raise SystemExit(f"{run['name']} failed: {run.get('error_message')}")
        if run.get("aggregate_name") == "median":
            result[ADDED.sub("", run["run_name"])] = run
    return result


def single_runs(found):
    """Run name to the one run of each, when there are no repetitions."""
    result = {}
    for run in found["benchmarks"]:
        if run.get("error_occurred"):
            raise SystemExit(f"{run['name']} failed: {run.get('error_message')}")
        result[ADDED.sub("", run["run_name"])] = run
    return result


def time_us(runs, name):
    if name not in runs:
        raise SystemExit(f"posewire_micro has no benchmark {name}")
    run = runs[name]
    timed_by_hand = "/manual_time" in run["run_name"]
    if run["time_unit"] != "ns":
        raise SystemExit(f"{run['name']} is in {run['time_unit']}, not in ns")
    return run["real_time" if timed_by_hand else "cpu_time"] / 1000


def measures(found):
    return measures_of(medians(found), COUNTERS)


def measures_of(runs, counters):
    """Times with their ratios to their floors, and some counters, of runs by name."""
    result = {name: {"value": time_us(runs, b), "unit": "us"} for name, b in FLOORS.items()}
    for benchmark, name, floor in TIMES:
        us = time_us(runs, benchmark)
        result[name] = {"value": us, "unit": "us"}
        result[f"{name}_x_{suffix(floor)}"] = {"value": us / result[floor]["value"], "unit": "x"}
    for benchmark, counter, name, unit in counters:
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
