// What a material's shader has to know to draw offsets (model_offsets.js): they are attributes of
// the mesh, added before skinning where own shapes are.

export const VALUES = "posewireOffset", TURNS = "posewireTurn";
// Of own shapes, each point keeps its share.
const kept = (chunk, value, more) => [`#include <${chunk}>`, `
  vec3 ${value}Bare = ${value};
  #include <${chunk}>
  ${value} = ${value}Bare + (${value} - ${value}Bare) * ${VALUES}.w + ${more};`];
const CHANGES = [
  ["#include <common>", `attribute vec4 ${VALUES};\nattribute vec3 ${TURNS};\n#include <common>`],
  kept("morphnormal_vertex", "objectNormal", TURNS),
  kept("morphtarget_vertex", "transformed", `${VALUES}.xyz`),
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
