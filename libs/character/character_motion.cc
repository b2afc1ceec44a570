#include "libs/character/character_motion.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Trs;

// Rounding of joints that keep their places on their parents.
constexpr float kStill_m = 1e-5f;

}  // namespace

absl::Status CheckMotion(const CharacterMotion& motion, const Character& character) {
  const size_t times = motion.times_s.size();
  bool fits = times > 0 && motion.nodes.size() == times &&
              (motion.weights.empty() || motion.weights.size() == character.meshes.size());
  for (const std::vector<Trs>& frame : motion.nodes) {
    fits = fits && frame.size() == character.nodes.size();
  }
  for (size_t m = 0; fits && m < motion.weights.size(); ++m) {
    const size_t count = motion.weights[m].size();
    fits = count == 0 || count == times * character.meshes[m].shapes.size();
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the motion \"", motion.name, "\" of ", times, " times and ",
                   motion.nodes.size(), " poses does not have the ", character.nodes.size(),
                   " nodes and ", character.meshes.size(), " meshes of the character"));
}

void StillNodes(const Character& character, CharacterMotion& motion) {
  const skel::Vec3 s = character.root.scale;
  const float unit_m = std::cbrt(std::fabs(s.x * s.y * s.z));
  for (size_t n = 0; n < character.nodes.size(); ++n) {
    const CharacterNode& rest = character.nodes[n];
    float moves = 0, grows = 0;
    for (const std::vector<Trs>& frame : motion.nodes) {
      moves = std::max(moves, skel::Length(frame[n].translation - rest.translation) * unit_m);
      grows = std::max(grows, skel::Length(frame[n].scale - rest.scale));
    }
    for (std::vector<Trs>& frame : motion.nodes) {
      if (moves < kStill_m) frame[n].translation = rest.translation;
      if (grows < kStill_m) frame[n].scale = rest.scale;
    }
  }
}

MotionRecorder::MotionRecorder(std::shared_ptr<const Character> character, std::string name)
    : character_(std::move(character)), deformer_(character_) {
  motion_.name = std::move(name);
  motion_.weights.resize(character_->meshes.size());
}

absl::Status MotionRecorder::Add(double time_s, const skel::PoseView& pose) {
  deformer_.SetTime(time_s);
  if (absl::Status s = deformer_.Pose(pose); !s.ok()) return s;
  const Character& c = *character_;
  const Affine root = skel::FromTrs(c.root.translation, c.root.rotation, c.root.scale);
  const absl::Span<const Affine> models = deformer_.nodes();
  motion_.times_s.push_back(time_s);
  std::vector<Trs>& now = motion_.nodes.emplace_back();
  for (size_t n = 0; n < c.nodes.size(); ++n) {
    const int parent = c.nodes[n].parent;
    const Affine& above = parent < 0 ? root : models[static_cast<size_t>(parent)];
    now.push_back(skel::Decompose(skel::Mul(models[n], skel::Inverse(above).value_or(Affine{}))));
  }
  std::optional<mesh::Extent> extent;
  for (size_t m = 0; m < c.meshes.size(); ++m) {
    const absl::Span<const float> weights = deformer_.weights(m);
    motion_.weights[m].insert(motion_.weights[m].end(), weights.begin(), weights.end());
    if (!deformer_.shown(m)) continue;
    for (const skel::Vec3 p : deformer_.points(m)) mesh::Include(p, extent);
  }
  motion_.extents.push_back(extent.value_or(mesh::Extent{}));
  return absl::OkStatus();
}

CharacterMotion MotionRecorder::Take() {
  StillNodes(*character_, motion_);
  return std::move(motion_);
}

}  // namespace posewire::character
