"""Paints the hair's picture: strands side by side, with a soft band of light round the head."""
import numpy as np

BAND = 0.24              # where the band lies, as heights of the head go (locks.along_picture)


def noise(rng, size, cells):
    """Smooth noise of -1 to 1, periodic."""
    grid = rng.uniform(-1, 1, cells)
    return np.interp(np.arange(size) * cells / size, np.arange(cells + 1), np.append(grid, grid[0]))


def paint_strands(size=(256, 128)):
    """(height, width, 3) uint8: strands run downwards; lightest in the band, which is ragged as the
    strands are."""
    rng = np.random.default_rng(5)
    width, height = size
    strands = (0.45 * noise(rng, width, 20) + 0.35 * noise(rng, width, 52)
               + 0.20 * noise(rng, width, 128))
    v = (np.arange(height) + 0.5)[:, None] / height
    at = BAND + 0.030 * noise(rng, width, 24) + 0.014 * noise(rng, width, 90)
    wide = 0.060 * (1 + 0.35 * noise(rng, width, 32))
    band = np.exp(-((v - at) / wide) ** 2) * np.clip(0.75 + 0.6 * strands, 0.2, 1)
    low = np.exp(-((v - 0.66 - 0.04 * noise(rng, width, 24)) / 0.09) ** 2)
    tone = 0.56 + 0.085 * strands + 0.30 * band + 0.07 * low * (1 + strands)
    tone = tone - 0.06 * np.clip(v - 0.75, 0, 1) / 0.25
    warm = np.array([1.0, 0.985, 0.96])
    pixels = np.clip(tone, 0.2, 1)[..., None] * (warm + band[..., None] * 0.04 * (1 - warm))
    return np.round(np.clip(pixels, 0, 1) * 255).astype(np.uint8)
