#include "libs/clip/step_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "libs/clip/model_error.h"

namespace posewire::clip {
namespace {

using skel::Affine;
using skel::PoseView;

// The rest is left for float rounding.
constexpr float kSafe = 0.98f;
constexpr int kRounds = 10;
constexpr size_t kMostFrames = 384;
// Margin, because frames that were not measured may be worse.
constexpr float kSampled = 0.9f;

bool OfJoint(const Track& track) { return track.kind != TrackKind::kWeight; }

// Maximum distance of any vertex below each joint, for any rotation of the joints.
std::vector<float> Levers(const skel::Rig& rig, absl::Span<const skel::Pose> poses,
                          const Tracks& tracks) {
  const int joints = rig.joints();
  const PoseView first = poses[0].view(), rest = rig.rest();
  std::vector<float> length(static_cast<size_t>(joints));
  for (int j = 0; j < joints; ++j) {
    length[static_cast<size_t>(j)] =
        Length(first.has_t[j] ? first.translation(j) : rest.translation(j));
  }
  for (const Track& track : tracks.tracks) {
    if (track.kind != TrackKind::kMove) continue;
    float& most = length[static_cast<size_t>(track.index)];
    for (const skel::Pose& pose : poses) {
      most = std::max(most, Length(pose.view().translation(track.index)));
    }
  }
  std::vector<float> lever(static_cast<size_t>(joints), kVertexDistance_m);
  for (int j = joints - 1; j >= 0; --j) {
    const int parent = rig.topology().parent(j);
    if (parent < 0) continue;
    float& above = lever[static_cast<size_t>(parent)];
    above = std::max(above, length[static_cast<size_t>(j)] + lever[static_cast<size_t>(j)]);
  }
  return lever;
}

// The largest number of tracks on a path from a root to a leaf through each joint.
std::vector<int> TracksThrough(const skel::Rig& rig, const Tracks& tracks) {
  const int joints = rig.joints();
  std::vector<int> own(static_cast<size_t>(joints)), above = own, below = own, through = own;
  for (const Track& track : tracks.tracks) {
    if (OfJoint(track)) ++own[static_cast<size_t>(track.index)];
  }
  for (int j = 0; j < joints; ++j) {
    const int parent = rig.topology().parent(j);
    const auto i = static_cast<size_t>(j);
    above[i] = own[i] + (parent < 0 ? 0 : above[static_cast<size_t>(parent)]);
  }
  for (int j = joints - 1; j >= 0; --j) {
    const int parent = rig.topology().parent(j);
    const auto i = static_cast<size_t>(j);
    below[i] += own[i];
    if (parent >= 0) {
      int& best = below[static_cast<size_t>(parent)];
      best = std::max(best, below[i]);
    }
    through[i] = above[i] + below[i] - own[i];
  }
  return through;
}

// Components of rotations are off by at most half a step each, and the fourth compensates: together
// at most sqrt(3) / 2 steps over the smallest fourth, and the angle is twice that.
float BoundedStep(const Track& track, float error_m, float lever_m) {
  const float root3 = std::sqrt(3.0f);
  switch (track.kind) {
    case TrackKind::kTurn:
      return error_m * std::max(track.least_fourth, 1e-6f) / (root3 * lever_m);
    case TrackKind::kMove:
      return error_m * 2 / root3;
    default:
      return error_m * 2 / (root3 * lever_m);
  }
}

float Round(float v, float step, float inv) {
  constexpr float kMagic = 12582912;  // 1.5 * 2^23: adding it rounds to whole numbers
  return ((v * inv + kMagic) - kMagic) * step;
}

// Writes the rounded values of a track at a frame.
void WriteRounded(const Track& track, int segment, size_t frame, const skel::PoseSpan& out) {
  const float step = track.step, inv = 1 / step;
  float v[4];
  for (size_t c = 0; c < 4; ++c) {
    if (c < 3 || track.kind == TrackKind::kTurn) v[c] = Round(track.row(c)[frame], step, inv);
  }
  const int j = track.index;
  if (track.kind == TrackKind::kMove) return out.SetTranslation(j, {v[0], v[1], v[2]});
  if (track.kind == TrackKind::kScale) return out.SetScale(j, {v[0], v[1], v[2]});
  const size_t fourth = track.fourth[static_cast<size_t>(segment)];
  v[fourth] = 0;
  v[fourth] =
      std::sqrt(std::max(0.0f, 1 - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3])));
  out.SetRotation(j, {v[0], v[1], v[2], v[3]});
}

