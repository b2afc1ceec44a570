#!/usr/bin/env python3
"""Makes the example props, data/props/*.glb:

    tools/props/make.py data/props

They fit the built-in people: each is shaped around the standing body of hanim_loa3, in metres, and
its site (`head`, `back`) is where that body's site of the same name is.
"""
import math
import sys
from pathlib import Path

from glb import Mesh, ribbon, ring, rounded_box, smooth, unit, write_glb

STRAW, BAND = (0.72, 0.52, 0.25), (0.09, 0.06, 0.05)
CLOTH, STRAP, POCKET = (0.05, 0.22, 0.26), (0.03, 0.05, 0.06), (0.07, 0.28, 0.32)


def hat():
    """A straw hat. Its origin is the middle of its brim; the top of the head is 7 cm above that."""
    crown, band = Mesh("straw", STRAW, double_sided=True), Mesh("band", BAND, double_sided=True)
    # Radii to the side and to the front, height, and centre. A head is longer than it is wide, and
    # most of it is in front of the middle of the hat.
    middle = -0.008
    profile = [(0.175, 0.190, 0.010), (0.165, 0.180, 0.002), (0.145, 0.160, -0.002),
               (0.120, 0.136, 0.000), (0.110, 0.126, 0.004), (0.107, 0.123, 0.012),
               (0.106, 0.122, 0.040), (0.103, 0.119, 0.075), (0.098, 0.114, 0.100),
               (0.088, 0.104, 0.116), (0.070, 0.085, 0.122), (0.040, 0.050, 0.117),
               (0.0, 0.0, 0.115)]
    crown.grid([ring(x, z, y, middle) for x, z, y in profile])
    band.grid([ring(x + 0.0015, z + 0.0015, y, middle) for x, z, y in
               ((0.107, 0.123, 0.010), (0.1065, 0.1225, 0.022), (0.106, 0.122, 0.034),
                (0.1055, 0.1215, 0.044))])
    return write_glb([crown, band], [("head", (0, 0.070, 0.020)), ("grip", (0, 0.005, 0.175)),
                                     ("top", (0, 0.122, middle))])


def backpack():
    """A backpack. Its origin is the middle of its bottom, where it touches the back."""
    body, straps, pocket = Mesh("cloth", CLOTH), Mesh("strap", STRAP), Mesh("pocket", POCKET)
    rounded_box(body, (-0.145, 0, -0.150), (0.145, 0.420, 0.0))
    rounded_box(pocket, (-0.115, 0.025, -0.195), (0.115, 0.210, -0.135))
    # The site on the back, and where that is at rest: the straps follow a standing body.
    site = (0.0, 0.290, 0.0)
    back = (0.0, 1.308, -0.134)

    def outward(p):
        x, y, z = (p[a] - site[a] + back[a] for a in range(3))
        return unit([x - 0.55 * math.copysign(0.1, x), y - min(max(y, 1.1), 1.36), z + 0.03])

    for side in (1, -1):
        path = [(0.090, 1.400, -0.150), (0.094, 1.455, -0.122), (0.097, 1.492, -0.068),
                (0.099, 1.474, -0.020), (0.100, 1.440, 0.026), (0.101, 1.400, 0.056),
                (0.102, 1.360, 0.086), (0.103, 1.320, 0.116), (0.105, 1.280, 0.127),
                (0.110, 1.240, 0.121), (0.122, 1.200, 0.110), (0.140, 1.165, 0.080),
                (0.152, 1.140, 0.035), (0.152, 1.115, -0.020), (0.145, 1.095, -0.070),
                (0.120, 1.080, -0.120), (0.105, 1.075, -0.150)]
        moved = [[side * x, y + site[1] - back[1], z + site[2] - back[2]] for x, y, z in path]
        if side < 0:
            moved.reverse()
        ribbon(straps, smooth(moved), outward, 0.042, 0.007)
    handle = [(-0.035, 0.405, -0.03), (-0.032, 0.432, -0.03), (0, 0.442, -0.03),
              (0.032, 0.432, -0.03), (0.035, 0.405, -0.03)]
    ribbon(straps, smooth([list(p) for p in handle]), lambda p: unit([p[0], p[1] - 0.40, 0.001]), 0.02, 0.005)
    return write_glb([body, straps, pocket],
                     [("back", site), ("grip", (0, 0.435, -0.03)), ("top", (0, 0.42, -0.075))])


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in (("hat", hat), ("backpack", backpack)):
        (folder / f"{name}.glb").write_bytes(make())


if __name__ == "__main__":
    main()
