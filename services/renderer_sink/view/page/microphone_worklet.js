// Runs in the browser's audio thread: hands on what the microphone hears, as 16 bit samples in
// portions of 20 ms, with the loudest sample of each (0 to 1). A file of its own, since the page may
// run no script that it has written itself.
const QUANTUM = 128;  // samples that `process` gets at a time
const PORTION_S = 0.02;

class MicrophonePortions extends AudioWorkletProcessor {
  constructor() {
    super();
    this.size = Math.max(1, Math.round((PORTION_S * sampleRate) / QUANTUM)) * QUANTUM;
    this.begin();
  }

  begin() {
    this.samples = new Int16Array(this.size);
    this.count = 0;
    this.loudest = 0;
  }

  process([[heard]]) {
    // There is nothing before the microphone has begun, and after it was unplugged.
    if (!heard) return true;
    for (const value of heard) {
      const level = Math.abs(value);
      if (level > this.loudest) this.loudest = level;
      this.samples[this.count++] = Math.max(-32768, Math.min(32767, Math.round(value * 32767)));
      if (this.count < this.size) continue;
      this.port.postMessage({ samples: this.samples, loudest: Math.min(1, this.loudest) },
        [this.samples.buffer]);
      this.begin();
    }
    return true;
  }
}

registerProcessor("microphone-portions", MicrophonePortions);
