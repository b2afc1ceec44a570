// Light for pages that draw without a GPU: worked out at the points of a mesh, in the colours of
// the screen, so that a pixel costs no more than a blend of three colours, and one look into its
// picture: in the screen's colours, whose curve is nearly a power, light times picture is one product.
// Only what glistens (eyes, teeth) is lit at every pixel. The lights are those of lights.js.
import * as THREE from "three";
import { LIGHT, SHADE, WRAP, filmAs, isSkin } from "./lights.js";

const GLISTENS = 0.3;       // below this roughness
const SHARPEST = 500;       // exponent of a highlight
const MIDDLE = 0.4, SKIN_MIDDLE = 0.65;  // of pictures: linear

const vec3 = (values) => `vec3(${values.map((v) => v.toFixed(4)).join(", ")})`;
const way = (values) => vec3(new THREE.Vector3(...values).normalize().toArray());

const COMMON = `
  uniform vec3 base, far;
  uniform float sharp, shine;
  const vec3 keyWay = ${way(LIGHT.keyWay)}, fillWay = ${way(LIGHT.fillWay)}, rimWay = ${way(LIGHT.rimWay)};
  const vec3 skyLight = ${vec3(LIGHT.sky)};
  ${filmAs("onFilm")}
  // Light that leaves a point towards the eye: soft light from above and below, key, fill, and rim.
  // \`share\` is how much of what is not the surface's own colour is seen.
  vec3 leaving(vec3 albedo, vec3 n, vec3 eye, float share) {
    float facing = dot(n, keyWay);
    vec3 soft = mix(${vec3(LIGHT.floor)}, skyLight, 0.5 + 0.5 * n.y) +
      ${vec3(LIGHT.fill)} * clamp((dot(n, fillWay) + 0.35) / 1.35, 0.0, 1.0);
    #ifdef SKIN
      vec3 key = clamp((facing + ${WRAP}) / (1.0 + ${WRAP}), 0.0, 1.0);
      soft *= ${SHADE};
    #else
      float key = max(facing, 0.0);
    #endif
    float near = max(dot(n, normalize(keyWay + eye)), 0.0);
    #ifdef GLISTENS
      float lobe = pow(near, sharp);
    #else
      float lobe = near / (sharp - sharp * near + near);  // Schlick's
    #endif
    float edge = 1.0 - max(dot(n, eye), 0.0);
    float rim = edge * edge * edge * clamp(dot(n, rimWay) + 0.3, 0.0, 1.0);
    return albedo * (soft + ${vec3(LIGHT.key)} * key + ${vec3(LIGHT.rim)} * (1.2 * rim)) +
      share * (${vec3(LIGHT.key)} * (shine * lobe * max(facing, 0.0)) + ${vec3(LIGHT.rim)} * (0.02 * rim));
  }
  // On the film, then on the screen: square roots for the power of 1/2.2.
  vec3 onScreen(vec3 c) {
    c = onFilm(c);
    vec3 a = sqrt(c), b = sqrt(a), d = sqrt(b);
    return 0.585122381 * a + 0.783140355 * b - 0.368262736 * d;
  }
  vec3 hazed(vec3 c, float distance) { return mix(c, far, smoothstep(4.5, 11.0, distance)); }
`;

const VERTEX = `
  ${COMMON}
  #ifdef COLORED
    attribute vec4 color;
  #else
    const vec4 color = vec4(1.0);
  #endif
  varying vec3 shade;
  #ifdef GLISTENS
    varying vec3 turned, toEye;
  #endif
  #ifdef MAPPED
    #ifdef OTHER_UV
      attribute vec2 OTHER_UV;
      #define ITS_UV OTHER_UV
    #else
      #define ITS_UV uv
    #endif
    uniform mat3 mapTurn;
    varying vec3 spot;  // in the picture, and how much haze lies before it
  #endif
  void main() {
    vec4 place = modelMatrix * vec4(position, 1.0);
    vec3 n = normalize(mat3(modelMatrix) * normal);
    vec3 way = cameraPosition - place.xyz;
    #ifdef BOTH_SIDES
      n = faceforward(n, -way, n);
    #endif
    vec3 albedo = base * color.rgb;
    #ifdef MAPPED
      spot = vec3((mapTurn * vec3(ITS_UV, 1.0)).xy, smoothstep(4.5, 11.0, length(way)));
    #endif
    #ifdef FLAT
      shade = hazed(albedo, length(way));
    #elif defined(GLISTENS)
      shade = albedo;
      turned = n;
      toEye = way;
    #else
      #ifdef MAPPED
        // What a picture of middle brightness becomes in this light, for each part of it.
        #ifdef SKIN
          const float middle = ${SKIN_MIDDLE.toFixed(4)}, seen = ${(SKIN_MIDDLE ** (1 / 2.2)).toFixed(4)};
        #else
          const float middle = ${MIDDLE.toFixed(4)}, seen = ${(MIDDLE ** (1 / 2.2)).toFixed(4)};
        #endif
        shade = onScreen(leaving(albedo * middle, n, normalize(way), middle)) / seen;
      #else
        shade = hazed(onScreen(leaving(albedo, n, normalize(way), 1.0)), length(way));
      #endif
    #endif
    gl_Position = projectionMatrix * viewMatrix * place;
  }
`;

