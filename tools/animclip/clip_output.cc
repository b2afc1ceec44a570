#include "tools/animclip/clip_output.h"

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "libs/clipio/clip_writer.h"

namespace posewire::animclip {

struct ClipOutput::Impl {
  std::string path, part;
  std::unique_ptr<clipio::ClipWriter> writer;
  bool finished = false;

  ~Impl() {
    if (finished || part == "-") return;
    writer.reset();
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
  }

  // An error of the writer, by the name of the file that was asked for.
  absl::Status Named(const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrReplaceAll(status.message(), {{part, path}}));
  }
};

ClipOutput::ClipOutput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClipOutput::~ClipOutput() = default;
ClipOutput::ClipOutput(ClipOutput&&) noexcept = default;
ClipOutput& ClipOutput::operator=(ClipOutput&&) noexcept = default;

absl::StatusOr<ClipOutput> ClipOutput::Create(const std::string& path) {
  const absl::StatusOr<clipio::Format> format = clipio::FormatOf(path);
  if (!format.ok()) return format.status();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->part = path == "-" ? path : absl::StrCat(path, ".part");
  clipio::WriteOptions options;
  options.format = *format;
  auto writer = clipio::ClipWriter::Open(impl->part, options);
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
  if (impl_->part != "-") {
    std::error_code failed;
    std::filesystem::rename(impl_->part, impl_->path, failed);
    if (failed) {
      return absl::UnavailableError(
          absl::StrCat("\"", impl_->path, "\" cannot be put in place: ", failed.message()));
    }
  }
  impl_->finished = true;
  return absl::OkStatus();
}

}  // namespace posewire::animclip
