"""A piece of synthesised sound with its marks, and how long clauses are cut into pieces."""

from dataclasses import dataclass, field

from ..voices import RATE_HZ


@dataclass
class Piece:
    """Sound of (a part of) a clause. Times of `words` and `phonemes` are seconds from its start."""

    text: str
    pcm: bytes
    words: list = field(default_factory=list)
    phonemes: list = field(default_factory=list)

    @property
    def seconds(self):
        return len(self.pcm) / 2 / RATE_HZ


def cut_parts(parts, most):
    """Groups of parts with at most `most` symbols each. A part that has more is cut; its first part
    keeps the text."""
    groups, size = [[]], 0
    for symbols, text in parts:
        while symbols:
            room = most - size
            if len(symbols) > room and size:
                groups.append([])
                size = 0
                continue
            head, symbols = symbols[:most], symbols[most:]
            groups[-1].append((head, text))
            size += len(head)
            text = None
    return [group for group in groups if any(symbols.strip() for symbols, _ in group)]
