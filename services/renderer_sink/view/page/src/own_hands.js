// The hands of who wears a headset, drawn as dots: a dot for each joint that is tracked, a larger one
// for a controller.
import * as THREE from "three";

const MOST = 64;
const CONTROLLER_M = 0.03;
// The middle of a hand that is tracked by its joints.
const PALM = "middle-finger-metacarpal";

export class OwnHands {
  constructor() {
    this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 20, 12),
      new THREE.MeshLambertMaterial({ color: 0x8fb8c8 }), MOST);
    this.dots.frustumCulled = false;
    this.dots.count = 0;
    this.at = new THREE.Matrix4();
  }

  dot({ x, y, z }, radius_m) {
    if (this.dots.count >= MOST) return;
    this.dots.setMatrixAt(this.dots.count++, this.at.makeScale(radius_m, radius_m, radius_m).setPosition(x, y, z));
  }

  // Shows where they are in this frame, and gives {left, right}: WebXR's transforms of their middles,
  // of those that are known.
  show(frame, space, sources) {
    const known = {};
    this.dots.count = 0;
    for (const { handedness, hand, gripSpace } of sources) {
      if (hand) {
        for (const [name, joint] of hand) {
          const pose = frame.getJointPose(joint, space);
          if (!pose) continue;
          this.dot(pose.transform.position, pose.radius || 0.008);
          if (name === PALM) known[handedness] = pose.transform;
        }
      } else if (gripSpace) {
        const pose = frame.getPose(gripSpace, space);
        if (!pose) continue;
        this.dot(pose.transform.position, CONTROLLER_M);
        known[handedness] = pose.transform;
      }
    }
    this.dots.instanceMatrix.needsUpdate = true;
    return known;
  }
}
