// What goes wrong in a call.

/** @typedef {import("./types.js").Code} Code */

/** @type {Record<number, Code>} */
const BY_STATUS = {
  400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
  409: "CANCELLED", 413: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};
/** @type {Record<number, Code>} */
const BY_CLOSE = {
  1001: "UNAVAILABLE", 1006: "UNAVAILABLE", 1008: "INVALID_ARGUMENT", 1012: "UNAVAILABLE",
  1013: "UNAVAILABLE",
};

/**
 * A call failed. `code` is the name of its gRPC status, such as "NOT_FOUND"; `message` is what the
 * server says, which names the field, its value and what would be right. While a text is being said,
 * the server tells kinds of errors apart, not all codes: INVALID_ARGUMENT may also be a permission that
 * is missing, and UNAVAILABLE a limit that is reached.
 */
export class PosewireError extends Error {
  /**
   * @param {Code} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "PosewireError";
    /** @type {Code} */
    this.code = code;
  }
}

/**
 * The error of a reply over HTTP.
 * @param {number} status
 * @param {string} message
 */
export function errorOfStatus(status, message) {
  return new PosewireError(BY_STATUS[status] || "INTERNAL", message);
}

/**
 * The error of a WebSocket that was closed.
 * @param {number} code
 * @param {string} message
 */
export function errorOfClose(code, message) {
  return new PosewireError(BY_CLOSE[code] || "INTERNAL", message);
}
