// The room that avatars stand in: light, ground, and the camera with its presets.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { ALL, NO_OFFSETS, NO_SURFACE, nextLevel, pixelsOf } from "./detail.js";
import { Edges } from "./edges.js";
import { Lamps } from "./lights.js";
import { PlainLight } from "./plain.js";
import { Things } from "./things.js";

export const SHOT = "shot", TOGETHER = "together";
const SPACING_M = 1.1;
const FOV_DEG = 26;
// Of the pictures that focal lengths are given for, 36 mm wide.
const PICTURE_MM = 24;
// When fewer pictures are drawn a second than the first share of those that are wanted, the next of
// these is tried, and the one before after some time of the second share; each time that this was too
// early the next try waits twice as long. Without a GPU there are fewer pictures rather than coarse ones.
const POOR = 0.8;
const GOOD = 0.95;
const SLOW_S = 1.5;
const TRY_S = 10;
const LONGEST_TRY_S = 300;
const SHADE_AFTER_S = 1.5;  // the first try of shadows
// [resolution, pictures a second, whether there is time for more: with a GPU for shadows, without one
// for smooth edges, what is left out (detail.js)]; a GPU begins with the second.
const LEVELS = [[1, 30, true], [1, 30], [0.85, 30], [0.72, 30], [0.61, 30], [0.5, 30],
  [0.5, 30, false, NO_SURFACE], [0.5, 30, false, NO_OFFSETS]];
const SOFTWARE_LEVELS = [[1, 30, true], [0.9, 30, true], [0.9, 20, true], [0.8, 20, true],
  [0.8, 20, true, NO_SURFACE], [0.8, 15, false, NO_SURFACE], [0.8, 15, false, NO_OFFSETS],
  [0.8, 10, false, NO_OFFSETS]];
