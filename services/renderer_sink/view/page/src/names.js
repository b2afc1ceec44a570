// Bones and shapes by the names that tools give them.

// The joint of the head in the rigs that streams have.
export const SKULL = /^(skullbase|head)$/i;
// Head and hands.
export const QUICK = /^(skullbase|head|[lr]_(wrist|radiocarpal)|(left|right)hand)$/i;
export const EYEBALL = /^[lr]_eyeball(_joint)?$/i;
export const HIPS = /^(humanoidroot|hips|pelvis)$/i;

// What bones are called once prefixes, sides and separators are taken away.
const BONES = [
  [/^(hips?|pelvis|root ?hips)$/, "Hips"],
  [/^(spine|spine0*1?|abdomen)$/, "Spine"],
  [/^(chest|spine0*2)$/, "Chest"],
  [/^(upper ?chest|spine0*3)$/, "UpperChest"],
  [/^neck0*1?$/, "Neck"],
  [/^head$/, "Head"],
  [/^jaw$/, "Jaw"],
  [/^eye$/, "Eye"],
  [/^(shoulder|clavicle|collar)$/, "Shoulder"],
  [/^(upper ?arm|arm)$/, "UpperArm"],
  [/^(lower ?arm|fore ?arm|elbow)$/, "LowerArm"],
  [/^(hand|wrist)$/, "Hand"],
  [/^(upper ?leg|up ?leg|thigh)$/, "UpperLeg"],
  [/^(lower ?leg|leg|calf|shin|knee)$/, "LowerLeg"],
  [/^(foot|ankle)$/, "Foot"],
  [/^(toes?|toe ?base|ball)$/, "Toes"],
];
const FINGERS = { thumb: "Thumb", index: "Index", middle: "Middle", ring: "Ring", pinky: "Little",
  little: "Little" };
const PHALANGES = { proximal: "Proximal", intermediate: "Intermediate", distal: "Distal",
  1: "Proximal", 2: "Intermediate", 3: "Distal" };
const SIDED = /^(Eye|Shoulder|UpperArm|LowerArm|Hand|UpperLeg|LowerLeg|Foot|Toes)$/;

// "mixamorig:LeftForeArm", "forearm_l", "Left lower arm": all "LeftLowerArm". Undefined for no bone
// of a human. Names of Mixamo's spine count from 0: Spine, Spine1, Spine2.
export function boneOf(name) {
  const mixamo = /mixamorig/i.test(name);
  let text = name.replace(/^.*[:|]/, "").replace(/^(mixamorig\d*|j_bip|bip\d*|def|valvebiped)[_ .-]*/i, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().replace(/[_.\-]+/g, " ").trim();
  let side = "";
  for (const [word, is] of [["left", "Left"], ["right", "Right"], ["l", "Left"], ["r", "Right"]]) {
    const found = new RegExp(`(^| )${word}( |$)`);
    if (!side && found.test(text)) {
      side = is;
      text = text.replace(found, " ").trim();
    }
  }
  text = text.replace(/^c /, "");
  const finger = text.replace(/^hand /, "").match(/^(thumb|index|middle|ring|pinky|little) ?(?:finger )?0*(proximal|intermediate|distal|[123])$/);
  if (finger) return side ? side + FINGERS[finger[1]] + PHALANGES[finger[2]] : undefined;
  if (mixamo && /^spine [12]$|^spine[12]$/.test(text)) {
    return text.endsWith("1") ? "Chest" : "UpperChest";
  }
  const compact = text.replace(/ (\d+)$/, "$1");
  const bone = BONES.find(([pattern]) => pattern.test(compact));
  if (!bone || SIDED.test(bone[1]) !== Boolean(side)) return undefined;
  return side + bone[1];
}

// "blendShape1.mouthSmile_L", "MouthSmileLeft": both "mouthsmileleft".
export function shapeOf(name) {
  return name.replace(/^.*[.:]/, "").replace(/[_ ]L$/, "Left").replace(/[_ ]R$/, "Right")
    .replace(/[_ ]/g, "").toLowerCase();
}

// The stream's shapes that move a target of this name: the one that is called so; of a shape that
// one of the two knows only as a whole and the other by sides, the whole or both sides.
export function sourcesOf(name, shapes) {
  const wanted = shapeOf(name);
  const find = (key) => shapes.findIndex((shape) => shapeOf(shape) === key);
  const own = find(wanted);
  if (own >= 0) return [own];
  const whole = find(wanted.replace(/(left|right)$/, ""));
  if (whole >= 0) return [whole];
  const sides = [find(`${wanted}left`), find(`${wanted}right`)];
  return sides.includes(-1) ? [] : sides;
}

// What VRM 1 calls a joint of the rig "vrm". The thumb's joints are metacarpal, proximal, distal there,
// where the rig and VRM 0 say proximal, intermediate, distal.
export function vrmBoneOf(joint) {
  return (joint.charAt(0).toLowerCase() + joint.slice(1)).replace("ThumbProximal", "ThumbMetacarpal")
    .replace("ThumbIntermediate", "ThumbProximal");
}

// What VRM's few expressions are of ARKit's shapes, for models that have no finer ones.
const clamp = (v) => Math.max(0, Math.min(1, v));
const round = (w) => Math.max(w("mouthPucker"), w("mouthFunnel"));
const VALUES = {
  aa: (w) => clamp(w("jawOpen") * 1.6 * (1 - round(w))),
  ih: (w) => clamp((w("mouthStretchLeft") + w("mouthStretchRight")) / 2),
  ou: (w) => clamp(w("mouthPucker")),
  ee: (w) => clamp((w("mouthSmileLeft") + w("mouthSmileRight")) / 2 * 0.6),
  oh: (w) => clamp(w("mouthFunnel")),
  blinkleft: (w) => clamp(w("eyeBlinkLeft")),
  blinkright: (w) => clamp(w("eyeBlinkRight")),
  // Where there is one for both eyes only.
  blink: (w) => clamp((w("eyeBlinkLeft") + w("eyeBlinkRight")) / 2),
  lookup: (w) => clamp((w("eyeLookUpLeft") + w("eyeLookUpRight")) / 2),
  lookdown: (w) => clamp((w("eyeLookDownLeft") + w("eyeLookDownRight")) / 2),
  lookleft: (w) => clamp((w("eyeLookOutLeft") + w("eyeLookInRight")) / 2),
  lookright: (w) => clamp((w("eyeLookInLeft") + w("eyeLookOutRight")) / 2),
};

// How strong an expression of VRM 1 is, as a function of the weights of ARKit's shapes; undefined for
// what has no counterpart.
export const expressionOf = (name) => VALUES[name.toLowerCase()];
