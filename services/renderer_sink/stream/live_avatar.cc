#include "services/renderer_sink/stream/live_avatar.h"

#include "libs/avatar/model.h"
#include "libs/avatar/simplify.h"

namespace posewire::renderer_sink {

absl::StatusOr<LiveAvatar> MakeLiveAvatar(const skel::RigCatalog& catalog,
                                          const std::string& camera, double turn_deg) {
  auto view = render::CameraPreset(camera, static_cast<float>(turn_deg));
  if (!view.ok()) return view.status();
  auto rig = catalog.Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  auto model = avatar::MakeModel(*rig);
  if (!model.ok()) return model.status();
  auto light = std::make_shared<const avatar::Model>(avatar::MakeLight(*model));
  return LiveAvatar{light->rig, *view, [light](int width, int height) {
                      return render::Painter::Make(*light, width, height);
                    }};
}

}  // namespace posewire::renderer_sink
