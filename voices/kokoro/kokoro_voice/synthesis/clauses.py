"""Cuts a text into clauses that are synthesised one after another, while the previous ones play.

The first is short, so that sound comes soon. Each further one is as long as it can be and still be
ready before the sound so far has been played, at PACE seconds of synthesis per second of speech.
"""

import re

PACE = 0.75  # 0.65 on a busy processor core, and some more for clauses that are spoken slowly
CHARACTERS_PER_S = 15.0
FIRST_CHARACTERS = 60  # longest first clause
MOST_CHARACTERS = 160
SENTENCE_CHARACTERS = 600  # longest clause of a voice that needs no time
SHORT = 12  # a first clause with less would be over before the next is ready
START_S = 0.15  # what a clause costs besides

SENTENCE_END = re.compile(r"[.!?…。！？।؟۔]+[\"'”’)\]]*(?=\s|$)|[。！？।]+")
PAUSE = re.compile(r"(?:[,;:،؛、，；：]|\s[-–]|[—–])[\"'”’)\]]*(?=\s|$)|—|[、，；：]")
# Words before which a phrase without punctuation may be cut.
JOINTS = re.compile(
    r"\s(?=(?:and|but|or|so|because|that|which|who|when|while|where|if|although|though"
    r"|than|as|to|with|from|into|through|for|on|in|at|by|of|y|o|pero|porque|que|cuando|con|para"
    r"|et|mais|ou|parce|qui|quand|avec|pour|e|ma|perché|che|quando|per|mas|porém|com|और|लेकिन|कि)"
    r"\s)",
    re.I,
)
# Words that no cut may follow.
CLINGS = re.compile(
    r"(?:^|\s)(?:the|an?|my|your|his|her|its|our|their|this|that|these|those|very|is|are|was|were"
    r"|el|la|los|las|una?|le|les|des?|du|il|lo|gli|i|o|a|os|as|um|uma|di|da|do)$",
    re.I,
)
ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|No|Nos|Inc|Ltd|Co|Corp|Gen|Lt|Col|"
    r"Sgt|Capt|Rev|Hon|Gov|Sen|Rep|Fig|Vol|Ave|Blvd|Rd|Mt|Ft|Jan|Feb|Mar|Apr|Jun|Jul|Aug"
    r"|Sept?|Oct|Nov|Dec|Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|approx|dept|est|e\.g|i\.e|a\.m"
    r"|p\.m|Sra?|Srta|Dra|Ud|Uds|M|Mme|Mlle|Sig|Dott|[A-Z]|(?:[A-Z]\.)+[A-Z])\.$"
)


def sentences(text):
    """Non-empty sentences. A period after an abbreviation, or before a lower-case letter, ends
    none."""
    start = 0
    for match in SENTENCE_END.finditer(text):
        after = text[match.end() :].lstrip()
        if match.group().startswith(".") and match.group().strip("\"'”’)]") == "." and after:
            if after[0].islower() or ABBREVIATION.search(text[start : match.start() + 1]):
                continue
        if text[start : match.end()].strip():
            yield text[start : match.end()].strip()
        start = match.end()
    if text[start:].strip():
        yield text[start:].strip()


def _phrases(sentence):
    """The sentence cut after each of its pauses."""
    start = 0
    for match in PAUSE.finditer(sentence):
        if sentence[start : match.end()].strip():
            yield sentence[start : match.end()].strip()
            start = match.end()
    if sentence[start:].strip():
        yield sentence[start:].strip()


def _cut(phrase, most):
    """A head of at most `most` characters, at a joint, else at a space, else anywhere; and the
    rest."""
    if len(phrase) <= most:
        return phrase, ""
    joints = [m.start() for m in JOINTS.finditer(phrase) if most / 3 <= m.start() <= most]
    at = joints[-1] if joints else phrase.rfind(" ", 0, most + 1)
    while at > most / 3 and CLINGS.search(phrase[:at]):
        at = phrase.rfind(" ", 0, at)
    if at <= 0:
        at = most
    head, rest = phrase[:at].strip(), phrase[at:].strip()
    # One last word would be left, alone.
    if len(rest) < 12 and len(phrase) <= most * 1.25:
        return phrase, ""
    return head, rest


class _Pace:
    """How many characters the next clause may have."""

    def __init__(self):
        self.played_ahead_s = None

    def most(self):
        if self.played_ahead_s is None:
            return FIRST_CHARACTERS
        seconds = (self.played_ahead_s - START_S) / PACE
        return int(min(max(seconds * CHARACTERS_PER_S, FIRST_CHARACTERS / 2), MOST_CHARACTERS))

    def add(self, characters):
        seconds = characters / CHARACTERS_PER_S
        if self.played_ahead_s is None:
            self.played_ahead_s = seconds
        else:
            self.played_ahead_s += seconds - min(START_S + PACE * seconds, self.played_ahead_s)


def whole_sentences(text):
    """The clauses for a voice that needs no time: sentences, of which only very long ones are
    cut."""
    for sentence in sentences(" ".join(text.split())):
        while sentence:
            pauses = [m.end() for m in PAUSE.finditer(sentence, 0, SENTENCE_CHARACTERS)]
            if len(sentence) <= SENTENCE_CHARACTERS or not pauses:
                clause, sentence = _cut(sentence, SENTENCE_CHARACTERS)
            else:
                clause, sentence = sentence[: pauses[-1]], sentence[pauses[-1] :].strip()
            yield clause


def split(text):
    """The clauses, in order. Together they have all words of the text; none has over 1.25 times
    MOST_CHARACTERS."""
    out = []
    pace = _Pace()
    short = ""  # a first sentence such as "Sure!", which is spoken with what follows
    for sentence in sentences(" ".join(text.split())):
        clause, short = short, ""
        waiting = list(_phrases(sentence))
        while waiting or clause:
            phrase = waiting.pop(0) if waiting else ""
            # The first clause ends at the first pause.
            fits = len(clause) + 1 + len(phrase) <= pace.most() and (out or len(clause) < SHORT)
            if phrase and (not clause or fits):
                clause = f"{clause} {phrase}".strip()
                if len(clause) <= pace.most():
                    continue
                clause, rest = _cut(clause, pace.most())
                if rest:
                    waiting.insert(0, rest)
            elif phrase:
                waiting.insert(0, phrase)
            elif not out and len(clause) < SHORT:
                short = clause
                break
            out.append(clause)
            pace.add(len(clause))
            clause = ""
    return out + [short] if short else out
