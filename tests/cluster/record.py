"""What pulls of one stream saw, all together: who owned it when, and what its voice was."""

import dataclasses
import struct
import threading
import time

from voice import Listener


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data, at, end):
    """(number, value or place, end) of each field; a place is where a field with a length begins."""
    while at < end:
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
            yield tag >> 3, value, at
        elif kind == 1:
            yield tag >> 3, struct.unpack_from("<d", data, at)[0], at + 8
            at += 8
        elif kind == 2:
            size, at = varint(data, at)
            yield tag >> 3, at, at + size
            at += size
        else:
            raise ValueError(f"wire type {kind}")


HEADER, DATA, STATUS = 1, 2, 3
EPOCH, AUDIO, CODE, BUFFER = 5, 2, 1, 2


def scan(message):
    """(HEADER, epoch, b""), (DATA, time code, samples) or (STATUS, code, text) of a pulled message,
    read without building it."""
    (part, at, end), = fields(message, 0, len(message))
    if part == HEADER:
        epoch = 0.0
        for number, value, _ in fields(message, at, end):
            epoch = value if number == EPOCH else epoch
        return HEADER, epoch, b""
    code, text = 0, b""
    if part == DATA:
        for number, value, stop in fields(message, at, end):
            if number == AUDIO:
                at, end = value, stop
                break
        else:
            raise ValueError("a frame without audio")
    for number, value, stop in fields(message, at, end):
        if number == CODE:
            code = value
        elif number == BUFFER:
            text = message[value:stop]
    return part, code, text


@dataclasses.dataclass
class Reign:
    """The frames of one avatar: of one owner, from when it made the avatar. Times are absolute, in
    seconds."""
    epoch: float
    first: float = float("inf")
    last: float = float("-inf")
    frames: dict = dataclasses.field(default_factory=dict)  # number of the tick: its samples
    nodes: set = dataclasses.field(default_factory=set)  # those that sent them to a watch


@dataclasses.dataclass
class Overlap:
    earlier: Reign
    later: Reign

    def seconds(self):
        return min(self.earlier.last, self.later.last) - self.later.first

    def __str__(self):
        return (f"{sorted(self.earlier.nodes)} and {sorted(self.later.nodes)} for "
                f"{self.seconds():.3f} s from {self.later.first:.3f} on")


class Record:
    """Pulls add what they get, from any thread."""

    def __init__(self, stream, fps):
        self.stream, self.fps = stream, fps
        self.reigns = {}  # by epoch
        self.most_ahead_s = float("-inf")  # of a frame's time before this clock
        self.faults = []
        self.lock = threading.Lock()

    def begin(self, epoch, node=None):
        """A pull got a header; `node` if it is served by that node and no other."""
        with self.lock:
            reign = self.reigns.setdefault(epoch, Reign(epoch))
            if node:
                reign.nodes.add(node)
                if len(reign.nodes) > 1:
                    self.faults.append(f"{self.stream}: one epoch at {reign.nodes}")
        return reign

    def add(self, reign, code, samples):
        tick = round(code * self.fps)
        with self.lock:
            known = reign.frames.setdefault(tick, samples)
            reign.first = min(reign.first, reign.epoch + code)
            reign.last = max(reign.last, reign.epoch + code)
            self.most_ahead_s = max(self.most_ahead_s, reign.epoch + code - time.time())
        if known != samples:
            self.faults.append(f"{self.stream}: two voices for tick {tick} of epoch {reign.epoch}")

    def in_order(self):
        """Reigns with frames, by their first frame."""
        with self.lock:
            return sorted((r for r in self.reigns.values() if r.frames), key=lambda r: r.first)

    def overlaps(self):
        """Reigns that have frames for the same time; with one owner at any time there are none."""
        found, longest = [], None
        for reign in self.in_order():
            if longest and reign.first <= longest.last:
                found.append(Overlap(longest, reign))
            if longest is None or reign.last > longest.last:
                longest = reign
        return found

    def listen(self):
        """The voice of all frames, each once, in the order of their times."""
        listener = Listener()
        for reign in self.in_order():
            for tick in sorted(reign.frames):
                listener.hear(reign.frames[tick])
        return listener.end()

    def skipped(self):
        """Ticks between frames of one reign that no pull saw."""
        return sum(max(r.frames) - min(r.frames) + 1 - len(r.frames) for r in self.in_order())
