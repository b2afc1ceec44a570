#include "tests/bench/motion/walk_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "libs/graph/body_parts.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/random/random.h"
#include "libs/skel/model_place.h"
#include "tests/bench/walking_graph.h"

namespace posewire {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr int kHz = 60;
constexpr float kMostSlid_m = 0.005f, kMostOff_m = 0.04f;
// A part of the sole that is no higher than this bears weight.
constexpr float kBears_m = 0.001f;

// Heels and balls of both feet: what slides, and how often a foot comes down.
class Soles {
 public:
  explicit Soles(std::shared_ptr<const skel::Rig> rig) : parts_(std::move(rig)) {}

  void Add(const skel::PoseView& pose) {
    middle_ = {};
    for (size_t side = 0; side < 2; ++side) {
      const int ankle = parts_.legs[side].end;
      const skel::Placement at = PlaceOf(*parts_.rig, pose, ankle);
      middle_ = middle_ + at.at * 0.5f;
      const Vec3 rest = parts_.rest_at[static_cast<size_t>(ankle)];
      const float ball = parts_.rest_at[static_cast<size_t>(parts_.toes[side])].z - rest.z;
      const Quat turn = Mul(at.turn, Conjugate(parts_.rest_turn[static_cast<size_t>(ankle)]));
      bool stands = false;
      const float ways[2] = {-0.035f * parts_.height_m, ball};
      for (size_t k = 0; k < 2; ++k) {
        Point& point = points_[side][k];
        const Vec3 now = at.at + Rotate(turn, {0, -rest.y, ways[k]});
        const bool bears = now.y < kBears_m;
        if (bears && point.bears) {
          point.slid_m += std::hypot(now.x - point.last.x, now.z - point.last.z);
          slid_m_ = std::max(slid_m_, point.slid_m);
        } else {
          point.slid_m = 0;
        }
        point.bears = bears, point.last = now;
        stands |= bears;
      }
      if (stands && !stands_[side]) ++steps_;
      stands_[side] = stands;
    }
  }
  float slid_m() const { return slid_m_; }  // the most in one stand
  int steps() const { return steps_; }
  Vec3 middle() const { return middle_; }

 private:
  struct Point {
    bool bears = false;
    float slid_m = 0;
    Vec3 last;
  };
  graph::BodyParts parts_;
  std::array<std::array<Point, 2>, 2> points_;
  std::array<bool, 2> stands_{};
  int steps_ = 0;
  float slid_m_ = 0;
  Vec3 middle_;
};

struct Walker {
  Walker(const std::shared_ptr<const graph::GraphAsset>& asset, uint64_t seed)
      : avatar(asset->Instantiate(asset, seed)),
        soles(asset->rig()),
        pose(asset->rig()->joints(), asset->rig()->shapes()) {}
  void Set(const char* name, const graph::Value& value) {
    avatar->variables().Set(avatar->variables().set().Find(name), value);
  }
  void Tick() {
    avatar->Tick(tick, tick / double{kHz}, tick == 0 ? 0 : 1.0 / kHz, {}, pose.span());
    ++tick;
    soles.Add(pose.view());
  }
  std::unique_ptr<graph::GraphInstance> avatar;
  Soles soles;
  skel::Pose pose;
  int tick = 0;
};

}  // namespace

absl::StatusOr<bool> MeasureWalking(const std::shared_ptr<const skel::Rig>& rig,
                                    const std::shared_ptr<const clip::ClipLibrary>& clips,
                                    int places, MotionSpeeds* straight) {
  const auto text = graph::ParseGraph(kWalkingGraph);
  if (!text.ok()) return text.status();
  const auto asset = graph::MakeGraphAsset(*text, rig, clips);
  if (!asset.ok()) return asset.status();
  Random rng(4);
  Walker w(*asset, 1);
  float off_m = 0;
  for (int k = 0; k < places; ++k) {
    const Vec3 place{rng.Uniform(-3, 3), 0, rng.Uniform(-3, 3)};
    w.Set("speed", {rng.Uniform(0.6f, 1.7f), {}});
    w.Set("place", {0, place});
    for (int i = 0; i < 12 * kHz; ++i) w.Tick();
    const Vec3 off = w.soles.middle() - place;
    off_m = std::max(off_m, std::hypot(off.x, off.z));
  }
  std::printf("\nWalking: %d places within 3 m, one after the other\n\n", places);
  std::printf(
      "| what bears the weight slides at the most in a stand | ends at the most from its place |\n"
      "| --- | --- |\n| %.1f mm | %.0f mm |\n\n| m/s | steps a minute | their length |\n"
      "| --- | --- | --- |\n",
      1000 * w.soles.slid_m(), 1000 * off_m);
  float slid_m = w.soles.slid_m();
  for (const double speed : {0.6, 0.9, 1.2, 1.5}) {
    Walker far(*asset, 2);
    far.Set("speed", {speed, {}});
    far.Set("place", {0, {0, 0, 100}});
    for (int i = 0; i < 5 * kHz; ++i) far.Tick();
    const int before = far.soles.steps();
    const float from = far.soles.middle().z;
    for (int i = 0; i < 20 * kHz; ++i) {
      far.Tick();
      if (speed == 1.2 && i % 2 == 0) straight->Add(far.pose.view());
    }
    const int steps = far.soles.steps() - before;
    std::printf("| %.1f | %d | %.2f m |\n", speed, steps * 3,
                (far.soles.middle().z - from) / static_cast<float>(std::max(steps, 1)));
    slid_m = std::max(slid_m, far.soles.slid_m());
  }
  const bool passes = slid_m < kMostSlid_m && off_m < kMostOff_m;
  std::printf("\n%s: slides under %.0f mm, ends within %.0f mm\n", passes ? "pass" : "FAIL",
              1000 * kMostSlid_m, 1000 * kMostOff_m);
  return passes;
}

}  // namespace posewire
