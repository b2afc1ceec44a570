// Writes fitted characters as GLB, and checks them by reading them back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/character_motion.h"
#include "libs/character_file/point_file.h"
#include "libs/character_file/read_character.h"
#include "libs/formats/gltf/character_writer.h"
#include "tools/animclip/fit_scene.h"

namespace posewire::animclip {
namespace {

using skel::Affine;
using skel::Vec3;

character::CharacterMotion MotionOf(const FitScene& scene) {
  const character::Character& c = scene.person;
  character::CharacterMotion out;
  out.name = "take";
  for (size_t f = 0; f < scene.frames(); ++f) {
    out.times_s.push_back(scene.rate.SecondsAt(static_cast<int64_t>(f)));
    std::vector<skel::Trs>& now = out.nodes.emplace_back();
    for (size_t n = 0; n < c.nodes.size(); ++n) {
      const int parent = c.nodes[n].parent;
      const Affine& own = scene.nodes[f][n];
      now.push_back(skel::Decompose(
          parent < 0 ? own
                     : skel::Mul(own, skel::Inverse(scene.nodes[f][static_cast<size_t>(parent)])
                                          .value_or(Affine{}))));
    }
  }
  character::StillNodes(c, out);
  const size_t width = scene.shape_names.size();
  for (size_t m = 0; m < c.meshes.size(); ++m) {
    const auto& shapes = c.meshes[m].shapes;
    std::vector<float>& weights = out.weights.emplace_back();
    std::vector<int> place(shapes.size(), -1);
    for (size_t s = 0; s < shapes.size(); ++s) {
      const auto at =
          std::find(scene.shape_names.begin(), scene.shape_names.end(), shapes[s].name());
      if (at != scene.shape_names.end()) {
        place[s] = static_cast<int>(at - scene.shape_names.begin());
      }
    }
    for (const character::Drive& drive : c.drives) {
      if (drive.mesh == static_cast<int>(m) && drive.kind == character::Drive::Kind::kMean &&
          drive.sources.size() == 1) {
        place[static_cast<size_t>(drive.shape)] = drive.sources[0];
      }
    }
    if (std::all_of(place.begin(), place.end(), [](int p) { return p < 0; })) continue;
    for (size_t f = 0; f < scene.frames(); ++f) {
      for (const int p : place) {
        weights.push_back(p < 0 ? 0.0f : scene.shapes[f * width + static_cast<size_t>(p)]);
      }
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<FitFile> WriteFit(const FitScene& scene) {
  FitFile out;
  const character::CharacterMotion motion = MotionOf(scene);
  auto glb = gltf::WriteCharacter(scene.person, &motion);
  if (!glb.ok()) return glb.status();
  out.glb = *std::move(glb);
  const auto catalog = skel::RigCatalog::Builtin("arkit68");
  if (!catalog.ok()) return catalog.status();
  const auto who = character_file::ReadCharacter(out.glb, scene.person.name, *catalog);
  if (!who.ok()) return who.status();
  out.rig = (*who)->rig->name();
  out.notes = (*who)->notes;
  auto points = character_file::ReadPointAnimation(out.glb, {}, nullptr);
  if (!points.ok()) return points.status();
  if ((*points)->points() != scene.points) {
    return absl::InternalError(absl::StrCat("the written file has ", (*points)->points(),
                                            " points, expected ", scene.points));
  }
  const character::CharacterNode& root = scene.person.root;
  const Affine place = skel::FromTrs(root.translation, root.rotation, root.scale);
  std::vector<Vec3> now(scene.points);
  double squares = 0;
  for (size_t f = 0; f < scene.frames(); ++f) {
    if (absl::Status s = (*points)->Frame(f, scene.rate.hz(), absl::MakeSpan(now)); !s.ok()) {
      return s;
    }
    const absl::Span<const Vec3> complex = scene.Complex(f);
    for (size_t i = 0; i < now.size(); ++i) {
      const double away = skel::Length(now[i] - skel::TransformPoint(place, complex[i]));
      out.error.worst_m = std::max(out.error.worst_m, away);
      squares += away * away;
    }
  }
  out.error.rms_m = std::sqrt(squares / static_cast<double>(scene.points * scene.frames()));
  return out;
}

}  // namespace posewire::animclip
