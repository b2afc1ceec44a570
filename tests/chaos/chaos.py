"""Runs the three services over bad networks, one misfortune after the other, and says whether all
came back each time and nobody else noticed.

    POSEWIRE_BIN_DIR=DIR chaos.py [--seconds S] [--seed N]

A source talks through a gate to an anim_graph, a sink pulls through another one, and a performer's
datagrams go through a third. Each round something happens to one of them for a while; when it is
over, the voice has to be heard at the sink again. Beside them a witness pushes and pulls without a
gate: it must stay on time and lose no sample. The same seed gives the same order of misfortunes.
"""

import argparse
import random
import signal
import sys
import time

from programs import Chaos, Program, Sink, mute, wait_until
import watch
from gate import Faults, TcpGate, UdpGate

RECOVERY_S, MOST_GROWTH_MIB = 20, 48


class Run:
    def __init__(self, seed, chaos):
        self.random = random.Random(seed)
        self.seed, self.chaos = seed, chaos
        self.talks = 0

    def start(self):
        c = self.chaos
        self.redis = c.enterContext(mute())
        self.graph = c.server("anim_graph", "--graph", "passthrough", "--http", "127.0.0.1:0",
                              "--redis", f"127.0.0.1:{self.redis}")
        self.in_gate, self.out_gate = (self.gate(TcpGate, self.graph.port) for _ in range(2))
        self.source = self.sink = None
        self.talk()
        self.look()
        self.performer = c.started(Program, "a2f_source", "vmc", "--port", "0", "--to",
                                   self.graph.address, "--stream-id", "vmc")
        wait_until(lambda: self.performer.lines, "the performer's port")
        port = int(self.performer.lines[0][1].split('"vmc_port":')[1].strip(" }\n").split(",")[0])
        self.datagrams = self.gate(UdpGate, port)
        c.started(Program, "renderer_sink", "vmc", "--from", self.graph.address, "--stream-id",
                  "loop", "--to", f"127.0.0.1:{self.datagrams.port}")
        self.witness = watch.Witness("graph", self.graph)
        c.addCleanup(self.witness.kill)
        self.await_voice("at the start")
        self.memory = self.graph.memory_mb()

    def gate(self, kind, port):
        gate = kind(port, self.random.randrange(1 << 30))
        self.chaos.addCleanup(gate.close)
        return gate

    def talk(self):
        """A new source, unless one still talks."""
        if self.source and self.source.process.poll() is None:
            return
        if self.source:
            self.source.kill()
        self.talks += 1
        self.source = self.chaos.started(
            Program, "a2f_source", "play", self.chaos.talk, "--loop", "--to",
            f"127.0.0.1:{self.in_gate.port}", "--stream-id", "s", "--request-id",
            f"talk-{self.talks}")

    def look(self):
        if self.sink and self.sink.process.poll() is None:
            return
        self.sink = self.chaos.started(Sink, f"127.0.0.1:{self.out_gate.port}", "s")

    def await_voice(self, what):
        """Seconds until the voice is heard; whoever has ended meanwhile is started again."""
        since = time.monotonic()
        def heard():
            self.talk()
            self.look()
            return sum(at > since and peak > 0 for at, _, peak in self.sink.frames()[-60:]) > 10
        return wait_until(heard, f"the voice does not come back: {what}, seed {self.seed}: "
                                 f"{self.graph.log_text()[-1500:]}", RECOVERY_S)

    def round(self):
        pick = self.random
        where = pick.choice(["in", "out"])
        gate = self.in_gate if where == "in" else self.out_gate
        bad = [Faults(delay_s=0.1, jitter_s=0.05), Faults(delay_s=0.5, jitter_s=0.5),
               Faults(slice_bytes=pick.randint(1, 300)), Faults(bytes_per_s=8000),
               Faults(stalled=True), Faults(corrupt=pick.choice([0.01, 0.3])),
               Faults(drop=0.3, double=0.2, reorder=0.2, truncate=0.1, corrupt=0.1)]
        what = pick.choice([*bad, "cut", "stop", "kill"])
        for_s = pick.uniform(0.2, 3)
        process = (self.source if where == "in" else self.sink).process
        if what == "cut":
            gate.cut()
        elif what == "kill":
            process.kill()
        elif what == "stop":
            process.send_signal(signal.SIGSTOP)
        elif what.drop:
            where, gate = "datagrams", self.datagrams
        if isinstance(what, Faults):
            gate.faults = what
        time.sleep(for_s)  # how long it lasts
        gate.faults = Faults()
        if what == "stop":
            process.send_signal(signal.SIGCONT)
        told = f"{where}, {what}, {for_s:.1f} s"
        if self.graph.process.poll() is not None:
            raise AssertionError(f"anim_graph ended: {told}, seed {self.seed}")
        back = self.await_voice(told)
        print(f"{told}: the voice is back after {back:.2f} s, {self.graph.memory_mb():.1f} MiB",
              flush=True)

    def end(self):
        saw = self.witness.end()
        grown = self.graph.memory_mb() - self.memory
        print(f"witness: {saw}; memory grew by {grown:.1f} MiB", flush=True)
        faults = []
        if saw["fault"] or saw["breaks"]:
            faults.append("the witness lost samples, or its call")
        if not saw["on_time"]:
            faults.append("the witness was late")
        if grown > MOST_GROWTH_MIB:
            faults.append("memory grew")
        if self.performer.process.poll() is not None:
            faults.append("the performer's source ended")
        if self.graph.stop() != 0:
            faults.append("anim_graph did not end in order")
        for fault in faults:
            print(f"FAULT: {fault}; seed {self.seed}")
        print("failed" if faults else "passed", flush=True)
        return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    Chaos.setUpClass()
    chaos = Chaos()
    try:
        run = Run(options.seed, chaos)
        run.start()
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            run.round()
        return run.end()
    except AssertionError as e:
        print(f"FAULT: {e}\nfailed", flush=True)
        return 1
    finally:
        chaos.doCleanups()
        Chaos.tearDownClass()


if __name__ == "__main__":
    sys.exit(main())
