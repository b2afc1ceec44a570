// How finely an avatar is drawn: by the refined surface or by the file's meshes, with or without a
// film's offsets. What would not be seen is not worked out: of an avatar that is small in the
// picture, and in a page that is too slow.

// Heights of a body in the picture, in its pixels, below which and from which on something is shown;
// between the two it stays as it was. At the first pair nine of ten points of the built-in woman's
// surface are less than half a pixel from her file's; at the second a centimetre is a pixel.
export const FINE_PX = [600, 700];
export const OFFSETS_PX = [140, 170];

// What a page that does not keep up leaves out.
export const ALL = 0, NO_SURFACE = 1, NO_OFFSETS = 2;

const large = (pixels, [low, high], before) => pixels >= (before ? low : high);

// `before` is what this gave for the last picture.
export function detailOf(pixels, left, before) {
  return { pixels, fine: left < NO_SURFACE && large(pixels, FINE_PX, before.fine),
    offsets: left < NO_OFFSETS && large(pixels, OFFSETS_PX, before.offsets) };
}

// Pixels of what is so tall and so far away, in a picture so high seen at such an angle.
export const pixelsOf = (tall, distance, high, fov_deg) =>
  (tall * high) / (2 * Math.tan((fov_deg * Math.PI) / 360) * Math.max(distance, 0.01));

// The next of a stage's `levels` from `level` on by `step` that changes something where there are
// these things to leave out; `level` where there is none.
export function nextLevel(levels, level, step, { surfaces, offsets }) {
  const inEffect = ([ratio, rate, more, left = ALL]) => {
    const loses = left === NO_OFFSETS && !offsets ? NO_SURFACE : left;
    return [ratio, rate, Boolean(more), loses === NO_SURFACE && !surfaces ? ALL : loses].join();
  };
  for (let next = level + step; next >= 0 && next < levels.length; next += step) {
    if (inEffect(levels[next]) !== inEffect(levels[level])) return next;
  }
  return level;
}
