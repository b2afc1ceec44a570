#include "libs/formats/usd/skeleton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/skel/rig_limits.h"

namespace posewire::usd {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

constexpr size_t kMostLabelBytes = 1u << 20;  // of all joints' paths in jointNames
constexpr float kUniform = 1e-3f;             // of a scale

// The transform from a skeleton's space into ours.
struct Space {
  Affine whole;
  Quat rotation;
  float scale = 1;
  bool even = true;  // neither mirrored nor stretched

  explicit Space(const Affine& m) : whole(m) {
    const JointPlace place = skel::Decompose(m);
    const Vec3 s = place.scale;
    rotation = place.rotation;
    scale = std::cbrt(std::fabs(s.x * s.y * s.z));
    if (!(scale > 0)) scale = 1;
    for (const float part : {s.x, s.y, s.z}) {
      if (std::fabs(part / scale - 1) > kUniform) even = false;
    }
  }

  void Take(bool root, JointPlace& place) const {
    place.translation =
        root ? skel::TransformPoint(whole, place.translation) : place.translation * scale;
    if (root) place.rotation = skel::Mul(rotation, place.rotation);
  }
};

Space SpaceOf(const Stage& stage, const Skeleton& skeleton, double time) {
  const Affine place = skeleton.prim < 0 ? Affine{} : stage.ToStage(skeleton.prim, time);
  return Space(skel::Mul(skel::Mul(place, stage.to_our_space()), skeleton.onto));
}

std::vector<Affine> Matrices(const Stage& stage, int prim, absl::string_view name, size_t joints,
                             std::vector<std::string>& warnings) {
  const std::vector<double> numbers = stage.Numbers(prim, name);
  std::vector<Affine> out;
  if (numbers.size() != joints * 16) {
    if (!numbers.empty()) {
      warnings.push_back(absl::StrCat(stage.path(prim), ".", name, " has ", numbers.size() / 16,
                                      " matrices for ", joints, " joints, and is ignored"));
    }
    return out;
  }
  for (size_t j = 0; j < joints; ++j) {
    Affine& m = out.emplace_back();
    for (size_t r = 0; r < 4; ++r) {
      const double* const row = numbers.data() + 16 * j + 4 * r;
      m.row[r] = {static_cast<float>(row[0]), static_cast<float>(row[1]),
                  static_cast<float>(row[2])};
    }
  }
  return out;
}

// Returns the parent's path: "/A" for "/A/B"; "" for "A", "/", ".." and "".
absl::string_view Above(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos || path == "/" ? "" : path.substr(0, slash);
}

// Prefers jointNames, which are the names that an artist sees. The names in joints may have been
// altered to be valid in a path.
std::vector<std::string> NamesOf(const std::vector<std::string>& joints,
                                 const std::vector<int>& parents,
                                 const std::vector<std::string>& labels) {
  if (labels.size() != joints.size()) return joints;
  std::vector<std::string> out;
  absl::flat_hash_map<std::string, int> seen;
  size_t bytes = 0;
  for (size_t j = 0; j < joints.size(); ++j) {
    const std::string above =
        parents[j] < 0 ? "" : absl::StrCat(out[static_cast<size_t>(parents[j])], "/");
    out.push_back(above + labels[j]);
    const bool usable = !labels[j].empty() && labels[j].find('/') == std::string::npos;
    bytes += out.back().size();
    if (!usable || bytes > kMostLabelBytes || !seen.try_emplace(out.back(), 0).second)
      return joints;
  }
  return out;
}

absl::Status CheckJoints(const Stage& stage, int prim, const Skeleton& skeleton) {
  if (skeleton.joints.size() > skel::kMostJoints) {
    return AtPrim(stage, prim, absl::StrCat(skeleton.joints.size(), " joints, over 1024"));
  }
  absl::flat_hash_map<std::string, size_t> seen;
  for (size_t j = 0; j < skeleton.joints.size(); ++j) {
    const auto [it, added] = seen.try_emplace(skeleton.joints[j], j);
    if (!added) {
      return AtPrim(
          stage, prim,
          absl::StrCat("joints[", j, "] is \"", it->first, "\", as joints[", it->second, "] is"));
    }
    if (skeleton.parents[j] >= static_cast<int>(j)) {
      return AtPrim(stage, prim,
                    absl::StrCat("joints[", j, "], \"", it->first, "\", stands before its parent"));
    }
  }
  return absl::OkStatus();
}

int AnimationOf(const Stage& stage, int prim, std::vector<std::string>& warnings) {
  const int site = stage.Inherited(prim, "skel:animationSource");
  if (site < 0) return -1;
  const std::vector<int> targets = stage.Targets(site, "skel:animationSource");
  if (targets.empty()) return -1;
  if (targets[0] >= 0 && stage.prim(targets[0]).type == "SkelAnimation") return targets[0];
  warnings.push_back(absl::StrCat(stage.path(site), ".skel:animationSource names ",
                                  targets[0] < 0 ? "no prim" : stage.path(targets[0]),
                                  targets[0] < 0 ? " of the stage" : ", which is no SkelAnimation",
                                  ", and moves nothing"));
  return -1;
}

absl::StatusOr<Skeleton> ReadSkeleton(const Stage& stage, int prim) {
  Skeleton out;
  out.prim = prim;
  out.joints = stage.Texts(prim, "joints");
  out.parents = ParentsOf(out.joints);
  if (absl::Status s = CheckJoints(stage, prim, out); !s.ok()) return s;
  out.names = NamesOf(out.joints, out.parents, stage.Texts(prim, "jointNames"));
  const size_t joints = out.joints.size();
  const std::vector<Affine> bind = Matrices(stage, prim, "bindTransforms", joints, out.warnings);
  std::vector<Affine> rest = Matrices(stage, prim, "restTransforms", joints, out.warnings);
  if (rest.empty() && !bind.empty()) {
    for (size_t j = 0; j < joints; ++j) {
      const int parent = out.parents[j];
      const Affine above = parent < 0 ? Affine{} : bind[static_cast<size_t>(parent)];
      rest.push_back(skel::Mul(bind[j], skel::Inverse(above).value_or(Affine{})));
    }
    out.warnings.push_back(
        absl::StrCat(stage.path(prim), " has no restTransforms; it rests as it is bound"));
  }
  rest.resize(joints);
  const Space space = SpaceOf(stage, out, kEarliest);
  if (!space.even) {
    out.warnings.push_back(
        absl::StrCat(stage.path(prim), " is stretched or mirrored, and is read as if it were not"));
  }
  out.space = skel::Decompose(space.whole);
  for (size_t j = 0; j < joints; ++j) {
    JointPlace place = skel::Decompose(rest[j]);
    space.Take(out.parents[j] < 0, place);
    out.rest.push_back(place);
  }
  const Affine shrink = skel::FromTrs({}, {}, {space.scale, space.scale, space.scale});
  for (const Affine& m : bind) {
    out.inverse_bind.push_back(skel::Mul(skel::Inverse(m).value_or(Affine{}), shrink));
  }
  return out;
}

}  // namespace

