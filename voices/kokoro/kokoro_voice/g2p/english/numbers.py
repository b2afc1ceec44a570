"""Numbers as lists of English words."""

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = ["", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion"]
ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
MOST_DIGITS = 3 * len(SCALES)


def digits(text):
    """One by one: "007" is "zero zero seven"."""
    return [UNITS[int(digit)] for digit in text if digit.isdigit()]


def _below_hundred(number):
    if number < 20:
        return [UNITS[number]]
    return [TENS[number // 10]] + ([UNITS[number % 10]] if number % 10 else [])


def _below_thousand(number, british):
    if number < 100:
        return _below_hundred(number)
    out = [UNITS[number // 100], "hundred"]
    if number % 100:
        out += (["and"] if british else []) + _below_hundred(number % 100)
    return out


def cardinal(number, british=False):
    """British English says "and" after hundreds. Numbers past 21 digits are read digit by digit."""
    if len(str(abs(number))) > MOST_DIGITS:
        return (["minus"] if number < 0 else []) + digits(str(abs(number)))
    if number < 0:
        return ["minus"] + cardinal(-number, british)
    if number < 1000:
        return _below_thousand(number, british)
    out, scale = [], 0
    groups = []
    while number:
        groups.append((number % 1000, scale))
        number, scale = number // 1000, scale + 1
    for group, scale in reversed(groups):
        if not group:
            continue
        if british and scale == 0 and group < 100:
            out.append("and")
        out += _below_thousand(group, british) + ([SCALES[scale]] if scale else [])
    return out


def ordinal(number, british=False):
    words = cardinal(number, british)
    last = words[-1]
    if last in ORDINALS:
        words[-1] = ORDINALS[last]
    elif last.endswith("y"):
        words[-1] = last[:-1] + "ieth"
    else:
        words[-1] = last + "th"
    return words


def year(number, british=False):
    """1999 nineteen ninety nine, 1905 nineteen oh five, 2005 two thousand five, 2026 twenty twenty
    six."""
    high, low = divmod(number, 100)
    if not 1000 <= number < 10000 or 2000 <= number < 2010 or (number % 1000 == 0):
        return cardinal(number, british)
    if low == 0:
        return _below_hundred(high) + ["hundred"]
    if low < 10:
        return _below_hundred(high) + ["oh", UNITS[low]]
    return _below_hundred(high) + _below_hundred(low)


def decimal(text, british=False):
    """Digits with commas between thousands and a point: "1,234.50" is "... point five zero"."""
    whole, _, fraction = text.replace(",", "").partition(".")
    if len(whole) > 1 and whole[0] == "0" and not fraction:
        return digits(whole)
    if len(whole) > MOST_DIGITS:
        out = digits(whole)
    else:
        out = cardinal(int(whole), british) if whole else []
    return out + (["point"] + digits(fraction) if fraction else [])


ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def roman(text):
    """The number, or 0 for what is none."""
    total = 0
    for letter, following in zip(text, text[1:] + " "):
        value, after = ROMAN.get(letter, 0), ROMAN.get(following, 0)
        if not value:
            return 0
        total += -value if value < after else value
    return total if to_roman(total) == text else 0


def to_roman(number):
    out = ""
    for value, letters in (
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        while number >= value:
            out, number = out + letters, number - value
    return out
