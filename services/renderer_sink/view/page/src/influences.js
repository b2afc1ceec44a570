// Skins with eight influences a point: three.js knows the first four (JOINTS_0 and WEIGHTS_0), and
// scales them to a sum of 1. The other four are the attributes joints_1 and weights_1.

export const MORE = ["joints_1", "weights_1"];

export const hasMore = ({ attributes }) => MORE.every((name) => attributes[name]);

// All influences of a point: [joint, weight] of each.
export function influencesAt({ skinIndex, skinWeight, joints_1: joints, weights_1: weights }, i) {
  const pairs = [0, 1, 2, 3].map((k) => [skinIndex.getComponent(i, k), skinWeight.getComponent(i, k)]);
  if (!joints || !weights) return pairs;
  const more = [0, 1, 2, 3].map((k) => [joints.getComponent(i, k), weights.getComponent(i, k)]);
  const rest = 1 - more.reduce((sum, [, weight]) => sum + weight, 0);
  return [...pairs.map(([joint, weight]) => [joint, weight * rest]), ...more];
}

const BASE = "#include <skinbase_vertex>";
// The bones' sum takes the place of the first bone, with a weight of 1.
const SUM = `${BASE}
#ifdef USE_SKINNING
  boneMatX = (boneMatX * skinWeight.x + boneMatY * skinWeight.y + boneMatZ * skinWeight.z +
    boneMatW * skinWeight.w) * (1.0 - dot(weights_1, vec4(1.0))) +
    getBoneMatrix(joints_1.x) * weights_1.x + getBoneMatrix(joints_1.y) * weights_1.y +
    getBoneMatrix(joints_1.z) * weights_1.z + getBoneMatrix(joints_1.w) * weights_1.w;
#define skinWeight vec4(1.0, 0.0, 0.0, 0.0)
#endif`;
const known = new WeakSet();

// Lets a material skin by all eight. Does nothing to a material that knows it.
export function skinByEight(material) {
  if (known.has(material)) return;
  known.add(material);
  const before = material.onBeforeCompile, key = material.customProgramCacheKey();
  material.onBeforeCompile = (shader, renderer) => {
    before.call(material, shader, renderer);
    shader.vertexShader = `attribute vec4 joints_1;\nattribute vec4 weights_1;\n${
      shader.vertexShader.replace(BASE, SUM)}`;
  };
  // A mesh with four may share the material.
  const none = Object.fromEntries(MORE.map((name) => [name, [0, 0, 0, 0]]));
  material.defaultAttributeValues = { ...material.defaultAttributeValues, ...none };
  material.customProgramCacheKey = () => `${key} posewireEight`;
  material.needsUpdate = true;
}
