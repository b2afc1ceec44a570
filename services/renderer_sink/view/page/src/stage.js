// The room that avatars stand in: light, ground, and the camera with its presets.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { PlainLight } from "./plain.js";
import { Things } from "./things.js";

export const SHOT = "shot";
const SPACING_M = 1.1;
const FOV_DEG = 26;
// Of the pictures that focal lengths are given for, 36 mm wide.
const PICTURE_MM = 24;
// The picture grows coarser when fewer are drawn a second than the first, and finer again after
// some time of the second; each time that this was too early the next try waits twice as long.
const POOR_FPS = 24;
const GOOD_FPS = 28.5;
const SLOW_S = 1.5;
const TRY_S = 10;
const LONGEST_TRY_S = 300;
const LEAST_RATIO = 0.5;
const RATIO_STEP = 0.85;
// What the tools cover above and below.
const TOP_PX = 58;
const BOTTOM_PX = 60;
const LOOKS = {
  dark: { background: 0x20262f, far: 0x20262f, ground: 0x272e38, grid: 0x39424f, sky: 0xcfd8e6,
    earth: 0x8a7d72, sun: 1.75, fill: 1.5 },
  light: { background: 0xeceae5, far: 0xeceae5, ground: 0xe2dfd8, grid: 0xcfcbc2, sky: 0xffffff,
    earth: 0xcfc4b6, sun: 1.7, fill: 1.75 },
};
// What is seen, as so many heights of the head, and how far above the middle of the face its middle
// lies, in the same; or as so many heights of the body.
// A press that moves no farther than this is a click.
const STILL_PX = 3;
const PRESETS = {
  face: { heads: 1.43, above: 0.086, turn: 0.0 },
  bust: { heads: 2.57, above: -0.36, turn: 0.12 },
  body: { bodies: 1.08, turn: 0.0 },
};
const HEIGHT_M = 1.7;  // where there is nobody yet
// The camera goes along with an avatar that has left its place by more than this, of its distance.
const FREE = 0.06;

// A soft round shadow, drawn once.
function shadowTexture() {
  const size = 128;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const paint = canvas.getContext("2d");
  const fade = paint.createRadialGradient(size / 2, size / 2, 4, size / 2, size / 2, size / 2);
  fade.addColorStop(0, "rgba(0,0,0,0.62)");
  fade.addColorStop(0.45, "rgba(0,0,0,0.28)");
  fade.addColorStop(1, "rgba(0,0,0,0)");
  paint.fillStyle = fade;
  paint.fillRect(0, 0, size, size);
  return new THREE.CanvasTexture(canvas);
}

