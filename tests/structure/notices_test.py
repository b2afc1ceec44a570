"""The lists of what others made, from small builds: services/renderer_sink/view/page/notices.mjs with
packages made up here, and packaging/*.py with a program that ninja builds."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRACO = "node_modules/loader/libs/draco/decoder.js"
NINJA = """
rule cc
  command = c++ $flags -MD -MF $out.d -c $in -o $out
  deps = gcc
  depfile = $out.d
rule ar
  command = rm -f $out && ar qc $out $in
rule link
  command = : && c++ -o $out $in $libs && :
build zlib.o: cc zlib.cc
build common.h.gch: cc common.h
  flags = -x c++-header
build json.o: cc json.cc | common.h.gch
  flags = -include common.h $foreign
build generator.o: cc generator.cc
build libjson.a: ar json.o || generator.o
build hello: link zlib.o | libjson.a ARCHIVE
  libs = libjson.a ARCHIVE -lz
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(os.path.realpath(folder.name))

    def write(self, path, text):
        (self.dir / path).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / path).write_text(text)

    def run_in(self, *args):
        return subprocess.run([str(a) for a in args], cwd=self.dir, text=True, capture_output=True,
                              timeout=60)


@unittest.skipUnless(shutil.which("node"), "no node")
class PageTest(Folder):
    def setUp(self):
        super().setUp()
        self.inputs = {"src/main.js": {"bytesInOutput": 100}}
        self.package("loader", "function load() {}\n")
        self.write(DRACO, "")
        self.write("node_modules/loader/libs/draco/README.md",
                   "# Draco 3D\n\n## License\n\n[Apache License 2.0](http://apache.org)\n")

    def package(self, name, text, licence="MIT", size=100):
        self.write(f"node_modules/{name}/package.json",
                   json.dumps({"name": name, "version": "1.2.3", "license": "MIT"}))
        self.write(f"node_modules/{name}/index.js", text)
        if licence:
            self.write(f"node_modules/{name}/LICENSE", f"Terms of {name}: {licence}\n")
        self.inputs[f"node_modules/{name}/index.js"] = {"bytesInOutput": size}

    def notices(self, *copied):
        self.write("app.json", json.dumps({"outputs": {"app.js": {"inputs": self.inputs}}}))
        done = self.run_in("node", ROOT / "services/renderer_sink/view/page/notices.mjs", "app.json",
                           "--copied", *copied, "--apache", ROOT / "LICENSE")
        if done.returncode:
            return done.stderr
        listed = {one["name"]: one for one in json.loads((self.dir / "components.json").read_text())}
        text = (self.dir / "notices.txt").read_text()
        for name, one in listed.items():
            self.assertRegex(text, rf"(?m)^  {re.escape(name)} 1\.2\.3, {one['licence']}")
            self.assertIn(one["text"], text)
        return listed

    def test_what_is_bundled_is_listed_and_no_more(self):
        self.package("@some/viewer", "// not a notice\n")
        self.package("shaken-off", "", size=0)
        self.package("not-there", "")
        del self.inputs["node_modules/not-there/index.js"]
        listed = self.notices()
        self.assertEqual(set(listed), {"loader", "@some/viewer"})
        self.assertEqual(listed["@some/viewer"]["text"], "Terms of @some/viewer: MIT")
        self.assertEqual(listed["@some/viewer"]["url"], "pkg:npm/%40some/viewer@1.2.3")

    def test_packages_within_a_bundle_are_listed(self):
        self.package("@some/core", "")
        del self.inputs["node_modules/@some/core/index.js"]
        self.package("@some/all", "/*!\n * @some/core v1.2.3\n * Copyright (c) Some\n */\n")
        self.assertEqual(set(self.notices()), {"loader", "@some/all", "@some/core"})

    def test_notices_of_other_authors_in_a_package_are_kept(self):
        self.package("loader", "/** @license loader */\n\t// Part of unpacker, MIT License.\n"
                               "\t// Copyright (C) Somebody Else\nlet n; // licence\n")
        self.assertEqual(self.notices()["loader"]["text"],
                         "Terms of loader: MIT\n\nSome of its files say:\n\n"
                         "// Part of unpacker, MIT License.\n// Copyright (C) Somebody Else")

    def test_a_bundled_package_without_a_licence_is_refused(self):
        self.package("bare", "", licence=None)
        self.assertIn("bare is bundled, but its package has no licence text", self.notices())
        del self.inputs["node_modules/bare/index.js"]
        self.package("loader", "/*! bare v1.2.3, Copyright Bare */\n")
        self.assertIn("bare is bundled, but its package has no licence text", self.notices())

    def test_a_file_that_is_copied_has_the_licence_that_its_readme_names(self):
        decoder = self.notices(DRACO)["decoder.js"]
        self.assertEqual((decoder["licence"], decoder["comment"], decoder["url"]),
                         ("Apache-2.0", "Draco 3D, from loader",
                          "pkg:npm/loader@1.2.3#libs/draco/decoder.js"))
        self.assertEqual(decoder["text"], (ROOT / "LICENSE").read_text().strip("\n"))
        self.write("node_modules/loader/libs/draco/README.md", "# Draco 3D\n\n## License\n\n[GPL]()\n")
        self.assertIn(f"{DRACO} is served, and the README next to it", self.notices(DRACO))


