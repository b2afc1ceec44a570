// Props by name, from a folder that the user chose: GLB files, and pictures as upright cards.
//
// Names arrive over the network. They are only compared with the list of the folder's files, which
// is made once, so a name never becomes part of a path.
#ifndef POSEWIRE_LIBS_PROP_FILE_PROP_FOLDER_H_
#define POSEWIRE_LIBS_PROP_FILE_PROP_FOLDER_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/prop_model.h"

namespace posewire::prop_file {

// Any thread.
class PropFolder {
 public:
  static constexpr size_t kMostFiles = 1024, kMostNameBytes = 64;
  static constexpr size_t kMostKeptBytes = 512 << 20;

  // Lists the folder's files NAME.glb, NAME.png, NAME.jpg and NAME.jpeg, with a NAME of 1 to 64
  // letters, digits, underscores and hyphens; others are ignored. Of several files of one name,
  // takes the first in this order. NOT_FOUND without the folder; RESOURCE_EXHAUSTED over 1024
  // files.
  static absl::StatusOr<std::unique_ptr<PropFolder>> Open(const std::string& folder,
                                                          const character::PropLimits& limits = {},
                                                          size_t most_kept_bytes = kMostKeptBytes);

  const std::string& folder() const { return folder_; }
  // Sorted.
  std::vector<std::string> names() const;
  bool has(absl::string_view name) const { return files_.contains(name); }

  // Reads the prop's file and keeps nothing. Errors as in Load.
  absl::StatusOr<character::PropModel> Read(absl::string_view name) const;
  // Returns the prop, reading its file at the first call. NOT_FOUND for an unknown name, with the
  // folder and the known names. Errors of a file begin with its path, and are kept: the file is not
  // read again. UNAVAILABLE if the props would take more than `most_kept_bytes` together.
  absl::StatusOr<std::shared_ptr<const character::PropModel>> Load(absl::string_view name) const;

 private:
  struct File {
    std::string path;
    std::once_flag once = {};
    absl::StatusOr<std::shared_ptr<const character::PropModel>> model = nullptr;
  };
  // Null for an unknown name, for which NotFound returns the error.
  File* Find(absl::string_view name) const;
  absl::Status NotFound(absl::string_view name) const;
  PropFolder(std::string folder, const character::PropLimits& limits, size_t most_kept_bytes)
      : folder_(std::move(folder)), limits_(limits), most_kept_bytes_(most_kept_bytes) {}
  absl::StatusOr<std::shared_ptr<const character::PropModel>> Keep(const std::string& path) const;

  std::string folder_;
  character::PropLimits limits_;
  size_t most_kept_bytes_;
  mutable std::atomic<size_t> kept_bytes_ = 0;
  absl::flat_hash_map<std::string, std::unique_ptr<File>> files_;  // by name
};

}  // namespace posewire::prop_file

#endif  // POSEWIRE_LIBS_PROP_FILE_PROP_FOLDER_H_
