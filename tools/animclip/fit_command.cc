// fit: computes joints and weights that approximate a complex animation, compares them with those
// that an artist made, and writes a character that has them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/mesh/fit_joints.h"
#include "libs/mesh/fit_skin.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/fit_scene.h"
#include "tools/animclip/whole_file.h"

namespace posewire::animclip {
namespace {

using mesh::FittedSkin;
using mesh::SkinError;
using skel::Affine;
using skel::Vec3;

// A GLB has at most these joints per point.
constexpr int kGlbInfluences = 4;
// Times that the joints of a skeleton are moved, with new weights after each.
constexpr int kJointRounds = 6;

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

void PrintRow(const Console& console, absl::string_view what, const SkinError& error,
              double unit_m) {
  console.out.Print("  %-28s %9.4f mm on mean (rms), %9.4f mm at worst\n", what,
                    error.rms_m * unit_m * 1000, error.worst_m * unit_m * 1000);
}

// Returns the joints by name, and the joint-weight pairs of each mesh, point by point.
std::string JsonOf(const FitScene& scene, const SkinPoints& points, const FittedSkin& fit,
                   bool with_transforms) {
  const character::Character& c = scene.person;
  const auto number = [](std::string* out, float v) { absl::StrAppendFormat(out, "%.7g", v); };
  std::string out = absl::StrCat(
      "{\"joints\":[",
      absl::StrJoin(points.nodes, ",",
                    [&](std::string* text, int node) {
                      absl::StrAppend(text, Quoted(c.nodes[static_cast<size_t>(node)].name));
                    }),
      "],\"influences\":", fit.per_point, ",\"meshes\":[");
  size_t at = 0;
  const auto per = static_cast<size_t>(fit.per_point);
  for (size_t m = 0; m < points.meshes.size(); ++m) {
    const character::Mesh& mesh = c.meshes[points.meshes[m]];
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
    absl::StrAppend(
        &out, ",\n\"frames\":[", absl::StrJoin(points.frames, ","), "],\n\"transforms\":[",
        absl::StrJoin(fit.transforms, ",\n",
                      [&](std::string* text, const Affine& t) {
                        std::vector<float> rows;
                        for (const Vec3 r : t.row) rows.insert(rows.end(), {r.x, r.y, r.z});
                        absl::StrAppend(text, "[", absl::StrJoin(rows, ",", number), "]");
                      }),
        "]");
  }
  return out + "}";
}

// Which parts of the skin are fitted.
struct Way {
  absl::string_view name, about;
  bool given;  // the joints' motion
  bool moves;  // the joints
};
constexpr Way kWays[] = {{"weights", "fitted weights", true, false},
                         {"joints", "fitted weights and joints", true, true},
                         {"points", "from the points alone", false, true}};

// Fitted joints turn and move, but do not grow.
bool HasScale(const SkinPoints& points) {
  for (const Affine& m : points.transforms) {
    for (size_t r = 0; r < 3; ++r) {
      if (std::fabs(skel::Length(m.row[r]) - 1) > 0.02f) return true;
    }
  }
  return false;
}

std::vector<size_t> SomeOf(size_t all, int most) {
  const auto wanted = static_cast<size_t>(std::max(most, 1));
  const size_t step = (all + wanted - 1) / wanted;
  std::vector<size_t> out;
  for (size_t f = 0; f < all; f += std::max<size_t>(step, 1)) out.push_back(f);
  return out;
}

class Fit {
 public:
  Fit(const FitOptions& options, const Console& console) : options_(options), console_(console) {
    settings_.influences = options.influences;
    settings_.candidates = std::max(settings_.candidates, options.influences);
    settings_.rounds = options.rounds;
    glb_ = absl::EndsWithIgnoreCase(options.out, ".glb");
  }

  absl::Status Run() {
    if (absl::Status s = CheckOut(); !s.ok()) return s;
    if (absl::Status s = MakeScene(); !s.ok()) return s;
    for (const std::string& note : scene_.notes) console_.err << "animclip fit: " << note << "\n";
    frames_ = SomeOf(scene_.frames(), options_.frames);
    for (const SkinPoints& points : GatherSkins(scene_, frames_)) {
      if (absl::Status s = FitSkins(points); !s.ok()) return s;
    }
    if (chosen_.empty()) return absl::InvalidArgumentError("no mesh of the character has joints");
    if (options_.out.empty()) return absl::OkStatus();
    return glb_ ? WriteGlb() : WriteJson();
  }

 private:
  struct Chosen {
    SkinPoints points;
    FittedSkin fit;
  };

  absl::Status CheckOut() const {
    if (!options_.out.empty() && !glb_ && !absl::EndsWithIgnoreCase(options_.out, ".json")) {
      return absl::InvalidArgumentError(
          absl::StrCat("OUT is ", options_.out, ", expected a name that ends in .glb or .json"));
    }
    if (glb_ && options_.influences > kGlbInfluences) {
      return absl::InvalidArgumentError(absl::StrCat("--influences is ", options_.influences,
                                                     ", expected at most ", kGlbInfluences,
                                                     " for a .glb"));
    }
    if (glb_ && options_.what == "points") {
      return absl::InvalidArgumentError(
          "--write is points, which is no skeleton's motion; expected weights or joints for a "
          ".glb");
    }
    return absl::OkStatus();
  }

