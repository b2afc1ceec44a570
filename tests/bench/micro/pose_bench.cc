// The jobs on poses of the standard rig, against copying one pose.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "libs/clip/clip.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/skel/additive_job.h"
#include "libs/skel/blend_job.h"
#include "libs/skel/layer_job.h"
#include "libs/skel/local_to_model_job.h"
#include "tests/bench/micro/poses.h"

namespace posewire::bench {
namespace {

constexpr int kCharacters = 256;
constexpr int kClips = 32;

std::shared_ptr<const clip::Clip> MakeClip(const std::shared_ptr<const skel::Rig>& rig,
                                           unsigned seed) {
  constexpr int kFrames = 60;
  std::vector<skel::Pose> frames;
  for (int i = 0; i < kFrames; ++i) frames.push_back(MovingPose(*rig, seed, i / 30.0));
  return std::make_shared<clip::Clip>("clip", rig, timecode::FrameRate{}, std::move(frames), true);
}

// As anim_graph plays it.
std::shared_ptr<const clip::Clip> MakeCompressedClip(const std::shared_ptr<const skel::Rig>& rig,
                                                     unsigned seed) {
  return clip::CompressedOrAsIs(MakeClip(rig, seed), clip::Precision());
}

// Many clips and the poses of many characters: more than the caches near the core hold.
struct Crowd {
  std::shared_ptr<const skel::Rig> rig = StandardRig();
  std::vector<std::shared_ptr<const clip::Clip>> clips;
  std::vector<skel::Pose> poses;

