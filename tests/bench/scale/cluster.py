"""A cluster of anim_graph in steps of a second: who owns which stream, and what Redis is asked.

The rules are those of services/anim_graph/directory and of the front door: the first call for a
stream claims it for the node that the call reached; a stream stays with its owner when the ring changes; a
call that reaches another node is relayed, after a question to Redis; a node that drains hands its
streams over one by one when they are quiet; those of a node that crashed are free when its session
has ended. A stream is one pull, and one push for each request.

Everything random comes from one seed.
"""
import dataclasses
import heapq
import math
import random
from collections import Counter

from ring import Door, Ring, xxh64

REWRITE_S = 60            # LeaseKeeper::kRewriteEvery_ns
RENEWALS_PER_S = 2        # LeaseKeeper::kRenewEvery_ns
TERM_S = 2                # LeaseStore::kTerm_ns
RETRY_S, RETRY_JITTER, RETRY_EVEN_S = 0.2, 0.2, 4  # libs/client/reconnector.h
RETRY_GROWTH, RETRY_MAX_S = 1.6, 2
GIVE_UP_S = 60
DOOR_CALLS_PER_S, DOOR_BURST = 1000, 4000  # local_ratelimit in docker/edge/envoy/envoy.yaml
KINDS = ("renew", "claim", "take over", "look up", "rewrite", "release", "state")


@dataclasses.dataclass(frozen=True)
class Load:
    """What streams do; lengths and gaps are exponential."""
    streams: int = 200_000
    stream_s: float = 600          # mean length
    request_every_s: float = 30    # of each stream, from one start to the next
    request_s: float = 8           # mean length
    state_writes: float = 4        # of each request, two at its start and two at its end

    @property
    def busy(self):
        """The share of the time for which a stream plays a request."""
        return min(self.request_s / self.request_every_s, 1)


@dataclasses.dataclass(frozen=True)
class Shape:
    """The cluster at its start."""
    nodes: int = 300
    doors: int = 2
    ring_size: int = 65536         # ring_hash_lb_config in docker/edge/envoy/envoy.yaml
    balance_factor: int = 200      # door.balanceFactor of the chart
    max_avatars: int = 1024        # of a node, which is not ready when it has as many


class Stream:
    __slots__ = ("hash", "owner", "door", "phase", "index")

    def __init__(self, stream_hash, door):
        self.hash = stream_hash
        self.door = door      # of its pull
        self.owner = None     # None: no owner yet, or ended
        self.phase = 0        # second of a minute in which its entry was written
        self.index = None     # in Cluster.streams


