// Iterating over what callers have.

/** @typedef {{next: () => any, return?: () => any}} AnyIterator */

/**
 * Over a ReadableStream too, which not every browser can iterate over.
 * @param {any} pieces
 * @returns {AnyIterator}
 */
export function iteratorOf(pieces) {
  if (pieces?.[Symbol.asyncIterator]) return pieces[Symbol.asyncIterator]();
  if (pieces?.[Symbol.iterator]) return pieces[Symbol.iterator]();
  if (typeof pieces?.getReader === "function") {
    const reader = pieces.getReader();
    return { next: () => reader.read(), return: () => reader.cancel() };
  }
  throw new TypeError(`a ${typeof pieces} cannot be said: give a text, or something that ` +
    "yields pieces, such as an async generator");
}
