#include <algorithm>
#include <memory>
#include <utility>

#include "libs/clip/clip.h"
#include "libs/clip/model_error.h"
#include "libs/clip/pack_poses.h"
#include "libs/clip/step_search.h"
#include "libs/clip/tracks.h"

namespace posewire::clip {
namespace {

// Maximum distance that a weight of 1 moves a point.
constexpr float kWeightWay_m = 0.1f;
// How many times all steps are reduced if the measured error is too large.
constexpr int kTries = 6;

bool SameSize(const skel::Rig& rig, const std::vector<skel::Pose>& poses) {
  return std::all_of(poses.begin(), poses.end(), [&](const skel::Pose& pose) {
    return pose.joints() == rig.joints() && pose.shapes() == rig.shapes();
  });
}

// Returns whether any scale differs from 1, which the step bound does not take into account.
bool Scaled(const Tracks& tracks, const skel::PoseView& first, const skel::PoseView& rest) {
  for (const Track& track : tracks.tracks) {
    if (track.kind == TrackKind::kScale) return true;
  }
  for (int j = 0; j < first.joints; ++j) {
    const skel::Vec3 s = first.has_s[j] ? first.scale(j) : rest.scale(j);
    if (s.x != 1 || s.y != 1 || s.z != 1) return true;
  }
  return false;
}

// Determines which kinds have present values that no track moves.
void NoteStill(const skel::PoseView& first, PackedPoses& packed) {
  std::vector<bool> turns(static_cast<size_t>(first.joints));
  for (const TurnGroup& group : packed.turns) {
    for (const uint16_t joint : group.joint) turns[joint] = true;
  }
  // For each row tx ... sz and the weights.
  std::vector<std::vector<bool>> moves(
      kValueRows, std::vector<bool>(static_cast<size_t>(std::max(first.joints, first.shapes))));
  for (const ValueGroup& group : packed.values) {
    for (const uint16_t place : group.place) moves[place >> 12][place & 0xfff] = true;
  }
  const auto all = [&](size_t row, size_t count, size_t i) {
    for (size_t r = row; r < row + count; ++r) {
      if (!moves[r][i]) return false;
    }
    return true;
  };
  for (size_t j = 0; j < turns.size(); ++j) {
    packed.still_turns = packed.still_turns || (first.has_r[j] && !turns[j]);
    packed.still_moves = packed.still_moves || (first.has_t[j] && !all(0, 3, j));
    packed.still_scales = packed.still_scales || (first.has_s[j] && !all(3, 3, j));
  }
  for (size_t s = 0; s < static_cast<size_t>(first.shapes); ++s) {
    packed.still_weights = packed.still_weights || (first.has_w[s] && !all(6, 1, s));
  }
}

void ScaleSteps(float by, Tracks& tracks) {
  for (Track& track : tracks.tracks) {
    if (track.kind != TrackKind::kWeight) track.step *= by;
  }
}

}  // namespace

std::shared_ptr<const Clip> Clip::Compressed(const Precision& precision, StopCheck stopped) const {
  if (packed_ || frames() < 2 || rig_ == nullptr || !(precision.error_m > 0)) return nullptr;
  if (!SameSize(*rig_, frames_)) return nullptr;
  Tracks tracks;
  if (!FindTracks(frames_, tracks, stopped)) return nullptr;
  for (Track& track : tracks.tracks) {
    if (track.kind == TrackKind::kWeight) track.step = 2 * precision.error_m / kWeightWay_m;
  }
  const bool measured = !precision.quick || Scaled(tracks, frames_[0].view(), rig_->rest());
  BoundSteps(*rig_, frames_, precision.error_m, tracks);
  if (!precision.quick) WidenSteps(*rig_, frames_, precision.error_m, tracks, stopped);
  if (stopped()) return nullptr;

  auto packed = std::make_shared<PackedPoses>();
  auto clip = std::make_shared<Clip>(name_, rig_, rate_, std::vector<skel::Pose>(), loops_, kind_);
  clip->hash_ = content_hash();
  clip->camera_at_ = camera_at_;
  ModelError error(*rig_);
  skel::Pose pose(rig_->joints(), rig_->shapes()), exact = pose;
  for (int i = 0; i < kTries; ++i) {
    if (!PackPoses(tracks, *packed, stopped)) return nullptr;
    packed->first = ThinPose(frames_[0].view(), rig_->rest());
    NoteStill(frames_[0].view(), *packed);
    clip->packed_ = packed;
    if (clip->bytes() >= bytes()) return nullptr;
    if (!measured) return clip;
    float most = 0;
    for (int f = 0; f < frames(); ++f) {
      if (stopped()) return nullptr;
      clip->CopyFrame(f, pose.span());
      CopyFrame(f, exact.span());
      most = std::max(most, error.Of(pose.view(), exact.view()));
    }
    if (most <= precision.error_m) return clip;
    ScaleSteps(0.97f * precision.error_m / most, tracks);
  }
  return nullptr;
}

std::shared_ptr<const Clip> CompressedOrAsIs(std::shared_ptr<const Clip> clip,
                                             const Precision& precision, StopCheck stopped) {
  std::shared_ptr<const Clip> less = clip->Compressed(precision, stopped);
  return less == nullptr ? std::move(clip) : std::move(less);
}

}  // namespace posewire::clip
