"""Props of one's own: a hat and a backpack that are worn, a cup that is given, in the page and in pictures."""

import json
import math
import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from browser import Browser
from control_test import Events
from posewire_test import BIN, Client, Collector, Server, until
from view_test import PICTURES, View

ROOT = Path(__file__).resolve().parents[2]
GRAPH = str(ROOT / "data/graphs/examples/give.graph.txtpb")
STREAM = "s1"
CUP = {"name": "cup", "position": {"x": -0.15, "y": 1.05, "z": 0.45}, "shape": "cup",
       "sites": [{"name": "side", "position": {"y": 0.05}, "any_side": True}, {"name": "bottom"}]}
# The places of a prop and of a joint that it follows, for half a second of pictures: the prop's own
# axes and origin in the joint's space, and the joint's height and direction.
FOLLOWED = """([name, avatar, joint]) => new Promise((done) => {
  const seen = [], shown = posewire.avatars[avatar];
  const bone = shown.bones[shown.layout.joints.indexOf(joint)];
  const look = () => {
    const group = posewire.stage.things.groups.get(`${avatar} ${name}`);
    bone.updateWorldMatrix(true, false);
    group.updateWorldMatrix(true, false);
    const point = (x, y, z) => group.localToWorld(group.position.clone().set(x, y, z));
    const local = [point(0, 0, 0), point(0, 0, 0.1)].map((p) => bone.worldToLocal(p).toArray());
    const ahead = bone.localToWorld(group.position.clone().set(0, 0, 1))
      .sub(bone.localToWorld(group.position.clone().set(0, 0, 0))).toArray();
    seen.push({ local, ahead });
    if (seen.length < 40) requestAnimationFrame(look); else done(seen);
  };
  look();
})"""
COUNT = """(key) => {
  let points = 0, materials = new Set();
  posewire.stage.things.groups.get(key)?.traverse((object) => {
    if (object.isMesh) { points += object.geometry.attributes.position.count; materials.add(object.material); }
  });
  return points && [points, materials.size];
}"""


