"""What the readings share: their tables, and what they may look at besides their match."""

import json
import re
from pathlib import Path

from . import numbers

_TABLES = json.loads((Path(__file__).parent / "readings.json").read_text(encoding="utf-8"))
SCALE, MONEY, MONEY_PLURALS, SIGNS = (
    _TABLES[name] for name in ("SCALE", "MONEY", "MONEY_PLURALS", "SIGNS")
)
UNITS, JOINED_UNITS, UNIT_PLURALS = (
    _TABLES[name] for name in ("UNITS", "JOINED_UNITS", "UNIT_PLURALS")
)
ABBREVIATIONS, WITH_PERIOD, NUMBERED = (
    _TABLES[name] for name in ("ABBREVIATIONS", "WITH_PERIOD", "NUMBERED")
)
YEAR_AFTER = frozenset(_TABLES["YEAR_AFTER"].split())
MONTHS = (
    "January February March April May June July August September October November December"
).split()


def alternatives(words):
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


class Context:
    """What a reading may look at besides its match: the text, and British or American English."""

    def __init__(self, text, british):
        self.text = text
        self.british = british

    def word_before(self, match):
        words = re.findall(r"[A-Za-z']+", self.text[max(0, match.start() - 24) : match.start()])
        return words[-1] if words else ""

    def cardinal(self, text):
        return numbers.decimal(text, self.british)

    def after(self, match):
        return self.text[match.end() :]
