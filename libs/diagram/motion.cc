#include "libs/diagram/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::diagram {
namespace {

using skel::Vec3;

constexpr float kDegrees = 57.29577951308f;
constexpr float kStillWeight = 0.005f;
constexpr float kStillTurn_deg = 0.5f;
constexpr float kStillRoot_m = 0.002f;

// The sample times of the curves and the instants, merged in order, with the index of each instant.
struct Schedule {
  std::vector<double> times;
  std::vector<size_t> instants;
};

Schedule MakeSchedule(const MotionOptions& o) {
  const double length = o.end_s - o.start_s;
  const auto steps = static_cast<size_t>(
      std::clamp(std::ceil(length * o.rate_hz), 0.0, static_cast<double>(o.max_samples)));
  Schedule s;
  s.times.resize(steps > 0 ? steps + 1 : 0);
  for (size_t i = 0; i < s.times.size(); ++i) {
    s.times[i] = o.start_s + length * static_cast<double>(i) / static_cast<double>(steps);
  }
  std::vector<double> instants;
  const int count = length > 0 ? o.instants : 1;
  for (int i = 0; i < count; ++i) {
    instants.push_back(count == 1 ? o.start_s : o.start_s + length * i / (count - 1));
  }
  s.times.insert(s.times.end(), instants.begin(), instants.end());
  std::sort(s.times.begin(), s.times.end());
  s.times.erase(std::unique(s.times.begin(), s.times.end()), s.times.end());
  for (double t : instants) {
    s.instants.push_back(
        static_cast<size_t>(std::lower_bound(s.times.begin(), s.times.end(), t) - s.times.begin()));
  }
  return s;
}

// Returns the rotation vector of the same rotation that is nearest to `before`.
Vec3 Continuous(Vec3 turn_deg, Vec3 before) {
  const float angle = skel::Length(turn_deg);
  if (angle < 1e-3f) return turn_deg;
  const Vec3 other = turn_deg * ((angle - 360.0f) / angle);
  return skel::Length(other - before) < skel::Length(turn_deg - before) ? other : turn_deg;
}

// A track: the rotation of `end` relative to `base` (-1: its parent), which combines all joints
// between them.
struct TrackPlan {
  JointTrack track;
  int base, end;
};

bool IsAncestor(const skel::Rig& rig, int above, int joint) {
  for (; joint >= 0; joint = rig.topology().parent(joint)) {
    if (joint == above) return true;
  }
  return false;
}

// Adds the joints from below `base` down to `end` as one track, and marks them as taken.
void AddRun(const skel::Rig& rig, const BodyPlan& plan, const char* label, int base, int end,
            std::vector<bool>& taken, std::vector<TrackPlan>& out) {
  if (base < 0 || end < 0 || base == end || !IsAncestor(rig, base, end)) return;
  float reach = 0;
  for (int j = end; j != base; j = rig.topology().parent(j)) {
    taken[static_cast<size_t>(j)] = true;
    reach = plan.reach_m[static_cast<size_t>(j)];
  }
  out.push_back({{label, Side::kMiddle, false, reach, {}}, base, end});
}

std::vector<TrackPlan> PlanTracks(const skel::Rig& rig, const BodyPlan& plan) {
  std::vector<TrackPlan> out;
  std::vector<bool> taken(static_cast<size_t>(rig.joints()), false);
  int base = plan.chest;
  while (base >= 0 && !IsAncestor(rig, base, plan.pelvis)) base = rig.topology().parent(base);
  AddRun(rig, plan, "spine", base, plan.chest, taken, out);
  AddRun(rig, plan, "neck and head", plan.chest, plan.head.joint, taken, out);
  for (int j = 0; j < rig.joints(); ++j) {
    const auto at = static_cast<size_t>(j);
    if (taken[at]) continue;
    out.push_back(
        {{rig.joint_names()[at], plan.side[at], plan.part[at] == Part::kHand, plan.reach_m[at], {}},
         -1,
         j});
  }
  return out;
}

class Sampler {
 public:
  Sampler(const skel::Rig& rig, const BodyPlan& plan, const std::vector<int>& follow,
          SampledMotion& motion)
      : rig_(rig),
        plan_(plan),
        follow_(follow),
        motion_(motion),
        rest_(ToModel(rig, rig.rest())),
        tracks_(PlanTracks(rig, plan)),
        pose_(rig.joints(), rig.shapes()),
        translations_(static_cast<size_t>(rig.joints())) {}

