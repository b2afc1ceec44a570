// The page's reader of refined surfaces, and what it makes of a pose.
import assert from "node:assert";
import test from "node:test";
import { fade, meansOf, partOf, readSurface, refine } from "../../services/renderer_sink/view/page/src/surface.js";

const NONE = 0xffffffff;
const near = (a, b) => a.forEach((v, i) => assert.ok(Math.abs(v - b[i]) < 1e-6, `${i}: ${v} is not ${b[i]}`));

// As docs/view.md says. A square of four points becomes nine; the mesh "1" is not refined.
const FINE = {
  head: { cage: 4, fine: 9, weights: 16, left_out: "b: why", meshes: [[7, 5, 9, 24], [8, 3, 0, 0]] },
  cage: [0, 1, 2, 4],
  begins: [0, 1, 2, 3, 4, 8, 10, 12, 14, 16],
  sources: [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 1, 2, 2, 3, 3, 0],
  weights: [1, 1, 1, 1, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
  neighbours: Array.from({ length: 9 }, () => [6, 7, 8, 5]).flat(),
  place: [0, 1, 2, 3, 4, 5, 6, 7, 8],
  triangles: [0, 5, 4, 0, 4, 8, 1, 6, 4, 1, 4, 5, 2, 7, 4, 2, 4, 6, 3, 8, 4, 3, 4, 7],
  meanOf: [[0, NONE, NONE, NONE], [1, NONE, NONE, NONE], [2, NONE, NONE, NONE], [4, NONE, NONE, NONE],
    [0, 1, 2, 4], [0, 1, NONE, NONE], [1, 2, NONE, NONE], [2, 4, NONE, NONE], [4, 0, NONE, NONE]].flat(),
};

function bytesOf({ head, ...arrays }) {
  const json = JSON.stringify(head);
  const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 4) * 4));
  const parts = [Uint32Array.of(text.length), text];
  for (const [name, values] of Object.entries(arrays)) {
    parts.push(name === "weights" ? Float32Array.from(values) : Uint32Array.from(values));
  }
  const out = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    out.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return out.buffer;
}

test("a file is read as it was written", () => {
  const surface = readSurface(bytesOf(FINE));
  assert.strictEqual(surface.leftOut, "b: why");
  assert.strictEqual(surface.fine, 9);
  for (const name of ["cage", "begins", "sources", "weights", "neighbours"]) {
    assert.deepStrictEqual([...surface[name]], FINE[name]);
  }
  assert.deepStrictEqual(surface.meshes.map(({ node, points }) => [node, points]), [[7, 5], [8, 3]]);
  const [mesh, other] = surface.meshes;
  for (const name of ["place", "triangles", "meanOf"]) assert.deepStrictEqual([...mesh[name]], FINE[name]);
  assert.strictEqual(other.place.length, 0);
});

test("one that is cut short throws", () => {
  const whole = bytesOf(FINE);
  for (let bytes = 0; bytes < whole.byteLength; bytes += 7) {
    assert.throws(() => readSurface(whole.slice(0, bytes)));
  }
});

test("one of which nothing is refined is read too", () => {
  const head = { cage: 0, fine: 0, weights: 0, left_out: "a: why", meshes: [[0, 3, 0, 0]] };
  assert.strictEqual(readSurface(bytesOf({ head })).fine, 0);
});

test("points and normals follow the cage", () => {
  const surface = readSurface(bytesOf(FINE));
  const cage = Float32Array.of(0, 0, 0, 2, 0, 0, 2, 2, 4, 0, 2, 4);
  const points = new Float32Array(27);
  refine(surface, cage, points);
  near([...points.subarray(12, 18)], [1, 1, 2, 1, 0, 0]);
  const own = new Float32Array(27), normals = new Float32Array(27);
  partOf(surface, surface.meshes[0].place, points, own, normals);
  assert.deepStrictEqual([...own], [...points]);
  const half = Math.hypot(2, 1);
  for (let i = 0; i < 27; i += 3) near([...normals.subarray(i, i + 3)], [0, -2 / half, 1 / half]);
});

test("a normal of points in a line is none", () => {
  const surface = readSurface(bytesOf(FINE));
  const own = new Float32Array(27), normals = new Float32Array(27).fill(7);
  partOf(surface, surface.meshes[0].place, new Float32Array(27), own, normals);
  assert.ok(normals.every((v) => v === 0));
});

test("a surface that fades is the file's mesh at the end", () => {
  const points = Float32Array.of(0, 0, 0, 4, 0, 0), normals = Float32Array.of(0, 1, 0, 1, 0, 0);
  const meanOf = Uint32Array.of(0, 1, NONE, NONE, 1, NONE, NONE, NONE);
  const fade_at = (share) => {
    const p = Float32Array.of(2, 2, 0, 5, 1, 0), n = Float32Array.of(0, 0, 1, 0, 0, 1);
    fade(meanOf, share, points, normals, p, n);
    return [[...p], [...n]];
  };
  near(fade_at(0)[0], [2, 0, 0, 4, 0, 0]);
  near(fade_at(0)[1], [0.5, 0.5, 0, 1, 0, 0]);
  near(fade_at(1)[0], [2, 2, 0, 5, 1, 0]);
  near(fade_at(0.5)[0], [2, 1, 0, 4.5, 0.5, 0]);
});

test("coordinates and colours are means", () => {
  const uv = [[0, 0], [1, 0], [1, 1], [9, 9], [0, 1]];
  const means = meansOf(Uint32Array.from(FINE.meanOf), 2, (p, c) => uv[p][c]);
  near([...means.subarray(6, 12)], [0, 1, 0.5, 0.5, 0.5, 0]);
});
