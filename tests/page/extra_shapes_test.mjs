import assert from "node:assert";
import { test } from "node:test";
import { rampOf, sharesOf, turnAbout } from "../../services/renderer_sink/view/page/src/extra_shapes.js";

test("in-betweens take over by straight lines", () => {
  for (const [weight, shares] of [[0, [0, 0]], [0.25, [0.5, 0]], [0.5, [1, 0]], [0.75, [0.5, 0.5]],
    [1, [0, 1]], [2, [-2, 3]], [-0.25, [-0.5, 0]]]) {
    assert.deepEqual(sharesOf(weight, [0.5, 1]).map((share) => share + 0), shares);
  }
  // The numbers of UsdSkel: in-betweens at -0.5 and 1.5.
  for (const [weight, shares] of [[-1, [2, 0, 0]], [-0.25, [0.5, 0, 0]], [0.5, [0, 0.5, 0]],
    [1.25, [0, 0.5, 0.5]], [2, [0, -1, 2]]]) {
    assert.deepEqual(sharesOf(weight, [-0.5, 1, 1.5]).map((share) => share + 0), shares);
  }
});

test("a turn is signed, in the parent's space, and from the rest", () => {
  const about = (degrees) => {
    const half = (degrees * Math.PI) / 360;
    return { x: Math.sin(half), y: 0, z: 0, w: Math.cos(half) };
  };
  for (const degrees of [-150, -30, 0, 70, 170]) {
    assert.ok(Math.abs(turnAbout([1, 0, 0], about(degrees + 20), about(20)) - degrees) < 1e-9);
  }
  const half = Math.SQRT1_2;
  // Rest: 90 degrees about y. On top of it, in the parent's space, 90 degrees about x.
  const now = { x: 0.5, y: 0.5, z: 0.5, w: 0.5 };
  assert.ok(Math.abs(turnAbout([1, 0, 0], now, { x: 0, y: half, z: 0, w: half }) - 90) < 1e-9);
});

test("a ramp may go either way", () => {
  assert.equal(rampOf(70, { from_deg: 20, to_deg: 120 }), 0.5);
  assert.equal(rampOf(-70, { from_deg: -20, to_deg: -120 }), 0.5);
  assert.equal(rampOf(200, { from_deg: 20, to_deg: 120 }), 1);
});
