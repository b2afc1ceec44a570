// Skins by eight influences a point.
import assert from "node:assert";
import test from "node:test";
import { hasMore, influencesAt, skinByEight } from "../../services/renderer_sink/view/page/src/influences.js";

const attribute = (values) => ({ count: values.length / 4, getComponent: (i, k) => values[i * 4 + k] });

test("a point has all its influences, with a sum of 1", () => {
  const four = { skinIndex: attribute([0, 1, 2, 3]), skinWeight: attribute([0.4, 0.3, 0.2, 0.1]) };
  assert.deepEqual(influencesAt(four, 0), [[0, 0.4], [1, 0.3], [2, 0.2], [3, 0.1]]);
  assert.ok(!hasMore({ attributes: four }));
  const eight = { ...four, joints_1: attribute([4, 5, 0, 0]), weights_1: attribute([0.25, 0.25, 0, 0]) };
  const pairs = influencesAt(eight, 0);
  assert.deepEqual(pairs.map(([joint]) => joint), [0, 1, 2, 3, 4, 5, 0, 0]);
  assert.ok(Math.abs(pairs.reduce((sum, [, weight]) => sum + weight, 0) - 1) < 1e-12);
  assert.equal(pairs[0][1], 0.2);
  assert.ok(hasMore({ attributes: eight }));
});

test("a material that two meshes share is taught once", () => {
  const material = { onBeforeCompile() {}, customProgramCacheKey: () => "plain" };
  skinByEight(material);
  skinByEight(material);
  assert.equal(material.customProgramCacheKey(), "plain posewireEight");
  const shader = { vertexShader: "void main() {\n#include <skinbase_vertex>\n#include <skinning_vertex>\n}" };
  material.onBeforeCompile(shader);
  assert.equal(shader.vertexShader.split("getBoneMatrix(joints_1.").length - 1, 4);
  assert.equal(shader.vertexShader.split("attribute vec4 weights_1;").length - 1, 1);
  assert.deepEqual(material.defaultAttributeValues.weights_1, [0, 0, 0, 0]);
});
