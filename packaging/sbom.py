#!/usr/bin/env python3
"""What a build is made of, as SPDX 2.3 in JSON: a software bill of materials.

    sbom.py --name NAME --version VERSION --build DIR [--components FILE]... [--root DIR]...
        [--library NAME.so]... PROGRAM... > sbom.spdx.json

components.py finds the components; notices.py quotes their licences. SOURCE_DATE_EPOCH, where it is
set, is the time of creation.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import sys
import time

sys.dont_write_bytecode = True
import components  # noqa: E402

WHERE = {"program": "compiled into the programs", "library": "loaded by the programs",
         "page": "in the page of renderer_sink view", "people": "in the built-in people"}


def package(name, version, url, license="NOASSERTION", comment=""):
    made = {"name": name, "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", url.split("pkg:")[1]),
            "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": license,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": url}]}
    if comment:
        made["comment"] = comment
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    components.add_arguments(parser)
    options = parser.parse_args()
    parts = [package(one.name, one.version, one.url, one.licence,
                     "; ".join(filter(None, [WHERE[one.where], one.comment])))
             for one in components.find(options)]
    own = package(options.name, options.version, f"pkg:generic/{options.name}@{options.version}",
                  "Apache-2.0")
    digest = hashlib.sha256(json.dumps([own, parts], sort_keys=True).encode()).hexdigest()
    created = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{options.name}-{options.version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{options.name}-{options.version}-{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(created, datetime.timezone.utc).strftime(
                "%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: posewire-sbom"]},
        "packages": [own, *parts],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": own["SPDXID"]},
            *({"spdxElementId": own["SPDXID"], "relationshipType": "DEPENDS_ON",
               "relatedSpdxElement": p["SPDXID"]} for p in parts)],
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
