#include "libs/formats/usd/motion_note.h"

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace posewire::usd {
namespace {

constexpr std::pair<absl::string_view, size_t> kParts[] = {
    {"translations", 3}, {"rotations", 4}, {"scales", 3}};

// Returns why no joint moves; "" if joints move.
std::string WhyJointsRest(const Stage& stage, int animation, size_t joints) {
  std::vector<absl::string_view> missing;
  for (const auto& [name, width] : kParts) {
    if (!stage.Has(animation, name)) missing.push_back(name);
  }
  if (missing.size() == std::size(kParts) && joints == 0) return "";  // only a face
  if (joints == 0) return "has no joints, so that it moves none";
  if (!missing.empty()) {
    return absl::StrCat("has no ", absl::StrJoin(missing, " and no "),
                        ", and moves joints only with translations, rotations and scales");
  }
  for (const auto& [name, width] : kParts) {
    // The number of values may differ between samples.
    std::vector<double> times = stage.Times(animation, name);
    if (times.empty()) times.push_back(kEarliest);
    for (const double time : {times.front(), times.back()}) {
      const size_t numbers = stage.Numbers(animation, name, time).size();
      if (numbers == width * joints) continue;
      return absl::StrCat("has ", numbers / width, " ", name, " for ", joints, " joints",
                          time == kEarliest ? "" : absl::StrCat(" at time code ", time),
                          ", where it moves none");
    }
  }
  return "";
}

std::string WhyShapesRest(const Stage& stage, int animation) {
  const size_t shapes = stage.Texts(animation, "blendShapes").size();
  if (!stage.Has(animation, "blendShapeWeights")) return "";
  const size_t weights = stage.Numbers(animation, "blendShapeWeights").size();
  if (weights == shapes) return "";
  return absl::StrCat("has ", weights, " blendShapeWeights for ", shapes,
                      " blendShapes, so that it moves none");
}

}  // namespace

std::string NoteOfMotion(const Stage& stage, const Skeleton& skeleton) {
  if (skeleton.animation < 0) return "";
  const std::vector<std::string>& joints = stage.Texts(skeleton.animation, "joints");
  std::vector<std::string> why;
  std::string rest = WhyJointsRest(stage, skeleton.animation, joints.size());
  if (rest.empty() && skeleton.prim >= 0) {
    const std::vector<int> places = MapNames(joints, skeleton.joints);
    size_t lost = 0;
    absl::string_view example;
    for (size_t i = places.size(); i-- > 0;) {
      if (places[i] < 0) ++lost, example = joints[i];
    }
    if (lost > 0) {
      rest = absl::StrCat("has ", lost, " of ", joints.size(), " joints that ",
                          stage.path(skeleton.prim), " lacks, such as \"", example.substr(0, 80),
                          "\", and does not move them",
                          lost == joints.size() && !skeleton.joints.empty()
                              ? absl::StrCat("; those of the Skeleton are such as \"",
                                             skeleton.joints[0].substr(0, 80), "\"")
                              : "");
    }
  }
  if (!rest.empty()) why.push_back(std::move(rest));
  std::string shapes = WhyShapesRest(stage, skeleton.animation);
  if (!shapes.empty()) why.push_back(std::move(shapes));
  if (why.empty()) return "";
  return absl::StrCat(stage.path(skeleton.animation), " ", absl::StrJoin(why, ", and "));
}

}  // namespace posewire::usd
