"""Pauses around clauses. The model puts a third of a second of silence at both ends of each run."""

import numpy

LEAD_S = 0.03
# What is left after the last sound, by the clause's last character; those of running speech.
TAILS_S = {",": 0.18, ";": 0.25, ":": 0.25, "—": 0.2, ".": 0.4, "!": 0.4, "?": 0.4, "…": 0.45}
NO_PAUSE_S = 0.04
BLOCK = 120  # samples: 5 ms
SOUND = 0.003  # peak of a block that is heard: -50 dB of full scale
QUIET_S = 0.1  # longer than the hold of a stop


def heard_blocks(samples):
    blocks = len(samples) // BLOCK
    peaks = numpy.abs(samples[: blocks * BLOCK]).reshape(blocks, BLOCK).max(axis=1, initial=0.0)
    return numpy.flatnonzero(peaks > SOUND)


def quiet(samples, rate_hz):
    """[(start, end)] in seconds of the silences of at least QUIET_S, the one at the end too."""
    edges = numpy.append(heard_blocks(samples), len(samples) // BLOCK)
    step_s = BLOCK / rate_hz
    return [
        (float(edges[k] + 1) * step_s, float(edges[k + 1]) * step_s)
        for k in numpy.flatnonzero((numpy.diff(edges) - 1) * step_s >= QUIET_S)
    ]


def bounds(samples, rate_hz, ending):
    """(first, last) sample to keep. All of it, if nothing is heard."""
    heard = heard_blocks(samples)
    if not len(heard):
        return 0, len(samples)
    first = int(heard[0]) * BLOCK - int(LEAD_S * rate_hz)
    last = (int(heard[-1]) + 1) * BLOCK + int(TAILS_S.get(ending, NO_PAUSE_S) * rate_hz)
    return max(first, 0), min(last, len(samples))


def to_pcm(samples):
    """16 bit, little-endian."""
    return (numpy.clip(numpy.nan_to_num(samples), -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
