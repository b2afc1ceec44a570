// Reorders triangles so that a drawer that remembers its last points works them out less often:
// the method of Sander, Nehab and Barczak, "Fast Triangle Reordering for Vertex Locality and
// Reduced Overdraw" (2007).

const CACHE = 16;

// `index` of triangles over `points` points; gives another order of the same triangles.
export function tipsify(index, points) {
  const triangles = index.length / 3;
  const live = new Int32Array(points), starts = new Int32Array(points + 1);
  for (const v of index) live[v]++;
  for (let v = 0; v < points; ++v) starts[v + 1] = starts[v] + live[v];
  const around = new Int32Array(index.length), fill = starts.slice(0, points);
  for (let i = 0; i < index.length; ++i) around[fill[index[i]]++] = (i / 3) | 0;
  const stamp = new Int32Array(points), emitted = new Uint8Array(triangles);
  const out = new index.constructor(index.length);
  const dead = [];
  let time = CACHE + 1, cursor = 0, at = 0, fan = 0;
  const next = (ring) => {
    let best = -1, most = -1;
    for (const v of ring) {
      if (live[v] === 0) continue;
      const age = time - stamp[v];
      const rank = age + 2 * live[v] <= CACHE ? age : 0;
      if (rank > most) [best, most] = [v, rank];
    }
    while (best < 0 && dead.length) {
      const v = dead.pop();
      if (live[v] > 0) best = v;
    }
    while (best < 0 && cursor < points) {
      if (live[cursor] > 0) best = cursor;
      cursor++;
    }
    return best;
  };
  while (fan >= 0) {
    const ring = [];
    for (let k = starts[fan]; k < starts[fan + 1]; ++k) {
      const t = around[k];
      if (emitted[t]) continue;
      emitted[t] = 1;
      for (let c = 0; c < 3; ++c) {
        const v = index[t * 3 + c];
        out[at++] = v;
        dead.push(v);
        ring.push(v);
        live[v]--;
        if (time - stamp[v] > CACHE) stamp[v] = time++;
      }
    }
    fan = next(ring);
  }
  return out;
}
