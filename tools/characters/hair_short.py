"""Short hair: close at the sides, longer on top and swept over from a parting."""
import numpy as np

from locks import Surface, along_strands, lock, rounded
from mesh import smoothstep
from scalp import CENTER, between, even, unit

STEPS = 12
CROWN = unit(np.array([0.008, 0.955, -0.29]))
PART_X = 0.042


class Cap:
    """Strands from the crown to the hairline, by the share of the way round, a half the front."""

    def __init__(self, scalp):
        self.scalp = scalp

    def thick(self, arc, t):
        up = smoothstep(0.15, 0.75, arc[..., 1])
        front = smoothstep(0.0, 0.75, arc[..., 2]) * smoothstep(0.0, 0.5, arc[..., 1])
        full = 0.0055 + 0.0085 * up + 0.006 * front
        return full * (1 - smoothstep(0.70, 1.0, t) ** 1.2) + 0.0004

    def __call__(self, s):
        angle = (np.asarray(s, float) - 0.5) * 2 * np.pi
        end = self.scalp.on_line(angle, -0.001)
        t = np.linspace(0, 1, 24)
        arc = between(np.repeat(CROWN[None], len(end), axis=0), end, t)
        paths = CENTER + arc * (self.scalp.radius(arc) + self.thick(arc, t))[..., None]
        paths = even(paths, STEPS, 2)
        return paths, unit(paths - CENTER)


class Swept:
    """Strands of the top, from the parting over to one side (-1: the long way, to his right)."""

    def __init__(self, scalp, side):
        self.scalp, self.side = scalp, side
        part = np.arctan2(PART_X - 0.005 * side, 0.10)
        self._front = scalp.on_line(np.array([part]), -0.002)[0]
        self._crown = unit(np.array([0.025, 0.86, -0.52]))

    def __call__(self, s):
        s = np.clip(np.asarray(s, float), 0, 1)
        start = between(self._front[None], self._crown[None], s)[0]
        if self.side < 0:
            angle = np.radians(np.interp(s, (0, 0.3, 1), (42, 66, 150)))
            high = np.interp(s, (0, 0.3, 1), (0.62, 0.42, 0.30))
        else:
            angle = np.radians(np.interp(s, (0, 0.3, 1), (52, 66, 130)))
            high = np.interp(s, (0, 0.3, 1), (0.44, 0.34, 0.25))
        end = unit(np.stack([self.side * np.sin(angle), high, np.cos(angle)], axis=-1))
        t = np.linspace(0, 1, 20)
        arc = between(start, end, t)
        # At the front it rises and goes back before it falls to the side.
        front = smoothstep(0.5, 0.0, s)[:, None, None]
        bend = np.sin(np.pi * t)[None, :, None]
        forward = 0.05 if self.side < 0 else 0.03
        arc = unit(arc + front * bend * np.array([0, -0.04, forward]))
        full = np.interp(s, (0, 0.10, 0.25, 1), (0.005, 0.013, 0.019, 0.014))[:, None]
        full = full if self.side < 0 else 0.62 * full
        lift = 0.0025 + full * np.sin(np.pi * np.clip(t * 0.74 + 0.08, 0, 1)) ** 0.8
        lift = lift * (1 - 0.75 * smoothstep(0.66, 1, t))
        paths = even(CENTER + arc * (self.scalp.radius(arc) + lift)[..., None], STEPS, 2)
        return paths, unit(paths - CENTER)


class Side:
    """A stretch of the cap's strands: what lies at the sides and at the back."""

    def __init__(self, cap, begin, end=1.0):
        self._cap, self._begin, self._end = cap, begin, end

    def __call__(self, s):
        paths, out = self._cap(s)
        at = np.linspace(self._begin, self._end, STEPS) * (STEPS - 1)
        low = np.minimum(at.astype(int), STEPS - 2)
        share = (at - low)[None, :, None]
        mix = lambda values: values[:, low] * (1 - share) + values[:, low + 1] * share
        return mix(paths), unit(mix(out))


def short(scalp, rng):
    surface = Surface()
    t = np.linspace(0, 1, STEPS)
    cap = Cap(scalp)
    s = np.linspace(0, 1, 65)
    paths, out = cap(s)
    ridge = 0.0010 * np.cos(s * 2 * np.pi * 32)[:, None] * smoothstep(0.2, 0.5, t) * smoothstep(1, 0.8, t)
    tone = 0.60 + 0.06 * np.cos(s * 2 * np.pi * 32)[:, None] + 0.26 * smoothstep(0.8, 0.3, t)
    surface.grid(paths + out * ridge[..., None], tone,
                 (np.abs((s * 12) % 2 - 1) * 0.9 + 0.05)[:, None], along_strands(paths))
    count = 30
    for n in range(count):
        at = (n + 0.5 + rng.uniform(-0.2, 0.2)) / count
        # The forehead is the top's, and round the ears hair is too short for locks.
        if abs(at - 0.5) < 0.11 or 80 < abs(at - 0.5) * 360 < 112:
            continue
        field = Side(cap, rng.uniform(0.30, 0.46))
        bow = 0.0012 + 0.0030 * smoothstep(0.0, 0.3, t) * smoothstep(1.0, 0.75, t)
        lift = -0.0024 + 0.0006 * (n % 2) - 0.001 * smoothstep(0.2, 0, t)
        lock(surface, field, at, rng.uniform(0.6, 0.85) / count, rounded(t, 0.5, 0.45), bow, lift,
             rng.uniform(0.74, 0.95) * (0.8 + 0.2 * smoothstep(0, 0.4, t)), rng.uniform(0.1, 0.9),
             edge=0.70, across=4)
    count = 34                                    # a layer above, cut shorter
    for n in range(count):
        at = (n + 0.5 + rng.uniform(-0.3, 0.3)) / count
        if abs(at - 0.5) < 0.24:
            continue
        field = Side(cap, rng.uniform(0.06, 0.20), (0.58, 0.74, 0.66)[n % 3] + rng.uniform(0, 0.06))
        bow = (0.0015 + 0.0032 * smoothstep(0.0, 0.4, t)) * smoothstep(1.25, 0.8, t)
        lift = -0.0016 + 0.0010 * (n % 3) - 0.004 * smoothstep(0.25, 0, t)
        lock(surface, field, at, rng.uniform(0.62, 0.85) / count, rounded(t, 0.45, 0.30), bow, lift,
             rng.uniform(0.80, 1.0) * (0.72 + 0.28 * smoothstep(0.1, 0.7, t)), rng.uniform(0.1, 0.9),
             edge=0.58, across=4)
    for side, count in ((1, 7), (-1, 13)):
        field = Swept(scalp, side)
        for n in range(count):
            at = (n + 0.5 + rng.uniform(-0.15, 0.15)) / count
            taper = rounded(t, 0.62, 0.34) * (0.6 + 0.4 * smoothstep(0, 0.3, t))
            bow = 0.0015 + 0.0050 * smoothstep(0.0, 0.4, t) * (1 - 0.4 * smoothstep(0.7, 1, t))
            lift = -0.0035 + 0.0014 * (n % 2) + 0 * t
            lock(surface, field, at, rng.uniform(0.70, 0.9) / count, taper, bow, lift,
                 rng.uniform(0.82, 1.0) * (0.66 + 0.34 * smoothstep(0, 0.25, t)), rng.uniform(0.1, 0.9),
                 turn=side < 0, edge=0.6)
    return surface.part("hair_short")
