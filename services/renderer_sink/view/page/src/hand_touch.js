// Where hands go on a body of other proportions, so that they touch what they touched: the formulas of
// libs/skel/hand_touch.h, which says more.
import { NONE, add, between, conjugate, cross, dot, fromAxisAngle, length, lerp, mul, nlerp, normalized, rotate,
  smoothstep, sub, times, unit } from "./vectors.js";

export const RINGS = 6;
const ROUNDS = 8;
const COUNTS_TO = 0.8, BEGINS = 0.15;
const HELD = 0.8;
const CORE = 0.4;
const LIES = 0.5, HANGS = 0.9, BESIDE_M = 0.04, PUSH_M = 0.006;
const SHORT_M = 1e-3, THERE_M = 1e-4, SOFT = 0.001;

// TurnLimb of libs/skel/two_bone_ik_job.h: `upper` leads from the shoulder to the elbow, `lower` on to
// the wrist, and `line` from the shoulder to where the wrist is to be.
function turnLimb(upper, lower, axis, line) {
  const along = times(axis, dot(axis, lower)), across = sub(lower, along);
  const a = dot(upper, across), b = dot(upper, cross(axis, across));
  const most = Math.sqrt(a * a + b * b);
  let bend = NONE;
  if (most >= 1e-9) {
    const base = dot(upper, upper) + dot(lower, lower) + 2 * dot(upper, along);
    const whole = Math.sqrt(Math.max(base + 2 * most, 0)), far = length(line);
    const from = whole * (1 - SOFT), room = whole - from;
    const d = far <= from ? Math.min(far, whole) : from + room * (1 - Math.exp(-(far - from) / room));
    bend = fromAxisAngle(axis, Math.atan2(b, a) +
      Math.acos(Math.min(1, Math.max(-1, (d * d - base) / (2 * most)))));
  }
  return { bend, swing: between(add(upper, rotate(bend, lower)), line) };
}

function ringAt(rings, along) {
  const at = Math.min(1, Math.max(0, along)) * (RINGS - 1), k = Math.min(Math.floor(at), RINGS - 2);
  return rings[k].map((v, i) => v + (rings[k + 1][i] - v) * (at - k));
}

// Off a line, seen from it: how far its surface is that way, how much that is at the side, and where it
// is on another body.
function surfaceAt(off, was, is, scale) {
  if (!(was[0] > 0 && was[1] > 0 && was[2] > 0)) {
    const there = times(off, scale);
    return { radius: 0, side: 0, there, beside: there };
  }
  const x = off[0] / was[0], z = off[2] / (off[2] > 0 ? was[1] : was[2]);
  const rho = Math.max(Math.sqrt(x * x + z * z), CORE);
  const on = [off[0] / rho, 0, off[2] / rho];
  const there = [x / rho * is[0], 0, z / rho * (off[2] > 0 ? is[1] : is[2])];
  const clear = times(sub(off, on), scale);
  const beside = times(clear, Math.min(1, BESIDE_M / Math.max(Math.hypot(clear[0], clear[2]), SHORT_M)));
  return { radius: length(on), side: Math.abs(x) / rho, there: add(there, clear), beside: add(there, beside) };
}

// How a point touches a part whose line is `was`; null when it does not.
function touchOf(part, was, scale, from) {
  const squared = dot(was.way, was.way);
  if (!(squared > SHORT_M * SHORT_M)) return null;
  const along = dot(sub(from, was.start), was.way) / squared;
  const on = Math.min(1, Math.max(0, along));
  const way = sub(from, add(was.start, times(was.way, on))), far = length(way);
  if (far > part.reach) return null;
  const off = rotate(conjugate(nlerp(was.turn, was.endTurn, on)), way);
  const surface = surfaceAt(off, ringAt(part.from, on), ringAt(part.to, on), scale);
  const near = surface.radius + part.near;
  let touches = 1 - smoothstep((far - near) / (part.far - part.near));
  if (part.countsFrom !== 0) touches *= smoothstep((along - part.countsFrom) / BEGINS);
  if (part.countsTo !== 1) touches *= 1 - smoothstep((along - part.countsTo) / BEGINS);
  if (!(touches > 0)) return null;
  return { part, on, surface, touches, weight: touches * (near / Math.max(far, SHORT_M)) ** 4 };
}

// What that makes of the point, where the part's line is `is`.
function drawTo(touch, is, point, pull) {
  if (!touch) return;
  const { part, on, surface, touches, weight } = touch;
  const turned = nlerp(is.turn, is.endTurn, on), place = add(is.start, times(is.way, on));
  let goal = add(place, rotate(turned, surface.there));
  if (part.hangs) {
    const hangs = smoothstep((surface.side - LIES) / (HANGS - LIES));
    const way = rotate(turned, normalized([surface.there[0], 0, surface.there[2]]));
    const by = dot(sub(add(place, rotate(turned, surface.beside)), point.is), way);
    const out = add(point.is, times(way, 0.5 * (by + Math.sqrt(by * by + PUSH_M * PUSH_M))));
    goal = lerp(goal, out, hangs);
  }
  pull.sum = add(pull.sum, times(goal, weight));
  pull.all += weight;
  pull.most = Math.max(pull.most, touches);
}

const NO_RINGS = Array.from({ length: RINGS }, () => [0, 0, 0]);
// Nothing further from its line touches a part.
const withReach = (part) => ({ ...part, reach: part.far + Math.max(...part.from.flat()) });
const lineOf = (start, end) => ({ start, way: sub(end, start), turn: NONE, endTurn: NONE });

