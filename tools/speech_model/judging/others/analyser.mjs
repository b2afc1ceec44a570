// AnalyserNode of the Web Audio API as far as getByteFrequencyData needs it: the last fftSize
// samples, a Blackman window, and magnitudes in dB (-100 to -30 as 0 to 255) that follow those of
// the read before by smoothingTimeConstant.
export class Analyser {
  fftSize = 2048;
  smoothing = 0.8;
  #samples;
  #end = 0;
  #smoothed = null;

  constructor(samples) { this.#samples = samples; }

  get frequencyBinCount() { return this.fftSize / 2; }

  moveTo(end) { this.#end = end; }

  connect() {}

  getByteFrequencyData(bytes) {
    const n = this.fftSize;
    const re = new Float64Array(n);
    const im = new Float64Array(n);
    for (let i = 0; i < n; ++i) {
      const at = this.#end - n + i;
      const x = (2 * Math.PI * i) / n;
      re[i] = (this.#samples[at] ?? 0) * (0.42 - 0.5 * Math.cos(x) + 0.08 * Math.cos(2 * x));
    }
    transform(re, im);
    this.#smoothed ??= new Float64Array(n / 2);
    for (let k = 0; k < n / 2; ++k) {
      const magnitude = Math.hypot(re[k], im[k]) / n;
      this.#smoothed[k] = this.smoothing * this.#smoothed[k] + (1 - this.smoothing) * magnitude;
      const level = (20 * Math.log10(this.#smoothed[k] || 1e-9) + 100) * 255 / 70;
      bytes[k] = Math.max(0, Math.min(255, Math.floor(level)));
    }
  }
}

// In place; the length is a power of two.
function transform(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    for (let k = 0; k < size / 2; ++k) {
      const c = Math.cos((2 * Math.PI * k) / size);
      const s = -Math.sin((2 * Math.PI * k) / size);
      for (let i = k; i < n; i += size) {
        const j = i + size / 2;
        const r = re[j] * c - im[j] * s;
        const m = re[j] * s + im[j] * c;
        re[j] = re[i] - r;
        im[j] = im[i] - m;
        re[i] += r;
        im[i] += m;
      }
    }
  }
}
