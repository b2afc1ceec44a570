// The light on the avatars: the same warm key, cool fill, rim, sky and floor, and the same film, as
// in the pictures of libs/render/shaders.h. Where there is a GPU, three's own materials are lit by them,
// and skin lets the key light wrap round its edge; without one, plain.js works the same light out.
import * as THREE from "three";

// Linear colours, and ways to the lights.
export const LIGHT = {
  sky: [0.272, 0.299, 0.34], floor: [0.17, 0.15, 0.136],
  key: [1.1, 0.98, 0.86], keyWay: [-0.55, 0.75, 0.8],
  fill: [0.19, 0.22, 0.27], fillWay: [0.85, 0.25, 0.55],
  rim: [0.55, 0.6, 0.7], rimWay: [-0.55, 0.5, -0.85],
};
// Of skin: how far each colour of the key light wraps, and how its shade is tinted by skin nearby.
export const WRAP = "vec3(0.35, 0.22, 0.16)", SHADE = "vec3(1.12, 0.98, 0.92)";
const RIM_SHARE = 0.3;  // of the rim, where it falls as any other light does

// A function of that name, after Narkowicz's fit of the ACES curve; linear, to be shown by the
// screen's curve.
export const filmAs = (name) => `vec3 ${name}(vec3 c) {
    c *= 0.80;
    return clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
  }`;

const words = (...list) => (name) => list.some((word) => name.toLowerCase().includes(word));
const isEye = words("eye", "cornea", "iris", "sclera");
const isOther = words("hair", "brow", "teeth", "tooth", "tongue", "mouth");

// By the name of its material, as pictures tell (libs/formats/gltf/materials.cc).
export const isSkin = (name) => words("skin", "face", "head")(name) && !isEye(name) && !isOther(name);

function change(chunk, from, to) {
  const before = THREE.ShaderChunk[chunk];
  if (!before.includes(from)) throw new Error(`three's ${chunk} has no "${from}"`);
  THREE.ShaderChunk[chunk] = before.replace(from, to);
}

let changed = false;

// Has three's materials know the film, and those that define SKIN the light on skin.
function changeChunks() {
  if (changed) return;
  changed = true;
  change("tonemapping_pars_fragment", "vec3 CustomToneMapping( vec3 color ) { return color; }",
    filmAs("CustomToneMapping"));
  change("lights_physical_pars_fragment", "vec3 irradiance = dotNL * directLight.color;", `
    #ifdef SKIN
      vec3 wrapped = (dot(geometryNormal, directLight.direction) + ${WRAP}) / (1.0 + ${WRAP});
      vec3 irradiance = clamp(wrapped, 0.0, 1.0) * directLight.color;
    #else
      vec3 irradiance = dotNL * directLight.color;
    #endif`);
  change("lights_physical_pars_fragment",
    "reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );", `
    #ifdef SKIN
      reflectedLight.indirectDiffuse += ${SHADE} * irradiance * BRDF_Lambert( material.diffuseColor );
    #else
      reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
    #endif`);
}

// What is cut out of a picture keeps smooth edges, where edges are smoothed at all; skin is lit as skin.
export function prepareMaterial(material) {
  if (material.alphaTest > 0) material.alphaToCoverage = true;
  if (material.isMeshStandardMaterial && isSkin(material.name || "")) {
    material.defines = { ...material.defines, SKIN: "" };
  }
}

const color = (rgb) => new THREE.Color().setRGB(...rgb);

function lamp(rgb, way, share = 1) {
  const light = new THREE.DirectionalLight(color(rgb), Math.PI * share);
  light.position.fromArray(way).multiplyScalar(4);
  return light;
}

// Lights a scene for three's own materials. `follow` has the key's shadow lie where the avatars stand.
export class Lamps {
  constructor(renderer, scene) {
    changeChunks();
    renderer.toneMapping = THREE.CustomToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    this.key = lamp(LIGHT.key, LIGHT.keyWay);
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.radius = 5;
    scene.add(this.key, this.key.target, lamp(LIGHT.fill, LIGHT.fillWay),
      lamp(LIGHT.rim, LIGHT.rimWay, RIM_SHARE),
      new THREE.HemisphereLight(color(LIGHT.sky), color(LIGHT.floor), Math.PI));
  }

  // So far around `at` shade is thrown, in metres: the closer, the finer.
  follow(at, half) {
    const { position, target, shadow } = this.key;
    target.position.copy(at);
    position.fromArray(LIGHT.keyWay).multiplyScalar(4).add(at);
    const { camera } = shadow;
    if (camera.right !== half) {
      camera.left = camera.bottom = -half;
      camera.right = camera.top = half;
      camera.near = 0.1;
      camera.far = 9;
      camera.updateProjectionMatrix();
      shadow.normalBias = 0.004 + 0.004 * half;
      shadow.bias = -0.0004;
    }
  }
}
