// One tick of a graph, of many avatars in turn, against copying one pose.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "libs/gesture_loader/gestures.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "tests/bench/micro/poses.h"
#include "tests/bench/walking_graph.h"

namespace posewire::bench {
namespace {

constexpr int kAvatars = 64;
constexpr int kPoses = 32;

enum Sources { kNobody, kOneSource, kSpeaker };
enum Also { kNothing, kWalks, kTellsClips };

// Avatars tick in turn, as a server's do, so that each finds its memory cold.
void Tick(benchmark::State& state, const char* kind, Sources sources, const char* gesture,
          Also also = kNothing) {
  const auto rig = StandardRig();
  // As anim_graph plays them.
  const auto clips = *gesture::MakeGestures(rig, clip::Precision{.quick = true});
  std::vector<std::unique_ptr<graph::GraphInstance>> graphs;
  std::vector<skel::Pose> out(kAvatars, skel::Pose(rig->joints(), rig->shapes()));
  const bool own = kind == std::string_view(kWalkingGraph);
  const auto asset =
      own ? graph::MakeGraphAsset(graph::ParseGraph(kind).value(), rig, clips).value()
          : graph::MakeBuiltinGraphAsset(kind, rig, clips).value();
  for (int i = 0; i < kAvatars; ++i) {
    graphs.push_back(asset->Instantiate(asset, static_cast<uint64_t>(i)));
    graphs.back()->TellContributions(also == kTellsClips);
  }
  // What the source says at successive ticks.
  std::vector<skel::Pose> said;
  for (int i = 0; i < kPoses; ++i) said.push_back(MovingPose(*rig, 3, i / 30.0));

  std::array<graph::ProviderInput, 1> provider;
  provider[0].playback_id = 1;
  provider[0].source_service_id = "bench";
  provider[0].owns_mouth = true;
  graph::Inputs inputs;
  if (sources != kNobody) inputs.providers = provider;
  // Announced every two seconds: an arm is always on its way.
  const graph::SpeechGestureInput beat{.strength = 1, .stroke_in_s = 0.8, .end_in_s = 2};

  int64_t i = 0;
  for (auto _ : state) {
    const auto avatar = static_cast<size_t>(i % kAvatars);
    const int64_t tick = i / kAvatars;
    // Gestures are 1 to 3 s long: begun again each second, one always plays.
    if (gesture != nullptr && tick % 30 == 0) {
      graph::Variables& variables = graphs[avatar]->variables();
      const int index = variables.set().Find("gesture_state");
      variables.Set(index, *variables.set().spec(index).Parse(gesture));
    }
    provider[0].gesture = sources == kSpeaker && tick % 60 == 0 ? &beat : nullptr;
    if (also == kWalks && tick % 1500 == 0) {
      // Half a minute's way, there and back.
      const float z = tick % 3000 == 0 ? 60 : 0;
      graphs[avatar]->variables().Set(0, {0, {0, 0, z}});
    }
    provider[0].pose = said[static_cast<size_t>(tick % kPoses)].view();
    graphs[avatar]->Tick(tick, static_cast<double>(tick) / 30, 1.0 / 30, inputs,
                         out[avatar].span());
    benchmark::ClobberMemory();
    ++i;
  }
}

void TickDefaultIdle(benchmark::State& state) { Tick(state, "default", kNobody, nullptr); }
BENCHMARK(TickDefaultIdle);

void TickDefaultDriven(benchmark::State& state) { Tick(state, "default", kOneSource, nullptr); }
BENCHMARK(TickDefaultDriven);

void TickDefaultGesture(benchmark::State& state) { Tick(state, "default", kOneSource, "wave"); }
BENCHMARK(TickDefaultGesture);

void TickDefaultContributions(benchmark::State& state) {
  Tick(state, "default", kOneSource, "wave", kTellsClips);
}
BENCHMARK(TickDefaultContributions);

void TickDefaultSpeech(benchmark::State& state) { Tick(state, "default", kSpeaker, nullptr); }
BENCHMARK(TickDefaultSpeech);

void TickStanding(benchmark::State& state) { Tick(state, kWalkingGraph, kNobody, nullptr); }
BENCHMARK(TickStanding);

void TickWalking(benchmark::State& state) { Tick(state, kWalkingGraph, kNobody, nullptr, kWalks); }
BENCHMARK(TickWalking);

void TickPassthrough(benchmark::State& state) { Tick(state, "passthrough", kOneSource, nullptr); }
BENCHMARK(TickPassthrough);

}  // namespace
}  // namespace posewire::bench
