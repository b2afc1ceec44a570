#include "services/renderer_sink/render/clip_offsets.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/offset_points.h"
#include "libs/skel/humanoid.h"

namespace posewire::renderer_sink {

namespace fs = std::filesystem;

ClipOffsets::ClipOffsets(std::shared_ptr<const character::Character> character)
    : character_(std::move(character)), deformer_(character_), skin_(deformer_) {
  const skel::Rig& rig = *character_->rig;
  of_head_.resize(static_cast<size_t>(rig.joints()), false);
  const int head = rig.humanoid().joint(skel::HumanBone::kHead);
  for (int j = 0; j < rig.joints(); ++j) {
    const int parent = rig.topology().parent(j);
    of_head_[static_cast<size_t>(j)] =
        j == head || (parent >= 0 && of_head_[static_cast<size_t>(parent)]);
  }
  joints_.resize(of_head_.size());
  own_.resize(skin_.points());
  shown_.resize(wire::Contributions::kMost);
  for (Shown& shown : shown_) {
    shown.offsets.resize(skin_.points());
    shown.shares.resize(skin_.points());
  }
}

absl::StatusOr<std::unique_ptr<ClipOffsets>> ClipOffsets::Open(
    const std::string& folder, std::shared_ptr<const character::Character> character) {
  std::unique_ptr<ClipOffsets> out(new ClipOffsets(std::move(character)));
  const uint64_t mesh_hash = character::MeshHash(out->skin_, *out->character_);
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".offsets") paths.push_back(it->path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  if (paths.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": there are no .offsets files; animclip bake makes them"));
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    auto file = FilmOffsets::Open(path);
    if (!file.ok()) return file.status();
    const uint64_t clip_hash = (*file)->clip_hash();
    if (absl::Status s = (*file)->CheckMesh(mesh_hash); !s.ok()) return s;
    out->files_.emplace(clip_hash, *std::move(file));
  }
  return out;
}

absl::StatusOr<render::OffsetMix> ClipOffsets::Of(const wire::Contributions& seen) {
  weighed_.clear();
  std::fill(own_.begin(), own_.end(), 1.0f);
  float live = 0;
  for (const wire::Contribution& c : seen.contributions) {
    if (c.clip.empty()) live = std::max(live, c.weight);
  }
  for (const wire::Contribution& c : seen.contributions) {
    if (c.clip.empty() || weighed_.size() == shown_.size()) continue;
    const auto file = files_.find(c.clip_hash);
    if (c.mirrored || c.clip_hash == 0 || file == files_.end()) {
      ++missing_[c.clip];
      continue;
    }
    const auto offsets = file->second->At(c.time_s);
    if (!offsets.ok()) return offsets.status();
    Shown& shown = shown_[weighed_.size()];
    c.Shares(*character_->rig, absl::MakeSpan(joints_));
    for (size_t j = 0; j < joints_.size(); ++j) {
      if (of_head_[j]) joints_[j] *= 1 - live;
    }
    if (absl::Status s = skin_.Shares(*character_, joints_, absl::MakeSpan(shown.shares));
        !s.ok()) {
      return s;
    }
    std::copy(offsets->begin(), offsets->end(), shown.offsets.begin());
    weighed_.push_back({shown.offsets, 1, shown.shares});
    // A difference comes on top.
    if (c.additive) continue;
    for (size_t i = 0; i < own_.size(); ++i) own_[i] = std::max(own_[i] - shown.shares[i], 0.0f);
  }
  return render::OffsetMix{weighed_, own_};
}

}  // namespace posewire::renderer_sink
