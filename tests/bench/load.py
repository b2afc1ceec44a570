"""Loads the bare relay and anim_graph alike, and finds how many avatars each bears.

    load.py --bin DIR --json FILE [--sizes 50,100,...] [--seconds S]

For each server and each size N, N streams are pushed and the same N pulled at 30 frames a second by
loadgen, on the same machine. A size holds when the 99th percentile of lateness is under 5 ms, no
call failed and no frame is missing; a size that does not hold is tried once more, and after a
second failure no greater one is tried. Standard library only.
"""
import argparse
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

MOST_LATE_MS = 5
SERVERS = {
    "relay": ["relay"],
    "passthrough": ["anim_graph", "--listen", "127.0.0.1:0", "--graph", "passthrough"],
    "default": ["anim_graph", "--listen", "127.0.0.1:0", "--graph", "default"],
}


class Server:
    """One server process, ended at the end of the block."""

    def __init__(self, folder, command):
        self.command = [str(folder / command[0]), *command[1:]]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        found = re.search(r'"grpc_port": *(\d+)', self.process.stdout.readline())
        if not found:
            self.process.kill()
            raise SystemExit(f"{self.command[0]} named no port")
        self.port = found.group(1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def run_load(folder, server, size, seconds):
    """What loadgen found, or nothing when a call failed."""
    done = subprocess.run(
        [str(folder / "loadgen"), "--to", f"127.0.0.1:{server.port}", "--pushes", str(size),
         "--pulls", str(size), "--seconds", str(seconds), "--pid", str(server.process.pid)],
        capture_output=True, text=True)
    if done.returncode != 0:
        print(f"    {done.stderr.strip()}")
        return None
    return json.loads(done.stdout)


def holds(run):
    return (run is not None and run["lateness_p99_ms"] < MOST_LATE_MS and run["missed_ticks"] == 0
            and run["frames"] >= 0.99 * run["expected_frames"])


def climb(folder, name, sizes, seconds):
    """Runs by size, each on a fresh server, until one does not hold."""
    runs = []
    for size in sizes:
        for _ in range(2):
            with Server(folder, SERVERS[name]) as server:
                run = run_load(folder, server, size, seconds)
            held = holds(run)
            if run:
                print(f"  {name:12} {size:5}  p50 {run['lateness_p50_ms']:7.2f} ms  "
                      f"p99 {run['lateness_p99_ms']:8.2f} ms  "
                      f"{run['server_cpu_us_per_frame']:6.1f} us a frame  "
                      f"{run['server_mib']:6.1f} MiB  {'held' if held else 'not held'}", flush=True)
                runs.append(run | {"held": held})
            if held:
                break
        if not held:
            break
    return runs


def summarize(name, runs):
    held = [r["pulls"] for r in runs if r["held"]]
    measures = {f"{name}_largest": {"value": max(held, default=0), "unit": "avatars"}}
    for run in runs:
        if run["held"] and run["pulls"] in (100, 500):
            key = f"{name}_cpu_at_{run['pulls']}"
            measures[key] = {"value": run["server_cpu_us_per_frame"], "unit": "us"}
    return measures


def ratios(measures):
    result = {}
    for name in ("passthrough", "default"):
        for what in ("largest", "cpu_at_100", "cpu_at_500"):
            top, base = measures.get(f"{name}_{what}"), measures.get(f"relay_{what}")
            if top and base and base["value"] > 0:
                result[f"{name}_{what}_x_relay"] = {"value": top["value"] / base["value"],
                                                    "unit": "x"}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--sizes", default="50,100,200,300,400,500,600,800,1000")
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    sizes = [int(s) for s in options.sizes.split(",")]

    measures, runs = {}, {}
    for name in SERVERS:
        runs[name] = climb(options.bin, name, sizes, options.seconds)
        measures |= summarize(name, runs[name])
    measures |= ratios(measures)
    for name, m in measures.items():
        print(f"  {name:34}{m['value']:10.2f} {m['unit']}")
    options.json.write_text(json.dumps(measures, indent=2) + "\n")
    options.json.with_name("load_runs.json").write_text(json.dumps(runs, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
