#include "tools/animclip/clip_output.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/clip_writer.h"
#include "libs/files/file.h"
#include "libs/formats/usd/usda.h"
#include "libs/recording/voice_reader.h"

namespace posewire::animclip {

namespace {

absl::StatusOr<bool> SameBytes(files::ByteSource& a, files::ByteSource& b) {
  if (a.Size() != b.Size()) return false;
  std::vector<char> one(64 << 10), two(one.size());
  for (int64_t at = 0;; at += static_cast<int64_t>(one.size())) {
    const absl::StatusOr<size_t> n = a.Read(at, absl::MakeSpan(one));
    if (!n.ok()) return n.status();
    const absl::StatusOr<size_t> m = b.Read(at, absl::MakeSpan(two));
    if (!m.ok()) return m.status();
    if (*n != *m || !std::equal(one.data(), one.data() + *n, two.data())) return false;
    if (*n < one.size()) return true;
  }
}

}  // namespace

absl::Status CheckSidecar(const std::string& file, const std::string& part, bool has_flag) {
  std::error_code none;
  const bool voice = absl::EndsWith(file, ".wav");
  const bool ours_alone = !voice && !absl::EndsWith(file, usd::kRigEnding);
  if (ours_alone || !std::filesystem::exists(file, none)) return absl::OkStatus();
  auto there = files::File::Open(file, files::File::Mode::kRead);
  if (!there.ok()) return there.status();
  auto ours = files::File::Open(part, files::File::Mode::kRead);
  if (!ours.ok()) return ours.status();
  const absl::StatusOr<bool> same =
      voice ? recording::SameVoice(**there, **ours) : SameBytes(**there, **ours);
  if (same.ok() && *same) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      "\"", file, "\" exists, and holds another ", voice ? "voice" : "rig",
      has_flag ? "; --overwrite replaces it" : "; move it away, or choose another name for OUT"));
}

struct ClipOutput::Impl {
  struct Sidecar {
    std::string file;  // its final path
    PartFile part;
  };

  std::string path;
  std::shared_ptr<PartFiles> parts;
  std::optional<bool> overwrite;
  std::optional<PartFile> part;   // empty: standard output
  std::vector<Sidecar> sidecars;  // files next to the clip
  std::unique_ptr<clipio::ClipWriter> writer;

  absl::StatusOr<std::unique_ptr<files::ByteSink>> OpenSidecar(const std::string& ending) {
    std::string file = absl::StrCat(path.substr(0, clipio::StemLength(path)), ending);
    auto of = PartFile::Of(file, PartFile::kBehind, parts);
    if (!of.ok()) return of.status();
    sidecars.push_back({std::move(file), *std::move(of)});
    return files::File::Open(sidecars.back().part.path(), files::File::Mode::kReplace);
  }

  // Replaces the temporary file's name in a writer's error by the name that the user gave.
  absl::Status Named(const absl::Status& status) const {
    if (!part) return status;
    return absl::Status(status.code(),
                        absl::StrReplaceAll(status.message(), {{part->path(), path}}));
  }
};

ClipOutput::ClipOutput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClipOutput::~ClipOutput() = default;
ClipOutput::ClipOutput(ClipOutput&&) noexcept = default;
ClipOutput& ClipOutput::operator=(ClipOutput&&) noexcept = default;

absl::StatusOr<ClipOutput> ClipOutput::Create(const std::string& path,
                                              std::shared_ptr<PartFiles> parts,
                                              const OutputOptions& output) {
  const absl::StatusOr<clipio::Format> format = clipio::FormatOf(path, clipio::FormatUse::kWrite);
  if (!format.ok()) return format.status();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->parts = std::move(parts);
  impl->overwrite = output.overwrite;
  if ((output.split_usd || output.value_clips_s > 0) && *format != clipio::Format::kUsda) {
    return absl::InvalidArgumentError(
        absl::StrCat("OUT is ", path, ", and ", output.split_usd ? "--split-usd" : "--value-clips",
                     " is for .usda"));
  }
  const double clip_s = output.value_clips_s;
  if (clip_s != 0 && !(clip_s >= kLeastValueClip_s && clip_s <= kMostValueClip_s)) {
    return absl::InvalidArgumentError(absl::StrCat("--value-clips is ", clip_s, ", expected ",
                                                   kLeastValueClip_s, " to ", kMostValueClip_s));
  }
  clipio::WriteOptions options;
  options.format = *format;
  if (path != "-") {
    auto part = PartFile::Of(path, PartFile::kBehind, impl->parts);
    if (!part.ok()) return part.status();
    impl->part.emplace(*std::move(part));
    const size_t folder = path.rfind('/') + 1;
    options.split_usd = output.split_usd;
    options.value_clips_s = output.value_clips_s;
    options.stem = path.substr(folder, clipio::StemLength(path) - folder);
    options.sidecar = [into = impl.get()](const std::string& ending) {
      return into->OpenSidecar(ending);
    };
  }
  auto writer = clipio::ClipWriter::Open(impl->part ? impl->part->path() : path, options);
  if (!writer.ok()) return impl->Named(writer.status());
  impl->writer = *std::move(writer);
  return ClipOutput(std::move(impl));
}

absl::Status ClipOutput::Write(absl::string_view bytes) {
  const absl::Span<const uint8_t> slice(reinterpret_cast<const uint8_t*>(bytes.data()),
                                        bytes.size());
  return impl_->Named(impl_->writer->WriteSerialized({slice}));
}

absl::Status ClipOutput::Finish() {
  if (absl::Status s = impl_->writer->Close(); !s.ok()) return impl_->Named(s);
  for (const Impl::Sidecar& one : impl_->sidecars) {
    if (impl_->overwrite.value_or(false)) break;
    if (absl::Status s = CheckSidecar(one.file, one.part.path(), impl_->overwrite.has_value());
        !s.ok()) {
      return s;
    }
  }
  for (Impl::Sidecar& one : impl_->sidecars) {
    if (absl::Status s = one.part.MoveToPlace(); !s.ok()) return s;
  }
  return impl_->part ? impl_->part->MoveToPlace() : absl::OkStatus();
}

std::vector<std::string> ClipOutput::sidecars() const {
  std::vector<std::string> files;
  for (const Impl::Sidecar& one : impl_->sidecars) files.push_back(one.file);
  return files;
}

}  // namespace posewire::animclip
