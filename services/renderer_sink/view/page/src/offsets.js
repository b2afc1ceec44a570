// What makes a model a film's character: offsets of its points before they are skinned, as they
// come from the server with the frames (docs/view.md).
//
// A message has the points that move in its frame. Between two frames offsets are blended, as the
// pose is. Where they are missing, because the connection is slow or the past is shown, the last
// ones fade away; when they are there again, they fade in.

const KEEP_S = 3;       // of messages
const FADE_S = 0.2;
const HOLD_S = 0.1;     // that the offsets of a frame count for, where no next ones come
const LONGEST_S = 0.5;  // frames that are further apart are no neighbours

export const isOffsets = (buffer) => new DataView(buffer).getUint8(0) === 2;

// Null for a message of another layout. `at` is Unix time in seconds.
export function readHead(buffer, { layout, epoch_s }) {
  const view = new DataView(buffer);
  if (view.getUint32(4, true) !== layout) return null;
  return { buffer, at: epoch_s + view.getFloat64(8, true), number: view.getUint32(16, true) };
}

// The parts of a message. One that does not fit throws.
function partsOf(buffer, points) {
  const view = new DataView(buffer);
  const float = (at) => view.getFloat32(at, true);
  const moved = view.getUint32(20, true);
  const bits = new Uint8Array(buffer, 52, Math.ceil(points / 32) * 4);
  const codes = new Uint16Array(buffer, bits.byteOffset + bits.byteLength, moved * 3);
  const ways = new Int8Array(buffer, codes.byteOffset + codes.byteLength, moved * 3);
  return { low: [float(24), float(28), float(32)], step: [float(36), float(40), float(44)],
    turn: float(48), bits, codes, ways };
}

// Into `values` (what is added to each point) and `turns` (to each normal). A message that does not
// fit throws.
export function decodeOffsets(buffer, points, values, turns) {
  const { low, step, turn, bits, codes, ways } = partsOf(buffer, points);
  for (let p = 0, k = 0; p < points; ++p) {
    const v = p * 3;
    if (bits[p >> 3] & (1 << (p & 7))) {
      for (let c = 0; c < 3; ++c, ++k) {
        values[v + c] = low[c] + step[c] * codes[k];
        turns[v + c] = turn * ways[k];
      }
    } else {
      values[v] = values[v + 1] = values[v + 2] = 0;
      turns[v] = turns[v + 1] = turns[v + 2] = 0;
    }
  }
}

// The codes of each point as the graphics processor decodes them (offset_material.js), four numbers
// a point; the fourth of `codes` is 1 where the point moves. Returns {low, step, turn}. Throws as
// above.
export function spreadCodes(buffer, points, codes, ways) {
  const parts = partsOf(buffer, points);
  codes.fill(0);
  ways.fill(0);
  for (let p = 0, k = 0; p < points; ++p) {
    if (!(parts.bits[p >> 3] & (1 << (p & 7)))) continue;
    for (let c = 0; c < 3; ++c, ++k) {
      codes[p * 4 + c] = parts.codes[k];
      ways[p * 4 + c] = parts.ways[k];
    }
    codes[p * 4 + 3] = 1;
  }
  return { low: parts.low, step: parts.step, turn: parts.turn };
}

// The server sends the offsets of one avatar, that a page asks for.
export class OffsetsWish {
  constructor(link, any) {
    this.link = link;
    this.any = any;
    this.index = null;
    this.connection = 0;
  }

  // Asks for those of the avatar, if it has some and is large enough to show them, and they are not
  // asked for already.
  of(avatar) {
    const { link } = this;
    const index = this.any && avatar && avatar.offsets && avatar.detail.offsets ? avatar.index : null;
    if (index === this.index && (index === null || this.connection === link.connections)) return;
    this.index = index;
    this.connection = link.connections;
    link.tell({ offsets: index });
  }
}

export class Offsets {
  // Of a model with so many points.
  constructor(points) {
    this.points = points;
    // Who decodes: the processor into values and turns, the graphics processor from codes and ways.
    this.decodes = true;
    this.spreads = false;
    // What is shown: as of decodeOffsets.
    this.values = new Float32Array(points * 3);
    this.turns = new Float32Array(points * 3);
    this.share = 0;     // how much of it counts
    this.live = false;  // what is shown is of the moment, and not what is left of one before
    this.line = [];     // messages in order of time
    // The messages that are blended, and the weight of each.
    this.slots = [0, 1].map(() => ({ message: null, weight: 0, values: null, turns: null, codes: null,
      ways: null, box: null, filled: 0 }));
    this.shown = null;  // {a, b, t}: messages and the share of the second
    this.last_s = 0;
    this.received = 0;
  }

  receive(message) {
    const last = this.line[this.line.length - 1];
    if (last && message.at <= last.at) {
      if (last.at - message.at < 1) return;
      this.line = [];
    }
    this.received += message.buffer.byteLength;
    this.line.push(message);
    while (this.line[0].at < message.at - KEEP_S) this.line.shift();
  }

  // The messages round a moment; null: there are none.
  find(at) {
    let i = this.line.length - 1;
    while (i >= 0 && this.line[i].at > at) --i;
    if (i < 0) return null;
    const a = this.line[i], b = this.line[i + 1];
    if (b && b.at - a.at < LONGEST_S) return { a, b, t: (at - a.at) / (b.at - a.at) };
    return at - a.at <= HOLD_S ? { a, b: a, t: 0 } : null;
  }

  // Shows the moment `at`; `now` in seconds is only for fading. True when something has changed.
  update(at, now) {
    const step = Math.min(0.05, Math.max(0, now - this.last_s)) / FADE_S;
    this.last_s = now;
    const there = at === null ? null : this.find(at), before = this.share;
    this.live = there !== null && (this.live || this.share === 0);
    this.share = Math.min(1, Math.max(0, this.share + (this.live ? step : -step)));
    const { shown } = this;
    if (this.live) this.shown = there;
    if (!this.shown || (before === 0 && this.share === 0)) return false;
    if (shown && shown.a === this.shown.a && shown.b === this.shown.b && shown.t === this.shown.t &&
        before === this.share) {
      return false;
    }
    this.mix();
    return true;
  }

  slotOf(message, other) {
    const known = this.slots.find((slot) => slot.message === message);
    if (known) {
      if (this.decodes && !known.values) this.fill(known);
      return known;
    }
    const slot = this.slots.find((one) => one !== other && one.message !== this.shown.a) ||
      this.slots.find((one) => one !== other);
    slot.message = message;
    this.fill(slot);
    return slot;
  }

  fill(slot) {
    const { points } = this, { buffer } = slot.message;
    ++slot.filled;
    if (this.decodes) {
      slot.values ||= new Float32Array(points * 3);
      slot.turns ||= new Float32Array(points * 3);
      decodeOffsets(buffer, points, slot.values, slot.turns);
    }
    if (this.spreads) {
      slot.codes ||= new Uint16Array(points * 4);
      slot.ways ||= new Int8Array(points * 4);
      slot.box = spreadCodes(buffer, points, slot.codes, slot.ways);
    }
  }

  mix() {
    const a = this.slotOf(this.shown.a, null);
    const b = this.slotOf(this.shown.b, a);
    const { values, turns, share } = this;
    const q = this.shown.t * share, p = share - q;
    for (const slot of this.slots) slot.weight = (slot === a ? p : 0) + (slot === b ? q : 0);
    if (!this.decodes) return;
    for (let i = 0; i < values.length; ++i) {
      values[i] = a.values[i] * p + b.values[i] * q;
      turns[i] = a.turns[i] * p + b.turns[i] * q;
    }
  }
}
