// fit: computes joints and weights that approximate a complex animation, and compares them with
// those that an artist made.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/mesh/fit_skin.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/whole_file.h"

namespace posewire::animclip {
namespace {

using mesh::FittedSkin;
using mesh::SkinError;
using skel::Affine;
using skel::Vec3;

// The points of all meshes of one skin, in the form that FitSkin expects.
struct SkinPoints {
  std::vector<size_t> meshes;  // indices into PointSkin::meshes()
  std::vector<std::string> names;
  std::vector<int> place_of;  // by joint of the skin: index into the lists below
  std::vector<mesh::JointAtRest> joints;
  std::vector<Vec3> rest, frames;
  std::vector<Affine> transforms;
  int per_point = 1;
  std::vector<int> indices;  // the artist's, to compare
  std::vector<float> weights;

  mesh::FitSkinInput Input(bool with_transforms) const {
    return {rest, frames, joints,
            with_transforms ? absl::MakeConstSpan(transforms) : absl::Span<const Affine>()};
  }
};

// Adds joints, parents first, with their positions in the space of the points.
void AddJoints(const character::Character& c, const character::Skin& skin, SkinPoints& out) {
  std::vector<int> joint_at(c.nodes.size(), -1);
  for (size_t j = 0; j < skin.nodes.size(); ++j) {
    joint_at[static_cast<size_t>(skin.nodes[j])] = static_cast<int>(j);
  }
  out.place_of.assign(skin.nodes.size(), 0);
  std::vector<int> place_at(c.nodes.size(), -1);
  for (const int n : c.order) {
    const int joint = joint_at[static_cast<size_t>(n)];
    if (joint < 0) continue;
    int above = c.nodes[static_cast<size_t>(n)].parent;
    while (above >= 0 && place_at[static_cast<size_t>(above)] < 0) {
      above = c.nodes[static_cast<size_t>(above)].parent;
    }
    const auto bind = skel::Inverse(skin.inverse_bind[static_cast<size_t>(joint)]);
    place_at[static_cast<size_t>(n)] = static_cast<int>(out.joints.size());
    out.place_of[static_cast<size_t>(joint)] = static_cast<int>(out.joints.size());
    out.joints.push_back({bind.has_value() ? bind->row[3] : Vec3{},
                          above < 0 ? -1 : place_at[static_cast<size_t>(above)]});
    out.names.push_back(c.nodes[static_cast<size_t>(n)].name);
  }
}

absl::StatusOr<SkinPoints> Gather(FilmBake& bake, int skin_index,
                                  const std::vector<size_t>& frames) {
  const character::PointSkin& all = bake.rig->skin;
  const character::Character& c = bake.rig->deformer.character();
  const character::Skin& skin = c.skins[static_cast<size_t>(skin_index)];
  SkinPoints out;
  AddJoints(c, skin, out);
  for (size_t k = 0; k < all.meshes().size(); ++k) {
    const character::Mesh& mesh = c.meshes[all.meshes()[k]];
    if (mesh.skin != skin_index) continue;
    out.meshes.push_back(k);
    out.per_point = std::max(out.per_point, mesh.per_point);
  }
  const auto per = static_cast<size_t>(out.per_point);
  for (const size_t k : out.meshes) {
    const character::Mesh& mesh = c.meshes[all.meshes()[k]];
    const auto own = static_cast<size_t>(mesh.per_point);
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      out.rest.push_back(mesh.points[i]);
      for (size_t n = 0; n < per; ++n) {
        out.indices.push_back(n < own ? out.place_of[static_cast<size_t>(mesh.joints[i * own + n])]
                                      : 0);
        out.weights.push_back(n < own ? mesh.weights[i * own + n] : 0.0f);
      }
    }
  }
  skel::Pose pose(bake.clip->rig()->joints(), bake.clip->rig()->shapes());
  for (const size_t f : frames) {
    bake.clip->CopyFrame(static_cast<int>(f), pose.span());
    if (absl::Status s = bake.rig->deformer.Pose(pose.view()); !s.ok()) return s;
    std::vector<Affine> now(out.joints.size());
    for (size_t j = 0; j < skin.nodes.size(); ++j) {
      now[static_cast<size_t>(out.place_of[j])] = skel::Mul(
          skin.inverse_bind[j], bake.rig->deformer.nodes()[static_cast<size_t>(skin.nodes[j])]);
    }
    out.transforms.insert(out.transforms.end(), now.begin(), now.end());
    for (const size_t k : out.meshes) {
      const auto from =
          absl::MakeConstSpan(bake.complex)
              .subspan(f * all.points() + all.first()[k], c.meshes[all.meshes()[k]].points.size());
      out.frames.insert(out.frames.end(), from.begin(), from.end());
    }
  }
  return out;
}

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char ch : text) {
    if (static_cast<unsigned char>(ch) < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<int>(ch));
      continue;
    }
    if (ch == '"' || ch == '\\') out.push_back('\\');
    out.push_back(ch);
  }
  return out + "\"";
}

void PrintRow(const Console& console, absl::string_view what, const SkinError& error) {
  console.out.Print("  %-28s %9.4f mm on mean (rms), %9.4f mm at worst\n", what, error.rms_m * 1000,
                    error.worst_m * 1000);
}

