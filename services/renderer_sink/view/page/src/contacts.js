// Keeps what hands touch on characters that are not built like the rig that gestures are made on: what
// films do (libs/character/body_contact.h, which says more), by the same formulas.
import { HandTouch, RINGS } from "./hand_touch.js";
import { add, cross, dot, length, lerp, normalized, rotate, sub, times } from "./vectors.js";

// The standard rig in a T: each bone, the one that it hangs on, and how it gets there, in metres.
export const STANDING = [
  ["Hips", "Hips", [0, 0, 0]],
  ["Spine", "Hips", [0.0028, 0.2328, -0.1053]],
  ["Chest", "Spine", [0.0023, 0.171, -0.0032]],
  ["UpperChest", "Chest", [0.0008, 0.1588, 0.0008]],
  ["Neck", "UpperChest", [0.0007, 0.1266, 0.0499]],
  ["Head", "Neck", [-0.0022, 0.1077, 0.0537]],
  ["LeftUpperLeg", "Hips", [0.0961, 0.0884, -0.0278]],
  ["LeftLowerLeg", "LeftUpperLeg", [0.0079, -0.4257, 0.0309]],
  ["RightUpperLeg", "Hips", [-0.0961, 0.0884, -0.0278]],
  ["RightLowerLeg", "RightUpperLeg", [-0.0079, -0.4257, 0.0309]],
  ["LeftShoulder", "UpperChest", [0.0761, 0.0622, 0.0447]],
  ["LeftUpperArm", "LeftShoulder", [0.1209, -0.0112, -0.0034]],
  ["LeftLowerArm", "LeftUpperArm", [0.3019, -0.0015, -0.0295]],
  ["LeftHand", "LeftLowerArm", [0.2694, -0.003, 0.0099]],
  ["LeftIndexProximal", "LeftHand", [0.0848, -0.0001, 0.0303]],
  ["LeftIndexIntermediate", "LeftIndexProximal", [0.0452, 0.0034, 0.0032]],
  ["LeftIndexDistal", "LeftIndexIntermediate", [0.0224, 0.0011, 0.0012]],
  ["LeftMiddleProximal", "LeftHand", [0.0845, 0.0003, 0.0053]],
  ["LeftMiddleIntermediate", "LeftMiddleProximal", [0.0545, 0.0026, 0.0027]],
  ["LeftMiddleDistal", "LeftMiddleIntermediate", [0.0262, 0.0013, 0.0009]],
  ["RightShoulder", "UpperChest", [-0.0879, 0.0622, 0.0447]],
  ["RightUpperArm", "RightShoulder", [-0.1209, -0.0112, -0.0034]],
  ["RightLowerArm", "RightUpperArm", [-0.3019, -0.0015, -0.0295]],
  ["RightHand", "RightLowerArm", [-0.2694, -0.003, 0.0099]],
  ["RightIndexProximal", "RightHand", [-0.0848, -0.0001, 0.0303]],
  ["RightIndexIntermediate", "RightIndexProximal", [-0.0452, 0.0034, 0.0032]],
  ["RightIndexDistal", "RightIndexIntermediate", [-0.0224, 0.0011, 0.0012]],
  ["RightMiddleProximal", "RightHand", [-0.0845, 0.0003, 0.0053]],
  ["RightMiddleIntermediate", "RightMiddleProximal", [-0.0545, 0.0026, 0.0027]],
  ["RightMiddleDistal", "RightMiddleIntermediate", [-0.0262, 0.0013, 0.0009]],
];
// The flesh of the built-in woman, as measure() finds it: rings of [side, front, back].
export const STANDARD = {
  trunk: [[0.182, 0.135, 0.128], [0.182, 0.145, 0.128], [0.15, 0.145, 0.071], [0.159, 0.156, 0.084],
    [0.159, 0.151, 0.101], [0.124, 0.103, 0.1]],
  pelvis: [[0.178, 0.131, 0.122], [0.181, 0.122, 0.116], [0.182, 0.128, 0.098], [0.182, 0.131, 0.074],
    [0.18, 0.133, 0.058], [0.178, 0.133, 0.05]],
  head: [[0.058, 0.086, 0.03], [0.093, 0.108, 0.084], [0.099, 0.111, 0.107], [0.097, 0.093, 0.111],
    [0.08, 0.087, 0.105], [0.057, 0.056, 0.072]],
  chin: [0, -0.098, -0.033], skull: [0, 0.23, 0], hand: 0.0847,
};

