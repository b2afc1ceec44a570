// Blends the shapes of a mesh and skins it on the processor: where pictures are drawn by the
// processor too, this costs a tenth of what the same costs as a shader, which fetches every bone
// and looks at every shape for every point.
import * as THREE from "three";
import { MORE, hasMore, influencesAt } from "./influences.js";

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

function floats(attribute, matrix, isNormal) {
  const out = new Float32Array(attribute.count * 3), v = new THREE.Vector3();
  for (let i = 0; i < attribute.count; ++i) {
    v.fromBufferAttribute(attribute, i);
    if (isNormal) v.transformDirection(matrix);
    else v.applyMatrix4(matrix);
    v.toArray(out, i * 3);
  }
  return out;
}

// The joints of each point, heaviest first, with weights that sum to 1; a count for each point.
function influencesOf(attributes) {
  const points = attributes.skinIndex.count, width = hasMore({ attributes }) ? 8 : 4;
  const joints = new Uint16Array(points * width), weights = new Float32Array(points * width);
  const counts = new Uint8Array(points);
  for (let i = 0; i < points; ++i) {
    const pairs = influencesAt(attributes, i).filter(([, w]) => w > 0.002).sort((a, b) => b[1] - a[1]);
    const sum = pairs.reduce((s, [, w]) => s + w, 0) || 1;
    counts[i] = pairs.length;
    pairs.forEach(([joint, w], k) => {
      joints[i * width + k] = joint;
      weights[i * width + k] = w / sum;
    });
  }
  return { joints, weights, counts, width };
}

// What the processor changes for each body; the rest of a geometry is that of all avatars of a file.
const OWN = ["position", "normal"];
const SKIN = ["skinIndex", "skinWeight", ...MORE];

// By geometry, what all bodies of it start from.
const forms = new WeakMap();

function formOf(mesh) {
  const { geometry } = mesh;
  const bind = mesh.isSkinnedMesh ? mesh.bindMatrix : new THREE.Matrix4();
  const known = forms.get(geometry);
  if (known && known.bind.equals(bind)) return known;
  const { attributes, morphAttributes } = geometry;
  const form = { bind: bind.clone(), skin: mesh.isSkinnedMesh ? influencesOf(attributes) : null,
    tracks: OWN.filter((name) => attributes[name]).map((name) => ({ name,
      base: floats(attributes[name], bind, name === "normal"), targets: sparse(morphAttributes[name] || []) })) };
  forms.set(geometry, form);
  return form;
}

const inverse = new THREE.Matrix4(), matrix = new THREE.Matrix4();

// The points of a mesh with shapes or a skin, in the pose of the moment. With a skin they are in the
// space of `root`, which is above the mesh and its bones, else in the mesh's own.
export class PosedPoints {
  constructor(mesh, root) {
    this.root = root;
    this.source = mesh;
    this.offsets = null;   // {values, turns} as of Offsets, once a film's character is shown
    this.stirred = false;  // they are others than before
    this.influences = mesh.morphTargetInfluences || [];
    this.last = new Float32Array(this.influences.length);
    const form = formOf(mesh);
    this.tracks = form.tracks.map(({ name, base, targets }) => ({ name, base, shaped: base.slice(), targets,
      attribute: new THREE.BufferAttribute(base.slice(), 3).setUsage(THREE.DynamicDrawUsage) }));
    this.shapedTracks = this.tracks.length;
    this.skin = form.skin;
    if (!mesh.isSkinnedMesh) return;
    this.skeleton = mesh.skeleton;
    this.used = [...new Set(this.skin.joints)];
    this.matrices = new Float32Array(mesh.skeleton.bones.length * 12);
  }

  // The positions that `move` has worked out last.
  get positions() { return this.tracks[0].attribute.array; }

  // World matrices are those of this moment. Works out only the first tracks: positions, or normals
  // too. True when they may be others than before.
  move(tracks = this.tracks.length) {
    const shaped = this.shape(tracks);
    if (this.skin) this.pose(tracks);
    return shaped || Boolean(this.skin);
  }

  shape(tracks) {
    if (!this.stirred && tracks <= this.shapedTracks && this.influences.every((v, i) => v === this.last[i])) {
      return false;
    }
    this.stirred = false;
    this.shapedTracks = tracks;
    this.last.set(this.influences);
    for (const track of this.tracks.slice(0, tracks)) {
      const out = this.skin ? track.shaped : track.attribute.array;
      out.set(track.base);
      track.targets.forEach(({ indices, offsets }, t) => {
        const weight = this.last[t];
        if (weight === 0) return;
        for (let i = 0, k = 0; i < indices.length; ++i, k += 3) {
          const p = indices[i];
          out[p] += offsets[k] * weight;
          out[p + 1] += offsets[k + 1] * weight;
          out[p + 2] += offsets[k + 2] * weight;
        }
      });
      if (this.offsets) this.addOffsets(track, out);
    }
    return true;
  }

