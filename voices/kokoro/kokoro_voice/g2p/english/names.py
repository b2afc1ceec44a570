"""Readings of titles, abbreviations, numerals after names, addresses and signs."""

import re

from . import numbers
from .tables import ABBREVIATIONS, NUMBERED, SIGNS, WITH_PERIOD

COUNTED = frozenset(
    "Chapter Part Volume Phase Act Scene Section Book War Type Grade Stage Bowl Title "
    "Article".split()
)


def numbered(match, context):
    name = NUMBERED.get(match["name"].rstrip("."), "number")
    return [name] + context.cardinal(match["n"])


def roman(match, context):
    value = numbers.roman(match["n"])
    if not value:
        return None
    if match["name"] in COUNTED:
        return [match["name"]] + numbers.cardinal(value)
    return [match["name"], "the"] + numbers.ordinal(value)


def title(match, context):
    """Doctor or drive, saint or street: before a name it is a title."""
    before_name = re.match(r"\s+[A-Z]", context.after(match))
    if match["name"] == "Dr":
        return ["doctor"] if before_name else ["drive"]
    return ["saint"] if before_name else ["street"]


def abbreviation(match, context):
    name = match["name"]
    return (ABBREVIATIONS.get(name) or WITH_PERIOD[name]).split()


def address(match, context):
    """Mail addresses and domains."""
    text = re.sub(r"^https?://(?:www\.)?", "", match.group()).rstrip("/")
    out = []
    for piece in re.findall(r"[A-Za-z]+|\d+|[.@/_-]", text):
        said = {".": "dot", "@": "at", "/": "slash", "-": "dash", "_": "underscore"}.get(piece)
        out += [said] if said else context.cardinal(piece) if piece.isdigit() else [piece]
    return out


def sign(match, context):
    return SIGNS[match.group()].split()