// True where the browser draws without a GPU.
function drawsInSoftware() {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return false;
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
  // `settings` as settingsOf gives them.
  constructor(canvas, { stage: bare = false, background = null } = {}) {
    this.canvas = canvas;
    this.bare = bare;
    this.backdrop = background;
    this.picture = null;  // behind all, once it is there
    this.software = drawsInSoftware();
    // One that can be seen through, which three.js would ask for, costs a blend of every pixel.
    const context = canvas.getContext("webgl2", { alpha: background === "none",
      antialias: !this.software, powerPreference: "low-power", stencil: false });
    this.renderer = new THREE.WebGLRenderer({ canvas, context: context || undefined,
      alpha: background === "none" });
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(FOV_DEG, 1, 0.05, 60);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = true;
    this.orbit.dampingFactor = 0.12;
    this.orbit.minDistance = 0.25;
    this.orbit.maxDistance = 12;
    this.orbit.maxPolarAngle = Math.PI * 0.53;
    this.orbit.enabled = !bare;
    this.onMoved = () => {};  // a person has turned the camera
    this.watchHands();
    this.flight = null;
    this.preset = "body";
    this.shown = [];
    this.along = new THREE.Vector3();  // how far the camera has gone with the avatar
    this.way = new THREE.Vector3();
    this.sight = new THREE.Frustum();
    this.inSight = new THREE.Matrix4();
    this.drawnFrom = new THREE.Matrix4();
    this.fullRatio = this.software ? 1 : Math.min(2, devicePixelRatio || 1);
    this.ratio = this.fullRatio;
    this.cost_ms = 0;
    this.slow_s = this.good_s = 0;
    this.try_s = TRY_S;
    this.stale = true;  // something but the camera has changed since the last picture

    this.sky = new THREE.HemisphereLight(0xffffff, 0x444444, 1);
    this.sun = new THREE.DirectionalLight(0xfff1e0, 2);
    this.sun.position.set(1.1, 2.1, 2.8);
    this.rim = new THREE.DirectionalLight(0xbcd4ff, 0.9);
    this.rim.position.set(-2, 2.2, -2.4);
    this.plain = this.software ? new PlainLight() : null;
    this.things = new Things(this);
    this.ground = this.plain ? new THREE.Mesh(new THREE.RingGeometry(0, 14, 32, 10), this.plain.flat(0))
      : new THREE.Mesh(new THREE.CircleGeometry(14, 64), new THREE.MeshBasicMaterial({ toneMapped: false }));
    this.ground.renderOrder = 1;  // most of it may be hidden by then
    this.ground.rotation.x = -Math.PI / 2;
    this.ground.position.y = -0.002;
    this.scene.add(this.sky, this.sun, this.rim, this.ground);
    this.shadow = { map: shadowTexture(), geometry: new THREE.PlaneGeometry(1, 1) };
    this.setLook("dark");
    this.resize();
  }

  // A drag, a pinch or the wheel takes the camera from its preset; a click does not.
  watchHands() {
    let from = null;
    const leave = () => {
      if (this.bare) return;
      this.flight = null;
      this.preset = null;
      this.onMoved();
    };
    this.canvas.addEventListener("pointerdown", ({ clientX, clientY }) => {
      from = [clientX, clientY];
    });
    this.canvas.addEventListener("pointermove", ({ buttons, clientX, clientY }) => {
      if (!from || !buttons || Math.hypot(clientX - from[0], clientY - from[1]) <= STILL_PX) return;
      from = null;
      leave();
    });
    this.canvas.addEventListener("wheel", leave, { passive: true });
  }

  // "#rrggbb" or the address of a picture, unless the page's own address says what is behind.
  setBackdrop(what) {
    if (this.backdrop !== null || !what) return;
    this.backdrop = what;
    if (what.startsWith("#")) return this.setLook(this.theme);
    new THREE.TextureLoader().load(what, (picture) => {
      picture.colorSpace = THREE.SRGBColorSpace;
      this.picture = picture;
      this.setLook(this.theme);
      this.resize();
    });
    return undefined;
  }

  // The picture fills the frame, cut at two sides where it has another form.
  cover() {
    const { width, height } = this.picture.image;
    const form = (this.camera.aspect * height) / width;
    this.picture.repeat.set(Math.min(1, form), Math.min(1, 1 / form));
    this.picture.offset.set((1 - this.picture.repeat.x) / 2, (1 - this.picture.repeat.y) / 2);
  }

  setLook(name) {
    this.theme = name;
    const plain = this.backdrop && this.backdrop.startsWith("#") ? parseInt(this.backdrop.slice(1), 16) : null;
    const look = plain === null ? LOOKS[name]
      : { ...LOOKS[name], background: plain, far: plain, ground: plain };
    const bare = this.backdrop === "none" || Boolean(this.picture);
    this.scene.background = bare ? this.picture : new THREE.Color(look.background);
    this.scene.fog = bare ? null : new THREE.Fog(look.far, 4.5, 11);
    this.ground.visible = this.backdrop === null;
    if (this.rings) {
      this.scene.remove(this.rings);
      this.rings.dispose();
    }
    this.rings = new THREE.PolarGridHelper(6, 12, 6, 64, look.grid, look.grid);
    this.rings.renderOrder = 2;
    this.rings.material.transparent = true;
    this.rings.material.opacity = 0.55;
    this.rings.material.depthWrite = false;  // else they pierce the shadows that lie on them
    if (this.backdrop === null) this.scene.add(this.rings);
    this.sky.color.setHex(look.sky);
    this.sky.groundColor.setHex(look.earth);
    this.sky.intensity = look.fill;
    this.sun.intensity = look.sun;
    if (this.plain) {
      this.plain.follow(this.sky, this.sun, this.rim, look.far);
      this.ground.material.uniforms.base.value.setHex(look.ground).convertLinearToSRGB();
    } else {
      this.ground.material.color.setHex(look.ground);
    }
    this.stale = true;
  }

  makeShadow() {
    const shadow = new THREE.Mesh(this.shadow.geometry, new THREE.MeshBasicMaterial({
      map: this.shadow.map, transparent: true, depthWrite: false, toneMapped: false }));
    shadow.rotation.x = -Math.PI / 2;
    shadow.position.y = 0.002;
    shadow.renderOrder = 3;
    shadow.scale.set(0.95, 0.7, 1);
    return shadow;
  }

  // Puts avatars where the graph has them stand, if it has placed one of them, else side by side;
  // `shown` are those to be seen.
  arrange(shown) {
    const placed = shown.some(({ standing: at }) => at && (at.x_m || at.z_m || at.turn_deg));
    shown.forEach(({ root, standing }, i) => {
      const { x_m, z_m, turn_deg } = placed && standing ? standing
        : { x_m: (i - (shown.length - 1) / 2) * SPACING_M, z_m: 0, turn_deg: 0 };
      root.position.set(x_m, 0, z_m);
      root.rotation.y = (turn_deg * Math.PI) / 180;
    });
    this.shown = shown;
    this.stale = true;
    if (this.preset) this.look(this.preset, this.target);
  }

  // Flies to a preset; at one avatar, or at all for the body's.
  look(preset, avatar) {
    this.preset = preset;
    this.target = avatar;
    if (preset === SHOT) {
      this.flight = null;
      return;
    }
    this.zoom(FOV_DEG);
    const { shown } = this;
    const one = avatar && shown.includes(avatar) ? avatar : shown[0];
    const { heads, above, bodies, turn } = PRESETS[one ? preset : "body"];
    const height = one ? one.height : HEIGHT_M;
    const all = !heads && shown.length > 1;
    const focus = heads ? one.headAt()
      : new THREE.Vector3(all || !one ? 0 : one.root.position.x, height / 2, 0);
    this.along.set(0, 0, 0);
    if (one && !all) {
      if (!heads) focus.add(one.gone);
      this.along.copy(one.gone);
    }
    if (heads) focus.y += above * one.headHeight;
    const tall = heads ? heads * one.headHeight : bodies * height;
    const wide = all ? shown.length * SPACING_M : tall * (heads ? 0.8 : 0.5);
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const pixels = this.canvas.parentElement.clientHeight || 600;
    const [top, bottom] = this.bare ? [0, 0] : [TOP_PX, BOTTOM_PX];
    const free = Math.max(0.4, 1 - (top + bottom) / pixels);
    const distance = Math.max(tall / 2 / half / free, wide / 2 / (half * this.camera.aspect));
    const shift = ((top - bottom) / pixels) * distance * half;
    const target = focus.add(new THREE.Vector3(0, shift, 0));
    const position = target.clone().add(new THREE.Vector3(Math.sin(turn) * distance,
      0.02 * distance, Math.cos(turn) * distance));
    this.flight = { target, position, began: performance.now() };
  }

  // As a drag does: turns the camera round what is looked at, by radians, and takes it `nearer`
  // times as near.
  turn(round, up, nearer = 1) {
    this.flight = null;
    this.preset = null;
    const { target, minDistance, maxDistance, minPolarAngle, maxPolarAngle } = this.orbit;
    const at = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(target));
    at.theta += round;
    at.phi = Math.max(Math.max(minPolarAngle, 0.01), Math.min(maxPolarAngle, at.phi - up));
    at.radius = Math.max(minDistance, Math.min(maxDistance, at.radius / nearer));
    this.camera.position.setFromSpherical(at).add(target);
    this.stale = true;
  }

  zoom(fov) {
    if (Math.abs(this.camera.fov - fov) < 1e-3) return;
    this.camera.fov = fov;
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  // Looks through the stream's own camera. It stands in the avatar's space and looks along -Z.
  followShot() {
    const view = this.target && this.target.pose ? this.target.pose.camera : null;
    if (!view || !view.slice(0, 7).every(Number.isFinite)) return;
    const { position, quaternion } = this.camera;
    position.set(view[0], view[1], view[2]).add(this.target.root.position);
    quaternion.set(view[4], view[5], view[6], view[3]);
    if (view[7] > 1) this.zoom((360 / Math.PI) * Math.atan(PICTURE_MM / 2 / view[7]));
    // A drag goes on from here.
    this.orbit.target.set(0, 0, -2).applyQuaternion(quaternion).add(position);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.picture) this.cover();
    this.stale = true;
    if (this.preset) this.look(this.preset, this.target);
  }

  // Draws coarser when the machine cannot keep up; called twice a second with how often there was
  // time for a picture.
  keepUp(fps, seconds) {
    if (document.hidden) return;
    this.slow_s = fps < POOR_FPS ? this.slow_s + seconds : 0;
    this.good_s = fps > GOOD_FPS ? this.good_s + seconds : 0;
    if (this.slow_s >= SLOW_S && this.ratio > LEAST_RATIO) {
      if (this.raised) this.try_s = Math.min(LONGEST_TRY_S, this.try_s * 2);
      this.setRatio(Math.max(LEAST_RATIO, this.ratio * RATIO_STEP), false);
    } else if (this.good_s >= this.try_s && this.ratio < this.fullRatio) {
      this.setRatio(Math.min(this.fullRatio, this.ratio / RATIO_STEP), true);
    }
  }

  setRatio(ratio, raised) {
    this.ratio = ratio;
    this.raised = raised;
    this.slow_s = this.good_s = 0;
    this.resize();
  }

  // What a frame costs until its pixels are there; waits for them, so not for every frame.
  measure(frames = 20) {
    const gl = this.renderer.getContext();
    const pixel = new Uint8Array(4);
    this.render();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    const began = performance.now();
    for (let i = 0; i < frames; ++i) {
      this.render();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    }
    return (performance.now() - began) / frames;
  }

  // Goes along with who walks, wherever a hand has turned the camera. Of several in one view nobody
  // is gone after.
  follow() {
    const { shown, target } = this;
    const one = target && shown.includes(target) ? target : shown[0];
    if (!one || (this.preset === "body" && shown.length > 1)) return;
    this.way.copy(one.gone).sub(this.along);
    const far = this.way.length();
    const free = FREE * this.camera.position.distanceTo(this.orbit.target);
    if (far < free) return;
    this.way.multiplyScalar(1 - free / far);
    this.along.add(this.way);
    this.camera.position.add(this.way);
    this.orbit.target.add(this.way);
    if (this.flight) {
      this.flight.target.add(this.way);
      this.flight.position.add(this.way);
    }
  }

  fly() {
    if (!this.flight) return;
    const t = Math.min(1, (performance.now() - this.flight.began) / 450);
    const ease = t >= 1 ? 1 : 0.22;
    this.orbit.target.lerp(this.flight.target, ease);
    this.camera.position.lerp(this.flight.position, ease);
    if (t >= 1) this.flight = null;
  }

  // Moves the camera on. True when there is something new to draw.
  step() {
    if (this.preset === SHOT) {
      this.followShot();
    } else {
      this.follow();
      this.fly();
      this.orbit.update();
    }
    this.camera.updateMatrixWorld();
    const moved = this.stale || !this.drawnFrom.equals(this.camera.matrixWorld);
    this.stale = false;
    return moved;
  }

  render() {
    this.step();
    this.draw();
  }

  draw() {
    const began = performance.now();
    this.drawnFrom.copy(this.camera.matrixWorld);
    this.sight.setFromProjectionMatrix(this.inSight.multiplyMatrices(this.camera.projectionMatrix,
      this.camera.matrixWorldInverse));
    this.things.show(this.shown);
    for (const { model, root } of this.shown) {
      if (!model) continue;
      root.updateMatrixWorld();
      model.beforeDraw(this.sight);
    }
    this.renderer.render(this.scene, this.camera);
    this.cost_ms += (performance.now() - began - this.cost_ms) * 0.05;
  }
}
