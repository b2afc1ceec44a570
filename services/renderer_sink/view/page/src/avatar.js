// One avatar on the page: what came of it, what time it shows, its bones and its looks.
import * as THREE from "three";
import { Pose, Ring, StreamClock, decode } from "posewire/link";
import { detailOf } from "./detail.js";
import { isOffsets, readHead } from "./offsets.js";
import { Mannequin } from "./mannequin.js";
import { makeModel } from "./model.js";
import { HIPS, QUICK, SKULL } from "./names.js";
import { BELOW_EYES, HEAD_SHARE } from "./stance.js";
import { Voice } from "./voice.js";

const UP = new THREE.Vector3(0, 1, 0);

export class Avatar {
  // `onLooks` is called when the avatar looks otherwise, with what is wrong with its looks, if any;
  // `onNote` gets what else is to be known of them.
  constructor(index, stage, speaker, { onLooks, onNote }) {
    this.index = index;
    this.onLooks = onLooks;
    this.onNote = onNote;
    this.stage = stage;
    this.clock = new StreamClock();
    this.speaker = speaker;
    this.voice = new Voice(speaker, this.clock);
    this.ring = new Ring();
    this.root = new THREE.Group();
    this.shadow = stage.makeShadow();
    this.root.add(this.shadow);
    this.gone = new THREE.Vector3();  // how far its hips are from their place at rest, over the ground
    this.rigHeight = 1.7;
    this.state = { state: "connecting", stream_id: "", detail: "" };
    this.stats = null;
    this.layout = null;
    this.quickBones = [];   // those that move farthest
    this.standing = null;   // {x_m, z_m, turn_deg} where the graph has it stand; null: nowhere
    this.pausedAt = null;   // Unix time; null: live
    this.shownAt = null;
    this.model = null;      // a mesh from a file, see model.js
    this.makeParts = null;  // of that mesh, see model.js
    this.detail = { pixels: 0, fine: false, offsets: false };  // see detail.js
    this.surfaceUrl = "";   // of the refined surface that it has, or that is to come
    this.dressings = 0;     // how often its looks were changed
    this.look = {};         // choices by part of the character
    this.modelToCome = true;
    this.url = null;        // of the file that its looks come from
    this.trouble = "";      // what is wrong with its looks
    this.frames = 0;
    this.dropped = 0;
    this.lost = 0;          // numbers that were skipped
    this.lastNumber = null;
    this.shown = true;
    this.ended = false;     // its stream was removed
  }

  get name() {
    return this.state.target_object_id || this.state.stream_id || `avatar ${this.index + 1}`;
  }
  // Null: it is no film's character.
  get offsets() { return this.model ? this.model.offsets : null; }
  get height() { return this.model && this.model.head ? this.model.head.top : this.rigHeight; }
  get headHeight() { return this.model && this.model.head ? this.model.head.tall : HEAD_SHARE * this.height; }

  setLayout(layout) {
    const same = this.layout && this.layout.joints.join() === layout.joints.join() &&
      this.layout.shapes.join() === layout.shapes.join();
    const ahead = this.layout && this.ring.length && layout.epoch_s < this.layout.epoch_s - 3600;
    this.layout = layout;
    this.lastNumber = null;
    if (ahead) this.ring.clear();
    this.clock.reset();
    if (same) return;
    this.ring.clear();
    this.pose = new Pose(layout);
    this.shapeIndex = new Map(layout.shapes.map((name, i) => [name.toLowerCase(), i]));
    this.buildBones();
    if (this.makeParts) this.useModel(this.makeParts);
  }

  buildBones() {
    const { layout } = this;
    if (this.body) this.body.removeFromParent();
    this.body = new THREE.Group();
    this.bones = layout.joints.map((name) => {
      const bone = new THREE.Object3D();
      bone.name = name;
      return bone;
    });
    this.bones.forEach((bone, j) => {
      (layout.parents[j] < 0 ? this.body : this.bones[layout.parents[j]]).add(bone);
    });
    this.root.add(this.body);
    this.mannequin = layout.joints.length ? new Mannequin(layout, this.bones) : null;
    this.showLooks();
    this.skull = layout.joints.findIndex((name) => SKULL.test(name));
    this.quickBones = this.bones.filter(({ name }) => QUICK.test(name.split("/").pop()));
    this.hips = layout.joints.findIndex((name) => HIPS.test(name.split("/").pop()));
    this.hipsAtRest = new THREE.Vector3();
    this.applyPose();
    this.body.updateMatrixWorld(true);
    if (this.hips >= 0) this.hipsNow(this.hipsAtRest);
    if (this.skull >= 0) {
      const at = new THREE.Vector3().setFromMatrixPosition(this.bones[this.skull].matrixWorld);
      this.rigHeight = Math.max(0.5, at.y + 0.17);
    }
  }

