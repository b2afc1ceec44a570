// Values by key in a folder on disk, within a budget of bytes. Several processes may share a
// folder.
//
// A value is one file, whose name is the SHA-256 of its key:
//
//   "PWCACHE1"  SHA-256 of the key  size of the value (64 bits, little endian)
//   SHA-256 of the three fields above and the value  the value
//
// A file appears under its name with all of its bytes (rename), so readers and writers need no
// lock. Nothing is synced: after a power failure a file may be incomplete. The checksum finds that,
// and any other damage. It does not protect from a user who may write to the folder: check each
// value that you read as if it came from outside.
//
// The budget covers all files of this form in the folder, whole and unfinished ones, of all
// processes, each rounded up to 4 KiB. A writer first creates an unfinished file of the final size
// that has no data yet, then removes the least recently used values until the sum of all fits, and
// only then writes the data. So even with many writers at once, data never exceeds the budget.
// Other files in the folder are neither counted nor removed.
//
// To look at all files for each value would take longer than to write it. So with a budget of 16
// MiB and more, a writer that has looked may write a 64th of the budget before it looks again, and
// an eighth is kept free for that, which is enough for eight writers.
#ifndef POSEWIRE_LIBS_DISK_CACHE_DISK_CACHE_H_
#define POSEWIRE_LIBS_DISK_CACHE_DISK_CACHE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::disk_cache {

using Hash = std::array<unsigned char, 32>;

// Thread-safe. Every call blocks as long as the disk takes.
class DiskCache {
 public:
  // Bytes of a file in addition to its value.
  static constexpr size_t kHeadBytes = 80;

  // Does not touch the disk yet.
  DiskCache(std::string folder, uint64_t budget_bytes);

  // Creates the folder, readable by its owner only, if it does not exist, and removes what exceeds
  // the budget. Errors: those of libs/files/open.h, with the folder.
  absl::Status Open();

  // Returns the size of the value, which is now at the beginning of `to`, and marks it as used.
  // Returns nothing for an unknown key, a value that does not fit into `to`, and a damaged file,
  // which is removed; `to` may then have been written to.
  std::optional<size_t> Get(absl::string_view key, absl::Span<char> to);

  // Stores the value, or replaces it. Does nothing if it does not fit into the budget. Errors:
  // those of libs/files/open.h, such as RESOURCE_EXHAUSTED for a full disk.
  absl::Status Put(absl::string_view key, absl::string_view value);

  // Number of damaged files that Get has found.
  int64_t damaged() const { return damaged_; }

 private:
  std::string PathOf(const Hash& hash) const;
  // Returns whether the unfinished file of this size may be written.
  bool HasRoom(uint64_t bytes);
  // Removes values until all files fit into the limit; returns whether they do.
  bool MakeRoom() const;

  const std::string folder_;
  const uint64_t budget_bytes_;
  const uint64_t limit_bytes_;  // the budget without what is kept free
  std::mutex mutex_;
  uint64_t unseen_bytes_ = 0;  // may be written without another look; guarded by mutex_
  std::atomic<int64_t> damaged_ = 0;
};

}  // namespace posewire::disk_cache

#endif  // POSEWIRE_LIBS_DISK_CACHE_DISK_CACHE_H_
