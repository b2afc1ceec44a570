// How a file's person stands: which way it looks, and why it may not move.

// Of a person's height.
export const HEAD_SHARE = 0.14;
// The middle of the face, in heights of the head below the eyes.
export const BELOW_EYES = 0.07;
const LEAST_M = 1e-6;
const MOST_NAMES = 3;

// `places` has the places at rest of bones by names like LeftHand, Y up. Radians by which the person
// is turned round Y away from +Z, where its left is +X; null where no left and right bones tell.
export function yawOf(places) {
  let x = 0, z = 0;
  for (const [name, left] of places) {
    const right = name.startsWith("Left") ? places.get(name.replace("Left", "Right")) : undefined;
    if (!right) continue;
    x += left[0] - right[0];
    z += left[2] - right[2];
  }
  return Math.hypot(x, z) < LEAST_M ? null : Math.atan2(-z, x);
}

// Why no joint moves a file's mesh; empty when they do. `skeleton` has the names of all the bones
// that its skins have, `known` is how many of its nodes are known bones of a person, of which `least`
// are needed, and `carried` tells whether a mesh hangs on those.
export function whyStill({ skeleton, known, least, carried }) {
  const asItStands = "it is shown as it stands";
  if (known >= least) return skeleton.length || carried ? "" : `no mesh of its file has a skin; ${asItStands}`;
  if (!skeleton.length) return `its file has no skin and no bones; ${asItStands}`;
  const names = skeleton.slice(0, MOST_NAMES).map((name) => `"${name}"`).join(", ");
  return `${known} bones of its file are known by name, and ${least} are needed; ${asItStands}. Its bones ` +
    `are ${names}${skeleton.length > MOST_NAMES ? " and others" : ""}: name them as VRM, Mixamo, Unity or Unreal do`;
}
