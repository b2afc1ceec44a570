"""Importing the package next to other code of the same protocols."""

import subprocess
import sys
import unittest

OTHERS = """
from google.protobuf import descriptor_pb2, descriptor_pool
other = descriptor_pb2.FileDescriptorProto(name="nvidia_ace.animation_id.v1.proto", syntax="proto3",
                                           package="nvidia_ace.animation_id.v1")
other.message_type.add(name="AnimationIds").field.add(name="other", number=9, type=9, label=1)
pool = descriptor_pool.Default()
"""


class WireTest(unittest.TestCase):
    def test_messages_of_the_same_names_in_the_default_pool_do_no_harm(self):
        for order in ("pool.Add(other)\nimport posewire", "import posewire\npool.Add(other)"):
            subprocess.run([sys.executable, "-c", OTHERS + order], check=True)


if __name__ == "__main__":
    unittest.main()
