// The page's reader of offsets, and how they come and go.
import assert from "node:assert";
import test from "node:test";
import { Offsets, OffsetsWish, decodeOffsets, isOffsets, readHead, spreadCodes } from "../../services/renderer_sink/view/page/src/offsets.js";

const LAYOUT = { layout: 3, epoch_s: 1000 };
const LOW = [-0.01, 0, 0.02], STEP = [1e-6, 2e-6, 0], TURN = 0.01;

// As docs/view.md says; `moved` is {point: [x, y, z, tx, ty, tz]} in codes.
function message({ points, moved, code = 0.5, layout = 3, number = 9 }) {
  const bytes = [];
  const put = (method, size, ...values) => {
    for (const value of values) {
      const view = new DataView(new ArrayBuffer(size));
      view[method](0, value, true);
      bytes.push(...new Uint8Array(view.buffer));
    }
  };
  const rows = Object.entries(moved);
  put("setUint8", 1, 2, 0);
  put("setUint16", 2, 0);
  put("setUint32", 4, layout);
  put("setFloat64", 8, code);
  put("setUint32", 4, number, rows.length);
  put("setFloat32", 4, ...LOW, ...STEP, TURN);
  const bits = new Uint8Array(Math.ceil(points / 32) * 4);
  for (const [point] of rows) bits[point >> 3] |= 1 << (point & 7);
  bytes.push(...bits);
  for (const [, row] of rows) put("setUint16", 2, ...row.slice(0, 3));
  for (const [, row] of rows) put("setInt8", 1, ...row.slice(3));
  return Uint8Array.from(bytes).buffer;
}
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);
const still = (code) => message({ points: 2, moved: { 1: [10000, 0, 0, 50, 0, 0] }, code });
const at = (code) => 1000 + code;

test("a message is read as it was written", () => {
  const points = 70;
  const buffer = message({ points, moved: { 0: [0, 5, 9, 1, 2, 3], 33: [65535, 1, 0, -127, 0, 127],
    69: [1, 2, 3, 4, 5, 6] } });
  assert.ok(isOffsets(buffer));
  assert.strictEqual(readHead(buffer, { layout: 4, epoch_s: 0 }), null);
  const head = readHead(buffer, LAYOUT);
  assert.deepStrictEqual([head.at, head.number], [1000.5, 9]);
  const values = new Float32Array(points * 3).fill(7), turns = new Float32Array(points * 3).fill(7);
  decodeOffsets(buffer, points, values, turns);
  near(values[0], LOW[0]);
  near(values[1], 5 * STEP[1]);
  near(values[33 * 3], LOW[0] + 65535 * STEP[0]);
  near(values[33 * 3 + 2], LOW[2]);
  near(turns[33 * 3], -1.27);
  near(turns[69 * 3 + 2], 0.06);
  assert.deepStrictEqual([...values.slice(3, 6)], [0, 0, 0]);
  assert.deepStrictEqual([...turns.slice(3, 6)], [0, 0, 0]);
});

test("codes for the graphics processor are what is decoded", () => {
  const points = 40;
  const buffer = message({ points, moved: { 0: [0, 5, 9, 1, 2, 3], 33: [65535, 1, 0, -127, 0, 127] } });
  const values = new Float32Array(points * 3), turns = new Float32Array(points * 3);
  decodeOffsets(buffer, points, values, turns);
  const codes = new Uint16Array(points * 4).fill(7), ways = new Int8Array(points * 4).fill(7);
  const { low, step, turn } = spreadCodes(buffer, points, codes, ways);
  for (let p = 0; p < points; ++p) {
    for (let c = 0; c < 3; ++c) {
      near(codes[p * 4 + 3] * (low[c] + step[c] * codes[p * 4 + c]), values[p * 3 + c]);
      near(turn * ways[p * 4 + c], turns[p * 3 + c]);
    }
  }
});

test("what the graphics processor blends is what the processor does", () => {
  const offsets = new Offsets(2);
  offsets.spreads = true;
  let now = 50;
  for (let k = 0; k < 4; ++k) {
    offsets.receive(readHead(message({ points: 2, moved: { 1: [10000 * k, 3, 0, 9 * k, 0, 0] },
      code: 1 + k / 30 }), LAYOUT));
  }
  for (let k = 0; k < 30; ++k) {
    offsets.update(at(1 + k / 300), now += 1 / 60);
    const sum = [0, 0];
    for (const { codes, ways, box, weight } of offsets.slots) {
      if (!box) continue;
      sum[0] += weight * codes[7] * (box.low[0] + box.step[0] * codes[4]);
      sum[1] += weight * box.turn * ways[4];
    }
    near(sum[0], offsets.values[3]);
    near(sum[1], offsets.turns[3]);
  }
  assert.ok(offsets.share === 1 && offsets.values[3] !== 0);
});

