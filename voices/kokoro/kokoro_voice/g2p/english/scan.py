"""Written words, how each is spoken, and punctuation."""

import re
from dataclasses import dataclass, field

from . import numbers, readings
from .tables import Context

WORD = re.compile(
    r"[^\W\d_]+(?:['’][^\W\d_]+)*(?:(?<=s)['’](?!\w))?|['’](?:tis|twas|em|cause|til)\b", re.I
)
MIXED = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]+")
DOTTED = re.compile(r"(?:[A-Za-z]\.){2,}(?:[A-Za-z]\b)?|Ph\.D\.?")
PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Za-z][a-z]*|\d+")
PAUSES = {
    ".": ".",
    ",": ",",
    "!": "!",
    "?": "?",
    ";": ";",
    ":": ":",
    "—": "—",
    "–": "—",
    "…": "…",
    "(": "(",
    ")": ")",
    "\n": ",",
}


@dataclass
class Item:
    """A written word with the words it is spoken as (with pauses, "," and so on, among them), or,
    without text, a pause."""

    text: str
    spoken: list = field(default_factory=list)


def _mixed(text, context):
    """B12, MP3s, H2O, COVID19, 4K: capitals are spelt, digits read as a number of up to two, or one
    by one."""
    out = []
    for piece in PIECE.findall(text):
        if piece.isdigit():
            out += (
                context.cardinal(piece)
                if len(piece) < 3 or piece.endswith("00")
                else numbers.digits(piece)
            )
        elif piece == "s" and out:
            out[-1] += "es" if out[-1] == "six" else "s"
        else:
            out.append(piece)
    return out


def scan(text, british):
    """The items of a text, in order."""
    text = text.replace("...", "…").replace("--", "—")
    context = Context(text, british)
    out = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        after_letter = at > 0 and text[at - 1].isalnum() and text[at].isalnum()
        found = None if after_letter else readings.read(text, at, context)
        if found:
            spoken, end = found
            out.append(Item(text[at:end], spoken))
            if text[end - 1] == "." and not text[end:].strip(" \"'”’)"):
                out.append(Item("", ["."]))
            at = end
            continue
        for pattern in (DOTTED, MIXED, WORD):
            match = pattern.match(text, at)
            if match:
                break
        if match:
            word = match.group()
            if pattern is DOTTED:
                spoken = [
                    word.replace(".", "").upper() if word[0] != "P" or "h" not in word else "PHD"
                ]
            elif pattern is MIXED:
                spoken = _mixed(word, context)
            else:
                spoken = [word]
            at = match.end()
            # The parts of "well-known" are one written word.
            joined = out and out[-1].text.endswith("-")
            if joined:
                out[-1].text += word
                out[-1].spoken += spoken
            else:
                out.append(Item(word, spoken))
            if pattern is DOTTED and word.endswith(".") and not text[at:].strip(" \"'”’)"):
                out.append(Item("", ["."]))
            continue
        mark = text[at]
        if (
            mark in "-‐‑/"
            and 0 < at < len(text) - 1
            and text[at - 1].isalnum()
            and text[at + 1].isalnum()
            and (out and out[-1].text)
        ):
            out[-1].text += "-"
        elif mark in "-–" and text[at + 1 : at + 2].isspace():
            out.append(Item("", ["—"]))
        elif mark in PAUSES:
            if mark not in "()" and out and not out[-1].text and out[-1].spoken[-1] == mark:
                pass  # "!!"
            else:
                out.append(Item("", [PAUSES[mark]]))
        at += 1
    for item in out:
        item.text = item.text.rstrip("-")
    return out
