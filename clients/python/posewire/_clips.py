"""Clips: .animdata files, as docs/formats.md describes them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from . import _wire
from ._errors import Error
from ._frames import Decoder, Frame, encode, encode_header, encode_status

_MOST_BYTES = 64 << 20  # of a message
_MESSAGE = f"{_wire.ANIMATION}.AnimationDataStream"


def read_clip(path: _wire.FilePath) -> Iterator[Frame]:
    """The frames of an .animdata file, one at a time.

    Raises Error (DATA_LOSS, with the byte) at the end of what can be read of a torn or damaged file.
    Checksums are not compared: `animclip validate` does that. Other formats: `animclip convert`.
    """
    decoder = Decoder()
    kind = _wire.message_class(_MESSAGE)
    with open(path, "rb") as file:
        for at, content in _messages(file, path):
            try:
                message = kind.FromString(content)
            except Exception as error:
                what = f"{path}: the message at byte {at} is not one of a clip: {error}"
                raise Error("DATA_LOSS", what) from None
            yield from decoder.frames(message)


def write_clip(
    path: _wire.FilePath,
    frames: Iterable[Frame],
    *,
    joints: Sequence[str] | None = None,
    shapes: Sequence[str] | None = None,
    rate: int | None = None,
    stream: str = "",
    request_id: str = "",
) -> int:
    """Writes an .animdata file, and returns the number of frames.

    Names, rate of the sound (Hz, 0 for none) and epoch are those of the first frame unless given. The
    file appears when it is whole; one that is there is replaced. Raises ValueError for a frame whose
    arrays do not fit the names.
    """
    iterator = iter(frames)
    first = next(iterator, None)
    like = first if first is not None else Frame(0)
    joints = like.joints if joints is None else joints
    shapes = like.shapes if shapes is None else shapes
    rate = like.audio_rate if rate is None else rate
    ids = dict(stream_id=stream, request_id=request_id)
    part, count = Path(f"{os.fspath(path)}.{os.getpid()}.part"), 0
    try:
        with open(part, "wb") as file:
            _write(file, encode_header(joints, shapes, rate, ids, "posewire-python", like.epoch_s))
            for frame in itertools.chain([] if first is None else [first], iterator):
                _write(file, encode(frame, len(joints), len(shapes), rate))
                count += 1
            _write(file, encode_status(""))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return count


def _write(file: IO[bytes], message: Any) -> None:
    content = message.SerializeToString()
    size, prefix = len(content), bytearray()
    while size > 0x7F:
        prefix.append(size & 0x7F | 0x80)
        size >>= 7
    prefix.append(size)
    file.write(bytes(prefix) + content)


def _messages(file: IO[bytes], path: _wire.FilePath) -> Iterator[tuple[int, bytes]]:
    """Each message with the byte at which it begins."""
    at = 0
    while True:
        size = taken = 0
        while True:
            byte = file.read(1)
            if not byte:
                if taken == 0:
                    return
                raise Error("DATA_LOSS", f"{path} is torn: it ends within the message at byte {at}")
            size |= (byte[0] & 0x7F) << (7 * taken)
            taken += 1
            if byte[0] < 0x80 or taken == 10:
                break
        if size > _MOST_BYTES:
            what = f"{path}: the message at byte {at} has {size} bytes; at most {_MOST_BYTES} are right"
            raise Error("DATA_LOSS", f"{what}. Is it an .animdata file?")
        content = file.read(size)
        if len(content) < size:
            raise Error("DATA_LOSS", f"{path} is torn: it ends within the message at byte {at}")
        yield at, content
        at += taken + size
