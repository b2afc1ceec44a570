// Smooth edges where there is no GPU to take several samples of each pixel: every other picture is
// drawn half a pixel aside, and what is shown is the mean of the last two. That takes a fifth of the
// time of a second sample. While something moves fast, each picture is shown as it is.
import * as THREE from "three";

const VERTEX = `
  varying vec2 spot;
  void main() {
    spot = position.xy * 0.5 + 0.5;
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }
`;
const FRAGMENT = `
  uniform sampler2D now, before;
  varying vec2 spot;
  void main() { gl_FragColor = 0.5 * (texture2D(now, spot) + texture2D(before, spot)); }
`;
const ASIDE_PX = 0.25;

function pictureOf(width, height) {
  const picture = new THREE.WebGLRenderTarget(width, height, { minFilter: THREE.NearestFilter,
    magFilter: THREE.NearestFilter, stencilBuffer: false, generateMipmaps: false });
  // Has three draw into it as on the screen, in the screen's colours.
  picture.isXRRenderTarget = true;
  picture.texture.colorSpace = THREE.SRGBColorSpace;
  picture.texture.internalFormat = "RGBA8";
  return picture;
}

export class Edges {
  constructor() {
    this.uniforms = { now: { value: null }, before: { value: null } };
    this.pictures = [];  // this one and the one before, in turn
    this.turn = 0;
    this.kept = false;   // there is one before
    const triangle = new THREE.BufferGeometry().setAttribute("position",
      new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    this.mesh = new THREE.Mesh(triangle, new THREE.ShaderMaterial({ vertexShader: VERTEX,
      fragmentShader: FRAGMENT, uniforms: this.uniforms, depthTest: false, depthWrite: false,
      blending: THREE.NoBlending }));
    this.mesh.frustumCulled = false;
    this.camera = new THREE.Camera();
  }

  resize(width, height) {
    for (const picture of this.pictures) picture.dispose();
    this.pictures = [0, 1].map(() => pictureOf(width, height));
    this.kept = false;
  }

  // Draws the scene; `fast`: something in it moves fast. True when the next picture of the same scene
  // would look smoother.
  draw(renderer, scene, camera, fast) {
    if (fast) {
      renderer.render(scene, camera);
      this.kept = false;
      return true;
    }
    const { width, height } = renderer.domElement;
    this.turn = 1 - this.turn;
    const aside = this.turn ? ASIDE_PX : -ASIDE_PX;
    camera.setViewOffset(width, height, aside, aside, width, height);
    renderer.setRenderTarget(this.pictures[this.turn]);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    camera.clearViewOffset();
    const { kept } = this;
    this.uniforms.now.value = this.pictures[this.turn].texture;
    this.uniforms.before.value = this.pictures[kept ? 1 - this.turn : this.turn].texture;
    renderer.render(this.mesh, this.camera);
    this.kept = true;
    return !kept;
  }
}
