#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/asset/motion.h"
#include "libs/character/scene.h"
#include "libs/character_file/scene_models.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/scene_file.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/files/file.h"
#include "libs/formats/npz/column_map.h"
#include "libs/recording/clip_reader.h"
#include "libs/retarget/change_shapes.h"
#include "libs/retarget/retarget.h"
#include "libs/shapes/shape_set.h"
#include "libs/skel/body.h"
#include "libs/timecode/frame_rate.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/open_clip.h"
#include "tools/animclip/part_files.h"
#include "tools/animclip/rig_change.h"
#include "tools/animclip/rig_choice.h"
#include "tools/animclip/scene_output.h"

namespace posewire::animclip {
namespace {

using nvidia_ace::animation_data::v1::AnimationDataStream;

bool SetsIds(const ConvertOptions& o) {
  return o.request_id || o.stream_id || o.target_id || o.source_id;
}

absl::Status CheckIds(const ConvertOptions& o) {
  const struct {
    const char* flag;
    const std::optional<std::string>& value;
  } ids[] = {{"--request-id", o.request_id},
             {"--stream-id", o.stream_id},
             {"--target-id", o.target_id},
             {"--source-id", o.source_id}};
  for (const auto& id : ids) {
    if (!id.value || id.value->empty()) continue;
    if (absl::Status s = wire::CheckId(id.flag, *id.value); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void SetIds(const ConvertOptions& o, AnimationDataStream* message) {
  if (!message->has_animation_data_stream_header()) return;
  auto& header = *message->mutable_animation_data_stream_header();
  if (o.request_id) header.mutable_animation_ids()->set_request_id(*o.request_id);
  if (o.stream_id) header.mutable_animation_ids()->set_stream_id(*o.stream_id);
  if (o.target_id) header.mutable_animation_ids()->set_target_object_id(*o.target_id);
  if (o.source_id) header.set_source_service_id(*o.source_id);
}

// Leaves the bytes of a message unchanged if no option affects it.
absl::Status Change(const ConvertOptions& o, RigChange* rig, int64_t index,
                    wire::MessageBytes* bytes) {
  const bool sets_ids = index == 0 && SetsIds(o);
  if (!sets_ids && rig == nullptr) return absl::OkStatus();
  AnimationDataStream message;
  if (!message.ParseFromString(**bytes)) {
    return absl::DataLossError(absl::StrCat("message ", index, " is no animation data"));
  }
  if (sets_ids) SetIds(o, &message);
  if (rig != nullptr) {
    if (absl::Status s = rig->Apply(&message); !s.ok()) return s;
  }
  *bytes = std::make_shared<const std::string>(message.SerializeAsString());
  return absl::OkStatus();
}

// Returns whether the clip has a skeleton that is not one of the rigs.
absl::StatusOr<bool> OnForeign(const std::string& path, const clipio::OpenOptions& read,
                               const skel::RigCatalog& rigs) {
  if (IsReadOnce(path)) return false;
  auto clip = clipio::OpenClip(path, read);
  if (!clip.ok()) return clip.status();
  if (const auto first = (*clip)->Next(); !first.ok()) return first.status();
  return (*clip)->moves_nodes() || retarget::IsForeign((*clip)->skeleton().get(), rigs);
}

absl::StatusOr<clipio::OpenOptions> ReadOptionsOf(const ConvertOptions& options) {
  clipio::OpenOptions read;
  read.outside_skel_root = options.outside_skel_root;
  if (options.columns) {
    auto columns = npz::ColumnMap::Read(*options.columns);
    if (!columns.ok()) return columns.status();
    read.columns = std::make_shared<const npz::ColumnMap>(*std::move(columns));
  }
  if (options.fps) {
    auto fps = timecode::ParseFrameRate(*options.fps);
    if (!fps.ok())
      return absl::InvalidArgumentError(absl::StrCat("--fps: ", fps.status().message()));
    read.fps = *fps;
  }
  return read;
}

// Options that change a clip, which a scene does not have.
bool ChangesClip(const ConvertOptions& o) {
  return SetsIds(o) || o.rig || o.shapes || o.columns || o.fps || o.split_usd ||
         o.value_clips_s != 0;
}

// Writes the motion of a scene without surfaces.
absl::Status ConvertClips(const ConvertOptions& options, clipio::Format format,
                          clipio::LoadedScene& scene, const Console& console) {
  VoiceFiles sounds(options.out, console);
  for (size_t i = 0; i < scene.clips.size(); ++i) {
    if (format != clipio::Format::kUsda) break;
    auto voice = sounds.Add(scene.voices[i], scene.clips[i].character.name);
    if (!voice.ok()) return voice.status();
    scene.clips[i].motion.voice = *std::move(voice);
  }
  if (format != clipio::Format::kUsda) {
    const auto voice = sounds.Add(clipio::Mixed(scene.voices), "");
    if (!voice.ok()) return voice.status();
  }
  auto part = PartFile::Of(options.out, PartFile::kBehind, console.parts);
  if (!part.ok()) return part.status();
  auto file = files::File::Open(part->path(), files::File::Mode::kReplace);
  if (!file.ok()) return file.status();
  absl::Status status = clipio::WriteScene(
      scene, format, [&](absl::string_view bytes) { return (*file)->Write(bytes); });
  if (status.ok()) status = (*file)->Sync();
  status.Update((*file)->Close());
  if (status.ok()) status = sounds.Finish(options.overwrite);
  return status.ok() ? part->MoveToPlace() : status;
}

// Writes a scene with the surfaces that its file has.
absl::Status ConvertModels(const ConvertOptions& options, clipio::LoadedScene& scene,
                           character::SceneModels models, const Console& console) {
  SceneToWrite out;
  for (size_t i = 0; i < models.characters.size() && i < scene.clips.size(); ++i) {
    character::SceneModels::Model& model = models.characters[i];
    SceneToWrite::Member& to = out.members.emplace_back();
    to.name = scene.clips[i].character.name;
    to.place = TrsOf(scene.clips[i].character.place);
    to.character = std::make_shared<character::Character>(std::move(model.character));
    to.motion = std::move(model.motion);
    to.voice = std::move(scene.voices[i]);
  }
  const double hz = 1 / asset::EvenKeysOf(out.members[0].motion->times_s).clock.frame_s();
  out.rate_hz = std::fabs(hz - std::round(hz)) < 1e-6 ? std::round(hz) : hz;
  out.camera = std::move(scene.clips[0].motion);
  AddProps(scene.props, models.props, nullptr, out);
  if (!models.scenery.meshes.empty()) {
    out.members.push_back(
        {.name = "scenery",
         .character = std::make_shared<character::Character>(std::move(models.scenery))});
  }
  const auto written = WriteSceneFile(out, options.out, {.overwrite = options.overwrite}, console);
  return written.status();
}

struct SceneConversion {
  size_t characters = 0;
  std::vector<std::string> warnings;
};

// Writes all characters of a scene. Nothing: the file is a clip, or is to be written as one.
// Errors: those of OpenScene, LoadScene, OpenSceneModels and of writing.
absl::StatusOr<std::optional<SceneConversion>> ConvertScene(const ConvertOptions& options,
                                                            const Console& console) {
  const auto format = clipio::FormatOf(options.out, clipio::FormatUse::kWrite);
  if (!format.ok() || options.out == "-" || IsReadOnce(options.in)) return std::nullopt;
  clipio::OpenOptions read;
  read.outside_skel_root = options.outside_skel_root;
  const auto listed = clipio::OpenScene(options.in, read);
  if (listed.ok() && listed->characters.size() < 2) return std::nullopt;
  if (!clipio::WritesScenes(*format) || ChangesClip(options)) {
    // Other faults are reported when the file is read as a clip.
    if (!listed.ok() && !absl::IsResourceExhausted(listed.status())) return std::nullopt;
    Warn(console,
         {absl::StrCat(listed.ok() ? absl::StrCat(options.in, ": has ", listed->characters.size(),
                                                  " characters")
                                   : std::string(listed.status().message()),
                       "; the first animation is converted alone, because ",
                       ChangesClip(options) ? "of the flags" : "the format holds one character")});
    return std::nullopt;
  }
  if (!listed.ok()) return listed.status();
  auto scene = clipio::LoadScene(options.in, read);
  if (!scene.ok()) return scene.status();
  // A recording has no surfaces.
  character::SceneModels models;
  if (clipio::FormatOf(options.in).value_or(clipio::Format::kAnimData) !=
      clipio::Format::kAnimData) {
    auto read_models = character_file::OpenSceneModels(options.in, options.outside_skel_root);
    if (!read_models.ok()) return read_models.status();
    models = *std::move(read_models);
  }
  SceneConversion out;
  out.characters = scene->clips.size();
  const bool shown = models.shows_characters();
  for (const std::string& warning : scene->warnings) {
    // Scenery is not sent, but it is written.
    if (!shown || !absl::StrContains(warning, "are scenery")) out.warnings.push_back(warning);
  }
  const absl::Status status = shown ? ConvertModels(options, *scene, std::move(models), console)
                                    : ConvertClips(options, *format, *scene, console);
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<int64_t> ConvertFile(const ConvertOptions& options, const Console& console,
                                    std::vector<std::string>* sidecars) {
  if (absl::Status s = CheckIds(options); !s.ok()) return s;
  absl::StatusOr<clipio::OpenOptions> read = ReadOptionsOf(options);
  if (!read.ok()) return read.status();
  std::shared_ptr<const skel::Rig> target;
  retarget::RetargetOptions retarget;
  absl::StatusOr<skel::RigCatalog> rigs = skel::RigCatalog::Builtin("arkit68");
  if (options.rig) {
    if (!rigs.ok()) return rigs.status();
    if (options.rest) {
      auto skeleton = clipio::ReadSkeleton(*options.rest);
      if (!skeleton.ok()) return skeleton.status();
      retarget.rest = *std::move(skeleton);
    }
    if (options.map) {
      auto joints = retarget::JointMap::Read(*options.map);
      if (!joints.ok()) return joints.status();
      retarget.map = std::make_shared<const retarget::JointMap>(*std::move(joints));
    }
    if (options.up != "auto") retarget.upright = skel::UprightFrom(options.up);
    if (!options.unit.empty()) retarget.unit_m = skel::LengthOfUnit(options.unit);
    const absl::StatusOr<bool> foreign = retarget.rest != nullptr || retarget.map != nullptr
                                             ? true
                                             : OnForeign(options.in, *read, *rigs);
    if (!foreign.ok()) return foreign.status();
    if (*foreign) {
      auto chosen = ChooseRig(*options.rig, {}, *rigs);
      if (!chosen.ok()) return chosen.status();
      target = *std::move(chosen);
    }
  }
  std::optional<RigChange> rig;
  if (options.rig && target == nullptr) {
    if (IsReadOnce(options.in)) {
      return absl::InvalidArgumentError(
          "standard input and pipes cannot be read twice, as --rig needs it");
    }
    absl::StatusOr<RigChange> change = RigChange::Open(options.in, *options.rig, console);
    if (!change.ok()) return change.status();
    rig.emplace(*std::move(change));
  }
  auto input = animclip::OpenClip(options.in, *read);
  if (!input.ok()) return input.status();
  if (target != nullptr)
    *input = retarget::Retarget(*std::move(input), target, *rigs, std::move(retarget));
  if (options.shapes) {
    if (absl::Status s = shapes::CheckSetName(*options.shapes); !s.ok()) return s;
    if (rig) {
      return absl::InvalidArgumentError(
          "--shapes and --rig are two steps for a clip of a known rig: convert it to the rig "
          "first");
    }
    *input = retarget::ChangeShapes(*std::move(input),
                                    retarget::StreamShapes(*shapes::FindSet(*options.shapes)));
  }
  absl::StatusOr<ClipOutput> output = ClipOutput::Create(options.out, console.parts,
                                                         {.overwrite = options.overwrite,
                                                          .split_usd = options.split_usd,
                                                          .value_clips_s = options.value_clips_s});
  if (!output.ok()) return output.status();
  ProgressBar progress(console, "converting", (*input)->size());
  int64_t count = 0;
  for (;; ++count) {
    absl::StatusOr<wire::MessageBytes> bytes = (*input)->NextBytes();
    if (!bytes.ok()) return bytes.status();
    if (*bytes == nullptr) break;
    if (absl::Status s = Change(options, rig ? &*rig : nullptr, count, &*bytes); !s.ok()) return s;
    if (absl::Status s = output->Write(**bytes); !s.ok()) return s;
    progress.At((*input)->end_of_last());
  }
  Warn(console, (*input)->warnings());
  if (count == 0) {
    return absl::InvalidArgumentError(absl::StrCat("\"", options.in, "\" has no message"));
  }
  if (absl::Status s = output->Finish(); !s.ok()) return s;
  *sidecars = output->sidecars();
  return count;
}

// A VRM animation uses VRM's bones, so a clip on a skeleton of its own is retargeted to them.
absl::StatusOr<ConvertOptions> WithRigOfVrma(ConvertOptions options) {
  if (options.rig || !absl::EndsWithIgnoreCase(options.out, ".vrma")) return options;
  if (options.columns) {
    options.rig = "vrm";
    return options;
  }
  const absl::StatusOr<skel::RigCatalog> rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  const absl::StatusOr<clipio::OpenOptions> read = ReadOptionsOf(options);
  if (!read.ok()) return read.status();
  const absl::StatusOr<bool> foreign = OnForeign(options.in, *read, *rigs);
  if (!foreign.ok()) return foreign.status();
  if (*foreign) options.rig = "vrm";
  return options;
}

}  // namespace

int RunConvert(const ConvertOptions& options, const Console& console) {
  const absl::StatusOr<std::optional<SceneConversion>> characters = ConvertScene(options, console);
  if (characters.ok() && *characters) {
    Warn(console, (*characters)->warnings);
    Report(console, options.out) << options.out << ": " << (*characters)->characters
                                 << " characters\n";
    return kDone;
  }
  std::vector<std::string> sidecars;
  absl::StatusOr<int64_t> count = int64_t{0};
  if (!characters.ok()) {
    count = characters.status();
  } else {
    const absl::StatusOr<ConvertOptions> with_rig = WithRigOfVrma(options);
    count = with_rig.ok() ? ConvertFile(*with_rig, console, &sidecars)
                          : absl::StatusOr<int64_t>(with_rig.status());
  }
  if (!count.ok()) {
    std::string next_step;
    if (absl::IsDataLoss(count.status())) {
      next_step = "Keep what is whole: animclip recover IN OUT";
    } else if (!clipio::FormatOf(options.in).ok() || !clipio::FormatOf(options.out).ok()) {
      next_step = absl::StrCat("Formats are by the name's ending. Read are ",
                               clipio::FormatEndings(clipio::FormatUse::kRead), "; written are ",
                               clipio::FormatEndings(clipio::FormatUse::kWrite), ".");
    }
    return Fail(console, options.command, count.status(), next_step);
  }
  Report(console, options.out) << options.out << ": " << *count << " messages"
                               << (sidecars.empty() ? "" : ", and ")
                               << absl::StrJoin(sidecars, ", ") << "\n";
  return kDone;
}

}  // namespace posewire::animclip
