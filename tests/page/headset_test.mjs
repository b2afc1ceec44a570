// Where a headset's room and the scene meet, and how often its pictures come.
import assert from "node:assert";
import test from "node:test";
import { FrameRate } from "../../services/renderer_sink/view/page/src/frame_rate.js";
import { originFor, whyNoSessions } from "../../services/renderer_sink/view/page/src/headset_place.js";

// Of a point in the room, in the space with that origin.
function seenFrom({ position, orientation }, { x, z }) {
  const turn = 2 * Math.atan2(orientation.y, orientation.w);
  const [s, c] = [Math.sin(-turn), Math.cos(-turn)];
  const [dx, dz] = [x - position.x, z - position.z];
  return { x: c * dx + s * dz, z: c * dz - s * dx };
}

test("the user is put in front of the avatar, however the room is turned", () => {
  for (let i = 0; i < 200; ++i) {
    const some = (most) => (Math.sin(12.9 * i + most) % 1) * most;
    const [yaw, facing] = [some(9), some(7)];
    const head = { x: some(3), y: 1.6, z: some(2) }, at = { x: some(5), z: some(1) };
    const forward = { x: -Math.sin(yaw), y: 0, z: -Math.cos(yaw) };
    const front = { x: Math.sin(facing), y: 0, z: Math.cos(facing) };
    const origin = originFor(head, forward, at, front);
    const now = seenFrom(origin, head);
    const ahead = seenFrom(origin, { x: head.x + forward.x, z: head.z + forward.z });
    const off = [now.x - at.x, now.z - at.z, ahead.x - now.x + front.x, ahead.z - now.z + front.z];
    assert.ok(off.every((v) => Math.abs(v) < 1e-9), `${i}: ${off}`);
    assert.equal(origin.position.y, 0);
  }
});

test("an unknown rate is measured by the first frames, from 30 to 90 a second", () => {
  for (const [hz, expected] of [[30, 30], [60, 60], [72, 72], [120, 90], [12, 30]]) {
    const rate = new FrameRate(90);
    let time_ms = 5000;
    assert.equal(rate.after(time_ms), 30);
    for (let i = 0; i < 40; ++i) {
      time_ms += (i % 5 === 0 ? 4 : 1) * 1000 / hz;  // some frames are late
      rate.after(time_ms);
    }
    assert.ok(Math.abs(rate.hz - expected) < 0.01, `${hz}: ${rate.hz}`);
    for (let i = 0; i < 100; ++i) rate.after(time_ms += 50);  // the page slows down
    assert.ok(Math.abs(rate.hz - expected) < 0.01);
  }
});

test("the page says what VR needs", () => {
  assert.match(whyNoSessions({ isSecureContext: false, hostname: "stage.example" }),
    /--tls-cert and --tls-key, and open https:..stage.example/);
  assert.match(whyNoSessions({ isSecureContext: true }), /offers no VR/);
  assert.equal(whyNoSessions({ isSecureContext: true, xr: {} }), "");
});