  // As the shader of ModelOffsets does.
  addOffsets({ name }, out) {
    const { values, turns } = this.offsets;
    const added = name === "position" ? values : turns;
    for (let i = 0; i < out.length; ++i) out[i] += added[i];
  }

  pose(tracks) {
    const { matrices: m, skeleton: { bones, boneInverses } } = this;
    inverse.copy(this.root.matrixWorld).invert();
    for (const b of this.used) {
      matrix.multiplyMatrices(inverse, bones[b].matrixWorld).multiply(boneInverses[b]);
      const e = matrix.elements, o = b * 12;
      for (let row = 0; row < 3; ++row) {
        for (let column = 0; column < 4; ++column) m[o + row * 4 + column] = e[column * 4 + row];
      }
    }
    this.skinPoints(tracks);
  }

  skinPoints(tracks) {
    const { matrices: m, skin: { joints, weights, counts, width } } = this;
    const [position, normal] = this.tracks.slice(0, tracks);
    const p = position.shaped, out = position.attribute.array;
    const n = normal ? normal.shaped : p, turned = normal ? normal.attribute.array : null;
    for (let i = 0, v = 0, k = 0; i < counts.length; ++i, v += 3, k += width) {
      let o = joints[k] * 12;
      let a = m[o], b = m[o + 1], c = m[o + 2], d = m[o + 3];
      let e = m[o + 4], f = m[o + 5], g = m[o + 6], h = m[o + 7];
      let q = m[o + 8], r = m[o + 9], s = m[o + 10], t = m[o + 11];
      if (counts[i] > 1) {
        let w = weights[k];
        a *= w; b *= w; c *= w; d *= w; e *= w; f *= w; g *= w; h *= w; q *= w; r *= w; s *= w; t *= w;
        for (let x = 1; x < counts[i]; ++x) {
          o = joints[k + x] * 12;
          w = weights[k + x];
          a += m[o] * w; b += m[o + 1] * w; c += m[o + 2] * w; d += m[o + 3] * w;
          e += m[o + 4] * w; f += m[o + 5] * w; g += m[o + 6] * w; h += m[o + 7] * w;
          q += m[o + 8] * w; r += m[o + 9] * w; s += m[o + 10] * w; t += m[o + 11] * w;
        }
      }
      const x = p[v], y = p[v + 1], z = p[v + 2];
      out[v] = a * x + b * y + c * z + d;
      out[v + 1] = e * x + f * y + g * z + h;
      out[v + 2] = q * x + r * y + s * z + t;
      if (turned === null) continue;
      const nx = n[v], ny = n[v + 1], nz = n[v + 2];
      turned[v] = a * nx + b * ny + c * nz;
      turned[v + 1] = e * nx + f * ny + g * nz;
      turned[v + 2] = q * nx + r * ny + s * nz;
    }
  }
}

export class SoftBody extends PosedPoints {
  // Takes the place of a mesh with shapes or a skin.
  constructor(mesh, root, light) {
    super(mesh, root);
    const geometry = new THREE.BufferGeometry();
    geometry.setIndex(mesh.geometry.index);
    for (const { start, count, materialIndex } of mesh.geometry.groups) geometry.addGroup(start, count, materialIndex);
    for (const [name, attribute] of Object.entries(mesh.geometry.attributes)) {
      if (!OWN.includes(name) && !SKIN.includes(name)) geometry.setAttribute(name, attribute);
    }
    for (const { name, attribute } of this.tracks) geometry.setAttribute(name, attribute);
    this.mesh = new THREE.Mesh(geometry, Array.isArray(mesh.material)
      ? mesh.material.map((material) => light.of(material, geometry)) : light.of(mesh.material, geometry));
    this.mesh.name = mesh.name;
    this.mesh.frustumCulled = false;
    if (mesh.isSkinnedMesh) {
      root.add(this.mesh);
    } else {
      this.mesh.matrix.copy(mesh.matrix);
      this.mesh.matrix.decompose(this.mesh.position, this.mesh.quaternion, this.mesh.scale);
      mesh.parent.add(this.mesh);
    }
    mesh.removeFromParent();
  }

  // Frees what is its own.
  dispose() {
    const { geometry } = this.mesh;
    this.mesh.removeFromParent();
    geometry.setIndex(null);
    for (const name of Object.keys(geometry.attributes)) if (!OWN.includes(name)) geometry.deleteAttribute(name);
    geometry.dispose();
  }

  // World matrices are those of this moment. Nothing is done for a mesh that is not seen.
  update() {
    if (!this.mesh.visible || !this.move()) return;
    for (const { attribute } of this.tracks) attribute.needsUpdate = true;
  }
}
