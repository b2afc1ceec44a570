"""How far a live film is: the pictures that ffmpeg has read from `renderer_sink stream`."""

import re
from pathlib import Path

from posewire_test import until


def child_of(pid):
    """The process that this one has started; None while there is none."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                return int(stat.parent.name)
        except OSError:
            pass  # it has just ended
    return None


def pictures_taken_by_ffmpeg_of(sink_pid, size):
    """A function that says how many raw pictures of `size` ffmpeg has read, and a little more: it reads
    the voice and its own files as well."""
    assert until(lambda: child_of(sink_pid)), "there is no ffmpeg"
    io = Path(f"/proc/{child_of(sink_pid)}/io")
    return lambda: int(re.search(r"rchar: (\d+)", io.read_text())[1]) / (size[0] * size[1] * 3)
