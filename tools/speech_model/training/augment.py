"""What happens to a voice on its way to a microphone, and sounds that are no voice.

All of it from a numpy generator; sound is 16 kHz float. `spoil` keeps the time of every sample.
"""
from fractions import Fraction

import numpy as np
from scipy import signal

RATE = 16000


def resample(x, rate, factor):
    """x of `rate` as 16 kHz, spoken `factor` times as fast by someone so much smaller.

    Returns the sound and the factor that came of rounding."""
    step = Fraction(rate * factor / RATE).limit_denominator(60)
    return signal.resample_poly(x, step.denominator, step.numerator), float(step) * RATE / rate


def biquad(kind, hertz, gain_db, q):
    """Robert Bristow-Johnson's peak and shelves."""
    amount, w = 10 ** (gain_db / 40), 2 * np.pi * hertz / RATE
    alpha, c = np.sin(w) / (2 * q), np.cos(w)
    if kind == "peak":
        b, a = [1 + alpha * amount, -2 * c, 1 - alpha * amount], [1 + alpha / amount, -2 * c,
                                                                  1 - alpha / amount]
    else:
        sign, root = (1 if kind == "low" else -1), 2 * np.sqrt(amount) * alpha
        b = [amount * ((amount + 1) - sign * (amount - 1) * c + root),
             sign * 2 * amount * ((amount - 1) - sign * (amount + 1) * c),
             amount * ((amount + 1) - sign * (amount - 1) * c - root)]
        a = [(amount + 1) + sign * (amount - 1) * c + root,
             -sign * 2 * ((amount - 1) + sign * (amount + 1) * c),
             (amount + 1) + sign * (amount - 1) * c - root]
    return np.array(b) / a[0], np.array(a) / a[0]


def equalise(x, rng):
    for _ in range(rng.integers(1, 4)):
        kind = ("peak", "low", "high")[rng.integers(3)]
        hertz = {"peak": np.exp(rng.uniform(np.log(150), np.log(6500))),
                 "low": rng.uniform(100, 500), "high": rng.uniform(1500, 5000)}[kind]
        x = signal.lfilter(*biquad(kind, hertz, rng.uniform(-10, 10), rng.uniform(0.5, 1.5)), x)
    return x


def reverberate(x, rng):
    length = rng.uniform(0.08, 0.6)
    n = int(length * RATE)
    tail = rng.normal(size=n) * 10 ** (-3 * np.arange(n) / n)
    tail[:int(rng.uniform(0.001, 0.02) * RATE)] = 0
    tail *= 10 ** (-rng.uniform(0, 16) / 20) / np.sqrt((tail ** 2).sum() + 1e-9)
    tail[0] = 1
    return signal.fftconvolve(x, tail)[:len(x)]