// Returns the joints by name, and the joint-weight pairs of each mesh, point by point.
std::string JsonOf(const FilmBake& bake, const SkinPoints& points, const FittedSkin& fit,
                   const std::vector<size_t>& frames, bool with_transforms) {
  const character::PointSkin& all = bake.rig->skin;
  const character::Character& c = bake.rig->deformer.character();
  const auto number = [](std::string* out, float v) { absl::StrAppendFormat(out, "%.7g", v); };
  std::string out = absl::StrCat("{\"joints\":[",
                                 absl::StrJoin(points.names, ",",
                                               [](std::string* text, const auto& name) {
                                                 absl::StrAppend(text, Quoted(name));
                                               }),
                                 "],\"influences\":", fit.per_point, ",\"meshes\":[");
  size_t at = 0;
  const auto per = static_cast<size_t>(fit.per_point);
  for (size_t m = 0; m < points.meshes.size(); ++m) {
    const character::Mesh& mesh = c.meshes[all.meshes()[points.meshes[m]]];
    const size_t n = mesh.points.size() * per;
    absl::StrAppend(
        &out, m == 0 ? "" : ",", "\n{\"name\":", Quoted(mesh.name),
        ",\"points\":", mesh.points.size(), ",\n\"indices\":[",
        absl::StrJoin(absl::MakeConstSpan(fit.indices).subspan(at, n), ","), "],\n\"weights\":[",
        absl::StrJoin(absl::MakeConstSpan(fit.weights).subspan(at, n), ",", number), "]}");
    at += n;
  }
  absl::StrAppend(&out, "]");
  if (with_transforms) {
    absl::StrAppend(&out, ",\n\"frames\":[", absl::StrJoin(frames, ","), "],\n\"transforms\":[",
                    absl::StrJoin(fit.transforms, ",\n",
                                  [&](std::string* text, const Affine& t) {
                                    std::vector<float> rows;
                                    for (const Vec3 r : t.row)
                                      rows.insert(rows.end(), {r.x, r.y, r.z});
                                    absl::StrAppend(text, "[", absl::StrJoin(rows, ",", number),
                                                    "]");
                                  }),
                    "]");
  }
  return out + "}";
}

}  // namespace

int RunFit(const FitOptions& options, const Console& console) {
  const auto fail = [&](const absl::Status& s) {
    return Fail(console, "fit", s, "docs/complex-characters.md says what fits together.");
  };
  auto bake = BakeAsAsked(options.film, console);
  if (!bake.ok()) return fail(bake.status());
  for (const std::string& note : bake->notes) console.err << "animclip fit: " << note << "\n";
  const size_t all = bake->header.frames;
  const auto most = static_cast<size_t>(std::max(options.frames, 1));
  const size_t step = (all + most - 1) / most;
  std::vector<size_t> frames;
  for (size_t f = 0; f < all; f += step) frames.push_back(f);
  const character::Character& c = bake->rig->deformer.character();
  std::vector<std::string> files;
  for (size_t s = 0; s < c.skins.size(); ++s) {
    auto points = Gather(*bake, static_cast<int>(s), frames);
    if (!points.ok()) return fail(points.status());
    if (points->rest.empty()) continue;
    console.out.Print("%d points on %d joints, %d of %d frames\n", points->rest.size(),
                      points->joints.size(), frames.size(), all);
    const auto hand =
        mesh::MeasureSkin(points->Input(true), points->indices, points->weights, points->per_point);
    if (!hand.ok()) return fail(hand.status());
    PrintRow(console, "weights by hand", *hand);
    mesh::FitSkinSettings settings;
    settings.influences = options.influences;
    settings.candidates = std::max(settings.candidates, options.influences);
    settings.rounds = options.rounds;
    struct Way {
      absl::string_view name, about;
      bool given, moves;
    };
    for (const Way& way : {Way{"weights", "fitted weights", true, false},
                           {"joints", "fitted weights and joints", true, true},
                           {"points", "from the points alone", false, true}}) {
      settings.move_joints = way.moves;
      ProgressBar progress(console, way.about, settings.rounds);
      const auto fit = mesh::FitSkin(points->Input(way.given), settings, [&](int round) {
        progress.At(round);
        return true;
      });
      if (!fit.ok()) return fail(fit.status());
      PrintRow(console, way.about, fit->rounds.back());
      if (way.name == options.what) {
        files.push_back(JsonOf(*bake, *points, *fit, frames, way.moves));
      }
    }
  }
  if (files.empty()) {
    return fail(absl::InvalidArgumentError("no mesh of the character has joints"));
  }
  if (options.out.empty()) return kDone;
  if (absl::Status s =
          WriteWhole(options.out, absl::StrCat("{\"skins\":[", absl::StrJoin(files, ",\n"), "]}\n"),
                     console.parts);
      !s.ok()) {
    return Fail(console, "fit", s, "Name a file that you may write.");
  }
  console.out << options.out << ": " << options.what << "\n";
  return kDone;
}

}  // namespace posewire::animclip
