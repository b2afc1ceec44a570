// Plays what avatars say, on the stream's clock: each piece of sound is put where its time code
// says, as the clock maps it, and the pieces of a voice join without a seam. Drift between the
// sound card and the stream is taken up by stretching pieces by half a percent at most.

const SEAM_S = 0.04;      // farther off than this is no drift: the voice starts anew there
const DRIFT_S = 0.004;    // nearer than this is left alone
const MOST_STRETCH = 0.005;

export class Speaker {
  constructor() {
    this.context = null;
    this.muted = false;
    this.hushed = false;  // for a while, whatever its user wants otherwise
    this.offset = null;  // context time minus performance.now in seconds, at the ear
  }

  // Browsers let a page sound only once its user has touched it.
  start(hz) {
    if (!this.context) {
      try {
        this.context = new AudioContext({ latencyHint: "interactive", sampleRate: hz });
      } catch {
        this.context = new AudioContext({ latencyHint: "interactive" });
      }
      this.gain = this.context.createGain();
      this.meter = this.context.createAnalyser();
      this.meter.fftSize = 2048;
      this.samples = new Float32Array(this.meter.fftSize);
      this.gain.connect(this.meter);
      this.meter.connect(this.context.destination);
    }
    if (this.context.state === "suspended") this.context.resume().catch(() => {});
  }

  get heard() { return this.running && !this.muted && !this.hushed; }
  get running() { return this.context !== null && this.context.state === "running"; }
  get latency() {
    if (!this.context) return 0;
    return (this.context.outputLatency || 0) + (this.context.baseLatency || 0);
  }

  setMuted(muted) {
    this.muted = muted;
    this.setGain();
  }

  setHushed(hushed) {
    this.hushed = hushed;
    this.setGain();
  }

  setGain() {
    if (!this.gain) return;
    const gain = this.muted || this.hushed ? 0 : 1;
    this.gain.gain.setTargetAtTime(gain, this.context.currentTime, 0.01);
  }

  // Follows the sound card's clock.
  tick(now) {
    if (!this.running) {
      this.offset = null;
      return;
    }
    let offset = this.context.currentTime - this.latency - now;
    const stamp = this.context.getOutputTimestamp ? this.context.getOutputTimestamp() : null;
    if (stamp && stamp.contextTime > 0 && stamp.performanceTime > 0) {
      offset = stamp.contextTime - stamp.performanceTime / 1000;
    }
    if (this.offset === null || Math.abs(offset - this.offset) > 0.1) this.offset = offset;
    else this.offset += (offset - this.offset) * 0.05;
  }

  // Root mean square of what sounds now.
  level() {
    if (!this.running) return 0;
    this.meter.getFloatTimeDomainData(this.samples);
    let sum = 0;
    for (const v of this.samples) sum += v * v;
    return Math.sqrt(sum / this.samples.length);
  }
}

export class Voice {
  constructor(speaker, clock) {
    this.speaker = speaker;
    this.clock = clock;
    this.next = null;    // context time at which the last piece ends
    this.error_s = 0;    // sound minus picture, smoothed
    this.worst_s = 0;
    this.late = 0;
    this.starts = 0;
    this.tail = 0;       // last sample of the last piece
    this.sources = new Set();  // pieces that sound or will
  }

  // Falls silent at once, also of what has been handed to the sound card.
  stop() {
    for (const source of this.sources) {
      source.onended = null;
      source.stop();
    }
    this.sources.clear();
    this.next = null;
  }

  say(samples, at, hz) {
    const { context, offset } = this.speaker;
    if (offset === null || this.clock.now === null || !samples.length) {
      this.next = null;
      return;
    }
    const wanted = this.clock.whenSeen(at) + offset;
    const anew = this.next === null || Math.abs(wanted - this.next) > SEAM_S;
    const start = anew ? wanted : this.next;
    if (start < context.currentTime) {
      this.late += 1;
      this.next = null;
      return;
    }
    if (anew) {
      this.starts += 1;
      this.tail = 0;
    }
    const error = start - wanted;
    this.error_s += (error - this.error_s) * 0.1;
    this.worst_s = Math.max(this.worst_s * 0.9995, Math.abs(error));
    let length = samples.length;
    if (Math.abs(error) > DRIFT_S) {
      const most = Math.max(1, Math.floor(samples.length * MOST_STRETCH));
      length -= Math.max(-most, Math.min(most, Math.round(error * hz)));
    }
    const buffer = context.createBuffer(1, length, hz);
    this.fill(samples, buffer.getChannelData(0));
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.speaker.gain);
    source.onended = () => this.sources.delete(source);
    this.sources.add(source);
    source.start(start);
    this.next = start + length / hz;
  }

  // Spreads the samples over `out` by straight lines; the last one lands on the last.
  fill(samples, out) {
    const scale = 1 / 32768;
    if (out.length === samples.length) {
      for (let i = 0; i < out.length; ++i) out[i] = samples[i] * scale;
    } else {
      const step = samples.length / out.length;
      for (let i = 0; i < out.length; ++i) {
        const p = (i + 1) * step - 1;
        const k = Math.floor(p);
        const a = k < 0 ? this.tail : samples[k];
        const b = samples[Math.min(k + 1, samples.length - 1)];
        out[i] = (a + (b - a) * (p - k)) * scale;
      }
    }
    this.tail = samples[samples.length - 1];
  }
}