const FRAGMENT = `
  #ifdef GLISTENS
    ${COMMON}
    varying vec3 turned, toEye;
  #elif defined(MAPPED)
    uniform vec3 far;
  #endif
  #ifdef MAPPED
    uniform sampler2D map;
    varying vec3 spot;
  #endif
  uniform float opacity, leastAlpha;
  varying vec3 shade;
  void main() {
    #ifdef MAPPED
      vec4 picture = texture2D(map, spot.xy);
    #else
      vec4 picture = vec4(1.0);
    #endif
    float alpha = picture.a * opacity;
    if (alpha < leastAlpha) discard;
    #ifdef GLISTENS
      vec3 albedo = shade * picture.rgb * picture.rgb;
      vec3 lit = onScreen(leaving(albedo, normalize(turned), normalize(toEye), 1.0));
      gl_FragColor = vec4(hazed(lit, length(toEye)), alpha);
    #elif defined(MAPPED)
      gl_FragColor = vec4(mix(shade * picture.rgb, far, spot.z), alpha);
    #else
      gl_FragColor = vec4(shade, alpha);
    #endif
  }
`;

const screen = (hex) => new THREE.Color().setHex(hex).convertLinearToSRGB();

export class PlainLight {
  constructor() {
    this.uniforms = { far: { value: new THREE.Color() } };
  }

  // `far` is the colour of the distance.
  follow(far) { this.uniforms.far.value.copy(screen(far)); }

  make(base, defines, sharp = 1, shine = 0) {
    return new THREE.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, defines,
      uniforms: { ...this.uniforms, base: { value: base }, sharp: { value: sharp }, shine: { value: shine },
        opacity: { value: 1 }, leastAlpha: { value: 0 } } });
  }

  // What takes the place of a file's material. What has no normals keeps three.js's cheapest light.
  of(material, geometry) {
    const { color, map, roughness = 0.8, side } = material;
    const uv = map && map.channel ? `uv${map.channel}` : "uv";
    if (!color || !geometry.attributes.normal || (map && !geometry.attributes[uv])) {
      const plain = new THREE.MeshLambertMaterial({ map, side, transparent: material.transparent,
        opacity: material.opacity, alphaTest: material.alphaTest, vertexColors: material.vertexColors,
        flatShading: true });
      if (color) plain.color.copy(color);
      plain.name = material.name;
      return plain;
    }
    const defines = {};
    if (geometry.attributes.color) defines.COLORED = "";
    if (roughness < GLISTENS) defines.GLISTENS = "";
    if (side !== THREE.FrontSide) defines.BOTH_SIDES = "";
    if (isSkin(material.name || "")) defines.SKIN = "";
    const sharp = Math.min(SHARPEST, Math.max(1, 2 / Math.max(roughness, 0.02) ** 4 - 2));
    const made = this.make(color.clone(), defines, sharp, (0.04 * (sharp + 8)) / (8 * Math.PI));
    Object.assign(made, { name: material.name, side, transparent: material.transparent,
      depthWrite: material.depthWrite });
    made.uniforms.opacity.value = material.transparent ? material.opacity : 1;
    made.uniforms.leastAlpha.value = material.alphaTest;
    if (!map) return made;
    defines.MAPPED = "";
    if (uv !== "uv") defines.OTHER_UV = uv;
    const picture = map.clone();
    picture.colorSpace = THREE.NoColorSpace;  // stays in the screen's colours
    picture.needsUpdate = true;
    if (picture.matrixAutoUpdate) picture.updateMatrix();
    made.uniforms.map = { value: picture };
    made.uniforms.mapTurn = { value: picture.matrix };
    return made;
  }

  // A colour that no light changes, but for the haze of the distance.
  flat(hex) { return this.make(screen(hex), { FLAT: "" }); }
}
