// Frames as they come from the server (docs/view.md), and the last minute of them.
import { propsBetween, readProps } from "./props.js";

/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Layout} Layout */
/** @typedef {import("./types.js").Moved} Moved */
/** @typedef {import("./types.js").Prop} Prop */

/** How long a Ring keeps frames, seconds. */
export const KEEP_S = 60;
const ROTATIONS = 1, TRANSLATIONS = 2, SCALES = 4, WEIGHTS = 8, CAMERA = 16, AUDIO = 32;
const POSE_DROPPED = 64, PROPS = 128;
const UNIT = 1 / 32767;
/** @type {Prop[]} */
const NO_PROPS = [];

/**
 * Which avatar a binary message is for, without reading it whole.
 * @param {ArrayBuffer} buffer
 */
export const avatarOf = (buffer) => new DataView(buffer).getUint8(1);

/**
 * A sparse list of (joint, x, y, z), and where it ends.
 * @param {DataView} view
 * @param {number} at
 * @returns {[Moved, number]}
 */
function movedAt(view, at) {
  const count = view.getUint32(at, true);
  /** @type {Moved} */
  const moved = new Map();
  for (let i = 0, p = at + 4; i < count; ++i, p += 16) {
    moved.set(view.getUint32(p, true), [view.getFloat32(p + 4, true),
      view.getFloat32(p + 8, true), view.getFloat32(p + 12, true)]);
  }
  return [moved, at + 4 + 16 * count];
}

/**
 * Null for what is no frame of this layout. Throws a RangeError where the bytes end too early.
 * @param {ArrayBuffer} buffer
 * @param {Pick<Layout, "layout" | "epoch_s" | "joints" | "shapes">} layout
 * @returns {Frame | null}
 */
export function decode(buffer, layout) {
  const view = new DataView(buffer);
  if (view.getUint8(0) !== 1 || view.getUint32(4, true) !== layout.layout) return null;
  const flags = view.getUint16(2, true);
  /** @type {Frame} */
  const frame = {
    at: layout.epoch_s + view.getFloat64(8, true),
    number: view.getUint32(16, true),
    dropped: (flags & POSE_DROPPED) !== 0,
    rotations: null, translations: null, scales: null, weights: null, camera: null,
    voice: null, voiceAt: 0, props: NO_PROPS,
  };
  const samples = view.getUint32(20, true);
  let at = 24;
  if (flags & ROTATIONS) {
    frame.rotations = new Int16Array(buffer, at, layout.joints.length * 4);
    at += layout.joints.length * 8;
  }
  if (flags & TRANSLATIONS) [frame.translations, at] = movedAt(view, at);
  if (flags & SCALES) [frame.scales, at] = movedAt(view, at);
  if (flags & WEIGHTS) {
    frame.weights = new Float32Array(buffer, at, layout.shapes.length);
    at += layout.shapes.length * 4;
  }
  if (flags & CAMERA) {
    frame.camera = new Float32Array(buffer, at, 9);
    at += 36;
  }
  if (flags & AUDIO) {
    frame.voiceAt = layout.epoch_s + view.getFloat64(at, true);
    frame.voice = new Int16Array(buffer, at + 8, samples);
    at += 8 + 2 * samples;
  }
  if (flags & PROPS) frame.props = readProps(view, at);
  return frame;
}

/** Frames of the last minute in order of time. */
export class Ring {
  constructor() {
    /** The kept ones begin at `head`. @type {Frame[]} */
    this.frames = [];
    this.head = 0;
  }

  clear() {
    this.frames = [];
    this.head = 0;
  }

  /**
   * False for a frame that is not newer than the newest.
   * @param {Frame} frame
   */
  push(frame) {
    const last = this.last();
    if (last && frame.at <= last.at) {
      if (last.at - frame.at < 1) return false;
      this.clear();  // The server's time went back.
    }
    this.frames.push(frame);
    while (this.frames[this.head].at < frame.at - KEEP_S) this.head++;
    if (this.head > 1024) {
      this.frames = this.frames.slice(this.head);
      this.head = 0;
    }
    return true;
  }

  get length() { return this.frames.length - this.head; }
  /** @returns {Frame | undefined} */
  first() { return this.frames[this.head]; }
  /** @returns {Frame | undefined} */
  last() { return this.frames[this.frames.length - 1]; }