  // Converts a place of the scene, in place, to the space that the avatars of its stream share. The
  // page may show the avatar at another place than it has in that space, next to other avatars.
  intoStream(place) {
    const { x_m = 0, z_m = 0 } = this.standing || {};
    this.root.worldToLocal(place).applyQuaternion(this.standingTurn());
    place.x += x_m;
    place.z += z_m;
    return place;
  }

  // The same of a turn.
  turnIntoStream(turn) {
    return turn.premultiply(this.root.quaternion.clone().invert()).premultiply(this.standingTurn());
  }

  standingTurn() {
    const { turn_deg = 0 } = this.standing || {};
    return new THREE.Quaternion().setFromAxisAngle(UP, (turn_deg * Math.PI) / 180);
  }

  // Stands where the graph has placed it, by ListStreams; true when that is another place.
  takePlace(streams) {
    const { stream_id, target_object_id } = this.state;
    const stream = streams.find((other) => other.stream_id === stream_id);
    const known = stream && (stream.avatars.find((other) =>
      other.target_object_id === target_object_id) || stream.avatars[0]);
    if (!known) return false;
    const place = { x_m: known.x_m || 0, z_m: known.z_m || 0, turn_deg: known.turn_deg || 0 };
    const before = this.standing || { x_m: 0, z_m: 0, turn_deg: 0 };
    this.standing = place;
    return Object.keys(place).some((key) => place[key] !== before[key]);
  }

  // Another stream is shown in this place from now on: nothing is left of the one before.
  forget() {
    this.ring.clear();
    if (this.pose) this.pose.props = [];
    this.clock.reset();
    this.stats = null;
    this.pausedAt = null;
    this.shownAt = null;
    this.lastNumber = null;
  }

  // Takes off its looks; those of the file at `url` are to come.
  undress(url) {
    this.useModel(null);
    this.url = url;
    this.modelToCome = true;
    this.showLooks();
  }

  // What loadModel resolved with; null: there is no mesh, and will be none, and `trouble` says why.
  async useModel(makeParts, trouble = "") {
    const dressing = ++this.dressings;
    this.makeParts = makeParts;
    this.trouble = trouble;
    if (this.model) this.model.dispose();
    this.model = null;
    this.surfaceUrl = "";
    this.modelToCome = Boolean(this.layout && makeParts);
    if (this.modelToCome) {
      try {
        const parts = await makeParts();
        if (dressing !== this.dressings) return;  // it looks otherwise by now
        this.model = makeModel(parts, this);
        if (this.model.still) this.trouble = `the avatar does not move: ${this.model.still}`;
        const wrong = this.model.takeOffsets(this.layout.offsets || []);
        if (wrong) this.onNote(wrong);
        this.wear(this.look);
        if (this.model.note) this.onNote(this.model.note);
      } catch (error) {
        if (dressing !== this.dressings) return;
        this.trouble = `the avatar cannot be shown: ${error.message}`;
      }
      this.modelToCome = false;
      if (this.pose) this.applyPose();
    }
    this.showLooks();
    this.onLooks(this.trouble);
  }

  // How finely the next picture shows it.
  chooseDetail() {
    const { stage, detail } = this;
    if (this.model) this.detail = detailOf(stage.pixelsOf(this), stage.left, detail);
  }

  // Has its refined surface, of what it wears, once `load` has resolved with that.
  async takeSurface(load) {
    const { model } = this;
    const url = `${this.layout.surface_url}?look=${encodeURIComponent(model.variants.nodes)}`;
    if (url === this.surfaceUrl) return;
    this.surfaceUrl = url;
    model.takeSurface(null);
    try {
      const surface = await load(url);
      if (this.model !== model || this.surfaceUrl !== url) return;  // it looks otherwise by now
      model.takeSurface(surface);
      this.stage.stale = true;
    } catch (error) {
      this.onNote(`The avatar is not subdivided: ${error.message}.`);
    }
  }

  // Shows these choices of the character's parts, {part: choice}, and else what the file has.
  wear(look) {
    this.look = look;
    this.stage.stale = true;
    for (const text of this.model ? this.model.variants.wear(look) : []) this.onNote(text);
  }

  showLooks() {
    this.stage.stale = true;
    if (this.mannequin) this.mannequin.setVisible(!this.model && !this.modelToCome);
  }

  // Between the eyes.
  eyesAt() {
    const at = this.headAt();
    at.y += BELOW_EYES * this.headHeight;
    return at;
  }

