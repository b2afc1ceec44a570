// `a2f_source play`: plays a clip file.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/asset/scene.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/skel/body.h"
#include "libs/timecode/smpte.h"
#include "libs/wire/frame_reader.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/core/play_source.h"
#include "services/a2f_source/core/skip_to.h"
#include "services/a2f_source/request/run_request.h"
#include "services/a2f_source/request/run_scene.h"

namespace posewire::a2f_source {
namespace {

// Of a scene that starts over.
constexpr double kScenePause_s = 1.0 / 30;

bool IsStage(const std::string& path) {
  const absl::StatusOr<clipio::Format> format = clipio::FormatOf(path);
  return usd::IsStageName(path) || (format.ok() && *format == clipio::Format::kUsda);
}

absl::Status CheckTarget(absl::string_view text) {
  const size_t split = text.rfind('=');
  if (split != absl::string_view::npos && split > 0) {
    return wire::CheckId("the id", text.substr(split + 1));
  }
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not of the form CHARACTER=ID"));
}

absl::Status CheckTime(absl::string_view text) {
  if (absl::StrContains(text, ':')) return absl::OkStatus();  // at the clip's rate
  return timecode::ParseTime(text, std::nullopt).status();
}

// Each field is a flag, an environment variable and a config key; see --help.
struct PlayCommand : service::Command {
  explicit PlayCommand(const SourceSettings& source)
      : Command("play", "Plays a clip file.", {"a2f_source play take.animdata --loop"}),
        source(source) {}

  std::string file;  // FILE
  std::string prim;  // of a stage
  bool outside_skel_root = false;
  std::string rig = "hanim_loa3", rest, map, up = "auto", unit;
  std::string from = "0";  // start position, in the form of TimeInClip
  bool identify = true;
  std::vector<std::string> targets;  // CHARACTER=ID
  const SourceSettings& source;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;

