#include "services/renderer_sink/draw/offset_mixer.h"

#include <algorithm>
#include <utility>

#include "libs/character/offset_points.h"
#include "libs/skel/humanoid.h"

namespace posewire::renderer_sink {

OffsetMixer::OffsetMixer(std::shared_ptr<const character::Character> character,
                         std::shared_ptr<const character::ShapeOffsets> shapes)
    : character_(std::move(character)),
      shapes_(std::move(shapes)),
      deformer_(character_),
      skin_(deformer_),
      character_hash_(character::MeshHash(skin_, *character_)),
      head_(*character_->rig, 0) {
  const skel::Rig& rig = *character_->rig;
  if (const int head = rig.humanoid().joint(skel::HumanBone::kHead); head >= 0) {
    head_.SetSubtree(rig, rig.joint_paths()[static_cast<size_t>(head)], 1).IgnoreError();
  }
  joints_.resize(static_cast<size_t>(rig.joints()));
  if (shapes_ != nullptr) face_.resize(skin_.points());
  weighed_.reserve(wire::Contributions::kMost + 1);
  shown_.resize(wire::Contributions::kMost);
  for (Shown& shown : shown_) {
    shown.offsets.resize(skin_.points());
    shown.shares.resize(skin_.points());
  }
}

absl::Status OffsetMixer::Add(const wire::Contribution& clip, float there, float head,
                              Shown& shown) {
  clip.Shares(*character_->rig, absl::MakeSpan(joints_));
  for (size_t j = 0; j < joints_.size(); ++j) {
    joints_[j] *= head_.joint(static_cast<int>(j)) > 0 ? there * head : there;
  }
  if (absl::Status s = skin_.Shares(*character_, joints_, absl::MakeSpan(shown.shares)); !s.ok()) {
    return s;
  }
  if (clip.mirrored) {
    mirror_->Mirror(absl::MakeSpan(shown.offsets), absl::MakeSpan(shown.shares));
  }
  weighed_.push_back({shown.offsets, 1, shown.shares});
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const mesh::WeighedOffsets>> OffsetMixer::Of(
    const skel::PoseView& pose, const wire::Contributions& seen, Offsets offsets) {
  weighed_.clear();
  float live = 0;
  if (shapes_ != nullptr) {
    shapes_->Sum(pose, absl::MakeSpan(face_));
    weighed_.push_back({face_, 1});
  } else {
    for (const wire::Contribution& c : seen.contributions) {
      if (c.clip.empty()) live = std::max(live, c.weight);
    }
  }
  size_t clips = 0;
  for (const wire::Contribution& c : seen.contributions) {
    if (c.clip.empty() || clips == shown_.size()) continue;
    Shown& shown = shown_[clips];
    absl::StatusOr<float> there = -1;
    if (c.mirrored && !mirror_) mirror_.emplace(skin_.rest());
    if (c.clip_hash != 0 && (!c.mirrored || mirror_->symmetric())) {
      there = offsets(c, absl::MakeSpan(shown.offsets));
    }
    if (!there.ok()) return there.status();
    if (*there < 0 && (missing_.size() < kMostMissing || missing_.count(c.clip) > 0)) {
      ++missing_[c.clip];
    }
    if (*there <= 0) continue;
    if (absl::Status s = Add(c, *there, 1 - live, shown); !s.ok()) return s;
    ++clips;
  }
  return absl::Span<const mesh::WeighedOffsets>(weighed_);
}

}  // namespace posewire::renderer_sink
