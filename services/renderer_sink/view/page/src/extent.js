// How far a model reaches, in the pose that it has.
import * as THREE from "three";

const OWN_SHARE = 0.5;  // of a point's weights, from which on it is a bone's own
const point = new THREE.Vector3();

function isBelow(object, bones) {
  for (let above = object.parent; above; above = above.parent) if (bones.has(above)) return true;
  return false;
}

function expand(box, mesh, bones) {
  const { position, skinIndex, skinWeight } = mesh.geometry.attributes;
  const own = bones && mesh.isSkinnedMesh ? mesh.skeleton.bones.map((bone) => bones.has(bone)) : null;
  if (bones && !own && !isBelow(mesh, bones)) return;
  for (let i = 0; i < position.count; ++i) {
    if (own) {
      let share = 0;
      for (let k = 0; k < 4; ++k) {
        if (own[skinIndex.getComponent(i, k)]) share += skinWeight.getComponent(i, k);
      }
      if (share < OWN_SHARE) continue;
    }
    box.expandByPoint(mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld));
  }
}

// The box in the world round all points of the meshes below `root`; with `bones`, a Set, round those
// that these move.
export function extentOf(root, bones = null) {
  root.updateWorldMatrix(true, false);
  root.updateMatrixWorld(true);
  const box = new THREE.Box3();
  root.traverse((object) => {
    if (object.isMesh) expand(box, object, bones);
  });
  return box;
}
