// Random scripts on a graph of blends, states, layers, arrangements, timelines, mirrors and delays:
// whatever is set, fired, pushed and reloaded when, nothing pops.
#include <cstdio>
#include <cstdlib>

#include "tests/support/allocation_count.h"
#include "tests/unit/graph/unasked.h"
#include "tests/unit/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

constexpr char kBlendVariables[] = R"(
    events: 'go' events: 'back'
    variables { name: 'x' number { min: -1 max: 2 } }
    variables { name: 'y' number { min: -1 max: 2 } }
    variables { name: 'w' number { min: 0 max: 1 default_value: 0.5 } }
    variables { name: 'delay' number { min: 0 max: 2 } }
    variables { name: 'mirrored' flag {} }
    variables { name: 'gesture' choice { values: 'none' values_from: GESTURES } }
    variables { name: 'clip' choice { values: 'none' values_from: CLIPS } }
    variables { name: 'play' choice { values: 'none' values_from: ARRANGEMENTS } }
    variables { name: 'line' choice { values: 'none' values_from: TIMELINES } }
    variables { name: 'seek' number { min: 0 max: 4 } }
    variables { name: 'state' choice { values: 'calm' values: 'busy' values: 'odd' values: 'none' } }
    arrangements { name: 'a' items { clip: 'wave' } items { live { wait_s: 0.5 } }
                   items { clip: 'shrug' } }
    arrangements { name: 'b' order: WEIGHTED_RANDOM loop: true items { clip: 'nod' weight: 2 }
                   items { pause_s: 0.3 } items { clip: 'shrug' speed: 1.5 } items { clip: 'bow' } }
    timelines { name: 'one' length_s: 4 clips { at_s: 0.3 clip: 'bow' } clips { at_s: 1 clip: 'wave' }
                events { at_s: 2 event: 'go' } variables { at_s: 2.5 variable: 'x' value: '1.7' } }
    timelines { name: 'two' length_s: 1.5 loop: true clips { at_s: 0.3 clip: 'shrug' }
                arrangements { at_s: 0.1 arrangement: 'a' } events { at_s: 1 event: 'back' } })";

// Every kind of node that mixes or goes by time, in one tree.
constexpr char kNodes[] = R"(
    nodes { name: 'sources' provider { below: 'gesture' } }
    nodes { name: 'gesture' gesture { below: 'arrangement' variable: 'gesture' } }
    nodes { name: 'arrangement' arrangement { below: 'layer' variable: 'play' on_source: 'a' } }
    nodes { name: 'layer' layer { below: 'added' layer: 'late' weight { variable: 'w' }
                                  mask { regions: 'upper_body' } } }
    nodes { name: 'late' delay { node: 'mirror' delay_s { variable: 'delay' } } }
    nodes { name: 'mirror' mirror { node: 'any' weight { variable: 'mirrored' } } }
    nodes { name: 'any' clip { variable: 'clip' amplitude { variable: 'w' scale: 2 } loop: true } }
    nodes { name: 'added' additive { below: 'states' delta: 'nods' weight { variable: 'w' } } }
    nodes { name: 'nods' clip { clip: 'nod' loop: true } }
    nodes { name: 'states' state_machine {
      states { name: 'calm' node: 'idle' } states { name: 'busy' node: 'plane' }
      states { name: 'odd' node: 'line1' }
      transitions { from: 'calm' to: 'busy' event: 'go' duration_s: 0.5 }
      transitions { to: 'calm' event: 'back' waits: true }
      transitions { from: 'busy' to: 'odd' after_s: 1
                    conditions { variable: 'x' compare: GREATER value: '1' } }
      follow: 'state' follow_duration_s: 0.3 } }
    nodes { name: 'idle' idle {} }
    nodes { name: 'plane' blend_space_2d { x { variable: 'x' } y { variable: 'y' } sync: true
      points { node: 'p1' } points { node: 'p2' x: 1 } points { node: 'p3' y: 1 }
      points { node: 'p4' x: 1 y: 1 } } }
    nodes { name: 'p1' clip { clip: 'wave' loop: true } }
    nodes { name: 'p2' clip { clip: 'shrug' loop: true sync_marks_s: 0.2 } }
    nodes { name: 'p3' pose { clip: 'bow' time_s: 0.8 } }
    nodes { name: 'p4' blend { inputs { node: 'q1' weight { variable: 'w' } } inputs { node: 'q2' } } }
    nodes { name: 'q1' clip { clip: 'nod' loop: true speed { value: -1 } } }
    nodes { name: 'q2' pose {} }
    nodes { name: 'line1' blend_space_1d { x { variable: 'x' smooth_s: 0.2 }
      points { node: 'r1' x: -1 } points { node: 'r2' x: 1 } } }
    nodes { name: 'r1' clip { clip: 'robot' loop: true } }
    nodes { name: 'r2' pose {} })";

std::string Full() {
  return absl::StrCat("output: 'line'", kBlendVariables, kNodes, R"(
    nodes { name: 'line' timeline { below: 'sources' variable: 'line' seek_variable: 'seek'
                                    arrangement_variable: 'play' mask { regions: 'arms' } } })");
}
// The same without the top; with the states in another order; and one that is quite different.
std::vector<std::string> Versions() {
  const std::string plain = absl::StrCat("output: 'sources'", kBlendVariables, kNodes);
  const std::string other = absl::StrCat("output: 'sources'", kBlendVariables, R"(
    nodes { name: 'sources' provider { below: 'arrangement' } }
    nodes { name: 'arrangement' arrangement { below: 'any' variable: 'play' } }
    nodes { name: 'any' clip { variable: 'clip' } })");
  return {Full(), plain, Full(), other};
}

