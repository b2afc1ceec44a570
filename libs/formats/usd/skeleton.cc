#include "libs/formats/usd/skeleton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/rig_limits.h"

namespace posewire::usd {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

constexpr size_t kMostLabelBytes = 1u << 20;  // of all joints' paths in jointNames
constexpr float kUniform = 1e-3f;             // of a scale
// Of instances after the first of each Skeleton.
constexpr size_t kMostInstanceJoints = 1u << 17;
constexpr size_t kMostInstanceBytes = 64u << 20;  // of their joints' paths and names
constexpr float kMostPlace = 1e9f;                // of a number in a transform
constexpr size_t kNamedPrims = 3;                 // in a message

// Returns a scale by that at rest. An axis that is 0 at rest keeps its scale.
Vec3 Relative(Vec3 scale, Vec3 rest) {
  const auto by = [](float a, float b) { return b == 0 ? a : a / b; };
  return {by(scale.x, rest.x), by(scale.y, rest.y), by(scale.z, rest.z)};
}

bool IsInRange(const Affine& m) {
  return std::all_of(std::begin(m.row), std::end(m.row),
                     [](Vec3 row) { return skel::Length(row) <= kMostPlace; });
}

// The transform from a skeleton's space into ours.
struct Space {
  bool usable;  // its numbers are finite, and no greater than kMostPlace; otherwise it is none
  Affine whole;
  Quat rotation;
  float scale = 1;       // mean
  bool flat = false;     // scaled to 0 on an axis
  bool even = true;      // neither mirrored nor stretched
  bool sheared = false;  // which no joint can be
  JointPlace place;      // of a joint above the roots, without the mean scale

  // `of_rest`: the mean scale to go by, if it is not its own; 0: none.
  explicit Space(const Affine& m, float of_rest = 0)
      : usable(IsInRange(m)), whole(usable ? m : Affine{}) {
    const JointPlace own = skel::Decompose(whole);
    const Vec3 s = own.scale;
    rotation = own.rotation;
    const float mean = std::cbrt(std::fabs(s.x * s.y * s.z));
    flat = !(mean > 0);
    scale = of_rest > 0 ? of_rest : flat ? 1 : mean;
    for (const float part : {s.x, s.y, s.z}) {
      if (std::fabs(part / scale - 1) > kUniform) even = false;
    }
    const Affine again = skel::FromTrs(own.translation, own.rotation, s);
    for (size_t r = 0; r < 3; ++r) {
      sheared = sheared || skel::Length(whole.row[r] - again.row[r]) > 2 * kUniform * scale;
    }
    place = {own.translation, own.rotation, s * (1 / scale)};
  }