// In a headset, whose pictures are of a fixed size and rate.
const IMMERSIVE_LEVELS = [[1, 0, true], [1, 0], [1, 0, false, NO_SURFACE], [1, 0, false, NO_OFFSETS]];
const IMMERSIVE_SHADE_M = 1.6;
const LOOKS = {
  dark: { background: 0x20262f, far: 0x20262f, ground: 0x272e38, grid: 0x39424f },
  light: { background: 0xeceae5, far: 0xeceae5, ground: 0xe2dfd8, grid: 0xcfcbc2 },
};
// A press that moves no farther than this is a click.
const STILL_PX = 3;
// What is seen at least, as so many heights and widths of the head, and how far above its middle the
// eyes are, as a share of the height; or as so many heights of the body. A bust, or two of them, has
// the eyes at the upper third. `all`: of all that are shown.
const PRESETS = {
  face: { heads: 1.3, across: 0.86, eyes: 0.05, turn: 0.0 },
  bust: { heads: 2.9, across: 1.5, eyes: 1 / 6, turn: 0.12 },
  [TOGETHER]: { heads: 2.9, across: 2.4, eyes: 1 / 6, turn: 0.0, all: true },
  body: { bodies: 1.1, turn: 0.0, all: true },
};
const UPRIGHT_FACE = 1.1;  // heights of the head, where the picture is narrower than high
const FAST_PX = 6;         // a picture: what moves farther is not blurred by the one before
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
    this.renderer.xr.enabled = true;
    this.immersive = null;  // {rate, seeThrough} in a headset
    this.kept = null;       // the page's own camera and levels meanwhile
    this.middle = new THREE.Vector3();  // of those who are in front of its wearer
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
    this.eyes = new THREE.Box3();
    this.sight = new THREE.Frustum();
    this.inSight = new THREE.Matrix4();
    this.drawnFrom = new THREE.Matrix4();
    this.fullRatio = this.software ? 1 : Math.min(2, devicePixelRatio || 1);
    this.levels = this.software ? SOFTWARE_LEVELS : LEVELS;
    this.level = this.software ? 0 : 1;
    this.seen = [];  // where on the screen heads and hands were in the last picture
    this.unsettled = false;  // the next picture of the same would be smoother
    this.cost_ms = 0;
    this.slow_s = this.good_s = 0;
    this.try_s = this.software ? TRY_S : SHADE_AFTER_S;
    this.stale = true;  // something but the camera has changed since the last picture

    this.plain = this.software ? new PlainLight() : null;
    this.edges = this.software ? new Edges() : null;
    this.lamps = new Lamps(this.renderer, this.scene);
    this.things = new Things(this);
    this.ground = this.plain ? new THREE.Mesh(new THREE.RingGeometry(0, 14, 32, 10), this.plain.flat(0))
      : new THREE.Mesh(new THREE.CircleGeometry(14, 64), new THREE.MeshBasicMaterial({ toneMapped: false }));
    this.ground.renderOrder = 1;  // most of it may be hidden by then
    this.ground.rotation.x = -Math.PI / 2;
    this.ground.position.y = -0.002;
    this.scene.add(this.ground);
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
    const seeThrough = this.immersive && this.immersive.seeThrough;
    const bare = seeThrough || (!this.immersive && (this.backdrop === "none" || Boolean(this.picture)));
    const floor = !seeThrough && (this.backdrop === null || Boolean(this.immersive));
    this.scene.background = seeThrough ? null : bare ? this.picture : new THREE.Color(look.background);
    this.scene.fog = bare ? null : new THREE.Fog(look.far, 4.5, 11);
    this.ground.visible = floor;
    if (this.rings) {
      this.scene.remove(this.rings);
      this.rings.dispose();
    }
    this.rings = new THREE.PolarGridHelper(6, 12, 6, 64, look.grid, look.grid);
    this.rings.renderOrder = 2;
    this.rings.material.transparent = true;
    this.rings.material.opacity = 0.55;
    this.rings.material.depthWrite = false;  // else they pierce the shadows that lie on them
    if (floor) this.scene.add(this.rings);
    if (this.plain) {
      this.plain.follow(look.far);
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
    this.placed = placed;
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
    const { heads, across, eyes, bodies, turn, all: ofAll } = PRESETS[one ? preset : "body"];
    const height = one ? one.height : HEIGHT_M;
    const all = ofAll && shown.length > 1;
    const focus = !heads ? new THREE.Vector3(all || !one ? 0 : one.root.position.x, height / 2, 0)
      : all ? this.middleOfEyes() : one.eyesAt();
    this.along.set(0, 0, 0);
    if (one && !all) {
      if (!heads) focus.add(one.gone);
      this.along.copy(one.gone);
    }
    const { aspect, fov } = this.camera;
    const head = all ? Math.max(...shown.map(({ headHeight }) => headHeight)) : one ? one.headHeight : 0;
    const tall = !heads ? bodies * height : head * (preset === "face" && aspect < 1 ? UPRIGHT_FACE : heads);
    const wide = heads ? across * head + (all ? this.eyes.getSize(this.way).x : 0)
      : all ? shown.length * SPACING_M : tall * 0.5;
    if (heads) focus.y -= eyes * tall;
    const half = Math.tan((fov * Math.PI) / 360);
    const pixels = this.canvas.parentElement.clientHeight || 600;
    const [top, bottom] = this.covered();
    const free = Math.max(0.4, 1 - (top + bottom) / pixels);
    const distance = Math.max(tall / 2 / half / free, wide / 2 / (half * aspect));
    const shift = ((top - bottom) / pixels) * distance * half;
    // Where the width decides, more is seen above and below: eyes stay at their share of the height.
    const more = heads ? eyes * (distance * half * 2 * free - tall) : 0;
    const target = focus.add(new THREE.Vector3(0, shift - more, 0));
    const position = target.clone().add(new THREE.Vector3(Math.sin(turn) * distance,
      0.02 * distance, Math.cos(turn) * distance));
    this.flight = { target, position, began: performance.now() };
  }

  // Of all that are shown.
  middleOfEyes() {
    this.eyes.makeEmpty();
    for (const avatar of this.shown) this.eyes.expandByPoint(avatar.eyesAt());
    return this.eyes.getCenter(new THREE.Vector3());
  }

  // How much of the picture the tools cover above and below, in the page's pixels.
  covered() {
    if (this.bare) return [0, 0];
    const stage = this.canvas.parentElement, { clientHeight } = stage;
    const bottomOf = (tool) => (tool ? tool.offsetTop + tool.offsetHeight : 0);
    const time = stage.querySelector(".time");
    return [bottomOf(stage.querySelector(".views")), time ? clientHeight - time.offsetTop : 0];
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
    if (!width || !height || this.immersive) return;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    if (this.edges) this.edges.resize(this.canvas.width, this.canvas.height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.picture) this.cover();
    if (this.preset) this.look(this.preset, this.target);
    if (this.flight) this.flight.began = -1e6;
    // A canvas of another size is black until it is drawn.
    this.render();
  }

  get ratio() { return this.fullRatio * this.levels[this.level][0]; }

  // The least time between two pictures; without a GPU the processor is needed for more than pictures.
  get period_s() { return this.software ? 0.9 / this.levels[this.level][1] : 0; }

  // Draws fewer or coarser pictures when the machine cannot keep up; called twice a second with how
  // often there was time for a picture.
  keepUp(fps, seconds) {
    if (document.hidden) return;
    const wanted = this.immersive ? this.immersive.rate : this.levels[this.level][1];
    this.slow_s = fps < POOR * wanted ? this.slow_s + seconds : 0;
    this.good_s = fps > GOOD * wanted ? this.good_s + seconds : 0;
    const lower = this.nextLevel(1), higher = this.nextLevel(-1);
    if (this.slow_s >= SLOW_S && lower !== this.level) {
      if (this.raised) this.try_s = Math.min(LONGEST_TRY_S, this.try_s * 2);
      this.setLevel(lower, false);
    } else if (this.good_s >= this.try_s && higher !== this.level) {
      this.try_s = Math.max(TRY_S, this.try_s);
      this.setLevel(higher, true);
    }
  }

  nextLevel(step) {
    return nextLevel(this.levels, this.level, step, {
      surfaces: this.shown.some(({ model }) => model && model.surface),
      offsets: this.shown.some(({ offsets }) => offsets) });
  }

  // What is left out, as detail.js means it.
  get left() { return this.levels[this.level][3] || ALL; }

  // How high an avatar is in the picture, in its pixels.
  pixelsOf(avatar) {
    const distance = this.camera.position.distanceTo(avatar.eyesAt());
    const eye = this.immersive ? this.renderer.xr.getCamera().cameras[0] : null;
    const high = eye && eye.viewport ? eye.viewport.w : this.canvas.height;
    return pixelsOf(avatar.height, distance, high, this.camera.fov);
  }

  setLevel(level, raised) {
    const before = this.ratio;
    this.level = level;
    this.raised = raised;
    this.slow_s = this.good_s = 0;
    this.stale = true;
    this.lamps.key.castShadow = !this.software && Boolean(this.levels[level][2]);
    if (this.edges) this.edges.kept = false;
    if (this.ratio !== before) this.resize();
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
    if (!one || (PRESETS[this.preset]?.all && shown.length > 1)) return;
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

  // From now on a headset has the camera; until `leave` the page's own waits.
  enter(immersive) {
    const { camera, orbit, levels, level } = this;
    this.kept = { levels, level, position: camera.position.clone(), quaternion: camera.quaternion.clone(),
      target: orbit.target.clone(), fov: camera.fov };
    this.immersive = immersive;
    orbit.enabled = false;
    this.level = 1;  // before the shorter list, which may lack the page's
    this.levels = IMMERSIVE_LEVELS;
    this.setLevel(1, false);
    this.setLook(this.theme);
  }

  leave() {
    const { camera, orbit, kept } = this;
    if (!kept) return;
    this.immersive = this.kept = null;
    orbit.enabled = !this.bare;
    this.levels = kept.levels;
    this.level = kept.level;
    this.lamps.key.castShadow = !this.software && Boolean(this.levels[this.level][2]);
    this.slow_s = this.good_s = 0;
    camera.position.copy(kept.position);
    camera.quaternion.copy(kept.quaternion);
    camera.fov = kept.fov;
    orbit.target.copy(kept.target);
    this.setLook(this.theme);
    this.resize();
  }

  // Moves the camera on. True when there is something new to draw.
  step() {
    if (this.immersive) {
      this.renderer.xr.updateCamera(this.camera);
      return true;
    }
    if (this.preset === SHOT) {
      this.followShot();
    } else {
      this.follow();
      this.fly();
      this.orbit.update();
    }
    this.camera.updateMatrixWorld();
    const moved = this.stale || this.unsettled || !this.drawnFrom.equals(this.camera.matrixWorld);
    this.stale = false;
    return moved;
  }

  render() {
    this.step();
    this.draw();
  }

  // Shade is sharpest where the camera looks.
  throwShade() {
    if (!this.lamps.key.castShadow) return;
    if (this.immersive) {
      this.lamps.follow(this.middle, IMMERSIVE_SHADE_M);
      return;
    }
    const far = this.camera.position.distanceTo(this.orbit.target);
    const half = far * Math.tan((this.camera.fov * Math.PI) / 360) * Math.max(1, this.camera.aspect);
    this.lamps.follow(this.orbit.target, Math.min(3, Math.max(0.35, half)));
  }

  // True when the camera, a head or a hand has moved far since the last picture.
  isFast(cameraMoved) {
    let fast = cameraMoved, i = 0;
    for (const avatar of this.shown) {
      for (const bone of avatar.quickBones) {
        const at = this.seen[i] || (this.seen[i] = { x: 0, y: 0 });
        ++i;
        const now = this.way.setFromMatrixPosition(bone.matrixWorld).project(this.camera);
        const x = now.x * 0.5 * this.canvas.width, y = now.y * 0.5 * this.canvas.height;
        fast = fast || Math.hypot(x - at.x, y - at.y) > FAST_PX;
        at.x = x;
        at.y = y;
      }
    }
    return fast;
  }

  draw() {
    const began = performance.now();
    const cameraMoved = !this.drawnFrom.equals(this.camera.matrixWorld);
    this.drawnFrom.copy(this.camera.matrixWorld);
    this.sight.setFromProjectionMatrix(this.inSight.multiplyMatrices(this.camera.projectionMatrix,
      this.camera.matrixWorldInverse));
    this.things.show(this.shown);
    this.throwShade();
    for (const { model, root, detail } of this.shown) {
      if (!model) continue;
      root.updateMatrixWorld();
      model.beforeDraw(this.sight, detail.fine, began / 1000);
      if (model.surface && model.surface.fades) this.stale = true;
    }
    if (this.edges && !this.immersive && this.levels[this.level][2]) {
      this.unsettled = this.edges.draw(this.renderer, this.scene, this.camera, this.isFast(cameraMoved));
    } else {
      this.unsettled = false;
      this.renderer.render(this.scene, this.camera);
    }
    this.cost_ms += (performance.now() - began - this.cost_ms) * 0.05;
  }
}
