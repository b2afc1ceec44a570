// What hands touch on bodies of other builds: as films have it (tests/unit/character/body_contact_test.cc).
import assert from "node:assert";
import { readFileSync } from "node:fs";
import test from "node:test";
import { BodyContact, STANDARD, measure, partOf } from "../../services/renderer_sink/view/page/src/contacts.js";

const NEAR = 2e-3;

// {flesh: the standard's, people: [{rest, points, flesh, deeds: [{turned, at, by}]}]}
function read() {
  const out = { flesh: {}, people: [] };
  const text = readFileSync(new URL("../data/body_contact.txt", import.meta.url), "utf8");
  let person = null, deed = null;
  for (const line of text.trim().split("\n")) {
    const [kind, name, ...rest] = line.split(" ");
    const numbers = rest.map(Number);
    if (kind === "person") out.people.push(person = { rest: new Map(), points: [], flesh: {}, deeds: [] });
    else if (kind === "deed") person.deeds.push(deed = { turned: {}, at: {}, by: {} });
    else if (kind === "rest") person.rest.set(name, numbers);
    else if (kind === "point") person.points.push({ name, at: numbers });
    else if (kind === "flesh") (name === "own" ? person : out).flesh[rest[0]] = numbers.slice(1);
    else deed[kind][name] = numbers;
  }
  return out;
}

const close = (is, was, what) => {
  assert.equal(is.length, was.length, what);
  is.forEach((v, i) => assert.ok(Math.abs(v - was[i]) < NEAR, `${what} ${i}: ${v}, not ${was[i]}`));
};
const checkFlesh = (is, was) => {
  for (const part of ["trunk", "pelvis", "head"]) close(is[part].flat(), was[part], part);
  close([...is.chin, ...is.skull, is.hand], was.lengths, "lengths");
};
const fleshOf = ({ trunk, pelvis, head, lengths }) => {
  const rings = (v) => Array.from({ length: 6 }, (_, k) => v.slice(3 * k, 3 * k + 3));
  return { trunk: rings(trunk), pelvis: rings(pelvis), head: rings(head), chin: lengths.slice(0, 3),
    skull: lengths.slice(3, 6), hand: lengths[6] };
};
const { flesh, people } = read();

test("the standard body is that of films", () => checkFlesh(STANDARD, flesh));

// What Unreal calls them.
const UNREAL = { pelvis: "Hips", spine_01: "Spine", spine_02: "Chest", head: "Head", thigh_l: "LeftUpperLeg",
  thigh_r: "RightUpperLeg", foot_l: "LeftFoot", foot_r: "RightFoot" };

test("flesh is measured as in films", () => {
  let measured = 0;
  for (const { points, rest, flesh: was } of people) {
    if (!points.length) continue;
    checkFlesh(measure(points.map(({ name, at }) => ({ at, part: partOf(UNREAL[name]) })), rest), was);
    measured += 1;
  }
  assert.equal(measured, 1);
});

test("what hangs on the trunk is of it, and hair is not of the head", () => {
  assert.equal(partOf(undefined, "Hips"), "trunk");
  assert.equal(partOf(undefined, "LeftUpperLeg"), "trunk");
  assert.equal(partOf(undefined, "Head"), "");
  assert.equal(partOf("Head", "Neck"), "head");
  assert.equal(partOf("LeftUpperArm", "LeftShoulder"), "");
  assert.equal(partOf(undefined, undefined), "");
});

test("hands go where they go in films", () => {
  let turned = 0;
  for (const { rest, flesh: own, deeds } of people) {
    const contact = BodyContact.of(new Set(rest.keys()), fleshOf(own));
    assert.ok(contact);
    for (const deed of deeds) {
      const [left, right] = contact.turns(deed.turned, deed.at);
      for (const [side, { upper, lower }] of [["Left", left], ["Right", right]]) {
        for (const [bone, turn] of [["UpperArm", upper], ["LowerArm", lower]]) {
          const was = deed.by[side + bone];
          // Both signs are the same turn.
          const sign = turn.reduce((sum, v, i) => sum + v * was[i], 0) < 0 ? -1 : 1;
          close(turn.map((v) => v * sign), was, side + bone);
          if (Math.abs(was[0]) < 0.9999) turned += 1;
        }
      }
    }
  }
  assert.ok(turned > 20, `${turned} arms were turned`);
});

test("a body without legs, or arms, is left alone", () => {
  assert.equal(BodyContact.of(new Set(["Hips", "Head", "LeftHand"]), STANDARD), null);
});
