// What the page works out of an avatar, by how large it is and whether the page keeps up.
import assert from "node:assert";
import test from "node:test";
import { ALL, FINE_PX, NO_OFFSETS, NO_SURFACE, OFFSETS_PX, detailOf, nextLevel, pixelsOf } from "../../services/renderer_sink/view/page/src/detail.js";

const NOTHING = { fine: false, offsets: false };
const EVERYTHING = { fine: true, offsets: true };
const of = (pixels, left = ALL, before = NOTHING) => {
  const { fine, offsets } = detailOf(pixels, left, before);
  return [fine, offsets];
};

test("a body that fills the picture has as many pixels as the picture is high", () => {
  const half = (26 / 2) * (Math.PI / 180);
  assert.ok(Math.abs(pixelsOf(1.7, 1.7 / 2 / Math.tan(half), 900, 26) - 900) < 1e-6);
  assert.ok(Number.isFinite(pixelsOf(1.7, 0, 900, 26)));
});

test("an avatar that comes nearer gets offsets first, then the surface, and loses them farther away", () => {
  assert.deepStrictEqual(of(OFFSETS_PX[1] - 1), [false, false]);
  assert.deepStrictEqual(of(OFFSETS_PX[1]), [false, true]);
  assert.deepStrictEqual(of(FINE_PX[1] - 1), [false, true]);
  assert.deepStrictEqual(of(FINE_PX[1]), [true, true]);
  assert.deepStrictEqual(of(FINE_PX[0], ALL, EVERYTHING), [true, true]);
  assert.deepStrictEqual(of(FINE_PX[0] - 1, ALL, EVERYTHING), [false, true]);
  assert.deepStrictEqual(of(OFFSETS_PX[0] - 1, ALL, EVERYTHING), [false, false]);
});

test("a slow page leaves out the surface first, then offsets", () => {
  assert.deepStrictEqual(of(2000, NO_SURFACE, EVERYTHING), [false, true]);
  assert.deepStrictEqual(of(2000, NO_OFFSETS, EVERYTHING), [false, false]);
});

test("levels that would change nothing are passed over", () => {
  const levels = [[1, 30, true], [0.5, 30, true], [0.5, 30, true, NO_SURFACE], [0.5, 30, true, NO_OFFSETS], [0.4, 30]];
  const next = (level, step, surfaces, offsets) => nextLevel(levels, level, step, { surfaces, offsets });
  assert.deepStrictEqual([0, 1, 2, 3, 4].map((level) => next(level, 1, true, true)), [1, 2, 3, 4, 4]);
  assert.deepStrictEqual([4, 3, 2, 1, 0].map((level) => next(level, -1, true, true)), [3, 2, 1, 0, 0]);
  assert.strictEqual(next(1, 1, false, false), 4);
  assert.strictEqual(next(1, 1, true, false), 2);
  assert.strictEqual(next(2, 1, true, false), 4);
  assert.strictEqual(next(1, 1, false, true), 3);
  assert.strictEqual(next(4, -1, false, false), 3);
});
