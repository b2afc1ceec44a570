#include "services/anim_graph/core/output.h"

#include <algorithm>
#include <utility>

namespace posewire::anim_graph {
namespace {

void FillAbsent(const skel::PoseView& from, const skel::PoseSpan& to) {
  for (int j = 0; j < to.joints; ++j) {
    if (!to.has_t[j]) to.SetTranslation(j, from.translation(j));
    if (!to.has_r[j]) to.SetRotation(j, from.rotation(j));
    if (!to.has_s[j]) to.SetScale(j, from.scale(j));
  }
  for (int s = 0; s < to.shapes; ++s) {
    if (!to.has_w[s]) to.SetWeight(s, from.weights[s]);
  }
}

}  // namespace

Output::Output(std::shared_ptr<const skel::Rig> rig, const EngineSettings& settings)
    : rig_(std::move(rig)),
      settings_(settings),
      pose_(rig_->joints(), rig_->shapes()),
      previous_(rig_->joints(), rig_->shapes()),
      writer_(rig_->joints(), rig_->shapes()) {
  previous_.span().CopyFrom(rig_->rest());
}

absl::StatusOr<std::unique_ptr<Output>> Output::Make(std::shared_ptr<const skel::Rig> avatar_rig,
                                                     std::shared_ptr<const skel::Rig> rig,
                                                     const EngineSettings& settings) {
  std::unique_ptr<Output> output(new Output(rig, settings));
  if (rig != avatar_rig) {
    auto map = skel::RigMap::Make(std::move(avatar_rig), std::move(rig));
    if (!map.ok()) return map.status();
    output->map_.emplace(*std::move(map));
  }
  return output;
}

wire::EncodedFrame Output::Header(const wire::StreamIds& ids, double epoch_s) const {
  wire::StreamHeader header;
  header.ids = ids;
  header.source_service_id = "posewire-anim-graph";
  header.audio_rate_hz = settings_.audio_rate_hz;
  const auto names = settings_.joint_paths ? rig_->joint_paths() : rig_->joint_names();
  header.joints.assign(names.begin(), names.end());
  header.shapes.assign(rig_->shape_names().begin(), rig_->shape_names().end());
  header.epoch_s = epoch_s;
  return wire::EncodeHeader(header);
}

const wire::EncodedFrame& Output::Encode(wire::OutputFrame frame) {
  const skel::PoseSpan& pose = pose_.span();
  if (map_) {
    map_->Apply(frame.pose, pose);
    FillAbsent(rig_->rest(), pose);
  } else {
    pose.CopyFrom(frame.pose);
  }
  if (settings_.root_translations_only) {
    const skel::PoseView rest = rig_->rest();
    for (int j = 0; j < pose.joints; ++j) {
      const int parent = rig_->topology().parent(j);
      const bool root_or_hips = parent < 0 || rig_->joint_names()[static_cast<size_t>(j)] == "Hips";
      if (!root_or_hips) pose.SetTranslation(j, rest.translation(j));
    }
  }
  if (settings_.clamp_shapes) {
    for (int s = 0; s < pose.shapes; ++s) pose.weights[s] = std::clamp(pose.weights[s], 0.0f, 1.0f);
  }
  KeepSigns();
  frame.pose = pose_.view();
  frame_ = writer_.Write(frame);
  return frame_;
}

// Successive rotations stand on the same half of the sphere, so that consumers may lerp.
void Output::KeepSigns() {
  const skel::PoseSpan& pose = pose_.span();
  const skel::PoseView last = previous_.view();
  for (int j = 0; j < pose.joints; ++j) {
    if (Dot(pose.rotation(j), last.rotation(j)) < 0) pose.SetRotation(j, -pose.rotation(j));
  }
  previous_.span().CopyFrom(pose_.view());
}

}  // namespace posewire::anim_graph
