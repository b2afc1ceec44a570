"""docs/asyncapi.yaml has the fields of the .proto file, each of them."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml
from google.protobuf import descriptor_pb2

ROOT = Path(os.environ.get("POSEWIRE_SOURCE_DIR") or Path(__file__).resolve().parents[2])
PROTO = "posewire.source.v1.proto"


class AsyncApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = yaml.safe_load((ROOT / "docs" / "asyncapi.yaml").read_text())
        with tempfile.NamedTemporaryFile() as made:
            subprocess.run(["protoc", f"-I{ROOT / 'proto'}", f"--descriptor_set_out={made.name}",
                            PROTO], check=True)
            files = descriptor_pb2.FileDescriptorSet.FromString(Path(made.name).read_bytes())
        cls.types = {f".posewire.source.v1.{m.name}": m for m in files.file[0].message_type}

    def lookup(self, schema):
        if "$ref" not in schema:
            return schema
        found = self.page
        for part in schema["$ref"].split("/")[1:]:
            found = found[part]
        return found

    def check(self, name, schema):
        message = self.types[f".posewire.source.v1.{name}"]
        schema = self.lookup(schema)
        fields = {field.name: field for field in message.field}
        told = schema.get("properties", {})
        if schema is self.page["components"]["schemas"]["Timed"]:
            self.assertLessEqual(set(fields), set(told), name)
        else:
            self.assertEqual(set(fields), set(told), name)
        for key, field in fields.items():
            if field.type != field.TYPE_MESSAGE:
                continue
            inner = told[key]
            if field.label == field.LABEL_REPEATED:
                self.assertEqual(inner["type"], "array", f"{name}.{key}")
                inner = inner["items"]
            self.check(field.type_name.rsplit(".", 1)[1], inner)

    def test_parts_and_events_have_the_fields_of_the_protocol(self):
        for name in ("SayPart", "SayEvent"):
            self.check(name, self.page["components"]["messages"][name]["payload"])

    def test_reasons_are_those_of_the_protocol(self):
        event = self.page["components"]["messages"]["SayEvent"]["payload"]
        reasons = event["properties"]["ended"]["properties"]["reason"]["enum"]
        (values,) = self.types[".posewire.source.v1.SayEnded"].enum_type
        self.assertEqual(reasons, [v.name for v in values.value if v.number])

    def test_references_lead_somewhere(self):
        def walk(value):
            if isinstance(value, dict):
                if "$ref" in value:
                    self.lookup(value)
                for inner in value.values():
                    walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    walk(inner)
        walk(self.page)


if __name__ == "__main__":
    unittest.main()
