// The hands of an avatar's bones, see contacts.js.
import * as THREE from "three";
import { BodyContact, HAIR, STANDING, measure, partOf } from "./contacts.js";

const ARM = ["UpperArm", "LowerArm", "Hand"];
const point = new THREE.Vector3(), toRoot = new THREE.Matrix4(), turn = new THREE.Quaternion();

// The points of the meshes below `scene` as they stand, in the space that `space` leads to, with the
// parts of the flesh that they are of; `boneOf` has what bones objects are.
function pointsOf(scene, space, boneOf) {
  const parts = new Map();
  const partOfNode = (node) => {
    if (!parts.has(node)) {
      let above = node.parent;
      while (above && !boneOf.has(above)) above = above.parent;
      parts.set(node, partOf(boneOf.get(node), boneOf.get(above)));
    }
    return parts.get(node);
  };
  const out = [], toSpace = new THREE.Matrix4();
  scene.traverse((mesh) => {
    if (!mesh.isMesh || [mesh, ...[mesh.material].flat()].some(({ name }) => HAIR.test(name))) return;
    const { position, skinIndex, skinWeight } = mesh.geometry.attributes;
    const partAt = (i) => {
      if (!mesh.isSkinnedMesh) return partOfNode(mesh);
      let most = 0, heaviest = -1;
      for (let k = 0; k < 4; ++k) {
        const weight = skinWeight.getComponent(i, k);
        if (weight > most) [most, heaviest] = [weight, skinIndex.getComponent(i, k)];
      }
      return heaviest < 0 ? "" : partOfNode(mesh.skeleton.bones[heaviest]);
    };
    toSpace.multiplyMatrices(space, mesh.matrixWorld);
    for (let i = 0; i < position.count; ++i) {
      const part = partAt(i);
      if (part) out.push({ at: mesh.getVertexPosition(i, point).applyMatrix4(toSpace).toArray(), part });
    }
  });
  return out;
}

export class ModelContact {
  // Of the bones of `humanoid`, {bone, j}, of `model` as it stands at rest, turned to the front; null
  // where they are too few, or the stream's joints are.
  static of({ scene, humanoid, avatar }) {
    const { joints } = avatar.layout, entries = new Map();
    for (const entry of humanoid) entries.set(joints[entry.j], entry);
    if (!STANDING.every(([bone]) => joints.includes(bone))) return null;
    scene.updateWorldMatrix(true, false);
    scene.updateMatrixWorld(true);
    toRoot.copy(avatar.root.matrixWorld).invert();
    const places = new Map(), boneOf = new Map();
    for (const [name, { bone }] of entries) {
      places.set(name, point.setFromMatrixPosition(bone.matrixWorld).applyMatrix4(toRoot).toArray());
      boneOf.set(bone, name);
    }
    const contact = BodyContact.of(new Set(entries.keys()), measure(pointsOf(scene, toRoot, boneOf), places));
    return contact && new ModelContact(contact, entries, joints);
  }

  constructor(contact, entries, joints) {
    this.contact = contact;
    this.bones = STANDING.map(([name]) => ({ name, j: joints.indexOf(name), entry: entries.get(name) }));
    this.arms = ["Left", "Right"].map((side) => ARM.map((bone) => entries.get(side + bone)));
  }

  // `turned` has how far each joint of the stream is turned, and the bones stand by these, their world
  // matrices known. Returns the bones to be turned otherwise, from the shoulders down: [entry, turn].
  apply(turned, root) {
    toRoot.copy(root.matrixWorld).invert();
    const turns = {}, at = {};
    for (const { name, j, entry } of this.bones) {
      const { w, x, y, z } = turned[j];
      turns[name] = [w, x, y, z];
      if (entry) at[name] = point.setFromMatrixPosition(entry.bone.matrixWorld).applyMatrix4(toRoot).toArray();
    }
    const out = [];
    this.contact.turns(turns, at).forEach(({ upper, lower }, h) => {
      if (upper[0] === 1 && lower[0] === 1) return;
      const [arm, forearm, hand] = this.arms[h];
      const by = (entry, [w, x, y, z]) =>
        out.push([entry, turned[entry.j].clone().premultiply(turn.set(x, y, z, w))]);
      by(arm, upper);
      by(forearm, lower);
      out.push([hand, turned[hand.j]]);
    });
    return out;
  }
}
