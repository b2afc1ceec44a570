#include "libs/prop_file/prop_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
#include "libs/formats/gltf/prop_reader.h"
#include "libs/image/image.h"
#include "libs/names/known_names.h"

namespace posewire::prop_file {
namespace {

namespace fs = std::filesystem;
using character::PropModel;

// In order of preference.
constexpr std::array<absl::string_view, 4> kEndings = {".glb", ".png", ".jpg", ".jpeg"};

size_t RankOf(absl::string_view ending) {
  return static_cast<size_t>(std::find(kEndings.begin(), kEndings.end(), ending) -
                             kEndings.begin());
}

bool IsName(absl::string_view name) {
  return !name.empty() && name.size() <= PropFolder::kMostNameBytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
         });
}

absl::StatusOr<PropModel> ReadFile(const std::string& path, const character::PropLimits& limits) {
  auto bytes = files::ReadWhole(path, limits.bytes);
  if (!bytes.ok()) return bytes.status();
  const auto read = [&]() -> absl::StatusOr<PropModel> {
    if (fs::path(path).extension() == ".glb") return gltf::ReadProp(*bytes, limits);
    auto picture = image::Decode(*bytes, limits.ForReaders().picture);
    if (!picture.ok()) return picture.status();
    PropModel card = character::CardOf(*std::move(picture));
    if (absl::Status s = character::Finish(limits, card); !s.ok()) return s;
    return card;
  };
  auto model = read();
  if (model.ok()) return model;
  return absl::Status(model.status().code(), absl::StrCat(path, ": ", model.status().message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PropFolder>> PropFolder::Open(const std::string& folder,
                                                             const character::PropLimits& limits,
                                                             size_t most_kept_bytes) {
  std::unique_ptr<PropFolder> out(new PropFolder(folder, limits, most_kept_bytes));
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    const std::string name = path.stem().string();
    const size_t rank = RankOf(path.extension().string());
    if (rank == kEndings.size() || !IsName(name)) continue;
    std::unique_ptr<File>& file = out->files_[name];
    if (file == nullptr) {
      file = std::make_unique<File>();
    } else if (RankOf(fs::path(file->path).extension().string()) < rank) {
      continue;
    }
    file->path = path.string();
    if (out->files_.size() > kMostFiles) {
      return absl::ResourceExhaustedError(absl::StrCat(folder, ": over ", kMostFiles, " props"));
    }
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  return out;
}

std::vector<std::string> PropFolder::names() const {
  std::vector<std::string> out;
  for (const auto& [name, file] : files_) out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

PropFolder::File* PropFolder::Find(absl::string_view name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : found->second.get();
}

absl::Status PropFolder::NotFound(absl::string_view name) const {
  const absl::string_view shown = name.substr(0, kMostNameBytes);
  return absl::NotFoundError(
      absl::StrCat("folder ", folder_, " has no prop \"", shown, "\"", KnownNames(shown, names())));
}

absl::StatusOr<PropModel> PropFolder::Read(absl::string_view name) const {
  const File* const file = Find(name);
  if (file == nullptr) return NotFound(name);
  return ReadFile(file->path, limits_);
}

absl::StatusOr<std::shared_ptr<const PropModel>> PropFolder::Keep(const std::string& path) const {
  const auto full = [&] {
    return absl::UnavailableError(absl::StrCat(path, ": the props in use would take over ",
                                               most_kept_bytes_ >> 20, " MiB together"));
  };
  if (kept_bytes_ >= most_kept_bytes_) return full();
  auto model = ReadFile(path, limits_);
  if (!model.ok()) return model.status();
  const size_t bytes = model->bytes();
  if (kept_bytes_.fetch_add(bytes) + bytes > most_kept_bytes_) {
    kept_bytes_ -= bytes;
    return full();
  }
  return std::make_shared<const PropModel>(*std::move(model));
}

absl::StatusOr<std::shared_ptr<const PropModel>> PropFolder::Load(absl::string_view name) const {
  File* const found = Find(name);
  if (found == nullptr) return NotFound(name);
  File& file = *found;
  std::call_once(file.once, [&] { file.model = Keep(file.path); });
  return file.model;
}

}  // namespace posewire::prop_file