// The search: the steps follow from a price for error at each joint, and prices rise where the
// measured error exceeds the allowed one.
class Search {
 public:
  Search(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m, Tracks& tracks,
         StopCheck stopped)
      : rig_(rig), poses_(poses), error_m_(error_m), tracks_(tracks), stopped_(stopped) {
    const size_t stride = (poses.size() + kMostFrames - 1) / kMostFrames;
    for (size_t f = 0; f < poses.size(); f += stride) frames_.push_back(f);
    FindMoved();
    MakeModels();
    MakeGains();
  }

  void Run() {
    const auto joints = static_cast<size_t>(rig_.joints());
    std::vector<double> price(joints, 1);
    std::vector<float> best;
    double best_bits = 0;
    for (int round = 0; round < kRounds; ++round) {
      SetSteps(price);
      const std::vector<float> error = Measure();
      if (stopped_()) return;
      const float most = *std::max_element(error.begin(), error.end());
      if (!(most > 0)) return;
      // Assumes that all steps are scaled to fit.
      const float scale = error_m_ * (poses_.size() > kMostFrames ? kSampled : kSafe) / most;
      double bits = 0;
      for (const Track& t : tracks_.tracks) {
        if (OfJoint(t)) bits -= t.width() * std::log2(static_cast<double>(t.step) * scale);
      }
      if (best.empty() || bits < best_bits) {
        best_bits = bits;
        best.clear();
        for (const Track& t : tracks_.tracks) best.push_back(t.step * scale);
      }
      double highest = 0;
      for (size_t k = 0; k < joints; ++k) {
        const double ratio = static_cast<double>(error[k]) / error_m_;
        price[k] *= std::clamp(ratio * std::sqrt(ratio), 0.05, 20.0);
        highest = std::max(highest, price[k]);
      }
      for (double& p : price) p = std::max(p, highest * 1e-6);
    }
    for (size_t i = 0; i < tracks_.tracks.size(); ++i) {
      if (OfJoint(tracks_.tracks[i])) tracks_.tracks[i].step = best[i];
    }
  }

 private:
  // Finds the joints that at least one track moves.
  void FindMoved() {
    moved_.assign(static_cast<size_t>(rig_.joints()), false);
    for (const Track& t : tracks_.tracks) {
      if (OfJoint(t)) moved_[static_cast<size_t>(t.index)] = true;
    }
    for (int j = 0; j < rig_.joints(); ++j) {
      const int parent = rig_.topology().parent(j);
      if (parent >= 0 && moved_[static_cast<size_t>(parent)]) moved_[static_cast<size_t>(j)] = true;
    }
  }

  void MakeModels() {
    const auto joints = static_cast<size_t>(rig_.joints());
    models_.resize(frames_.size() * joints);
    for (size_t f = 0; f < frames_.size() && !stopped_(); ++f) {
      const absl::Span<Affine> model = absl::MakeSpan(models_).subspan(f * joints, joints);
      for (size_t j = 0; j < joints; ++j) {
        model[j] = ModelOf(rig_, poses_[frames_[f]].view(), static_cast<int>(j), model);
      }
    }
  }

