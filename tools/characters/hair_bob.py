"""Chin-length hair that is swept to the sides from a parting."""
import numpy as np

from locks import Surface, along_strands, lock, rounded
from mesh import smoothstep
from scalp import CENTER, between, even, unit

STEPS = 24
PART_X = 0.030           # the parting, to her left
AROUND = (0, 0.08, 0.22, 0.5, 1)
# By place along the hairline, from the face (0) to the nape (1): where strands leave the head as
# degrees from the front, and where they end.
LEAVES_DEG = (63, 71, 84, 115, 182)
TIP_Y = (1.508, 1.498, 1.502, 1.513, 1.522)
INWARD = (0.024, 0.024, 0.027, 0.032, 0.040)
FORWARD = (0.016, 0.013, 0.008, 0.0, 0.0)


class Field:
    """The strands of one side, 1 her left and -1 her right."""

    def __init__(self, scalp, side, longer=0.0):
        self.scalp, self.side, self.longer = scalp, side, longer
        part = np.arctan2(PART_X - 0.004 * side, 0.105)     # a little over the other side's
        self._front = scalp.on_line(np.array([part]), -0.008)[0]
        self._crown = unit(np.array([0.012, 0.86, -0.55]))

    def thick(self, s, t):
        """Metres of the hair's surface over the skin, (n, k)."""
        s = s[:, None]
        full = np.interp(s, (0, 0.06, 0.2, 0.5, 1), (0.007, 0.011, 0.017, 0.021, 0.021))
        t = t[None, :]
        root = 0.0045 + 0.0075 * smoothstep(0.1, 0.6, s)
        return root + 0.005 * smoothstep(0.0, 0.06, t) + (full - root - 0.005) * smoothstep(0.02, 0.28, t)

    def __call__(self, s):
        s = np.clip(np.asarray(s, float), 0, 1)
        back = np.clip(s / 0.62, 0, 1)
        start = between(self._front[None], self._crown[None], back)[0]
        angle = np.radians(np.interp(s, AROUND, LEAVES_DEG))
        end = unit(np.stack([self.side * np.sin(angle), np.full_like(angle, -0.16),
                             np.cos(angle)], axis=-1))
        t = np.linspace(0, 1, 20)
        arc = between(start, end, t)
        # Over the forehead first, then back over the temple.
        sweep = np.interp(s, (0, 0.2, 0.5), (0.10, 0.03, 0.0))[:, None, None]
        sweep = sweep * (np.sin(np.pi * t ** 0.8) ** 1.3)[None, :, None]
        arc = unit(arc + sweep * (np.array([0, -1.1, 0.9]) if self.side < 0
                                  else np.array([0, -0.2, 0.8])))
        over = CENTER + arc * (self.scalp.radius(arc) + self.thick(s, t))[..., None]
        low = over[:, -1]
        out = unit((low - CENTER) * [1, 0, 1])
        drop = np.linspace(0, 1, 15)[1:]
        tip = np.interp(s, AROUND, TIP_Y) - self.longer
        fall = np.repeat(low[:, None], len(drop), axis=1)
        fall[..., 1] += (tip - low[:, 1])[:, None] * drop
        inward = np.interp(s, AROUND, INWARD)[:, None]
        aside = 0.007 * np.sin(np.pi * drop * 0.9) - inward * drop ** 2.4
        fall += out[:, None] * aside[..., None]
        fall[..., 2] += np.interp(s, AROUND, FORWARD)[:, None] * drop ** 1.3
        paths = even(np.concatenate([over, fall], axis=1), STEPS)
        # A slow wave, which neighbours share.
        way = np.linspace(0, 1, STEPS)
        wave = np.sin(5.2 * way + 2.2 * np.sin(7 * s[:, None] + self.side)) * smoothstep(0.15, 0.7, way)
        aside = unit(np.cross([0, 1, 0], unit((paths - CENTER) * [1, 0, 1])))
        paths = paths + aside * (0.0050 * self.side * wave * smoothstep(0.02, 0.2, s)[:, None])[..., None]
        outward = unit(paths - CENTER)
        # Below the ears outwards is aside.
        flat = unit(outward * [1, 0.1, 1])
        share = smoothstep(1.675, 1.62, paths[..., 1])[..., None]
        return paths, unit(outward * (1 - share) + flat * share)


