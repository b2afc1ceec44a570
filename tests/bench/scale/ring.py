"""The front door's choice of a node: Envoy's ring hash, with bounded load.

Hashes, ring and bound follow Envoy (ring_hash_lb.cc, thread_aware_lb_impl.cc) with equal weights
and the keys of our configuration, node0, node1 and so on, so a stream gets the node that Envoy gives
it. Only the order in which a bounded door tries other nodes is random in another way.
"""
import bisect
import functools
import math
import random

MASK = (1 << 64) - 1
P1, P2, P3 = 11400714785074694791, 14029467366897019727, 1609587929392839161
P4, P5 = 9650029242287828579, 2870177450012600261


def _rotate(x, by):
    return ((x << by) | (x >> (64 - by))) & MASK


def _round(lane, word):
    return _rotate((lane + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    """The 64-bit xxHash of bytes, with seed 0."""
    size, at = len(data), 0
    if size >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 32 <= size:
            for i in range(4):
                lanes[i] = _round(lanes[i], int.from_bytes(data[at:at + 8], "little"))
                at += 8
        h = sum(_rotate(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ _round(0, lane)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + size) & MASK
    while at + 8 <= size:
        h = (_rotate(h ^ _round(0, int.from_bytes(data[at:at + 8], "little")), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= size:
        word = int.from_bytes(data[at:at + 4], "little")
        h = (_rotate(h ^ (word * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = _rotate(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    h = (h ^ (h >> 33)) * P2 & MASK
    h = (h ^ (h >> 29)) * P3 & MASK
    return h ^ (h >> 32)


@functools.cache
def _place(node, i):
    return xxh64(b"node%d_%d" % (node, i))


class Ring:
    """The ring of some nodes, given by their numbers."""

    def __init__(self, nodes, minimum_size):
        self.nodes = sorted(nodes)
        self.hashes_of_each = math.ceil(minimum_size / len(self.nodes))
        entries = sorted((_place(node, i), node)
                         for node in self.nodes for i in range(self.hashes_of_each))
        self._hashes = [h for h, _ in entries]
        self._nodes = [node for _, node in entries]

    def node(self, stream_hash, without=()):
        """The first node at or after the hash that is not one of `without`; None if there is none."""
        at = bisect.bisect_left(self._hashes, stream_hash)
        count = len(self._nodes)
        for step in range(count if without else 1):
            node = self._nodes[(at + step) % count]
            if node not in without:
                return node
        return None


class Door:
    """One Envoy: counts its own calls, and bounds those of a node by their mean."""

    def __init__(self, balance_factor=0):
        """`balance_factor`: percent of the mean number of calls that a node may have; 0: no bound."""
        self.balance_factor = balance_factor
        self.calls = {}
        self.all_calls = 0

    def begin(self, node):
        self.calls[node] = self.calls.get(node, 0) + 1
        self.all_calls += 1

    def end(self, node):
        self.calls[node] -= 1
        self.all_calls -= 1

    def choose(self, ring, stream_hash, without=()):
        """The node of a new call; None if there is none."""
        node = ring.node(stream_hash, without)
        if not self.balance_factor or node is None:
            return node
        slots = ((self.all_calls + 1) * self.balance_factor + 99) // 100
        most = max(math.ceil(slots / len(ring.nodes)), 1)
        if self.calls.get(node, 0) <= most:
            return node
        others = list(ring.nodes)
        order = random.Random(stream_hash)
        least = node
        for last in range(len(others) - 1, -1, -1):
            i = order.randrange(last + 1)
            others[i], others[last] = others[last], others[i]
            other = others[last]
            if other in without:
                continue
            if self.calls.get(other, 0) <= most:
                return other
            if self.calls.get(other, 0) < self.calls.get(least, 0):
                least = other
        return least
