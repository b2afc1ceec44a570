// The engine of a worker without its transport: what one avatar and frame takes from bytes that
// came to bytes that go. Of few avatars the memory stays near the core; of many it does not.
#include <benchmark/benchmark.h>

#include <cstddef>

#include "tests/bench/micro/pushed_engine.h"

namespace posewire::bench {
namespace {

// One iteration is one frame of all avatars: what sources push in it, and the ticks.
void RunEngine(benchmark::State& state, const char* graph, bool pushed) {
  constexpr int kWarmUp = 30;
  const auto avatars = static_cast<size_t>(state.range(0));
  PushedEngine engine(graph, avatars, pushed);
  for (int k = 0; k < kWarmUp; ++k) engine.RunFrame();
  for (auto _ : state) engine.RunFrame();
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
