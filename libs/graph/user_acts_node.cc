#include "libs/graph/user_acts_node.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::Vec3;

// Hysteresis, so that a user at the border does not enter and leave repeatedly.
constexpr float kBorder = 0.1f;

// FNV-1a; 0 means none.
uint64_t NumberOf(absl::string_view name) {
  uint64_t number = 0xcbf29ce484222325ULL;
  for (const char c : name) number = (number ^ static_cast<uint8_t>(c)) * 0x100000001b3ULL;
  return number;
}

float Distance(const UserInput& user, Vec3 from) {
  return std::hypot(user.head.x - from.x, user.head.z - from.z);
}

}  // namespace

UserActsNode::UserActsNode(std::string name, std::shared_ptr<const BodyParts> parts,
                           std::unique_ptr<Node> below, UserActsSettings settings)
    : PassNode(std::move(below)),
      name_(std::move(name)),
      parts_(std::move(parts)),
      settings_(std::move(settings)),
      rows_(settings_.answers.size()) {
  const skel::Rig& rig = *parts_->rig;
  head_ = parts_->head < 0 ? Vec3{0, parts_->height_m, 0}
                           : skel::PlaceOf(rig, rig.rest(), parts_->head, parts_->between_eyes).at;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto& answer = settings_.answers[i];
    if (answer.joint >= 0) {
      rows_[i].at = skel::PlaceOf(rig, rig.rest(), answer.joint, answer.offset).at;
    }
  }
}

// Returns the user's entry, or a free one.
UserActsNode::Watched* UserActsNode::Find(uint64_t who) {
  for (Watched& w : watched_) {
    if (w.used && w.who == who) return &w;
  }
  for (Watched& w : watched_) {
    if (w.used) continue;
    w.used = true, w.who = who;
    return &w;
  }
  return nullptr;
}

// Returns the acts of nearness or touch of a user for one row.
UserActs UserActsNode::Reached(size_t row, size_t slot, const UserInput& user) {
  const auto& answer = settings_.answers[row];
  const uint32_t bit = uint32_t{1} << slot;
  uint32_t& inside = rows_[row].inside;
  float distance_m = Distance(user, {0, 0, 0});
  if (answer.act == UserAct::kTouches) {
    if (answer.joint < 0) return 0;
    distance_m = 1e9f;
    if (user.has_left_hand) distance_m = Length(user.left_hand - rows_[row].at);
    if (user.has_right_hand) {
      distance_m = std::min(distance_m, Length(user.right_hand - rows_[row].at));
    }
  }
  if (!(inside & bit) && distance_m <= answer.distance_m) {
    inside |= bit;
    return BitOf(answer.act == UserAct::kTouches ? UserAct::kTouches : UserAct::kNears);
  }
  if ((inside & bit) && distance_m > answer.distance_m * (1 + kBorder)) {
    inside &= ~bit;
    return BitOf(UserAct::kLeaves);
  }
  return 0;
}

void UserActsNode::Update(const TickContext& ctx, float weight) {
  const auto dt_s = static_cast<float>(ctx.dt_s);
  for (Row& row : rows_) row.since_s += dt_s;
  uint32_t seen = 0;
  const auto act = [&](size_t slot, const UserInput* user, absl::string_view name) {
    const UserActs acts = watched_[slot].watch.Step(user, head_, dt_s);
    for (size_t i = 0; i < rows_.size(); ++i) {
      const auto& answer = settings_.answers[i];
      if (!answer.user.empty() && answer.user != name && user != nullptr) continue;
      if (!answer.user.empty() && NumberOf(answer.user) != watched_[slot].who) continue;
      const bool reach = answer.act == UserAct::kNears || answer.act == UserAct::kLeaves ||
                         answer.act == UserAct::kTouches;
      UserActs here = acts;
      if (reach && user != nullptr && user->has_head) here |= Reached(i, slot, *user);
      // A user who disappears also leaves.
      if (reach && (acts & BitOf(UserAct::kGoes))) {
        if (rows_[i].inside & uint32_t{1} << slot) here |= BitOf(UserAct::kLeaves);
        rows_[i].inside &= ~(uint32_t{1} << slot);
      }
      if (here & BitOf(answer.act)) Answer(ctx, i);
    }
    if (!watched_[slot].watch.here()) watched_[slot].used = false;
  };
  for (const UserInput& user : ctx.inputs->users) {
    if (!user.has_head) continue;
    Watched* const watched = Find(NumberOf(user.name));
    if (watched == nullptr) continue;
    const auto slot = static_cast<size_t>(watched - watched_.data());
    seen |= uint32_t{1} << slot;
    act(slot, &user, user.name);
  }
  for (size_t slot = 0; slot < watched_.size(); ++slot) {
    if (watched_[slot].used && !(seen & uint32_t{1} << slot)) act(slot, nullptr, "");
  }
  WriteVariables(ctx);
  PassNode::Update(ctx, weight);
}

