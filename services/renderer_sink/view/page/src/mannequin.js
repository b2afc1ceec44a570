// A body made of nothing but the stream's own joints: capsules from joint to joint, and a face that
// shows the main shapes. It is what is seen where no mesh fits the rig.
import * as THREE from "three";
import { mouthOf } from "./mouth.js";

const SKIN = 0xd9c3b0, CLOTH = 0x4f7f86, DARK = 0x2b2f36, WHITE = 0xf6f5f2;
const UP = new THREE.Vector3(0, 1, 0);
const SKULL = /^(skullbase|head|.*_?head)$/i;
const HAND = /thumb|index|middle|ring|pinky|carp|phalang|hand/i;
const FACE = /eye|brow|temporo|jaw|lid|tongue/i;
const LEG = /hip|knee|ankle|leg|thigh|shin|calf|subtalar|tarsal|foot|toe/i;
const FOOT = /subtalar|tarsal|foot|toe/i;
const ARM = /shoulder|elbow|arm|wrist/i;
const TRUNK = /^(vl|vt|spine|chest|upperchest)/i;

const material = (color, roughness = 0.75) =>
  new THREE.MeshStandardMaterial({ color, roughness, metalness: 0 });

// Radii at both ends of the bone from one joint to another.
function radii(from, to, length) {
  if (HAND.test(to) && HAND.test(from)) return [0.009, 0.0075];
  if (HAND.test(to)) return [0.022, 0.016];
  if (FOOT.test(to)) return [0.032, 0.028];
  if (LEG.test(from) && LEG.test(to)) {
    return /hip|upperleg|thigh/i.test(from) ? [0.075, 0.05] : [0.05, 0.032];
  }
  if (ARM.test(from) && ARM.test(to)) {
    return /elbow|lower|fore/i.test(from) ? [0.034, 0.024] : [0.044, 0.034];
  }
  if (/^vc|neck/i.test(to) || /^vc|neck/i.test(from)) return [0.047, 0.045];
  return [Math.min(0.05, length * 0.2), Math.min(0.045, length * 0.18)];
}

// A capsule from the origin to `to`, thick as told at each end, for the bone to the joint `name`.
function capsule(name, to, [a, b], skin) {
  const length = to.length();
  const points = [];
  const rounds = HAND.test(name) ? 3 : 6;
  for (let i = 0; i <= rounds; ++i) {
    const t = -Math.PI / 2 + (i / rounds) * (Math.PI / 2);
    points.push(new THREE.Vector2(Math.max(1e-4, Math.cos(t) * a), Math.sin(t) * a));
  }
  for (let i = 0; i <= rounds; ++i) {
    const t = (i / rounds) * (Math.PI / 2);
    points.push(new THREE.Vector2(Math.max(1e-4, Math.cos(t) * b), length + Math.sin(t) * b));
  }
  const mesh = new THREE.Mesh(new THREE.LatheGeometry(points, HAND.test(name) ? 8 : 14), skin);
  mesh.quaternion.setFromUnitVectors(UP, to.clone().normalize());
  return mesh;
}

function ball(x, y, z, skin) {
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 20, 14), skin);
  mesh.scale.set(x, y, z);
  return mesh;
}

export class Mannequin {
  // `bones` are Object3Ds of the layout's joints, hung together.
  constructor(layout, bones) {
    this.layout = layout;
    this.skin = material(SKIN, 0.68);
    this.cloth = material(CLOTH, 0.85);
    this.parts = [];
    this.face = null;
    const depth = layout.joints.map((_, j) => this.depthOf(j));
    layout.joints.forEach((name, j) => {
      const parent = layout.parents[j];
      if (parent < 0 || FACE.test(name)) return;
      const to = new THREE.Vector3().fromArray(layout.rest, j * 7);
      if (to.length() < 0.004) return;
      const from = layout.joints[parent];
      if (TRUNK.test(name) || TRUNK.test(from)) return this.trunk(bones, parent, name, to);
      const cloth = LEG.test(name) && !FOOT.test(name);
      const sleeve = ARM.test(from) && /elbow|lowerarm|forearm/i.test(name);
      this.add(bones[parent], capsule(name, to, radii(from, name, to.length()),
        cloth || sleeve || /sacroiliac|hips/i.test(name) ? this.cloth : this.skin));
    });
    this.trunkOf(bones);
    const skull = layout.joints.findIndex((name) => SKULL.test(name));
    if (skull >= 0) this.makeFace(bones, skull);
    this.depth = Math.max(0, ...depth);
  }

  depthOf(j) {
    let depth = 0;
    for (let p = j; p >= 0 && depth < 1024; p = this.layout.parents[p]) depth++;
    return depth;
  }

  add(parent, mesh) {
    parent.add(mesh);
    this.parts.push(mesh);
    return mesh;
  }

  // Collar bones and the like that leave the spine sideways are short and thick.
  trunk(bones, parent, name, to) {
    if (/clavic|acromio|shoulder|arm/i.test(name) && Math.abs(to.x) > 0.02) {
      this.add(bones[parent], capsule(name, to, [0.05, 0.046], this.cloth));
    }
  }

