// Things of the scene: which avatar is to show each.

// Each avatar of a stream is told of all its things, as seen from where it stands. Whoever holds one
// shows it, else the first of the stream that is in view.
export function isShownBy(avatar, prop, shown) {
  const mates = shown.filter(({ state }) => state.stream_id === avatar.state.stream_id);
  const holder = prop.heldBy && mates.find(({ state }) => state.target_object_id === prop.heldBy);
  return avatar === (holder || mates[0]);
}
