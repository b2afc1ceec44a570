"""Builds posewire/protocol.pb from ../../proto, before the package is collected, and copies the licence.

A source distribution has both files already, and no proto folder.
"""

import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
OUTPUT = HERE / "posewire" / "protocol.pb"
# What the package calls; what these import comes along.
FILES = [
    "grpc.health.v1.proto",
    "nvidia_ace.services.animation_data.v1.proto",
    "posewire.control.v1.proto",
    "posewire.source.v1.proto",
]


def make_protocol() -> None:
    if not PROTO.is_dir():
        if not OUTPUT.exists():
            raise SystemExit(f"{OUTPUT} is missing, and so is {PROTO}, of which it is made")
        return
    import grpc_tools
    from grpc_tools import protoc

    made = OUTPUT.with_suffix(f".{os.getpid()}")
    includes = [PROTO, Path(grpc_tools.__file__).parent / "_proto"]
    arguments = ["protoc", "--include_imports", f"--descriptor_set_out={made}"]
    if protoc.main([*arguments, *(f"-I{folder}" for folder in includes), *FILES]) != 0:
        raise SystemExit(f"protoc failed on the files of {PROTO}")
    os.replace(made, OUTPUT)


class BuildPackage(build_py):
    def run(self) -> None:
        make_protocol()
        super().run()


class MakeSource(sdist):
    def run(self) -> None:
        make_protocol()
        super().run()


# setuptools looks for the licence before it runs a command.
if PROTO.is_dir():
    shutil.copy(PROTO.parent / "LICENSE", HERE)
setup(cmdclass={"build_py": BuildPackage, "sdist": MakeSource})
