// animclip export: a character, and a clip that moves it, as one file.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/character/bone_names.h"
#include "libs/character/character_motion.h"
#include "libs/character/deformer.h"
#include "libs/character/shown_parts.h"
#include "libs/character_file/read_character.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/usd/character_writer.h"
#include "libs/formats/x3d/character_writer.h"
#include "libs/mesh/influences.h"
#include "libs/skel/rig_map.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/whole_file.h"

namespace posewire::animclip {
namespace {

using character::Character;

constexpr int kGlbExportInfluences = 8;
constexpr char kStandingRig[] = "hanim_loa3";
constexpr char kExportEndings[] = ".glb, .usda or .x3d";

class Export {
 public:
  Export(const ExportOptions& options, const Console& console)
      : options_(options), console_(console) {}

  absl::Status Run() {
    if (absl::Status s = CheckOut(); !s.ok()) return s;
    auto catalog = skel::RigCatalog::Builtin("arkit68");
    if (!catalog.ok()) return catalog.status();
    auto read = character_file::OpenCharacter(options_.character, *catalog);
    if (!read.ok()) return read.status();
    for (const std::string& note : (*read)->notes) Note(note);
    if (absl::Status s = Choose(*std::move(read)); !s.ok()) return s;
    if (!options_.clip.empty()) {
      if (absl::Status s = Move(*catalog); !s.ok()) return s;
    }
    return Write();
  }

 private:
  void Note(absl::string_view what) const { console_.err << "animclip export: " << what << "\n"; }

  bool Ends(absl::string_view ending) const {
    return absl::EndsWithIgnoreCase(options_.out, ending);
  }

  absl::Status CheckOut() const {
    const std::string& out = options_.out;
    if (Ends(".glb") || Ends(".usda") || Ends(".x3d")) return absl::OkStatus();
    if (Ends(".usd") || Ends(".usdc") || Ends(".usdz")) {
      const std::string text = absl::StrCat(out.substr(0, out.rfind('.')), ".usda");
      const std::string command = Ends(".usdz") ? absl::StrCat("usdzip ", out, " --asset ", text)
                                                : absl::StrCat("usdcat ", text, " -o ", out);
      return absl::UnimplementedError(absl::StrCat("OUT is ", out,
                                                   ", and stages are written as text: export to ",
                                                   text, ", which OpenUSD converts: ", command));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("OUT is ", out, ", expected a name that ends in ", kExportEndings));
  }

