"""What is asked of what was measured: the budgets, and the floors and ceilings that they stand on.

A measure is {"value": v, "unit": u} under a name. Standard library only.
"""
from dataclasses import dataclass

FRAME_MS = 1000 / 30


@dataclass(frozen=True)
class Budget:
    measure: str
    parts: tuple  # all that it needs
    budget: float
    unit: str
    at_least: bool = False
    # The measure of the same run that is its floor or ceiling, when the unit is not its ratio.
    against: str = ""


BUDGETS = [
    Budget("start_to_first_rpc_median", ("start",), 0.2, "s", against="start_to_ready_median"),
    Budget("live_latency_p50", ("latency",), FRAME_MS / 2 + 2, "ms", against="half_a_frame"),
    Budget("encode_frame_x_memcpy", ("micro",), 4.5, "x"),
    Budget("read_frame_x_memcpy", ("micro",), 4.5, "x"),
    Budget("read_stock_frame_x_memcpy", ("micro",), 10, "x"),
    Budget("blend_4_x_scalar", ("micro",), 3, "x", at_least=True),
    Budget("masked_blend_4_x_scalar", ("micro",), 3, "x", at_least=True),
    Budget("sample_and_blend_4", ("micro",), 5, "us", against="copy_pose"),
    Budget("default_graph_idle", ("micro",), 6, "us", against="copy_pose"),
    Budget("default_graph_driven", ("micro",), 6, "us", against="copy_pose"),
    Budget("default_graph_gesture", ("micro",), 4, "us", against="copy_pose"),
    Budget("clip_bytes_at_0_1_mm", ("micro",), 4, "bytes", against="raw_clip_bytes"),
    Budget("clip_bytes_at_1_mm", ("micro",), 3, "bytes", against="raw_clip_bytes"),
    Budget("passthrough_cpu_less_work_x_relay", ("load", "micro"), 1.15, "x"),
    Budget("default_cpu_less_work_x_relay", ("load", "micro"), 1.3, "x"),
    Budget("passthrough_largest_x_relay", ("load",), 0.85, "x", at_least=True),
    Budget("default_largest_x_relay", ("load",), 0.9, "x", at_least=True),
    Budget("passthrough_cpu_large_x_small", ("load",), 1.15, "x"),
    Budget("default_cpu_large_x_small", ("load",), 1.15, "x"),
    Budget("extra_pull_x_write", ("load",), 1.1, "x"),
    Budget("memory_idle", ("load",), 80, "KiB", against="memory_relay"),
    Budget("memory_playing", ("load",), 160, "KiB", against="memory_relay"),
]

# What each graph does of its own in a frame: it reads a message, ticks, and encodes a frame.
WORK = {"passthrough": ("read_frame", "passthrough_graph", "encode_frame"),
        "default": ("read_frame", "default_graph_driven", "encode_frame")}


def value(measures, name, unit=None):
    if name not in measures:
        raise SystemExit(f"nothing measured {name}")
    found = measures[name]
    if unit is not None and found["unit"] != unit:
        raise SystemExit(f"{name} is in {found['unit']}, not in {unit}")
    return found["value"]


def derived(measures, parts):
    """What takes more than one part, and constants that others are set against."""
    result = {"half_a_frame": {"value": FRAME_MS / 2, "unit": "ms"}}
    if "micro" in parts and "load" in parts:
        relay = value(measures, "relay_cpu_middle", "us")
        for name, work in WORK.items():
            alone = sum(value(measures, w, "us") for w in work)
            rest = value(measures, f"{name}_cpu_middle", "us") - alone
            result[f"{name}_work"] = {"value": alone, "unit": "us"}
            result[f"{name}_cpu_less_work_x_relay"] = {
                "value": rest / relay if relay > 0 else 1e9, "unit": "x"}
    return result


def judge(measures, parts):
    """Every budget whose parts were run. A measure that is missing then ends the program."""
    result = {}
    for b in BUDGETS:
        if not set(b.parts) <= set(parts):
            continue
        found = value(measures, b.measure, b.unit)
        met = found >= b.budget if b.at_least else found <= b.budget
        result[b.measure] = {"value": found, "budget": b.budget, "unit": b.unit, "met": met}
        if b.at_least:
            result[b.measure]["at_least"] = True
        if b.against:
            floor = value(measures, b.against)
            result[b.measure]["against"] = {"name": b.against, "value": floor,
                                            "ratio": found / floor if floor > 0 else None}
    return result