 private:
  // Returns the scene if the characters of the file are to be played together. Errors: those of
  // clipio::OpenScene.
  absl::StatusOr<std::optional<asset::Scene>> SceneOf(service::Process& process,
                                                      const service::Logger& log) const;
  int RunCharacters(const asset::Scene& scene, service::Process& process,
                    const service::Logger& log) const;
  // Returns the target of each character. INVALID_ARGUMENT for a mapping of unknown names.
  absl::StatusOr<std::vector<std::string>> TargetsOf(const asset::Scene& scene) const;
  absl::StatusOr<std::unique_ptr<Source>> Open(std::function<bool()> stopped,
                                               std::optional<size_t> character = {},
                                               double scene_s = 0) const;
  absl::Status FindRigs(PlayOptions& options) const;
};

void PlayCommand::Declare(service::Flags& flags) {
  flags.OnlyFor({name});
  flags.AddPositional(name, "FILE", &file,
                      absl::StrCat("Clip: ", clipio::FormatEndings(clipio::FormatUse::kRead),
                                   ", - for standard input."),
                      {.required = true});
  flags.AddCheck([this] {
    if (!source.loop || source.out.empty() || source.out == "-") return absl::OkStatus();
    return absl::InvalidArgumentError("--loop: never ends, and --out would fill the disk");
  });
  flags.Group("How it is sent");
  flags.Add("prim", &prim,
            "Animation to play. In a USD stage: the path of its prim, or of one that binds a "
            "skeleton to it; the first that moves a skeleton unless given. In a glTF file: its "
            "name or number.",
            {.value_name = "PATH|NAME"});
  flags.Add("outside-skel-root", &outside_skel_root,
            "Plays skeletons of a USD stage that are bound outside a SkelRoot too.");
  flags.Add("target", &targets,
            "Avatar that plays a character of a scene; the character's name unless "
            "given. May be said for several.",
            {.value_name = "CHARACTER=ID", .check = CheckTarget});
  flags.Add(
      "rig", &rig,
      "Rig that a clip on a skeleton of its own (BVH, USD, glTF, X3D) is carried over to; none: it "
      "is sent on its own.",
      {.value_name = "NAME|FILE|none"});
  flags.Add(
      "rest", &rest,
      "File with the clip's skeleton at rest (.glb, .vrm, .usda, .bvh), for a clip without one.",
      {.value_name = "FILE"});
  flags.Add("map", &map,
            "File of lines JOINT = BONE, for a clip whose joint names are not recognised.",
            {.value_name = "FILE"});
  flags.Add("up", &up,
            "Axis of the clip that is up (x, y, z, -x, -y, -z); auto: the one along which its "
            "skeleton stands at rest.",
            {.value_name = "AXIS", .check = skel::CheckUp});
  flags.Add("unit", &unit,
            "Unit of length of the clip: m, cm, mm, in, ft, or metres as a number. Default: chosen "
            "so that its skeleton has a person's height.",
            {.value_name = "UNIT", .check = skel::CheckUnit});
  flags.Add(
      "identify", &identify,
      "Says with each message which clip it is of, and where in it, so that renderers can add "
      "its offsets. Without, messages are those of the file to the byte.");
  flags.Add("from", &from,
            "Where in the clip to begin: seconds, or HH:MM:SS:FF at its rate (HH:MM:SS;FF is "
            "drop-frame).",
            {.value_name = "TIME", .check = CheckTime});
}

int PlayCommand::Run(service::Process& process, const service::Logger& log) {
  const absl::StatusOr<std::optional<asset::Scene>> scene = SceneOf(process, log);
  if (!scene.ok()) return service::FailToStart(log, scene.status());
  if (*scene) return RunCharacters(**scene, process, log);
  PullRegistry room(log);
  const auto host = StartPullHost(source, &room, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  return RunRequest(
      source, [this](std::function<bool()> stopped) { return Open(std::move(stopped)); },
      host->get(), process, log);
}

absl::StatusOr<std::optional<asset::Scene>> PlayCommand::SceneOf(service::Process& process,
                                                                 const service::Logger& log) const {
  // In a glTF file, --prim names an animation, which may move all of them.
  const bool one_prim = !prim.empty() && IsStage(file);
  const std::string flag = one_prim                      ? "--prim"
                           : !source.target_id.empty()   ? "--target-id"
                           : !source.out.empty()         ? "--out"
                           : !source.grpc.listen.empty() ? "--listen"
                                                         : "";
  clipio::OpenOptions options;
  options.prim = prim;
  options.outside_skel_root = outside_skel_root;
  options.stopped = [&process] { return process.StopRequested(); };
  absl::StatusOr<asset::Scene> scene = clipio::OpenScene(file, options);
  if (!scene.ok()) {
    // One character may be played of a scene with too many, and other faults are reported when the
    // clip is opened.
    if (!flag.empty() || absl::IsCancelled(scene.status())) return std::nullopt;
    return scene.status();
  }
  const auto note = [&](const std::string& text) { log.Warning("note", {{"text", text}}); };
  const size_t count = scene->characters.size();
  if (count < 2) {
    if (!targets.empty()) note("--target is for files with several characters, and is ignored");
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const asset::SceneCharacter& character : scene->characters) names.push_back(character.name);
  const std::string have =
      absl::StrCat(file, ": has ", count, " characters, ", absl::StrJoin(names, ", "), "; ");
  if (flag == "--prim") return std::nullopt;
  if (!flag.empty()) {
    note(absl::StrCat(have, "plays the first animation alone, because of ", flag));
    return std::nullopt;
  }
  note(absl::StrCat(
      have,
      targets.empty() ? "each is played to the target of its name" : "each is played to its target",
      " (--target CHARACTER=ID changes one; --target-id plays one alone)"));
  for (const std::string& warning : scene->warnings) note(absl::StrCat(file, ": ", warning));
  return std::optional<asset::Scene>(*std::move(scene));
}

absl::StatusOr<std::vector<std::string>> PlayCommand::TargetsOf(const asset::Scene& scene) const {
  std::vector<std::string> out;
  for (const asset::SceneCharacter& character : scene.characters) out.push_back(character.name);
  for (const std::string& mapping : targets) {
    const size_t split = mapping.rfind('=');
    const std::string name = mapping.substr(0, split);
    const auto named = std::find_if(scene.characters.begin(), scene.characters.end(),
                                    [&](const auto& character) { return character.name == name; });
    if (named == scene.characters.end()) {
      return absl::InvalidArgumentError(absl::StrCat("--target: there is no character \"", name,
                                                     "\"; there are ", absl::StrJoin(out, ", ")));
    }
    out[static_cast<size_t>(named - scene.characters.begin())] = mapping.substr(split + 1);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(i), out[i]) ==
        out.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("--target: two characters have the target \"", out[i], "\""));
  }
  return out;
}

int PlayCommand::RunCharacters(const asset::Scene& scene, service::Process& process,
                               const service::Logger& log) const {
  const auto ids = TargetsOf(scene);
  if (!ids.ok()) return service::FailToStart(log, ids.status());
  std::vector<SceneRequest> requests;
  for (size_t i = 0; i < scene.characters.size(); ++i) {
    auto opened = Open([&process] { return process.StopRequested(); }, i, scene.last_s);
    if (!opened.ok()) return service::FailToStart(log, opened.status());
    requests.push_back({(*ids)[i], scene.characters[i].place, *std::move(opened)});
  }
  return RunScene(source, std::move(requests), process, log);
}

absl::StatusOr<std::unique_ptr<Source>> PlayCommand::Open(std::function<bool()> stopped,
                                                          std::optional<size_t> character,
                                                          double scene_s) const {
  std::optional<timecode::FrameRate> fps;
  if (!source.fps.empty()) fps = source.Fps();
  const absl::StatusOr<double> from_s = TimeInClip(from, file, stopped, fps);
  if (!from_s.ok()) {
    return absl::Status(from_s.status().code(),
                        absl::StrCat("--from: ", from_s.status().message()));
  }
  PlayOptions options{.loop = source.loop, .from_s = *from_s, .fps = fps, .prim = prim};
  options.outside_skel_root = outside_skel_root;
  options.stopped = std::move(stopped);
  options.identify = identify;
  options.character = character;
  if (character) options.loop_s = std::max(scene_s - *from_s, 0.0) + kScenePause_s;
  if (absl::Status s = FindRigs(options); !s.ok()) return s;
  return PlaySource::Open(file, options);
}

// Finds a built-in rig by its name, or else reads a rig file.
absl::Status PlayCommand::FindRigs(PlayOptions& options) const {
  if (rig == "none") {
    if (map.empty() && rest.empty() && up == "auto" && unit.empty()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "--map, --rest, --up and --unit say how a clip is carried over to a rig, and --rig is "
        "none");
  }
  auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  options.rigs = *std::move(rigs);
  auto found = options.rigs.Find(rig);
  if (!found.ok() && absl::StrContains(rig, '.')) found = clipio::ReadSkeleton(rig);
  if (!found.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--rig: ", found.status().message()));
  }
  options.rig = *std::move(found);
  if (up != "auto") options.retarget.upright = skel::UprightFrom(up);
  if (!unit.empty()) options.retarget.unit_m = skel::LengthOfUnit(unit);
  if (!map.empty()) {
    auto joints = retarget::JointMap::Read(map);
    if (!joints.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--map: ", joints.status().message()));
    }
    options.retarget.map = std::make_shared<const retarget::JointMap>(*std::move(joints));
  }
  if (rest.empty()) return absl::OkStatus();
  auto skeleton = clipio::ReadSkeleton(rest);
  if (!skeleton.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--rest: ", skeleton.status().message()));
  }
  options.retarget.rest = *std::move(skeleton);
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<service::Command> MakePlay(const SourceSettings& source) {
  return std::make_unique<PlayCommand>(source);
}

}  // namespace posewire::a2f_source
