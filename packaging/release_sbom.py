#!/usr/bin/env python3
"""What a release offers for download and what it is made of, as SPDX 2.3 in JSON:

    release_sbom.py SBOM FILE... > sbom.spdx.json

SBOM is the Debian package's (sbom.py). This adds the files with their checksums, and what the Python
package requires, which pip installs next to it. The npm package requires nothing.
"""

import email
import hashlib
import json
import pathlib
import re
import sys
import zipfile

sys.dont_write_bytecode = True
import sbom  # noqa: E402


def requirements(wheel):
    """What pip installs with the wheel: SPDX packages, with ranges for versions."""
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(file.read(name)).get_all("Requires-Dist", [])
    for one in told:
        name, versions = re.match(r"([\w.-]+)(?:\[[^]]*\])? *([^;]*)", one).groups()
        yield sbom.package(name, versions, f"pkg:pypi/{name}", comment="required by a Python package")


def download(path, version):
    made = sbom.package(path.name, version, f"pkg:generic/{path.name}@{version}", "Apache-2.0")
    return {**made, "packageFileName": path.name, "checksums": [
        {"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}]}


def main():
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    own = document["packages"][0]

    def relate(one, kind, other):
        document["relationships"].append({"spdxElementId": one["SPDXID"], "relationshipType": kind,
                                          "relatedSpdxElement": other["SPDXID"]})

    for path in map(pathlib.Path, sys.argv[2:]):
        file = download(path, own["versionInfo"])
        document["packages"].append(file)
        relate({"SPDXID": "SPDXRef-DOCUMENT"}, "DESCRIBES", file)
        if path.suffix in (".deb", ".tar"):
            relate(file, "CONTAINS", own)
        elif path.suffix == ".whl":
            for one in requirements(path):
                document["packages"].append(one)
                relate(file, "DEPENDS_ON", one)
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["name"] = f"posewire-{own['versionInfo']}-release"
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/{document['name']}-{digest}"
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
