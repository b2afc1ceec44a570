"""The front door once more, by Envoy: what door_test asks of nginx is asked of docker/edge/envoy."""

import unittest

import door_test
from envoy_door import ENVOY, EnvoyDoor

if not ENVOY.exists():
    raise SystemExit(f"{ENVOY} is not there; ./test fetches it")


class ByEnvoy:
    def door(self, nodes, changes=()):
        if changes:  # of calls beyond the rate
            changes = (("max_tokens: 400, tokens_per_fill: 100", "max_tokens: 4, tokens_per_fill: 1"),)
        door = EnvoyDoor([n.port for n in nodes], [n.http_port for n in nodes], self.files, changes)
        self.addCleanup(door.stop)
        return door


class OneNode(ByEnvoy, door_test.OneNode):
    test_no_name_of_the_template_is_left = None  # nginx's


class ThreeNodes(ByEnvoy, door_test.ThreeNodes):
    pass


if __name__ == "__main__":
    unittest.main(verbosity=2)
