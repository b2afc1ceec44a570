#include "services/renderer_sink/draw/draw_settings.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/clipio/other_formats.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::renderer_sink {
namespace {

// The only format of characters that is not also one of clips.
bool IsVrm(absl::string_view path) { return absl::EndsWithIgnoreCase(path, ".vrm"); }

}  // namespace

absl::StatusOr<PictureSize> ParsePictureSize(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, 'x');
  PictureSize size;
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &size.width) &&
      absl::SimpleAtoi(parts[1], &size.height) && size.width >= 16 && size.width <= 4096 &&
      size.height >= 16 && size.height <= 4096) {
    return size;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no size such as 640x480, of 16 to 4096 pixels each way"));
}

absl::Status CheckPlace(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder; a file is right"));
  }
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!std::filesystem::is_directory(folder, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": there is no folder ", folder));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, ": cannot write into ", folder, ": ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

void DrawSettings::DeclareCamera(service::Flags& flags) {
  flags.Group("What to view");
  flags.Add(
      "avatar", &avatars,
      "Who is shown: woman, man, or a GLB, VRM, glTF, .usda or .x3d file, or STAGE.usda#NAME, "
      "one character of a scene; woman unless given. ID=WHO: for the stream of that id alone, or, "
      "for view and stream, the avatar of that target id, or where a stream asks for ID; may be "
      "said for several.",
      {.value_name = "WHO", .commands = {"view", "render", "faces", "stream"}});
  flags.AddCheck([this] {
    const absl::StatusOr<AvatarChoice> choice = AvatarChoice::Parse(avatars);
    if (!choice.ok()) {
      return absl::Status(choice.status().code(),
                          absl::StrCat("--avatar: ", choice.status().message()));
    }
    for (const std::string& who : choice->All()) {
      const std::string advice = IsVrm(who) ? "" : clipio::HowToConvert(who);
      if (advice.empty()) continue;
      return absl::InvalidArgumentError(absl::StrCat("--avatar: \"", who, "\": ", advice));
    }
    return absl::OkStatus();
  });
  flags.Add("outside-skel-root", &outside_skel_root,
            "Moves what is bound to skeletons outside a SkelRoot in USD stages too.",
            {.commands = {"view", "render", "faces", "stream"}});
  flags.Group("How to draw");
  flags.Add("camera", &camera,
            "Part of the avatar that is in view; all: all characters of a scene, or avatars of a "
            "stream; shot: as the clip's or stream's own camera sees them. auto: bust; of a scene "
            "shot, or all if it has no camera.",
            {.choices = {"auto", "face", "bust", "body", "all", "shot"},
             .commands = {"render", "stream"}});
  flags.Add("turn", &turn_deg, "Degrees of the camera from the front to the avatar's left.",
            {.value_name = "DEGREES", .min = -180, .max = 180, .commands = {"render", "stream"}});
  flags.Add(
      "size", &size,
      "Pixels of a frame; by camera and kind of picture, and 640x360 for stream, unless given.",
      {.value_name = "WxH",
       .commands = {"render", "faces", "stream"},
       .check = [](absl::string_view text) {
         return text.empty() ? absl::OkStatus() : ParsePictureSize(text).status();
       }});
  flags.Add(
      "fps", &fps, "Frames a second; 30, and 25 for stream, unless given.",
      {.value_name = "RATE", .commands = {"render", "stream"}, .check = [](absl::string_view text) {
         return text.empty() ? absl::OkStatus() : timecode::ParseFrameRate(text).status();
       }});
}

void DrawSettings::DeclareLook(service::Flags& flags) {
  flags.Group("How to draw");
  flags.Add(
      "background", &background,
      "What is behind: a colour #rrggbb, a picture's file, or none for a PNG with alpha; a light "
      "gray, and for view a lit room, unless given.",
      {.value_name = "WHAT", .commands = {"render", "faces", "stream", "view"}});
  flags.Add(
      "props", &props,
      "Folder of props, by which those of the scene are drawn: NAME.glb, or a picture NAME.png, "
      ".jpg or .jpeg as an upright card.",
      {.value_name = "FOLDER", .commands = {"render", "stream", "view"}});
  flags.Add(
      "offsets", &offsets,
      "Offsets from animclip bake, by which a film's character is drawn: a folder, a list (a file "
      "or http:// or https:// address with a name a line), or the file of one clip. render draws a "
      "clip with its own, and a take made with --contributions with those of the clips that it is "
      "made of; none turns off what a configuration says.",
      {.value_name = "WHERE", .secret_url = true, .commands = {"render", "stream", "view"}});
  flags.AddCheck([this, &flags] {
    if (offsets != "none" || flags.command() == "render") return absl::OkStatus();
    return absl::InvalidArgumentError("--offsets none: can be used only with render");
  });
  flags.Add(
      "offsets-mib", &offsets_mib,
      "Memory for offsets, in MiB: what is shown and what comes next; the rest stays where it "
      "is. view divides it among the avatars.",
      {.min = 1, .max = 65536, .commands = {"stream", "view"}});
  flags.Add(
      "offsets-cache", &offsets_cache,
      "Folder in which ranges of offsets from http:// and https:// are kept for the next time; "
      "nothing is kept unless given. Several programs may share it.",
      {.value_name = "DIR", .commands = {"render", "stream", "view"}});
  flags.Add("offsets-cache-mib", &offsets_cache_mib,
            "Most that the folder may have, in MiB; what was not used for the longest time goes "
            "first.",
            {.min = 1, .max = 1 << 20, .commands = {"render", "stream", "view"}});
  flags.Add(
      "subdivide", &subdivide,
      "Refines the character's surface, a level of Catmull-Clark, or two: rounder, and slower. In "
      "view one, where the avatar is large enough and the page keeps up.",
      {.value_name = "[LEVELS]",
       .min = 1,
       .max = 2,
       .alone = "1",
       .commands = {"render", "faces", "stream", "view"}});
  flags.AddCheck([this, &flags] {
    if (subdivide < 2 || flags.command() != "view") return absl::OkStatus();
    return absl::InvalidArgumentError("--subdivide 2: pages draw one level: --subdivide");
  });
  flags.Add("look", &look, "Choices of the avatar's parts, such as hair=long,skin=dark.",
            {.value_name = "PART=CHOICE", .commands = {"render", "faces", "stream"}});
}

std::shared_ptr<RangeCache> DrawSettings::OffsetsCache(const service::Logger& log) const {
  if (offsets_cache.empty()) return nullptr;
  const auto budget = static_cast<uint64_t>(offsets_cache_mib) << 20;
  return std::make_shared<RangeCache>(
      RangeCacheOptions{.folder = offsets_cache, .budget_bytes = budget}, log);
}

CharacterSetOptions DrawSettings::Characters(const std::string& stream_id) const {
  AvatarChoice choice = Avatars();
  const std::string who = choice.Of(stream_id);
  return {.avatars = std::move(choice),
          .who = who,
          .outside_skel_root = outside_skel_root,
          .look = look,
          .camera = camera == "all"                        ? "body"
                    : camera == "face" || camera == "body" ? camera
                                                           : "bust",
          .turn_deg = turn_deg,
          .background = background.empty() ? "#dbe0e6" : background,
          .keep_background = !background.empty(),
          .subdivide = subdivide,
          .props = props};
}

}  // namespace posewire::renderer_sink
