"""Simulates anim_graph on many nodes: balance, moves, Redis, and the limit that is reached first.

    ./bench scale              four sizes, up to 300 nodes with 200,000 streams
    ./bench scale --nodes 300 --streams 200000 --ring-size 1024 --batch 256
    ./bench scale --nodes 300 --streams 200000 --request-every-s 10

The same arguments print the same tables. cluster.py and storm.py say what is simulated. Costs are
measured: those of Redis by redis_load.py, those of nodes and doors in docs/evidence/performance.md.
Standard library only.
"""
import argparse
import dataclasses
import math
import sys

import storm
from cluster import KINDS, Cluster, Load, Shape

SIZES = ((3, 2_000), (30, 20_000), (100, 66_700), (300, 200_000))

# redis_load.py: processor time of Redis, and bytes of a command and of its answer, without the state
# of the stream. Commands for single streams are sent alone; rewrites and states in batches of 8.
REDIS_US = {"renew": 68, "claim": 78, "take over": 72, "look up": 44, "rewrite": 19.5, "release": 33,
            "state": 8}
REDIS_BYTES = {"renew": (900, 13), "claim": (1936, 31), "take over": (1937, 31),
               "look up": (1936, 29), "rewrite": (1969, 31), "release": (280, 6), "state": (66, 8)}
RECLAIM_US = 19.3       # a rewrite in large batches
ENTRY_BYTES = 197       # memory of a stream's entry
STATE_MORE_BYTES = 289  # memory of a state, besides its bytes
WITH_STATE = {"state": 0, "take over": 1}  # where the state is: in the command, in the answer

# docs/evidence/performance.md, at 30 fps with full poses and voice.
FPS = 30
NODE_CORES = 0.00125   # of an avatar that is pushed and pulled: 1 to 1.5 thousandths
DOOR_CORES = 0.001     # estimate: nginx with TLS takes 0.7 to 0.9 of the node's time for a frame
FRAME_BYTES, VOICE_BYTES = 5544, 1066  # without voice, and 533 samples

USABLE = 0.6           # share of a processor or network that is planned to be used
CHART_REDIS_MIB = 512  # redis.resources.limits.memory in the chart
DOOR_THREADS = 2       # door.concurrency in the chart
MOST_NODES = 600       # that claim their streams again, to look for the limit
DOOR_CALLS = 8192      # max_requests of Envoy's circuit breaker


@dataclasses.dataclass
class Outcome:
    """One size."""
    nodes: int
    streams: int
    doors: int
    balance: tuple = ()
    relayed: float = 0
    full: int = 0
    ops: dict = dataclasses.field(default_factory=dict)
    joined_relayed: float = 0
    joined_new: float = 0
    rebalanced: tuple = ()
    drained: tuple = ()
    crashed: tuple = ()
    refused: int = 0
    reclaimed_s: float | None = None


def doors_for(streams, load):
    """Doors that carry the calls, a pull and some pushes for each stream."""
    return max(2, math.ceil(streams * (1 + load.busy) / (DOOR_CALLS * USABLE)))


def run(shape, load, options):
    """A minute; a node that joins, and is given its streams; one that leaves; one that crashes."""
    out = Outcome(shape.nodes, load.streams, shape.doors)
    cluster = Cluster(shape, load, options.seed)
    cluster.steps(60)
    cluster.check()
    out.balance, out.relayed, out.full = cluster.balance(), cluster.relayed_share(), len(cluster.full)
    out.ops = cluster.ops_per_s(60)

    begun = cluster.begun
    node = cluster.join()
    out.joined_relayed = cluster.relayed_share()
    cluster.steps(60)
    fair = (cluster.begun - begun) / len(cluster.ready)
    out.joined_new = len(cluster.owned[node]) / fair if fair else 0
    out.rebalanced = cluster.rebalance(node, options.moves_per_s)
    cluster.check()
    out.drained = cluster.drain(0, options.moves_per_s)
    cluster.check()
    back, _ = cluster.crash(1)
    out.crashed = (len(back), back[-1] if back else 0)
    cluster.check()
    out.refused = cluster.refused
    out.reclaimed_s, _ = storm.reclaim(shape.nodes, load.streams // shape.nodes, 1e6 / RECLAIM_US,
                                       batch=options.batch, seed=options.seed)
    return out


