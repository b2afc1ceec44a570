"""The package posewire-mcp: its wheel with the official SDK, its tests, doctests and types there, and
descriptions of all built-in clips."""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

from running import run

ROOT = Path(__file__).resolve().parents[2]
PINS = Path(__file__).resolve().parent / "mcp_requirements.txt"
# Slow ones first; each runs in a process of its own.
MODULES = ["test_server", "test_conversation", "test_arrangement", "test_events"]
DOCTESTS = """
import doctest, importlib, pkgutil, sys, posewire_mcp
failed = ran = 0
for module in pkgutil.iter_modules(posewire_mcp.__path__, "posewire_mcp."):
    if not module.name.endswith("__main__"):
        found = doctest.testmod(importlib.import_module(module.name))
        failed, ran = failed + found.failed, ran + found.attempted
sys.exit(failed > 0 or ran < 1)
"""


def environment():
    """An interpreter with what the packages need, kept between runs; returns its path."""
    name = hashlib.sha256(PINS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = ROOT / "build" / "tools" / "clients" / f"mcp-{name}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        run(python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "-r", PINS)
        (folder / "ready").touch()
    return python


class McpPackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.python = environment()
        # Built in a copy, since a build writes into its tree.
        made = "*.pb", "descriptions.json", "build", "*.egg-info", "__pycache__"
        for name in ("clients/python", "clients/mcp", "data/gestures", "proto"):
            shutil.copytree(ROOT / name, cls.folder / name, ignore=shutil.ignore_patterns(*made))
        shutil.copy(ROOT / "LICENSE", cls.folder)
        cls.installed = cls.folder / "installed"
        pip = [cls.python, "-m", "pip", "--disable-pip-version-check", "-q"]
        packages = [cls.folder / "clients" / package for package in ("python", "mcp")]
        run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", cls.folder, *packages)
        (cls.wheel,) = cls.folder.glob("posewire_mcp-*.whl")
        run(*pip, "install", "--no-deps", "--target", cls.installed, *cls.folder.glob("*.whl"))
        cls.env = {**os.environ, "PYTHONPATH": str(cls.installed)}

    def test_the_wheel_holds_the_package_and_its_tables(self):
        names = set(zipfile.ZipFile(self.wheel).namelist())
        for name in ("arrangements.md", "descriptions.json", "uses.json", "py.typed"):
            self.assertIn(f"posewire_mcp/{name}", names)
        self.assertEqual({name.split("/")[0].split("-")[0] for name in names}, {"posewire_mcp"})

    def test_every_built_in_gesture_has_a_description_and_a_use(self):
        texts = [path.read_text() for path in (ROOT / "data" / "gestures").glob("*.gesture.txtpb")]
        first = r'^gestures \{\n  name: "(\w+)"(\n  description:)?'
        found = [gesture for text in texts for gesture in re.findall(first, text, re.M)]
        self.assertEqual([name for name, description in found if not description], [])
        gestures = {name for name, _ in found}
        self.assertGreater(len(gestures), 90)
        for table in ("descriptions.json", "uses.json"):
            found = json.loads((self.installed / "posewire_mcp" / table).read_text())
            self.assertEqual(set(found), gestures, table)
            self.assertLess(max(map(len, found.values())), 140, table)

    def test_all_passes_as_installed(self):
        tests = ROOT / "clients" / "mcp" / "tests"
        env = {**self.env, "POSEWIRE_MCP_PAGE": str(ROOT / "docs" / "mcp.md")}
        jobs = {name: [self.python, "-B", "-m", "unittest", "-v", name] for name in MODULES}
        jobs["doctests"] = [self.python, "-B", "-c", DOCTESTS]
        jobs["command"] = [self.python, "-B", self.installed / "bin" / "posewire-mcp", "--help"]
        mypy = [self.python, "-m", "mypy", "--strict", "--cache-dir", self.folder / "mypy"]
        settings = ["--config-file", self.folder / "clients" / "mcp" / "pyproject.toml"]
        jobs["types"] = [*mypy, *settings, "-p", "posewire_mcp"]
        with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
            # mypy looks for packages in its folder, and unittest for modules.
            cwd = {"types": self.installed}
            running = {name: pool.submit(run, *job, cwd=cwd.get(name, tests), env=env)
                       for name, job in jobs.items()}
        for name, job in running.items():
            with self.subTest(name):
                self.assertNotIn("skipped", job.result())


if __name__ == "__main__":
    unittest.main(verbosity=2)
