"""How many p, b and m a face closes its lips for, and how often it does so elsewhere.

A curve says over time how far the lips are apart (or anything else that falls where they meet), a
threshold below which they count as closed. On a grid of 5 ms, straight lines between the curve's
points:

- a segment is *found* when the curve comes to the threshold within 30 ms of it;
- a closure is *false* in so far as it belongs to no segment and no pause. It belongs to those that
  it touches (30 ms around them), for at most 100 ms beyond each. What is left counts once, and once
  more for each further 200 ms, so that a mouth that stays shut finds all and is false all the time;
- a segment beside a pause is not asked for: lips at rest would find it without hearing it;
- segments that nobody is sure of are neither asked for nor false.

A minute is one of speech: without the pauses.
"""
import bisect
import math
from dataclasses import dataclass, field

STEP_S = 0.005
NEAR_S = 0.03
SPILL_S = 0.1
ONE_FALSE_S = 0.2
LEAST_FALSE_S = 0.01


@dataclass
class Truth:
    """Seconds, in order: what is to be found, what is not judged, and where nobody speaks."""
    segments: list
    duration_s: float
    pauses: list = field(default_factory=list)
    either: list = field(default_factory=list)
    beside_pauses: bool = True  # ask for segments beside pauses too

    def asked(self):
        if self.beside_pauses:
            return list(self.segments)
        pauses = self.pauses + [(-1, 0), (self.duration_s, self.duration_s + 1)]
        return [s for s in self.segments
                if all(s[0] - NEAR_S > p[1] or s[1] + NEAR_S < p[0] for p in pauses)]

    def speech_s(self):
        return self.duration_s - sum(end - start for start, end in self.pauses)


def sampled(times, values, grid):
    """Values at the grid's times, straight between the given ones."""
    out, i = [], 0
    for t in grid:
        while i + 1 < len(times) and times[i + 1] < t:
            i += 1
        if i + 1 >= len(times) or t <= times[i]:
            out.append(values[i])
        else:
            part = (t - times[i]) / (times[i + 1] - times[i])
            out.append(values[i] + part * (values[i + 1] - values[i]))
    return out


class Curve:
    """Values at times (seconds, rising) on the grid of 5 ms."""

    def __init__(self, times, values, duration_s):
        grid = [k * STEP_S for k in range(int(duration_s / STEP_S) + 1)]
        self.values = sampled(times, values, grid)
        for t, value in zip(times, values):  # what a frame shows is not lost between two steps
            k = round(t / STEP_S)
            if 0 <= k < len(self.values):
                self.values[k] = min(self.values[k], value)

    def least(self, start_s, end_s):
        """The least value between two times, and when."""
        first = max(0, math.ceil(start_s / STEP_S - 1e-6))
        last = min(len(self.values) - 1, math.floor(end_s / STEP_S + 1e-6))
        if first > last:
            return math.inf, start_s
        k = min(range(first, last + 1), key=self.values.__getitem__)
        return self.values[k], k * STEP_S

    def closures(self, threshold):
        """Where the curve is at or below the threshold: [start_s, end_s]."""
        found, start = [], None
        for k, value in enumerate(self.values):
            if value <= threshold:
                start = k if start is None else start
            elif start is not None:
                found.append((start * STEP_S, k * STEP_S))
                start = None
        if start is not None:
            found.append((start * STEP_S, len(self.values) * STEP_S))
        return found


@dataclass
class Count:
    asked: int = 0
    found: int = 0
    false: int = 0
    speech_s: float = 0
    starts_s: list = field(default_factory=list)  # of closures less those of their segments
    ends_s: list = field(default_factory=list)

    def add(self, other):
        self.asked += other.asked
        self.found += other.found
        self.false += other.false
        self.speech_s += other.speech_s
        self.starts_s += other.starts_s
        self.ends_s += other.ends_s
        return self

    def found_share(self):
        return self.found / self.asked if self.asked else math.nan

    def false_a_minute(self):
        return 60 * self.false / self.speech_s if self.speech_s else math.nan


def without(interval, others):
    """What is left of an interval when others, in order of their starts, are taken out."""
    left, start = [], interval[0]
    for a, b in others:
        if b <= start or a >= interval[1]:
            continue
        if a > start:
            left.append((start, a))
        start = max(start, b)
    if start < interval[1]:
        left.append((start, interval[1]))
    return left


def false_pieces(closures, truth):
    """What is false of the closures: [(start_s, end_s)]."""
    home = sorted((s, e) for group in (truth.segments, truth.either, truth.pauses,
                                       [(-1, 0), (truth.duration_s, truth.duration_s + 1)])
                  for s, e in group)
    found = []
    for closure in closures:
        own = [(s - SPILL_S, e + SPILL_S) for s, e in home
               if s - NEAR_S <= closure[1] and e + NEAR_S >= closure[0]]
        found += [(s, e) for s, e in without(closure, own) if e - s >= LEAST_FALSE_S - 1e-9]
    return found


def false_closures(closures, truth):
    return sum(math.ceil((end - start) / ONE_FALSE_S - 1e-9)
               for start, end in false_pieces(closures, truth))


def score(curve, truth, threshold):
    closures = curve.closures(threshold)
    asked = truth.asked()
    result = Count(asked=len(asked), speech_s=truth.speech_s(),
                   false=false_closures(closures, truth))
    starts = [c[0] for c in closures]
    for start, end in asked:
        least, at = curve.least(start - NEAR_S, end + NEAR_S)
        if least > threshold:
            continue
        result.found += 1
        closure = closures[bisect.bisect_right(starts, at + 1e-9) - 1]
        result.starts_s.append(closure[0] - start)
        result.ends_s.append(closure[1] - end)
    return result


def total(pairs, threshold):
    """One count over many (curve, truth)."""
    result = Count()
    for curve, truth in pairs:
        result.add(score(curve, truth, threshold))
    return result


def sweep(pairs, thresholds):
    return [(threshold, total(pairs, threshold)) for threshold in thresholds]


def best_at(counts, most_false):
    """Of (threshold, count): the one that finds most at no more than so many false a minute; of
    equals the one with fewest false. None when there is none."""
    good = [c for c in counts if c[1].false_a_minute() <= most_false]
    return max(good, key=lambda c: (c[1].found, -c[1].false), default=None)


def spaced(pairs, count):
    """Thresholds that cut the least values of the segments into equal parts, so that a curve of
    found against false has its points where something happens."""
    least = sorted(curve.least(s - NEAR_S, e + NEAR_S)[0]
                   for curve, truth in pairs for s, e in truth.asked())
    least = [v for v in least if math.isfinite(v)]
    if not least:
        return []
    picks = {least[round(k * (len(least) - 1) / (count - 1))] for k in range(count)}
    return sorted(picks)


def median(values):
    ordered = sorted(values)
    if not ordered:
        return math.nan
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
