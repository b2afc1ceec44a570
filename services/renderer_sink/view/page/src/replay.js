// Plays the past: time goes on from a moment that was held, with the voices of that time.
//
// The picture's moment and the voices follow one mapping, as they do live (clock.js). The voices
// come of the frames that each avatar's ring holds, a little before they are due.
import { Voice } from "./voice.js";

const AHEAD_S = 0.3;     // how long before they sound pieces are handed to the sound card
const SPARE_S = 0.05;    // what the first piece has for its way there
const LONGEST_S = 0.5;   // a tick later than this comes of a tab that slept: time stood still

export class Replay {
  constructor(speaker) {
    this.speaker = speaker;
    this.voices = new Map();  // by avatar: {voice, said}, the latter being when the last piece begins
    this.at = null;           // the moment in view, Unix time; null: nothing is played
  }

  get playing() { return this.at !== null; }

  // From `at` on, at `now` (performance.now in seconds).
  start(at, now) {
    this.stop();
    this.at = at;
    this.begin(now);
  }

  stop() {
    for (const { voice } of this.voices.values()) voice.stop();
    this.voices.clear();
    this.at = null;
  }

  begin(now) {
    this.from = this.at;
    this.now = now;
    this.began = now + SPARE_S + (this.speaker.running ? this.speaker.latency : 0);
  }

  // As StreamClock has it, for the voices.
  whenSeen(at) { return this.began + (at - this.from); }

  // The moment to be seen at `now`. Hands on what `avatars` will say until AHEAD_S after it.
  tick(now, avatars) {
    if (now - this.now > LONGEST_S) {
      const { at } = this;
      this.start(at, now);
    }
    this.now = now;
    this.at = this.from + Math.max(0, now - this.began);
    for (const avatar of avatars) this.say(avatar);
    return this.at;
  }

  say({ ring, layout, index }) {
    if (!layout || !ring.length) return;
    if (!this.voices.has(index)) {
      this.voices.set(index, { voice: new Voice(this.speaker, this), said: -Infinity });
    }
    const spoken = this.voices.get(index);
    // A piece may begin some time before or after the pose that it came with.
    for (let i = ring.find(this.at - 1); i < ring.frames.length; ++i) {
      const { at, voice, voiceAt } = ring.frames[i];
      if (at > this.at + 1 + AHEAD_S) break;
      if (!voice || voiceAt < this.from || voiceAt <= spoken.said) continue;
      if (voiceAt > this.at + AHEAD_S) break;
      spoken.said = voiceAt;
      spoken.voice.say(voice, voiceAt, layout.audio_hz);
    }
  }
}
