"""The headline: many avatars pushed and pulled, and more that idle and are pulled, for long.

    headline.py --bin DIR --json FILE [--pushed N] [--idle N] [--seconds S] [--relay-seconds S]

With the default graph on two workers, and for comparison shorter with the bare relay. Standard
library only.
"""
import argparse
import json
import sys
from pathlib import Path

from servers import came, run_load

FRAME_MS = 1000 / 30


def judge(run, relay):
    late_ms = run["lateness_p99_ms"]
    return {
        "avatars": run["pulls"],
        "value": late_ms,
        "budget": FRAME_MS,
        "unit": "ms",
        "met": late_ms < FRAME_MS and came(run),
        "seconds": run["seconds"],
        "frames": run["frames"],
        "expected_frames": run["expected_frames"],
        "missed_ticks": run["missed_ticks"],
        "frames_without_pose": run["frames_without_pose"],
        "breaks_of_voice": run["voice_breaks"],
        "silent_samples": run["silent_samples"],
        "spoken_samples": run["spoken_samples"],
        "failed_calls": run["failed_calls"],
        "cpu_us_per_frame": run["server_cpu_us_per_frame"],
        "server_mib": run["server_mib"],
        "relay": {"value": relay["lateness_p99_ms"],
                  "cpu_us_per_frame": relay["server_cpu_us_per_frame"],
                  "met": relay["lateness_p99_ms"] < FRAME_MS and came(relay)},
        "x_relay": late_ms / relay["lateness_p99_ms"] if relay["lateness_p99_ms"] > 0 else None,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--pushed", type=int, default=500)
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--relay-seconds", type=float, default=8)
    parser.add_argument("--warm-up-s", type=float, default=2)
    options = parser.parse_args()

    found = {}
    for what, pushes, pulls, relay in (("pushed_and_pulled", options.pushed, options.pushed, "relay"),
                                       ("idle_and_pulled", 0, options.idle, "relay_idle")):
        runs = [run_load(options.bin, server, pushes, pulls, seconds, warm_up=options.warm_up_s)
                for server, seconds in ((relay, options.relay_seconds),
                                        ("two_workers", options.seconds))]
        found[what] = judge(runs[1], runs[0])
    found["met"] = all(f["met"] for f in found.values())
    options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
