// What three.js makes of the first animation of glTF files: node three_sample.mjs NODE_MODULES FILE...
// A line of JSON for each: at four times the matrices of its bones, and the weights of its meshes.
import { readFileSync } from "node:fs";

const [root, ...files] = process.argv.slice(2);
// What a browser has and node lacks.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
console.warn = () => {};
const THREE = await import(`${root}/three/build/three.module.js`);
const { GLTFLoader } = await import(`${root}/three/examples/jsm/loaders/GLTFLoader.js`);
const rounded = (values) => [...values].map((v) => Number(v.toFixed(4)) + 0);

for (const file of files) {
  const bytes = readFileSync(file);
  const gltf = await new GLTFLoader().parseAsync(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "");
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  const times = [0, 0.25, 0.5, 0.9].map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const parts = [];
    gltf.scene.traverse((one) => {
      if (one.isBone) parts.push([one.name, rounded(one.matrixWorld.elements)]);
      if (one.isMesh) parts.push(["weights", rounded(one.morphTargetInfluences || [])]);
    });
    return parts.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  });
  console.log(JSON.stringify(times));
}
