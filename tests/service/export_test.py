"""animclip export: characters as other programs get them. Khronos' validator reads the GLBs, and each
format is drawn next to the original. Pictures are kept in build/export (or $POSEWIRE_PICTURES) to be
looked at.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from fit_test import MODULES, ROOT, run
from render_test import png_pixels
from small_person import small_person

PICTURES = Path(os.environ.get("POSEWIRE_PICTURES", ROOT / "build/export"))


class ExportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        Path(cls.folder, "person.vrm").write_bytes(small_person("vrm1"))

    def export(self, *words, code=0):
        return run("animclip", "export", *words, cwd=self.folder, code=code)

    @unittest.skipUnless(os.path.isdir(MODULES) and shutil.which("node"),
                         "build/tools/gltf_validator is not there")
    def test_khronos_validator_finds_no_fault(self):
        self.export("woman", "woman.glb")
        self.export("man", "take.glb", "--clip", "wave")
        self.export("person.vrm", "person.glb", "--clip", "wave")
        done = subprocess.run(["node", ROOT / "tests/service/check_gltf.js", "woman.glb", "take.glb",
                               "person.glb"], cwd=self.folder, env={**os.environ, "NODE_PATH": MODULES},
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        for file, found in json.loads(done.stdout).items():
            bad = [one for one in found if one["code"] not in (
                # Normal maps without tangents and a picture of 96 pixels, as in the woman's own file.
                "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", "IMAGE_NPOT_DIMENSIONS")]
            self.assertEqual(bad, [], file)

    def test_each_format_looks_like_the_original(self):
        run("animclip", "gestures", "--out", self.folder, cwd=self.folder)
        take = next(Path(self.folder).glob("wave.*"))
        shown = {}
        for who in ("woman", "woman.glb", "woman.usda", "woman.x3d"):
            if who != "woman":
                self.export("woman", who)
            picture = PICTURES / f"{who}.png"
            run("renderer_sink", "render", str(take), str(picture), "--avatar", who, "--at", "1",
                "--camera", "body", "--size", "240x320", cwd=self.folder)
            shown[who] = png_pixels(picture)
        for who in ("woman.glb", "woman.usda", "woman.x3d"):
            pairs = list(zip(shown["woman"], shown[who]))
            apart = sum(abs(x - y) for a, b in pairs for x, y in zip(a[:3], b[:3])) / (3 * len(pairs))
            self.assertLess(apart, 0.5 if who == "woman.glb" else 2.5, who)

    def test_errors_say_what_would_be_right(self):
        self.assertIn("expected a name that ends in .glb, .usda or .x3d",
                      self.export("woman", "x.fbx", code=1).stderr)
        self.assertIn("usdcat x.usda -o x.usdc", self.export("woman", "x.usdc", code=1).stderr)
        self.assertIn("no_such.glb: cannot open", self.export("no_such.glb", "x.glb", code=1).stderr)
        self.assertEqual(list(Path(self.folder).glob("x.*")), [])


if __name__ == "__main__":
    unittest.main()
