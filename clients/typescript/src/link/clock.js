// Maps this machine's clock to the stream's: when a frame of a given time is to be seen and heard.
//
// The fastest arrivals of the last seconds say how far the two clocks lie apart; frames are shown
// `delay` after that, which covers the jitter that was seen and the loudspeaker's own latency. The
// mapping follows slow drift by running up to 1 % fast or slow, so that no step is seen or heard,
// and jumps only after something broke.

const WINDOW_S = 8;
const LEAST_DELAY_S = 0.08;
const MOST_DELAY_S = 1;
const SPARE_S = 0.04;
const JUMP_S = 0.25;
const MOST_RATE = 0.01;

export class StreamClock {
  constructor() {
    /** Of the loudspeaker, seconds. */
    this.outputLatency = 0;
    /** How often it had to jump. */
    this.jumps = 0;
    /**
     * Of arrival minus time.
     * @private @type {{from: number, least: number, most: number}[]}
     */
    this.windows = [];
    /** @private @type {number | null} */
    this.now = null;
    /** Shown at the last tick, Unix seconds. */
    this.at = 0;
    /** How fast the stream's time goes by. */
    this.rate = 1;
  }

  reset() {
    this.windows = [];
    this.now = null;
    this.at = 0;
    this.rate = 1;
  }

  /**
   * A frame of Unix time `at` came at `now` (performance.now in seconds).
   * @param {number} at
   * @param {number} now
   */
  arrived(at, now) {
    const offset = now - at;
    let window = this.windows[this.windows.length - 1];
    if (!window || now - window.from > WINDOW_S / 2) {
      window = { from: now, least: offset, most: offset };
      this.windows.push(window);
      if (this.windows.length > 3) this.windows.shift();
    }
    window.least = Math.min(window.least, offset);
    // A backlog after a stall is no jitter to wait for.
    if (offset - this.least() < MOST_DELAY_S) window.most = Math.max(window.most, offset);
  }

  /** @private */
  least() { return this.windows.reduce((least, w) => Math.min(least, w.least), Infinity); }
  /** Of the arrivals, seconds. */
  jitter() {
    if (!this.windows.length) return 0;
    const least = this.least();
    // Frames that a stall held back look on time until the first that was not held back comes.
    return this.windows.reduce((jitter, { most }) =>
      most - least < MOST_DELAY_S ? Math.max(jitter, most - least) : jitter, 0);
  }
  /** How long after the fastest arrivals frames are shown, seconds. */
  delay() {
    const wanted = SPARE_S + this.jitter() + this.outputLatency;
    return Math.min(MOST_DELAY_S, Math.max(LEAST_DELAY_S, wanted));
  }

  /**
   * The time to be seen at `now`, Unix seconds; null before the first frame.
   * @param {number} now
   */
  tick(now) {
    if (!this.windows.length) return null;
    const ideal = now - this.least() - this.delay();
    if (this.now === null) {
      this.at = ideal;
    } else {
      const step = Math.max(0, now - this.now);
      this.at += step;
      const error = ideal - this.at;
      if (Math.abs(error) > JUMP_S) {
        this.at = ideal;
        this.rate = 1;
        this.jumps += 1;
      } else {
        this.rate = 1 + Math.max(-MOST_RATE, Math.min(MOST_RATE, error * 0.4));
        this.at += step * (this.rate - 1);
      }
    }
    this.now = now;
    return this.at;
  }

  /**
   * When `at` will be seen, by performance.now in seconds. After the first tick.
   * @param {number} at
   */
  whenSeen(at) { return Number(this.now) + (at - this.at) / this.rate; }
}
