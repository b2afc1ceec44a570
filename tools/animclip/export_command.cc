// animclip export: a character, and a clip that moves it, as one file.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/asset/prop_history.h"
#include "libs/asset/scene.h"
#include "libs/character/bone_names.h"
#include "libs/character/character_motion.h"
#include "libs/character/deformer.h"
#include "libs/character/shown_parts.h"
#include "libs/character_file/read_character.h"
#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/whole_clip.h"
#include "libs/mesh/influences.h"
#include "libs/prop_file/prop_folder.h"
#include "libs/skel/rig_map.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/scene_output.h"

namespace posewire::animclip {
namespace {

using character::Character;

constexpr char kStandingRig[] = "hanim_loa3";
constexpr char kExportEndings[] = ".glb, .usda or .x3d";

class Export {
 public:
  Export(const ExportOptions& options, const Console& console)
      : options_(options), console_(console) {}

  absl::Status Run() {
    if (absl::Status s = CheckOut(); !s.ok()) return s;
    if (absl::Status s = CheckFlags(); !s.ok()) return s;
    auto catalog = skel::RigCatalog::Builtin("arkit68");
    if (!catalog.ok()) return catalog.status();
    catalog_ = *std::move(catalog);
    if (absl::Status s = ReadRate(); !s.ok()) return s;
    const bool file = !options_.clip.empty() && !IsBuiltinClip(options_.clip);
    asset::Scene scene;
    if (file) {
      auto listed = clipio::OpenScene(options_.clip, Reading(std::nullopt));
      if (!listed.ok()) return listed.status();
      if (listed->characters.size() > 1) scene = *std::move(listed);
    }
    if (absl::Status s = ReadAvatars(scene); !s.ok()) return s;
    if (!options_.props.empty()) {
      auto folder = prop_file::PropFolder::Open(options_.props);
      if (!folder.ok()) {
        return absl::Status(folder.status().code(),
                            absl::StrCat("--props: ", folder.status().message()));
      }
      folder_ = *std::move(folder);
    }
    const absl::Status added = scene.characters.empty() ? AddOne(file) : AddScene(scene);
    return added.ok() ? Write() : added;
  }

 private:
  using Member = SceneToWrite::Member;

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

  // Returns INVALID_ARGUMENT for a flag that changes nothing in OUT.
  absl::Status CheckFlags() const {
    const auto wrong = [&](absl::string_view why) {
      return absl::InvalidArgumentError(absl::StrCat("OUT is ", options_.out, ", and ", why));
    };
    if (!Ends(".x3d") && options_.hanim != 0) return wrong("--hanim is for .x3d");
    if (!Ends(".x3d") && options_.frames) return wrong("--frames is for .x3d");
    if (options_.frames && options_.clip.empty()) {
      return absl::InvalidArgumentError("--frames is for a clip, which --clip names");
    }
    if (Ends(".glb") && options_.influences > kGltfInfluences) {
      return wrong(absl::StrCat("--influences is ", options_.influences, ", over the ",
                                kGltfInfluences, " of a .glb"));
    }
    return absl::OkStatus();
  }

  // How the clip is read, or one of the characters of its scene.
  clipio::OpenOptions Reading(std::optional<size_t> of_scene) const {
    clipio::OpenOptions out;
    out.outside_skel_root = options_.outside_skel_root;
    out.character = of_scene;
    return out;
  }

  absl::Status ReadRate() {
    if (options_.fps.empty()) return absl::OkStatus();
    const auto rate = timecode::ParseFrameRate(options_.fps);
    if (!rate.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--fps: ", rate.status().message()));
    }
    rate_ = *rate;
    return absl::OkStatus();
  }

