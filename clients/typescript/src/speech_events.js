// SayEvents of posewire.source.v1 as JSON, which leaves out what is 0 or empty.

/** @typedef {import("./types.js").Reason} Reason */
/** @typedef {import("./types.js").SpeechEvent} SpeechEvent */

/** @type {Record<string, Reason>} */
const REASONS = { COMPLETED: "completed", STOPPED: "stopped", INTERRUPTED: "interrupted" };

/**
 * Null for one that only newer servers know.
 * @param {any} message
 * @returns {SpeechEvent | null}
 */
export function eventOf(message) {
  const [type] = Object.keys(message);
  const part = message[type] || {};
  const times = { start_s: part.start_s || 0, end_s: part.end_s || 0 };
  switch (type) {
    case "accepted": return { type, requestId: part.request_id || "", ahead: part.ahead || 0 };
    case "started": return { type, time_s: part.time_s || 0 };
    case "clause": return { type, index: part.index || 0, text: part.text || "", ...times };
    case "word": return { type, text: part.text || "", ...times };
    case "phoneme": return { type, phone: part.phone || "", ...times };
    case "note": return { type, text: part.text || "" };
    case "ended":
      return { type, reason: REASONS[part.reason] || "failed", spokenText: part.spoken_text || "",
        spoken_s: part.spoken_s || 0, detail: part.detail || "" };
    default: return null;
  }
}
