"""Senses of words that need more than noun or verb. Each function gets a senses.Place and returns a
sense, or None if the general rules shall decide."""

import json
from pathlib import Path

from . import senses
from .senses import BE, DETERMINERS, HAVE, LINKING, MODALS, NUMBERS, OBJECTS, PAST, SUBJECTS

_DATA = json.loads((Path(__file__).parent / "special.json").read_text(encoding="utf-8"))
# Senses that misaki's dictionaries lack or spread over other tags.
EXTRA = {"en-US": _DATA["us"], "en-GB": _DATA["gb"]}
METAL_AFTER, METAL_NEAR, RIP_AFTER, RIPPED, SMALL, BROADCAST, HOMES = (
    frozenset(words.split()) for words in _DATA["lists"].values()
)


def read(place):
    before, after = place.before, place.after
    if before == "to" or before in MODALS:
        return "DEFAULT"
    if before in HAVE or before in BE or place.word(-2) in HAVE:
        return "VBD"
    if before in ("he", "she", "it") and place.word(-2) not in ("did", "does", "will"):
        return "VBD"
    if before in ("well", "widely") and (place.word(-2) in BE or not after):
        return "VBD"
    if place.any(PAST) or (
        before not in SUBJECTS
        and before
        and before not in DETERMINERS
        and not before.endswith("s")
        and after in OBJECTS
    ):
        return "VBD"
    return "DEFAULT"


def lead(place):
    if place.after in METAL_AFTER:
        return "METAL"
    if place.before in (
        "of",
        "like",
        "contain",
        "contains",
        "contained",
        "containing",
        "molten",
        "from",
    ) and (not place.content_follows()):
        return "METAL"
    near = {place.word(offset) for offset in (-3, -2, -1, 1, 2, 3)}
    return "METAL" if near & METAL_NEAR and not senses.is_verb_context(place) else "DEFAULT"


def live(place):
    before, after = place.before, place.after
    if before.endswith("s") and before not in BE and before not in DETERMINERS and after in HOMES:
        return "VERB"
    if before in BE or before in BROADCAST or before in DETERMINERS and place.content_follows():
        return "DEFAULT"
    if senses.is_verb_context(place) or before in ("to", "who", "that", "where", "and"):
        return "VERB"
    if before and after in HOMES - {"on"}:
        return "VERB"
    return "DEFAULT"
    if senses.is_verb_context(place) or before in ("to", "who", "that", "where", "and"):
        return "VERB"
    if (
        after
        in (
            "in",
            "at",
            "with",
            "near",
            "here",
            "there",
            "for",
            "by",
            "together",
            "alone",
            "long",
            "without",
            "forever",
            "under",
            "like",
        )
        and before
    ):
        return "VERB"
    return "DEFAULT"


def lives(place):
    before, after = place.before, place.after
    if before in ("he", "she", "it", "who", "that", "which", "and") or (
        after in HOMES and before not in DETERMINERS and before not in NUMBERS and before != "of"
    ):
        return "VERB"
    return "DEFAULT"


def close(place):
    before, after = place.before, place.after
    if before in DETERMINERS and after in ("of", ""):
        return "NOUN"
    if (
        after == "to"
        or before in BE
        or before in LINKING
        or before in ("get", "got", "come", "came", "stand", "stay", "stood", "keep")
    ):
        return "DEFAULT"
    return "VERB" if senses.is_verb_context(place) or after in ("down", "up") else "DEFAULT"


def wind(place):
    if place.after in ("up", "down", "back") and place.before not in DETERMINERS:
        return "VERB"
    return None


def tear(place):
    if place.after in RIP_AFTER or place.word(-2) == "wear" or place.before in RIPPED:
        return "RIP"
    if (
        place.after == "in"
        and (place.word(2) in DETERMINERS)
        and place.word(3) not in ("eye", "eyes")
    ):
        return "RIP"
    return None


def bow(place):
    before, after = place.before, place.after
    if (
        place.word(-2) in ("take", "took", "takes", "taking", "make", "made", "final")
        or after in ("down", "before", "out")
        or (after == "to" and before not in DETERMINERS)
    ):
        return "BEND"
    if after == "of" and place.any(("ship", "boat", "vessel", "canoe")) or place.any(("stern",)):
        return "BEND"
    return None


def used(place):
    if place.after != "to":
        return "DEFAULT"
    if place.before in BE or place.before in HAVE:
        following = place.word(2)
        gradual = (
            following.endswith("ing")
            or following in OBJECTS
            or following in ("such", "being", "working")
        )
        return "VBD" if gradual else "DEFAULT"
    return "VBD"


def use(place):
    if place.before in ("of", "no", "in", "for", "good", "daily", "everyday", "personal") or (
        place.before in DETERMINERS
        and place.before not in ("all", "both", "many", "most", "what", "which")
    ):
        return "NOUN"
    return None


def minute(place):
    if place.after in SMALL or place.before in ("very", "extremely"):
        return "ADJ"
    return "DEFAULT"


def refuse(place):
    if place.before in DETERMINERS and place.before not in (
        "that",
        "which",
        "all",
        "both",
        "many",
        "some",
    ):
        return "NOUN"
    if place.after in ("collection", "bin", "bins", "dump", "disposal", "collector", "collectors"):
        return "NOUN"
    return "DEFAULT"


def produce(place):
    if place.before in (
        "fresh",
        "local",
        "organic",
        "farm",
        "seasonal",
        "frozen",
    ) or place.after in ("aisle", "section", "stand", "department", "market"):
        return "NOUN"
    return None


def content(place):
    before, after = place.before, place.after
    if before in BE or before in LINKING or after in ("with", "to"):
        return "DEFAULT"
    if before in SUBJECTS or before == "to" or before in MODALS:
        return "DEFAULT"
    return "NOUN"


def excuse(place):
    if place.after in (
        "me",
        "us",
        "him",
        "her",
        "them",
        "my",
        "the",
        "yourself",
    ) and place.before not in ("no", "an"):
        return "DEFAULT"
    if place.before in DETERMINERS or place.after in ("for", "to") and place.before not in MODALS:
        return "NOUN"
    return None


def desert(place):
    if (
        place.word(-2) in ("", "and")
        and place.before in SUBJECTS
        or place.before in ("to", "will", "would", "not")
    ):
        return "VERB"
    return None


def object_(place):
    if place.after in ("to", "strongly") and place.before not in DETERMINERS:
        return "VERB"
    return None


def present(place):
    if place.before == "to" and place.after in ("day", ""):
        return "DEFAULT"
    return None


def separate(place):
    if place.before in ("go", "went", "keep", "kept", "two") and place.after not in OBJECTS:
        return "DEFAULT"
    return None


def resume(place):
    if place.before in DETERMINERS or place.before in ("of", "on", "in"):
        return "NOUN"
    return "DEFAULT"


def that(place):
    """The pronoun is stressed, the conjunction is not."""
    return "DT" if not place.after or place.before == "" and place.after in BE else "DEFAULT"


RULES = {
    "read": read,
    "lead": lead,
    "live": live,
    "lives": lives,
    "close": close,
    "wind": wind,
    "tear": tear,
    "tears": tear,
    "bow": bow,
    "used": used,
    "use": use,
    "uses": use,
    "minute": minute,
    "refuse": refuse,
    "produce": produce,
    "content": content,
    "excuse": excuse,
    "desert": desert,
    "object": object_,
    "objects": object_,
    "present": present,
    "separate": separate,
    "resume": resume,
    "that": that,
}
