// The page's reader of frames, its ring and its poses.
import assert from "node:assert";
import test from "node:test";
import { KEEP_S, Pose, Ring, decode } from "../../clients/typescript/src/link/frames.js";
import { boneOf, expressionOf, shapeOf, sourcesOf, vrmBoneOf } from "../../services/renderer_sink/view/page/src/names.js";
import { tipsify } from "../../services/renderer_sink/view/page/src/tipsify.js";

const LAYOUT = { layout: 3, epoch_s: 1000, joints: ["a", "b"], parents: [-1, 0], shapes: ["s", "t"],
  rest: [0, 1, 0, 1, 0, 0, 0, 0, 0.5, 0, 1, 0, 0, 0] };

// As docs/view.md says.
function frame({ layout = 3, code = 0.5, flags, parts }) {
  const bytes = [];
  const put = (method, size, value) => {
    const view = new DataView(new ArrayBuffer(size));
    view[method](0, value, true);
    bytes.push(...new Uint8Array(view.buffer));
  };
  put("setUint8", 1, 1);
  put("setUint8", 1, 0);
  put("setUint16", 2, flags);
  put("setUint32", 4, layout);
  put("setFloat64", 8, code);
  put("setUint32", 4, 77);
  put("setUint32", 4, 3);
  for (const [method, size, value] of parts) put(method, size, value);
  return Uint8Array.from(bytes).buffer;
}
const shorts = (values) => values.map((v) => ["setInt16", 2, v]);
const floats = (values) => values.map((v) => ["setFloat32", 4, v]);

test("a frame is read as it was written", () => {
  const read = decode(frame({ flags: 1 | 2 | 8 | 16 | 32, parts: [
    ...shorts([32767, 0, 0, 0, 0, 32767, 0, 0]),
    ["setUint32", 4, 1], ["setUint32", 4, 1], ...floats([1, 2, 3]),
    ...floats([0.25, -0.5]), ...floats([0, 1, 2, 1, 0, 0, 0, 35, NaN]),
    ["setFloat64", 8, 0.75], ...shorts([5, -6, 7]),
  ] }), LAYOUT);
  assert.strictEqual(read.at, 1000.5);
  assert.strictEqual(read.number, 77);
  assert.deepStrictEqual([...read.rotations], [32767, 0, 0, 0, 0, 32767, 0, 0]);
  assert.deepStrictEqual([...read.translations], [[1, [1, 2, 3]]]);
  assert.deepStrictEqual([...read.weights], [0.25, -0.5]);
  assert.strictEqual(read.camera[7], 35);
  assert.ok(Number.isNaN(read.camera[8]));
  assert.strictEqual(read.voiceAt, 1000.75);
  assert.deepStrictEqual([...read.voice], [5, -6, 7]);
  assert.strictEqual(read.dropped, false);
});

test("a frame of another layout is left out", () => {
  assert.strictEqual(decode(frame({ layout: 4, flags: 0, parts: [] }), LAYOUT), null);
});

test("the ring keeps a minute and finds what lies before a moment", () => {
  const ring = new Ring();
  for (let k = 0; k < 9000; ++k) assert.ok(ring.push({ at: 5000 + k / 30 }));
  assert.ok(!ring.push({ at: ring.last().at }));
  assert.ok(Math.abs(ring.last().at - ring.first().at - KEEP_S) < 0.05);
  for (let k = 0; k < 500; ++k) {
    const at = ring.first().at + (KEEP_S * k) / 500;
    let slow = ring.head;
    while (slow + 1 < ring.frames.length && ring.frames[slow + 1].at <= at) slow++;
    assert.strictEqual(ring.find(at), slow);
  }
  assert.ok(ring.push({ at: 100 }));
  assert.strictEqual(ring.length, 1);
});

test("a pose between two frames goes the short way", () => {
  const ring = new Ring();
  const half = Math.round(Math.SQRT1_2 * 32767);
  ring.push({ at: 1, rotations: Int16Array.from([32767, 0, 0, 0, 32767, 0, 0, 0]),
    weights: Float32Array.from([0, 1]), translations: new Map([[1, [0, 1.5, 0]]]) });
  ring.push({ at: 1.1, rotations: Int16Array.from([-half, -half, 0, 0, 32767, 0, 0, 0]),
    weights: Float32Array.from([1, 1]), translations: new Map() });
  const pose = new Pose(LAYOUT);
  pose.sample(ring, 1.05);
  assert.ok(Math.abs(2 * Math.acos(pose.rotations[0]) - Math.PI / 4) < 1e-3);
  assert.ok(Math.abs(pose.weights[0] - 0.5) < 1e-6);
  assert.ok(Math.abs(pose.translations[4] - 1.0) < 1e-6);
});