  absl::Status ReadAvatars(const asset::Scene& scene) {
    std::vector<std::string> names;
    for (const asset::SceneCharacter& one : scene.characters) names.push_back(one.name);
    for (const std::string& text : options_.avatars) {
      const std::pair<std::string, std::string> choice =
          absl::StrSplit(text, absl::MaxSplits('=', 1));
      if (choice.first.empty() || choice.second.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--avatar is \"", text, "\", expected NAME=WHO"));
      }
      if (std::find(names.begin(), names.end(), choice.first) == names.end()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "--avatar is \"", text, "\", and the clip has ",
            names.empty() ? "no scene of several characters" : absl::StrJoin(names, ", ")));
      }
      if (!avatars_.insert(choice).second) {
        return absl::InvalidArgumentError(absl::StrCat("--avatar names ", choice.first, " twice"));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::shared_ptr<const Character>> Person(const std::string& who, bool lead) {
    auto read = character_file::OpenCharacter(who, catalog_,
                                              {.outside_skel_root = options_.outside_skel_root});
    if (!read.ok()) return read.status();
    for (const std::string& note : (*read)->notes) Note(note);
    return Chosen(who, *std::move(read), lead);
  }

  // Returns the character as the choices show it. Choices that only others have are no error.
  absl::StatusOr<std::shared_ptr<const Character>> Chosen(const std::string& who,
                                                          std::shared_ptr<const Character> whole,
                                                          bool lead) {
    character::Deformer deformer(whole);
    for (const std::string& text : options_.look) {
      const std::pair<std::string, std::string> choice =
          absl::StrSplit(text, absl::MaxSplits('=', 1));
      if (choice.first.empty() || choice.second.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--look is \"", text, "\", expected PART=CHOICE"));
      }
      absl::Status s = deformer.Choose(choice.first, choice.second);
      if (!s.ok() && lead) return s;
    }
    Character shown = character::ShownParts(deformer);
    NameBones(shown);
    for (character::Mesh& mesh : shown.meshes) {
      const int per_point = mesh.per_point;
      if (mesh.skin < 0 || options_.influences == 0 || per_point <= options_.influences) continue;
      mesh.per_point = options_.influences;
      mesh::KeepGreatest(per_point, mesh.joints, mesh.weights, &mesh.per_point);
    }
    if (shown.meshes.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(who, " shows no mesh, and a character has one or more"));
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
    return std::make_shared<const Character>(std::move(shown));
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

  absl::Status AddOne(bool file) {
    Member& to = out_.members.emplace_back();
    auto person = Person(options_.character, true);
    if (!person.ok()) return person.status();
    to.character = *std::move(person);
    if (options_.clip.empty()) return absl::OkStatus();
    double first_s = 0;
    if (absl::Status s = Move(std::nullopt, to, first_s); !s.ok() || !file) return s;
    auto whole = clipio::LoadWholeClip(options_.clip, Reading(std::nullopt));
    if (!whole.ok()) return whole.status();
    TakeProps(*whole);
    AddRest(*std::move(whole), first_s, to);
    return absl::OkStatus();
  }

  absl::Status AddScene(asset::Scene& scene) {
    for (const std::string& warning : scene.warnings) Note(warning);
    double first_s = 0;
    for (size_t i = 0; i < scene.characters.size(); ++i) {
      const asset::SceneCharacter& one = scene.characters[i];
      Member& to = out_.members.emplace_back();
      to.name = one.name;
      to.place = TrsOf(one.place);
      const auto who = avatars_.find(one.name);
      auto person = Person(who == avatars_.end() ? options_.character : who->second, i == 0);
      if (!person.ok()) return person.status();
      to.character = *std::move(person);
      if (absl::Status s = Move(i, to, first_s); !s.ok()) return s;
      auto whole = clipio::LoadWholeClip(options_.clip, Reading(i));
      if (!whole.ok()) return whole.status();
      AddRest(*std::move(whole), first_s, to);
    }
    for (asset::SceneProp& prop : scene.props) {
      for (double& time_s : prop.times_s) time_s -= first_s;
    }
    props_ = std::move(scene.props);
    return absl::OkStatus();
  }

