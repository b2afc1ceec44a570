// What glTF cannot say of shapes, from the file's extras.posewire: targets between rest and a whole
// shape, and targets that a joint's turn or other shapes bring about.

const DEGREES = 180 / Math.PI;

// How much of each knot is shown at `weight`, by straight lines that go on beyond both ends, as in
// UsdSkel; `knots` ascend: the in-betweens' weights, and 1, which is the shape itself.
export function sharesOf(weight, knots) {
  const all = [...knots, 0].sort((a, b) => a - b);
  const above = all.findIndex((at) => weight < at);
  const high = above < 0 ? all.length - 1 : Math.max(above, 1);
  const t = (weight - all[high - 1]) / (all[high] - all[high - 1]);
  return knots.map((at) => (at === all[high] ? t : at === all[high - 1] ? 1 - t : 0));
}

// Degrees by which `now` has turned from `rest` about `axis`, of unit length; {x, y, z, w}.
export function turnAbout(axis, now, rest) {
  const [x, y, z] = [
    rest.w * now.x - now.w * rest.x - now.y * rest.z + now.z * rest.y,
    rest.w * now.y - now.w * rest.y - now.z * rest.x + now.x * rest.z,
    rest.w * now.z - now.w * rest.z - now.x * rest.y + now.y * rest.x];
  const w = now.w * rest.w + now.x * rest.x + now.y * rest.y + now.z * rest.z;
  const turn = 2 * Math.atan2(x * axis[0] + y * axis[1] + z * axis[2], w) * DEGREES;
  return turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
}

// The straight ramp of a corrective, 0 to 1.
export const rampOf = (degrees, { from_deg: from, to_deg: to }) =>
  Math.max(0, Math.min(1, (degrees - from) / (to - from)));

export class ExtraShapes {
  // `boneOf` finds a joint's bone by name, at rest. Throws what is wrong with the file's extras.
  constructor(scene, { inbetweens = [], correctives = [] }, boneOf) {
    this.splits = [];    // {influences, whole, indices, knots}
    this.products = [];  // {influences, index, sources}
    this.ramps = [];     // {influences, index, bone, rest, axis, corrective}
    const meshes = [];
    scene.traverse((object) => {
      if (object.isMesh && object.morphTargetDictionary) meshes.push(object);
    });
    const withTarget = (name, where) => {
      const found = meshes.filter(({ morphTargetDictionary: all }) => name in all);
      if (!found.length) throw new Error(`extras.posewire.${where} has the target ${name}, which no mesh has`);
      return found;
    };
    for (const shape of new Set(inbetweens.map((between) => between.shape))) {
      const own = inbetweens.filter((between) => between.shape === shape);
      const bad = own.find(({ at }) => !Number.isFinite(at) || at === 0 || at === 1);
      if (bad) throw new Error(`extras.posewire.inbetweens has ${bad.target} at ${bad.at}; must be a number other than 0 and 1`);
      for (const { morphTargetDictionary: all, morphTargetInfluences: influences } of
        withTarget(own[0].target, "inbetweens").filter(({ morphTargetDictionary: d }) => shape in d)) {
        const here = [...own.filter(({ target }) => target in all), { at: 1, target: shape }]
          .sort((a, b) => a.at - b.at);
        this.splits.push({ influences, whole: all[shape], knots: here.map(({ at }) => at),
          indices: here.map(({ target }) => all[target]) });
      }
    }
    for (const corrective of correctives) {
      const { target, shapes, joint, axis } = corrective;
      const bone = shapes ? null : boneOf(joint);
      if (!shapes && (!bone || !Array.isArray(axis))) {
        throw new Error(`extras.posewire.correctives: ${target} needs shapes, or a joint of the file and its axis`);
      }
      for (const { morphTargetDictionary: all, morphTargetInfluences: influences } of withTarget(target, "correctives")) {
        const index = all[target];
        if (shapes) this.products.push({ influences, index, sources: shapes.map((name) => all[name]) });
        else this.ramps.push({ influences, index, bone, rest: bone.quaternion.clone(), axis, corrective });
      }
    }
  }

  // Once the bones and the influences of all other shapes are those of the moment.
  apply() {
    for (const { influences, index, sources } of this.products) {
      influences[index] = sources.reduce((product, source) => product * (influences[source] || 0), 1);
    }
    for (const { influences, index, bone, rest, axis, corrective } of this.ramps) {
      influences[index] = rampOf(turnAbout(axis, bone.quaternion, rest), corrective);
    }
    for (const { influences, whole, indices, knots } of this.splits) {
      sharesOf(influences[whole], knots)
        .forEach((share, k) => { influences[indices[k]] = share; });
    }
  }
}
