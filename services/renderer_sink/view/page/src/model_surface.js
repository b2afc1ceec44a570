// Draws a model by its refined surface (surface.js). The processor poses the file's points, which
// the surface follows: with shapes, springs and offsets in them, and by the same rule as films.
import * as THREE from "three";
import { matchMeshes } from "./model_offsets.js";
import { PosedPoints } from "./soft_body.js";
import { fade, meansOf, partOf, readSurface, refine } from "./surface.js";
import { tipsify } from "./tipsify.js";

// Of the file's points alone.
const NOT_FINE = /^(position|normal|tangent|skinIndex|skinWeight|joints_1|weights_1|posewire.*)$/;

export async function loadSurface(url) {
  const reply = await fetch(url);
  if (!reply.ok) throw new Error((await reply.json()).error);
  return { ...readSurface(await reply.arrayBuffer()), shared: new Map() };
}

const FADE_S = 0.25;

const matrix = new THREE.Matrix4(), point = new THREE.Vector3();

export class ModelSurface {
  // `surface` is of loadSurface, for the meshes that the model shows. Throws what does not fit.
  constructor(model, surface) {
    this.surface = surface;
    this.root = model.avatar.root;
    this.share = 0;   // how much of it counts: the file's meshes become it, and back
    this.last_s = 0;
    this.cage = new Float32Array(surface.cage.length * 3);
    this.points = new Float32Array(surface.fine * 3);
    this.sources = [];  // {posed, mesh, from, to}: whose points are which of the cage
    this.parts = [];    // {drawn, mesh, place, meanOf, fades, inReach}: what is drawn in the place of what
    const meshes = matchMeshes(model, surface.meshes.map(({ node, points }) => [node, points]));
    const reached = new Set(model.reach.map(({ mesh }) => mesh));
    let first = 0;
    surface.meshes.forEach((part, m) => {
      const end = first + part.points;
      const to = [];
      surface.cage.forEach((p, i) => { if (p >= first && p < end) to.push(i); });
      if (part.place.length) {
        const posed = this.posedOf(model, meshes[m]);
        this.sources.push(this.sourceOf(meshes[m], posed, to, first));
        this.parts.push(this.partOf(meshes[m], posed, m, reached));
      }
      first = end;
    });
  }

  posedOf(model, mesh) {
    const body = model.softBodies.find((one) => one.source === mesh);
    if (body) return body;
    const posed = new PosedPoints(mesh, this.root);
    if (model.offsets) model.offsets.follow(mesh, posed);
    return posed;
  }

  sourceOf(mesh, posed, to, first) {
    return { posed, mesh: posed.mesh || mesh, to: Uint32Array.from(to, (i) => i * 3),
      from: Uint32Array.from(to, (i) => (this.surface.cage[i] - first) * 3) };
  }

  partOf(mesh, posed, m, reached) {
    const drawn = posed.mesh || mesh;
    const { place, triangles } = this.surface.meshes[m];
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal"]) {
      geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(place.length * 3), 3)
        .setUsage(THREE.DynamicDrawUsage));
    }
    const { index, attributes } = this.sharedOf(mesh, m);
    geometry.setIndex(index);
    for (const [name, attribute] of Object.entries(attributes)) geometry.setAttribute(name, attribute);
    // Every material of a mesh is on all of it: an outline is one more.
    for (const { materialIndex } of mesh.geometry.groups) geometry.addGroup(0, triangles.length, materialIndex);
    const fine = new THREE.Mesh(geometry, drawn.material);
    fine.name = mesh.name;
    fine.frustumCulled = false;
    fine.visible = false;
    fine.castShadow = drawn.castShadow;
    fine.receiveShadow = drawn.receiveShadow;
    fine.renderOrder = drawn.renderOrder;
    this.root.add(fine);
    // Those without a skin are in a space of their own.
    const fades = posed.skin && posed.tracks.length > 1 ? posed : null;
    return { drawn, mesh: fine, place, meanOf: this.surface.meshes[m].meanOf, fades, inReach: reached.has(drawn) };
  }

  // The same for all avatars of the file.
  sharedOf(mesh, m) {
    const { shared, meshes: { [m]: { triangles, meanOf } } } = this.surface;
    if (shared.has(m)) return shared.get(m);
    const index = tipsify(triangles, meanOf.length / 4);
    const made = { index: new THREE.BufferAttribute(index, 1), attributes: {} };
    for (const [name, from] of Object.entries(mesh.geometry.attributes)) {
      if (NOT_FINE.test(name)) continue;
      const means = meansOf(meanOf, from.itemSize, (p, c) => from.getComponent(p, c));
      made.attributes[name] = new THREE.BufferAttribute(means, from.itemSize);
    }
    shared.set(m, made);
    return made;
  }

  // Draws the surface in the place of the file's meshes, or these, as `fine` says, by and by; `now` in
  // seconds is only for that. After the model has found which meshes can be seen.
  show(fine, now) {
    const step = Math.min(0.05, Math.max(0, now - this.last_s)) / FADE_S;
    this.last_s = now;
    this.share = Math.min(1, Math.max(0, this.share + (fine ? step : -step)));
    this.choose(this.share > 0);
    if (this.parts.some(({ mesh }) => mesh.visible)) this.pose();
  }

  // True while the next picture of the same would be another.
  get fades() { return this.share > 0 && this.share < 1; }

  choose(fine) {
    for (const { drawn, mesh, inReach } of this.parts) {
      const seen = inReach ? drawn.visible : !drawn.userData.hidden;
      mesh.visible = seen && fine;
      drawn.visible = seen && !fine;
    }
  }

  // World matrices are those of this moment.
  pose() {
    const { cage, points, fades } = this;
    for (const { posed, mesh, from, to } of this.sources) {
      posed.move(fades ? 2 : 1);
      const p = posed.positions;
      if (posed.skin) {
        for (let i = 0; i < to.length; ++i) {
          const a = to[i], b = from[i];
          cage[a] = p[b];
          cage[a + 1] = p[b + 1];
          cage[a + 2] = p[b + 2];
        }
      } else {
        matrix.copy(this.root.matrixWorld).invert().multiply(mesh.matrixWorld);
        for (let i = 0; i < to.length; ++i) point.fromArray(p, from[i]).applyMatrix4(matrix).toArray(cage, to[i]);
      }
    }
    refine(this.surface, cage, points);
    for (const { mesh, place, meanOf, fades: posed } of this.parts) {
      if (!mesh.visible) continue;
      const { position, normal } = mesh.geometry.attributes;
      partOf(this.surface, place, points, position.array, normal.array);
      if (fades && posed) {
        const [cagePoints, cageNormals] = posed.tracks.map(({ attribute }) => attribute.array);
        fade(meanOf, this.share, cagePoints, cageNormals, position.array, normal.array);
      }
      position.needsUpdate = normal.needsUpdate = true;
    }
  }

  // Frees what is its own, and draws the file's meshes again.
  dispose() {
    this.choose(false);
    for (const { mesh } of this.parts) {
      mesh.removeFromParent();
      const { geometry } = mesh;
      geometry.setIndex(null);
      for (const name of Object.keys(geometry.attributes)) if (!/^(position|normal)$/.test(name)) geometry.deleteAttribute(name);
      geometry.dispose();
    }
  }
}
