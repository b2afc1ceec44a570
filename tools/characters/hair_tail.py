"""Hair that is combed back into a ponytail, with a swept fringe."""
import numpy as np

import hair_bob
from locks import Surface, along_strands, lock, rounded
from mesh import smoothstep
from scalp import CENTER, between, even, unit

STEPS = 18
# Where the combed hair begins, as `scalp.LINES`: behind the ears without a bay for them, as strands
# that go round one would cross.
LINE = ((0, 30, 48, 60, 70, 80, 97, 112, 126, 180),
        (0.072, 0.068, 0.052, 0.026, 0.006, 0.009, 0.012, -0.010, -0.062, -0.098))
TAIL_STEPS = 22
TIE = unit(np.array([0.0, 0.36, -1.0]))
TAIL = np.array([[0, 1.690, -0.150], [0, 1.702, -0.190], [0, 1.672, -0.224], [0, 1.615, -0.226],
                 [0, 1.545, -0.212], [0, 1.485, -0.204], [0, 1.437, -0.212]])
TAIL_M = ((0, 0.06, 0.3, 0.65, 0.88, 1), (0.011, 0.015, 0.031, 0.029, 0.020, 0.008))


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
        lift = 0.0004 + full * smoothstep(0, 0.45, t) + 0.010 * smoothstep(0.8, 1.0, t)
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
    tone = 0.66 + 0.22 * smoothstep(0, 0.3, t) - 0.25 * smoothstep(0.85, 1, t)
    surface.grid(paths - out * 0.0012 * smoothstep(0, 0.1, t)[:, None], tone[None],
                 (np.abs((s * 6) % 2 - 1) * 0.9 + 0.05)[:, None], along_strands(paths[12:-12]), turn=True)
    count = 18
    for n in range(count):
        at = (n + 0.5 + rng.uniform(-0.15, 0.15)) / count
        taper = 0.9 * np.ones(STEPS)
        bow = 0.0016 + 0.0042 * smoothstep(0.0, 0.35, t) * (1 - 0.6 * smoothstep(0.8, 1, t))
        lock(surface, combed, at, rng.uniform(0.62, 0.8) / count, taper, bow, -0.0030 + 0 * t,
             rng.uniform(0.82, 1.0) * (tone + 0.1), rng.uniform(0.1, 0.9), turn=True, edge=0.7,
             across=4)
    t = np.linspace(0, 1, TAIL_STEPS)
    free = smoothstep(0.06, 0.9, t)
    s = np.linspace(0, 1, 9)
    paths, _ = Tail(0.86, -0.012)(s)
    surface.grid(paths, 0.62 * np.ones(TAIL_STEPS)[None], 0.3, v=0.45 + 0.5 * t[None], turn=True,
                 free=2 + free[None])
    count = 9
    for n in range(count):
        field = Tail(0.94, rng.uniform(-0.015, 0.028))
        taper = rounded(t, 0.72, 0.25) * (0.8 + 0.2 * smoothstep(0, 0.2, t))
        bow = 0.001 + 0.007 * smoothstep(0.05, 0.35, t) * (1 - 0.6 * smoothstep(0.7, 1, t))
        tone = 0.72 + 0.28 * np.exp(-((t - 0.24) / 0.12) ** 2) + 0.06 * smoothstep(0.5, 0.9, t)
        lock(surface, field, (n + rng.uniform(-0.1, 0.1)) / count, 0.72 / count, taper, bow,
             -0.003 + 0 * t, rng.uniform(0.84, 1.0) * tone, rng.uniform(0.1, 0.9), turn=True,
             free=2 + free[None], edge=0.6)
    band(surface)
    fringe(surface, scalp, rng)
    return surface.part("hair_tail")


def band(surface):
    """What ties the tail."""
    a = np.linspace(0, 2 * np.pi, 13)
    ring = np.stack([np.sin(a), np.cos(a), 0 * a], axis=1)
    profile = ((0.014, 0.012), (0.0185, 0.005), (0.019, -0.006), (0.0175, -0.014), (0.012, -0.018))
    rows = [TAIL[0] + ring * r + [0, 0.2 * z, z] for r, z in profile]
    surface.grid(np.stack(rows, axis=1), 0.10, 0.5, turn=False)


def fringe(surface, scalp, rng):
    """Locks that are left out of the tail: over the forehead, and in front of the ears."""
    t = np.linspace(0, 1, hair_bob.STEPS)
    for side, places in ((-1, (0.008, 0.034, 0.062, 0.10, 0.135, 0.17)),
                         (1, (0.010, 0.042, 0.074, 0.11, 0.145, 0.18))):
        for n, s in enumerate(places):
            # The first fall in front of the ear, the others go behind it.
            shorter = 0.028 + 0.004 * n if n < 3 else 0.136 + 0.006 * (n - 3)
            field = hair_bob.Field(scalp, side, longer=-shorter - rng.uniform(0, 0.003))
            taper = rounded(t, 0.76, 0.45) * (0.7 + 0.3 * smoothstep(0, 0.25, t))
            bow = 0.001 + 0.0040 * smoothstep(0.03, 0.4, t) * (1 - 0.5 * smoothstep(0.6, 1, t))
            sunk = 0.009 * smoothstep(0.70, 1, t) * (n >= 3)
            lock(surface, Close(field), s, 0.029, taper, bow, -0.002 + 0.0005 * (n % 2) - sunk,
                 rng.uniform(0.86, 1.0) * hair_bob.shade(t), rng.uniform(0.1, 0.9), turn=side < 0,
                 free=hair_bob.loose(field, s), across=5 if n == 0 else 4)


class Close:
    """A field, nearer to the head."""

    def __init__(self, field):
        self._field = field

    def __call__(self, s):
        paths, out = self._field(s)
        t = np.linspace(0, 1, paths.shape[1])
        near = 0.003 * smoothstep(0.2, 0.6, t) + 0.004 * smoothstep(0.5, 1, t)
        return paths - out * near[:, None], out
