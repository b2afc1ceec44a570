"""docs/graph-nodes.md says what the proto says, and every kind of node has an example."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import graph_nodes  # noqa: E402


class GraphNodesTest(unittest.TestCase):
    def test_the_page_is_that_of_the_proto(self):
        self.assertEqual(graph_nodes.page(), graph_nodes.PAGE.read_text(),
                         "run scripts/graph_nodes.py")

    def test_every_kind_has_an_example(self):
        node, _ = graph_nodes.Proto(ROOT / "proto" / graph_nodes.PROTO).message("Node")
        self.assertEqual([], [f.name for f in node.field if f.name != "name"
                              and not graph_nodes.examples_of(f.name)])


if __name__ == "__main__":
    unittest.main()
