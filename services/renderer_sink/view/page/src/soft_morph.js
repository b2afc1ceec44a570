// Blends the shapes of a mesh on the processor: where pictures are drawn by the processor too, this
// is far cheaper than three.js's way, which looks at every shape for every point.
import * as THREE from "three";

// What each shape adds, without the points that it leaves alone.
function sparse(attributes) {
  return attributes.map((attribute) => {
    const indices = [], offsets = [];
    for (let i = 0; i < attribute.count; ++i) {
      const x = attribute.getX(i), y = attribute.getY(i), z = attribute.getZ(i);
      if (x === 0 && y === 0 && z === 0) continue;
      indices.push(i * 3);
      offsets.push(x, y, z);
    }
    return { indices: Int32Array.from(indices), offsets: Float32Array.from(offsets) };
  });
}

export class SoftMorph {
  // Takes the shapes out of the mesh's geometry; its influences are read from then on.
  constructor(mesh) {
    this.influences = mesh.morphTargetInfluences;
    this.last = new Float32Array(this.influences.length);
    mesh.geometry = mesh.geometry.clone();
    this.tracks = [];
    for (const name of ["position", "normal"]) {
      const targets = mesh.geometry.morphAttributes[name];
      if (!targets) continue;
      const from = mesh.geometry.attributes[name];
      const values = new Float32Array(from.count * 3);
      for (let i = 0; i < from.count; ++i) {
        values.set([from.getX(i), from.getY(i), from.getZ(i)], i * 3);
      }
      const attribute = new THREE.BufferAttribute(values, 3).setUsage(THREE.DynamicDrawUsage);
      mesh.geometry.setAttribute(name, attribute);
      this.tracks.push({ attribute, base: values.slice(), targets: sparse(targets) });
    }
    mesh.geometry.morphAttributes = {};
  }

  update() {
    if (this.influences.every((v, i) => v === this.last[i])) return;
    this.last.set(this.influences);
    for (const { attribute, base, targets } of this.tracks) {
      const out = attribute.array;
      out.set(base);
      targets.forEach(({ indices, offsets }, t) => {
        const weight = this.last[t];
        if (weight === 0) return;
        for (let i = 0, k = 0; i < indices.length; ++i, k += 3) {
          const p = indices[i];
          out[p] += offsets[k] * weight;
          out[p + 1] += offsets[k + 1] * weight;
          out[p + 2] += offsets[k + 2] * weight;
        }
      });
      attribute.needsUpdate = true;
    }
  }
}