  // Computes the mean square displacement that a step of a track causes at each joint below it.
  void MakeGains() {
    const auto joints = static_cast<size_t>(rig_.joints());
    const size_t stride = std::max<size_t>(1, frames_.size() / 8);
    for (const Track& track : tracks_.tracks) {
      gains_.emplace_back();
      if (!OfJoint(track) || stopped_()) continue;
      const auto a = static_cast<size_t>(track.index);
      std::vector<bool> below(joints, false);
      below[a] = true;
      for (size_t k = a; k < joints; ++k) {
        const int parent = rig_.topology().parent(static_cast<int>(k));
        if (parent >= 0 && below[static_cast<size_t>(parent)]) below[k] = true;
        if (!below[k]) continue;
        gains_.back().push_back({k, Gain(track, a, k, stride)});
      }
    }
  }
  double Gain(const Track& track, size_t a, size_t k, size_t stride) const {
    if (track.kind == TrackKind::kMove) return 0.25;
    const auto joints = static_cast<size_t>(rig_.joints());
    double sum = 0;
    int count = 0;
    for (size_t f = 0; f < frames_.size(); f += stride) {
      const skel::Vec3 way = models_[f * joints + k].row[3] - models_[f * joints + a].row[3];
      sum += Dot(way, way) + kVertexDistance_m * kVertexDistance_m;
      ++count;
    }
    const double fourth = std::max(track.least_fourth, 0.01f);
    return sum / count * (track.kind == TrackKind::kTurn ? 1 / (fourth * fourth) : 0.25);
  }

  void SetSteps(const std::vector<double>& price) {
    for (size_t i = 0; i < tracks_.tracks.size(); ++i) {
      Track& track = tracks_.tracks[i];
      if (!OfJoint(track)) continue;
      double cost = 0;
      for (const auto& [joint, gain] : gains_[i]) cost += price[joint] * gain;
      track.step = static_cast<float>(error_m_ / std::sqrt(cost));
    }
  }

  // Returns the largest error of each joint over the frames.
  std::vector<float> Measure() {
    const auto joints = static_cast<size_t>(rig_.joints());
    std::vector<float> error(joints);
    std::vector<Affine> model(joints);
    skel::Pose pose;
    for (size_t f = 0; f < frames_.size() && !stopped_(); ++f) {
      const size_t frame = frames_[f];
      pose = poses_[frame];
      const int segment = static_cast<int>(frame) / tracks_.segment_frames;
      for (const Track& track : tracks_.tracks) {
        if (OfJoint(track)) WriteRounded(track, segment, frame, pose.span());
      }
      const absl::Span<const Affine> right = absl::MakeSpan(models_).subspan(f * joints, joints);
      for (size_t j = 0; j < joints; ++j) {
        if (!moved_[j]) {
          model[j] = right[j];
          continue;
        }
        model[j] = ModelOf(rig_, pose.view(), static_cast<int>(j), model);
        error[j] = std::max(error[j], VertexError(model[j], right[j]));
      }
    }
    return error;
  }

  struct Below {
    size_t joint;
    double gain;
  };

  const skel::Rig& rig_;
  const absl::Span<const skel::Pose> poses_;
  const float error_m_;
  Tracks& tracks_;
  const StopCheck stopped_;
  std::vector<size_t> frames_;
  std::vector<bool> moved_;
  std::vector<Affine> models_;  // of each measured frame
  std::vector<std::vector<Below>> gains_;
};

}  // namespace

void BoundSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks) {
  const std::vector<float> levers = Levers(rig, poses, tracks);
  const std::vector<int> through = TracksThrough(rig, tracks);
  for (Track& track : tracks.tracks) {
    if (!OfJoint(track)) continue;
    const auto j = static_cast<size_t>(track.index);
    track.step = kSafe * BoundedStep(track, error_m / static_cast<float>(through[j]), levers[j]);
  }
}

void WidenSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks, StopCheck stopped) {
  if (std::none_of(tracks.tracks.begin(), tracks.tracks.end(), OfJoint)) return;
  Search(rig, poses, error_m, tracks, stopped).Run();
}

}  // namespace posewire::clip
