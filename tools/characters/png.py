"""Writes PNG pictures, eight bits a channel, with the filter that makes each row smallest."""
import struct
import zlib

import numpy as np


def encode(pixels):
    """(h, w, 3) or, of grays, (h, w, 1) uint8 as the bytes of a PNG file."""
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels).astype(np.int16)
    up = np.vstack([np.zeros((1, rows.shape[1]), np.int16), rows[:-1]])
    left = np.hstack([np.zeros((height, channels), np.int16), rows[:, :-channels]])
    corner = np.hstack([np.zeros((height, channels), np.int16), up[:, :-channels]])
    guess = left + up - corner
    a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
    paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
    ways = [rows, rows - left, rows - up, rows - (left + up) // 2, rows - paeth]
    ways = np.stack([w.astype(np.uint8) for w in ways])
    cost = np.abs(ways.astype(np.int8).astype(np.int32)).sum(2)
    best = cost.argmin(0)
    chosen = ways[best, np.arange(height)]
    raw = np.hstack([best[:, None].astype(np.uint8), chosen]).tobytes()

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw, 7)) + chunk(b"IEND", b""))