export class HandTouch {
  // `parts`: [{known, near, far, countsFrom, countsTo, hangs, from, to}]: lengths off a surface, and its
  // rings on both bodies, [side, front, back], if it has any. `scale`: of lengths off surfaces.
  // `points`: that count. `arm` and `palm`: {near, far}.
  constructor({ parts, scale, points, arm, palm }) {
    this.parts = parts.map((part) => withReach({ ...part, from: part.from || NO_RINGS, to: part.to || NO_RINGS }));
    this.scale = scale;
    this.points = points;
    this.arm = withReach({ ...arm, countsFrom: 0, countsTo: 1, hangs: false, from: NO_RINGS, to: NO_RINGS });
    this.forearm = { ...this.arm, countsTo: COUNTS_TO };
    this.palm = palm;
  }

  // A point of a hand, and what it touches.
  pointOf(from, to, h, i) {
    const was = from.arms[1 - h], at = from.arms[h].points[i], is = to.arms[h].points[i], { scale } = this;
    return { is, goal: is, touches: 0,
      parts: this.parts.map((part, p) => part.known && touchOf(part, from.parts[p], scale, at)),
      upper: touchOf(this.arm, lineOf(was.shoulder, was.elbow), scale, at),
      lower: touchOf(this.forearm, lineOf(was.elbow, was.wrist), scale, at) };
  }

  draw(to, h, hand, arms) {
    const is = to.arms[1 - h];
    hand.onArm = 0;
    for (const point of hand.points) {
      const pull = { sum: [0, 0, 0], all: 0, most: 0 }, onArm = { sum: [0, 0, 0], all: 0, most: 0 };
      point.parts.forEach((touch, p) => drawTo(touch, to.parts[p], point, pull));
      drawTo(point.upper, lineOf(is.shoulder, is.elbow), point, onArm);
      drawTo(point.lower, lineOf(is.elbow, is.wrist), point, onArm);
      pull.sum = add(pull.sum, times(onArm.sum, arms));
      pull.all += onArm.all * arms;
      hand.onArm = Math.max(hand.onArm, onArm.most * arms);
      point.touches = Math.max(pull.most, onArm.most * arms);
      point.goal = pull.all > 0
        ? add(point.is, times(sub(times(pull.sum, 1 / pull.all), point.is), point.touches)) : point.is;
    }
  }

  // `from`, `to`: {parts: [{start, way, turn, endTurn}], arms: [{shoulder, elbow, wrist, hinge, points}]},
  // left and right. Moves the arms of `to`, and returns by which turns: [{upper, lower}].
  run(from, to) {
    const turns = to.arms.map(() => ({ upper: NONE, lower: NONE }));
    const hands = to.arms.map((arm, h) => ({ onArm: 0,
      points: arm.points.slice(0, this.points).map((_, i) => this.pointOf(from, to, h, i)) }));
    const put = (h, way) => {
      const by = sub(add(hands[h].points[0].is, way), to.arms[h].points[0]);
      if (length(by) > THERE_M) move(by, to.arms[h], turns[h]);
    };
    const apart = sub(from.arms[1].points[0], from.arms[0].points[0]);
    // Hands that hold each other do not hold the arms behind them.
    const arms = smoothstep((length(apart) / this.palm.near - HELD) / HELD);
    const near = 1 - smoothstep((length(apart) - this.palm.near) / (this.palm.far - this.palm.near));
    for (let round = 0, settled = false; round < ROUNDS && !settled; ++round) {
      const ways = hands.map((hand, h) => {
        this.draw(to, h, hand, arms);
        const way = wayOf(hand);
        if (hand.onArm > 0) put(h, way);
        return way;
      });
      const onArm = Math.max(hands[0].onArm, hands[1].onArm), meet = near * (1 - onArm);
      if (meet > 0) {
        const is = sub(add(hands[1].points[0].is, ways[1]), add(hands[0].points[0].is, ways[0]));
        const share = times(sub(times(apart, this.scale), is), meet / 2);
        ways[0] = sub(ways[0], share);
        ways[1] = add(ways[1], share);
      }
      ways.forEach((way, h) => put(h, way));
      settled = onArm === 0;
    }
    return turns;
  }
}

function wayOf(hand) {
  let sum = [0, 0, 0], all = 0, left = 1;
  for (const { goal, is, touches } of hand.points) {
    sum = add(sum, times(sub(goal, is), touches * left));
    all += touches * left;
    left *= 1 - touches;
  }
  return all > 0 ? times(sum, 1 / all) : [0, 0, 0];
}

function move(by, arm, turn) {
  const upper = sub(arm.elbow, arm.shoulder), lower = sub(arm.wrist, arm.elbow);
  const { bend, swing } = turnLimb(upper, lower, arm.hinge, sub(add(arm.wrist, by), arm.shoulder));
  const forearm = mul(swing, bend);
  arm.elbow = add(arm.shoulder, rotate(swing, upper));
  const wrist = add(arm.elbow, rotate(forearm, lower)), moved = sub(wrist, arm.wrist);
  arm.points = arm.points.map((point) => add(point, moved));
  arm.wrist = wrist;
  arm.hinge = rotate(swing, arm.hinge);
  turn.upper = unit(mul(swing, turn.upper));
  turn.lower = unit(mul(forearm, turn.lower));
}
