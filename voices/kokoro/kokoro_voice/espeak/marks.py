"""When each phoneme and word sounds, from espeak-ng's events.

espeak-ng reports a phoneme where its sound starts, but the closure before p, t or k is silence that
comes before the report. This silence is all zeros, so it is found in the samples and given to the
consonant.
"""

import unicodedata

STRESS = {"ˈ": 1, "ˌ": 2}
# What espeak-ng leaves of its own signs, where it has no IPA for a phoneme. Length is left out.
OTHER_SIGNS = {"s.": "ʂ", "r.": "ɽ", "n^": "ɲ", "i.": "ɨ", "?": "ʔ", "Φ": "ɸ", "ε": "ɛ", "A": "ɑ"}
OTHER_SIGNS |= {"N": "ŋ", "S": "ʃ", "X": "χ", "Z": "ʒ"}
LEFT_OUT = str.maketrans("", "", 'ˈˌːˑ:`#[^.-" 0123456789')
STOPS = tuple("pbtdʈɖcɟkɡgqɢʔɓɗʄɠʛʘǀǃǂǁ")
CLOSURE_S = 0.08  # of a stop after a pause; between sounds it lasts as long as the silence
JOINED_S = 0.06  # a silence between two phonemes that is part of the second
HEARD_S = 0.01  # shorter silences are part of the sound
# Languages that write without spaces: what espeak-ng takes for a word is one.
NO_SPACES = ("cmn", "hak", "ja", "my", "shn", "th", "yue")


def _quiet_from(sound, start, end):
    """Where the zeros at the end of sound[start:end] begin."""
    while end > start and sound[end - 1] == 0:
        end -= 1
    return end


def ipa(name):
    """espeak-ng's name of a phoneme without stress, length and tone. Empty for what is no phoneme:
    a pause, a tone, or "(en)", which reports another language."""
    if name.startswith("("):
        return ""
    for sign, other in OTHER_SIGNS.items():
        name = name.replace(sign, other)
    return name.translate(LEFT_OUT)


def _is_modifier(letters):
    """Such as ʲ, which belongs to the phoneme before."""
    return all(unicodedata.category(sign) in ("Lm", "Mn") for sign in letters)


def phonemes(sound, rate_hz, events):
    """[{"ph", "start", "end", "stress"?, "word"}], in order, without overlap, in seconds. `sound`
    is a sequence of samples. `word` is the index of the word event that it belongs to, or None."""
    named = []  # (sample, name, word)
    word, words = None, 0
    for sample, kind, *rest in events:
        if kind == "word":
            word, words = words, words + 1
        elif kind == "phoneme":
            named.append((min(max(sample, 0), len(sound)), rest[0], word))
    out = []
    heard_until = 0
    for number, (start, name, word) in enumerate(named):
        end = named[number + 1][0] if number + 1 < len(named) else len(sound)
        quiet = _quiet_from(sound, start, end)
        letters = ipa(name)
        if _is_modifier(letters):
            # Sound here is the end of the phoneme before.
            if quiet > start and out and start - out[-1]["end"] < JOINED_S * rate_hz:
                out[-1]["end"] = heard_until = quiet
                out[-1]["ph"] += letters
            continue
        silence = start - heard_until
        if letters.startswith(STOPS):
            start -= min(silence, round(CLOSURE_S * rate_hz))
        elif silence < JOINED_S * rate_hz:
            start = heard_until
        if end - quiet < HEARD_S * rate_hz:
            quiet = end
        heard_until = max(heard_until, quiet)
        stress = max((STRESS.get(sign, 0) for sign in name), default=0)
        if heard_until <= start:
            continue
        mark = {"ph": letters, "start": start, "end": heard_until, "word": word}
        if stress:
            mark["stress"] = stress
        out.append(mark)
    for mark in out:
        mark["start"] /= rate_hz
        mark["end"] /= rate_hz
    return out


def _in_word(sign):
    return unicodedata.category(sign)[0] in "LMN"


def _tokens(text):
    """(first character, after the last, text) of what spaces part, without punctuation around."""
    out, at = [], 0
    for token in text.split():
        at = text.index(token, at)
        first, last = 0, len(token)
        while first < last and not _in_word(token[first]):
            first += 1
        while last > first and not _in_word(token[last - 1]):
            last -= 1
        out.append((at, at + len(token), token[first:last] or token))
        at += len(token)
    return out


def words(text, language, events, marks):
    """[{"text", "start", "end"}] as written: "25" is one word, though several are spoken. `marks`
    are those of phonemes(). A word that is not spoken has no entry."""
    places = [(rest[0], rest[1]) for _, kind, *rest in events if kind == "word"]
    spaced = language.split("-")[0] not in NO_SPACES
    tokens = _tokens(text) if spaced else []
    out, last = [], None
    for mark in marks:
        if mark["word"] is None:
            continue
        at, length = places[mark["word"]]
        if spaced:
            found = next((token for token in tokens if at < token[1]), None)
        else:
            end = at + length
            while end < len(text) and unicodedata.category(text[end])[0] == "M":
                end += 1
            found = (at, end, text[at:end])
        if found is None or not found[2].strip():
            continue
        if found[:2] == last:
            out[-1]["end"] = mark["end"]
        else:
            out.append({"text": found[2], "start": mark["start"], "end": mark["end"]})
        last = found[:2]
    return out


def sendable(marks):
    """The phonemes without what only words() needs."""
    return [{key: value for key, value in mark.items() if key != "word"} for mark in marks]
