// Curves of chosen tracks over ten seconds before the moment that is shown.

const SPAN_S = 10;
const UNIT = 1 / 32767;
const VOICE = "voice";

export class Curves {
  constructor(list, avatarOf) {
    this.list = list;
    this.avatarOf = avatarOf;  // the avatar in view
    this.tracks = [];
    for (const name of [VOICE, "jawOpen", "eyeBlinkLeft", "skullbase"]) this.add(name);
  }

  add(name) {
    if (!name || this.tracks.some((track) => track.name === name)) return;
    const box = document.createElement("div");
    box.className = "curve";
    const head = document.createElement("div");
    const title = document.createElement("b");
    title.textContent = name;
    const value = document.createElement("output");
    const close = document.createElement("button");
    close.textContent = "\u00d7";
    close.setAttribute("aria-label", `Remove ${name}`);
    const canvas = document.createElement("canvas");
    head.append(title, value, close);
    box.append(head, canvas);
    this.list.append(box);
    const track = { name, box, value, canvas };
    close.onclick = () => {
      box.remove();
      this.tracks = this.tracks.filter((other) => other !== track);
    };
    this.tracks.push(track);
  }

  // What the track is in this avatar: a function of a frame, bounds and a unit.
  reader(avatar, name) {
    if (name === VOICE) {
      return { low: 0, high: 0.5, unit: "", of: (frame) => {
        if (!frame.voice) return 0;
        if (frame.peak === undefined) {
          let peak = 0;
          for (let i = 0; i < frame.voice.length; i += 4) peak = Math.max(peak, Math.abs(frame.voice[i]));
          frame.peak = peak * UNIT;
        }
        return frame.peak;
      } };
    }
    const shape = avatar.shapeIndex.get(name.toLowerCase());
    if (shape !== undefined) {
      return { low: 0, high: 1, unit: "", of: (frame) => (frame.weights ? frame.weights[shape] : 0) };
    }
    const joint = avatar.layout.joints.indexOf(name);
    if (joint < 0) return null;
    return { low: 0, high: 10, unit: "\u00b0",
      of: (frame) => (frame.rotations ? avatar.turnOf(frame.rotations, joint, UNIT) : 0) };
  }

  draw() {
    const avatar = this.avatarOf();
    if (!avatar || !avatar.layout || avatar.shownAt === null || !avatar.ring.length) return;
    const style = getComputedStyle(document.documentElement);
    const color = style.getPropertyValue("--accent");
    const line = style.getPropertyValue("--line");
    for (const track of this.tracks) this.drawOne(track, avatar, color, line);
  }

  drawOne(track, avatar, color, line) {
    const { canvas } = track;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const paint = canvas.getContext("2d");
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, width, height);
    const reader = this.reader(avatar, track.name);
    if (!reader) {
      track.value.textContent = "not in this stream";
      return;
    }
    const { frames } = avatar.ring;
    const until = avatar.shownAt, from = until - SPAN_S;
    const points = [];
    let low = reader.low, high = reader.high;
    for (let i = avatar.ring.find(from); i < frames.length && frames[i].at <= until; ++i) {
      const v = reader.of(frames[i]);
      points.push([frames[i].at, v]);
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    const y = (v) => height - 4 - ((v - low) / (high - low)) * (height - 8);
    paint.strokeStyle = line;
    paint.lineWidth = 1;
    paint.beginPath();
    for (let s = Math.ceil(from); s <= until; ++s) {
      const x = ((s - from) / SPAN_S) * width;
      paint.moveTo(x, 0);
      paint.lineTo(x, height);
    }
    paint.moveTo(0, y(0));
    paint.lineTo(width, y(0));
    paint.stroke();
    paint.strokeStyle = color;
    paint.lineWidth = 1.5;
    paint.beginPath();
    points.forEach(([at, v], i) => {
      const x = ((at - from) / SPAN_S) * width;
      const hole = i > 0 && at - points[i - 1][0] > 0.25;
      if (i === 0 || hole) paint.moveTo(x, y(v));
      else paint.lineTo(x, y(v));
    });
    paint.stroke();
    const last = points.length ? points[points.length - 1][1] : 0;
    track.value.textContent = `${last.toFixed(reader.unit ? 1 : 2)}${reader.unit}`;
  }
}
