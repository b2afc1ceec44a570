#include "tools/animclip/whole_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/file.h"

namespace posewire::animclip {

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  constexpr size_t kMost = size_t{2} << 30, kPiece = size_t{1} << 20;
  auto file = clipio::File::Open(path, clipio::File::Mode::kRead);
  if (!file.ok()) return file.status();
  std::string out;
  while (out.size() <= kMost) {
    const size_t at = out.size();
    out.resize(at + kPiece);
    const auto got = (*file)->Read({out.data() + at, kPiece});
    if (!got.ok()) return got.status();
    out.resize(at + *got);
    if (*got == 0) return out;
  }
  return absl::ResourceExhaustedError(absl::StrCat("\"", path, "\" is larger than 2 GiB"));
}

absl::Status WriteWhole(const std::string& path, absl::string_view bytes,
                        std::shared_ptr<PartFiles> parts) {
  auto part = PartFile::Of(path, PartFile::kBefore, std::move(parts));
  if (!part.ok()) return part.status();
  auto file = clipio::File::Open(part->path(), clipio::File::Mode::kReplace);
  if (!file.ok()) return file.status();
  if (absl::Status s = (*file)->Write(bytes); !s.ok()) return s;
  if (absl::Status s = (*file)->Close(); !s.ok()) return s;
  return part->MoveToPlace();
}

}  // namespace posewire::animclip