def redis_load(ops, streams, state_bytes):
    """(share of a core, bytes received a second, bytes sent a second, memory in bytes)."""
    state = [sum(ops[kind] for kind, at in WITH_STATE.items() if at == way) * state_bytes
             for way in (0, 1)]
    received, sent = (sum(ops[kind] * REDIS_BYTES[kind][way] for kind in KINDS) + state[way]
                      for way in (0, 1))
    cores = sum(ops[kind] * REDIS_US[kind] for kind in KINDS) / 1e6
    return cores, received, sent, streams * (ENTRY_BYTES + STATE_MORE_BYTES + state_bytes)


def print_table(head, rows):
    cells = [[str(cell) for cell in row] for row in rows]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in cells:
        print("| " + " | ".join(row) + " |")
    print()


def print_outcomes(outcomes):
    print_table(
        ("nodes, doors, streams", "fullest, emptiest node / mean", "full nodes", "relayed calls",
         "after a join", "new streams of the joined / mean", "then moved to it (99 % of them)",
         "moved by a drain (99 %)", "back after a crash"),
        [(f"{o.nodes}, {o.doors}, {o.streams}", "{:.2f}, {:.2f}".format(*o.balance), o.full,
          f"{o.relayed:.1%}", f"{o.joined_relayed:.1%}", f"{o.joined_new:.2f}",
          "{} in {} s".format(*o.rebalanced), "{} in {} s".format(*o.drained),
          "{} in {:.1f} s".format(*o.crashed)) for o in outcomes])


def print_redis(outcomes, state_bytes):
    rows = []
    for o in outcomes:
        cores, received, sent, memory = redis_load(o.ops, o.streams, state_bytes)
        rows.append((f"{o.nodes}, {o.streams}", *(f"{o.ops[kind]:.0f}" for kind in KINDS),
                     f"{sum(o.ops.values()):.0f}", f"{cores:.0%}", f"{received / 1e6:.1f}",
                     f"{memory / 2**20:.0f}",
                     "never" if o.reclaimed_s is None else f"{o.reclaimed_s:.1f} s"))
    print_table(("nodes, streams", *KINDS, "all a second", "of a core", "MB/s", "MiB",
                 "claimed again after a loss"), rows)


def limits(o, load, options):
    """(what, how many streams it carries, what is said of it), in order."""
    cores, received, sent, memory = redis_load(o.ops, o.streams, options.state_bytes)
    each = o.streams // o.nodes
    per_s = 1e6 / RECLAIM_US
    frame = (FRAME_BYTES + VOICE_BYTES * load.busy) * FPS
    push = (FRAME_BYTES + VOICE_BYTES) * FPS * load.busy
    claiming = storm.most_nodes(each, per_s, batch=options.batch, most=MOST_NODES)
    found = [
        ("Redis: processor", o.streams * USABLE / cores, f"{USABLE:.0%} of one core"),
        ("Redis: network", o.streams * USABLE * options.redis_gbit * 1e9 / 8 / max(received, sent),
         f"{USABLE:.0%} of {options.redis_gbit:g} Gbit/s"),
        ("Redis: memory", CHART_REDIS_MIB * 2**20 * USABLE * o.streams / memory,
         f"{USABLE:.0%} of the chart's limit of {CHART_REDIS_MIB} MiB, which a value raises"),
        ("Redis: claims after a loss of its data",
         each * claiming if claiming < MOST_NODES else math.inf, f"in {storm.CLAIMED_S} s, by batches of {options.batch}"),
        ("a node: processor", options.node_cpus * USABLE / NODE_CORES,
         f"{USABLE:.0%} of {options.node_cpus} cores"),
        ("a node: avatars", options.max_avatars, "--max-avatars"),
        ("a node: network", USABLE * 10e9 / 8 / frame, f"{USABLE:.0%} of 10 Gbit/s"),
        ("a door: processor", DOOR_THREADS * USABLE / DOOR_CORES,
         f"{USABLE:.0%} of {DOOR_THREADS} threads"),
        ("a door: calls", DOOR_CALLS * USABLE / (1 + load.busy), f"{USABLE:.0%} of {DOOR_CALLS}"),
        ("a door: network", USABLE * 10e9 / 8 / (frame + push), f"{USABLE:.0%} of 10 Gbit/s"),
    ]
    return found