@unittest.skipUnless(all(map(shutil.which, ("ninja", "c++", "dpkg"))), "no ninja, C++ or dpkg")
class ProgramTest(Folder):
    """A program with zlib (loaded), RapidJSON (headers of an archive) and CLI11 (in a precompiled
    header), and expat in a generator that is no part of it."""

    def setUp(self):
        super().setUp()
        self.write("build/zlib.cc", "#include <zlib.h>\nint Json();\n"
                                    "int main() { return Json() + (zlibVersion() == nullptr); }\n")
        self.write("build/json.cc", "#include <rapidjson/rapidjson.h>\nint Json() { return 0; }\n")
        self.write("build/common.h", "#include <CLI/Version.hpp>\n")
        self.write("build/generator.cc", "#include <expat_external.h>\n")
        self.write("components.json", json.dumps([{
            "name": "three", "version": "0.1", "url": "pkg:npm/three@0.1", "where": "page",
            "text": "Terms of three", "licence": "MIT"}]))
        self.write("empty.json", "")

    def build(self, foreign="", archive=""):
        self.write("build/build.ninja", f"foreign = {foreign}\n{NINJA.replace('ARCHIVE', archive)}")
        done = self.run_in("ninja", "-C", "build", "hello")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def tell(self, program, *more):
        return self.run_in(ROOT / f"packaging/{program}.py", "--name", "hello", "--version", "1.0",
                           "--build", "build", "--components", "components.json",
                           "--components", "empty.json", *more, "build/hello")

    def refused(self, *more):
        done = self.tell("notices", *more)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(self.tell("sbom", *more).returncode, 1)
        return done.stderr

    def test_list_and_notices_have_what_is_compiled_in_loaded_and_bundled(self):
        self.build()
        listed, notices = self.tell("sbom"), self.tell("notices")
        self.assertEqual((listed.returncode, notices.returncode), (0, 0), listed.stderr + notices.stderr)
        own, *parts = json.loads(listed.stdout)["packages"]
        where = {one["name"]: one["comment"].split(";")[0] for one in parts}
        self.assertEqual(own["name"], "hello")
        for name in ("rapidjson-dev", "libcli11-dev", "zlib1g-dev"):
            self.assertEqual(where[name], "compiled into the programs")
        self.assertEqual(where["zlib1g"], "loaded by the programs")
        self.assertEqual(where["three"], "in the page of renderer_sink view")
        self.assertNotIn("libexpat1-dev", where)
        head = notices.stdout.split("-" * 80)[0]
        self.assertEqual(sorted(re.findall(r"(?m)^  (\S+ \S+?),? ", head.replace("\n", " \n"))),
                         sorted(f"{one['name']} {one['versionInfo']}" for one in parts))
        for name in set(where) - {"three"}:
            self.assertIn(Path(f"/usr/share/doc/{name}/copyright").read_text().strip(), notices.stdout)
        self.assertIn("Terms of three", notices.stdout)
        # GCC's text refers to it.
        self.assertIn(Path("/usr/share/common-licenses/GPL-3").read_text().strip("\n"), notices.stdout)

    def test_a_header_of_no_package_is_refused(self):
        self.write("elsewhere/foreign.h", "")
        self.write("build/json.cc", "#include <foreign.h>\nint Json() { return 0; }\n")
        self.build(foreign=f"-I{self.dir}/elsewhere")
        self.assertIn(f"compiled in is {self.dir}/elsewhere/foreign.h: of no Debian package",
                      self.refused())

    def test_a_static_archive_of_no_package_is_refused(self):
        self.build()
        (self.dir / "elsewhere").mkdir()
        shutil.copy(self.dir / "build/libjson.a", self.dir / "elsewhere/libforeign.a")
        self.build(archive=f"{self.dir}/elsewhere/libforeign.a")
        self.assertIn(f"compiled in is {self.dir}/elsewhere/libforeign.a: of no", self.refused())

    def test_a_build_that_ninja_has_no_record_of_is_refused(self):
        self.build()
        (self.dir / "build/.ninja_deps").unlink()
        self.assertIn("deps not found: build with ninja first", self.refused())

    def test_a_component_without_a_text_is_refused(self):
        self.build()
        self.write("components.json", (self.dir / "components.json").read_text()
                   .replace("Terms of three", ""))
        self.assertIn("no licence text: three", self.refused())

    def test_the_files_of_an_image_are_part_of_it(self):
        self.build()
        self.write("image/usr/share/common-licenses/Artistic", "")
        self.write("image/etc/made-up", "")
        self.assertNotIn("base-files", self.tell("notices").stdout)
        told = self.tell("notices", "--root", self.dir / "image").stdout
        self.assertRegex(told, r"(?m)^  base-files \S+ \(source package base-files\)$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
