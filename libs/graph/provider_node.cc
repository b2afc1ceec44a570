#include "libs/graph/provider_node.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/graph/contributions.h"
#include "libs/graph/rest_fill.h"
#include "libs/graph/transition_requests.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {
namespace {

constexpr double kMouthBack_s = 0.1;
// A face joint rotated by less than this counts as at rest (cosine of half of 0.5 degrees).
constexpr float kStillCos = 0.99999048f;

}  // namespace

ProviderNode::ProviderNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                           bool ease)
    : rig_(std::move(rig)),
      below_(std::move(below)),
      ease_(ease),
      below_said_(rig_->joints(), rig_->shapes()),
      said_(ease_ ? static_cast<size_t>(3 * rig_->joints() + rig_->shapes()) : 0) {
  const std::pair<skel::HumanBone, Part> bones[] = {{skel::HumanBone::kLeftEye, kEyes},
                                                    {skel::HumanBone::kRightEye, kEyes},
                                                    {skel::HumanBone::kLeftEyelid, kLids},
                                                    {skel::HumanBone::kRightEyelid, kLids},
                                                    {skel::HumanBone::kJaw, kMouth}};
  for (const auto& [bone, part] : bones) {
    const int j = rig_->humanoid().joint(bone);
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
  seen = {provider.playback_id, 0, true, false, provider.discontinuities, NewToken()};
  return seen;
}

ProviderNode::Token ProviderNode::NewToken() {
  const auto used = [&](const Seen& s) { return s.used && s.token == last_token_; };
  do {
    last_token_ = static_cast<Token>((last_token_ + 1) % kTaken);
  } while (last_token_ == 0 || std::any_of(seen_.begin(), seen_.end(), used));
  return last_token_;
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

void ProviderNode::WriteMood(const TickContext& ctx) const {
  if (arousal_variable_ < 0 && valence_variable_ < 0) return;
  const ProviderInput* newest = nullptr;
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (Takes(p) && !p.suspended && (p.arousal || p.valence)) newest = &p;
  }
  ctx.variables->SettleNumber(arousal_variable_,
                              newest == nullptr ? std::nullopt : newest->arousal);
  ctx.variables->SettleNumber(valence_variable_,
                              newest == nullptr ? std::nullopt : newest->valence);
}

void ProviderNode::Update(const TickContext& ctx, float weight) {
  WriteMood(ctx);
  if (below_) below_->Update(ctx, weight);
  driven_ = owned_ = 0;
  back_ = false;
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (!Takes(p)) continue;
    Seen& seen = SeenOf(p);
    const bool jumped = p.discontinuities != seen.discontinuities;
    if (jumped) seen.token = NewToken();
    back_ = back_ || (!p.suspended && (seen.suspended || jumped));
    seen.suspended = p.suspended;
    seen.discontinuities = p.discontinuities;
    if (p.suspended) continue;
    driven_ = static_cast<uint8_t>(driven_ | PartsOf(p));
    if (p.owns_mouth) owned_ |= kMouth;
  }
}

void ProviderNode::Release(uint8_t parts, const skel::PoseSpan& out, Tokens& says) const {
  if (parts == 0) return;
  for (const auto& [shape, part] : face_shapes_) {
    if ((parts & part) == 0 || !out.has_w[shape]) continue;
    out.weights[shape] = 0;
    says[static_cast<size_t>(3 * out.joints + shape)] = kTaken;
  }
}

void ProviderNode::Lay(const ProviderInput& provider, const skel::PoseSpan& out, Tokens& says) {
  skel::LayerJob job;
  job.below = out;
  job.layer = provider.pose;
  job.out = out;
  if (!job.Run() || !ease_) return;
  const Token token = SeenOf(provider).token;
  Token* row = says.data();
  for (size_t r = 0; r < kElementRows; ++r) {
    const uint8_t* has = PresenceRow(provider.pose, r);
    const auto n = static_cast<size_t>(r < 3 ? out.joints : out.shapes);
    for (size_t i = 0; i < n; ++i) row[i] = has[i] != 0 ? token : row[i];
    row += n;
  }
}