const SIDES = ["Left", "Right"];
// Off the flesh of head, trunk and pelvis, and off the bones of the thighs.
const TOUCHED = [
  { flesh: "head", near: 0.07, far: 0.17, countsFrom: 0, countsTo: 1, hangs: false },
  { flesh: "trunk", near: 0.07, far: 0.19, countsFrom: -0.1, countsTo: 0.95, hangs: false },
  { flesh: "pelvis", near: 0.08, far: 0.19, countsFrom: -0.3, countsTo: 1, hangs: true },
  { near: 0.11, far: 0.18, countsFrom: 0.6, countsTo: 1, hangs: false },
  { near: 0.11, far: 0.18, countsFrom: 0.6, countsTo: 1, hangs: false },
];
const OTHER_ARM = { near: 0.08, far: 0.14 }, OTHER_PALM = { near: 0.1, far: 0.4 };
const PALM = 0.7, PALM_BEYOND = 0.2, PELVIS = 0.5;
const LEAST_HAND = 0.6, MOST_HAND = 1.6;
const LEAST_M = 1e-3, HINGE_SHARE = 0.15;
// Of measure().
const BAND = 0.12, THINNEST_M = 0.03, FACE = 0.5;
const TRUNK = /^(Hips|Spine|Chest|UpperChest|LeftUpperLeg|RightUpperLeg)$/, HEAD = /^(Head|Jaw)$/;
// What of a mesh, its node or its material has this name is nothing that hands rest on.
export const HAIR = /hair/i;

const middle = (a, b) => times(add(a, b), 0.5);

// Across the line `way` from `start`.
function ringsOf(points, start, way) {
  const rings = Array.from({ length: RINGS }, () => [0, 0, 0]), squared = dot(way, way);
  if (!(squared > 0)) return rings;
  for (const p of points) {
    const along = dot(sub(p, start), way) / squared, off = sub(p, add(start, times(way, along)));
    rings.forEach((ring, k) => {
      if (Math.abs(along - k / (RINGS - 1)) > BAND) return;
      ring[0] = Math.max(ring[0], Math.abs(off[0]), THINNEST_M);
      ring[1] = Math.max(ring[1], off[2], THINNEST_M);
      ring[2] = Math.max(ring[2], -off[2], THINNEST_M);
    });
  }
  for (let k = 1; k < RINGS; ++k) if (rings[k][0] === 0) rings[k] = rings[k - 1];
  for (let k = RINGS - 2; k >= 0; --k) if (rings[k][0] === 0) rings[k] = rings[k + 1];
  return rings;
}

// `places`: where bones are at rest, by name. `points`: [{at, part}] with what partOf() says.
export function measure(points, places) {
  const of = (part) => points.filter((point) => point.part === part).map(({ at }) => at);
  const at = (bone) => places.get(bone) || [0, 0, 0];
  const both = (bone) => middle(at(`Left${bone}`), at(`Right${bone}`));
  const apart = (a, b) => SIDES.reduce((sum, side) => sum + length(sub(at(side + a), at(side + b))) / 2, 0);
  const trunk = of("trunk"), hips = both("UpperLeg");
  const out = { trunk: ringsOf(trunk, hips, sub(both("UpperArm"), hips)),
    pelvis: ringsOf(trunk, hips, [0, -PELVIS * apart("LowerLeg", "UpperLeg"), 0]),
    head: null, chin: [0, -0.02, 0.02], skull: [0, 0.22, 0], hand: apart("MiddleProximal", "Hand") };
  const head = of("head"), joint = at("Head");
  const ends = (values) => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)],
    [Infinity, -Infinity]);
  const [back, front] = ends(head.map((p) => p[2])), top = ends(head.map((p) => p[1]))[1];
  const inside = (back + front) / 2;
  const chin = ends(head.filter((p) => p[2] > inside + FACE * (front - inside)).map((p) => p[1]))[0];
  if (!(top - chin > THINNEST_M)) return out;
  out.chin = sub([joint[0], chin, inside], joint);
  out.skull = [0, top - chin, 0];
  out.head = ringsOf(head, add(joint, out.chin), out.skull);
  return out;
}

