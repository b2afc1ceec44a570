#include "libs/clipio/open_clip.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/asset/file.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/format_table.h"
#include "libs/files/read.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/recording/voice_beside.h"

namespace posewire::clipio {

absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(const std::string& path,
                                                                const asset::ReadOptions& options) {
  const absl::StatusOr<asset::Format> format =
      options.format               ? absl::StatusOr<asset::Format>(*options.format)
      : options.columns != nullptr ? asset::Format::kJointTable
      : usd::IsStageName(path)     ? asset::Format::kUsda
                                   : FormatOf(path);
  if (!format.ok()) return format.status();
  auto file = options.may_be_pipe ? asset::File::OpenMaybePipe(path, options.stopped)
                                  : asset::File::Open(path, asset::File::Mode::kRead);
  if (!file.ok()) return file.status();
  asset::ReadOptions known = options;
  known.format = *format;
  if (known.beside == nullptr) {
    known.beside = [path, most = options.max_json_bytes](const std::string& name) {
      return files::ReadNamed(path, name, most);
    };
  }
  absl::StatusOr<std::unique_ptr<recording::ClipReader>> clip = OpenClip(*std::move(file), known);
  const std::optional<std::string> wav =
      RowOf(*format).voice_beside ? recording::VoiceBeside(path) : std::nullopt;
  if (!clip.ok() || !wav) return clip;
  // Nobody asked for it: it may lie there for another reason, and never breaks the clip.
  auto voice = asset::File::Open(*wav, asset::File::Mode::kRead);
  absl::Status fault = voice.status();
  if (voice.ok()) fault = recording::AddVoice(*std::move(voice), &*clip);
  if (!fault.ok()) (*clip)->Warn(absl::StrCat(fault.message(), "; going on without a voice"));
  return clip;
}

absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    std::unique_ptr<asset::ByteSource> source, const asset::ReadOptions& options) {
  const absl::StatusOr<asset::Format> format =
      options.format ? absl::StatusOr<asset::Format>(*options.format) : FormatOf(source->name());
  if (!format.ok()) return format.status();
  const std::string name = source->name();
  std::unique_ptr<recording::ClipReader> clip = RowOf(*format).open(std::move(source), options);
  if (options.fps && !RowOf(*format).takes_fps) {
    clip->Warn(absl::StrCat(
        name,
        ": has times of its own; --fps, which is for .bvh and Live Link Face's .csv, is left "
        "aside"));
  }
  return clip;
}

}  // namespace posewire::clipio
