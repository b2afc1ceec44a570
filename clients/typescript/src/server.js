// The server of a `renderer_sink view`: requests, sockets, and why it refuses them.
import { HOME, access, logIn, openSocket } from "#socket";
import { PosewireError, errorOfStatus } from "./errors.js";

export class Server {
  /** @type {Promise<void> | null} */
  #admitted = null;

  /** @param {string} address @param {string} [token] */
  constructor(address = HOME, token) {
    if (!/^https?:\/\/./.test(address)) {
      throw new TypeError(`address is "${address}"; give one such as http://127.0.0.1:8080`);
    }
    this.address = new URL(address).origin;
    this.token = token;
  }

  /** In a page, a token is exchanged for a session before anything else. */
  admitted() {
    this.#admitted ??= this.#logIn().catch((error) => {
      this.#admitted = null;
      throw error;
    });
    return this.#admitted;
  }

  async #logIn() {
    let refusal;
    try {
      refusal = await logIn(this.address, this.token);
    } catch {
      throw await this.explain();
    }
    if (refusal) throw await errorOf(refusal);
  }

  /** @param {string} path of a WebSocket */
  open(path) { return openSocket(this.address.replace(/^http/, "ws") + path, this.token); }

  /**
   * The JSON that a path answers; `params` are posted as JSON.
   * @param {string} path
   * @param {object} [params]
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async ask(path, params, signal) {
    await this.admitted();
    /** @type {RequestInit} */
    const request = { signal, headers: access(this.token),
      ...(params ? { method: "POST", body: JSON.stringify(params) } : {}) };
    let reply;
    try {
      reply = await fetch(this.address + path, request);
      // Scripts of other origins cannot use a session and read the reply, so this is sent unseen.
      if (reply.status === 401 && params && HOME && HOME !== this.address) {
        await fetch(this.address + path, { ...request, mode: "no-cors", credentials: "include" });
        return {};
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw await this.explain();
    }
    if (!reply.ok) throw await errorOf(reply);
    return reply.json();
  }

  /**
   * Why a socket was not opened, or a request not answered.
   * @param {import("./link/types.js").Refusal} [refusal] where it is known
   * @param {boolean} [needsSource]
   * @returns {Promise<PosewireError>}
   */
  async explain(refusal, needsSource = true) {
    if (refusal && refusal.status) return wordedFor(refusal.status, refusal.message);
    const { address } = this;
    if (refusal) {
      return new PosewireError("UNAVAILABLE",
        `cannot reach renderer_sink view at ${address}: ${refusal.message}`);
    }
    // Scripts of a page learn nothing of what was refused, so they ask in other ways.
    const reply = await fetch(`${address}/source/voices`, { headers: access(this.token) })
      .catch(() => null);
    if (reply && !reply.ok && (needsSource || reply.status !== 404)) return errorOf(reply);
    if (!reply && !await fetch(`${address}/healthz`, { mode: "no-cors" }).catch(() => null)) {
      return new PosewireError("UNAVAILABLE",
        `nothing answers at ${address}: is renderer_sink view running there?`);
    }
    if (!reply && !/^https?:/.test(HOME)) {
      return new PosewireError("PERMISSION_DENIED", "a page from a file has no origin; serve it by http");
    }
    if (!reply) {
      return new PosewireError("PERMISSION_DENIED", `${address} does not let pages of ${HOME} call ` +
        `it: start renderer_sink view with --http-allow-origin ${HOME}`);
    }
    return new PosewireError("UNAVAILABLE", `${address} opened no WebSocket`);
  }
}

/** @param {Response} reply */
async function errorOf(reply) {
  const said = await reply.json().then(({ error }) => error, () => "");
  return wordedFor(reply.status, said || `the server says ${reply.status}`);
}

/** @param {number} status @param {string} message */
function wordedFor(status, message) {
  // The paths of the source are there with one alone.
  if (status !== 404) return errorOfStatus(status, message);
  return new PosewireError("UNIMPLEMENTED", "renderer_sink view was started without --say-to: " +
    "it has no source that speaks, such as a2f_source serve");
}
