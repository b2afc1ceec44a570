"""Hair that is combed back into a ponytail, with a swept fringe."""
import numpy as np

import hair_bob
from locks import Surface, along_strands, lock, pointed, rounded
from mesh import smoothstep
from scalp import CENTER, between, even, unit

STEPS = 18
# Where the combed hair begins, as `scalp.LINES`: behind the ears without a bay for them, as strands
# that go round one would cross.
LINE = ((0, 30, 48, 60, 70, 80, 97, 112, 126, 180),
        (0.072, 0.068, 0.052, 0.026, 0.006, 0.009, 0.012, -0.010, -0.062, -0.098))
TAIL_STEPS = 22
TIE = unit(np.array([0.0, 0.56, -0.86]))
# The middle of the tail, which falls beside the nape to her left.
TAIL = np.array([[0, 1.722, -0.138], [0.002, 1.746, -0.176], [0.010, 1.724, -0.218],
                 [0.028, 1.662, -0.238], [0.050, 1.588, -0.230], [0.062, 1.516, -0.208],
                 [0.056, 1.452, -0.204]])
TAIL_M = ((0, 0.06, 0.3, 0.6, 0.85, 1), (0.011, 0.016, 0.036, 0.037, 0.026, 0.009))


class Combed:
    """Strands from the hairline to the tie, by the share of the way round the head: 0 and 1 are the
    nape, a half is the forehead."""

    def __init__(self, scalp):
        self.scalp = scalp

    def __call__(self, s):
        angle = (np.asarray(s, float) - 0.5) * 2 * np.pi
        start = self.scalp.on_line(angle, -0.003, LINE)
        t = np.linspace(0, 1, 24)
        arc = between(start, np.repeat(TIE[None], len(start), axis=0), t)
        # Over the ears rather than across them.
        side = np.exp(-((np.degrees(np.abs(angle)) - 88) / 38) ** 2)[:, None, None]
        arc = unit(arc + side * np.array([0, 0.13, 0]) * np.sin(np.pi * t)[None, :, None])
        full = 0.009 + 0.006 * smoothstep(1.2, 0.4, np.abs(angle))[:, None]
        lift = 0.0024 + full * smoothstep(0, 0.45, t) + 0.010 * smoothstep(0.8, 1.0, t)
        paths = even(CENTER + arc * (self.scalp.radius(arc) + lift)[..., None], STEPS, 3)
        # Into the tie, not into one point.
        ring = np.stack([np.sin(angle), -np.cos(angle), 0 * angle], axis=-1) * 0.013
        end = smoothstep(0.72, 1.0, np.linspace(0, 1, STEPS))[None, :, None]
        goal = TAIL[0] + ring[:, None] * [-1, 1, 1]
        paths = paths * (1 - end) + goal * end
        return paths, unit(paths - CENTER)


class Tail:
    """Strands of the tail, by the share of the way round it."""

    def __init__(self, grow=1.0, longer=0.0):
        dense = even(TAIL[None], 60, 8)[0]
        self.axis = even(dense[None], TAIL_STEPS, 2)[0]
        self.grow, self.longer = grow, longer

    def __call__(self, s):
        t = np.linspace(0, 1, TAIL_STEPS)
        radius = np.interp(t, *TAIL_M) * self.grow
        along = unit(np.gradient(self.axis, axis=0))
        back = unit(np.cross(along, [1.0, 0, 0]))
        turn = (np.asarray(s, float) * 2 * np.pi)[:, None] + 0.9 * t[None] ** 1.5   # a slow twist
        out = np.cos(turn)[..., None] * np.array([1.0, 0, 0]) + np.sin(turn)[..., None] * back
        paths = self.axis + out * [1.15, 1, 0.85] * radius[None, :, None]
        paths = paths + along * (self.longer * smoothstep(0.6, 1, t))[:, None]
        return paths, out


def tail(scalp, rng):
    surface = Surface()
    combed = Combed(scalp)
    t = np.linspace(0, 1, STEPS)
    s = np.linspace(0, 1, 41)
    paths, out = combed(s)
    tone = 0.74 + 0.18 * smoothstep(0, 0.3, t) - 0.25 * smoothstep(0.85, 1, t)
    surface.grid(paths - out * 0.0012 * smoothstep(0, 0.1, t)[:, None], 0.9 * tone[None],
                 (np.abs((s * 6) % 2 - 1) * 0.9 + 0.05)[:, None], along_strands(paths[12:-12]), turn=True)
    count = 20
    for n in range(count):
        at = (n + 0.5 + rng.uniform(-0.25, 0.25)) / count
        taper = 0.75 + 0.25 * smoothstep(0, 0.3, t)
        bow = 0.0012 + 0.0030 * smoothstep(0.0, 0.35, t) * (1 - 0.6 * smoothstep(0.8, 1, t))
        lock(surface, combed, at, rng.uniform(0.55, 0.9) / count, taper, bow,
             -0.0024 + 0.0010 * (n % 2) + 0 * t, rng.uniform(0.90, 1.0) * (tone + 0.06),
             rng.uniform(0.1, 0.9), turn=True, edge=0.74, across=4)
    t = np.linspace(0, 1, TAIL_STEPS)
    free = smoothstep(0.06, 0.9, t)
    s = np.linspace(0, 1, 9)
    paths, _ = Tail(0.84, -0.030)(s)
    surface.grid(paths, 0.56 * np.ones(TAIL_STEPS)[None], 0.3, v=0.45 + 0.5 * t[None], turn=True,
                 free=2 + free[None])
    count = 11
    for n in range(count):
        field = Wavy(Tail(0.94 + 0.05 * (n % 2), (0.010, -0.050, -0.018)[n % 3] + rng.uniform(-0.01, 0.01)),
                     rng.uniform(0.004, 0.008), 0.5 * n + rng.uniform(-0.5, 0.5))
        taper = pointed(t, 0.50, 0.04) * (0.8 + 0.2 * smoothstep(0, 0.2, t))
        bow = 0.001 + 0.007 * smoothstep(0.05, 0.35, t) * (1 - 0.6 * smoothstep(0.7, 1, t))
        tone = 0.80 + 0.20 * np.exp(-((t - 0.24) / 0.12) ** 2) + 0.08 * smoothstep(0.5, 0.9, t)
        lock(surface, field, (n + rng.uniform(-0.2, 0.2)) / count, (0.85, 0.6, 0.7)[n % 3] / count,
             taper, bow, -0.003 + 0.002 * (n % 2) + 0 * t, rng.uniform(0.86, 1.0) * tone,
             rng.uniform(0.1, 0.9), turn=True, free=2 + free[None], edge=0.6)
    band(surface)
    fringe(surface, scalp, rng)
    return surface.part("hair_tail")


