#include "libs/clipio/open_clip.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/format_table.h"
#include "libs/files/file.h"
#include "libs/files/read.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/recording/motion_clip.h"

namespace posewire::clipio {
namespace {

// Returns the format of a source whose name suggests `named`. Does not look into a pipe, which can
// be read only once.
absl::StatusOr<Format> LookInto(files::ByteSource& source, Format named) {
  const auto rows = Formats();
  const bool told = std::any_of(rows.begin(), rows.end(),
                                [&](const FormatRow& row) { return row.told_from == named; });
  if (!told || source.Size() == 0) return named;
  const absl::StatusOr<std::string> bytes = files::ReadBytes(source, 0, kMostTold);
  if (!bytes.ok()) return bytes.status();
  return FormatWithin(named, *bytes);
}

// For "walk.bvh", returns "walk.wav" if there is one, or else the "out.wav" that Audio2Face's
// client writes next to its "animation_frames.csv". The user did not ask for it and it may be
// unrelated, so it never breaks the clip.
std::optional<std::string> VoiceNextTo(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  const size_t stem = StemLength(path);
  if (stem == path.size()) return std::nullopt;
  const std::string same = absl::StrCat(path.substr(0, stem), ".wav");
  if (::access(same.c_str(), R_OK) == 0) return same;
  const std::string out = absl::StrCat(path.substr(0, name), "out.wav");
  const bool of_client = absl::string_view(path).substr(name) == "animation_frames.csv";
  return of_client && ::access(out.c_str(), R_OK) == 0 ? std::optional(out) : std::nullopt;
}

// `voice`: the path of a WAV next to the file, if there is one.
std::unique_ptr<recording::ClipReader> Reader(std::unique_ptr<files::ByteSource> source,
                                              Format format, const OpenOptions& options,
                                              const std::optional<std::string>& voice) {
  const std::string name = source->name();
  const FormatRow& row = RowOf(format);
  std::unique_ptr<recording::ClipReader> clip;
  if (row.motion != nullptr) {
    auto motion = std::make_unique<recording::MotionClip>(row.motion(std::move(source), options));
    if (voice) motion->AddVoice(files::File::Open(*voice, files::File::Mode::kRead));
    clip = std::move(motion);
  } else {
    clip = row.open(std::move(source), options);
  }
  clip->set_limits(options.limits);
  if (options.fps && !row.takes_fps) {
    clip->Warn(absl::StrCat(name,
                            ": has its own times; --fps is ignored, because it is for .bvh, "
                            ".a2f.json and Live Link Face's .csv"));
  }
  return clip;
}

}  // namespace

absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(const std::string& path,
                                                                const OpenOptions& options,
                                                                Format* found) {
  absl::StatusOr<Format> format = options.format ? absl::StatusOr<Format>(*options.format)
                                  : options.columns != nullptr ? Format::kJointTable
                                  : usd::IsStageName(path)     ? Format::kUsda
                                                               : FormatOf(path);
  if (!format.ok()) return format.status();
  auto file = options.may_be_pipe ? files::File::OpenMaybePipe(path, options.stopped)
                                  : files::File::Open(path, files::File::Mode::kRead);
  if (!file.ok()) return file.status();
  if (!options.format && path != "-") format = LookInto(**file, *format);
  if (!format.ok()) return format.status();
  if (found != nullptr) *found = *format;
  OpenOptions known = options;
  if (known.sidecar == nullptr) {
    known.sidecar = [path, most = options.max_json_bytes](const std::string& name) {
      return files::ReadNamed(path, name, most);
    };
  }
  // In a scene, it has the voices of all.
  const bool lead = options.character.value_or(0) == 0;
  return Reader(*std::move(file), *format, known, lead ? VoiceNextTo(path) : std::nullopt);
}

absl::StatusOr<asset::Scene> OpenScene(const std::string& path, const OpenOptions& options) {
  if (path == "-") return asset::Scene();
  OpenOptions known = options;
  if (!known.format && usd::IsStageName(path)) known.format = Format::kUsda;
  const absl::StatusOr<Format> format =
      known.format ? absl::StatusOr<Format>(*known.format) : FormatOf(path);
  if (!format.ok()) return format.status();
  if (RowOf(*format).scene == nullptr) return asset::Scene();
  auto file = files::File::Open(path, files::File::Mode::kRead);
  if (!file.ok()) return file.status();
  if ((*file)->Size() == 0) return asset::Scene();  // a pipe, or an empty file
  known.format = *format;
  if (known.sidecar == nullptr) {
    known.sidecar = [path, most = options.max_json_bytes](const std::string& name) {
      return files::ReadNamed(path, name, most);
    };
  }
  return OpenScene(*std::move(file), known);
}

absl::StatusOr<asset::Scene> OpenScene(std::unique_ptr<files::ByteSource> source,
                                       const OpenOptions& options) {
  const std::string name = source->name();
  const absl::StatusOr<Format> format =
      options.format ? absl::StatusOr<Format>(*options.format) : FormatOf(name);
  if (!format.ok()) return format.status();
  if (RowOf(*format).scene == nullptr) return asset::Scene();
  absl::StatusOr<asset::Scene> scene = RowOf(*format).scene(std::move(source), options);
  if (scene.ok()) return scene;
  return absl::Status(scene.status().code(), absl::StrCat(name, ": ", scene.status().message()));
}

absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    std::unique_ptr<files::ByteSource> source, const OpenOptions& options, Format* found) {
  absl::StatusOr<Format> format =
      options.format ? absl::StatusOr<Format>(*options.format) : FormatOf(source->name());
  if (format.ok() && !options.format) format = LookInto(*source, *format);
  if (!format.ok()) return format.status();
  if (found != nullptr) *found = *format;
  return Reader(std::move(source), *format, options, std::nullopt);
}

}  // namespace posewire::clipio
