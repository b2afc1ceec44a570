#include "libs/graph/speech_gesture_node.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "libs/graph/contributions.h"
#include "libs/graph/small_math.h"
#include "libs/skel/layer_job.h"

namespace posewire::graph {
namespace {

// SpeechGesture.Kind
constexpr int kBeat = 0, kGreeting = 9;
constexpr double kLeastLead_s = 0.15;
// Time from a late greeting's announcement to its stroke, and how late it may be.
constexpr double kRaise_s = 0.55, kLatestGreeting_s = -0.2;
// Durations: getting ready, until shortly before the stroke; staying up at least; going back.
constexpr double kPrepare_s = 0.62, kReady_s = 0.12, kStay_s = 0.3, kBack_s = 1.0;
// Time constant with which a hand on its way back reverses.
constexpr float kTurnRound_s = 0.1f;
constexpr double kHeld_s = 1.1;  // how long a hand is held after its clip has come to rest
// How far a held hand sinks, and the time after the stroke in which it does.
constexpr float kSink = 0.14f;
constexpr double kSinkFrom_s = 0.3, kSinkTo_s = 1.8;
constexpr double kMostDt_s = 0.1;

}  // namespace

SpeechGestureNode::SpeechGestureNode(std::shared_ptr<const skel::Rig> rig,
                                     std::unique_ptr<Node> below,
                                     std::shared_ptr<const Stock> stock)
    : PassNode(std::move(below)),
      stock_(std::move(stock)),
      used_s_(stock_->units.size(), -std::numeric_limits<double>::infinity()),
      voice_(rig->FindShape("jawOpen")),
      turns_(rig->joints()),
      spare_(StackPose::SpareFor(rig->joints(), rig->shapes())) {}

// Units that look the same count as alike, even if they are for different kinds.
bool SpeechGestureNode::Alike(const Unit& a, const Unit& b) {
  return a.clip == b.clip &&
         std::equal(a.mask.joint_row(), a.mask.joint_row() + a.mask.joints(), b.mask.joint_row());
}

int SpeechGestureNode::Choose(const TickContext& ctx, int kind, int number) const {
  // A copy, so that gestures do not change breathing and blinking.
  Random dice = *ctx.rng;
  int chosen = -1, seen = 0;
  for (size_t i = 0; i < stock_->units.size(); ++i) {
    const Unit& unit = stock_->units[i];
    const bool fits = unit.kind == kind && unit.number == number;
    if (!fits || ctx.time_s - used_s_[i] < kFresh_s) continue;
    // Each of n matching units is kept with a probability of 1 / n.
    ++seen;
    if (dice.Uniform() * static_cast<float>(seen) < 1) chosen = static_cast<int>(i);
  }
  return chosen;
}

void SpeechGestureNode::Take(const TickContext& ctx, const ProviderInput& provider) {
  const SpeechGestureInput& gesture = *provider.gesture;
  if (gesture.kind == SpeechGestureInput::kTopic) return;  // handled by idle
  const bool greets = gesture.kind == kGreeting && gesture.stroke_in_s >= kLatestGreeting_s;
  const double stroke_in_s = greets ? std::max(gesture.stroke_in_s, kRaise_s) : gesture.stroke_in_s;
  if (stroke_in_s < kLeastLead_s || gesture.strength < 1 - rate_.value()) return;
  const auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.unit < 0; });
  if (free == slots_.end()) return;
  int unit = Choose(ctx, gesture.kind, gesture.number);
  if (unit < 0 && gesture.kind != kBeat) unit = Choose(ctx, kBeat, 0);
  if (unit < 0) return;
  for (size_t i = 0; i < stock_->units.size(); ++i) {
    if (Alike(stock_->units[i], stock_->units[static_cast<size_t>(unit)])) used_s_[i] = ctx.time_s;
  }
  Slot slot;
  slot.unit = unit;
  slot.playback_id = provider.playback_id;
  slot.stroke_at_s = ctx.time_s + stroke_in_s;
  slot.start_s = std::max(ctx.time_s, slot.stroke_at_s - kPrepare_s);
  slot.ready_s = std::max(slot.stroke_at_s - kReady_s, slot.start_s + 0.3);
  slot.rate = static_cast<float>(1 / (slot.ready_s - slot.start_s));
  const Unit& chosen = UnitOf(slot);
  const double clip_s = slot.stroke_at_s + chosen.hold_s - chosen.stroke_s;
  const double most_s = clip_s + kHeld_s;
  slot.end_s = std::min(ctx.time_s + gesture.end_in_s, most_s);
  slot.end_s = std::max(slot.end_s, slot.stroke_at_s + kStay_s);
  // A wave is played to its end.
  if (gesture.kind == kGreeting) slot.end_s = std::max(slot.end_s, clip_s);
  slot.most = 0.75f + 0.25f * gesture.strength;
  MakeWayFor(slot);
  *free = slot;
}

// One gesture at a time: the other hand goes back when this one gets ready. The same hand stays up
// until it is at its next stroke, unless it has been on its way back for a long time.
void SpeechGestureNode::MakeWayFor(const Slot& next) {
  const auto& arms = UnitOf(next).arms;
  for (Slot& other : slots_) {
    if (other.unit < 0 || other.start_s > next.start_s) continue;
    const auto& held = UnitOf(other).arms;
    const bool same = (arms[0] && held[0]) || (arms[1] && held[1]);
    if (same && next.start_s - other.end_s <= kBridge_s) {
      other.end_s = next.ready_s;
    } else {
      other.end_s = std::min(other.end_s, next.start_s);
    }
  }
}

