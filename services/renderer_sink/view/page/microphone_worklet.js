// Runs in the browser's audio thread: gives what the microphone hears, in portions of 20 ms, to the
// port that the page sends: {samples, loudest, at_s}, 16 bit samples, the loudest of them (0 to 1), and
// when the last one was heard on the clock of the sound card. A file of its own, since a page may run
// no audio script that it has made itself.
const QUANTUM = 128;  // samples that `process` gets at a time
const PORTION_S = 0.02;

class MicrophonePortions extends AudioWorkletProcessor {
  constructor() {
    super();
    this.size = Math.max(1, Math.round((PORTION_S * sampleRate) / QUANTUM)) * QUANTUM;
    this.to = null;
    this.port.onmessage = ({ data }) => {
      this.to = data;
      this.begin();
    };
  }

  begin() {
    this.samples = new Int16Array(this.size);
    this.count = 0;
    this.loudest = 0;
  }

  process([[heard]]) {
    // There is nothing before the microphone has begun, and after it was unplugged.
    if (!heard || !this.to) return true;
    for (const value of heard) {
      const level = Math.abs(value);
      if (level > this.loudest) this.loudest = level;
      this.samples[this.count++] = Math.max(-32768, Math.min(32767, Math.round(value * 32768)));
    }
    if (this.count === this.size) {
      const { samples, loudest } = this;
      this.to.postMessage({ samples, loudest, at_s: currentTime + heard.length / sampleRate },
        [samples.buffer]);
      this.begin();
    }
    return true;
  }
}

registerProcessor("microphone-portions", MicrophonePortions);
