// What the page makes of its address, of request ids, and of time: words and marks.
import assert from "node:assert";
import test from "node:test";
import { nameOf } from "../../services/renderer_sink/view/page/src/saves.js";
import { marksOf } from "../../services/renderer_sink/view/page/src/scale.js";
import { backgroundOf, settingsOf } from "../../services/renderer_sink/view/page/src/settings.js";
import { Texts, plainName } from "../../services/renderer_sink/view/page/src/texts.js";
import { newId } from "../../clients/typescript/src/ids.js";

test("the address says what is shown, and what it does not know is left out", () => {
  assert.deepEqual(settingsOf("?stage&stream=a%20b&camera=face&background=fff&muted&theme=light&look=hair%3Dlong,skin=dark&offsets=none"),
    { stage: true, stream: "a b", camera: "face", background: "#ffffff", muted: true, theme: "light", plain: true,
      look: { hair: "long", skin: "dark" }, wrong: [] });
  assert.deepEqual(settingsOf("?camera=moon&background=blue&theme=green&stream=&look=long&offsets=all"),
    { stage: false, stream: null, camera: null, background: null, muted: false, theme: null, look: {}, plain: false, wrong: [
      'camera is "moon"; face, bust, body or together is right',
      'background is "blue"; none or a colour such as 202830 is right',
      'look is "long"; choices such as hair=long,skin=dark is right',
      'offsets is "all"; none is right',
      'theme is "green"; dark or light is right'] });
  assert.equal(backgroundOf("none"), "none");
  assert.equal(backgroundOf("#20A0ff"), "#20a0ff");
});

test("a request is called by its text, else by the beginning of its id", () => {
  const texts = new Texts();
  const id = newId();
  assert.match(id, /^page-[0-9a-f]{16}$/);
  assert.notEqual(id, newId());
  assert.equal(texts.nameOf("9b2c7c1e-3f51-4dd5-9d6a-000000000000"), "9b2c7c1e\u2026");
  assert.equal(texts.nameOf("short"), "short");
  texts.remember(id, "Hello there.");
  assert.equal(texts.inWords(`request_id "${id}" starts at code 3`, id), "\u201cHello there.\u201d starts at code 3");
  texts.remember("long", "x".repeat(100));
  assert.equal(texts.nameOf("long").length, 62);
  for (let i = 0; i < 1000; ++i) texts.remember(`r${i}`, "t");
  assert.ok(texts.byId.size <= 200);
});

test("names of the graph are shown in plain words", () => {
  assert.deepEqual(["thumbs_up", "facial_gesture_state", "Attentive", "Pointing_To_Self", "talk_beat_1", "topColour", "own"]
    .map(plainName),
  ["thumbs up", "facial gesture", "attentive", "pointing to self", "talk beat 1", "top colour", "original"]);
  const texts = new Texts();
  const long = "word ".repeat(40);
  texts.remember("a", long);
  assert.equal(texts.textOf("a"), long);
  assert.equal(texts.textOf("b"), "");
});

test("the marks of the scrubber fit and end with now", () => {
  for (const span of [1, 3, 7, 20, 45, 60]) {
    for (const width of [60, 120, 400, 900]) {
      const marks = marksOf(span, width);
      assert.equal(marks[marks.length - 1], 0);
      assert.ok(marks.length <= Math.max(1, Math.floor(width / 46)) + 1, `${span} s, ${width} px`);
      assert.ok(marks.every((mark) => mark <= span));
    }
  }
});

test("what is saved is called by its stream and its time", () => {
  const at = new Date(2026, 10, 3, 4, 5, 6).getTime() / 1000;
  assert.equal(nameOf("kiosk", at), "kiosk-2026-11-03T04-05-06");
  assert.equal(nameOf("../a b\u00e4", at), ".._a_b_-2026-11-03T04-05-06");
});
