"""The joints that hair hangs on, as springs do (VRMC_springBone), and who hangs on which.

Chains begin under the hair's surface below the skull and follow it to the ends. Points above stay
with the skull; between two chains they have a share of both. Spheres and a capsule keep the ends of
chains out of head, neck and shoulders; at rest none of them touches.
"""
import numpy as np

import hair_bob
import hair_tail
from mesh import smoothstep

HIT_M = 0.009
CLEAR_M = 0.001
SOFT = {"stiffness": 0.48, "dragForce": 0.45, "gravityPower": 0.0}
TAIL = {"stiffness": 0.64, "dragForce": 0.40, "gravityPower": 0.03}
# Of the rig's joints: where from the joint, how far, and the other end of a capsule.
COLLIDERS = (("skullbase", (0, 0.055, 0.010), 0.085, None),
             ("skullbase", (0, -0.030, 0.045), 0.060, None),
             ("vc4", (0, -0.060, 0.0), 0.055, (0, 0.05, 0.010)),
             ("l_acromioclavicular", (0.03, 0.0, -0.01), 0.065, None),
             ("r_acromioclavicular", (-0.03, 0.0, -0.01), 0.065, None),
             ("vt3", (0, 0.0, -0.005), 0.090, None))


def along(paths, heights):
    """Points of one path (k, 3) that falls, at heights."""
    y = paths[::-1, 1]
    return np.stack([np.interp(heights, y, paths[::-1, k]) for k in range(3)], axis=1)


class Chain:
    """Joints from the root to the end, which turns nothing, at places (n, 3)."""

    def __init__(self, name, places, settings):
        self.name, self.places, self.settings = name, places, settings


def bob_chains(scalp):
    """In their order round the head, from her left cheek over the nape to her right one."""
    out = []
    for side, name in ((1, "l"), (-1, "r")):
        field = hair_bob.Field(scalp, side)
        own = []
        for place, s in (("front", 0.07), ("side", 0.36), ("back", 0.78)):
            path = field(np.array([s]))[0][0]
            low = path[-1, 1] + 0.001
            own.append(Chain(f"hair_bob_{place}_{name}",
                             along(path, [1.640, 1.640 - 0.5 * (1.640 - low), low]), SOFT))
        out += own if side > 0 else own[::-1]
    return out


def bob_weights(part, chains):
    p = part.points
    angle = lambda x: np.degrees(np.arctan2(x[:, 0], x[:, 2] + 0.03)) % 360
    at = np.array([angle(c.places[-1:])[0] for c in chains])
    order = np.argsort(at)
    share = np.zeros((len(p), len(chains)))
    a = angle(p)
    for k, one in enumerate(order):
        ends = np.zeros(len(chains))
        ends[k] = 1
        share[:, one] = np.interp(a, at[order], ends)
    first, end = chains[0].places[0][1], min(c.places[-1][1] for c in chains)
    free = smoothstep(first + 0.012, first - 0.045, p[:, 1])
    second = smoothstep(first - 0.04, end + 0.035, p[:, 1])
    return [np.stack([share[:, k] * free * (1 - second), share[:, k] * free * second], axis=1)
            for k in range(len(chains))]


def tail_chains(scalp):
    axis = hair_tail.Tail().axis
    t = np.linspace(0, 1, len(axis))
    places = np.stack([np.interp((0.10, 0.32, 0.54, 0.76, 1.0), t, axis[:, k]) for k in range(3)], 1)
    out = [Chain("hair_tail", places, TAIL)]
    for side, name in ((1, "l"), (-1, "r")):
        path = hair_tail.Close(hair_bob.Field(scalp, side, longer=-0.04))(np.array([0.05]))[0][0]
        low = path[-1, 1] + 0.001
        out.append(Chain(f"hair_fringe_{name}", along(path, [1.650, 1.600, low]), SOFT))
    return out


def tail_weights(part, chains):
    p, free = part.points, part.extra["free"]
    t = np.where(free >= 2, free - 2, 0)
    steps = np.array([0.0, 0.16, 0.42, 0.66, 0.86])
    lift = [smoothstep(a, b, t) for a, b in zip(steps[:-1], steps[1:])]
    out = [np.stack([lift[k] * (1 - (lift[k + 1] if k < 3 else 0)) for k in range(4)], axis=1)]
    for chain, side in zip(chains[1:], (1, -1)):
        mine = (free < 2) & (free > 0) & (p[:, 0] * side > 0)
        first = chain.places[0][1]
        loose = smoothstep(first, first - 0.05, p[:, 1]) * mine
        second = smoothstep(first - 0.05, first - 0.11, p[:, 1])
        out.append(np.stack([loose * (1 - second), loose * second], axis=1))
    return out


STYLES = {"bob": (bob_chains, bob_weights), "ponytail": (tail_chains, tail_weights)}


class Bones:
    """The joints of all styles of a file, as the writer takes them."""

    def __init__(self, rig):
        self._rig = rig
        self.chains = []

    def joints(self):
        """(name, place, parent) of each, where a parent is one before or None, the skull."""
        out = []
        for chain in self.chains:
            for k, place in enumerate(chain.places):
                out.append((f"{chain.name}_{k + 1}", place, len(out) - 1 if k else None))
        return out

    def hang(self, part, style, scalp):
        """Gives a style's part its weights: `weights` (n, 1 + joints so far), the first the skull's."""
        before = sum(len(c.places) for c in self.chains)
        columns = [np.zeros((len(part.points), before))]
        if style in STYLES:
            make, weigh = STYLES[style]
            chains = make(scalp)
            for chain, shares in zip(chains, weigh(part, chains)):
                columns += [shares, np.zeros((len(shares), 1))]       # the end turns nothing
            self.chains += chains
        loose = np.concatenate(columns, axis=1)
        part.weights = np.concatenate([1 - loose.sum(1, keepdims=True), loose], axis=1)
        part.extra.pop("free")

    def extension(self, first_node):
        """VRMC_springBone, where the joints are nodes from `first_node` on. None without chains."""
        if not self.chains:
            return None
        ends = np.array([place for chain in self.chains for place in chain.places[1:]])
        colliders = []
        for joint, offset, radius, tail in COLLIDERS:
            at = self._rig.world[self._rig.index[joint]]
            middle = at + offset
            far = middle if tail is None else at + tail
            way = far - middle
            share = np.clip(((ends - middle) @ way) / max(way @ way, 1e-12), 0, 1)
            gap = np.linalg.norm(ends - middle - share[:, None] * way, axis=1).min()
            shape = {"offset": [round(float(x), 5) for x in offset],
                     "radius": round(float(min(radius, gap - HIT_M - CLEAR_M)), 5)}
            if tail is not None:
                shape["tail"] = [round(float(x), 5) for x in tail]
            colliders.append({"node": self._rig.index[joint],
                              "shape": {"sphere" if tail is None else "capsule": shape}})
        springs, node = [], first_node
        for chain in self.chains:
            joints = [{"node": node + k, "hitRadius": HIT_M, "gravityDir": [0, -1, 0],
                       **chain.settings} for k in range(len(chain.places))]
            if chain.settings["gravityPower"]:
                joints[0]["gravityPower"] = 0.0       # which does not hang
            springs.append({"name": chain.name, "joints": joints, "colliderGroups": [0]})
            node += len(chain.places)
        return {"specVersion": "1.0", "colliders": colliders, "springs": springs,
                "colliderGroups": [{"name": "body", "colliders": list(range(len(colliders)))}]}