void UserActsNode::Answer(const TickContext& ctx, size_t row) {
  const auto& answer = settings_.answers[row];
  if (rows_[row].since_s < answer.again_s) return;
  rows_[row].since_s = 0;
  if (answer.variable >= 0 && ctx.variables != nullptr) {
    ctx.variables->Set(answer.variable, answer.value);
  }
  if (ctx.outputs == nullptr) return;
  if (answer.event >= 0) ctx.outputs->fire |= uint64_t{1} << answer.event;
  ctx.outputs->Tell({GraphEvent::kUserActed, name_, NameOf(answer.act)});
}

void UserActsNode::WriteVariables(const TickContext& ctx) {
  if (ctx.variables == nullptr) return;
  if (settings_.looks_variable >= 0) {
    const bool looks = std::any_of(watched_.begin(), watched_.end(),
                                   [](const Watched& w) { return w.used && w.watch.looks(); });
    ctx.variables->Settle(settings_.looks_variable, {looks ? 1.0 : 0.0, {}});
  }
  WriteMood(ctx);
  if (settings_.activity_variable >= 0) {
    const VariableSpec& spec = ctx.variables->set().spec(settings_.activity_variable);
    float liveliest = 0;
    for (const UserInput& user : ctx.inputs->users)
      liveliest = std::max(liveliest, user.liveliness);
    const double still = spec.initial.number;
    ctx.variables->Settle(settings_.activity_variable,
                          {still + (spec.max - still) * static_cast<double>(liveliest), {}});
  }
  if (settings_.distance_variable < 0) return;
  const VariableSpec& spec = ctx.variables->set().spec(settings_.distance_variable);
  double nearest_m = spec.max;
  for (const UserInput& user : ctx.inputs->users) {
    if (user.has_head) nearest_m = std::min<double>(nearest_m, Distance(user, {0, 0, 0}));
  }
  ctx.variables->Settle(settings_.distance_variable,
                        {std::clamp(nearest_m, spec.min, spec.max), {}});
}

void UserActsNode::WriteMood(const TickContext& ctx) const {
  if (settings_.mood_variable < 0 && settings_.arousal_variable < 0 &&
      settings_.valence_variable < 0) {
    return;
  }
  const UserInput* nearest = nullptr;
  float nearest_m = 0;
  for (const UserInput& user : ctx.inputs->users) {
    if (user.mood.empty() && !user.arousal && !user.valence) continue;
    const float distance_m = user.has_head ? Distance(user, {0, 0, 0}) : 1e9f;
    if (nearest != nullptr && distance_m >= nearest_m) continue;
    nearest = &user, nearest_m = distance_m;
  }
  if (settings_.mood_variable >= 0) {
    const VariableSpec& spec = ctx.variables->set().spec(settings_.mood_variable);
    Value value = spec.initial;
    for (size_t i = 0; nearest != nullptr && i < spec.values.size(); ++i) {
      if (spec.values[i] == nearest->mood) value.number = static_cast<double>(i);
    }
    ctx.variables->Settle(settings_.mood_variable, value);
  }
  ctx.variables->SettleNumber(settings_.arousal_variable,
                              nearest == nullptr ? std::nullopt : nearest->arousal);
  ctx.variables->SettleNumber(settings_.valence_variable,
                              nearest == nullptr ? std::nullopt : nearest->valence);
}

void UserActsNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const skel::Rig& rig = *parts_->rig;
  if (parts_->head >= 0) head_ = skel::PlaceOf(rig, out, parts_->head, parts_->between_eyes).at;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto& answer = settings_.answers[i];
    if (answer.joint >= 0) {
      rows_[i].at = skel::PlaceOf(rig, out, answer.joint, answer.offset).at;
    }
  }
}

// Users who are present do not count as new when the graph is replaced.
void UserActsNode::Adopt(const Node& old) {
  const auto* const before = dynamic_cast<const UserActsNode*>(&old);
  if (before == nullptr) return;
  watched_ = before->watched_;
  head_ = before->head_;
  if (before->rows_.size() == rows_.size()) rows_ = before->rows_;
}

}  // namespace posewire::graph
