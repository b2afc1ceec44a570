// Runs one node as a graph would, and watches it: no tick may allocate.
#ifndef POSEWIRE_TESTS_UNIT_GRAPH_RUNNER_H_
#define POSEWIRE_TESTS_UNIT_GRAPH_RUNNER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "libs/graph/ease_stage.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {

inline VariableSpec NumberVariable(std::string name, double initial = 0) {
  VariableSpec spec;
  spec.name = std::move(name);
  spec.initial.number = initial;
  return spec;
}
inline VariableSpec ChoiceVariable(std::string name, std::vector<std::string> values) {
  VariableSpec spec;
  spec.name = std::move(name);
  spec.type = VariableType::kChoice;
  spec.values = std::move(values);
  return spec;
}

// A pose that says `part` of the joints' rotations and translations and of the shapes, each within
// `reach` radians of rest.
inline skel::Pose RandomPose(const skel::Rig& rig, Random& rng, float part = 1, float reach = 1) {
  skel::Pose pose(rig.joints(), rig.shapes());
  for (int j = 0; j < rig.joints(); ++j) {
    const skel::Vec3 axis =
        Normalized(skel::Vec3{rng.Uniform(-1, 1), rng.Uniform(-1, 1), rng.Uniform(-1, 1)});
    const skel::Quat turn = skel::FromAxisAngle(axis, rng.Uniform(0, reach));
    if (rng.Uniform() < part) {
      pose.span().SetRotation(j, Normalized(Mul(rig.rest().rotation(j), turn)));
    }
    if (rng.Uniform() < part) {
      pose.span().SetTranslation(j, rig.rest().translation(j) + axis * 0.01f);
    }
  }
  for (int s = 0; s < rig.shapes(); ++s) {
    if (rng.Uniform() < part) pose.span().SetWeight(s, rng.Uniform());
  }
  return pose;
}

// A clip at 30 frames a second that swings every joint and shape smoothly; the same seed, the same
// clip.
inline std::shared_ptr<const clip::Clip> SwingingClip(const std::string& name, int frames,
                                                      bool loops, uint64_t seed, float part = 1,
                                                      float reach = 0.5f) {
  const auto rig = BuiltinRig();
  Random rng(seed);
  const skel::Pose low = RandomPose(*rig, rng, part, reach);
  Random again(seed);
  // The same elements, elsewhere.
  skel::Pose high = low;
  for (int j = 0; j < rig->joints(); ++j) {
    const float turn = again.Uniform(-reach, reach);
    if (low.view().has_r[j]) {
      high.span().SetRotation(
          j, Normalized(Mul(low.view().rotation(j), skel::FromAxisAngle({0, 0, 1}, turn))));
    }
  }
  for (int s = 0; s < rig->shapes(); ++s) {
    if (low.view().has_w[s]) high.span().SetWeight(s, again.Uniform());
  }
  std::vector<skel::Pose> poses;
  for (int i = 0; i < frames; ++i) {
    const float t =
        0.5f - 0.5f * std::cos(6.2831853f * static_cast<float>(i) / static_cast<float>(frames));
    poses.push_back(low);
    for (int j = 0; j < rig->joints(); ++j) {
      if (!low.view().has_r[j]) continue;
      poses.back().span().SetRotation(
          j, Normalized(Slerp(low.view().rotation(j), high.view().rotation(j), t)));
    }
    for (int s = 0; s < rig->shapes(); ++s) {
      if (!low.view().has_w[s]) continue;
      poses.back().span().SetWeight(
          s, low.view().weights[s] + (high.view().weights[s] - low.view().weights[s]) * t);
    }
  }
  return std::make_shared<clip::Clip>(name, rig, timecode::FrameRate{30, 1}, std::move(poses),
                                      loops);
}

// A SwingingClip of all elements that is in the same pose only once in its cycle: its first shape
// is a quarter of a cycle behind. So a pose tells the clip and the time.
inline std::shared_ptr<const clip::Clip> CirclingClip(const std::string& name, int frames,
                                                      bool loops, uint64_t seed) {
  const auto swing = SwingingClip(name, frames, loops, seed, 1, 2);
  std::vector<skel::Pose> poses;
  for (int i = 0; i < frames; ++i) {
    poses.emplace_back(swing->rig()->joints(), swing->rig()->shapes());
    swing->CopyFrame(i, poses.back().span());
    const float turn = 6.2831853f * static_cast<float>(i) / static_cast<float>(frames);
    poses.back().span().SetWeight(0, 0.5f + 0.2f * std::sin(turn));
  }
  return std::make_shared<clip::Clip>(name, swing->rig(), swing->rate(), std::move(poses), loops);
}
// FarFrom at most this much is there, to about 1e-6 s.
inline constexpr float kThere = 2e-6f;

