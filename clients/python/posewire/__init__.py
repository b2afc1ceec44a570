"""Avatars that speak what your agent writes.

    async with posewire.Avatar("127.0.0.1:51002", stream="demo") as avatar:
        said = await avatar.speak(llm_stream)

`Avatar` speaks, moves and tells what is heard; `say` is one sentence in a script. `pull`, `push`,
`read_clip` and `write_clip` have poses and sound as numpy arrays. `Calls` makes any other call.
"""

from __future__ import annotations

import asyncio
from typing import Any

from ._avatar import Avatar, Event, Text, Voice
from ._calls import Calls
from ._clips import read_clip, write_clip
from ._errors import (
    AlreadyExists,
    Error,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    SpeechEnded,
    Unavailable,
    Unimplemented,
)
from ._events import (
    Accepted,
    Clause,
    Ended,
    Note,
    Phoneme,
    Reason,
    Sound,
    SpeechEvent,
    Spoken,
    Started,
    Word,
)
from ._frames import Camera, Frame
from ._speech import Speech
from ._streams import Push, pull

push = Push

__version__ = "0.1.0"

__all__ = [
    "Accepted",
    "AlreadyExists",
    "Avatar",
    "Calls",
    "Camera",
    "Clause",
    "Ended",
    "Error",
    "Event",
    "Frame",
    "InvalidArgument",
    "NotFound",
    "Note",
    "PermissionDenied",
    "Phoneme",
    "Push",
    "Reason",
    "ResourceExhausted",
    "Sound",
    "Speech",
    "SpeechEnded",
    "SpeechEvent",
    "Spoken",
    "Started",
    "Unavailable",
    "Unimplemented",
    "Voice",
    "Word",
    "__version__",
    "pull",
    "push",
    "read_clip",
    "say",
    "write_clip",
]


def say(source: str, text: Text, **options: Any) -> Spoken:
    """Says a text, and waits to its end: for scripts without an event loop.

    `options` are those of Avatar.

        posewire.say("127.0.0.1:51002", "Hello.", stream="demo")
    """

    async def speak() -> Spoken:
        async with Avatar(source, **options) as avatar:
            return await avatar.speak(text)

    return asyncio.run(speak())