def png(width, height, color):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(color) * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class OwnPropsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.folder = tempfile.TemporaryDirectory(prefix="pw-props-")
        cls.addClassCleanup(cls.folder.cleanup)
        home = Path(cls.folder.name)
        for name in ("hat", "backpack"):
            (home / f"{name}.glb").write_bytes((ROOT / f"data/props/{name}.glb").read_bytes())
        (home / "sign.png").write_bytes(png(64, 32, (20, 160, 40)))
        (home / "broken.glb").write_bytes((home / "hat.glb").read_bytes()[:2000])
        cls.graph = Server("anim_graph", "--graph", GRAPH, "--props", cls.folder.name)
        cls.addClassCleanup(cls.graph.stop)
        cls.client = Client(cls.graph.address)
        cls.addClassCleanup(cls.client.close)

    def control(self, method, stream=STREAM, **fields):
        return self.client.control(method, stream_id=stream, **fields)

    def avatar(self, target="", stream=STREAM):
        pull = Collector(self.client.pull(stream, target=target)).wait_started()
        self.addCleanup(pull.call.cancel)
        return pull

    def wear(self):
        self.control("SetProp", prop={"name": "my hat", "shape": "hat"})
        self.control("SetProp", prop={"name": "bag", "shape": "backpack"})
        self.control("AttachProp", prop="my hat", at="head", at_once=True)
        self.control("AttachProp", prop="bag", at="back", at_once=True)

    def test_worn_things_have_their_size_and_sites_and_turn_with_the_body_in_the_page(self):
        self.avatar()
        self.wear()
        hat, bag = self.control("ListProps").props
        self.assertEqual((hat.at, bag.at, hat.held), ("head", "back", True))
        self.assertAlmostEqual(hat.size.x, 0.35, 3)
        self.assertEqual([s.name for s in hat.sites], ["grip", "head", "top"])
        view = View(self.graph.address, "--stream-id", STREAM, "--props", self.folder.name)
        self.addCleanup(view.stop)
        browser = Browser()
        self.addCleanup(browser.close)
        tab = browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.size(900, 900)
        tab.until("Boolean(window.posewire && posewire.avatars[0]?.model)", 30)
        self.assertGreater(tab.until(f"({COUNT})('0 my hat')")[0], 500)
        self.assertEqual(tab.until(f"({COUNT})('0 bag')")[1], 3, "cloth, straps and pocket")
        # Unknown and broken ones are boxes, and a picture is a card.
        for name, shape in (("a", "../hat"), ("b", "broken"), ("c", "sign"), ("d", "no such thing")):
            self.control("SetProp", prop={"name": name, "shape": shape,
                                          "position": {"x": -0.6 + 0.4 * (ord(name) - ord("a")), "y": 0.2, "z": 0.4}})
        points = {name: tab.until(f"({COUNT})('0 {name}')")[0] for name in "abcd"}
        self.assertEqual(points, {"a": 24, "b": 24, "c": 4, "d": 24})
        tab.evaluate("posewire.look('body')")
        tab.picture(PICTURES / "props_worn.png")
        self.control("SetVariable", name="gesture_state", value="Nod")
        for name, joint in (("my hat", "skullbase"),):
            seen = tab.evaluate(f"({FOLLOWED})({json.dumps([name, 0, joint])})")
            first = seen[0]["local"]
            for one in seen:
                for a, b in zip(first, one["local"]):
                    self.assertLess(math.dist(a, b), 0.003, name)
            turned = max(math.dist(seen[0]["ahead"], one["ahead"]) for one in seen)
            self.assertGreater(turned, 0.03, "the head nods")
        tab.evaluate("posewire.look('face')")
        tab.picture(PICTURES / "props_hat.png")
        self.assertEqual(tab.faults, [])
        log = view.log_text()
        for text in ("../hat", "no such thing", "broken.glb"):
            self.assertEqual(sum(text in line for line in log.splitlines()), 1, text)
        self.assertIn(self.folder.name, log)

    def test_a_hand_takes_a_cup_and_another_avatar_takes_it_from_there(self):
        stream = "two"
        self.avatar("anna", stream)
        self.avatar("ben", stream)
        self.control("PlaceAvatar", stream, target_object_id="ben", z_m=1.0, turn_deg=180)
        self.control("SetProp", stream, prop=CUP)
        events = Events(self.client, stream)
        self.addCleanup(events.stop)

        def send(who, hand, where):
            self.control("SetVariable", stream, target_object_id=who, name=hand, value=where)

        def cup():
            return self.control("ListProps", stream).props[0]
        send("anna", "right", "cup")
        self.assertEqual(events.wait_for("PROP_ATTACHED").target_object_id, "anna")
        self.assertEqual((cup().held_by, cup().at), ("anna", "right_hand"))
        send("anna", "right", "offer")
        self.assertTrue(until(lambda: cup().position.z > 0.44))
        send("ben", "right", "cup")
        self.assertTrue(until(lambda: cup().held_by == "ben"))
        send("ben", "right", "none")
        send("anna", "right", "none")
        # It is ben's now, and goes where his hand goes.
        self.assertTrue(until(lambda: cup().position.z > 0.8 and cup().position.y < 1))
        sites = {s.name: s.position for s in self.control("GetSites", stream, target_object_id="ben").sites}
        wrist, at = sites["r_wrist"], cup().position
        self.assertLess(math.dist((-wrist.x, wrist.y, 1 - wrist.z), (at.x, at.y, at.z)), 0.25)

    def test_a_hat_is_taken_and_put_on_by_the_graph(self):
        stream = "dressing"
        self.avatar("", stream)
        self.control("SetProp", stream, prop={"name": "hat", "shape": "hat",
                                              "position": {"x": -0.2, "y": 1.0, "z": 0.3}})
        events = Events(self.client, stream)
        self.addCleanup(events.stop)
        self.control("SetVariable", stream, name="right", value="hat")
        self.assertTrue(until(lambda: self.control("ListProps", stream).props[0].at == "right_hand"))
        self.control("SetVariable", stream, name="right", value="head")
        self.assertTrue(until(lambda: self.control("ListProps", stream).props[0].at == "head"))
        self.assertEqual(events.wait_for("PROP_ATTACHED", count=2).name, "hat")

    def test_worn_things_are_in_pictures_of_a_recording_with_the_folder_and_boxes_without(self):
        self.avatar()
        self.wear()
        home = Path(self.folder.name)
        clip = str(home / "take.animdata")
        subprocess.run([os.path.join(BIN, "renderer_sink"), "record", clip, "--from", self.graph.address,
                        "--stream-id", STREAM, "--duration", "0.6"], check=True, capture_output=True)
        pictures = []
        for name, args in (("front", ()), ("side", ("--turn", "90")), ("back", ("--turn", "160")),
                           ("plain", ("--turn", "90"))):
            to = PICTURES / f"props_{name}.png"
            folder = () if name == "plain" else ("--props", self.folder.name)
            subprocess.run([os.path.join(BIN, "renderer_sink"), "render", clip, str(to), "--camera", "body",
                            "--at", "0.3", "--size", "360x480", *args, *folder], check=True, capture_output=True)
            pictures.append(to.read_bytes())
        self.assertEqual(len(set(pictures)), 4)


if __name__ == "__main__":
    unittest.main()
