#include "libs/formats/x3d/segment_mass.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace posewire::x3d {
namespace {

using skel::Vec3;

constexpr float kKgPerSquareMetre = 22;
constexpr float kWater_kg_m3 = 1000;
// Of the height: that of the base of the skull, the height of the head, and the shortest segment.
constexpr float kSkullBase = 0.93f, kHead = 0.13f, kShortest = 0.01f;

// The parts of the body begin at these joints, and end where another begins.
struct Part {
  absl::string_view joint;
  float share;
  absl::string_view of;  // the part whose share it belongs to, if not its own
};
constexpr Part kParts[] = {
    {"HumanoidRoot", 0.497f, ""},
    {"l_sternoclavicular", 0, "HumanoidRoot"},
    {"r_sternoclavicular", 0, "HumanoidRoot"},
    {"skullbase", 0.081f, ""},
    {"vc7", 0, "skullbase"},
    {"vc4", 0, "skullbase"},
    {"vc2", 0, "skullbase"},
    {"l_shoulder", 0.028f, ""},
    {"r_shoulder", 0.028f, ""},
    {"l_elbow", 0.016f, ""},
    {"r_elbow", 0.016f, ""},
    {"l_wrist", 0.006f, ""},
    {"r_wrist", 0.006f, ""},
    {"l_hip", 0.1f, ""},
    {"r_hip", 0.1f, ""},
    {"l_knee", 0.0465f, ""},
    {"r_knee", 0.0465f, ""},
    {"l_ankle", 0.0145f, ""},
    {"r_ankle", 0.0145f, ""},
};

// Weight of a segment's length: the shoulder girdle and the face are thin.
float ThicknessOf(absl::string_view joint) {
  if (absl::EndsWith(joint, "clavicular")) return 0.25f;
  if (absl::EndsWith(joint, "_joint")) return 0.01f;
  return joint == "temporomandibular" ? 0.1f : 1;
}

std::array<float, 9> CylinderMoments(float kg, Vec3 along, float length) {
  const float square_radius =
      kg / (kWater_kg_m3 * std::numbers::pi_v<float> * std::max(length, 1e-3f));
  const float across = kg * (3 * square_radius + length * length) / 12;
  const float twist = kg * square_radius / 2;
  const std::array<float, 3> d = {along.x, along.y, along.z};
  std::array<float, 9> out{};
  for (size_t r = 0; r < 3; ++r) {
    for (size_t c = 0; c < 3; ++c) {
      out[3 * r + c] = (r == c ? across : 0) + (twist - across) * d[r] * d[c];
    }
  }
  return out;
}

}  // namespace

std::vector<SegmentMass> EstimateMasses(const std::vector<std::string>& known,
                                        const std::vector<int>& parents,
                                        const std::vector<Vec3>& centers) {
  const size_t joints = known.size();
  std::vector<SegmentMass> out(joints);
  float lowest = 0, highest = 0;
  for (const Vec3 center : centers) {
    lowest = std::min(lowest, center.y);
    highest = std::max(highest, center.y);
  }
  const auto skull = std::find(known.begin(), known.end(), "skullbase");
  if (skull != known.end()) highest = centers[static_cast<size_t>(skull - known.begin())].y;
  const float height = (highest - lowest) / kSkullBase;
  if (!(height > 0.01f) || !(height < 100)) return out;

  std::vector<Vec3> ends(joints);
  std::vector<int> below(joints), part(joints, -1);
  for (size_t j = 0; j < joints; ++j) {
    if (known[j].empty()) continue;
    const auto parent = static_cast<size_t>(std::max(parents[j], 0));
    if (parents[j] >= 0) {
      part[j] = part[parent];
      ends[parent] = ends[parent] + centers[j];
      ++below[parent];
    }
    const auto* const begins = std::find_if(std::begin(kParts), std::end(kParts),
                                            [&](const Part& p) { return p.joint == known[j]; });
    if (begins != std::end(kParts)) part[j] = static_cast<int>(begins - std::begin(kParts));
  }
  std::array<float, std::size(kParts)> lengths{};
  std::vector<std::pair<size_t, float>> sizes(joints);  // the part, and the weight in it
  for (size_t j = 0; j < joints; ++j) {
    if (part[j] < 0) continue;
    Vec3 end = centers[j];
    if (known[j] == "skullbase") {
      end.y += kHead * height;
    } else if (below[j] > 0) {
      end = ends[j] * (1.0f / static_cast<float>(below[j]));
    } else if (parents[j] >= 0) {
      end = centers[j] + (centers[j] - centers[static_cast<size_t>(parents[j])]) * 0.8f;
    }
    ends[j] = end;
    size_t place = static_cast<size_t>(part[j]);
    if (!kParts[place].of.empty()) {
      for (size_t p = 0; p < std::size(kParts); ++p) {
        if (kParts[p].joint == kParts[place].of) place = p;
      }
    }
    const float length = std::max(skel::Length(end - centers[j]), kShortest * height);
    sizes[j] = {place, length * ThicknessOf(known[j])};
    lengths[place] += sizes[j].second;
  }
  for (size_t j = 0; j < joints; ++j) {
    if (part[j] < 0) continue;
    const auto [place, weight] = sizes[j];
    const float length = skel::Length(ends[j] - centers[j]);
    const Vec3 along = length > 1e-6f ? (ends[j] - centers[j]) * (1 / length) : Vec3{0, 1, 0};
    out[j].kg = kKgPerSquareMetre * height * height * kParts[place].share * weight / lengths[place];
    out[j].center = (centers[j] + ends[j]) * 0.5f;
    out[j].moments = CylinderMoments(out[j].kg, along, std::max(length, kShortest * height));
  }
  return out;
}

}  // namespace posewire::x3d