def bob(scalp, rng):
    surface = Surface()
    t = np.linspace(0, 1, STEPS)
    for side, count in ((1, 11), (-1, 15)):
        field = Field(scalp, side)
        turn = side < 0
        sheet(surface, field, 20 if side < 0 else 16, t, turn)
        longer = Field(scalp, side)
        for n in range(count):
            s = (n + 0.5 + rng.uniform(-0.16, 0.16)) / count
            longer.longer = rng.uniform(-0.001, 0.006)
            half = rng.uniform(0.60, 0.86) / count
            layer = 0.0012 if n % 2 else 0.0002
            begin = 0.0 if s < 0.5 or n % 2 else rng.uniform(0.05, 0.10)
            near = smoothstep(0.45, 0.2, s)                  # at the face the ends taper more
            taper = rounded(t, 0.90 - 0.10 * near, rng.uniform(0.60, 0.8) - 0.28 * near)
            taper = taper * (0.3 + 0.7 * smoothstep(begin, begin + 0.25, t))
            late = 0.12 * smoothstep(0.4, 0.7, s)
            bow = 0.0010 + 0.0045 * smoothstep(0.03 + late, 0.4 + late, t)
            bow = bow * (1 - 0.45 * smoothstep(0.8, 1, t))
            lift = layer - 0.0032 - 0.0020 * smoothstep(0.08, 0, t)      # roots are below the sheet
            lift = lift - 0.006 * smoothstep(begin + 0.12, begin, t) * (begin > 0)
            tone = rng.uniform(0.80, 1.0) * shade(t)
            lock(surface, longer, s, half, taper, bow, lift, tone, rng.uniform(0.1, 0.9),
                 turn=turn,
                 free=loose(longer, s), edge=0.60 if s < 0.5 else 0.74)
    return surface.part("hair_bob")


def shade(t):
    """Darker at the roots, and a little at the ends."""
    return 0.62 + 0.38 * smoothstep(0.0, 0.16, t) - 0.10 * smoothstep(0.85, 1, t)


def loose(field, s):
    paths, _ = field(np.array([s]))
    return smoothstep(1.64, 1.50, paths[0, :, 1])[None]


def sheet(surface, field, columns, t, turn):
    """The closed layer below the locks: over the head, round at the face and at the ends, and dark
    within."""
    s = np.linspace(0, 1, columns) ** 1.15
    paths, out = field(s)
    ridge = 0.0010 * np.cos(s * 61)[:, None] * smoothstep(0.1, 0.4, t)
    outer = paths + out * (ridge - 0.0022)[..., None]
    free = smoothstep(1.64, 1.50, paths[..., 1])
    tone = (0.74 + 0.12 * smoothstep(0.30, 0.08, t)) * shade(t)[None]
    tone = tone * (0.9 + 0.1 * np.cos(s * 61))[:, None]
    surface.grid(outer, tone, np.abs((s * 3 + 0.2) % 2 - 1)[:, None] * 0.9 + 0.05,
                 along_strands(outer), turn=turn, free=free)
    # The ends turn in, and go up again on the inside.
    tips, ways = outer[:, -1], out[:, -1]
    high = smoothstep(0.08, 0.45, s)[:, None]    # flat at the face, where it would show
    rows = [tips - ways * d * (0.6 + 0.4 * high) + high * [0, up, 0]
            for d, up in ((0, 0), (0.006, -0.0015), (0.012, 0.004), (0.014, 0.03), (0.012, 0.09))]
    hem = np.stack(rows, axis=1)
    surface.grid(hem, np.array([0.34, 0.22, 0.10, 0.06, 0.04])[None], 0.5, turn=turn,
                 free=smoothstep(1.64, 1.50, hem[..., 1]))
    # Towards the face it closes onto the skin.
    edge, aside = outer[0], out[0]
    along = np.gradient(edge, axis=0)
    inner = unit(np.cross(along, aside)) * (1 if turn else -1)   # away from the face
    deep = np.interp(t, (0, 0.3, 0.55, 0.8, 1), (0.004, 0.008, 0.020, 0.024, 0.010))
    rows = [edge, edge - aside * (0.35 * deep)[:, None] - inner * 0.0006,
            edge - aside * deep[:, None] + inner * 0.003,
            edge - aside * (deep * 1.1)[:, None] + inner * 0.012]
    rim = np.stack(rows[::-1], axis=0)
    surface.grid(rim, np.array([0.04, 0.10, 0.24, 0.5])[:, None] * shade(t)[None], 0.4, turn=turn,
                 free=np.repeat(free[:1], len(rows), axis=0))
