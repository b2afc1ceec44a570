#include "tests/bench/motion/motion_measures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"
#include "libs/clipio/load_clip.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/random/random.h"
#include "libs/skel/capsules.h"
#include "tests/bench/motion/habit_measures.h"
#include "tests/bench/motion/motion_speeds.h"
#include "tests/bench/motion/spoken_measures.h"
#include "tests/bench/motion/walk_measures.h"

namespace posewire {
namespace {

constexpr double kFrame_s = 1.0 / 30;
constexpr int kTicks = 180;
constexpr float kMost_m = 0.01f;
// Between two frames a joint turns no further than this, moves no further, and a shape changes no
// more, whatever is asked for: the rule of the example graphs in tests/unit/graph_loader.
constexpr float kMostStep_deg = 26, kMostStep_m = 0.1f, kMostWeight = 0.6f;

struct Worst {
  float depth_m = -1;
  uint64_t script = 0;
  int tick = 0, scripts_over = 0;
  std::string gesture;
};

// The largest steps between two frames.
struct Steps {
  float degrees = 0, metres = 0, weight = 0;
  uint64_t script = 0;  // of the degrees
};

void Step(const skel::PoseView& from, const skel::PoseView& to, uint64_t script, Steps* steps) {
  for (int j = 0; j < to.joints; ++j) {
    const float degrees = AngleBetween(from.rotation(j), to.rotation(j)) * 57.29578f;
    if (degrees > steps->degrees) steps->degrees = degrees, steps->script = script;
    steps->metres = std::max(steps->metres, Length(from.translation(j) - to.translation(j)));
  }
  for (int s = 0; s < to.shapes; ++s) {
    steps->weight = std::max(steps->weight, std::fabs(to.weights[s] - from.weights[s]));
  }
}

// What overlaps in `script`, into `worst`, one a pair, how far it steps and how fast it moves; what
// is shown, to the end of `take` unless it is null.
bool Play(const std::shared_ptr<const graph::GraphAsset>& asset, const skel::Capsules& capsules,
          uint64_t script, std::vector<Worst>* worst, Steps* steps, MotionSpeeds* speeds,
          std::vector<skel::Pose>* take = nullptr) {
  Random rng(script);
  const auto avatar = asset->Instantiate(asset, script * 31 + 7);
  graph::Variables& variables = avatar->variables();
  skel::Pose pose(asset->rig()->joints(), asset->rig()->shapes());
  std::vector<float> depth(worst->size());
  std::vector<bool> over(worst->size());
  skel::Pose last = pose;
  const graph::Inputs inputs;
  speeds->Begin();
  std::string gesture = "none";
  for (int tick = 0; tick < kTicks; ++tick) {
    const bool first = tick == 0;
    for (const absl::string_view name : {"posture_state", "gesture_state", "activity"}) {
      if (!first && rng.Uniform() > 0.01f) continue;
      const int v = variables.set().Find(name);
      if (v < 0) return false;
      const graph::VariableSpec& spec = variables.set().spec(v);
      if (spec.type == graph::VariableType::kChoice) {
        const size_t choice = rng.Next() % spec.values.size();
        variables.Set(v, {static_cast<double>(choice), {}});
        if (name == "gesture_state") gesture = spec.values[choice];
      } else {
        variables.Set(v, {spec.min + (spec.max - spec.min) * rng.Uniform(), {}});
      }
    }
    avatar->Tick(tick, tick * kFrame_s, first ? 0 : kFrame_s, inputs, pose.span());
    if (!first) Step(last.view(), pose.view(), script, steps);
    last.span().CopyFrom(pose.view());
    speeds->Add(pose.view());
    if (take != nullptr) take->push_back(pose);
    if (!capsules.Depths(pose.view(), absl::MakeSpan(depth))) return false;
    for (size_t p = 0; p < depth.size(); ++p) {
      Worst& w = (*worst)[p];
      if (depth[p] > kMost_m && !over[p]) {
        over[p] = true;
        ++w.scripts_over;
      }
      if (depth[p] > w.depth_m) w = {depth[p], script, tick, w.scripts_over, gesture};
    }
  }
  return true;
}

absl::Status Lacks() {
  return absl::InternalError("the default graph lacks a variable that scripts set");
}

absl::Status WriteScript(uint64_t script, const std::string& out,
                         const std::shared_ptr<const graph::GraphAsset>& asset) {
  const skel::Capsules capsules(asset->rig());
  std::vector<Worst> worst(skel::Capsules::Pairs().size());
  Steps steps;
  MotionSpeeds speeds(asset->rig());
  std::vector<skel::Pose> poses;
  if (!Play(asset, capsules, script, &worst, &steps, &speeds, &poses)) return Lacks();
  const clip::Clip take("take", asset->rig(), timecode::FrameRate{30, 1}, std::move(poses), false);
  return clipio::WriteClip(take, out);
}

}  // namespace

int RunMotion(int scripts, uint64_t first, const std::vector<std::string>& beside,
              const std::vector<std::string>& spoken, const std::string& take) {
  const auto fail = [](const std::string& why) {
    std::fprintf(stderr, "posewire_motion: %s\n", why.c_str());
    return 1;
  };
  const auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return fail(catalog.status().ToString());
  const auto rig = catalog->Find("hanim_loa3");
  if (!rig.ok()) return fail(rig.status().ToString());
  const auto clips = gesture::MakeGestures(*rig, clip::Precision{.quick = true});
  if (!clips.ok()) return fail(clips.status().ToString());
  const auto asset = graph::MakeBuiltinGraphAsset("default", *rig, *clips);
  if (!asset.ok()) return fail(asset.status().ToString());
  if (!take.empty()) {
    const absl::Status written = spoken.empty() ? WriteScript(first, take, *asset)
                                                : WriteTake(spoken[0], take, *asset, *catalog);
    return written.ok() ? 0 : fail(written.ToString());
  }
  const skel::Capsules capsules(*rig);
  std::vector<Worst> worst(skel::Capsules::Pairs().size());
  Steps steps;
  MotionSpeeds speeds(*rig);
  for (int s = 0; s < scripts; ++s) {
    if (!Play(*asset, capsules, first + static_cast<uint64_t>(s), &worst, &steps, &speeds)) {
      return fail(Lacks().ToString());
    }
  }
  std::printf(
      "Overlap in %d random scripts of the default graph, %.0f s each\n\n"
      "| what in what | deepest mm | scripts over 10 mm | gesture set last | script, frame |\n"
      "| --- | --- | --- | --- | --- |\n",
      scripts, kTicks * kFrame_s);
  bool passes = true;
  for (size_t p = 0; p < worst.size(); ++p) {
    const skel::Capsules::Pair pair = skel::Capsules::Pairs()[p];
    const Worst& w = worst[p];
    passes = passes && w.depth_m <= kMost_m;
    std::printf("| %s, %s | %.1f | %d | %s | %d, %d |\n", std::string(NameOf(pair.a)).c_str(),
                std::string(NameOf(pair.b)).c_str(), 1000 * w.depth_m, w.scripts_over,
                w.gesture.c_str(), static_cast<int>(w.script), w.tick);
  }
  std::printf("\n%s: no capsule is more than 10 mm in another one\n", passes ? "pass" : "FAIL");
  const bool smooth =
      steps.degrees <= kMostStep_deg && steps.metres <= kMostStep_m && steps.weight <= kMostWeight;
  std::printf(
      "\nLargest step of a frame: %.1f degrees (script %d), %.3f m, %.2f of a shape\n"
      "%s: at most %.0f degrees, %.2f m and %.1f\n",
      steps.degrees, static_cast<int>(steps.script), steps.metres, steps.weight,
      smooth ? "pass" : "FAIL", kMostStep_deg, kMostStep_m, kMostWeight);
  MotionSpeeds walking(*rig);
  const auto walks = MeasureWalking(*rig, *clips, 24, &walking);
  if (!walks.ok()) return fail(walks.status().ToString());
  passes = passes && *walks;
  MotionSpeeds::PrintHead();
  speeds.PrintRow("random scripts");
  walking.PrintRow("walking at 1.2 m/s");
  std::vector<std::pair<std::string, MotionHabits::Numbers>> habits_of_clips;
  for (const std::string& path : beside) {
    const auto clip = clipio::LoadClip(path, *rig, *catalog);
    if (!clip.ok()) return fail(clip.status().ToString());
    MotionSpeeds recorded(*rig);
    MotionHabits habits(*rig);
    for (int i = 0; i < (*clip)->frames(); ++i) {
      skel::Pose pose((*rig)->joints(), (*rig)->shapes());
      (*clip)->CopyFrame(i, pose.span());
      recorded.Add(pose.view());
      habits.Add(pose.view());
    }
    recorded.PrintRow((*clip)->name());
    habits_of_clips.emplace_back((*clip)->name(), habits.Count());
  }
  if (!beside.empty()) MotionHabits::PrintHead();
  for (const auto& [name, numbers] : habits_of_clips) MotionHabits::PrintRow(name, numbers);
  for (const std::string& path : spoken) {
    const auto good = MeasureSpoken(path, *asset, *catalog);
    if (!good.ok()) return fail(good.status().ToString());
    passes = passes && *good;
  }
  return passes && smooth ? 0 : 1;
}

}  // namespace posewire
