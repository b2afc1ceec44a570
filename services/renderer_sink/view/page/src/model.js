// Avatars from GLB and VRM files: finds their bones and shapes by name, and moves them.
//
// A skeleton that has the stream's own joints takes their transforms as they are. A humanoid
// skeleton of other bones (VRM's extension, or names that tools commonly give) is turned joint by
// joint: as far as the stream's joint has turned from its rest in the model's space, so far turns
// the bone from its own rest. The server then asks for the rig "vrm", whose rest is a T-pose too.
// What no joint can move is shown as it stands; its shapes move all the same.
import * as THREE from "three";
import { MeshoptDecoder } from "three/addons/libs/meshopt_decoder.module.js";
import { DRACOLoader } from "three/addons/loaders/DRACOLoader.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { clone } from "three/addons/utils/SkeletonUtils.js";
import { checkJson, checkMesh } from "./check_model.js";
import { extentOf } from "./extent.js";
import { hasMore, skinByEight } from "./influences.js";
import { prepareMaterial } from "./lights.js";
import { ModelContact } from "./model_contact.js";
import { ModelOffsets, markPart } from "./model_offsets.js";
import { ModelShapes } from "./model_shapes.js";
import { ModelSurface } from "./model_surface.js";
import { SoftBody } from "./soft_body.js";
import { BELOW_EYES, HEAD_SHARE, whyStill, yawOf } from "./stance.js";
import { tipsify } from "./tipsify.js";
import { EYEBALL, SKULL, boneOf } from "./names.js";
import { Variants } from "./variants.js";
import { Springs, Vrm, readVrm } from "./vrm.js";

// This share of the stream's joints must be there for their transforms to be taken as they are.
const SAME_SKELETON = 0.6;
const LEAST_BONES = 8;
// What a shape may add to the reach of a bone, and from which weight on it moves a point at all.
const SHAPES_M = 0.03;
const LEAST_WEIGHT = 0.005;
// Heights that a thing which does not move may have; others are files in other units, and are made
// as high as a person.
const LEAST_M = 0.1, MOST_M = 3, PERSON_M = 1.7;
// The middle of the face, in heights of the head above its joint.
const FACE_SHARE = 0.4;
// Where no joint is known to be the head, what is lower than this is nothing but a head.
const HEAD_ALONE_M = 0.6;
const UP = new THREE.Vector3(0, 1, 0);

const point = new THREE.Vector3(), box = new THREE.Box3(), size = new THREE.Vector3();

// The rotation of a matrix that may scale.
const turnOf = (matrix) => {
  const turn = new THREE.Quaternion();
  matrix.decompose(point, turn, size);
  return turn;
};

// What GLTFLoader makes of a file, ready to be shown.
async function parse(bytes, { toon, vrm }) {
  const loader = new GLTFLoader();
  // It gets its decoder, /draco_decoder.js, when a file first needs it.
  const draco = new DRACOLoader().setDecoderConfig({ type: "js" }).setDecoderPath("/");
  loader.setDRACOLoader(draco).setMeshoptDecoder(MeshoptDecoder);
  loader.register((parser) => {
    checkJson(parser.json);
    return { name: "POSEWIRE_check" };
  });
  if (vrm) readVrm(loader, toon);
  const gltf = await loader.parseAsync(bytes, "").finally(() => draco.dispose());
  if (!gltf.scene) throw new Error("the file has no scene");
  const lines = [];
  const nodes = gltf.parser.json.nodes || [];
  gltf.scene.traverse((object) => {
    // Streams call a node without a name by its number (libs/formats/gltf/joints.h).
    const node = (gltf.parser.associations.get(object) || {}).nodes;
    if (node !== undefined && nodes[node] && !nodes[node].name) object.userData.name = `node_${node}`;
    if (object.isLine || object.isPoints) lines.push(object);
    if (!object.isMesh) return;
    checkMesh(object);
    markPart(object, gltf.parser.associations);
    object.frustumCulled = false;
    const { index, attributes } = object.geometry;
    if (index) {
      object.geometry.setIndex(new THREE.BufferAttribute(
        tipsify(index.array, attributes.position.count), 1));
    }
    if (object.material.map === null && object.material.metalness > 0.5) object.material.metalness = 0;
    prepareMaterial(object.material);
    if (object.isSkinnedMesh && hasMore(object.geometry)) skinByEight(object.material);
    object.castShadow = object.receiveShadow = !object.material.transparent;
  });
  // Persons have none, and they have no shapes of ours to take.
  for (const object of lines) object.removeFromParent();
  gltf.scene.updateMatrixWorld(true);
  return { scene: gltf.scene, json: gltf.parser.json, vrm: Vrm.of(gltf), springs: Springs.of(gltf), note: "" };
}

