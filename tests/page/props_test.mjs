// Things of the scene, as the page's frames have them.
import assert from "node:assert";
import test from "node:test";
import { Pose, Ring, decode } from "../../clients/typescript/src/link/frames.js";
import { propsBetween, readProps } from "../../clients/typescript/src/link/props.js";
import { isShownBy } from "../../services/renderer_sink/view/page/src/props.js";

// As docs/view.md says, behind `ahead` bytes of something else.
function bytesOf(props, ahead) {
  const out = new Array(ahead).fill(7);
  const put = (method, size, value) => {
    const view = new DataView(new ArrayBuffer(size));
    view[method](0, value, true);
    out.push(...new Uint8Array(view.buffer));
  };
  put("setUint32", 4, props.length);
  for (const { position, rotation, size, name, shape, heldBy } of props) {
    for (const v of [...position, ...rotation, ...size]) put("setFloat32", 4, v);
    for (const text of [name, shape, heldBy]) {
      const bytes = new TextEncoder().encode(text);
      put("setUint8", 1, bytes.length);
      out.push(...bytes);
    }
  }
  return Uint8Array.from(out).buffer;
}

const CUP = { position: [1, 2, 3], rotation: [1, 0, 0, 0], size: [0.5, 0.25, 0.125], name: "cup",
  shape: "cup", heldBy: "" };

test("things are read as they were written, wherever they begin", () => {
  const props = [CUP, { ...CUP, name: "Krug \u00fc", shape: "", heldBy: "anna" }];
  for (const ahead of [0, 1, 7]) {
    assert.deepStrictEqual(readProps(new DataView(bytesOf(props, ahead)), ahead), props);
  }
});

test("a frame has them behind its voice, and none where nothing is said of them", () => {
  const layout = { layout: 3, epoch_s: 0, joints: [], shapes: [], rest: [] };
  const frame = (flags, samples, props) => {
    const head = new DataView(new ArrayBuffer(24));
    head.setUint8(0, 1);
    head.setUint16(2, flags, true);
    head.setUint32(4, 3, true);
    head.setUint32(20, samples, true);
    const body = props ? bytesOf(props, flags & 32 ? 8 + 2 * samples : 0) : new ArrayBuffer(0);
    return Uint8Array.from([...new Uint8Array(head.buffer), ...new Uint8Array(body)]).buffer;
  };
  assert.deepStrictEqual(decode(frame(32 | 128, 3, [CUP]), layout).props, [CUP]);
  assert.deepStrictEqual(decode(frame(128, 0, [CUP]), layout).props, [CUP]);
  assert.deepStrictEqual(decode(frame(0, 0, null), layout).props, []);
});

test("between two frames a thing is on its way, the short way round", () => {
  const half = Math.SQRT1_2;
  const a = [CUP, { ...CUP, name: "gone" }];
  const b = [{ ...CUP, name: "new" }, { ...CUP, position: [3, 2, 3], rotation: [-half, -half, 0, 0] }];
  const [cup, gone, ...more] = propsBetween(a, b, 0.5);
  assert.deepStrictEqual(cup.position, [2, 2, 3]);
  assert.ok(Math.abs(2 * Math.acos(Math.abs(cup.rotation[0])) - Math.PI / 4) < 1e-6);
  assert.ok(Math.abs(Math.hypot(...cup.rotation) - 1) < 1e-9);
  assert.strictEqual(gone.name, "gone");
  assert.deepStrictEqual(more, []);
  assert.strictEqual(propsBetween(a, b, 0), a);
});

test("a pose has the things of its moment", () => {
  const ring = new Ring();
  const at = (x) => [{ ...CUP, position: [x, 0, 0] }];
  ring.push({ at: 1, props: at(0) });
  ring.push({ at: 1.1, props: at(1) });
  ring.push({ at: 1.2, props: [] });
  const pose = new Pose({ joints: [], shapes: [], rest: [] });
  assert.deepStrictEqual(pose.props, []);
  pose.sample(ring, 1.05);
  assert.ok(Math.abs(pose.props[0].position[0] - 0.5) < 1e-6);
  pose.sample(ring, 1.2);
  assert.deepStrictEqual(pose.props, []);
});

test("each thing is shown by one avatar of its stream: by who holds it, else by the first", () => {
  const avatar = (stream_id, target_object_id) => ({ state: { stream_id, target_object_id } });
  const anna = avatar("s", "anna"), bob = avatar("s", "bob"), other = avatar("t", "anna");
  const shown = [anna, bob, other];
  const who = (prop, among = shown) => among.filter((one) => isShownBy(one, prop, among));
  assert.deepStrictEqual(who({ heldBy: "" }), [anna, other]);
  assert.deepStrictEqual(who({ heldBy: "bob" }), [bob, other]);
  assert.deepStrictEqual(who({ heldBy: "bob" }, [anna]), [anna]);
});