def coloured(n, rng):
    """Noise of a random slope and band."""
    white = np.fft.rfft(rng.normal(size=n))
    f = np.fft.rfftfreq(n, 1 / RATE) + 20
    white *= f ** -rng.uniform(0, 1.2)
    if rng.random() < 0.4:
        centre, width = np.exp(rng.uniform(5, 8.7)), rng.uniform(0.2, 1.0)
        white *= np.exp(-(np.log(f / centre) / width) ** 2) + 0.02
    x = np.fft.irfft(white, n)
    if rng.random() < 0.4:                          # it swells and fades
        knots = rng.uniform(0.1, 1, n // 4000 + 2)
        x *= np.interp(np.arange(n), np.arange(len(knots)) * 4000, knots)
    return x


def hum(n, rng):
    t = np.arange(n) / RATE
    base = rng.choice([50, 60, 100, 120]) * (1 if rng.random() < 0.5 else rng.uniform(0.5, 3))
    x = sum(rng.uniform(0, 1) / h * np.sin(2 * np.pi * (base * h * t + rng.random()))
            for h in range(1, rng.integers(2, 16)))
    return x + 0.05 * rng.uniform(0, 1) * rng.normal(size=n)


def music(n, rng):
    """Notes of plucked, bowed and blown shapes in chords, with or without drums."""
    x = np.zeros(n + 4 * RATE)
    beat = rng.uniform(0.15, 0.6)
    scale = np.array([0, 2, 4, 5, 7, 9, 11]) if rng.random() < 0.5 else np.array([0, 2, 3, 5, 7, 8, 10])
    root, partials, slope = rng.uniform(80, 330), rng.integers(1, 14), rng.uniform(0.6, 2)
    pluck, vibrato, drums = rng.random() < 0.6, rng.uniform(0, 0.006), rng.random() < 0.5
    at = 0.0
    while at * RATE < n:
        long = beat * rng.choice([1, 1, 2, 4])
        t = np.arange(int(long * RATE * (2 if pluck else 1))) / RATE
        for _ in range(rng.integers(1, 5)):
            f = root * 2 ** (scale[rng.integers(7)] / 12 + rng.integers(0, 3))
            phase = 2 * np.pi * f * t + vibrato * f / 5.5 * np.sin(2 * np.pi * 5.5 * t)
            note = sum(np.sin(h * phase + rng.random()) * h ** -slope
                       for h in range(1, partials + 1) if h * f < 7800)
            shape = np.exp(-t * rng.uniform(2, 8)) if pluck else np.abs(np.sin(np.pi * t / t[-1])) ** 0.3
            x[int(at * RATE):int(at * RATE) + len(t)] += (note * shape)[:len(x) - int(at * RATE)]
        if drums:
            t = np.arange(4000) / RATE
            hit = (np.sin(2 * np.pi * 60 * t) if rng.random() < 0.5 else rng.normal(size=4000))
            x[int(at * RATE):int(at * RATE) + 4000] += 2 * hit * np.exp(-t * rng.uniform(10, 50))
        at += long
    return x[:n]


def clicks(n, rng):
    x = 1e-4 * rng.normal(size=n)
    for _ in range(max(1, int(n / RATE * rng.uniform(0.5, 8)))):
        at, long = rng.integers(n), rng.integers(10, 1600)
        t = np.arange(min(long, n - at))
        ring = np.sin(2 * np.pi * np.exp(rng.uniform(5, 8.8)) * t / RATE) + rng.normal(size=len(t))
        x[at:at + len(t)] += rng.uniform(0.2, 1) * ring * np.exp(-5 * t / long)
    return x


def tones(n, rng):
    t = np.arange(n) / RATE
    x = np.zeros(n)
    for _ in range(rng.integers(1, 4)):
        a, b = np.exp(rng.uniform(np.log(80), np.log(7000), 2))
        if rng.random() < 0.6:
            b = a
        x += np.sin(2 * np.pi * (a * t + (b - a) * t * t / (2 * t[-1])))
    if rng.random() < 0.5:
        x *= (np.sin(2 * np.pi * rng.uniform(0.5, 5) * t) > 0)
    return x


NOISES = (coloured, coloured, hum, music, music, clicks, tones)


def noise(n, rng):
    """No speech, of power 1."""
    x = NOISES[rng.integers(len(NOISES))](n, rng)
    return x / np.sqrt((x ** 2).mean() + 1e-12)


def breath(n, rng):
    band = np.sort(np.exp(rng.uniform(np.log(300), np.log(4800), 2)))
    sos = signal.butter(1, [band[0], max(band[1], 1.5 * band[0])], "band", fs=RATE, output="sos")
    x = signal.sosfilt(sos, rng.normal(size=n)) * np.sin(np.pi * np.arange(n) / n) ** rng.uniform(0.5, 2)
    return x / (np.sqrt((x ** 2).mean()) + 1e-9)


def mu_law(x):
    peak = np.abs(x).max() + 1e-9
    y = np.sign(x) * np.log1p(255 * np.abs(x / peak)) / np.log(256)
    y = np.round(y * 127) / 127
    return np.sign(y) * np.expm1(np.abs(y) * np.log(256)) / 255 * peak


def band_limit(x, rng):
    kind = rng.random()
    if kind < 0.35:
        sos = signal.butter(4, [rng.uniform(100, 350), rng.uniform(3200, 3800)], "band", fs=RATE,
                            output="sos")
    elif kind < 0.75:
        sos = signal.butter(6, rng.uniform(3500, 7500), fs=RATE, output="sos")
    else:
        sos = signal.butter(2, rng.uniform(60, 300), "high", fs=RATE, output="sos")
    return signal.sosfilt(sos, x)


def spoil(x, rng, plain=0.15):
    """A voice as a microphone may bring it. Returns the sound and the power of its noise."""
    x = x / (np.sqrt((x ** 2).mean()) + 1e-9)
    loud_db = -23 + 8 * rng.normal() if rng.random() > 0.1 else rng.uniform(-50, -8)
    behind = 0.0
    if rng.random() > plain:
        if rng.random() < 0.7:
            x = equalise(x, rng)
        if rng.random() < 0.4:
            x = reverberate(x, rng)
        x /= np.sqrt((x ** 2).mean()) + 1e-9
        if rng.random() < 0.65:
            added = noise(len(x), rng) * 10 ** (-np.clip(rng.normal(22, 9), 3, 50) / 20)
            behind = (added ** 2).mean()
            x = x + added
        if rng.random() < 0.3:
            x = band_limit(x, rng)
        if rng.random() < 0.12:
            x = mu_law(x)
        if rng.random() < 0.12:
            top = np.percentile(np.abs(x), rng.uniform(93, 99.9))
            x = np.clip(x, -top, top)
    gain = 10 ** (min(loud_db, -6) / 20) / (np.sqrt((x ** 2).mean()) + 1e-9)
    x = x * gain
    hiss = 10 ** (rng.uniform(-100, -60) / 20)
    x = x + hiss * rng.normal(size=len(x))
    if rng.random() < 0.15:
        x = x + rng.uniform(-0.1, 0.1)
    return np.clip(x, -1, 1), behind * gain ** 2 + hiss ** 2