std::array<const SpeechGestureNode::Slot*, 4> SpeechGestureNode::InOrder() const {
  std::array<const Slot*, 4> order{};
  for (size_t i = 0; i < order.size(); ++i) order[i] = &slots_[i];
  std::sort(order.begin(), order.end(), [](const Slot* a, const Slot* b) {
    return a->start_s != b->start_s ? a->start_s < b->start_s : a < b;
  });
  return order;
}

void SpeechGestureNode::Advance(const TickContext& ctx, Slot& slot) {
  const auto speaks = [&](const ProviderInput& p) {
    return p.playback_id == slot.playback_id && !p.suspended;
  };
  const auto& providers = ctx.inputs->providers;
  if (std::none_of(providers.begin(), providers.end(), speaks)) {
    slot.end_s = std::min(slot.end_s, ctx.time_s);
  }
  if (ctx.time_s < slot.start_s && slot.end_s > ctx.time_s) return;
  const auto dt_s = static_cast<float>(ctx.dt_s);
  const auto up = static_cast<float>(1 / (slot.ready_s - slot.start_s));
  const float wanted = ctx.time_s < slot.end_s ? up : static_cast<float>(-1 / kBack_s);
  slot.rate += (wanted - slot.rate) * Share(dt_s, kTurnRound_s);
  slot.phase += slot.rate * dt_s;
  if (slot.phase >= 1) slot.phase = 1, slot.rate = std::min(slot.rate, 0.0f);
  if (slot.phase <= 0 && ctx.time_s >= slot.end_s) slot = {};
}

void SpeechGestureNode::Update(const TickContext& ctx, float weight) {
  PassNode::Update(ctx, weight);
  rate_.Step(ctx);
  size_now_ = size_.Step(ctx);
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (p.gesture != nullptr && !p.suspended) Take(ctx, p);
  }
  const auto dt_s = static_cast<float>(std::clamp(ctx.dt_s, 0.0, kMostDt_s));
  voice_.Step(ctx.inputs, dt_s);
  bool any = false;
  for (Slot& slot : slots_) {
    if (slot.unit < 0) continue;
    Advance(ctx, slot);
    any = true;
  }
  if (any) life_.Step(*ctx.rng, dt_s);
}

double SpeechGestureNode::TimeOf(const Slot& slot, double time_s) const {
  const Unit& unit = UnitOf(slot);
  // The part of a clip before it is ready starts from hanging arms, and would first lower the hands
  // of any other posture.
  return std::clamp(unit.stroke_s + time_s - slot.stroke_at_s, unit.ready_s, unit.hold_s);
}

float SpeechGestureNode::WeightOf(const Slot& slot, double time_s) const {
  const double held = (time_s - slot.stroke_at_s - kSinkFrom_s) / (kSinkTo_s - kSinkFrom_s);
  const float sunk = kSink * LeastJerk(static_cast<float>(std::clamp(held, 0.0, 1.0)));
  return LeastJerk(slot.phase) * slot.most * static_cast<float>(size_now_) * (1 - sunk);
}

void SpeechGestureNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  if (std::none_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return Shown(s); })) {
    return turns_.Ask(ctx, false, out);
  }
  std::array<float, 2> free{1, 1};  // share of each arm that no gesture uses
  // The one that began first is below the others.
  for (const Slot* slot : InOrder()) {
    if (!Shown(*slot)) continue;
    const Unit& unit = UnitOf(*slot);
    const StackPose layer(out.joints, out.shapes, spare_);
    unit.clip->Sample(TimeOf(*slot, ctx.time_s), layer.span());
    skel::LayerJob job;
    job.below = out;
    job.layer = layer.view();
    job.weight = WeightOf(*slot, ctx.time_s);
    job.mask = &unit.mask;
    job.out = out;
    job.Run();
    for (size_t arm = 0; arm < 2; ++arm) {
      if (unit.arms[arm]) free[arm] *= 1 - LeastJerk(slot->phase);
    }
  }
  for (size_t arm = 0; arm < 2; ++arm) {
    if (free[arm] < 1) life_.Add(stock_->axes, arm, 1 - free[arm], voice_.accent(), out);
  }
  turns_.Ask(ctx, true, out);
}

void SpeechGestureNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                                   ContributionList& out) const {
  ContributionShare left = share;
  const auto order = InOrder();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Slot& slot = **it;
    if (!Shown(slot)) continue;
    const Unit& unit = UnitOf(slot);
    const skel::PoseView first = unit.clip->frame(0);
    const float weight = WeightOf(slot, ctx.time_s);
    ContributionShare mine = left;
    for (size_t j = 0; j < share.size(); ++j) {
      const float amount =
          weight * (j < share.joints ? unit.mask.joint(static_cast<int>(j))
                                     : PartOfShapes(first.shapes, [&](size_t s) {
                                         return unit.mask.shape(static_cast<int>(s));
                                       }));
      mine.row[j] *= amount;
      left.row[j] *= 1 - amount * PartOf(first, j);
    }
    out.AddClip(*unit.clip, TimeOf(slot, ctx.time_s), mine);
  }
  below().Contribute(ctx, left, out);
}

}  // namespace posewire::graph