  absl::Status Take(double t_s, PoseSource source) {
    pose_.span().ClearPresence();
    if (absl::Status s = source(t_s, pose_.span()); !s.ok()) return s;
    motion_.times_s.push_back(t_s);
    model_ = ToModel(rig_, pose_.view());
    TakeWeights();
    for (TrackPlan& plan : tracks_) TakeTurn(plan);
    TakeTranslations();
    for (int i = 0; i < 2; ++i) {
      if (plan_.wrist[i] < 0) continue;
      motion_.wrist_m[i].push_back(model_.position[static_cast<size_t>(plan_.wrist[i])]);
    }
    for (size_t i = 0; i < follow_.size(); ++i) {
      motion_.path_m[i].push_back(model_.position[static_cast<size_t>(follow_[i])]);
    }
    return absl::OkStatus();
  }

  void KeepInstant() {
    const size_t last = motion_.times_s.size() - 1;
    Instant instant;
    instant.t_s = motion_.times_s[last];
    instant.pose = model_;
    for (int s = 0; s < rig_.shapes(); ++s) instant.weights.push_back(motion_.weight(last, s));
    motion_.instants.push_back(std::move(instant));
  }

  void Finish() {
    for (TrackPlan& plan : tracks_) motion_.tracks.push_back(std::move(plan.track));
    for (int j = 0; j < rig_.joints(); ++j) {
      auto& track = translations_[static_cast<size_t>(j)];
      if (track.empty()) continue;
      motion_.mover = j;
      motion_.mover_m = std::move(track);
      return;
    }
  }

 private:
  // Returns the rotation of a track's end in the space of its base.
  static skel::Quat Relative(const skel::Rig& rig, const ModelPose& pose, const TrackPlan& plan) {
    const int base = plan.base >= 0 ? plan.base : rig.topology().parent(plan.end);
    const skel::Quat end = pose.rotation[static_cast<size_t>(plan.end)];
    if (base < 0) return end;
    return skel::Mul(skel::Conjugate(pose.rotation[static_cast<size_t>(base)]), end);
  }

  void TakeTurn(TrackPlan& plan) {
    const skel::Quat now = Relative(rig_, model_, plan), rest = Relative(rig_, rest_, plan);
    Vec3 turn = skel::Log(skel::Normalized(skel::Mul(now, skel::Conjugate(rest)))) * kDegrees;
    auto& turns = plan.track.turn_deg;
    if (!turns.empty()) turn = Continuous(turn, turns.back());
    turns.push_back(turn);
  }

  void TakeWeights() {
    const skel::PoseView p = pose_.view();
    for (int s = 0; s < rig_.shapes(); ++s) {
      motion_.weights.push_back(p.has_w[s] ? p.weights[s] : 0.0f);
    }
  }

  void TakeTranslations() {
    const skel::PoseView p = pose_.view(), rest = rig_.rest();
    const size_t sample = motion_.times_s.size() - 1;
    for (int j = 0; j < rig_.joints(); ++j) {
      // A track of translations starts when it first leaves its rest position; until then it was at
      // rest.
      const Vec3 moved = p.has_t[j] ? p.translation(j) - rest.translation(j) : Vec3{};
      auto& track = translations_[static_cast<size_t>(j)];
      if (track.empty() && skel::Length(moved) < kStillRoot_m) continue;
      track.resize(sample);
      track.push_back(moved);
    }
  }

