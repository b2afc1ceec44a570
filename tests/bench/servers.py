"""Servers under load: starts one, drives it with loadgen, and says whether it kept up."""
import json
import re
import signal
import subprocess

MOST_LATE_MS = 5
MOST_MISSED = 0.001
LEAST_FRAMES = 0.99

SERVERS = {
    "relay": ["relay"],
    "relay_idle": ["relay", "--idle"],
    "passthrough": ["anim_graph", "--listen", "127.0.0.1:0", "--graph", "passthrough"],
    "default": ["anim_graph", "--listen", "127.0.0.1:0", "--graph", "default"],
}


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


def run_load(folder, name, pushes, pulls, seconds, pulls_of_each=1, warm_up=2):
    """What loadgen found of a fresh server. A call that failed is counted in failed_calls."""
    with Server(folder, name) as server:
        done = subprocess.run(
            [str(folder / "loadgen"), "--to", f"127.0.0.1:{server.port}",
             "--pushes", str(pushes), "--pulls", str(pulls), "--pulls-of-each", str(pulls_of_each),
             "--seconds", str(seconds), "--warm-up-s", str(warm_up),
             "--pid", str(server.process.pid)],
            capture_output=True, text=True)
    if done.stderr:
        print(f"    {done.stderr.strip()}", flush=True)
    if not done.stdout:
        raise SystemExit(f"loadgen found nothing of {name} with {pulls} pulls")
    run = json.loads(done.stdout) | {"server": name}
    run["held"] = holds(run)
    print_run(run)
    return run


def came(run):
    """Whether all came that was due, whenever it came."""
    return (run["failed_calls"] == 0 and run["voice_breaks"] == 0
            and run["missed_ticks"] <= MOST_MISSED * run["frames"]
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