// Plays one script and calls `see` after every tick but the first.
template <typename See>
void PlayScript(uint64_t seed, int ticks, bool reload, See see) {
  static const auto* versions = new std::vector<std::string>(Versions());
  Random rng(seed);
  GraphRun run((*versions)[0], seed * 31 + 7);
  if (run.graph == nullptr) return;
  std::vector<std::unique_ptr<SwingingSource>> sources;
  std::vector<ProviderInput> inputs;
  inputs.reserve(16);
  UnaskedSteps unasked(*run.rig, 36);
  run.inputs.watcher = &unasked;
  uint64_t next_id = 1;
  const auto set_any = [&] {
    Variables& v = run.graph->variables();
    const int i = static_cast<int>(rng.Next() % static_cast<uint32_t>(v.set().size()));
    const VariableSpec& spec = v.set().spec(i);
    double value = static_cast<double>(rng.Uniform());
    if (spec.type == VariableType::kNumber) value = spec.min + value * (spec.max - spec.min);
    if (spec.type == VariableType::kFlag) value = std::round(value);
    if (spec.type == VariableType::kChoice) {
      value = static_cast<double>(rng.Next() % static_cast<uint32_t>(spec.values.size()));
    }
    v.Set(i, {value, {}});
  };
  for (int k = 0; k < ticks; ++k) {
    const float dice = rng.Uniform();
    if (dice < 0.02f && sources.size() < 3) {
      sources.push_back(
          std::make_unique<SwingingSource>(*run.rig, next_id++, rng, rng.Uniform(0.1f, 1), 2.0f));
    } else if (dice < 0.04f && !sources.empty()) {
      sources.erase(sources.begin() + static_cast<long>(rng.Next() % sources.size()));
    } else if (dice < 0.05f && !sources.empty()) {
      auto& s = *sources[rng.Next() % sources.size()];
      s.input.suspended = !s.input.suspended;
    } else if (dice < 0.2f) {
      set_any();
    } else if (dice < 0.25f) {
      run.Fire(rng.Uniform() < 0.5f ? "go" : "back");
    } else if (dice < 0.26f && reload) {
      run.Reload((*versions)[rng.Next() % versions->size()]);
      unasked.Forget();
    }
    inputs.clear();
    for (auto& s : sources) inputs.push_back(s->At(k / 30.0));
    run.inputs.providers = inputs;
    unasked.Expect(inputs);
    {
      run.last.span().CopyFrom(run.pose.view());
      const AllocationCount allocations;
      run.graph->Tick(run.tick, k / 30.0, 1 / 30.0, run.inputs, run.pose.span());
      EXPECT_EQ(allocations.count(), 0) << "tick " << k << " allocated";
      ++run.tick;
    }
    if (k > 0) see(k, run);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed << " tick " << k;
  }
}

TEST(BlendScript, NoJumpWhateverIsSwitchedWhen) {
  const char* count = std::getenv("POSEWIRE_SCRIPTS");
  const uint64_t scripts = count != nullptr ? static_cast<uint64_t>(std::atoi(count)) : 300;
  Step worst;
  for (uint64_t seed = 1; seed <= scripts; ++seed) {
    PlayScript(seed, 240, true, [&](int k, const GraphRun& run) {
      const skel::PoseView pose = run.pose.view();
      for (int j = 0; j < pose.joints; ++j) {
        ASSERT_TRUE(pose.has_t[j] && pose.has_r[j] && pose.has_s[j]);
        ASSERT_NEAR(Dot(pose.rotation(j), pose.rotation(j)), 1, 1e-4);
        ASSERT_GE(Dot(run.last.view().rotation(j), pose.rotation(j)), 0);
      }
      for (int s = 0; s < pose.shapes; ++s) {
        ASSERT_GE(pose.weights[s], -1e-6f) << "seed " << seed << " tick " << k << " shape "
                                           << run.rig->shape_names()[static_cast<size_t>(s)];
        ASSERT_LE(pose.weights[s], 1 + 1e-6f) << "seed " << seed << " tick " << k << " shape "
                                              << run.rig->shape_names()[static_cast<size_t>(s)];
      }
      const Step step = run.step();
      worst.degrees = std::max(worst.degrees, step.degrees);
      worst.weight = std::max(worst.weight, step.weight);
      ASSERT_LE(step.degrees, 40) << "seed " << seed << " tick " << k << " joint "
                                  << run.rig->joint_names()[static_cast<size_t>(step.joint)];
      ASSERT_LE(step.weight, 0.6) << "seed " << seed << " tick " << k << " shape "
                                  << run.rig->shape_names()[static_cast<size_t>(step.shape)];
      ASSERT_LE(step.metres, 0.08) << "seed " << seed << " tick " << k;
    });
    if (HasFatalFailure()) return;
  }
  printf("largest steps: %.1f degrees, %.3f of a shape\n", static_cast<double>(worst.degrees),
         static_cast<double>(worst.weight));
}

TEST(BlendScript, TheSameSeedAndInputsGiveTheSameBytes) {
  for (const bool reload : {false, true}) {
    std::vector<skel::Pose> first;
    PlayScript(5, 400, reload, [&](int, const GraphRun& run) { first.push_back(run.pose); });
    PlayScript(5, 400, reload, [&](int k, const GraphRun& run) {
      ASSERT_TRUE(SameBytes(first[static_cast<size_t>(k - 1)].view(), run.pose.view())) << k;
    });
  }
}

}  // namespace
}  // namespace posewire::graph
