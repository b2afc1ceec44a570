"""Hair to below the chin, swept to the sides from a parting.

A closed sheet that is darker and shorter lies below; over it hang locks of different widths and
lengths, each on a way of its own, that overlap at the head and part towards their pointed ends. Some
are short and frame the face, and a few strands are thin.
"""
import numpy as np

from locks import Surface, along_strands, lock, pointed
from mesh import smoothstep
from scalp import CENTER, between, even, unit

STEPS = 22
PART_X = 0.030           # the parting, to her left
AROUND = (0, 0.08, 0.22, 0.5, 1)
# By place along the hairline, from the face (0) to the nape (1): where strands leave the head as
# degrees from the front, and where they end.
LEAVES_DEG = (58, 70, 86, 118, 182)
TIP_Y = (1.492, 1.484, 1.486, 1.494, 1.502)
INWARD = (0.014, 0.018, 0.024, 0.034, 0.046)
FORWARD = (0.020, 0.016, 0.010, 0.0, 0.0)


class Field:
    """The strands of one side, 1 her left and -1 her right."""

    def __init__(self, scalp, side, longer=0.0):
        self.scalp, self.side, self.longer = scalp, side, longer
        part = np.arctan2(PART_X - 0.004 * side, 0.105)     # a little over the other side's
        self._front = scalp.on_line(np.array([part]), -0.006)[0]
        self._crown = unit(np.array([0.012, 0.86, -0.55]))

    def thick(self, s, t):
        """Metres of the hair's surface over the skin, (n, k)."""
        s = s[:, None]
        full = np.interp(s, (0, 0.06, 0.2, 0.5, 1), (0.008, 0.012, 0.017, 0.020, 0.018))
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
        sweep = np.interp(s, (0, 0.2, 0.5), (0.12, 0.05, 0.0))[:, None, None]
        sweep = sweep * (np.sin(np.pi * t ** 0.8) ** 1.3)[None, :, None]
        arc = unit(arc + sweep * (np.array([0, -0.9, 0.9]) if self.side < 0
                                  else np.array([0, -0.2, 0.8])))
        over = CENTER + arc * (self.scalp.radius(arc) + self.thick(s, t))[..., None]
        low = over[:, -1]
        out = unit((low - CENTER) * [1, 0, 1])
        drop = np.linspace(0, 1, 15)[1:]
        tip = np.interp(s, AROUND, TIP_Y) - self.longer
        fall = np.repeat(low[:, None], len(drop), axis=1)
        fall[..., 1] += (tip - low[:, 1])[:, None] * drop
        inward = np.interp(s, AROUND, INWARD)[:, None]
        aside = 0.005 * np.sin(np.pi * drop * 0.9) - inward * drop ** 1.7
        fall += out[:, None] * aside[..., None]
        fall[..., 2] += np.interp(s, AROUND, FORWARD)[:, None] * drop ** 1.3
        paths = even(np.concatenate([over, fall], axis=1), 40, 6)
        paths = even(paths, STEPS, 24)
        outward = unit(paths - CENTER)
        # Below the ears outwards is aside.
        flat = unit(outward * [1, 0.1, 1])
        share = smoothstep(1.675, 1.62, paths[..., 1])[..., None]
        return paths, unit(outward * (1 - share) + flat * share)


class Strayed:
    """A field whose strands go a way of their own: `longer` metres longer, lifted by `lift` off the
    layer, in a wave of `wave` metres aside with a phase, and at their ends `swing` aside and `flip`
    outwards, metres."""

    def __init__(self, field, longer=0.0, lift=0.0, wave=0.0, phase=0.0, swing=0.0, flip=0.0):
        self._field = Field(field.scalp, field.side, field.longer + longer)
        self._lift, self._wave, self._phase = lift, wave, phase
        self._swing, self._flip = swing, flip

    def __call__(self, s):
        paths, out = self._field(s)
        t = np.linspace(0, 1, STEPS)
        way = np.gradient(paths, axis=1)
        aside = unit(np.cross(out, way)) * self._field.side     # towards the face
        bend = self._wave * np.sin(6.6 * t + self._phase) * smoothstep(0.15, 0.75, t)
        bend = bend + self._swing * smoothstep(0.5, 1.0, t) ** 1.4
        rise = self._lift * smoothstep(0.05, 0.5, t) + self._flip * smoothstep(0.6, 1.0, t) ** 1.6
        rise = rise + 0.5 * self._wave * np.cos(6.6 * t + self._phase) * smoothstep(0.3, 0.8, t)
        return paths + aside * bend[:, None] + out * rise[:, None], out