test("a surface that is there later gets the messages that are shown", () => {
  const offsets = new Offsets(2);
  Object.assign(offsets, { decodes: false, spreads: true });
  let now = 50;
  for (let k = 0; k < 2; ++k) offsets.receive(readHead(still(1 + k / 30), LAYOUT));
  for (let k = 0; k < 20; ++k) offsets.update(at(1 + k / 1200), now += 1 / 60);
  assert.strictEqual(offsets.values[3], 0);
  offsets.decodes = true;
  offsets.update(at(1.02), now += 1 / 60);
  near(offsets.values[3], LOW[0] + 10000 * STEP[0]);
});

test("one that is cut short throws and damages nothing else", () => {
  const buffer = message({ points: 70, moved: { 5: [1, 1, 1, 1, 1, 1] } });
  for (let bytes = 56; bytes < buffer.byteLength; bytes += 5) {
    assert.throws(() => decodeOffsets(buffer.slice(0, bytes), 70, new Float32Array(210), new Float32Array(210)));
  }
});

test("they fade in, are blended between frames, and fade out when they stop", () => {
  const offsets = new Offsets(2);
  let now = 50;
  const step = (code) => {
    now += 1 / 60;
    return offsets.update(at(code), now);
  };
  assert.ok(!step(0.5));
  const frames = [0, 1, 2, 3].map((k) => message({ points: 2,
    moved: { 1: [10000 * k, 0, 0, 0, 0, 0] }, code: 1 + k / 30 }));
  for (const buffer of frames) offsets.receive(readHead(buffer, LAYOUT));
  let before = 0;
  for (let k = 0; k < 20; ++k) {
    step(1 + 1 / 60);
    assert.ok(offsets.share - before < 1 / 60 / 0.2 + 1e-6 && offsets.share >= before);
    before = offsets.share;
  }
  assert.strictEqual(offsets.share, 1);
  near(offsets.values[3], LOW[0] + 5000 * STEP[0]);  // halfway
  assert.ok(!step(1 + 1 / 60), "nothing new");
  assert.ok(step(1 + 1 / 30));
  near(offsets.values[3], LOW[0] + 10000 * STEP[0]);
  // No more come.
  step(1.1);
  near(offsets.values[3], LOW[0] + 30000 * STEP[0]);
  const steps = [];
  for (let k = 0; k < 30; ++k) {
    step(1.3 + k / 60);
    steps.push(offsets.values[3]);
  }
  assert.strictEqual(offsets.share, 0);
  assert.strictEqual(offsets.values[3], 0);
  const most = Math.max(...steps.slice(1).map((v, k) => Math.abs(v - steps[k])));
  assert.ok(most < 0.021 / 12 + 1e-6, "the last ones fade without a jump");
});

test("what comes while the last ones fade waits until they are gone", () => {
  const offsets = new Offsets(2);
  let now = 0;
  const step = (code) => offsets.update(at(code), now += 1 / 30);
  offsets.receive(readHead(still(1), LAYOUT));
  for (let k = 0; k < 12; ++k) step(1);
  for (let k = 0; k < 3; ++k) step(2);
  assert.ok(offsets.share > 0 && offsets.share < 1);
  offsets.receive(readHead(still(3), LAYOUT));
  const shares = [];
  for (let k = 0; k < 12; ++k) {
    step(3);
    shares.push(offsets.share);
  }
  assert.ok(shares.includes(0));
  assert.strictEqual(shares.at(-1), 1);
});

test("only the last seconds are kept", () => {
  const offsets = new Offsets(2);
  for (let k = 0; k < 900; ++k) offsets.receive(readHead(still(k / 30), LAYOUT));
  assert.ok(offsets.line.length < 100);
  offsets.receive(readHead(still(1), LAYOUT));
  assert.strictEqual(offsets.line.length, 1);
});

test("the server is asked once for the one that is chosen, and again when it is there anew", () => {
  const said = [];
  const link = { connections: 1, tell: (message) => said.push(message.offsets) };
  const wish = new OffsetsWish(link, true);
  const near = { offsets: true }, far = { offsets: false };
  const woman = { index: 2, offsets: {}, detail: near }, figure = { index: 0, offsets: null, detail: near };
  wish.of(undefined);
  wish.of(figure);
  wish.of(woman);
  wish.of(woman);
  link.connections = 2;
  wish.of(woman);
  wish.of(figure);
  wish.of(figure);
  assert.deepStrictEqual(said, [2, 2, null]);
  wish.of({ ...woman, detail: far });
  wish.of(woman);
  wish.of({ ...woman, detail: far });
  assert.deepStrictEqual(said, [2, 2, null, 2, null]);
  const none = new OffsetsWish(link, false);
  none.of(woman);
  assert.strictEqual(said.length, 5);
});
