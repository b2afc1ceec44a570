"""Readings of money, measures and numbers."""

import re

from . import numbers
from .tables import JOINED_UNITS, MONEY, MONEY_PLURALS, SCALE, UNIT_PLURALS, UNITS, YEAR_AFTER

FRACTIONS = {2: ("half", "halves"), 4: ("quarter", "quarters")}


def plural(word):
    return MONEY_PLURALS.get(word, word + "s")


def money(match, context):
    sign, amount, scale = match["sign"], match["amount"], match["scale"]
    unit, cent = MONEY[sign]
    minus = ["minus"] if match["minus"] else []
    if scale:
        return minus + context.cardinal(amount) + [SCALE.get(scale, scale), plural(unit)]
    whole, _, fraction = amount.replace(",", "").partition(".")
    if len(fraction) not in (0, 2) or (fraction and not cent):
        return minus + context.cardinal(amount) + [plural(unit)]
    units, cents = int(whole or 0), int(fraction or 0)
    out = []
    if units or not cents:
        out += numbers.cardinal(units, context.british) + [unit if units == 1 else plural(unit)]
    if cents:
        out += (
            (["and"] if out else [])
            + numbers.cardinal(cents)
            + [cent if cents == 1 else plural(cent)]
        )
    return minus + out


def cents(match, context):
    count = int(match["count"])
    return numbers.cardinal(count) + ["cent" if count == 1 else "cents"]


def percent(match, context):
    return context.cardinal(match["n"]) + ["percent"]


def unit(match, context):
    name = UNITS.get(match["unit"]) or JOINED_UNITS[match["unit"]]
    head, *rest = name.split()
    if context.british:
        head = head.replace("meter", "metre").replace("liter", "litre")
        rest = [word.replace("meter", "metre") for word in rest]
    if match["n"] != "1":
        if head in ("square", "cubic", "kilowatt"):
            rest[-1] = UNIT_PLURALS.get(rest[-1], rest[-1] + "s")
        else:
            head = UNIT_PLURALS.get(head, head + "s")
    minus = ["minus"] if match["minus"] else []
    return minus + context.cardinal(match["n"]) + [head] + rest


def height(match, context):
    feet, inches = match["feet"], match["inches"]
    return (
        numbers.cardinal(int(feet))
        + ["foot" if feet == "1" else "feet"]
        + numbers.cardinal(int(inches))
        + ["inch" if inches == "1" else "inches"]
    )


def nth(match, context):
    return numbers.ordinal(int(match["n"].replace(",", "")), context.british)


def fraction(match, context):
    over, under = int(match["a"]), int(match["b"])
    if match.group() == "24/7":
        return ["twenty", "four", "seven"]
    if under in (0, 1) or under > 100 or over > 100:
        return numbers.cardinal(over) + ["over"] + numbers.cardinal(under)
    whole = numbers.cardinal(int(match["whole"])) + ["and"] if match["whole"] else []
    if under in FRACTIONS:
        name = [FRACTIONS[under][over != 1]]
    else:
        name = numbers.ordinal(under)
        name[-1] += "" if over == 1 else "s"
    return whole + numbers.cardinal(over) + name


def span(match, context):
    ends = [match["a"], match["b"]]
    if all(re.fullmatch(r"(?:1[1-9]|20)\d\d", end) for end in ends):
        first, second = (numbers.year(int(end), context.british) for end in ends)
    else:
        first, second = (context.cardinal(end) for end in ends)
    return first + ["to"] + second


def version(match, context):
    out = []
    for number, group in enumerate(match["n"].split(".")):
        out += (["point"] if number else []) + numbers.decimal(group)
    return out


def number(match, context):
    text = match["n"]
    minus = ["minus"] if match["minus"] else []
    is_year = (
        re.fullmatch(r"1[1-9]\d\d|20\d\d", text)
        and not minus
        and (text[:2] in ("19", "20") or context.word_before(match).lower() in YEAR_AFTER)
    )
    if is_year:
        return numbers.year(int(text), context.british)
    if len(text) > 10 and text.isdigit():
        return numbers.digits(text)
    return minus + context.cardinal(text)
