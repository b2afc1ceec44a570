#include "libs/graph/listen_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::kPi;
using skel::Quat;
using skel::Vec3;

// Time from the detected end of a phrase (0.15 s after it) until the nod.
constexpr float kSoonest_s = 0.08f, kLatest_s = 0.35f;
// Minimum time between decisions.
constexpr float kAgain_s = 1.5f;
// Duration of speech without a pause after which the listener nods anyway.
constexpr float kLong_s = 5, kLongest_s = 9;
// The head's share of a nod; the neck has the rest.
constexpr float kHeadShare = 0.6f;

uint64_t IdOf(int kind, absl::string_view name) { return absl::HashOf(kind, name) | 1; }

bool Speaks(const Inputs& inputs) {
  return std::any_of(inputs.providers.begin(), inputs.providers.end(),
                     [](const auto& p) { return p.owns_mouth && !p.suspended; });
}

}  // namespace

ListenNode::ListenNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                       ListenSettings settings)
    : PassNode(std::move(below)), parts_(std::move(parts)), settings_(settings) {}

void ListenNode::Update(const TickContext& ctx, float weight) {
  settings_.rate.Step(ctx);
  settings_.size.Step(ctx);
  PassNode::Update(ctx, weight);
}

void ListenNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const ListenNode*>(&old);
  if (other == nullptr) return;
  voices_ = other->voices_, nods_ = other->nods_, nod_ = other->nod_;
  again_s_ = other->again_s_, wait_s_ = other->wait_s_, long_s_ = other->long_s_;
  spoken_s_ = other->spoken_s_;
}

// Returns whether a phrase of the only speaker ends.
bool ListenNode::PhraseEnds(const TickContext& ctx, float dt_s) {
  bool ends = false;
  int speak = 0;
  const auto hear = [&](size_t slot, uint64_t who, float voice_db) {
    Voice& voice = voices_[slot];
    if (voice.who != who) voice = {who, {}};
    ends |= voice.watch.Step(voice_db, dt_s);
    speak += voice.watch.speaks();
  };
  const auto& [neighbours, users] = std::pair(ctx.inputs->neighbours, ctx.inputs->users);
  for (size_t i = 0; i < kMost; ++i) {
    const bool there = i < neighbours.size();
    hear(i, there ? IdOf(0, neighbours[i].target_object_id) : 0,
         there ? neighbours[i].voice_db : kSilent_db);
    const bool user = i < users.size();
    hear(kMost + i, user ? IdOf(1, users[i].name) : 0,
         user && users[i].speaks ? kSpeaks_db : kSilent_db);
  }
  spoken_s_ = speak == 1 ? spoken_s_ + dt_s : 0;
  return ends && speak == 0;
}

void ListenNode::Decide(const TickContext& ctx, float dt_s) {
  again_s_ = std::max(again_s_ - dt_s, 0.0f);
  const bool ends = PhraseEnds(ctx, dt_s);
  if (Speaks(*ctx.inputs)) {
    wait_s_ = -1;
    return;
  }
  if (wait_s_ >= 0) {
    wait_s_ -= dt_s;
    if (wait_s_ >= 0) return;
    const auto size = static_cast<float>(settings_.size.value());
    const float draw = ctx.rng->Uniform();
    nods_.left = draw < 0.6f ? 1 : draw < 0.87f ? 2 : 3;
    nods_.size_rad = ctx.rng->Uniform(4, 8) * kDeg * size;
    nods_.period_s =
        nods_.left == 1 ? ctx.rng->Uniform(0.42f, 0.55f) : ctx.rng->Uniform(0.3f, 0.4f);
    nods_.time_s = 0;
    return;
  }
  const bool long_enough = spoken_s_ > long_s_;
  if ((!ends && !long_enough) || again_s_ > 0 || nods_.left > 0) return;
  if (long_enough) spoken_s_ = 0, long_s_ = ctx.rng->Uniform(kLong_s, kLongest_s);
  again_s_ = kAgain_s;
  if (ctx.rng->Uniform() >= static_cast<float>(settings_.rate.value())) return;
  wait_s_ = ctx.rng->Uniform(kSoonest_s, kLatest_s);
}

void ListenNode::Nod(float dt_s) {
  nod_ = 0;
  if (nods_.left == 0) return;
  nods_.time_s += dt_s;
  while (nods_.left > 0 && nods_.time_s >= nods_.period_s) {
    nods_.time_s -= nods_.period_s;
    nods_.size_rad *= 0.62f;
    --nods_.left;
  }
  if (nods_.left == 0) return;
  const float s = std::sin(kPi * nods_.time_s / nods_.period_s);
  nod_ = nods_.size_rad * s * s;
}

void ListenNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  if (ctx.inputs == nullptr) return;
  const auto dt_s = static_cast<float>(std::clamp(ctx.dt_s, 0.0, 0.5));
  const bool nobody = ctx.inputs->neighbours.empty() && ctx.inputs->users.empty();
  if (!nobody) Decide(ctx, dt_s);
  Nod(dt_s);
  if (nod_ == 0) return;
  const skel::Rig& rig = *parts_->rig;
  const Vec3 left = Rotate(parts_->TurnFromRest(out, parts_->head), {1, 0, 0});
  const float of_neck = parts_->neck.empty() ? 0 : 1 - kHeadShare;
  for (int joint : parts_->neck) {
    const float part = of_neck / static_cast<float>(parts_->neck.size());
    TurnInModel(rig, joint, skel::FromAxisAngle(left, nod_ * part), out);
  }
  TurnInModel(rig, parts_->head, skel::FromAxisAngle(left, nod_ * (1 - of_neck)), out);
}

}  // namespace posewire::graph
