"""What a Redis that lost its data goes through: all nodes claim their streams again at once.

A node claims by the rules of LeaseKeeper: within 0.5 s of the loss it opens a session, then sends its
claims in batches, one after the other, for at most 0.25 s of each half second. It gives up a batch
that is not answered in 0.4 s, and then begins anew, because Redis may have granted it too late.
Redis serves all connections in turn, so equal shares of its time go to all batches that wait.
"""
import random

RENEW_S, TIMEOUT_S, RECLAIM_S = 0.5, 0.4, 0.25
BATCH = 32  # LeaseKeeper::kMostClaims
# LeaseStore::kTerm_ns + kOwnersFirst_ns: after it, other nodes get what is not claimed.
CLAIMED_S = 3
STEP_S = 0.004


class _Node:
    def __init__(self, streams, first_s):
        self.streams = streams
        self.next = first_s
        self.session = False
        self.to_claim = streams
        self.work = 0          # commands that Redis has not done yet
        self.sent = None       # when the batch was sent
        self.began = 0
        self.done_at = None

    def send(self, now, batch):
        self.sent = now
        self.size = min(batch, self.to_claim) if self.session else 1
        self.work = self.size


def reclaim(nodes, streams_each, commands_per_s, *, batch=BATCH, seed=1, limit_s=30):
    """(seconds until every stream is claimed again, or None if that is not so after limit_s;
    batches that were given up)."""
    spread = random.Random(f"{seed} storm")
    every = [_Node(streams_each, spread.uniform(0, RENEW_S)) for _ in range(nodes)]
    waiting = list(every)
    given_up, step = 0, 0
    while waiting:
        now = step * STEP_S
        if now > limit_s:
            return None, given_up
        for node in waiting:
            if node.sent is None and now >= node.next:
                node.began, node.next = now, now + RENEW_S
                node.send(now, batch)
            elif node.sent is not None and now - node.sent >= TIMEOUT_S:
                node.sent, node.session, node.to_claim = None, False, node.streams
                node.work = 0
                given_up += 1
        room = commands_per_s * STEP_S
        served = [node for node in waiting if node.sent is not None]
        # Equal shares; what some do not need goes to the others.
        for left, node in zip(range(len(served), 0, -1), sorted(served, key=lambda n: n.work)):
            done = min(node.work, room / left)
            node.work -= done
            room -= done
            if node.work > 1e-9:
                continue
            node.sent = None
            if node.session:
                node.to_claim -= node.size
            node.session = True
            if node.to_claim == 0:
                node.done_at = now
            elif now - node.began <= RECLAIM_S:
                node.send(now, batch)
        waiting = [node for node in waiting if node.done_at is None]
        step += 1
    return max(node.done_at for node in every), given_up


def most_nodes(streams_each, commands_per_s, *, batch=BATCH, most=600):
    """The most nodes, in tens, that claim all their streams before Redis grants them to others; looks
    no further than `most`."""
    low, high = 0, most // 10
    while low < high:
        middle = (low + high + 1) // 2
        took, _ = reclaim(10 * middle, streams_each, commands_per_s, batch=batch, limit_s=CLAIMED_S)
        low, high = (middle, high) if took is not None else (low, middle - 1)
    return 10 * low
