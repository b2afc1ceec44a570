#include "libs/files/read.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/files/open.h"

namespace posewire::files {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> ReadAll(const Descriptor& file, const std::string& path,
                                    uint64_t most_bytes) {
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return Fault(path, "cannot read", errno);
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > most_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": has ", size, " bytes, and at most ", most_bytes, " are read"));
  }
  // One extra byte detects the end of the file: kernel files report no size, and others may grow.
  std::string bytes(static_cast<size_t>(std::max<uint64_t>(size, 4095)) + 1, '\0');
  size_t got = 0;
  while (true) {
    const ssize_t n = ::read(file.get(), bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fault(path, "cannot read", errno);
    got += static_cast<size_t>(n);
    if (got > most_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": has more than ", most_bytes, " bytes, which is the most"));
    }
    if (n == 0) break;
    if (got == bytes.size()) bytes.resize(2 * got);
  }
  bytes.resize(got);
  return bytes;
}

// Returns the path of an open file without links; empty if it has none.
fs::path OpenedAt(const Descriptor& file) {
  std::error_code error;
  return fs::read_symlink(absl::StrCat("/proc/self/fd/", file.get()), error);
}

// Returns the folder of a file, without links.
absl::StatusOr<fs::path> HomeOf(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  std::error_code error;
  fs::path home = fs::canonical(folder.empty() ? "." : folder, error);
  if (error) return Fault(folder.string(), "cannot open", error.value());
  return home;
}

absl::Status Leaves(const std::string& from, absl::string_view name) {
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", name.substr(0, 80), "\" is not in the folder of ", from,
      " or below, where all that it names must be; copy it there and change the name"));
}

bool IsInside(const fs::path& folder, const fs::path& place) {
  return std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first ==
         folder.end();
}

}  // namespace

absl::StatusOr<std::string> ReadWhole(const std::string& path, uint64_t most_bytes) {
  const absl::StatusOr<Descriptor> file = OpenToRead(path);
  if (!file.ok()) return file.status();
  return ReadAll(*file, path, most_bytes);
}

absl::StatusOr<std::string> PlaceNamed(const std::string& from, absl::string_view name) {
  const absl::StatusOr<fs::path> home = HomeOf(from);
  if (!home.ok()) return home.status();
  // A URL (http:, C:) or a Windows path is never a local file name here.
  if (name.empty() || absl::StrContains(name, "\\") || absl::StrContains(name, ":")) {
    return Leaves(from, name);
  }
  // If the name is absolute, this is the name alone.
  const fs::path path = fs::path(from).parent_path() / std::string(name);
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(path), error);
  if (error || !IsInside(*home, place)) return Leaves(from, name);
  return path.string();
}

absl::StatusOr<std::string> ReadNamed(const std::string& from, absl::string_view name,
                                      uint64_t most_bytes) {
  const absl::StatusOr<std::string> path = PlaceNamed(from, name);
  if (!path.ok()) return path.status();
  const absl::StatusOr<Descriptor> file = OpenToRead(*path);
  if (!file.ok()) return file.status();
  // Links may have changed in the meantime.
  const absl::StatusOr<fs::path> home = HomeOf(from);
  if (!home.ok()) return home.status();
  if (!IsInside(*home, OpenedAt(*file))) return Leaves(from, name);
  return ReadAll(*file, *path, most_bytes);
}

absl::StatusOr<std::string> PlaceOf(const std::string& path) {
  constexpr int kMostLinks = 40;  // same as the system's limit
  if (path == "-") return path;
  fs::path place = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(place, error); ++links) {
    if (links == kMostLinks) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": leads from link to link without an end"));
    }
    const fs::path to = fs::read_symlink(place, error);
    if (error) return absl::UnavailableError(absl::StrCat(path, ": ", error.message()));
    place = to.is_absolute() ? to : place.parent_path() / to;
  }
  if (fs::exists(place, error) && !fs::is_regular_file(place, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no regular file"));
  }
  return place.string();
}

absl::Status WriteWhole(const std::string& path, absl::string_view bytes) {
  struct stat there = {};
  const bool stays = ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
  const absl::StatusOr<std::string> place = stays ? path : PlaceOf(path);
  if (!place.ok()) return place.status();
  const std::string part = stays ? path : absl::StrCat(*place, ".part");
  absl::StatusOr<Descriptor> file = OpenToWrite(part, stays ? Writing::kKeep : Writing::kReplace);
  if (!file.ok()) return file.status();
  absl::Status status = WriteAll(file->get(), path, bytes);
  // A network file system may report here that it has no space.
  if (::close(file->Release()) != 0) status.Update(Fault(path, "cannot write", errno));
  if (stays) return status;
  if (status.ok() && std::rename(part.c_str(), place->c_str()) != 0) {
    status = Fault(path, "cannot be replaced", errno);
  }
  if (!status.ok()) std::remove(part.c_str());
  return status;
}

}  // namespace posewire::files
