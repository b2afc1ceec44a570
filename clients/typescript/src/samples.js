// A caller's voice as the source takes it: signed 16 bit, little-endian, interleaved.
import { PosewireError } from "./errors.js";

/** @typedef {import("./types.js").Samples} Samples */
/** @typedef {import("./types.js").Sound} Sound */

/** Samples that are sent with what is known of them, at most; they grow by a third as text. */
const MOST_KNOWN_BYTES = 512 << 10;

/**
 * @param {unknown} value
 * @returns {value is Samples}
 */
export const isSamples = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);

/**
 * @param {Samples} samples
 * @returns {Uint8Array}
 */
export function pcm(samples) {
  if (samples instanceof ArrayBuffer) return new Uint8Array(samples);
  if (samples instanceof Float32Array) {
    const out = new Int16Array(samples.length);
    for (let i = 0; i < out.length; ++i) {
      if (!Number.isFinite(samples[i])) {
        throw new PosewireError("INVALID_ARGUMENT", `samples[${i}] is ${samples[i]}: must be finite`);
      }
      out[i] = Math.max(-1, Math.min(1, samples[i])) * 32767;
    }
    return new Uint8Array(out.buffer);
  }
  if (samples instanceof Int16Array || samples instanceof Uint8Array) {
    return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  }
  const kind = /** @type {any} */ (samples)?.constructor?.name || typeof samples;
  throw new PosewireError("INVALID_ARGUMENT",
    `samples are ${kind}: give an Int16Array, a Float32Array, or the bytes of 16 bit samples`);
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
}

/** @param {Sound} sound */
export const isKnown = ({ text, words, phonemes, endsClause }) =>
  Boolean(text || words?.length || phonemes?.length || endsClause);

/**
 * A SaySound as JSON.
 * @param {Sound} sound
 * @param {Uint8Array} bytes its samples
 */
export function soundPart({ text = "", words = [], phonemes = [], endsClause = false }, bytes) {
  if (bytes.length > MOST_KNOWN_BYTES) {
    throw new PosewireError("INVALID_ARGUMENT", `samples have ${bytes.length} bytes; with text, words, ` +
      `phonemes or endsClause at most ${MOST_KNOWN_BYTES}: give a Sound for each clause`);
  }
  return { sound: { samples: base64(bytes), text, words, phonemes, ends_clause: endsClause } };
}
