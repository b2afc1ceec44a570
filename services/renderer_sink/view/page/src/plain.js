// Light for pages that draw without a GPU: worked out at the points of a mesh, in the colours of
// the screen, so that a pixel costs no more than a blend of three colours, and one look into its
// picture: in the screen's colours, whose curve is nearly a power, light times picture is one product.
// Only what glistens (eyes, teeth) is lit at every pixel. The lights are the stage's own.
import * as THREE from "three";

const GLISTENS = 0.3;       // below this roughness
const SHARPEST = 500;       // exponent of a highlight

const COMMON = `
  uniform vec3 base, sky, earth, sun, rim, sunWay, rimWay, far;
  uniform float sharp, shine;
  const float PI = 3.14159265;
  // Light that leaves a point towards the eye: soft light from above and below, sun, and rim.
  vec3 leaving(vec3 albedo, vec3 n, vec3 eye) {
    float facing = dot(n, sunWay);
    vec3 soft = mix(earth, sky, 0.5 + 0.5 * n.y) + sun * max(facing, 0.0) + rim * max(dot(n, rimWay), 0.0);
    float near = max(dot(n, normalize(sunWay + eye)), 0.0);
    float edge = 1.0 - max(dot(n, eye), 0.0);
    #ifdef GLISTENS
      float lobe = pow(near, sharp);
    #else
      float lobe = near / (sharp - sharp * near + near);  // Schlick's
    #endif
    vec3 gleam = sun * (shine * lobe * max(facing, 0.0)) + sky * (0.05 * edge * edge * edge * edge);
    return (albedo * soft + gleam) / PI;
  }
  // Khronos' neutral tone mapping, then the screen's curve.
  vec3 onScreen(vec3 c) {
    float low = min(c.r, min(c.g, c.b));
    c -= low < 0.08 ? low - 6.25 * low * low : 0.04;
    float peak = max(c.r, max(c.g, c.b));
    if (peak > 0.76) {
      float now = 1.0 - 0.0576 / (peak - 0.52);
      c = mix(vec3(now), c * (now / peak), 1.0 / (0.15 * (peak - now) + 1.0));
    }
    // Square roots for the power of 1/2.4.
    vec3 a = sqrt(max(c, vec3(0.0))), b = sqrt(a), d = sqrt(b);
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
      shade = onScreen(leaving(albedo, n, normalize(way)));
      #ifndef MAPPED
        shade = hazed(shade, length(way));
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
      if (picture.a * opacity < leastAlpha) discard;
    #else
      vec4 picture = vec4(1.0);
    #endif
    float alpha = picture.a * opacity;
    #ifdef GLISTENS
      vec3 albedo = shade * picture.rgb * picture.rgb;
      vec3 lit = onScreen(leaving(albedo, normalize(turned), normalize(toEye)));
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
    this.uniforms = {
      sky: { value: new THREE.Color() }, earth: { value: new THREE.Color() },
      sun: { value: new THREE.Color() }, rim: { value: new THREE.Color() },
      sunWay: { value: new THREE.Vector3() }, rimWay: { value: new THREE.Vector3() },
      far: { value: new THREE.Color() },
    };
  }

  // Takes over three.js's lights; `far` is the colour of the distance.
  follow(hemisphere, sun, rim, far) {
    const { uniforms } = this;
    uniforms.sky.value.copy(hemisphere.color).multiplyScalar(hemisphere.intensity);
    uniforms.earth.value.copy(hemisphere.groundColor).multiplyScalar(hemisphere.intensity);
    uniforms.sun.value.copy(sun.color).multiplyScalar(sun.intensity);
    uniforms.rim.value.copy(rim.color).multiplyScalar(rim.intensity);
    uniforms.sunWay.value.copy(sun.position).normalize();
    uniforms.rimWay.value.copy(rim.position).normalize();
    uniforms.far.value.copy(screen(far));
  }

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
    const sharp = Math.min(SHARPEST, Math.max(1, 2 / Math.max(roughness, 0.02) ** 4 - 2));
    const made = this.make(color.clone(), defines, sharp, (0.04 * (sharp + 8)) / 8);
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
