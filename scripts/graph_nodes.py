#!/usr/bin/python3
"""Writes docs/graph-nodes.md, every kind of node with its fields, from proto/posewire.graph.v1.proto.

Needs protoc and Debian's python3-protobuf. A test holds the page to what this prints."""
import subprocess
import sys
import tempfile
from pathlib import Path

from google.protobuf import descriptor_pb2

ROOT = Path(__file__).resolve().parents[1]
PROTO = "posewire.graph.v1.proto"
PAGE = ROOT / "docs" / "graph-nodes.md"
Field = descriptor_pb2.FieldDescriptorProto
PLAIN = {Field.TYPE_DOUBLE: "number", Field.TYPE_FLOAT: "number", Field.TYPE_BOOL: "true or false",
         Field.TYPE_STRING: "text", Field.TYPE_UINT32: "whole number",
         Field.TYPE_INT32: "whole number"}
# Fields that name another node of the graph.
NODES = {"below", "layer", "delta", "reference", "node", "idle"}
SHARED = ["Number", "Mask", "Target", "VectorType"]


class Proto:
    """The file's messages with the comments that stand before them."""

    def __init__(self, path):
        with tempfile.NamedTemporaryFile() as out:
            subprocess.run(["protoc", "--include_source_info", "--include_imports",
                            f"--descriptor_set_out={out.name}",
                            f"-I{path.parent}", path.name], check=True)
            *imports, self.file = descriptor_pb2.FileDescriptorSet.FromString(out.read()).file
        self.comments = {tuple(at.path): " ".join((at.leading_comments or at.trailing_comments)
                                                  .split())
                         for at in self.file.source_code_info.location}
        self.messages, self.enums = {}, {}
        for file in (*imports, self.file):
            for i, message in enumerate(file.message_type):
                self.note(message, (4, i), f".{file.package}")

    def note(self, message, path, scope):
        name = f"{scope}.{message.name}"
        self.messages[name] = (message, path)
        for i, inner in enumerate(message.nested_type):
            self.note(inner, (*path, 3, i), name)
        for enum in message.enum_type:
            self.enums[f"{name}.{enum.name}"] = enum

    def message(self, name):
        return self.messages[f".{self.file.package}.{name}"]

    def what(self, field):
        """The field's type, as one writes it."""
        if field.type == Field.TYPE_ENUM:
            text = ", ".join(value.name for value in self.enums[field.type_name].value)
        elif field.type == Field.TYPE_MESSAGE:
            short = field.type_name.rsplit(".", 1)[-1]
            text = f"[{short}](#{short.lower()})" if short in SHARED else "fields below"
        else:
            text = "node" if field.name in NODES else PLAIN[field.type]
        return f"{text}; repeated" if field.label == Field.LABEL_REPEATED else text

    def rows(self, message, path, before=""):
        for i, field in enumerate(message.field):
            comment = self.comments.get((*path, 2, i), "").replace("|", "\\|")
            name = before + field.name
            choice = field.HasField("oneof_index") and not field.proto3_optional
            again = choice and any(f.HasField("oneof_index") and f.oneof_index == field.oneof_index
                                   for f in message.field[:i])
            yield f"| {'or ' if again else ''}`{name}` | {self.what(field)} | {comment} |"
            short = field.type_name.rsplit(".", 1)[-1]
            if field.type == Field.TYPE_MESSAGE and short not in SHARED:
                inner, at = self.messages[field.type_name]
                yield from self.rows(inner, at, f"{name}.")

    def section(self, title, name, examples=()):
        message, path = self.message(name)
        lines = [f"### {title}", ""]
        comment = self.comments.get(path, "")
        if comment:
            lines += [comment, ""]
        if examples:
            lines += ["Examples: " + ", ".join(
                f"[{e}](../data/graphs/{e}.graph.txtpb)" for e in examples) + ".", ""]
        return lines + ["| field | | |", "| --- | --- | --- |", *self.rows(message, path), ""]


def examples_of(kind):
    """The graphs of data/graphs that use the kind of node."""
    found = []
    folder = ROOT / "data" / "graphs"
    for path in sorted(folder.rglob("*.graph.txtpb"), key=lambda p: (len(p.parts), p)):
        if f"\n  {kind} {{" in (text := path.read_text()) or f'" {kind} {{' in text:
            found.append(str(path.relative_to(folder)).removesuffix(".graph.txtpb"))
    return found[:3]


def page():
    proto = Proto(ROOT / "proto" / PROTO)
    node, _ = proto.message("Node")
    kinds = [(f.name, f.type_name.rsplit(".", 1)[-1]) for f in node.field if f.name != "name"]
    lines = ["# Every kind of node, with its fields", "",
             f"Made from [proto/{PROTO}](../proto/{PROTO}) by `scripts/graph_nodes.py`; how nodes work "
             "together is in [graph.md](graph.md). A field that is not given means 0, no, none or the "
             "empty text, unless it says otherwise. `below` is the node whose pose another one works on, `mask` "
             "where it does so, and `ease_s` how long a switch takes, 0.02 to 5 s.", "", "## Nodes", ""]
    for kind, name in kinds:
        lines += proto.section(kind, name, examples_of(kind))
    lines += ["## Beside the nodes", ""]
    for name in ["Variable", "Arrangement", "Timeline", "ClipAlias"]:
        lines += proto.section(name, name)
    lines += ["## What fields are made of", ""]
    for name in SHARED:
        lines += proto.section(name, name)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    if sys.argv[1:]:
        print(__doc__)
        sys.exit(0 if sys.argv[1] in ("-h", "--help") else 2)
    PAGE.write_text(page())
