// How the stream, the page and the voice are doing, in numbers.

// What an avatar that could be subdivided is drawn by, and why.
function surfaceOf({ model, layout, detail }, { left }) {
  if (!model || !layout || !layout.surface_url) return [];
  const rows = [["height in the picture", `${detail.pixels.toFixed(0)} pixels`]];
  if (detail.fine) rows.push(["surface", model.surface ? "subdivided" : "the file's, until the subdivided one is there"]);
  else rows.push(["surface", left ? "the file's: the page is too slow" : "the file's: it is small", left ? "warn" : ""]);
  return rows;
}

// [heading, [[name, value, "bad", "warn" or nothing]...]]..., as Health shows them.
export function healthParts(page) {
  const { avatar, stage, speaker } = page;
  const ms = (s) => `${(s * 1000).toFixed(1)} ms`;
  const parts = [];
  if (avatar) {
    const { stats, clock, voice, layout } = avatar;
    if (stats) {
      parts.push(["Stream, as the server pulls it", [
        ["frames a second", stats.fps.toFixed(1), stats.fps < 1 ? "bad" : ""],
        ["late by, median", `${stats.late_ms[0].toFixed(1)} ms`],
        ["late by, 99 of 100", `${stats.late_ms[2].toFixed(1)} ms`],
        ["late frames", stats.late, stats.late ? "warn" : ""],
        ["gaps", `${stats.gaps} (${stats.gap_s.toFixed(2)} s)`, stats.gaps ? "warn" : ""],
        ["frames without pose", stats.without_pose, stats.without_pose ? "warn" : ""],
        ["reconnections", stats.reconnections, stats.reconnections ? "warn" : ""],
        ["viewers", stats.viewers],
      ]]);
    }
    const buffered = avatar.ring.length && avatar.shownAt !== null
      ? avatar.ring.last().at - avatar.shownAt : 0;
    parts.push(["This page", [
      ["buffered ahead", ms(buffered), buffered < 0 ? "warn" : ""],
      ["delay kept for jitter", ms(clock.delay())],
      ["jitter of arrivals", ms(clock.jitter())],
      ["clock rate", clock.rate.toFixed(4)],
      ["clock jumps", clock.jumps],
      ["poses dropped for us", avatar.dropped, avatar.dropped ? "warn" : ""],
      ["frames lost", avatar.lost, avatar.lost ? "warn" : ""],
      ["received", `${(page.link.bytes / 1e6).toFixed(1)} MB`],
      ["drawn a second", page.fps.toFixed(0), page.fps < 20 ? "warn" : ""],
      ["cost of a frame", `${stage.cost_ms.toFixed(1)} ms`],
    ]]);
    parts.push(["Voice", [
      ["sound", speaker.running ? (speaker.heard ? "on" : "muted") : "off"],
      ["sound minus lips", ms(voice.error_s), Math.abs(voice.error_s) > 0.04 ? "bad" : ""],
      ["worst of late", ms(voice.worst_s)],
      ["loudspeaker's latency", ms(speaker.latency)],
      ["rate", layout ? `${layout.audio_hz} Hz` : ""],
      ["started anew", voice.starts],
      ["too late to play", voice.late, voice.late ? "warn" : ""],
    ]]);
    parts.push(["Avatar", [
      ["rig", layout ? layout.rig || "unknown" : ""],
      ["joints", layout ? layout.joints.length : 0],
      ["shapes", layout ? layout.shapes.length : 0],
      ...surfaceOf(avatar, stage),
      ...(avatar.offsets ? [
        ["offsets, how much is shown", `${(100 * avatar.offsets.share).toFixed(0)} %`],
        ["offsets received", `${(avatar.offsets.received / 1e6).toFixed(1)} MB`],
      ] : []),
    ]]);
  }
  return parts;
}
