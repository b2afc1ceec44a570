#include "libs/graph_loader/carry_clips.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libs/gesture_loader/gestures.h"
#include "libs/skel/rig_map.h"

namespace posewire::graph {
namespace {

std::shared_ptr<const clip::Clip> Carry(const clip::Clip& clip, const skel::RigMap& map) {
  std::vector<skel::Pose> frames;
  skel::Pose frame(clip.rig()->joints(), clip.rig()->shapes());
  for (int i = 0; i < clip.frames(); ++i) {
    clip.CopyFrame(i, frame.span());
    frames.emplace_back(map.to()->joints(), map.to()->shapes());
    map.Apply(frame.view(), frames.back().span());
  }
  return std::make_shared<clip::Clip>(clip.name(), map.to(), clip.rate(), std::move(frames),
                                      clip.loops(), clip.kind());
}

}  // namespace

std::shared_ptr<const clip::ClipLibrary> CarryClips(
    const std::shared_ptr<const clip::ClipLibrary>& clips,
    const std::shared_ptr<const skel::Rig>& rig) {
  if (clips == nullptr) return std::make_shared<clip::ClipLibrary>();
  const auto all = clips->clips();
  if (std::all_of(all.begin(), all.end(), [&](const auto& c) { return c->rig() == rig; })) {
    return clips;
  }
  std::vector<std::pair<const skel::Rig*, absl::StatusOr<skel::RigMap>>> maps;
  std::vector<std::shared_ptr<const clip::Clip>> carried;
  for (const auto& clip : all) {
    if (clip->rig() == rig) {
      carried.push_back(clip);
      continue;
    }
    auto map = std::find_if(maps.begin(), maps.end(),
                            [&](const auto& m) { return m.first == clip->rig().get(); });
    if (map == maps.end()) {
      maps.emplace_back(clip->rig().get(), skel::RigMap::Make(clip->rig(), rig));
      map = maps.end() - 1;
    }
    if (map->second.ok()) carried.push_back(Carry(*clip, *map->second));
  }
  return std::make_shared<clip::ClipLibrary>(std::move(carried));
}

bool MayBeMissing(absl::string_view clip) {
  const auto all = gesture::ListGestures();
  return std::any_of(all.begin(), all.end(), [&](const auto& g) { return g.name == clip; });
}

}  // namespace posewire::graph
