// Refuses files that would hang the page or fail anew with each picture, and says what is wrong.

// What a file may say that it cannot be read without, and the page cannot read; and what helps.
const UNREAD = new Map([
  // Its decoder makes code out of texts, which the page's own security rules forbid.
  ["KHR_texture_basisu", "its pictures are KTX2; write them as PNG, JPEG or WebP"],
  ["KHR_meshopt_compression", "write it with EXT_meshopt_compression or without compression"],
]);
// Numbers of all accessors together; a finely made person has a tenth of it.
const MOST_NUMBERS = 128 << 20;
const SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };

const isCount = (value) => Number.isInteger(value) && value >= 0;

function checkAccessors(accessors) {
  let numbers = 0;
  accessors.forEach(({ count, type }, i) => {
    if (!isCount(count)) throw new Error(`accessors[${i}].count is ${count}; must be a whole number`);
    numbers += count * (SIZES[type] || 1);
  });
  if (numbers > MOST_NUMBERS) {
    throw new Error(`the accessors have ${numbers} numbers; at most ${MOST_NUMBERS} are shown`);
  }
}

// Meshopt's buffers tell their size unpacked.
function checkBuffers(views) {
  let bytes = 0;
  views.forEach(({ extensions = {} }, i) => {
    const packed = extensions.EXT_meshopt_compression;
    if (!packed) return;
    if (!isCount(packed.count) || !isCount(packed.byteStride)) {
      throw new Error(`bufferViews[${i}] unpacks to ${packed.count} times ${packed.byteStride} bytes; ` +
        "must be whole numbers");
    }
    bytes += packed.count * packed.byteStride;
  });
  if (bytes > 4 * MOST_NUMBERS) {
    throw new Error(`the buffers unpack to ${bytes} bytes; at most ${4 * MOST_NUMBERS} are shown`);
  }
}

// glTF's nodes are trees: nothing is its own forebear or has two parents.
function checkNodes(nodes) {
  const parents = new Map();
  nodes.forEach(({ children = [] }, i) => {
    for (const child of children) {
      if (!isCount(child) || child >= nodes.length) {
        throw new Error(`nodes[${i}] has the child ${child}; there are ${nodes.length} nodes`);
      }
      if (parents.has(child)) {
        throw new Error(`nodes[${child}] has the parents ${parents.get(child)} and ${i}; must have one`);
      }
      parents.set(child, i);
    }
  });
  const reached = nodes.map((_, i) => i).filter((i) => !parents.has(i));
  for (let k = 0; k < reached.length; ++k) reached.push(...(nodes[reached[k]].children || []));
  if (reached.length < nodes.length) throw new Error("a node is below itself; nodes must be trees");
}

// `json` is the glTF document before anything is made of it.
export function checkJson(json) {
  for (const name of json.extensionsRequired || []) {
    if (UNREAD.has(name)) throw new Error(`the file needs ${name}, which the page does not have: ${UNREAD.get(name)}`);
  }
  checkBuffers(json.bufferViews || []);
  checkAccessors(json.accessors || []);
  checkNodes(json.nodes || []);
}

// `mesh` is an object of the scene that was made of it.
export function checkMesh(mesh) {
  const { position, skinIndex, skinWeight, joints_1: joints, weights_1: weights } = mesh.geometry.attributes;
  if (!position) throw new Error(`the mesh "${mesh.name}" has no POSITION`);
  if (!mesh.isSkinnedMesh) return;
  if (!skinIndex || !skinWeight) {
    throw new Error(`the mesh "${mesh.name}" has a skin, but no JOINTS_0 or no WEIGHTS_0`);
  }
  const { length } = mesh.skeleton.bones;
  for (let i = 0; i < skinIndex.count; ++i) {
    for (let k = 0; k < 8; ++k) {
      const [all, shares] = k < 4 ? [skinIndex, skinWeight] : [joints, weights];
      if (!all || !shares) break;
      const bone = all.getComponent(i, k % 4);
      if (bone < length) continue;
      // Nothing moves by it, but it is looked up all the same.
      if (shares.getComponent(i, k % 4) === 0) all.setComponent(i, k % 4, 0);
      else throw new Error(`point ${i} of the mesh "${mesh.name}" has joint ${bone} of ${length}`);
    }
  }
}