  explicit Crowd(bool compressed = true)
      : poses(kCharacters, skel::Pose(rig->joints(), rig->shapes())) {
    for (unsigned i = 0; i < kClips; ++i) clips.push_back(Clip(rig, i, compressed));
  }
  // Made once a program: to compress takes longer than what is timed.
  static std::shared_ptr<const clip::Clip> Clip(const std::shared_ptr<const skel::Rig>& rig,
                                                unsigned i, bool compressed) {
    static std::array<std::shared_ptr<const clip::Clip>, kClips> made[2];
    auto& clip = made[compressed ? 1 : 0][i];
    if (clip == nullptr) clip = compressed ? MakeCompressedClip(rig, i) : MakeClip(rig, i);
    return clip;
  }
  const clip::Clip& ClipOf(int64_t character, int64_t input) const {
    return *clips[static_cast<size_t>((character * 7 + input * 11) % kClips)];
  }
};

void CopyPose(benchmark::State& state) {
  const auto rig = StandardRig();
  const skel::Pose from = MovingPose(*rig, 1, 0);
  skel::Pose to(rig->joints(), rig->shapes());
  for (auto _ : state) {
    to.span().CopyFrom(from.view());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(CopyPose);

void Sample(benchmark::State& state, bool compressed) {
  const auto rig = StandardRig();
  const auto clip = compressed ? MakeCompressedClip(rig, 1) : MakeClip(rig, 1);
  skel::Pose out(rig->joints(), rig->shapes());
  int64_t i = 0;
  for (auto _ : state) {
    clip->Sample(static_cast<double>(++i) / 47, out.span());
    benchmark::ClobberMemory();
  }
}
void SampleClip(benchmark::State& state) { Sample(state, true); }
BENCHMARK(SampleClip);
void SampleUncompressedClip(benchmark::State& state) { Sample(state, false); }
BENCHMARK(SampleUncompressedClip);

void SampleOfManyCharacters(benchmark::State& state, bool compressed) {
  Crowd crowd(compressed);
  int64_t i = 0;
  for (auto _ : state) {
    const int64_t character = ++i % kCharacters;
    skel::Pose& out = crowd.poses[static_cast<size_t>(character)];
    crowd.ClipOf(character, 0).Sample(static_cast<double>(i) / 47, out.span());
    benchmark::ClobberMemory();
  }
}
void SampleClipOfManyCharacters(benchmark::State& state) { SampleOfManyCharacters(state, true); }
BENCHMARK(SampleClipOfManyCharacters);
void SampleUncompressedClipOfManyCharacters(benchmark::State& state) {
  SampleOfManyCharacters(state, false);
}
BENCHMARK(SampleUncompressedClipOfManyCharacters);

// What the built-in gestures take, all in all, for a joint that they carry and a frame, at so many
// micrometres.
void CompressGestures(benchmark::State& state) {
  const auto gestures = gesture::MakeGestures(StandardRig());
  if (!gestures.ok()) return state.SkipWithError("no gestures");
  clip::Precision precision;
  precision.error_m = static_cast<float>(state.range(0)) * 1e-6f;
  precision.quick = state.range(1) != 0;
  double before = 0, after = 0, joint_frames = 0;
  for (auto _ : state) {
    before = after = joint_frames = 0;
    for (const auto& clip : (*gestures)->clips()) {
      const auto less = clip::CompressedOrAsIs(clip, precision);
      before += static_cast<double>(clip->bytes());
      after += static_cast<double>(less->bytes());
      const skel::PoseView first = clip->frame(0);
      joint_frames += static_cast<double>(clip->frames()) *
                      static_cast<double>(std::count(first.has_r, first.has_r + first.joints, 1));
    }
  }
  state.counters["clip_bytes"] = after / joint_frames;
  state.counters["raw_clip_bytes"] = before / joint_frames;
}
BENCHMARK(CompressGestures)
    ->ArgNames({"um", "quick"})
    ->Args({100, 0})
    ->Args({1000, 0})
    ->Args({100, 1})
    ->Iterations(1);

void Blend(benchmark::State& state) {
  const auto rig = StandardRig();
  std::vector<skel::Pose> poses;
  std::vector<skel::BlendJob::Input> inputs;
  for (int64_t i = 0; i < state.range(0); ++i) {
    poses.push_back(MovingPose(*rig, static_cast<unsigned>(i), 0.3));
  }
  for (const skel::Pose& p : poses) inputs.push_back({p.view(), 0.2f});
  skel::Pose out(rig->joints(), rig->shapes());
  const skel::BlendJob job{inputs, rig->rest(), out.span()};
  for (auto _ : state) {
    if (!job.Run()) return state.SkipWithError("the job was refused");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(Blend)->Arg(2)->Arg(4)->Arg(8);

void LayerMasked(benchmark::State& state) {
  const auto rig = StandardRig();
  const skel::Pose below = MovingPose(*rig, 1, 0), layer = MovingPose(*rig, 2, 0);
  const skel::Mask mask = *skel::Mask::Region(*rig, "upper_body");
  skel::Pose out(rig->joints(), rig->shapes());
  skel::LayerJob job;
  job.below = below.view();
  job.layer = layer.view();
  job.weight = 0.5f;
  job.mask = &mask;
  job.out = out.span();
  for (auto _ : state) {
    if (!job.Run()) return state.SkipWithError("the job was refused");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(LayerMasked);

void Additive(benchmark::State& state) {
  const auto rig = StandardRig();
  const skel::Pose below = MovingPose(*rig, 1, 0), delta = MovingPose(*rig, 2, 0);
  skel::Pose out(rig->joints(), rig->shapes());
  const skel::AdditiveJob job{below.view(), delta.view(), 0.5f, nullptr, out.span()};
  for (auto _ : state) {
    if (!job.Run()) return state.SkipWithError("the job was refused");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(Additive);

void LocalToModel(benchmark::State& state) {
  const auto rig = StandardRig();
  const skel::Pose pose = MovingPose(*rig, 1, 0);
  std::vector<skel::Affine> matrices(static_cast<size_t>(rig->joints()));
  skel::LocalToModelJob job;
  job.rig = rig.get();
  job.local = pose.view();
  job.matrices = absl::MakeSpan(matrices);
  for (auto _ : state) {
    if (!job.Run()) return state.SkipWithError("the job was refused");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(LocalToModel);

void SampleAndBlend4OfManyCharacters(benchmark::State& state) {
  Crowd crowd;
  std::array<skel::Pose, 4> samples;
  std::array<skel::BlendJob::Input, 4> inputs;
  for (size_t n = 0; n < samples.size(); ++n) {
    samples[n].Resize(crowd.rig->joints(), crowd.rig->shapes());
    inputs[n] = {samples[n].view(), 0.25f};
  }
  int64_t i = 0;
  for (auto _ : state) {
    const int64_t character = ++i % kCharacters;
    for (size_t n = 0; n < samples.size(); ++n) {
      crowd.ClipOf(character, static_cast<int64_t>(n))
          .Sample(static_cast<double>(i) / 47, samples[n].span());
    }
    const skel::BlendJob job{inputs, crowd.rig->rest(),
                             crowd.poses[static_cast<size_t>(character)].span()};
    if (!job.Run()) return state.SkipWithError("the job was refused");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SampleAndBlend4OfManyCharacters);

}  // namespace
}  // namespace posewire::bench
