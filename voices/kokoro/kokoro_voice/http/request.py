"""The body of POST /v1/audio/speech, checked."""

import json
import unicodedata
from dataclasses import dataclass

from ..voices import KOKORO, UnknownLanguage, UnknownVoice
from .errors import ApiError

MODELS = ("kokoro", "tts-1", "tts-1-hd", "gpt-4o-mini-tts")
FORMATS = ("wav", "pcm")
STREAMS = ("audio", "sse")
SLOWEST, FASTEST = 0.5, 2.0
# Scripts that a language reads beside Latin letters.
SCRIPTS = {"hi": ("DEVANAGARI",)}


@dataclass(frozen=True)
class SpeechRequest:
    """`voice` is the name of one of the `engine`'s voices. `text` has something to say and is not too long."""

    text: str
    voice: str
    language: str
    speed: float = 1.0
    response_format: str = "wav"
    sse: bool = False
    engine: str = KOKORO


def _readable(text, language):
    """The text without the letters of other scripts, which would be read as "Japanese letter"."""
    scripts = SCRIPTS.get(language, ()) + ("LATIN", "FULLWIDTH", "GREEK", "MODIFIER")

    def keep(character):
        return (
            not character.isalpha()
            or ord(character) < 0x250
            or unicodedata.name(character, "").startswith(scripts)
        )

    return "".join(character if keep(character) else " " for character in text)


def _choice(body, name, valid, otherwise):
    value = body.get(name, otherwise)
    if value is None:
        value = otherwise
    if value not in valid:
        raise ApiError(400, f"{name} is {json.dumps(value)[:80]}; valid: {', '.join(valid)}", name)
    return value


def _text(body, name, required=False):
    value = body.get(name)
    if isinstance(value, dict) and name == "voice":
        value = value.get("id")
    if value is None or value == "":
        if required:
            raise ApiError(400, f"{name} is missing; valid: a text", name)
        return None
    if not isinstance(value, str):
        raise ApiError(400, f"{name} is a {type(value).__name__}; valid: a text", name)
    return value


def _speed(body):
    value = body.get("speed")
    if value is None:
        return 1.0
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not SLOWEST <= value <= FASTEST
    ):
        raise ApiError(
            400,
            f"speed is {json.dumps(value)[:40]}; valid: a number from {SLOWEST} to {FASTEST}",
            "speed",
        )
    return float(value)


def parse(data, voices, most_characters):
    """A SpeechRequest of a body's bytes. Raises ApiError. Ignores fields that it does not know,
    such as OpenAI's `instructions`."""
    try:
        body = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ApiError(
            400, f"the body is not UTF-8 at byte {error.start}; valid: a JSON object in UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ApiError(
            400,
            f"the body is not JSON ({str(error)[:80]}); valid: a JSON object such as "
            '{"input": "Hello.", "voice": "af_heart"}',
        ) from error
    if not isinstance(body, dict):
        raise ApiError(400, f"the body is a JSON {type(body).__name__}; valid: an object")
    text = _text(body, "input", required=True)
    if len(text) > most_characters:
        raise ApiError(
            400,
            f"input has {len(text)} characters; valid: 1 to {most_characters}",
            "input",
            "string_above_max_length",
        )
    # Lone surrogates come out of JSON's \ud800.
    text = text.encode("utf-8", "ignore").decode("utf-8")
    if not any(character.isalnum() for character in text):
        raise ApiError(
            400, "input has nothing to say; valid: a text with letters or digits", "input"
        )
    model = _text(body, "model") or MODELS[0]
    if model not in MODELS:
        raise ApiError(
            404, f"no model '{model[:80]}'; valid: {', '.join(MODELS)}", "model", "model_not_found"
        )
    try:
        voice, language = voices.choose(_text(body, "voice"), _text(body, "language"))
    except UnknownVoice as error:
        raise ApiError(400, str(error)[:2000], "voice") from error
    except UnknownLanguage as error:
        raise ApiError(400, str(error)[:2000], "language") from error
    if voice.engine == KOKORO:
        text = _readable(text, language)
        if not any(character.isalnum() for character in text):
            raise ApiError(
                400,
                f"input has no letter that voice '{voice.name}' reads; valid: {language}, or a "
                "language of the text",
                "input",
            )
    return SpeechRequest(
        text,
        voice.name,
        language,
        _speed(body),
        _choice(body, "response_format", FORMATS, "wav"),
        _choice(body, "stream_format", STREAMS, "audio") == "sse",
        voice.engine,
    )
