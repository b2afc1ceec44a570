// Which way a file's person looks, and why it may not move.
import assert from "node:assert";
import test from "node:test";
import { whyStill, yawOf } from "../../services/renderer_sink/view/page/src/stance.js";

// A person that looks along +Z, turned by `yaw`.
function person(yaw, names = ["UpperArm", "Hand", "Foot"]) {
  const places = new Map([["Hips", [0.2, 1, 0.1]], ["Head", [0.2, 1.6, 0.1]]]);
  const put = (name, x, y, z) => places.set(name,
    [x * Math.cos(yaw) + z * Math.sin(yaw), y, z * Math.cos(yaw) - x * Math.sin(yaw)]);
  names.forEach((name, i) => {
    put(`Left${name}`, 0.2 + 0.2 * i, 1 - 0.3 * i, 0.05 * i);
    put(`Right${name}`, -0.2 - 0.2 * i, 1 - 0.3 * i, 0.05 * i);
  });
  return places;
}

test("joints of left and right tell which way a person looks", () => {
  for (const yaw of [0, Math.PI / 2, -Math.PI / 2, 0.7, -2.9, 3.1]) {
    assert.ok(Math.abs(yawOf(person(yaw)) - yaw) < 1e-9, `${yawOf(person(yaw))}, not ${yaw}`);
  }
  assert.ok(Math.abs(Math.abs(yawOf(person(Math.PI))) - Math.PI) < 1e-9);
});

test("nothing is told by a middle, or by one side alone", () => {
  assert.equal(yawOf(person(1, [])), null);
  assert.equal(yawOf(new Map([["LeftHand", [1, 1, 0]], ["RightFoot", [-1, 0, 0]]])), null);
});

test("what moves has nothing to say", () => {
  assert.equal(whyStill({ skeleton: ["a"], known: 17, least: 8, carried: false }), "");
  // Stiff parts that hang on their joints.
  assert.equal(whyStill({ skeleton: [], known: 17, least: 8, carried: true }), "");
});

test("what does not move tells what is missing", () => {
  assert.match(whyStill({ skeleton: [], known: 17, least: 8, carried: false }), /no mesh of its file has a skin/);
  assert.match(whyStill({ skeleton: [], known: 0, least: 8, carried: false }), /no skin and no bones/);
  const strange = whyStill({ skeleton: ["b1", "b2"], known: 3, least: 8, carried: false });
  assert.match(strange, /3 bones of its file are known by name, and 8 are needed/);
  assert.match(strange, /"b1", "b2": name them as VRM/);
  assert.match(whyStill({ skeleton: ["a", "b", "c", "d"], known: 0, least: 8, carried: false }), /"c" and others/);
});