def print_limits(o, load, options):
    found = limits(o, load, options)
    print(f"Limits at {o.nodes} nodes and {o.streams} streams:\n")
    print_table(("limit", "streams", "of what", "needed here"),
                [(what, f"{carries:,.0f}", why, math.ceil(o.streams / carries) if carries else "-")
                 for what, carries, why in found])
    for part in ("Redis", "a node", "a door"):
        what, carries, _ = min((f for f in found if f[0].startswith(part)), key=lambda f: f[1])
        print(f"First limit of {part}: {what.split(': ')[1]}, at {carries:,.0f} streams")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--nodes", type=int, help="with --streams: this size alone")
    add("--streams", type=int)
    add("--seed", type=int, default=1)
    add("--ring-size", type=int, default=Shape.ring_size, help="Envoy's minimum_ring_size")
    add("--balance-factor", type=int, default=Shape.balance_factor,
        help="the most calls of a node, in percent of the mean; 0: no bound")
    add("--doors", type=int, default=0, help="0: as many as the calls need")
    add("--max-avatars", type=int, default=Shape.max_avatars, help="of a node")
    add("--node-cpus", type=float, default=2, help="of a node")
    add("--stream-s", type=float, default=Load.stream_s, help="mean length of a stream")
    add("--request-every-s", type=float, default=Load.request_every_s, help="of a stream")
    add("--request-s", type=float, default=Load.request_s, help="mean length of a request")
    add("--state-writes", type=float, default=Load.state_writes, help="of a request")
    add("--state-bytes", type=int, default=3000, help="of a stream")
    add("--moves-per-s", type=int, default=50, help="streams handed over in a second")
    add("--batch", type=int, default=storm.BATCH, help="claims that a node sends at once")
    add("--redis-gbit", type=float, default=10, help="network of Redis")
    options = parser.parse_args()
    if (options.nodes is None) != (options.streams is None):
        parser.error("--nodes and --streams belong together")
    for name in ("nodes", "streams", "stream_s", "request_every_s", "ring_size", "batch"):
        if (getattr(options, name) or 1) <= 0:
            parser.error(f"--{name.replace('_', '-')} must be above 0")
    if options.nodes is not None and options.nodes < 3:
        parser.error("--nodes must be at least 3: one leaves, and one crashes")
    sizes = SIZES if options.nodes is None else ((options.nodes, options.streams),)
    outcomes = []
    for nodes, streams in sizes:
        load = Load(streams, options.stream_s, options.request_every_s, options.request_s,
                    options.state_writes)
        shape = Shape(nodes, options.doors or doors_for(streams, load), options.ring_size,
                      options.balance_factor, options.max_avatars)
        outcomes.append(run(shape, load, options))
        print(f"simulated {nodes} nodes and {streams} streams", file=sys.stderr)
    print(f"Seed {options.seed}; ring of {options.ring_size}, bound {options.balance_factor} %; "
          f"a stream lasts {options.stream_s:g} s, with a request of {options.request_s:g} s each "
          f"{options.request_every_s:g} s\n")
    print_outcomes(outcomes)
    print_redis(outcomes, options.state_bytes)
    print_limits(outcomes[-1], load, options)
    turned_away = sum(o.refused for o in outcomes)
    if turned_away:
        print(f"{turned_away} streams found no node with room")


if __name__ == "__main__":
    main()