  /**
   * Index in `frames` of the last one at or before `at`; the first one when there is none before.
   * @param {number} at
   */
  find(at) {
    let low = this.head, high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].at <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

// Beyond this the frames around a moment are no neighbours: the older one holds.
const LONGEST_STEP_S = 0.5;
const UNSCALED = [1, 1, 1];

/** The pose of a moment between two frames. */
export class Pose {
  /** @param {Pick<Layout, "joints" | "shapes" | "rest">} layout */
  constructor(layout) {
    const { joints, shapes, rest } = layout;
    /** 4 a joint: w x y z. */
    this.rotations = new Float32Array(joints.length * 4);
    /** 3 a joint, as are scales: metres. */
    this.translations = new Float32Array(joints.length * 3);
    this.scales = new Float32Array(joints.length * 3).fill(1);
    /** Whether any of them is not 1. */
    this.scaled = false;
    /** One a shape. */
    this.weights = new Float32Array(shapes.length);
    this.rest = rest;
    /** As of a frame. @type {number[] | null} */
    this.camera = null;
    /** Of the scene. */
    this.props = NO_PROPS;
    /** The frames that it lies between. @type {Frame | null} */
    this.from = null;
    /** @type {Frame | null} */
    this.to = null;
    /** Of the way from the one to the other. */
    this.share = 0;
    joints.forEach((_, j) => {
      this.rotations.set(rest.slice(j * 7 + 3, j * 7 + 7), j * 4);
      this.translations.set(rest.slice(j * 7, j * 7 + 3), j * 3);
    });
  }

  /**
   * Sets the pose at a moment, Unix seconds: short-way nlerp between the frames around it. False when
   * there is nothing new in it.
   * @param {Ring} ring
   * @param {number} at
   */
  sample(ring, at) {
    if (!ring.length) return false;
    const i = ring.find(at);
    const a = ring.frames[i];
    const b = ring.frames[i + 1] && ring.frames[i + 1].at - a.at < LONGEST_STEP_S
      ? ring.frames[i + 1] : a;
    const t = a === b ? 0 : Math.min(1, Math.max(0, (at - a.at) / (b.at - a.at)));
    if (a === this.from && b === this.to && t === this.share) return false;
    this.from = a;
    this.to = b;
    this.share = t;
    if (a.rotations && b.rotations) this.turn(a.rotations, b.rotations, t);
    if (a.weights && b.weights) {
      for (let s = 0; s < this.weights.length; ++s) {
        this.weights[s] = a.weights[s] + (b.weights[s] - a.weights[s]) * t;
      }
    }
    if (a.translations) this.move(a.translations, b.translations || a.translations, t);
    if (a.scales) this.grow(a.scales, b.scales || a.scales, t);
    if (a.props) this.props = propsBetween(a.props, b.props, t);
    this.camera = a.camera ? this.view(a.camera, b.camera || a.camera, t) : null;
    return true;
  }

  /**
   * @private
   * @param {Float32Array} a
   * @param {Float32Array} b
   * @param {number} t
   */
  view(a, b, t) {
    const dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
    const out = Array.from(a, (v, i) => v + ((i > 2 && i < 7 && dot < 0 ? -b[i] : b[i]) - v) * t);
    const size = Math.hypot(out[3], out[4], out[5], out[6]) || 1;
    for (let i = 3; i < 7; ++i) out[i] /= size;
    return out;
  }

  /**
   * @private
   * @param {Int16Array} a
   * @param {Int16Array} b
   * @param {number} t
   */
  turn(a, b, t) {
    const out = this.rotations;
    for (let k = 0; k < out.length; k += 4) {
      const dot = a[k] * b[k] + a[k + 1] * b[k + 1] + a[k + 2] * b[k + 2] + a[k + 3] * b[k + 3];
      const u = (dot < 0 ? -t : t) * UNIT, v = (1 - t) * UNIT;
      const w = a[k] * v + b[k] * u, x = a[k + 1] * v + b[k + 1] * u;
      const y = a[k + 2] * v + b[k + 2] * u, z = a[k + 3] * v + b[k + 3] * u;
      const n = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
      out[k] = w * n;
      out[k + 1] = x * n;
      out[k + 2] = y * n;
      out[k + 3] = z * n;
    }
  }

  /** @private @param {Moved} a @param {Moved} b @param {number} t */
  grow(a, b, t) {
    const out = this.scales;
    if (this.scaled) out.fill(1);
    this.scaled = a.size + b.size > 0;
    for (const j of new Set([...a.keys(), ...b.keys()])) {
      const p = a.get(j) || UNSCALED, q = b.get(j) || UNSCALED;
      for (let i = 0; i < 3; ++i) out[j * 3 + i] = p[i] + (q[i] - p[i]) * t;
    }
  }

  /** @private @param {Moved} a @param {Moved} b @param {number} t */
  move(a, b, t) {
    const out = this.translations;
    for (let j = 0, k = 0; k < out.length; ++j, k += 3) {
      const rest = [this.rest[j * 7], this.rest[j * 7 + 1], this.rest[j * 7 + 2]];
      const p = a.get(j) || rest, q = b.get(j) || rest;
      for (let i = 0; i < 3; ++i) out[k + i] = p[i] + (q[i] - p[i]) * t;
    }
  }
}
