// The avatar that a live film shows: all that the film knows of what is drawn and how.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/character/character.h"
#include "libs/render/painter.h"
#include "libs/skel/rig.h"

namespace posewire::renderer_sink {

struct LiveAvatar {
  std::shared_ptr<const character::Character> character;
  std::shared_ptr<const skel::Rig> rig;  // that poses are on
  skel::Pose at_ease;                    // as of Character
  render::Camera camera;
  // Errors as of render::Painter::Make, and of a look that it has not.
  std::function<absl::StatusOr<std::unique_ptr<render::Painter>>(int width, int height)> painter;
};

// As their flags are written.
struct LiveLook {
  std::string avatar;  // as for character::OpenCharacter
  std::string camera = "bust";
  double turn_deg = 0;
  std::string background = "#dbe0e6";
  std::string look;  // choices of the avatar's parts
};

// Errors: of the file, the camera and the background.
absl::StatusOr<LiveAvatar> MakeLiveAvatar(const skel::RigCatalog& catalog, const LiveLook& look);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_
