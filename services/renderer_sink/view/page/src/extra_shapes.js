// What glTF cannot say of shapes, from the file's extras.posewire: targets between rest and a whole
// shape, and targets that a joint's turn or other shapes bring about.

const DEGREES = 180 / Math.PI;

// How much of each knot is shown at `weight`, by straight lines; `knots` are the in-betweens' weights
// in order and then 1, the shape itself, which alone goes on beyond both ends.
export function sharesOf(weight, knots) {
  const shares = knots.map(() => 0);
  const above = knots.findIndex((at) => weight < at);
  if (weight <= 0 || above < 0) {
    shares[knots.length - 1] = weight;
    return shares;
  }
  const low = above ? knots[above - 1] : 0;
  const t = (weight - low) / (knots[above] - low);
  shares[above] = t;
  if (above) shares[above - 1] = 1 - t;
  return shares;
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
    this.splits = [];    // {influences, indices, knots}
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
      const own = inbetweens.filter((between) => between.shape === shape).sort((a, b) => a.at - b.at);
      const bad = own.find(({ at }) => !(at > 0 && at < 1));
      if (bad) throw new Error(`extras.posewire.inbetweens has ${bad.target} at ${bad.at}; must be between 0 and 1`);
      for (const { morphTargetDictionary: all, morphTargetInfluences: influences } of
        withTarget(own[0].target, "inbetweens").filter(({ morphTargetDictionary: d }) => shape in d)) {
        const here = own.filter(({ target }) => target in all);
        this.splits.push({ influences, knots: [...here.map(({ at }) => at), 1],
          indices: [...here.map(({ target }) => all[target]), all[shape]] });
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
    for (const { influences, indices, knots } of this.splits) {
      sharesOf(influences[indices[knots.length - 1]], knots)
        .forEach((share, k) => { influences[indices[k]] = share; });
    }
  }
}
