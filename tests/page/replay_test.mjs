// The past, played: its voice lies where its picture does, and silence comes at once.
import assert from "node:assert";
import test from "node:test";
import { Ring } from "../../clients/typescript/src/link/frames.js";
import { Replay } from "../../services/renderer_sink/view/page/src/replay.js";

const HZ = 16000, EPOCH_S = 1000;

// A sound card that is 5 s ahead of the page's clock.
class Card {
  constructor() {
    this.currentTime = 0;
    this.heard = [];
  }
  createBuffer(channels, length, hz) {
    const data = new Float32Array(length);
    return { length, hz, getChannelData: () => data };
  }
  createBufferSource() {
    const source = {
      connect() {},
      start: (when) => this.heard.push({ when, data: source.buffer.getChannelData(0), source }),
      stop: () => { source.stopped = true; },
    };
    return source;
  }
}

// Ten seconds of 30 frames a second, whose samples count up; each piece comes 0.1 s before its pose.
function past() {
  const ring = new Ring();
  for (let k = 0; k < 300; ++k) {
    const begin = Math.floor(k * HZ / 30), end = Math.floor((k + 1) * HZ / 30);
    const voice = Int16Array.from({ length: end - begin }, (_, i) => (begin + i) % 32000);
    ring.push({ at: EPOCH_S + k / 30 - 0.1, voice, voiceAt: EPOCH_S + begin / HZ });
  }
  return { ring, layout: { audio_hz: HZ }, index: 0 };
}

function play(from, seconds, avatar = past()) {
  const card = new Card();
  const speaker = { context: card, offset: 5, running: true, latency: 0.02, gain: null };
  const replay = new Replay(speaker);
  replay.start(from, 20);
  let at = from;
  for (let now = 20; now < 20 + seconds; now += 1 / 60) {
    card.currentTime = now + 5;
    const before = at;
    at = replay.tick(now, [avatar]);
    assert(at >= before && at <= from + seconds);
  }
  return { card, replay, at };
}

test("each sample sounds when its moment is in view", () => {
  const { card, replay } = play(EPOCH_S + 4, 1.5);
  assert(card.heard.length > 50, `${card.heard.length} pieces`);
  for (const { when, data } of card.heard) {
    const moment = EPOCH_S + Math.round(data[0] * 32768 + 64000) / HZ;
    assert(Math.abs(when - 5 - replay.whenSeen(moment)) < 0.002, `${when} for ${moment}`);
  }
});

test("nothing of before the moment sounds, and nothing twice", () => {
  const { card } = play(EPOCH_S + 4.01, 1.5);
  const begins = card.heard.map(({ data }) => Math.round(data[0] * 32768 + 64000));
  assert(begins[0] >= 4.01 * HZ && begins[0] < 4.05 * HZ, `${begins[0]}`);
  begins.forEach((begin, i) => i && assert(begin > begins[i - 1]));
});

test("stopping silences what was handed to the sound card", () => {
  const { card, replay } = play(EPOCH_S + 4, 1);
  replay.stop();
  const last = card.heard[card.heard.length - 1];
  assert(last.when > card.currentTime, "nothing was ahead");
  assert(card.heard.every(({ source }) => source.stopped));
  assert(!replay.playing);
});

test("time stands still while the tab sleeps", () => {
  const { card, replay, at } = play(EPOCH_S + 4, 1);
  card.currentTime += 100;
  const after = replay.tick(121, [past()]);
  assert(after - at < 0.05, `${after - at} s went by`);
});