class Cluster:
    def __init__(self, shape, load, seed):
        self.shape, self.load = shape, load
        self.random = random.Random(f"{seed} cluster")
        self.now = 0
        self.alive = set(range(shape.nodes))   # they renew sessions
        self.ready = set(self.alive)           # the door sends calls to them
        self.full = set()
        self.doors = [Door(shape.balance_factor) for _ in range(shape.doors)]
        self.owned = {node: {} for node in self.alive}  # node -> its streams, in order of claim
        self.streams = []
        self.ending = {}
        self.phases = Counter()
        self.ops = [Counter()]                 # by second
        self.begun = self.ended = self.refused = 0
        self.make_ring()
        for _ in range(load.streams):
            stream = self.begin()
            if stream is not None:  # claimed some time ago
                self.phases[stream.phase] -= 1
                stream.phase = self.random.randrange(REWRITE_S)
                self.phases[stream.phase] += 1
        self.ops[0].clear()

    def make_ring(self):
        self.ring = Ring(self.ready, self.shape.ring_size)

    # --- Streams
    def begin(self):
        """A stream's first call; None if every node is full."""
        stream = Stream(xxh64(b"s%d" % (self.begun + self.refused)),
                        self.doors[self.random.randrange(len(self.doors))])
        node = stream.door.choose(self.ring, stream.hash, self.full)
        if node is None:
            self.refused += 1
            return None
        self.begun += 1
        stream.index = len(self.streams)
        self.streams.append(stream)
        self.give(stream, node, "claim")
        ends = self.now + 1 + int(self.random.expovariate(1 / self.load.stream_s))
        self.ending.setdefault(ends, []).append(stream)
        return stream

    def give(self, stream, node, kind):
        """Makes a node the owner of a stream that has none."""
        assert stream.owner is None
        stream.owner = node
        owned = self.owned[node]
        owned[stream] = None
        if len(owned) >= self.shape.max_avatars:
            self.full.add(node)
        stream.door.begin(node)
        stream.phase = self.now % REWRITE_S
        self.phases[stream.phase] += 1
        self.ops[-1][kind] += 1

    def free(self, stream):
        """Takes a stream from its owner."""
        node = stream.owner
        del self.owned[node][stream]
        if len(self.owned[node]) < self.shape.max_avatars:
            self.full.discard(node)
        stream.door.end(node)
        self.phases[stream.phase] -= 1
        stream.owner = None

    def end(self, stream):
        if stream.owner is not None:
            self.free(stream)
            self.ops[-1]["release"] += 1
        last = self.streams.pop()
        if last is not stream:
            self.streams[stream.index] = last
            last.index = stream.index
        stream.index = None
        self.ended += 1

    def hand_over(self, stream):
        """To the node that the door chooses now. True if that is another one."""
        old = stream.owner
        node = stream.door.choose(self.ring, stream.hash, self.full)
        if node is None or node == old:
            return False
        self.ops[-1]["state"] += 1
        self.ops[-1]["release"] += 1
        self.free(stream)
        self.give(stream, node, "take over")
        return True

    # --- Time
    def poisson(self, mean):
        if mean > 50:
            return max(0, round(self.random.gauss(mean, mean ** 0.5)))
        count, left = 0, self.random.expovariate(1)
        while left < mean:
            count += 1
            left += self.random.expovariate(1)
        return count

    def step(self):
        """The next second."""
        self.now += 1
        self.ops.append(Counter())
        ops, load = self.ops[-1], self.load
        ops["renew"] = RENEWALS_PER_S * len(self.alive)
        ops["rewrite"] = self.phases[self.now % REWRITE_S]
        for stream in self.ending.pop(self.now, ()):
            if stream.index is not None:  # not ended before its time
                self.end(stream)
        for _ in range(self.poisson(load.streams / load.stream_s)):
            self.begin()
        requests = self.poisson(len(self.streams) / load.request_every_s)
        ops["state"] += round(requests * load.state_writes)
        ops["look up"] += round(requests * self.relayed_share(min(requests, 50)))

    def steps(self, seconds):
        for _ in range(seconds):
            self.step()

    # --- What is seen
    def relayed_share(self, sample=20_000):
        """Of new calls for streams that exist, the share that reaches a node that is not the owner."""
        sample = min(sample, len(self.streams))
        if sample == 0:
            return 0
        relayed = 0
        for stream in self.random.sample(self.streams, sample):
            door = self.doors[self.random.randrange(len(self.doors))]
            relayed += door.choose(self.ring, stream.hash, self.full) != stream.owner
        return relayed / sample

    def balance(self):
        """Streams of the fullest and of the emptiest node, relative to the mean of those ready."""
        counts = [len(self.owned[node]) for node in self.ready]
        mean = sum(counts) / len(counts)
        return max(counts) / mean, min(counts) / mean

    def ops_per_s(self, seconds):
        """By kind, the mean of the last seconds."""
        total = sum(self.ops[-seconds:], Counter())
        return {kind: total[kind] / seconds for kind in KINDS}

    def check(self):
        """Every stream has one owner that is alive, and none was lost or made."""
        assert self.begun == self.ended + len(self.streams)
        assert sum(map(len, self.owned.values())) == len(self.streams)
        for i, stream in enumerate(self.streams):
            assert stream.index == i and stream.owner in self.alive
            assert stream in self.owned[stream.owner]
        assert sum(self.phases.values()) == len(self.streams)
        assert sum(door.all_calls for door in self.doors) == len(self.streams)

    # --- Events
    def join(self):
        """A node joins; returns its number."""
        node = max(self.owned) + 1
        self.owned[node] = {}
        self.alive.add(node)
        self.ready.add(node)
        self.make_ring()
        return node

    def move_quiet(self, streams, per_s, seconds):
        """Hands streams over at quiet moments, at most per_s each second, while time goes on.
        Returns how many moved, and after how many seconds 99 % of them had."""
        waiting = []
        for order, stream in enumerate(streams):
            late = self.random.random() < self.load.busy
            quiet = self.random.expovariate(1 / self.load.request_s) if late else 0
            heapq.heappush(waiting, (self.now + quiet, order, stream, stream.owner))
        began, moved = self.now, []  # seconds after which each moved
        while waiting and self.now < began + seconds:
            self.step()
            left = per_s
            while waiting and left and waiting[0][0] <= self.now:
                quiet, order, stream, owner = heapq.heappop(waiting)
                if stream.owner != owner:  # ended
                    continue
                # A stream that had to wait for its turn may play again.
                if self.now - quiet > 1 and self.random.random() < self.load.busy:
                    again = self.now + self.random.expovariate(1 / self.load.request_s)
                    heapq.heappush(waiting, (again, order, stream, owner))
                elif self.hand_over(stream):
                    moved.append(self.now - began)
                    left -= 1
        return len(moved), moved[math.ceil(0.99 * len(moved)) - 1] if moved else 0

    def rebalance(self, node, per_s, seconds=3600):
        """Moves to a node the streams that the ring gives it."""
        there = [s for s in self.streams if s.owner != node and self.ring.node(s.hash) == node]
        return self.move_quiet(there, per_s, seconds)

    def drain(self, node, per_s, seconds=3600):
        """A node hands over all its streams, then leaves."""
        self.ready.discard(node)
        self.make_ring()
        result = self.move_quiet(list(self.owned[node]), per_s, seconds)
        for stream in list(self.owned[node]):  # what is left when the time is over
            self.hand_over(stream)
        self.leave(node)
        return result

    def leave(self, node):
        assert not self.owned[node]
        self.alive.discard(node)
        self.full.discard(node)

    def crash(self, node, notice_s=(0, 0)):
        """The node's process dies. Clients notice within notice_s, and call again. Returns the
        seconds after which each of its streams is back, in order, and how many calls were refused
        because too many began at a door or all nodes are full."""
        lost = list(self.owned[node])
        self.ready.discard(node)
        self.make_ring()
        session_ends = TERM_S - self.random.uniform(0, 1 / RENEWALS_PER_S)
        tokens = {door: (DOOR_BURST, 0.0) for door in self.doors}
        for stream in lost:
            self.free(stream)
        calls = []
        for order, stream in enumerate(lost):
            noticed = self.random.uniform(*notice_s)
            heapq.heappush(calls, (noticed + self.retry(RETRY_S), order, stream, noticed, RETRY_S))
        back, refused = [], 0
        while calls:
            at, order, stream, noticed, delay = heapq.heappop(calls)
            left, since = tokens[stream.door]
            left = min(DOOR_BURST, left + (at - since) * DOOR_CALLS_PER_S)
            tokens[stream.door] = (left - (left >= 1), at)
            chosen = stream.door.choose(self.ring, stream.hash, self.full)
            if left < 1 or chosen is None:
                refused += 1
            elif at >= session_ends:
                self.give(stream, chosen, "take over")
                back.append(at)
                continue
            else:
                self.ops[-1]["look up"] += 1  # Redis still names the node that is gone
            if at > noticed + GIVE_UP_S:
                self.end(stream)
                continue
            if at > noticed + RETRY_EVEN_S:
                delay = min(delay * RETRY_GROWTH, RETRY_MAX_S)
            heapq.heappush(calls, (at + self.retry(delay), order, stream, noticed, delay))
        self.leave(node)
        return sorted(back), refused

    def retry(self, delay):
        return delay * self.random.uniform(1 - RETRY_JITTER, 1 + RETRY_JITTER)