  const skel::Rig& rig_;
  const BodyPlan& plan_;
  const std::vector<int>& follow_;
  SampledMotion& motion_;
  ModelPose rest_;
  std::vector<TrackPlan> tracks_;
  skel::Pose pose_;
  ModelPose model_;
  std::vector<std::vector<Vec3>> translations_;
};

struct Paired {
  std::string stem;
  Side side;
};

Paired SplitSide(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  if (absl::EndsWith(lower, "left")) return {name.substr(0, name.size() - 4), Side::kLeft};
  if (absl::EndsWith(lower, "right")) return {name.substr(0, name.size() - 5), Side::kRight};
  return {name, Side::kMiddle};
}

// jawLeft and mouthLeft each move one part sideways; they are not one side of a pair.
bool IsPair(const skel::Rig& rig, const Paired& p) {
  if (p.side == Side::kMiddle || p.stem.empty()) return false;
  const std::string lower = absl::AsciiStrToLower(p.stem);
  if (lower == "jaw" || lower == "mouth" || absl::StartsWith(lower, "tongue")) return false;
  return rig.FindShape(absl::StrCat(p.stem, "Left")) >= 0 &&
         rig.FindShape(absl::StrCat(p.stem, "Right")) >= 0;
}

}  // namespace

absl::StatusOr<SampledMotion> SampleMotion(const skel::Rig& rig, const BodyPlan& plan,
                                           PoseSource source, const MotionOptions& options) {
  if (!(options.end_s >= options.start_s)) {
    return absl::InvalidArgumentError(absl::StrCat("figure: the motion ends at ", options.end_s,
                                                   " s, before its start at ", options.start_s,
                                                   " s"));
  }
  if (options.instants < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("figure: ", options.instants, " instants; at least 1 is needed"));
  }
  SampledMotion motion;
  motion.shapes = rig.shapes();
  motion.path_m.resize(options.follow.size());
  const Schedule schedule = MakeSchedule(options);
  Sampler sampler(rig, plan, options.follow, motion);
  size_t next = 0;
  for (size_t i = 0; i < schedule.times.size(); ++i) {
    if (absl::Status s = sampler.Take(schedule.times[i], source); !s.ok()) return s;
    for (; next < schedule.instants.size() && schedule.instants[next] == i; ++next) {
      sampler.KeepInstant();
    }
  }
  sampler.Finish();
  return motion;
}

std::vector<ShapeCurve> MovingShapes(const skel::Rig& rig, const SampledMotion& motion) {
  std::vector<ShapeCurve> curves;
  for (int s = 0; s < motion.shapes; ++s) {
    float low = 0, high = 0;
    for (size_t i = 0; i < motion.times_s.size(); ++i) {
      low = std::min(low, motion.weight(i, s));
      high = std::max(high, motion.weight(i, s));
    }
    if (high < kStillWeight && low > -kStillWeight) continue;
    const std::string& name = rig.shape_names()[static_cast<size_t>(s)];
    const Paired paired = SplitSide(name);
    const bool pair = IsPair(rig, paired);
    const std::string label = pair ? paired.stem : name;
    auto it = std::find_if(curves.begin(), curves.end(),
                           [&](const ShapeCurve& c) { return c.label == label; });
    if (it == curves.end()) {
      curves.push_back({});
      it = curves.end() - 1;
      it->label = label;
    }
    (!pair ? it->middle : paired.side == Side::kLeft ? it->left : it->right) = s;
    it->low = std::min(it->low, low);
    it->high = std::max(it->high, high);
  }
  const auto size = [](const ShapeCurve& c) { return std::max(c.high, -c.low); };
  std::stable_sort(curves.begin(), curves.end(),
                   [&](const ShapeCurve& a, const ShapeCurve& b) { return size(a) > size(b); });
  return curves;
}

MovingTracks FindMovingTracks(const SampledMotion& motion) {
  std::vector<std::pair<float, const JointTrack*>> arcs;
  for (const JointTrack& track : motion.tracks) {
    Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
    for (const Vec3& t : track.turn_deg) {
      low = {std::min(low.x, t.x), std::min(low.y, t.y), std::min(low.z, t.z)};
      high = {std::max(high.x, t.x), std::max(high.y, t.y), std::max(high.z, t.z)};
    }
    const float range_deg = skel::Length(high - low);
    if (range_deg > kStillTurn_deg) arcs.push_back({range_deg * track.reach_m, &track});
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  MovingTracks moving;
  bool hand_seen[3] = {};
  for (const auto& [arc, track] : arcs) {
    bool& seen = hand_seen[static_cast<size_t>(track->side)];
    if (track->finger && seen) {
      ++moving.fingers_left_out;
      continue;
    }
    seen = seen || track->finger;
    moving.tracks.push_back(track);
  }
  return moving;
}

}  // namespace posewire::diagram
