// The kernels of libs/skel against their scalar twins, in turns within one run: the time is that of
// the kernel, `twin_ns` that of the twin, and `ratio` how many times faster the kernel is.
#include <benchmark/benchmark.h>

#include <ctime>
#include <memory>
#include <vector>

#include "libs/skel/additive_job.h"
#include "libs/skel/blend_job.h"
#include "libs/skel/layer_job.h"
#include "libs/skel/local_to_model_job.h"
#include "tests/bench/micro/poses.h"
#include "tests/unit/skel/scalar/scalar_additive.h"
#include "tests/unit/skel/scalar/scalar_blend.h"
#include "tests/unit/skel/scalar/scalar_layer.h"
#include "tests/unit/skel/scalar/scalar_local_to_model.h"

namespace posewire::bench {
namespace {

constexpr int kCalls = 100;

// Of this thread on a core: others may want it too.
double ThreadSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <typename Work>
double SecondsOf(const Work& work) {
  const double start = ThreadSeconds();
  for (int i = 0; i < kCalls; ++i) {
    work();
    benchmark::ClobberMemory();
  }
  return (ThreadSeconds() - start) / kCalls;
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

void LayerOver(benchmark::State& state, skel::LayerJob::Rotations rotations) {
  Rigged r;
  const skel::Pose below = MovingPose(*r.rig, 1, 0), layer = MovingPose(*r.rig, 2, 0);
  const skel::Mask mask = *skel::Mask::Region(*r.rig, "upper_body");
  skel::LayerJob job;
  job.below = below.view();
  job.layer = layer.view();
  job.weight = 0.5f;
  job.mask = &mask;
  job.rotations = rotations;
  job.out = r.out.span();
  Compare(
      state, [&] { job.Run(); }, [&] { skel::scalar::Layer(job); });
}
BENCHMARK_CAPTURE(LayerOver, slerp, skel::LayerJob::Rotations::kSlerp)
    ->UseManualTime()
    ->Iterations(300);
BENCHMARK_CAPTURE(LayerOver, nlerp, skel::LayerJob::Rotations::kNlerp)
    ->UseManualTime()
    ->Iterations(300);

void Add(benchmark::State& state, float weight) {
  Rigged r;
  const skel::Pose below = MovingPose(*r.rig, 1, 0), delta = MovingPose(*r.rig, 2, 0);
  const skel::AdditiveJob job{below.view(), delta.view(), weight, nullptr, r.out.span()};
  Compare(
      state, [&] { job.Run(); }, [&] { skel::scalar::Additive(job); });
}
BENCHMARK_CAPTURE(Add, whole, 1.0f)->UseManualTime()->Iterations(300);
BENCHMARK_CAPTURE(Add, half, 0.5f)->UseManualTime()->Iterations(300);

void TakeOut(benchmark::State& state) {
  Rigged r;
  const skel::Pose pose = MovingPose(*r.rig, 1, 0);
  const skel::MakeAdditiveJob job{pose.view(), r.rig->rest(), r.out.span()};
  Compare(
      state, [&] { job.Run(); }, [&] { skel::scalar::MakeAdditive(job); });
}
BENCHMARK(TakeOut)->UseManualTime()->Iterations(300);

void ToModel(benchmark::State& state) {
  Rigged r;
  const skel::Pose pose = MovingPose(*r.rig, 1, 0);
  std::vector<skel::Affine> matrices(static_cast<size_t>(r.rig->joints()));
  skel::LocalToModelJob job;
  job.rig = r.rig.get();
  job.local = pose.view();
  job.matrices = absl::MakeSpan(matrices);
  Compare(
      state, [&] { job.Run(); }, [&] { skel::scalar::LocalToModel(job); });
}
BENCHMARK(ToModel)->UseManualTime()->Iterations(300);

}  // namespace
}  // namespace posewire::bench
