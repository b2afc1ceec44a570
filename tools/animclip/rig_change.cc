#include "tools/animclip/rig_change.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/key_between.h"
#include "tools/animclip/rig_choice.h"

namespace posewire::animclip {
namespace {

namespace pb = nvidia_ace::animation_data::v1;

std::set<double> CodesOf(const pb::SkelAnimation& skel) {
  std::set<double> codes;
  for (const auto& key : skel.blend_shape_weights()) codes.insert(key.time_code());
  for (const auto& key : skel.translations()) codes.insert(key.time_code());
  for (const auto& key : skel.rotations()) codes.insert(key.time_code());
  for (const auto& key : skel.scales()) codes.insert(key.time_code());
  return codes;
}

}  // namespace

RigChange::RigChange(std::shared_ptr<const skel::Rig> rig, wire::SourceBinding binding,
                     ForwardClip clip)
    : rig_(std::move(rig)),
      binding_(std::move(binding)),
      clip_(std::move(clip)),
      pose_(rig_->joints(), rig_->shapes()) {}

absl::StatusOr<RigChange> RigChange::Open(const std::string& path, const std::string& rig,
                                          const Console& console) {
  const absl::StatusOr<ClipFacts> facts = GatherFacts(path, console);
  if (!facts.ok()) return facts.status();
  const auto catalog = skel::RigCatalog::Builtin(ShapesFor(facts->header));
  if (!catalog.ok()) return catalog.status();
  const auto target = ChooseRig(rig, facts->header, *catalog);
  if (!target.ok()) return target.status();
  wire::BindingOptions options;
  options.all_translations = true;
  auto binding = wire::SourceBinding::Make(facts->header, *target, *catalog, options);
  if (!binding.ok()) return binding.status();
  auto clip = ForwardClip::Open(path, *facts);
  if (!clip.ok()) return clip.status();
  RigChange change(*target, *std::move(binding), *std::move(clip));
  // A track holds its first value before its first key, so any time shows which values are set.
  if (absl::Status s = change.PoseAt(facts->start_s); !s.ok()) return s;
  change.FindNamed();
  return change;
}

absl::Status RigChange::PoseAt(double t_s) {
  if (absl::Status s = clip_.Advance(t_s); !s.ok()) return s;
  wire::SourceBinding::Sample sample;
  for (int t = 0; t < wire::kPoseTracks; ++t) sample.track[t] = clip_.Sample(t);
  binding_.Apply(sample, pose_.span());
  return absl::OkStatus();
}

void RigChange::FindNamed() {
  const skel::PoseView pose = pose_.view();
  for (int j = 0; j < pose.joints; ++j) {
    if (pose.has_t[j] || pose.has_r[j] || pose.has_s[j]) joints_.push_back(j);
    translates_ |= pose.has_t[j] != 0;
    rotates_ |= pose.has_r[j] != 0;
    scales_ |= pose.has_s[j] != 0;
  }
  for (int s = 0; s < pose.shapes; ++s) {
    if (pose.has_w[s]) shapes_.push_back(s);
  }
}

absl::Status RigChange::Apply(pb::AnimationDataStream* message) {
  if (message->has_animation_data_stream_header()) {
    auto& names = *message->mutable_animation_data_stream_header()->mutable_skel_animation_header();
    names.clear_joints();
    names.clear_blend_shapes();
    for (const int j : joints_) names.add_joints(rig_->joint_paths()[static_cast<size_t>(j)]);
    for (const int s : shapes_) names.add_blend_shapes(rig_->shape_names()[static_cast<size_t>(s)]);
    return absl::OkStatus();
  }
  if (!message->has_animation_data()) return absl::OkStatus();
  if (!message->animation_data().has_skel_animation()) return absl::OkStatus();
  return ApplyData(message->mutable_animation_data()->mutable_skel_animation());
}

absl::Status RigChange::ApplyData(pb::SkelAnimation* skel) {
  const std::set<double> time_codes_s = CodesOf(*skel);
  skel->clear_blend_shape_weights();
  skel->clear_translations();
  skel->clear_rotations();
  skel->clear_scales();
  for (const double time_code_s : time_codes_s) {
    if (!codes_s_.empty() && time_code_s <= codes_s_.back()) {
      // Tracks may come in separate messages with the same times.
      if (std::binary_search(codes_s_.begin(), codes_s_.end(), time_code_s)) continue;
      return absl::InvalidArgumentError(absl::StrFormat(
          "a key at %.6f s follows keys up to %.6f s of other tracks; to change the rig, tracks "
          "must advance together or have the same times",
          time_code_s, codes_s_.back()));
    }
    if (absl::Status s = PoseAt(time_code_s); !s.ok()) return s;
    AddKeys(time_code_s, skel);
    codes_s_.push_back(time_code_s);
  }
  return absl::OkStatus();
}

void RigChange::AddKeys(double time_code_s, pb::SkelAnimation* skel) const {
  const skel::PoseView pose = pose_.view(), rest = rig_->rest();
  if (!shapes_.empty()) {
    auto* weights = skel->add_blend_shape_weights();
    weights->set_time_code(time_code_s);
    for (const int s : shapes_) weights->add_values(pose.weights[s]);
  }
  if (translates_) {
    auto* keys = skel->add_translations();
    keys->set_time_code(time_code_s);
    for (const int j : joints_) {
      Set(pose.has_t[j] ? pose.translation(j) : rest.translation(j), keys->add_values());
    }
  }
  if (rotates_) {
    auto* keys = skel->add_rotations();
    keys->set_time_code(time_code_s);
    for (const int j : joints_) {
      Set(pose.has_r[j] ? pose.rotation(j) : rest.rotation(j), keys->add_values());
    }
  }
  if (scales_) {
    auto* keys = skel->add_scales();
    keys->set_time_code(time_code_s);
    for (const int j : joints_) {
      Set(pose.has_s[j] ? pose.scale(j) : rest.scale(j), keys->add_values());
    }
  }
}

}  // namespace posewire::animclip
