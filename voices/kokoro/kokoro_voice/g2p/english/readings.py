"""How what is not a plain word is read: money, dates, times, phone numbers, units, abbreviations
...

Each reading is a pattern and a function from its match to words, or to None if it does not apply.
The first that matches at a place wins, so the order matters.
"""

import re

from . import amounts, names, times
from .tables import ABBREVIATIONS, JOINED_UNITS, MONEY, MONTHS, SCALE, SIGNS, UNITS, WITH_PERIOD
from .tables import alternatives

MONTH = "|".join(f"{month}|{month[:3]}\\.?" for month in MONTHS) + "|Sept\\.?"
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
SIGNED = rf"(?P<minus>(?<![\w.])[-−])?(?P<n>{NUMBER})"
HALF_DAY = r"(?:\s?(?P<half>[ap]\.?m\.?|[AP]\.?M\.?)(?![A-Za-z]))"
READINGS = [
    (re.compile(pattern), function)
    for pattern, function in (
        (
            r"https?://\S*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
            r"|(?:www\.)?[A-Za-z][\w-]*(?:\.[a-z][\w-]*)*"
            r"\.(?:com|org|net|io|dev|edu|gov|co\.uk|ai)\b(?:/[\w/-]*\w)?",
            names.address,
        ),
        (
            rf"(?P<minus>[-−])?(?P<sign>{alternatives(MONEY)})\s?(?P<amount>{NUMBER})"
            rf"(?:\s?(?P<scale>thousand|million|billion|trillion|{alternatives(SCALE)})\b)?",
            amounts.money,
        ),
        (r"(?P<count>\d+)\s?¢", amounts.cents),
        (r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)\b", times.iso_date),
        (r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4}|\d\d)\b", times.slash_date),
        (
            rf"(?P<month>{MONTH})\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:|\s?[ap]\.?m)"
            r"(?:,?\s(?P<year>(?:1\d|20)\d\d)\b)?",
            times.month_day,
        ),
        (
            rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{MONTH})(?![a-z])"
            r"(?:,?\s(?P<year>(?:1\d|20)\d\d)\b)?",
            times.day_month,
        ),
        (rf"(?P<month>{MONTH}),?\s(?P<year>(?:1\d|20)\d\d)\b", times.month_year),
        (rf"(?P<h>\d{{1,2}}):(?P<m>\d\d)(?::(?P<s>\d\d))?(?!\d){HALF_DAY}?", times.clock),
        (rf"(?P<h>\d{{1,2}}){HALF_DAY}", times.clock),
        (
            r"\+\d{1,3}[ .-]?\(?\d{1,4}\)?(?:[ .-]\d{2,4}){1,4}\b|\(\d{3}\)\s?\d{3}[ .-]\d{4}\b"
            r"|\d{3}[.-]\d{3}[.-]\d{4}\b|(?<!\d)\d{3}-\d{4}\b",
            times.phone,
        ),
        (rf"(?P<n>{NUMBER})\s?(?:%|percent\b)", amounts.percent),
        (r"['’]?(?P<n>\d0|\d\d\d0)['’]?s\b", times.decade),
        (rf"{SIGNED}(?:(?:\s|-)?(?P<unit>{alternatives(UNITS)}))(?![A-Za-z/])", amounts.unit),
        (r"(?P<feet>\d)['’′]\s?(?P<inches>\d\d?)(?:[\"”″]|['’′]{2})", amounts.height),
        (r"(?P<n>\d+(?:,\d{3})*)(?:st|nd|rd|th)\b", amounts.nth),
        (rf"{SIGNED}(?P<unit>{alternatives(JOINED_UNITS)})(?![\w/])", amounts.unit),
        (r"(?:(?P<whole>\d+)\s)?(?P<a>\d{1,3})/(?P<b>\d{1,3})(?![\d/])", amounts.fraction),
        (rf"(?P<a>{NUMBER})\s?[-–]\s?(?P<b>{NUMBER})(?![\d-])", amounts.span),
        (r"(?P<n>\d+(?:\.\d+){2,})", amounts.version),
        (r"(?P<name>(?:Nos?|Fig|Vol|pp?|[Cc]h)\.|#)\s?(?P<n>\d+)", names.numbered),
        (r"(?P<name>[A-Z][a-z]+)\s(?P<n>[IVXL]{2,}|[VX])\b(?!['’])", names.roman),
        (SIGNED, amounts.number),
        (r"\b(?P<name>Dr|St)\b\.?", names.title),
        (rf"\b(?P<name>{alternatives(ABBREVIATIONS)})\.", names.abbreviation),
        (rf"\b(?P<name>{alternatives(WITH_PERIOD)})\.(?=\s*[\w,])", names.abbreviation),
        (r"\b(?P<name>Mr|Mrs|Ms|vs)\b", names.abbreviation),
        (f"[{re.escape(''.join(SIGNS))}]", names.sign),
    )
]


def read(text, at, context):
    """(words, end) of the reading at a place of the text, or None."""
    for pattern, function in READINGS:
        match = pattern.match(text, at)
        if match and match.end() > at:
            words = function(match, context)
            if words is not None:
                return words, match.end()
    return None