void PutInto(const skel::Affine& space, Skeleton& skeleton) {
  skeleton.onto = skel::Mul(skeleton.onto, space);
  const Quat turn = skel::Decompose(space).rotation;
  for (size_t j = 0; j < skeleton.rest.size(); ++j) {
    if (skeleton.parents[j] >= 0) continue;
    JointPlace& place = skeleton.rest[j];
    place.translation = skel::TransformPoint(space, place.translation);
    place.rotation = skel::Mul(turn, place.rotation);
  }
}

std::vector<int> ParentsOf(const std::vector<std::string>& joints) {
  absl::flat_hash_map<absl::string_view, int> places;
  for (size_t j = 0; j < joints.size(); ++j) {
    const std::string& joint = joints[j];
    if (joint.empty() || joint == "/" || joint == "..") continue;
    places[joint] = static_cast<int>(j);
  }
  std::vector<int> out;
  for (const std::string& joint : joints) {
    int parent = -1;
    if (joint != "..") {
      for (absl::string_view at = Above(joint); !at.empty() && parent < 0; at = Above(at)) {
        if (const auto it = places.find(at); it != places.end()) parent = it->second;
      }
    }
    out.push_back(parent);
  }
  return out;
}

std::vector<int> MapNames(const std::vector<std::string>& from,
                          const std::vector<std::string>& to) {
  absl::flat_hash_map<absl::string_view, int> places;
  for (size_t i = 0; i < to.size(); ++i) places[to[i]] = static_cast<int>(i);
  std::vector<int> out;
  for (const std::string& name : from) {
    const auto it = places.find(name);
    out.push_back(it == places.end() ? -1 : it->second);
  }
  return out;
}

absl::StatusOr<std::vector<Skeleton>> ReadSkeletons(const Stage& stage) {
  std::vector<Skeleton> out;
  for (size_t i = 0; i < stage.nodes().size(); ++i) {
    if (!stage.nodes()[i].defined || stage.nodes()[i].prim->type != "Skeleton") continue;
    absl::StatusOr<Skeleton> skeleton = ReadSkeleton(stage, static_cast<int>(i));
    if (!skeleton.ok()) return skeleton.status();
    skeleton->animation = AnimationOf(stage, static_cast<int>(i), skeleton->warnings);
    out.push_back(*std::move(skeleton));
  }
  for (size_t i = 0; i < stage.nodes().size(); ++i) {
    const std::vector<int> bound = stage.Targets(static_cast<int>(i), "skel:skeleton");
    if (bound.empty() || !stage.nodes()[i].defined) continue;
    for (Skeleton& skeleton : out) {
      if (skeleton.prim != bound[0] || skeleton.animation >= 0) continue;
      skeleton.animation = AnimationOf(stage, static_cast<int>(i), skeleton.warnings);
    }
  }
  // Prims that inherit the same binding cause the same warning.
  for (Skeleton& skeleton : out) {
    std::vector<std::string> once;
    for (std::string& warning : skeleton.warnings) {
      if (std::find(once.begin(), once.end(), warning) == once.end()) {
        once.push_back(std::move(warning));
      }
    }
    skeleton.warnings = std::move(once);
  }
  return out;
}

