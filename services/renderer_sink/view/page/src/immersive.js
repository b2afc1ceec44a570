// The avatars in a headset, or through a phone (WebXR): for two eyes, at natural size, on the floor in
// front of the user. Their streams know the user by name, head and hands meanwhile.
import * as THREE from "three";
import { FrameRate } from "./frame_rate.js";
import { originFor, whyNoSessions } from "./headset_place.js";
import { HeadsetUser } from "./headset_user.js";
import { OwnHands } from "./own_hands.js";

const MODES = { vr: "immersive-vr", ar: "immersive-ar" };
// From the head to the avatar at first, and how much farther for each further avatar.
const AWAY_M = 1.4, FARTHER_M = 0.4;
const BEST_HZ = 90;

export class Immersive {
  // `note` receives errors.
  constructor(page, note) {
    const { stage } = page;
    this.page = page;
    this.stage = stage;
    this.note = note;
    this.user = new HeadsetUser(page.link);
    this.hands = new OwnHands();
    this.session = null;
    this.base = null;     // the space of the room
    this.measured = null;  // the rate of frames, if the browser does not report it
    this.placed = false;  // the avatars are in front of the user
    this.entering = false;
    this.buttons = {};
    for (const kind of Object.keys(MODES)) {
      this.buttons[kind] = document.getElementById(`enter-${kind}`);
      this.buttons[kind].onclick = () => (this.session ? this.session.end() : this.enter(kind));
    }
    stage.renderer.xr.addEventListener("sessionend", () => this.left());
    if (navigator.xr) navigator.xr.addEventListener("devicechange", () => this.offer());
    this.offer();
  }

  get presenting() { return this.stage.immersive; }

  // In view; the chosen one is the first, where several are of one stream.
  get shown() {
    const { avatar, shown } = this.page;
    return shown.includes(avatar) ? [avatar, ...shown.filter((other) => other !== avatar)] : shown;
  }

  // Shows the buttons of what can be had here, or why nothing can.
  async offer() {
    let why = whyNoSessions({ isSecureContext, xr: navigator.xr, hostname: location.hostname });
    let any = false;
    for (const [kind, mode] of Object.entries(MODES)) {
      const has = !why && await navigator.xr.isSessionSupported(mode).catch(() => false);
      this.buttons[kind].hidden = !has;
      any = any || has;
    }
    if (!why && !any) why = "No headset is connected.";
    document.getElementById("xr-note").textContent = why;
  }

  async enter(kind) {
    if (this.entering) return;
    this.entering = true;
    try {
      await this.begin(kind);
    } catch (error) {
      this.note(`no ${kind.toUpperCase()}: ${error.message}`);
      if (this.session) await this.session.end().catch(() => {});
      this.left();
    } finally {
      this.entering = false;
    }
  }

  async begin(kind) {
    this.session = await navigator.xr.requestSession(MODES[kind],
      { requiredFeatures: ["local-floor"], optionalFeatures: ["hand-tracking"] });
    const { supportedFrameRates } = this.session;
    const rate = Math.max(0, ...[...(supportedFrameRates || [])].filter((hz) => hz <= BEST_HZ));
    if (rate) await this.session.updateTargetFrameRate(rate).catch(() => {});
    this.kind = kind;
    this.placed = false;
    const { renderer } = this.stage;
    const known = this.session.frameRate || rate;
    this.measured = known ? null : new FrameRate(BEST_HZ);
    this.stage.enter({ seeThrough: this.session.environmentBlendMode !== "opaque",
      rate: known || this.measured.hz });
    if (kind === "vr") this.stage.scene.add(this.hands.dots);
    renderer.setAnimationLoop((time, frame) => this.onFrame(time, frame));
    await renderer.xr.setSession(this.session);
    this.base = renderer.xr.getReferenceSpace();
    this.base.addEventListener("reset", () => { this.placed = false; });
    this.showButtons();
  }

  showButtons() {
    for (const [kind, button] of Object.entries(this.buttons)) {
      const on = Boolean(this.session) && this.kind === kind;
      button.setAttribute("aria-pressed", on);
      button.firstChild.textContent = on ? "Leave " : "Enter ";
    }
  }

  // The session is over, however it ended: the page is as it was.
  left() {
    if (!this.session) return;
    this.session = this.base = null;
    this.stage.renderer.setAnimationLoop(null);
    this.hands.dots.removeFromParent();
    this.user.goAway();
    this.stage.leave();
    this.showButtons();
  }

  onFrame(time_ms, frame) {
    if (!frame || !this.session || !this.base) return;
    if (this.measured) this.presenting.rate = this.measured.after(time_ms);
    const { xr } = this.stage.renderer;
    const viewer = frame.getViewerPose(this.base);
    const { shown } = this;
    if (viewer && !this.placed && shown.length) {
      this.place(viewer.transform, shown);
      return;  // the next frame is seen from there
    }
    const space = xr.getReferenceSpace();
    const head = frame.getViewerPose(space);
    const hands = this.hands.show(frame, space, this.session.inputSources);
    if (head && this.placed) this.user.send(shown, { head: head.transform, ...hands });
    this.page.drawMoment();
  }

  // Brings the avatars in front of the user, on the floor; one of them, or the middle of several,
  // faces the user.
  place({ position, orientation }, shown) {
    const forward = new THREE.Vector3(0, 0, -1).applyQuaternion(new THREE.Quaternion().copy(orientation));
    if (Math.hypot(forward.x, forward.z) < 0.1) forward.set(0, 0, -1);  // looks at the floor
    const middle = new THREE.Vector3(), front = new THREE.Vector3();
    for (const { root, gone } of shown) {
      middle.add(root.position).add(gone);
      front.add(new THREE.Vector3(0, 0, 1).applyQuaternion(root.quaternion));
    }
    middle.divideScalar(shown.length).setY(0);
    // Those who face each other are seen from the side that the page sees them from.
    if (Math.hypot(front.x, front.z) < 0.5 * shown.length) front.set(0, 0, 1);
    front.setY(0).normalize();
    const away = AWAY_M + FARTHER_M * (shown.length - 1);
    const at = middle.clone().addScaledVector(front, away);
    const origin = originFor(position, forward, at, front);
    this.stage.renderer.xr.setReferenceSpace(this.base.getOffsetReferenceSpace(
      new XRRigidTransform(origin.position, origin.orientation)));
    this.stage.middle.copy(middle);
    this.placed = true;
  }
}