  // The middle of the face.
  headAt() {
    if (this.model && this.model.head) {
      const { bone, middle } = this.model.head;
      bone.updateWorldMatrix(true, false);
      return middle.clone().applyMatrix4(bone.matrixWorld);
    }
    const at = new THREE.Vector3(this.root.position.x, this.height * 0.92, 0.05);
    if (this.skull >= 0) {
      this.bones[this.skull].updateWorldMatrix(true, false);
      at.setFromMatrixPosition(this.bones[this.skull].matrixWorld);
    }
    return at;
  }

  // A binary message; `now` is performance.now in seconds.
  receive(buffer, now) {
    if (!this.layout) return;
    if (isOffsets(buffer)) {
      const message = this.offsets && readHead(buffer, this.layout);
      if (message) this.offsets.receive(message);
      return;
    }
    const frame = decode(buffer, this.layout);
    if (!frame) return;
    if (this.lastNumber !== null && frame.number > this.lastNumber + 1) {
      this.lost += frame.number - this.lastNumber - 1;
    }
    this.lastNumber = frame.number;
    this.frames += 1;
    if (frame.dropped) this.dropped += 1;
    this.clock.outputLatency = this.speaker.running ? this.speaker.latency : 0;
    this.clock.arrived(frame.at, now);
    this.clock.tick(now);
    if (!frame.dropped) this.ring.push(frame);
    if (frame.voice && this.pausedAt === null && this.shown) {
      this.voice.say(frame.voice, frame.voiceAt, this.layout.audio_hz);
    }
  }

  weight(name) {
    const i = this.shapeIndex ? this.shapeIndex.get(name.toLowerCase()) : undefined;
    return i === undefined ? 0 : this.pose.weights[i];
  }

  // Shows the moment: the paused one, or now. True when it is not what was shown before.
  update(now) {
    const live = this.clock.tick(now);
    if (!this.layout) return false;
    this.shownAt = this.pausedAt !== null ? this.pausedAt : live;
    // A picture that was stopped stays as it is when its frames are no longer held.
    if (this.pausedAt !== null && this.pose.from && this.ring.length &&
        this.pausedAt < this.ring.first().at) {
      return false;
    }
    const stirred = this.offsets !== null && this.offsets.update(this.shownAt, now);
    if (this.shownAt === null || !this.pose.sample(this.ring, this.shownAt)) return stirred;
    this.applyPose();
    this.walk();
    return true;
  }

  // In its own space, into `out`.
  hipsNow(out) {
    const bone = this.bones[this.hips];
    bone.updateWorldMatrix(true, false);
    return this.root.worldToLocal(out.setFromMatrixPosition(bone.matrixWorld));
  }

  // Notes how far it has walked; its shadow goes along.
  walk() {
    if (this.hips < 0) return;
    this.hipsNow(this.gone).sub(this.hipsAtRest).setY(0);
    this.shadow.position.setX(this.gone.x).setZ(this.gone.z);
    this.gone.applyQuaternion(this.root.quaternion);
  }

  applyPose() {
    const { rotations: q, translations: t, scales: s } = this.pose;
    this.bones.forEach((bone, j) => {
      bone.quaternion.set(q[j * 4 + 1], q[j * 4 + 2], q[j * 4 + 3], q[j * 4]);
      bone.position.set(t[j * 3], t[j * 3 + 1], t[j * 3 + 2]);
      bone.scale.set(s[j * 3], s[j * 3 + 1], s[j * 3 + 2]);
    });
    if (this.model) this.model.apply(this);
    else if (this.mannequin) this.mannequin.setFace((name) => this.weight(name));
  }

  // Where a joint is in the room; null when there is none of that name.
  place(joint) {
    const j = this.layout.joints.indexOf(joint);
    if (j < 0) return null;
    return new THREE.Vector3().setFromMatrixPosition(this.bones[j].matrixWorld).toArray();
  }

  // Turn of a joint away from its rest, in degrees.
  turn(joint) {
    const j = this.layout ? this.layout.joints.indexOf(joint) : -1;
    if (j < 0) return 0;
    return this.turnOf(this.pose.rotations, j, 1);
  }

  turnOf(q, j, unit) {
    const r = this.layout.rest, k = j * 4, m = j * 7 + 3;
    const [w, x, y, z] = [q[k] * unit, q[k + 1] * unit, q[k + 2] * unit, q[k + 3] * unit];
    const [a, b, c, d] = [r[m], -r[m + 1], -r[m + 2], -r[m + 3]];
    // The vector part of q times the rest's inverse: exact for small angles too.
    const sine = Math.hypot(w * b + x * a + y * d - z * c, w * c - x * d + y * a + z * b,
      w * d + x * c - y * b + z * a);
    return (2 * Math.asin(Math.min(1, sine)) * 180) / Math.PI;
  }
}
