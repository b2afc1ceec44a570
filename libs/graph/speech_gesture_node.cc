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
constexpr int kBeat = 0;
constexpr double kLeastLead_s = 0.15;
// Getting ready, until shortly before the stroke; staying up at least; going back.
constexpr double kPrepare_s = 0.62, kReady_s = 0.12, kStay_s = 0.3, kBack_s = 0.75;
// What a clip does earlier than this before its stroke comes from hanging arms: it would let the
// hands of any other posture sink first.
constexpr double kStroke_s = 0.22;
constexpr double kFrozen_s = 0.7;  // nobody holds a hand still for longer

}  // namespace

SpeechGestureNode::SpeechGestureNode(std::shared_ptr<const skel::Rig> rig,
                                     std::unique_ptr<Node> below,
                                     std::shared_ptr<const std::vector<Unit>> units)
    : PassNode(std::move(below)),
      units_(std::move(units)),
      used_s_(units_->size(), -std::numeric_limits<double>::infinity()),
      turns_(rig->joints()),
      spare_(StackPose::SpareFor(rig->joints(), rig->shapes())) {}

// Whoever looks sees the same, whatever it is called for.
bool SpeechGestureNode::Alike(const Unit& a, const Unit& b) {
  return a.clip == b.clip &&
         std::equal(a.mask.joint_row(), a.mask.joint_row() + a.mask.joints(), b.mask.joint_row());
}

int SpeechGestureNode::Choose(const TickContext& ctx, int kind, int number) const {
  // A copy: who gestures breathes and blinks as if it did not.
  Random dice = *ctx.rng;
  int chosen = -1, seen = 0;
  for (size_t i = 0; i < units_->size(); ++i) {
    const Unit& unit = (*units_)[i];
    const bool fits = unit.kind == kind && unit.number == number;
    if (!fits || ctx.time_s - used_s_[i] < kFresh_s) continue;
    // Each of n that fit is kept with a chance of 1 / n.
    ++seen;
    if (dice.Uniform() * static_cast<float>(seen) < 1) chosen = static_cast<int>(i);
  }
  return chosen;
}

void SpeechGestureNode::Take(const TickContext& ctx, const ProviderInput& provider) {
  const SpeechGestureInput& gesture = *provider.gesture;
  if (gesture.kind == SpeechGestureInput::kTopic) return;  // of idle
  if (gesture.stroke_in_s < kLeastLead_s || gesture.strength < 1 - rate_.value()) return;
  const auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.unit < 0; });
  if (free == slots_.end()) return;
  int unit = Choose(ctx, gesture.kind, gesture.number);
  if (unit < 0 && gesture.kind != kBeat) unit = Choose(ctx, kBeat, 0);
  if (unit < 0) return;
  for (size_t i = 0; i < units_->size(); ++i) {
    if (Alike((*units_)[i], (*units_)[static_cast<size_t>(unit)])) used_s_[i] = ctx.time_s;
  }
  Slot slot;
  slot.unit = unit;
  slot.playback_id = provider.playback_id;
  slot.stroke_at_s = ctx.time_s + gesture.stroke_in_s;
  slot.start_s = std::max(ctx.time_s, slot.stroke_at_s - kPrepare_s);
  slot.ready_s = std::max(slot.stroke_at_s - kReady_s, slot.start_s + 0.3);
  const Unit& chosen = (*units_)[static_cast<size_t>(unit)];
  const double most_s = slot.stroke_at_s + chosen.hold_s - chosen.stroke_s + kFrozen_s;
  slot.end_s = std::min(ctx.time_s + gesture.end_in_s, most_s);
  slot.end_s = std::max(slot.end_s, slot.stroke_at_s + kStay_s);
  slot.most = 0.75f + 0.25f * gesture.strength;
  // One thing at a time: the other hand goes back when this one gets ready.
  for (Slot& other : slots_) other.end_s = std::min(other.end_s, slot.start_s);
  *free = slot;
}

void SpeechGestureNode::Advance(const TickContext& ctx, Slot& slot) {
  const auto speaks = [&](const ProviderInput& p) {
    return p.playback_id == slot.playback_id && !p.suspended;
  };
  const auto& providers = ctx.inputs->providers;
  if (std::none_of(providers.begin(), providers.end(), speaks)) {
    slot.end_s = std::min(slot.end_s, ctx.time_s);
  }
  const auto dt_s = static_cast<float>(ctx.dt_s);
  if (ctx.time_s >= slot.end_s) {
    slot.phase -= dt_s / static_cast<float>(kBack_s);
    if (slot.phase <= 0) slot = {};
  } else if (ctx.time_s >= slot.start_s) {
    slot.phase += dt_s / static_cast<float>(slot.ready_s - slot.start_s);
    slot.phase = std::min(slot.phase, 1.0f);
  }
}

void SpeechGestureNode::Update(const TickContext& ctx, float weight) {
  PassNode::Update(ctx, weight);
  rate_.Step(ctx);
  size_now_ = size_.Step(ctx);
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (p.gesture != nullptr && !p.suspended) Take(ctx, p);
  }
  for (Slot& slot : slots_) {
    if (slot.unit >= 0) Advance(ctx, slot);
  }
}

double SpeechGestureNode::TimeOf(const Slot& slot, double time_s) const {
  const Unit& unit = (*units_)[static_cast<size_t>(slot.unit)];
  const double in_clip_s = unit.stroke_s + std::max(time_s - slot.stroke_at_s, -kStroke_s);
  return std::clamp(in_clip_s, 0.0, unit.hold_s);
}

float SpeechGestureNode::WeightOf(const Slot& slot) const {
  return LeastJerk(slot.phase) * slot.most * static_cast<float>(size_now_);
}

void SpeechGestureNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  // The one that began first lies below.
  const bool turned = slots_[1].start_s < slots_[0].start_s;
  bool any = false;
  for (const Slot* slot : {&slots_[turned ? 1 : 0], &slots_[turned ? 0 : 1]}) {
    if (slot->unit < 0 || slot->phase <= 0) continue;
    any = true;
    const Unit& unit = (*units_)[static_cast<size_t>(slot->unit)];
    const StackPose layer(out.joints, out.shapes, spare_);
    unit.clip->Sample(TimeOf(*slot, ctx.time_s), layer.span());
    skel::LayerJob job;
    job.below = out;
    job.layer = layer.view();
    job.weight = WeightOf(*slot);
    job.mask = &unit.mask;
    job.out = out;
    job.Run();
  }
  turns_.Ask(ctx, any, out);
}

void SpeechGestureNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                                   ContributionList& out) const {
  ContributionShare left = share;
  const bool turned = slots_[1].start_s < slots_[0].start_s;
  for (const Slot* slot : {&slots_[turned ? 0 : 1], &slots_[turned ? 1 : 0]}) {
    if (slot->unit < 0 || slot->phase <= 0) continue;
    const Unit& unit = (*units_)[static_cast<size_t>(slot->unit)];
    const skel::PoseView first = unit.clip->frame(0);
    const float weight = WeightOf(*slot);
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
    out.AddClip(*unit.clip, TimeOf(*slot, ctx.time_s), mine);
  }
  below().Contribute(ctx, left, out);
}

}  // namespace posewire::graph
