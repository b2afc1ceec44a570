"""Sounds in which nobody speaks, and how still a mouth stays in them.

Each is made from a fixed seed, 16 kHz mono: `silence` (digital, then the hiss of a quiet room at
-66 dBFS), `noise` (as long each of white, pink, mains hum, rain of clicks, wind and a fan, at
levels from -46 to -16 dBFS) and `music` (a small band: chords, bass, a plucked tune with vibrato,
drums; no singing).
"""
import numpy as np

RATE_HZ = 16000

# A mouth at rest on the built-in avatar: lips 1 mm apart at most.
STILL_GAP = 0.04
# And one that is seen to open: 2.6 mm.
OPEN_GAP = 0.10


def shaped(rng, count, slope):
    """Noise whose power falls by slope * 3 dB an octave."""
    spectrum = np.fft.rfft(rng.standard_normal(count))
    hz = np.maximum(np.fft.rfftfreq(count, 1 / RATE_HZ), 20)
    x = np.fft.irfft(spectrum * hz ** (-slope / 2), count)
    return x / np.sqrt(np.mean(x ** 2))


def silence(seconds):
    rng = np.random.default_rng(1)
    count = int(seconds * RATE_HZ)
    x = np.zeros(count)
    x[count // 2:] = rng.standard_normal(count - count // 2) * 10 ** (-66 / 20)
    return x


def noise(seconds):
    rng = np.random.default_rng(2)
    count = int(seconds / 6 * RATE_HZ)
    t = np.arange(count) / RATE_HZ
    hum = sum(np.sin(2 * np.pi * 50 * k * t + k) / k for k in (1, 2, 3, 5, 7))
    clicks = np.convolve((rng.random(count) < 20 / RATE_HZ) * rng.standard_normal(count),
                         np.exp(-np.arange(160) / 30))[:count]
    wind = shaped(rng, count, 2) * (1 + 0.8 * np.sin(2 * np.pi * 0.21 * t + np.sin(0.9 * t)))
    fan = (shaped(rng, count, 1) + 0.7 * np.sin(2 * np.pi * 118 * t) +
           0.4 * np.sin(2 * np.pi * 236 * t))
    parts = [shaped(rng, count, 0), shaped(rng, count, 1), hum, clicks, wind, fan]
    levels = np.repeat([-46, -36, -26, -16], -(-count // 4))[:count]
    return np.concatenate([p / np.sqrt(np.mean(p ** 2)) * 10 ** (levels / 20) for p in parts])


def music(seconds):
    rng = np.random.default_rng(3)
    count = int(seconds * RATE_HZ)
    x = np.zeros(count + 4 * RATE_HZ)

    def add(at_s, sound, gain):
        start = int(at_s * RATE_HZ)
        x[start:start + len(sound)] += gain * sound

    def tone(hz, length_s, harmonics, decay, vibrato=0.0):
        t = np.arange(int(length_s * RATE_HZ)) / RATE_HZ
        phase = 2 * np.pi * hz * t + vibrato * hz / 5.5 * np.sin(2 * np.pi * 5.5 * t)
        sound = sum(np.sin(k * phase) * a for k, a in enumerate(harmonics, 1) if k * hz < 7500)
        edge = np.minimum(1, np.minimum(t / 0.01, (length_s - t) / 0.03))
        return sound * np.exp(-decay * t) * edge

    saw, pluck = [1 / k for k in range(1, 20)], [1, 0.6, 0.5, 0.25, 0.2, 0.1]
    chords = [(0, 4, 7), (9, 12, 16), (5, 9, 12), (7, 11, 14)]
    beat_s, bar = 60 / 104, 0
    while bar * 4 * beat_s < seconds:
        at = bar * 4 * beat_s
        root = chords[bar % 4]
        for note in root:
            add(at, tone(220 * 2 ** (note / 12), 4 * beat_s, saw, 0.4), 0.10)
        for beat in range(4):
            when = at + beat * beat_s
            add(when, tone(55 * 2 ** (root[0] % 12 / 12), beat_s, [1, 0.5, 0.3], 2), 0.5)
            kick = np.arange(3200) / RATE_HZ
            add(when, np.sin(2 * np.pi * (50 * kick + 4 * (1 - np.exp(-30 * kick)))) *
                np.exp(-18 * kick), 0.7)
            hit = rng.standard_normal(2400) * np.exp(-np.arange(2400) / (1200 if beat % 2 else 250))
            add(when + (0 if beat % 2 else beat_s / 2), hit, 0.25 if beat % 2 else 0.1)
            for part in (0, 0.5):
                note = root[rng.integers(3)] + 12 * rng.integers(1, 3) + rng.integers(-1, 2) * 2
                add(when + part * beat_s, tone(220 * 2 ** (note / 12), beat_s * 0.5, pluck, 4,
                                               0.01), 0.35)
        bar += 1
    x = x[:count]
    return x / abs(x).max() * 0.5


SOUNDS = {"silence": silence, "noise": noise, "music": music}


def pcm(name, seconds):
    return (np.clip(SOUNDS[name](seconds), -1, 1) * 32767).round().astype("<i2").tobytes()


def stillness(times, gap, jaw):
    """How still a mouth is that nothing should move."""
    opened, is_open = 0, False
    for value in gap:
        if not is_open and value > OPEN_GAP:
            opened, is_open = opened + 1, True
        elif is_open and value < STILL_GAP:
            is_open = False
    ordered = sorted(gap)
    minutes = (times[-1] - times[0]) / 60
    return {"minutes": round(minutes, 2), "still": sum(g <= STILL_GAP for g in gap) / len(gap),
            "openings_a_minute": round(opened / minutes, 2),
            "gap_99_percent": round(ordered[int(0.99 * (len(ordered) - 1))], 4),
            "widest_gap": round(ordered[-1], 4), "mean_jaw_open": round(sum(jaw) / len(jaw), 5)}