// Which part of the flesh a node moves: `bone` is the one that it is, undefined for none, and `above`
// the first above it. Skirts hang on the trunk, and hair on the head.
export function partOf(bone, above) {
  if (bone) return TRUNK.test(bone) ? "trunk" : HEAD.test(bone) ? "head" : "";
  return above && TRUNK.test(above) ? "trunk" : "";
}

function hingeOf(upper, lower, turn, left) {
  const straight = rotate(turn, [0, left ? -1 : 1, 0]), way = normalized(upper);
  let axis = add(cross(way, normalized(lower)), times(straight, HINGE_SHARE));
  axis = sub(axis, times(way, dot(axis, way)));
  return length(axis) > LEAST_M ? normalized(axis) : straight;
}

// A body whose bones are at `at` and turned by `turns`, by name.
function bodyOf(at, turns, flesh, knuckles, fingers) {
  const hips = middle(at.LeftUpperLeg, at.RightUpperLeg), head = turns.Head, lower = turns.Hips;
  const thigh = SIDES.reduce((sum, side) =>
    sum + length(sub(at[`${side}LowerLeg`], at[`${side}UpperLeg`])) / 2, 0);
  const parts = [
    { start: add(at.Head, rotate(head, flesh.chin)), way: rotate(head, flesh.skull), turn: head, endTurn: head },
    { start: hips, way: sub(middle(at.LeftUpperArm, at.RightUpperArm), hips), turn: lower,
      endTurn: turns.UpperChest },
    { start: hips, way: rotate(lower, [0, -PELVIS * thigh, 0]), turn: lower, endTurn: lower },
    ...SIDES.map((side) => ({ start: at[`${side}UpperLeg`],
      way: sub(at[`${side}LowerLeg`], at[`${side}UpperLeg`]),
      turn: turns[`${side}UpperLeg`], endTurn: turns[`${side}UpperLeg`] })),
  ];
  const arms = SIDES.map((side, h) => {
    const shoulder = at[`${side}UpperArm`], elbow = at[`${side}LowerArm`], wrist = at[`${side}Hand`];
    const palm = knuckles ? lerp(wrist, at[`${side}MiddleProximal`], PALM)
      : add(wrist, times(sub(wrist, elbow), PALM_BEYOND));
    const ends = fingers ? middle(at[`${side}IndexDistal`], at[`${side}MiddleDistal`]) : palm;
    return { shoulder, elbow, wrist, points: [palm, ends],
      hinge: hingeOf(sub(elbow, shoulder), sub(wrist, elbow), turns[`${side}UpperArm`], h === 0) };
  });
  return { parts, arms };
}

const NEEDED = ["Hips", "Head", ...SIDES.flatMap((side) =>
  ["UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg"].map((bone) => side + bone))];

export class BodyContact {
  // Of a character that has these bones; null when they are too few.
  static of(bones, flesh) {
    return NEEDED.every((bone) => bones.has(bone)) ? new BodyContact(bones, flesh) : null;
  }

  constructor(bones, flesh) {
    this.flesh = flesh;
    this.knuckles = SIDES.every((side) => bones.has(`${side}MiddleProximal`));
    this.fingers = this.knuckles && SIDES.every((side) =>
      bones.has(`${side}IndexDistal`) && bones.has(`${side}MiddleDistal`));
    this.touch = new HandTouch({
      // What has no points is not touched.
      parts: TOUCHED.map((part) => ({ ...part, known: !part.flesh || Boolean(flesh[part.flesh]?.[0][0]),
        from: STANDARD[part.flesh], to: flesh[part.flesh] })),
      scale: flesh.hand > LEAST_M
        ? Math.min(MOST_HAND, Math.max(LEAST_HAND, flesh.hand / STANDARD.hand)) : 1,
      points: this.fingers ? 2 : 1, arm: OTHER_ARM, palm: OTHER_PALM });
  }

  // By bone: `turned` has how far each of the rig is turned from its rest in the model's space, and `at`
  // where those of the character are. Returns what turns its arms on top: [{upper, lower}].
  turns(turned, at) {
    const was = {};
    for (const [bone, above, way] of STANDING) {
      was[bone] = bone === above ? [0, 0, 0] : add(was[above], rotate(turned[above], way));
    }
    return this.touch.run(bodyOf(was, turned, STANDARD, true, true),
      bodyOf(at, turned, this.flesh, this.knuckles, this.fingers));
  }
}
