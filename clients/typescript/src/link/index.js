// Frames and calls over the WebSocket of `renderer_sink view`, as its page uses them: docs/view.md.
export { newId } from "../ids.js";
export { StreamClock } from "./clock.js";
export { KEEP_S, Pose, Ring, avatarOf, decode } from "./frames.js";
export { Link } from "./link.js";
export { propsBetween, readProps } from "./props.js";

/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Layout} Layout */
/** @typedef {import("./types.js").LinkOptions} LinkOptions */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Moved} Moved */
/** @typedef {import("./types.js").Prop} Prop */
/** @typedef {import("./types.js").Refusal} Refusal */
