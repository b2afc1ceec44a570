// A buffered key to a pose: of one stream whose memory lies in the first cache, and of many in
// turn, each with keys, a pose and a binding of its own, as a server meets them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "libs/skel/interpolate_keys.h"
#include "libs/wire/source_binding.h"
#include "tests/bench/micro/poses.h"

namespace posewire::bench {
namespace {

struct BoundSource {
  wire::SourceBinding binding;
  std::vector<float> weights, translations, rotations, scales;
  skel::Pose pose;

  void Apply() { binding.Apply({{weights, translations, rotations, scales}}, pose.span()); }
};

// Keys of `from` in the order of `names`.
void WriteKeys(const skel::Rig& from, const std::vector<std::string>& names, unsigned seed,
               BoundSource& source) {
  const skel::Pose moving = MovingPose(from, seed, 0.5);
  const skel::PoseView pose = moving.view();
  for (const std::string& name : names) {
    const int j = from.FindJoint(name);
    const skel::Vec3 t = pose.translation(j), s = pose.scale(j);
    const skel::Quat r = pose.rotation(j);
    source.translations.insert(source.translations.end(), {t.x, t.y, t.z});
    source.rotations.insert(source.rotations.end(), {r.w, r.x, r.y, r.z});
    source.scales.insert(source.scales.end(), {s.x, s.y, s.z});
  }
  source.weights.assign(pose.weights, pose.weights + pose.shapes);
}

enum class Names { kSame, kShuffled, kOfAnotherRig };

std::vector<BoundSource> MakeSources(int64_t count, Names kind, wire::BindingCache* cache) {
  const skel::RigCatalog catalog = *skel::RigCatalog::Builtin();
  const std::shared_ptr<const skel::Rig> rig = *catalog.Find("hanim_loa3");
  const auto from = kind == Names::kOfAnotherRig ? *catalog.Find("ace_biped") : rig;
  wire::StreamHeader header;
  header.joints.assign(from->joint_names().begin(), from->joint_names().end());
  header.shapes.assign(from->shape_names().begin(), from->shape_names().end());
  if (kind == Names::kShuffled) {
    std::shuffle(header.joints.begin(), header.joints.end(), std::minstd_rand(1));
    std::shuffle(header.shapes.begin(), header.shapes.end(), std::minstd_rand(2));
  }
  std::vector<BoundSource> sources;
  for (int64_t i = 0; i < count; ++i) {
    sources.push_back(
        {*wire::SourceBinding::Make(header, rig, catalog, {1, kind != Names::kOfAnotherRig}, cache),
         {},
         {},
         {},
         {},
         skel::Pose(rig->joints(), rig->shapes())});
    WriteKeys(*from, header.joints, static_cast<unsigned>(i), sources.back());
  }
  return sources;
}

// Times a key of one of state.range(0) sources.
void BindKey(benchmark::State& state, Names kind) {
  wire::BindingCache cache;
  std::vector<BoundSource> sources = MakeSources(state.range(0), kind, &cache);
  size_t i = 0;
  for (auto _ : state) {
    sources[i].Apply();
    benchmark::ClobberMemory();
    if (++i == sources.size()) i = 0;
  }
}
BENCHMARK_CAPTURE(BindKey, same, Names::kSame)->Arg(1)->Arg(512);
BENCHMARK_CAPTURE(BindKey, shuffled, Names::kShuffled)->Arg(1)->Arg(512);
BENCHMARK_CAPTURE(BindKey, mapped, Names::kOfAnotherRig)->Arg(1)->Arg(512);

void InterpolateRotations(benchmark::State& state) {
  const auto sources = MakeSources(2, Names::kSame, nullptr);
  std::vector<float> out(sources[0].rotations.size());
  for (auto _ : state) {
    skel::InterpolateKeys(sources[0].rotations, sources[1].rotations, 0.3f, true,
                          absl::MakeSpan(out));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(InterpolateRotations);

}  // namespace
}  // namespace posewire::bench
