// A WebSocket in a thread of its own, into which a microphone's portions go as they come: drawing holds
// up the page's own thread for longer than a voice can wait.

// Runs in the worker, of which it is the whole script.
function work() {
  // Older portions would make all that comes after them late.
  const MOST_LATE_S = 0.15;
  const FORGET_S = 1e-5;  // a portion: two clocks may differ by so much in 20 ms
  let socket = null;
  let least = Infinity;   // between when a portion was heard and when it is here
  const take = ({ data: { samples, loudest, at_s } }) => {
    const here = performance.now() / 1000 - at_s;
    least = Math.min(least + FORGET_S, here);
    const late = here - least > MOST_LATE_S || socket.bufferedAmount > 4 * samples.byteLength;
    const taken = socket.readyState === 1 && !late;
    if (taken) socket.send(samples);
    postMessage({ portion: { loudest, late, count: samples.length } });
  };
  self.onmessage = ({ data }) => {
    if (data.open) {
      socket = new WebSocket(data.open);
      socket.onopen = () => postMessage({ open: true });
      socket.onmessage = (event) => postMessage({ text: event.data });
      socket.onclose = () => postMessage({ close: true });
    } else if (data.feed) {
      data.feed.onmessage = take;
    } else if (data.close) {
      socket.close();
    } else if (socket.readyState === 1) {
      socket.send(data.send);
    }
  };
}

// As a WebSocket, as far as OwnVoice needs it.
export class LiveSocket {
  // `onPortion` gets {loudest, late, count}: the loudest sample of each portion (0 to 1), whether it
  // came too late to be sent, and its samples.
  constructor(address, onPortion) {
    const script = URL.createObjectURL(new Blob([`(${work})()`], { type: "text/javascript" }));
    this.worker = new Worker(script);
    URL.revokeObjectURL(script);
    this.worker.onmessage = ({ data }) => {
      if (data.portion) onPortion(data.portion);
      else if (data.open) this.onopen();
      else if (data.text !== undefined) this.onmessage({ data: data.text });
      else {
        this.worker.terminate();
        this.onclose();
      }
    };
    this.worker.postMessage({ open: address });
  }

  // A MessagePort that gives portions as microphone_worklet.js does; they are sent from now on.
  feed(port) { this.worker.postMessage({ feed: port }, [port]); }

  // Leaves out what comes when the socket is not open.
  send(what) { this.worker.postMessage({ send: what }); }
  close() { this.worker.postMessage({ close: true }); }
}
