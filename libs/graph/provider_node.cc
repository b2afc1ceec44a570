#include "libs/graph/provider_node.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/graph/rest_fill.h"
#include "libs/graph/stack_pose.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {
namespace {

constexpr double kEase_s = 0.3, kMouthBack_s = 0.1;
// Turned by less than this, a face joint counts as left at rest (cosine of half of 0.5 degrees).
constexpr float kStillCos = 0.99999048f;

uint64_t Mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

}  // namespace

ProviderNode::ProviderNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                           bool ease)
    : rig_(std::move(rig)), below_(std::move(below)), ease_(ease) {
  if (ease_) {
    transition_ =
        std::make_unique<Transition>(rig_->joints(), rig_->shapes(), kEase_s, 0, rig_->rest());
    if (below_ == nullptr || !below_->says_all()) {
      below_ease_ = std::make_unique<SwitchEase>(rig_->joints(), rig_->shapes(), 1, kEase_s);
    }
    may_rest_ = below_ != nullptr && below_->says_all() && below_->remembers();
    spare_ = StackPose::SpareFor(rig_->joints(), rig_->shapes());
    if (may_rest_) {
      said_ = std::make_unique<Shown>(0, rig_->joints(), rig_->shapes(), rig_->rest());
    }
  }
  const std::pair<const char*, Part> joints[] = {{"l_eyeball_joint", kEyes},
                                                 {"r_eyeball_joint", kEyes},
                                                 {"LeftEye", kEyes},
                                                 {"RightEye", kEyes},
                                                 {"l_eyelid_joint", kLids},
                                                 {"r_eyelid_joint", kLids},
                                                 {"temporomandibular", kMouth},
                                                 {"Jaw", kMouth}};
  for (const auto& [name, part] : joints) {
    const int j = rig_->FindJoint(name);
    if (j >= 0) face_joints_.push_back({j, part});
  }
  for (int s = 0; s < rig_->shapes(); ++s) {
    const std::string name = absl::AsciiStrToLower(rig_->shape_names()[static_cast<size_t>(s)]);
    if (absl::StartsWith(name, "eyelook")) face_shapes_.emplace_back(s, kEyes);
    if (absl::StartsWith(name, "eyeblink")) face_shapes_.emplace_back(s, kLids);
    if (absl::StartsWith(name, "jaw") || absl::StartsWith(name, "mouth") ||
        absl::StartsWith(name, "tongue") || name == "cheekpuff") {
      face_shapes_.emplace_back(s, kMouth);
    }
  }
}

ProviderNode::Seen& ProviderNode::SeenOf(const ProviderInput& provider) {
  for (Seen& s : seen_) {
    if (s.used && s.playback_id == provider.playback_id) return s;
  }
  Seen& seen = seen_[next_seen_];
  next_seen_ = (next_seen_ + 1) % seen_.size();
  seen = {provider.playback_id, 0, true, false, provider.discontinuities};
  return seen;
}

uint8_t ProviderNode::PartsOf(const ProviderInput& provider) {
  Seen& seen = SeenOf(provider);
  const skel::PoseView rest = rig_->rest();
  for (const Joint& joint : face_joints_) {
    if (provider.pose.joints <= joint.index || !provider.pose.has_r[joint.index]) continue;
    const float cos = Dot(provider.pose.rotation(joint.index), rest.rotation(joint.index));
    if (std::fabs(cos) < kStillCos) seen.parts |= joint.part;
  }
  return seen.parts;
}

void ProviderNode::set_sources(std::vector<std::string> mine, std::vector<std::string> others) {
  mine_ = std::move(mine);
  others_ = std::move(others);
}

bool ProviderNode::Takes(const ProviderInput& provider) const {
  const auto has = [&](const std::vector<std::string>& ids) {
    return std::find(ids.begin(), ids.end(), provider.source_service_id) != ids.end();
  };
  return mine_.empty() ? !has(others_) : has(mine_);
}

