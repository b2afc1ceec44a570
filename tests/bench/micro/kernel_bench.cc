// The kernels of libs/skel against their scalar twins, in turns within one run: the time is that of
// the kernel, `twin_ns` that of the twin, and `ratio` how many times faster the kernel is.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <vector>

#include "libs/skel/blend_job.h"
#include "tests/bench/micro/poses.h"
#include "tests/unit/skel/scalar/scalar_blend.h"

namespace posewire::bench {
namespace {

template <typename Work>
double SecondsOf(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    work();
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 100;
}

template <typename Kernel, typename Twin>
void Compare(benchmark::State& state, const Kernel& kernel, const Twin& twin) {
  double kernel_s = 0, twin_s = 0;
  for (auto _ : state) {
    const double once = SecondsOf(kernel);
    twin_s += SecondsOf(twin);
    kernel_s += once;
    state.SetIterationTime(once);
  }
  state.counters["twin_ns"] = benchmark::Counter(1e9 * twin_s, benchmark::Counter::kAvgIterations);
  state.counters["ratio"] = twin_s / kernel_s;
}

struct Rigged {
  std::shared_ptr<const skel::Rig> rig = StandardRig();
  skel::Pose out{rig->joints(), rig->shapes()};
};

// Four poses, or as many as asked for, of which each has its own mask when `masked`.
void Blend(benchmark::State& state, bool masked) {
  Rigged r;
  std::vector<skel::Pose> poses;
  std::vector<skel::Mask> masks;
  std::vector<skel::BlendJob::Input> inputs;
  for (int64_t i = 0; i < state.range(0); ++i) {
    poses.push_back(MovingPose(*r.rig, static_cast<unsigned>(i), 0.3));
    skel::Mask& mask = masks.emplace_back(*r.rig, 0.0f);
    for (int j = 0; j < r.rig->joints(); ++j) {
      mask.set_joint(j, 0.1f + 0.2f * static_cast<float>((j + i) % 4));
    }
    mask.SetAllShapes(0.5f);
  }
  for (size_t i = 0; i < poses.size(); ++i) {
    inputs.push_back({poses[i].view(), 0.2f, masked ? &masks[i] : nullptr});
  }
  const skel::BlendJob job{inputs, r.rig->rest(), r.out.span()};
  Compare(
      state, [&] { job.Run(); }, [&] { skel::scalar::Blend(job); });
}
BENCHMARK_CAPTURE(Blend, plain, false)
    ->ArgName("n")
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->UseManualTime()
    ->Iterations(300);
BENCHMARK_CAPTURE(Blend, masked, true)->ArgName("n")->Arg(4)->UseManualTime()->Iterations(300);

}  // namespace
}  // namespace posewire::bench