test("joints that are scaled go back to 1 with the stream", () => {
  const ring = new Ring();
  const rotations = Int16Array.from([32767, 0, 0, 0, 32767, 0, 0, 0]);
  ring.push({ at: 1, rotations, scales: new Map([[1, [2, 1, 0.5]]]) });
  ring.push({ at: 1.1, rotations, scales: new Map() });
  ring.push({ at: 1.2, rotations, scales: new Map() });
  const pose = new Pose(LAYOUT);
  assert.deepStrictEqual([...pose.scales], [1, 1, 1, 1, 1, 1]);
  pose.sample(ring, 1);
  assert.deepStrictEqual([...pose.scales], [1, 1, 1, 2, 1, 0.5]);
  pose.sample(ring, 1.05);
  assert.ok(Math.abs(pose.scales[3] - 1.5) < 1e-6 && Math.abs(pose.scales[5] - 0.75) < 1e-6);
  pose.sample(ring, 1.15);
  assert.deepStrictEqual([...pose.scales], [1, 1, 1, 1, 1, 1]);
});

test("bones are found by the names that tools give", () => {
  const same = [["mixamorig:LeftForeArm", "LeftLowerArm"], ["mixamorig:Spine1", "Chest"],
    ["forearm_l", "LeftLowerArm"], ["J_Bip_L_UpperLeg", "LeftUpperLeg"], ["upperarm_r", "RightUpperArm"],
    ["LeftHandIndex1", "LeftIndexProximal"], ["index_01_l", "LeftIndexProximal"], ["Armature", undefined]];
  for (const [name, bone] of same) assert.strictEqual(boneOf(name), bone, name);
  assert.strictEqual(shapeOf("face.mouthSmile_L"), shapeOf("MouthSmileLeft"));
  assert.equal(vrmBoneOf("LeftThumbProximal"), "leftThumbMetacarpal");
  assert.equal(vrmBoneOf("LeftThumbIntermediate"), "leftThumbProximal");
  assert.equal(vrmBoneOf("Hips"), "hips");
});

test("an open mouth of a VRM's vowels is the lips', not the jaw's behind closed lips", () => {
  const aa = expressionOf("aa");
  // As ACE means them: the lips are closed, the jaw is down by 0.4.
  assert.equal(aa((name) => (name === "mouthClose" ? 0.4 : 0)), 0);
  assert.ok(aa((name) => (name === "jawOpen" ? 0.4 : 0)) > 0.4);
});

test("reordered triangles are the same triangles, and share more of their points", () => {
  const n = 60, index = [];
  for (let y = 0; y < n; ++y) {
    for (let x = 0; x < n; ++x) {
      const a = y * (n + 1) + x;
      index.push(a, a + 1, a + n + 1, a + 1, a + n + 2, a + n + 1);
    }
  }
  const misses = (list) => {
    const cache = [];
    let count = 0;
    for (const v of list) {
      if (cache.includes(v)) continue;
      count += 1;
      cache.push(v);
      if (cache.length > 16) cache.shift();
    }
    return count / (list.length / 3);
  };
  const set = (list) => {
    const triangles = [];
    for (let i = 0; i < list.length; i += 3) triangles.push([list[i], list[i + 1], list[i + 2]].join());
    return triangles.sort();
  };
  const better = tipsify(Uint32Array.from(index), (n + 1) * (n + 1));
  assert.deepStrictEqual(set(better), set(index));
  assert.ok(misses(better) < 0.75 && misses(index) > 0.95);
});

test("a target is moved by the shape of its name, the whole of its side, or both its sides", () => {
  const shapes = ["eyeBlinkLeft", "eyeBlinkRight", "browInnerUp", "jawOpen"];
  assert.deepEqual(sourcesOf("Face.JawOpen", shapes), [3]);
  assert.deepEqual(sourcesOf("eyeBlink_R", shapes), [1]);
  assert.deepEqual(sourcesOf("EyeBlinkLeft", shapes), [0]);
  assert.deepEqual(sourcesOf("browInnerUp_L", shapes), [2]);
  assert.deepEqual(sourcesOf("eyeBlink", shapes), [0, 1]);
  assert.deepEqual(sourcesOf("mouthSmile", shapes), []);
});
