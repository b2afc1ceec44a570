// What a material's shader is taught of offsets.
import assert from "node:assert";
import test from "node:test";
import { addOffsets } from "../../services/renderer_sink/view/page/src/offset_material.js";

// As three.js's own.
const material = () => ({
  compiled: 0,
  onBeforeCompile() { this.compiled += 1; },
  customProgramCacheKey: () => "plain",
});
const VERTEX = "#include <common>\nvoid main() {\n#include <morphnormal_vertex>\n#include <morphtarget_vertex>\n}";
const countIn = (text, word) => text.split(word).length - 1;

test("a material that two meshes share is taught once", () => {
  const shared = material();
  const uniforms = addOffsets(shared);
  assert.strictEqual(addOffsets(shared), uniforms);
  assert.strictEqual(shared.customProgramCacheKey(), "plain posewireOffset");
  const shader = { vertexShader: VERTEX, uniforms: { own: 1 } };
  shared.onBeforeCompile(shader);
  assert.strictEqual(shared.compiled, 1, "what it did before it does still");
  assert.strictEqual(shader.uniforms.posewireWeight, uniforms.posewireWeight);
  assert.strictEqual(shader.uniforms.own, 1);
  // Of a mesh that has no offsets, which WebGL would give (0, 0, 0, 1).
  for (const name of ["posewireCodesA", "posewireCodesB", "posewireWaysA", "posewireWaysB"]) {
    assert.deepStrictEqual(shared.defaultAttributeValues[name], [0, 0, 0, 0]);
  }
  for (const declared of ["attribute vec4 posewireCodesA;", "attribute vec4 posewireWaysB;",
    "uniform vec3 posewireLow[2];", "objectNormal += posewireWeight[1].y * posewireWaysB.xyz;",
    "transformed += posewireWeight[0].x * posewireCodesA.w"]) {
    assert.strictEqual(countIn(shader.vertexShader, declared), 1, declared);
  }
});

test("another one is taught too", () => {
  addOffsets(material());
  const other = material();
  addOffsets(other);
  const shader = { vertexShader: VERTEX, uniforms: {} };
  other.onBeforeCompile(shader);
  assert.strictEqual(countIn(shader.vertexShader, "objectNormal +="), 2);
});
