"""Finds what others made of a build: the components that sbom.py lists and notices.py quotes.

They are found in what was built, in four places ("where"):
- program: compiled-in code, which is the headers that each object has read (ninja's own record) and
  the static archives that were linked;
- library: shared libraries that the programs load, by `ldd`, and the other files of an image (--root);
- page, people: what these steps of the build have bundled and written to their components.json.

dpkg names the Debian package of each file. A file of no package and a component without a licence text
are errors.
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOC = pathlib.Path("/usr/share/doc")


@dataclasses.dataclass
class Component:
    name: str
    version: str
    url: str  # a package URL: pkg:deb/debian/...
    where: str  # program, library, page or people
    text: str  # its licence, with the copyright notices
    licence: str = "NOASSERTION"  # SPDX
    comment: str = ""


def fail(text):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {text}")


def output(*args, check=True):
    done = subprocess.run(args, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if check and done.returncode != 0:
        fail(f"{' '.join(args[:4])}... failed: {done.stderr or done.stdout}")
    return done.stdout


def owners(paths):
    """Path -> Debian package, for the paths that belong to one."""
    # dpkg knows a file by its place before or after the merge of / and /usr.
    places = {place: path for path in paths for place in
              (os.path.realpath(path), os.path.realpath(path).removeprefix("/usr"), f"/usr{path}", path)}
    found = {}
    for line in output("dpkg", "-S", *places, check=False).splitlines() if places else ():
        package, _, place = line.rpartition(": ")
        if place in places and not line.startswith("diversion by"):
            found[places[place]] = package.split(":")[0].split(",")[0]
    return found


def owners_of_all(paths, what):
    found = owners(paths)
    if foreign := sorted(set(paths) - set(found)):
        fail(f"{what} {', '.join(foreign[:5])}: of no Debian package, so its licence is not known")
    return set(found.values())


class Build:
    """A folder where ninja has built. It is only read."""

    def __init__(self, folder, ninja):
        self._folder = os.path.realpath(folder)
        self._ninja = ninja

    def _tool(self, *args):
        # -n: without it, ninja may compact its log.
        return output(self._ninja, "-C", self._folder, "-n", "-t", *args)

    def _inputs(self, targets):
        """What the targets are made of, without order-only dependencies."""
        found = set()
        for line in self._tool("query", *targets).splitlines():
            if not line.startswith(" "):
                listed = False
            elif not line.startswith("    "):
                listed = line.startswith("  input:")
            elif listed and not line.startswith("    || "):
                found.add(line.strip().removeprefix("| "))
        return found

    def parts(self, programs):
        """The objects and precompiled headers that programs are made of, and archives from outside."""
        parts, archives = set(), set()
        new = {os.path.relpath(os.path.realpath(program), self._folder) for program in programs}
        while new:
            inputs = self._inputs(sorted(new))
            archives |= {name for name in inputs if name.endswith(".a") and os.path.isabs(name)}
            new = {name for name in inputs if name.endswith((".o", ".a", ".gch"))} - parts - archives
            parts |= new
        return {name for name in parts if not name.endswith(".a")}, archives

    def archives_by_flag(self, program):
        """The archives that were linked by -lNAME."""
        line = self._tool("commands", os.path.relpath(os.path.realpath(program), self._folder))
        link = line.splitlines()[-1].split()
        compiler = next(word for word in link if re.search(r"(\+\+|clang|gcc|cc)(-[\d.]+)?$", word))
        for name in {word[2:] for word in link if re.match(r"-l\w", word)}:
            places = (output(compiler, f"-print-file-name=lib{name}{end}").strip() for end in (".so", ".a"))
            place = next(filter(os.path.isabs, places), None)
            if place is None:
                fail(f"{program}: the linker's -l{name} is nowhere")
            if place.endswith(".a"):
                yield os.path.normpath(place)

    def headers(self, parts):
        """The files outside the tree and the build that the compiler read for `parts`."""
        found = set()
        for line in self._tool("deps", *sorted(parts)).splitlines():
            if line.startswith("    "):
                found.add(line.strip())
            elif line.endswith("deps not found"):
                fail(f"{line}: build with ninja first")
        ours = (f"{self._folder}/", f"{os.path.realpath(ROOT)}/")
        paths = {os.path.normpath(os.path.join(self._folder, name)) for name in found}
        return {path for path in paths if not os.path.realpath(path).startswith(ours)}


def libraries(programs, later):
    """What the programs load when they start, and the named libraries that they load later."""
    found = set()
    queue = list(programs)
    for name in later:
        match = re.search(rf"^\s*{re.escape(name)}\b.*=> (/\S+)$", output("/sbin/ldconfig", "-p"), re.M)
        if not match:
            fail(f"{name} is not installed")
        queue.append(match[1])
        found.add(match[1])
    for program in queue:
        found.update(re.findall(r"(/[^ ]+\.so[^ ]*)", output("ldd", program)))
    return found


def debian(names, where):
    form = "${Package}\t${Version}\t${Architecture}\t${source:Package}\n"
    for line in sorted(set(output("dpkg-query", "-W", "-f", form, *names).splitlines())):
        name, version, architecture, source = line.split("\t")
        text = DOC / name / "copyright"
        if not text.is_file():
            fail(f"{name} is part of this, and {text} is missing")
        yield Component(name, version, where=where, text=text.read_text(errors="replace").strip(),
                        url=f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe=':')}"
                            f"?arch={architecture}", comment=f"source package {source}")


def add_arguments(parser):
    parser.add_argument("--name", required=True, help="of the package or image")
    parser.add_argument("--version", required=True)
    parser.add_argument("--build", required=True, help="the folder where ninja built the programs")
    parser.add_argument("--ninja", default="ninja")
    parser.add_argument("--components", action="append", default=[], metavar="FILE",
                        help="components.json of another step; empty if that bundled nothing")
    parser.add_argument("--library", action="append", default=[], metavar="NAME.so",
                        help="a program loads it after it has started")
    parser.add_argument("--root", action="append", default=[], metavar="DIR", help="of an image")
    parser.add_argument("programs", nargs="+")


def find(options):
    build = Build(options.build, options.ninja)
    parts, archives = build.parts(options.programs)
    for program in options.programs:
        archives.update(build.archives_by_flag(program))
    compiled_in = owners_of_all(build.headers(parts) | archives, "compiled in is")
    loaded = owners_of_all(libraries(options.programs, options.library), "loaded is")
    if not compiled_in or not loaded:
        fail(f"nothing is compiled into {', '.join(options.programs)}, or loaded")
    for root in map(pathlib.Path, options.root):
        # Files of no package are ours: the programs, /etc/passwd.
        loaded |= set(owners([f"/{path.relative_to(root)}" for path in root.rglob("*")
                              if path.is_file()]).values())
    found = [*debian(compiled_in, "program"), *debian(loaded - compiled_in, "library")]
    for path in options.components:
        text = pathlib.Path(path).read_text()
        found += [Component(**fields) for fields in json.loads(text or "[]")]
    if bare := [one.name for one in found if not one.text]:
        fail(f"no licence text: {', '.join(bare)}")
    return found
