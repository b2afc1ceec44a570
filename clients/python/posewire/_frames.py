"""Frames: the messages of a stream or clip as numpy arrays, and back."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from google.protobuf import message as protobuf
from google.protobuf import wrappers_pb2

from . import _wire
from ._errors import Error
from ._events import Samples, pcm

Floats = npt.NDArray[np.float32]
_log = logging.getLogger("posewire")
# Tracks of a SkelAnimation, and of how many numbers a value is.
_TRACKS = {"rotations": "real i j k", "translations": "x y z", "scales": "x y z"}
_QUANTISED = "posewire.pose"  # key of metadata
_NEUTRAL = {"weights": (0,), "translations": (0, 0, 0), "rotations": (1, 0, 0, 0), "scales": (1, 1, 1)}
_SUCCESS, _WARNING, _ERROR = 0, 2, 3


@dataclass
class Camera:
    """Keys of the camera in a frame; what is None has none there. `rotation` is w, x, y, z."""

    position: Floats | None = None
    rotation: Floats | None = None
    focal_length: float | None = None
    focus_distance: float | None = None


@dataclass
class Frame:
    """A moment of a stream: the keys at a time code, and the sound that came with them.

    `time_code_s` is in seconds from the stream's epoch, `epoch_s` that epoch as Unix time. Arrays follow
    the order of `joints` (J names) and `shapes` (S names): `rotations` (J, 4), unit quaternions as w,
    x, y, z; `translations` and `scales` (J, 3), in metres; `weights` (S,), mostly 0 to 1. All are
    local to the parent, with the rest pose in them, and None where there is no key at this time.
    `audio` is mono int16 at `audio_rate` Hz, and begins at `audio_time_code_s` (None: at `time_code_s`).
    """

    time_code_s: float
    joints: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    rotations: Floats | None = None
    translations: Floats | None = None
    scales: Floats | None = None
    weights: Floats | None = None
    audio: npt.NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))
    audio_rate: int = 0
    audio_time_code_s: float | None = None
    camera: Camera | None = None
    epoch_s: float = 0.0


class Decoder:
    """Makes frames of the messages of one stream, in their order."""

    def __init__(self) -> None:
        self._header: Any = None
        self._rest = b""  # half a sample
        # "1" or "quantised": frames hold only what changed, in this form, and are completed here.
        self.sparse = ""
        self._held: dict[str, Floats] = {}  # the newest value of each track
        self.failed = ""  # the last status, when that is ERROR

    def frames(self, message: Any) -> Iterator[Frame]:
        kind = message.WhichOneof("stream_part")
        if kind == "animation_data_stream_header":
            self._header = message.animation_data_stream_header
            names = self._header.skel_animation_header
            self._joints, self._shapes = tuple(names.joints), tuple(names.blend_shapes)
        elif kind == "status":
            status = message.status
            self.failed = status.message or "no reason given" if status.code == _ERROR else ""
            _log.log(logging.WARNING if status.code == _WARNING else logging.DEBUG, status.message)
        elif kind == "animation_data":
            if self._header is None:
                raise Error("FAILED_PRECONDITION", "the stream has data before its header")
            yield from self._decode(message.animation_data)

    def _decode(self, data: Any) -> Iterator[Frame]:
        frames: dict[float, Frame] = {}

        def at(time_code_s: float) -> Frame:
            if time_code_s not in frames:
                epoch_s = self._header.start_time_code_since_epoch
                rate = self._header.audio_header.samples_per_second
                frames[time_code_s] = Frame(
                    time_code_s, self._joints, self._shapes, audio_rate=rate, epoch_s=epoch_s
                )
            return frames[time_code_s]

        skeleton = data.skel_animation
        for key in skeleton.blend_shape_weights:
            at(key.time_code).weights = np.array(key.values, np.float32)
        for name in _TRACKS:
            for key in getattr(skeleton, name):
                setattr(at(key.time_code), name, _array(key.values, name))
        for name in ("position", "rotation", "focal_length", "focus_distance"):
            for key in getattr(data.camera, name):
                frame = at(key.time_code)
                frame.camera = frame.camera or Camera()
                value = key.value
                if name in ("position", "rotation"):
                    value = _array([value], "rotations" if name == "rotation" else "scales")[0]
                setattr(frame.camera, name, value)
        if self.sparse == "quantised" and _QUANTISED in data.metadata:
            self._unpack(data.metadata[_QUANTISED].value, at)
        if data.HasField("audio"):
            frame = at(data.audio.time_code) if not frames else frames[min(frames)]
            samples = self._rest + data.audio.audio_buffer
            self._rest = samples[len(samples) // 2 * 2 :]
            frame.audio = np.frombuffer(samples[: len(samples) // 2 * 2], "<i2").astype(np.int16)
            frame.audio_time_code_s = data.audio.time_code
        for time_code_s in sorted(frames):
            if self.sparse == "1":
                self._complete(frames[time_code_s])
            yield frames[time_code_s]

    def _unpack(self, value: bytes, at: Callable[[float], Frame]) -> None:
        """The values of a quantised pose, if it can be read and builds on one that is here."""
        try:
            with np.errstate(all="ignore"):
                time_code_s, self._held = self._quantised(value)
        except (KeyError, ValueError, struct.error, protobuf.DecodeError) as error:
            self._held = {}  # poses are left out up to the next complete one
            _log.debug("a quantised pose cannot be read: %r", error)
            return
        for name, held in self._held.items():
            setattr(at(time_code_s), name, held.copy())

    def _quantised(self, value: bytes) -> tuple[float, dict[str, Floats]]:
        """The time code and the whole pose; docs/protocol.md describes the bytes."""
        held = wrappers_pb2.BytesValue.FromString(value).value
        which, time_code_s = struct.unpack_from("<Bd", held)
        if which >= 32 or not 0 <= time_code_s <= 1e10:
            raise ValueError(f"it begins with {which} and {time_code_s} s")
        place = 9
        pose = {}
        for bit, (name, neutral) in enumerate(_NEUTRAL.items()):
            rows = len(self._shapes if name == "weights" else self._joints)
            if not rows:
                continue
            if which & 16:
                all_of = np.tile(np.array(neutral, np.float32), (rows, 1))
            else:
                all_of = self._held[name].reshape(rows, len(neutral)).copy()
            if which >> bit & 1:
                mask = np.frombuffer(held, np.uint8, (rows + 7) // 8, place)
                place += len(mask)
                sent = np.unpackbits(mask, bitorder="little")[:rows].astype(bool)
                kind = np.dtype("<i2" if name == "rotations" else "<f4")
                count = int(sent.sum()) * len(neutral)
                values = np.frombuffer(held, kind, count, place).astype(np.float32)
                place += count * kind.itemsize
                values = values.reshape(-1, len(neutral))
                if name == "rotations":
                    values /= np.linalg.norm(values, axis=1, keepdims=True)
                if not (np.abs(values) <= 1e9).all():
                    raise ValueError(f"{name} has a value that is not within 1e9 of zero")
                all_of[sent] = values
            pose[name] = all_of[:, 0] if name == "weights" else all_of
        if place != len(held):
            raise ValueError(f"{len(held)} bytes: must be {place}")
        return time_code_s, pose

    def _complete(self, frame: Frame) -> None:
        """Fills in what a sparse frame leaves out: tracks, and joints that read as neutral."""
        names = (*_TRACKS, "weights")
        if all(getattr(frame, name) is None for name in names):
            return  # the pose was dropped; the next one is complete
        for name in names:
            value, held = getattr(frame, name), self._held.get(name)
            if held is not None and value is None:
                value = held
            elif held is not None and name != "weights":
                left_out = (1, 0, 0, 0) if name == "rotations" else (0, 0, 0)
                value = np.where((value == left_out).all(axis=1, keepdims=True), held, value)
            if value is not None:
                self._held[name] = value
                setattr(frame, name, value.copy())


def _array(values: Any, track: str) -> Floats:
    if track == "rotations":
        array = np.array([(v.real, v.i, v.j, v.k) for v in values], np.float32).reshape(-1, 4)
        array[~array.any(axis=1), 0] = 1  # four zeros read as identity
        return array
    return np.array([(v.x, v.y, v.z) for v in values], np.float32).reshape(-1, 3)


def encode_header(
    joints: Sequence[str],
    shapes: Sequence[str],
    rate: int,
    ids: dict[str, str],
    source: str,
    epoch_s: float,
) -> Any:
    message = _wire.message(f"{_wire.ANIMATION}.AnimationDataStream")
    header = message.animation_data_stream_header
    for name, text in ids.items():
        setattr(header.animation_ids, name, text)
    header.source_service_id = source
    header.start_time_code_since_epoch = epoch_s
    if rate:
        audio = header.audio_header
        audio.channel_count, audio.samples_per_second, audio.bits_per_sample = 1, rate, 16
    if joints or shapes:
        header.skel_animation_header.joints.extend(joints)
        header.skel_animation_header.blend_shapes.extend(shapes)
    return message


def encode_status(text: str) -> Any:
    message = _wire.message(f"{_wire.ANIMATION}.AnimationDataStream")
    message.status.code, message.status.message = _SUCCESS, text
    return message


def encode(frame: Frame, joints: int, shapes: int, rate: int) -> Any:
    """The message of a frame. Raises ValueError when it is not of so many joints and shapes."""
    message = _wire.message(f"{_wire.ANIMATION}.AnimationDataStream")
    data = message.animation_data
    for name, fields in _TRACKS.items():
        values = getattr(frame, name)
        if values is not None:
            parts = fields.split()
            key = getattr(data.skel_animation, name).add(time_code=frame.time_code_s)
            for row in _checked(values, (joints, len(parts)), name).tolist():
                key.values.add(**dict(zip(parts, row)))
    if frame.weights is not None:
        key = data.skel_animation.blend_shape_weights.add(time_code=frame.time_code_s)
        key.values.extend(_checked(frame.weights, (shapes,), "weights").tolist())
    if len(frame.audio):
        if not rate:
            raise ValueError(f"the frame at {frame.time_code_s} s has audio: give rate, its samples a second")
        time_code_s = frame.time_code_s if frame.audio_time_code_s is None else frame.audio_time_code_s
        data.audio.time_code, data.audio.audio_buffer = time_code_s, pcm(_samples(frame.audio))
    if frame.camera is not None:
        _encode_camera(data.camera, frame.camera, frame.time_code_s)
    return message


def _samples(audio: Samples) -> Samples:
    return audio if isinstance(audio, np.ndarray) else np.frombuffer(audio, "<i2")


def _encode_camera(message: Any, camera: Camera, time_code_s: float) -> None:
    for name, fields in {"position": "x y z", "rotation": "real i j k"}.items():
        values = getattr(camera, name)
        if values is not None:
            parts = fields.split()
            key = getattr(message, name).add(time_code=time_code_s)
            row = _checked(values, (len(parts),), f"camera.{name}").tolist()
            for part, number in zip(parts, row):
                setattr(key.value, part, number)
    for name in ("focal_length", "focus_distance"):
        if getattr(camera, name) is not None:
            getattr(message, name).add(time_code=time_code_s, value=getattr(camera, name))


def _checked(values: Any, shape: tuple[int, ...], name: str) -> Floats:
    array = np.asarray(values, np.float32)
    if array.shape != shape:
        raise ValueError(f"frame.{name} has the shape {array.shape}: must be {shape}")
    return array
