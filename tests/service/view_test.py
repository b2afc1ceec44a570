"""The page of renderer_sink view in headless Chromium, against the running pipeline.

Pictures are kept in build/view (or $POSEWIRE_PICTURES) to be looked at.
"""

import json
import math
import os
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from browser import Browser
from http_client import Http
from posewire_test import BIN, Client, Server, clip, header, until

PICTURES = Path(os.environ.get("POSEWIRE_PICTURES") or
                Path(__file__).resolve().parents[2] / "build" / "view")
STREAM = "seen"
FLAGS = ("--graph", "default")


# How far the pictures of the widest and the narrowest mouth of the last seconds differ, of 255: around
# the mouth, and at the forehead. Both are taken with the camera before the face.
PIXELS = """(() => {
  const avatar = posewire.avatars[0], stage = posewire.stage, gl = stage.renderer.getContext();
  const jaw = avatar.shapeIndex.get("jawopen"), last = avatar.ring.last().at;
  // A pair of frames within half a second, in which the head moves little.
  const frames = avatar.ring.frames.filter((f) => f.at > last - 3 && f.weights)
    .sort((a, b) => a.weights[jaw] - b.weights[jaw]);
  const open = frames[frames.length - 1];
  const closed = frames.find((f) => Math.abs(f.at - open.at) < 0.5);
  const at = stage.camera.position.clone();
  const boxOf = (low, high) => {
    const head = avatar.headAt(), corners = [[-0.025, low], [0.025, high]].map(([x, y]) => {
      at.set(head.x + x, head.y + y, head.z + 0.1).project(stage.camera);
      return [(at.x + 1) / 2 * gl.drawingBufferWidth, (at.y + 1) / 2 * gl.drawingBufferHeight];
    }).map(([x, y]) => [Math.round(x), Math.round(y)]);
    return [...corners[0], corners[1][0] - corners[0][0], corners[1][1] - corners[0][1]];
  };
  const pixels = ([x, y, width, height]) => {
    const out = new Uint8Array(width * height * 4);
    gl.readPixels(x, y, width, height, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return out;
  };
  const sizes = [];  // of the boxes, which follow the head
  const look = ({ at: time }) => {
    avatar.pausedAt = time;
    avatar.update(performance.now() / 1000);
    stage.look("face", avatar);
    stage.flight.began = -1e6;
    stage.render();
    const boxes = [boxOf(-0.085, -0.035), boxOf(0.055, 0.085)];
    if (!sizes.length) sizes.push(...boxes.map((box) => box.slice(2)));
    return boxes.map(([x, y], i) => pixels([x, y, ...sizes[i]]));
  };
  const shut = look(closed), wide = look(open);
  avatar.pausedAt = null;
  return shut.map((box, i) => box.reduce((sum, v, k) => sum + Math.abs(v - wide[i][k]), 0) / box.length);
})()"""


class View(Server):
    """renderer_sink view, ready when it serves."""

    def __init__(self, address, *args):
        super().__init__("renderer_sink", "view", "--from", address, "--http", "127.0.0.1:0", *args)


