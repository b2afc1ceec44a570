#include "services/a2f_source/core/vmc_motion.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "libs/vmc/bones.h"
#include "libs/vmc/coordinates.h"

namespace posewire::a2f_source {
namespace {

constexpr double kApplyAnyway_s = 0.2;

// Keeps extrapolated expressions within their range.
float Within(const WeightChannel& channel, float shown) {
  return std::clamp(shown, std::min(0.0f, channel.newest()), std::max(1.0f, channel.newest()));
}

}  // namespace

void VmcMotion::Take(absl::Span<const vmc::Message> messages, double now_s,
                     std::optional<double> sent_s) {
  std::optional<double> told_s = sent_s;
  for (const vmc::Message& m : messages) {
    const auto* time = std::get_if<vmc::Time>(&m);
    if (time != nullptr && !sent_s) told_s = time->seconds;
  }
  if (told_s && clock_.Arrived(now_s, *told_s)) RestartChannels(clock_.SenderTime(now_s));
  Stamped at;
  at.now_s = clock_.SenderTime(now_s);
  at.sent_s = told_s.value_or(at.now_s);
  at.stamp = told_s ? Stamp::kSender : Stamp::kArrival;
  for (const vmc::Message& m : messages) {
    performer_.Take(m, now_s);
    Place(m, at);
    if (std::holds_alternative<vmc::BlendValue>(m) && waiting_since_s_ < 0) {
      waiting_since_s_ = now_s;
    }
  }
  if (waiting_since_s_ >= 0 && now_s - waiting_since_s_ > kApplyAnyway_s) {
    performer_.Take(vmc::BlendApply{}, now_s);
    Place(vmc::BlendApply{}, at);
  }
  ForgetLostModel();
}

void VmcMotion::Place(const vmc::Message& message, const Stamped& at) {
  if (const auto* bone = std::get_if<vmc::BonePose>(&message)) {
    const int b = performer_.names().Find(bone->name);
    if (b < 0) return;
    const skel::Placement pose = vmc::FromUnity(bone->pose);
    bones_[static_cast<size_t>(b)].Add(at.sent_s, at.now_s, pose.turn, at.stamp);
    if (b == vmc::kHips) hips_place_.Add(at.sent_s, at.now_s, pose.at, at.stamp);
  } else if (const auto* root = std::get_if<vmc::RootPose>(&message)) {
    const skel::Placement pose = vmc::PlaceOfRoot(*root);
    root_turn_.Add(at.sent_s, at.now_s, pose.turn, at.stamp);
    root_place_.Add(at.sent_s, at.now_s, pose.at, at.stamp);
  } else if (const auto* value = std::get_if<vmc::BlendValue>(&message)) {
    Wait(*value, at);
  } else if (std::holds_alternative<vmc::BlendApply>(message)) {
    AddWeights(at.now_s);
    waiting_since_s_ = -1;
  }
}

// Parts of a frame may arrive after the next one's, so an older value does not replace a newer one.
void VmcMotion::Wait(const vmc::BlendValue& value, const Stamped& at) {
  const vmc::ExpressionId id = vmc::FindExpression(value.name);
  if (id.arkit < 0 && id.preset < 0) return;
  Waiting& waiting = id.arkit >= 0 ? arkit_waits_[static_cast<size_t>(id.arkit)]
                                   : presets_wait_[static_cast<size_t>(id.preset)];
  if (waiting.any && waiting.at.sent_s > at.sent_s) return;
  waiting = {value.value, at, true};
}

void VmcMotion::AddWeights(double sender_now_s) {
  const auto add = [&](auto& channels, auto& waits) {
    for (size_t i = 0; i < channels.size(); ++i) {
      Waiting& w = waits[i];
      if (!w.any) continue;
      channels[i].Add(w.at.sent_s, sender_now_s, w.weight, w.at.stamp);
      w.any = false;
    }
  };
  add(arkit_, arkit_waits_);
  add(presets_, presets_wait_);
}

// Prevents bones and expressions of an unloaded model from showing on the next one.
void VmcMotion::ForgetLostModel() {
  bool lost = false;
  for (int b = 0; b < vmc::kBones; ++b) {
    RotationChannel& channel = bones_[static_cast<size_t>(b)];
    if (!channel.any() || performer_.bone(b).known) continue;
    channel = {};
    if (b == vmc::kHips) hips_place_ = {};
    lost = true;
  }
  for (size_t i = 0; i < arkit_.size(); ++i) {
    if (!arkit_[i].any() || performer_.arkit_known()[i]) continue;
    arkit_[i] = {};
    lost = true;
  }
  for (size_t i = 0; i < presets_.size(); ++i) {
    if (!presets_[i].any() || performer_.presets_known()[i]) continue;
    presets_[i] = {};
    lost = true;
  }
  if (!lost) return;
  shown_.Reset();
  arkit_waits_.fill({});
  presets_wait_.fill({});
}

void VmcMotion::Forget() {
  vmc::Performer performer = std::move(performer_);
  performer.Reset();
  *this = {};
  performer_ = std::move(performer);
}

void VmcMotion::ForgetClock(double now_s) {
  clock_ = {};
  RestartChannels(now_s);
}

void VmcMotion::RestartChannels(double sender_now_s) {
  for (auto& channel : bones_) channel.Restart(sender_now_s);
  for (auto& channel : arkit_) channel.Restart(sender_now_s);
  for (auto& channel : presets_) channel.Restart(sender_now_s);
  hips_place_.Restart(sender_now_s);
  root_turn_.Restart(sender_now_s);
  root_place_.Restart(sender_now_s);
  for (Waiting& w : arkit_waits_) w.at.sent_s = sender_now_s;
  for (Waiting& w : presets_wait_) w.at.sent_s = sender_now_s;
}

const vmc::Performer& VmcMotion::Show(double now_s) {
  const double at_s = clock_.SenderTime(now_s);
  for (int b = 0; b < vmc::kBones; ++b) {
    RotationChannel& channel = bones_[static_cast<size_t>(b)];
    if (!channel.any()) continue;
    skel::Placement pose = performer_.bone(b).pose;
    pose.turn = channel.At(at_s);
    if (b == vmc::kHips) pose.at = hips_place_.At(at_s);
    const absl::string_view name = vmc::BoneNames()[static_cast<size_t>(b)];
    shown_.Take(vmc::BonePose{name, vmc::ToUnity(pose)}, now_s);
  }
  if (root_turn_.any()) {
    const skel::Placement pose{root_place_.At(at_s), root_turn_.At(at_s)};
    shown_.Take(vmc::RootPose{"root", vmc::ToUnity(pose), std::nullopt}, now_s);
  }
  for (size_t i = 0; i < arkit_.size(); ++i) {
    if (!arkit_[i].any()) continue;
    const float weight = Within(arkit_[i], arkit_[i].At(at_s));
    shown_.Take(vmc::BlendValue{vmc::ArkitNames()[i], weight}, now_s);
  }
  for (size_t i = 0; i < presets_.size(); ++i) {
    if (!presets_[i].any()) continue;
    const float weight = Within(presets_[i], presets_[i].At(at_s));
    shown_.Take(vmc::BlendValue{vmc::Vrm1Name(static_cast<vmc::Preset>(i)), weight}, now_s);
  }
  shown_.Take(vmc::BlendApply{}, now_s);
  return shown_;
}

}  // namespace posewire::a2f_source
