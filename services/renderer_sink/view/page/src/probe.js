// What tests and the curious look at: window.posewire.probe().

export function probeOf(page) {
  return {
    connected: page.connected,
    drawn_fps: page.fps,
    cost_ms: page.stage.cost_ms,
    ratio: page.stage.ratio,
    left_out: page.stage.left,
    immersive: page.immersive.presenting ? { ...page.immersive.presenting, user: page.immersive.user.last } : null,
    sound: page.speaker.running ? page.speaker.level() : null,
    calls: page.stage.renderer.info.render.calls,
    triangles: page.stage.renderer.info.render.triangles,
    avatars: page.avatars.map((avatar) => ({
      stream_id: avatar.state.stream_id,
      state: avatar.state.state,
      at: avatar.shownAt,
      frames: avatar.frames,
      dropped: avatar.dropped,
      lost: avatar.lost,
      jumps: avatar.clock.jumps,
      delay_s: avatar.clock.delay(),
      jawOpen: avatar.weight("jawOpen"),
      mouth_m: avatar.model ? avatar.model.shapes.mouthOpen() : avatar.mannequin ? avatar.mannequin.mouthOpen() : 0,
      model: Boolean(avatar.model),
      offsets: avatar.offsets ? avatar.offsets.share : null,
      pixels: avatar.detail.pixels,
      subdivided: avatar.model && avatar.model.surface ? avatar.model.surface.share : 0,
      wrist: avatar.layout ? avatar.place("r_wrist") : null,
      av_error_s: avatar.voice.error_s,
      av_worst_s: avatar.voice.worst_s,
      voice_late: avatar.voice.late,
      voice_starts: avatar.voice.starts,
    })),
  };
}
