// The skeleton drawn over the scene: bones, joints and their names.
import * as THREE from "three";

const LEAST_GAP_PX = 13;

export class Overlay {
  constructor(canvas, stage) {
    this.canvas = canvas;
    this.paint = canvas.getContext("2d");
    this.stage = stage;
    this.skeleton = false;
    this.names = false;
    this.point = new THREE.Vector3();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = width * this.ratio;
    this.canvas.height = height * this.ratio;
    this.width = width;
    this.height = height;
  }

  draw(avatars) {
    const { paint } = this;
    // An empty one laid over the scene would cost as much as the scene.
    this.canvas.hidden = !this.skeleton && !this.names;
    if (this.canvas.hidden) return;
    paint.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    paint.clearRect(0, 0, this.width, this.height);
    const style = getComputedStyle(document.documentElement);
    this.colors = { line: style.getPropertyValue("--accent"), text: style.getPropertyValue("--text"),
      back: style.getPropertyValue("--glass") };
    for (const avatar of avatars) {
      if (avatar.layout) this.drawOne(avatar);
    }
  }

  drawOne(avatar) {
    const { paint, point } = this;
    const places = avatar.bones.map((bone) => {
      point.setFromMatrixPosition(bone.matrixWorld).project(this.stage.camera);
      if (point.z > 1) return null;
      return [(point.x * 0.5 + 0.5) * this.width, (0.5 - point.y * 0.5) * this.height];
    });
    if (this.skeleton) this.drawBones(avatar, places);
    paint.fillStyle = this.colors.text;
    for (const place of places) {
      if (place) paint.fillRect(place[0] - 1.5, place[1] - 1.5, 3, 3);
    }
    if (this.names) this.drawNames(avatar, places);
  }

  drawBones(avatar, places) {
    const { paint } = this;
    paint.lineWidth = 1.6;
    paint.strokeStyle = this.colors.line;
    paint.beginPath();
    places.forEach((to, j) => {
      const from = places[avatar.layout.parents[j]];
      if (!to || !from) return;
      paint.moveTo(...from);
      paint.lineTo(...to);
    });
    paint.stroke();
  }

  // Names that would lie on others are left out; coming nearer shows more.
  drawNames(avatar, places) {
    const { paint } = this;
    paint.font = "11px system-ui, sans-serif";
    const taken = [];
    places.forEach((place, j) => {
      if (!place || place[0] < 0 || place[0] > this.width || place[1] < 0 || place[1] > this.height) {
        return;
      }
      const name = avatar.layout.joints[j];
      const width = paint.measureText(name).width;
      const box = [place[0] + 6, place[1] - 6, place[0] + 10 + width, place[1] + LEAST_GAP_PX - 6];
      if (taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) return;
      taken.push(box);
      paint.fillStyle = this.colors.back;
      paint.fillRect(box[0], box[1], width + 4, LEAST_GAP_PX);
      paint.fillStyle = this.colors.text;
      paint.fillText(name, box[0] + 2, place[1] + 4);
    });
  }
}
