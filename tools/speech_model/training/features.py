"""What the network hears: 42 numbers each 10 ms, from 16 kHz mono sound in -1..1.

This file is the specification; libs/speech computes the same in C++. All logarithms are natural.

Frame k uses samples 160 k - 240 up to and with 160 k + 159 (0 before the sound begins), so it is
known as soon as its 160th new sample is. It stands for the time of samples 160 k .. 160 k + 159.

1. Pre-emphasis: d[n] = x[n] - 0.97 x[n-1], with x[-1] = 0.
2. The 400 samples of the frame, less their mean, times a Hann window
   w[i] = 0.5 - 0.5 cos(2 pi (i + 0.5) / 400); samples before the sound are 0.
3. P[j] = |FFT of 512 points, zeros behind|^2 / 400, j = 0..256 (bin j is at 31.25 j Hz).
4. 40 triangles, on edges even on the mel scale mel(f) = 1127 ln(1 + f / 700): edge e = 0..41 is at
   mel(60) + e (mel(7600) - mel(60)) / 41. Band m rises from edge m to 1 at edge m + 1 and falls to
   0 at edge m + 2, linear in mel, taken at each bin's frequency (bins, not their area):
   E[m] = sum over j of triangle[m][j] P[j].
5. L[m] = ln(E[m] + 1e-8);   loudness l = ln(sum over m of E[m] + 1e-6);   mean level
   a = mean over m of L[m].
6. Normalisation, one step a frame, state before the first frame: peak p = -4.0, level g = -10.0,
   weight of level u = 5, colour c[m] = PRIOR[m], weight of colour v = 100.
     peak      p += 0.3 (l - p) if l > p;  else p = max(p - 0.005, -4.0)  (what falls: 0.5 a second)
     activity  q = clamp((l - p + 5) / 2, 0, 1)        (1 from 13 dB under the peak, 0 at 22 dB)
     level     u = min(u + q, 200);   g += (q / u) (a - g)
     colour    v = min(v + q, 1000);  c[m] += (q / v) (L[m] - a - c[m])
   Silence and faint noise (l under -9: white noise of -61 dBFS) move none but the peak: they stay faint.
   A prior fades as sound comes; the first voiced frames already stand near their place.
7. Features: f[m] = (L[m] - g - c[m]) / 2 for m = 0..39;  f[40] = (l + 4) / 3 (how loud);
   f[41] = (l - p + 2) / 2 (how loud beside the peak). All with p, g and c after this frame's step.

Accuracy: double precision here; single precision agrees to about 1e-4 above the noise floor.
"""
import numpy as np

RATE, HOP, WINDOW, FFT, BANDS = 16000, 160, 400, 512, 40
FEATURES = BANDS + 2
PEAK_FLOOR, LEVEL_PRIOR = -4.0, -10.0
# Mean colour (L less its mean over bands) of active speech of nine synthetic voices, rounded.
PRIOR = np.array([
    -1.9, -0.2, 0.4, 0.3, 0.5, 1.0, 1.2, 0.8, 0.2, -0.4,
    -1.0, -1.3, -1.6, -1.5, -1.5, -1.5, -1.4, -1.3, -1.2, -1.0,
    -0.9, -0.6, 0.2, 1.2, 1.7, 1.6, 1.6, 2.0, 2.0, 2.0,
    1.8, 1.0, 0.2, -0.3, -0.6, -0.9, -0.9, -0.5, 0.4, 0.3])


def _mel(f):
    return 1127 * np.log(1 + np.asarray(f) / 700)


def filterbank():
    """[40][257] triangles."""
    edges = _mel(60) + np.arange(BANDS + 2) * (_mel(7600) - _mel(60)) / (BANDS + 1)
    mel = _mel(np.arange(FFT // 2 + 1) * RATE / FFT)
    step = edges[1] - edges[0]
    return np.maximum(0, 1 - np.abs(mel[None, :] - edges[1:-1, None]) / step)


_BANK = filterbank().T
_HANN = 0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(WINDOW) + 0.5) / WINDOW)


def band_energies(x):
    """Steps 1 to 4: E [frames][40] of sound x [samples]; a rest of under 160 samples is left out."""
    x = np.asarray(x, dtype=np.float64)
    frames = len(x) // HOP
    d = np.concatenate([np.zeros(WINDOW - HOP), x[:1], x[1:] - 0.97 * x[:-1]])
    energies = np.empty((frames, BANDS))
    for begin in range(0, frames, 1000):
        end = min(begin + 1000, frames)
        at = HOP * np.arange(begin, end)[:, None] + np.arange(WINDOW)
        cut = d[at]
        cut = (cut - cut.mean(axis=1, keepdims=True)) * _HANN
        spectrum = np.fft.rfft(cut, FFT)
        energies[begin:end] = (np.abs(spectrum) ** 2 / WINDOW) @ _BANK
    return energies


class Normaliser:
    """Steps 5 to 7, for any number of streams side by side."""

    def __init__(self, streams=1):
        self.p = np.full(streams, PEAK_FLOOR)
        self.g = np.full(streams, LEVEL_PRIOR)
        self.u = np.full(streams, 5.0)
        self.c = np.tile(PRIOR, (streams, 1))
        self.v = np.full(streams, 100.0)

    def step(self, energies):
        """Features [streams][42] of one frame's E [streams][40]."""
        bands = np.log(energies + 1e-8)
        loud = np.log(energies.sum(axis=1) + 1e-6)
        mean = bands.mean(axis=1)
        self.p = np.where(loud > self.p, self.p + 0.3 * (loud - self.p),
                          np.maximum(self.p - 0.005, PEAK_FLOOR))
        active = np.clip((loud - self.p + 5) / 2, 0, 1)
        self.u = np.minimum(self.u + active, 200)
        self.g = self.g + active / self.u * (mean - self.g)
        self.v = np.minimum(self.v + active, 1000)
        self.c = self.c + (active / self.v)[:, None] * (bands - mean[:, None] - self.c)
        shape = (bands - self.g[:, None] - self.c) / 2
        return np.concatenate([shape, (loud[:, None] + 4) / 3, (loud - self.p + 2)[:, None] / 2],
                              axis=1)


def features(x):
    """[frames][42] of one sound."""
    return features_of([band_energies(x)])[0]


def features_of(energies):
    """Features of many sounds at once, from their E; one array [frames][42] each."""
    longest = max(len(e) for e in energies)
    padded = np.zeros((longest, len(energies), BANDS))
    for i, e in enumerate(energies):
        padded[:len(e), i] = e
    norm = Normaliser(len(energies))
    out = np.stack([norm.step(e) for e in padded], axis=1)
    return [out[i, :len(e)].astype(np.float32) for i, e in enumerate(energies)]
