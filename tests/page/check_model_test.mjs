// What the page refuses of a model's file.
import assert from "node:assert";
import test from "node:test";
import { checkJson, checkMesh } from "../../services/renderer_sink/view/page/src/check_model.js";

const attribute = (values) => ({
  count: values.length / 4,
  getComponent: (i, k) => values[i * 4 + k],
  setComponent: (i, k, value) => { values[i * 4 + k] = value; },
});
const mesh = (joints, weights, more = {}) => ({
  name: "Body", isSkinnedMesh: true, skeleton: { bones: [{}, {}] },
  geometry: { attributes: { position: {}, skinIndex: attribute(joints), skinWeight: attribute(weights), ...more } },
});

test("a document of trees and of sizes that can be is taken", () => {
  checkJson({});
  checkJson({ nodes: [{ children: [1, 2] }, {}, { children: [3] }, {}, {}],
    accessors: [{ count: 30, type: "VEC3" }, { count: 0, type: "SCALAR" }] });
});

test("nodes that are no trees are refused by what is wrong", () => {
  assert.throws(() => checkJson({ nodes: [{}, { children: [1] }] }), /below itself/);
  assert.throws(() => checkJson({ nodes: [{}, { children: [2] }, { children: [1] }] }), /below itself/);
  assert.throws(() => checkJson({ nodes: [{ children: [2] }, { children: [2] }, {}] }), /parents 0 and 1/);
  assert.throws(() => checkJson({ nodes: [{ children: [9] }] }), /child 9; there are 1/);
  assert.throws(() => checkJson({ nodes: [{ children: [-1] }] }), /child -1/);
});

test("counts that cannot be are refused", () => {
  assert.throws(() => checkJson({ accessors: [{ count: -5, type: "VEC3" }] }), /accessors\[0\].count is -5/);
  assert.throws(() => checkJson({ accessors: [{ type: "VEC3" }] }), /undefined/);
  assert.throws(() => checkJson({ accessors: [{ count: 2e8, type: "VEC3" }] }), /at most/);
  assert.throws(() => checkJson({ accessors: Array(40).fill({ count: 1 << 20, type: "VEC4" }) }), /at most/);
});

test("what the page cannot unpack is refused with what helps, unless the file can do without", () => {
  for (const name of ["KHR_texture_basisu", "KHR_meshopt_compression"]) {
    assert.throws(() => checkJson({ extensionsUsed: [name], extensionsRequired: [name] }),
      new RegExp(`needs ${name}.*: .*write`));
    checkJson({ extensionsUsed: [name] });
  }
  checkJson({ extensionsRequired: ["EXT_meshopt_compression", "KHR_draco_mesh_compression", "KHR_mesh_quantization"] });
});

test("buffers that would unpack to more than memory are refused", () => {
  const view = (count, byteStride) => ({ bufferViews: [{}, { extensions: {
    EXT_meshopt_compression: { count, byteStride } } }] });
  checkJson(view(100000, 64));
  assert.throws(() => checkJson(view(1 << 28, 16)), /unpack to 4294967296 bytes; at most/);
  assert.throws(() => checkJson(view(-1, 16)), /bufferViews\[1\] unpacks to -1 times 16/);
  assert.throws(() => checkJson(view(1)), /times undefined/);
});

test("a mesh that would move by joints that are not there is refused", () => {
  const joints = [0, 1, 9, 0];
  checkMesh(mesh(joints, [0.5, 0.5, 0, 0]));
  assert.deepEqual(joints, [0, 1, 0, 0]);
  assert.throws(() => checkMesh(mesh([0, 2, 0, 0], [0.5, 0.5, 0, 0])), /point 0 .* joint 2 of 2/);
  assert.throws(() => checkMesh(mesh([0, 0, 0, 0], [1, 0, 0, 0], { joints_1: attribute([5, 0, 0, 0]),
    weights_1: attribute([0.1, 0, 0, 0]) })), /point 0 .* joint 5 of 2/);
  assert.throws(() => checkMesh(mesh([], [], { skinIndex: undefined })), /no JOINTS_0/);
  assert.throws(() => checkMesh(mesh([], [], { position: undefined })), /no POSITION/);
});
