#include "tools/animclip/whole_file.h"

#include <filesystem>
#include <system_error>

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

absl::Status WriteWhole(const std::string& path, absl::string_view bytes) {
  const absl::StatusOr<std::string> place = clipio::PlaceOf(path);
  if (!place.ok()) return place.status();
  std::filesystem::path part(*place);
  part.replace_filename(absl::StrCat(".part.", part.filename().string()));
  auto file = clipio::File::Open(part.string(), clipio::File::Mode::kReplace);
  if (!file.ok()) return file.status();
  absl::Status status = (*file)->Write(bytes);
  if (status.ok()) status = (*file)->Close();
  std::error_code failed;
  if (!status.ok()) {
    std::filesystem::remove(part, failed);
    return status;
  }
  std::filesystem::rename(part, *place, failed);
  if (!failed) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("\"", path, "\" cannot be put in place: ", failed.message()));
}

}  // namespace posewire::animclip
