"""Who is shown, and in what: by the stream, by the page, and by what a VRM file moves itself."""

import json
import math
import struct
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

from browser import Browser
from posewire_test import BIN, Client, Server
from small_person import glb, parts, small_person
from view_test import FLAGS, PICTURES, STREAM, View

READY = "Boolean(window.posewire && posewire.avatars[0]?.model)"
CHOSEN = ("Object.fromEntries(posewire.avatars[0].model.variants.parts"
          ".map(({ part, chosen }) => [part, chosen]))")
NAME = "posewire.avatars[0].layout.avatar_name"


def swinging(data):
    """The person with hair on its head, which a wind from the left holds away from it, and a bone
    beside the hips that turns as the head does."""
    document, body = parts(data)
    nodes = document["nodes"]
    by_name = {node["name"]: i for i, node in enumerate(nodes)}
    hair = len(nodes)
    nodes += [{"name": "hair", "translation": [0, 0.2, 0], "children": [hair + 1]},
              {"name": "hair_end", "translation": [0, 0.2, 0]},
              {"name": "twin", "extensions": {"VRMC_node_constraint": {
                  "specVersion": "1.0",
                  "constraint": {"rotation": {"source": by_name["J_head"], "weight": 1}}}}}]
    nodes[by_name["J_head"]].setdefault("children", []).append(hair)
    nodes[by_name["J_hips"]]["children"].append(hair + 2)
    joint = {"hitRadius": 0, "stiffness": 0.5, "gravityPower": 2, "gravityDir": [1, 0, 0],
             "dragForce": 0.4}
    document["extensions"]["VRMC_springBone"] = {
        "specVersion": "1.0",
        "springs": [{"joints": [{"node": hair, **joint}, {"node": hair + 1, **joint}]}]}
    document["extensionsUsed"] += ["VRMC_springBone", "VRMC_node_constraint"]
    return glb(document, body)


def with_file(case, data, suffix=".vrm"):
    file = tempfile.NamedTemporaryFile(suffix=suffix)
    case.addCleanup(file.close)
    file.write(data)
    file.flush()
    return file.name


class LooksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.graph = Server("anim_graph", *FLAGS)
        self.addCleanup(self.graph.stop)
        self.client = Client(self.graph.address)
        self.addCleanup(self.client.close)

    def show(self, *flags, address="", until=READY):
        view = View(self.graph.address, "--stream-id", STREAM, *flags)
        self.addCleanup(view.stop)
        tab = self.browser.open(f"http://127.0.0.1:{view.http_port}/{address}")
        self.addCleanup(lambda: tab.do("Page.close"))
        tab.size(1000, 640)
        tab.until(until, 30)
        return tab

    def set(self, name, value):
        self.client.control("SetVariable", stream_id=STREAM, name=name, value=value)

    def test_variables_change_who_is_seen_and_in_what(self):
        tab = self.show()
        self.set("hair_colour", "auburn")
        tab.until(f"{CHOSEN}['hair colour'] === 'auburn'")
        tab.picture(PICTURES / "auburn.png")
        self.set("character", "man")
        tab.until(f"{READY} && {NAME} === 'man' && {CHOSEN}['hair colour'] === 'auburn'")
        tab.picture(PICTURES / "auburn_man.png")
        self.set("character", "own")
        self.set("hair_colour", "own")
        tab.until(f"{READY} && {NAME} === 'woman' && {CHOSEN}['hair colour'] === 'chestnut'")
        self.assertEqual(tab.faults, [])

    def test_a_stream_that_changes_all_the_time_is_followed_twice_a_second(self):
        tab = self.show()
        before, began = tab.evaluate("posewire.avatars[0].dressings"), time.monotonic()
        for k in range(60):
            self.set("character", ("man", "woman")[k % 2])
            time.sleep(0.03)  # a frame each: they change all the time
        self.set("character", "man")
        tab.until(f"{READY} && {NAME} === 'man'")
        passed = time.monotonic() - began
        # Each time its looks are taken off, and put on.
        changes = (tab.evaluate("posewire.avatars[0].dressings") - before) / 2
        self.assertGreater(changes, 0)
        self.assertLessEqual(changes, passed / 0.5 + 2)
        self.assertEqual(tab.faults, [])

    def test_a_page_that_is_opened_later_sees_the_same(self):
        self.set("skin", "dark")
        first = self.show()
        first.until(f"{CHOSEN}.skin === 'dark'")
        second = self.show(address="?look=skin=fair,top%20colour=moss")
        second.until(f"{CHOSEN}.skin === 'dark' && {CHOSEN}['top colour'] === 'moss'")
        self.assertEqual(second.faults, [])

    def test_the_viewer_chooses_for_this_page_alone(self):
        tab = self.show()
        tab.until("!document.getElementById('look-part').hidden")
        self.assertEqual(tab.evaluate("[...document.querySelectorAll('#look label')]"
                                      ".map((label) => label.firstChild.textContent)"),
                         ["skin", "hair", "hair colour", "top colour", "bottom colour"])
        tab.evaluate("""(() => {
            const select = document.querySelector("#look select");
            select.value = "brown";
            select.dispatchEvent(new Event("change"));
          })()""")
        tab.until(f"{CHOSEN}.skin === 'brown'")
        variables = self.client.control("ListVariables", stream_id=STREAM).variables
        self.assertEqual({v.value for v in variables if v.name == "skin"}, {"own"})
        self.assertEqual(tab.faults, [])

    def test_a_source_names_somebody_on_another_rig_and_nobody_unknown(self):
        file = with_file(self, small_person("vrm1"))
        tab = self.show("--avatar", f"anna={file}")
        self.assertEqual(tab.evaluate("posewire.avatars[0].layout.rig"), "hanim_loa3")

        def say(*flags):
            subprocess.run([f"{BIN}/a2f_source", "say", "Yes.", "--to", self.graph.address,
                            "--stream-id", STREAM, *flags], check=True, capture_output=True)
        say("--character", "anna")
        tab.until("posewire.avatars[0].model?.humanoid.length && "
                  "posewire.avatars[0].layout.rig === 'vrm'", 30)
        say("--character", "nobody")
        tab.until(f"{READY} && {NAME} === 'woman'", 30)
        self.assertEqual(tab.faults, [])

    def test_hair_swings_on_its_springs_and_bones_follow_their_constraints(self):
        file = with_file(self, swinging(small_person("vrm1")))
        tab = self.show("--avatar", file)
        self.client.control("SetGesture", stream_id=STREAM, gesture="wave")
        turned = """(name) => {
            const bone = posewire.avatars[0].model.byName.get(name), { x, y, z, w } = bone.quaternion;
            return 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w));
          }"""
        tab.until(f"({turned})('hair') > 0.3")
        tab.until(f"({turned})('twin') > 0.01")
        self.assertTrue(tab.evaluate("posewire.avatars[0].model.vrm !== null"))
        self.assertEqual(tab.evaluate("posewire.avatars[0].trouble"), "")
        self.assertEqual(tab.faults, [])

    def test_the_womans_hair_follows_her_head_and_settles(self):
        tab = self.show("--avatar", "woman", address="?look=hair=ponytail")
        # Her head turns within a tenth of a second of the poses' time, and stays.
        ends = tab.evaluate("""(() => {
            const { model } = posewire.avatars[0], head = model.byName.get("skullbase");
            const end = model.byName.get("hair_tail_5"), place = () =>
              head.worldToLocal(end.getWorldPosition(head.position.clone())).toArray();
            const out = [];
            for (let k = 0; k < 90; ++k) {
              const half = Math.min(k / 3, 1) * 0.4;
              head.quaternion.set(0, Math.sin(half), 0, Math.cos(half));
              model.springs.follow(1000 + k / 30);
              model.scene.updateMatrixWorld(true);
              out.push(place());
            }
            return out;
          })()""")
        self.assertGreater(max(math.dist(end, ends[0]) for end in ends), 0.02)
        for before, after in zip(ends[75:], ends[76:]):
            self.assertLess(math.dist(before, after), 0.0002)
        self.assertLess(math.dist(ends[-1], ends[0]), 0.005)
        self.assertEqual(tab.faults, [])

    def test_a_broken_vrm_part_is_told_and_the_file_shown(self):
        document, body = parts(small_person("vrm1"))
        del document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]["hips"]
        tab = self.show("--avatar", with_file(self, glb(document, body)))
        self.assertIn("VRM part cannot be read", tab.evaluate("posewire.avatars[0].model.note"))
        self.assertIn("VRM part cannot be read",
                      tab.evaluate("document.getElementById('log').textContent"))

    def test_a_picture_or_a_colour_stands_behind(self):
        row = b"\0" + bytes((200, 40, 10)) * 8
        chunk = lambda kind, data: (struct.pack(">I", len(data)) + kind + data +
                                    struct.pack(">I", zlib.crc32(kind + data)))
        png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) +
               chunk(b"IDAT", zlib.compress(row * 8)) + chunk(b"IEND", b""))
        corner = """(() => {
            const { stage } = posewire, gl = stage.renderer.getContext(), out = new Uint8Array(4);
            stage.render();
            gl.readPixels(4, gl.drawingBufferHeight - 4, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
            return [...out.slice(0, 3)];
          })()"""
        near = lambda a, b: max(abs(x - y) for x, y in zip(a, b)) <= 3
        tab = self.show("--background", with_file(self, png, ".png"))
        tab.until("posewire.stage.picture !== null")
        seen = tab.evaluate(corner)
        self.assertTrue(near(seen, (200, 40, 10)), seen)
        self.assertEqual(tab.faults, [])
        tab = self.show("--background", "#3264c8")
        seen = tab.evaluate(corner)
        self.assertTrue(near(seen, (50, 100, 200)), seen)
        own = self.show("--background", "#3264c8", address="?background=205020")
        seen = own.evaluate(corner)
        self.assertTrue(near(seen, (32, 80, 32)), seen)

    def test_avatars_of_one_file_share_what_it_has_and_move_on_their_own(self):
        for who in ("woman", with_file(self, small_person("vrm1"))):
            view = View(self.graph.address, "--stream-id", STREAM, "--stream-id", "other", "--avatar", who)
            self.addCleanup(view.stop)
            tab = self.browser.open(f"http://127.0.0.1:{view.http_port}/")
            tab.size(800, 600)
            tab.until("[0, 1].every((i) => window.posewire?.avatars[i]?.model)", 30)
            shared = tab.evaluate("""(() => {
                const [a, b] = posewire.avatars.map(({ model }) => model.softBodies);
                return a.length === b.length && a.map((body, i) => {
                  const { geometry: g } = body.mesh, { geometry: h } = b[i].mesh;
                  const same = Object.keys(g.attributes).filter((name) => g.attributes[name] === h.attributes[name]);
                  return [g !== h && g.index === h.index, body.skin === b[i].skin,
                    body.tracks.every(({ base, targets }, t) =>
                      base === b[i].tracks[t].base && targets === b[i].tracks[t].targets),
                    same.some((name) => name === "position" || name === "normal")];
                });
              })()""")
            self.assertTrue(shared)
            for body in shared:
                self.assertEqual(body, [True, True, True, False], who)
            self.client.control("SetGesture", stream_id=STREAM, gesture="wave")
            hand = "posewire.avatars[{}].bones.find(({{ name }}) => /^(r_wrist|RightHand)$/.test(name)).getWorldPosition(posewire.stage.way.clone()).y"
            tab.until(f"Math.abs({hand.format(0)} - {hand.format(1)}) > 0.15")
            self.assertEqual(tab.faults, [])
            tab.do("Page.close")

    def test_a_gltf_with_its_files_beside_it_is_shown(self):
        document, body = parts(small_person("mixamo"))
        with tempfile.TemporaryDirectory() as folder:
            document["buffers"][0]["uri"] = "person.bin"
            document["buffers"][0]["byteLength"] = len(body)
            (Path(folder) / "person.gltf").write_text(json.dumps(document))
            (Path(folder) / "person.bin").write_bytes(body)
            tab = self.show("--avatar", f"{folder}/person.gltf")
            self.assertGreater(tab.evaluate("posewire.avatars[0].model.humanoid.length"), 10)
            self.assertEqual(tab.evaluate(NAME), "person.gltf")
            (Path(folder) / "person.bin").unlink()
            gone = subprocess.run([f"{BIN}/renderer_sink", "view", "--avatar",
                                   f"{folder}/person.gltf", "--http", "127.0.0.1:0"],
                                  capture_output=True, text=True)
            self.assertEqual(gone.returncode, 2)
            self.assertIn("No such file", gone.stderr)
            self.assertIn("person.bin", gone.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
