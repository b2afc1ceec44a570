// The avatar that a live film shows: all that the film knows of what is drawn and how.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/render/painter.h"
#include "libs/skel/rig.h"

namespace posewire::renderer_sink {

struct LiveAvatar {
  std::shared_ptr<const skel::Rig> rig;  // that poses are on
  render::Camera camera;
  // Errors as of render::Painter::Make.
  std::function<absl::StatusOr<std::unique_ptr<render::Painter>>(int width, int height)> painter;
};

// The built-in one, on a rig of the catalogue. `camera` and `turn_deg` as of render::CameraPreset,
// with its errors.
absl::StatusOr<LiveAvatar> MakeLiveAvatar(const skel::RigCatalog& catalog,
                                          const std::string& camera, double turn_deg);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_
