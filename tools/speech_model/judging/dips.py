"""Where the lips are closed, by the sound: an aligner's p holds the burst behind the closure too,
and its borders are 10 to 30 ms off. Closed lips leave a hole in what is heard above 400 Hz.

Level: 20 ms windows (Hann) each 5 ms, energy of 400 to 5000 Hz in dB. The bottom is the lowest
level within the given segment and 20 ms around it. Either border is where the level, going
outwards from the bottom, first comes half way (in dB) from it to the highest level within 80 ms of
it on that side. A hole under 6 dB deep, a border more than 50 ms off the aligner's, or a closure
under 20 ms leaves the aligner's.
"""
import numpy as np

RATE_HZ = 16000
STEP_S = 0.005
WINDOW = 320
LOW_HZ, HIGH_HZ = 400, 5000
SEARCH_S, FLANK_S, LEAST_DB, FARTHEST_S, LEAST_S = 0.02, 0.08, 6.0, 0.05, 0.02


def levels(sound):
    """dB each 5 ms; that of step k is of the sound around k * 5 ms. `sound` is 16 kHz floats."""
    step = round(STEP_S * RATE_HZ)
    padded = np.pad(sound, (WINDOW // 2, WINDOW))
    count = len(sound) // step + 1
    frames = np.stack([padded[k * step:k * step + WINDOW] for k in range(count)])
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW), axis=1)) ** 2
    hz = np.fft.rfftfreq(WINDOW, 1 / RATE_HZ)
    band = power[:, (hz >= LOW_HZ) & (hz <= HIGH_HZ)].sum(1)
    return 10 * np.log10(band + 1e-6)


def refine(level, start_s, end_s):
    """Start and end of the closure near a segment of a p, b or m."""
    step = lambda t_s: int(np.clip(round(t_s / STEP_S), 0, len(level) - 1))  # noqa: E731
    a, b = step(start_s - SEARCH_S), step(end_s + SEARCH_S)
    bottom = a + int(level[a:b + 1].argmin())
    found = border(level, bottom, -1, start_s), border(level, bottom, 1, end_s)
    return found if found[1] - found[0] >= LEAST_S else (start_s, end_s)


def border(level, bottom, direction, otherwise_s):
    reach = round(FLANK_S / STEP_S)
    flank = level[bottom:bottom + reach + 1] if direction > 0 else \
        level[max(0, bottom - reach):bottom + 1][::-1]
    depth = flank.max() - flank[0]
    if depth < LEAST_DB:
        return otherwise_s
    half = flank[0] + depth / 2
    k = int(np.argmax(flank >= half))
    part = (half - flank[k - 1]) / (flank[k] - flank[k - 1])
    found_s = (bottom + direction * (k - 1 + part)) * STEP_S
    return found_s if abs(found_s - otherwise_s) <= FARTHEST_S else otherwise_s


def merged(segments):
    """Segments that touch (within 25 ms) as one: the lips stay closed through "mb"."""
    out = []
    for start, end in sorted(segments):
        if out and start - out[-1][1] <= 0.025:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out