  void Take(bool root, JointPlace& joint) const {
    joint.translation =
        root ? skel::TransformPoint(whole, joint.translation) : joint.translation * scale;
    if (root) joint.rotation = skel::Mul(rotation, joint.rotation);
  }
};

Affine PlaceOf(const Stage& stage, const Skeleton& skeleton, double time) {
  const Affine place = skeleton.prim < 0 ? Affine{} : stage.ToStage(skeleton.prim, time);
  return skel::Mul(skel::Mul(place, stage.to_our_space()), skeleton.onto);
}

// Returns the first time at which the skeleton's place has a size on each axis; kEarliest if none
// has.
double RestTimeOf(const Stage& stage, const Skeleton& skeleton) {
  if (!Space(PlaceOf(stage, skeleton, kEarliest)).flat) return kEarliest;
  std::vector<double> times;
  stage.AddTimesOfPlace(skeleton.prim, times);
  std::sort(times.begin(), times.end());
  for (const double time : times) {
    if (!Space(PlaceOf(stage, skeleton, time)).flat) return time;
  }
  return kEarliest;
}

Space RestSpaceOf(const Stage& stage, const Skeleton& skeleton) {
  return Space(PlaceOf(stage, skeleton, skeleton.rest_time));
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
    out.push_back(AffineOf(absl::MakeConstSpan(numbers).subspan(16 * j, 16)));
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

constexpr char kSource[] = "skel:animationSource", kBound[] = "skel:skeleton";

// `site`: the prim that has the relationship; -1: none.
int AnimationAt(const Stage& stage, int site, std::vector<std::string>& warnings) {
  if (site < 0) return -1;
  const std::vector<int> targets = stage.Targets(site, kSource);
  if (targets.empty()) return -1;
  if (targets[0] >= 0 && stage.prim(targets[0]).type == "SkelAnimation") return targets[0];
  warnings.push_back(absl::StrCat(stage.path(site), ".skel:animationSource names ",
                                  targets[0] < 0 ? "no prim" : stage.path(targets[0]),
                                  targets[0] < 0 ? " of the stage" : ", which is no SkelAnimation",
                                  ", and moves nothing"));
  return -1;
}

// Adds a joint of a skeleton's own place above its roots.
void AddTop(const Stage& stage, const JointPlace& place, Skeleton& out) {
  const std::string& name = stage.prim(out.prim).name;
  for (int& parent : out.parents) ++parent;
  for (std::string& joint : out.names) joint = absl::StrCat(name, "/", joint);
  out.parents.insert(out.parents.begin(), -1);
  out.joints.insert(out.joints.begin(), "");
  out.names.insert(out.names.begin(), name);
  out.rest.insert(out.rest.begin(), place);
  if (!out.inverse_bind.empty()) out.inverse_bind.insert(out.inverse_bind.begin(), Affine{});
  out.added = 1;
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
  out.rest_time = RestTimeOf(stage, out);
  const Space space = RestSpaceOf(stage, out);
  const bool grows = out.rest_time != kEarliest;
  const bool on_top = (!space.even || grows) && joints > 0 && joints < skel::kMostJoints;
  if (space.sheared) {
    out.warnings.push_back(absl::StrCat(stage.path(prim), " is sheared, and is read without that"));
  }
  if (!space.usable) {
    out.warnings.push_back(absl::StrCat(
        stage.path(prim),
        " has a transform with numbers over 1e9, and is read without it; the xformOps of the prim "
        "and of those above it make it"));
  }
  out.space = skel::Decompose(space.whole);
  for (size_t j = 0; j < joints; ++j) {
    JointPlace place = skel::Decompose(rest[j]);
    space.Take(out.parents[j] < 0 && !on_top, place);
    out.rest.push_back(place);
  }
  const Affine shrink = skel::FromTrs({}, {}, {space.scale, space.scale, space.scale});
  for (const Affine& m : bind) {
    out.inverse_bind.push_back(skel::Mul(skel::Inverse(m).value_or(Affine{}), shrink));
  }
  if (on_top) AddTop(stage, space.place, out);
  return out;
}

// Prims that inherit the same binding cause the same warning.
void KeepOnce(std::vector<std::string>& warnings) {
  std::vector<std::string> once;
  for (std::string& warning : warnings) {
    if (std::find(once.begin(), once.end(), warning) == once.end()) {
      once.push_back(std::move(warning));
    }
  }
  warnings = std::move(once);
}

size_t NameBytes(const Skeleton& skeleton) {
  size_t out = 0;
  for (const std::string& joint : skeleton.joints) out += joint.size();
  for (const std::string& name : skeleton.names) out += name.size();
  return out;
}

// Finds the instances of a stage's Skeletons.
class InstanceFinder {
 public:
  InstanceFinder(const Stage& stage, const BindingRules& rules) : stage_(stage), rules_(rules) {}

  absl::StatusOr<SkeletonInstances> Find() {
    const std::vector<Stage::Node>& nodes = stage_.nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].defined || nodes[i].prim->type != "Skeleton") continue;
      absl::StatusOr<Skeleton> skeleton = ReadSkeleton(stage_, static_cast<int>(i));
      if (!skeleton.ok()) return skeleton.status();
      place_of_[skeleton->prim] = found_.size();
      found_.emplace_back().push_back(*std::move(skeleton));
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].defined) continue;
      if (absl::Status s = Bind(static_cast<int>(i)); !s.ok()) return s;
    }
    SkeletonInstances out;
    for (std::vector<Skeleton>& instances : found_) {
      MoveUnbound(instances[0]);
      KeepOnce(instances[0].warnings);
      for (Skeleton& one : instances) {
        for (const int site : one.sites) out.by_site[site] = static_cast<int>(out.all.size());
        out.all.push_back(std::move(one));
      }
    }
    out.ignored = Ignored();
    return out;
  }

 private:
  bool Counts(int prim) const { return rules_.outside_skel_root || SkelRootOf(stage_, prim) >= 0; }

  // Adds what a prim binds, if it binds a Skeleton.
  absl::Status Bind(int site) {
    const std::vector<int> bound = stage_.Targets(site, kBound);
    const auto place = bound.empty() ? place_of_.end() : place_of_.find(bound[0]);
    if (place == place_of_.end()) return absl::OkStatus();
    if (!Counts(site)) {
      ignored_.push_back(site);
      return absl::OkStatus();
    }
    std::vector<Skeleton>& instances = found_[place->second];
    Skeleton& first = instances[0];
    const int own = stage_.Inherited(first.prim, kSource), here = stage_.Inherited(site, kSource);
    const bool nearer = own >= 0 && own != site && IsBelow(stage_, own, site);
    const int animation = AnimationAt(stage_, nearer || here < 0 ? own : here, first.warnings);
    const bool bound_before = !first.sites.empty();
    if (!bound_before) first.animation = animation;
    const auto [known, fresh] =
        same_.try_emplace({first.prim, animation}, bound_before ? instances.size() : 0);
    if (fresh && bound_before) {
      if (absl::Status s = Count(first); !s.ok()) return s;
      Skeleton again = first;
      again.animation = animation;
      again.sites.clear();
      again.warnings.clear();
      instances.push_back(std::move(again));
    }
    instances[known->second].sites.push_back(site);
    return absl::OkStatus();
  }

  // Counts one more instance.
  absl::Status Count(const Skeleton& skeleton) {
    const auto too_much = [&](absl::string_view what) {
      return absl::ResourceExhaustedError(
          absl::StrCat(stage_.path(skeleton.prim),
                       " is bound with so many animations that they have over ", what));
    };
    joints_ += skeleton.joints.size() + 1;
    if (joints_ > kMostInstanceJoints)
      return too_much(absl::StrCat(kMostInstanceJoints, " joints"));
    bytes_ += NameBytes(skeleton);
    if (bytes_ > kMostInstanceBytes) {
      return too_much(absl::StrCat(kMostInstanceBytes >> 20, " MiB of joints' names"));
    }
    return absl::OkStatus();
  }

  // A Skeleton that no prim binds has the animation that it inherits.
  void MoveUnbound(Skeleton& skeleton) {
    const int own = stage_.Inherited(skeleton.prim, kSource);
    if (own < 0 || !skeleton.sites.empty()) return;
    if (Counts(skeleton.prim)) {
      skeleton.animation = AnimationAt(stage_, own, skeleton.warnings);
    } else {
      ignored_.push_back(own);
    }
  }

  std::string Ignored() {
    std::sort(ignored_.begin(), ignored_.end());
    ignored_.erase(std::unique(ignored_.begin(), ignored_.end()), ignored_.end());
    if (ignored_.empty()) return "";
    std::string out;
    for (size_t i = 0; i < ignored_.size() && i < kNamedPrims; ++i) {
      absl::StrAppend(&out, i == 0 ? "" : ", ", stage_.path(ignored_[i]));
    }
    if (ignored_.size() > kNamedPrims) {
      absl::StrAppend(&out, " and ", ignored_.size() - kNamedPrims, " more");
    }
    return absl::StrCat(out,
                        ": a skeleton is bound outside a SkelRoot, where bindings have no "
                        "meaning (--outside-skel-root uses them)");
  }

  const Stage& stage_;
  const BindingRules rules_;
  std::vector<std::vector<Skeleton>> found_;  // by Skeleton, its instances
  absl::flat_hash_map<int, size_t> place_of_;
  absl::flat_hash_map<std::pair<int, int>, size_t> same_;  // by Skeleton and animation
  std::vector<int> ignored_;
  size_t joints_ = 0, bytes_ = 0;
};

}  // namespace

