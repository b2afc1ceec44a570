// What a material's shader has to know to draw offsets (model_offsets.js): they are attributes of
// the mesh, added before skinning, on top of own shapes.

export const VALUES = "posewireOffset", TURNS = "posewireTurn";
const plus = (chunk, value, more) => [`#include <${chunk}>`,
  `#include <${chunk}>\n  ${value} += ${more};`];
const CHANGES = [
  ["#include <common>", `attribute vec3 ${VALUES};\nattribute vec3 ${TURNS};\n#include <common>`],
  plus("morphnormal_vertex", "objectNormal", TURNS),
  plus("morphtarget_vertex", "transformed", VALUES),
];
const taught = new WeakSet();

// Does nothing to one that knows it: meshes may share a material.
export function teach(material) {
  if (taught.has(material)) return;
  taught.add(material);
  const before = material.onBeforeCompile, key = material.customProgramCacheKey();
  material.onBeforeCompile = (shader, renderer) => {
    before.call(material, shader, renderer);
    for (const [from, to] of CHANGES) shader.vertexShader = shader.vertexShader.replace(from, to);
  };
  material.customProgramCacheKey = () => `${key} ${VALUES}`;
  material.needsUpdate = true;
}
