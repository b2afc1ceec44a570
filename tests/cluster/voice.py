"""A voice whose samples say which they are, so that lost and repeated ones are counted."""

import numpy as np

REQUESTS = 128  # numbers that a request may have
MOST_SAMPLES = 2 << 22


def voice(request, first, last):
    """Samples first..last-1 of a request. None is 0, which is silence. A positive one and the negative
    one after it say their place and their request."""
    n = np.arange(first, last)
    pair = n >> 1
    low = 1 + (pair & 0x3FFF)
    high = -1 - ((request % REQUESTS) << 8 | pair >> 14)
    return np.where(n & 1, high, low).astype("<i2")


def place(samples):
    """(request, place) of the first sample, or None if it and those after it do not say."""
    first = 0 if samples[0] > 0 else 1
    if len(samples) < first + 2 or not samples[first] > 0 > samples[first + 1]:
        return None
    high = -1 - int(samples[first + 1])
    n = 2 * ((high & 255) << 14 | int(samples[first]) - 1) - first
    request = high >> 8
    return (request, n) if n >= 0 and voice(request, n, n + 1)[0] == samples[0] else None


def count(jumps):
    """How many samples Listener.lost or Listener.repeated are."""
    return sum(last - first for _, first, last in jumps)


class Listener:
    """Hears the samples of one voice in order; silence may be anywhere.

    lost      [(request, first, last)]: samples that were left out
    repeated  [(request, first, last)]: samples that were heard before
    ends      {request: the place after the last sample that was heard}
    garbage   samples that belong to no voice
    """

    def __init__(self):
        self.lost, self.repeated, self.ends, self.garbage = [], [], {}, 0
        self.request = None
        self.rest = np.empty(0, "<i2")  # last samples that do not say their place yet

    def hear(self, audio):
        samples = np.frombuffer(audio, "<i2")
        samples = np.concatenate([self.rest, samples[samples != 0]])
        self.rest = samples[:0]
        at = 0
        while at < len(samples):
            if self.request is not None:
                begin = self.ends[self.request]
                same = voice(self.request, begin, begin + len(samples) - at) == samples[at:]
                run = len(same) if same.all() else int(same.argmin())
                self.ends[self.request] += run
                at += run
                if at == len(samples):
                    return
            found = place(samples[at:])
            if found is None:
                if len(samples) - at < 3:
                    self.rest = samples[at:]
                    return
                self.garbage += 1
                at += 1
                continue
            self.jump(*found)

    def end(self):
        """No more comes."""
        self.garbage += len(self.rest)
        return self

    def jump(self, request, to):
        was = self.ends.get(request, 0)
        if to > was:
            self.lost.append((request, was, to))
        elif to < was:
            self.repeated.append((request, to, was))
        self.request = request
        self.ends[request] = to

