"""Loads the bare relay and anim_graph alike: what an avatar costs, and how many each bears.

    load.py --bin DIR --json FILE [--sizes S,M,L] [--seconds S] [--warm-up-s W] [--most N]
            [--tries T]

For each server N streams are pushed and the same N pulled at 30 frames a second by loadgen, on the
same machine: first the three sizes, whose CPU and memory are compared, then a search for the
largest size that holds. A size holds when the 99th percentile of lateness is under 5 ms, no call
failed, no sample of the voice is lost and next to no frame is missing; one that does not hold is
tried once more. The servers take turns, so that a drift of the machine meets all of them.
Standard library only.
"""
import argparse
import json
import sys
from pathlib import Path

from servers import LADDER, came, run_load

PULLS_OF_EACH = 4


def search(known, most, fine=0.05):
    """Yields sizes to try and is sent whether they held; returns the largest that did.

    `known` says of some sizes whether they held. Upwards by half until one does not hold, then by
    halves of what lies between, until that is `fine` of the largest.
    """
    low = max((n for n, held in known.items() if held), default=0)
    high = min((n for n, held in known.items() if not held and n > low), default=None)
    while True:
        if high is None:
            if low >= most:
                return low
            size = min(most, max(low + 1, low * 3 // 2))
        else:
            size = (low + high) // 2
            step = 10 if low >= 100 else 1
            size = size // step * step
            if size <= low or high - low <= fine * low:
                return low
        held = (yield size)
        if held:
            low = size
        else:
            high = size


class Bench:
    def __init__(self, options):
        self.options = options
        self.runs = []
        self.tries = {name: 0 for name in LADDER}

    def run(self, name, pushes, pulls, pulls_of_each=1):
        run = run_load(self.options.bin, name, pushes, pulls, self.options.seconds, pulls_of_each,
                       self.options.warm_up_s)
        self.runs.append(run)
        return run

    def try_once(self, name, size):
        self.tries[name] += 1
        return self.run(name, size, size)["held"]

    def holds(self, name, size):
        return self.try_once(name, size) or self.try_once(name, size)

    def at_sizes(self, sizes):
        """The servers at each size, by name and size."""
        return {(name, size): self.run(name, size, size) for size in sizes for name in LADDER}

    def largest(self, fixed):
        """The largest size of each server. The searches take turns."""
        found, open_ = {}, {}
        for name in LADDER:
            known = {size: run["held"] for (n, size), run in fixed.items() if n == name}
            # One failure is none yet.
            for size in sorted(s for s, held in known.items() if not held):
                known[size] = self.try_once(name, size)
                if not known[size]:
                    break
            open_[name] = (search(known, self.options.most), None)
            found[name] = max((n for n, held in known.items() if held), default=0)
        while open_:
            for name, (steps, answer) in list(open_.items()):
                try:
                    size = steps.send(answer)
                except StopIteration:
                    del open_[name]
                    continue
                if self.tries[name] >= self.options.tries:
                    del open_[name]
                    continue
                held = self.holds(name, size)
                open_[name] = (steps, held)
                if held:
                    found[name] = max(found[name], size)
        return found


def ratio(top, base):
    """A ratio, as great as can be when there is nothing below."""
    return {"value": top / base if base > 0 else float(top > 0) * 1e9, "unit": "x"}


def cpu_measures(fixed, sizes):
    """CPU of the server a frame, at each size and from the small size to the large one."""
    small, middle, large = sizes
    result = {}
    for name in LADDER:
        us = {size: fixed[name, size]["server_cpu_us_per_frame"] for size in sizes}
        for word, size in (("small", small), ("middle", middle), ("large", large)):
            result[f"{name}_cpu_{word}"] = {"value": us[size], "unit": "us"}
        result[f"{name}_cpu_large_x_small"] = ratio(us[large], us[small])
        result[f"{name}_came_large"] = {"value": int(came(fixed[name, large])), "unit": "yes"}
    return result


def largest_measures(found):
    result = {f"{name}_largest": {"value": n, "unit": "avatars"} for name, n in found.items()}
    for name in ("passthrough", "default"):
        result[f"{name}_largest_x_relay"] = ratio(found[name], found["relay"])
    return result


def cpu_per_tick_us(run):
    """CPU of the server for one tick of all its streams."""
    return run["server_cpu_us_per_frame"] * run["frames"] / (30 * run["seconds"])


def extra_pull_measures(bench, one, size):
    """What one more pull of the same avatar costs, against one more raw write of the same bytes.

    The avatars idle: the graph's work is the same, however many pull. `one` has one pull of each.
    """
    many = bench.run("default", 0, size, PULLS_OF_EACH)
    few, more = (bench.run("relay_idle", 0, size * k) for k in (1, PULLS_OF_EACH))
    extra = size * (PULLS_OF_EACH - 1)
    pull_us = (cpu_per_tick_us(many) - cpu_per_tick_us(one)) / extra
    write_us = (cpu_per_tick_us(more) - cpu_per_tick_us(few)) / extra
    return {"extra_pull": {"value": pull_us, "unit": "us"},
            "raw_write": {"value": write_us, "unit": "us"},
            "extra_pull_x_write": ratio(pull_us, write_us)}


def memory_measures(idle, fixed, sizes):
    """Memory of the server for one more avatar, with its calls.

    `idle` are runs of avatars that idle, by size. The large size is left out: a server that does
    not keep up holds what waits, too.
    """
    small, middle, _ = sizes

    def kib(few, many):
        grown = many["server_mib"] - few["server_mib"]
        return {"value": grown * 1024 / (many["pulls"] - few["pulls"]), "unit": "KiB"}
    return {"memory_idle": kib(idle[small], idle[middle]),
            "memory_playing": kib(fixed["default", small], fixed["default", middle]),
            "memory_relay": kib(fixed["relay", small], fixed["relay", middle])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--sizes", default="100,250,500",
                        help="three sizes whose CPU and memory are compared")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--warm-up-s", type=float, default=2)
    parser.add_argument("--most", type=int, default=2000, help="no more avatars are tried")
    parser.add_argument("--tries", type=int, default=10, help="of the search for each server, so "
                        "that a machine that is busy does not take for ever")
    options = parser.parse_args()
    sizes = [int(s) for s in options.sizes.split(",")]

    bench = Bench(options)
    measures = {"small": {"value": sizes[0], "unit": "avatars"},
                "middle": {"value": sizes[1], "unit": "avatars"},
                "large": {"value": sizes[2], "unit": "avatars"}}
    fixed = bench.at_sizes(sizes)
    measures |= cpu_measures(fixed, sizes)
    idle = {size: bench.run("default", 0, size) for size in sizes[:2]}
    measures |= memory_measures(idle, fixed, sizes)
    measures |= extra_pull_measures(bench, idle[sizes[0]], sizes[0])
    measures |= largest_measures(bench.largest(fixed))
    for name, m in measures.items():
        print(f"  {name:34}{m['value']:10.2f} {m['unit']}")
    options.json.write_text(json.dumps(measures, indent=2) + "\n")
    options.json.with_name("load_runs.json").write_text(json.dumps(bench.runs, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