// As a VRM; where that part of the file is broken, as any other glTF, with a note of what it was.
async function parseAny(bytes, toon) {
  try {
    return await parse(bytes, { toon, vrm: true });
  } catch (error) {
    const parts = await parse(bytes, { toon: false, vrm: false });
    if (!/^VRM/.test(Object.keys(parts.json.extensions || {}).join())) throw error;
    return { ...parts, note: `The file's VRM part cannot be read (${error.message}).` };
  }
}

const meshesOf = (scene) => {
  const meshes = [];
  scene.traverse((object) => {
    if (object.isMesh) meshes.push(object);
  });
  return meshes;
};

// Resolves with a function that resolves with the parts of one avatar; all of them share their
// geometries. `toon`: as of readVrm.
export async function loadModel(url, toon) {
  const bytes = await new THREE.FileLoader().setResponseType("arraybuffer").loadAsync(url);
  const first = await parseAny(bytes, toon);
  if (!first.vrm && !first.springs) return async () => ({ ...first, scene: clone(first.scene) });
  // A clone would not know what three-vrm knows of its nodes.
  const geometries = meshesOf(first.scene).map(({ geometry }) => geometry);
  let unused = first;
  return async () => {
    const parts = unused || await parseAny(bytes, toon);
    unused = null;
    // The same file gives the same meshes in the same order.
    meshesOf(parts.scene).forEach((mesh, i) => { mesh.geometry = geometries[i]; });
    return parts;
  };
}

// The looks of an avatar, of parts of its own.
export function makeModel(parts, avatar) {
  const before = new Set(avatar.root.children);
  try {
    return new Model(parts, avatar);
  } catch (error) {
    // Nothing is left of what was half made.
    for (const child of [...avatar.root.children]) if (!before.has(child)) child.removeFromParent();
    throw error;
  }
}

class Model {
  constructor({ scene, json, vrm, springs, note }, avatar) {
    this.scene = scene;
    this.vrm = vrm;
    this.springs = springs;
    this.avatar = avatar;
    avatar.root.add(scene);
    this.byName = new Map();
    scene.traverse((object) => {
      const name = object.userData.name || object.name;
      if (name && !object.isMesh && !this.byName.has(name)) this.byName.set(name, object);
    });
    const { joints } = avatar.layout;
    const same = joints.filter((name) => this.byName.has(name)).length;
    this.direct = same >= SAME_SKELETON * joints.length;
    this.missingBones = [];
    this.bones = [];     // that take a joint's transform as it is: {bone, j}
    this.humanoid = [];  // that turn as a joint has turned: {bone, j, rest, restLocal}
    if (this.direct) this.bindSame();
    else this.bindHumanoid();
    this.shapes = new ModelShapes(scene, json, vrm, avatar, (name) => this.byName.get(name));
    this.still = this.findStill();
    if (!this.direct && this.humanoid.length === 0) this.place();
    this.findHead();
    this.findReach();
    this.variants = new Variants(scene, ((json.extras || {}).posewire || {}).variants);
    this.fileMeshes = [];
    scene.traverse((object) => {
      if (object.isMesh) this.fileMeshes.push(object);
    });
    this.offsets = null;
    this.surface = null;  // its refined surface, once it is there
    this.softBodies = [];
    if (avatar.stage.software) this.soften();
    this.note = [note, this.describe()].filter(Boolean).join(" ");
  }

