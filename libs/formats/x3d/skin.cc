#include "libs/formats/x3d/skin.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace posewire::x3d {
namespace {

constexpr size_t kMostInfluences = 16;
constexpr float kLeastInfluence = 1e-6f;
constexpr float kAnyAxis = 1e-6f;  // a shorter one rotates nothing

struct Entry {
  uint32_t point;
  int joint;
  float weight;
};

absl::Status ReadJoint(const X3dNode& node, int joint, size_t points, X3dNumbers& numbers,
                       std::vector<Entry>& entries, std::vector<std::string>& notes) {
  const absl::StatusOr<std::vector<int32_t>> index = numbers.ReadIndices(node, "skinCoordIndex", 0);
  if (!index.ok()) return index.status();
  const absl::StatusOr<std::vector<float>> weight = numbers.Read(node, "skinCoordWeight");
  if (!weight.ok()) return weight.status();
  if (weight->size() < index->size()) {
    return X3dFault(node, weight->empty() ? "skinCoordIndex" : "skinCoordWeight",
                    absl::StrCat("does not agree: there are ", index->size(),
                                 " of skinCoordIndex and ", weight->size(), " of skinCoordWeight"));
  }
  if (weight->size() > index->size() && notes.size() < 64) {
    notes.push_back(absl::StrCat("line ", node.line, ": skinCoordWeight has ", weight->size(),
                                 " numbers for ", index->size(),
                                 " of skinCoordIndex; the rest is left out"));
  }
  for (size_t i = 0; i < index->size(); ++i) {
    if (static_cast<size_t>((*index)[i]) >= points) {
      return X3dFault(node, absl::StrCat("skinCoordIndex[", i, "]"),
                      absl::StrCat("is ", (*index)[i], ", expected a point of skinCoord from 0 to ",
                                   points, " - 1"));
    }
    if ((*weight)[i] == 0) continue;
    entries.push_back({static_cast<uint32_t>((*index)[i]), joint, (*weight)[i]});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<X3dInfluences> ReadX3dInfluences(const Scene& scene, const HAnimHumanoid& humanoid,
                                                size_t points, X3dNumbers& numbers,
                                                std::vector<std::string>& notes) {
  std::vector<Entry> entries;
  for (size_t j = 0; j < humanoid.joints.size(); ++j) {
    const X3dNode& node = scene.nodes[static_cast<size_t>(humanoid.joints[j].node)];
    if (absl::Status s = ReadJoint(node, static_cast<int>(j) + 1, points, numbers, entries, notes);
        !s.ok()) {
      return s;
    }
  }
  // The weight that a point lacks to 1 stays with the humanoid. A point without joints stays with
  // it completely.
  std::vector<float> sums(points);
  for (const Entry& entry : entries) sums[entry.point] += entry.weight;
  for (size_t p = 0; p < points; ++p) {
    const float rest = 1 - sums[p];
    if (std::fabs(rest) > kLeastInfluence) entries.push_back({static_cast<uint32_t>(p), 0, rest});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.point != b.point ? a.point < b.point : std::fabs(a.weight) > std::fabs(b.weight);
  });
  X3dInfluences out;
  out.points = points;
  size_t most = 1;
  for (size_t i = 0, run = 0; i < entries.size(); ++i) {
    run = i > 0 && entries[i].point == entries[i - 1].point ? run + 1 : 1;
    most = std::max(most, run);
  }
  if (most > kMostInfluences) {
    notes.push_back(absl::StrCat("a point of the skin has ", most,
                                 " joints, of which the heaviest ", kMostInfluences, " count"));
    most = kMostInfluences;
  }
  if (absl::Status s = numbers.Take(points * most * 2); !s.ok()) return s;
  out.per_point = static_cast<int>(most);
  out.joints.resize(points * most);
  out.weights.resize(points * most);
  for (size_t i = 0; i < entries.size();) {
    const uint32_t point = entries[i].point;
    float sum = 0;
    size_t k = 0;
    for (; i < entries.size() && entries[i].point == point; ++i) {
      if (k >= most) continue;
      out.joints[point * most + k] = entries[i].joint;
      out.weights[point * most + k] = entries[i].weight;
      sum += entries[i].weight;
      ++k;
    }
    // The heaviest joint gets the weight of those that were dropped.
    out.weights[point * most] += 1 - sum;
  }
  return out;
}

absl::StatusOr<std::vector<skel::Affine>> ReadX3dBinding(const Scene& scene,
                                                         const HAnimHumanoid& humanoid,
                                                         float radians, X3dNumbers& numbers) {
  const X3dNode& human = scene.nodes[static_cast<size_t>(humanoid.node)];
  const absl::StatusOr<std::vector<skel::Vec3>> ways =
      numbers.ReadPoints(human, "jointBindingPositions");
  if (!ways.ok()) return ways.status();
  const absl::StatusOr<std::vector<skel::Vec3>> sizes =
      numbers.ReadPoints(human, "jointBindingScales");
  if (!sizes.ok()) return sizes.status();
  const absl::StatusOr<std::vector<float>> turns = numbers.Read(human, "jointBindingRotations");
  if (!turns.ok()) return turns.status();
  if (turns->size() % 4 != 0) {
    return X3dFault(human, "jointBindingRotations",
                    absl::StrCat("has ", turns->size(), " numbers, expected four a joint"));
  }
  std::vector<skel::Affine> out;
  if (ways->empty() && sizes->empty() && turns->empty()) return out;
  out.resize(humanoid.joints.size());
  size_t place = 0;
  for (const Child& child : human.children) {
    if (child.field != "joints") continue;
    const size_t i = place++;
    const auto joint = std::find_if(humanoid.joints.begin(), humanoid.joints.end(),
                                    [&](const HumanoidJoint& j) { return j.node == child.node; });
    if (joint == humanoid.joints.end()) continue;
    skel::Trs bind;
    if (i < ways->size()) bind.translation = (*ways)[i] * humanoid.unit_m;
    if (i < sizes->size()) bind.scale = (*sizes)[i];
    if (4 * i < turns->size()) {
      const float* const turn = turns->data() + 4 * i;
      const skel::Vec3 axis{turn[0], turn[1], turn[2]};
      const float length = skel::Length(axis);
      if (length > kAnyAxis && std::isfinite(length)) {
        bind.rotation =
            skel::Normalized(skel::FromAxisAngle(axis * (1 / length), turn[3] * radians));
      }
    }
    out[static_cast<size_t>(joint - humanoid.joints.begin())] =
        skel::FromTrs(bind.translation, bind.rotation, bind.scale);
  }
  return out;
}

}  // namespace posewire::x3d