  // Slices of a torso, wide at the chest and narrow at the waist, on the joints of the spine.
  trunkOf(bones) {
    const spine = this.layout.joints.map((name, j) => [name, j])
      .filter(([name]) => TRUNK.test(name) || /^(humanoidroot|hips|pelvis)$/i.test(name));
    const many = spine.length > 6;
    spine.forEach(([name, j], i) => {
      const t = i / Math.max(1, spine.length - 1);
      const waist = Math.max(0, 1 - Math.abs(t - 0.22) / 0.3);
      const chest = Math.max(0, 1 - Math.abs(t - 0.68) / 0.42);
      const wide = 0.128 - 0.014 * waist + 0.032 * chest - 0.05 * Math.max(0, t - 0.85) / 0.15;
      const slice = this.add(bones[j], ball(wide, many ? 0.115 : 0.15, 0.088 + 0.022 * chest,
        this.cloth));
      slice.position.set(0, -0.02, 0.048);
      if (i === 0) {
        slice.scale.set(0.158, 0.15, 0.112);
        slice.position.set(0, 0.1, -0.03);
      }
    });
  }

  makeFace(bones, skull) {
    const head = new THREE.Group();
    head.position.set(0, 0.055, 0.028);
    bones[skull].add(head);
    this.parts.push(head);
    const top = ball(0.074, 0.098, 0.092, this.skin);
    top.position.set(0, 0.03, -0.006);
    const hair = ball(0.0775, 0.085, 0.093, material(0x3b3230, 0.95));
    hair.position.set(0, 0.055, -0.017);
    const jaw = new THREE.Group();
    const chin = ball(0.053, 0.062, 0.062, this.skin);
    chin.position.set(0, -0.03, 0.022);
    jaw.add(chin);
    jaw.position.set(0, 0.01, 0);
    const nose = ball(0.011, 0.02, 0.017, this.skin);
    nose.position.set(0, 0.003, 0.09);
    const mouth = ball(0.022, 0.004, 0.008, material(0x7c2f35, 0.5));
    mouth.position.set(0, -0.035, 0.08);
    head.add(top, hair, jaw, nose, mouth);
    const eyes = [1, -1].map((side) => {
      const eye = new THREE.Group();
      eye.position.set(side * 0.03, 0.03, 0.07);
      eye.add(ball(0.0145, 0.0105, 0.012, material(WHITE, 0.3)));
      const iris = ball(0.006, 0.006, 0.004, material(0x32505c, 0.2));
      iris.position.z = 0.011;
      const brow = ball(0.017, 0.003, 0.005, material(0x3b3230, 0.95));
      brow.position.set(side * 0.031, 0.053, 0.079);
      const lid = ball(0.0152, 0.0113, 0.0127, this.skin);
      lid.position.copy(eye.position);
      eye.add(iris);
      head.add(eye, brow, lid);
      for (const ear of [ball(0.011, 0.02, 0.013, this.skin)]) {
        ear.position.set(side * 0.075, 0.015, -0.008);
        head.add(ear);
      }
      return { side: side > 0 ? "Left" : "Right", eye, iris, brow, lid };
    });
    this.face = { head, jaw, mouth, eyes };
  }

  // `weight(name)` is the value of a shape, as ACE means it.
  setFace(weight) {
    if (!this.face) return;
    const { jaw, mouth, eyes } = this.face;
    const { jaw: down, apart } = mouthOf(weight);
    const round = Math.max(weight("mouthPucker"), weight("mouthFunnel"));
    const smile = (weight("mouthSmileLeft") + weight("mouthSmileRight")) / 2;
    jaw.rotation.x = down * 0.32;
    jaw.position.y = 0.01 - 0.016 * down;
    mouth.scale.set(0.022 * (1 - 0.5 * round + 0.35 * smile), 0.0035 + 0.021 * apart + 0.004 * round,
      0.008 + 0.005 * round);
    mouth.position.y = -0.035 - 0.011 * apart + 0.003 * smile;
    for (const { side, iris, brow, lid } of eyes) {
      const shut = Math.min(1, weight(`eyeBlink${side}`) + 0.35 * weight(`eyeSquint${side}`));
      lid.rotation.x = -1.25 + 1.25 * shut;
      lid.scale.y = 0.0113 * (0.35 + 0.75 * shut);
      lid.position.y = 0.0385 - 0.0075 * shut;
      const out = weight(`eyeLookOut${side}`) - weight(`eyeLookIn${side}`);
      iris.position.x = (side === "Left" ? 1 : -1) * out * 0.007;
      iris.position.y = (weight(`eyeLookUp${side}`) - weight(`eyeLookDown${side}`)) * 0.006;
      brow.position.y = 0.053 + 0.009 * weight("browInnerUp") + 0.009 * weight(`browOuterUp${side}`)
        - 0.009 * weight(`browDown${side}`);
    }
  }

  // Height of the open mouth.
  mouthOpen() { return this.face ? 2 * this.face.mouth.scale.y : 0; }

  setVisible(visible) {
    for (const part of this.parts) part.visible = visible;
  }

  dispose() {
    for (const part of this.parts) part.removeFromParent();
  }
}
