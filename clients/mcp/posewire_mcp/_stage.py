"""The servers that the tools call, and the avatar that they mean when a call names none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import posewire

from ._events import EventLogs


@dataclass
class Stage:
    control: posewire.Calls
    source: posewire.Calls
    stream: str
    target: str
    events: EventLogs = field(init=False)

    def __post_init__(self) -> None:
        self.events = EventLogs(self.control)

    def ids(self, stream: str, target: str) -> dict[str, Any]:
        """The two fields that name an avatar. Another stream has other avatars, so the default target
        belongs to the default stream alone."""
        if stream and stream != self.stream:
            return dict(stream_id=stream, target_object_id=target)
        return dict(stream_id=self.stream, target_object_id=target or self.target)

    async def clips(self) -> list[dict[str, Any]]:
        """ClipInfo of every clip, by name."""
        clips = (await self.control.ask("ListClips")).get("clips", [])
        return sorted(clips, key=lambda clip: str(clip["name"]))

    async def arrangements(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.control.ask("ListArrangements")).get(
            "arrangements", []
        )
        return found

    async def avatars(self, stream_id: str, target_object_id: str) -> int:
        """How many avatars of a stream a call with these ids means."""
        for stream in (await self.control.ask("ListStreams")).get("streams", []):
            if stream["stream_id"] == stream_id:
                targets = [avatar.get("target_object_id", "") for avatar in stream.get("avatars", [])]
                return sum(target_object_id in ("", target) for target in targets)
        return 0

    async def close(self) -> None:
        self.events.close()
        await self.control.close()
        await self.source.close()
