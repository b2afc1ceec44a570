"""The Python package: its wheel in a fresh environment, its tests, doctests, examples and types there."""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

from running import run

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
LONG = os.environ.get("TEST_LEVEL") == "long"
# Slow ones first; each runs in a process of its own.
MODULES = ["test_services", "test_examples", "test_speech", "test_frames", "test_wire"]
DOCTESTS = """
import doctest, importlib, pkgutil, sys, posewire
failed = ran = 0
for module in pkgutil.iter_modules(posewire.__path__, "posewire."):
    if not module.name.endswith("__main__"):
        found = doctest.testmod(importlib.import_module(module.name))
        failed, ran = failed + found.failed, ran + found.attempted
print(ran, "examples")
sys.exit(failed > 0 or ran < 4)
"""
# A program of a user, to be accepted by mypy --strict; each line with an error says so.
USER = """
import posewire
async def main() -> None:
    async with posewire.Avatar("127.0.0.1:51002", stream="demo", speed=1.5) as avatar:
        said: posewire.Spoken = await avatar.speak(word for word in ["a", "b"])
        seconds: float = said.seconds
        wrong: int = said.text  # error
        speech = await avatar.say("Hello.")
        async for event in speech:
            if isinstance(event, posewire.Word):
                text: str = event.text
            event.text  # error
        await avatar.speak([b"bytes"])  # error
        await avatar.play([b"bytes"], 24000)
        async for frame in posewire.pull("127.0.0.1:51000", stream="demo"):
            if frame.weights is not None:
                largest: float = float(frame.weights.max())
"""


def environment(folder, python=sys.executable):
    """A fresh one; gives its interpreter."""
    if python == sys.executable:
        venv.create(folder, with_pip=True)
    else:
        run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


class PythonPackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # Built in a copy, since a build writes into its tree.
        cls.package = cls.folder / "clients" / "python"
        left_out = shutil.ignore_patterns("__pycache__", "protocol.pb", "build", "*.egg-info")
        shutil.copytree(ROOT / "clients" / "python", cls.package, ignore=left_out)
        shutil.copytree(ROOT / "proto", cls.folder / "proto")
        shutil.copy(ROOT / "LICENSE", cls.folder)
        shutil.copytree(ROOT / "data" / "graphs", cls.folder / "data" / "graphs")
        cls.python = environment(cls.folder / "venv")
        cls.pip = [cls.python, "-m", "pip", "--disable-pip-version-check", "-q"]
        # Compiled when they are imported, which few of their modules are.
        cls.install = [*cls.pip, "install", "--no-compile", "-c", HERE / "requirements.txt"]
        run(*cls.install, "grpcio-tools", "numpy", "protobuf", "setuptools")
        run(*cls.pip, "wheel", "--no-deps", "--no-build-isolation", "-w", cls.folder, cls.package)
        (cls.wheel,) = cls.folder.glob("*.whl")
        run(*cls.install, "--no-deps", cls.wheel)
        run(cls.python, "-m", "pip", "check")

    def test_the_wheel_holds_the_package_alone(self):
        names = set(zipfile.ZipFile(self.wheel).namelist())
        self.assertIn("posewire/protocol.pb", names)
        self.assertIn("posewire/py.typed", names)
        self.assertEqual({name.split("/")[0].split("-")[0] for name in names}, {"posewire"})

    def test_all_passes_in_a_fresh_environment(self):
        tests = self.package / "tests"
        jobs = {name: [self.python, "-m", "unittest", "-v", name] for name in MODULES}
        jobs["doctests"] = [self.python, "-c", DOCTESTS]
        jobs["command"] = [self.folder / "venv/bin/posewire", "--help"]
        with concurrent.futures.ThreadPoolExecutor(len(jobs) + 1) as pool:
            running = {name: pool.submit(run, *job, cwd=tests) for name, job in jobs.items()}
            running["types"] = pool.submit(self.check_types)
        for name, job in running.items():
            with self.subTest(name):
                output = job.result()
                self.assertNotIn("... skipped '", output)  # as unittest says

    def check_types(self):
        """mypy accepts the package, and of a user's program what is right."""
        run(*self.install, "mypy")
        user = self.folder / "user.py"
        user.write_text(USER)
        mypy = [self.python, "-m", "mypy", "--cache-dir", self.folder / "mypy", "--strict",
                "--python-version", "3.9"]
        settings = ["--config-file", self.package / "pyproject.toml"]
        output = run(*mypy, *settings, "-p", "posewire", cwd=self.folder)
        wanted = {n for n, line in enumerate(USER.splitlines(), 1) if line.endswith("# error")}
        found = subprocess.run([str(part) for part in [*mypy, user]], stdout=subprocess.PIPE,
                               text=True, cwd=self.folder)
        errors = [line.split(":")[1] for line in found.stdout.splitlines() if ": error:" in line]
        self.assertEqual(set(map(int, errors)), wanted, found.stdout)
        return output

    @unittest.skipUnless(LONG, "of the long level: ./test --long, or TEST_LEVEL=long")
    def test_a_source_distribution_builds_the_same_wheel(self):
        run(self.python, "setup.py", "-q", "sdist", "-d", self.folder, cwd=self.package)
        (source,) = self.folder.glob("*.tar.gz")
        again = self.folder / "again"
        run(*self.pip, "wheel", "--no-deps", "--no-build-isolation", "-w", again, source)
        (wheel,) = again.glob("*.whl")
        read = [zipfile.ZipFile(path).read("posewire/protocol.pb") for path in (self.wheel, wheel)]
        self.assertEqual(*read)

    @unittest.skipUnless(LONG, "of the long level: ./test --long, or TEST_LEVEL=long")
    def test_it_works_with_the_oldest_and_the_newest_python_that_are_there(self):
        found = {minor: shutil.which(f"python3.{minor}") for minor in range(9, 16)}
        works = [minor for minor, python in found.items() if python is not None and
                 subprocess.run([python, "-c", ""], capture_output=True).returncode == 0]
        self.assertTrue(works)
        for minor in {works[0], works[-1]}:
            python = found[minor]
            with self.subTest(minor):
                own = environment(self.folder / f"venv{minor}", python)
                run(own, "-m", "pip", "--disable-pip-version-check", "-q", "install", self.wheel)
                for name in ("test_speech", "test_frames", "test_wire"):
                    run(own, "-W", "error", "-m", "unittest", name, cwd=self.package / "tests")


if __name__ == "__main__":
    unittest.main(verbosity=2)
