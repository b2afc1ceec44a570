#include "services/renderer_sink/stream/live_avatar.h"

#include "libs/character/read_character.h"
#include "services/renderer_sink/render/background.h"

namespace posewire::renderer_sink {

absl::StatusOr<LiveAvatar> MakeLiveAvatar(const skel::RigCatalog& catalog, const LiveLook& look) {
  auto character = character::OpenCharacter(look.avatar, catalog);
  if (!character.ok()) return character.status();
  auto camera =
      render::CameraPreset(look.camera, (*character)->framing, static_cast<float>(look.turn_deg));
  if (!camera.ok()) return camera.status();
  auto background = ReadBackground(look.background);
  if (!background.ok()) return background.status();
  const auto painter = [character = *character, background = *background, parts = look.look](
                           int width,
                           int height) -> absl::StatusOr<std::unique_ptr<render::Painter>> {
    auto made = render::Painter::Make(character, width, height, background, render::Edges::kQuick);
    if (!made.ok()) return made.status();
    if (absl::Status s = ChooseLook(parts, **made); !s.ok()) return s;
    return made;
  };
  return LiveAvatar{*character, (*character)->rig, (*character)->at_ease, *camera, painter};
}

}  // namespace posewire::renderer_sink
