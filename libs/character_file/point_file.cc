#include "libs/character_file/point_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
#include "libs/formats/gltf/points.h"
#include "libs/formats/obj/obj_sequence.h"
#include "libs/formats/usd/points.h"
#include "libs/formats/usd/usdcat.h"

namespace posewire::character_file {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFrames = 1 << 20;

// Compares the numbers in names by value: a_9 comes before a_10.
bool ByNumbers(const std::string& a, const std::string& b) {
  size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(a[i])) ||
        !absl::ascii_isdigit(static_cast<unsigned char>(b[k]))) {
      if (a[i] != b[k]) return a[i] < b[k];
      ++i, ++k;
      continue;
    }
    const auto digits = [](const std::string& text, size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const size_t from = at;
      while (at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) ++at;
      return text.substr(from, at - from);
    };
    const std::string x = digits(a, i), y = digits(b, k);
    if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
  }
  return a.size() - i < b.size() - k;
}

absl::StatusOr<std::vector<std::string>> ObjFiles(const fs::path& folder, const std::string& from,
                                                  const std::string& to) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!absl::EndsWith(absl::AsciiStrToLower(name), ".obj")) continue;
    if (name.size() < from.size() + to.size() || !absl::StartsWith(name, from) ||
        !absl::EndsWith(name, to)) {
      continue;
    }
    out.push_back((folder / name).string());
    if (out.size() > kMostFrames) {
      return absl::ResourceExhaustedError(absl::StrCat("over ", kMostFrames, " .obj files"));
    }
  }
  if (error) return absl::NotFoundError(error.message());
  if (out.empty()) return absl::NotFoundError("there is no .obj file");
  std::sort(out.begin(), out.end(), ByNumbers);
  return out;
}

// Returns the .obj files of a folder, or of a path with a *; none for any other path.
absl::StatusOr<std::vector<std::string>> ObjFilesOf(const fs::path& path) {
  const std::string name = path.filename().string();
  const size_t star = name.find('*');
  std::error_code error;
  if (star == std::string::npos) {
    return fs::is_directory(path, error) ? ObjFiles(path, "", "") : std::vector<std::string>();
  }
  return ObjFiles(path.has_parent_path() ? path.parent_path() : fs::path("."), name.substr(0, star),
                  name.substr(star + 1));
}

absl::StatusOr<std::unique_ptr<character::PointAnimation>> Open(const std::string& path) {
  const character::Limits limits;
  auto files = ObjFilesOf(path);
  if (!files.ok()) return files.status();
  if (!files->empty()) {
    const std::vector<std::string> paths = *files;
    return obj::ReadObjSequence(
        *std::move(files),
        [paths, limits](size_t frame) { return files::ReadWhole(paths[frame], limits.bytes); },
        limits);
  }
  if (absl::EndsWithIgnoreCase(path, ".obj")) {
    return absl::InvalidArgumentError(
        "one .obj file is one frame; name their folder, or put * in place of the number");
  }
  auto bytes = files::ReadWhole(path, limits.bytes);
  if (!bytes.ok()) return bytes.status();
  if (usd::IsStageName(path) && usd::IsBinaryStage(*bytes)) {
    bytes = usd::ReadBinaryStage(path, limits.bytes);
    if (!bytes.ok()) return bytes.status();
  }
  return ReadPointAnimation(*bytes, limits, [&](const std::string& named) {
    return files::ReadNamed(path, named, limits.bytes);
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPointAnimation(
    absl::string_view bytes, const character::Limits& limits,
    const asset::ReadSidecar& read_sidecar) {
  auto out = absl::StartsWith(bytes, "#usda ") ? usd::ReadPoints(bytes, limits, read_sidecar)
                                               : gltf::ReadPoints(bytes, limits, read_sidecar);
  if (out.ok() && (*out)->points() == 0) {
    return absl::InvalidArgumentError("it has no mesh with points");
  }
  return out;
}

absl::StatusOr<std::string> FirstPointFile(const std::string& path) {
  auto files = ObjFilesOf(path);
  if (files.ok()) return files->empty() ? path : files->front();
  return absl::Status(files.status().code(), absl::StrCat(path, ": ", files.status().message()));
}

absl::StatusOr<std::unique_ptr<character::PointAnimation>> OpenPointAnimation(
    const std::string& path) {
  auto out = Open(path);
  if (out.ok() || absl::StartsWith(std::string(out.status().message()), path)) return out;
  return absl::Status(out.status().code(), absl::StrCat(path, ": ", out.status().message()));
}

}  // namespace posewire::character_file
