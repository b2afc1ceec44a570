// What mouthClose means to the stream, to a face, and to a file's mesh.
import assert from "node:assert";
import test from "node:test";
import { arkitJawOpen, isAceMouth, mouthOf } from "../../services/renderer_sink/view/page/src/mouth.js";

const offsets = (values) => ({
  count: values.length, getX: (i) => values[i][0], getY: (i) => values[i][1], getZ: (i) => values[i][2] });
const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a}, not ${b}`);

test("Apple's jawOpen of ACE's weights", () => {
  // [ACE's jawOpen, mouthClose, Apple's jawOpen]
  for (const [ace, mouthClose, arkit] of [[0.4, 0.3, 0.7], [0, 0.3, 0.3], [0, 0, 0], [-0.3, 0.5, 0.2],
    [0.8, 0.6, 1.4]]) close(arkitJawOpen(ace, mouthClose), arkit);
});

test("a face shows closed lips over an open jaw, and lips as far apart as jawOpen says", () => {
  const face = (jawOpen, mouthClose) => mouthOf((name) => ({ jawOpen, mouthClose })[name]);
  const bilabial = face(0, 0.3);
  close(bilabial.jaw, 0.3);
  close(bilabial.apart, 0);
  const half = face(0.4, 0.3);
  close(half.jaw, 0.7);
  close(half.apart, 0.4);
  assert.deepEqual(face(-0.3, 0.2), { jaw: 0, apart: 0 });
});

// A face in a row: points above the mouth, the two lips, chin and teeth. Lips have most of the points,
// as they have in real meshes.
const forehead = Array(200).fill([0, 0, 0]);
const row = (upper, lower, chin) => [...forehead, ...Array(60).fill(upper), ...Array(120).fill(lower),
  ...Array(50).fill(chin)];
const jawOpen = row([0, 0, 0], [0, -0.016, -0.004], [0, -0.02, -0.006]);
const appleClose = row([0, -0.006, 0], [0, 0.01, 0.001], [0, 0.0005, 0]);
const aceClose = appleClose.map((v, i) => v.map((x, k) => x + jawOpen[i][k]));

test("a mesh's mouthClose is told by what it does to the chin", () => {
  assert.equal(isAceMouth([[offsets(jawOpen), offsets(appleClose)]]), false);
  assert.equal(isAceMouth([[offsets(jawOpen), offsets(aceClose)]]), true);
  assert.equal(isAceMouth([]), false);
  const none = Array(9).fill([0, 0, 0]);
  assert.equal(isAceMouth([[offsets(none), offsets(none)]]), false);
  // Teeth in a mesh of their own, which Apple's leaves alone.
  const teeth = Array(300).fill([0, -0.02, -0.006]), still = Array(300).fill([0, 0, 0]);
  assert.equal(isAceMouth([[offsets(teeth), offsets(still)], [offsets(jawOpen), offsets(appleClose)]]), false);
  assert.equal(isAceMouth([[offsets(teeth), offsets(teeth)], [offsets(jawOpen), offsets(aceClose)]]), true);
});
