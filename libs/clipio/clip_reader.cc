#include "libs/clipio/clip_reader.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/clipio/file.h"
#include "libs/clipio/format_table.h"
#include "libs/clipio/voice_beside.h"
#include "libs/usd/usdcat.h"

namespace posewire::clipio {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t most) {
  // A pipe that a stage names would be waited for without end.
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no file"));
  }
  auto file = File::Open(path, File::Mode::kRead);
  if (!file.ok()) return file.status();
  std::string out;
  std::vector<char> block(64 << 10);
  while (true) {
    const absl::StatusOr<size_t> got = (*file)->Read(absl::MakeSpan(block));
    if (!got.ok()) return got.status();
    if (*got == 0) return out;
    if (out.size() + *got > most) {
      return absl::ResourceExhaustedError(absl::StrCat(path, ": has over ", most, " bytes"));
    }
    out.append(block.data(), *got);
  }
}

// The folder of a path, with its slash.
std::string FolderOf(absl::string_view path) {
  return std::string(path.substr(0, path.rfind('/') + 1));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ClipReader>> ClipReader::Open(const std::string& path,
                                                             const ReadOptions& options) {
  const absl::StatusOr<Format> format = options.format ? absl::StatusOr<Format>(*options.format)
                                        : options.columns != nullptr ? Format::kJointTable
                                        : usd::IsStageName(path)     ? Format::kUsda
                                                                     : FormatOf(path);
  if (!format.ok()) return format.status();
  auto file = File::Open(path, File::Mode::kRead);
  if (!file.ok()) return file.status();
  ReadOptions known = options;
  known.format = *format;
  if (known.beside == nullptr) {
    known.beside = [folder = FolderOf(path),
                    most = options.max_json_bytes](const std::string& name) {
      return ReadFile(name.front() == '/' ? name : folder + name, most);
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
  if (!fault.ok()) (*clip)->warning_ = absl::StrCat(fault.message(), "; going on without a voice");
  return clip;
}

absl::StatusOr<std::unique_ptr<ClipReader>> ClipReader::Open(std::unique_ptr<ByteSource> source,
                                                             const ReadOptions& options) {
  const absl::StatusOr<Format> format =
      options.format ? absl::StatusOr<Format>(*options.format) : FormatOf(source->name());
  if (!format.ok()) return format.status();
  return RowOf(*format).open(std::move(source), options);
}

template <typename T>
absl::StatusOr<std::optional<T>> ClipReader::Count(absl::StatusOr<std::optional<T>> got) {
  if (!got.ok()) {
    fault_ = got.status();
  } else if (got->has_value()) {
    ++messages_;
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