// Shows what another node makes, which outlives it.
class Borrowed : public Node {
 public:
  Borrowed(Node* node, skel::Pose* raw) : node_(node), raw_(raw) {}
  void Update(const TickContext& ctx, float weight) override { node_->Update(ctx, weight); }
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    node_->Evaluate(ctx, out);
    raw_->span().CopyFrom(out);
  }

 private:
  Node* node_;
  skel::Pose* raw_;
};

class Runner {
 public:
  explicit Runner(std::vector<VariableSpec> specs = {}, uint64_t seed = 1)
      : variables(std::make_shared<VariableSet>(std::move(specs))), rng(seed) {}

  // Ticks `node` with a stage above it: `raw` is what it makes, `pose` is that eased.
  void Tick(Node& node, int times = 1, double dt_s = 1.0 / 30, float weight = 1) {
    if (stage_ == nullptr || staged_ != &node) Watch(node);
    for (int i = 0; i < times; ++i) {
      Begin(dt_s);
      last = pose;
      const AllocationCount allocations;
      stage_->Update(ctx, weight);
      stage_->Evaluate(ctx, pose.span());
      EXPECT_EQ(allocations.count(), 0) << "tick " << tick << " allocated";
    }
  }
  // Nothing was seen of it yet.
  void Watch(Node& node) {
    stage_ = std::make_unique<EaseStage>(rig, std::make_unique<Borrowed>(&node, &raw));
    staged_ = &node;
  }
  // Only Update, as for a node that is not seen.
  void UpdateOnly(Node& node, double dt_s = 1.0 / 30) {
    Begin(dt_s);
    node.Update(ctx, 0);
  }
  void Set(const char* name, double number) {
    variables.Set(variables.set().Find(name), {number, {}});
  }
  double Get(const char* name) { return variables.number(variables.set().Find(name)); }
  Step step() const { return LargestStep(last.view(), pose.view()); }
  // "kind name" of each event of the last tick, by number of the kind.
  bool Told(GraphEvent::Kind kind, absl::string_view name) const {
    for (int i = 0; i < outputs.event_count; ++i) {
      const GraphEvent& e = outputs.events[static_cast<size_t>(i)];
      if (e.kind == kind && e.name == name) return true;
    }
    return false;
  }

  std::shared_ptr<const skel::Rig> rig = BuiltinRig();
  Variables variables;
  Random rng;
  Inputs inputs;
  TickOutputs outputs;
  TickContext ctx;
  uint64_t fire = 0;  // for the next tick
  int64_t tick = -1;
  double time_s = 0;
  skel::Pose raw{rig->joints(), rig->shapes()}, pose = raw, last = raw;

 private:
  std::unique_ptr<EaseStage> stage_;
  const Node* staged_ = nullptr;

  void Begin(double dt_s) {
    ++tick;
    if (tick > 0) time_s += dt_s;
    outputs.event_count = 0;
    ctx = {tick, time_s, dt_s, &rng, &inputs, nullptr};
    ctx.variables = &variables;
    ctx.outputs = &outputs;
    ctx.fired = fire | outputs.fire;
    fire = outputs.fire = 0;
  }
};

// A node that plays a cycle of its own length and shows its phase as a shape weight.
class CycleNode : public Node {
 public:
  CycleNode(const skel::Rig& rig, double length_s, bool ends = false)
      : length_s_(length_s), ends_(ends), jaw_(rig.FindShape("jawOpen")) {}
  void Update(const TickContext& ctx, float weight) override {
    ++updated;
    seen_weight = weight;
    if (!fresh_) time_s += ctx.dt_s * pace_;
    fresh_ = false;
    if (!ends_) time_s = std::fmod(time_s, length_s_);
  }
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    (void)ctx;
    ++evaluated;
    out.ClearPresence();
    out.SetWeight(jaw_, static_cast<float>(phase()));
  }
  double remaining_s() const override { return ends_ ? length_s_ - time_s : Node::remaining_s(); }
  double phase() const override { return time_s / length_s_; }
  void SetPhase(double phase) override { time_s = phase * length_s_; }
  double cycle_s() const override { return length_s_; }
  void SetPace(double pace) override { pace_ = pace; }
  void Restart() override {
    ++restarted;
    time_s = 0;
    fresh_ = true;
  }
  double time_s = 0;
  int updated = 0, evaluated = 0, restarted = 0;
  float seen_weight = -1;

 private:
  double length_s_;
  bool ends_;
  int jaw_;
  bool fresh_ = true;
  double pace_ = 1;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_TESTS_UNIT_GRAPH_RUNNER_H_