void ProviderNode::Update(const TickContext& ctx, float weight) {
  if (below_ease_) below_ease_->Begin();
  if (below_) below_->Update(ctx, weight);
  uint64_t signature = 0;
  driven_ = owned_ = 0;
  back_ = any_ = false;
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (!Takes(p)) continue;
    any_ = true;
    Seen& seen = SeenOf(p);
    const bool jumped = p.discontinuities != seen.discontinuities;
    back_ = back_ || (!p.suspended && (seen.suspended || jumped));
    seen.suspended = p.suspended;
    seen.discontinuities = p.discontinuities;
    const uint8_t parts = p.suspended ? 0 : PartsOf(p);
    const bool mouth = p.owns_mouth && !p.suspended;
    signature = Mix(signature, p.playback_id);
    signature = Mix(signature, (uint64_t{p.discontinuities} << 16) | (uint64_t{parts} << 8) |
                                   (mouth ? 2u : 0u) | (p.suspended ? 1u : 0u));
    driven_ = static_cast<uint8_t>(driven_ | parts);
    if (mouth) owned_ |= kMouth;
  }
  jump_ = started_ && signature != signature_;
  signature_ = signature;
  if (jump_ && may_rest_ && !awake_) {
    const StackPose scratch(rig_->joints(), rig_->shapes(), spare_);
    Remember(*this, transition_->shown(), scratch.span());
    awake_ = true;
  }
  started_ = true;
}

void ProviderNode::Release(uint8_t parts, const skel::PoseSpan& out) const {
  if (parts == 0) return;
  for (const auto& [shape, part] : face_shapes_) {
    if ((parts & part) != 0 && out.has_w[shape]) out.weights[shape] = 0;
  }
}

void ProviderNode::Lay(const skel::PoseView& pose, const skel::PoseSpan& out) const {
  skel::LayerJob job;
  job.below = out;
  job.layer = pose;
  job.out = out;
  job.Run();
}

// The source whose pose is all that is laid over below; null where there are others, or none.
const ProviderInput* ProviderNode::OnlySource(const TickContext& ctx,
                                              const skel::PoseView& out) const {
  const ProviderInput* only = nullptr;
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (p.suspended || !Takes(p)) continue;
    if (only != nullptr || p.pose.joints != out.joints || p.pose.shapes != out.shapes) {
      return nullptr;
    }
    only = &p;
  }
  return only;
}

void ProviderNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  if (below_) {
    below_->Evaluate(ctx, out);
  } else {
    out.ClearPresence();
  }
  newest_ = 1 - newest_;
  parts_[newest_] = static_cast<uint8_t>(driven_ | owned_);
  awake_ = awake_ || !may_rest_ || jump_;
  if (!any_ && !awake_) return;
  if (below_ease_) {
    below_ease_->Note(0, out);
    // A source may have elements that nothing below says: it eases over those from rest.
    FillFromRest(rig_->rest(), out);
    below_ease_->Run(ctx.dt_s, false, out);
  }
  if (below_) Release(parts_[newest_], out);
  bool empty = below_ == nullptr && !ease_;
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (p.suspended || !Takes(p)) continue;
    if (empty && p.pose.joints == out.joints && p.pose.shapes == out.shapes) {
      out.CopyFrom(p.pose);
      empty = false;
      continue;
    }
    Lay(p.pose, out);
  }
  const ProviderInput* source = may_rest_ ? OnlySource(ctx, out) : nullptr;
  const bool calm = may_rest_ && !jump_ && !transition_->active() && (source != nullptr || !any_);
  if (!calm) {
    awake_ = true;
    if (said_) said_->Forget();
  } else if (source != nullptr) {
    said_->Keep(ctx.dt_s, source->pose);
  }
  if (!awake_) return;
  if (transition_) transition_->Run(ctx.dt_s, jump_, nullptr, out, back_ ? kMouthBack_s : 0);
  calm_ = calm ? calm_ + 1 : 0;
  if (calm_ == 2) awake_ = false;
}

Memory ProviderNode::memory() const {
  if (awake_) return transition_ ? transition_->shown().memory() : Memory{};
  Memory memory = below_->memory();
  if (said_->ticks() > 0) memory.ticks = std::min(memory.ticks, said_->ticks());
  return memory;
}

void ProviderNode::Recall(int ago, const skel::PoseSpan& out) {
  if (awake_) {
    transition_->shown().Write(ago, out);
    return;
  }
  below_->Recall(ago, out);
  Release(parts_[ago == 0 ? newest_ : 1 - newest_], out);
  if (said_->ticks() > 0) Lay(ago == 0 ? said_->newest() : said_->before(), out);
}

void ProviderNode::Contribute(float weight, Contributions& out) const {
  if (below_) below_->Contribute(weight, out);
}

}  // namespace posewire::graph
