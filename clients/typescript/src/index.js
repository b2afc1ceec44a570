// Avatars that speak what an agent writes, through `renderer_sink view --say-to`.
export { Avatar } from "./avatar.js";
export { PosewireError } from "./errors.js";
export { Speech } from "./speech.js";

/** @typedef {import("./types.js").AvatarEvent} AvatarEvent */
/** @typedef {import("./types.js").AvatarOptions} AvatarOptions */
/** @typedef {import("./types.js").Call} Call */
/** @typedef {import("./types.js").Code} Code */
/** @typedef {import("./types.js").Manner} Manner */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").OpenOptions} OpenOptions */
/** @typedef {import("./types.js").Phoneme} Phoneme */
/** @typedef {import("./types.js").PlayOptions} PlayOptions */
/** @typedef {import("./types.js").Reason} Reason */
/** @typedef {import("./types.js").Samples} Samples */
/** @typedef {import("./types.js").SayOptions} SayOptions */
/** @typedef {import("./types.js").Sound} Sound */
/** @typedef {import("./types.js").SpeechEvent} SpeechEvent */
/** @typedef {import("./types.js").Spoken} Spoken */
/** @typedef {import("./types.js").Value} Value */
/** @typedef {import("./types.js").Voice} Voice */
/** @typedef {import("./types.js").Word} Word */
/** @template T @typedef {import("./types.js").Pieces<T>} Pieces */
