// Brings offsets (offsets.js) to the points of a model: to the graphics processor as codes, which it
// decodes (offset_material.js), or to what the processor skins.
import * as THREE from "three";
import { CODES, WAYS, addOffsets } from "./offset_material.js";
import { Offsets } from "./offsets.js";

// The same arrays in a geometry of its own: those of a file are shared by its avatars.
function shallow(from) {
  const geometry = new THREE.BufferGeometry();
  geometry.name = from.name;
  geometry.index = from.index;
  Object.assign(geometry.attributes, from.attributes);
  geometry.morphAttributes = from.morphAttributes;
  geometry.morphTargetsRelative = from.morphTargetsRelative;
  geometry.groups = from.groups;
  geometry.userData = from.userData;
  return geometry;
}

// Where a mesh of the scene stands in its glTF file: kept with it, clones included.
export function markPart(object, associations) {
  const own = associations.get(object) || {}, above = associations.get(object.parent) || {};
  object.userData.part = [own.nodes ?? above.nodes ?? -1, own.primitives || 0];
}

// The meshes of a model that `list` names: [node, points] of each, in the order of its file. Throws
// if a mesh does not fit.
export function matchMeshes(model, list) {
  const meshes = new Map();
  for (const mesh of model.fileMeshes) {
    const [node] = mesh.userData.part;
    if (!meshes.has(node)) meshes.set(node, []);
    meshes.get(node).push(mesh);
  }
  for (const some of meshes.values()) some.sort((a, b) => a.userData.part[1] - b.userData.part[1]);
  return list.map(([node, points]) => {
    const mesh = (meshes.get(node) || []).shift();
    const count = mesh ? mesh.geometry.attributes.position.count : 0;
    if (count !== points) throw new Error(`node ${node} is to have ${points} points, and it has ${count}`);
    return mesh;
  });
}

export class ModelOffsets extends Offsets {
  // `list` is the layout's: [node, points] of each mesh, in order. Throws what is wrong.
  constructor(model, list) {
    super(list.reduce((sum, [, points]) => sum + points, 0));
    this.parts = [];
    this.made = [];  // geometries and materials
    this.own = new Map();   // by mesh, {values, turns} of its points
    this.uniforms = [];     // of the materials that decode
    const found = matchMeshes(model, list);
    const bodies = new Set(model.softBodies.map(({ source }) => source));
    this.decodes = found.some((mesh) => bodies.has(mesh));
    this.spreads = found.some((mesh) => !bodies.has(mesh));
    if (this.spreads) {
      for (const slot of this.slots) {
        slot.codes = new Uint16Array(this.points * 4);
        slot.ways = new Int8Array(this.points * 4);
      }
    }
    let first = 0;
    list.forEach(([, points], k) => {
      this.own.set(found[k], { values: this.values.subarray(first * 3, (first + points) * 3),
        turns: this.turns.subarray(first * 3, (first + points) * 3) });
      this.bind(model, found[k], first, points);
      first += points;
    });
  }

  // The processor poses the mesh's points by `posed`, from now on with offsets.
  follow(mesh, posed) {
    const own = this.own.get(mesh);
    if (!own) return;
    this.decodes = true;
    posed.offsets = own;
    this.parts.push({ show: () => { posed.stirred = true; } });
  }

  bind(model, mesh, first, points) {
    const body = model.softBodies.find(({ source }) => source === mesh);
    if (body) {
      this.follow(mesh, body);
      return;
    }
    const geometry = shallow(mesh.geometry);
    const slots = this.slots.map((slot, k) => ({ slot, filled: 0,
      attributes: [[CODES[k], slot.codes], [WAYS[k], slot.ways]].map(([name, array]) => {
        const part = array.subarray(first * 4, (first + points) * 4);
        const attribute = new THREE.BufferAttribute(part, 4).setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute(name, attribute);
        return attribute;
      }) }));
    mesh.geometry = geometry;
    this.made.push(geometry);
    // A VRM's parts are its own avatar's, and its expressions know its materials.
    const ownOf = (material) => {
      if (model.vrm) return material;
      const own = material.clone();
      this.made.push(own);
      return own;
    };
    mesh.material = Array.isArray(mesh.material) ? mesh.material.map(ownOf) : ownOf(mesh.material);
    for (const material of [mesh.material].flat()) this.uniforms.push(addOffsets(material));
    this.parts.push({ show: () => {
      for (const of of slots) {
        if (of.filled === of.slot.filled) continue;
        of.filled = of.slot.filled;
        for (const one of of.attributes) one.needsUpdate = true;
      }
    } });
  }

  update(at, now) {
    const changed = super.update(at, now);
    if (!changed) return false;
    for (const { show } of this.parts) show();
    for (const uniforms of this.uniforms) {
      this.slots.forEach(({ box, weight }, k) => {
        if (!box) return;
        uniforms.posewireLow.value.set(box.low, k * 3);
        uniforms.posewireStep.value.set(box.step, k * 3);
        uniforms.posewireWeight.value.set([weight, weight * box.turn], k * 2);
      });
    }
    return true;
  }

  dispose() {
    for (const one of this.made) one.dispose();
  }
}
