// VRM files, read by @pixiv/three-vrm: which nodes are the bones of a person, what its expressions
// move, and what moves by itself: hair and skirts on springs, bones that twist with others. The
// page turns the bones itself, as it does those of any humanoid, and says how strong each
// expression is.
import { MToonMaterialLoaderPlugin, VRMExpressionLoaderPlugin, VRMHumanoidLoaderPlugin,
  VRMNodeConstraintLoaderPlugin, VRMSpringBoneLoaderPlugin } from "@pixiv/three-vrm";
import { VRMMaterialsV0CompatPlugin } from "@pixiv/three-vrm-materials-v0compat";
import { vrmBoneOf } from "./names.js";

// Poses that lie further apart are none that springs could swing between.
const LONGEST_STEP_S = 0.25;
// Springs take steps of about this length, as those of films do (libs/character/springs.h), and so
// many to come to rest.
const SPRING_STEP_S = 1 / 60, SETTLING_STEPS = 60;

// Has a GLTFLoader read the extensions of VRM 0.x and 1.0. `toon`: its materials too; without a GPU
// the page's own light takes their place.
export function readVrm(loader, toon) {
  loader.register((parser) => new VRMHumanoidLoaderPlugin(parser, { autoUpdateHumanBones: false }));
  loader.register((parser) => new VRMExpressionLoaderPlugin(parser));
  loader.register((parser) => new VRMNodeConstraintLoaderPlugin(parser));
  loader.register((parser) => new VRMSpringBoneLoaderPlugin(parser));
  if (!toon) return;
  loader.register((parser) => new MToonMaterialLoaderPlugin(parser));
  loader.register((parser) => new VRMMaterialsV0CompatPlugin(parser));
}

// What swings by itself: the springs of VRM files, and of any that has VRMC_springBone.
export class Springs {
  // Null when the file has none.
  static of({ userData: { vrmSpringBoneManager: manager } }) {
    return manager && manager.joints.size > 0 ? new Springs(manager) : null;
  }

  constructor(manager) {
    this.manager = manager;
    this.at = null;  // of the pose before, seconds
  }

  // Once the bones are those of the moment `at`. Begins at rest where poses do not go on: as if the
  // pose had been held long.
  follow(at) {
    const step = at - this.at;
    const goesOn = this.at !== null && step >= 0 && step < LONGEST_STEP_S;
    this.at = at;
    if (!goesOn) {
      for (const { bone } of this.manager.joints) if (bone.parent) bone.parent.updateWorldMatrix(true, false);
      this.manager.reset();
    }
    const steps = goesOn ? Math.max(1, Math.round(step / SPRING_STEP_S)) : SETTLING_STEPS;
    for (let i = 0; i < steps; ++i) this.manager.update(goesOn ? step / steps : SPRING_STEP_S);
  }
}

// What was read of a file, for one avatar.
export class Vrm {
  // Null when the file is no VRM.
  static of({ userData }) { return userData.vrmHumanoid ? new Vrm(userData) : null; }

  constructor({ vrmHumanoid, vrmExpressionManager, vrmNodeConstraintManager, vrmMToonMaterials }) {
    this.humanoid = vrmHumanoid;
    this.expressions = vrmExpressionManager || null;
    this.constraints = vrmNodeConstraintManager || null;
    this.toon = vrmMToonMaterials || [];
    this.at = null;  // of the pose before, seconds
    vrmHumanoid.normalizedHumanBonesRoot.removeFromParent();  // bones of another kind, not used here
  }

  get bones() { return Object.keys(this.humanoid.humanBones).length; }
  // The node of a joint of the rig "vrm"; undefined when there is none.
  bone(joint) { return this.humanoid.getRawBoneNode(vrmBoneOf(joint)) || undefined; }

  // Once the bones are those of the moment `at`.
  follow(at) {
    const step = at - this.at;
    const goesOn = this.at !== null && step >= 0 && step < LONGEST_STEP_S;
    this.at = at;
    if (this.constraints) this.constraints.update();
    for (const material of this.toon) material.update(goesOn ? step : 0);
  }
}
