"""Readings of dates, times and phone numbers."""

import re

from . import numbers
from .tables import MONTHS


def _date(month, day, year, context):
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    name, nth = [MONTHS[month - 1]], numbers.ordinal(day)
    words = ["the"] + nth + ["of"] + name if context.british else name + nth
    return words + (numbers.year(year, context.british) if year else [])


def iso_date(match, context):
    return _date(int(match["m"]), int(match["d"]), int(match["y"]), context)


def slash_date(match, context):
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    if len(match["y"]) == 2:
        year += 2000 if year < 50 else 1900
    month, day = (second, first) if context.british or first > 12 else (first, second)
    return _date(month, day, year, context)


def _month(text):
    return next(i for i, month in enumerate(MONTHS, 1) if month[:3].lower() == text[:3].lower())


def month_day(match, context):
    month, day = [MONTHS[_month(match["month"]) - 1]], int(match["day"])
    if not 1 <= day <= 31:
        return None
    out = month + (["the"] if context.british else []) + numbers.ordinal(day)
    return out + (
        [","] + numbers.year(int(match["year"]), context.british) if match["year"] else []
    )


def day_month(match, context):
    month, day = [MONTHS[_month(match["month"]) - 1]], int(match["day"])
    if not 1 <= day <= 31:
        return None
    the = [] if context.word_before(match).lower() == "the" else ["the"]
    out = the + numbers.ordinal(day) + ["of"] + month
    return out + (numbers.year(int(match["year"]), context.british) if match["year"] else [])


def month_year(match, context):
    return [MONTHS[_month(match["month"]) - 1]] + numbers.year(int(match["year"]), context.british)


def clock(match, context):
    parts = match.groupdict()
    hour, minute, half = int(parts["h"]), int(parts.get("m") or 0), parts["half"]
    if hour > 24 or minute > 59:
        return None
    out = numbers.cardinal(hour)
    if minute:
        out += (["oh"] if minute < 10 else []) + numbers.cardinal(minute)
    elif not half:
        out += ["hundred"] if hour > 12 else ["o'clock"] if hour else ["hundred"]
    if parts.get("s"):
        out += ["and"] + numbers.cardinal(int(parts["s"])) + ["seconds"]
    return out + ([half.replace(".", "").upper()] if half else [])


def decade(match, context):
    number = match["n"]
    words = numbers.year(int(number)) if len(number) == 4 else numbers.cardinal(int(number))
    last = words[-1]
    return words[:-1] + [last[:-1] + "ies" if last.endswith("y") else last + "s"]


def phone(match, context):
    groups = re.findall(r"\d+", match.group())
    if not 7 <= sum(map(len, groups)) <= 15:
        return None
    out = ["plus"] if match.group().lstrip().startswith("+") else []
    for number, group in enumerate(groups):
        out += ([","] if number else []) + numbers.digits(group)
    return out
