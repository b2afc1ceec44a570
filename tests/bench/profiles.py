"""Where a server's time goes, by room: kernel, gRPC, copies, and each of ours, side by side.

    profiles.py --bin DIR --json FILE [--avatars N] [--seconds S]

perf samples the server 999 times a second while loadgen pushes and pulls; each sample belongs to
the code that ran, not to who called it. Without perf, or without leave to use it, it says so and
measures nothing. Standard library only.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from servers import LADDER, Server

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "services" / "anim_graph"
# What loadgen takes to open its calls before it warms up, for as many as are measured here.
OPENING_S = 3

COPIES = re.compile(r"mem(move|cpy|set|cmp)")
HEAP = re.compile(r"malloc|free|calloc|realloc|operator (new|delete)|_int_|sysmalloc|unlink_chunk")
OURS = re.compile(r"posewire::(\w+)::(?:N_\w+::)?(?:\(anonymous namespace\)::)?(\w+)?")
TYPE = re.compile(r"^\s*(?:class|struct)\s+(\w+)[^;]*$", re.M)
# Namespaces that are no folder of libs.
ELSEWHERE = {"bench": "relay", "loadgen": "relay"}


def rooms_of_types(folder=SERVICE):
    """The folder of each class of anim_graph, all of which share a namespace."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".h", ".cc"):
            room = path.relative_to(folder).parts[0] if path.parent != folder else ""
            for name in TYPE.findall(path.read_text()):
                found.setdefault(name, f"anim_graph/{room}".rstrip("/"))
    return found


def room_of(dso, symbol, types):
    """Whose a sample is: of the shared object it was in, and the function."""
    name = Path(dso).name
    if dso.startswith("[kernel") or dso == "[guest.kernel.kallsyms]" or name.endswith(".ko"):
        return "kernel"
    if name.startswith("libc.") or name.startswith("libstdc++"):
        if COPIES.search(symbol):
            return "libc copies"
        return "libc heap" if HEAP.search(symbol) else "libc, other"
    if name.startswith(("libgrpc", "libgpr", "libupb", "libabsl", "libaddress_sorting")):
        return "gRPC, absl"
    if name.startswith("libprotobuf"):
        return "protobuf"
    ours = OURS.search(symbol)
    if ours is None:
        return "gRPC, absl" if re.search(r"\bgrpc(_core)?::|\babsl::", symbol) else "other"
    namespace, following = ours.groups()
    if namespace == "anim_graph":
        return types.get(following, "anim_graph")
    return ELSEWHERE.get(namespace, f"libs/{namespace}")


def rooms(samples, types):
    """Share of each room, of (dso, symbol) pairs."""
    counts = {}
    for dso, symbol in samples:
        room = room_of(dso, symbol, types)
        counts[room] = counts.get(room, 0) + 1
    total = sum(counts.values())
    return {room: n / total for room, n in counts.items()}


def read_script(text):
    """(dso, symbol) of each line of `perf script -F ip,sym,dso`."""
    for line in text.splitlines():
        found = re.match(r"\s*[0-9a-f]+\s+(.*?)\s+\((\S+)\)\s*$", line)
        if found:
            yield found.group(2), found.group(1)


def record(server, loadgen, avatars, seconds, place):
    """What loadgen said of the run, and the samples of the server during it."""
    load = subprocess.Popen(
        [str(loadgen), "--to", f"127.0.0.1:{server.port}", "--pushes", str(avatars), "--pulls",
         str(avatars), "--seconds", str(seconds + 1), "--warm-up-s", "1", "--pid",
         str(server.process.pid)], stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(OPENING_S)
        data = str(Path(place) / "perf.data")
        done = subprocess.run(["perf", "record", "-F", "999", "-p", str(server.process.pid), "-o",
                               data, "--", "sleep", str(seconds)], capture_output=True, text=True)
        if done.returncode != 0:
            return None, done.stderr.strip()
        said = load.communicate()[0]
        if load.returncode != 0:
            raise SystemExit("loadgen failed")
        script = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym,dso"], check=True,
                                capture_output=True, text=True)
        return json.loads(said), list(read_script(script.stdout))
    finally:
        if load.poll() is None:
            load.kill()
            load.communicate()


def profile(name, options, types):
    with tempfile.TemporaryDirectory() as place, Server(options.bin, name) as server:
        run, samples = record(server, options.bin / "loadgen", options.avatars, options.seconds,
                              place)
    if run is None:
        return None, samples
    if not samples:
        return None, "perf took no samples"
    us = run["server_cpu_us_per_frame"]
    return {"cpu_us_per_frame": us, "samples": len(samples),
            "rooms": {room: {"share": share, "us": share * us}
                      for room, share in rooms(samples, types).items()}}, ""


def table(found):
    """Text: share and microseconds a frame of each room, for each server."""
    every = {room for one in found.values() for room in one["rooms"]}
    none = {"share": 0, "us": 0}

    def most(room):
        return max(one["rooms"].get(room, none)["us"] for one in found.values())
    lines = [f"  {'us a frame (share)':24}" + "".join(f"{name:>20}" for name in found)]
    for room in sorted(every, key=most, reverse=True):
        cells = [one["rooms"].get(room, none) for one in found.values()]
        if most(room) < 0.05:
            continue
        lines.append(f"  {room:24}" + "".join(
            f"{c['us']:12.1f} {c['share']:6.1%}" + " " for c in cells))
    lines.append(f"  {'all':24}" + "".join(
        f"{one['cpu_us_per_frame']:12.1f}        " for one in found.values()))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--avatars", type=int, default=250)
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    if shutil.which("perf") is None:
        print("  perf is not installed: no profiles.")
        return
    types = rooms_of_types()
    found = {}
    for name in LADDER:
        found[name], why = profile(name, options, types)
        if found[name] is None:
            print(f"  perf could not sample: {why}\n  No profiles.")
            return
    print(table(found))
    options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