  // Why no joint moves it; empty when they do.
  findStill() {
    const bound = new Set([...this.bones, ...this.humanoid].map(({ bone }) => bone));
    const skeleton = new Set();
    let carried = false;
    this.scene.traverse((object) => {
      if (object.isSkinnedMesh) for (const bone of object.skeleton.bones) skeleton.add(bone);
      if (!object.isMesh) return;
      for (let above = object.parent; above; above = above.parent) carried = carried || bound.has(above);
    });
    return whyStill({ skeleton: [...skeleton].map((bone) => bone.userData.name || bone.name),
      known: this.direct ? LEAST_BONES : this.known, least: LEAST_BONES, carried });
  }

  bindSame() {
    const { joints, rest, rig } = this.avatar.layout;
    joints.forEach((name, j) => {
      const bone = this.byName.get(name);
      // From where the rig has it to where the file has it: people have limbs of their own.
      const way = bone && rig ? bone.position.clone().sub(new THREE.Vector3().fromArray(rest, j * 7))
        : new THREE.Vector3();
      if (bone) this.bones.push({ bone, j, way });
      else this.missingBones.push(name);
    });
  }

  bindHumanoid() {
    const { layout } = this.avatar;
    this.fromRest = this.globalsOf(layout.rest, 7, 3).map((turn) => turn.invert());
    const wanted = new Map();
    layout.joints.forEach((name, j) => {
      const bone = this.vrm ? this.vrm.bone(name) : this.findBone(name);
      if (bone) wanted.set(bone, j);
      else this.missingBones.push(name);
    });
    this.known = this.vrm ? this.vrm.bones : new Set([...this.byName.keys()].map(boneOf).filter(Boolean)).size;
    if (this.known < LEAST_BONES) return;
    // Other rigs than VRM's rest in other ways, and name joints that mean another place.
    if (!layout.joints.includes("Hips") || wanted.size < LEAST_BONES) {
      throw new Error(`its bones can follow the joints of the rig vrm, and the stream's are those of ` +
        `${layout.rig || "no rig that is known"}: start view without --rig`);
    }
    const world = new THREE.Matrix4(), inverse = this.scene.matrixWorld.clone().invert();
    const places = new Map();
    this.scene.traverse((object) => {
      if (!wanted.has(object)) return;
      world.multiplyMatrices(inverse, object.matrixWorld);
      const j = wanted.get(object);
      this.humanoid.push({ bone: object, j, rest: turnOf(world), restLocal: object.position.clone() });
      places.set(layout.joints[j], new THREE.Vector3().setFromMatrixPosition(world).toArray());
    });
    // Turned so that it looks along +Z as the stream does.
    this.facing = new THREE.Quaternion().setFromAxisAngle(UP, -(yawOf(places) || 0));
    this.facingBack = this.facing.clone().invert();
    this.scene.quaternion.copy(this.facing);
    this.contact = ModelContact.of(this);
    const hips = this.humanoid.find(({ j }) => /hips|humanoidroot/i.test(layout.joints[j]));
    if (hips) {
      this.hips = hips;
      const at = new THREE.Vector3().setFromMatrixPosition(world.multiplyMatrices(inverse, hips.bone.matrixWorld));
      this.scale = at.y / (layout.rest[hips.j * 7 + 1] || 1);
    }
  }

  // Puts what does not move into the middle of its place, on the ground, and as high as things are.
  place() {
    const tall = extentOf(this.scene).getSize(size).y;
    if (tall > 0 && (tall < LEAST_M || tall > MOST_M)) this.scene.scale.setScalar(PERSON_M / tall);
    this.avatar.root.worldToLocal(extentOf(this.scene).getCenter(point));
    const { min } = extentOf(this.scene);
    this.scene.position.add(point.set(-point.x, Math.max(0, -min.y), -point.z));
  }

