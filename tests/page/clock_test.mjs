// An hour of a voice on clocks that drift, against the page's own clock and voice.
import assert from "node:assert";
import test from "node:test";
import { StreamClock } from "../../clients/typescript/src/link/clock.js";
import { Voice } from "../../services/renderer_sink/view/page/src/voice.js";

// A small generator, so that every run is the same.
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

// A sound card whose clock runs `rate` fast, and that hears what is scheduled.
class Card {
  constructor(rate) {
    this.rate = rate;
    this.currentTime = 0;
    this.heard = [];
  }

  at(now) { return 5 + now * this.rate; }
  createBuffer(channels, length, hz) {
    const data = new Float32Array(length);
    return { length, hz, getChannelData: () => data };
  }
  createBufferSource() {
    const source = { connect() {}, start: (when) => this.heard.push({ when, buffer: source.buffer }) };
    return source;
  }
}

// Runs a stream of 30 frames a second for `seconds`; `clocks` are how fast the server's and the
// card's clocks run, `delay` gives a frame's way through the network. Gives the worst distances of
// sound from picture, after a second of settling.
function run({ seconds, server, card: cardRate, delay, hz = 16000 }) {
  const clock = new StreamClock();
  const card = new Card(cardRate);
  const speaker = { context: card, offset: null, gain: {} };
  const voice = new Voice(speaker, clock);
  let worst = 0, gaps = 0, next = null, now = 0;
  const period = 1 / 30;
  for (let k = 0; k < seconds * 30; ++k) {
    const at = 1.7e9 + k * period;
    now = Math.max(now, 100 + (k * period) / server + delay(k));  // In order, as TCP brings them.
    card.currentTime = card.at(now);
    speaker.offset = card.currentTime - now;
    clock.arrived(at, now);
    clock.tick(now);
    const samples = new Int16Array(Math.round((k + 1) * hz / 30) - Math.round(k * hz / 30));
    voice.say(samples, at, hz);
    const piece = card.heard.pop();
    if (!piece) {
      next = null;
      continue;
    }
    // When the picture of this sound is shown, by the card's clock.
    const seen = clock.whenSeen(at) + speaker.offset;
    if (k > 30) worst = Math.max(worst, Math.abs(piece.when - seen));
    if (next !== null && Math.abs(piece.when - next) > 1e-9) gaps += 1;
    next = piece.when + piece.buffer.length / hz;
  }
  return { worst, gaps, late: voice.late, jumps: clock.jumps, delay: clock.delay() };
}

test("lips stay within 40 ms of the sound for an hour, without a seam, whatever drifts", () => {
  for (const [server, card] of [[1, 1], [1.0002, 1], [0.9998, 1.0003], [1, 0.9997], [1.0005, 0.9995]]) {
    const next = random(7);
    const found = run({ seconds: 3600, server, card, delay: () => 0.002 + 0.015 * next() ** 4 });
    assert.ok(found.worst < 0.04, `${server} ${card}: ${found.worst} s`);
    assert.strictEqual(found.gaps, 0);
    assert.strictEqual(found.late, 0);
    assert.strictEqual(found.jumps, 0);
    assert.ok(found.delay < 0.1, `${found.delay} s of delay`);
  }
});

test("jitter is waited for, and forgotten when it is over", () => {
  const next = random(3);
  const delay = (k) => (k < 900 ? 0.2 * next() : 0.002);
  const rough = run({ seconds: 29, server: 1, card: 1, delay });
  assert.ok(rough.delay > 0.2 && rough.delay < 0.3, `${rough.delay}`);
  const calm = run({ seconds: 60, server: 1, card: 1, delay });
  assert.ok(calm.delay < 0.1, `${calm.delay}`);
  assert.strictEqual(calm.jumps, 0);
});

test("after a break the clock jumps once and the voice goes on", () => {
  // The network holds everything back for three seconds, then all comes at once.
  const delay = (k) => (k >= 300 && k < 390 ? (390 - k) / 30 + 0.002 : 0.002);
  const found = run({ seconds: 30, server: 1, card: 1, delay });
  assert.ok(found.worst < 0.04);
  assert.ok(found.gaps + found.jumps <= 3, JSON.stringify(found));
});

test("a piece that is stretched keeps its ends", () => {
  const voice = new Voice({}, {});
  const samples = Int16Array.from({ length: 400 }, (_, i) => Math.round(8000 * Math.sin(i / 20)));
  for (const length of [398, 400, 402]) {
    const out = new Float32Array(length);
    voice.tail = 0;
    voice.fill(samples, out);
    assert.ok(Math.abs(out[length - 1] - samples[399] / 32768) < 1e-6);
    for (let i = 1; i < length; ++i) assert.ok(Math.abs(out[i] - out[i - 1]) < 0.02);
  }
});

test("a page that stood still as it began soon shows the present", () => {
  const clock = new StreamClock();
  for (let k = 0; k < 300; ++k) {
    // What came in the first 4 s waits for the page, 10 ms a frame; then all is caught up.
    const sent = k / 30;
    const now = Math.max(sent + 0.01, 4 + 0.01 * k);
    clock.arrived(100 + sent, now);
    clock.tick(now);
  }
  assert(clock.jitter() < 0.2, `${clock.jitter()} s of jitter`);
  assert(clock.delay() < 0.3, `${clock.delay()} s of delay`);
});
