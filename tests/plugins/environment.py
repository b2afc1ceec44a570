"""Runs a plugin's tests in a virtual environment of their own, with its framework from PyPI.

The environment is in build/plugins of the tree, and stays there: it is made again when the
requirements change, and the package posewire in it when its sources do. POSEWIRE_PLUGINS names another
folder for it."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("POSEWIRE_PLUGINS") or ROOT / "build" / "plugins")


def digest(*files):
    hashed = hashlib.sha256()
    for file in sorted(files):
        hashed.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return hashed.hexdigest()


def run(what, *command):
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        tail = "\n".join(done.stdout.strip().splitlines()[-12:])
        sys.exit(f"{what} failed:\n{tail}")


def once(stamp, wanted, make):
    if not stamp.is_file() or stamp.read_text() != wanted:
        make()
        stamp.write_text(wanted)


def python_for(plugin):
    """The interpreter of the plugin's environment, which is made if need be."""
    requirements = Path(__file__).parent / f"{plugin}_requirements.txt"
    package = ROOT / "clients" / "python"
    sources = [
        *(ROOT / "proto").glob("*.proto"),
        *package.glob("posewire/*.py"),
        *(package / name for name in ("pyproject.toml", "setup.py")),
    ]
    venv = BUILD / plugin
    python = venv / "bin" / "python"
    pip = python, "-m", "pip", "install", "-q"

    def make():
        shutil.rmtree(venv, ignore_errors=True)
        run(
            "Making a virtual environment (Debian: python3-venv)",
            sys.executable,
            "-m",
            "venv",
            venv,
        )
        run(f"Fetching {plugin} from PyPI", *pip, "-r", requirements)

    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / f"{plugin}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        once(venv / "requirements.stamp", digest(requirements), make)
        once(
            venv / "posewire.stamp",
            digest(*sources),
            lambda: run(
                "Installing clients/python",
                *pip,
                "--no-deps",
                "--no-build-isolation",
                "--force-reinstall",
                package,
            ),
        )
    return python


def main(plugin):
    """Becomes the unittest of plugins/PLUGIN/tests, with this program's arguments."""
    python = python_for(plugin)
    folder = ROOT / "plugins" / plugin
    path = os.pathsep.join(map(str, (folder, folder / "tests", Path(__file__).parent)))
    command = [python, "-B", "-m", "unittest", *(sys.argv[1:] or [f"test_{plugin}"])]
    os.execve(python, command, {**os.environ, "PYTHONPATH": path})
