"""Servers under load: starts one, drives it with loadgen, and says whether it kept up."""
import json
import os
import re
import signal
import subprocess

MOST_LATE_MS = 5
# How late it is what did not come at all.
NEVER_MS = 1e6
# Of the frames, those that have no pose since their server was late.
MOST_MISSED = 0.001
LEAST_FRAMES = 0.99

# Those that are compared, from the barest up.
LADDER = ["relay", "passthrough", "default"]
# With places for more avatars than any machine bears.
ANIM_GRAPH = ["anim_graph", "--listen", "127.0.0.1:0", "--max-streams", "8192", "--max-avatars",
              "8192"]
SERVERS = {
    "relay": ["relay"],
    "relay_idle": ["relay", "--idle"],
    "passthrough": ANIM_GRAPH + ["--graph", "passthrough"],
    "default": ANIM_GRAPH + ["--graph", "default"],
    "two_workers": ANIM_GRAPH + ["--graph", "default", "--workers", "2"],
}


def cpu_s(pids):
    """Seconds that the processes have taken together."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


class Server:
    """One server process, ended at the end of the block."""

    def __init__(self, folder, name):
        command = SERVERS[name]
        self.command = [str(folder / command[0]), *command[1:]]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        found = re.search(r'"grpc_port": *(\d+)', self.process.stdout.readline())
        if not found:
            self.process.kill()
            self.process.wait()
            raise SystemExit(f"{self.command[0]} named no port")
        self.port = found.group(1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def run_load(folder, name, pushes, pulls, seconds, pulls_of_each=1, warm_up=2, sparse="0"):
    """What loadgen found of a fresh server. A call that failed is counted in failed_calls.

    When the calls could not even be opened, twice, all of them have failed.
    """
    run = (try_load(folder, name, pushes, pulls, seconds, pulls_of_each, warm_up, sparse)
           or try_load(folder, name, pushes, pulls, seconds, pulls_of_each, warm_up, sparse)
           or nothing(pushes, pulls, seconds, pulls_of_each))
    run |= {"server": name}
    run["held"] = holds(run)
    print_run(run)
    return run


def nothing(pushes, pulls, seconds, pulls_of_each):
    """A run of which nothing came."""
    zeros = ("frames", "missed_ticks", "frames_without_pose", "voice_breaks", "silent_samples",
             "spoken_samples", "server_cpu_us_per_frame", "server_mib")
    return {name: 0 for name in zeros} | {
        "pushes": pushes, "pulls": pulls, "pulls_of_each": pulls_of_each, "seconds": seconds,
        "expected_frames": int(30 * seconds * pulls * pulls_of_each),
        "lateness_p50_ms": NEVER_MS, "lateness_p99_ms": NEVER_MS,
        "failed_calls": pushes + pulls * pulls_of_each}


def try_load(folder, name, pushes, pulls, seconds, pulls_of_each, warm_up, sparse):
    with Server(folder, name) as server:
        done = subprocess.run(
            [str(folder / "loadgen"), "--to", f"127.0.0.1:{server.port}",
             "--pushes", str(pushes), "--pulls", str(pulls), "--pulls-of-each", str(pulls_of_each),
             "--seconds", str(seconds), "--warm-up-s", str(warm_up),
             "--pid", str(server.process.pid), "--sparse", sparse],
            capture_output=True, text=True)
    if done.stderr:
        print(f"    {done.stderr.strip()}", flush=True)
    return json.loads(done.stdout) if done.stdout else None


def came(run):
    """Whether all came that was due, whenever it came."""
    return (run["failed_calls"] == 0 and run["voice_breaks"] == 0
            and run["missed_ticks"] + run["frames_without_pose"] <= MOST_MISSED * run["frames"]
            and run["frames"] >= LEAST_FRAMES * run["expected_frames"])


def holds(run):
    return came(run) and run["lateness_p99_ms"] < MOST_LATE_MS


def print_run(run):
    count = f"{run['pushes']} > {run['pulls']}"
    if run["pulls_of_each"] > 1:
        count += f" x {run['pulls_of_each']}"
    print(f"  {run['server']:12}{count:>13}  late p50 {run['lateness_p50_ms']:7.2f} ms  "
          f"p99 {run['lateness_p99_ms']:8.2f} ms  {run['server_cpu_us_per_frame']:6.1f} us a frame  "
          f"{run['server_mib']:6.1f} MiB  {'held' if run['held'] else 'not held'}", flush=True)
