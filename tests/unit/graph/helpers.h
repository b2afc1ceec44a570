// What the tests of the graph share: rigs, clips, sources that move smoothly, and measures of
// steps.
#ifndef POSEWIRE_TESTS_UNIT_GRAPH_HELPERS_H_
#define POSEWIRE_TESTS_UNIT_GRAPH_HELPERS_H_

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "libs/clip/clip_library.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/graph/node.h"
#include "libs/random/random.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

inline constexpr float kDegrees = 57.29577951f;
// What most tests tick by.
inline constexpr double kTick_s = 1.0 / 30;
inline constexpr float kTickAsFloat_s = 1.0f / 30;

inline std::shared_ptr<const skel::Rig> BuiltinRig(const char* name = "hanim_loa3") {
  static const auto* catalog = new skel::RigCatalog(*skel::RigCatalog::Builtin());
  return *catalog->Find(name);
}
inline const std::shared_ptr<const clip::ClipLibrary>& Gestures() {
  static const auto* library =
      new std::shared_ptr<const clip::ClipLibrary>(*gesture::MakeGestures(BuiltinRig()));
  return *library;
}

struct Step {
  float degrees = 0, weight = 0, metres = 0;
  int joint = -1, shape = -1;
};
// The largest step between two full poses.
inline Step LargestStep(const skel::PoseView& a, const skel::PoseView& b) {
  Step step;
  for (int j = 0; j < a.joints; ++j) {
    const float turn = AngleBetween(a.rotation(j), b.rotation(j)) * kDegrees;
    if (turn > step.degrees) step.degrees = turn, step.joint = j;
    step.metres = std::max(step.metres, Length(a.translation(j) - b.translation(j)));
  }
  for (int s = 0; s < a.shapes; ++s) {
    const float w = std::fabs(a.weights[s] - b.weights[s]);
    if (w > step.weight) step.weight = w, step.shape = s;
  }
  return step;
}

// How far a pose is from what a clip says at that time, over what the clip has: the largest
// difference of a weight, or of a component of a rotation or translation.
inline float FarFrom(const clip::Clip& clip, double time_s, const skel::PoseView& pose) {
  skel::Pose made(pose.joints, pose.shapes);
  clip.Sample(time_s, made.span());
  const skel::PoseView want = made.view();
  float far = 0;
  for (int j = 0; j < pose.joints; ++j) {
    const skel::Quat a = want.rotation(j), b = pose.rotation(j);
    const float sign = Dot(a, b) < 0 ? -1.0f : 1.0f;
    if (want.has_r[j]) {
      far = std::max({far, std::fabs(a.w - sign * b.w), std::fabs(a.x - sign * b.x),
                      std::fabs(a.y - sign * b.y), std::fabs(a.z - sign * b.z)});
    }
    if (want.has_t[j]) far = std::max(far, Length(want.translation(j) - pose.translation(j)));
  }
  for (int s = 0; s < pose.shapes; ++s) {
    if (want.has_w[s]) far = std::max(far, std::fabs(want.weights[s] - pose.weights[s]));
  }
  return far;
}

// How many degrees the joint is from where the clip has it at that time.
inline float DegreesFrom(const clip::Clip& clip, double time_s, const skel::PoseView& pose,
                         int joint) {
  skel::Pose made(pose.joints, pose.shapes);
  clip.Sample(time_s, made.span());
  const skel::Quat want = made.view().rotation(joint), is = pose.rotation(joint);
  return AngleBetween(want, Dot(want, is) < 0 ? skel::Quat{-is.w, -is.x, -is.y, -is.z} : is) *
         kDegrees;
}

inline bool SameBytes(const skel::PoseView& a, const skel::PoseView& b) {
  const auto joints = static_cast<size_t>(a.joints) * sizeof(float);
  const float* const rows[][2] = {{a.tx, b.tx}, {a.ty, b.ty}, {a.tz, b.tz}, {a.qw, b.qw},
                                  {a.qx, b.qx}, {a.qy, b.qy}, {a.qz, b.qz}, {a.sx, b.sx},
                                  {a.sy, b.sy}, {a.sz, b.sz}};
  for (const auto& row : rows) {
    if (std::memcmp(row[0], row[1], joints) != 0) return false;
  }
  return std::memcmp(a.weights, b.weights, static_cast<size_t>(a.shapes) * sizeof(float)) == 0;
}

// A source that swings some joints and shapes smoothly about random places.
class SwingingSource {
 public:
  // Parts: how many of the joints and shapes it has; reach: how far from rest, in radians.
  SwingingSource(const skel::Rig& rig, uint64_t id, Random& rng, float part, float reach)
      : pose_(rig.joints(), rig.shapes()), rest_(rig.rest()) {
    input.playback_id = id;
    input.owns_mouth = rng.Uniform() < 0.5f;
    for (int j = 0; j < rig.joints(); ++j) {
      if (rng.Uniform() > part) continue;
      joints_.push_back({j,
                         {rng.Uniform(-1, 1), rng.Uniform(-1, 1), rng.Uniform(-1, 1)},
                         rng.Uniform(-reach, reach),
                         rng.Uniform(0, 0.4f),
                         rng.Uniform(1, 8)});
      joints_.back().axis = Normalized(joints_.back().axis);
    }
    for (int s = 0; s < rig.shapes(); ++s) {
      if (rng.Uniform() > part) continue;
      shapes_.push_back({s, {}, rng.Uniform(0.2f, 0.8f), rng.Uniform(0, 0.3f), rng.Uniform(1, 8)});
      Swing& swing = shapes_.back();
      swing.amount = std::min({swing.amount, swing.middle, 1 - swing.middle});
    }
  }
  // The pose at `t_s`; stays valid until the next call.
  const ProviderInput& At(double t_s) {
    pose_.span().ClearPresence();
    for (const Swing& s : joints_) {
      const auto angle = static_cast<float>(s.middle + s.amount * std::sin(s.rate * t_s));
      pose_.span().SetRotation(
          s.index, Normalized(Mul(rest_.rotation(s.index), skel::FromAxisAngle(s.axis, angle))));
    }
    for (const Swing& s : shapes_) {
      pose_.span().SetWeight(s.index,
                             static_cast<float>(s.middle + s.amount * std::sin(s.rate * t_s)));
    }
    input.pose = pose_.view();
    return input;
  }

  ProviderInput input;

 private:
  struct Swing {
    int index;
    skel::Vec3 axis;
    float middle, amount, rate;
  };
  skel::Pose pose_;
  skel::PoseView rest_;
  std::vector<Swing> joints_, shapes_;
};

// A node that writes a pose set from outside.
class FixedNode : public Node {
 public:
  explicit FixedNode(const skel::Rig& rig) : pose(rig.joints(), rig.shapes()) {}
  void Update(const TickContext& ctx, float weight) override {
    (void)ctx;
    seen_weight = weight;
  }
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    (void)ctx;
    ++evaluated;
    out.CopyFrom(pose.view());
  }
  skel::Pose pose;
  float seen_weight = -1;
  int evaluated = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_TESTS_UNIT_GRAPH_HELPERS_H_
