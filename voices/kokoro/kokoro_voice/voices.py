"""The voices: names, languages, sexes, and OpenAI's names as aliases."""

from dataclasses import dataclass

from .espeak.voices import EspeakVoices

KOKORO = "kokoro"
ESPEAK = "espeak-ng"
RATE_HZ = 24000
DEFAULT_VOICE = "af_heart"

# The first letter of a voice's name is its language, the second its sex.
LANGUAGES = {"a": "en-US", "b": "en-GB", "e": "es", "f": "fr", "h": "hi", "i": "it", "p": "pt-BR"}
# Styles exist, but no phonemes are made for them; see README.md.
UNSUPPORTED = {"j": "ja", "z": "zh"}
SEXES = {"f": "female", "m": "male"}
DEFAULTS = {
    "en-US": "af_heart",
    "en-GB": "bf_emma",
    "es": "ef_dora",
    "fr": "ff_siwis",
    "hi": "hf_alpha",
    "it": "if_sara",
    "pt-BR": "pf_dora",
}

# Clients such as pipecat accept OpenAI's 13 names only.
ALIASES = {
    "alloy": "af_alloy",
    "ash": "am_michael",
    "ballad": "am_fenrir",
    "cedar": "am_liam",
    "coral": "af_heart",
    "echo": "am_echo",
    "fable": "bm_fable",
    "marin": "af_aoede",
    "nova": "af_nova",
    "onyx": "am_onyx",
    "sage": "af_sarah",
    "shimmer": "af_bella",
    "verse": "am_puck",
}


class UnknownVoice(ValueError):
    """No voice has this name."""


class UnknownLanguage(ValueError):
    """No phonemes can be made for this language."""


@dataclass(frozen=True)
class Voice:
    """`name` is that of the style file, or "espeak-" and a language. `alias` is the name it was
    asked for by, if another."""

    name: str
    language: str
    sex: str
    alias: str = ""
    engine: str = KOKORO


class VoiceList:
    """Kokoro's voices that have a style and a language, and espeak-ng's. Immutable."""

    def __init__(self, style_names, espeak=EspeakVoices()):
        self._espeak = espeak
        self._voices = {
            name: Voice(name, LANGUAGES[name[0]], SEXES.get(name[1:2], "unknown"))
            for name in sorted(style_names)
            if name[:1] in LANGUAGES
        }
        self._unsupported = {name for name in style_names if name[:1] in UNSUPPORTED}

    def __len__(self):
        return len(self._voices) + len(self._espeak.all())

    def all(self):
        """Kokoro's voices, the aliases of those that are here, then espeak-ng's."""
        aliases = [
            Voice(
                self._voices[name].name, self._voices[name].language, self._voices[name].sex, alias
            )
            for alias, name in ALIASES.items()
            if name in self._voices
        ]
        others = [_of_espeak(voice) for voice in self._espeak.all()]
        return list(self._voices.values()) + aliases + others

    def choose(self, name, tag):
        """(voice, language) for a name and a language tag, each of which may be None. Raises
        UnknownVoice, UnknownLanguage."""
        if name and (named := self._espeak.named(name)):
            return self._check_language(named, tag)
        other = self._espeak.speaks(tag or "en-US")
        try:
            if not name and not self._voices:
                raise UnknownLanguage(f"no voice speaks '{tag}'")
            language = find_language(tag) if tag else None
            voice = self.find(name, language)
            return voice, find_language(tag, voice.language) if tag else voice.language
        except UnknownLanguage as error:
            if other is None:
                raise UnknownLanguage(f"{error}{self._others()}") from error
            if name:
                raise UnknownLanguage(
                    f"voice '{name}' does not speak '{tag}'; valid for it: '{other.name}', "
                    "or no voice"
                ) from error
            return _of_espeak(other), other.language

    def _check_language(self, named, tag):
        other = self._espeak.speaks(tag) if tag else named
        if other is None or _base(other.language) != _base(named.language):
            raise UnknownLanguage(
                f"voice '{named.name}' does not speak '{tag}'; valid: {named.language}"
            )
        return _of_espeak(named), named.language

    def _others(self):
        """How an error ends that lists what is valid."""
        languages = ", ".join(voice.language for voice in self._espeak.all())
        return f"; espeak-ng: {languages}" if languages else ""

    def find(self, name, language=None):
        """The voice for a name, an alias, or, without a name, a language."""
        if not name:
            name = DEFAULTS.get(language, DEFAULT_VOICE)
        name = ALIASES.get(name, name)
        if name in self._voices:
            return self._voices[name]
        if name in self._unsupported:
            raise UnknownVoice(
                f"voice '{name}' speaks {UNSUPPORTED[name[0]]}, which this server has "
                f"no phonemes for; languages: {', '.join(LANGUAGES.values())}"
            )
        valid = list(self._voices)
        if self._voices:
            valid.append(f"OpenAI's names ({', '.join(ALIASES)})")
        if self._espeak.all():
            valid.append("espeak- with a language, such as espeak-de")
        raise UnknownVoice(f"no voice '{name}'; valid: {', '.join(valid)}")


def _of_espeak(voice):
    return Voice(voice.name, voice.language, voice.sex, engine=ESPEAK)


def _base(language):
    return language.split("-")[0]


def find_language(tag, voice_language=None):
    """The language for a BCP 47 tag. `en`, `pt` take the voice's region; others ignore the
    region."""
    wanted = tag.replace("_", "-").lower()
    known = list(LANGUAGES.values())
    for language in known:
        if wanted == language.lower():
            return language
    base = wanted.split("-")[0]
    matches = [language for language in known if language.lower().split("-")[0] == base]
    if not matches:
        raise UnknownLanguage(f"language '{tag}' has no phonemes here; valid: {', '.join(known)}")
    return voice_language if voice_language in matches else matches[0]