  // Takes the character as the choices show it.
  absl::Status Choose(std::shared_ptr<const Character> whole) {
    character::Deformer deformer(whole);
    for (const std::string& text : options_.look) {
      const std::pair<std::string, std::string> choice =
          absl::StrSplit(text, absl::MaxSplits('=', 1));
      if (choice.first.empty() || choice.second.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--look is \"", text, "\", expected PART=CHOICE"));
      }
      if (absl::Status s = deformer.Choose(choice.first, choice.second); !s.ok()) return s;
    }
    Character shown = character::ShownParts(deformer);
    NameBones(shown);
    for (character::Mesh& mesh : shown.meshes) {
      const int per_point = mesh.per_point;
      if (mesh.skin < 0 || options_.influences == 0 || per_point <= options_.influences) continue;
      mesh.per_point = options_.influences;
      mesh::KeepGreatest(per_point, mesh.joints, mesh.weights, &mesh.per_point);
    }
    person_ = std::make_shared<const Character>(std::move(shown));
    if (person_->meshes.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(options_.character, " shows no mesh, and a character has one or more"));
    }
    if (options_.look.empty() && !whole->variants.empty()) {
      std::vector<std::string> parts;
      for (const character::Variant& variant : whole->variants) {
        std::vector<std::string> names;
        for (const auto& choice : variant.choices) names.push_back(choice.name);
        parts.push_back(absl::StrCat(variant.part, "=", absl::StrJoin(names, " or ")));
      }
      Note(absl::StrCat("other hair and clothes are left out: --look chooses ",
                        absl::StrJoin(parts, ", ")));
    }
    return absl::OkStatus();
  }

  // A VRM file says which nodes are bones. In other files, only names do.
  void NameBones(Character& c) const {
    if (c.same_joints || c.rig->name() != "vrm") return;
    std::vector<std::string> names;
    for (const character::CharacterNode& node : c.nodes) names.push_back(node.name);
    const character::BoneNodes found = character::FindBones(names);
    const bool known =
        std::all_of(c.links.begin(), c.links.end(), [&](const character::Link& link) {
          const auto bone = c.rig->humanoid().BoneOf(link.joint);
          return !bone || found[static_cast<size_t>(*bone)] == link.node;
        });
    if (known) return;
    Note("its bones are known by its VRM extension alone, and are named as VRM names them");
    for (const character::Link& link : c.links) {
      c.nodes[static_cast<size_t>(link.node)].name =
          c.rig->joint_names()[static_cast<size_t>(link.joint)];
    }
  }

  absl::Status Move(const skel::RigCatalog& catalog) {
    clipio::LoadOptions load;
    load.warn = [&](const std::string& warning) { Note(warning); };
    if (!options_.fps.empty()) {
      const auto rate = timecode::ParseFrameRate(options_.fps);
      if (!rate.ok()) {
        return absl::InvalidArgumentError(absl::StrCat("--fps: ", rate.status().message()));
      }
      load.rate = *rate;
    }
    // Gestures are made for a rig with its arms down, and carried over to others.
    std::shared_ptr<const skel::Rig> rig = person_->rig;
    std::optional<skel::RigMap> map;
    if (IsBuiltinClip(options_.clip)) {
      auto standing = catalog.Find(kStandingRig);
      if (!standing.ok()) return standing.status();
      if (rig->name() != kStandingRig) {
        auto made = skel::RigMap::Make(*standing, rig);
        if (!made.ok()) return made.status();
        map = *std::move(made);
        rig = *std::move(standing);
      }
    }
    const auto clip = LoadNamed(options_.clip, rig, catalog, load);
    if (!clip.ok()) return clip.status();
    const auto frames = static_cast<size_t>((*clip)->frames());
    character::MotionRecorder recorder(person_, "take");
    skel::Pose pose(rig->joints(), rig->shapes());
    skel::Pose carried(person_->rig->joints(), person_->rig->shapes());
    ProgressBar progress(console_, "posing", static_cast<int64_t>(frames));
    for (size_t f = 0; f < frames; ++f) {
      (*clip)->CopyFrame(static_cast<int>(f), pose.span());
      if (map) map->Apply(pose.view(), carried.span());
      const double time_s = (*clip)->rate().SecondsAt(static_cast<int64_t>(f));
      if (absl::Status s = recorder.Add(time_s, map ? carried.view() : pose.view()); !s.ok()) {
        return s;
      }
      progress.At(static_cast<int64_t>(f));
    }
    motion_ = std::make_unique<character::CharacterMotion>(recorder.Take());
    rate_ = (*clip)->rate();
    return absl::OkStatus();
  }

  absl::Status WriteGlb() const {
    const auto glb =
        gltf::WriteCharacter(*person_, motion_.get(), {.influences = kGlbExportInfluences});
    if (!glb.ok()) return glb.status();
    return WriteWhole(options_.out, *glb, console_.parts);
  }

  absl::Status WriteUsda() {
    const std::filesystem::path out(options_.out);
    const character::SceneMember member = {.character = person_.get(), .motion = motion_.get()};
    const auto stage = usd::WriteScene({&member, 1}, out.stem().string(), rate_.hz());
    if (!stage.ok()) return stage.status();
    return WritePictures(stage->pictures, stage->usda);
  }

  absl::Status WriteX3d() {
    const std::filesystem::path out(options_.out);
    const character::SceneMember member = {.character = person_.get(), .motion = motion_.get()};
    const x3d::X3dOptions how = {
        .version = options_.hanim == 1 ? x3d::HAnimVersion::k1 : x3d::HAnimVersion::k2,
        .frames = options_.frames};
    const auto scene = x3d::WriteScene({&member, 1}, out.stem().string(), how);
    if (!scene.ok()) return scene.status();
    return WritePictures(scene->pictures, scene->xml);
  }

  // The file that refers to the pictures comes last.
  absl::Status WritePictures(absl::Span<const std::pair<std::string, std::string>> pictures,
                             absl::string_view bytes) {
    const std::filesystem::path folder = std::filesystem::path(options_.out).parent_path();
    for (const auto& [name, png] : pictures) {
      const std::string path = (folder / name).string();
      if (absl::Status s = WriteWhole(path, png, console_.parts); !s.ok()) return s;
    }
    pictures_ = pictures.size();
    return WriteWhole(options_.out, bytes, console_.parts);
  }

  absl::Status Write() {
    const absl::Status s = Ends(".glb") ? WriteGlb() : Ends(".usda") ? WriteUsda() : WriteX3d();
    if (!s.ok()) return s;
    size_t shapes = 0;
    for (const character::Mesh& mesh : person_->meshes) shapes += mesh.shapes.size();
    console_.out << options_.out << ": " << person_->points() << " points, "
                 << person_->nodes.size() << " joints and nodes, " << shapes << " blend shapes";
    if (motion_ != nullptr) {
      console_.out << ", " << motion_->times_s.size() << " frames at " << timecode::ToString(rate_)
                   << " a second";
    }
    if (pictures_ > 0) console_.out << "; " << pictures_ << " pictures next to it";
    console_.out << "\n";
    return absl::OkStatus();
  }

  const ExportOptions& options_;
  const Console& console_;
  std::shared_ptr<const Character> person_;
  std::unique_ptr<character::CharacterMotion> motion_;  // null: none
  timecode::FrameRate rate_;
  size_t pictures_ = 0;  // written next to the file
};

}  // namespace

int RunExport(const ExportOptions& options, const Console& console) {
  const absl::Status s = Export(options, console).Run();
  if (s.ok()) return kDone;
  return Fail(console, "export", s, "docs/formats.md lists what is read and what is written.");
}

}  // namespace posewire::animclip
