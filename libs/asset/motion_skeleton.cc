#include "libs/asset/motion_skeleton.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/pose_mapper.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "libs/skel/topology.h"

namespace posewire::asset {
namespace {

absl::string_view ParentPath(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? absl::string_view() : path.substr(0, slash);
}

using JointPlaces = absl::flat_hash_map<absl::string_view, int>;

bool NamesAllParents(const std::vector<std::string>& joints, const JointPlaces& places) {
  const bool paths = std::any_of(joints.begin(), joints.end(),
                                 [](const std::string& path) { return !ParentPath(path).empty(); });
  return (paths || joints.size() == 1) &&
         std::all_of(joints.begin(), joints.end(), [&](const std::string& path) {
           return ParentPath(path).empty() || places.contains(ParentPath(path));
         });
}

MotionSkeleton OfRig(const skel::Rig& rig, const std::vector<std::string>& names) {
  MotionSkeleton skeleton;
  for (int j = 0; j < rig.joints(); ++j) {
    skeleton.joints.push_back({rig.joint_paths()[static_cast<size_t>(j)], rig.topology().parent(j),
                               -1, rig.rest().translation(j), rig.rest().rotation(j)});
  }
  const skel::PoseMapper places = skel::PoseMapper::ToRig(names, rig);
  for (int i = 0; i < places.source_size(); ++i) {
    if (const int j = places.TargetOf(i); j >= 0)
      skeleton.joints[static_cast<size_t>(j)].source = i;
  }
  return skeleton;
}

// Sorts by depth, because parents must precede their children.
MotionSkeleton OfNames(const std::vector<std::string>& names) {
  std::vector<int> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto slashes = [&](int i) {
      const std::string& path = names[static_cast<size_t>(i)];
      return std::count(path.begin(), path.end(), '/');
    };
    return slashes(a) < slashes(b);
  });
  const skel::Topology topology = skel::Topology::FromPaths(names);
  std::vector<int> place_of(names.size());
  MotionSkeleton skeleton;
  for (const int i : order) {
    const std::string& path = names[static_cast<size_t>(i)];
    const int parent = topology.parent(i);
    place_of[static_cast<size_t>(i)] = static_cast<int>(skeleton.joints.size());
    skeleton.joints.push_back(
        {path, parent < 0 ? -1 : place_of[static_cast<size_t>(parent)], i, {}, {}});
  }
  return skeleton;
}

skel::Vec3 VectorAt(absl::Span<const float> values, int i) {
  const float* v = values.data() + 3 * static_cast<size_t>(i);
  return {v[0], v[1], v[2]};
}

}  // namespace

absl::StatusOr<MotionSkeleton> MotionSkeleton::Of(const Motion& motion) {
  if (!motion.header || motion.header->joints.empty()) {
    return absl::InvalidArgumentError("the clip has no joints");
  }
  const std::vector<std::string>& names = motion.header->joints;
  JointPlaces places;
  for (size_t i = 0; i < names.size(); ++i) places.emplace(names[i], static_cast<int>(i));
  const skel::KeyTrack& translations = motion.tracks[wire::kTranslations];
  std::shared_ptr<const skel::Rig> rig;
  if (!NamesAllParents(names, places) || translations.empty()) {
    const absl::StatusOr<skel::RigCatalog> catalog = skel::RigCatalog::Builtin();
    if (!catalog.ok()) return catalog.status();
    rig = skel::RecognizeRig(names, *catalog);
  }
  if (rig == nullptr && translations.empty()) {
    return absl::InvalidArgumentError(
        "the clip has no translations, which would say how long its bones are, and its joints are "
        "not those of a built-in rig");
  }
  MotionSkeleton skeleton = rig != nullptr ? OfRig(*rig, names) : OfNames(names);
  if (translations.empty()) return skeleton;
  std::vector<float> between(static_cast<size_t>(translations.width()));
  const absl::Span<const float> first =
      translations.Sample(translations.oldest_s(), absl::MakeSpan(between));
  for (Joint& joint : skeleton.joints) {
    if (joint.source >= 0) joint.translation = VectorAt(first, joint.source);
  }
  return skeleton;
}

MotionPose::MotionPose(const Motion& motion, const MotionSkeleton& skeleton)
    : motion_(motion), skeleton_(skeleton) {
  for (size_t t = 0; t < motion.tracks.size(); ++t) {
    between_[t].resize(static_cast<size_t>(motion.tracks[t].width()));
  }
  translations_.resize(skeleton.joints.size());
  rotations_.resize(skeleton.joints.size());
}

void MotionPose::Sample(double time_code_s) {
  const auto track = [&](wire::PoseTrack t) {
    return motion_.tracks[t].Sample(time_code_s, absl::MakeSpan(between_[t]));
  };
  const absl::Span<const float> t = track(wire::kTranslations), r = track(wire::kRotations);
  for (size_t j = 0; j < skeleton_.joints.size(); ++j) {
    const MotionSkeleton::Joint& joint = skeleton_.joints[j];
    const bool named = joint.source >= 0;
    translations_[j] = named && !t.empty() ? VectorAt(t, joint.source) : joint.translation;
    rotations_[j] = joint.rotation;
    if (!named || r.empty()) continue;
    const float* q = r.data() + 4 * static_cast<size_t>(joint.source);
    rotations_[j] = {q[0], q[1], q[2], q[3]};
  }
}

}  // namespace posewire::asset
