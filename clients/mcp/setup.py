"""Writes posewire_mcp/descriptions.json: what each gesture of ../../data/gestures looks like.

Also copies the licence. A source distribution has both files, and no data folder.
"""

import json
import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GESTURES = ROOT / "data" / "gestures"
PROTO = "posewire.choreography.v1.proto"
OUTPUT = HERE / "posewire_mcp" / "descriptions.json"


def choreography():
    """The class of the message in a gesture file."""
    import tempfile

    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "protocol.pb"
        arguments = ["protoc", f"--descriptor_set_out={made}", f"-I{ROOT / 'proto'}", PROTO]
        if protoc.main(arguments) != 0:
            raise SystemExit(f"protoc failed on {PROTO}")
        files = descriptor_pb2.FileDescriptorSet.FromString(made.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    found = pool.FindMessageTypeByName("posewire.choreography.v1.Choreography")
    return message_factory.GetMessageClass(found)


def make_descriptions() -> None:
    if not GESTURES.is_dir():
        if not OUTPUT.exists():
            raise SystemExit(f"{OUTPUT} is missing, and so is {GESTURES}, from which it is made")
        return
    from google.protobuf import text_format

    message = choreography()
    descriptions = {}
    for path in sorted(GESTURES.glob("*.gesture.txtpb")):
        for gesture in text_format.Parse(path.read_text(encoding="utf-8"), message()).gestures:
            if not gesture.description:
                raise SystemExit(f"{path}: gesture {gesture.name!r} has no description")
            descriptions[gesture.name] = gesture.description
    made = OUTPUT.with_suffix(f".{os.getpid()}")
    made.write_text(json.dumps(descriptions, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(made, OUTPUT)


class BuildPackage(build_py):
    def run(self) -> None:
        make_descriptions()
        super().run()


class MakeSource(sdist):
    def run(self) -> None:
        make_descriptions()
        super().run()


# setuptools looks for the licence before it runs a command.
if GESTURES.is_dir():
    shutil.copy(ROOT / "LICENSE", HERE)
setup(cmdclass={"build_py": BuildPackage, "sdist": MakeSource})
