#include "libs/graph/idle_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/small_math.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Vec3;

// Longer steps (missed ticks) are shortened to this: idle motion just continues.
constexpr double kLongestStep_s = 0.1;
// Time constant with which the size follows a changed amplitude.
constexpr float kSize_s = 0.3f;
// A shift for a new topic begins this long before its first word.
constexpr float kBeforeWord_s = 0.4f;
// The avatar breathes in this long before the first announced accent.
constexpr float kBreatheBefore_s = 1.2f;
// How far the pelvis moves over a foot, and tilts.
constexpr float kShift_m = 0.034f, kRoll_deg = 2.3f;
// Announcements for later than this are ignored, because they would hold the body still until then.
constexpr double kSoonStroke_s = 5;

}  // namespace

absl::StatusOr<std::unique_ptr<IdleNode>> IdleNode::Make(std::shared_ptr<const skel::Rig> rig) {
  auto body = IdleBody::Make(std::move(rig));
  if (!body.ok()) return body.status();
  return std::make_unique<IdleNode>(*std::move(body));
}

void IdleNode::Start(Random& rng) {
  static constexpr float kDriftRates[kDrifts] = {0.35f, 0.4f,  0.12f, 0.2f, 0.17f, 0.3f,  0.22f,
                                                 0.2f,  0.23f, 0.21f, 0.3f, 0.28f, 0.15f, 0.12f};
  for (size_t i = 0; i < drifts_.size(); ++i) drifts_[i] = Drift(kDriftRates[i], rng);
  breath_ = IdleBreath(rng);
  feet_ = IdleFeet(rng);
  weight_ = weight_from_ = weight_to_ = rng.Uniform(-0.5f, 0.5f);
  weight_wait_s_ = rng.Uniform(2, 5);
  started_ = true;
}

void IdleNode::StepWeight(float dt_s, Random& rng) {
  if (weight_t_ < 1) {
    weight_t_ = std::min(weight_t_ + dt_s / weight_length_s_, 1.0f);
    weight_ = weight_from_ + (weight_to_ - weight_from_) * LeastJerk(weight_t_);
    return;
  }
  weight_wait_s_ -= dt_s;
  if (weight_wait_s_ > 0) return;
  weight_from_ = weight_;
  const float least = std::exchange(new_topic_, false) ? 0.6f : 0.4f;
  weight_to_ = weight_ > 0 ? rng.Uniform(-1, -least) : rng.Uniform(least, 1);
  weight_length_s_ = rng.Uniform(1.4f, 2.4f);
  weight_wait_s_ = rng.Uniform(3, 10);
  weight_t_ = 0;
}

void IdleNode::HearGestures(const TickContext& ctx, float dt_s) {
  soon_s_ = std::max(soon_s_ - dt_s, 0.0f);
  if (ctx.inputs == nullptr) return;
  for (const ProviderInput& p : ctx.inputs->providers) {
    if (p.gesture == nullptr || p.suspended || p.gesture->stroke_in_s > kSoonStroke_s) continue;
    const auto stroke_in_s = static_cast<float>(p.gesture->stroke_in_s);
    soon_s_ = std::max(soon_s_, stroke_in_s);
    if (p.gesture->kind != SpeechGestureInput::kTopic) continue;
    new_topic_ = true;
    weight_wait_s_ = std::max(stroke_in_s - kBeforeWord_s, 0.0f);
  }
}

void IdleNode::Update(const TickContext& ctx, float weight) {
  (void)weight;
  Random& rng = *ctx.rng;
  const bool first = !started_;
  if (first) Start(rng);
  const double dt_s = std::clamp(ctx.dt_s, 0.0, kLongestStep_s);
  const auto dt = static_cast<float>(dt_s * std::clamp(tempo_.Step(ctx), kLeast, kMostTempo));
  const auto size = static_cast<float>(std::clamp(amplitude_.Step(ctx), kLeast, kMostAmplitude));
  if (size != size_) {
    size_ += (size - size_) * (first ? 1 : Share(static_cast<float>(dt_s), kSize_s));
  }
  for (Drift& d : drifts_) d.Step(dt, rng);
  voice_.Step(ctx.inputs, static_cast<float>(dt_s));
  HearGestures(ctx, dt);
  breath_.Step(dt, voice_.speaks(), soon_s_ > 0 && soon_s_ < kBreatheBefore_s);
  StepWeight(dt, rng);
  if (steps_ && feet_.Step(dt, size_ * weight_, weight_t_ >= 1)) {
    // Not before the foot is down.
    weight_wait_s_ = std::max(weight_wait_s_, 1.0f);
  }
  gaze_.Step(dt, rng);
  blinker_.Step(static_cast<float>(dt_s), rng);
  if (gaze_.jumped_far()) blinker_.Hint(rng);
  const float late = Share(dt, 0.45f);
  follow_x_ += (gaze_.target_x() - follow_x_) * late;
  follow_y_ += (gaze_.target_y() - follow_y_) * late;
}

void IdleNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const IdleNode*>(&old);
  if (other == nullptr) return;
  tempo_.Adopt(other->tempo_);
  amplitude_.Adopt(other->amplitude_);
  size_ = other->size_;
  started_ = other->started_;
  drifts_ = other->drifts_;
  blinker_ = other->blinker_;
  gaze_ = other->gaze_;
  voice_ = other->voice_, breath_ = other->breath_, feet_ = other->feet_;
  soon_s_ = other->soon_s_;
  weight_ = other->weight_, weight_from_ = other->weight_from_, weight_to_ = other->weight_to_;
  weight_t_ = other->weight_t_, weight_length_s_ = other->weight_length_s_;
  weight_wait_s_ = other->weight_wait_s_;
  new_topic_ = other->new_topic_;
  follow_x_ = other->follow_x_, follow_y_ = other->follow_y_;
}

IdleNode::Signals IdleNode::Now() const {
  Signals s;
  for (size_t i = 0; i < kDrifts; ++i) s.drifts[i] = drift(static_cast<DriftId>(i));
  s.size = size_;
  s.breath = size_ * breath_.value();
  s.middle = feet_.middle();
  s.lean = size_ * weight_;
  s.gaze_x = gaze_.x(), s.gaze_y = gaze_.y();
  s.follow_x = follow_x_, s.follow_y = follow_y_;
  return s;
}

void IdleNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  (void)ctx;
  const Signals s = Now();
  out.CopyFrom(body_->stance.view());
  PoseTorso(s, out);
  PoseArms(s, out);
  PoseFace(s, out);
}

void IdleNode::PoseTorso(const Signals& s, const skel::PoseSpan& out) const {
  const gesture::Body& body = body_->body;
  const Vec3 sway{kShift_m * s.lean + 0.0035f * s.drifts[kSwayX], 0, 0.004f * s.drifts[kSwayZ]};
  const float roll = kRoll_deg * s.lean;
  const Vec3 pelvis = Vec3{0.3f * s.drifts[kSwayZ], 1.2f * s.drifts[kTwist], roll} * kDeg;
  gesture::PosePelvisOverFeet(body, s.middle + sway, pelvis, feet_.feet(), out);
  // The spine compensates the tilt of the pelvis; the chest rises with the breath.
  const Vec3 lumbar{0.5f * s.drifts[kLeanX] - 0.5f * s.breath, -0.5f * s.drifts[kTwist],
                    -1.5f * roll + 0.6f * s.drifts[kLeanZ]};
  const Vec3 thorax{0.6f * s.drifts[kLeanX] - 2.0f * s.breath, 0.3f * s.drifts[kTwist],
                    0.35f * roll};
  gesture::PoseRun(body.lumbar, lumbar * kDeg, out);
  gesture::PoseRun(body.thorax, thorax * kDeg, out);
  // The head stays level, drifts, and follows the gaze a little.
  const Vec3 neck{1.6f * s.breath + 1.2f * s.drifts[kHeadX] - 5 * s.size * s.follow_y,
                  2.0f * s.drifts[kHeadY] + 9 * s.size * s.follow_x,
                  0.9f * s.drifts[kHeadZ] + 0.1f * roll};
  gesture::PoseRun(body.neck, neck * (0.5f * kDeg), out);
  out.SetRotation(body.head, skel::Exp(neck * (0.5f * kDeg)));
}

void IdleNode::PoseArms(const Signals& s, const skel::PoseSpan& out) const {
  body_->arms[0].Pose({s.breath, s.drifts[kArmLeft], s.drifts[kHandLeft]}, out);
  body_->arms[1].Pose({s.breath, s.drifts[kArmRight], s.drifts[kHandRight]}, out);
}

void IdleNode::PoseFace(const Signals& s, const skel::PoseSpan& out) const {
  const auto& look = body_->look;
  const auto& face = body_->face;
  const auto set = [&](int shape, float w) {
    if (shape >= 0) out.SetWeight(shape, std::max(w, 0.0f));
  };
  const float x = s.size * s.gaze_x, y = s.size * s.gaze_y;
  set(look[0], -x), set(look[1], x), set(look[2], y), set(look[3], -y);
  set(look[4], x), set(look[5], -x), set(look[6], y), set(look[7], -y);
  set(face[0], 0.03f + 0.04f * s.drifts[kBrow]);
  const float smile = 0.04f + 0.03f * s.drifts[kMouth], press = 0.02f - 0.03f * s.drifts[kMouth];
  set(face[1], smile), set(face[2], smile), set(face[3], press), set(face[4], press);
}

}  // namespace posewire::graph
