#include "libs/graph/timeline_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/types/span.h"
#include "libs/graph/contributions.h"

namespace posewire::graph {
namespace {

// Rounds of a loop that one tick may pass; beyond that, it continues from the start.
constexpr int kMostRoundsPerTick = 4;

// Returns the keys with after_s < at_s <= to_s.
template <typename Key>
absl::Span<const Key> Within(const std::vector<Key>& keys, double after_s, double to_s) {
  const auto later = [](double t, const Key& key) { return t < key.at_s; };
  const auto from = std::upper_bound(keys.begin(), keys.end(), after_s, later);
  const auto to = std::upper_bound(from, keys.end(), to_s, later);
  return absl::MakeSpan(keys).subspan(static_cast<size_t>(from - keys.begin()),
                                      static_cast<size_t>(to - from));
}

}  // namespace

TimelineNode::TimelineNode(const skel::Rig& rig, std::string name, std::unique_ptr<Node> below)
    : PassNode(std::move(below)), name_(std::move(name)), layer_(rig) {}

void TimelineNode::Follow(int variable, int none, std::vector<const Timeline*> timelines) {
  variable_ = variable;
  none_ = none;
  timelines_ = std::move(timelines);
}

void TimelineNode::set_arrangements(int variable, std::vector<int> values) {
  arrangement_variable_ = variable;
  arrangement_values_ = std::move(values);
}

void TimelineNode::Listen(const TickContext& ctx) {
  const Variables& v = *ctx.variables;
  if (variable_ >= 0 && v.sets(variable_) != seen_sets_) {
    seen_sets_ = v.sets(variable_);
    timeline_ = timelines_[static_cast<size_t>(v.choice(variable_))];
    time_s_ = 0;
    fresh_ = jump_ = true;
  }
  if (seek_ >= 0 && v.sets(seek_) != seen_seeks_) {
    seen_seeks_ = v.sets(seek_);
    if (timeline_ != nullptr) SeekTo(ctx, v.number(seek_));
  }
}

void TimelineNode::SeekTo(const TickContext& ctx, double time_s) {
  time_s_ = std::clamp(time_s, 0.0, timeline_->length_s);
  jump_ = true;
  // Keys at exactly this time take effect at this tick, as at the start.
  fresh_ = true;
  for (const Timeline::VariableKey& key : timeline_->variables) {
    if (key.at_s < time_s_) ctx.variables->Settle(key.variable, key.value);
  }
}

void TimelineNode::Pass(const TickContext& ctx, double after_s, double to_s) {
  to_s += kOnTime_s;
  for (const auto& key : Within(timeline_->variables, after_s, to_s)) {
    ctx.variables->Set(key.variable, key.value);
  }
  for (const auto& key : Within(timeline_->arrangements, after_s, to_s)) {
    if (arrangement_variable_ < 0) continue;
    const int value = arrangement_values_[static_cast<size_t>(key.arrangement)];
    ctx.variables->Set(arrangement_variable_, {static_cast<double>(value), {}});
  }
  if (ctx.outputs == nullptr) return;
  for (const auto& key : Within(timeline_->events, after_s, to_s)) {
    ctx.outputs->Tell({GraphEvent::kTimelineEvent, name_, key.event});
    if (key.index >= 0) ctx.outputs->fire |= uint64_t{1} << key.index;
  }
}

void TimelineNode::End(const TickContext& ctx) {
  if (ctx.outputs != nullptr) {
    ctx.outputs->Tell({GraphEvent::kTimelineEnded, name_, timeline_->name});
  }
  timeline_ = nullptr;
  if (variable_ >= 0) ctx.variables->Settle(variable_, {static_cast<double>(none_), {}});
}

void TimelineNode::Advance(const TickContext& ctx, double step_s) {
  double to_s = time_s_ + step_s;
  const double length_s = timeline_->length_s;
  double after_s = time_s_ + kOnTime_s;
  for (int round = 0; to_s >= length_s - kOnTime_s; ++round) {
    Pass(ctx, after_s, length_s);
    if (!timeline_->loop) {
      time_s_ = length_s;
      return End(ctx);
    }
    to_s = round < kMostRoundsPerTick ? std::max(to_s - length_s, 0.0) : 0;
    after_s = -1;
    jump_ = true;
  }
  Pass(ctx, after_s, to_s);
  time_s_ = to_s;
}

void TimelineNode::ShowClip() {
  const Timeline::ClipKey* key = nullptr;
  double local_s = 0;
  if (timeline_ != nullptr) {
    const auto passed = Within(timeline_->clips, -1, time_s_ + kOnTime_s);
    if (!passed.empty()) key = &passed.back();
  }
  if (key != nullptr) {
    local_s = std::max(time_s_ - key->at_s, 0.0) * key->speed;
    const bool over = key->clip == nullptr ||
                      (!key->clip->loops() && local_s > key->clip->duration_s() + kOnTime_s);
    if (over) key = nullptr;
  }
  layer_.Show(key == nullptr ? nullptr : key->clip, local_s, jump_ || key != key_);
  key_ = key;
}

void TimelineNode::Update(const TickContext& ctx, float weight) {
  PassNode::Update(ctx, weight);
  const double speed = std::max(speed_.Step(ctx), 0.0);
  jump_ = false;
  if (ctx.variables != nullptr) Listen(ctx);
  if (timeline_ != nullptr) {
    if (fresh_) {
      Pass(ctx, std::nextafter(time_s_, -1.0), time_s_);
    } else {
      Advance(ctx, ctx.dt_s * speed);
    }
  }
  fresh_ = false;
  ShowClip();
}

void TimelineNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  layer_.Evaluate(ctx, out);
}

double TimelineNode::remaining_s() const {
  if (timeline_ == nullptr) return PassNode::remaining_s();
  if (timeline_->loop || speed_.value() <= 0) return Node::remaining_s();
  return (timeline_->length_s - time_s_) / speed_.value();
}

void TimelineNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const TimelineNode*>(&old);
  if (other == nullptr) return;
  speed_.Adopt(other->speed_);
  seen_sets_ = other->seen_sets_;
  seen_seeks_ = other->seen_seeks_;
  if (other->timeline_ == nullptr) return;
  const auto same = std::find_if(timelines_.begin(), timelines_.end(), [&](const Timeline* t) {
    return t != nullptr && t->name == other->timeline_->name;
  });
  if (same == timelines_.end()) return;
  timeline_ = *same;
  time_s_ = std::min(other->time_s_, timeline_->length_s);
  fresh_ = other->fresh_;
}

void TimelineNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                              ContributionList& out) const {
  ContributionShare left = share;
  layer_.Contribute(left, out);
  below().Contribute(ctx, left, out);
}

}  // namespace posewire::graph