absl::StatusOr<Skeleton> SkeletonOfAnimation(const Stage& stage, int animation) {
  Skeleton out;
  out.animation = animation;
  out.joints = out.names = stage.Texts(animation, "joints");
  out.parents = ParentsOf(out.joints);
  if (absl::Status s = CheckJoints(stage, animation, out); !s.ok()) return s;
  out.rest.resize(out.joints.size());
  std::vector<JointPlace> first = SkeletonMotion(stage, out).PoseAt(kEarliest);
  for (JointPlace& place : first) place.scale = {1, 1, 1};
  out.rest = std::move(first);
  return out;
}

SkeletonMotion::SkeletonMotion(const Stage& stage, const Skeleton& skeleton)
    : stage_(stage), skeleton_(skeleton), file_rest_(skeleton.rest) {
  static const std::vector<std::string>& none = *new std::vector<std::string>();
  shapes_ = skeleton.animation < 0 ? &none : &stage.Texts(skeleton.animation, "blendShapes");
  const Space space = SpaceOf(stage, skeleton, kEarliest);
  const Affine back = skel::Inverse(space.whole).value_or(Affine{});
  for (size_t j = 0; j < file_rest_.size(); ++j) {
    JointPlace& place = file_rest_[j];
    if (skeleton.parents[j] < 0) {
      place.translation = skel::TransformPoint(back, place.translation);
      place.rotation = skel::Mul(skel::Conjugate(space.rotation), place.rotation);
    } else {
      place.translation = place.translation * (1 / space.scale);
    }
  }
  if (skeleton.animation < 0) return;
  to_skeleton_ = MapNames(stage.Texts(skeleton.animation, "joints"), skeleton.joints);
  moves_ = std::any_of(to_skeleton_.begin(), to_skeleton_.end(), [](int j) { return j >= 0; });
  for (const absl::string_view name : {"translations", "rotations", "scales"}) {
    moves_ = moves_ && stage.Has(skeleton.animation, name);
  }
}

const std::vector<JointPlace>& SkeletonMotion::PoseAt(double time) {
  pose_ = file_rest_;
  for (JointPlace& place : pose_) place.scale = {1, 1, 1};
  if (moves_) {
    const std::vector<double> t = stage_.Numbers(skeleton_.animation, "translations", time);
    const std::vector<double> r = stage_.Numbers(skeleton_.animation, "rotations", time);
    const std::vector<double> s = stage_.Numbers(skeleton_.animation, "scales", time);
    const size_t joints = to_skeleton_.size();
    const bool whole = t.size() == 3 * joints && r.size() == 4 * joints && s.size() == 3 * joints;
    for (size_t i = 0; whole && i < joints; ++i) {
      if (to_skeleton_[i] < 0) continue;
      const auto j = static_cast<size_t>(to_skeleton_[i]);
      const auto vec = [i](const std::vector<double>& of) {
        return Vec3{static_cast<float>(of[3 * i]), static_cast<float>(of[3 * i + 1]),
                    static_cast<float>(of[3 * i + 2])};
      };
      JointPlace& place = pose_[j];
      place.translation = vec(t);
      place.rotation = {static_cast<float>(r[4 * i]), static_cast<float>(r[4 * i + 1]),
                        static_cast<float>(r[4 * i + 2]), static_cast<float>(r[4 * i + 3])};
      const Vec3 scale = vec(s), rest = skeleton_.rest[j].scale;
      const auto by = [](float a, float b) { return b == 0 ? a : a / b; };
      place.scale = {by(scale.x, rest.x), by(scale.y, rest.y), by(scale.z, rest.z)};
    }
  }
  const Space space = SpaceOf(stage_, skeleton_, time);
  for (size_t j = 0; j < pose_.size(); ++j) space.Take(skeleton_.parents[j] < 0, pose_[j]);
  return pose_;
}

std::vector<double> SkeletonMotion::WeightsAt(double time) const {
  if (skeleton_.animation < 0) return {};
  std::vector<double> out = stage_.Numbers(skeleton_.animation, "blendShapeWeights", time);
  if (out.size() != shapes_->size()) out.clear();
  return out;
}

std::vector<double> SkeletonMotion::Times(absl::string_view attribute) const {
  std::vector<double> out;
  if (skeleton_.animation >= 0) out = stage_.Times(skeleton_.animation, attribute);
  const bool placed = attribute == "translations" || attribute == "rotations";
  if (placed && skeleton_.prim >= 0) {
    stage_.AddTimesOfPlace(skeleton_.prim, out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  if (out.empty()) out.push_back(kEarliest);
  return out;
}

}  // namespace posewire::usd
