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

// The moments of poses that are shown, in seconds.
class Moments {
  at = null;  // of the pose before

  // How long it is since the pose before; null where poses do not go on.
  next(at) {
    const step = this.at === null ? -1 : at - this.at;
    this.at = at;
    return step >= 0 && step < LONGEST_STEP_S ? step : null;
  }
}

// What swings by itself: the springs of VRM files, and of any that has VRMC_springBone.
export class Springs {
  // Null when the file has none.
  static of({ userData: { vrmSpringBoneManager: manager } }) {
    return manager && manager.joints.size > 0 ? new Springs(manager) : null;
  }

  constructor(manager) {
    this.manager = manager;
    this.moments = new Moments();
  }

  // Once the bones are those of the moment `at`. Begins at rest where poses do not go on: as if the
  // pose had been held long.
  follow(at) {
    let step = this.moments.next(at), steps = SETTLING_STEPS;
    if (step === null) {
      for (const { bone } of this.manager.joints) if (bone.parent) bone.parent.updateWorldMatrix(true, false);
      this.manager.reset();
      step = steps * SPRING_STEP_S;
    } else {
      steps = Math.max(1, Math.round(step / SPRING_STEP_S));
    }
    for (let i = 0; i < steps; ++i) this.manager.update(step / steps);
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
    this.moments = new Moments();
    vrmHumanoid.normalizedHumanBonesRoot.removeFromParent();  // bones of another kind, not used here
  }

  get bones() { return Object.keys(this.humanoid.humanBones).length; }
  // The node of a joint of the rig "vrm"; undefined when there is none.
  bone(joint) { return this.humanoid.getRawBoneNode(vrmBoneOf(joint)) || undefined; }

  // Once the bones are those of the moment `at`.
  follow(at) {
    const step = this.moments.next(at) ?? 0;
    if (this.constraints) this.constraints.update();
    for (const material of this.toon) material.update(step);
  }
}