def bob(scalp, rng):
    surface = Surface()
    t = np.linspace(0, 1, STEPS)
    for side, count in ((1, 12), (-1, 15)):
        field = Field(scalp, side)
        turn = side < 0
        sheet(surface, Field(scalp, side, -0.012), 15 if side < 0 else 13, t, turn)
        for n in range(count):
            s = (n + 0.5 + rng.uniform(-0.18, 0.18)) / count
            wide = (1.25, 0.80, 1.0)[n % 3] * rng.uniform(0.85, 1.1) / count
            way = Strayed(field, longer=(0.004, -0.014, -0.004)[n % 3] + rng.uniform(-0.004, 0.004),
                          lift=(0.0, 0.0030, 0.0012)[n % 3], wave=rng.uniform(0.0035, 0.0065),
                          phase=2.5 * s * side + rng.uniform(-0.7, 0.7),
                          swing=rng.uniform(-0.008, 0.008), flip=rng.uniform(-0.008, 0.002))
            draw(surface, way, s, wide, t, rng, turn, 0.68 + 0.08 * (n % 2),
                 0.26 + 0.30 * smoothstep(0.25, 0.5, s))
        for s, shorter, wide, swing, flip in FRAMING[side]:
            way = Strayed(field, longer=-shorter, lift=0.0035, wave=0.002, phase=rng.uniform(0, 6),
                          swing=swing, flip=flip)
            draw(surface, way, s, wide, t, rng, turn, 0.5)
        for s, shorter, swing, flip in STRANDS[side]:
            way = Strayed(field, longer=-shorter, lift=0.0062, wave=0.004, phase=rng.uniform(0, 6),
                          swing=swing, flip=flip)
            draw(surface, way, s, 0.008, t, rng, turn, 0.4, across=3)
    return surface.part("hair_bob")


# Locks in front of the others: place, how much shorter, half width, and where the ends go.
FRAMING = {1: ((0.030, 0.050, 0.030, -0.012, 0.010), (0.085, 0.022, 0.030, -0.006, 0.004)),
           -1: ((0.012, 0.070, 0.026, -0.016, 0.012), (0.045, 0.040, 0.030, -0.010, 0.008),
                (0.100, 0.018, 0.030, 0.004, 0.004))}
STRANDS = {1: ((0.33, 0.004, -0.012, 0.008),), -1: ((0.028, 0.052, 0.010, 0.012),)}


def draw(surface, way, s, half, t, rng, turn, begin, end=0.10, across=5):
    """A lock along a way of its own."""
    taper = pointed(t, begin, end) * (0.6 + 0.4 * smoothstep(0.0, 0.25, t))
    bow = 0.0012 + 0.0052 * smoothstep(0.03, 0.35, t) * min(1.0, half / 0.05)
    bow = bow * (1 - 0.55 * smoothstep(0.75, 1, t))
    lift = -0.0020 - 0.0040 * smoothstep(0.07, 0, t)             # roots are below the sheet
    tone = rng.uniform(0.80, 1.0) * shade(t)
    lock(surface, way, s, half, taper, bow, lift + 0 * t, tone, rng.uniform(0.1, 0.9), turn=turn,
         free=loose(way, s), edge=0.55, across=across)


def shade(t):
    """Darker at the roots, lighter towards the ends."""
    return 0.66 + 0.26 * smoothstep(0.0, 0.2, t) + 0.08 * smoothstep(0.5, 1, t)


def loose(field, s):
    paths, _ = field(np.array([s]))
    return smoothstep(1.64, 1.50, paths[0, :, 1])[None]


def sheet(surface, field, columns, t, turn):
    """The closed layer below the locks: over the head, round at the face and at the ends, and dark
    within."""
    s = 0.02 + 0.98 * np.linspace(0, 1, columns) ** 1.15
    paths, out = field(s)
    outer = paths - out * (0.0046 + 0.003 * smoothstep(0.5, 1, t))[:, None]
    free = smoothstep(1.64, 1.50, paths[..., 1])
    tone = (0.62 - 0.20 * smoothstep(0.35, 0.8, t)) * shade(t)[None] + 0 * s[:, None]
    surface.grid(outer, tone, np.abs((s * 3 + 0.2) % 2 - 1)[:, None] * 0.9 + 0.05,
                 along_strands(outer), turn=turn, free=free)
    # The ends turn in, and go up again on the inside.
    tips, ways = outer[:, -1], out[:, -1]
    high = smoothstep(0.08, 0.45, s)[:, None]    # flat at the face, where it would show
    rows = [tips - ways * d * (0.6 + 0.4 * high) + high * [0, up, 0]
            for d, up in ((0, 0), (0.007, 0.001), (0.013, 0.03), (0.012, 0.09))]
    hem = np.stack(rows, axis=1)
    surface.grid(hem, np.array([0.36, 0.24, 0.14, 0.10])[None], 0.5, turn=turn,
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
    surface.grid(rim, np.array([0.16, 0.22, 0.32, 0.46])[:, None] * shade(t)[None], 0.4, turn=turn,
                 free=np.repeat(free[:1], len(rows), axis=0))
