"""Where the voice server's sources and its installed packages are."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("POSEWIRE_SOURCE_DIR") or Path(__file__).resolve().parents[2])
KOKORO = ROOT / "voices" / "kokoro"
INSTALLED = Path(os.environ.get("POSEWIRE_KOKORO") or ROOT / "build" / "voices" / "kokoro")
DATA = Path(__file__).resolve().parent / "data"
sys.path.insert(0, str(KOKORO))


def table(name):
    """The lines of a file of tab-separated values, without comments."""
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def install():
    """Installs Kokoro into INSTALLED if it is not there."""
    done = subprocess.run(
        [str(KOKORO / "install"), str(INSTALLED)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout


def dictionaries():
    """misaki's dictionaries in the installed environment, or None."""
    return next(INSTALLED.glob("venv/lib/python3*/site-packages/misaki/data"), None)