void PutInto(const skel::Affine& space, Skeleton& skeleton) {
  skeleton.onto = skel::Mul(skeleton.onto, space);
  const skel::Trs& own = skeleton.space;
  skeleton.space =
      skel::Decompose(skel::Mul(skel::FromTrs(own.translation, own.rotation, own.scale), space));
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

int SkelRootOf(const Stage& stage, int prim) {
  int out = -1;
  for (int i = prim; i >= 0; i = stage.nodes()[static_cast<size_t>(i)].parent) {
    if (stage.prim(i).type == "SkelRoot") out = i;
  }
  return out;
}

bool IsBelow(const Stage& stage, int prim, int above) {
  int at = prim;
  while (at > above) at = stage.nodes()[static_cast<size_t>(at)].parent;
  return at == above;
}

int SkeletonInstances::BoundAt(const Stage& stage, int prim) const {
  const auto found = by_site.find(stage.Inherited(prim, kBound));
  return found == by_site.end() ? -1 : found->second;
}

absl::StatusOr<SkeletonInstances> ReadSkeletons(const Stage& stage, const BindingRules& rules) {
  return InstanceFinder(stage, rules).Find();
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
  const Space space = RestSpaceOf(stage, skeleton);
  rest_scale_ = skeleton.added > 0 ? space.scale : 0;
  const Affine back = skel::Inverse(space.whole).value_or(Affine{});
  for (auto j = static_cast<size_t>(skeleton.added); j < file_rest_.size(); ++j) {
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
  for (int& joint : to_skeleton_) {
    if (joint < skeleton.added) joint = -1;
  }
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
      place.scale = Relative(scale, rest);
    }
  }
  const Space space(PlaceOf(stage_, skeleton_, time), rest_scale_);
  for (auto j = static_cast<size_t>(skeleton_.added); j < pose_.size(); ++j) {
    space.Take(skeleton_.parents[j] < 0, pose_[j]);
  }
  if (skeleton_.added > 0) {
    pose_[0] = space.place;
    pose_[0].scale = Relative(space.place.scale, skeleton_.rest[0].scale);
    // What has no size has no rotation either.
    if (space.flat) pose_[0].rotation = skeleton_.rest[0].rotation;
  }
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
  const bool placed = attribute == "translations" || attribute == "rotations" ||
                      (attribute == "scales" && skeleton_.added > 0);
  if (placed && skeleton_.prim >= 0) {
    stage_.AddTimesOfPlace(skeleton_.prim, out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  if (out.empty()) out.push_back(kEarliest);
  return out;
}

}  // namespace posewire::usd