  // Where the camera finds its face: `middle` of it in the space of `bone`, how `tall` the head is, and
  // how high the `top` of it all.
  findHead() {
    const all = extentOf(this.scene);
    if (all.isEmpty()) throw new Error("its file has no mesh");
    const bone = this.headBone(), top = all.max.y;
    if (bone) {
      const own = new Set();
      bone.traverse((object) => own.add(object));
      const at = new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld);
      const skull = extentOf(this.scene, own).max.y, eyes = this.middleOfEyes();
      let tall = eyes ? 2 * (skull - eyes.y) : 0;  // eyes are halfway up a head
      if (tall > 0) {
        at.set(eyes.x, eyes.y - BELOW_EYES * tall, at.z);
      } else {
        tall = skull - at.y;
        at.y += FACE_SHARE * tall;
      }
      if (tall > 0) {
        this.head = { bone, middle: bone.worldToLocal(at), tall, top };
        return;
      }
    }
    const high = all.getSize(size).y;
    const tall = high < HEAD_ALONE_M ? high : HEAD_SHARE * high;
    const at = all.getCenter(new THREE.Vector3()).setY(top - (1 - FACE_SHARE) * tall);
    this.head = { bone: this.scene, middle: this.scene.worldToLocal(at), tall, top };
  }

  // Null where it has not two.
  middleOfEyes() {
    const eyes = this.vrm ? [this.vrm.bone("LeftEye"), this.vrm.bone("RightEye")].filter(Boolean)
      : [...this.byName].filter(([name]) => EYEBALL.test(name) || /^(Left|Right)Eye$/.test(boneOf(name) || ""))
        .map(([, bone]) => bone);
    if (eyes.length !== 2) return null;
    const [left, right] = eyes.map((eye) => new THREE.Vector3().setFromMatrixPosition(eye.matrixWorld));
    return left.add(right).multiplyScalar(0.5);
  }

  headBone() {
    if (this.vrm) return this.vrm.bone("Head");
    for (const [name, bone] of this.byName) if (SKULL.test(name) || boneOf(name) === "Head") return bone;
    return undefined;
  }

  // Round what each bone moves lies a box, by which cull knows whether a mesh can be seen.
  findReach() {
    this.reach = [];
    this.scene.traverse((mesh) => {
      if (!mesh.isSkinnedMesh) return;
      const { position, skinIndex, skinWeight } = mesh.geometry.attributes;
      const { bones, boneInverses } = mesh.skeleton;
      const boxes = new Map();
      for (let i = 0; i < skinIndex.count; ++i) {
        for (let k = 0; k < 4; ++k) {
          if (skinWeight.getComponent(i, k) < LEAST_WEIGHT) continue;
          const b = skinIndex.getComponent(i, k);
          if (!boxes.has(b)) boxes.set(b, new THREE.Box3());
          point.fromBufferAttribute(position, i).applyMatrix4(mesh.bindMatrix).applyMatrix4(boneInverses[b]);
          boxes.get(b).expandByPoint(point);
        }
      }
      this.reach.push({ mesh, boxes: [...boxes].map(([b, own]) => ({ bone: bones[b], own })) });
    });
  }

  // Has the processor move the meshes.
  soften() {
    const meshes = [];
    this.scene.traverse((object) => {
      if (object.isSkinnedMesh || (object.isMesh && object.geometry.morphAttributes.position)) {
        meshes.push(object);
      }
    });
    for (const mesh of meshes) {
      const body = new SoftBody(mesh, this.avatar.root, this.avatar.stage.plain);
      this.softBodies.push(body);
      this.variants.replace(mesh, body.mesh);
      for (const reach of this.reach) if (reach.mesh === mesh) reach.mesh = body.mesh;
    }
  }

  // Shows it as a film's character from now on; `list` is the layout's. Says what is wrong, if
  // anything is.
  takeOffsets(list) {
    if (this.offsets || !list.length) return "";
    try {
      this.offsets = new ModelOffsets(this, list);
      return "";
    } catch (error) {
      return `The avatar is shown without its offsets: ${error.message}.`;
    }
  }

  // Has this refined surface (model_surface.js) from now on; null: none. Throws what does not fit.
  takeSurface(surface) {
    if (this.surface) this.surface.dispose();
    this.surface = null;
    if (surface) this.surface = new ModelSurface(this, surface);
  }

  // After the matrices of the moment are known and before it is drawn; `fine` if by its surface, if
  // it has one. `now` in seconds.
  beforeDraw(frustum, fine, now) {
    this.cull(frustum);
    if (this.surface) this.surface.show(fine, now);
    for (const body of this.softBodies) body.update();
  }

  // Hides meshes of which nothing can be in view.
  cull(frustum) {
    for (const { mesh, boxes } of this.reach) {
      mesh.visible = !mesh.userData.hidden && (boxes.length === 0 || boxes.some(({ bone, own }) =>
        frustum.intersectsBox(box.copy(own).applyMatrix4(bone.matrixWorld).expandByScalar(SHAPES_M))));
    }
  }

  findBone(joint) {
    const wanted = boneOf(joint);
    if (!wanted) return undefined;
    for (const [name, bone] of this.byName) {
      if (boneOf(name) === wanted) return bone;
    }
    return undefined;
  }

  // Rotations in the model's space from local ones, which lie `stride` apart.
  globalsOf(values, stride, at) {
    const { parents } = this.avatar.layout;
    const globals = [];
    parents.forEach((parent, j) => {
      const k = j * stride + at;
      const q = new THREE.Quaternion(values[k + 1], values[k + 2], values[k + 3], values[k]);
      globals.push(parent < 0 ? q : q.premultiply(globals[parent]));
    });
    return globals;
  }

  describe() {
    const lines = [];
    const { missingBones: bones, shapes: { missing: shapes } } = this;
    if (this.still) lines.push(`No joint moves the avatar: ${this.still}.`);
    else if (bones.length) lines.push(`${bones.length} joints move nothing: ${bones.join(", ")}.`);
    if (shapes.length) lines.push(`${shapes.length} shapes are not in the model: ${shapes.join(", ")}.`);
    return lines.join(" ");
  }

  apply(avatar) {
    if (this.direct) this.applySame(avatar);
    else this.applyHumanoid(avatar);
    this.shapes.apply(avatar);
    if (this.vrm) this.vrm.follow(avatar.shownAt || 0);
    if (this.springs) this.springs.follow(avatar.shownAt || 0);
  }

  applySame({ pose: { rotations: q, translations: t, scales: s } }) {
    for (const { bone, j, way } of this.bones) {
      bone.quaternion.set(q[j * 4 + 1], q[j * 4 + 2], q[j * 4 + 3], q[j * 4]);
      bone.position.set(t[j * 3], t[j * 3 + 1], t[j * 3 + 2]).add(way);
      bone.scale.set(s[j * 3], s[j * 3 + 1], s[j * 3 + 2]);
    }
  }

  applyHumanoid({ pose, layout, root }) {
    if (!this.humanoid.length) return;
    const turned = this.globalsOf(pose.rotations, 4, 0).map((turn, j) => turn.multiply(this.fromRest[j]));
    this.scene.updateWorldMatrix(true, false);
    const toScene = turnOf(this.scene.matrixWorld).invert();
    for (const entry of this.humanoid) this.turnBone(entry, turned[entry.j], toScene);
    if (this.contact) {
      for (const [entry, turn] of this.contact.apply(turned, root)) this.turnBone(entry, turn, toScene);
    }
    if (!this.hips) return;
    const { bone, j, restLocal } = this.hips;
    const moved = new THREE.Vector3(
      pose.translations[j * 3] - layout.rest[j * 7], pose.translations[j * 3 + 1] - layout.rest[j * 7 + 1],
      pose.translations[j * 3 + 2] - layout.rest[j * 7 + 2]).multiplyScalar(this.scale).applyQuaternion(this.facingBack);
    const above = turnOf(bone.parent.matrixWorld).premultiply(toScene);
    // Files in centimetres have a node above that shrinks them.
    moved.divideScalar(bone.parent.matrixWorld.getMaxScaleOnAxis() || 1);
    bone.position.copy(restLocal).add(moved.applyQuaternion(above.invert()));
  }

  // Brings a bone to where `turn` takes it from its rest, and its matrix up to date. `toScene` leads
  // from turns in the world to the scene's.
  turnBone({ bone, rest }, turn, toScene) {
    bone.parent.updateWorldMatrix(true, false);
    const above = turnOf(bone.parent.matrixWorld).premultiply(toScene);
    bone.quaternion.copy(this.facingBack).multiply(turn).multiply(this.facing).multiply(rest)
      .premultiply(above.invert());
    bone.updateWorldMatrix(false, false);
  }

  dispose() {
    this.scene.removeFromParent();
    if (this.surface) this.surface.dispose();
    if (this.offsets) this.offsets.dispose();
    for (const body of this.softBodies) body.dispose();
  }
}