  // Poses the member by the clip, or by one of the characters of its scene.
  absl::Status Move(std::optional<size_t> of_scene, Member& to, double& first_s) {
    clipio::LoadOptions load;
    load.rate = rate_;
    load.first_s = &first_s;
    load.warn = [&](const std::string& warning) { Note(warning); };
    // Gestures are made for a rig with its arms down, and carried over to others.
    std::shared_ptr<const skel::Rig> rig = to.character->rig;
    std::optional<skel::RigMap> map;
    if (IsBuiltinClip(options_.clip)) {
      auto standing = catalog_.Find(kStandingRig);
      if (!standing.ok()) return standing.status();
      if (rig->name() != kStandingRig) {
        auto made = skel::RigMap::Make(*standing, rig);
        if (!made.ok()) return made.status();
        map = *std::move(made);
        rig = *std::move(standing);
      }
    }
    absl::StatusOr<std::shared_ptr<const clip::Clip>> clip;
    if (IsBuiltinClip(options_.clip)) {
      clip = LoadNamed(options_.clip, rig, catalog_, load);
    } else {
      auto reader = clipio::OpenClip(options_.clip, Reading(of_scene));
      if (!reader.ok()) return reader.status();
      clip = clipio::LoadClip(*std::move(reader), rig, catalog_, load);
    }
    if (!clip.ok()) return clip.status();
    const auto frames = static_cast<size_t>((*clip)->frames());
    character::MotionRecorder recorder(to.character, "take");
    skel::Pose pose(rig->joints(), rig->shapes());
    skel::Pose carried(to.character->rig->joints(), to.character->rig->shapes());
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
    to.motion = recorder.Take();
    rate_ = (*clip)->rate();
    return absl::OkStatus();
  }

  // Props without a size of their own have that of their model.
  void TakeProps(clipio::WholeClip& whole) {
    for (auto& [time_code_s, props] : whole.props) {
      for (wire::Prop& prop : props) {
        if (!prop.usual_size || folder_ == nullptr || !folder_->has(prop.shape)) continue;
        if (const auto model = folder_->Load(prop.shape); model.ok()) prop.size = (*model)->size();
      }
    }
  }

  // Adds voice, camera and props, from the clip's first key on.
  void AddRest(clipio::WholeClip whole, double first_s, Member& to) {
    whole.MoveScene(-first_s);
    to.voice = std::move(whole.voice);
    props_ = asset::PropsOver(whole.props);
    if (out_.members.size() == 1) out_.camera = std::move(whole.motion);
  }

  absl::Status Write() {
    out_.rate_hz = rate_.hz();
    const size_t people = out_.members.size();
    if (Ends(".x3d") && !props_.empty()) {
      Note("props are left out of .x3d");
      props_.clear();
    }
    for (const std::string& fault : AddProps(props_, {}, folder_.get(), out_)) Note(fault);
    const x3d::X3dOptions x3d = {
        .version = options_.hanim == 1 ? x3d::HAnimVersion::k1 : x3d::HAnimVersion::k2,
        .frames = options_.frames};
    const auto written = WriteSceneFile(out_, options_.out, {options_.overwrite, x3d}, console_);
    if (!written.ok()) return written.status();
    size_t points = 0, nodes = 0, shapes = 0;
    for (size_t i = 0; i < people; ++i) {
      const Character& c = *out_.members[i].character;
      points += c.points();
      nodes += c.nodes.size();
      for (const character::Mesh& mesh : c.meshes) shapes += mesh.shapes.size();
    }
    console_.out << options_.out << ": ";
    if (people > 1) console_.out << people << " characters, ";
    console_.out << points << " points, " << nodes << " joints and nodes, " << shapes
                 << " blend shapes";
    if (!props_.empty()) console_.out << ", " << props_.size() << " props";
    if (out_.members[0].motion) {
      console_.out << ", " << out_.members[0].motion->times_s.size() << " frames at "
                   << timecode::ToString(rate_) << " a second";
    }
    std::vector<std::string> next;
    if (written->pictures > 0) next.push_back(absl::StrCat(written->pictures, " pictures"));
    if (written->voices == 1) next.emplace_back("a voice");
    if (written->voices > 1) next.push_back(absl::StrCat(written->voices, " voices"));
    if (!next.empty()) console_.out << "; " << absl::StrJoin(next, " and ") << " next to it";
    console_.out << "\n";
    return absl::OkStatus();
  }

  const ExportOptions& options_;
  const Console& console_;
  skel::RigCatalog catalog_;
  std::map<std::string, std::string> avatars_;     // by the character's name
  std::unique_ptr<prop_file::PropFolder> folder_;  // null: none
  std::vector<asset::SceneProp> props_;
  SceneToWrite out_;
  timecode::FrameRate rate_;
};

}  // namespace

int RunExport(const ExportOptions& options, const Console& console) {
  const absl::Status s = Export(options, console).Run();
  if (s.ok()) return kDone;
  return Fail(console, "export", s, "docs/formats.md lists what is read and what is written.");
}

}  // namespace posewire::animclip
