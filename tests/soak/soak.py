"""Runs an anim_graph for long, under a light load that comes and goes, and says whether it stays
as it was.

    soak.py --bin DIR [--seconds S] [--json FILE]

A steady load lasts the whole time: avatars that are pushed and pulled, and others that idle and are
pulled. Beside it a small load of other streams starts, plays, breaks off and is gone, over and
over, and a2f_source says a sentence once a minute. One line a minute tells of memory, CPU and
lateness. The verdict fails when memory grew, descriptors or threads were left behind, a call
failed, or a numbered sample of a voice was lost or doubled. Standard library only.
"""
import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

MOST_WARM_UP_S = 900  # what is remembered of requests is forgotten after 600 s
MOST_GROWTH_MIB = 8   # over the whole time after the warm-up
MOST_MORE_DESCRIPTORS = 8
MOST_MORE_THREADS = 4
GRAPH = ["--listen", "127.0.0.1:0", "--graph", "default"]


class Process:
    """Of the server: what /proc says of it."""

    def __init__(self, pid):
        self.pid = pid

    def mib(self):
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * 4096 / (1 << 20)

    def cpu_s(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))


class Soak:
    def __init__(self, options):
        self.options = options
        self.faults = []
        self.samples = []  # (seconds, MiB) once a second
        self.children = []
        self.rounds = self.sentences = 0
        self.worst_p99_ms = 0.0

    def start(self, name, *arguments, **kwargs):
        child = subprocess.Popen([str(self.options.bin / name), *map(str, arguments)], text=True,
                                 stdin=subprocess.DEVNULL, **kwargs)
        self.children.append(child)
        return child

    def start_load(self, pushes, pulls, seconds, warm_up_s):
        return self.start("loadgen", "--to", self.address, "--pushes", pushes, "--pulls", pulls,
                          "--seconds", seconds, "--warm-up-s", warm_up_s, "--pid", self.server.pid,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def end_load(self, load, what):
        """What loadgen found; adds what was wrong with it to the faults."""
        text, _ = load.communicate(timeout=60)
        self.children.remove(load)
        if not text:
            self.faults.append(f"{what}: its calls could not be opened")
            return None
        found = json.loads(text)
        for word in ("failed_calls", "voice_breaks"):
            if found[word] > 0:
                self.faults.append(f"{what}: {found[word]} {word}")
        return found

    def run(self):
        o = self.options
        self.log = open(o.log, "w", encoding="utf-8") if o.log else subprocess.DEVNULL
        self.server = self.start("anim_graph", *GRAPH, stdout=subprocess.PIPE, stderr=self.log)
        found = re.search(r'"grpc_port": *(\d+)', self.server.stdout.readline())
        if not found:
            raise SystemExit("anim_graph named no port")
        self.address = f"127.0.0.1:{found.group(1)}"
        self.process = Process(self.server.pid)
        self.began = time.monotonic()
        steady = self.start_load(o.playing, o.playing + o.idle, o.seconds, 1)
        self.watch(steady)
        found = self.end_load(steady, "the steady load")
        code = self.stop_server()
        if code != 0:
            self.faults.append(f"anim_graph ended with {code}")
        return self.judge(found)

    def seconds(self):
        return time.monotonic() - self.began

    def watch(self, steady):
        """Until the steady load is over: the loads that come and go, and a line a minute."""
        end = self.options.seconds
        passing = sentence = None
        round_s = min(20.0, end / 4)
        next_round = next_sentence = 1.5
        next_line, line_cpu, line_at, p99 = min(60.0, end / 2), self.process.cpu_s(), 0.0, []
        while steady.poll() is None and self.server.poll() is None:
            time.sleep(1)  # a sample each second
            if self.server.poll() is not None:
                break
            now = self.seconds()
            self.samples.append((now, self.process.mib()))
            if now > self.warm_up_s() and not hasattr(self, "first"):
                self.first = (self.process.descriptors(), self.process.threads())
            if passing is not None and passing.poll() is not None:
                found = self.end_load(passing, f"round {self.rounds}")
                passing = None
                if found:
                    p99.append(found["lateness_p99_ms"])
            if sentence is not None and sentence.poll() is not None:
                self.end_sentence(sentence)
                sentence = None
            if passing is None and now >= next_round and now + round_s + 2 < end:
                next_round = now + round_s
                self.rounds += 1
                passing = self.start_load(4, 8, round_s * 0.6, 0.5)
            if sentence is None and now >= next_sentence and now + 12 < end:
                next_sentence = now + 60
                self.sentences += 1
                sentence = self.start(
                    "a2f_source", "say", "Once a minute I say that all is well.", "--to",
                    self.address, "--stream-id", "speaker", "--no-progress",
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if now >= next_line:
                cpu = self.process.cpu_s()
                self.line(now, (cpu - line_cpu) / (now - line_at), p99)
                next_line, line_cpu, line_at, p99 = now + 60, cpu, now, []
        for child, ended in ((passing, lambda c: self.end_load(c, f"round {self.rounds}")),
                             (sentence, self.end_sentence)):
            if child is not None:
                ended(child)
        if self.server.poll() is not None:
            self.faults.append(f"anim_graph ended after {self.seconds():.0f} s")
            return
        self.last = (self.process.descriptors(), self.process.threads())

    def end_sentence(self, sentence):
        self.children.remove(sentence)
        if sentence.wait(60) != 0:
            self.faults.append(f"sentence {self.sentences}: a2f_source ended with "
                               f"{sentence.returncode}")

    def line(self, now, cpu, p99):
        late = f"{max(p99):6.2f} ms" if p99 else "        -"
        self.worst_p99_ms = max([self.worst_p99_ms, *p99])
        print(f"{now / 60:6.1f} min  {self.samples[-1][1]:7.2f} MiB  {100 * cpu:5.1f} % CPU  "
              f"p99 late {late}  {self.process.descriptors():3} descriptors  "
              f"{self.process.threads():2} threads  {len(self.faults)} faults", flush=True)

    def warm_up_s(self):
        return min(self.options.seconds / 4, MOST_WARM_UP_S)

    def growth_mib(self):
        """From the first to the last fifth of what lies after the warm-up, medians."""
        after = [mib for at, mib in self.samples if at > self.warm_up_s()]
        fifth = max(1, len(after) // 5)
        if not after:
            return 0.0
        return statistics.median(after[-fifth:]) - statistics.median(after[:fifth])

    def judge(self, steady):
        grown = self.growth_mib()
        if grown > self.options.most_growth_mib:
            self.faults.append(f"memory grew by {grown:.2f} MiB, and no more than "
                               f"{self.options.most_growth_mib:g} may be")
        last = getattr(self, "last", (0, 0))
        first = getattr(self, "first", last)
        for what, before, after, most in (
                ("descriptors", first[0], last[0], MOST_MORE_DESCRIPTORS),
                ("threads", first[1], last[1], MOST_MORE_THREADS)):
            if after - before > most:
                self.faults.append(f"{after - before} more {what} than after the warm-up")
        report = {
            "seconds": self.seconds(), "warm_up_s": self.warm_up_s(), "grown_mib": grown,
            "mib_after_warm_up": next((m for at, m in self.samples if at > self.warm_up_s()), None),
            "mib_at_the_end": self.samples[-1][1] if self.samples else None, "rounds": self.rounds,
            "sentences": self.sentences, "worst_round_p99_ms": self.worst_p99_ms,
            "steady": steady, "faults": self.faults}
        if steady:
            # A machine that has other work leaves frames out; the voice must be whole all the same.
            if steady["frames"] < self.options.least_frames * steady["expected_frames"]:
                self.faults.append(f"{steady['frames']} of {steady['expected_frames']} frames came")
            print(f"the steady load: {steady['frames']} frames, p50 "
                  f"{steady['lateness_p50_ms']:.2f} ms and p99 {steady['lateness_p99_ms']:.2f} ms "
                  f"late, {steady['missed_ticks']} ticks missed, {steady['voice_breaks']} breaks of "
                  f"voice, {100 * steady['server_cpu_share']:.1f} % CPU")
        print(f"{self.rounds} rounds and {self.sentences} sentences came and went; memory grew by "
              f"{grown:.2f} MiB after {self.warm_up_s():.0f} s of warm-up")
        if self.options.json:
            self.options.json.write_text(json.dumps(report, indent=2) + "\n")
        for fault in self.faults:
            print(f"FAULT: {fault}")
        print("failed" if self.faults else "passed", flush=True)
        return 1 if self.faults else 0

    def stop_server(self):
        self.server.send_signal(signal.SIGTERM)
        code = self.server.wait(20)
        self.children.remove(self.server)
        return code

    def kill_children(self):
        for child in self.children:
            child.kill()
            child.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--playing", type=int, default=16, help="avatars pushed and pulled")
    parser.add_argument("--idle", type=int, default=16, help="avatars that are pulled only")
    parser.add_argument("--most-growth-mib", type=float, default=MOST_GROWTH_MIB)
    parser.add_argument("--least-frames", type=float, default=0.95,
                        help="share of the steady load's that must come")
    parser.add_argument("--json", type=Path, help="the report, with all that was found")
    parser.add_argument("--log", type=Path, help="the log of anim_graph")
    soak = Soak(parser.parse_args())
    try:
        return soak.run()
    finally:
        soak.kill_children()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
