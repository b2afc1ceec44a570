#include "services/renderer_sink/draw/offset_mixer.h"

#include <algorithm>
#include <utility>

#include "libs/character/offset_points.h"
#include "libs/skel/humanoid.h"

namespace posewire::renderer_sink {

OffsetMixer::OffsetMixer(std::shared_ptr<const character::Character> character)
    : character_(std::move(character)),
      deformer_(character_),
      skin_(deformer_),
      character_hash_(character::MeshHash(skin_, *character_)) {
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
  weighed_.reserve(wire::Contributions::kMost);
  shown_.resize(wire::Contributions::kMost);
  for (Shown& shown : shown_) {
    shown.offsets.resize(skin_.points());
    shown.shares.resize(skin_.points());
  }
}

absl::StatusOr<render::OffsetMix> OffsetMixer::Of(const wire::Contributions& seen,
                                                  Offsets offsets) {
  weighed_.clear();
  std::fill(own_.begin(), own_.end(), 1.0f);
  float live = 0;
  for (const wire::Contribution& c : seen.contributions) {
    if (c.clip.empty()) live = std::max(live, c.weight);
  }
  for (const wire::Contribution& c : seen.contributions) {
    if (c.clip.empty() || weighed_.size() == shown_.size()) continue;
    Shown& shown = shown_[weighed_.size()];
    absl::StatusOr<float> there = -1;
    if (!c.mirrored && c.clip_hash != 0) there = offsets(c, absl::MakeSpan(shown.offsets));
    if (!there.ok()) return there.status();
    if (*there < 0 && (missing_.size() < kMostMissing || missing_.count(c.clip) > 0)) {
      ++missing_[c.clip];
    }
    if (*there <= 0) continue;
    c.Shares(*character_->rig, absl::MakeSpan(joints_));
    for (size_t j = 0; j < joints_.size(); ++j) {
      joints_[j] *= of_head_[j] ? *there * (1 - live) : *there;
    }
    if (absl::Status s = skin_.Shares(*character_, joints_, absl::MakeSpan(shown.shares));
        !s.ok()) {
      return s;
    }
    weighed_.push_back({shown.offsets, 1, shown.shares});
    // An additive clip comes on top.
    if (c.additive) continue;
    for (size_t i = 0; i < own_.size(); ++i) own_[i] = std::max(own_[i] - shown.shares[i], 0.0f);
  }
  return render::OffsetMix{weighed_, own_};
}

}  // namespace posewire::renderer_sink
