// What a microphone hears, in portions.

// Of speech; a third of what a sound card mostly gives, and more than the lips need.
const RATE_HZ = 24000;
const WORKLET = "/microphone_worklet.js";

// Why there can be no microphone, as far as is known without asking for it; null: there may be one.
export function whyNone() {
  if (!window.isSecureContext) {
    return "Browsers let a page hear a microphone only over https, or on this very machine.";
  }
  if (!navigator.mediaDevices?.getUserMedia || !window.AudioWorkletNode) {
    return "This browser gives pages no microphone.";
  }
  return null;
}

// The error of getUserMedia for a person.
function refusal(error) {
  switch (error.name) {
    case "NotAllowedError":
    case "SecurityError":
      return "The browser does not let this page hear the microphone; its settings for this page can.";
    case "NotFoundError":
    case "OverconstrainedError":
      return "There is no microphone.";
    case "NotReadableError":
      return "The microphone cannot be read; another program may be using it.";
    default:
      return `The microphone cannot be used: ${error.message}`;
  }
}

export class Capture {
  constructor() {
    this.context = null;
    this.stream = null;
    this.stopped = false;
  }

  get rate_hz() { return this.context.sampleRate; }

  // Asks for the microphone. Resolves once it is open. `gone` is called when the microphone is
  // unplugged or taken away. Rejects with what a person should read.
  async start(gone) {
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: {
        channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
    } catch (error) {
      throw new Error(refusal(error));
    }
    if (this.stopped) return this.stop();
    this.stream.getAudioTracks()[0].onended = gone;
    const source = this.connect();
    await this.context.audioWorklet.addModule(WORKLET);
    if (this.stopped) return this.stop();
    this.node = new AudioWorkletNode(this.context, "microphone-portions", { channelCount: 1,
      channelCountMode: "explicit" });
    // What reaches no loudspeaker is not run by every browser; the node itself gives silence.
    source.connect(this.node).connect(this.context.destination);
    await this.context.resume();
    return undefined;
  }

  // A port that gives portions from now on, as microphone_worklet.js makes them.
  portions() {
    const { port1, port2 } = new MessageChannel();
    this.node.port.postMessage(port1, [port1]);
    return port2;
  }

  // Some browsers do not change a microphone's rate.
  connect() {
    try {
      this.context = new AudioContext({ latencyHint: "interactive", sampleRate: RATE_HZ });
      return this.context.createMediaStreamSource(this.stream);
    } catch {
      if (this.context) this.context.close();
      this.context = new AudioContext({ latencyHint: "interactive" });
      return this.context.createMediaStreamSource(this.stream);
    }
  }

  // The browser's sign that a page hears goes out.
  stop() {
    this.stopped = true;
    for (const track of this.stream?.getTracks() || []) {
      track.onended = null;
      track.stop();
    }
    if (this.context && this.context.state !== "closed") this.context.close();
  }
}
