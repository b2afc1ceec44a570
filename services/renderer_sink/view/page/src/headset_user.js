// Who wears a headset, as a user of the streams in view: the graph gets the head and the hands, and
// does with them what it does for people: looks, greetings, waves.
import * as THREE from "three";

const EVERY_MS = 33;
const HOLD_S = 1;  // and then gone, where the page is
// Heads look along +Z; in WebXR they look along -Z.
const ROUND = new THREE.Quaternion(0, 1, 0, 0);

const place = new THREE.Vector3(), turn = new THREE.Quaternion();
const xyz = ({ x, y, z }) => ({ x, y, z });
const wxyz = ({ w, x, y, z }) => ({ w, x, y, z });

export class HeadsetUser {
  constructor(link) {
    this.link = link;
    // Several people in one stream differ.
    this.name = `headset ${Math.random().toString(36).slice(2, 6).padEnd(4, "0")}`;
    this.streams = new Set();  // in which the user is
    this.waits = 0;            // calls without an answer
    this.sent_ms = 0;
    this.last = null;          // what was sent last
  }

  // `head` and, if they are known, the hands `left` and `right` are WebXR's transforms in the scene.
  // Once a stream is enough: its avatars share a space. A slow link gets fewer of them.
  send(avatars, { head, left, right }, now_ms = performance.now()) {
    if (now_ms - this.sent_ms < EVERY_MS || this.waits >= 2 * Math.max(1, this.streams.size)) return;
    this.sent_ms = now_ms;
    const streams = new Map();
    for (const avatar of avatars) {
      const { stream_id } = avatar.state;
      if (stream_id && !streams.has(stream_id)) streams.set(stream_id, avatar);
    }
    for (const stream_id of this.streams) if (!streams.has(stream_id)) this.leave(stream_id);
    for (const [stream_id, avatar] of streams) {
      const user = { name: this.name, hold_s: HOLD_S, head: this.placeOf(head, avatar) };
      turn.copy(head.orientation).multiply(ROUND);
      user.head_rotation = wxyz(avatar.turnIntoStream(turn));
      if (left) user.left_hand = this.placeOf(left, avatar);
      if (right) user.right_hand = this.placeOf(right, avatar);
      this.last = user;
      this.streams.add(stream_id);
      this.call("SetUser", { stream_id, user });
    }
  }

  placeOf({ position }, avatar) { return xyz(avatar.intoStream(place.copy(position))); }

  leave(stream_id) {
    this.streams.delete(stream_id);
    this.call("RemoveUser", { stream_id, name: this.name });
  }

  // Of all streams.
  goAway() {
    for (const stream_id of [...this.streams]) this.leave(stream_id);
    this.last = null;
  }

  call(method, params) {
    this.waits += 1;
    this.link.call(method, params).catch(() => {}).finally(() => { this.waits -= 1; });
  }
}
