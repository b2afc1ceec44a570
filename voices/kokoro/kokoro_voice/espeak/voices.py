"""The names and languages of espeak-ng's voices."""

import re
from dataclasses import dataclass

PREFIX = "espeak-"
# espeak-ng 1.52 lists these, but has no dictionary for them.
SILENT = ("fo", "kaa", "xex")
TAG = re.compile(r"[a-z0-9-]{2,35}")
# Tags that clients use and espeak-ng does not know.
OTHER_TAGS = {"zh": "cmn", "zh-hk": "yue", "zh-mo": "yue", "no": "nb", "nn": "nb", "iw": "he"}
OTHER_TAGS |= {"in": "id", "sh": "hr", "tl": "fil", "ckb": "ku", "mo": "ro"}


def canonical(tag):
    """BCP 47's way to write a tag: pt-BR, zh-Hant, en-GB-x-rp."""
    out = []
    for part in tag.replace("_", "-").split("-"):
        part = part.lower()
        if out and "x" not in out and len(part) == 4 and part.isalpha():
            part = part.title()
        elif out and "x" not in out and len(part) == 2:
            part = part.upper()
        out.append(part)
    return "-".join(out)


@dataclass(frozen=True)
class EspeakVoice:
    """`id` is espeak-ng's own name."""

    name: str
    language: str
    sex: str
    id: str


class EspeakVoices:
    """Immutable. `found` is what SpeechProcess.voices() returns."""

    def __init__(self, found=()):
        self._voices = {}
        by_tag = {}  # tag: (priority, number, language); the lowest is the tag's voice
        for number, item in enumerate(found):
            tags = [(tag.lower(), priority) for tag, priority in item["tags"]]
            if not tags or not all(TAG.fullmatch(tag) for tag, _ in tags):
                continue
            language = canonical(tags[0][0])
            if language in self._voices or language in SILENT:
                continue
            name = PREFIX + language
            self._voices[language] = EspeakVoice(name, language, item["sex"], item["id"])
            for tag, priority in tags:
                place = (priority, number, language)
                by_tag[tag] = min(by_tag.get(tag, place), place)
        self._by_tag = {tag: language for tag, (_, _, language) in by_tag.items()}

    def all(self):
        return [self._voices[language] for language in sorted(self._voices)]

    def ids(self):
        return {voice.name: voice.id for voice in self._voices.values()}

    def speaks(self, tag):
        """The voice for a language tag, the nearest if there is none for its region; or None."""
        parts = tag.replace("_", "-").lower().split("-")
        while parts:
            wanted = "-".join(parts)
            wanted = OTHER_TAGS.get(wanted, wanted)
            if wanted in self._by_tag:
                return self._voices[self._by_tag[wanted]]
            parts.pop()
        return None

    def named(self, name):
        """The voice of a name such as espeak-de; or None."""
        return self.speaks(name[len(PREFIX) :]) if name.startswith(PREFIX) else None
