"""The JSON schema of an arrangement, with the limits that hold here."""

from typing import Any

MOST_ITEMS = 200
LONGEST_NAME = 64
LONGEST_S = 600
NAME = r"^[A-Za-z0-9_ .-]+$"

_ITEM: dict[str, Any] = {
    "type": "object",
    "description": "Exactly one of clip, live and pause_s, and how it plays.",
    "additionalProperties": False,
    "properties": {
        "clip": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_NAME,
            "description": "Plays a clip once: a name from list_clips.",
        },
        "live": {
            "type": "object",
            "description": "Shows what live sources send, such as speech, until they fall silent.",
            "additionalProperties": False,
            "properties": {
                "source_service_id": {
                    "type": "string",
                    "maxLength": LONGEST_NAME,
                    "description": "Only this source. Default: any.",
                },
                "wait_s": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": LONGEST_S,
                    "description": "Goes on if no source has begun after so many seconds. "
                    "0: waits without limit.",
                },
            },
        },
        "pause_s": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": LONGEST_S,
            "description": "Shows the posture below for so many seconds.",
        },
        "times": {
            "type": "integer",
            "minimum": 1,
            "maximum": 100,
            "description": "Repeats the item. Default: 1.",
        },
        "speed": {
            "type": "number",
            "minimum": 0.1,
            "maximum": 4,
            "description": "Of a clip, relative to its own; 0.8 to 1.3 looks natural. Default: 1.",
        },
        "weight": {
            "type": "number",
            "minimum": 0.001,
            "maximum": 1000,
            "description": "With WEIGHTED_RANDOM, how often the item is drawn. Default: 1.",
        },
    },
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "A sequence of clips, live speech and pauses. Items follow one another and never "
    "overlap, so they have no times.",
    "additionalProperties": False,
    "required": ["name", "items"],
    "properties": {
        "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_NAME,
            "pattern": NAME,
            "description": "Letters, digits, underscores, hyphens, dots and blanks; not 'none'. One "
            "that exists is replaced.",
        },
        "items": {"type": "array", "minItems": 1, "maxItems": MOST_ITEMS, "items": _ITEM},
        "order": {
            "type": "string",
            "enum": ["ORDERED", "WEIGHTED_RANDOM"],
            "description": "WEIGHTED_RANDOM draws each next item by weight. Default: ORDERED.",
        },
        "count": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1000,
            "description": "Rounds of an ORDERED one (0: one), or items drawn of a WEIGHTED_RANDOM one "
            "(0: without end).",
        },
        "loop": {"type": "boolean", "description": "Plays until it is stopped. Default: false."},
    },
}
