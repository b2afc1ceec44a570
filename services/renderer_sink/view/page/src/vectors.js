// Vectors as [x, y, z] and quaternions as [w, x, y, z], for code that runs without three.js.

export const NONE = [1, 0, 0, 0];

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.sqrt(dot(a, a));
export const normalized = (a) => (length(a) > 0 ? times(a, 1 / length(a)) : a);
export const lerp = (a, b, t) => add(a, times(sub(b, a), t));
export const conjugate = (q) => [q[0], -q[1], -q[2], -q[3]];
export const mul = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
export const unit = (q) => {
  const n = Math.hypot(...q);
  return n > 0 ? q.map((v) => v / n) : NONE;
};
export const rotate = (q, v) => {
  const u = [q[1], q[2], q[3]], t = times(cross(u, v), 2);
  return add(add(v, times(t, q[0])), cross(u, t));
};
export const nlerp = (a, b, t) => {
  const s = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -t : t;
  return unit(a.map((v, i) => v * (1 - t) + b[i] * s));
};
export const fromAxisAngle = (axis, angle) => [Math.cos(angle / 2), ...times(axis, Math.sin(angle / 2))];
export const smoothstep = (x) => {
  const t = Math.min(1, Math.max(0, x));
  return t * t * (3 - 2 * t);
};

// The shortest turn that leads from one way to another.
export function between(from, to) {
  if (length(from) < 1e-6 || length(to) < 1e-6) return NONE;
  const a = normalized(from), b = normalized(to), d = dot(a, b);
  if (d < -0.999999) {
    return fromAxisAngle(normalized(cross(a, Math.abs(a[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0])), Math.PI);
  }
  return unit([1 + d, ...cross(a, b)]);
}
