// The form in the frame of <posewire-avatar>: takes the token that the element hands over, so that
// nobody has to type one. As in embedded.js, the parent is one that the server allows, and it hands
// a port to this origin alone.
(() => {
  const logIn = async (token) => {
    const reply = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (!reply.ok) throw new Error((await reply.json()).error);
    if ((await fetch("/session")).status === 401) {
      throw new Error(`the browser keeps no cookie of ${location.origin} in a page of another site; ` +
        "serve it by https, or both by one site");
    }
    location.reload();
  };
  if (window.parent === window) return;
  addEventListener("message", ({ source, data, ports }) => {
    if (source !== window.parent || data !== "posewire" || ports.length !== 1) return;
    const [port] = ports;
    const tell = (event, message) => port.postMessage({ event, detail: { message } });
    port.onmessage = (message) =>
      logIn(message.data.token).catch((error) => tell("refused", error.message));
    tell("login", document.getElementById("reason").textContent);
  });
})();
