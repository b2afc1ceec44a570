// What a material's shader has to know to draw offsets (model_offsets.js). The two messages between
// which it blends are attributes of the mesh, as they came: 16-bit codes of the message's box, and
// bytes for the normals. They are decoded here and added before skinning, on top of own shapes.

export const CODES = ["posewireCodesA", "posewireCodesB"], WAYS = ["posewireWaysA", "posewireWaysB"];
const plus = (chunk, value, more) => [`#include <${chunk}>`,
  `#include <${chunk}>\n${[0, 1].map((k) => `  ${value} += ${more(k)};`).join("\n")}`];
const CHANGES = [
  ["#include <common>", [...CODES, ...WAYS].map((name) => `attribute vec4 ${name};\n`).join("") +
    "uniform vec3 posewireLow[2];\nuniform vec3 posewireStep[2];\nuniform vec2 posewireWeight[2];\n" +
    "#include <common>"],
  plus("morphnormal_vertex", "objectNormal", (k) => `posewireWeight[${k}].y * ${WAYS[k]}.xyz`),
  plus("morphtarget_vertex", "transformed", (k) => `posewireWeight[${k}].x * ${CODES[k]}.w * ` +
    `(posewireLow[${k}] + posewireStep[${k}] * ${CODES[k]}.xyz)`),
];
const known = new WeakMap();  // by material, its uniforms

// Returns the uniforms: by message, the box's corner and step in metres, and the weights of offsets
// and of bytes for the normals. Does nothing more to a material that knows it: meshes may share one.
export function addOffsets(material) {
  const had = known.get(material);
  if (had) return had;
  const uniforms = { posewireLow: { value: new Float32Array(6) },
    posewireStep: { value: new Float32Array(6) }, posewireWeight: { value: new Float32Array(4) } };
  known.set(material, uniforms);
  const before = material.onBeforeCompile, key = material.customProgramCacheKey();
  material.onBeforeCompile = (shader, renderer) => {
    before.call(material, shader, renderer);
    Object.assign(shader.uniforms, uniforms);
    for (const [from, to] of CHANGES) shader.vertexShader = shader.vertexShader.replace(from, to);
  };
  // A mesh without offsets, such as a refined surface, may share the material.
  const none = [...CODES, ...WAYS].map((name) => [name, [0, 0, 0, 0]]);
  material.defaultAttributeValues = { ...material.defaultAttributeValues, ...Object.fromEntries(none) };
  material.customProgramCacheKey = () => `${key} posewireOffset`;
  material.needsUpdate = true;
  return uniforms;
}
