/**
 * An id for a request of this program. crypto.randomUUID is not there in a page without TLS.
 * @param {string} [who] what it begins with
 */
export function newId(who = "page") {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `${who}-${[...bytes].map((b) => b.toString(16).padStart(2, "0")).join("")}`;
}