// Drops requests from below for elements that a source has replaced or removed.
void ProviderNode::AskForChanges(const Tokens& says, TransitionRequests& asks) {
  const auto joints = static_cast<size_t>(rig_->joints());
  asks.Drop([&](size_t row, size_t i) { return says[row * joints + i] != 0; });
  if (std::equal(said_.begin(), said_.end(), says.begin())) return;
  asks.Each([&](size_t row, size_t i, TransitionRequests::Ms& ms) {
    Token& said = said_[row * joints + i];
    const Token now = says[row * joints + i];
    if (now != said) ms = TransitionRequests::MsOf(row == 3 && back_ ? kMouthBack_s : kJumpEase_s);
    said = now;
  });
}

void ProviderNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  if (below_) {
    below_->Evaluate(ctx, out);
  } else {
    out.ClearPresence();
  }
  const bool asks = ease_ && ctx.asks != nullptr;
  if (ease_) {
    // A source may have elements that no node below has: it eases over those from rest.
    const bool all = below_said_.Note(out, [&](size_t row, size_t i) {
      if (asks && ctx.asks->at(row, i) == 0) ctx.asks->Ask(row, i, kJumpEase_s);
    });
    if (!all) FillFromRest(rig_->rest(), out);
  }
  const bool any = std::any_of(ctx.inputs->providers.begin(), ctx.inputs->providers.end(),
                               [&](const ProviderInput& p) { return !p.suspended && Takes(p); });
  if (!any && !says_any_) return;
  says_any_ = any;
  Tokens says;
  std::fill_n(says.begin(), said_.size(), Token{0});
  if (below_) Release(static_cast<uint8_t>(driven_ | owned_), out, says);
  bool empty = below_ == nullptr && !ease_;
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (p.suspended || !Takes(p)) continue;
    if (empty && p.pose.joints == out.joints && p.pose.shapes == out.shapes) {
      out.CopyFrom(p.pose);
      empty = false;
      continue;
    }
    Lay(p, out, says);
  }
  if (asks) AskForChanges(says, *ctx.asks);
}

// Adds the clips that a source plays, and the rest as the source itself. Shares of a mirrored clip
// are of its own sides.
void ProviderNode::AddProvider(const ProviderInput& provider, const ContributionShare& share,
                               ContributionList& out) {
  ContributionShare clips = share, rest = share;
  for (size_t j = 0; j < share.size(); ++j) {
    float said = 0;
    for (const PushedClip& clip : provider.clips) {
      said += clip.additive ? 0 : clip.share(clip.partner(j));
    }
    clips.row[j] /= std::max(1.0f, said);
    rest.row[j] *= std::max(0.0f, 1 - said);
  }
  for (const PushedClip& clip : provider.clips) {
    const ContributionShare& of = clip.additive ? share : clips;
    ContributionShare mine = of;
    for (size_t j = 0; j < mine.size(); ++j) mine.row[j] = of.row[clip.partner(j)];
    out.AddPushed(provider.source_service_id, clip, mine);
  }
  out.AddSource(provider.source_service_id, rest);
}

void ProviderNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                              ContributionList& out) const {
  ContributionShare left = share;
  const auto providers = ctx.inputs->providers;
  for (auto p = providers.rbegin(); p != providers.rend(); ++p) {
    if (p->suspended || !Takes(*p)) continue;
    ContributionShare mine = left;
    for (size_t j = 0; j < share.size(); ++j) {
      const bool known = p->pose.joints == rig_->joints() && p->pose.shapes == rig_->shapes();
      const float has = known ? PartOf(p->pose, j) : 0;
      mine.row[j] *= has;
      left.row[j] *= 1 - has;
    }
    AddProvider(*p, mine, out);
  }
  if (below_) below_->Contribute(ctx, left, out);
}

}  // namespace posewire::graph
