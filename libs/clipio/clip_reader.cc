#include "libs/clipio/clip_reader.h"

#include <google/protobuf/wire_format_lite.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/file.h"
#include "libs/clipio/format_table.h"
#include "libs/clipio/voice_beside.h"
#include "libs/files/read.h"
#include "libs/formats/usd/usdcat.h"

namespace posewire::clipio {

absl::StatusOr<std::unique_ptr<ClipReader>> ClipReader::Open(const std::string& path,
                                                             const asset::ReadOptions& options) {
  const absl::StatusOr<asset::Format> format =
      options.format               ? absl::StatusOr<asset::Format>(*options.format)
      : options.columns != nullptr ? asset::Format::kJointTable
      : usd::IsStageName(path)     ? asset::Format::kUsda
                                   : FormatOf(path);
  if (!format.ok()) return format.status();
  auto file = options.may_be_pipe ? File::OpenMaybePipe(path, options.stopped)
                                  : File::Open(path, File::Mode::kRead);
  if (!file.ok()) return file.status();
  asset::ReadOptions known = options;
  known.format = *format;
  if (known.beside == nullptr) {
    known.beside = [path, most = options.max_json_bytes](const std::string& name) {
      return files::ReadNamed(path, name, most);
    };
  }
  absl::StatusOr<std::unique_ptr<ClipReader>> clip = Open(*std::move(file), known);
  const std::optional<std::string> wav =
      RowOf(*format).voice_beside ? VoiceBeside(path) : std::nullopt;
  if (!clip.ok() || !wav) return clip;
  // Nobody asked for it: it may lie there for another reason, and never breaks the clip.
  auto voice = File::Open(*wav, File::Mode::kRead);
  absl::Status fault = voice.status();
  if (voice.ok()) fault = AddVoice(*std::move(voice), &*clip);
  if (!fault.ok()) (*clip)->Warn(absl::StrCat(fault.message(), "; going on without a voice"));
  return clip;
}

void ClipReader::Warn(absl::string_view what) {
  if (!what.empty()) warnings_.emplace_back(what);
}

absl::StatusOr<std::unique_ptr<ClipReader>> ClipReader::Open(
    std::unique_ptr<asset::ByteSource> source, const asset::ReadOptions& options) {
  const absl::StatusOr<asset::Format> format =
      options.format ? absl::StatusOr<asset::Format>(*options.format) : FormatOf(source->name());
  if (!format.ok()) return format.status();
  const std::string name = source->name();
  std::unique_ptr<ClipReader> clip = RowOf(*format).open(std::move(source), options);
  if (options.fps && *format != asset::Format::kBvh && *format != asset::Format::kFaceCsv) {
    clip->warnings_.push_back(absl::StrCat(
        name,
        ": has times of its own; --fps, which is for .bvh and Live Link Face's .csv, is left "
        "aside"));
  }
  return clip;
}

namespace {

bool IsData(const ClipReader::Message& message) { return message.has_animation_data(); }
// The part of an AnimationDataStream is all that is in it, and its tag comes first.
bool IsData(const std::string& bytes) {
  using Internal = google::protobuf::internal::WireFormatLite;
  return !bytes.empty() && static_cast<uint8_t>(bytes[0]) ==
                               Internal::MakeTag(ClipReader::Message::kAnimationDataFieldNumber,
                                                 Internal::WIRETYPE_LENGTH_DELIMITED);
}

}  // namespace

template <typename T>
absl::StatusOr<std::optional<T>> ClipReader::Count(absl::StatusOr<std::optional<T>> got) {
  if (!got.ok()) {
    fault_ = got.status();
  } else if (got->has_value()) {
    ++messages_;
    any_data_ = any_data_ || IsData(**got);
  } else if (!std::exchange(ended_, true) && !any_data_ && !wraps_) {
    Warn("the clip has no frame, so nothing moves");
  }
  return got;
}

absl::StatusOr<std::optional<ClipReader::Message>> ClipReader::Next() {
  if (!fault_.ok()) return fault_;
  return Count(DoNext());
}

absl::StatusOr<std::optional<std::string>> ClipReader::NextSerialized() {
  if (!fault_.ok()) return fault_;
  return Count(DoNextSerialized());
}

absl::StatusOr<std::optional<std::string>> ClipReader::DoNextSerialized() {
  const absl::StatusOr<std::optional<Message>> message = DoNext();
  if (!message.ok()) return message.status();
  if (!*message) return std::optional<std::string>();
  return std::optional<std::string>((*message)->SerializeAsString());
}

}  // namespace posewire::clipio
