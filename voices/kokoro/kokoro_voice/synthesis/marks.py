"""When each phoneme and word sounds, from the durations of the model's symbols.

Symbols are Kokoro's: IPA with capitals for diphthongs, stress before the vowel, spaces and
punctuation. Times are seconds from the start of the clause's sound.
"""

STEP_S = 0.025  # one unit of the durations
# What the durations say lies this much after the sound (measured; docs/voices.md).
LATE_S = 0.060
# The model gives most spaces a step or two without a pause. From here on a space is silence.
PAUSE_S = 0.1

IPA = {
    "A": "eɪ",
    "I": "aɪ",
    "O": "oʊ",
    "Q": "əʊ",
    "W": "aʊ",
    "Y": "ɔɪ",
    "S": "ss",
    "T": "ɾ",
    "ʤ": "dʒ",
    "ʧ": "tʃ",
    "ʦ": "ts",
    "ʣ": "dz",
    "ʥ": "dʑ",
    "ʨ": "tɕ",
    "ᵊ": "ə",
    "ᵻ": "ɪ",
}
STRESS = {"ˈ": 1, "ˌ": 2}
PARTS_OF_THE_LAST = "ːʰʲ̃ᵝ"
JOINED = ' "“”()'
PUNCTUATION = ";:,.!?—…"
SILENT = JOINED + PUNCTUATION + "→↗↘↓"


def _steps(symbols, durations):
    """(symbol, start, end) of each, corrected for the lag. Not clamped."""
    if len(durations) != len(symbols) + 2:
        raise ValueError(f"{len(durations)} durations for {len(symbols)} symbols and 2 pads")
    at = durations[0]
    out = []
    for symbol, units in zip(symbols, durations[1:-1]):
        out.append((symbol, at * STEP_S - LATE_S, (at + units) * STEP_S - LATE_S))
        at += units
    return out


def phonemes(symbols, durations):
    """[{"ph", "start", "end", "stress"?, "index"}], in order, without overlap. `index` is the
    symbol's. Stress belongs to the vowel that follows, length and nasality to the vowel before; a
    short space is split between its neighbours."""
    out = []
    start = stress = None
    space_from = None
    for index, (symbol, begin, end) in enumerate(_steps(symbols, durations)):
        if symbol in STRESS:
            start, stress = (begin if start is None else start), STRESS[symbol]
            continue
        if symbol in PARTS_OF_THE_LAST:
            if out and start is None and space_from is None:
                out[-1]["end"] = end
                if symbol == "̃":
                    out[-1]["ph"] += symbol
            continue
        if symbol in SILENT:
            if symbol in JOINED and space_from is None:
                space_from = begin
            elif symbol not in JOINED:
                space_from = float("-inf")
            start = stress = None
            continue
        start = begin if start is None else start
        if space_from is not None and out and start - space_from < PAUSE_S:
            start = out[-1]["end"] = (space_from + start) / 2
        out.append({"ph": IPA.get(symbol, symbol), "start": start, "end": end, "index": index})
        if stress:
            out[-1]["stress"] = stress
        start = stress = space_from = None
    return out


def clamp(marks, shift_s, length_s):
    """Moves phonemes by `shift_s` and into 0 to `length_s`; those that are left without time go."""
    out = []
    for mark in marks:
        start = min(max(mark["start"] + shift_s, 0.0), length_s)
        end = min(max(mark["end"] + shift_s, start), length_s)
        if end > start:
            out.append({**mark, "start": start, "end": end})
    return out


def end_with_sound(marks, symbols, quiet):
    """Ends phonemes before punctuation where their sound ends: the model gives the last phoneme
    before a pause much of the pause. `quiet` are silences, on the clock of `marks`."""
    out = []
    for mark in marks:
        after = symbols[mark["index"] + 1 :].lstrip(PARTS_OF_THE_LAST + JOINED)
        if not after or after[0] in SILENT:
            starts = [a for a, b in quiet if mark["start"] + STEP_S <= a < mark["end"] <= b + LATE_S]
            mark = {**mark, "end": min([mark["end"], *starts])}
        out.append(mark)
    return out


def words(parts, marks):
    """[{"text", "start", "end"}] from the phonemes of each part. `parts` are (symbols, text or
    None) that make up the clause; words without a phoneme have no time and are left out."""
    out = []
    at = 0
    for symbols, text in parts:
        inside = [mark for mark in marks if at <= mark["index"] < at + len(symbols)]
        at += len(symbols)
        if text and inside:
            out.append({"text": text, "start": inside[0]["start"], "end": inside[-1]["end"]})
    return out


def rounded(mark, offset_s):
    """As it is sent: times from the start of the response, without our index."""
    out = {key: value for key, value in mark.items() if key != "index"}
    out["start"] = round(mark["start"] + offset_s, 4)
    out["end"] = round(mark["end"] + offset_s, 4)
    return out
