"""Which sense of a word with several pronunciations is meant, from the words next to it.

The senses are those of misaki's dictionaries: NOUN, VERB, ADJ, VBD (past tense) or DEFAULT. Words
that a noun or a verb is not enough for are in special.py. Words come in lower case; a pause is "".
"""

import json
from pathlib import Path

_LISTS = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
(
    DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
    SUBJECTS,
    MODALS,
    BE,
    HAVE,
    LINKING,
    ADVERBS,
    OBJECTS,
    PAST,
    PHRASAL_TO,
) = (
    frozenset(_LISTS[name].split())
    for name in (
        "DETERMINERS",
        "POSSESSIVES",
        "PREPOSITIONS",
        "SUBJECTS",
        "MODALS",
        "BE",
        "HAVE",
        "LINKING",
        "ADVERBS",
        "OBJECTS",
        "PAST",
        "PHRASAL_TO",
    )
)
FUNCTION = (
    DETERMINERS
    | PREPOSITIONS
    | SUBJECTS
    | MODALS
    | BE
    | HAVE
    | ADVERBS
    | OBJECTS
    | frozenset(
        (
            "",
            "to",
            "and",
            "or",
            "but",
            "if",
            "because",
            "so",
            "as",
            "while",
            "until",
            "up",
            "down",
            "out",
            "there",
            "here",
        )
    )
)
STARTS = frozenset(("", "and", "or", "but", "that", "because", "if", "when"))
PLURAL_DETERMINERS = DETERMINERS - frozenset(
    ("a", "an", "this", "that", "each", "every", "another")
)
NUMBERS = frozenset(
    "one two three four five six seven eight nine ten twenty thirty forty fifty hundred "
    "thousand million first second third".split()
)


class Place:
    """A word of a clause and its neighbours."""

    def __init__(self, words, at):
        self.words = words
        self.at = at

    def word(self, offset):
        """The word so far away; "" past the clause or for a pause."""
        at = self.at + offset
        return self.words[at] if 0 <= at < len(self.words) else ""

    @property
    def before(self):
        """The word before, past adverbs."""
        offset = -1
        while self.word(offset) in ADVERBS:
            offset -= 1
        return self.word(offset)

    @property
    def after(self):
        return self.word(1)

    def content_follows(self):
        """Whether the next word is likely a noun or an adjective."""
        return self.after not in FUNCTION and not self.after.endswith("ly")

    def any(self, words):
        return any(word in words for word in self.words)


def is_verb_context(place):
    before, after = place.before, place.after
    if before == "to":
        return place.word(-2) not in PHRASAL_TO
    if before in MODALS or before in SUBJECTS:
        return True
    if before in DETERMINERS or before in PREPOSITIONS or before in BE or before in NUMBERS:
        return False
    if after in OBJECTS:
        # "Record the song", "farmers produce the milk"; but "the record the band made".
        return place.word(-2) not in DETERMINERS or before.endswith("s")
    # "Farmers produce milk", "these trees produce fruit"; but "the sports record".
    start = place.word(-2)
    return (
        before.endswith("s")
        and not before.endswith(("ss", "'s"))
        and before not in FUNCTION
        and (start in STARTS or (start in PLURAL_DETERMINERS and after != ""))
        and after not in BE
        and after not in MODALS
    )


def is_noun_context(place):
    before, after = place.before, place.after
    if before in DETERMINERS or before in NUMBERS or before.endswith("'s"):
        return True
    if before in PREPOSITIONS:
        return True
    # "a new record", "fresh produce is"
    if (
        before
        and before not in FUNCTION
        and (
            place.word(-2) in DETERMINERS
            or after in BE
            or after in MODALS
            or place.word(-2) in PREPOSITIONS
        )
    ):
        return True
    return after in BE or after in ("of",)


def sense(words, at, senses):
    """One of `senses`; DEFAULT if nothing speaks for another."""
    place = Place(words, at)
    if is_verb_context(place):
        found = "VERB"
    elif "ADJ" in senses and (
        place.before in BE
        or place.before in LINKING
        or (place.content_follows() and place.before in DETERMINERS)
    ):
        found = "ADJ"
    elif is_noun_context(place):
        found = "NOUN"
    else:
        return "DEFAULT"
    return found if found in senses else "DEFAULT"
