// Sockets and requests of a page. A page cannot show a token with them, so it logs in first.
// https://datatracker.ietf.org/doc/html/rfc6455, https://fetch.spec.whatwg.org

/** The address that the page was loaded from; empty outside of a page. */
export const HOME = globalThis.location ? location.origin : "";

/**
 * @param {string} url ws: or wss:
 * @param {string} [token] of no use here
 * @returns {import("./types.js").Socket}
 */
export function openSocket(url, token) {
  void token;
  return /** @type {any} */ (new WebSocket(url));
}

/**
 * Headers of a request: none, since the session's cookie goes by itself.
 * @param {string} [token]
 * @returns {Record<string, string>}
 */
export function access(token) {
  void token;
  return {};
}

/**
 * Exchanges a token for a session. The reply of another origin cannot be read: a wrong token shows
 * when the session is used.
 * @param {string} address
 * @param {string} [token]
 * @returns {Promise<Response | null>} the refusal
 */
export async function logIn(address, token) {
  if (!token) return null;
  const own = address === HOME;
  const reply = await fetch(`${address}/login`, {
    method: "POST",
    credentials: "include",
    mode: own ? "same-origin" : "no-cors",
    headers: own ? { "Content-Type": "application/json" } : {},
    body: own ? JSON.stringify({ token }) : new URLSearchParams({ token }),
  });
  return own && !reply.ok ? reply : null;
}
