// The engine of a worker without its transport: what one avatar and frame takes from bytes that
// came to bytes that go. Of few avatars the memory stays near the core; of many it does not.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/graph_loader/plan.h"
#include "libs/wire/frame_reader.h"
#include "services/anim_graph/core/engine.h"
#include "tests/bench/micro/poses.h"
#include "tools/loadgen/push_message.h"

namespace posewire::bench {
namespace {

using anim_graph::Engine;

// Takes what comes and lets it go.
class Sink final : public anim_graph::FrameSink {
 public:
  Offered Offer(const wire::EncodedFrame& frame, double) override {
    bytes += frame.size();
    return Offered::kTaken;
  }
  void Finish(const absl::Status&) override {}
  size_t bytes = 0;
};

class Peer final : public anim_graph::PushPeer {
 public:
  void ReadOn() override {}
  void Finish(const anim_graph::PushAnswer&) override {}
};

struct PushSource {
  Peer peer;
  wire::FrameReader reader;
  uint64_t push = 0;
};

std::unique_ptr<Engine> MakeEngine(const char* graph, anim_graph::Now now) {
  anim_graph::EngineParts parts;
  parts.settings = std::make_shared<anim_graph::EngineSettings>();
  // Made once: repetitions make engines anew.
  static const auto catalog = std::make_shared<skel::RigCatalog>(*skel::RigCatalog::Builtin());
  static const auto rig = *catalog->Find(parts.settings->rig);
  static const auto clips = *gesture::MakeGestures(rig, clip::Precision{.quick = true});
  parts.catalog = catalog;
  parts.plan = graph::MakeBuiltinPlan(graph, rig, clips).value();
  parts.capacity = std::make_shared<anim_graph::Capacity>();
  return std::make_unique<Engine>(parts, now);
}

void Give(Engine& engine, PushSource& source, const std::string& message, anim_graph::Now now,
          wire::Chunk* chunk) {
  const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(message.data()),
                                        message.size());
  if (!source.reader.Read({bytes}, chunk).ok()) std::abort();
  if (const auto* header = std::get_if<wire::StreamHeader>(chunk)) {
    const auto opened = engine.OpenPush(*header, {}, &source.peer, now);
    if (!opened.ok()) std::abort();
    source.push = opened->call;
  } else {
    engine.Offer(source.push, std::get<wire::DataChunk>(*chunk), now);
  }
}

// One iteration is one frame of all avatars: what sources push in it, and the ticks.
void RunEngine(benchmark::State& state, const char* graph, bool pushed) {
  constexpr int kWarmUp = 30;
  const auto avatars = static_cast<size_t>(state.range(0));
  anim_graph::Now now{1'000'000'000, 1.7e9};
  const std::unique_ptr<Engine> engine = MakeEngine(graph, now);
  std::vector<Sink> sinks(avatars);
  std::vector<std::unique_ptr<PushSource>> sources;
  loadgen::PushMessage message = *loadgen::PushMessage::Make();
  wire::Chunk chunk;
  for (size_t i = 0; i < avatars; ++i) {
    const std::string stream = absl::StrCat("stream", i);
    if (!engine->OpenPull({"", {"", stream, ""}, "bench"}, {}, &sinks[i], now).ok()) std::abort();
    if (!pushed) continue;
    sources.push_back(std::make_unique<PushSource>());
    Give(*engine, *sources.back(), message.Header(stream, now.unix_s), now, &chunk);
  }
  int64_t k = 0;
  const auto run_frame = [&] {
    const std::string& bytes = message.Frame(k++);
    for (const auto& source : sources) Give(*engine, *source, bytes, now, &chunk);
    const int64_t end = now.ns + 1'000'000'000 / 30;
    while (engine->NextWake() <= end) {
      now.ns = std::max(now.ns, engine->NextWake());
      engine->Advance(now);
    }
    now.ns = end;
  };
  while (k < kWarmUp) run_frame();
  for (auto _ : state) run_frame();
  state.counters["avatar_frame"] = benchmark::Counter(
      static_cast<double>(avatars),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void EnginePassthrough(benchmark::State& state) { RunEngine(state, "passthrough", true); }
BENCHMARK(EnginePassthrough)->Arg(4)->Arg(512);

void EngineDefault(benchmark::State& state) { RunEngine(state, "default", true); }
BENCHMARK(EngineDefault)->Arg(4)->Arg(512);

void EngineIdle(benchmark::State& state) { RunEngine(state, "default", false); }
BENCHMARK(EngineIdle)->Arg(4)->Arg(512);

}  // namespace
}  // namespace posewire::bench
