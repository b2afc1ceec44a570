#include "services/anim_graph/builtin_clips.h"

#include <utility>
#include <vector>

#include "libs/gesture_loader/gestures.h"
#include "libs/graph_loader/carry_clips.h"

namespace posewire::anim_graph {

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeBuiltinClips(
    const skel::RigCatalog& catalog, const std::shared_ptr<const skel::Rig>& rig,
    double precision_mm) {
  const clip::Precision precision{.error_m = static_cast<float>(precision_mm * 1e-3),
                                  .quick = true};
  const auto standard = catalog.Find("hanim_loa3");
  if (!standard.ok()) return standard.status();
  if (rig == *standard) return gesture::MakeGestures(rig, precision);
  auto made = gesture::MakeGestures(*standard);
  if (!made.ok()) return made.status();
  std::vector<std::shared_ptr<const clip::Clip>> clips = graph::CarryClips(*made, rig)->clips();
  for (auto& clip : clips) clip = clip::CompressedOrAsIs(std::move(clip), precision);
  return std::make_shared<const clip::ClipLibrary>(std::move(clips));
}

}  // namespace posewire::anim_graph
