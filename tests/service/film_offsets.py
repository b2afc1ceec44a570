"""Takes and offsets for tests that draw film's characters live."""

import array
import struct
import subprocess
import zlib
from pathlib import Path

from posewire_test import BIN, Client, Server

HEAD = "<8s9I3Q"
PLACE = "<Q3I"


def run(*args):
    done = subprocess.run([str(Path(BIN) / args[0]), *map(str, args[1:])], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def exaggerate(clip, out, times):
    """The offsets of a clip as floats, all of them so many times as large."""
    run("animclip", "bake", clip, out, "--method", "float")
    data = Path(out).read_bytes()
    head = struct.unpack_from(HEAD, data)
    count, at = head[8], struct.calcsize(HEAD)
    chunks = []
    for k in range(count):
        offset, stored, raw, _ = struct.unpack_from(PLACE, data, at + k * struct.calcsize(PLACE))
        body = data[offset:offset + stored]
        if stored != raw:
            body = zlib.decompress(body)
        chunks.append(array.array("f", (times * f for f in array.array("f", body))).tobytes())
    packed = [zlib.compress(chunk, 1) for chunk in chunks]
    index = bytearray(data[:at])
    place = at + count * struct.calcsize(PLACE) + 4
    for chunk, bytes_ in zip(chunks, packed):
        index += struct.pack(PLACE, place, len(bytes_), len(chunk), zlib.crc32(bytes_))
        place += len(bytes_)
    index += struct.pack("<I", zlib.crc32(index))
    Path(out).write_bytes(bytes(index) + b"".join(packed))


def record(path, seconds):
    """A take in which both arms go up, and which says what its frames are made of."""
    graph = Server("anim_graph")
    try:
        client = Client(graph.address)
        client.control("RegisterStream", stream_id="s")
        client.control("SetVariable", stream_id="s", name="gesture_state", value="raise_both_arms")
        run("renderer_sink", "record", "--from", graph.address, "--stream-id", "s", "--contributions",
            "--duration", seconds, path)
    finally:
        graph.stop()
