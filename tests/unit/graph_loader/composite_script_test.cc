// Random scripts of switches against the rules that hold for every graph.

#include "gtest/gtest.h"
#include "libs/graph/graph_instance.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/helpers.h"
#include "tests/unit/graph/unasked.h"
#include "tests/unit/graph_loader/composite_helpers.h"

namespace posewire::graph {
namespace {

// Plays one script and calls `see` with every frame.
template <typename See>
void PlayScript(const std::string& kind, const std::shared_ptr<const skel::Rig>& rig, uint64_t seed,
                int ticks, float reach, See see) {
  Random rng(seed), gesture_rng(seed + 1);
  SpeechGestureInput announced;
  const auto graph = MakeComposite(kind, rig, Gestures(), seed * 31 + 7);
  const VariableSet& variables = graph->variables().set();
  std::vector<std::unique_ptr<SwingingSource>> sources;
  std::vector<ProviderInput> inputs;
  inputs.reserve(16);
  skel::Pose pose(rig->joints(), rig->shapes());
  UnaskedSteps unasked(*rig);
  uint64_t next_id = 1;
  for (int k = 0; k < ticks; ++k) {
    const float dice = rng.Uniform();
    if (dice < 0.03f && sources.size() < 4) {
      sources.push_back(
          std::make_unique<SwingingSource>(*rig, next_id++, rng, rng.Uniform(0.1f, 1), reach));
    } else if (dice < 0.05f && !sources.empty()) {
      sources.erase(sources.begin() + static_cast<long>(rng.Next() % sources.size()));
    } else if (dice < 0.07f && !sources.empty()) {
      auto& s = *sources[rng.Next() % sources.size()];
      s.input.suspended = !s.input.suspended;
    } else if (dice < 0.09f && !sources.empty()) {
      ++sources[rng.Next() % sources.size()]->input.discontinuities;
    } else if (dice < 0.12f && kind == "default") {
      const VariableSpec& v =
          variables.spec(static_cast<int>(rng.Next() % static_cast<uint32_t>(variables.size())));
      if (v.type == VariableType::kChoice) {
        EXPECT_TRUE(Set(*graph, v.name, v.values[rng.Next() % v.values.size()]).ok());
      }
    } else if (dice < 0.13f && kind == "default") {
      EXPECT_TRUE(SetGesture(*graph, "none").ok());
    }
    inputs.clear();
    for (auto& s : sources) inputs.push_back(s->At(k * kTick_s));
    if (!inputs.empty() && gesture_rng.Uniform() < 0.04f) {
      announced = {static_cast<int>(gesture_rng.Next() % 10), 0, 1, gesture_rng.Uniform(0.1f, 1.5f),
                   gesture_rng.Uniform(0.2f, 3)};
      inputs[gesture_rng.Next() % inputs.size()].gesture = &announced;
    }
    unasked.Expect(inputs);
    Inputs in{inputs};
    in.watcher = &unasked;
    const AllocationCount allocations;
    graph->Tick(k, k * kTick_s, kTick_s, in, pose.span());
    EXPECT_EQ(allocations.count(), 0) << "tick " << k << " allocated";
    see(k, pose.view(), *graph);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed << " tick " << k;
  }
  EXPECT_EQ(unasked.ticks, kind == "default" ? ticks : 0) << "stages";
}

TEST(GraphInstanceScript, NoJumpWhateverIsSwitchedWhen) {
  const auto rig = BuiltinRig();
  Step worst;
  skel::Pose last(rig->joints(), rig->shapes());
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    PlayScript("default", rig, seed, 200, 2.6f, [&](int k, const skel::PoseView& pose, auto&) {
      for (int j = 0; j < pose.joints; ++j) {
        ASSERT_TRUE(pose.has_t[j] && pose.has_r[j] && pose.has_s[j]);
        ASSERT_NEAR(Dot(pose.rotation(j), pose.rotation(j)), 1, 1e-4);
      }
      if (k > 0) {
        const Step step = LargestStep(last.view(), pose);
        worst.degrees = std::max(worst.degrees, step.degrees);
        worst.weight = std::max(worst.weight, step.weight);
        ASSERT_LE(step.degrees, 40) << "seed " << seed << " tick " << k << " joint "
                                    << rig->joint_names()[static_cast<size_t>(step.joint)];
        ASSERT_LE(step.weight, 0.6) << "seed " << seed << " tick " << k << " shape "
                                    << rig->shape_names()[static_cast<size_t>(step.shape)];
        ASSERT_LE(step.metres, 0.05);
        for (int j = 0; j < pose.joints; ++j) {
          ASSERT_GE(Dot(last.view().rotation(j), pose.rotation(j)), 0);
        }
      }
      last.span().CopyFrom(pose);
    });
    if (HasFatalFailure()) return;
  }
  RecordProperty("worst_degrees", std::to_string(worst.degrees));
  RecordProperty("worst_weight", std::to_string(worst.weight));
  printf("largest steps: %.1f degrees, %.3f of a shape\n", static_cast<double>(worst.degrees),
         static_cast<double>(worst.weight));
}

TEST(GraphInstanceScript, NoJumpOnOtherRigs) {
  for (const char* name : {"ace_biped", "vrm", "hanim_loa1", "hanim_loa2", "hanim_loa4"}) {
    const auto rig = BuiltinRig(name);
    skel::Pose last(rig->joints(), rig->shapes());
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      PlayScript("default", rig, seed, 200, 2.0f, [&](int k, const skel::PoseView& pose, auto&) {
        if (k > 0) {
          const Step step = LargestStep(last.view(), pose);
          ASSERT_LE(step.degrees, 40) << name << " seed " << seed << " tick " << k << " joint "
                                      << rig->joint_names()[static_cast<size_t>(step.joint)];
          ASSERT_LE(step.weight, 0.6) << name << " seed " << seed << " tick " << k;
        }
        last.span().CopyFrom(pose);
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(GraphInstanceScript, TheSameSeedAndInputsGiveTheSameBytes) {
  const auto rig = BuiltinRig();
  for (const char* kind : {"default", "passthrough"}) {
    std::vector<skel::Pose> first;
    PlayScript(kind, rig, 5, 300, 2, [&](int, const skel::PoseView& pose, auto&) {
      first.emplace_back(pose.joints, pose.shapes).span().CopyFrom(pose);
    });
    PlayScript(kind, rig, 5, 300, 2, [&](int k, const skel::PoseView& pose, auto&) {
      ASSERT_TRUE(SameBytes(first[static_cast<size_t>(k)].view(), pose)) << k;
    });
  }
}

TEST(GraphInstanceScript, PassThroughAllocatesNothingEither) {
  PlayScript("passthrough", BuiltinRig(), 9, 300, 2, [](int, const auto&, auto&) {});
}

// Away from switches what a source says comes out as it is.
TEST(GraphInstanceScript, ASettledSourceIsNotChanged) {
  const auto rig = BuiltinRig();
  Random rng(3);
  SwingingSource source(*rig, 1, rng, 0.5f, 2.5f);
  const auto graph = MakeComposite("default", rig, Gestures(), 1);
  skel::Pose pose(rig->joints(), rig->shapes());
  const int lids[] = {rig->FindShape("eyeBlinkLeft"), rig->FindShape("eyeBlinkRight")};
  for (int k = 0; k < 200; ++k) {
    const ProviderInput input = source.At(k * kTick_s);
    graph->Tick(k, k * kTick_s, kTick_s, Inputs{{&input, 1}}, pose.span());
    for (int j = 0; j < rig->joints(); ++j) {
      if (!input.pose.has_r[j]) continue;
      EXPECT_LT(AngleBetween(pose.view().rotation(j), input.pose.rotation(j)), 1e-3f) << k;
    }
    for (int s = 0; s < rig->shapes(); ++s) {
      if (!input.pose.has_w[s]) continue;
      if (s == lids[0] || s == lids[1]) {
        EXPECT_GE(pose.view().weights[s], input.pose.weights[s] - 1e-6f);
      } else {
        EXPECT_NEAR(pose.view().weights[s], input.pose.weights[s], 1e-6) << k;
      }
    }
  }
}

}  // namespace
}  // namespace posewire::graph
