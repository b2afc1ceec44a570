#include "services/anim_graph/core/output.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "libs/skel/humanoid.h"

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

Output::Output(std::shared_ptr<const skel::Rig> rig, const EngineSettings& settings,
               wire::FrameWriter* writer)
    : rig_(std::move(rig)), settings_(settings), writer_(writer) {}

absl::StatusOr<std::unique_ptr<Output>> Output::Make(std::shared_ptr<const skel::Rig> avatar_rig,
                                                     std::shared_ptr<const skel::Rig> rig,
                                                     const EngineSettings& settings,
                                                     wire::FrameWriter* writer) {
  std::unique_ptr<Output> output(new Output(rig, settings, writer));
  if (rig == avatar_rig && !settings.root_translations_only && !settings.clamp_shapes) {
    return output;
  }
  output->changed_ = std::make_unique<Changed>(rig->joints(), rig->shapes());
  if (rig != avatar_rig) {
    output->changed_->previous.span().CopyFrom(rig->rest());
    auto map = skel::RigMap::Make(std::move(avatar_rig), rig);
    if (!map.ok()) return map.status();
    output->changed_->map.emplace(*std::move(map));
  }
  return output;
}

wire::EncodedFrame Output::Header(const wire::StreamIds& ids, double epoch_s,
                                  const std::string& passed_on) const {
  wire::StreamHeader header;
  header.ids = ids;
  header.source_service_id = "posewire-anim-graph";
  header.audio_rate_hz = settings_.audio_rate_hz;
  const auto names = settings_.joint_paths ? rig_->joint_paths() : rig_->joint_names();
  header.joints.assign(names.begin(), names.end());
  header.shapes.assign(rig_->shape_names().begin(), rig_->shape_names().end());
  if (settings_.upper_shapes) {
    for (std::string& name : header.shapes) {
      name[0] = absl::ascii_toupper(static_cast<unsigned char>(name[0]));
    }
  }
  header.epoch_s = epoch_s;
  header.unknown_fields = passed_on;
  return wire::EncodeHeader(header);
}

wire::EncodedFrame Output::Encode(wire::OutputFrame frame) {
  frame.pose = PoseOf(frame.pose);
  return writer_->Write(frame);
}

wire::EncodedFrame Output::EncodeSparse(wire::OutputFrame frame, bool complete,
                                        wire::SparsePose* kept, wire::EncodedFrame* whole) {
  const wire::PoseChanges& changes = kept->Update(PoseOf(frame.pose), complete);
  frame.pose = kept->pose();
  const double t = frame.time_code_s;
  const bool quantised = kept->quantised();
  wire::EncodedFrame all;
  if (complete || whole != nullptr) {
    all = quantised ? writer_->WriteQuantised(frame, kept->Bytes(t, nullptr), /*complete=*/true)
                    : writer_->Write(frame);
  }
  if (whole != nullptr) *whole = all;
  if (complete) return all;
  return quantised ? writer_->WriteQuantised(frame, kept->Bytes(t, &changes), /*complete=*/false)
                   : writer_->WriteSparse(frame, changes);
}

// The pose on the output rig.
skel::PoseView Output::PoseOf(const skel::PoseView& from) {
  if (!changed_) return from;
  Change(from);
  return changed_->pose.view();
}

void Output::Change(const skel::PoseView& from) {
  const skel::PoseSpan& pose = changed_->pose.span();
  if (changed_->map) {
    changed_->map->Apply(from, pose);
    FillAbsent(rig_->rest(), pose);
  } else {
    pose.CopyFrom(from);
  }
  if (settings_.root_translations_only) {
    const skel::PoseView rest = rig_->rest();
    const int hips = rig_->humanoid().joint(skel::HumanBone::kHips);
    for (int j = 0; j < pose.joints; ++j) {
      const bool root_or_hips = j == hips || rig_->topology().parent(j) < 0;
      if (!root_or_hips) pose.SetTranslation(j, rest.translation(j));
    }
  }
  if (settings_.clamp_shapes) {
    for (int s = 0; s < pose.shapes; ++s) pose.weights[s] = std::clamp(pose.weights[s], 0.0f, 1.0f);
  }
  if (changed_->map) KeepSigns();
}

// Keeps successive rotations on the same half of the sphere, so that consumers may interpolate
// linearly.
void Output::KeepSigns() {
  const skel::PoseSpan& pose = changed_->pose.span();
  const skel::PoseView last = changed_->previous.view();
  for (int j = 0; j < pose.joints; ++j) {
    if (Dot(pose.rotation(j), last.rotation(j)) < 0) pose.SetRotation(j, -pose.rotation(j));
  }
  changed_->previous.span().CopyFrom(changed_->pose.view());
}

}  // namespace posewire::anim_graph
