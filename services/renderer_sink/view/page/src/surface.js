// The refined surface of a character: the rule by which the server has it refined, as docs/view.md
// says, and its application to points that are posed.

const NONE = 0xffffffff;

// Throws for a file that is cut short.
export function readSurface(buffer) {
  const bytes = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, bytes)));
  const { cage, fine, weights } = head;
  let at = 4 + bytes;
  const take = (Kind, length) => {
    const array = new Kind(buffer, at, length);
    at += array.byteLength;
    return array;
  };
  const surface = { leftOut: head.left_out, cage: take(Uint32Array, cage), fine,
    begins: take(Uint32Array, fine ? fine + 1 : 0), sources: take(Int32Array, weights),
    weights: take(Float32Array, weights), neighbours: take(Int32Array, fine * 4) };
  surface.meshes = head.meshes.map(([node, points, own, corners]) => ({ node, points,
    place: take(Uint32Array, own), triangles: take(Uint32Array, corners), meanOf: take(Uint32Array, own * 4) }));
  if (at !== buffer.byteLength) throw new Error(`the surface has ${buffer.byteLength} bytes, and needs ${at}`);
  return surface;
}

// `cage` and `out` are x, y, z of each point.
export function refine({ begins, sources, weights }, cage, out) {
  for (let i = 0, o = 0, k = begins[0]; o < out.length; ++i, o += 3) {
    let x = 0, y = 0, z = 0;
    for (const end = begins[i + 1]; k < end; ++k) {
      const w = weights[k], p = sources[k] * 3;
      x += w * cage[p];
      y += w * cage[p + 1];
      z += w * cage[p + 2];
    }
    out[o] = x;
    out[o + 1] = y;
    out[o + 2] = z;
  }
}

// Points and normals of one mesh, out of those of the whole surface. A normal is the product of the
// differences of two and two neighbours.
export function partOf({ neighbours }, place, points, outPoints, outNormals) {
  for (let i = 0, o = 0; i < place.length; ++i, o += 3) {
    const p = place[i] * 3, n = place[i] * 4;
    outPoints[o] = points[p];
    outPoints[o + 1] = points[p + 1];
    outPoints[o + 2] = points[p + 2];
    const a = neighbours[n] * 3, b = neighbours[n + 1] * 3, c = neighbours[n + 2] * 3, d = neighbours[n + 3] * 3;
    const ux = points[a] - points[c], uy = points[a + 1] - points[c + 1], uz = points[a + 2] - points[c + 2];
    const vx = points[b] - points[d], vy = points[b + 1] - points[d + 1], vz = points[b + 2] - points[d + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const length = Math.sqrt(x * x + y * y + z * z), unit = length > 0 ? 1 / length : 0;
    outNormals[o] = x * unit;
    outNormals[o + 1] = y * unit;
    outNormals[o + 2] = z * unit;
  }
}

// Brings points and normals of a mesh nearer to those of the file's mesh, at the same places of it:
// `share` of them stays as it is.
export function fade(meanOf, share, points, normals, outPoints, outNormals) {
  for (let i = 0, o = 0; o < outPoints.length; i += 4, o += 3) {
    let x = 0, y = 0, z = 0, nx = 0, ny = 0, nz = 0, n = 0;
    for (; n < 4 && meanOf[i + n] !== NONE; ++n) {
      const p = meanOf[i + n] * 3;
      x += points[p];
      y += points[p + 1];
      z += points[p + 2];
      nx += normals[p];
      ny += normals[p + 1];
      nz += normals[p + 2];
    }
    const rest = (1 - share) / n;
    outPoints[o] = outPoints[o] * share + x * rest;
    outPoints[o + 1] = outPoints[o + 1] * share + y * rest;
    outPoints[o + 2] = outPoints[o + 2] * share + z * rest;
    outNormals[o] = outNormals[o] * share + nx * rest;
    outNormals[o + 1] = outNormals[o + 1] * share + ny * rest;
    outNormals[o + 2] = outNormals[o + 2] * share + nz * rest;
  }
}

// What a mesh has at each point (coordinates, colours), at the fine points: `size` numbers each.
export function meansOf(meanOf, size, get) {
  const out = new Float32Array((meanOf.length / 4) * size);
  for (let i = 0, o = 0; i < meanOf.length; i += 4) {
    for (let c = 0; c < size; ++c, ++o) {
      let n = 0;
      for (; n < 4 && meanOf[i + n] !== NONE; ++n) out[o] += get(meanOf[i + n], c);
      out[o] /= n;
    }
  }
  return out;
}
