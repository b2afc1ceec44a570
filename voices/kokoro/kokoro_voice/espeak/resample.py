"""Changes the rate of a sound, with a windowed sinc. Keeps times: sample 0 stays at time 0."""

import functools
import math

import numpy

TAPS = 32
PASSED = 0.9  # of the lower rate's bandwidth


@functools.lru_cache(4)
def _filters(up, down):
    """[phase][tap], for phases of 1/up of an input sample."""
    cutoff = PASSED * min(1.0, up / down)
    at = numpy.arange(TAPS) - TAPS / 2 + 1 - numpy.arange(up)[:, None] / up
    taps = (
        numpy.sinc(at * cutoff)
        * numpy.kaiser(TAPS * 64 + 1, 8.0)[numpy.rint((at + TAPS / 2) * 64).astype(int)]
    )
    return (taps / taps.sum(axis=1, keepdims=True)).astype(numpy.float32)


def resample(pcm, from_hz, to_hz):
    """`pcm` and the result are samples of 16 bits as bytes."""
    if from_hz == to_hz:
        return pcm
    common = math.gcd(from_hz, to_hz)
    up, down = to_hz // common, from_hz // common
    samples = numpy.frombuffer(pcm, "<i2").astype(numpy.float32)
    length = -(-len(samples) * up // down)
    padded = numpy.concatenate([numpy.zeros(TAPS // 2 - 1, "f4"), samples, numpy.zeros(TAPS, "f4")])
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, TAPS)
    out = numpy.empty(length, numpy.float32)
    for phase, taps in enumerate(_filters(up, down)):
        # The outputs that lie phase / up after an input sample: first, first + up, ...
        first = phase * pow(down, -1, up) % up
        count = len(range(first, length, up))
        start = first * down // up
        out[first::up] = windows[start : start + count * down : down][:count] @ taps
    return numpy.clip(numpy.rint(out), -32768, 32767).astype("<i2").tobytes()
