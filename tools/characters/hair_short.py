"""Short hair: close at the sides, longer on top, where it rises from the forehead and goes back."""
import numpy as np

from locks import Surface, along_strands, lock, pointed, rounded
from mesh import smoothstep
from scalp import CENTER, between, even, unit

STEPS = 12
CROWN = unit(np.array([0.008, 0.955, -0.29]))


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


class Quiff:
    """Strands of the top, from the hairline over the forehead up, and back to the crown; 0 is his right
    temple, 1 his left one. `tall` is how far they rise, `begin` and `end` the stretch of their way."""

    def __init__(self, scalp, tall=1.0, begin=0.0, end=1.0, sway=0.0):
        self.scalp, self.tall, self.sway = scalp, tall, sway
        self._stretch = begin, end

    def __call__(self, s):
        s = np.clip(np.asarray(s, float), 0, 1)
        angle = np.radians(np.interp(s, (0, 0.2, 0.8, 1), (-62, -40, 40, 62)))
        start = self.scalp.on_line(angle, -0.001)
        x = 2 * s - 1
        # Swept to his right: those of his left side go over the middle.
        end = unit(np.stack([0.62 * x - 0.26 + self.sway, 0.86 - 0.18 * x ** 2, -0.52 + 0 * x], axis=-1))
        t = np.linspace(*self._stretch, 22)
        arc = between(start, end, t)
        full = np.interp(np.abs(x + 0.10), (0, 0.55, 0.9, 1.1), (0.030, 0.026, 0.016, 0.009))[:, None]
        rise = np.sin(np.pi * np.clip(0.94 * t ** 0.62, 0, 1)) ** 0.9
        lift = 0.0016 + self.tall * full * rise
        # The front leans forward before it goes back.
        lean = np.interp(np.abs(x), (0, 1), (0.052, 0.0156))[:, None]
        lean = lean * np.sin(np.pi * np.clip(t * 1.7, 0, 1))
        arc = unit(arc + lean[..., None] * np.array([-0.45, 0.0, 1.0]))
        paths = even(CENTER + arc * (self.scalp.radius(arc) + lift)[..., None], STEPS, 3)
        return paths, unit(paths - CENTER + [0, 0.02, 0.0])


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
    top(surface, scalp, t, rng)
    return surface.part("hair_short")


# Layers of the top, the lowest first: locks, how tall, the stretch of the way, half width in places.
LAYERS = ((11, 0.62, 0.28, 1.02, 0.95), (12, 0.84, 0.10, 0.88, 0.80), (13, 1.0, 0.0, 0.66, 0.72))


def top(surface, scalp, t, rng):
    """The long hair of the top, in layers of pointed locks that lean to his right."""
    for layer, (count, tall, begin, end, wide) in enumerate(LAYERS):
        for n in range(count):
            at = (n + 0.5 + rng.uniform(-0.25, 0.25)) / count
            high = tall * (1.02, 0.96, 1.0)[(n + layer) % 3] * rng.uniform(0.98, 1.02)
            field = Quiff(scalp, high, begin + 0.06 * rng.uniform(0, 1) * (layer == 1),
                          end + rng.uniform(-0.08, 0.08), rng.uniform(-0.06, 0.06))
            taper = pointed(t, 0.40, 0.10) * (0.75 + 0.25 * smoothstep(0, 0.3, t))
            bow = 0.0012 + 0.0045 * smoothstep(0.0, 0.4, t) * (1 - 0.4 * smoothstep(0.7, 1, t))
            lift = -0.0022 + 0.0012 * (n % 2) - 0.004 * smoothstep(0.25, 0, t) * (layer < 2)
            tone = rng.uniform(0.84, 1.0) * (0.70 + 0.30 * smoothstep(0, 0.3, t)) * (0.82 + 0.09 * layer)
            lock(surface, field, at, (1.40, 0.70, 1.0)[n % 3] * wide / count, taper, bow, lift + 0 * t, tone,
                 rng.uniform(0.1, 0.9), turn=True, edge=0.70)
