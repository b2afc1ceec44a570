#!/usr/bin/env python3
"""The notices of all software and data of others in a package or image:

    notices.py --name NAME --version VERSION --build DIR [--components FILE]... [--root DIR]...
        [--library NAME.so]... PROGRAM... > THIRD-PARTY-NOTICES

components.py finds the components; sbom.py lists the same ones. The notices end with the licences that
Debian's texts only refer to (/usr/share/common-licenses).
"""

import argparse
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import components  # noqa: E402

COMMON = pathlib.Path("/usr/share/common-licenses")
RULE = "-" * 80
HEADS = {
    "program": "Compiled into the programs (headers that they include, static libraries):",
    "library": "Loaded by the programs (part of an image; the Debian package depends on them):",
    "page": "In the page of renderer_sink view:",
    "people": "In the built-in people:",
}


def block(head, text):
    return f"{RULE}\n{head}\n{RULE}\n\n{text}\n"


def common_licences(texts):
    """The texts that others refer to, in blocks."""
    names = {}
    for name in sorted({name for text in texts for name in re.findall(rf"{COMMON}/([\w.+-]+\w)", text)}):
        # Some write GPL-2.0 where Debian has GPL-2.
        for path in (COMMON / name, COMMON / name.removesuffix(".0")):
            if path.is_file():
                names.setdefault(path.read_text().strip("\n"), []).append(f"{COMMON}/{name}")
                break
    for text, listed in names.items():
        yield block("\n".join(listed), text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    components.add_arguments(parser)
    options = parser.parse_args()
    found = components.find(options)
    lines, texts = {}, {}
    for one in found:
        licence = "" if one.licence == "NOASSERTION" else f", {one.licence}"
        line = f"{one.name} {one.version}{licence}" + (f" ({one.comment})" if one.comment else "")
        lines.setdefault(one.where, []).append(line)
        texts.setdefault(one.text, []).append(line)
    print(f"{options.name} {options.version} is licensed under the Apache License 2.0. It contains or loads\n"
          "the following software and data of others. Each has its own licence, which is quoted below.\n")
    for where, head in HEADS.items():
        if where in lines:
            print(head, *(f"  {line}" for line in lines.pop(where)), "", sep="\n")
    for text, names in texts.items():
        print(block("\n".join(names), text))
    print(*common_licences(texts), sep="\n")


if __name__ == "__main__":
    main()
