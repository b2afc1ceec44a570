// Things of the scene, as frames have them.

/** @typedef {import("./types.js").Prop} Prop */

const TEXT = new TextDecoder();

/**
 * Of a frame's bytes from `at` on.
 * @param {DataView} view
 * @param {number} at
 */
export function readProps(view, at) {
  /** @type {Prop[]} */
  const props = [];
  const count = view.getUint32(at, true);
  let p = at + 4;
  const floats = (/** @type {number} */ n) => Array.from({ length: n }, () => {
    p += 4;
    return view.getFloat32(p - 4, true);
  });
  const text = () => {
    const size = view.getUint8(p);
    p += 1 + size;
    return TEXT.decode(new Uint8Array(view.buffer, view.byteOffset + p - size, size));
  };
  for (let i = 0; i < count; ++i) {
    // Rotations are w x y z.
    props.push({ position: floats(3), rotation: floats(4), size: floats(3), name: text(), shape: text(),
      heldBy: text() });
  }
  return props;
}

/**
 * What there is at the share `t` of the way from `a` to the frame after it, `b`: each thing goes from
 * where it was to where it will be; what is new in `b` is not there yet.
 * @param {Prop[]} a
 * @param {Prop[]} b
 * @param {number} t
 */
export function propsBetween(a, b, t) {
  if (a === b || t === 0) return a;
  const later = new Map(b.map((prop) => [prop.name, prop]));
  return a.map((prop) => {
    const next = later.get(prop.name);
    if (!next) return prop;
    const mix = (/** @type {number[]} */ p, /** @type {number[]} */ q, sign = 1) => p.map((v, i) => v + (sign * q[i] - v) * t);
    const dot = prop.rotation.reduce((sum, v, i) => sum + v * next.rotation[i], 0);
    const rotation = mix(prop.rotation, next.rotation, dot < 0 ? -1 : 1);
    const size = Math.hypot(...rotation) || 1;
    return { ...prop, position: mix(prop.position, next.position), rotation: rotation.map((v) => v / size) };
  });
}
