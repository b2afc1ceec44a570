// The past of the avatars in view: holds all of them at a moment, goes back and forth in it by the
// slider, and plays on from there.
import { Replay } from "./replay.js";

const element = (id) => document.getElementById(id);
const now_s = () => performance.now() / 1000;

export class Past {
  // `view` has `avatars` (with gaps), those that are `shown`, and `avatar`, the chosen one.
  constructor(view, speaker) {
    this.view = view;
    this.replay = new Replay(speaker);
    this.replayAfterDrag = false;
    element("pause").onclick = () => this.playOrPause();
    element("live").onclick = () => this.pause(false);
    element("scrub").oninput = () => {
      this.replayAfterDrag = this.replayAfterDrag || this.replay.playing;
      this.scrub(Number(element("scrub").value));
    };
    element("scrub").onchange = () => {
      if (this.replayAfterDrag) this.play();
      this.replayAfterDrag = false;
    };
  }

  get playing() { return this.replay.playing; }

  // All avatars stop at the moment that the chosen one shows, or go back to live.
  pause(paused) {
    this.replay.stop();
    const at = this.view.avatar ? this.view.avatar.shownAt : null;
    for (const avatar of this.view.avatars) {
      if (!avatar) continue;
      avatar.pausedAt = paused ? at : null;
      avatar.voice.stop();
    }
    if (!paused) element("scrub").value = 0;
    this.show();
  }

  playOrPause() {
    if (!this.view.avatar) return;
    if (this.view.avatar.pausedAt !== null && !this.replay.playing) this.play();
    else this.pause(true);
  }

  // Goes on from the moment that is held, as far behind as it is.
  play() {
    const { avatar } = this.view;
    if (!avatar || avatar.pausedAt === null || !avatar.ring.length) return;
    this.replay.start(Math.max(avatar.pausedAt, avatar.ring.first().at), now_s());
    this.show();
  }

  tick(now) {
    const { avatar } = this.view;
    if (!avatar || avatar.pausedAt === null || !avatar.ring.length) return this.pause(false);
    const at = this.replay.tick(now, this.view.shown);
    if (at >= Math.min(avatar.clock.at, avatar.ring.last().at)) return this.pause(false);
    for (const other of this.view.avatars) if (other) other.pausedAt = at;
    return undefined;
  }

  show() {
    const held = this.view.avatar && this.view.avatar.pausedAt !== null;
    element("pause").textContent = held && !this.replay.playing ? "Go on" : "Pause";
    element("live").classList.toggle("on", !held);
  }

  scrub(seconds) {
    const { avatar } = this.view;
    if (!avatar || !avatar.ring.length) return;
    if (avatar.pausedAt === null || this.replay.playing) this.pause(true);
    const last = avatar.ring.last().at;
    const at = Math.min(last, Math.max(avatar.ring.first().at, last + seconds));
    for (const other of this.view.avatars) if (other) other.pausedAt = at;
  }

  step(seconds) {
    const { avatar } = this.view;
    if (!avatar || !avatar.ring.length || avatar.shownAt === null) return;
    this.scrub(avatar.shownAt + seconds - avatar.ring.last().at);
  }
}