  absl::Status MakeScene() {
    what_ = options_.what;
    if (!options_.film.complex.empty() && options_.film.character.empty()) {
      auto scene = SceneOfMeshes(options_, console_);
      if (!scene.ok()) return scene.status();
      scene_ = *std::move(scene);
      if (what_.empty()) what_ = "joints";
      return absl::OkStatus();
    }
    if (!options_.skeleton.empty() || options_.rest_frame != 0) {
      return absl::InvalidArgumentError(
          "--skeleton and --rest-frame are for --complex without --character");
    }
    BakeOptions film = options_.film;
    if (film.character.empty()) film.character = "woman";
    auto bake = BakeAsAsked(film, console_);
    if (!bake.ok()) return bake.status();
    for (const std::string& note : bake->notes) console_.err << "animclip fit: " << note << "\n";
    auto scene = SceneOfCharacter(*bake);
    if (!scene.ok()) return scene.status();
    scene_ = *std::move(scene);
    if (what_.empty()) what_ = "weights";
    return absl::OkStatus();
  }

  absl::Status FitSkins(const SkinPoints& points) {
    console_.out.Print("%d points on %d joints, %d of %d frames\n", points.rest.size(),
                       points.joints.size(), frames_.size(), scene_.frames());
    if (scene_.weighted) {
      const auto hand =
          mesh::MeasureSkin(points.Input(true), points.indices, points.weights, points.per_point);
      if (!hand.ok()) return hand.status();
      PrintRow(console_, "weights by hand", *hand, scene_.unit_m());
    }
    const bool grows = HasScale(points);
    for (const Way& way : kWays) {
      if (way.moves && grows) {
        if (way.name != what_) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("the joints have scales, with which only weights can be fitted, and "
                         "--write is ",
                         what_));
      }
      settings_.move_joints = way.moves;
      ProgressBar progress(console_, way.about, settings_.rounds);
      auto fit = mesh::FitSkin(points.Input(way.given), settings_, [&](int round) {
        progress.At(round);
        return true;
      });
      if (!fit.ok()) return fit.status();
      PrintRow(console_, way.about, fit->rounds.back(), scene_.unit_m());
      if (way.name != what_) continue;
      way_ = way;
      chosen_.push_back({points, *std::move(fit)});
    }
    return absl::OkStatus();
  }

  absl::Status WriteJson() {
    std::vector<std::string> skins;
    for (const Chosen& one : chosen_) {
      skins.push_back(JsonOf(scene_, one.points, one.fit, way_.moves));
    }
    const absl::Status s =
        WriteWhole(options_.out, absl::StrCat("{\"skins\":[", absl::StrJoin(skins, ",\n"), "]}\n"),
                   console_.parts);
    if (s.ok()) console_.out << options_.out << ": " << what_ << "\n";
    return s;
  }

  // Gives the scene a skeleton with moved joints, and weights for its motion.
  absl::Status Rig() {
    std::vector<size_t> all(scene_.frames());
    for (size_t f = 0; f < all.size(); ++f) all[f] = f;
    settings_.move_joints = false;
    SkinPoints points;
    std::pair<character::Character, std::vector<std::vector<Affine>>> before;
    SkinError least;
    for (int round = 0;; ++round) {
      points = GatherSkins(scene_, frames_)[0];
      const auto weights = mesh::FitSkin(points.Input(true), settings_);
      if (!weights.ok()) return weights.status();
      const SkinError& error = weights->rounds.back();
      if (round > 0 && error.rms_m >= least.rms_m) {
        scene_.person = std::move(before.first);
        scene_.nodes = std::move(before.second);
        break;
      }
      least = error;
      SetWeights(points, *weights, scene_);
      if (round == kJointRounds) break;
      const auto shifts = mesh::FitJoints(points.Input(true), weights->indices, weights->weights,
                                          weights->per_point);
      if (!shifts.ok()) return shifts.status();
      before = {scene_.person, scene_.nodes};
      points = GatherSkins(scene_, all)[0];
      if (absl::Status s =
              mesh::ShiftJoints(points.joints, *shifts, absl::MakeSpan(points.transforms));
          !s.ok()) {
        return s;
      }
      ApplyTransforms(points, *shifts, points.transforms, scene_);
    }
    PrintRow(console_, "joints of one skeleton", least, scene_.unit_m());
    return absl::OkStatus();
  }

  absl::Status WriteGlb() {
    if (way_.moves && chosen_.size() > 1) {
      return absl::InvalidArgumentError(absl::StrCat("the meshes are bound to ", chosen_.size(),
                                                     " sets of joints, expected one for --write ",
                                                     what_));
    }
    for (const Chosen& one : chosen_) {
      if (!way_.moves) {
        SetWeights(one.points, one.fit, scene_);
      } else if (absl::Status s = Rig(); !s.ok()) {
        return s;
      }
    }
    const auto face = AddFace(scene_);
    if (!face.ok()) return face.status();
    const auto file = WriteFit(scene_);
    if (!file.ok()) return file.status();
    PrintRow(console_, "as the file plays it", file->error, 1);
    if (absl::Status s = WriteWhole(options_.out, file->glb, console_.parts); !s.ok()) return s;
    for (const std::string& note : file->notes) console_.err << "animclip fit: " << note << "\n";
    console_.out << options_.out << ": a character of rig " << file->rig << "; "
                 << DescribeFace(*face) << "\n";
    return absl::OkStatus();
  }

  const FitOptions& options_;
  const Console& console_;
  mesh::FitSkinSettings settings_;
  bool glb_ = false;
  std::string what_;
  Way way_ = kWays[0];
  FitScene scene_;
  std::vector<size_t> frames_;
  std::vector<Chosen> chosen_;
};

}  // namespace

int RunFit(const FitOptions& options, const Console& console) {
  const absl::Status s = Fit(options, console).Run();
  if (s.ok()) return kDone;
  return Fail(console, "fit", s, "docs/complex-characters.md says what fits together.");
}

}  // namespace posewire::animclip
