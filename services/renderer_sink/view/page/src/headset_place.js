// Where a headset's room and the scene meet, and why there may be no headset.

// Why no session can be had, and what would help; empty: nothing speaks against it. The arguments are
// those of the window.
export function whyNoSessions({ isSecureContext, xr, hostname }) {
  if (!isSecureContext) {
    return "VR and AR need https: start renderer_sink view with --tls-cert and --tls-key, and open " +
      `https://${hostname}. Without them they work at localhost alone.`;
  }
  return xr ? "" : "This browser offers no VR or AR; that of a headset does.";
}

// Returns the origin, in a space with its floor at Y 0, of the scene's space, so that a user at `head`
// looking along `forward` is at `at`, looking along `-front`.
export function originFor(head, forward, at, front) {
  const turn = Math.atan2(-forward.x, -forward.z) - Math.atan2(front.x, front.z);
  const s = Math.sin(turn), c = Math.cos(turn);
  return {
    position: { x: head.x - (c * at.x + s * at.z), y: 0, z: head.z - (c * at.z - s * at.x) },
    orientation: { x: 0, y: Math.sin(turn / 2), z: 0, w: Math.cos(turn / 2) },
  };
}
