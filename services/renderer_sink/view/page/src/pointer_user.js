// The pointer as a person in front of the avatar, to try with what the graph does for people: looks,
// greetings, waves. Where it is over the picture, the head is; it looks at the avatar's face.
import * as THREE from "three";

const NAME = "pointer";
const EVERY_MS = 100;
const HOLD_S = 1;  // and then gone, where the page is
const HIGH_M = 1.6;
// From the middle of the picture to its edges.
const ACROSS_M = 0.9, UP_M = 0.35;

export class PointerUser {
  // `avatarOf` gives the avatar in view; `canvas` is where the pointer counts.
  constructor(link, avatarOf, canvas) {
    this.link = link;
    this.avatarOf = avatarOf;
    this.at = [0, 0];
    this.timer = null;
    this.stream_id = null;  // in which the user is
    this.box = document.getElementById("pointer-user");
    this.distance = document.getElementById("pointer-distance");
    this.box.onchange = () => this.set(this.box.checked);
    canvas.addEventListener("pointermove", ({ clientX, clientY }) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      this.at = [(2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height];
    });
  }

  set(on) {
    clearInterval(this.timer);
    this.timer = on ? setInterval(() => this.send(), EVERY_MS) : null;
    if (on) this.send();
    else this.leave();
  }

  async leave() {
    const { stream_id } = this;
    this.stream_id = null;
    if (stream_id) await this.link.call("RemoveUser", { stream_id, name: NAME }).catch(() => {});
  }

  // In the space in which the avatars of the stream stand.
  async send() {
    const avatar = this.avatarOf();
    const stream_id = avatar && avatar.state.stream_id;
    if (this.stream_id && this.stream_id !== stream_id) this.leave();
    if (!stream_id) return;
    this.stream_id = stream_id;
    const [x, y] = this.at;
    const place = avatar.standing || {};
    const stand = new THREE.Vector3(place.x_m || 0, 0, place.z_m || 0);
    const up = new THREE.Vector3(0, 1, 0);
    const round = new THREE.Quaternion().setFromAxisAngle(up, ((place.turn_deg || 0) * Math.PI) / 180);
    const head = new THREE.Vector3(x * ACROSS_M, HIGH_M + y * UP_M, Number(this.distance.value))
      .applyQuaternion(round).add(stand);
    const face = stand.clone().setY(HIGH_M);
    // Heads look along their +Z.
    const turn = new THREE.Quaternion().setFromRotationMatrix(
      new THREE.Matrix4().lookAt(face, head, up));
    const user = { name: NAME, hold_s: HOLD_S, head: { x: head.x, y: head.y, z: head.z },
      head_rotation: { w: turn.w, x: turn.x, y: turn.y, z: turn.z } };
    await this.link.call("SetUser", { stream_id, user }).catch(() => {});
  }
}