class Wavy:
    """A tail's strands in a wave of some metres round its middle, with a phase."""

    def __init__(self, field, wave, phase):
        self._field, self._wave, self._phase = field, wave, phase

    def __call__(self, s):
        paths, out = self._field(s)
        t = np.linspace(0, 1, TAIL_STEPS)
        bend = self._wave * smoothstep(0.2, 0.7, t)
        aside = unit(np.cross(np.gradient(paths, axis=1), out))
        return (paths + aside * (bend * np.sin(8 * t + self._phase))[None, :, None]
                + out * (0.6 * bend * np.cos(8 * t + self._phase))[None, :, None]), out


def band(surface):
    """What ties the tail."""
    a = np.linspace(0, 2 * np.pi, 13)
    ring = np.stack([np.sin(a), np.cos(a), 0 * a], axis=1)
    profile = ((0.014, 0.012), (0.0185, 0.005), (0.019, -0.006), (0.0175, -0.014), (0.012, -0.018))
    rows = [TAIL[0] + ring * r + [0, 0.2 * z, z] for r, z in profile]
    surface.grid(np.stack(rows, axis=1), 0.10, 0.5, turn=False)


# Locks that are left out of the tail, by side: place, how much shorter than a bob, half width, how far
# they lie off the others, and at their ends how far aside and outwards they go, metres.
FRINGE = {-1: ((0.006, 0.040, 0.046, 0.0030, 0.014, -0.010), (0.034, 0.082, 0.036, 0.0035, -0.006, 0.000),
               (0.062, 0.104, 0.036, 0.0015, -0.004, -0.004)),
          1: ((0.010, 0.050, 0.046, 0.0030, 0.013, -0.010), (0.046, 0.092, 0.036, 0.0035, -0.005, 0.000))}
TUCKED = {-1: (0.088, 0.130, 0.172), 1: (0.078, 0.122, 0.168)}


def fringe(surface, scalp, rng):
    """Locks that are left out of the tail: over the forehead and down the cheeks, and behind them
    those that go behind the ears."""
    t = np.linspace(0, 1, hair_bob.STEPS)
    for side in (-1, 1):
        for n, s in enumerate(TUCKED[side]):
            field = hair_bob.Field(scalp, side, longer=-0.136 - 0.006 * n - rng.uniform(0, 0.003))
            sunk = 0.009 * smoothstep(0.70, 1, t)
            strand(surface, Close(field), s, 0.036, -0.002 + 0.0005 * (n % 2) - sunk,
                   rounded(t, 0.76, 0.45), t, rng, side, 4)
        for s, shorter, half, lift, swing, flip in FRINGE[side]:
            way = hair_bob.Strayed(hair_bob.Field(scalp, side), -shorter, lift, 0.004,
                                   rng.uniform(1.5, 2.5), swing, flip)
            strand(surface, Close(way), s, half, -0.002 + 0 * t, pointed(t, 0.55, 0.08), t, rng, side, 5)


def strand(surface, field, s, half, lift, taper, t, rng, side, across):
    taper = taper * (0.7 + 0.3 * smoothstep(0, 0.25, t))
    bow = 0.001 + 0.0040 * smoothstep(0.03, 0.4, t) * (1 - 0.5 * smoothstep(0.6, 1, t))
    tone = rng.uniform(0.90, 1.0) * (0.82 + 0.18 * smoothstep(0, 0.3, t))
    lock(surface, field, s, half, taper, bow, lift, tone, rng.uniform(0.1, 0.9), turn=side < 0,
         free=hair_bob.loose(field, s), across=across)


class Close:
    """A field, nearer to the head."""

    def __init__(self, field):
        self._field = field

    def __call__(self, s):
        paths, out = self._field(s)
        t = np.linspace(0, 1, paths.shape[1])
        near = 0.003 * smoothstep(0.2, 0.6, t) + 0.004 * smoothstep(0.5, 1, t)
        return paths - out * near[:, None], out
