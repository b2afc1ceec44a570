// Measures the rate of a headset or phone whose browser does not report one.

const LEAST_HZ = 30;  // also until enough frames have come
const INTERVALS = 31;

export class FrameRate {
  constructor(most_hz) {
    this.most_hz = most_hz;
    this.hz = LEAST_HZ;
    this.last_ms = null;
    this.intervals = [];
  }

  // Adds a frame and returns the rate: that of the median of the first intervals, so that a few late
  // frames, while models load, do not count.
  after(time_ms) {
    if (this.intervals.length === INTERVALS) return this.hz;
    if (this.last_ms !== null && time_ms > this.last_ms) this.intervals.push(time_ms - this.last_ms);
    this.last_ms = time_ms;
    if (this.intervals.length === INTERVALS) {
      const median_ms = this.intervals.sort((a, b) => a - b)[(INTERVALS - 1) / 2];
      this.hz = Math.min(this.most_hz, Math.max(LEAST_HZ, 1000 / median_ms));
    }
    return this.hz;
  }
}
