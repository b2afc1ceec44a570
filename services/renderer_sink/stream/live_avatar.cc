#include "services/renderer_sink/stream/live_avatar.h"

#include "libs/avatar/simplify.h"

namespace posewire::renderer_sink {

absl::StatusOr<LiveAvatar> MakeLiveAvatar(const skel::RigCatalog& catalog) {
  auto rig = catalog.Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  auto model = avatar::MakeModel(*rig);
  if (!model.ok()) return model.status();
  return std::make_shared<const avatar::Model>(avatar::MakeLight(*model));
}

}  // namespace posewire::renderer_sink