def speech(client, request, seconds):
    """Jaw and voice that open and close together, twice a second; the wrist stays the graph's."""
    rate, frames = 16000, int(seconds * 30)
    m = header(client, STREAM, request, shapes=["jawOpen"], joints=[])
    yield m
    for k in range(frames):
        m = client.stream_message()
        t = k / 30
        loud = 0.5 - 0.5 * math.cos(4 * math.pi * t)
        m.animation_data.skel_animation.blend_shape_weights.add(time_code=t).values.append(0.8 * loud)
        begin, end = k * rate // 30, (k + 1) * rate // 30
        m.animation_data.audio.time_code = begin / rate
        m.animation_data.audio.audio_buffer = struct.pack(
            f"<{end - begin}h", *(int(9000 * loud * math.sin(2 * math.pi * 220 * n / rate))
                                  for n in range(begin, end)))
        yield m


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.graph = Server("anim_graph", *FLAGS)
        cls.client = Client(cls.graph.address)
        cls.view = View(cls.graph.address, "--stream-id", STREAM)
        cls.browser = Browser()
        cls.tab = cls.browser.open(f"http://127.0.0.1:{cls.view.http_port}/")
        cls.tab.size(960, 640)
        cls.tab.until("window.posewire && posewire.probe().avatars[0]?.at", 30)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.client.close()
        code = cls.view.stop()
        cls.graph.stop()
        assert code == 0, f"renderer_sink ended with {code}: {cls.view.log_text()[-2000:]}"

    def probe(self):
        return self.tab.evaluate("posewire.probe()")["avatars"][0]

    def look(self, name):
        """Until the camera has arrived."""
        self.tab.evaluate(f"posewire.look('{name}')")
        self.tab.until("posewire.stage.flight === null")

    def picture(self, name):
        self.tab.picture(PICTURES / f"{name}.png")

    def test_1_the_jaw_opens_with_jaw_open_and_the_voice_sounds(self):
        self.tab.evaluate("posewire.sound(true); posewire.look('face')", gesture=True)
        self.client.push(list(speech(self.client, "speech", 4)))
        self.tab.until("posewire.probe().avatars[0].jawOpen > 0.3")
        seen = self.tab.evaluate("""new Promise((done) => {
            const seen = [], began = performance.now();
            const look = () => {
              const p = posewire.probe(), a = p.avatars[0];
              seen.push([a.jawOpen, a.mouth_m, p.sound, a.at]);
              if (performance.now() - began < 2500) setTimeout(look, 40); else done(seen);
            };
            look();
          })""")
        jaws = [jaw for jaw, _, _, _ in seen]
        self.assertGreater(max(jaws), 0.6)
        self.assertLess(min(jaws), 0.2)
        self.assertIsNone(self.tab.evaluate("posewire.avatars[0].model.shapes.arkitMouth"),
                          "the built-in avatar's mouthClose is ACE's")
        wide = max(seen)[1]
        shut = min(seen)[1]
        self.assertGreater(wide, 1.5 * shut + 1e-4, "the mouth follows jawOpen")
        self.assertGreater(max(s[2] or 0 for s in seen), 0.02, "the AudioContext is silent")
        self.assertEqual([s[3] for s in seen], sorted(s[3] for s in seen), "time goes on")
        self.picture("speech")
        mouth, forehead = self.tab.evaluate(PIXELS)
        self.assertGreater(mouth, 10, "the mouth looks the same, open and shut")
        self.assertGreater(mouth, 2 * forehead, "all of the face changes with the mouth")

    def test_2_lips_and_sound_stay_together(self):
        self.client.push(list(speech(self.client, "lips", 3)))
        self.tab.until("posewire.probe().sound > 0.02")
        self.tab.until(f"posewire.probe().avatars[0].at > {self.probe()['at']} + 1.2")
        self.assertLess(abs(self.probe()["av_error_s"]), 0.04)

    def test_3_a_gesture_moves_the_body(self):
        self.tab.evaluate("posewire.look('body')")
        before = self.probe()["wrist"]
        self.tab.until("Boolean(document.querySelector('#gestures [data-name=wave]'))")
        self.tab.evaluate("document.querySelector('#gestures [data-name=wave]').click()")
        self.tab.until(f"posewire.probe().avatars[0].wrist[1] > {before[1]} + 0.25")
        self.picture("gesture")
        self.tab.until("document.querySelector('#log').textContent.includes('gesture started')")

    def test_4_a_variable_set_on_the_page_reaches_the_graph(self):
        self.tab.until("Boolean(document.getElementById('variable-posture_state')?.options.length)")
        values = self.tab.evaluate(
            "[...document.getElementById('variable-posture_state').options].map((o) => o.value)")
        now = self.tab.evaluate("document.getElementById('variable-posture_state').value")
        other = next(v for v in values if v != now)
        self.tab.evaluate(f"""(() => {{
            const field = document.getElementById('variable-posture_state');
            field.value = {json.dumps(other)};
            field.dispatchEvent(new Event('change'));
          }})()""")

        def value():
            reply = self.client.control("ListVariables", stream_id=STREAM)
            return {v.name: v.value for v in reply.variables}["posture_state"]
        until(lambda: value() == other)
        self.assertEqual(value(), other)

    def test_5_it_pauses_scrubs_and_comes_back_to_live(self):
        self.tab.evaluate("document.getElementById('pause').click()")
        held = self.probe()["at"]
        self.tab.evaluate("new Promise((done) => setTimeout(done, 300))")  # of which nothing is shown
        self.assertEqual(self.probe()["at"], held)
        self.tab.evaluate("posewire.past.scrub(-3)")
        self.tab.until(f"posewire.probe().avatars[0].at < {held}")
        # What is older than all that is held stays in view as it was.
        self.assertEqual(self.tab.evaluate("""(() => {
            const avatar = posewire.avatars[0], before = avatar.pose.from;
            avatar.pausedAt = avatar.ring.first().at - 5;
            return [avatar.update(performance.now() / 1000), avatar.pose.from === before];
          })()"""), [False, True])
        self.tab.evaluate("document.getElementById('live').click()")
        self.tab.until(f"posewire.probe().avatars[0].at > {held} + 0.3")

    def test_5_the_past_is_played_with_its_voice(self):
        back = self.tab.evaluate("""(() => {
            const { ring } = posewire.avatars[0], first = ring.first().at;
            const loud = ring.frames.find((f) => f.at >= first && f.voice &&
              f.voice.some((v) => Math.abs(v) > 4000));
            return loud.at - ring.last().at;
          })()""")
        quiet = ("new Promise((done) => setTimeout(done, 400)).then(() => "
                 "posewire.probe().sound < 0.001)")
        self.tab.evaluate(f"posewire.past.scrub({back})")
        self.assertTrue(self.tab.evaluate(quiet), "what is held sounds")
        held = self.probe()["at"]
        self.tab.evaluate("document.getElementById('pause').click()")
        self.tab.until("posewire.probe().sound > 0.02")
        self.tab.until(f"posewire.probe().avatars[0].at > {held} + 0.5")
        behind = self.tab.evaluate(
            "posewire.avatars[0].ring.last().at - posewire.probe().avatars[0].at")
        self.assertAlmostEqual(behind, -back, delta=1.5)
        self.tab.evaluate("document.getElementById('pause').click()")
        self.assertTrue(self.tab.evaluate(quiet), "what is held again sounds")
        self.tab.evaluate("document.getElementById('live').click()")
        self.tab.until(f"posewire.probe().avatars[0].at > {held} - {back} + 0.3")

    def test_6_what_was_recorded_can_be_read(self):
        self.tab.evaluate("document.getElementById('record').click()")
        self.tab.until(f"posewire.probe().avatars[0].at > {self.probe()['at']} + 1.2")
        self.tab.evaluate("document.getElementById('record').click()")
        link = self.tab.evaluate("document.getElementById('save-jsonl').getAttribute('href')")
        status, headers, body = Http(self.view.http_port).raw("GET", link)
        self.assertEqual(status, 200)
        lines = [json.loads(line) for line in body.decode().splitlines()]
        self.assertIn("animationDataStreamHeader", lines[0])
        poses = [line for line in lines if "animationData" in line]
        self.assertGreater(len(poses), 15)
        with tempfile.TemporaryDirectory() as folder:
            self.tab.do("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder,
                        browserContextId=self.browser.context)
            self.tab.evaluate("document.getElementById('save-jsonl').click()")
            until(lambda: list(Path(folder).glob("*.jsonl")))
            saved, = Path(folder).glob("*.jsonl")
            self.assertRegex(saved.name, rf"^{STREAM}-\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d\.jsonl$")
            self.assertEqual(saved.read_bytes(), body)
        status, _, wav = Http(self.view.http_port).raw("GET", link.replace("jsonl", "wav"))
        self.assertEqual((status, wav[:4]), (200, b"RIFF"))
        self.assertEqual(self.tab.evaluate("document.getElementById('save-note').textContent"), "")
        for kind, begins in (("glb", b"glTF"), ("vrma", b"glTF"), ("bvh", b"HIERARCHY")):
            status, _, body = Http(self.view.http_port).raw("GET", link.replace("jsonl", kind))
            self.assertEqual((status, body[:len(begins)]), (200, begins), kind)
            with tempfile.NamedTemporaryFile(suffix=f".{kind}") as file:
                file.write(body)
                file.flush()
                said = subprocess.run([f"{BIN}/animclip", "validate", file.name],
                                      capture_output=True, text=True)
                self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        # What the server has to say against it is said.
        self.tab.evaluate("posewire.saves.offer(0, 'a b', 1, 2); document.getElementById('save-wav').click()")
        self.tab.until("document.getElementById('save-note').textContent.includes('a_b-1970')")
        self.picture("download")
        said = json.loads(Http(self.view.http_port).raw("GET", "/avatars/0/clip.wav?from=1&to=2")[2])
        self.assertIn(said["error"], self.tab.evaluate("document.getElementById('log').textContent"))
        self.tab.faults[:] = [f for f in self.tab.faults if "clip.wav" not in f]
        self.assertEqual(Http(self.view.http_port).raw("GET", "/avatars/7/clip.wav")[0], 404)
        self.assertEqual(Http(self.view.http_port).raw("GET", "/avatars/0/clip.mp3")[0], 400)

    def test_6b_a_film_is_drawn_of_what_was_recorded(self):
        can = shutil.which("ffmpeg") is not None
        self.assertEqual(self.tab.evaluate("document.getElementById('save-mp4').hidden"), not can)
        if not can:
            self.skipTest("no ffmpeg")
        with tempfile.TemporaryDirectory() as folder:
            self.tab.do("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder,
                        browserContextId=self.browser.context)
            self.tab.evaluate("(({ at }) => posewire.saves.offer(0, 'film', at - 0.7, at))("
                              "posewire.avatars[0].ring.last())")
            self.tab.evaluate("document.getElementById('save-mp4').click()")
            self.assertTrue(until(lambda: list(Path(folder).glob("*.mp4")), 120))
            film, = Path(folder).glob("*.mp4")
            shown = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_type",
                                    "-of", "csv=p=0", film], capture_output=True, text=True).stdout
        self.assertEqual(set(shown.split()), {"video", "audio"})
        self.assertEqual(self.tab.evaluate("document.getElementById('save-note').textContent"), "")

    def test_7_it_comes_back_when_anim_graph_was_killed(self):
        port = self.graph.port
        self.graph.process.kill()
        self.graph.process.wait()
        self.tab.until("posewire.probe().avatars[0].state === 'lost'")
        self.picture("lost")
        last = self.probe()["at"]
        self.graph.stop()
        type(self).graph = Server("anim_graph", "--listen", f"127.0.0.1:{port}", *FLAGS)
        self.tab.until("posewire.probe().avatars[0].state === 'connected'")
        self.tab.until(f"posewire.probe().avatars[0].at > {last} + 0.2")

    def test_6_a_page_that_slept_comes_back_to_the_present_without_a_burst(self):
        before = self.probe()
        # Nothing of it runs, and all that came meanwhile comes at once.
        self.tab.evaluate("(() => { const until = Date.now() + 2500; while (Date.now() < until); })()")
        self.tab.until(f"posewire.probe().avatars[0].at > {before['at']} + 2")
        after = self.probe()
        self.assertLess(time.time() - after["at"], 2.5)
        self.assertEqual(after["lost"], before["lost"])
        self.assertLessEqual(after["jumps"] - before["jumps"], 2)
        self.assertLess(after["voice_starts"] - before["voice_starts"], 6)

    def test_6_a_canvas_of_another_size_is_drawn_before_it_is_shown(self):
        black, sizes = self.tab.evaluate("""new Promise((done) => {
            const { stage } = posewire, gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
            const box = stage.canvas.parentElement, black = [], sizes = new Set();
            const look = (what) => {  // before the browser shows what has been drawn
              gl.readPixels(4, gl.drawingBufferHeight - 4, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
              sizes.add(gl.drawingBufferWidth);
              if (pixel[0] + pixel[1] + pixel[2] < 40) black.push(what);
            };
            let i = 0;
            // The page's own observer is older, and is called before this one.
            const observer = new ResizeObserver(() => {
              if (i > 0) look(box.style.maxWidth);  // at first nothing has changed
              if (++i > 12) {
                observer.disconnect();
                for (let level = 1; level < stage.levels.length; ++level) {
                  stage.setLevel(level, false);
                  look(`level ${level}`);
                }
                box.style.maxWidth = "";
                stage.setLevel(0, true);
                done([black, sizes.size]);
              } else {
                box.style.maxWidth = `${420 + 13 * i}px`;
              }
            });
            observer.observe(box);
          })""")
        self.assertEqual(black, [])
        self.assertGreaterEqual(sizes, 12)

    def eyes_and_feet(self):
        """Where eyes are in the part of the picture without tools, from its top; and how far feet are
        above the tools, in the page's pixels."""
        return self.tab.evaluate("""(() => {
            const { stage, avatars: [avatar] } = posewire, { camera } = stage;
            const { clientHeight: high } = stage.canvas.parentElement, [top, bottom] = stage.covered();
            const downOf = (place) => (0.5 - place.project(camera).y / 2) * high;
            const toes = avatar.root.position.clone();
            toes.z += 0.15;
            return [(downOf(avatar.eyesAt()) - top) / (high - top - bottom),
                    high - bottom - downOf(toes)];
          })()""")

    def test_6_a_bust_has_its_eyes_at_the_upper_third_and_a_body_its_feet_above_the_time(self):
        for size in ((960, 640, 1, False), (390, 844, 2, True)):
            self.tab.size(*size)
            self.tab.until(f"innerWidth === {size[0]}")
            self.look("bust")
            self.assertAlmostEqual(self.eyes_and_feet()[0], 1 / 3, delta=0.03)
            self.look("body")
            self.assertGreater(self.eyes_and_feet()[1], 0)
        self.look("face")
        wide = self.tab.evaluate("""(() => {
            const { stage, avatars: [avatar] } = posewire, at = avatar.eyesAt();
            const side = at.clone();
            side.x += avatar.headHeight / 2;  // half a head: from the middle to where hair may end
            return side.project(stage.camera).x - at.project(stage.camera).x;
          })()""")
        self.assertGreater(wide, 0.75, "the face leaves a phone's width empty")
        self.assertLess(wide, 1.3)
        self.picture("phone_face")
        self.tab.size(960, 640)
        self.tab.until("innerWidth === 960")

    def test_4_what_is_tried_first_comes_first_in_plain_words(self):
        self.tab.until("document.querySelectorAll('#first button').length === 6")
        names = "[...document.querySelectorAll('{} button')].map((button) => button.textContent)"
        self.assertEqual(self.tab.evaluate(names.format("#first")),
                         ["wave", "smile", "nod", "think", "shrug", "thumbs up"])
        for chips in ("#gestures", "#faces"):
            shown = self.tab.evaluate(names.format(chips))
            self.assertGreater(len(shown), 10)
            self.assertEqual([name for name in shown if "_" in name], [])

        def face():
            reply = self.client.control("ListVariables", stream_id=STREAM)
            return {v.name: v.value for v in reply.variables}["facial_gesture_state"]
        smile = "document.querySelector('#first [data-name=smile]')"
        self.tab.evaluate(f"{smile}.click()")
        self.assertTrue(until(lambda: face().lower() == "smile"))
        self.tab.until(f"{smile}.classList.contains('playing')")
        self.picture("smile")
        self.tab.evaluate(f"{smile}.click()")
        self.assertTrue(until(lambda: face() == "none"))
        for theme in ("light", "dark"):
            self.tab.evaluate(f"posewire.setTheme('{theme}')")
            self.assertEqual(self.tab.evaluate(
                "getComputedStyle(document.getElementById('pointer-user')).colorScheme"), theme)

    def test_6_the_camera_is_turned_and_moved_by_keys(self):
        self.look("bust")
        look = """(() => {
            const { camera, orbit, preset } = posewire.stage;
            const way = camera.position.clone().sub(orbit.target), far = way.length();
            return [Math.atan2(way.x, way.z), Math.acos(way.y / far), far, preset];
          })()"""
        before = self.tab.evaluate(look)
        self.assertEqual(before[3], "bust")
        for key in ("d", "w", "+"):
            self.tab.do("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.tab.do("Input.dispatchKeyEvent", type="keyUp", key=key)
        after = self.tab.evaluate(look)
        self.assertAlmostEqual(after[0] - before[0], 0.12, delta=0.02)
        self.assertLess(after[1], before[1] - 0.05)
        self.assertAlmostEqual(before[2] / after[2], 1.12, delta=0.02)
        self.assertIsNone(after[3])
        self.assertIsNone(self.tab.evaluate("document.querySelector('[data-look].on')"))
        self.tab.evaluate("posewire.look('body')")

    def test_6_the_streams_own_camera_can_be_looked_through(self):
        self.client.control("SetVariable", stream_id=STREAM, name="shot_state", value="close_up")
        self.tab.until("!document.getElementById('shot').hidden")
        self.tab.evaluate("document.getElementById('shot').click()")
        self.tab.until("""(() => {
            const view = posewire.avatars[0].pose.camera, camera = posewire.stage.camera;
            const at = camera.position.toArray(), x = posewire.avatars[0].root.position.x;
            return view && Math.hypot(at[0] - view[0] - x, at[1] - view[1], at[2] - view[2]) < 0.02;
          })()""")
        self.picture("shot")
        self.tab.evaluate("posewire.look('body')")

    def test_8_every_pane_is_shown_in_dark_and_light_and_on_a_phone(self):
        for pane in ("control", "face", "curves", "health", "log"):
            self.tab.evaluate(f"document.getElementById('tab-{pane}').click()")
            self.tab.until(f"!document.getElementById('pane-{pane}').hidden")
            self.tab.until(
                f"document.getElementById('pane-{pane}').textContent.trim().length > 10")
            if pane in ("face", "health"):
                self.picture(pane)
        self.tab.evaluate("posewire.setTheme('light'); document.getElementById('skeleton').click()")
        self.picture("light")
        self.tab.size(390, 844, 2, True)
        self.look("bust")
        self.picture("phone")
        self.assertEqual(self.tab.evaluate("document.documentElement.scrollWidth"), 390)

    def test_9_nothing_was_wrong_and_nothing_came_from_elsewhere(self):
        self.assertEqual(self.tab.faults, [])
        loaded = self.tab.evaluate(
            "performance.getEntriesByType('resource').map((entry) => new URL(entry.name).host)")
        self.assertEqual({host for host in loaded if host}, {f"127.0.0.1:{self.view.http_port}"})


class SayTest(unittest.TestCase):
    """Texts that are typed on the page are spoken by a source that serves."""

    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.graph = Server("anim_graph", *FLAGS)
        cls.source = Server("a2f_source", "serve", "--to", cls.graph.address)
        cls.view = View(cls.graph.address, "--stream-id", STREAM, "--say-to", cls.source.address)
        cls.browser = Browser()
        cls.tab = cls.browser.open(f"http://127.0.0.1:{cls.view.http_port}/")
        cls.tab.size(960, 640)
        cls.tab.until("window.posewire && posewire.probe().avatars[0]?.model", 30)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        for server in (cls.view, cls.source, cls.graph):
            server.stop()

    def type(self, text):
        """As a person does: into the field, and Enter."""
        self.tab.evaluate("document.getElementById('say-text').focus()")
        self.tab.do("Input.insertText", text=text)
        for kind in ("keyDown", "keyUp"):
            self.tab.do("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter",
                        windowsVirtualKeyCode=13, text="\r")

    def test_1_a_text_that_is_typed_moves_the_jaw_and_sounds(self):
        self.tab.until("!document.getElementById('say-part').hidden && "
                       "document.getElementById('say-voice').options.length === 3")
        self.tab.evaluate("posewire.sound(true)", gesture=True)
        self.assertLess(self.tab.evaluate("posewire.probe().avatars[0].jawOpen"), 0.1)
        self.type("Hello, you who are typing here. It is good to hear from you.")
        self.tab.until("posewire.probe().avatars[0].jawOpen > 0.15 && posewire.probe().sound > 0.01")
        self.tab.picture(PICTURES / "say.png")
        self.tab.until("document.getElementById('say-text').value === ''")
        self.assertEqual(self.tab.evaluate("document.getElementById('say-note').textContent"), "")

    def test_2_what_is_being_said_can_be_stopped(self):
        requests = "document.getElementById('requests').textContent"
        self.type("This is a text that goes on for much longer than anybody wants to wait for it.")
        self.type("And so does another text.")
        self.tab.until("document.getElementById('say-note').textContent.startsWith('Will be said')")
        self.tab.until(f"{requests}.includes('playing')")
        # Both have been answered: a text that is stopped before that is a request that failed.
        self.tab.until("document.getElementById('say-text').value === '' && "
                       "!document.getElementById('say-go').disabled")
        self.tab.evaluate("document.getElementById('say-stop').click()")
        self.tab.until(f"{requests}.startsWith('Nothing is being said')", 4)

    def test_3_what_is_wrong_is_said(self):
        note = "document.getElementById('say-note')"
        self.assertEqual(self.tab.faults, [])
        self.type("\u2603")
        self.tab.until(f"{note}.textContent.includes('nothing in it can be spoken')")
        self.tab.evaluate("document.getElementById('say-text').value = 'a'.repeat(5000)")
        self.tab.evaluate("document.getElementById('say-go').click()")
        self.assertIn("5000 bytes; at most 4096", self.tab.evaluate(f"{note}.textContent"))
        self.tab.evaluate("document.getElementById('say-text').value = ''")
        self.source.stop()
        self.type("Nobody is there.")
        self.tab.until(f"{note}.textContent.includes('does not answer') && "
                       f"{note}.classList.contains('bad')")
        self.tab.picture(PICTURES / "say_gone.png")
        type(self).source = Server("a2f_source", "serve", "--to", self.graph.address,
                                   "--listen", self.source.address)
        # Tried again until it is heard; there is nothing to say once the text has been taken.
        self.tab.until("(document.getElementById('say-go').click(), "
                       "posewire.probe().avatars[0].jawOpen > 0.15)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
